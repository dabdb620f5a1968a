// One input signal, ready to be evaluated at a time: its value, its motion, how fast it changes, and when it jumps.
#ifndef TENDRIL_INPUT_SIGNAL_H
#define TENDRIL_INPUT_SIGNAL_H

#include "spec/place.h"
#include "tendril/input.h"

/// One checked signal on its own.
typedef struct td_signal {
  const td_signal_spec *spec;
  double range;         ///< table: largest less smallest value
  double *curvature;    ///< spline: second derivatives at the knots
  struct td_signal *of; ///< sum, product: [spec->of_count]
} td_signal;
/// The same in place, for a list of them; after a failure, too, td_signal_fini frees what there is.
TD_NODISCARD td_status td_signal_init(td_signal *signal, const td_signal_spec *spec);
void td_signal_fini(td_signal *signal);
TD_NODISCARD td_status td_signal_create(const td_signal_spec *spec, td_signal **signal);
void td_signal_destroy(td_signal *signal);
/// Value at t, seen from `t_side`: a time in the same smooth interval, which picks the side where t is an event.
double td_signal_eval(const td_signal *signal, double t, double t_side);
/// signal_rate.c: Hz, of the fastest to and fro in (from, to): a sine's frequency, in a product the sum of its factors'
/// (0 where one of them is 0 all the time), half a period from one turn to the next of a table that is a curve. Jumps
/// and kinks that are events count for nothing. Cost: O(knots in between).
double td_signal_rate(const td_signal *signal, double from, double to);
/// The largest |du/dt| of a signal that drives a joint, as td_inputs_speed.
double td_signal_speed(const td_signal *signal, double t_end);
/// The lowest value of a checked signal on [0, t_end] (signal_check.c); of sums and products the lowest of some ten
/// thousand samples at the most. May allocate; without memory -INFINITY.
double td_signal_least(const td_signal_spec *spec, double t_end);
/// Number of knots at or before t: knot k - 1 is the last one reached.
size_t td_signal_knots_reached(const td_signal_spec *spec, double t);
/// A ramp or a table of few knots: they are events.
bool td_signal_has_few_kinks(const td_signal_spec *spec);
/// The first time > t at which it jumps or, one of few knots, has a kink; INFINITY when there is none.
double td_signal_next_event(const td_signal_spec *spec, double t);
/// The shortest time in which it does something, as td_inputs_time_scale.
double td_signal_time_scale(const td_signal_spec *spec);
/// Value, first and second derivative (signal_motion.c).
void td_signal_motion(const td_signal *signal, double t, double t_side, double out[3]);

/// A checked signal that drives a joint has two derivatives: no steps, no linear tables; ramps and splines only where
/// value and velocity do not jump inside [0, t_end].
TD_NODISCARD td_status td_motion_check(const td_place *at, const td_signal_spec *spec, double t_end);
/// The first time > t at which such a signal's acceleration may jump, INFINITY when there is none.
double td_motion_next_event(const td_signal_spec *spec, double t);

#endif
