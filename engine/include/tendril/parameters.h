// Derivatives by numbers of the model: r_p and what follows from it.
//
// Only the freezing of a model depends on its numbers, and what a frozen model says of one state costs microseconds. So
// a parameter is differentiated by neighbours: the same robot frozen with that number changed, asked at the same state.
//   affine parameters  f(p + H) - f(p) by H, one neighbour so far away that the difference is exact to rounding
//   all others         four neighbours within +-2 h, a formula of order 4 (one-sided where a bound is near)
// Who calls says what changing a number means (td_parameter_freeze); nothing here knows documents.
//
// Shapes: n coordinates, m channels, r loop rows, c = r + prescribed coordinates, np parameters. Matrices are
// row-major, row = output, column = parameter. State and multipliers are held, so are u and the motion of prescribed
// coordinates. Units: that of the output by that of the parameter.
#ifndef TENDRIL_PARAMETERS_H
#define TENDRIL_PARAMETERS_H

#include "tendril/dynamics.h"

/// A number of the model that answers are differentiated by.
typedef struct td_parameter {
  const char *name; ///< its path, for messages; copied
  double value;     ///< as the document has it
  /// > 0: a change of this size changes the robot noticeably; differences take 2^-9 of it either way, or less
  double scale;
  /// tau - ID, e, A qdd + Ad qd and energies are affine in it at every state, and no pose depends on it (densities,
  /// moduli, viscosities, stiffness, gravity, loads; not: lengths, poses, com, rests of springs, and tendons' laws,
  /// which do not push)
  bool linear;
  double lower, upper; ///< neighbours stay within, bounds included; -+INFINITY: anywhere
} td_parameter;

/// Freezes the model with parameter `index` at `value`, all others as they are. td_model_spec.told spares judging its
/// document again, which takes most of the time.
/// @param model  out; td_parameters destroys it by td_model_destroy
/// @return TD_INVALID_ARGUMENT: no such model; nearer values are tried, and only if none of them does, what `err` says
///         of the first becomes the error of td_parameters_create. Any other status but TD_OK ends it at once.
typedef td_status (*td_parameter_freeze)(void *context, size_t index, double value, td_model **model, td_error *err);

/// A model, its parameters and the neighbours of each. Immutable, may be shared between threads.
typedef struct td_parameters td_parameters;
/// Scratch for one thread; must not outlive its td_parameters.
typedef struct td_parameter_workspace td_parameter_workspace;

/// Models that td_parameters_create keeps for this parameter: 1 or 4. With sizes of the model, what it will cost.
TD_API size_t td_parameter_neighbours(const td_parameter *parameter);
/// Freezes all neighbours.
/// @param model       at the values; borrowed, must outlive the parameters
/// @param list        [count] parameters
/// @param freeze      called here and never again
/// @param parameters  out; owned by the caller, td_parameters_destroy
/// @return what freeze gave; TD_INVALID_ARGUMENT with the parameter's name as pointer where its bounds leave no room,
///         or where the neighbours are not the same robot (other coordinates, channels, loops, links or points);
///         TD_NO_MEMORY
TD_API TD_NODISCARD td_status td_parameters_create(const td_model *model, const td_parameter *list, size_t count,
                                                   td_parameter_freeze freeze, void *context,
                                                   td_parameters **parameters, td_error *err);
/// @param parameters  may be NULL; no workspace of it may be left
TD_API void td_parameters_destroy(td_parameters *parameters);
/// np.
TD_API size_t td_parameters_count(const td_parameters *parameters);
/// Whether parameter i goes by one affine neighbour; else by differences.
TD_API bool td_parameters_affine(const td_parameters *parameters, size_t i);

/// Bytes that a workspace takes: two of the model's and some vectors.
TD_API size_t td_parameter_workspace_bytes(const td_parameters *parameters);
/// @param ws  out; owned by the caller, td_parameter_workspace_destroy
/// @return TD_OK or TD_NO_MEMORY
TD_API TD_NODISCARD td_status td_parameter_workspace_create(const td_parameters *parameters,
                                                            td_parameter_workspace **ws);
/// @param ws  may be NULL
TD_API void td_parameter_workspace_destroy(td_parameter_workspace *ws);
/// The functions below end early with TD_CANCELLED when *stop is set meanwhile. NULL: never.
TD_API void td_parameter_workspace_watch(td_parameter_workspace *ws, const _Atomic bool *stop);

/// After one of the functions below did not return TD_OK: the parameter that it could not answer for, np where it was
/// the state.
TD_API size_t td_parameter_fault(const td_parameter_workspace *ws);

// All functions below are pure (same inputs, same bits), allocate nothing and write only to `ws` and their outputs.
// They return TD_OK, TD_NONFINITE when a result is not finite, TD_CANCELLED, and whatever else they name. An affine
// parameter costs one evaluation of what is differentiated (of the equation of motion without poses and twists, which
// they share), one that goes by differences four; all affine ones together one more.

