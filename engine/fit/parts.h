// Shared by the files of a fit: check.c, measure.c (predictions to a small triangle), box.c (steps within bounds),
// fit.c (the search), confidence.c, steps.c and judge.c (what the answer is worth).
//
// Unknowns x: ln p or p. Residuals (y - data) / sigma with their Jacobian in x are turned into R, c (QR), so that all
// that is quadratic about a point is |R d + c|^2 / 2 with np rows.
#ifndef TENDRIL_FIT_PARTS_H
#define TENDRIL_FIT_PARTS_H

#include "tendril/fit.h"

/// All that a search remembers between two accepted points: a checkpoint is these bytes.
typedef struct fit_state {
  uint64_t np;
  int32_t start, iteration; ///< of the present point
  int32_t iterations, failed_starts;
  uint64_t predictions;
  double damping, growth;
  int32_t best_start, best_end;
  double best_cost;
} fit_state;

/// A point as a search sees it.
typedef struct fit_point {
  double *x;    ///< [np]
  double *R;    ///< [np][np] upper triangle, row-major: data and priors
  double *c;    ///< [np]
  double *data; ///< [np][np] R of the data alone
  double cost;
} fit_point;

typedef struct fit {
  const td_fit_spec *spec;
  const td_fit_hooks *hooks;
  int n;
  size_t used;           ///< samples that are there
  double *lower, *upper; ///< [np] of x
  fit_state *state;      ///< the head of a block that holds the arrays below, too
  double *x;             ///< [np] the present point
  double *scale;         ///< [np] largest norm of each column so far
  double *best_p;        ///< [np]
  double *best_data;     ///< [np][np] R of the data at best_p
  fit_point now, trial;
  double *p, *y, *dy_dp; ///< [np], [samples], [samples][np]
  double *near, *far;    ///< [samples] y at two points beside p
  double *columns;       ///< [np + 1][rows] column-major, for QR
  size_t rows;
  double *small;         ///< scratch of box.c and confidence.c: 4 (2 np + 2) (np + 2)
  double *step, *newton; ///< [np]
  double *tau, *work;    ///< of LAPACK
  int lwork;
  td_error *err;
} fit;

// check.c
/// How far x may go, in words: 1 for ln p; else the span of the bounds, but no more than ten times |value|; without bounds
/// |value|, or 1.
double fit_reach(const td_unknown *u);

/// What x is small or large by: 1 for ln p, else |x|, a thousandth of its reach at the least.
double fit_size(const td_unknown *u, double x);
/// That of unknown j at the answer.
double fit_size_at(const fit *f, size_t j);

// memory.c
td_status fit_init(fit *f, const td_fit_spec *spec, const td_fit_hooks *hooks, td_error *err);
void fit_fini(fit *f);

// measure.c
double fit_x_of(const td_unknown *u, double p);
/// Within the bounds, to the last bit.
double fit_p_of(const td_unknown *u, double x);
/// dp/dx
double fit_slope(const td_unknown *u, double p);
/// Predicts at point->x and fills the rest of it. TD_NONFINITE where a prediction is not finite.
td_status fit_measure(fit *f, fit_point *point);
/// R and c of what f->y and f->dy_dp are at f->p, and its cost; false: a number is not finite.
bool fit_reduce(fit *f, fit_point *point);
/// R of data and priors from that of the data (c NULL), at p.
void fit_add_priors(fit *f, const double *data, const double *p, double *R, double *c, double *cost);
/// Whether a search can go on elsewhere after this.
bool fit_can_avoid(td_status status);

// box.c
/// d = argmin |R d + c|^2 / 2 + damping |scale d|^2 / 2 with x + d within the bounds.
void fit_step(fit *f, const fit_point *point, double damping, double *d);
/// What the cost loses by d, as far as the residuals are straight: |c|^2 / 2 - |R d + c|^2 / 2.
double fit_promise(const fit *f, const fit_point *point, const double *d);

// derivative_check.c
/// In [0, 1).
double fit_random(uint64_t *seed);
/// Predicts at best_p, fills result->y, and holds the derivatives there against two more predictions.
td_status fit_check_derivatives(fit *f, td_fit_result *result);

// steps.c
/// Warns where predictions in finer steps would move an unknown by more than its standard deviation. After fit_confide,
/// whose covariance it takes; f->dy_dp is that of the answer. Overwrites f->y and f->now.
td_status fit_judge_steps(fit *f, td_fit_result *result);

// confidence.c
/// Covariance, correlation, singular values and directions at best_p. `misfit` stands for sigma where there is none.
td_status fit_confide(fit *f, td_fit_result *result);
// judge.c
void fit_judge(const fit *f, td_fit_result *result);
// unidentified.c
/// Directions of unknowns: row i of V has the singular value s[i] of data and priors; its entry j is unknown of[j]'s, in
/// units of scale[j].
typedef struct fit_directions {
  const size_t *of;
  size_t k;
  const double *s; ///< [k], falling
  const double *V; ///< [k][k]
  const double *scale;
} fit_directions;
/// One sentence of each combination of unknowns that neither data nor priors tell. TD_NO_MEMORY.
TD_NODISCARD td_status fit_judge_directions(const fit *f, const fit_directions *d, td_fit_result *result);

#endif
