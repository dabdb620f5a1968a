// The document is written as a whole, member by member, so that no tree of its numbers is ever made here. Members are
// read once, however often they are asked for; what they take is bounded together.
#include "codec/document/archive.h"
#include "base/limits.h"
#include "codec/json/pointer.h"
#include "codec/json/text.h"
#include "codec/wire/archive.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS_LIMIT = 512 << 20 }; // bytes of all, unpacked

static const char DOCUMENT[] = "job", ASKS[] = "npz", LABELS[] = "labels";

typedef struct numbers {
  bool known;
  int rank;
  size_t dim[NPZ_MAX_RANK];
  const double *values;
} numbers;

typedef struct expansion {
  npz_archive archive;
  numbers *read; // [archive.count]
  arena *memory;
  codec_buffer out;
  codec_pointer at;
  td_error *err;
} expansion;

static td_status fail(const expansion *w, td_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static td_status fail(const expansion *w, td_status status, const char *format, ...) {
  char text[TD_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return td_fail(w->err, status, w->at.text, "%s", text);
}

// ------------------------------------------------------------------------------------------------ members

static td_status check_values(const npz_member *member, const double *x, size_t count, td_error *err) {
  for (size_t i = 0; i < count; i++) {
    if (!isinf(x[i])) continue;
    codec_pointer at;
    codec_pointer_init(&at, "");
    codec_pointer_key(&at, member->name);
    return td_fail(err, TD_INVALID_ARGUMENT, at.text, "number %zu is infinite", i);
  }
  return TD_OK;
}

static td_status read_member(expansion *w, size_t i) {
  const npz_member *member = &w->archive.members[i];
  numbers *n = &w->read[i];
  npz_array array;
  if (member->unpacked > MEMBERS_LIMIT)
    return fail(w, TD_LIMIT, "member \"%.60s\" is larger than %d bytes", member->name, (int)MEMBERS_LIMIT);
  td_status status = codec_npz_read(&w->archive, member, w->memory, &array, w->err);
  if (status != TD_OK) return status;
  if (array.type >= NPZ_BOOL) return fail(w, TD_INVALID_ARGUMENT, "member \"%.60s\" must hold numbers", member->name);
  *n = (numbers){.known = true, .rank = array.rank, .values = npz_doubles(&array, codec_npz_memory(w->memory))};
  memcpy(n->dim, array.dim, sizeof n->dim);
  if (!n->values) return fail(w, TD_NO_MEMORY, "no memory for member \"%.60s\"", member->name);
  return check_values(member, n->values, array.count, w->err);
}

static td_status write_member(expansion *w, const char *name) {
  const npz_member *member = npz_find(&w->archive, name);
  codec_pointer_key(&w->at, ASKS);
  if (!member || strcmp(name, DOCUMENT) == 0)
    return fail(w, TD_INVALID_ARGUMENT, "the archive has no member \"%.60s\" for it", name);
  size_t i = (size_t)(member - w->archive.members);
  td_status status = w->read[i].known ? TD_OK : read_member(w, i);
  if (status == TD_OK) codec_buffer_array(&w->out, w->read[i].values, w->read[i].rank, w->read[i].dim);
  return status;
}

// ------------------------------------------------------------------------------------------------ the document

static const char *asked(const json_t *value) {
  return json_object_size(value) == 1 ? json_string_value(json_object_get(value, ASKS)) : NULL;
}

static td_status write_value(expansion *w, const json_t *value, bool plain);

static td_status write_object(expansion *w, const json_t *object, bool plain) {
  const char *key, *between = "{";
  json_t *value;
  td_status status = TD_OK;
  if (json_object_size(object) == 0) codec_buffer_text(&w->out, between);
  json_object_foreach((json_t *)object, key, value) {
    codec_buffer_text(&w->out, between);
    codec_buffer_string(&w->out, key);
    codec_buffer_text(&w->out, ":");
    size_t mark = codec_pointer_key(&w->at, key);
    status = write_value(w, value, plain || strcmp(key, LABELS) == 0);
    if (status != TD_OK) return status;
    codec_pointer_pop(&w->at, mark);
    between = ",";
  }
  codec_buffer_text(&w->out, "}");
  return status;
}

static td_status write_array(expansion *w, const json_t *array, bool plain) {
  codec_buffer_text(&w->out, "[");
  for (size_t i = 0; i < json_array_size(array); i++) {
    if (i > 0) codec_buffer_text(&w->out, ",");
    size_t mark = codec_pointer_index(&w->at, i);
    td_status status = write_value(w, json_array_get(array, i), plain);
    if (status != TD_OK) return status;
    codec_pointer_pop(&w->at, mark);
  }
  codec_buffer_text(&w->out, "]");
  return TD_OK;
}

static void write_integer(expansion *w, json_int_t x) {
  char text[32];
  snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, x);
  codec_buffer_text(&w->out, text);
}

// Depth is bounded by that of documents (CODEC_MAX_DEPTH).
static td_status write_value(expansion *w, const json_t *value, bool plain) {
  const char *name = plain ? NULL : asked(value);
  if (name) return write_member(w, name);
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    return write_object(w, value, plain);
  case JSON_ARRAY:
    return write_array(w, value, plain);
  case JSON_STRING:
    return codec_buffer_string(&w->out, json_string_value(value)), TD_OK;
  case JSON_INTEGER:
    return write_integer(w, json_integer_value(value)), TD_OK;
  case JSON_REAL:
    return codec_buffer_double(&w->out, json_real_value(value)), TD_OK;
  case JSON_TRUE:
    return codec_buffer_text(&w->out, "true"), TD_OK;
  case JSON_FALSE:
    return codec_buffer_text(&w->out, "false"), TD_OK;
  case JSON_NULL:
    break;
  }
  codec_buffer_text(&w->out, "null");
  return TD_OK;
}

