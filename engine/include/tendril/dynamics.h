// Everything one can ask of a robot at one state. All functions are pure (same inputs, same bits), allocate nothing and
// write only to `ws` and their outputs. Matrices are row-major, tightly packed, row = output, column = variable.
//
// Equation of motion:   ID(q, qd, qdd, u_load) = tau(q, qd, u_act)
//   ID  = M(q) qdd + c(q, qd) - gravity - loads         (no elasticity, no actuation)
//   tau = B(q) u_act - K q - D qd, joint springs and dampers included
// With loops e(q) = 0 and prescribed coordinates q_p = f(t):  ID = tau + A(q)^T lambda_loops + E^T lambda_prescribed
// q, qd, qdd: [n] coordinates (rad, m, or dimensionless strain modes); u: [m] channels: actuators, loads, springs,
// flow. Source of the recursion: Mathew2025 sections 3-4, world-frame form in engine/README.md.
#ifndef TENDRIL_DYNAMICS_H
#define TENDRIL_DYNAMICS_H

#include "tendril/model.h"

/// Time constant of Baumgarte's stabilisation when a caller has none of its own, s.
#define TD_BAUMGARTE 0.01

/// One state of a robot, at which everything below is asked for. Its arrays are borrowed.
typedef struct td_state {
  const double *q;   ///< [n] generalized coordinates: rad, m, strain modes
  const double *qd;  ///< [n] their rates, 1/s; NULL: zero
  const double *qdd; ///< [n] their accelerations, 1/s^2; NULL: zero
  const double *u;   ///< [m] inputs: N, N m, Pa, m (tendons and springs driven by length), m/s (flow); NULL: zero
  double baumgarte;  ///< time constant T of loop stabilisation, s; 0: TD_BAUMGARTE
} td_state;

// Arguments that all of these functions share, and that they describe no further:
//   model  immutable, may be shared between threads        ws  scratch of the calling thread, overwritten
//   q, qd, qdd [n], u [m]  as in td_state; qd, qdd, u may be NULL and then mean zero
// Generalized forces [n] are N m for angles, N for lengths, and J by the unit of a strain mode otherwise. Outputs must
// not alias inputs. Each returns TD_OK, or TD_NONFINITE when a result is not finite, and whatever else it names. None
// allocates.

/// Inverse dynamics:  id = ID(q, qd, qdd, u).
/// @param id  [n] out, generalized forces
/// Cost: O(points).  Source: Mathew2025 eq. 14-16.
TD_API TD_NODISCARD td_status td_inverse_dynamics(const td_model *model, td_workspace *ws, const double *q,
                                                  const double *qd, const double *qdd, const double *u, double *id);
/// Generalized force:  tau = B(q) u - K q - D qd, and forces of springs between points, of tendons driven by length, of
/// friction along tendons.
/// @param tau  [n] out, generalized forces
/// Cost: O(points) of rods with tendons, O(n^2) where sections couple strains.
/// Source: Mathew2025 (D60)-(D63), corrected.
TD_API TD_NODISCARD td_status td_generalized_force(const td_model *model, td_workspace *ws, const double *q,
                                                   const double *qd, const double *u, double *tau);
/// Generalized inertia:  M(q) = dID/dqdd.
/// @param mass  [n][n] out, symmetric positive definite; kg m^2 for angles, kg for lengths
/// Cost: O(points n).  Source: engine/README.md «Derivatives in the world frame».
TD_API TD_NODISCARD td_status td_mass_matrix(const td_model *model, td_workspace *ws, const double *q, double *mass);
/// MID of Pustina2025 (5.2): id and mass in one pass over the points; bit for bit what the two calls above give.
/// @param id    [n] out, generalized forces
/// @param mass  [n][n] out, as of td_mass_matrix
/// Cost: O(points n).
TD_API TD_NODISCARD td_status td_mass_inverse_dynamics(const td_model *model, td_workspace *ws, const double *q,
                                                       const double *qd, const double *qdd, const double *u, double *id,
                                                       double *mass);

