// Reads an NPZ archive and writes all of it again, for tests/api/test_npz.py.
//
// Usage: convert_npz IN OUT. Exit 1 with the error on stderr when IN is refused.
#include "codec/wire/archive.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END) != 0) return perror(path), exit(2), NULL;
  *size = (size_t)ftell(f);
  void *bytes = malloc(*size + 1);
  rewind(f);
  if (!bytes || fread(bytes, 1, *size, f) != *size) exit(2);
  fclose(f);
  return bytes;
}

static td_status copy_strings(const npz_array *array, const char *name, arena *a, npz_writer *w, td_error *err) {
  const char **words = arena_array(a, array->count, sizeof *words);
  for (size_t i = 0; i < array->count; i++)
    if (!(words[i] = codec_npz_string(array, i, a))) return td_fail(err, TD_INVALID_ARGUMENT, "", "bad text");
  npz_write_strings(w, name, words, array->count);
  return TD_OK;
}

static td_status copy_member(const npz_archive *archive, const npz_member *m, arena *a, npz_writer *w, td_error *err) {
  npz_array array;
  const double *values;
  td_status status = codec_npz_read(archive, m, a, &array, err);
  if (status != TD_OK) return status;
  if (array.type >= NPZ_UNICODE) return copy_strings(&array, m->name, a, w, err);
  status = codec_npz_doubles(&array, m->name, a, &values, err);
  if (status == TD_OK) npz_write_doubles(w, m->name, values, array.rank, array.dim);
  return status;
}

static td_status copy_all(const void *bytes, size_t size, arena *a, npz_writer *w, td_error *err) {
  npz_archive archive;
  td_status status = codec_npz_open(bytes, size, a, &archive, err);
  for (size_t i = 0; status == TD_OK && i < archive.count; i++)
    status = copy_member(&archive, &archive.members[i], a, w, err);
  return status;
}

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "usage: convert_npz IN OUT\n"), 2;
  size_t size;
  void *bytes = read_file(arguments[1], &size);
  int fd = open(arguments[2], O_RDWR | O_CREAT | O_TRUNC, 0644);
  arena *a = arena_create();
  td_error err = {0};
  npz_writer *w = npz_writer_to_fd(fd);
  td_status status = copy_all(bytes, size, a, w, &err), closed = codec_npz_close(w, NULL, &err);
  if (status != TD_OK || closed != TD_OK) fprintf(stderr, "%s: %s\n", err.pointer, err.message);
  arena_destroy(a);
  free(bytes);
  close(fd);
  return status != TD_OK || closed != TD_OK;
}