// Text as bytes, as numpy's frombuffer makes them, or one string.
static json_t *parse_member(expansion *w, const npz_member *member) {
  npz_array array;
  codec_pointer_key(&w->at, DOCUMENT);
  if (member->unpacked > LIMIT_BODY_BYTES)
    return (void)fail(w, TD_LIMIT, "the document has more than %d bytes", (int)LIMIT_BODY_BYTES), NULL;
  if (codec_npz_read(&w->archive, member, w->memory, &array, w->err) != TD_OK) return NULL;
  const char *text = (const char *)array.data;
  size_t length = array.size;
  if (array.type != NPZ_U1) {
    text = array.count == 1 ? codec_npz_string(&array, 0, w->memory) : NULL;
    length = text ? strlen(text) : 0;
  }
  if (!text) return (void)fail(w, TD_INVALID_ARGUMENT, "must be the job's JSON text, as bytes or as one string"), NULL;
  codec_pointer_init(&w->at, "");
  return codec_parse(text, length, w->err);
}

static td_status check_all_asked(expansion *w) {
  codec_pointer_init(&w->at, "");
  for (size_t i = 0; i < w->archive.count; i++) {
    const char *name = w->archive.members[i].name;
    if (w->read[i].known || strcmp(name, DOCUMENT) == 0) continue;
    codec_pointer_key(&w->at, name);
    return fail(w, TD_INVALID_ARGUMENT, "nothing in the document asks for member \"%.60s\"", name);
  }
  return TD_OK;
}

static td_status write_document(expansion *w, const void *bytes, size_t size) {
  td_status status = codec_npz_open(bytes, size, w->memory, &w->archive, w->err);
  if (status != TD_OK) return status;
  const npz_member *member = npz_find(&w->archive, DOCUMENT);
  w->read = arena_array(w->memory, w->archive.count, sizeof *w->read);
  if (!w->read) return fail(w, TD_NO_MEMORY, "not enough memory");
  if (!member) return fail(w, TD_INVALID_ARGUMENT, "the archive has no member \"%s\", the document", DOCUMENT);
  json_t *document = parse_member(w, member);
  if (!document) return w->err->status;
  status = write_value(w, document, false);
  json_decref(document);
  if (status == TD_OK) status = check_all_asked(w);
  if (status != TD_OK || !w->out.failed) return status;
  codec_pointer_init(&w->at, "");
  if (w->out.refusal == BUDGET_FULL) return fail(w, TD_NO_MEMORY, "not enough memory");
  return fail(w, TD_LIMIT, "as text the document would have more than the %d bytes that a document may have",
              (int)LIMIT_BODY_BYTES);
}

td_status codec_archive_document(const void *bytes, size_t size, char **text, size_t *length, td_error *err) {
  td_error own = {.status = TD_OK};
  expansion w = {.memory = arena_create_limited(MEMBERS_LIMIT + LIMIT_BODY_BYTES), .err = err ? err : &own};
  *text = NULL;
  codec_pointer_init(&w.at, "");
  codec_buffer_init(&w.out, LIMIT_BODY_BYTES);
  codec_buffer_use(&w.out, BUDGET_PARSING);
  td_status status = w.memory ? write_document(&w, bytes, size) : fail(&w, TD_NO_MEMORY, "not enough memory");
  if (status == TD_OK) *text = codec_buffer_take(&w.out, length);
  codec_buffer_fini(&w.out);
  arena_destroy(w.memory);
  return status;
}