/// Derivatives of ID at (q, qd, qdd, u), analytic. Any output may be NULL.
/// @param id       [n] out, as of td_inverse_dynamics
/// @param did_dq   [n][n] out, row = generalized force, column = coordinate
/// @param did_dqd  [n][n] out
/// @param mass     [n][n] out, dID/dqdd
/// Cost: O(points n).  Source: Mathew2025 section 4, in the world frame of engine/README.md.
TD_API TD_NODISCARD td_status td_id_derivatives(const td_model *model, td_workspace *ws, const double *q,
                                                const double *qd, const double *qdd, const double *u, double *id,
                                                double *did_dq, double *did_dqd, double *mass);
/// dID/du, non-zero in channels of loads and of the fluid's velocity only; qd and u matter to the latter alone.
/// @param did_du  [n][m] out, row = generalized force, column = channel
/// Cost: O(points) a channel of loads, O(points n) of the flow's.
TD_API TD_NODISCARD td_status td_id_input_derivative(const td_model *model, td_workspace *ws, const double *q,
                                                     const double *qd, const double *u, double *did_du);
/// Derivatives of tau, analytic. Any output may be NULL.
/// @param dtau_dq   [n][n] out, row = generalized force, column = coordinate
/// @param dtau_dqd  [n][n] out
/// @param dtau_du   [n][m] out, 0 in channels of loads and of the fluid's velocity
/// Cost: O(points n).  Source: Mathew2025 (D60)-(D63), corrected.
TD_API TD_NODISCARD td_status td_force_derivatives(const td_model *model, td_workspace *ws, const double *q,
                                                   const double *qd, const double *u, double *dtau_dq, double *dtau_dqd,
                                                   double *dtau_du);

/// Forward dynamics of an open chain:  fd = M^-1 (tau - ID(q, qd, 0, u)).
/// @param fd  [n] out, accelerations of the coordinates, 1/s^2
/// @return TD_SINGULAR, too, when M is not positive definite
/// Cost: O(points n + n^3).
TD_API TD_NODISCARD td_status td_forward_dynamics(const td_model *model, td_workspace *ws, const double *q,
                                                  const double *qd, const double *u, double *fd);
/// fd and its derivatives, analytic. Any output may be NULL.
/// @param fd       [n] out, as of td_forward_dynamics
/// @param dfd_dq   [n][n] out, row = acceleration, column = coordinate
/// @param dfd_dqd  [n][n] out
/// @param dfd_du   [n][m] out
/// @return TD_SINGULAR, too, when M is not positive definite
/// Cost: O(points n + n^3).  Source: Mathew2025 (36)-(38), M dfd = dtau - dID at qdd = fd.
TD_API TD_NODISCARD td_status td_fd_derivatives(const td_model *model, td_workspace *ws, const double *q,
                                                const double *qd, const double *u, double *fd, double *dfd_dq,
                                                double *dfd_dqd, double *dfd_du);

/// Outputs of td_constrained_dynamics, each may be NULL. c = loop rows + prescribed coordinates.
typedef struct td_constrained_output {
  double *fd;                        ///< [n] accelerations, 1/s^2
  double *lambda;                    ///< [c] loop multipliers, then forces of prescribed coordinates; N, N m
  double *dfd_dq, *dfd_dqd, *dfd_du; ///< [n][n], [n][n], [n][m]; rows of prescribed coordinates are 0
  double *dlambda_dq, *dlambda_dqd, *dlambda_du; ///< [c][n], [c][n], [c][m]
} td_constrained_output;

/// Forward dynamics with loops and prescribed coordinates (and without: then the same as td_fd_derivatives), index 1:
///   M qdd - A^T lambda = tau - ID(q, qd, 0),   A qdd + Ad qd + (2/T) A qd + e / T^2 = 0,   T = state->baumgarte.
/// @param state  qdd gives the accelerations of prescribed coordinates, its other entries are not read
/// @param out    where the results go
/// Dependent rows of A (on free coordinates, relative tolerance 1e-9): lambda of the loops is the one of smallest norm,
/// inconsistent right-hand sides are met in the least-squares sense, rows weighed as they are (rad/s^2, m/s^2).
/// Derivatives include that the range of A turns; they are those at constant rank.
/// @return TD_SINGULAR, too, when M is not positive definite on the free coordinates
/// Cost: O(n^3).  Source: Mathew2025 (39)-(51), corrected; engine/README.md «Loops and prescribed joints».
TD_API TD_NODISCARD td_status td_constrained_dynamics(const td_model *model, td_workspace *ws, const td_state *state,
                                                      const td_constrained_output *out);

