// Terms made ready: where in a row each of their numbers stands, and which samples count.
#include "objective/parts.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SAME_TIME = 1e-9; // of the time of the last sample
static const double LARGEST = 1e100;  // of what a document says: weights times squares of targets are finite still

// ------------------------------------------------------------------------------------------------ checks

static const char *what(const td_objective_term *term) { return term->linear ? "linear" : "target"; }

static td_status fail(const td_objective_term *term, const char *key, td_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static td_status fail(const td_objective_term *term, const char *key, td_error *err, const char *format, ...) {
  char pointer[TD_POINTER_SIZE], text[TD_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(pointer, sizeof pointer, "%s%s", term->place, key);
  return td_fail(err, TD_INVALID_ARGUMENT, pointer, "%s", text);
}

static const td_member *find_member(const td_member *members, int count, const char *field) {
  for (int i = 0; i < count; i++)
    if (strcmp(members[i].name, field) == 0) return &members[i];
  return NULL;
}

// Where an entry of `select` stands within a sample of the field.
static td_status place_entry(const td_objective_term *term, const td_member *m, size_t entry, size_t *offset,
                             td_error *err) {
  const size_t *index = term->select + entry * term->select_rank;
  char key[48];
  *offset = 0;
  for (int k = 0; k < m->rank; k++) {
    size_t dim = (size_t)m->dim[k];
    snprintf(key, sizeof key, "/select/%zu", entry);
    if (index[k] >= dim)
      return fail(term, key, err, "index %zu of \"%.100s\" has 0 to %zu, is %zu", (size_t)k, term->field, dim - 1,
                  index[k]);
    *offset = *offset * dim + index[k];
  }
  return TD_OK;
}

static td_status place_numbers(ready *r, const td_member *m, td_error *err) {
  const td_objective_term *term = r->term;
  size_t count = term->select ? term->select_count : m->size;
  if (term->select && (int)term->select_rank != m->rank)
    return fail(term, "/select", err, "a sample of \"%.100s\" has %d indices, entries here have %zu", term->field,
                m->rank, term->select_rank);
  if (term->kind == TD_TERM_SUM && term->width != count)
    return fail(term, term->linear ? "/linear" : "/target", err, "has %zu numbers for each sample, %zu are selected",
                term->width, count);
  td_status status = TD_OK;
  for (size_t k = 0; k < count && status == TD_OK; k++) {
    size_t within = k;
    if (term->select) status = place_entry(term, m, k, &within, err);
    r->offset[k] = m->offset + within;
  }
  return status;
}

// Channels of terms that look at u beside the field.
static td_status place_channels(ready *r, const td_member *u, td_error *err) {
  const td_objective_term *term = r->term;
  const char *key = term->kind == TD_TERM_WORK ? "/work" : "/stiffness";
  if (term->channel_count == 0) return TD_OK;
  if (!u) return fail(term, key, err, "the samples have no field u");
  if (term->channel_count != r->count)
    return fail(term, key, err, "%zu channels act on %zu numbers: each needs its own", term->channel_count, r->count);
  for (size_t k = 0; k < term->channel_count; k++) {
    if (term->channel[k] >= u->size)
      return fail(term, key, err, "there is no channel %zu, u has %zu", term->channel[k], u->size);
    r->channel[k] = u->offset + term->channel[k];
  }
  return TD_OK;
}

static td_status check_pair(const ready *r, size_t samples, td_error *err) {
  const td_objective_term *term = r->term;
  if (term->kind != TD_TERM_STIFFNESS) return TD_OK;
  size_t count = term->when == TD_WHEN_TIMES ? term->time_count : term->when == TD_WHEN_ALL ? samples : 1;
  return count == 2 ? TD_OK : fail(term, "/at", err, "a stiffness is between two samples, here are %zu", count);
}

static td_status check_course(const td_objective_term *term, size_t samples, td_error *err) {
  const char *key = term->linear ? "/linear" : "/target";
  if (term->course == TD_ROWS_OF_SAMPLES && term->rows != samples)
    return fail(term, key, err, "has %zu rows, there are %zu samples", term->rows, samples);
  if (term->course == TD_ROWS_CONSTANT) assert(term->rows == 1);
  for (size_t i = 1; term->course == TD_ROWS_AT_KNOTS && i < term->rows; i++)
    if (!(term->t[i] > term->t[i - 1]))
      return fail(term, key, err, "times of the %s must rise strictly: %.15g follows %.15g", what(term), term->t[i],
                  term->t[i - 1]);
  return TD_OK;
}

static td_status check_weight(const td_objective_term *term, td_error *err) {
  if (!term->weight || term->weight_count == 1 || term->weight_count == term->width) return TD_OK;
  return fail(term, "/weight", err, "has %zu numbers, one for all or %zu are needed", term->weight_count, term->width);
}

static td_status check_size(const td_objective_term *term, const char *key, const double *list, size_t count,
                            td_error *err) {
  for (size_t i = 0; i < count; i++)
    if (!(fabs(list[i]) <= LARGEST))
      return fail(term, key, err, "is %.15g, more than %g: sums and their derivatives would not be finite", list[i],
                  LARGEST);
  return TD_OK;
}

static td_status check_sizes(const td_objective_term *term, td_error *err) {
  if (term->kind != TD_TERM_SUM) return check_size(term, "/linear", &term->factor, 1, err);
  td_status status = check_size(term, term->linear ? "/linear" : "/target", term->value, term->rows * term->width, err);
  if (!status && term->weight) status = check_size(term, "/weight", term->weight, term->weight_count, err);
  return status;
}

// The sample next to a time.
static size_t nearest(const double *t, size_t samples, double time) {
  size_t low = 0, high = samples;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (t[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low + 1 < samples && t[low + 1] - time < time - t[low] ? low + 1 : low;
}

static td_status find_samples(ready *r, const double *t, size_t samples, td_error *err) {
  const td_objective_term *term = r->term;
  char key[48];
  for (size_t i = 0; term->when == TD_WHEN_TIMES && i < term->time_count; i++) {
    size_t k = nearest(t, samples, term->times[i]);
    snprintf(key, sizeof key, "/at/%zu", i);
    if (!(fabs(t[k] - term->times[i]) <= SAME_TIME * (1 + fabs(t[samples - 1]))))
      return fail(term, key, err, "there is no sample at %.15g; the nearest is at %.15g", term->times[i], t[k]);
    if (i > 0 && k <= r->sample[i - 1])
      return fail(term, key, err, "times must rise, each a sample of its own: %.15g follows %.15g", term->times[i],
                  term->times[i - 1]);
    r->sample[i] = k;
  }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ life

static td_status make_ready(ready *r, const td_member *members, int member_count, const double *t, size_t samples,
                            td_error *err) {
  const td_objective_term *term = r->term;
  const td_member *m = find_member(members, member_count, term->field);
  if (!m) return fail(term, "/field", err, "\"%.100s\" is no field of these samples", term->field);
  r->count = term->select ? term->select_count : m->size;
  r->pulls = strcmp(term->field, "tendons") == 0;
  r->offset = calloc(r->count + term->width + 1, sizeof *r->offset);
  r->channel = calloc(term->channel_count + 1, sizeof *r->channel);
  r->sample = calloc(term->time_count + 1, sizeof *r->sample);
  if (!r->offset || !r->sample || !r->channel) return td_fail(err, TD_NO_MEMORY, term->place, "not enough memory");
  td_status status = place_numbers(r, m, err);
  if (!status && term->kind != TD_TERM_SUM) status = place_channels(r, find_member(members, member_count, "u"), err);
  if (!status && term->kind != TD_TERM_SUM) status = check_pair(r, samples, err);
  if (!status && term->kind == TD_TERM_SUM) status = check_course(term, samples, err);
  if (!status && term->kind == TD_TERM_SUM) status = check_weight(term, err);
  if (!status) status = check_sizes(term, err);
  return status ? status : find_samples(r, t, samples, err);
}

td_status td_objective_create(const td_member *members, int member_count, const double *t, size_t samples,
                              const td_objective_term *terms, size_t term_count, td_objective **objective,
                              td_error *err) {
  assert(samples > 0);
  td_objective *o = calloc(1, sizeof *o);
  *objective = NULL;
  if (o) o->term = calloc(term_count + 1, sizeof *o->term);
  if (!o || !o->term) {
    free(o);
    return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  }
  *o = (td_objective){.t = t, .samples = samples, .term = o->term};
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < term_count; i++) {
    o->term[i].term = &terms[i];
    o->count = i + 1;
    status = make_ready(&o->term[i], members, member_count, t, samples, err);
  }
  if (status)
    td_objective_destroy(o);
  else
    *objective = o;
  return status;
}

void td_objective_destroy(td_objective *o) {
  if (!o) return;
  for (size_t i = 0; i < o->count; i++) {
    free(o->term[i].offset);
    free(o->term[i].channel);
    free(o->term[i].sample);
  }
  free(o->term);
  free(o);
}

// ------------------------------------------------------------------------------------------------ values

static int by_index(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

bool td_term_counts(const td_objective *o, const ready *r, size_t sample) {
  if (r->term->when == TD_WHEN_ALL) return true;
  if (r->term->when == TD_WHEN_END) return sample + 1 == o->samples;
  return bsearch(&sample, r->sample, r->term->time_count, sizeof sample, by_index) != NULL;
}

static bool is_sum(const td_objective *o, size_t i, size_t sample) {
  return o->term[i].term->kind == TD_TERM_SUM && td_term_counts(o, &o->term[i], sample);
}

bool td_objective_counts(const td_objective *o, size_t sample) {
  bool some = false;
  for (size_t i = 0; i < o->count && !some; i++) some = is_sum(o, i, sample);
  return some;
}

// Rows of a term's value about a time: (1 - part) of `first` and part of `second`.
typedef struct between {
  const double *first, *second;
  double part;
} between;

static between value_at(const td_objective *o, const td_objective_term *term, size_t sample) {
  const double *rows = term->value;
  size_t w = term->width, last = term->rows - 1, k = 0;
  double t = o->t[sample];
  if (term->course == TD_ROWS_CONSTANT) return (between){rows, rows, 0};
  if (term->course == TD_ROWS_OF_SAMPLES) return (between){rows + sample * w, rows + sample * w, 0};
  if (last == 0 || t <= term->t[0]) return (between){rows, rows, 0};
  if (t >= term->t[last]) return (between){rows + last * w, rows + last * w, 0};
  for (size_t high = last; high - k > 1;) {
    size_t middle = k + (high - k) / 2;
    if (term->t[middle] <= t)
      k = middle;
    else
      high = middle;
  }
  return (between){rows + k * w, rows + (k + 1) * w, (t - term->t[k]) / (term->t[k + 1] - term->t[k])};
}

static double add_term(const td_objective *o, const ready *r, size_t sample, const double *row, double *cotangent) {
  const td_objective_term *term = r->term;
  between at = value_at(o, term, sample);
  double sum = 0;
  for (size_t k = 0; k < term->width; k++) {
    double x = row[r->offset[k]], value = at.first[k] + at.part * (at.second[k] - at.first[k]), slope = value;
    double weight = term->weight ? term->weight[term->weight_count == 1 ? 0 : k] : 1;
    if (!term->linear) slope = weight * (x - value);
    sum += term->linear ? value * x : 0.5 * slope * (x - value);
    if (cotangent) cotangent[r->offset[k]] += slope;
  }
  return sum;
}

double td_objective_at(const td_objective *o, size_t sample, const double *row, double *cotangent) {
  assert(sample < o->samples && row);
  double sum = 0;
  for (size_t i = 0; i < o->count; i++)
    if (is_sum(o, i, sample)) sum += add_term(o, &o->term[i], sample, row, cotangent);
  return sum;
}
