// An unlinked temporary file of rows, written through stdio's buffer and read back in blocks of rows, one pass per member.
#include "worker/spool.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPOOL_BLOCK_ROWS = 256, PATH_SIZE = 4096 };

int spool_file(void) {
  const char *folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = "/tmp";
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  char path[PATH_SIZE]; // a file system without O_TMPFILE
  if (snprintf(path, sizeof path, "%s/tendril-XXXXXX", folder) >= (int)sizeof path) return -1;
  fd = mkostemp(path, O_CLOEXEC);
  if (fd >= 0) unlink(path);
  return fd;
}

bool spool_init(spool *s, size_t width) {
  *s = (spool){.width = width};
  s->block = calloc(SPOOL_BLOCK_ROWS * (width ? width : 1), sizeof *s->block);
  int fd = spool_file();
  s->file = fd >= 0 ? fdopen(fd, "w+b") : NULL;
  if (fd >= 0 && !s->file) close(fd);
  s->failed = !s->file || !s->block;
  return !s->failed;
}

void spool_fini(spool *s) {
  if (s->file) fclose(s->file);
  free(s->block);
  *s = (spool){.failed = true};
}

bool spool_append(spool *s, const double *row) {
  if (!s->failed) s->failed = fwrite(row, sizeof *row, s->width, s->file) != s->width;
  s->rows += !s->failed;
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

bool spool_write_member(spool *s, npz_writer *w, const char *name, npz_type type, size_t first, size_t count, int rank,
                        const size_t *dim) {
  size_t shape[NPZ_MAX_RANK] = {s->rows};
  for (int i = 0; i < rank; i++) shape[1 + i] = dim[i];
  npz_write_begin(w, name, type, type == NPZ_BOOL ? 1 : 8, rank + 1, shape);
  if (s->failed || fseeko(s->file, 0, SEEK_SET) != 0) return false;
  for (size_t done = 0; done < s->rows;) {
    size_t rows = s->rows - done < SPOOL_BLOCK_ROWS ? s->rows - done : SPOOL_BLOCK_ROWS;
    if (s->width && fread(s->block, s->width * sizeof(double), rows, s->file) != rows) return false;
    npz_write_data(w, s->block, convert(s->block, rows, s->width, first, count, type));
    done += rows;
  }
  npz_write_end(w);
  return true;
}

static size_t block_of(size_t rows) { return rows < SPOOL_BLOCK_ROWS ? rows : SPOOL_BLOCK_ROWS; }

bool spool_copy(spool *s, size_t first, bool (*sink)(void *context, const void *bytes, size_t size), void *context) {
  size_t row = s->width * sizeof(double);
  bool good = !s->failed && fseeko(s->file, (off_t)(first * row), SEEK_SET) == 0;
  for (size_t done = first; good && row > 0 && done < s->rows;) {
    size_t rows = block_of(s->rows - done);
    good = fread(s->block, row, rows, s->file) == rows && sink(context, s->block, rows * row);
    done += rows;
  }
  s->failed = s->failed || fseeko(s->file, 0, SEEK_END) != 0;
  return good && !s->failed;
}

bool spool_load(spool *s, int fd, size_t rows) {
  size_t row = s->width * sizeof(double);
  for (size_t done = 0; !s->failed && done < rows;) {
    size_t count = block_of(rows - done);
    ssize_t n = pread(fd, s->block, count * row, (off_t)(done * row));
    size_t whole = n > 0 ? (size_t)n / row : 0;
    s->failed = whole == 0 || fwrite(s->block, row, whole, s->file) != whole;
    s->rows += s->failed ? 0 : whole;
    done += whole;
  }
  return !s->failed;
}
