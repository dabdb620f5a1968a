// Results in the database. A row of `results` with a size is a whole one, written in the last transaction of its chunks;
// the row of its job says by attempt and node that it counts.
#include "store/files/files.h"
#include "store/postgresql/blobs/blobs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Attempts write in a folder of their own node, as in a data folder.
int database_result_create(store *s, const char *id, int attempt) { return files_result_create(s, id, attempt); }
void database_result_discard(store *s, const char *id, int attempt) { files_result_discard(s, id, attempt); }

// ----------------------------------------------------------------------------------------------------------- writing

typedef struct writing {
  const char *id, *node, *sha256;
  int64_t attempt, size, from, to; // bytes of this transaction
  int fd;
  int64_t blob; // 0: not yet
} writing;

static store_status begin(pg_connection *c, const writing *x, int64_t *blob) {
  static const char sql[] = "INSERT INTO results (blob, job, attempt, node, size, sha256, touched_ms) VALUES "
                            "(nextval('blob_numbers'), $1, $2, $3, $4, $5, now_ms()) RETURNING blob";
  bool whole = x->to == x->size;
  pg_rows rows;
  char size[24];
  snprintf(size, sizeof size, "%lld", (long long)x->size);
  return pg_integer_of(
      &rows, pg_run(c, &rows, sql, "tittt", x->id, x->attempt, x->node, whole ? size : NULL, whole ? x->sha256 : NULL),
      blob);
}

#define GROUND                                                                                                         \
  " WHERE blob = $1 AND job = $2 AND attempt = $3 AND node = $4 AND EXISTS (SELECT 1 FROM chunks AS k WHERE k.blob = " \
  "$1 AND k.at = $5 - 1048576)"
// Behind what was written before, if that is there: a database may have come back without its last commits, or this was
// swept away, as the attempt was lost long ago.
static store_status go_on(pg_connection *c, const writing *x) {
  static const char more[] = "UPDATE results SET touched_ms = now_ms()" GROUND;
  static const char last[] = "UPDATE results SET touched_ms = now_ms(), size = $6, sha256 = $7" GROUND;
  pg_rows rows;
  store_status status = x->to < x->size ? pg_run(c, &rows, more, "ititi", x->blob, x->id, x->attempt, x->node, x->from)
                                        : pg_run(c, &rows, last, "ititiit", x->blob, x->id, x->attempt, x->node,
                                                 x->from, x->size, x->sha256);
  bool there = status == STORE_OK && pg_changed(&rows) > 0;
  if (status == STORE_OK) pg_end(&rows);
  return status == STORE_OK && !there ? STORE_PRECONDITION : status;
}

static store_status write_piece(pg_connection *c, void *context) {
  writing *x = context;
  int64_t blob = x->blob;
  store_status status = x->from == 0 ? begin(c, x, &blob) : go_on(c, x);
  x->blob = blob;
  return status == STORE_OK ? pg_chunks_write(c, blob, x->fd, x->from, x->to) : status;
}

static store_status write_all(store *s, writing *x) {
  store_status status = STORE_OK;
  do {
    x->to = x->from + PG_TRANSACTION < x->size ? x->from + PG_TRANSACTION : x->size;
    status = pg_change(s, write_piece, x, NULL);
    x->from = x->to;
  } while (status == STORE_OK && x->to < x->size);
  return status;
}

store_status database_result_commit(store *s, const char *id, int attempt, int fd, const char *sha256) {
  struct stat st;
  if (fstat(fd, &st) != 0) return STORE_FULL;
  writing x = {.id = id, .node = s->node, .sha256 = sha256, .attempt = attempt, .size = st.st_size, .fd = fd};
  store_status status = write_all(s, &x);
  if (status == STORE_PRECONDITION) x.from = 0, status = write_all(s, &x);
  if (status != STORE_OK) return status;
  store_result_name name = store_result_named(id, attempt, s->node);
  pg_copy_keep(s, &name, fd, x.size);
  database_result_discard(s, id, attempt); // the name of its file here
  return STORE_OK;
}

