// Input signals, ready to be evaluated: the vector u(t) of a run and the times at which it jumps.
#ifndef TENDRIL_SOLVE_SIGNAL_H
#define TENDRIL_SOLVE_SIGNAL_H

#include "spec/place.h"
#include "tendril/solve.h"

typedef struct td_inputs td_inputs;

/// Compiles checked inputs (td_inputs_check). Channels without an input are zero. `specs` must outlive the result.
TD_NODISCARD td_status td_inputs_create(const td_model *model, const td_input_spec *specs, size_t count,
                                        td_inputs **inputs);
void td_inputs_destroy(td_inputs *inputs);

/// u [m] at time t, seen from inside the interval between two events that holds `inside`: at an event itself the value is
/// the left or the right one, whichever side `inside` lies on. Cost: O(m log knots), no allocation.
void td_inputs_eval(const td_inputs *inputs, double t, double inside, double *u);

/// The first time > t at which an input jumps, INFINITY when there is none.
double td_inputs_next_event(const td_inputs *inputs, double t);
/// The shortest time in which the inputs do something an integrator must not step over: gaps between the knots of ramps and
/// tables, half periods of sines. INFINITY when all are constant or polynomial.
double td_inputs_time_scale(const td_input_spec *specs, size_t count);

/// Every rule of inputs: known channels, each once; signals well formed; a tendon's input never negative on [0, t_end].
/// Pointers read /inputs/CHANNEL/...
TD_NODISCARD td_status td_inputs_check(const td_model *model, const td_input_spec *specs, size_t count, double t_end,
                                       td_error *err);

/// Value and two time derivatives of one channel at time t, seen from `inside`; zeros without an input.
void td_inputs_motion(const td_inputs *inputs, int channel, double t, double inside, double out[3]);

/// The first time > t at which the law of a channel's motion changes (td_motion_next_event), INFINITY when there is none.
double td_inputs_next_motion_event(const td_inputs *inputs, int channel, double t);

/// Index of a channel by name, -1 when the model has none of that name.
int td_channel_find(const td_model *model, const char *name);

/// True when a channel prescribes a coordinate (joint actuators of mode position).
bool td_channel_drives(const td_model *model, int channel);

/// How fast the inputs change in (from, to): the largest td_signal_rate, Hz; `channel`, where not NULL, receives whose it is, -1: none.
double td_inputs_rate(const td_inputs *inputs, double from, double to, int *channel);

/// The largest |du/dt| of a channel that prescribes a coordinate in (0, t_end), at a thousand times and between knots.
double td_inputs_speed(const td_inputs *inputs, int channel, double t_end);

/// One checked signal on its own.
typedef struct td_signal {
  const td_signal_spec *spec;
  double range;         ///< table: largest less smallest value
  double *curvature;    ///< spline: second derivatives at the knots
  struct td_signal *of; ///< sum, product: [spec->of_count]
} td_signal;
TD_NODISCARD td_status td_signal_create(const td_signal_spec *spec, td_signal **signal);
void td_signal_destroy(td_signal *signal);
double td_signal_eval(const td_signal *signal, double t, double inside);
/// signal_rate.c: Hz, of the fastest to and fro in (from, to): a sine's frequency, in a product the sum of its factors' (0 where one of them is
/// 0 all the time), half a period from one turn to the next of a table that is a curve. Jumps and kinks that are events count for nothing.
/// Cost: O(knots in between).
double td_signal_rate(const td_signal *signal, double from, double to);
/// The largest |du/dt| of a signal that drives a joint, as td_inputs_speed.
double td_signal_speed(const td_signal *signal, double t_end);
/// The lowest value of a checked signal on [0, t_end] (signal_check.c); of sums and products the lowest of some ten thousand samples at the
/// most. May allocate; without memory -INFINITY.
double td_signal_least(const td_signal_spec *spec, double t_end);
/// Number of knots at or before t: knot k - 1 is the last one reached.
size_t td_signal_knots_reached(const td_signal_spec *spec, double t);
/// A ramp or a table of few knots: they are events.
bool td_signal_has_few_kinks(const td_signal_spec *spec);
/// Value, first and second derivative (signal_motion.c).
void td_signal_motion(const td_signal *signal, double t, double inside, double out[3]);

/// A checked signal that drives a joint has two derivatives: no steps, no linear tables; ramps and splines only where value
/// and velocity do not jump inside [0, t_end].
TD_NODISCARD td_status td_motion_check(const td_place *at, const td_signal_spec *spec, double t_end);
/// The first time > t at which such a signal's acceleration may jump, INFINITY when there is none.
double td_motion_next_event(const td_signal_spec *spec, double t);

#endif
