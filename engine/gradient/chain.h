// The maps of a run, linearised one by one: derivatives by numbers carried along them, or cotangents pulled back.
//
// Between maps a run's state is x = (q, v, a, b): coordinates, rates, accelerations, and those of Newmark's family's
// own; explicit methods and samples read (q, v, a), which is what forward dynamics makes of (q, v).
#ifndef TENDRIL_GRADIENT_CHAIN_H
#define TENDRIL_GRADIENT_CHAIN_H

#include "gradient/tape.h"
#include "integrate/explicit/explicit_step.h"
#include "integrate/one_step/implicit_newton.h"
#include "integrate/one_step/radau_stages.h"
#include "plant/output_slopes.h"
#include "step/linear.h"
#include "tendril/gradient.h"

enum { TD_Q, TD_V, TD_A, TD_B, TD_PARTS };

enum { TD_HOLD_ITERATES = 4 };

/// Scratch of projections onto loops.
typedef struct td_holding {
  int iterates;
  double *q[TD_HOLD_ITERATES + 1];                   ///< [n] of positions, the last one closed
  double *x[TD_HOLD_ITERATES], *m[TD_HOLD_ITERATES]; ///< [n], [rows] what was taken away, and its multipliers
  double *e, *A, *B, *Cq, *Cv;                       ///< [rows], [rows][n] each
  double *N, *X;                                     ///< [n][n] slopes of A^T m and of M x
  double *first; ///< of where a projection began: tangents [n][ld] forward, a cotangent [n] backward
  double *asked; ///< [rows + driven] multipliers
  double *at, *moved, *minus, *f, *g; ///< [n], [n], [n], [n], [rows]
  double *left, *mu;                  ///< [n], [rows] of rates: what is left, and multipliers
  double *by_p, *by_scratch;          ///< [n + rows][numbers], [3 (n + rows)]
} td_holding;

/// Stages of explicit methods.
typedef struct td_stages {
  double *memory;
  double *y[TD_EXPLICIT_STAGES], *k[TD_EXPLICIT_STAGES], *l[TD_EXPLICIT_STAGES]; ///< [2n], [2n], [rows]
  double *dk[TD_EXPLICIT_STAGES];                                                ///< [2n][ld] forward
  double *Lk[TD_EXPLICIT_STAGES];                                                ///< [2n] pending cotangents, backward
  double *a;                                                                     ///< [n]
} td_stages;

/// Steps of radau.
typedef struct td_collocation {
  td_radau_rule rule;
  double *memory;
  double *block[TD_RADAU_STAGES];             ///< td_linear_block of each stage
  int rank[TD_RADAU_STAGES], ldp, most, size; ///< independent rows of each; the most and all of the unknowns
  double *P[TD_RADAU_STAGES], *A, *work;      ///< [rows][ldp] their bases; scratch
  double scale[TD_RADAU_STAGES];              ///< of multipliers and rows
  double *J, *X;                              ///< [size][size] factors; [size][ld] forward, [size] backward
  int *pivot;
  double *Y[TD_RADAU_STAGES];  ///< forward: [2n][ld] tangents of stages
  double *Ly[TD_RADAU_STAGES]; ///< backward: [2n] pending cotangents of them
  td_saddle filter;            ///< of errors
  const double *matrices;      ///< that it is made of
  double bent_at;              ///< s: where the step begins whose error is at hand; NAN: none
  double *error, *x, *shifted; ///< [2n] of it; [2n]; [3n] (q, qd, qdd) where rates were asked again
  double *moved, *lambda;      ///< [n], [rows]
  double *E, *R;               ///< forward: [2n][ld] of the error; [2n][ld]
  double *Le, *Lx;             ///< backward: [2n] pending, of the error; [2n]
} td_collocation;

/// Sides of kinks (kink/kink.h).
typedef struct td_sides {
  int count;
  bool in_step; ///< the map at work is of a step, or of its end
  double *memory;
  double *from, *to; ///< [count] depths at the ends of that step
  double *at;        ///< [count] of the state at work, with the step's side
  double *made;      ///< [count] where the accelerations have their tangents from
  double late;       ///< s, of the last turn (td_kinks_turn)
} td_sides;

