// Signals that drive joints: value, velocity and acceleration by rules of differentiation on the tree of the signal,
// and the rule that all three exist.
//
// Every kind gives a jet (f, f', f''); sums add jets, products obey Leibniz. Ramps and tables are held outside their
// knots. A jump of value or velocity would need an infinite force, so it is refused where it really happens: ends of
// ramps and splines inside (0, t_end) are looked at from both sides, in the whole signal (a factor that vanishes there
// heals a kink). Jumps of the acceleration are legitimate; they are events, where integrators begin anew.
#include "input/polynomial.h"
#include "input/signal.h"
#include "math/spline.h"
#include <math.h>

static void zero_slopes(double value, double out[3]) {
  out[0] = value;
  out[1] = out[2] = 0;
}

static void sine_motion(const td_signal_spec *s, double t, double out[3]) {
  double w = 2 * M_PI * s->frequency, x = w * t + s->phase;
  out[0] = s->offset + s->amplitude * sin(x);
  out[1] = s->amplitude * w * cos(x);
  out[2] = -s->amplitude * w * w * sin(x);
}

// Between the knots; `t_side` decides at a knot.
static void table_motion(const td_signal *signal, double t, double t_side, double out[3]) {
  const td_signal_spec *s = signal->spec;
  size_t last = s->type == TD_SIGNAL_RAMP ? 1 : s->count - 1;
  if (t_side <= s->t[0] || t_side >= s->t[last]) {
    zero_slopes(s->value[t_side <= s->t[0] ? 0 : last], out);
    return;
  }
  if (signal->curvature) {
    td_spline_eval2(s->count, s->t, s->value, 1, signal->curvature, t, &out[0], &out[1], &out[2]);
    return;
  }
  double slope = (s->value[1] - s->value[0]) / (s->t[1] - s->t[0]); // a ramp, or a spline through two points
  out[0] = s->value[0] + slope * (t - s->t[0]);
  out[1] = slope;
  out[2] = 0;
}

static void terms_motion(const td_signal *signal, double t, double t_side, double out[3]) {
  bool product = signal->spec->type == TD_SIGNAL_PRODUCT;
  zero_slopes(product ? 1 : 0, out);
  for (size_t i = 0; i < signal->spec->of_count; i++) {
    double f[3];
    td_signal_motion(&signal->of[i], t, t_side, f);
    if (product) {
      out[2] = out[2] * f[0] + 2 * out[1] * f[1] + out[0] * f[2];
      out[1] = out[1] * f[0] + out[0] * f[1];
      out[0] *= f[0];
    } else {
      for (int k = 0; k < 3; k++) out[k] += f[k];
    }
  }
}

void td_signal_motion(const td_signal *signal, double t, double t_side, double out[3]) {
  const td_signal_spec *s = signal->spec;
  switch (s->type) {
  case TD_SIGNAL_SINE:
    sine_motion(s, t, out);
    return;
  case TD_SIGNAL_POLYNOMIAL:
    td_polynomial_eval(s->count, s->value, t, 3, out);
    return;
  case TD_SIGNAL_RAMP:
  case TD_SIGNAL_TABLE:
    table_motion(signal, t, t_side, out);
    return;
  case TD_SIGNAL_SUM:
  case TD_SIGNAL_PRODUCT:
    terms_motion(signal, t, t_side, out);
    return;
  case TD_SIGNAL_CONSTANT:
  case TD_SIGNAL_STEPS:
  case TD_SIGNAL_TYPE_COUNT:
    break;
  }
  zero_slopes(td_signal_eval(signal, t, t_side), out);
}

// ------------------------------------------------------------------------------------------------ events

static double next_of(double next, double candidate, double t) {
  return candidate > t && candidate < next ? candidate : next;
}

double td_motion_next_event(const td_signal_spec *s, double t) {
  double next = INFINITY;
  if (s->type == TD_SIGNAL_RAMP || s->type == TD_SIGNAL_TABLE) {
    next = next_of(next, s->t[0], t);
    next = next_of(next, s->t[s->type == TD_SIGNAL_RAMP ? 1 : s->count - 1], t);
  }
  if (s->type == TD_SIGNAL_SUM || s->type == TD_SIGNAL_PRODUCT)
    for (size_t i = 0; i < s->of_count; i++) next = fmin(next, td_motion_next_event(&s->of[i], t));
  return next;
}

// ------------------------------------------------------------------------------------------------ rules

static td_status kinds_check(const td_place *at, const td_signal_spec *s) {
  static const char needs[] = "a prescribed joint needs a motion with two derivatives";
  if (s->type == TD_SIGNAL_STEPS) return td_place_fail(at, TD_INVALID_ARGUMENT, "%s; steps jump", needs);
  if (s->type == TD_SIGNAL_TABLE && !s->spline)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "%s; a linear table has kinks (interpolation \"spline\" has none)",
                         needs);
  if (s->type != TD_SIGNAL_SUM && s->type != TD_SIGNAL_PRODUCT) return TD_OK;
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < s->of_count; i++) status = kinds_check(at, &s->of[i]);
  return status;
}

// Largest |value| and |velocity| met at some times of the run: what jumps are measured against.
static void motion_scale(const td_signal *signal, double t_end, double scale[2]) {
  enum { SAMPLES = 512 };
  scale[0] = scale[1] = 0;
  for (int i = 0; i < SAMPLES; i++) {
    double t = t_end * (i + 0.5) / SAMPLES, f[3];
    td_signal_motion(signal, t, t, f);
    for (int k = 0; k < 2; k++) scale[k] = fmax(scale[k], fabs(f[k]));
  }
}

static td_status jumps_check(const td_place *at, const td_signal *signal, double t_end) {
  static const double allowed = 1e-6;
  double scale[2];
  motion_scale(signal, t_end, scale);
  for (double t = td_motion_next_event(signal->spec, 0); t < t_end; t = td_motion_next_event(signal->spec, t)) {
    double before[3], after[3];
    td_signal_motion(signal, t, nextafter(t, -INFINITY), before);
    td_signal_motion(signal, t, nextafter(t, INFINITY), after);
    for (int k = 0; k < 2; k++)
      if (fabs(after[k] - before[k]) > allowed * scale[k])
        return td_place_fail(
            at, TD_INVALID_ARGUMENT,
            "a prescribed joint needs a motion with two derivatives; its %s jumps from %.6g to %.6g at "
            "t = %.6g s",
            k ? "velocity" : "value", before[k], after[k], t);
  }
  return TD_OK;
}

td_status td_motion_check(const td_place *at, const td_signal_spec *spec, double t_end) {
  td_status status = kinds_check(at, spec);
  if (status) return status;
  td_signal *signal;
  status = td_signal_create(spec, &signal);
  if (status) return td_place_fail(at, status, "no memory to check the motion");
  status = jumps_check(at, signal, t_end);
  td_signal_destroy(signal);
  return status;
}
