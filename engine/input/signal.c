// One input signal: evaluation, and the times at which it jumps or bends.
//
// A signal document is compiled once into a tree that mirrors the spec (which it borrows) and adds the second
// derivatives of splines. Evaluation walks the tree; its depth is at most TD_MAX_SIGNAL_DEPTH, checked before, so
// recursion is bounded. Jumps: an integrator must see smooth inputs between two events, and at an event the value of
// the side it stands on. So evaluation takes a second time, `t_side`, anywhere in the smooth interval: steps choose
// their branch by it, everything else reads t. Invariant: no event lies between t and `t_side`, other than at t itself.
#include "input/signal.h"
#include "input/polynomial.h"
#include "math/spline.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const char *const type_names[TD_SIGNAL_TYPE_COUNT] = {
    [TD_SIGNAL_CONSTANT] = "constant",
    [TD_SIGNAL_SINE] = "sine",
    [TD_SIGNAL_STEPS] = "steps",
    [TD_SIGNAL_RAMP] = "ramp",
    [TD_SIGNAL_POLYNOMIAL] = "polynomial",
    [TD_SIGNAL_TABLE] = "table",
    [TD_SIGNAL_SUM] = "sum",
    [TD_SIGNAL_PRODUCT] = "product",
};

const char *td_signal_type_name(td_signal_type type) {
  return (unsigned)type < TD_SIGNAL_TYPE_COUNT ? type_names[type] : NULL;
}

void td_signal_fini(td_signal *s) {
  if (s->of)
    for (size_t i = 0; i < s->spec->of_count; i++) td_signal_fini(&s->of[i]);
  free(s->of);
  free(s->curvature);
}

static double range_of(const td_signal_spec *spec) {
  double least = INFINITY, most = -INFINITY;
  if (spec->type != TD_SIGNAL_TABLE) return 0;
  for (size_t i = 0; i < spec->count; i++) least = fmin(least, spec->value[i]), most = fmax(most, spec->value[i]);
  return most - least;
}

td_status td_signal_init(td_signal *s, const td_signal_spec *spec) {
  *s = (td_signal){.spec = spec, .range = range_of(spec)};
  if (spec->type == TD_SIGNAL_TABLE && spec->spline && spec->count > 2) {
    s->curvature = calloc(spec->count, sizeof(double));
    if (!s->curvature) return TD_NO_MEMORY;
    return td_spline_prepare(spec->count, spec->t, spec->value, 1, s->curvature);
  }
  if (spec->type != TD_SIGNAL_SUM && spec->type != TD_SIGNAL_PRODUCT) return TD_OK;
  s->of = calloc(spec->of_count + 1, sizeof *s->of);
  if (!s->of) return TD_NO_MEMORY;
  for (size_t i = 0; i < spec->of_count; i++) s->of[i].spec = &spec->of[i];
  for (size_t i = 0; i < spec->of_count; i++) {
    td_status status = td_signal_init(&s->of[i], &spec->of[i]);
    if (status) return status;
  }
  return TD_OK;
}

td_status td_signal_create(const td_signal_spec *spec, td_signal **signal) {
  *signal = calloc(1, sizeof **signal);
  if (!*signal) return TD_NO_MEMORY;
  td_status status = td_signal_init(*signal, spec);
  if (status) {
    td_signal_destroy(*signal);
    *signal = NULL;
  }
  return status;
}

void td_signal_destroy(td_signal *signal) {
  if (!signal) return;
  td_signal_fini(signal);
  free(signal);
}

