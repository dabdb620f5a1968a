// Objectives: sums over what a run or a list of equilibria reports, with their derivatives by it.
//
//   J = sum over terms, samples that count and selected numbers x of   1/2 w (x - target)^2   or   c x
//
// Some terms look at all samples at once (td_objective_history): the largest x, the work of inputs along x, the stiffness
// between two equilibria.
//
// Pure functions of rows as td_run_output_members and td_statics_output_members lay them out; what rows depend on is
// no matter of theirs.
#ifndef TENDRIL_OBJECTIVE_H
#define TENDRIL_OBJECTIVE_H

#include "tendril/dynamics.h"

/// Which samples count.
typedef enum td_when {
  TD_WHEN_END, ///< the last one
  TD_WHEN_ALL,
  TD_WHEN_TIMES ///< those at `times`
} td_when;

/// How `value` goes over time.
typedef enum td_rows_over_time {
  TD_ROWS_CONSTANT,  ///< one row
  TD_ROWS_AT_KNOTS,  ///< rows at the times `t`, linear in between, held outside
  TD_ROWS_OF_SAMPLES ///< a row for each sample of the run
} td_rows_over_time;

/// What a term is of the numbers that it selects.
typedef enum td_term_kind {
  TD_TERM_SUM,      ///< what stands above
  TD_TERM_PEAK,     ///< c ln(sum exp(k x)) / k, k the sharpness: above the largest x by ln(count) / k at the most
  TD_TERM_WORK,     ///< c sum of mean u times change of x, of tendons (field "tendons", lengths) of -x: trapezoids
  TD_TERM_STIFFNESS ///< c (u_2 - u_1) / (x_2 - x_1) of the two samples that count
} td_term_kind;

/// Everything is borrowed. Values, weights and factors are at most 1e100.
typedef struct td_objective_term {
  const char *place;    ///< JSON pointer of the term, for messages ("/objective/0")
  const char *field;    ///< as in a job's output.fields: "poses:arm@1"
  const size_t *select; ///< [select_count][select_rank] indices into a sample of the field; NULL: all of it, in order
  size_t select_count, select_rank;
  bool linear;         ///< c x; else squares
  const double *value; ///< [rows][width] c, or the target; width as many as are selected
  size_t rows, width;
  td_rows_over_time course;
  const double *t;      ///< [rows] s, rising strictly, of TD_ROWS_AT_KNOTS
  const double *weight; ///< [weight_count] of squares, one for all or one each; NULL: 1
  size_t weight_count;
  td_when when;
  const double *times; ///< [time_count] s, of samples
  size_t time_count;
  td_term_kind kind;     ///< others than TD_TERM_SUM have no value, course and weight
  double factor;         ///< of these: c
  double sharpness;      ///< > 0, of TD_TERM_PEAK
  const size_t *channel; ///< [channel_count] of the field u: of TD_TERM_WORK one for each number, of stiffness one
  size_t channel_count;
} td_objective_term;

enum { TD_MAX_OBJECTIVE_TERMS = 256 };

/// Immutable, may be shared between threads.
typedef struct td_objective td_objective;
/// @param members    [member_count] layout of a row
/// @param t          [samples] times of the samples, rising; of equilibria their numbers 0, 1, …
/// @param terms      [term_count]; must outlive the objective, as must `t`
/// @param objective  out; owned by the caller, td_objective_destroy
/// @return TD_INVALID_ARGUMENT with the place and what to do; TD_NO_MEMORY
TD_API TD_NODISCARD td_status td_objective_create(const td_member *members, int member_count, const double *t,
                                                  size_t samples, const td_objective_term *terms, size_t term_count,
                                                  td_objective **objective, td_error *err);
/// @param objective  may be NULL
TD_API void td_objective_destroy(td_objective *objective);
/// True when this sample adds something.
TD_API bool td_objective_counts(const td_objective *objective, size_t sample);
/// True when there are terms that look at all samples at once.
TD_API bool td_objective_has_history(const td_objective *objective);
/// What these add to J.
/// @param rows        [samples][width]
/// @param cotangents  [samples][width] added to; NULL: not wanted
/// Cost: O(samples selected numbers), no allocation.
TD_API double td_objective_history(const td_objective *objective, const double *rows, size_t width, double *cotangents);
/// What a sample adds to J, and by how much J changes with each number of its row. Terms of all samples are left out.
/// @param row        of this sample
/// @param cotangent  [row] added to; NULL: not wanted
/// Cost: O(selected numbers of terms that count here), no allocation.
TD_API double td_objective_at(const td_objective *objective, size_t sample, const double *row, double *cotangent);

#endif