/// How far loops are open, and their Jacobian. r = td_model_loop_row_count. Either output may be NULL.
/// @param e  [r] out, loop errors Phi_perp^T log(g_B^-1 g_A): rad, m
/// @param A  [r][n] out, loop Jacobian: A qd is how fast the ends move against each other, rad/s, m/s
/// Cost: O(points + r n).
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
/// @param lambda  [c] multipliers as of td_constrained_output: N, N m
/// @param out     where the results go
/// Cost: O(points n + r n).
TD_API TD_NODISCARD td_status td_constraint_terms_at(const td_model *model, td_workspace *ws, const td_state *state,
                                                     const double *lambda, const td_constraint_terms *out);

/// The residual of the equation of motion and the matrices of an implicit step, Mathew2025 (45), (52). Any output may
/// be NULL.
/// @param residual  [n] out, tau - ID at (q, qd, qdd, u)
/// @param K         [n][n] out, dID/dq - dtau/dq
/// @param C         [n][n] out, dID/dqd - dtau/dqd
/// @param M         [n][n] out, dID/dqdd
/// Cost: O(points n).
TD_API TD_NODISCARD td_status td_residual_derivatives(const td_model *model, td_workspace *ws, const double *q,
                                                      const double *qd, const double *qdd, const double *u,
                                                      double *residual, double *K, double *C, double *M);

/// Kinds of energy, a line each: enumerator, and the word of results, by which td_energy and td_energy_balance have it,
/// too. kinetic: qd^T M qd / 2, added mass included; elastic: rods, joint springs, springs between points, tendons
/// driven by length; gravitational: -sum m g.p, m less the displaced fluid where it is wet; contact: the potential of
/// all contacts; magnetic: -sum of moments times field. New ones stand last: older results name the first by their
/// order.
#define TD_ENERGIES(LINE)                                                                                              \
  LINE(KINETIC, kinetic)                                                                                               \
  LINE(ELASTIC, elastic)                                                                                               \
  LINE(GRAVITATIONAL, gravitational)                                                                                   \
  LINE(CONTACT, contact)                                                                                               \
  LINE(MAGNETIC, magnetic)

#define TD_ENERGY_ENUMERATOR(kind, word) TD_ENERGY_##kind,
typedef enum td_energy_kind { TD_ENERGIES(TD_ENERGY_ENUMERATOR) TD_ENERGY_KINDS } td_energy_kind;

/// A number of each kind, J, by kind and by name.
#define TD_ENERGY_MEMBER(kind, word) double word;
#define TD_ENERGY_OF_KINDS                                                                                             \
  union {                                                                                                              \
    double of[TD_ENERGY_KINDS];                                                                                        \
    struct {                                                                                                           \
      TD_ENERGIES(TD_ENERGY_MEMBER)                                                                                    \
    };                                                                                                                 \
  }

/// Energies of a state, J.
typedef struct td_energy {
  TD_ENERGY_OF_KINDS;
  double driven; ///< of all of them what inputs drive: tendons driven by length, springs with a channel, magnets
} td_energy;

/// How many kinds robots of this model have, and which is number i of them: the order of results.
TD_API int td_energy_count(const td_model *model);
TD_API td_energy_kind td_energy_kind_of(const td_model *model, int i);
/// "kinetic", NULL beyond TD_ENERGY_KINDS.
TD_API const char *td_energy_name(td_energy_kind kind);
/// @param state   u stretches what it drives (NULL: zero); qdd is not read
/// @param energy  out, J
/// Cost: O(points).
TD_API TD_NODISCARD td_status td_state_energy(const td_model *model, td_workspace *ws, const td_state *state,
                                              td_energy *energy);
/// The same at u = 0.
TD_API TD_NODISCARD td_status td_energy_at(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                                           td_energy *energy);

