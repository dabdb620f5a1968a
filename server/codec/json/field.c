// The walk over a document's objects, driven by tables of fields, and the readers of single values.
//
// Invariants: every path through a reader leaves r->at as it was when it succeeds; after a failure r->err is filled
// and the walk is over, unless all errors are wanted: then the member or entry that failed is left, r->at taken back to
// where it began, and its siblings are read. What is read is only used where everything was. Recursion follows the tables of model.c and job.c, whose only cycles count r->depth.
#include "codec/json/field.h"
#include "codec/json/hint.h"
#include "codec/json/number.h"

#include "tendril/spec.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static td_status fail_list(reader *r, td_status status, const char *format, va_list list) {
  char message[TD_MESSAGE_SIZE];
  vsnprintf(message, sizeof message, format, list);
  return td_fail(r->err, status, r->at.text, "%s", message);
}

td_status fail_here(reader *r, td_status status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fail_list(r, status, format, list);
  va_end(list);
  return status;
}

td_status fail_key(reader *r, const char *key, td_status status, const char *format, ...) {
  size_t mark = codec_pointer_key(&r->at, key);
  va_list list;
  va_start(list, format);
  fail_list(r, status, format, list);
  va_end(list);
  codec_pointer_pop(&r->at, mark);
  return status;
}

void warn_key(reader *r, const char *key, const char *code, const char *format, ...) {
  char text[TD_MESSAGE_SIZE];
  size_t mark = codec_pointer_key(&r->at, key);
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  td_warn(r->warnings, code, r->at.text + r->prefix, "%s", text);
  codec_pointer_pop(&r->at, mark);
}

reader_mark reader_here(const reader *r) { return (reader_mark){r->at.length, r->at.lost, r->depth}; }

bool reader_goes_on(reader *r, const reader_mark *mark, td_status status) {
  if (status == TD_OK) return true;
  r->at.length = mark->length;
  r->at.lost = mark->lost;
  r->at.text[mark->length] = '\0';
  r->depth = mark->depth;
  return td_errors_add(r->all, r->err);
}

const char *show(const json_t *value, char text[64]) {
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    snprintf(text, 64, "an array of %zu", json_array_size(value));
    break;
  case JSON_STRING:
    if (json_string_length(value) > 40)
      snprintf(text, 64, "a string of %zu bytes", json_string_length(value));
    else
      snprintf(text, 64, "\"%s\"", json_string_value(value));
    break;
  case JSON_INTEGER:
    snprintf(text, 64, "%lld", (long long)json_integer_value(value));
    break;
  case JSON_REAL:
    text[codec_double(text, json_real_value(value))] = '\0';
    break;
  case JSON_TRUE:
    return "true";
  case JSON_FALSE:
    return "false";
  default:
    return "null";
  }
  return text;
}

td_status fail_type(reader *r, const char *expected, const json_t *got) {
  char text[64], hint[120] = "";
  if (json_is_string(got) && strstr(expected, "number")) codec_hint_number(json_string_value(got), hint, sizeof hint);
  return fail_here(r, TD_INVALID_ARGUMENT, "expected %s, got %s%s", expected, show(got, text), hint);
}

// ------------------------------------------------------------------------------------------------ objects

static const field *find_field(const field *table, size_t count, const char *key) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(table[i].key, key) == 0) return &table[i];
  return NULL;
}

static const char *known_key(const void *context, size_t i) {
  const field *f = (const field *)context + i;
  return f->unsupported ? NULL : f->key;
}

static td_status unknown_key(reader *r, const char *key, const field *table, size_t count) {
  char known[400] = "", hint[240];
  size_t n = 0;
  for (size_t i = 0; i < count && n < sizeof known - 40; i++)
    if (!table[i].unsupported) n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", table[i].key);
  codec_hint(key, known_key, table, count, hint, sizeof hint);
  return fail_key(r, key, TD_INVALID_ARGUMENT, "unknown key; %sknown here: %s", hint, known);
}

