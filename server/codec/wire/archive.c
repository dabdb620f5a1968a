// Between api/c/npz.h, which knows nothing of the server, and the server's arenas, buffers and errors.
#include "codec/wire/archive.h"
#include "codec/json/pointer.h"
#include "codec/json/text.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *take(void *context, size_t size) { return arena_alloc(context, size); }

npz_memory codec_npz_memory(arena *a) { return (npz_memory){take, a}; }

static td_status bad_member(td_error *err, const char *name, const char *what) {
  codec_pointer at;
  codec_pointer_init(&at, "");
  codec_pointer_key(&at, name);
  return td_fail(err, TD_INVALID_ARGUMENT, at.text, "member \"%.60s\": %s", name, what);
}

td_status codec_npz_fail(td_error *err, const npz_trouble *trouble) {
  switch (trouble->fault) {
  case NPZ_BAD_ARCHIVE:
    return td_fail(err, TD_INVALID_ARGUMENT, "", "not a readable NPZ archive: %s", trouble->what);
  case NPZ_BAD_MEMBER:
  case NPZ_UNKNOWN_TYPE:
    return bad_member(err, trouble->member, trouble->what);
  case NPZ_NO_MEMORY:
    return td_fail(err, TD_NO_MEMORY, "", "%s", trouble->what);
  case NPZ_TOO_LARGE:
    return td_fail(err, TD_LIMIT, "", "%s", trouble->what);
  case NPZ_UNWRITTEN:
    break;
  }
  return td_fail(err, TD_INTERNAL, "", "%s", trouble->what);
}

// ------------------------------------------------------------------------------------------------ reading

td_status codec_npz_open(const void *bytes, size_t size, arena *a, npz_archive *archive, td_error *err) {
  npz_trouble trouble;
  return npz_open(bytes, size, codec_npz_memory(a), archive, &trouble) ? TD_OK : codec_npz_fail(err, &trouble);
}

td_status codec_npz_read(const npz_archive *archive, const npz_member *member, arena *a, npz_array *array,
                         td_error *err) {
  npz_trouble trouble;
  return npz_read(archive, member, codec_npz_memory(a), array, &trouble) ? TD_OK : codec_npz_fail(err, &trouble);
}

static td_status check_finite(const double *x, size_t count, const char *name, td_error *err) {
  for (size_t i = 0; i < count; i++) {
    if (isfinite(x[i])) continue;
    char what[80];
    snprintf(what, sizeof what, "every number must be finite, number %zu is %g", i, x[i]);
    return bad_member(err, name, what);
  }
  return TD_OK;
}

td_status codec_npz_doubles(const npz_array *array, const char *name, arena *a, const double **values, td_error *err) {
  if (array->type >= NPZ_BOOL) return bad_member(err, name, "must hold numbers");
  *values = npz_doubles(array, codec_npz_memory(a));
  return *values ? check_finite(*values, array->count, name, err) : bad_member(err, name, "is too large");
}

const char *codec_npz_string(const npz_array *array, size_t i, arena *a) {
  if (array->type != NPZ_UNICODE && array->type != NPZ_BYTES) return NULL;
  bool strange = false;
  char *text = arena_alloc(a, array->item + 1);
  size_t length = text ? npz_string(array, i, text, array->item + 1, &strange) : 0;
  return text && !strange && codec_utf8_valid(text, length) ? text : NULL;
}

// ------------------------------------------------------------------------------------------------ writing

typedef struct buffer_sink {
  codec_buffer *buffer;
  size_t start; // what it held before
} buffer_sink;

static int append(void *context, const void *bytes, size_t size) {
  codec_buffer *buffer = ((buffer_sink *)context)->buffer;
  codec_buffer_append(buffer, bytes, size);
  return buffer->failed ? ENOMEM : 0;
}

static int patch(void *context, uint64_t at, const void *bytes, size_t size) {
  const buffer_sink *s = context;
  assert(s->start + at + size <= s->buffer->size);
  memcpy(s->buffer->data + s->start + at, bytes, size);
  return 0;
}

npz_writer *codec_npz_writer(codec_buffer *buffer) {
  buffer_sink *s = malloc(sizeof *s);
  if (!s) return NULL;
  *s = (buffer_sink){buffer, buffer->size};
  return npz_writer_to((npz_sink){.context = s, .append = append, .patch = patch, .release = free});
}

td_status codec_npz_close(npz_writer *w, uint64_t *size, td_error *err) {
  npz_trouble trouble;
  return npz_writer_close(w, size, &trouble) ? TD_OK : codec_npz_fail(err, &trouble);
}
