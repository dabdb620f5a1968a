// Shared by the files of a design: starts.c (one search after the other), design.c (rules and rounds), search.c (one search by NLopt), rows.c (evaluations),
// row.c (what one says), equations.c (what these leave of a slope), scale.c (units that a search sees), judge.c (what its
// end is worth), remark.c (what has to be said of the answer).
//
// z = x / reach, x = p or ln p; the reach is that of the start until a number has grown far beyond it. All that NLopt sees is of size 1: numbers by their reaches, the objective and the
// constraints by what they change by over these, so that no answer depends on units and weights.
#ifndef TENDRIL_DESIGN_PARTS_H
#define TENDRIL_DESIGN_PARTS_H

#include "fit/parts.h"
#include "tendril/design.h"

/// Why nothing more is evaluated.
typedef enum design_over {
  DESIGN_GOES_ON,
  DESIGN_EXHAUSTED,
  DESIGN_AWAY,
  DESIGN_MET,
  DESIGN_PROVED,
  DESIGN_TURNS
} design_over;

/// Promised (design_promise): no more than this is an optimum, also where f is flat.
#define DESIGN_SURE 1e-6
/// Numbers up to which slsqp, whose steps cost their cube, is tried where another method comes no further.
enum { DESIGN_FEW = 300 };

typedef struct design {
  const td_design_spec *spec;
  const td_design_hooks *hooks;
  struct nlopt_opt_s *opt;
  const double *known; ///< [known_count][size]
  size_t known_count;
  double *rows; ///< [count][size] of td_design_row_size
  size_t size, count, room, best;
  size_t walls;    ///< points where nothing could be evaluated
  int start;       ///< which one this search is from
  size_t before;   ///< evaluations of the starts before it
  bool measured;   ///< measure is that of a start before
  size_t turns_at; ///< so many evaluations, and the round is over
  double *reach;   ///< [np] what z is measured by: fit_reach, or more where a number has gone far
  double *p, *z, *bound, *slope, *beside; ///< [np]
  double *from;                           ///< [np] z where a search begins, which is row `from_row`
  size_t from_row;
  double *measure;  ///< [constraints] what violations are measured by, > 0
  double *unit;     ///< [constraints] what NLopt sees them by, > 0
  double *slack;    ///< [constraints] in these units, in the order of `which`
  double *lambda;   ///< [constraints] multipliers at the best, of f by c, as design_judge found them
  double f_unit;    ///< > 0
  double tolerance; ///< of this search
  double bend;      ///< of f beside the start, in z; 0: not known
  bool restoring;   ///< it is the constraints that are made small
  size_t *which; ///< [constraints] those that a search by slsqp takes as equations, then those that it takes as bounds
  size_t equations;
  double missed;    ///< by the best, when that was last halved in this search
  size_t missed_at; ///< after so many evaluations
  bool proves;      ///< the best is an optimum, as far as is known: this search looks whether it is
  design_over over;
  td_status status; ///< of the last evaluation, or why the search was stopped
  td_error err;
} design;

// rows.c
/// The row of a point: one that is known, or a new one. NULL: the search is over (d->status, d->over).
const double *design_row_at(design *d, const double *z);

/// Which of the rows that are there, all of them, is the best so far.
void design_look_at(design *d, size_t count);

// row.c
/// Whether constraint i is the first half of an equation, whose other half is i + 1; or one of the halves.
bool design_is_equation(const design *d, size_t i);
bool design_is_half(const design *d, size_t i);
bool design_is_wall(const design *d, const double *row);
/// The largest c by its measure, at least 0.
double design_violation(const design *d, const double *row);
/// By how much more than at first a number is measured.
double design_grown(const design *d, size_t j);
/// dp/dz
double design_slope(const design *d, const double *row, size_t j);
/// z of a row's number.
double design_z(const design *d, const double *row, size_t j);
/// A number that has gone a million reaches where no bound is; np: there is none.
size_t design_gone(const design *d, const double *row);
/// Whether a bound is ahead on the way from the start to p_j.
bool design_is_open(const design *d, const double *row, size_t j);

// scale.c
/// d->f_unit and unit about a row.
void design_scale(design *d, const double *row);
/// Measures numbers anew that have grown far beyond the reach that they had at first. Whether there is one.
bool design_measure_anew(design *d, const double *row);

// search.c
/// One search from row `from` on. TD_OK: it ended, d->over may say why.
td_status design_search(design *d, size_t from, bool restoring, td_design_method method);

// equations.c
/// What is left of a slope when equations hold it: see there.
typedef struct design_span {
  size_t count, n, stride;
  double *q;     ///< [count][n] orthonormal
  double *r;     ///< [count][stride] a_i = sum r_ik q_k
  size_t *which; ///< [count] constraints
} design_span;
/// The span of the equations' slopes at a row, dependent ones left out. False: not enough memory.
bool design_span_make(const design *d, const double *row, design_span *span);
void design_span_free(design_span *span);
/// Takes out of x [n] what lies in the span.
void design_span_leave(const design_span *span, double *x);
/// Puts multipliers of equations into lambda, those that balance g [n] best.
void design_span_multipliers(const design_span *span, const double *g, double *lambda);

// design.c
/// Searches from spec->unknowns[].value on: rounds, until one is an optimum or no way leads on. TD_OK, whatever ended it.
TD_NODISCARD td_status design_explore(design *d, td_design_result *r);
/// What is best so far.
void design_tell(const design *d, td_design_result *r);

// judge.c
/// 1: p_j is at its upper bound as far as the search looks, -1: at its lower bound, 0: at none.
int design_side(const design *d, size_t j, double p);
/// df_dp at the start against differences of f along one direction.
td_status design_check_derivatives(design *d, td_design_result *r);
/// What f could still fall by at a row, over a reach, by |f|; d->slope, bound and lambda are those of the row.
double design_promise(design *d, const double *row);
/// Which row is the best, and what ended the search: r->end, promised, violation.
void design_judge(design *d, td_design_result *r);

// remark.c
/// What has to be said of the answer: design_judge comes first.
void design_remark(const design *d, td_design_result *r);

#endif
