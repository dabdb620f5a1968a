// Everything one can ask of a robot at one state. All functions are pure (same inputs, same bits), allocate nothing and
// write only to `ws` and their outputs. Matrices are row-major, tightly packed, row = output, column = variable.
//
// Equation of motion:   ID(q, qd, qdd, u_load) = tau(q, qd, u_act)
//   ID  = M(q) qdd + c(q, qd) - gravity - loads         (no elasticity, no actuation)
//   tau = B(q) u_act - K q - D qd, joint springs and dampers included
// With loops e(q) = 0 and prescribed coordinates q_p = f(t):  ID = tau + A(q)^T lambda_loops + E^T lambda_prescribed
// q, qd, qdd: [n] coordinates (rad, m, or dimensionless strain modes); u: [m] channels: actuators, loads, springs, flow.
// qd, qdd, u may be NULL and then mean zero. Source of the recursion: Mathew2025 sections 3-4, world-frame form in engine/README.md.
#ifndef TENDRIL_DYNAMICS_H
#define TENDRIL_DYNAMICS_H

#include "tendril/model.h"

/// Time constant of Baumgarte's stabilisation when a caller has none of its own, s.
#define TD_BAUMGARTE 0.01

typedef struct td_state {
  const double *q, *qd, *qdd, *u; ///< qd, qdd, u NULL: zero
  double baumgarte;               ///< time constant T of loop stabilisation, s; 0: TD_BAUMGARTE
} td_state;

/// id [n] = ID(q, qd, qdd, u).  O(points). TD_NONFINITE when a result is not finite.
TD_API TD_NODISCARD td_status td_inverse_dynamics(const td_model *model, td_workspace *ws, const double *q,
                                                  const double *qd, const double *qdd, const double *u, double *id);
/// tau [n] = B(q) u - K q - D qd, and forces of springs between points, of tendons driven by length, of friction along tendons.
TD_API TD_NODISCARD td_status td_generalized_force(const td_model *model, td_workspace *ws, const double *q,
                                                   const double *qd, const double *u, double *tau);
/// mass [n][n], symmetric positive definite.
TD_API TD_NODISCARD td_status td_mass_matrix(const td_model *model, td_workspace *ws, const double *q, double *mass);
/// MID of Pustina2025 (5.2): id and mass, as above, in one pass over the points; bit for bit what the two calls give.
TD_API TD_NODISCARD td_status td_mass_inverse_dynamics(const td_model *model, td_workspace *ws, const double *q,
                                                       const double *qd, const double *qdd, const double *u, double *id,
                                                       double *mass);

/// Derivatives of ID at (q, qd, qdd, u). Any output may be NULL: did_dq, did_dqd, mass (= did_dqdd) [n][n], id [n].
TD_API TD_NODISCARD td_status td_id_derivatives(const td_model *model, td_workspace *ws, const double *q,
                                                const double *qd, const double *qdd, const double *u, double *id,
                                                double *did_dq, double *did_dqd, double *mass);
/// did_du [n][m]: non-zero in channels of loads and of the fluid's velocity only; qd, u matter to the latter alone.
TD_API TD_NODISCARD td_status td_id_input_derivative(const td_model *model, td_workspace *ws, const double *q,
                                                     const double *qd, const double *u, double *did_du);
/// Derivatives of tau. Any output may be NULL: dtau_dq, dtau_dqd [n][n], dtau_du [n][m].
TD_API TD_NODISCARD td_status td_force_derivatives(const td_model *model, td_workspace *ws, const double *q,
                                                   const double *qd, const double *u, double *dtau_dq, double *dtau_dqd,
                                                   double *dtau_du);

/// Forward dynamics: fd [n] = M^-1 (tau - ID(q, qd, 0)). TD_SINGULAR when M is not positive definite.
TD_API TD_NODISCARD td_status td_forward_dynamics(const td_model *model, td_workspace *ws, const double *q,
                                                  const double *qd, const double *u, double *fd);
/// fd and its derivatives dfd_dq, dfd_dqd [n][n], dfd_du [n][m]; each output may be NULL.
TD_API TD_NODISCARD td_status td_fd_derivatives(const td_model *model, td_workspace *ws, const double *q,
                                                const double *qd, const double *u, double *fd, double *dfd_dq,
                                                double *dfd_dqd, double *dfd_du);

/// Outputs of td_constrained_dynamics, each may be NULL. c = loop rows + prescribed coordinates.
typedef struct td_constrained_output {
  double *fd, *lambda;                           ///< [n], [c] loop multipliers, then forces of prescribed coordinates
  double *dfd_dq, *dfd_dqd, *dfd_du;             ///< [n][n], [n][n], [n][m]; rows of prescribed coordinates are 0
  double *dlambda_dq, *dlambda_dqd, *dlambda_du; ///< [c][n], [c][n], [c][m]
} td_constrained_output;

