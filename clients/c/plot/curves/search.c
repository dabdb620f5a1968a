// Panels of fits, designs and gradients: the way of the search, and records measured against fitted.
#include "plot/curves/search.h"

#include "base/found_words.h"
#include "base/say.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double *values_of(const recording *r, const char *name, size_t *count) {
  const tendril_array *a = tendril_arrays_find(r->file, name);
  *count = a && a->values ? a->count : 0;
  return *count > 0 ? a->values : NULL;
}

static void begin_panel(panel *p, const char *title, const char *x_label, size_t samples) {
  p->samples = samples;
  p->own_axis = true;
  p->dots = false;
  snprintf(p->title, sizeof p->title, "%.95s", title);
  snprintf(p->x_label, sizeof p->x_label, "%.90s", x_label);
}

static curve *add(panel *p, const double *y, size_t stride, int hue, const char *label) {
  if (p->count == CURVE_LIMIT) return NULL;
  curve *k = &p->curves[p->count++];
  *k = (curve){.y = y, .stride = stride, .paint = colour_of_curve(hue), .line_width = 1.7};
  k->dashed = hue / COLOUR_CURVES % 2 == 1;
  snprintf(k->label, sizeof k->label, "%.39s", label);
  return k;
}

// 0, 1, … in front of `rest` numbers that are NaN yet.
static double *counted(size_t count, size_t rest) {
  double *x = must_alloc((count + rest) * sizeof *x);
  for (size_t i = 0; i < count; ++i) x[i] = (double)i;
  for (size_t i = count; i < count + rest; ++i) x[i] = NAN;
  return x;
}

// ------------------------------------------------------------------------------------------------ the way

enum { STARTS_DRAWN = 8, ARRAYS_DRAWN = 6 };

// Rows of a start lie together, starts rise.
static size_t longest_start(const double *start, size_t count) {
  size_t longest = 0, length = 0;
  for (size_t i = 0; i < count; ++i) {
    length = i > 0 && start[i] == start[i - 1] ? length + 1 : 1;
    longest = length > longest ? length : longest;
  }
  return longest;
}

static double *worth_of_fit(panel *p, const recording *r) {
  size_t count, starts;
  const double *cost = values_of(r, "cost", &count), *start = values_of(r, "start", &starts);
  if (!cost || !start || starts != count) return NULL;
  size_t rows = longest_start(start, count), k = 0, row = 0;
  double *x = counted(rows, STARTS_DRAWN * rows);
  begin_panel(p, "cost, log10", "iteration", rows);
  p->x = x;
  for (size_t i = 0; i < count && k < STARTS_DRAWN; ++i, ++row) {
    if (i > 0 && start[i] != start[i - 1]) ++k, row = 0;
    if (k < STARTS_DRAWN) x[(k + 1) * rows + row] = log10(fmax(cost[i], 1e-300));
  }
  size_t drawn = k < STARTS_DRAWN ? k + 1 : STARTS_DRAWN;
  for (size_t i = 0; i < drawn; ++i) {
    char label[32] = "";
    if (drawn > 1) snprintf(label, sizeof label, "start %zu", i);
    add(p, x + (i + 1) * rows, 1, (int)i, label);
  }
  return x;
}

// Numbers that go through several powers of ten are told by these.
static bool spreads(const double *values, size_t count) {
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < count; ++i) least = fmin(least, values[i]), most = fmax(most, values[i]);
  return least > 0 && most > 5 * least;
}

static void take_logarithms(panel *p, double *values, size_t count) {
  size_t n = strlen(p->title);
  for (size_t i = 0; i < count; ++i) values[i] = log10(values[i]);
  snprintf(p->title + n, sizeof p->title - n, ", log10");
}

