// Files as this program needs them: small, whole, bounded by FILE_LIMIT.
#include "base/files.h"
#include "api/c/json_reason.h"

#include "base/options.h"
#include "base/say.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_LIMIT = 1 << 30, FILE_BLOCK = 1 << 16 };

static char *read_stream(FILE *stream, const char *path, size_t *size) {
  char *bytes = NULL;
  size_t used = 0, got = 0;
  do {
    bytes = must_realloc(bytes, used + FILE_BLOCK + 1);
    got = fread(bytes + used, 1, FILE_BLOCK, stream);
    used += got;
  } while (got > 0 && used < FILE_LIMIT);
  if (ferror(stream) || used >= FILE_LIMIT) {
    say_error("cannot read %s: %s", path, ferror(stream) ? strerror(errno) : "it is larger than 1 GiB");
    free(bytes);
    return NULL;
  }
  bytes[used] = '\0';
  if (strncmp(bytes, "\xef\xbb\xbf", 3) == 0) memmove(bytes, bytes + 3, (used -= 3) + 1);
  *size = used;
  return bytes;
}

char *file_read(const char *path, size_t *size) {
  bool standard_input = strcmp(path, "-") == 0;
  FILE *stream = standard_input ? stdin : fopen(path, "rb");
  if (!stream) {
    say_error("cannot open %s: %s", path, strerror(errno));
    return NULL;
  }
  char *bytes = read_stream(stream, path, size);
  if (!standard_input) fclose(stream);
  return bytes;
}

int file_report(const output_error *err) {
  if (err->trouble == OUTPUT_CLOSED) return EXIT_CLOSED;
  say_error("%s", err->text);
  return err->trouble == OUTPUT_TERMINAL ? EXIT_USAGE : EXIT_FAILED;
}

int file_write(const char *path, const void *bytes, size_t size) {
  output_file file;
  output_error err;
  if (!output_file_open(&file, path, false, &err)) return file_report(&err);
  bool good = output_file_write(&file, bytes, size, &err) && output_file_commit(&file, &err);
  output_file_discard(&file);
  return good ? EXIT_OK : file_report(&err);
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }

json_t *json_from_bytes(const char *path, const char *bytes, size_t size) {
  json_error_t error;
  json_t *value = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
  char words[JSON_REASON_SIZE];
  if (!value) say_error("%s:%d:%d: not JSON: %s", path, error.line, error.column, json_reason(error.text, words));
  return value;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool file_has_extension(const char *path, const char *extension) {
  size_t n = strlen(path), m = strlen(extension);
  return n > m && strcmp(path + n - m, extension) == 0;
}

char *file_stem(const char *path, const char *extension) {
  static const char *const ends[] = {".json", ".job", ".model"};
  char *stem = must_copy(base_name(path));
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
    if (file_has_extension(stem, ends[i])) stem[strlen(stem) - strlen(ends[i])] = '\0';
  char *name = must_format("%s%s", strcmp(stem, "-") == 0 ? "result" : stem, extension);
  free(stem);
  return name;
}

char *file_beside(const char *path, const char *name) {
  size_t folder = (size_t)(base_name(path) - path);
  return must_format("%.*s%s", (int)folder, path, name);
}
