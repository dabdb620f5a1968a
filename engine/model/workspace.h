// Everything an algorithm writes, carved from one block (base/carve.h): one workspace per thread.
//
// World-frame quantities are relative to `origin`, an inertial point at the root body's present position, so that a
// robot far from the world's origin loses no digits. Rows of column arrays are 64-byte aligned and padded to lanes.
#ifndef TENDRIL_MODEL_WORKSPACE_H
#define TENDRIL_MODEL_WORKSPACE_H

#include "element/closest.h"
#include "element/core.h"
#include "element/meeting.h"
#include "element/reduced/frame_of_points.h"
#include "lie/tangent.h"
#include "model/model.h"
#include <stdatomic.h>
#include <stdbool.h>

/// Numbers of a rigid inertia, and of a map of an angular velocity.
enum { TD_INERTIA_SIZE = 10, TD_ANGULAR_MAP_SIZE = 12 };

/// What hangs on a node and beyond it: wrench, rigid inertia (m; first moment; xx xy xz yy yz zz about the origin), and
/// two maps of the form (A11 x, -p x x) of an angular velocity x: B, the Coriolis map of dF/dV, and N, the stiffness of
/// world-frame forces. [A11 row-major 9, p 3] each.
typedef struct td_composite {
  double F[6], M[TD_INERTIA_SIZE], B[TD_ANGULAR_MAP_SIZE], N[TD_ANGULAR_MAP_SIZE];
} td_composite;
enum { TD_COMPOSITE_SIZE = 6 + TD_INERTIA_SIZE + 2 * TD_ANGULAR_MAP_SIZE }; ///< doubles of one

/// The same maps in general form, row-major 6x6, for models with added mass, drag or contact: everything of the lean
/// composite's M, B, N and what does not fit into them.
typedef struct td_full {
  double M[TD_MATRIX6], B[TD_MATRIX6], N[TD_MATRIX6];
} td_full;
enum { TD_FULL_SIZE = 3 * TD_MATRIX6 }; ///< doubles of one

/// Motion of eight intervals of a strip: strains and their rates, exponential, world-frame adjoint and twists.
typedef struct td_motion {
  td_dvec a[2], ad[2], add[2]; ///< h xi at the Zanna points and its time derivatives
  td_dvec omega_d, omega_dd;   ///< rates of Omega (Omega itself in tangent)
  td_tangent tangent;
  td_dmat T, Ad;       ///< T(Omega); adjoint of the start frame
  td_vec R[9], p[3];   ///< exp(Omega), then the start frame
  td_dvec sigma, beta; ///< world: T Omega', T Omega'' + T' Omega'
  td_dvec V0, V1, A1;  ///< world twists at start and end, acceleration at the end
} td_motion;

/// Columns of an interval's quantities as 12 coefficients (Zanna point x component) per row, lane = interval:
/// column c in component a is  row[a] phi1_c + row[6 + a] phi2_c.
typedef struct td_tables {
  td_vec s[6][12];           ///< twist columns
  td_vec r[6][12];           ///< dV/dq
  td_vec k[6][12];           ///< dA/dq
  td_vec y[6][12];           ///< dA/dqd
  td_vec U[6][12];           ///< M s
  td_vec Gq[6][12];          ///< s x* F + M k + B r + N s
  td_vec Gv[6][12];          ///< M y + B s
  td_vec W[6][12], N[6][12]; ///< B^T s, N^T s (angular rows alone without full maps)
  td_vec H[12][12];          ///< second derivative of the interval's own exponential against the wrench beyond it
} td_tables;

/// Wrenches that a column makes, for the blocks with its ancestors: U = M s, Gq, Gv, W = B^T s, N^T s. Without full
/// maps only the angular rows of W and N are used.
enum { TD_WRENCH_U = 0, TD_WRENCH_GQ = 6, TD_WRENCH_GV = 12, TD_WRENCH_W = 18, TD_WRENCH_N = 24, TD_WRENCH_ROWS = 30 };
/// Rows of an ancestor column: J = dV/dqd, R = dV/dq - [J, V], Q and Y for dA/dq and dA/dqd. The linear rows of R are
/// computed only for models that need them (td_model.wide_rows).
enum { TD_ROW_J = 0, TD_ROW_R = 6, TD_ROW_Q = 12, TD_ROW_Y = 18, TD_ROWS = 24 };
/// What one interval's columns project on its strains: two Zanna points, six components, three matrices.
enum { TD_PROJECTED = 2 * 6 * 3 };
/// Of a frame that touches: what its touches exert by all coordinates, how it moves (force/contact/pair/columns.c).
enum { TD_FRAME_ROWS = 12 };
/// At a Gauss point of a rod: a matrix on its strains, padded to all components.
enum { TD_STRAIN_HESSIAN = 6 * TD_COMPONENTS };