// All evaluations as a line, those that meet the constraints as dots.
static double *worth_of_design(panel *p, const recording *r) {
  size_t count, rows;
  const double *objective = values_of(r, "objective", &count), *missed = values_of(r, "violation", &rows);
  if (!objective || !missed || rows != count) return NULL;
  double *x = counted(count, 2 * count);
  bool any = false;
  begin_panel(p, "objective", "evaluation", count);
  p->x = x;
  for (size_t i = 0; i < count; ++i) {
    x[count + i] = objective[i];
    if (missed[i] <= 1e-6) x[2 * count + i] = objective[i];
    any = any || missed[i] > 1e-6;
  }
  if (spreads(x + count, count)) take_logarithms(p, x + count, 2 * count);
  add(p, x + count, 1, 0, any ? "all" : "")->paint =
      colour_towards(colour_of_curve(0), (colour){1, 1, 1}, any ? 0.5 : 0);
  add(p, x + 2 * count, 1, 0, any ? "within the constraints" : "")->scattered = true;
  return x;
}

double *search_worth(panel *p, const recording *r) {
  return strcmp(r->found->kind, "fit") == 0 ? worth_of_fit(p, r) : worth_of_design(p, r);
}

// The rows of the search that won: [first, last).
static void winning_rows(const recording *r, size_t rows, size_t *first, size_t *last) {
  size_t count;
  const double *start = values_of(r, "start", &count);
  double which = json_number_value(json_object_get(json_object_get(r->summary, r->found->kind), "start"));
  *first = 0, *last = rows;
  if (!start || count != rows) return;
  while (*first < rows && start[*first] != which) ++*first;
  if (*first == rows) *first = 0;
  for (*last = *first; *last < rows && start[*last] == start[*first];) ++*last;
}

typedef enum measure { BY_FOUND, BY_BOUNDS, BY_LARGEST } measure;
static const char *const measured[] = {[BY_FOUND] = "parameters by what was found",
                                       [BY_BOUNDS] = "parameters from lower (0) to upper bound (1)",
                                       [BY_LARGEST] = "parameters by the largest that each was"};

// As good as 0 beside bounds that let it be 0.
static bool is_about_0(const tendril_parameter *p) {
  static const double little = 1e-6;
  return isfinite(p->upper - p->lower) && p->lower <= 0 && p->upper >= 0 &&
         fabs(p->value) < little * (p->upper - p->lower);
}

// Numbers that keep their sign are told by what was found, but where that may be as good as 0.
static measure measure_of(const tendril_found *f, const double *rows, size_t count) {
  bool by_found = true, bounded = true;
  for (size_t k = 0; k < f->count; ++k) {
    const tendril_parameter *p = &f->parameter[k];
    bounded = bounded && isfinite(p->lower) && isfinite(p->upper);
    by_found = by_found && !is_about_0(p);
    for (size_t i = 0; i < count; ++i) by_found = by_found && rows[i * f->count + k] * p->value > 0;
  }
  return by_found ? BY_FOUND : bounded ? BY_BOUNDS : BY_LARGEST;
}

static void scale(measure m, const tendril_parameter *p, double *values, size_t count) {
  double largest = 0, from = m == BY_BOUNDS ? p->lower : 0;
  for (size_t i = 0; i < count; ++i) largest = fmax(largest, fabs(values[i]));
  double by = m == BY_FOUND ? p->value : m == BY_BOUNDS ? p->upper - p->lower : largest;
  for (size_t i = 0; i < count; ++i) values[i] = (values[i] - from) / (by != 0 ? by : 1);
}

