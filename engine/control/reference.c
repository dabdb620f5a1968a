// References over time, held outside their knots.
//   cubic:  from knot to knot x0 + (x1 - x0) s^2 (3 - 2 s), at rest in each; its acceleration jumps at knots, so they
//           are events
//   spline: natural, C2; held values outside, so that the velocity jumps at its two ends, which are events
//   linear: kinks at knots. Few are events: a step that spans two may not see a pulse between them. Of many knots those
//   are that lie
//           off the line between their neighbours by more than a hundredth of what the reference reaches; the rest is a
//           curve
// `t_side` picks the side at an event, as in signal.h.
#include "control/reference.h"
#include "math/spline.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[TD_INTERPOLATION_COUNT] = {"cubic", "spline", "linear"};
const char *td_interpolation_name(td_interpolation i) { return (unsigned)i < TD_INTERPOLATION_COUNT ? names[i] : NULL; }

enum { FEW_KNOTS = 64 };
static const double KINK = 0.01; // of what the reference reaches

// Whether output x [knots] bends at knot k, which is neither the first nor the last one.
static bool bends(const double *t, const double *x, size_t k, double reach) {
  double s = (t[k] - t[k - 1]) / (t[k + 1] - t[k - 1]);
  return fabs(x[k] - (x[k - 1] + s * (x[k + 1] - x[k - 1]))) > KINK * reach;
}

static double reach_of(const double *x, size_t knots) {
  double least = x[0], most = x[0];
  for (size_t k = 1; k < knots; k++) least = fmin(least, x[k]), most = fmax(most, x[k]);
  return most - least;
}

static bool is_event(const td_track *track, size_t k, const double *reach) {
  if (k == 0 || k == track->knots - 1 || track->interpolation == TD_INTERPOLATION_CUBIC) return true;
  if (track->interpolation == TD_INTERPOLATION_SPLINE) return false;
  if (track->knots <= FEW_KNOTS) return true;
  for (int i = 0; i < track->width; i++)
    if (bends(track->t, track->value + (size_t)i * track->knots, k, reach[i])) return true;
  return false;
}

// A single knot is held for ever.
static td_status find_events(td_track *track) {
  size_t knots = track->knots;
  track->event = calloc(knots + (size_t)track->width + 1, sizeof *track->event);
  if (!track->event) return TD_NO_MEMORY;
  double *reach = track->event + knots;
  for (int i = 0; knots > 1 && i < track->width; i++) reach[i] = reach_of(track->value + (size_t)i * knots, knots);
  for (size_t k = 0; knots > 1 && k < knots; k++)
    if (is_event(track, k, reach)) track->event[track->events++] = track->t[k];
  return TD_OK;
}

td_status td_track_init(td_track *track, td_interpolation interpolation, int width, size_t knots, const double *t,
                        const double *rows) {
  assert(width > 0 && knots > 0 && rows);
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
  return status ? status : find_events(track);
}

void td_track_fini(td_track *track) {
  free(track->value);
  free(track->event);
  *track = (td_track){0};
}

// The interval [t[k], t[k+1]] that holds `t_side`, which lies between the first and the last knot.
static size_t interval(const td_track *track, double t_side) {
  size_t low = 0, high = track->knots - 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (track->t[middle] <= t_side)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void td_track_eval(const td_track *track, int i, double t, double t_side, double out[3]) {
  assert(i >= 0 && i < track->width);
  size_t last = track->knots - 1;
  const double *x = track->value + (size_t)i * track->knots, *at = track->t;
  out[1] = out[2] = 0;
  if (track->interpolation == TD_INTERPOLATION_LINEAR)
    t_side = t; // continuous, and not all its knots are events: they may lie between
  if (last == 0 || t_side <= at[0] || t_side >= at[last]) {
    out[0] = x[last == 0 || t_side <= at[0] ? 0 : last];
    return;
  }
  if (track->interpolation == TD_INTERPOLATION_SPLINE) {
    td_spline_eval2(track->knots, at, x, 1, track->curvature + (size_t)i * track->knots, t, &out[0], &out[1], &out[2]);
    return;
  }
  size_t k = interval(track, t_side);
  double h = at[k + 1] - at[k], s = (t - at[k]) / h, d = x[k + 1] - x[k];
  bool cubic = track->interpolation == TD_INTERPOLATION_CUBIC;
  out[0] = x[k] + d * (cubic ? s * s * (3 - 2 * s) : s);
  out[1] = d / h * (cubic ? 6 * s * (1 - s) : 1);
  out[2] = cubic ? d / (h * h) * (6 - 12 * s) : 0;
}

double td_track_next_event(const td_track *track, double after) {
  size_t low = 0, high = track->events;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (track->event[middle] > after)
      high = middle;
    else
      low = middle + 1;
  }
  return low < track->events ? track->event[low] : INFINITY;
}

double td_track_time_scale(size_t knots, const double *t) {
  double scale = INFINITY;
  for (size_t k = 1; k < knots; k++) scale = fmin(scale, t[k] - t[k - 1]);
  return scale;
}