typedef struct td_chain {
  const td_model *model;
  const td_dynamics_spec *spec; ///< td_gradient_job's
  const td_variables *by;
  bool backward;
  const td_integrator *method;
  const td_tape *tape; ///< of the note at work
  td_workspace *ws;
  td_plant plant; ///< its twin of the run's
  td_run_statistics statistics;
  td_integrator_spec method_spec;
  td_linear linear;
  td_output *output;
  td_output_differentiator *differentiator;
  td_output_slopes slopes; ///< of the row at work
  td_input_slope *list;    ///< [most_slopes]
  size_t listed;
  bool inputs;       ///< they depend on numbers
  bool rests_moving; ///< td_run_state's
  int n, m, np, numbers, driven, row;
  td_predictor predictor; ///< of implicit methods
  bool index3;
  double *y, *open; ///< [2n] of a sample; the same before its loops were closed
  td_holding hold;
  td_stages stage; ///< of explicit methods
  td_collocation radau;
  td_sides sides;
  // forward: [n][ld] each
  int ld;
  double *T[TD_PARTS], *T0[TD_PARTS]; ///< now, and at the start of the last step
  double *f, *g, *D;                  ///< [n][ld], [rows][ld], [n][ld]
  double *Ts;                         ///< [2n][ld] of a sample
  double *row_dp;                     ///< [row][np]
  // backward: [n] each
  double *L[TD_PARTS], *L0[TD_PARTS]; ///< now; pending, for the start of the last step
  double *d, *u, *motion;             ///< [n], [m], [driven][3] cotangents
  double *Ls;                         ///< [2n] of a sample
  double *cotangent;                  ///< [row]
  double *p;                          ///< [numbers of the model]
  double *chart;                      ///< [2n][2n padded], column [2n]: of models that may change charts
  double *gradient;                   ///< [np]
} td_chain;

/// Allocates what one direction needs. `spec` is td_gradient_job's.
TD_NODISCARD td_status td_chain_init(td_chain *c, const td_model *model, const td_dynamics_spec *spec,
                                     const td_variables *by, bool backward, td_error *err);
void td_chain_fini(td_chain *c);
/// Takes over what the run has that its twin cannot make: inputs, the method and its options.
TD_NODISCARD td_status td_chain_attach(td_chain *c, td_simulation *run);

/// The note's map, its last one on the tape, forward.
TD_NODISCARD td_status td_chain_forward(td_chain *c, const td_tape *tape, const td_note *note);
/// And backward; a sample's takes c->cotangent.
TD_NODISCARD td_status td_chain_backward(td_chain *c, const td_tape *tape, const td_note *note);

// start.c: the state at t = 0.
/// `note`: that of the first start of the method.
TD_NODISCARD td_status td_chain_start_forward(td_chain *c, const td_tape *tape, const td_note *note, td_error *err);
TD_NODISCARD td_status td_chain_start_backward(td_chain *c, const td_tape *tape, const td_note *note, td_error *err);

// Shared by the maps.

/// The twin's loops, rank and times are those of a note and a point.
void td_chain_place(td_chain *c, const td_note *note, size_t point);
/// c->list at (t, y) of the twin's t_side, with the inputs there.
TD_NODISCARD td_status td_chain_list(td_chain *c, double t, const double *q, const double *v);
/// f [n][ld] += r_u du of c->list, where r_u [n][m] is that of `c->linear`.
void td_chain_add_inputs(td_chain *c, double *f);
/// Rows of prescribed coordinates in T: their course by c->list; each of q, v, a may be NULL.
void td_chain_drive_tangents(td_chain *c, double *q, double *v, double *a);
/// The transpose: cotangents of prescribed coordinates go to the gradient and become 0.
void td_chain_drive_cotangents(td_chain *c, double *q, double *v, double *a);
/// c->gradient += c->u [m] du of c->list.
void td_chain_add_input_cotangent(td_chain *c);
/// l->by_p at the point at hand into the columns of f and g, and likewise backward.
TD_NODISCARD td_status td_chain_add_parameters(td_chain *c, double *f, double *g);
TD_NODISCARD td_status td_chain_add_parameter_cotangent(td_chain *c);

/// c->f and c->g: what inputs and numbers add to the right-hand sides at the point at hand; and the transpose.
TD_NODISCARD td_status td_chain_right_sides(td_chain *c);
TD_NODISCARD td_status td_chain_right_side_cotangents(td_chain *c);

