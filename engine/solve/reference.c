// References over time, held outside their knots.
//   cubic:  from knot to knot x0 + (x1 - x0) s^2 (3 - 2 s), at rest in each; its acceleration jumps at knots, so they are events
//   spline: natural, C2; held values outside, so that the velocity jumps at its two ends, which are events
//   linear: kinks at knots, no events: integrators find them, as those of linear input tables
// `inside` picks the side at an event, as in signal.h.
#include "solve/reference.h"
#include "math/spline.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[TD_INTERPOLATION_COUNT] = {"cubic", "spline", "linear"};
const char *td_interpolation_name(td_interpolation i) { return (unsigned)i < TD_INTERPOLATION_COUNT ? names[i] : NULL; }

td_status td_track_init(td_track *track, td_interpolation interpolation, int width, size_t knots, const double *t,
                        const double *rows) {
  *track = (td_track){.interpolation = interpolation, .width = width, .knots = knots, .t = t};
  track->value = calloc(2 * (size_t)width * knots + 1, sizeof *track->value);
  if (!track->value) return TD_NO_MEMORY;
  track->curvature = track->value + (size_t)width * knots;
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < (size_t)width; i++) {
    double *value = track->value + i * knots;
    for (size_t k = 0; k < knots; k++) value[k] = rows[k * (size_t)width + i];
    if (interpolation == TD_INTERPOLATION_SPLINE && knots > 1)
      status = td_spline_prepare(knots, t, value, 1, track->curvature + i * knots);
  }
  return status;
}

void td_track_fini(td_track *track) {
  free(track->value);
  *track = (td_track){0};
}

// The interval [t[k], t[k+1]] that holds `inside`, which lies between the first and the last knot.
static size_t interval(const td_track *track, double inside) {
  size_t low = 0, high = track->knots - 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (track->t[middle] <= inside)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void td_track_eval(const td_track *track, int i, double t, double inside, double out[3]) {
  size_t last = track->knots - 1;
  const double *x = track->value + (size_t)i * track->knots, *at = track->t;
  out[1] = out[2] = 0;
  if (track->interpolation == TD_INTERPOLATION_LINEAR)
    inside = t; // continuous, and its knots are no events: they may lie between
  if (last == 0 || inside <= at[0] || inside >= at[last]) {
    out[0] = x[last == 0 || inside <= at[0] ? 0 : last];
    return;
  }
  if (track->interpolation == TD_INTERPOLATION_SPLINE) {
    td_spline_eval2(track->knots, at, x, 1, track->curvature + (size_t)i * track->knots, t, &out[0], &out[1], &out[2]);
    return;
  }
  size_t k = interval(track, inside);
  double h = at[k + 1] - at[k], s = (t - at[k]) / h, d = x[k + 1] - x[k];
  bool cubic = track->interpolation == TD_INTERPOLATION_CUBIC;
  out[0] = x[k] + d * (cubic ? s * s * (3 - 2 * s) : s);
  out[1] = d / h * (cubic ? 6 * s * (1 - s) : 1);
  out[2] = cubic ? d / (h * h) * (6 - 12 * s) : 0;
}

double td_track_next_event(td_interpolation interpolation, size_t knots, const double *t, double after) {
  if (knots < 2 || interpolation == TD_INTERPOLATION_LINEAR) return INFINITY;
  if (interpolation == TD_INTERPOLATION_SPLINE)
    return t[0] > after ? t[0] : t[knots - 1] > after ? t[knots - 1] : INFINITY;
  for (size_t k = 0; k < knots; k++)
    if (t[k] > after) return t[k];
  return INFINITY;
}

double td_track_time_scale(size_t knots, const double *t) {
  double scale = INFINITY;
  for (size_t k = 1; k < knots; k++) scale = fmin(scale, t[k] - t[k - 1]);
  return scale;
}
