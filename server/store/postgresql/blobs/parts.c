// What survives the attempts of a job, in the database: rows of the result so far in chunks, and a row of `parts` that
// says how many bytes of them count and from which state another attempt goes on, at whichever node.
//
// Rows wait in a file of this machine until a checkpoint takes them along. Each transaction of it asks first whether the
// attempt still owns its job, in a way that nobody can take the job away before it is over: a node that was taken for
// dead adds nothing, and nothing of what it left is below the checkpoint that the next attempt goes on from. That one
// removes what was written beyond it. Checksums as in files/parts.c.
//
// What a checkpoint is to stand upon is looked for first: a database that came back without its last commits
// (synchronous_commit off, a standby that was behind) has less than was told to be there, and a commit whose answer was
// lost may have left more. Then all rows are written again.
#include "store/postgresql/blobs/blobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ----------------------------------------------------------------------------------------------------------- removing

// The blob is nobody's then, and goes in pieces.
#define GIVE_UP(condition)                                                                                             \
  "WITH gone AS (DELETE FROM parts AS p WHERE p.job = $1 AND " condition                                               \
  " RETURNING p.blob) INSERT INTO results (blob, job, attempt, node, touched_ms) SELECT blob, $1, 0, '', 0 FROM gone " \
  "RETURNING blob"

typedef struct removal {
  const char *id, *node;
  int64_t blob; // 0: whatever is kept of a job that has ended
  int64_t gone; // out
} removal;

// What another attempt goes on from stays, be it this node's own: a job that was given back may have been taken anew.
static store_status give_up(pg_connection *c, void *context) {
  static const char ended[] = GIVE_UP("NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.id = $1 AND j.state IN ('queued', "
                                      "'running'))");
  static const char own[] = GIVE_UP("p.blob = $2 AND NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.id = $1 AND (j.state "
                                    "= 'queued' OR (j.state = 'running' AND j.node <> $3)))");
  removal *x = context;
  pg_rows rows;
  x->gone = 0;
  store_status status =
      x->blob == 0 ? pg_run(c, &rows, ended, "t", x->id) : pg_run(c, &rows, own, "tit", x->id, x->blob, x->node);
  status = pg_integer_of(&rows, status, &x->gone);
  return status == STORE_NOT_FOUND ? STORE_OK : status;
}

static bool has_part(store *s, const char *id) {
  int64_t one = 0;
  pg_rows rows;
  pg_connection *c = pg_read(s);
  bool found =
      c && pg_integer_of(&rows, pg_run(c, &rows, "SELECT 1 FROM parts WHERE job = $1", "t", id), &one) == STORE_OK;
  pg_read_end(s, c);
  return found;
}

static bool remove_part(store *s, const char *id, int64_t blob) {
  removal x = {.id = id, .node = s->node, .blob = blob};
  if (pg_change(s, give_up, &x, NULL) != STORE_OK) return false;
  if (x.gone != 0) (void)pg_blob_remove(s, x.gone);
  return true;
}

// What cannot be removed now goes with what dead nodes left.
void database_part_remove(store *s, const char *id, const char *owner) {
  if (has_part(s, id) && remove_part(s, id, 0)) pg_part_count(s, owner, 0, 0);
}

// ----------------------------------------------------------------------------------------------------------- opening

typedef struct checkpoint {
  int64_t blob, rows;
  char rows_sha256[DIGEST_HEX_SIZE], state_sha256[DIGEST_HEX_SIZE];
  void *state;
  size_t state_size;
} checkpoint;

static store_status read_state(pg_connection *c, const char *id, checkpoint *p) {
  static const char sql[] = "SELECT state FROM parts WHERE job = $1";
  pg_rows rows;
  store_status status = pg_run_bytes(c, &rows, sql, "t", id);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  const void *state = pg_bytes(&rows, 0, &p->state_size);
  p->state = malloc(p->state_size + 1);
  if (p->state) memcpy(p->state, state, p->state_size);
  pg_end(&rows);
  return p->state ? STORE_OK : STORE_FULL;
}