// ----------------------------------------------------------------------------------------------------------- reading

typedef struct stored {
  int64_t blob, size;
  bool summed; // each chunk has a sum of its own
  char sha256[DIGEST_HEX_SIZE];
} stored;

static store_status find(store *s, const store_result_name *name, stored *found) {
  static const char sql[] =
      "SELECT blob, size, sha256, NOT EXISTS (SELECT 1 FROM chunks AS c WHERE c.blob = results.blob AND c.sha256 IS "
      "NULL) FROM results WHERE job = $1 AND attempt = $2 AND node = $3 AND "
      "size IS NOT NULL ORDER BY blob DESC LIMIT 1";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "tit", name->id, (int64_t)name->attempt, name->node) : STORE_AWAY;
  if (status == STORE_OK && !pg_next(&rows)) status = STORE_NOT_FOUND;
  if (status == STORE_OK) {
    found->blob = pg_integer(&rows, 0);
    found->size = pg_integer(&rows, 1);
    pg_copy(&rows, 2, found->sha256, sizeof found->sha256);
    found->summed = pg_true(&rows, 3);
    pg_end(&rows);
  }
  pg_read_end(s, c);
  return status;
}

static store_result_condition condition_of(store_status status) {
  return status == STORE_OK          ? STORE_RESULT_GOOD
         : status == STORE_NOT_FOUND ? STORE_RESULT_MISSING
                                     : STORE_RESULT_UNREADABLE;
}

// Its bytes in a file without a name, checked.
static store_result_condition fetch(store *s, const stored *x, int *fd) {
  char sha256[DIGEST_HEX_SIZE];
  *fd = store_tmp_file(s);
  store_status status = *fd >= 0 ? pg_chunks_read(s, x->blob, x->size, *fd, sha256) : STORE_FULL;
  store_result_condition found = status == STORE_NOT_FOUND ? STORE_RESULT_CUT : condition_of(status);
  if (found == STORE_RESULT_GOOD && strcmp(sha256, x->sha256) != 0) found = STORE_RESULT_DAMAGED;
  if (found == STORE_RESULT_GOOD) return found;
  if (*fd >= 0) close(*fd);
  *fd = -1;
  return found;
}

// What the database says of it is what its row says.
static store_result_condition find_right(store *s, const store_job *job, stored *x) {
  store_result_name name = store_result_named(job->id, job->attempt, job->result_node);
  store_result_condition found = condition_of(find(s, &name, x));
  if (found != STORE_RESULT_GOOD) return found;
  if (x->size != job->result_size) return STORE_RESULT_CUT;
  return strcmp(x->sha256, job->result_sha256) == 0 ? STORE_RESULT_GOOD : STORE_RESULT_DAMAGED;
}

store_result_condition database_result_open(store *s, const store_job *job, int *fd) {
  store_result_name name = store_result_named(job->id, job->attempt, job->result_node);
  stored x;
  *fd = job->error ? -1 : pg_copy_open(s, &name); // one that was called lost is looked at anew
  if (*fd >= 0) return STORE_RESULT_GOOD;
  store_result_condition found = find_right(s, job, &x);
  if (found != STORE_RESULT_GOOD) return found;
  found = fetch(s, &x, fd);
  if (found == STORE_RESULT_GOOD) pg_copy_keep(s, &name, *fd, x.size);
  return found;
}

struct store_missing {
  stored of;
  uint64_t copy;         // at hand for others, too; 0: not
  unsigned char there[]; // chunks, one each
};

