// Chunks: the bytes of blobs, a MiB each. One statement writes one; what is read comes some chunks at a time, and the
// next are under way meanwhile, so that neither side holds more than a few at once.
//
// What is large is written in several transactions and removed in several: none of them lasts long. A blob is a whole
// only for whom a row says so (results with a size, parts), which is written last and goes first.
#include "base/log/metrics.h"
#include "store/postgresql/blobs/blobs.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_at(int fd, void *to, size_t size, int64_t at) {
  for (char *next = to; size > 0;) {
    ssize_t n = pread(fd, next, size, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    next += n;
    size -= (size_t)n;
    at += n;
  }
  return true;
}

static bool write_at(int fd, const void *from, size_t size, int64_t at) {
  for (const char *next = from; size > 0;) {
    ssize_t n = pwrite(fd, next, size, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    next += n;
    size -= (size_t)n;
    at += n;
  }
  return true;
}

store_status pg_chunks_write(pg_connection *c, int64_t blob, int fd, int64_t from, int64_t to) {
  static const char sql[] = "INSERT INTO chunks (blob, at, bytes, sha256) VALUES ($1, $2, $3, $4)";
  size_t room = (size_t)(to - from < PG_CHUNK ? to - from : PG_CHUNK);
  char *bytes = malloc(room + 1), sha256[DIGEST_HEX_SIZE];
  store_status status = bytes ? STORE_OK : STORE_FULL;
  for (int64_t at = from; status == STORE_OK && at < to; at += (int64_t)room) {
    size_t size = (size_t)(to - at) < room ? (size_t)(to - at) : room;
    status = read_at(fd, bytes, size, at) ? STORE_OK : STORE_FULL;
    if (status != STORE_OK) break;
    digest_of(bytes, size, sha256);
    status = pg_run(c, NULL, sql, "iixt", blob, at, bytes, size, sha256);
  }
  free(bytes);
  return status;
}

// ----------------------------------------------------------------------------------------------------------- reading

typedef struct reading {
  int64_t blob, at, end; // at: what came goes so far
  int fd;
  digest *whole; // not NULL: of all bytes
  bool each;     // chunks are checked, each against its own sum
} reading;

// STORE_PRECONDITION: it has none, or another one.
static store_status check_chunk(const pg_rows *rows, const void *bytes, size_t size) {
  char sha256[DIGEST_HEX_SIZE];
  size_t length;
  const char *stored = pg_bytes(rows, 2, &length);
  if (length != sizeof sha256 - 1) return STORE_PRECONDITION;
  digest_of(bytes, size, sha256);
  return memcmp(sha256, stored, length) == 0 ? STORE_OK : STORE_PRECONDITION;
}

static store_status take_chunk(const pg_rows *rows, reading *r) {
  size_t size;
  uint64_t place;
  memcpy(&place, pg_bytes(rows, 0, &size), sizeof place);
  const void *bytes = pg_bytes(rows, 1, &size);
  if ((int64_t)be64toh(place) != r->at) return STORE_NOT_FOUND;
  metrics_add(METRIC_FETCHED_BYTES, 0, (int64_t)size);
  store_status status = r->each ? check_chunk(rows, bytes, size) : STORE_OK;
  if (status == STORE_OK && !write_at(r->fd, bytes, size, r->at)) status = STORE_FULL;
  if (status == STORE_OK && r->whole)
    digest_update(r->whole, bytes, (int64_t)size < r->end - r->at ? size : (size_t)(r->end - r->at));
  r->at += (int64_t)size;
  return status;
}

// A window ends at `end`. Chunks begin anywhere (checkpoints end anywhere), so the last of one may hold all of the next.
static store_status take_window(pg_rows *rows, reading *r, int64_t end) {
  store_status status = STORE_OK;
  while (status == STORE_OK && pg_next(rows)) status = take_chunk(rows, r);
  if (rows->result) pg_end(rows);
  return status == STORE_OK && r->at < end ? STORE_NOT_FOUND : status;
}

// Up to `end`, by windows of which the next is asked for before one is looked at.
static store_status read_windows(pg_connection *c, reading *r, int64_t end) {
  static const char sql[] = "SELECT at, bytes, sha256 FROM chunks WHERE blob = $1 AND at >= $2 AND at < $3 ORDER BY at";
  int64_t asked = r->at, ends[PG_AHEAD]; // of the windows under way, the first first
  int ahead = 0;
  store_status status = pg_ahead_begin(c, sql), taken;
  if (status != STORE_OK) return status;
  while (ahead > 0 || (status == STORE_OK && asked < end)) {
    for (; status == STORE_OK && ahead < PG_AHEAD && asked < end; ahead++) {
      int64_t to = asked + PG_WINDOW < end ? asked + PG_WINDOW : end;
      status = pg_ahead(c, sql, "iii", r->blob, asked, to);
      if (status != STORE_OK) break;
      asked = ends[ahead] = to;
    }
    if (ahead == 0 || c->lost) break;
    pg_rows rows;
    taken = pg_ahead_take(c, &rows, sql);
    int64_t window = ends[0];
    memmove(ends, ends + 1, (size_t)--ahead * sizeof *ends);
    if (taken == STORE_OK && status == STORE_OK)
      taken = take_window(&rows, r, window);
    else if (taken == STORE_OK)
      pg_end(&rows);
    if (status == STORE_OK) status = taken;
  }
  pg_ahead_end(c);
  return status;
}

static store_status read_chunks(store *s, reading *r) {
  store_status status = STORE_OK;
  while (status == STORE_OK && r->at < r->end) {
    int64_t end = r->at + PG_TURN < r->end ? r->at + PG_TURN : r->end;
    pg_connection *c = pg_read(s);
    status = c ? read_windows(c, r, end) : STORE_AWAY;
    pg_read_end(s, c);
  }
  return status;
}

store_status pg_chunks_read(store *s, int64_t blob, int64_t size, int fd, char *sha256) {
  digest whole;
  digest_init(&whole);
  reading r = {.blob = blob, .end = size, .fd = fd, .whole = sha256 ? &whole : NULL};
  store_status status = read_chunks(s, &r);
  if (sha256) digest_hex(&whole, sha256);
  return status;
}

store_status pg_chunks_read_part(store *s, int64_t blob, int64_t first, int64_t end, int fd) {
  assert(first % PG_CHUNK == 0);
  reading r = {.blob = blob, .at = first, .end = end, .fd = fd, .each = true};
  return read_chunks(s, &r);
}

// ---------------------------------------------------------------------------------------------------------- removing

typedef struct removal {
  int64_t blob;
  bool more;
} removal;

static store_status remove_some(pg_connection *c, void *context) {
  static const char sql[] = "DELETE FROM chunks WHERE blob = $1 AND at <= (SELECT max(at) FROM (SELECT at FROM chunks "
                            "WHERE blob = $1 ORDER BY at LIMIT 64) AS x)";
  static const char row[] = "DELETE FROM results WHERE blob = $1";
  removal *x = context;
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "i", x->blob);
  if (status != STORE_OK) return status;
  x->more = pg_changed(&rows) >= 64;
  pg_end(&rows);
  return x->more ? STORE_OK : pg_run(c, NULL, row, "i", x->blob);
}

store_status pg_blob_remove(store *s, int64_t blob) {
  removal x = {.blob = blob, .more = true};
  store_status status = STORE_OK;
  while (status == STORE_OK && x.more) status = pg_change(s, remove_some, &x, NULL);
  return status;
}
