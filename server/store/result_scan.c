// Rows and files of results against each other, and which jobs are old: what is done now and then, in small steps.
//
// First every job that succeeded: is its file there, of the right size (the checksum is read where an error stands already, to
// take it back)? Then every file: does a job want it? What belongs to a queued or running job is left alone: it may be about
// to be replaced, or named by a commit. The file of a job that failed or was cancelled is removed. A file of which no row knows may be
// all that is left of one (an older copy of the database, a cut write-ahead log): it is kept in lost+found/, and taken back
// when its row is there again.
#include "base/digest.h"
#include "base/log.h"
#include "store/sqlite/sqlite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 200 };

static bool goes_on(const store_scan *scan) { return !scan->go_on || scan->go_on(scan->context); }

// -------------------------------------------------------------------------------------------------------------- rows

typedef struct page {
  store_job jobs[PAGE]; // with id, result_size, result_sha256 and error only
  int count;
} page;

static void page_fini(page *p) {
  for (int i = 0; i < p->count; i++) store_job_fini(&p->jobs[i]);
  p->count = 0;
}

static store_status read_page(store *s, int64_t after, page *p) {
  static const char sql[] = "SELECT seq, id, result_size, result_sha256, error FROM jobs INDEXED BY jobs_state "
                            "WHERE state = 'succeeded' AND kind <> 'sweep' AND seq > ?1 ORDER BY seq LIMIT ?2";
  connection *c = store_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "ii", after, (int64_t)PAGE);
  for (p->count = 0; sql_row(c, stmt, &status); p->count++) {
    store_job *job = &p->jobs[p->count];
    *job = (store_job){.seq = sqlite3_column_int64(stmt, 0), .result_size = sqlite3_column_int64(stmt, 2)};
    sql_text(stmt, 1, job->id, sizeof job->id);
    sql_text(stmt, 3, job->result_sha256, sizeof job->result_sha256);
    job->error = sql_text_copy(stmt, 4);
  }
  store_read_end(s, c);
  return status;
}

// Out of lost+found/, when it is the file that the row speaks of.
static bool take_back(store *s, const store_job *job) {
  char from[STORE_PATH_SIZE + 64], to[STORE_PATH_SIZE + 64], sha256[DIGEST_HEX_SIZE];
  snprintf(from, sizeof from, "%s/" STORE_LOST_FOUND "/%s.npz", s->folder, job->id);
  snprintf(to, sizeof to, "%s/%s.npz", s->results, job->id);
  int fd = open(from, O_RDONLY | O_CLOEXEC);
  bool same = fd >= 0 && digest_of_file(fd, sha256) && strcmp(sha256, job->result_sha256) == 0;
  if (fd >= 0) close(fd);
  if (!same || rename(from, to) != 0) return errno = ENOENT, false;
  log_write(LOG_LEVEL_WARNING, "result_taken_back", LOG_S("job", job->id), LOG_S("from", from));
  return true;
}

static store_result_condition look(store *s, const store_job *job) {
  char path[STORE_PATH_SIZE + 64];
  struct stat st;
  int fd = -1;
  if (job->error) {
    take_back(s, job);
    store_result_condition found = store_result_open(s, job, &fd);
    if (fd >= 0) close(fd);
    return found;
  }
  snprintf(path, sizeof path, "%s/%s.npz", s->results, job->id);
  if (stat(path, &st) != 0 && (errno != ENOENT || !take_back(s, job) || stat(path, &st) != 0))
    return errno == ENOENT ? STORE_RESULT_MISSING : STORE_RESULT_UNREADABLE;
  return st.st_size == job->result_size ? STORE_RESULT_GOOD : STORE_RESULT_CUT;
}

static store_status check_rows(store *s, store_scan *scan, page *p) {
  int64_t after = 0;
  store_status status = read_page(s, after, p);
  while (status == STORE_OK && p->count > 0 && goes_on(scan)) {
    for (int i = 0; i < p->count; i++) {
      store_result_condition found = look(s, &p->jobs[i]);
      store_status reported = store_result_report(s, &p->jobs[i], found);
      (void)reported; // what cannot be written now is found again
      scan->results++;
      scan->lost += found != STORE_RESULT_GOOD && found != STORE_RESULT_UNREADABLE;
    }
    after = p->jobs[p->count - 1].seq;
    page_fini(p);
    status = read_page(s, after, p);
  }
  page_fini(p);
  return status;
}

// -------------------------------------------------------------------------------------------------------------- files

// The id of a result's file; false for files that are none.
static bool read_name(const char *name, char id[ID_SIZE]) {
  size_t length = strspn(name, "0123456789abcdefghijklmnopqrstuvwxyz");
  if (length != ID_SIZE - 1 || strcmp(name + length, ".npz") != 0) return false;
  memcpy(id, name, length);
  id[length] = '\0';
  return true;
}