double *search_parameters(panel *p, const recording *r) {
  const tendril_found *f = r->found;
  size_t count, first, last, np = f->count;
  const double *all = values_of(r, "parameters", &count);
  if (!all || np == 0 || count < np) return NULL;
  winning_rows(r, count / np, &first, &last);
  size_t rows = last - first, drawn = np < CURVE_LIMIT ? np : CURVE_LIMIT;
  double *x = counted(rows, drawn * rows);
  measure m = measure_of(f, all + first * np, rows);
  begin_panel(p, measured[m], strcmp(f->kind, "fit") == 0 ? "iteration" : "evaluation", rows);
  p->x = x;
  for (size_t k = 0; k < drawn; ++k) {
    char name[FOUND_NAME];
    for (size_t i = 0; i < rows; ++i) x[(k + 1) * rows + i] = all[(first + i) * np + k];
    scale(m, &f->parameter[k], x + (k + 1) * rows, rows);
    found_name(f, k, name);
    add(p, x + (k + 1) * rows, 1, (int)k, np <= 12 ? name : "");
  }
  if (m == BY_FOUND && spreads(x + rows, drawn * rows)) take_logarithms(p, x + rows, drawn * rows);
  return x;
}

// ------------------------------------------------------------------------------------------------ slopes

// Length of the path of the array that a number is of; 0: of none.
static size_t array_of(const tendril_parameter *p) {
  const char *end = strrchr(p->path, '/');
  return end && end[1] >= '0' && end[1] <= '9' ? (size_t)(end - p->path) : 0;
}

// Numbers of one array lie together.
static size_t array_length(const tendril_found *f, size_t i) {
  size_t n = array_of(&f->parameter[i]), k = i + 1;
  while (n > 0 && k < f->count && array_of(&f->parameter[k]) == n &&
         strncmp(f->parameter[k].path, f->parameter[i].path, n) == 0)
    ++k;
  return k - i;
}

// "torque" of "torque[0]", "motor/value" of "motor/value/0".
static void name_array(const tendril_found *f, size_t i, char name[FOUND_NAME]) {
  found_name(f, i, name);
  size_t n = strcspn(name, "[");
  name[n] = '\0';
  char *end = strrchr(name, '/');
  if (end && end[1] >= '0' && end[1] <= '9') *end = '\0';
}

static bool has_curve(const tendril_found *f, size_t i, size_t length) {
  return length > 2 && array_of(&f->parameter[i]) > 0;
}

size_t search_alone(const tendril_found *f, size_t *alone, size_t most) {
  size_t count = 0;
  for (size_t i = 0, length; i < f->count && count < most; i += length) {
    length = array_length(f, i);
    for (size_t k = i; !has_curve(f, i, length) && k < i + length && count < most; ++k) alone[count++] = k;
  }
  return count;
}

double *search_slopes(panel *p, const recording *r) {
  size_t count;
  const double *slopes = strcmp(r->found->kind, "gradient") == 0 ? values_of(r, "gradient", &count) : NULL;
  const tendril_found *f = r->found;
  size_t longest = 0, arrays = 0;
  if (!slopes || count <= TABLE_ROWS || count != f->count) return NULL;
  for (size_t i = 0, length; i < count; i += length) {
    length = array_length(f, i);
    if (has_curve(f, i, length)) longest = length > longest ? length : longest, ++arrays;
  }
  if (arrays == 0) return NULL;
  size_t drawn = arrays < ARRAYS_DRAWN ? arrays : ARRAYS_DRAWN, k = 0;
  double *x = counted(longest, drawn * longest);
  begin_panel(p, arrays == 1 ? "slopes of the value" : "slopes of the value, by the largest of each array",
              "number in its array", longest);
  p->x = x;
  for (size_t i = 0, length; i < count && k < drawn; i += length) {
    length = array_length(f, i);
    if (!has_curve(f, i, length)) continue;
    char name[FOUND_NAME];
    double *y = x + (k + 1) * longest, largest = 0;
    for (size_t j = 0; j < length; ++j) largest = fmax(largest, fabs(slopes[i + j]));
    for (size_t j = 0; j < length; ++j) y[j] = slopes[i + j] / (arrays > 1 && largest > 0 ? largest : 1);
    name_array(f, i, name);
    add(p, y, 1, (int)k, name);
    add(p, y, 1, (int)k++, "")->scattered = true;
  }
  return x;
}

// ------------------------------------------------------------------------------------------------ records

