// Controllers inside a run: u of some channels as a function of (t, q, qd), and its derivatives for implicit steps.
//
// A controller watches one output per channel (a coordinate or the length of a tendon) and knows what it should be
// (reference.h). References in tip space become references of outputs before the run (static_inversion.h).
#ifndef TENDRIL_CONTROL_CONTROLLER_H
#define TENDRIL_CONTROL_CONTROLLER_H

#include "control/reference.h"
#include "input/inputs.h"
#include "tendril/run.h"

typedef struct td_control td_control;

/// A state of the robot as a controller sees it. qdd: accelerations of prescribed coordinates [n], 0 elsewhere.
typedef struct td_control_state {
  double t, t_side;
  const double *q, *qd, *qdd;
  double baumgarte;
} td_control_state;

/// Asked between the static inversions of a reference's knots, may be NULL: step(context, t) false cancels.
typedef struct td_control_hooks {
  bool (*step)(void *context, double t);
  void *context;
  double t;
  td_warnings *warnings; ///< appended to: what is odd about the equilibria of static inversions; may be NULL
} td_control_hooks;

/// Prepares checked controllers (td_controllers_check), static inversions included. `ws` is shared with the caller
/// between calls. *control is NULL when there are none. Errors: pointers into the job document.
TD_NODISCARD td_status td_control_create(const td_model *model, td_workspace *ws, const td_inputs *inputs,
                                         const td_dynamics_spec *spec, const td_control_hooks *hooks,
                                         td_control **control, td_error *err);
void td_control_destroy(td_control *control);

/// u [m]: inputs on entry, the controllers' channels filled in on return. One MID (mass matrix with id in one pass) for
/// all linearising controllers together, one id for each pd_plus; no allocation. TD_SINGULAR: the channels cannot move
/// the outputs.
TD_NODISCARD td_status td_control_eval(td_control *control, const td_control_state *state, double *u);
/// The accelerations [n] at that state and the u that td_control_eval gave, when it knows them from that MID:
/// linearising controllers acted, and the robot has no loops and no prescribed joints. NULL otherwise. Valid until the
/// next call.
const double *td_control_acceleration(const td_control *control);

/// K [n][n] -= B du/dq, C [n][n] -= B du/dqd at a state and the u that td_control_eval gave there (either may be NULL).
TD_NODISCARD td_status td_control_stiffen(td_control *control, const td_control_state *state, const double *u,
                                          double *K, double *C);
/// du_dq, du_dqd [m][n], rows of channels without a controller 0.
TD_NODISCARD td_status td_control_derivatives(td_control *control, const td_control_state *state, const double *u,
                                              double *du_dq, double *du_dqd);

/// The first time > t at which what a controller asks may jump.
double td_control_next_event(const td_control *control, double t);
/// True when the inputs of some channels answer to the motion: there is a law other than feed_forward. NULL: none.
bool td_control_feeds_back(const td_control *control);
/// The shortest time in which references do something, as td_inputs_time_scale.
double td_controllers_time_scale(const td_dynamics_spec *spec);

/// Every rule of controllers that needs no simulation; pointers read /controller/…. Where all errors are wanted, each has
/// its first one.
TD_NODISCARD td_status td_controllers_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec);

#endif
