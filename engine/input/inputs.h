// The inputs of a run, ready to be evaluated: the vector u(t) and the times at which it jumps.
#ifndef TENDRIL_INPUT_INPUTS_H
#define TENDRIL_INPUT_INPUTS_H

#include "spec/place.h"
#include "tendril/input.h"

typedef struct td_inputs td_inputs;

/// Compiles checked inputs (td_inputs_check). Channels without an input are zero. `specs` must outlive the result.
TD_NODISCARD td_status td_inputs_create(const td_model *model, const td_input_spec *specs, size_t count,
                                        td_inputs **inputs);
void td_inputs_destroy(td_inputs *inputs);

/// u [m] at time t, seen from the interval between two events that holds `t_side`: at an event itself the value
/// is the left or the right one, whichever side `t_side` lies on. Cost: O(m log knots), no allocation.
void td_inputs_eval(const td_inputs *inputs, double t, double t_side, double *u);

/// The first time > t at which an input jumps, INFINITY when there is none.
double td_inputs_next_event(const td_inputs *inputs, double t);
/// The shortest time in which the inputs do something an integrator must not step over: gaps between the knots of ramps
/// and tables, half periods of sines. INFINITY when all are constant or polynomial.
double td_inputs_time_scale(const td_input_spec *specs, size_t count);

/// Every rule of inputs: known channels, each once; signals well formed; a tendon's input never negative on [0, t_end].
/// Pointers read /inputs/CHANNEL/... Where all errors are wanted, each input has its first one.
TD_NODISCARD td_status td_inputs_check(const td_place *root, const td_model *model, const td_input_spec *specs,
                                       size_t count, double t_end);
/// Fails at a place that names a channel which the model has not: with those that there are, and the one that is meant.
TD_NODISCARD td_status td_no_channel(const td_place *at, const td_model *model, const char *channel);

/// Value and two time derivatives of one channel at time t, seen from `t_side`; zeros without an input.
void td_inputs_motion(const td_inputs *inputs, int channel, double t, double t_side, double out[3]);

/// The first time > t at which the law of a channel's motion changes (td_motion_next_event), INFINITY when there is
/// none.
double td_inputs_next_motion_event(const td_inputs *inputs, int channel, double t);

/// Index of a channel by name, -1 when the model has none of that name. "upper.joint[0]" is the channel that drives this
/// coordinate of a joint, where one alone does.
int td_channel_find(const td_model *model, const char *name);
/// The coordinate of a joint that a channel drives or prescribes, -1: none.
int td_channel_coordinate(const td_model *model, int channel);
/// "motor (upper.joint[0])": a channel by both of its names, where it has two.
void td_channel_tell(const td_model *model, int channel, char *out, size_t size);

/// True when a channel prescribes a coordinate (joint actuators of mode position).
bool td_channel_drives(const td_model *model, int channel);

/// How fast the inputs change in (from, to): the largest td_signal_rate, Hz; `channel`, where not NULL, receives whose
/// it is, -1: none.
double td_inputs_rate(const td_inputs *inputs, double from, double to, int *channel);

/// The largest |du/dt| of a channel that prescribes a coordinate in (0, t_end), at a thousand times and between knots.
double td_inputs_speed(const td_inputs *inputs, int channel, double t_end);

#endif