static td_status read_key(reader *r, const char *key, const json_t *value, const field *table, size_t count,
                          void *out) {
  const field *f = find_field(table, count, key);
  if (!f) return unknown_key(r, key, table, count);
  if (f->unsupported) return fail_key(r, key, TD_UNSUPPORTED, "%s", f->unsupported);
  if (!f->read) return TD_OK;
  size_t mark = codec_pointer_key(&r->at, key);
  td_status status = f->read(r, value, (char *)out + f->offset);
  codec_pointer_pop(&r->at, mark);
  return status;
}

td_status read_object(reader *r, const json_t *object, const field *table, size_t count, void *out) {
  assert(table || count == 0);
  if (!json_is_object(object)) return fail_type(r, "an object", object);
  const reader_mark here = reader_here(r);
  td_status first = TD_OK;
  bool known = true;
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    td_status status = read_key(r, key, value, table, count, out);
    if (status == TD_OK) continue;
    if (!first) first = status;
    if (!reader_goes_on(r, &here, status)) return first;
    known = known && find_field(table, count, key);
  }
  for (size_t i = 0; known && i < count; i++) {
    if (!table[i].required || json_object_get(object, table[i].key)) continue;
    td_status status = fail_key(r, table[i].key, TD_INVALID_ARGUMENT, "required key \"%s\" is missing", table[i].key);
    if (!first) first = status;
    if (!reader_goes_on(r, &here, status)) return first;
  }
  return first;
}

// ------------------------------------------------------------------------------------------------ single values

td_status read_number(reader *r, const json_t *value, void *out) {
  if (!json_is_number(value)) return fail_type(r, "a number", value);
  *(double *)out = json_number_value(value);
  return TD_OK;
}

// 3.0 is an integer too, as in JSON Schema.
td_status read_integer(reader *r, const json_t *value, void *out) {
  double x = json_is_number(value) ? json_number_value(value) : NAN;
  if (!(x == floor(x))) return fail_type(r, "an integer", value);
  if (fabs(x) > 2147483647.0) return fail_here(r, TD_INVALID_ARGUMENT, "%.15g is out of range", x);
  *(int *)out = (int)x;
  return TD_OK;
}

td_status read_bool(reader *r, const json_t *value, void *out) {
  if (!json_is_boolean(value)) return fail_type(r, "true or false", value);
  *(bool *)out = json_is_true(value);
  return TD_OK;
}

td_status read_text(reader *r, const json_t *value, void *out) {
  if (!json_is_string(value)) return fail_type(r, "a string", value);
  *(const char **)out = json_string_value(value);
  return TD_OK;
}

td_status read_name(reader *r, const json_t *value, void *out) {
  td_status status = read_text(r, value, out);
  if (status != TD_OK) return status;
  size_t n = json_string_length(value);
  if (n == 0) return fail_here(r, TD_INVALID_ARGUMENT, "a name must not be empty");
  if (n > TD_MAX_NAME)
    return fail_here(r, TD_INVALID_ARGUMENT, "a name of %zu bytes is longer than %d", n, TD_MAX_NAME);
  for (const unsigned char *p = (const unsigned char *)json_string_value(value); *p; p++)
    if (*p < 0x20 || *p == 0x7f)
      return fail_here(r, TD_INVALID_ARGUMENT, "a name must be printable, it holds the byte 0x%02x", *p);
  return TD_OK;
}

td_status read_vector(reader *r, const json_t *value, double *out, size_t width) {
  assert(out || width == 0);
  char expected[40];
  snprintf(expected, sizeof expected, "an array of %zu numbers", width);
  if (!json_is_array(value) || json_array_size(value) != width) return fail_type(r, expected, value);
  for (size_t i = 0; i < width; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    td_status status = read_number(r, json_array_get(value, i), out + i);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, mark);
  }
  return TD_OK;
}