// Chunks that have no sum, or are called lost, are read as a whole, whose sum says what it is.
store_result_condition database_result_begin(store *s, const store_job *job, int *fd, store_missing **missing) {
  store_result_name name = store_result_named(job->id, job->attempt, job->result_node);
  stored x;
  *fd = job->error ? -1 : pg_copy_open(s, &name);
  *missing = NULL;
  if (*fd >= 0) return STORE_RESULT_GOOD;
  if (job->error || job->result_size <= PG_CHUNK) return database_result_open(s, job, fd);
  store_result_condition found = find_right(s, job, &x);
  if (found != STORE_RESULT_GOOD) return found;
  if (!x.summed) return database_result_open(s, job, fd);
  store_missing *m = calloc(1, sizeof *m + (size_t)(x.size / PG_CHUNK) + 1);
  if (!m) return STORE_RESULT_UNREADABLE;
  m->of = x;
  *fd = pg_copy_open_part(s, &name, x.size, &m->copy);
  if (*fd < 0) return free(m), STORE_RESULT_UNREADABLE;
  *missing = m;
  return STORE_RESULT_GOOD;
}

// The chunks that have these bytes and are not at hand yet, into their places.
store_result_condition database_result_bring(store *s, store_missing *m, int fd, int64_t first, int64_t count) {
  store_status status = STORE_OK;
  const int64_t size = m->of.size, end = first >= size ? first : count < size - first ? first + count : size;
  int64_t from = first / PG_CHUNK * PG_CHUNK, to = end;
  for (; status == STORE_OK && first < end && pg_copy_lacks(s, m->copy, m->there, &from, &to); from = to, to = end) {
    status = pg_chunks_read_part(s, m->of.blob, from, to, fd);
    if (status == STORE_OK) pg_copy_has(s, m->copy, m->there, from, to);
  }
  return status == STORE_OK             ? STORE_RESULT_GOOD
         : status == STORE_PRECONDITION ? STORE_RESULT_DAMAGED
         : status == STORE_NOT_FOUND    ? STORE_RESULT_CUT
                                        : STORE_RESULT_UNREADABLE;
}

store_result_condition database_result_look(store *s, const store_job *job) {
  store_result_name name = store_result_named(job->id, job->attempt, job->result_node);
  stored x;
  int fd = -1;
  if (job->error) {
    store_result_condition found = database_result_open(s, job, &fd);
    if (fd >= 0) close(fd);
    return found;
  }
  store_result_condition found = condition_of(find(s, &name, &x));
  if (found != STORE_RESULT_GOOD) return found;
  return x.size == job->result_size ? STORE_RESULT_GOOD : STORE_RESULT_CUT;
}

int database_result_find(store *s, const char *id, int attempt) {
  store_result_name name = store_result_named(id, attempt, s->node);
  stored x;
  int fd = -1;
  if (find(s, &name, &x) == STORE_OK) (void)fetch(s, &x, &fd);
  return fd;
}

// ---------------------------------------------------------------------------------------------------------- removing

// What is small goes at once; the first of what is large is given out.
static store_status remove_small(pg_connection *c, void *context) {
  static const char sql[] =
      "WITH gone AS (DELETE FROM results WHERE job = $1 AND attempt = $2 AND node = $3 AND size <= $4 RETURNING blob) "
      "DELETE FROM chunks WHERE blob IN (SELECT blob FROM gone)";
  const store_result_name *name = context;
  return pg_run(c, NULL, sql, "titi", name->id, (int64_t)name->attempt, name->node, (int64_t)PG_TRANSACTION);
}

bool database_result_remove(store *s, const store_result_name *name) {
  stored x;
  if (!*name->node) return false;
  pg_copy_drop(s, name);
  bool there = find(s, name, &x) == STORE_OK;
  if (!there) return false;
  if (x.size <= PG_TRANSACTION) return pg_change(s, remove_small, (void *)name, NULL) == STORE_OK;
  return pg_blob_remove(s, x.blob) == STORE_OK;
}

// Nothing is looked for by names: what no row wants goes by database_blobs_sweep.
store_status database_result_each(store *s, bool (*each)(void *context, const store_result_name *name), void *context) {
  (void)s, (void)each, (void)context;
  return STORE_OK;
}

bool database_result_set_aside(store *s, const store_result_name *name) {
  (void)s, (void)name;
  return false;
}
