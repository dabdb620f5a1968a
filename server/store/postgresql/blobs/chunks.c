// Chunks: the bytes of blobs, a MiB each, and one statement for each of them, so that neither side holds more at once.
//
// What is large is written in several transactions and removed in several: none of them lasts long. A blob is a whole
// only for whom a row says so (results with a size, parts), which is written last and goes first.
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
  static const char sql[] = "INSERT INTO chunks VALUES ($1, $2, $3)";
  size_t room = (size_t)(to - from < PG_CHUNK ? to - from : PG_CHUNK);
  char *bytes = malloc(room + 1);
  store_status status = bytes ? STORE_OK : STORE_FULL;
  for (int64_t at = from; status == STORE_OK && at < to; at += (int64_t)room) {
    size_t size = (size_t)(to - at) < room ? (size_t)(to - at) : room;
    status = read_at(fd, bytes, size, at) ? pg_run(c, NULL, sql, "iix", blob, at, bytes, size) : STORE_FULL;
  }
  free(bytes);
  return status;
}

// From *at on, as far as what came goes.
static store_status take_window(pg_rows *rows, int fd, int64_t *at) {
  store_status status = STORE_OK;
  int64_t from = *at;
  while (status == STORE_OK && pg_next(rows)) {
    size_t size;
    uint64_t place;
    memcpy(&place, pg_bytes(rows, 0, &size), sizeof place);
    const void *bytes = pg_bytes(rows, 1, &size);
    if ((int64_t)be64toh(place) != *at)
      status = STORE_NOT_FOUND;
    else if (!write_at(fd, bytes, size, *at))
      status = STORE_FULL;
    *at += (int64_t)size;
  }
  if (rows->result) pg_end(rows);
  return status == STORE_OK && *at == from ? STORE_NOT_FOUND : status;
}

store_status pg_chunks_read(store *s, int64_t blob, int64_t size, int fd) {
  static const char sql[] = "SELECT at, bytes FROM chunks WHERE blob = $1 AND at >= $2 AND at < $3 ORDER BY at";
  store_status status = STORE_OK;
  for (int64_t at = 0; status == STORE_OK && at < size;) {
    int64_t end = at + PG_WINDOW < size ? at + PG_WINDOW : size;
    pg_rows rows;
    pg_connection *c = pg_read(s);
    status = c ? pg_run_bytes(c, &rows, sql, "iii", blob, at, end) : STORE_AWAY;
    if (status == STORE_OK) status = take_window(&rows, fd, &at);
    pg_read_end(s, c);
  }
  return status;
}

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