// begin.c: accelerations by forward dynamics.
TD_NODISCARD td_status td_chain_linearise_rate(td_chain *c, const td_linear_point *at);
/// There: q, v [n][ld], whose prescribed rows are put where they belong, to a [n][ld].
TD_NODISCARD td_status td_chain_rate_forward(td_chain *c, double *q, double *v, double *a);
/// a [n] is used up.
TD_NODISCARD td_status td_chain_rate_backward(td_chain *c, double *q, double *v, double *a);
TD_NODISCARD td_status td_begin_forward(td_chain *c, const td_note *note);
TD_NODISCARD td_status td_begin_backward(td_chain *c, const td_note *note);
// implicit.c, explicit.c
TD_NODISCARD td_status td_implicit_step_forward(td_chain *c, const td_note *note);
TD_NODISCARD td_status td_implicit_step_backward(td_chain *c, const td_note *note);
TD_NODISCARD td_status td_explicit_step_forward(td_chain *c, const td_note *step);
TD_NODISCARD td_status td_explicit_step_backward(td_chain *c, const td_note *step);
TD_NODISCARD td_status td_stages_init(td_chain *c);
void td_stages_fini(td_chain *c);
/// Rates of all stages of a step, as the run had them.
TD_NODISCARD td_status td_stages_values(td_chain *c, const td_note *step);
// radau/
TD_NODISCARD td_status td_radau_chain_init(td_chain *c);
void td_radau_chain_fini(td_chain *c);
TD_NODISCARD td_status td_radau_forward(td_chain *c, const td_note *step);
TD_NODISCARD td_status td_radau_backward(td_chain *c, const td_note *step);
/// The state [2n] at `part` of a step, before loops are closed and prescribed coordinates driven.
TD_NODISCARD td_status td_radau_between(td_chain *c, const td_note *step, const double *end, double part, double *y);
/// Its tangents q and v [n][ld], and what its cotangents y [2n] are of the start (c->L0), the end (c->L) and the step's
/// own, which are pending. After td_radau_between of the same.
void td_radau_between_forward(td_chain *c, double part, double *q, double *v);
void td_radau_between_backward(td_chain *c, double part, const double *y);
/// What is pending of the step's error goes to its start and stages.
TD_NODISCARD td_status td_radau_error_backward(td_chain *c, const td_note *step);
// chart.c
void td_chart_forward(td_chain *c, const td_note *note);
void td_chart_backward(td_chain *c, const td_note *note);
// hold/: coordinates and rates onto the constraint of loops.
TD_NODISCARD td_status td_hold_init(td_chain *c, bool backward);
void td_hold_fini(td_chain *c);
/// Coordinates from `from` [n] and rates from `rate` [n], at their places in tangents q and v [n][ld], by the note's
/// metric; backward cotangents [n].
TD_NODISCARD td_status td_hold_close_forward(td_chain *c, const td_note *note, const double *from, const double *rate,
                                             double *q, double *v);
TD_NODISCARD td_status td_hold_close_backward(td_chain *c, const td_note *note, const double *from, const double *rate,
                                              double *q, double *v);
/// Rates alone, at coordinates that are closed.
TD_NODISCARD td_status td_hold_rates_forward(td_chain *c, const td_note *note, const double *at, const double *rate,
                                             const double *q, double *v);
TD_NODISCARD td_status td_hold_rates_backward(td_chain *c, const td_note *note, const double *at, const double *rate,
                                              double *q, double *v);
/// The start's: coordinates `from` were assembled to `to` [n], rates `rate` are those before; c->T and c->L.
TD_NODISCARD td_status td_hold_start_forward(td_chain *c, const td_note *note, const double *from, const double *rate,
                                             const double *to);
TD_NODISCARD td_status td_hold_start_backward(td_chain *c, const td_note *note, const double *from, const double *rate,
                                              const double *to);
/// Rates and accelerations at the end of an implicit step.
TD_NODISCARD td_status td_rates_forward(td_chain *c, const td_note *note);
TD_NODISCARD td_status td_rates_backward(td_chain *c, const td_note *note);
// sample.c
TD_NODISCARD td_status td_sample_forward(td_chain *c, const td_note *note);
TD_NODISCARD td_status td_sample_backward(td_chain *c, const td_note *note);

#endif