static store_status read_checkpoint(pg_connection *c, const char *id, checkpoint *p) {
  static const char sql[] = "SELECT blob, rows, rows_sha256, state_sha256 FROM parts WHERE job = $1";
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "t", id);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  p->blob = pg_integer(&rows, 0);
  p->rows = pg_integer(&rows, 1);
  pg_copy(&rows, 2, p->rows_sha256, sizeof p->rows_sha256);
  pg_copy(&rows, 3, p->state_sha256, sizeof p->state_sha256);
  pg_end(&rows);
  return read_state(c, id, p);
}

static bool is_intact(store_part *part, const checkpoint *p) {
  char sha256[DIGEST_HEX_SIZE];
  digest_of(p->state, p->state_size, sha256);
  return strcmp(sha256, p->state_sha256) == 0 && store_part_digest(part, (uint64_t)p->rows, sha256) &&
         strcmp(sha256, p->rows_sha256) == 0;
}

static bool make_file(store *s, store_part *part) {
  part->fd = store_tmp_file(s);
  store_part_forget_digest(part);
  return part->fd >= 0;
}

// A checkpoint may take the place of the one that was read before its rows are: then its state is not of these rows.
// STORE_NOT_FOUND without one, or with a damaged one (`damaged`).
static store_status fetch(store *s, const char *id, store_part *part) {
  checkpoint p = {.blob = 0};
  pg_connection *c = pg_read(s);
  store_status status = c ? read_checkpoint(c, id, &p) : STORE_AWAY;
  pg_read_end(s, c);
  if (status == STORE_OK) status = make_file(s, part) ? STORE_OK : STORE_FULL;
  if (status == STORE_OK) status = pg_chunks_read(s, p.blob, p.rows, part->fd, NULL);
  part->blob = p.blob;
  part->damaged = status == STORE_NOT_FOUND && p.blob != 0;
  if (status == STORE_OK && !is_intact(part, &p)) part->damaged = true, status = STORE_NOT_FOUND;
  if (status == STORE_OK) {
    part->state = p.state;
    part->state_size = p.state_size;
    part->committed = part->size = (uint64_t)p.rows;
    part->kept = (int64_t)p.state_size;
    return STORE_OK;
  }
  free(p.state);
  return status;
}

static void begin_anew(store_part *part, const char *owner) {
  bool damaged = part->damaged;
  if (part->fd >= 0) close(part->fd);
  *part = (store_part){.fd = -1, .damaged = damaged};
  store_part_forget_digest(part);
  strcpy(part->owner, owner);
}

static void say_damaged(const char *id) {
  log_write(LOG_LEVEL_ERROR, "part_damaged", LOG_S("job", id),
            LOG_S("detail", "rows or checkpoint have another checksum than was written"));
}

store_status database_part_open(store *s, const char *id, const char *owner, store_part *part) {
  part->fd = -1, part->damaged = false;
  begin_anew(part, owner);
  store_status status = fetch(s, id, part);
  if (status == STORE_OK) return STORE_OK;
  int64_t blob = part->blob;
  if (part->damaged) say_damaged(id);
  begin_anew(part, owner);
  if (part->damaged && remove_part(s, id, blob)) pg_part_count(s, owner, 0, 0);
  return status == STORE_NOT_FOUND ? STORE_OK : status;
}

store_status database_part_read(store *s, const char *id, store_part *part) {
  store_status status = STORE_NOT_FOUND;
  part->fd = -1, part->damaged = true;
  for (int i = 0; i < 3 && part->damaged; i++) { // rows that were given up meanwhile look like damage
    part->damaged = false;
    begin_anew(part, "");
    status = fetch(s, id, part);
  }
  if (status == STORE_OK) return STORE_OK;
  if (part->damaged) say_damaged(id);
  begin_anew(part, "");
  return status;
}

// ----------------------------------------------------------------------------------------------------------- writing

// What waits here.
static void count(store *s, store_part *part) {
  int64_t here = (int64_t)(part->size - part->committed);
  pg_part_count(s, part->owner, here - part->counted, 0);
  part->counted = here;
}

void database_part_leave(store *s, store_part *part) {
  if (part->counted != 0) pg_part_count(s, part->owner, -part->counted, 0);
  part->counted = 0;
}

// Rows are given up that a checkpoint counts in: without them it must not be found.
static bool drop_checkpoint(store *s, const char *id, store_part *part) {
  if (!remove_part(s, id, part->blob)) return false;
  part->committed = 0;
  part->blob = part->kept = 0;
  return true;
}

