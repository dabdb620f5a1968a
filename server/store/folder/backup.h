// Copies of a data folder, and whether one is whole. Neither needs the lock: a server may be writing meanwhile.
#ifndef SERVER_STORE_BACKUP_H
#define SERVER_STORE_BACKUP_H

#include "store/store.h"

typedef struct store_backup {
  const char *from;     ///< data folder, or a backup of one
  const char *to;       ///< is made, or is an empty folder
  const char *previous; ///< an earlier backup: what it has already is linked, not copied; NULL: none
  bool copy;            ///< copies even where a link to the file in `from` would do
  void (*progress)(const char *what, int64_t done, int64_t total); ///< now and then; NULL: nobody asks
  int64_t jobs, results, linked, copied_bytes, lost;               ///< out; lost: results that `from` has not either
} store_backup;

/// Makes in `to` the data folder as it was at one moment after the call began: the database by SQLite's online backup,
/// results by hard link where the file system allows it, otherwise copied and synced, checkpoints of jobs that have not
/// succeeded copied. `to` gets its tendril.db last: without it, it is no backup.
/// @return false with one sentence in `message`
bool store_backup_make(store_backup *b, char message[STORE_MESSAGE_SIZE]);

typedef struct store_check {
  const char *folder;                                              ///< data folder or backup
  bool quick;                                                      ///< sizes of results instead of checksums
  void (*complain)(const char *place, const char *what);           ///< once for each thing that is wrong
  void (*progress)(const char *what, int64_t done, int64_t total); ///< as above
  int64_t jobs, results, bytes, parts, damaged;                    ///< out; damaged: complaints
  int64_t strays; ///< out: files that no job knows, which are told by complain but are no damage
} store_check;

/// Compares everything in a folder with its checksums: pages, indices and references of the database, every result and
/// checkpoint.
/// @return false with one sentence in `message` when it cannot be looked at at all
bool store_check_run(store_check *c, char message[STORE_MESSAGE_SIZE]);

#endif