size_t td_signal_knots_reached(const td_signal_spec *s, double t) {
  assert(s->count == 0 || s->t);
  size_t low = 0, high = s->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->t[middle] <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static double linear_eval(const td_signal_spec *s, size_t count, double t) {
  if (count == 1 || t <= s->t[0]) return s->value[0];
  if (t >= s->t[count - 1]) return s->value[count - 1];
  size_t k = count == 2 ? 1 : td_signal_knots_reached(s, t);
  double w = (t - s->t[k - 1]) / (s->t[k] - s->t[k - 1]);
  return s->value[k - 1] + w * (s->value[k] - s->value[k - 1]);
}

static double table_eval(const td_signal *signal, double t) {
  const td_signal_spec *s = signal->spec;
  if (!signal->curvature) return linear_eval(s, s->count, t);
  double value = 0, at = fmin(fmax(t, s->t[0]), s->t[s->count - 1]);
  td_spline_eval(s->count, s->t, s->value, 1, signal->curvature, at, &value, NULL);
  return value;
}

static double steps_eval(const td_signal_spec *s, double t_side) {
  size_t k = td_signal_knots_reached(s, t_side);
  return k ? s->value[k - 1] : 0; // before the first knot nothing is commanded
}

static double polynomial_eval(const td_signal_spec *s, double t) {
  double value;
  td_polynomial_eval(s->count, s->value, t, 1, &value);
  return value;
}

static double terms_eval(const td_signal *signal, double t, double t_side) {
  bool product = signal->spec->type == TD_SIGNAL_PRODUCT;
  double value = product ? 1 : 0;
  for (size_t i = 0; i < signal->spec->of_count; i++) {
    double term = td_signal_eval(&signal->of[i], t, t_side);
    value = product ? value * term : value + term;
  }
  return value;
}

double td_signal_eval(const td_signal *signal, double t, double t_side) {
  assert((unsigned)signal->spec->type < TD_SIGNAL_TYPE_COUNT);
  const td_signal_spec *s = signal->spec;
  switch (s->type) {
  case TD_SIGNAL_CONSTANT:
    return s->offset;
  case TD_SIGNAL_SINE:
    return s->offset + s->amplitude * sin(2 * M_PI * s->frequency * t + s->phase);
  case TD_SIGNAL_STEPS:
    return steps_eval(s, t_side);
  case TD_SIGNAL_RAMP:
    return linear_eval(s, 2, t);
  case TD_SIGNAL_POLYNOMIAL:
    return polynomial_eval(s, t);
  case TD_SIGNAL_TABLE:
    return table_eval(signal, t);
  case TD_SIGNAL_SUM:
  case TD_SIGNAL_PRODUCT:
    return terms_eval(signal, t, t_side);
  case TD_SIGNAL_TYPE_COUNT:
    break;
  }
  return 0;
}

enum { FEW_KINKS = 64 };

static double next_knot(const td_signal_spec *s, double t) {
  size_t k = td_signal_knots_reached(s, t);
  return k < s->count ? s->t[k] : INFINITY;
}

// Few kinks are events, too: a step that spans two of them may not see what the input does between them (a pulse in a
// table). A table of many knots is a curve, which the tolerances and h_max follow.
bool td_signal_has_few_kinks(const td_signal_spec *s) {
  bool kinked = s->type == TD_SIGNAL_RAMP || (s->type == TD_SIGNAL_TABLE && !s->spline);
  return kinked && s->count <= FEW_KINKS;
}

double td_signal_next_event(const td_signal_spec *s, double t) {
  double next = INFINITY;
  if (s->type == TD_SIGNAL_STEPS || td_signal_has_few_kinks(s)) return next_knot(s, t);
  if (s->type == TD_SIGNAL_SUM || s->type == TD_SIGNAL_PRODUCT)
    for (size_t i = 0; i < s->of_count; i++) next = fmin(next, td_signal_next_event(&s->of[i], t));
  return next;
}

double td_signal_time_scale(const td_signal_spec *s) {
  double scale = INFINITY;
  if (s->type == TD_SIGNAL_SINE && s->amplitude != 0) return 0.5 / fabs(s->frequency);
  if (s->type == TD_SIGNAL_RAMP || s->type == TD_SIGNAL_TABLE)
    for (size_t i = 1; i < s->count; i++) scale = fmin(scale, s->t[i] - s->t[i - 1]);
  if (s->type == TD_SIGNAL_SUM || s->type == TD_SIGNAL_PRODUCT)
    for (size_t i = 0; i < s->of_count; i++) scale = fmin(scale, td_signal_time_scale(&s->of[i]));
  return scale;
}
