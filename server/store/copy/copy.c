// A data folder into a PostgreSQL store: first that nobody works there and nothing else is there, then results and what
// is kept of unfinished jobs, then rows, then both are compared. Each step passes over what is there already.
#include "store/copy/copy.h"
#include "store/folder/snapshot.h"
#include "store/postgresql/blobs/blobs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------------------------ before it begins

static store_status ask(store *s, const char *sql, int64_t *value) {
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_integer_of(&rows, pg_run(c, &rows, sql, "t", pg_node_id(s)), value) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}

static const char BEGUN[] = "copied_from", WHOLE[] = "copied_whole"; // settings: the key of the folder's cursors

typedef struct marking {
  const char *name;
  const unsigned char *key;
} marking;

static store_status mark(pg_connection *c, void *context) {
  static const char sql[] = "INSERT INTO settings VALUES ($1, $2) ON CONFLICT DO NOTHING";
  const marking *x = context;
  return pg_run(c, NULL, sql, "tx", x->name, x->key, (size_t)STORE_KEY_SIZE);
}

// Whether a mark is that of the folder: -1 without it, 0: another's.
static int whose(store_copy *c, const char *name) {
  static const char sql[] = "SELECT value FROM settings WHERE name = $1";
  int known = -1;
  pg_rows rows;
  pg_connection *pg = pg_read(c->to);
  if (pg && pg_run_bytes(pg, &rows, sql, "t", name) == STORE_OK && pg_next(&rows)) {
    size_t size;
    const void *found = pg_bytes(&rows, 0, &size);
    known = size == STORE_KEY_SIZE && memcmp(found, c->from->cursor_key, size) == 0;
    pg_end(&rows);
  }
  pg_read_end(c->to, pg);
  return known;
}

static bool may_begin(store_copy *c, char message[STORE_MESSAGE_SIZE]) {
  static const char others[] = "SELECT count(*) FROM nodes WHERE id <> $1 AND lease_ms > now_ms()";
  static const char things[] = "SELECT (SELECT count(*) FROM models) + (SELECT count(*) FROM jobs) + (SELECT count(*) "
                               "FROM tokens) WHERE $1::text IS NOT NULL";
  int64_t living = 0, there = 0;
  if (ask(c->to, others, &living) != STORE_OK || ask(c->to, things, &there) != STORE_OK)
    return store_say(message, "the database cannot be read: the log says why");
  if (living > 0)
    return store_say(message, "%lld nodes work with that database: stop them first (a killed one is forgotten in 12 s)",
                     (long long)living);
  if (there > 0 && whose(c, BEGUN) != 1)
    return store_say(message, "that database is not empty, and what it has was not copied from this folder");
  if (pg_change(c->to, mark, &(marking){BEGUN, c->from->cursor_key}, NULL) != STORE_OK)
    return store_say(message, "the database cannot be written: the log says why");
  return true;
}

// ------------------------------------------------------------------------------------------------------------ results

typedef struct page {
  store_job jobs[200];
  int count;
} page;

static bool is_there(store_copy *c, store_job *job) {
  memcpy(job->result_node, copy_node, ID_SIZE);
  bool there = store_result_look(c->to, job) == STORE_RESULT_GOOD;
  *job->result_node = '\0';
  return there;
}

static bool copy_result(store_copy *c, store_job *job, char message[STORE_MESSAGE_SIZE]) {
  int fd = -1;
  store_job row;
  if (job->error) return c->missing++, true; // its row says what it lacks, there as here
  if (store_job_get(c->from, job->id, &row) != STORE_OK) return store_say(message, "job %s cannot be read", job->id);
  row.seq = job->seq;
  bool there = is_there(c, &row);
  store_result_condition found = there ? STORE_RESULT_GOOD : store_result_open(c->from, &row, &fd);
  if (found != STORE_RESULT_GOOD) {
    c->missing++;
    if (c->complain) c->complain(job->id, store_result_words(found));
  }
  store_status status = fd < 0 ? STORE_OK : store_result_commit(c->to, row.id, row.attempt, fd, row.result_sha256);
  if (fd >= 0) close(fd);
  if (found == STORE_RESULT_GOOD) c->results++, c->bytes += row.result_size;
  store_job_fini(&row);
  return status == STORE_OK || store_say(message, "the result of job %s cannot be written: the log says why", job->id);
}

static bool copy_results(store_copy *c, char message[STORE_MESSAGE_SIZE]) {
  page *p = calloc(1, sizeof *p);
  int64_t after = 0, total = 0;
  bool good = p != NULL;
  sqlite3 *db = snapshot_open(c->from->folder, message);
  if (db) total = snapshot_integer(db, SNAPSHOT_RESULT_COUNT, 0);
  sqlite3_close(db);
  while (good && store_result_rows(c->from, after, 200, p->jobs, &p->count) == STORE_OK && p->count > 0) {
    for (int i = 0; i < p->count; i++) {
      after = p->jobs[i].seq;
      good = good && copy_result(c, &p->jobs[i], message);
      store_job_fini(&p->jobs[i]);
      if (c->progress) c->progress("results", c->results, total);
    }
  }
  free(p);
  return good;
}

// -------------------------------------------------------------------------------------------------------------- parts

static bool copy_part(store_copy *c, const char *id, char message[STORE_MESSAGE_SIZE]) {
  store_standing job;
  store_part part;
  if (store_job_standing(c->from, id, &job) != STORE_OK || job.state == JOB_SUCCEEDED) return true;
  if (store_part_read(c->from, id, &part) != STORE_OK) return true; // rows without a checkpoint are of no use
  strcpy(part.owner, job.owner);
  bool done = pg_part_put(c->to, id, job.attempt, &part) == STORE_OK;
  store_part_close(&part);
  c->parts += done;
  return done || store_say(message, "what is kept of job %s cannot be written: the log says why", id);
}

static bool copy_parts(store_copy *c, char message[STORE_MESSAGE_SIZE]) {
  size_t count = 0;
  bool good = true;
  store_old_part *list = store_part_ended(c->from, &count);
  for (size_t i = 0; list && good && i < count; i++) good = copy_part(c, list[i].id, message);
  free(list);
  return good;
}

// What nodes have changed or deleted since a whole copy must not come back.
static bool compare_again(store_copy *c, char message[STORE_MESSAGE_SIZE]) {
  char differs[STORE_MESSAGE_SIZE] = "";
  c->again = true;
  if (copy_compare(c, differs)) return true;
  return store_say(message,
                   "the folder was copied as a whole before, and the database was worked with since: %.200s. "
                   "Nothing was changed",
                   differs);
}

bool store_copy_run(store_copy *c, char message[STORE_MESSAGE_SIZE]) {
  if (!may_begin(c, message)) return false;
  if (whose(c, WHOLE) == 1) return compare_again(c, message);
  memcpy(c->to->node, copy_node, ID_SIZE); // what it writes is nobody's who lives
  bool whole = copy_results(c, message) && copy_parts(c, message) && copy_rows(c, message) && copy_compare(c, message);
  if (whole && pg_change(c->to, mark, &(marking){WHOLE, c->from->cursor_key}, NULL) != STORE_OK)
    return store_say(message, "the database cannot be written: the log says why");
  return whole;
}