// "x" of the entry [0, 3] of a pose, "[2]" of others; NULL where the record takes all.
static void entry_name(const json_t *data, const char *field, size_t i, char *out, size_t size) {
  const json_t *index = json_array_get(json_object_get(data, "select"), i);
  json_int_t row = json_integer_value(json_array_get(index, 0)), column = json_integer_value(json_array_get(index, 1));
  bool position = strncmp(field, "poses:", 6) == 0 && json_array_size(index) == 2 && column == 3 && row >= 0 && row < 3;
  if (position)
    snprintf(out, size, "%c", "xyz"[row]);
  else if (json_is_integer(index))
    snprintf(out, size, "[%lld]", (long long)json_integer_value(index));
  else
    snprintf(out, size, "[%zu]", i);
}

static bool is_position(const json_t *data, const char *field) {
  const json_t *index;
  size_t i;
  bool all = strncmp(field, "poses:", 6) == 0 && json_array_size(json_object_get(data, "select")) > 0;
  json_array_foreach(json_object_get(data, "select"), i, index) all =
      all && json_array_size(index) == 2 && json_integer_value(json_array_get(index, 1)) == 3;
  return all;
}

static void fill_record(panel *p, const recording *r, const json_t *data, const char *field, const char *key) {
  enum { COLUMNS_DRAWN = 6 };
  char name[96];
  size_t width = tendril_arrays_find(r->file, key)->count / p->samples;
  for (size_t i = 0; i < width && i < COLUMNS_DRAWN; ++i) {
    static const char *const parts[] = {"first", "measured", "fitted"};
    for (size_t k = 0; k < 3; ++k) {
      char label[40];
      snprintf(name, sizeof name, "%s:%.60s", parts[k], strchr(key, ':') + 1);
      const tendril_array *a = tendril_arrays_find(r->file, name);
      if (!a || !a->values || a->count != width * p->samples) continue;
      entry_name(data, field, i, label, sizeof label);
      curve *c = add(p, a->values + i, width, (int)i, k == 2 ? label : "");
      if (!c) return;
      c->scattered = k == 1;
      c->dashed = k == 0;
      if (k == 0) c->line_width = 0.9;
    }
  }
}

void search_records(panel_list *list, const recording *r) {
  const json_t *rows = json_object_get(json_object_get(r->summary, "fit"), "records"), *row;
  size_t i, count;
  *list = (panel_list){.narrow = true};
  json_array_foreach(rows, i, row) {
    long long e = json_integer_value(json_object_get(row, "experiment")),
              d = json_integer_value(json_object_get(row, "record"));
    const char *field = json_string_value(json_object_get(row, "field"));
    const json_t *of = json_array_get(json_object_get(json_object_get(r->summary, "job"), "of"), (size_t)e);
    const json_t *data = json_array_get(json_object_get(of, "data"), (size_t)d);
    char key[64], title[96];
    snprintf(key, sizeof key, "fitted:%lld:%lld", e, d);
    const tendril_array *fitted = tendril_arrays_find(r->file, key);
    if (!field || !fitted || !fitted->values || fitted->rank != 2 || fitted->shape[0] == 0 ||
        list->count == RECORDS_DRAWN)
      continue;
    panel *p = list->panel[list->count++] = must_alloc(sizeof *p);
    snprintf(title, sizeof title, "experiment %lld: %.60s", e, strncmp(field, "poses:", 6) == 0 ? field + 6 : field);
    begin_panel(p, title, "problem", fitted->shape[0]);
    if (is_position(data, field)) snprintf(p->unit, sizeof p->unit, "m");
    fill_record(p, r, data, field, key);
    snprintf(key, sizeof key, "t:%lld:%lld", e, d);
    p->x = values_of(r, key, &count);
    if (p->x && count == p->samples)
      snprintf(p->x_label, sizeof p->x_label, "t (s)");
    else
      p->x = list->held[list->held_count++] = counted(p->samples, 0);
  }
}