store_status database_part_write(store *s, const char *id, store_part *part, uint64_t offset, const void *bytes,
                                 size_t size) {
  if (offset > part->size) return STORE_PRECONDITION;
  if (!store_part_room(s, part->owner, (int64_t)size)) return STORE_SHARE;
  if (part->fd < 0 && !make_file(s, part)) return STORE_FULL;
  if (offset < part->committed && !drop_checkpoint(s, id, part)) return STORE_AWAY;
  if (offset < part->size && ftruncate(part->fd, (off_t)offset) != 0) return STORE_FULL;
  part->size = offset;
  if (part->digested > offset) store_part_forget_digest(part);
  if (lseek(part->fd, (off_t)offset, SEEK_SET) < 0 || !store_write_all(part->fd, bytes, size))
    return count(s, part), ftruncate(part->fd, (off_t)offset) == 0 ? STORE_FULL : STORE_FAILED;
  if (part->digested == offset) digest_update(&part->rows, bytes, size), part->digested += size;
  part->size += size;
  count(s, part);
  return STORE_OK;
}

typedef struct writing {
  const char *id, *node, *owner;
  int64_t attempt, blob, committed, from, to;
  int64_t written; // out: the blob, once this is committed
  bool unfounded;  // out: what was written before is not there
  bool anyhow;     // whoever owns the job
  int fd;
  const char *rows_sha256, *state_sha256; // NULL: rows only, the checkpoint follows
  const void *state;
  size_t size;
} writing;

static store_status check_owner(pg_connection *c, const writing *x) {
  static const char sql[] =
      "SELECT 1 FROM jobs WHERE id = $1 AND attempt = $2 AND node = $3 AND state = 'running' FOR SHARE";
  int64_t one;
  pg_rows rows;
  store_status status = pg_integer_of(&rows, pg_run(c, &rows, sql, "tit", x->id, x->attempt, x->node), &one);
  return status == STORE_NOT_FOUND ? STORE_PRECONDITION : status;
}

// The last checkpoint, or the piece before this one; of commits the last ones are lost, so what was before is there, too.
static store_status find_ground(pg_connection *c, writing *x) {
  static const char last[] = "SELECT 1 FROM parts WHERE job = $1 AND blob = $2 AND rows = $3 FOR UPDATE";
  static const char piece[] =
      "SELECT 1 FROM chunks WHERE blob = $2 AND at < $3 AND at >= $3 - 1048576 AND at + octet_length(bytes) = $3 AND "
      "(EXISTS (SELECT 1 FROM parts WHERE job = $1 AND blob = $2) OR EXISTS (SELECT 1 FROM results WHERE job = $1 AND "
      "blob = $2))";
  int64_t one;
  pg_rows rows;
  store_status status = pg_integer_of(
      &rows, pg_run(c, &rows, x->from == x->committed ? last : piece, "tii", x->id, x->blob, x->from), &one);
  x->unfounded = status == STORE_NOT_FOUND;
  return status;
}

// A blob that has no checkpoint yet is kept by a row of `results` from going unknown.
static store_status find_blob(pg_connection *c, writing *x, int64_t *blob) {
  static const char make[] =
      "INSERT INTO results (blob, job, attempt, node, touched_ms) VALUES (nextval('blob_numbers'), "
      "$1, $2, '', now_ms()) RETURNING blob";
  static const char rest[] = "DELETE FROM chunks WHERE blob = $1 AND at >= $2";
  pg_rows rows;
  *blob = x->blob;
  if (x->blob == 0) return pg_integer_of(&rows, pg_run(c, &rows, make, "ti", x->id, x->attempt), blob);
  store_status status = find_ground(c, x);
  return status == STORE_OK && x->from == x->committed ? pg_run(c, NULL, rest, "ii", x->blob, x->committed) : status;
}