/// Poses of all computational points of one link, base to tip.
/// @param link   in [0, td_model_link_count)
/// @param poses  [td_model_link_point_count] out, point to world: rotation, position in m
/// Cost: O(points).
TD_API TD_NODISCARD td_status td_link_poses(const td_model *model, td_workspace *ws, const double *q, int link,
                                            td_se3 *poses);
/// Pose of the material point X/L = s of a rod (one extra Magnus step from the last computational point before s).
/// @param link  in [0, td_model_link_count)
/// @param s     in [0, 1], abscissa by length; of other links than rods it has no effect
/// @param pose  out, point to world
/// Cost: O(points).
TD_API TD_NODISCARD td_status td_pose_at(const td_model *model, td_workspace *ws, const double *q, int link, double s,
                                         td_se3 *pose);
/// Screw strain of a rod:  xi = Phi(s) q + xi*.
/// @param link  a rod
/// @param s     in [0, 1], abscissa by length
/// @param xi    [6] out, section frame: torsion and curvatures (rad/m), stretch and shears (1)
/// Cost: O(strain modes of the link).  Source: Mathew2025 (1).
TD_API void td_strain_at(const td_model *model, const double *q, int link, double s, double xi[6]);
/// The deformed surface of a reduced body.
/// @param link    in [0, td_model_link_count)
/// @param points  [td_model_surface_points][3] out, world, m: ring by ring, or the mesh's in the order of the document
/// @return TD_NONFINITE, too, beyond the kinematics
/// Cost: O(points of the surface x coordinates of the body).
TD_API TD_NODISCARD td_status td_link_surface(const td_model *model, td_workspace *ws, const double *q, int link,
                                              double *points);

/// What touches: a row for each link before each obstacle, and for each two links of a pair, in the order of contacts.
TD_API int td_contact_row_count(const td_model *model);
/// "floor.ball", "grip.finger.ball": the contact's name ("contacts[0]" where it has none), then links.
/// @param name  [TD_CONTACT_ROW_NAME] out
enum { TD_CONTACT_ROW_NAME = 4 * TD_MAX_NAME };
TD_API void td_contact_row_name(const td_model *model, int row, char *name);
/// @param qd     NULL: zero
/// @param touch  [rows][3] out: the greatest depth, m; normal force, N, of all touches; speed by which the one that is
///               pressed most slides, m/s. 0 where it is apart. NULL: not wanted
/// @param force  [rows][3] out: N, world, on the link, of a pair on the first. NULL: not wanted
/// @return TD_OK or TD_NONFINITE
/// Cost: O(points + touches).
TD_API TD_NODISCARD td_status td_contact_rows(const td_model *model, td_workspace *ws, const double *q,
                                              const double *qd, double *touch, double *force);

/// Where bodies touch: at most so many places, 64 or as many as there may be.
TD_API int td_contact_place_count(const td_model *model);
/// Places are midway between the surfaces. Points of a link before an obstacle are places of their own; touches of a
/// pair that are closer together than half a radius are one. Forces of a row's places add up to that of td_contact_rows,
/// but where there are more than 64: then those that press most are told.
/// @param qd      NULL: zero
/// @param places  [places][TD_CONTACT_PLACE] out: row of td_contact_row_name, or -1: no more touch; place, m, force, N,
///                and unit normal, world, on the link, of a pair on the first. In the order of rows
/// @return TD_OK or TD_NONFINITE
/// Cost: O(points + touches x places).
enum { TD_CONTACT_PLACE = 10 };
TD_API TD_NODISCARD td_status td_contact_places(const td_model *model, td_workspace *ws, const double *q,
                                                const double *qd, double *places);

/// Lengths of tendons along their routing.
/// @param length      [tendons] out, m
/// @param dlength_dq  [tendons][n] out, m by the unit of the coordinate; may be NULL
/// Cost: O(points of rods with tendons).
TD_API TD_NODISCARD td_status td_tendon_lengths(const td_model *model, td_workspace *ws, const double *q,
                                                double *length, double *dlength_dq);