/// One slice: what its local fields p exert and what changes with them (body/section/slice.c). Rows d, columns e.
typedef struct td_slice_state {
  double pi[4], U[4][6], Gq[4][6], Gv[4][6], W[4][3], N[4][3], mass[4][4], dq[4][4], dqd[4][4];
} td_slice_state;
/// One loop at a state, in the world frame about `origin`; row by row covectors on twists.
typedef struct td_loop_state {
  double C[6][6];  ///< phi Ad_gB^-1: A = C (J_A - J_B)
  double T[6][6];  ///< phi T^-1(xi) Ad_gB^-1: de/dq = T (J_A - J_B)
  double xi[6];    ///< log(g_B^-1 g_A), frame B
  double delta[6]; ///< A_A - A_B - [V_B, V_A] + (2/T) (V_A - V_B): a = C delta + e / T^2
  // loops measured by their closure (constraint/loop_closure.h)
  double w0, w[3], k[3]; ///< universal: half-angle quaternion of g_BA and the axis, world frame
  double winding;        ///< helical: the turn, rad, near which the present one is sought
  double counted;        ///< helical: the turn at the end of a step, before its projection
  double before[4];      ///< universal: the quaternion whose sign the present one has
} td_loop_state;

/// Loops and prescribed coordinates (constraint/loop.c, dynamics/forward_dynamics.c). r rows, of which
/// k <= min(r, n) are independent.
typedef struct td_constraint_scratch {
  int kpad;      ///< stride of k-columns
  int most_rank; ///< runs: rank of the rows on the constraint, which they exceed next to it by drift; 0: not known
  bool loose;    ///< runs, statics: rows that nearly depend on each other do so (closure/projection.h)
  bool doubt;    ///< a matrix had another rank
  bool closure;  ///< loops are measured by their closure, as runs do, not by the format's logarithm
  int rank;
  td_loop_state *loop;
  double *e, *a;                  ///< [r] errors; A qdd + Ad qd + (2/T) A qd + e / T^2
  double *A, *reduced, *G;        ///< [r][ld] A; P^T A of free columns; de/dq, or d(A w)/dq
  double *basis;                  ///< [r][kpad] P, orthonormal basis of the range of A
  double *Q, *R;                  ///< [n][kpad], [kpad][kpad]: U^-T (P^T A)^T = Q R, M = U^T U
  double *turn_Q, *turn_R;        ///< the same of (P^T A)^T itself
  double *H;                      ///< [kpad][2 ld] right-hand sides of the rows, then what they give for mu
  double *da;                     ///< [r + prescribed][2 ld] derivatives of a with respect to q, qd; then of lambda
  double *lambda, *qdd;           ///< [r + prescribed], [ld]
  double *mass_rows, *force_rows; ///< [prescribed][ld], [prescribed][2 ld]
  double *moved;                  ///< [6][ld] a map of J_A - J_B of one loop
  double *inputs;                 ///< [n][channels] dtau/du - dID/du
  double *work;
} td_constraint_scratch;

/// One Ritz body: coordinates of the state, its distal frame's motion, and what its modes exert (body/ritz/ritz.c).
typedef struct td_ritz_state {
  td_turning turning;
  double t[3];
  double *q, *qd, *qdd, *pi;                   ///< [n]
  double (*s)[6], (*U)[6], (*Gq)[6], (*Gv)[6]; ///< [n] world columns of the distal frame; as in td_slice_state
  double (*W)[3], (*N)[3];                     ///< [n]
  double *mass, *dq, *dqd;                     ///< [n][n]
} td_ritz_state;

/// A mark (td_model.mark) in the world, and how the local fields of its section move it.
typedef struct td_mark_state {
  double position[3], J[4][3], second[4][4][3];
} td_mark_state;

