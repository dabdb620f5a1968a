// Is the result that a row speaks of still there, and still what was written?
//
// A file is trusted when its size and SHA-256 are those of the row. A checksum costs a read of the file, so it is
// remembered for the file as it is: a rename or write changes inode, size or time.
#include "store/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------------------ checks remembered

static int64_t changed_ns(const struct stat *st) { return st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec; }

static bool known(store *s, const struct stat *st) {
  bool found = false;
  pthread_mutex_lock(&files_of(s)->checks.lock);
  for (size_t i = 0; i < FILES_CHECKS && !found; i++)
    found = files_of(s)->checks.file[i].inode == (int64_t)st->st_ino &&
            files_of(s)->checks.file[i].size == st->st_size && files_of(s)->checks.file[i].changed_ns == changed_ns(st);
  pthread_mutex_unlock(&files_of(s)->checks.lock);
  return found;
}

void files_result_checked(store *s, int fd) {
  struct stat st;
  if (fstat(fd, &st) != 0) return;
  pthread_mutex_lock(&files_of(s)->checks.lock);
  size_t i = files_of(s)->checks.next++ % FILES_CHECKS;
  files_of(s)->checks.file[i].inode = (int64_t)st.st_ino;
  files_of(s)->checks.file[i].size = st.st_size;
  files_of(s)->checks.file[i].changed_ns = changed_ns(&st);
  pthread_mutex_unlock(&files_of(s)->checks.lock);
}

// ------------------------------------------------------------------------------------------------------------ opening

static store_result_condition check(store *s, const store_job *job, int fd) {
  struct stat st;
  char sha256[DIGEST_HEX_SIZE];
  if (fstat(fd, &st) != 0) return STORE_RESULT_UNREADABLE;
  if (!S_ISREG(st.st_mode) || st.st_size != job->result_size) return STORE_RESULT_CUT;
  if (known(s, &st)) return STORE_RESULT_GOOD;
  if (!digest_of_file(fd, sha256)) return STORE_RESULT_UNREADABLE;
  if (strcmp(sha256, job->result_sha256) != 0) return STORE_RESULT_DAMAGED;
  files_result_checked(s, fd);
  return STORE_RESULT_GOOD;
}

// It is there as a whole.
store_result_condition files_result_begin(store *s, const store_job *job, int *fd, store_missing **missing) {
  *missing = NULL;
  return files_result_open(s, job, fd);
}

store_result_condition files_result_bring(store *s, store_missing *missing, int fd, int64_t first, int64_t count) {
  (void)s, (void)missing, (void)fd, (void)first, (void)count;
  return STORE_RESULT_GOOD;
}

store_result_condition files_result_open(store *s, const store_job *job, int *fd) {
  char path[PATH_SIZE];
  store_result_name name = store_result_named(job->id, job->attempt, job->result_node);
  files_result_path(s, &name, "npz", path);
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // what is no file must not be waited for
  if (*fd < 0) return errno == ENOENT ? STORE_RESULT_MISSING : STORE_RESULT_UNREADABLE;
  store_result_condition found = check(s, job, *fd);
  if (found == STORE_RESULT_GOOD) return found;
  close(*fd);
  *fd = -1;
  return found;
}
