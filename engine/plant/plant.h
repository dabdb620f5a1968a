// The robot together with its inputs: what integrators and statics see. Functions of (t, q, qd, qdd), no allocation.
//
// y = (q, qd) [2 n] is the state of a run, prescribed coordinates included: their entries are always f(t), f'(t) of
// their inputs (td_plant_drive puts them there). Integrators solve for the free coordinates only. `t_side` picks the
// side of an input's jump (input/signal.h): it is the middle of the smooth segment being integrated.
#ifndef TENDRIL_PLANT_PLANT_H
#define TENDRIL_PLANT_PLANT_H

#include "closure/projection.h"
#include "control/controller.h"
#include "input/inputs.h"
#include "tendril/run.h"

typedef struct td_plant {
  const td_model *model;
  td_workspace *ws;
  const td_inputs *inputs; ///< NULL: p->u is the caller's
  td_control *control;     ///< NULL: none
  int n, m;
  int free_count, driven_count, rows; ///< coordinates solved for and prescribed; rows of loops
  const int *free;                    ///< [free_count] their indices, rising
  bool finite_difference;             ///< derivatives by forward differences
  double baumgarte, t_side;
  double barrier; ///< s: no step may end beyond it, for the sake of a force ahead; INFINITY: none
  td_projection projection;
  td_step_metric metric; ///< what projections measure by where `measured`: of the last step of an implicit method
  bool measured;
  const double *motion;  ///< [driven_count][3] position, rate, acceleration in place of the inputs'; NULL: theirs
  double *u;             ///< [m] of the last call
  double *qdd;           ///< [n] accelerations of prescribed coordinates, 0 elsewhere
  double *lambda;        ///< [rows + driven_count] of the last evaluation
  double *lambda_before; ///< [rows] at the end of the step before
  bool fresh;            ///< there was none in this segment
  bool turned;           ///< forces have set in or ended: matrices of before are those of another motion
  double keen;           ///< s: until then a force that has set in turns the motion; -INFINITY: none has
  double exchanged;      ///< J, so far: what an energy is judged against
  bool uncontrolled;     ///< the last evaluation of the controllers failed
  /// of the rows where loops are open: above that of closed states their range turns with q; 0: not known
  int loose_rank;
  double *linearised;         ///< [n] q of the last matrices
  double *x, *f, *g;          ///< [n], [2 n], [2 rows] scratch of the finite differences
  const td_step_taken *given; ///< the step to be taken next, whatever its error; NULL: the method chooses
  double h;                   ///< s, of the last step
  bool held;                  ///< whose end td_plant_hold moved
  td_run_statistics *statistics;
  char singular[544]; ///< text of td_plant_singular
} td_plant;

/// Allocates its arrays; model, ws, inputs and statistics stay the caller's.
TD_NODISCARD td_status td_plant_init(td_plant *p, const td_model *model, td_workspace *ws, const td_inputs *inputs,
                                     td_run_statistics *statistics);
void td_plant_fini(td_plant *p);

static inline bool td_plant_constrained(const td_plant *p) { return p->rows > 0 || p->driven_count > 0; }

/// p->u = what inputs and controllers ask at (t, q, qd).
TD_NODISCARD td_status td_plant_inputs(td_plant *p, double t, const double *q, const double *qd);
/// The energies of y at t, with the inputs of that time where they stretch something.
TD_NODISCARD td_status td_plant_energy(td_plant *p, double t, const double *y, td_energy *energy);
/// Why an evaluation was TD_SINGULAR: which coordinates move no mass and why, from the last mass matrix. The text lives
/// in the plant.
const char *td_plant_singular(td_plant *p);
/// Whether the mass matrix at q [n] is singular to rounding; then p->singular says so. Steps that no tolerance allows
/// come from it, too: pivots on either side of rounding in turn.
bool td_plant_massless(td_plant *p, const double *q);
/// The first time > t at which an input or a controller jumps.
double td_plant_next_event(const td_plant *p, double t);

/// Puts prescribed coordinates where their inputs want them at t: entries of y [2n] and, when not NULL, of qdd [n].
void td_plant_drive(td_plant *p, double t, double *y, double *qdd);

/// Loop error (rad, m) below which a projection would move nothing anyone could see.
#define TD_HOLD_ABOVE 1e-9
/// Notes the loop error of y and, when it is above `above`, puts y back on the constraint; *moved says whether. Never
/// fails: a state that cannot be projected is left as it is.
void td_plant_hold(td_plant *p, double above, double *y, bool *moved);
/// The `above` of a step that is given, else TD_HOLD_ABOVE.
double td_plant_hold_above(const td_plant *p);
/// The same for q alone; whether q moved.
bool td_plant_hold_position(td_plant *p, double above, double *y);
/// Notes it only.
void td_plant_note_drift(td_plant *p, const double *y);
/// At the start of a segment, and at the end of a step in which a matrix was of another rank: the rank of A where y is
/// closed, by which factorisations go from then on. Costs a projection.
void td_plant_note_rank(td_plant *p, bool fresh, const double *y);
/// True when rows depend on each other on the constraint only and q has left that of the last matrices: their range has
/// turned, and multipliers in the old one may be in no relation to the forces they exert.
bool td_plant_has_turned(const td_plant *p, const double *q);
/// The projection measures by what the last step does, at q, where that is known, else by the coordinates themselves.
void td_plant_measure(td_plant *p, const double *q);
/// The rates of y at the end of a step are those nearest by that A allows, as a sample reports them.
void td_plant_settle_rates(td_plant *p, double *y);
/// An interpolated state: prescribed coordinates and loops made exact again.
void td_plant_settle(td_plant *p, double t, double *y);

/// free [free_count] from full [n] and back (other entries of `full` stay).
void td_plant_pack(const td_plant *p, const double *full, double *packed);
void td_plant_unpack(const td_plant *p, const double *packed, double *full);

/// y' = (qd, qdd), qdd by forward dynamics, with loops at index 1; p->lambda receives their multipliers.
TD_NODISCARD td_status td_plant_rate(td_plant *p, double t, const double *y, double *dy);
/// r [n] = tau - ID + A^T lambda (lambda [rows], NULL: 0; prescribed coordinates keep their unbalanced force).
TD_NODISCARD td_status td_plant_residual(td_plant *p, double t, const double *q, const double *qd, const double *qdd,
                                         const double *lambda, double *r);

/// A state of the equations of motion with their multipliers, all [n], lambda [rows].
typedef struct td_plant_state {
  const double *q, *qd, *qdd, *lambda;
} td_plant_state;

/// What td_constraint_terms_at gives at a state, by analytic derivatives or by forward differences of the residual, of
/// e and of a (M and A are analytic in both). Members that are NULL are left out; without loops A, e, G, a, Cq, Cv are
/// not read.
TD_NODISCARD td_status td_plant_terms(td_plant *p, double t, const td_plant_state *state,
                                      const td_constraint_terms *out);
/// K, C, M [n][n] of qdd - fd(q, qd) = 0 by forward differences, where fd is known to be qdd: K = -dfd/dq, C =
/// -dfd/dqd, M = I. With loops fd is that of index 1, so that no multiplier is left.
TD_NODISCARD td_status td_plant_rate_differences(td_plant *p, double t, const double *q, const double *qd,
                                                 const double *qdd, double *K, double *C, double *M);

/// Fails with time, size of the residual r and the coordinate where it is worst.
td_status td_plant_fail(const td_plant *p, td_status status, td_error *err, const char *method, double t,
                        const double *r, const char *reason);

#endif
