// Blobs as files in a data folder: results/ID.npz, parts/ID.rows and parts/ID.checkpoint, and tmp/ for what is on its
// way.
#ifndef SERVER_STORE_FILES_FILES_H
#define SERVER_STORE_FILES_FILES_H

#include "store/parts.h"

#include <assert.h>

#define FILES_DECLARE(name) __typeof__(store_##name) files_##name;
STORE_BLOBS(FILES_DECLARE)

typedef struct folder_sync { ///< an fsync of a folder that many share
  pthread_mutex_t lock;
  pthread_cond_t ended;
  uint64_t asked, done; ///< how many asked for one; how many of them have theirs
  bool busy;
} folder_sync;

enum { FILES_CHECKS = 1024, PATH_SIZE = STORE_PATH_SIZE + 64 };
typedef struct result_checks { ///< files whose checksum was found right, the oldest is overwritten
  pthread_mutex_t lock;
  struct {
    int64_t inode, size, changed_ns;
  } file[FILES_CHECKS];
  size_t next;
} result_checks;

typedef struct part_holder {
  char owner[STORE_NAME_SIZE];
  int64_t bytes;
} part_holder;
typedef struct part_holders { ///< of what is kept of unfinished jobs; an owner stays once he had something
  pthread_mutex_t lock;
  part_holder *holder;
  size_t count, room;
  int64_t bytes; // of all
  store_part_limits limits;
} part_holders;

typedef struct file_store { ///< what a store has of this kind
  char results[STORE_PATH_SIZE], parts[STORE_PATH_SIZE];
  const char *home; ///< of both, and of lost+found/
  result_checks checks;
  folder_sync results_sync;
  part_holders parts_of;
} file_store;

static inline file_store *files_of(const store *s) {
  assert(s->blobs_state);
  return s->blobs_state;
}

/// The file of a result, or a temporary one beside it (`kind`: "npz", "fresh").
void files_result_path(const store *s, const store_result_name *name, const char *kind, char path[PATH_SIZE]);
/// The name of such a file; false for files that are none.
bool files_read_name(const char *text, const char *kind, store_result_name *name);
/// The checksum of this result file is known to be right.
void files_result_checked(store *s, int fd);
/// An owner's parts take so much more (negative: less).
void files_part_count(store *s, const char *owner, int64_t bytes);
/// FOLDER/ID.KIND, and the size of that file; 0 without one.
void files_part_path(const char *parts, const char *id, const char *kind, char path[PATH_SIZE]);
int64_t files_part_file_bytes(const char *parts, const char *id, const char *kind);
/// True when the checkpoint in this folder of parts and its rows are as they were written, or when there is none.
bool files_part_intact(const char *parts, const char *id);

#endif