td_status read_vector2(reader *r, const json_t *value, void *out) { return read_vector(r, value, out, 2); }
td_status read_vector3(reader *r, const json_t *value, void *out) { return read_vector(r, value, out, 3); }
td_status read_vector4(reader *r, const json_t *value, void *out) { return read_vector(r, value, out, 4); }
td_status read_vector6(reader *r, const json_t *value, void *out) { return read_vector(r, value, out, 6); }

// ------------------------------------------------------------------------------------------------ lists

// Array check and memory of every list.
static td_status begin_list(reader *r, const json_t *value, const char *of, size_t limit, size_t size, void **list,
                            size_t *count) {
  if (!json_is_array(value)) return fail_type(r, of, value);
  *count = json_array_size(value);
  if (*count > limit)
    return fail_here(r, TD_INVALID_ARGUMENT, "%zu entries are more than the %zu allowed", *count, limit);
  *list = arena_array(r->memory, *count, size);
  if (!*list) return fail_here(r, TD_NO_MEMORY, "out of memory for %zu entries", *count);
  return TD_OK;
}

td_status read_numbers(reader *r, const json_t *value, size_t limit, const double **numbers, size_t *count) {
  void *list;
  td_status status = begin_list(r, value, "an array of numbers", limit, sizeof(double), &list, count);
  if (status != TD_OK) return status;
  *numbers = list;
  return read_vector(r, value, list, *count);
}

td_status read_rows(reader *r, const json_t *value, size_t width, size_t limit, const double **numbers, size_t *count) {
  assert(width > 0);
  void *list;
  td_status status = begin_list(r, value, "an array of arrays of numbers", limit, width * sizeof(double), &list, count);
  if (status != TD_OK) return status;
  *numbers = list;
  for (size_t i = 0; i < *count; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    status = read_vector(r, json_array_get(value, i), (double *)list + i * width, width);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, mark);
  }
  return TD_OK;
}

td_status read_list(reader *r, const json_t *value, size_t limit, size_t size, const void *prototype, field_reader read,
                    void **list, size_t *count) {
  assert(size > 0 && prototype);
  td_status first = begin_list(r, value, "an array", limit, size, list, count);
  if (first != TD_OK) return first;
  const reader_mark here = reader_here(r);
  for (size_t i = 0; i < *count; i++) {
    char *element = (char *)*list + i * size;
    memcpy(element, prototype, size);
    size_t mark = codec_pointer_index(&r->at, i);
    td_status status = read(r, json_array_get(value, i), element);
    codec_pointer_pop(&r->at, mark);
    if (!first) first = status;
    if (!reader_goes_on(r, &here, status)) break;
  }
  return first;
}

// ------------------------------------------------------------------------------------------------ words

static const char *word_of(const void *names, size_t i) { return (*(const word_table *)names)((int)i); }

td_status read_word(reader *r, const json_t *value, word_table names, int count, int *word) {
  assert(count > 0);
  if (!json_is_string(value)) return fail_type(r, "a string", value);
  char known[400] = "", text[64], hint[160];
  size_t n = 0;
  for (*word = 0; *word < count; ++*word) {
    const char *name = names(*word);
    if (strcmp(name, json_string_value(value)) == 0) return TD_OK;
    if (n < sizeof known - 70) n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", name);
  }
  if (!codec_hint(json_string_value(value), word_of, &names, (size_t)count, hint, sizeof hint))
    return fail_here(r, TD_INVALID_ARGUMENT, "%s is none of: %s", show(value, text), known);
  return fail_here(r, TD_INVALID_ARGUMENT, "%s is none of: %s; %.*s", show(value, text), known, (int)strlen(hint) - 1,
                   hint);
}

td_status read_key_word(reader *r, const json_t *object, const char *key, word_table names, int count, int *word) {
  if (!json_is_object(object)) return fail_type(r, "an object", object);
  const json_t *value = json_object_get(object, key);
  if (!value) return fail_key(r, key, TD_INVALID_ARGUMENT, "required key \"%s\" is missing", key);
  size_t mark = codec_pointer_key(&r->at, key);
  td_status status = read_word(r, value, names, count, word);
  codec_pointer_pop(&r->at, mark);
  return status;
}
