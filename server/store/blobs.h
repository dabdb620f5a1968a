// Blobs: results of jobs, and what survives the attempts of those that have none yet.
//
// A kind of blobs (blobs_kind) keeps them: files in a data folder (files/), and any other that gives the same
// functions. Rows say which of them count: a result is one when the row of its job says so, a checkpoint belongs to the
// attempt that runs (store_job_standing). Descriptors of results and parts are files of this machine, whatever keeps
// them.
#ifndef SERVER_STORE_BLOBS_H
#define SERVER_STORE_BLOBS_H

#include "store/status.h"

struct store_job;

// --------------------------------------------------------------------------------------------------------- results

/// A result by whoever wrote it: of one job several may be there, and its row says which one counts.
typedef struct store_result_name {
  char id[ID_SIZE];
  int attempt;
  char node[ID_SIZE]; ///< "": of a folder that one process has, where a job has one result and each attempt replaces it
} store_result_name;

store_result_name store_result_named(const char *id, int attempt, const char *node);
/// A new empty file for the result of one attempt, in tmp/. -1 with errno.
int store_result_create(store *s, const char *id, int attempt);
/// Keeps the file of an attempt, durably, as what may become the job's result. The row follows by store_job_finish; a
/// crash between the two leaves a result that no row speaks of.
/// @param sha256  of the file
store_status store_result_commit(store *s, const char *id, int attempt, int fd, const char *sha256);
/// Removes the file of an attempt that failed.
void store_result_discard(store *s, const char *id, int attempt);

typedef enum store_result_condition {
  STORE_RESULT_GOOD,
  STORE_RESULT_MISSING,
  STORE_RESULT_CUT,       ///< of another size than the row says
  STORE_RESULT_DAMAGED,   ///< of another checksum
  STORE_RESULT_UNREADABLE ///< not to be told now: no descriptor, no leave, a disk that fails
} store_result_condition;
/// Opens the result of a job that succeeded and checks it against its row: its size, and the checksum unless this very
/// file (inode, size, time of change) was checked before. *fd is -1 unless STORE_RESULT_GOOD.
store_result_condition store_result_open(store *s, const struct store_job *job, int *fd);
typedef struct store_missing store_missing; ///< what of a file has not come yet
/// The same where pieces of it are wanted: a file of the whole's size, of which nothing may be there yet but what
/// store_result_bring brings. *missing: to be freed, not before the last of that; NULL: all is there.
store_result_condition store_result_begin(store *s, const struct store_job *job, int *fd, store_missing **missing);
/// Brings `count` bytes from `first` (what lies behind the end is nothing) into the file, checked.
store_result_condition store_result_bring(store *s, store_missing *missing, int fd, int64_t first, int64_t count);
/// The same without a look at the bytes, where the row says no error: by its size. One that the row calls lost is
/// looked at, and taken back from where it was set aside.
store_result_condition store_result_look(store *s, const struct store_job *job);
/// What an attempt of this process has kept, whatever its row says; -1 when there is none.
int store_result_find(store *s, const char *id, int attempt);
/// Calls each for every result that is kept, whether a row knows of it or not, until it is false; where several
/// processes share them, without those that may be on their way. STORE_FAILED when they cannot be listed.
store_status store_result_each(store *s, bool (*each)(void *context, const store_result_name *name), void *context);
/// Keeps a result of which no row knows where nobody looks for results.
bool store_result_set_aside(store *s, const store_result_name *name);
/// Removes a result; false when there was none.
bool store_result_remove(store *s, const store_result_name *name);
/// Removes all that is kept of a job that is not there any more; `result`: as its row had it.
void store_job_gone(store *s, const store_result_name *result, const char *owner);

// ------------------------------------------------------------------------------------- what survives the attempts

typedef struct store_part {
  char owner[STORE_NAME_SIZE]; ///< of the job
  int fd;                      ///< rows of the result so far; -1: none, or closed
  uint64_t committed, size;    ///< bytes of rows: under the last checkpoint, written
  void *state;                 ///< of the last checkpoint, NULL: none
  size_t state_size;
  bool damaged;          ///< there was a checkpoint, but it or its rows are not as they were written
  int64_t kept, counted; ///< bytes of the checkpoint's file; of rows and checkpoint in store_part_bytes
  int64_t blob;          ///< where it is in a database; 0: nowhere yet
  digest rows;           ///< of the first `digested` bytes of rows
  uint64_t digested;
} store_part;

