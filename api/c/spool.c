// The newest rows are in memory, those before them in an unlinked temporary file, which is made when they do not fit
// any more: a short job leaves nothing for the file system to clean up. Read back in blocks of rows, one pass per
// member.
#include "api/c/spool.h"
#include "api/c/nameless_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  BLOCK_ROWS = 256,
  BLOCK_NUMBERS = 1 << 20, // of one block, at the most, but at least a row
  TAIL_BYTES = 256 << 10   // the same of the rows in memory
};

static size_t row_bytes(const spool *s) { return s->width * sizeof(double); }

bool spool_init_file(spool *s, size_t width, int fd) {
  *s = (spool){.filing = fd >= 0, .fd = fd, .width = width, .block_rows = BLOCK_ROWS, .tail_rows = 1};
  if (s->block_rows * width > BLOCK_NUMBERS) s->block_rows = width < BLOCK_NUMBERS ? BLOCK_NUMBERS / width : 1;
  if (width > 0 && row_bytes(s) < TAIL_BYTES) s->tail_rows = TAIL_BYTES / row_bytes(s);
  s->block = malloc(s->block_rows * row_bytes(s) + 1);
  s->tail = malloc(s->tail_rows * row_bytes(s) + 1);
  s->failed = !s->block || !s->tail;
  return !s->failed;
}

bool spool_init(spool *s, size_t width) { return spool_init_file(s, width, -1); }

void spool_fini(spool *s) {
  if (s->filing) close(s->fd);
  free(s->block);
  free(s->tail);
  *s = (spool){.failed = true};
}

static bool write_all(int fd, const char *bytes, size_t size, size_t at) {
  while (size > 0) {
    ssize_t n = pwrite(fd, bytes, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n, size -= (size_t)n, at += (size_t)n;
  }
  return true;
}

static bool read_all(int fd, char *bytes, size_t size, size_t at) {
  while (size > 0) {
    ssize_t n = pread(fd, bytes, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n, size -= (size_t)n, at += (size_t)n;
  }
  return true;
}

// The rows in memory go to the file.
static bool spill(spool *s) {
  size_t row = row_bytes(s);
  if (!s->filing) s->fd = nameless_file(NULL);
  s->filing = s->fd >= 0;
  s->failed = !s->filing || !write_all(s->fd, (const char *)s->tail, (s->rows - s->filed) * row, s->filed * row);
  s->filed = s->rows;
  return !s->failed;
}

bool spool_append(spool *s, const double *row) {
  if (s->failed || (s->rows - s->filed == s->tail_rows && !spill(s))) return false;
  if (s->width > 0) memcpy(s->tail + (s->rows - s->filed) * s->width, row, row_bytes(s));
  s->rows++;
  return true;
}

// Rows [first, first + count) into the block, wherever they are.
static bool fetch(spool *s, size_t first, size_t count) {
  size_t row = row_bytes(s), filed = s->filed > first ? s->filed - first : 0;
  if (filed > count) filed = count;
  if (row == 0) return true;
  s->failed = s->failed || !read_all(s->fd, (char *)s->block, filed * row, first * row);
  if (!s->failed && count > filed)
    memcpy(s->block + filed * s->width, s->tail + (first + filed - s->filed) * s->width, (count - filed) * row);
  return !s->failed;
}

// Packs `count` doubles of each row into the front of the block as elements of `type`; returns the bytes.
static size_t convert(double *block, size_t rows, size_t width, size_t first, size_t count, npz_type type) {
  unsigned char *out = (unsigned char *)block; // never ahead of what is still to be read
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0; i < count; i++) {
      double x = block[r * width + first + i];
      int64_t integer = type == NPZ_F8 ? 0 : (int64_t)x;
      size_t item = type == NPZ_BOOL ? 1 : sizeof(double);
      if (type == NPZ_F8)
        memcpy(out, &x, sizeof x);
      else if (type == NPZ_I8)
        memcpy(out, &integer, sizeof integer);
      else
        *out = integer != 0;
      out += item;
    }
  return (size_t)(out - (unsigned char *)block);
}

static size_t block_of(const spool *s, size_t rows) { return rows < s->block_rows ? rows : s->block_rows; }

bool spool_write_member(spool *s, npz_writer *w, const char *name, npz_type type, size_t first, size_t count, int rank,
                        const size_t *dim) {
  size_t shape[NPZ_MAX_RANK] = {s->rows};
  for (int i = 0; i < rank; i++) shape[1 + i] = dim[i];
  npz_write_begin(w, name, type, type == NPZ_BOOL ? 1 : 8, rank + 1, shape);
  for (size_t done = 0; done < s->rows;) {
    size_t rows = block_of(s, s->rows - done);
    if (!fetch(s, done, rows)) return false;
    npz_write_data(w, s->block, convert(s->block, rows, s->width, first, count, type));
    done += rows;
  }
  npz_write_end(w);
  return true;
}

bool spool_copy(spool *s, size_t first, bool (*sink)(void *context, const void *bytes, size_t size), void *context) {
  size_t row = row_bytes(s);
  bool go = true;
  for (size_t done = first; go && row > 0 && done < s->rows;) {
    size_t rows = block_of(s, s->rows - done);
    go = fetch(s, done, rows) && sink(context, s->block, rows * row);
    done += rows;
  }
  return go && !s->failed;
}

bool spool_load(spool *s, int fd, size_t rows) {
  size_t row = row_bytes(s);
  for (size_t done = 0; !s->failed && done < rows;) {
    size_t count = block_of(s, rows - done);
    s->failed = !read_all(fd, (char *)s->block, count * row, done * row);
    for (size_t i = 0; !s->failed && i < count; i++) spool_append(s, s->block + i * s->width);
    done += count;
  }
  return !s->failed;
}