static store_status write_checkpoint(pg_connection *c, const writing *x, int64_t blob) {
  static const char others[] = GIVE_UP("p.blob <> $2"), known[] = "DELETE FROM results WHERE blob = $1";
  static const char sql[] =
      "INSERT INTO parts VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now_ms()) ON CONFLICT (job) DO UPDATE SET owner = "
      "excluded.owner, attempt = excluded.attempt, rows = excluded.rows, rows_sha256 = excluded.rows_sha256, state = "
      "excluded.state, state_sha256 = excluded.state_sha256, bytes = excluded.bytes, touched_ms = excluded.touched_ms";
  store_status status = pg_run(c, NULL, others, "ti", x->id, blob);
  if (status == STORE_OK) status = pg_run(c, NULL, known, "i", blob);
  if (status != STORE_OK) return status;
  return pg_run(c, NULL, sql, "titiitxti", x->id, blob, x->owner, x->attempt, x->to, x->rows_sha256, x->state, x->size,
                x->state_sha256, x->to + (int64_t)x->size);
}

static store_status write_piece(pg_connection *c, void *context) {
  writing *x = context;
  int64_t blob = 0;
  store_status status = x->anyhow ? STORE_OK : check_owner(c, x);
  if (status == STORE_OK) status = find_blob(c, x, &blob);
  if (status == STORE_OK) status = pg_chunks_write(c, blob, x->fd, x->from, x->to);
  if (status == STORE_OK && x->state_sha256) status = write_checkpoint(c, x, blob);
  x->written = blob;
  return status;
}

// In pieces, of which the last is the checkpoint.
static store_status write_all(store *s, writing *x, int64_t size, const char *rows_sha256, const char *state_sha256) {
  store_status status = STORE_OK;
  bool last = false;
  while (status == STORE_OK && !last) {
    last = size - x->from <= PG_TRANSACTION;
    x->to = last ? size : x->from + PG_TRANSACTION;
    if (last) x->rows_sha256 = rows_sha256, x->state_sha256 = state_sha256;
    status = pg_change(s, write_piece, x, NULL);
    x->blob = x->written;
    x->from = x->to;
  }
  return status;
}

static store_status write_anew(store *s, writing *x, int64_t size, const char *rows_sha256, const char *state_sha256) {
  log_write(LOG_LEVEL_WARNING, "checkpoint_written_anew", LOG_S("job", x->id),
            LOG_S("detail", "the database has not what was written before"));
  x->blob = x->committed = x->from = 0;
  x->rows_sha256 = x->state_sha256 = NULL;
  x->unfounded = false;
  return write_all(s, x, size, rows_sha256, state_sha256);
}

store_status database_part_commit(store *s, const char *id, int attempt, store_part *part, const void *state,
                                  size_t size) {
  char rows_sha256[DIGEST_HEX_SIZE], state_sha256[DIGEST_HEX_SIZE];
  if (size == 0 || size > STORE_STATE_LIMIT) return STORE_PRECONDITION;
  if (part->fd < 0 && !make_file(s, part)) return STORE_FULL;
  if (!store_part_digest(part, part->size, rows_sha256)) return STORE_FULL;
  digest_of(state, size, state_sha256);
  int64_t committed = (int64_t)part->committed;
  writing x = {.id = id,
               .node = s->node,
               .owner = part->owner,
               .attempt = attempt,
               .blob = part->blob,
               .committed = committed,
               .from = committed,
               .fd = part->fd,
               .state = state,
               .size = size};
  store_status status = write_all(s, &x, (int64_t)part->size, rows_sha256, state_sha256);
  if (x.unfounded) status = write_anew(s, &x, (int64_t)part->size, rows_sha256, state_sha256);
  if (status != STORE_OK) return status;
  pg_part_count(s, part->owner, -part->counted, (int64_t)(part->size - part->committed) + (int64_t)size - part->kept);
  part->blob = x.blob;
  part->committed = part->size;
  part->kept = (int64_t)size;
  part->counted = 0;
  return STORE_OK;
}

store_status pg_part_put(store *s, const char *id, int attempt, const store_part *part) {
  char rows_sha256[DIGEST_HEX_SIZE], state_sha256[DIGEST_HEX_SIZE];
  store_part rows = *part;
  if (!store_part_digest(&rows, part->committed, rows_sha256)) return STORE_FULL;
  digest_of(part->state, part->state_size, state_sha256);
  writing x = {.id = id,
               .node = s->node,
               .owner = part->owner,
               .attempt = attempt,
               .anyhow = true,
               .fd = part->fd,
               .state = part->state,
               .size = part->state_size};
  return write_all(s, &x, (int64_t)part->committed, rows_sha256, state_sha256);
}