/// For an attempt: rows cut to the last checkpoint; none are made before there is something to write. STORE_FULL when
/// that cannot be.
store_status store_part_open(store *s, const char *id, const char *owner, store_part *part);
/// For a reader: the committed prefix stays as it is while others append. STORE_NOT_FOUND without a checkpoint, or with
/// a damaged one.
store_status store_part_read(store *s, const char *id, store_part *part);
void store_part_close(store_part *part);
/// Writes rows at `offset`, at most part->size; those after it are given up, and a checkpoint that counted them.
/// STORE_SHARE when parts of its owner would take more than store_part_limit allows, although those of his jobs that
/// have ended were dropped.
store_status store_part_write(store *s, const char *id, store_part *part, uint64_t offset, const void *bytes,
                              size_t size);
/// Makes all rows and `state` the job's checkpoint. STORE_PRECONDITION when the attempt does not own the job any more.
store_status store_part_commit(store *s, const char *id, int attempt, store_part *part, const void *state, size_t size);
/// The attempt is over: rows that no checkpoint counts take no room any more, where they are in no place that stays.
/// Before store_part_close.
void store_part_leave(store *s, store_part *part);
/// What is kept of a job that has ended, or, in a data folder, that nobody runs any more.
void store_part_remove(store *s, const char *id, const char *owner);
/// Bytes of all parts, of running jobs and of those that failed or were cancelled.
int64_t store_part_bytes(store *s);
/// Of one owner ("": nobody).
int64_t store_part_bytes_of(store *s, const char *owner);
typedef struct store_part_limits { ///< bytes; `all` 0: no bound
  int64_t all, each;               ///< of one owner, where there are several
  int64_t owners;                  ///< who share it
} store_part_limits;
/// Rows beyond this are not taken any more. One who has no more than an equal part is not refused for what others have.
void store_part_limit(store *s, const store_part_limits *limits);
/// Drops what is kept of jobs that failed or were cancelled until all parts take at most so many bytes: of the owner
/// who has most, the oldest first, and where there are several, nothing of one who has no more than an equal part of
/// the limit.
void store_part_drop_ended(store *s, int64_t bytes);
typedef struct store_old_part {
  char id[ID_SIZE], owner[STORE_NAME_SIZE];
  bool ended; ///< its job failed or was cancelled; until it is dropped
} store_old_part;
/// Inside the store: what is kept of unfinished jobs, the oldest first, to be freed; NULL when there is not enough
/// memory. And how much it may be.
store_old_part *store_part_ended(store *s, size_t *count);
store_part_limits store_part_limits_now(store *s);
/// At start: removes what a dead server left of jobs that succeeded or were deleted, and counts the rest.
void store_part_sweep(store *s);
/// Now and then, by one process of those that share blobs: removes what dead ones left, a while after they did.
void store_blobs_sweep(store *s);

// ----------------------------------------------------------------------------------------------------- a kind of blobs

/// All that a kind of blobs gives: functions of the types above.
// clang-format off
#define STORE_BLOBS(X) \
  X(result_create) X(result_commit) X(result_discard) X(result_open) X(result_begin) X(result_bring) X(result_look) X(result_find) \
  X(result_each) X(result_set_aside) X(result_remove) \
  X(part_open) X(part_read) X(part_write) X(part_commit) X(part_leave) X(part_remove) X(part_sweep) \
  X(part_bytes) X(part_bytes_of) X(part_limit) X(part_limits_now) X(part_ended) X(blobs_sweep)
// clang-format on

typedef struct blobs_kind {
  /// Opens or makes what is at the store's place. False with one sentence in `message`.
  bool (*open)(store *s, char message[STORE_MESSAGE_SIZE]);
  /// When rows are open, too: they and the blobs belong together. NULL: they always do.
  bool (*check)(store *s, char message[STORE_MESSAGE_SIZE]);
  /// Whatever of it open has done.
  void (*close)(store *s);
#define STORE_MEMBER_OF_BLOBS(name) __typeof__(store_##name) *name;
  STORE_BLOBS(STORE_MEMBER_OF_BLOBS)
} blobs_kind;

#endif
