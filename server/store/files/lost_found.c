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

// Out of lost+found/, when it is the file that the row speaks of.
static bool take_back(store *s, const store_job *job) {
  char from[PATH_SIZE], to[PATH_SIZE], sha256[DIGEST_HEX_SIZE];
  snprintf(from, sizeof from, "%s/" STORE_LOST_FOUND "/%s.npz", s->folder, job->id);
  snprintf(to, sizeof to, "%s/%s.npz", files_of(s)->results, job->id);
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
  snprintf(path, sizeof path, "%s/%s.npz", files_of(s)->results, job->id);
  if (stat(path, &st) != 0 && (errno != ENOENT || !take_back(s, job) || stat(path, &st) != 0))
    return errno == ENOENT ? STORE_RESULT_MISSING : STORE_RESULT_UNREADABLE;
  return st.st_size == job->result_size ? STORE_RESULT_GOOD : STORE_RESULT_CUT;
}

// The id of a result's file; false for files that are none.
static bool read_name(const char *name, char id[ID_SIZE]) {
  size_t length = strspn(name, "0123456789abcdefghijklmnopqrstuvwxyz");
  if (length != ID_SIZE - 1 || strcmp(name + length, ".npz") != 0) return false;
  memcpy(id, name, length);
  id[length] = '\0';
  return true;
}

store_status files_result_each(store *s, bool (*each)(void *context, const char *id), void *context) {
  DIR *dir = opendir(files_of(s)->results);
  if (!dir) return STORE_FAILED;
  bool go_on = true;
  for (struct dirent *entry; go_on && (entry = readdir(dir));) {
    char id[ID_SIZE];
    go_on = !read_name(entry->d_name, id) || each(context, id);
  }
  closedir(dir);
  return STORE_OK;
}

bool files_result_set_aside(store *s, const char *id) {
  char from[PATH_SIZE], to[PATH_SIZE], sha256[DIGEST_HEX_SIZE] = "";
  snprintf(to, sizeof to, "%s/" STORE_LOST_FOUND, s->folder);
  if (mkdir(to, 0700) != 0 && errno != EEXIST) return false;
  snprintf(from, sizeof from, "%s/%s.npz", files_of(s)->results, id);
  int fd = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool read = fd >= 0 && digest_of_file(fd, sha256);
  if (fd >= 0) close(fd);
  snprintf(to, sizeof to, "%s/" STORE_LOST_FOUND "/%s.npz", s->folder, id);
  if (rename(from, to) != 0) return false;
  log_write(LOG_LEVEL_WARNING, "result_without_row", LOG_S("file", from + strlen(files_of(s)->results) + 1),
            LOG_S("kept_as", to), LOG_S("sha256", read ? sha256 : NULL));
  return true;
}
