// Rows and files of results against each other, and which jobs are old: what is done now and then, in small steps.
//
// First every job that succeeded: is its file there, of the right size (the checksum is read where an error stands already, to
// take it back)? Then every file: does a job want it? What belongs to a queued or running job is left alone: it may be about
// to be replaced, or named by a commit. Terminal states absorb and deleted jobs do not come back, so what is removed here can
// be wanted by nobody later.
#include "base/log.h"
#include "store/sqlite.h"

#include <dirent.h>
#include <errno.h>
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

static store_result_condition look(store *s, const store_job *job) {
  char path[STORE_PATH_SIZE + 64];
  struct stat st;
  int fd = -1;
  if (job->error) {
    store_result_condition found = store_result_open(s, job, &fd);
    if (fd >= 0) close(fd);
    return found;
  }
  snprintf(path, sizeof path, "%s/%s.npz", s->results, job->id);
  if (stat(path, &st) != 0) return errno == ENOENT ? STORE_RESULT_MISSING : STORE_RESULT_UNREADABLE;
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

// In doubt it stays.
static bool wanted(store *s, const char *id) {
  static const char sql[] = "SELECT 1 FROM jobs WHERE id = ?1 AND state NOT IN ('failed', 'cancelled')";
  connection *c = store_read(s);
  int64_t ignored;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "t", id), &ignored);
  store_read_end(s, c);
  return status != STORE_NOT_FOUND;
}

static void check_files(store *s, store_scan *scan) {
  DIR *dir = opendir(s->results);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir)) && goes_on(scan);) {
    char id[ID_SIZE];
    if (!read_name(entry->d_name, id) || wanted(s, id)) continue;
    scan->orphans += unlinkat(dirfd(dir), entry->d_name, 0) == 0;
    log_write(LOG_LEVEL_INFO, "orphan_removed", LOG_S("file", entry->d_name));
  }
  closedir(dir);
}

store_status store_result_scan(store *s, store_scan *scan) {
  page p;
  store_status status = check_rows(s, scan, &p);
  if (status == STORE_OK && goes_on(scan)) check_files(s, scan);
  return status;
}

// --------------------------------------------------------------------------------------------------------- old jobs

store_status store_job_oldest(store *s, int64_t before_ms, bool with_result, int limit, store_old_job *jobs,
                              int *count) {
  // Jobs of a sweep go with it, and their results are its own. By age they go in the order of submission: one that seems to
  // have ended long before an earlier one ended under a clock that was set back.
  static const char sql[] =
      "SELECT id, finished_ms, CASE WHEN kind = 'sweep' THEN (SELECT coalesce(sum(j.result_size), 0) FROM jobs AS j "
      "WHERE "
      "j.parent = jobs.id) ELSE coalesce(result_size, 0) END AS size FROM jobs INDEXED BY jobs_finished "
      "WHERE finished_ms IS NOT NULL AND finished_ms < ?1 AND parent IS NULL AND "
      "CASE ?2 WHEN 0 THEN seq < (SELECT coalesce(min(seq), 9223372036854775807) FROM jobs WHERE finished_ms >= ?1 AND "
      "parent IS NULL) ELSE size > 0 END "
      "ORDER BY finished_ms LIMIT ?3";
  connection *c = store_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "iii", before_ms, (int64_t)with_result, (int64_t)limit);
  for (*count = 0; sql_row(c, stmt, &status); ++*count) {
    sql_text(stmt, 0, jobs[*count].id, sizeof jobs->id);
    jobs[*count].finished_ms = sqlite3_column_int64(stmt, 1);
    jobs[*count].result_size = sqlite3_column_int64(stmt, 2);
  }
  store_read_end(s, c);
  return status;
}
