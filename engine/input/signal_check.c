// Every rule of the inputs of a job: shapes of signals, names of channels, and that tendons are never asked to push.
//
// The lowest value of a tendon's input over [0, t_end] is found exactly for constants, steps, ramps, linear tables and
// sines. Sums and products are first bounded by interval arithmetic on their terms; only when the bound is negative
// (and for polynomials and splines) the signal is sampled finely, with every knot among the samples. Values down to
// -1e-9 of the largest magnitude count as rounding: 4 - 4 cos(w t) is a legitimate tension.
#include "input/inputs.h"
#include "input/signal.h"
#include "spec/place.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4096, SAMPLES_PER_PERIOD = 64, EVALUATIONS_LIMIT = 1 << 22 };

typedef struct range {
  double low, high;
} range;

static td_status signal_check(const td_place *at, const td_signal_spec *s, int depth);

static td_status knots_check(const td_place *at, const td_signal_spec *s, size_t least, size_t most) {
  td_place knots = td_place_key(at, "t");
  if (s->count < least || s->count > most)
    return td_place_fail(&knots, TD_INVALID_ARGUMENT, "must have %zu to %zu entries, has %zu", least, most, s->count);
  td_status status = td_check_all_finite(at, "t", s->count, s->t);
  if (!status) status = td_check_all_finite(at, "value", s->count, s->value);
  for (size_t i = 1; !status && i < s->count; i++) {
    td_place entry = td_place_at(&knots, i);
    if (s->t[i] <= s->t[i - 1])
      status = td_place_fail(&entry, TD_INVALID_ARGUMENT, "times must rise strictly: %.15g follows %.15g", s->t[i],
                             s->t[i - 1]);
  }
  return status;
}

static td_status sine_check(const td_place *at, const td_signal_spec *s) {
  td_status status = td_check_finite(at, "offset", s->offset);
  if (!status) status = td_check_finite(at, "amplitude", s->amplitude);
  if (!status) status = td_check_finite(at, "frequency", s->frequency);
  if (!status) status = td_check_finite(at, "phase", s->phase);
  return status;
}

static td_status polynomial_check(const td_place *at, const td_signal_spec *s) {
  td_place list = td_place_key(at, "coefficients");
  if (s->count < 1 || s->count > TD_MAX_SIGNAL_TERMS)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "must have 1 to %d coefficients, has %zu",
                         (int)TD_MAX_SIGNAL_TERMS, s->count);
  return td_check_all_finite(&list, NULL, s->count, s->value);
}

static td_status terms_check(const td_place *at, const td_signal_spec *s, int depth) {
  td_place list = td_place_key(at, "of");
  if (depth >= TD_MAX_SIGNAL_DEPTH)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "sums and products may be nested %d deep at most",
                         (int)TD_MAX_SIGNAL_DEPTH);
  if (s->of_count < 1 || s->of_count > TD_MAX_SIGNAL_TERMS)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "must have 1 to %d terms, has %zu", (int)TD_MAX_SIGNAL_TERMS,
                         s->of_count);
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < s->of_count; i++) {
    td_place term = td_place_at(&list, i);
    status = signal_check(&term, &s->of[i], depth + 1);
  }
  return status;
}

static td_status signal_check(const td_place *at, const td_signal_spec *s, int depth) {
  switch (s->type) {
  case TD_SIGNAL_CONSTANT:
    return td_check_finite(at, depth ? "value" : NULL, s->offset);
  case TD_SIGNAL_SINE:
    return sine_check(at, s);
  case TD_SIGNAL_STEPS:
    return knots_check(at, s, 1, TD_MAX_SIGNAL_KNOTS);
  case TD_SIGNAL_RAMP:
    return knots_check(at, s, 2, 2);
  case TD_SIGNAL_TABLE:
    return knots_check(at, s, s->spline ? 2 : 1, TD_MAX_SIGNAL_KNOTS);
  case TD_SIGNAL_POLYNOMIAL:
    return polynomial_check(at, s);
  case TD_SIGNAL_SUM:
  case TD_SIGNAL_PRODUCT:
    return terms_check(at, s, depth);
  case TD_SIGNAL_TYPE_COUNT:
    break;
  }
  return td_place_fail(at, TD_INVALID_ARGUMENT, "unknown type of signal %d", (int)s->type);
}