/// Forward dynamics with loops and prescribed coordinates (and without: then the same as td_fd_derivatives), index 1:
///   M qdd - A^T lambda = tau - ID(q, qd, 0),   A qdd + Ad qd + (2/T) A qd + e / T^2 = 0,   T = state->baumgarte.
/// @param state  qdd gives the accelerations of prescribed coordinates, its other entries are not read
/// Dependent rows of A (on free coordinates, relative tolerance 1e-9): lambda of the loops is the one of smallest norm,
/// inconsistent right-hand sides are met in the least-squares sense, rows weighed as they are (rad/s^2, m/s^2). Derivatives
/// include that the range of A turns; they are those at constant rank.
/// TD_SINGULAR when M is not positive definite on the free coordinates. Cost: O(n^3), no allocation. Mathew2025 (39)-(51), corrected.
TD_API TD_NODISCARD td_status td_constrained_dynamics(const td_model *model, td_workspace *ws, const td_state *state,
                                                      const td_constrained_output *out);

/// e [r] = loop errors and A [r][n] = loop Jacobian (either may be NULL), r = td_model_loop_row_count.
TD_API TD_NODISCARD td_status td_loop_error(const td_model *model, td_workspace *ws, const double *q, double *e,
                                            double *A);

/// What implicit methods and statics need of a constrained robot; each output may be NULL.
typedef struct td_constraint_terms {
  double *residual;  ///< [n] tau - ID + A^T lambda_loops + E^T lambda_prescribed at (q, qd, qdd, u, lambda)
  double *K, *C, *M; ///< [n][n] minus its derivatives with respect to q (lambda fixed), qd, qdd
  double *A;         ///< [r][n] loop Jacobian
  double *e, *G;     ///< [r], [r][n] loop error and its derivative de/dq = Phi_perp^T T^-1(log g_BA) (Ad J_A - J_B)
  double *a;         ///< [r] A qdd + Ad qd + (2/T) A qd + e / T^2
  double *Cq, *Cv;   ///< [r][n] derivatives of a with respect to q and qd (with respect to qdd: A)
} td_constraint_terms;
TD_API TD_NODISCARD td_status td_constraint_terms_at(const td_model *model, td_workspace *ws, const td_state *state,
                                                     const double *lambda, const td_constraint_terms *out);

/// The residual r = tau - ID at (q, qd, qdd, u) [n] and the matrices of an implicit step, Mathew2025 (45), (52):
///   K = dID/dq - dtau/dq,  C = dID/dqd - dtau/dqd,  M = dID/dqdd.   Any output may be NULL.
TD_API TD_NODISCARD td_status td_residual_derivatives(const td_model *model, td_workspace *ws, const double *q,
                                                      const double *qd, const double *qdd, const double *u,
                                                      double *residual, double *K, double *C, double *M);

typedef struct td_energy {
  double kinetic, elastic,
      gravitational; ///< J; gravitational = -sum m g.p (m less displaced fluid where it is wet), elastic includes joint
  ///< springs, springs between points and tendons driven by length; kinetic the added mass: qd^T M qd / 2
  double contact; ///< J, potential of all contacts
  double driven;  ///< J, of elastic what inputs stretch: tendons driven by length, springs with a channel
} td_energy;
/// The energies that a robot has, in this order: kinetic, elastic, gravitational, contact of every robot, after them those of kinds of force
/// that not every robot has.
enum { TD_ENERGY_PARTS = 4, TD_ENERGY_ALWAYS = 4 };
/// How many of them a robot has, TD_ENERGY_ALWAYS at the least.
TD_API int td_energy_count(const td_model *model);
/// "kinetic", NULL beyond TD_ENERGY_PARTS.
TD_API const char *td_energy_name(int part);
/// J.
TD_API double td_energy_part(const td_energy *energy, int part);
/// u [m] of the state stretches what it drives (NULL: zero); qdd is not read.
TD_API TD_NODISCARD td_status td_state_energy(const td_model *model, td_workspace *ws, const td_state *state,
                                              td_energy *energy);
/// The same at u = 0.
TD_API TD_NODISCARD td_status td_energy_at(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                                           td_energy *energy);

/// Poses of all computational points of one link, world frame, base to tip: poses [td_model_link_point_count].
TD_API TD_NODISCARD td_status td_link_poses(const td_model *model, td_workspace *ws, const double *q, int link,
                                            td_se3 *poses);