/// Tendons driven by length or with friction (force/tendon/tension.c, friction.c): carved for models that have them.
typedef struct td_tension_scratch {
  double (*motion)[3];                       ///< [tendons] length, its two time derivatives
  double *input, *elastic, *damping, *total; ///< [tendons] N: tension as given, stored, lost; their sum
  double *stretch, *rate;                    ///< [tendons] slopes of total by length (and u), by the rate of length
  double *weighted;                          ///< [n] dl/dq, its parts times their factors of friction
  double *gradient, *drift;                  ///< [tendons][n] dl/dq; d(l')/dq
  // friction
  double *factor, *stretch_factor; ///< [pieces], [stretches] tension there by that at the pulled end
  double (*direction)[3], *speed;  ///< [most pieces] of the tendon at work; speed of the tendon past the piece's start
  double *turn, *piece_gradient, *piece_drift; ///< [most pieces] [3][n], [n], [n] of direction, length, rate of length
  double *stretch_drift;                       ///< [stretches][n] d(l')/dq of one
  double *sum, *jacobian;                      ///< [4][n]; [9][n]
} td_tension_scratch;

/// A spring that holds where bodies touch (force/contact/bristle.h): a point fixed in either of them.
typedef struct td_bristle {
  double held;        ///< 1: they touch; 0: there is none
  double share[2];    ///< of a, b: that of the far end of an axis
  double at[2][2][3]; ///< in the nodes' frames, m; of an obstacle at[1][0], in the world
  double slip[3];     ///< m/s, as it was left
} td_bristle;
enum { TD_BRISTLE_SIZE = 18 }; ///< doubles of one

/// Two proxies that are in each other (force/contact/pair/meet.h). Where one of them is a core its point is the one
/// that is nearest to the other, a ball.
typedef struct td_near {
  int pair, a, b; ///< indices into model->solid_pair, model->proxy
  int core;       ///< which of the two is a core: 0, 1; -1: neither
  td_closest at;
  td_core_near near; ///< of the ball before it, world axes
  double foot[3];    ///< its point, that of a line on b, about the origin, m
  td_press press;    ///< of the law of its contact, without its weight
} td_near;

/// How they move, and what resists that.
typedef struct td_met {
  td_meeting meeting;
  td_meeting_force rub;
} td_met;

/// Those of one state, or a page of them.
typedef struct td_nearby {
  int count, most;
  int pair, skip; ///< where the next page begins: a pair of solids, and how many of its touches are on pages before
  bool first, more;
  bool whole;  ///< those of springs that undo each other are listed, too (force/contact/pair/joint.h)
  td_near *at; ///< [most]
  int met;     ///< of how many, the first ones, it is known how they move (td_grip_begin)
  td_met *how; ///< [most]
} td_nearby;
static inline int td_nearby_most(const td_model *m) { return 4 * m->proxy_count + 64; }

/// Frames of which rows are kept at a time (force/contact/pair/columns.c).
static inline int td_touch_most(const td_model *m) { return m->proxy_frame_count < 64 ? m->proxy_frame_count : 64; }

/// What a workspace holds, so that who needs it can assert it.
enum {
  TD_HOLDS_POSES = 1,         ///< poses, and what follows from them alone: exponentials, columns of screws
  TD_HOLDS_TWISTS = 2,        ///< V, rates of strains
  TD_HOLDS_ACCELERATIONS = 4, ///< A
  TD_HOLDS_COMPOSITES = 8,    ///< F and M, summed over subtrees
  TD_HOLDS_MAPS = 16,         ///< B and N, too
  TD_HOLDS_COLUMNS = 32,      ///< rows J of kept columns
  TD_HOLDS_SLOPES = 64,       ///< rows R, Q, Y, too
  TD_HOLDS_NEARBY = 128,      ///< what is in each other, of poses alone
  TD_HOLDS_MET = 256,         ///< td_nearby.met is of these twists and springs
};

