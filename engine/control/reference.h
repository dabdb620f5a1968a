// References of controllers over time: what the outputs of a controller should be, with two time derivatives.
#ifndef TENDRIL_CONTROL_REFERENCE_H
#define TENDRIL_CONTROL_REFERENCE_H

#include "tendril/control.h"

/// Knots and values of the outputs of one controller. t is borrowed, the rest owned.
typedef struct td_track {
  td_interpolation interpolation;
  int width;
  size_t knots;
  const double *t;
  double *value, *curvature; ///< [width][knots], [width][knots] for splines
  double *event;             ///< [events] knots that no step may stride over
  size_t events;
} td_track;

/// Takes `rows` [knots][width] over into a track (copied).
TD_NODISCARD td_status td_track_init(td_track *track, td_interpolation interpolation, int width, size_t knots,
                                     const double *t, const double *rows);
void td_track_fini(td_track *track);

/// Value, velocity and acceleration of output i at t, seen from the smooth interval that holds `t_side`. O(log knots).
void td_track_eval(const td_track *track, int i, double t, double t_side, double out[3]);
/// The first time > `after` at which a derivative that td_track_eval gives jumps by much, INFINITY when there is none.
/// O(log knots).
double td_track_next_event(const td_track *track, double after);
/// The shortest distance of two knots, INFINITY when they are fewer than two.
double td_track_time_scale(size_t knots, const double *t);

#endif