/// Pose of the material point X/L = s of a rod (one extra Magnus step from the last computational point before s);
/// on other links s has no effect.
TD_API TD_NODISCARD td_status td_pose_at(const td_model *model, td_workspace *ws, const double *q, int link, double s,
                                         td_se3 *pose);
/// Screw strain xi [6] of a rod at X/L = s.
TD_API void td_strain_at(const td_model *model, const double *q, int link, double s, double xi[6]);
/// points [td_model_surface_points][3], ring by ring or the mesh's, world, m: the deformed surface. TD_NONFINITE beyond the kinematics.
TD_API TD_NODISCARD td_status td_link_surface(const td_model *model, td_workspace *ws, const double *q, int link,
                                              double *points);

/// length [tendons] (m) and, when not NULL, dlength_dq [tendons][n].
TD_API TD_NODISCARD td_status td_tendon_lengths(const td_model *model, td_workspace *ws, const double *q,
                                                double *length, double *dlength_dq);

/// tension [tendons] (N) at the end that is pulled: u, or what u makes of a tendon driven by length; qd, u NULL mean zero.
TD_API TD_NODISCARD td_status td_tendon_tensions(const td_model *model, td_workspace *ws, const double *q,
                                                 const double *qd, const double *u, double *tension);

/// volume [chambers] (m^3) and, when not NULL, dvolume_dq [chambers][n], chambers in link order.
TD_API TD_NODISCARD td_status td_chamber_volumes(const td_model *model, const double *q, double *volume,
                                                 double *dvolume_dq);

// ---------------------------------------------------------------------------------------------------------------
// Quantities by name: the table behind POST /v1/evaluate. One table; codecs, docs and tests walk it.

enum { TD_QUANTITY_LIMIT = 64 };

typedef struct td_member {
  const char *name; ///< NULL: the quantity is this one array; otherwise a member of an object ("kinetic", "arm")
  int rank;         ///< 0 … 3
  int dim[3];
  size_t offset; ///< in doubles from the start of the quantity's block
  size_t size;   ///< doubles
} td_member;

/// What of a state a quantity reads; the rest is ignored.
enum { TD_READS_Q = 1, TD_READS_QD = 2, TD_READS_QDD = 4, TD_READS_U = 8 };

TD_API int td_quantity_count(void);
TD_API const char *td_quantity_name(int quantity);
/// Index by name ("dfd_dq"), -1 when unknown.
TD_API int td_quantity_find(const char *name);
TD_API unsigned td_quantity_reads(int quantity);
/// Members of a quantity for this model; returns their count and, through `total`, the doubles one state needs.
/// Fills at most `capacity` of them.
TD_API int td_quantity_members(const td_model *model, int quantity, td_member *members, int capacity, size_t *total);

/// Evaluates several quantities at one state, sharing what they have in common.
/// @param want  [count] quantity indices   @param out [count] blocks laid out by td_quantity_members
/// @return TD_OK; otherwise `err` names the quantity that failed and, when its motion is not finite, the link: pointer
///         "/fd/arm", or "" with the quantity as first word of the message
TD_API TD_NODISCARD td_status td_evaluate(const td_model *model, td_workspace *ws, const td_state *state,
                                          const int *want, int count, double *const *out, td_error *err);

/// What is odd about the state that td_evaluate has just answered in `ws`, at `pointer`: inside_out, a rod turned inside out, whose values are
/// those of no robot; folded_section, one bent tighter than its section; overstretched, one at more than three times its length; loop_open, where fd or lambda were wanted and rows of open loops that may depend on each other seemed independent.
/// Cost: O(points) of rods that stretch; a rank where loops are open by more than 1e-9. No allocation.
TD_API void td_evaluate_tell(const td_model *model, td_workspace *ws, const td_state *state, const int *want, int count,
                             const char *pointer, td_warnings *warnings);

/// Seconds that td_evaluate will take for one state on one core, within a factor of a few: for deciding where to compute.
/// @param want [count] quantity indices.  Cost: O(elements), no allocation.
TD_API double td_evaluate_cost(const td_model *model, const int *want, int count);

/// Has the linear algebra library allocate the buffer (128 MiB of address space) that it keeps for a thread. It does so at the first large
/// matrix otherwise, and waits for ever when it cannot: a process that limits its memory calls this before.
TD_API void td_prepare(void);
/// "x86-64-v4", "x86-64-v3" or "x86-64": the level of the library the loader chose for this CPU.
TD_API const char *td_cpu_level(void);
/// Version and build of the library, "0.1.0".
TD_API const char *td_version(void);

#endif