// ------------------------------------------------------------------------------------------- lowest value of a signal

static void range_add(range *r, double value) {
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

// Extremes of a sine on [0, t_end]: its ends, and the crests and troughs between them.
static range sine_range(const td_signal_spec *s, double t_end) {
  double first = s->phase, last = s->phase + 2 * M_PI * s->frequency * t_end, a = s->amplitude;
  double from = fmin(first, last), to = fmax(first, last);
  range r = {s->offset + a * sin(first), s->offset + a * sin(first)};
  range_add(&r, s->offset + a * sin(last));
  for (int sign = -1; sign <= 1; sign += 2) { // crest at pi/2 + 2 pi k, trough at -pi/2 + 2 pi k
    double k = ceil((from - sign * M_PI / 2) / (2 * M_PI));
    if (sign * M_PI / 2 + 2 * M_PI * k <= to) range_add(&r, s->offset + sign * a);
  }
  return r;
}

// Steps and linear tables: values held or crossed within [0, t_end] (a superset where knots lie outside).
static range knots_range(const td_signal_spec *s, double t_end) {
  bool steps = s->type == TD_SIGNAL_STEPS;
  range r = {INFINITY, -INFINITY};
  if (steps && s->t[0] > 0) r = (range){0, 0};
  for (size_t i = 0; i < s->count; i++) {
    bool over = i + 1 < s->count && s->t[i + 1] <= 0, ahead = i > 0 && (steps ? s->t[i] : s->t[i - 1]) > t_end;
    if (!over && !ahead) range_add(&r, s->value[i]);
  }
  if (r.low > r.high) range_add(&r, s->value[0]);
  return r;
}

static range product(range a, range b) {
  range r = {a.low * b.low, a.low * b.low};
  range_add(&r, a.low * b.high);
  range_add(&r, a.high * b.low);
  range_add(&r, a.high * b.high);
  return r;
}

// An interval that holds every value of the signal on [0, t_end]; infinite where none is known.
static range signal_range(const td_signal_spec *s, double t_end) {
  range r = {-INFINITY, INFINITY};
  if (s->type == TD_SIGNAL_CONSTANT) return (range){s->offset, s->offset};
  if (s->type == TD_SIGNAL_SINE) return sine_range(s, t_end);
  if (s->type == TD_SIGNAL_STEPS || s->type == TD_SIGNAL_RAMP) return knots_range(s, t_end);
  if (s->type == TD_SIGNAL_TABLE && !s->spline) return knots_range(s, t_end);
  if (s->type != TD_SIGNAL_SUM && s->type != TD_SIGNAL_PRODUCT) return r;
  bool multiply = s->type == TD_SIGNAL_PRODUCT;
  r = multiply ? (range){1, 1} : (range){0, 0};
  for (size_t i = 0; i < s->of_count; i++) {
    range term = signal_range(&s->of[i], t_end);
    r = multiply ? product(r, term) : (range){r.low + term.low, r.high + term.high};
  }
  return r;
}

static double highest_frequency(const td_signal_spec *s) {
  double f = s->type == TD_SIGNAL_SINE ? fabs(s->frequency) : 0;
  if (s->type == TD_SIGNAL_SUM || s->type == TD_SIGNAL_PRODUCT)
    for (size_t i = 0; i < s->of_count; i++) f = fmax(f, highest_frequency(&s->of[i]));
  return f;
}

static double leaf_count(const td_signal_spec *s) {
  double leaves = 1;
  if (s->type == TD_SIGNAL_SUM || s->type == TD_SIGNAL_PRODUCT)
    for (size_t i = 0; i < s->of_count; i++) leaves += leaf_count(&s->of[i]);
  return leaves;
}

// Lowest of many samples, knots included, with the time where it was found.
static td_status sampled_low(const td_signal_spec *s, double t_end, double *low, double *when, double *largest) {
  td_signal *signal;
  td_status status = td_signal_create(s, &signal);
  if (status) return status;
  double wanted = fmax(SAMPLES, SAMPLES_PER_PERIOD * highest_frequency(s) * t_end);
  size_t count =
      (size_t)fmax(16, fmin(wanted, EVALUATIONS_LIMIT / leaf_count(s))); // bounded work, whatever the document
  *low = INFINITY;
  *largest = 0;
  bool knots = s->type == TD_SIGNAL_TABLE;
  for (size_t i = 0; i <= count + (knots ? s->count : 0); i++) {
    double t = i <= count ? t_end * (double)i / (double)count : fmin(fmax(s->t[i - count - 1], 0), t_end);
    double value = td_signal_eval(signal, t, t);
    if (value < *low) *low = value, *when = t;
    *largest = fmax(*largest, fabs(value));
  }
  td_signal_destroy(signal);
  return TD_OK;
}

// The lowest value on [0, t_end]; *when it is reached, NaN: somewhere in between, exactly.
static td_status lowest(const td_signal_spec *s, double t_end, double *low, double *when, double *largest) {
  range r = signal_range(s, t_end);
  *low = r.low, *when = NAN, *largest = fmax(fabs(r.low), fabs(r.high));
  bool exact = isfinite(r.low) && s->type != TD_SIGNAL_SUM && s->type != TD_SIGNAL_PRODUCT;
  return exact || r.low >= 0 ? TD_OK : sampled_low(s, t_end, low, when, largest);
}

static bool not_negative(double low, double largest) { return low >= 0 || low >= -1e-9 * largest; }

static bool pulls_with(const td_signal_spec *s, double t_end, double *number, double value) {
  double low, when, largest, before = *number;
  *number = value;
  bool pulls = !lowest(s, t_end, &low, &when, &largest) && not_negative(low, largest);
  *number = before;
  return pulls;
}

// The values with which a signal pulls are an interval, for it is affine in the number; its end on one side.
static double end_of_pull(const td_signal_spec *s, double t_end, double *number, double sign) {
  static const double open = 1e9;
  double from = *number, size = fmax(fabs(from), 1), good = 0, bad = size;
  while (bad <= open * size && pulls_with(s, t_end, number, from + sign * bad)) good = bad, bad *= 10;
  if (bad > open * size) return sign * INFINITY;
  for (int i = 0; i < 60 && bad - good > 1e-12 * size; i++) {
    double middle = good + (bad - good) / 2;
    *(pulls_with(s, t_end, number, from + sign * middle) ? &good : &bad) = middle;
  }
  return from + sign * good;
}

bool td_tension_bounds(const td_signal_spec *s, double t_end, double *number, double bounds[2]) {
  if (!pulls_with(s, t_end, number, *number)) return false;
  bounds[0] = end_of_pull(s, t_end, number, -1);
  bounds[1] = end_of_pull(s, t_end, number, 1);
  return true;
}

double td_signal_least(const td_signal_spec *s, double t_end) {
  double low, when, largest;
  return lowest(s, t_end, &low, &when, &largest) ? -INFINITY : low;
}

static td_status tension_check(const td_place *at, const td_input_spec *input, double t_end) {
  double low, when, largest;
  td_status status = lowest(&input->signal, t_end, &low, &when, &largest);
  if (status || not_negative(low, largest)) return status;
  if (isnan(when))
    return td_place_fail(at, TD_INVALID_ARGUMENT, "a tendon cannot push, but its tension falls to %.6g N", low);
  return td_place_fail(at, TD_INVALID_ARGUMENT, "a tendon cannot push, but its tension is %.6g N at t = %.6g s", low,
                       when);
}

// A channel's name as a key of a JSON pointer: ~ and / escaped as in RFC 6901.
static void escape(const char *name, char *key, size_t size) {
  size_t used = 0;
  for (; *name && used + 3 < size; name++) {
    bool special = *name == '~' || *name == '/';
    if (special) key[used++] = '~';
    key[used++] = *name == '~' ? '0' : *name == '/' ? '1' : *name;
  }
  key[used] = '\0';
}

static td_status list_check(const td_place *at, const td_input_spec *input, bool tendon) {
  td_status status = td_check_all_finite(at, NULL, input->list_count, input->list);
  for (size_t i = 0; !status && tendon && i < input->list_count; i++) {
    td_place entry = td_place_at(at, i);
    if (input->list[i] < 0)
      status =
          td_place_fail(&entry, TD_INVALID_ARGUMENT, "a tendon cannot push, its tension is %.6g N", input->list[i]);
  }
  return status;
}

static td_status input_check(const td_place *at, const td_model *model, const td_input_spec *input, int channel,
                             double t_end) {
  bool tendon = td_model_channel_is_tension(model, channel);
  if (input->list) return list_check(at, input, tendon);
  td_status status = signal_check(at, &input->signal, 0);
  if (!status && td_channel_drives(model, channel)) status = td_motion_check(at, &input->signal, t_end);
  return status || !tendon ? status : tension_check(at, input, t_end);
}

enum { NAMES = 240 };

// As many names of channels as fit into a line; `both`: motors with the coordinate that they drive. Returns how many.
static int list_channels(const td_model *model, bool both, char names[NAMES]) {
  int count = td_model_channel_count(model), told = 0;
  *names = '\0';
  for (size_t used = 0; told < count; told++) {
    char name[2 * TD_MAX_NAME + 64];
    if (both)
      td_channel_tell(model, told, name, sizeof name);
    else
      snprintf(name, sizeof name, "%s", td_model_channel_name(model, told));
    if (used + strlen(name) + 3 > NAMES) break;
    used += (size_t)snprintf(names + used, NAMES - used, "%s%s", told > 0 ? ", " : "", name);
  }
  return told;
}

// Whether one letter is missing, too many, another, or two are swapped; of ends "t1" and "t1a".
static bool one_off(const char *a, const char *b) {
  size_t m = strlen(a), n = strlen(b);
  while (m > 0 && n > 0 && *a == *b) a++, b++, m--, n--;
  while (m > 0 && n > 0 && a[m - 1] == b[n - 1]) m--, n--;
  return (m <= 1 && n <= 1) || (m == 2 && n == 2 && a[0] == b[1] && a[1] == b[0]);
}

// Says which channels there are.
td_status td_no_channel(const td_place *at, const td_model *model, const char *channel) {
  char names[NAMES];
  int count = td_model_channel_count(model);
  if (count == 0)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "the model has no input channel \"%.80s\", nor any other", channel);
  const char *meant = NULL;
  for (int i = 0; i < count && !meant; i++)
    if (one_off(channel, td_model_channel_name(model, i))) meant = td_model_channel_name(model, i);
  int told = list_channels(model, true, names);
  if (told < count) told = list_channels(model, false, names);
  return td_place_fail(at, TD_INVALID_ARGUMENT, "the model has no input channel \"%.80s\"%s%.63s%s only %s%s", channel,
                       meant ? ": did you mean \"" : "", meant ? meant : "", meant ? "\"? There are" : ",", names,
                       told < count ? ", ..." : "");
}

td_status td_inputs_check(const td_place *root, const td_model *model, const td_input_spec *specs, size_t count,
                          double t_end) {
  td_place all = td_place_key(root, "inputs");
  bool *seen = calloc((size_t)td_model_channel_count(model) + 1, sizeof *seen);
  td_status first = seen ? TD_OK : td_place_fail(root, TD_NO_MEMORY, "no memory to check the inputs");
  for (size_t i = 0; seen && i < count; i++) {
    td_status status;
    char key[TD_POINTER_SIZE / 2];
    escape(specs[i].channel, key, sizeof key);
    td_place at = td_place_key(&all, key);
    int channel = td_channel_find(model, specs[i].channel);
    if (channel < 0)
      status = td_no_channel(&at, model, specs[i].channel);
    else if (seen[channel])
      status = td_place_fail(&at, TD_INVALID_ARGUMENT, "the channel has two inputs");
    else
      status = input_check(&at, model, &specs[i], channel, t_end);
    if (channel >= 0) seen[channel] = true;
    if (!first) first = status;
    if (!td_place_goes_on(&at, status)) break;
  }
  free(seen);
  return first;
}