/// Tensions of tendons at the end that is pulled: u, or what u makes of a tendon driven by length.
/// @param tension  [tendons] out, N
/// Cost: O(points of rods with tendons).
TD_API TD_NODISCARD td_status td_tendon_tensions(const td_model *model, td_workspace *ws, const double *q,
                                                 const double *qd, const double *u, double *tension);

/// Volumes of the chambers of reduced bodies, in link order. No workspace: they depend on their own body's coordinates.
/// @param volume      [td_model_chamber_count] out, m^3
/// @param dvolume_dq  [chambers][n] out; may be NULL
/// Cost: O(chambers n).
TD_API TD_NODISCARD td_status td_chamber_volumes(const td_model *model, const double *q, double *volume,
                                                 double *dvolume_dq);

// ---------------------------------------------------------------------------------------------------------------
// Quantities by name: the table behind POST /v1/evaluate. One table; codecs, docs and tests walk it.

enum { TD_QUANTITY_LIMIT = 64, TD_MEMBER_RANK = 4 };

typedef struct td_member {
  const char *name; ///< NULL: the quantity is this one array; otherwise a member of an object ("kinetic", "arm")
  int rank;         ///< 0 … 4
  int dim[TD_MEMBER_RANK];
  size_t offset; ///< in doubles from the start of the quantity's block
  size_t size;   ///< doubles
} td_member;

/// What of a state a quantity reads; the rest is ignored.
enum { TD_READS_Q = 1, TD_READS_QD = 2, TD_READS_QDD = 4, TD_READS_U = 8 };

/// Quantities are numbered 0 … td_quantity_count() - 1, in the order of api/quantities.md.
TD_API int td_quantity_count(void);
/// "dfd_dq"; constant memory.
TD_API const char *td_quantity_name(int quantity);
/// Index by name ("dfd_dq"), -1 when unknown.
TD_API int td_quantity_find(const char *name);
/// TD_READS_… bits of what the quantity reads.
TD_API unsigned td_quantity_reads(int quantity);
/// The layout of a quantity for this model.
/// @param members  [capacity] out, the first `capacity` of its members
/// @param total    out, doubles that one state needs
/// @return how many members there are
TD_API int td_quantity_members(const td_model *model, int quantity, td_member *members, int capacity, size_t *total);

/// Evaluates several quantities at one state, sharing what they have in common.
/// @param want  [count] quantity indices
/// @param out   [count] blocks laid out by td_quantity_members
/// @return TD_OK; otherwise `err` names the quantity that failed and, when its motion is not finite, the link: pointer
///         "/fd/arm", or "" with the quantity as first word of the message
TD_API TD_NODISCARD td_status td_evaluate(const td_model *model, td_workspace *ws, const td_state *state,
                                          const int *want, int count, double *const *out, td_error *err);

/// What is odd about the state that td_evaluate has just answered in `ws`. Codes: inside_out, a rod turned inside out,
/// whose values are those of no robot; folded_section, one bent tighter than its section; overstretched, one at more
/// than three times its length; loop_open, where fd or lambda were wanted and rows of open loops that may depend on
/// each other seemed independent.
/// @param want      [count] quantity indices that were asked for
/// @param pointer   JSON pointer of the state, for the warnings
/// @param warnings  appended to
/// Cost: O(points) of rods that stretch; a rank where loops are open by more than 1e-9. No allocation.
TD_API void td_evaluate_tell(const td_model *model, td_workspace *ws, const td_state *state, const int *want, int count,
                             const char *pointer, td_warnings *warnings);

/// Seconds that td_evaluate will take for one state on one core, within a factor of a few: for deciding where to
/// compute.
/// @param want [count] quantity indices.  Cost: O(elements), no allocation.
TD_API double td_evaluate_cost(const td_model *model, const int *want, int count);

/// Has the linear algebra library allocate the buffer (128 MiB of address space) that it keeps for a thread. Otherwise
/// it does so at the first large matrix, and waits for ever when it cannot: a process that limits its memory calls this
/// before.
TD_API void td_prepare(void);
/// "x86-64-v4", "x86-64-v3" or "x86-64": the level of the library the loader chose for this CPU.
TD_API const char *td_cpu_level(void);
/// Version and build of the library, "0.1.0".
TD_API const char *td_version(void);

#endif
