// Blobs in the database: bytes in chunks of at most a MiB, results and parts over them, and copies at hand.
#ifndef SERVER_STORE_POSTGRESQL_BLOBS_BLOBS_H
#define SERVER_STORE_POSTGRESQL_BLOBS_BLOBS_H

#include "store/postgresql/postgresql.h"

#define DATABASE_DECLARE(name) __typeof__(store_##name) database_##name;
STORE_BLOBS(DATABASE_DECLARE)

enum {
  PG_CHUNK = 1 << 20,
  PG_TRANSACTION = 16 << 20, ///< bytes that are written in one, so that none lasts long
  PG_WINDOW = 4 << 20,       ///< bytes that are read at once: a connection serves others in between
  PG_COPIES = 32,
  PG_MISSED = 256
};
static const int64_t PG_GRACE_MS = 600000; ///< what no row speaks of is somebody's who has just begun with it

typedef struct pg_copy_of { ///< of a result that was written or read here
  store_result_name name;
  int fd; ///< of a file without a name; -1: none
  int64_t size;
  uint64_t used; ///< when, in uses
} pg_copy_of;

typedef struct pg_part_holder {
  char owner[STORE_NAME_SIZE];
  int64_t stored, here; ///< bytes in the database at the last look, and of rows that wait here for a checkpoint
} pg_part_holder;

typedef struct pg_missed { ///< a result that is not there, or not as its row says
  store_result_name name;
  double since_s; ///< monotonic
} pg_missed;

struct pg_blobs { ///< what a process has at hand
  pthread_mutex_t lock;
  pg_copy_of copies[PG_COPIES];
  uint64_t uses;
  int64_t copied; ///< bytes of all copies
  pg_part_holder *holders;
  size_t count, room;
  double looked_s; ///< when the database was asked what parts take; 0: never
  store_part_limits limits;
  pg_missed missed[PG_MISSED];
  unsigned misses;
};
static inline pg_blobs *pg_blobs_of(const store *s) { return postgresql_of(s)->blobs; }

// ------------------------------------------------------------------------------------------------------------ chunks

/// Writes `from` to `to` of a file into a blob, within a change. STORE_FULL when the file cannot be read.
store_status pg_chunks_write(pg_connection *c, int64_t blob, int fd, int64_t from, int64_t to);
/// Reads the first `size` bytes of a blob into a file. STORE_NOT_FOUND when some are not there.
store_status pg_chunks_read(store *s, int64_t blob, int64_t size, int fd);
/// Forgets a blob that no row but one of `results` speaks of: its chunks, some at a time, then that row.
store_status pg_blob_remove(store *s, int64_t blob);

// ------------------------------------------------------------------------------------------------------------ copies

/// Keeps the file of a result at hand, if it is large enough to be worth it. The oldest go.
void pg_copy_keep(store *s, const store_result_name *name, int fd, int64_t size);
/// Opens a copy; -1: there is none.
int pg_copy_open(store *s, const store_result_name *name);
void pg_copy_drop(store *s, const store_result_name *name);

// ------------------------------------------------------------------------------------------------------------- parts

/// Makes a checkpoint from elsewhere that of a job, whoever owns it: its rows are in the part's file.
store_status pg_part_put(store *s, const char *id, int attempt, const store_part *part);

// ------------------------------------------------------------------------------------------------- how much parts take

/// An owner's rows that wait here, and his parts in the database, take so much more (negative: less).
void pg_part_count(store *s, const char *owner, int64_t here, int64_t stored);

#endif
