// Inside the store only: a database that is read from outside of its server.
#ifndef SERVER_STORE_SNAPSHOT_H
#define SERVER_STORE_SNAPSHOT_H

#include "store/store.h"

#include <sqlite3.h>

/// Opens FOLDER/tendril.db read-only; NULL with one sentence in `message`. It never writes or checkpoints: the server's
/// writer is the only one that does.
sqlite3 *snapshot_open(const char *folder, char message[STORE_MESSAGE_SIZE]);
/// A statement, or NULL with `message`.
sqlite3_stmt *snapshot_prepare(sqlite3 *db, const char *sql, char message[STORE_MESSAGE_SIZE]);
/// The one number that a statement gives; `fallback` when it gives none.
int64_t snapshot_integer(sqlite3 *db, const char *sql, int64_t fallback);
bool snapshot_say(char message[STORE_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

/// id, size and checksum of the results that succeeded jobs have, but for those that their rows call lost.
#define SNAPSHOT_RESULTS                                                                                               \
  "SELECT id, result_size, result_sha256 FROM jobs WHERE state = 'succeeded' AND kind <> 'sweep' AND error IS NULL"
#define SNAPSHOT_RESULT_COUNT                                                                                          \
  "SELECT count(*) FROM jobs WHERE state = 'succeeded' AND kind <> 'sweep' AND error IS NULL"

#endif
