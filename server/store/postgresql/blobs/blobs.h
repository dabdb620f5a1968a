// Blobs in the database: bytes in chunks of at most a MiB, results and parts over them, and copies at hand.
#ifndef SERVER_STORE_POSTGRESQL_BLOBS_BLOBS_H
#define SERVER_STORE_POSTGRESQL_BLOBS_BLOBS_H

#include "store/postgresql/postgresql.h"

#define DATABASE_DECLARE(name) __typeof__(store_##name) database_##name;
STORE_BLOBS(DATABASE_DECLARE)

enum {
  PG_CHUNK = 1 << 20,
  PG_TRANSACTION = 16 << 20, ///< bytes that are written in one, so that none lasts long
  PG_WINDOW = 4 << 20,       ///< bytes that one statement reads
  PG_AHEAD = 2,              ///< such statements under way at once
  PG_TURN = 32 << 20,        ///< bytes that are read before the connection serves others
  PG_COPIES = 32
};
static const int64_t PG_GRACE_MS = 600000; ///< what no row speaks of is somebody's who has just begun with it

typedef struct pg_copy_of { ///< of a result that was written or read here
  store_result_name name;
  int fd; ///< of a file without a name; -1: none
  int64_t size;
  unsigned char *chunks; ///< which of them are there, one each; NULL: all, and checked
  uint64_t number;       ///< of this copy, among all that ever were
  uint64_t used;         ///< when, in uses
} pg_copy_of;

typedef struct pg_part_holder {
  char owner[STORE_NAME_SIZE];
  int64_t stored, here; ///< bytes in the database at the last look, and of rows that wait here for a checkpoint
} pg_part_holder;

struct pg_blobs { ///< what a process has at hand
  pthread_mutex_t lock;
  pg_copy_of copies[PG_COPIES];
  uint64_t uses;
  int64_t copied; ///< bytes of all copies
  pg_part_holder *holders;
  size_t count, room;
  double looked_s; ///< when the database was asked what parts take; 0: never
  store_part_limits limits;
};
static inline pg_blobs *pg_blobs_of(const store *s) { return postgresql_of(s)->blobs; }

// ------------------------------------------------------------------------------------------------------------ chunks

/// Writes `from` to `to` of a file into a blob, within a change. STORE_FULL when the file cannot be read.
store_status pg_chunks_write(pg_connection *c, int64_t blob, int fd, int64_t from, int64_t to);
/// Reads the first `size` bytes of a blob into a file, and (not NULL) their sum. STORE_NOT_FOUND when some are not
/// there.
store_status pg_chunks_read(store *s, int64_t blob, int64_t size, int fd, char *sha256);
/// Reads those chunks of a result that have the bytes from `first`, where a chunk begins, to `end`, each checked
/// against its own sum: STORE_PRECONDITION when one has none, or another.
store_status pg_chunks_read_part(store *s, int64_t blob, int64_t first, int64_t end, int fd);
/// Forgets a blob that no row but one of `results` speaks of: its chunks, some at a time, then that row.
store_status pg_blob_remove(store *s, int64_t blob);

// ------------------------------------------------------------------------------------------------------------ copies

/// Keeps the file of a result at hand, if it is large enough to be worth it. The oldest go.
void pg_copy_keep(store *s, const store_result_name *name, int fd, int64_t size);
/// Opens a copy; -1: there is none.
int pg_copy_open(store *s, const store_result_name *name);
/// Opens a copy of which some chunks may be there, or a new one of holes, to be filled; -1: no file can be made.
/// *number 0: nobody else finds it.
int pg_copy_open_part(store *s, const store_result_name *name, int64_t size, uint64_t *number);
/// Of the bytes from *first, where a chunk begins, to *end those chunks that come next and are not there; false: all
/// are. `here`: the chunks that its reader knows to be there, whatever becomes of the copy.
bool pg_copy_lacks(store *s, uint64_t number, unsigned char *here, int64_t *first, int64_t *end);
/// The chunks of these bytes have come.
void pg_copy_has(store *s, uint64_t number, unsigned char *here, int64_t first, int64_t end);
void pg_copy_drop(store *s, const store_result_name *name);

// ------------------------------------------------------------------------------------------------------------- place

/// Compares where this process keeps results with where the database says that they are; the first one says so there.
/// *fresh: there are none yet, and nobody else works with it.
bool pg_place_check(store *s, bool *fresh, char message[STORE_MESSAGE_SIZE]);

// ------------------------------------------------------------------------------------------------------------- parts

/// Makes a checkpoint from elsewhere that of a job, whoever owns it: its rows are in the part's file.
store_status pg_part_put(store *s, const char *id, int attempt, const store_part *part);

// ------------------------------------------------------------------------------------------------- how much parts take

/// An owner's rows that wait here, and his parts in the database, take so much more (negative: less).
void pg_part_count(store *s, const char *owner, int64_t here, int64_t stored);

#endif