struct td_workspace {
  const td_model *model;
  void *block;
  unsigned holds; ///< of TD_HOLDS_…
  const double *steady_q,
      *steady_qd; ///< arrays that keep their values until a call returns (td_steady_begin); NULL: no call says so
  const double *poses_of, *twists_of; ///< the steady arrays that poses and twists are of; NULL: of others
  double origin[3];
  td_se3 *pose;                ///< [nodes]
  double (*V)[6], (*A)[6];     ///< [nodes] world twist, its time derivative (minus gravity)
  struct td_workspace *guide;  ///< of the model's guide, NULL
  td_composite *composite;     ///< [nodes]
  td_full *full;               ///< [nodes], NULL unless td_model.full_maps
  td_motion *motion;           ///< [strip_batches]
  td_ritz_state *ritz;         ///< [Ritz bodies]
  td_slice_state *slice;       ///< [slices]
  td_mark_state *mark;         ///< [marks]
  double (*slice_field)[3][4]; ///< [slices] local fields p and their rates p', p''
  td_vec *slice_rows; ///< [slices][4][3] rows of the slices of the strip at work: dq, dqd, mass for eight columns
  int world_forces;   ///< composites hold world-frame forces: N enters the columns
  double (*screw)[6]; ///< [elements] world column of a SCREW
  td_tables *tables;  ///< [max_batches] of the strip at work
  double *kept;       ///< [TD_ROWS][kept_stride] columns of all elements that descendants read
  // eight columns of the strip at work; its local nodes are 0 (start) and i + 1 (end of interval i)
  td_vec *prefix;    ///< [local nodes][TD_ROWS] sums over the intervals before
  td_vec *branch;    ///< [local nodes][TD_WRENCH_ROWS] sums over side intervals that start there
  td_vec *projected; ///< [intervals][2][6][3] projections of dq, dqd and mass columns on the strip's strains
  // all columns of the element at work
  int strip_stride;
  double *wrench; ///< [TD_WRENCH_ROWS][strip_stride] U, Gq, Gv, W, N summed over the element
  // matrices [n][ld] and vectors [ld]
  double *did_dq, *did_dqd, *mass, *dtau_dq, *dtau_dqd, *factor, *solution;
  double *id, *tau, *fd, *zero, *scratch;
  td_constraint_scratch constraint;
  td_tension_scratch tension;
  double *line; ///< [9][ld] of the spring at work
  // contacts between bodies: carved for models that have pairs of solids
  double (*proxy_end)[2][3]; ///< [proxies] about the origin, m
  double (*proxy_box)[6];    ///< [2 proxies] least, then largest coordinates (force/contact/pair/nearby.c)
  td_nearby *nearby;
  double (*frame_wrench)[6]; ///< [proxy frames] moment about its node, force of what touches; 0 between passes
  double *frame_column;      ///< [proxy frames][blocks of coordinates][TD_FRAME_ROWS] of those that are known
  bool *frame_known;         ///< [proxy frames]
  double *frame_row;         ///< [td_touch_most][blocks of coordinates][TD_FRAME_ROWS] moment and force by q, by qd
  int *touch_of;             ///< [proxy frames] its place among them, -1: none
  int touch_count;
  int (*touch_span)[2]; ///< [proxy frames] blocks of coordinates of what touches it: the first, behind the last
  double *rod_scratch;  ///< [gauss] TD_COMPONENTS strains, up to a TD_STRAIN_HESSIAN of them, six vectors of columns
  /// [points of contacts + 2 stops], m, rad: forces that set in are those of this depth's side, whatever the state
  /// (dynamics/kinks.h); NULL: those of the state
  const double *kinks;
  /// [tendons][2] tendons driven by length pull by the polynomial of their law about this stretch, m, and pull at all
  /// where the second is not 0 (dynamics/kinks.h); NULL: by the law
  const double *taut;
  /// [model->bristle_count] springs of contacts that stick, those of a run; NULL: all are as if they had just been put
  /// down
  const td_bristle *bristle;
  const _Atomic bool *stop; ///< set by another thread: nobody wants what is being computed; NULL: somebody always does
};

/// Loops that take long leave off then; whoever began them throws the rest away (td_evaluate).
static inline bool td_stopped(const td_workspace *ws) {
  return ws->stop && atomic_load_explicit(ws->stop, memory_order_relaxed);
}

/// Says that q and qd (NULL: zero) keep their values until td_steady_end: stages of passes over the tree that were done
/// for them in between are not done again (pass/kinematics.c). For public functions that run several passes at one
/// state. Whatever was in the workspace before counts for nothing. False: a call around this one has said so, of its
/// own state, and ends it.
bool td_steady_begin(td_workspace *ws, const double *q, const double *qd);
/// begun: what td_steady_begin returned.
void td_steady_end(td_workspace *ws, bool begun);

static inline bool td_holds(const td_workspace *ws, unsigned what) { return (ws->holds & what) == what; }

/// Bodies touch, as far as is known.
static inline bool td_may_touch(const td_workspace *ws) {
  return ws->nearby && (!td_holds(ws, TD_HOLDS_NEARBY) || ws->nearby->count > 0);
}

#endif