/// Outputs of td_parameter_derivatives; each may be NULL.
typedef struct td_parameter_output {
  double *did_dp, *dtau_dp; ///< [n][np] of ID(q, qd, qdd, u), of tau(q, qd, u)
  double *dresidual_dp;     ///< [n][np] of r = tau - ID + A^T lambda_loops + E^T lambda_prescribed
  double *de_dp;            ///< [r][np] of the loop error e(q)
  double *da_dp;            ///< [r][np] of A qdd + Ad qd + (2/T) A qd + e / T^2, T = state->baumgarte
} td_parameter_output;
/// Derivatives of the parts of the equation of motion at a state, any qdd.
/// @param lambda  [c] multipliers, held; NULL: zero
TD_API TD_NODISCARD td_status td_parameter_derivatives(const td_parameters *parameters, td_parameter_workspace *ws,
                                                       const td_state *state, const double *lambda,
                                                       const td_parameter_output *out);

/// Derivatives of forward dynamics. fd and lambda solve td_constrained_dynamics, and with r, a as above
///   [M -A^T; A 0] (dfd; dlambda) = (dr; -da),      dependent rows as there.
/// @param state       as td_constrained_dynamics takes it
/// @param fd, lambda  [n], [c] out, as of td_constrained_dynamics; may be NULL
/// @param dfd_dp      [n][np] out, rows of prescribed coordinates are 0; may be NULL
/// @param dlambda_dp  [c][np] out; may be NULL
/// @return TD_SINGULAR, too, when M is not positive definite on the free coordinates, or when rows of loops that depend
///         on each other part with a parameter (td_parameter_fault): the rank changes, fd jumps
/// Cost: one td_constrained_dynamics, the residuals of all neighbours, O(n^2) a parameter. With dependent rows of loops
/// O(points n) a neighbour.
TD_API TD_NODISCARD td_status td_parameter_dynamics(const td_parameters *parameters, td_parameter_workspace *ws,
                                                    const td_state *state, double *fd, double *lambda, double *dfd_dp,
                                                    double *dlambda_dp);

/// Derivatives of the poses of a link's computational points.
/// @param link       in [0, td_model_link_count)
/// @param dposes_dp  [td_model_link_point_count][4][4][np] out, of g = [R p; 0 1], world from point
TD_API TD_NODISCARD td_status td_parameter_poses(const td_parameters *parameters, td_parameter_workspace *ws,
                                                 const double *q, int link, double *dposes_dp);
/// Derivatives of the lengths of tendons.
/// @param dlength_dp  [tendons][np] out
TD_API TD_NODISCARD td_status td_parameter_tendons(const td_parameters *parameters, td_parameter_workspace *ws,
                                                   const double *q, double *dlength_dp);

/// Whatever else a frozen model says of a state: writes `size` numbers to `out`. The workspace is of a model of the
/// same layout; called for the neighbours and for the model itself, in any order.
typedef td_status (*td_parameter_function)(void *context, const td_model *model, td_workspace *ws, double *out);
/// Its derivatives. Of parameters that are called linear it must be affine, too: forward dynamics is not.
/// @param scratch  [3 size] overwritten
/// @param d_dp     [size][np] out
TD_API TD_NODISCARD td_status td_parameter_differentiate(const td_parameters *parameters, td_parameter_workspace *ws,
                                                         td_parameter_function function, void *context, size_t size,
                                                         double *scratch, double *d_dp);

/// A direction, or a gradient, in everything that forward dynamics depends on.
typedef struct td_variation {
  double *q, *qd; ///< [n]
  double *u;      ///< [m]
  double *p;      ///< [np]
} td_variation;
/// fd along a direction:  jvp = dfd_dq v.q + dfd_dqd v.qd + dfd_du v.u + dfd_dp v.p, without these matrices.
/// @param v    members that are NULL are zero
/// @param fd   [n] out, may be NULL
/// @param jvp  [n] out
/// @return as td_parameter_dynamics
/// Cost: a factor of M, one derivative pass where v.q or v.qd are there, neighbours of parameters with v.p != 0.
TD_API TD_NODISCARD td_status td_parameter_jvp(const td_parameters *parameters, td_parameter_workspace *ws,
                                               const td_state *state, const td_variation *v, double *fd, double *jvp);
/// The gradient of cotangent . fd in q, qd, u, p: one solve with the transpose, whatever np is.
/// @param cotangent  [n]
/// @param fd         [n] out, may be NULL
/// @param gradient   out; members that are NULL are not computed
/// @return as td_parameter_dynamics
/// Cost: as td_parameter_jvp, with the neighbours of all parameters where gradient->p is there.
TD_API TD_NODISCARD td_status td_parameter_vjp(const td_parameters *parameters, td_parameter_workspace *ws,
                                               const td_state *state, const double *cotangent, double *fd,
                                               const td_variation *gradient);

#endif
