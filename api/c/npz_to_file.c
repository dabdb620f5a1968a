// A file as the sink of an archive: small pieces are staged, so that a member of many rows costs few system calls.
#include "api/c/npz.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STAGE = 1 << 18 };

typedef struct staged_file {
  int fd;
  uint64_t at; // where the stage begins in the file
  size_t staged;
  char stage[STAGE];
} staged_file;

static int write_at(const staged_file *f, const char *bytes, size_t size, uint64_t at) {
  while (size > 0) {
    ssize_t n = pwrite(f->fd, bytes, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes += n, size -= (size_t)n, at += (uint64_t)n;
  }
  return 0;
}

static int flush(void *context) {
  staged_file *f = context;
  int error = write_at(f, f->stage, f->staged, f->at);
  f->at += f->staged;
  f->staged = 0;
  return error;
}

static int append(void *context, const void *bytes, size_t size) {
  staged_file *f = context;
  int error = f->staged + size > STAGE ? flush(f) : 0;
  if (error) return error;
  if (size >= STAGE) {
    error = write_at(f, bytes, size, f->at);
    f->at += size;
    return error;
  }
  memcpy(f->stage + f->staged, bytes, size);
  f->staged += size;
  assert(f->staged <= STAGE);
  return 0;
}

static int patch(void *context, uint64_t at, const void *bytes, size_t size) {
  staged_file *f = context;
  assert(at + size <= f->at + f->staged);
  int error = flush(f);
  return error ? error : write_at(f, bytes, size, at);
}

npz_writer *npz_writer_to_fd(int fd) {
  staged_file *f = malloc(sizeof *f);
  if (!f) return NULL;
  f->fd = fd;
  f->at = 0;
  f->staged = 0;
  return npz_writer_to((npz_sink){f, append, patch, flush, free});
}
