// JSON pointers (RFC 6901) below /job, or /model, which stands in the job.
#include "umbridge/place.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_SIZE = 256 };

typedef struct spot {
  json_t *parent, *value; // value NULL: there is none
  char token[TOKEN_SIZE]; // of the value in its parent
} spot;

// The next token of a pointer that begins with '/', with ~1 and ~0 read; NULL when it is too long.
static const char *next_token(const char *pointer, char token[TOKEN_SIZE]) {
  size_t n = 0;
  for (++pointer; *pointer && *pointer != '/'; ++pointer) {
    if (n + 1 == TOKEN_SIZE) return NULL;
    bool escaped = *pointer == '~' && (pointer[1] == '0' || pointer[1] == '1');
    token[n++] = !escaped ? *pointer : *++pointer == '0' ? '~' : '/';
  }
  token[n] = '\0';
  return pointer;
}

static bool is_index(const char *token, size_t *index) {
  char *end;
  *index = strtoul(token, &end, 10);
  return token[0] >= '0' && token[0] <= '9' && *end == '\0';
}

static json_t *member(const json_t *of, const char *token) {
  size_t index;
  if (json_is_object(of)) return json_object_get(of, token);
  return json_is_array(of) && is_index(token, &index) ? json_array_get(of, index) : NULL;
}

static spot find(json_t *job, const char *path) {
  spot s = {.value = NULL};
  bool model = strncmp(path, "/model/", 7) == 0;
  if (!model && strncmp(path, "/job/", 5) != 0) return s;
  s.value = model ? json_object_get(job, "model") : job;
  for (const char *p = path + (model ? 6 : 4); s.value && *p;) {
    s.parent = s.value;
    p = next_token(p, s.token);
    if (!p) return (spot){.value = NULL};
    s.value = member(s.parent, s.token);
  }
  return s;
}

// Of an array of numbers, or of rows of numbers; 0 where anything else stands in it.
static size_t count_in(const json_t *array) {
  size_t count = 0, i, k;
  const json_t *row, *number;
  json_array_foreach(array, i, row) {
    if (json_is_number(row)) ++count;
    json_array_foreach(row, k, number) {
      if (!json_is_number(number)) return 0;
      ++count;
    }
    if (!json_is_number(row) && !json_is_array(row)) return 0;
  }
  return count;
}

size_t place_count(const json_t *job, const char *path) {
  spot s = find((json_t *)(uintptr_t)job, path);
  return json_is_number(s.value) ? 1 : json_is_array(s.value) ? count_in(s.value) : 0;
}

void place_read(const json_t *job, const char *path, double *out) {
  spot s = find((json_t *)(uintptr_t)job, path);
  size_t i, k;
  const json_t *row, *number;
  if (json_is_number(s.value)) *out = json_number_value(s.value);
  json_array_foreach(s.value, i, row) {
    if (json_is_number(row)) *out++ = json_number_value(row);
    json_array_foreach(row, k, number) *out++ = json_number_value(number);
  }
}

static void write_one(const spot *s, double value) {
  size_t index;
  if (json_is_object(s->parent))
    json_object_set_new(s->parent, s->token, json_real(value));
  else if (is_index(s->token, &index))
    json_array_set_new(s->parent, index, json_real(value));
}

void place_write(json_t *job, const char *path, const double *values) {
  spot s = find(job, path);
  if (json_is_number(s.value)) {
    write_one(&s, *values);
    return;
  }
  for (size_t i = 0; i < json_array_size(s.value); ++i) {
    json_t *row = json_array_get(s.value, i);
    size_t width = json_array_size(row);
    if (json_is_number(row)) json_array_set_new(s.value, i, json_real(*values++));
    for (size_t k = 0; k < width; ++k) json_array_set_new(row, k, json_real(*values++));
  }
}
