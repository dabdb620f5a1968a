// Equilibria of robots whose prescribed joints may move at t = 0: blades of a rotor, what hangs in a centrifuge.
#ifndef TENDRIL_STATICS_TURNING_RELATIVE_REST_H
#define TENDRIL_STATICS_TURNING_RELATIVE_REST_H

#include "input/inputs.h"
#include "statics/statics.h"
#include "tendril/statics.h"

typedef enum td_rest_kind {
  TD_REST_STANDS, ///< prescribed joints stand, or their rates would not move the robot
  TD_REST_TURNS, ///< they go on at their rates, and what acts goes along: the equilibrium relative to them, which lasts
  TD_REST_PASSES,  ///< forces balance at the rates of t = 0, and not for long
  TD_REST_LEFT_OUT ///< as if they stood, though they move
} td_rest_kind;

typedef struct td_rest {
  double *rates; ///< [n] the caller's: of prescribed coordinates just after t = 0, 0 of all others
  td_rest_kind kind;
  int channel;     ///< the first that moves its joint at t = 0, -1: none
  const char *why; ///< of TD_REST_PASSES and TD_REST_LEFT_OUT: "its rate changes", of a sentence
  /// of TD_REST_TURNS: what small motions about it are subject to does not turn along: result judges t = 0 alone
  bool varies;
  td_statics_result result;
} td_rest;

/// How prescribed joints move just after t.
typedef struct td_driven_motion {
  int channel; ///< the first that moves its joint, -1: none
  bool steady; ///< all that move keep their rates until the law of their signals changes, or t_end
  bool on;     ///< or within a tenth for a radian (or metre), or until that law changes
  double fastest, slowest;
} td_driven_motion;

/// @param rates  [n] out: of prescribed coordinates just after t, 0 of all others
/// @param t_end  s, > t: of `steady`; INFINITY
td_driven_motion td_driven_motion_at(const td_model *model, const td_inputs *inputs, double t, double t_end,
                                     double *rates);

/// Whether the frames of all loops turn along with prescribed joints at these rates [n], so that nothing else has to
/// move: A rates = 0.
/// @param A  [rows][n] out: of loops at q; not touched without loops
bool td_loops_turn_along(const td_model *model, td_workspace *ws, const double *q, const double *rates, double *A);

/// The equilibrium for the inputs in s->u, those of t = 0, from the guess in s->q; the solution is left there. Where no
/// prescribed joint moves it has the bits of td_statics_find. Else all free coordinates are at rest relative to the
/// joints at their rates,
///     tau(q, rates, u) + A^T lambda = ID(q, rates, 0, u),
/// where these go on by a radian (or metre) at least, within a tenth, and loops do not stand against it; s->qd then is
/// rest->rates.
/// @param t_end  s, whether it lasts until then; INFINITY
/// Allocates [n].
TD_NODISCARD td_status td_rest_find(td_statics *s, const td_inputs *inputs, double t_end, td_rest *rest,
                                    td_run_statistics *statistics, td_error *err);

#endif
