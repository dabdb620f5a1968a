// Parameters from measurements: bounded least squares by Levenberg and Marquardt, and what its answer is worth.
//
//   cost(p) = 1/2 sum_i ((y_i(p) - data_i) / sigma_i)^2 + 1/2 sum_j ((p_j - prior_j) / prior_sigma_j)^2  ->  least,
//   lower <= p <= upper
//
// Who calls says what y is (td_fit_predict): nothing here knows robots. No answer is silently wrong: what ended the
// search, unknowns at bounds, combinations that the data do not tell, residuals that sigma does not explain and
// derivatives that do not fit their function are in the result and its warnings.
#ifndef TENDRIL_FIT_H
#define TENDRIL_FIT_H

#include "tendril/status.h"
#include "tendril/warnings.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TD_MAX_UNKNOWNS = 256, TD_MAX_FIT_STARTS = 1000, TD_MAX_FIT_ITERATIONS = 10000 };

typedef struct td_unknown {
  const char *name;          ///< for what is said of it
  double value;              ///< where the first start begins, within the bounds
  double lower, upper;       ///< bounds included; -+INFINITY: none
  bool log;                  ///< the unknown is ln p, p and its bounds are positive (lower 0: none)
  double prior, prior_sigma; ///< what was known of p beforehand, a Gaussian in p; prior_sigma 0: nothing
} td_unknown;

/// What the parameters predict.
/// @param p      [np] within the bounds
/// @param y      [samples] out; whatever it likes where data are missing
/// @param dy_dp  [samples][np] out; NULL: not wanted
/// @return TD_OK; TD_CANCELLED, TD_LIMIT or TD_NO_MEMORY end the fit; with anything else there is no prediction at p:
///         the search goes on nearer to where there was one
typedef td_status (*td_fit_predict)(void *context, const double *p, double *y, double *dy_dp, td_error *err);

typedef struct td_fit_options { // td_fit_defaults
  int max_iterations;           ///< of each start (50)
  double tolerance;             ///< of cost, relative: what a further step could still take away (1e-10)
  int starts;                   ///< the first at `value`, all others at random within the bounds (1)
  uint64_t seed;                ///< of these (0)
  double derivative_noise;      ///< relative, what derivatives may be off: a gain of its square is none (0)
} td_fit_options;
/// @param options  out, every member: the defaults above
TD_API void td_fit_defaults(td_fit_options *options);

typedef struct td_fit_spec {
  const td_unknown *unknowns; ///< [count]
  size_t count;               ///< np
  const double *data;         ///< [samples]; NaN: missing
  const double *sigma;        ///< [samples] > 0; NULL: alike for all and not known, the residuals tell it
  size_t samples;
  td_fit_predict predict;
  /// What runs in steps half as long would predict, without derivatives (dy_dp NULL); asked for once, at the answer, by how
  /// much that would be another. NULL: steps have no say.
  td_fit_predict predict_finer;
  void *context; ///< of both
  td_fit_options options;
} td_fit_spec;

typedef enum td_fit_end {
  TD_FIT_RUNNING,   ///< of a fit that was stopped
  TD_FIT_CONVERGED, ///< no step takes anything away any more
  TD_FIT_STALLED,   ///< the derivatives promise less cost where there is none: no minimum was reached
  TD_FIT_EXHAUSTED, ///< max_iterations came first
  TD_FIT_END_COUNT
} td_fit_end;
/// "running", "converged", "stalled", "iterations".
TD_API const char *td_fit_end_name(td_fit_end end);

/// A point that the search accepted.
typedef struct td_fit_iteration {
  int start, iteration; ///< from 0
  const double *p;      ///< [np]
  double cost;
  double best_cost;  ///< of all starts so far
  const void *state; ///< all that td_fit_run needs to go on from here, with the same bits
  size_t state_size; ///< td_fit_state_size
} td_fit_iteration;

typedef struct td_fit_hooks { // may be NULL
  void *context;
  /// After every accepted point, the first of a start too. Return false to stop: TD_CANCELLED.
  bool (*iteration)(void *context, const td_fit_iteration *now);
} td_fit_hooks;

/// Arrays belong to the caller; each may be NULL.
typedef struct td_fit_result {
  td_fit_end end;          ///< of the best start
  int start;               ///< that was best
  int iterations;          ///< of all starts
  int failed_starts;       ///< where nothing could be predicted
  uint64_t predictions;    ///< calls of predict
  size_t used;             ///< samples that are there
  double cost;             ///< at p
  double misfit;           ///< root mean square of (y - data) / sigma, per degree of freedom: 1 where sigma is right
  double derivative_error; ///< |dy_dp v - differences of y| / |dy_dp v| at p along one v; NaN: not known
  double *p;               ///< [np]
  bool *at_bound;          ///< [np]
  /// [np][np] of p. Rows of unknowns at bounds are NaN, as are those of parameters that neither data nor priors tell,
  /// whose variance is infinite. Without sigma the residuals' size stands for it.
  double *covariance;
  double *correlation; ///< [np][np]
  /// [np] falling, of the data alone (no priors), with each unknown measured by its reach: ln p by 1, others by upper -
  /// lower, else by |value|, else by 1. The data tell a direction to 1 / singular value of that reach.
  double *singular_values;
  double *
      directions; ///< [np][np] row k: the combination of unknowns, in their sizes at the answer (ln p: 1), that belongs to value k
  double *y;            ///< [samples] at p
  td_warnings warnings; ///< pointers "/parameters/2", by index
} td_fit_result;

/// Checks a spec; pointers "/parameters/1/lower", "/starts".
TD_API TD_NODISCARD td_status td_fit_check(const td_fit_spec *spec, td_error *err);
/// Bytes of a state.
TD_API size_t td_fit_state_size(size_t count);
/// Finds the parameters.
/// @param hooks                may be NULL
/// @param resume, resume_size  a state of the same fit, or NULL, 0
/// @param result               out, also where a hook stopped it: the best so far, without y and derivative_error
/// @return TD_OK, whatever ended the search (result->end); TD_CANCELLED; TD_INVALID_ARGUMENT; what predict said where
///         it could not say anything at any start
/// Cost: one prediction with derivatives a trial, most of which are accepted, and two without at the end, and a finer one;
/// beside them O(samples np^2). Allocates samples (np + 4) doubles.
TD_API TD_NODISCARD td_status td_fit_run(const td_fit_spec *spec, const td_fit_hooks *hooks, const void *resume,
                                         size_t resume_size, td_fit_result *result, td_error *err);
/// What a state says: the best parameters so far and their confidence, nothing is predicted.
TD_API TD_NODISCARD td_status td_fit_peek(const td_fit_spec *spec, const void *state, size_t state_size,
                                          td_fit_result *result, td_error *err);

#endif
