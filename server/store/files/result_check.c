// Is the result that a row speaks of still there, and still what was written?
//
// A file is trusted when its size and SHA-256 are those of the row. A checksum costs a read of the file, so it is remembered
// for the file as it is: a rename or write changes inode, size or time. What is lost is said in the row and its log once, and
// taken back when the file is found good again (an operator brought it back).
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "store/sqlite/sqlite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = STORE_PATH_SIZE + 64 };

const char *store_result_words(store_result_condition condition) {
  static const char *const words[] = {
      [STORE_RESULT_GOOD] = "it is there",
      [STORE_RESULT_MISSING] = "its file is missing",
      [STORE_RESULT_CUT] = "its file has another size than was written",
      [STORE_RESULT_DAMAGED] = "its file has another checksum than was written",
      [STORE_RESULT_UNREADABLE] = "its file cannot be read now",
  };
  return words[condition];
}

// ------------------------------------------------------------------------------------------------ checks remembered

static int64_t changed_ns(const struct stat *st) { return st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec; }

static bool known(store *s, const struct stat *st) {
  bool found = false;
  pthread_mutex_lock(&s->checks.lock);
  for (size_t i = 0; i < STORE_CHECKS && !found; i++)
    found = s->checks.file[i].inode == (int64_t)st->st_ino && s->checks.file[i].size == st->st_size &&
            s->checks.file[i].changed_ns == changed_ns(st);
  pthread_mutex_unlock(&s->checks.lock);
  return found;
}

void store_result_checked(store *s, int fd) {
  struct stat st;
  if (fstat(fd, &st) != 0) return;
  pthread_mutex_lock(&s->checks.lock);
  size_t i = s->checks.next++ % STORE_CHECKS;
  s->checks.file[i].inode = (int64_t)st.st_ino;
  s->checks.file[i].size = st.st_size;
  s->checks.file[i].changed_ns = changed_ns(&st);
  pthread_mutex_unlock(&s->checks.lock);
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
  store_result_checked(s, fd);
  return STORE_RESULT_GOOD;
}

store_result_condition store_result_open(store *s, const store_job *job, int *fd) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s.npz", s->results, job->id);
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // what is no file must not be waited for
  if (*fd < 0) return errno == ENOENT ? STORE_RESULT_MISSING : STORE_RESULT_UNREADABLE;
  store_result_condition found = check(s, job, *fd);
  if (found == STORE_RESULT_GOOD) return found;
  close(*fd);
  *fd = -1;
  return found;
}

// ---------------------------------------------------------------------------------------------------------- reporting

static store_status note(connection *c, const char *id, const char *level, const char *message) {
  static const char sql[] = STORE_ADD_EVENTS(
      "SELECT j.seq AS job, coalesce((SELECT max(o.seq) FROM events AS o WHERE o.job = j.seq), 0) + 1 AS seq, "
      "?2 AS time_ms, j.attempt AS attempt, 'log' AS type, json_object('level', ?3, 'message', ?4) AS data "
      "FROM jobs AS j WHERE j.id = ?1");
  return sql_run(c, sql_bind(sql_prepare(c, sql), "titt", id, clock_now_ms(), level, message));
}

typedef struct report {
  const char *id, *words; // words NULL: the result is good
} report;

static store_status change_error(connection *c, const report *r) {
  static const char lost[] = "UPDATE jobs SET error = json_object('code', 'result_lost', 'detail', ?2) WHERE id = ?1 "
                             "AND state = 'succeeded' AND error IS NULL";
  static const char found[] = "UPDATE jobs SET error = NULL WHERE id = ?1 AND state = 'succeeded'";
  return r->words ? sql_run(c, sql_bind(sql_prepare(c, lost), "tt", r->id, r->words))
                  : sql_run(c, sql_bind(sql_prepare(c, found), "t", r->id));
}

static store_status write_report(connection *c, void *context) {
  const report *r = context;
  char message[128];
  store_status status = change_error(c, r);
  if (status == STORE_OK && sqlite3_changes(c->db) == 0) status = STORE_PRECONDITION; // somebody else said so
  if (status != STORE_OK) return status;
  snprintf(message, sizeof message, "the result is %s%s", r->words ? "lost: " : "there again",
           r->words ? r->words : "");
  return note(c, r->id, r->words ? "error" : "info", message);
}

store_status store_result_report(store *s, const store_job *job, store_result_condition found) {
  bool good = found == STORE_RESULT_GOOD;
  report r = {.id = job->id, .words = good ? NULL : store_result_words(found)};
  if (found == STORE_RESULT_UNREADABLE || good == (job->error == NULL)) return STORE_OK;
  store_status status = store_write(s, write_report, &r, job->id);
  if (status == STORE_PRECONDITION) return STORE_OK;
  if (status != STORE_OK) return status;
  metrics_add(METRIC_RESULTS_LOST, 0, !good);
  log_write(good ? LOG_LEVEL_INFO : LOG_LEVEL_ERROR, good ? "result_found" : "result_lost", LOG_S("job", job->id),
            LOG_S("detail", good ? "" : r.words));
  return STORE_OK;
}