typedef enum owner { OWNER_WANTS, OWNER_DOES_NOT, OWNER_UNKNOWN } owner;

// In doubt it stays.
static owner find_owner(store *s, const char *id) {
  static const char sql[] =
      "SELECT state NOT IN ('failed', 'cancelled') OR result_size IS NOT NULL FROM jobs WHERE id = ?1";
  connection *c = store_read(s);
  int64_t wants = 1;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "t", id), &wants);
  store_read_end(s, c);
  return status == STORE_NOT_FOUND ? OWNER_UNKNOWN : wants ? OWNER_WANTS : OWNER_DOES_NOT;
}

static bool set_aside(store *s, int results, const char *name) {
  char to[STORE_PATH_SIZE + 64], sha256[DIGEST_HEX_SIZE] = "";
  snprintf(to, sizeof to, "%s/" STORE_LOST_FOUND, s->folder);
  if (mkdir(to, 0700) != 0 && errno != EEXIST) return false;
  int fd = openat(results, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool read = fd >= 0 && digest_of_file(fd, sha256);
  if (fd >= 0) close(fd);
  snprintf(to, sizeof to, "%.4000s/" STORE_LOST_FOUND "/%.60s", s->folder, name);
  if (renameat(results, name, AT_FDCWD, to) != 0) return false;
  log_write(LOG_LEVEL_WARNING, "result_without_row", LOG_S("file", name), LOG_S("kept_as", to),
            LOG_S("sha256", read ? sha256 : NULL));
  return true;
}

static void check_files(store *s, store_scan *scan) {
  DIR *dir = opendir(s->results);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir)) && goes_on(scan);) {
    char id[ID_SIZE];
    if (!read_name(entry->d_name, id)) continue;
    owner o = find_owner(s, id);
    if (o == OWNER_UNKNOWN) scan->orphans += set_aside(s, dirfd(dir), entry->d_name);
    if (o != OWNER_DOES_NOT || unlinkat(dirfd(dir), entry->d_name, 0) != 0) continue;
    scan->orphans++;
    log_write(LOG_LEVEL_INFO, "orphan_removed", LOG_S("file", entry->d_name));
  }
  closedir(dir);
}

store_status store_result_count_unknown(store *s, int64_t *files, int64_t *unknown) {
  DIR *dir = opendir(s->results);
  *files = *unknown = 0;
  if (!dir) return STORE_FAILED;
  for (struct dirent *entry; (entry = readdir(dir));) {
    char id[ID_SIZE];
    if (!read_name(entry->d_name, id)) continue;
    ++*files;
    *unknown += find_owner(s, id) == OWNER_UNKNOWN;
  }
  closedir(dir);
  return STORE_OK;
}

store_status store_result_scan(store *s, store_scan *scan) {
  page p;
  store_status status = check_rows(s, scan, &p);
  if (status == STORE_OK && goes_on(scan)) check_files(s, scan);
  return status;
}

// --------------------------------------------------------------------------------------------------------- old jobs

store_status store_job_oldest(store *s, const char *whose, int64_t before_ms, bool with_result, int limit,
                              store_old_job *jobs, int *count) {
  // Jobs of a sweep go with it, and their results are its own. By age they go in the order of submission: one that seems to
  // have ended long before an earlier one ended under a clock that was set back.
  static const char sql[] = "SELECT id, finished_ms, coalesce(result_size, 0) + " STORE_ROW_BYTES(
      "jobs") " + CASE WHEN kind = 'sweep' THEN (SELECT "
              "coalesce(sum(coalesce(j.result_size, 0) + j.own), 0) FROM (SELECT result_size, " STORE_ROW_BYTES(
                  "k") " AS own FROM jobs AS k WHERE k.parent = jobs.id) AS j) ELSE 0 END AS size FROM jobs INDEXED BY "
                       "jobs_finished "
                       "WHERE finished_ms IS NOT NULL AND finished_ms < ?1 AND parent IS NULL AND "
                       "(?2 OR seq < (SELECT coalesce(min(seq), 9223372036854775807) FROM jobs WHERE finished_ms >= ?1 "
                       "AND "
                       "parent IS NULL)) AND (?4 IS NULL OR coalesce(owner, '') = ?4) "
                       "ORDER BY finished_ms LIMIT ?3";
  connection *c = store_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "iiit", before_ms, (int64_t)with_result, (int64_t)limit, whose);
  for (*count = 0; sql_row(c, stmt, &status); ++*count) {
    sql_text(stmt, 0, jobs[*count].id, sizeof jobs->id);
    jobs[*count].finished_ms = sqlite3_column_int64(stmt, 1);
    jobs[*count].result_size = sqlite3_column_int64(stmt, 2);
  }
  store_read_end(s, c);
  return status;
}
