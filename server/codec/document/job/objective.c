// Terms of objectives: types, words, equal rows. What fits the samples is td_objective_create's.
#include "codec/document/job/objective.h"

#include <math.h>
#include <string.h>

enum { MAX_NUMBERS = 1 << 24, MAX_SELECTED = 1 << 20, MOST_INDICES = 4 };

// A term while it is read: `value` may stand under either of two keys.
typedef struct term {
  td_objective_term it;
  bool target, linear;
  bool each; // the weight is an array, one for each number
} term;

// ------------------------------------------------------------------------------------------------ select

static td_status read_index(reader *r, const json_t *value, size_t *out) {
  double x = json_is_number(value) ? json_number_value(value) : -1;
  if (!(x >= 0 && x <= MAX_SELECTED && x == floor(x))) return fail_type(r, "an index, 0 to 1048576", value);
  *out = (size_t)x;
  return TD_OK;
}

static td_status read_entry(reader *r, const json_t *value, size_t rank, size_t *index) {
  if (!json_is_array(value))
    return rank == 1 ? read_index(r, value, index) : fail_type(r, "an array of indices", value);
  if (json_array_size(value) != rank)
    return fail_here(r, TD_INVALID_ARGUMENT, "has %zu indices, the first entry has %zu", json_array_size(value), rank);
  td_status status = TD_OK;
  for (size_t k = 0; k < rank && status == TD_OK; k++) {
    size_t mark = codec_pointer_index(&r->at, k);
    status = read_index(r, json_array_get(value, k), &index[k]);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  return status;
}

static td_status read_select(reader *r, const json_t *value, void *out) {
  td_objective_term *t = out;
  const json_t *first = json_array_get(value, 0);
  size_t count = json_array_size(value), rank = json_is_array(first) ? json_array_size(first) : 1;
  if (!json_is_array(value)) return fail_type(r, "an array of entries, each the indices of a number", value);
  if (count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one entry");
  if (count > MAX_SELECTED || rank > MOST_INDICES)
    return fail_here(r, TD_LIMIT, "%zu entries of %zu indices are more than %d of %d", count, rank, (int)MAX_SELECTED,
                     (int)MOST_INDICES);
  size_t *index = arena_array(r->memory, count * rank, sizeof *index);
  if (!index) return fail_here(r, TD_NO_MEMORY, "out of memory");
  td_status status = TD_OK;
  for (size_t i = 0; i < count && status == TD_OK; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    status = read_entry(r, json_array_get(value, i), rank, index + i * rank);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  t->select = index;
  t->select_count = count;
  t->select_rank = rank;
  return status;
}

// ------------------------------------------------------------------------------------------------ values

// The numbers of nested arrays one after the other; how many there were is what is checked against the samples.
static bool is_ragged(const json_t *value, size_t *count) {
  *count = 1;
  if (!json_is_array(value)) return !json_is_number(value);
  size_t each = 0, own = 0;
  for (size_t i = 0; i < json_array_size(value); i++) {
    if (is_ragged(json_array_get(value, i), &own) || (i > 0 && own != each)) return true;
    each = own;
  }
  *count = each * json_array_size(value);
  return false;
}

static void flatten(const json_t *value, double **out) {
  if (json_is_number(value)) *(*out)++ = json_number_value(value);
  for (size_t i = 0; i < json_array_size(value); i++) flatten(json_array_get(value, i), out);
}

// One row for each entry of an array, whatever its inner shape.
static td_status read_value_rows(reader *r, const json_t *value, td_objective_term *t) {
  size_t count = 0, rows = json_array_size(value);
  if (is_ragged(value, &count) || rows == 0 || count == 0)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs rows of numbers, all of one shape");
  if (count > MAX_NUMBERS) return fail_here(r, TD_LIMIT, "%zu numbers are more than %d", count, (int)MAX_NUMBERS);
  double *numbers = arena_array(r->memory, count, sizeof *numbers), *end = numbers;
  if (!numbers) return fail_here(r, TD_NO_MEMORY, "out of memory");
  flatten(value, &end);
  t->value = numbers;
  t->rows = rows;
  t->width = count / rows;
  return TD_OK;
}

static td_status read_constant(reader *r, const json_t *value, td_objective_term *t) {
  double *one = arena_array(r->memory, 1, sizeof *one);
  if (!one) return fail_here(r, TD_NO_MEMORY, "out of memory");
  t->value = one;
  t->rows = t->width = 1;
  return read_number(r, value, one);
}

typedef struct table {
  td_objective_term it;
  const double *t;
  size_t t_count;
} table;

static td_status read_times(reader *r, const json_t *value, void *out) {
  table *t = out;
  td_status status = read_numbers(r, value, MAX_NUMBERS, &t->t, &t->t_count);
  return status == TD_OK && t->t_count == 0 ? fail_here(r, TD_INVALID_ARGUMENT, "needs at least one time") : status;
}

static td_status read_table_rows(reader *r, const json_t *value, void *out) {
  table *t = out;
  return json_is_array(value) ? read_value_rows(r, value, &t->it) : fail_type(r, "an array of rows", value);
}

static td_status read_table(reader *r, const json_t *value, td_objective_term *t) {
  static const field fields[] = {{"t", read_times, 0, true, NULL}, {"value", read_table_rows, 0, true, NULL}};
  table own = {.it = *t};
  td_status status = read_object(r, value, fields, COUNT_OF(fields), &own);
  if (status == TD_OK && own.it.rows != own.t_count)
    return fail_key(r, "value", TD_INVALID_ARGUMENT, "has %zu rows, t has %zu", own.it.rows, own.t_count);
  *t = own.it;
  t->t = own.t;
  t->course = TD_ROWS_AT_KNOTS;
  return status;
}

// A number, a row of numbers, {t, value}, or a row for each sample.
static td_status read_value(reader *r, const json_t *value, td_objective_term *t) {
  if (json_is_number(value)) return read_constant(r, value, t);
  if (json_is_object(value)) return read_table(r, value, t);
  if (!json_is_array(value))
    return fail_type(r, "a number, an array of numbers, a table {t, value}, or an array with a row for each sample",
                     value);
  td_status status = read_value_rows(r, value, t);
  if (json_is_array(json_array_get(value, 0)))
    t->course = TD_ROWS_OF_SAMPLES;
  else
    t->width = t->rows, t->rows = 1;
  return status;
}

static td_status read_target(reader *r, const json_t *value, void *out) {
  term *t = out;
  t->target = true;
  return read_value(r, value, &t->it);
}

static td_status read_linear(reader *r, const json_t *value, void *out) {
  term *t = out;
  t->linear = t->it.linear = true;
  return read_value(r, value, &t->it);
}

static td_status read_weight(reader *r, const json_t *value, void *out) {
  td_objective_term *t = &((term *)out)->it;
  if (json_is_array(value)) {
    ((term *)out)->each = true;
    td_status status = read_numbers(r, value, MAX_SELECTED, &t->weight, &t->weight_count);
    for (size_t i = 0; status == TD_OK && i < t->weight_count; i++)
      if (!(t->weight[i] >= 0))
        return fail_here(r, TD_INVALID_ARGUMENT, "must not be negative, is %.15g", t->weight[i]);
    return status == TD_OK && t->weight_count == 0 ? fail_here(r, TD_INVALID_ARGUMENT, "needs at least one number")
                                                   : status;
  }
  double *one = arena_array(r->memory, 1, sizeof *one);
  if (!one) return fail_here(r, TD_NO_MEMORY, "out of memory");
  td_status status = read_number(r, value, one);
  if (status == TD_OK && !(*one >= 0)) return fail_here(r, TD_INVALID_ARGUMENT, "must not be negative, is %.15g", *one);
  t->weight = one;
  t->weight_count = 1;
  return status;
}

// ------------------------------------------------------------------------------------------------ terms

static const char *when_word(int i) { return i == TD_WHEN_END ? "end" : "all"; }

static td_status read_at(reader *r, const json_t *value, void *out) {
  td_objective_term *t = out;
  int word = 0;
  if (json_is_array(value)) {
    t->when = TD_WHEN_TIMES;
    td_status status = read_numbers(r, value, MAX_NUMBERS, &t->times, &t->time_count);
    return status == TD_OK && t->time_count == 0 ? fail_here(r, TD_INVALID_ARGUMENT, "needs at least one time")
                                                 : status;
  }
  if (!json_is_string(value)) return fail_type(r, "\"end\", \"all\" or an array of times", value);
  td_status status = read_word(r, value, when_word, TD_WHEN_TIMES, &word);
  t->when = (td_when)word;
  return status;
}

td_status read_only_job(reader *r, const json_t *value, void *out) {
  (void)out;
  bool first = json_is_number(value) && json_number_value(value) == 0;
  return first ? TD_OK : fail_here(r, TD_INVALID_ARGUMENT, "must be 0: the design's `of` is one job, not several");
}

#define TERM_FIELDS                                                                                                    \
  REQUIRED_FIELD(term, it.field, "field", read_name), {"select", read_select, 0, false, NULL},                         \
      {"target", read_target, 0, false, NULL}, {"linear", read_linear, 0, false, NULL},                                \
      {"weight", read_weight, 0, false, NULL}, {                                                                       \
    "at", read_at, 0, false, NULL                                                                                      \
  }

static const field term_fields[] = {TERM_FIELDS};
static const field design_term_fields[] = {TERM_FIELDS, {"of", read_only_job, 0, false, NULL}};

static td_status set_place(reader *r, td_objective_term *t) {
  t->place = arena_strdup(r->memory, r->at.text + r->prefix);
  return t->place ? TD_OK : fail_here(r, TD_NO_MEMORY, "out of memory");
}

static td_status read_sum(reader *r, const json_t *value, const field *fields, size_t count, void *out) {
  term t = {.it.when = TD_WHEN_END};
  td_status status = set_place(r, &t.it);
  if (status == TD_OK) status = read_object(r, value, fields, count, &t);
  if (status != TD_OK) return status;
  if (t.target == t.linear)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs a \"target\", or \"linear\" in its place%s",
                     t.target ? ", not both" : "");
  if (t.linear && t.it.weight)
    return fail_key(r, "weight", TD_INVALID_ARGUMENT, "belongs to a target; \"linear\" has its own factors");
  if (t.each && t.it.weight_count != t.it.width)
    return fail_key(r, "weight", TD_INVALID_ARGUMENT, "is an array of %zu, the target has %zu numbers for each sample",
                    t.it.weight_count, t.it.width);
  *(td_objective_term *)out = t.it;
  return TD_OK;
}

static td_status read_term(reader *r, const json_t *value, void *out) {
  return read_sum(r, value, term_fields, COUNT_OF(term_fields), out);
}

static td_status read_terms(reader *r, const json_t *value, field_reader each, objective_document *o) {
  static const td_objective_term none = {.place = NULL};
  void *list = NULL;
  td_status status = read_list(r, value, TD_MAX_OBJECTIVE_TERMS, sizeof none, &none, each, &list, &o->count);
  o->terms = list;
  if (status == TD_OK && o->count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one term");
  return status;
}

td_status read_objective(reader *r, const json_t *value, void *out) { return read_terms(r, value, read_term, out); }

// ------------------------------------------------------------------------------------------------ terms of designs

static const char *const of_history[] = {
    [TD_TERM_PEAK] = "peak", [TD_TERM_WORK] = "work", [TD_TERM_STIFFNESS] = "stiffness"};

td_term_kind objective_kind(const json_t *entry) {
  for (size_t kind = TD_TERM_PEAK; kind < COUNT_OF(of_history); kind++)
    if (json_object_get(entry, of_history[kind])) return (td_term_kind)kind;
  return TD_TERM_SUM;
}

static td_status read_sharpness(reader *r, const json_t *value, void *out) {
  td_objective_term *t = out;
  td_status status = read_number(r, value, &t->sharpness);
  return status == TD_OK && !(t->sharpness > 0)
             ? fail_here(r, TD_INVALID_ARGUMENT, "must be positive, is %.15g", t->sharpness)
             : status;
}

// An index into u, or an array of them.
static td_status read_channels(reader *r, const json_t *value, void *out) {
  td_objective_term *t = out;
  bool one = !json_is_array(value);
  t->channel_count = one ? 1 : json_array_size(value);
  if (t->channel_count == 0 || t->channel_count > MAX_SELECTED)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one channel");
  size_t *list = arena_array(r->memory, t->channel_count, sizeof *list);
  if (!list) return fail_here(r, TD_NO_MEMORY, "out of memory");
  t->channel = list;
  td_status status = one ? read_index(r, value, list) : TD_OK;
  for (size_t i = 0; status == TD_OK && !one && i < t->channel_count; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    status = read_index(r, json_array_get(value, i), &list[i]);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  return status;
}

static const field history_fields[] = {
    REQUIRED_FIELD(term, it.field, "field", read_name),
    {"select", read_select, 0, false, NULL},
    {"at", read_at, 0, false, NULL},
    {"peak", read_sharpness, 0, false, NULL},
    {"work", read_channels, 0, false, NULL},
    {"stiffness", read_channels, 0, false, NULL},
    FIELD(term, it.factor, "linear", read_number),
    {"of", read_only_job, 0, false, NULL},
};

static td_status read_design_term(reader *r, const json_t *value, void *out) {
  td_term_kind kind = objective_kind(value);
  if (kind == TD_TERM_SUM) return read_sum(r, value, design_term_fields, COUNT_OF(design_term_fields), out);
  term t = {.it = {.kind = kind, .factor = 1, .when = TD_WHEN_ALL}};
  td_status status = set_place(r, &t.it);
  if (status == TD_OK) status = read_object(r, value, history_fields, COUNT_OF(history_fields), &t);
  if (status != TD_OK) return status;
  for (size_t other = TD_TERM_PEAK; other < COUNT_OF(of_history); other++)
    if (other != (size_t)kind && json_object_get(value, of_history[other]))
      return fail_key(r, of_history[other], TD_INVALID_ARGUMENT, "a term is one of %s and this, not both",
                      of_history[kind]);
  if (kind == TD_TERM_WORK && t.it.when != TD_WHEN_ALL)
    return fail_key(r, "at", TD_INVALID_ARGUMENT, "work is that of the whole run");
  *(td_objective_term *)out = t.it;
  return TD_OK;
}

td_status read_design_terms(reader *r, const json_t *value, void *out) {
  return read_terms(r, value, read_design_term, out);
}

// ------------------------------------------------------------------------------------------------ cotangents

static td_status read_cotangent(reader *r, const json_t *value, td_objective_term *t) {
  *t = (td_objective_term){.field = t->field, .linear = true, .when = TD_WHEN_ALL, .course = TD_ROWS_OF_SAMPLES};
  td_status status = set_place(r, t);
  if (status != TD_OK) return status;
  if (!json_is_array(value)) return fail_type(r, "an array of the field's shape, samples first", value);
  return read_value_rows(r, value, t);
}

td_status read_cotangents(reader *r, const json_t *value, void *out) {
  objective_document *o = out;
  const char *name;
  json_t *array;
  if (!json_is_object(value)) return fail_type(r, "an object of arrays by field", value);
  size_t count = json_object_size(value);
  if (count == 0 || count > TD_MAX_OBJECTIVE_TERMS)
    return fail_here(r, TD_INVALID_ARGUMENT, "has %zu fields, 1 to %d are possible", count,
                     (int)TD_MAX_OBJECTIVE_TERMS);
  td_objective_term *list = arena_array(r->memory, count, sizeof *list);
  if (!list) return fail_here(r, TD_NO_MEMORY, "out of memory");
  o->terms = list;
  o->count = 0;
  json_object_foreach((json_t *)value, name, array) {
    size_t mark = codec_pointer_key(&r->at, name);
    list[o->count].field = name;
    td_status status = read_cotangent(r, array, &list[o->count++]);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, mark);
  }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ fields

static bool is_among(const char *const *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

const char *const *objective_fields(const objective_document *o, const char *const *fields, size_t count, arena *a,
                                    size_t *all) {
  const char **list = arena_array(a, count + 2 * o->count + 1, sizeof *list);
  *all = 0;
  if (!list) return NULL;
  for (size_t i = 0; i < count; i++) list[(*all)++] = fields[i];
  for (size_t i = 0; i < o->count; i++) {
    if (!is_among(list, *all, o->terms[i].field)) list[(*all)++] = o->terms[i].field;
    if (o->terms[i].channel_count > 0 && !is_among(list, *all, "u")) list[(*all)++] = "u";
  }
  return list;
}
