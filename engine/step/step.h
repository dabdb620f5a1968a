// What the parts of the discrete map share: the robot, where prescribed coordinates are, and tangents.
//
// A tangent of a vector y [n] is a matrix [n][columns]: its derivatives by x = (q, qd) at the start, by u, and by p.
#ifndef TENDRIL_STEP_STEP_H
#define TENDRIL_STEP_STEP_H

#include "integrate/integrator.h"
#include "step/linear.h"
#include "tendril/step.h"

/// Position, rate and acceleration of a prescribed coordinate by (q, qd at the start, its input).
typedef struct td_course {
  double w[3][3];
} td_course;

/// A state on the way and, where derivatives are wanted, its tangents.
typedef struct td_way {
  double *q, *v, *a;    ///< [n]; q and v lie one behind the other
  double *dq, *dv, *da; ///< [n][ld]
} td_way;

struct td_step {
  const td_model *model;
  td_workspace *ws;
  td_plant plant;
  td_run_statistics statistics;
  td_integrator_spec spec;
  const td_integrator *method;
  td_stepper *stepper; ///< of implicit methods
  double H;            ///< of the whole map, s
  int substeps;
  int n, m, np, rows, columns, ld; ///< columns: 2n + m + np; ld: stride of tangents
  const td_parameters *parameters; ///< NULL: none
  td_linear linear;                ///< the equation of motion at the end of a substep, or where rates are asked
  const double *x, *u;             ///< [2n], [m]: the caller's
  bool tangents, by_wanted;        ///< wanted; those by parameters, too
  bool units;                      ///< what the first substep predicts has multiples of unit matrices as tangents
  double open;                     ///< rad or m: by which loops are open at x, of a call that gives tangents
  td_way now;
  double *motion;                   ///< [prescribed][3]
  double *right, *below;            ///< [n][ld], [rows][ld] right-hand sides of tangents
  double *turned;                   ///< [n][ld] what they give
  double *b, *c, *shift, *rest, *e; ///< [n], [rows], [n], [n], [rows]
  double *lambda;                   ///< [rows + prescribed]
  double *by_p, *by_scratch;        ///< [n + rows][np]; [3 (n + rows)]
  double *asked, *rest_residual;    ///< [rows + prescribed], [n] of a question
  double *multipliers;              ///< [rows] of closing
  double *work;                     ///< of the methods' own
};

/// Where prescribed coordinates are at time t of the map, at the end of the substep that is `h` long (0: at the start
/// of the map); the plant is told.
void td_step_drive(td_step *s, double t, double h, td_course *path);
/// Entries of prescribed coordinates in y [2n] and a [n] (NULL: none).
void td_step_put(const td_step *s, double *q, double *v, double *a);
/// The same in tangents, each may be NULL.
void td_step_put_tangents(const td_step *s, const td_course *path, double *dq, double *dv, double *da);
/// right = r_u du + r_p dp, below = -e_p dp of all columns at s->linear's point, r_u and r_p what inputs and parameters
/// add to the residual; 0 elsewhere.
TD_NODISCARD td_status td_step_right_sides(td_step *s);
/// What the columns of parameters ask of a model at a state: residual [n], then rows of its loops.
typedef struct td_step_question {
  td_step *step;
  td_state state;
  const double *lambda; ///< [rows]
  bool less_rest;       ///< less the residual at qd = qdd = lambda = u = 0: inertia and multipliers alone
  enum { TD_STEP_NO_ROWS, TD_STEP_CLOSURE, TD_STEP_RATES } rows; ///< e, or A qdd + Ad qd + …
  td_state rows_at;
} td_step_question;
/// right += their derivatives by p, below -= those of the rows, in the columns of parameters, where these are wanted.
TD_NODISCARD td_status td_step_parameter_tangent(td_step *s, td_step_question *question);
/// rows [count][ld] += factor X [count][n] T [n][ld]
void td_step_add_product(const td_step *s, int count, double factor, const double *X, const double *T, double *rows);
/// Solves s->linear's saddle for all columns: free entries of T [n][ld] become those of x in S x - A^T l = right, G x =
/// below.
void td_step_solve_tangents(td_step *s, double *T);
/// da of forward dynamics at (q, v, a), a its own values, from dq and dv; prescribed entries of da are read. lambda
/// [rows] of a.
TD_NODISCARD td_status td_step_rate_tangent(td_step *s, const td_way *at, const double *lambda);

/// The substeps of implicit methods and of rk4: from `now` to the end.
TD_NODISCARD td_status td_step_implicit(td_step *s, td_error *err);
TD_NODISCARD td_status td_step_explicit(td_step *s, td_error *err);
/// rad or m: by which loops are open at q [n]; 0: there are none. Overwrites kinematics in ws.
double td_step_gap(td_step *s, const double *q);
/// Puts `now` on the loops' constraint, positions, too, where they are open.
TD_NODISCARD td_status td_step_close(td_step *s, bool open, td_error *err);

#endif
