// Which files of results there are, and lost+found/: files of which no row knows may be all that is left of one (an
// older copy of the database, a cut write-ahead log), so they are kept there, and taken back when the row is there
// again.
#include "store/files/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Where a result of this path is kept when no row knows of it.
static void aside_path(const store *s, const char *path, char aside[PATH_SIZE]) {
  snprintf(aside, PATH_SIZE, "%.4000s/" STORE_LOST_FOUND "%.100s", files_of(s)->home, strrchr(path, '/'));
}

// Out of lost+found/, when it is the file that the row speaks of.
static bool take_back(store *s, const store_job *job) {
  char from[PATH_SIZE], to[PATH_SIZE], sha256[DIGEST_HEX_SIZE];
  store_result_name name = store_result_named(job->id, job->attempt, job->result_node);
  files_result_path(s, &name, "npz", to);
  aside_path(s, to, from);
  int fd = open(from, O_RDONLY | O_CLOEXEC);
  bool same = fd >= 0 && digest_of_file(fd, sha256) && strcmp(sha256, job->result_sha256) == 0;
  if (fd >= 0) close(fd);
  if (!same || rename(from, to) != 0) return errno = ENOENT, false;
  log_write(LOG_LEVEL_WARNING, "result_taken_back", LOG_S("job", job->id), LOG_S("from", from));
  return true;
}

store_result_condition files_result_look(store *s, const store_job *job) {
  char path[PATH_SIZE];
  struct stat st;
  int fd = -1;
  if (job->error) {
    take_back(s, job);
    store_result_condition found = files_result_open(s, job, &fd);
    if (fd >= 0) close(fd);
    return found;
  }
  store_result_name name = store_result_named(job->id, job->attempt, job->result_node);
  files_result_path(s, &name, "npz", path);
  if (stat(path, &st) != 0 && (errno != ENOENT || !take_back(s, job) || stat(path, &st) != 0))
    return errno == ENOENT ? STORE_RESULT_MISSING : STORE_RESULT_UNREADABLE;
  return st.st_size == job->result_size ? STORE_RESULT_GOOD : STORE_RESULT_CUT;
}

store_status files_result_each(store *s, bool (*each)(void *context, const store_result_name *name), void *context) {
  DIR *dir = opendir(files_of(s)->results);
  if (!dir) return STORE_FAILED;
  bool go_on = true;
  for (struct dirent *entry; go_on && (entry = readdir(dir));) {
    store_result_name name;
    go_on = !files_read_name(entry->d_name, "npz", &name) || each(context, &name);
  }
  closedir(dir);
  return STORE_OK;
}

bool files_result_set_aside(store *s, const store_result_name *name) {
  char from[PATH_SIZE], to[PATH_SIZE], sha256[DIGEST_HEX_SIZE] = "";
  snprintf(to, sizeof to, "%.4000s/" STORE_LOST_FOUND, files_of(s)->home);
  if (mkdir(to, 0700) != 0 && errno != EEXIST) return false;
  files_result_path(s, name, "npz", from);
  int fd = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool read = fd >= 0 && digest_of_file(fd, sha256);
  if (fd >= 0) close(fd);
  aside_path(s, from, to);
  if (rename(from, to) != 0) return false;
  log_write(LOG_LEVEL_WARNING, "result_without_row", LOG_S("file", from + strlen(files_of(s)->results) + 1),
            LOG_S("kept_as", to), LOG_S("sha256", read ? sha256 : NULL));
  return true;
}
