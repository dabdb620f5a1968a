// The best numbers for a task: an objective made small within bounds and constraints, by the methods of NLopt over
// gradients.
//
//   f(p) -> least,   c_i(p) <= 0,   lower <= p <= upper
//
// Who calls says what f and c are (td_design_evaluate): nothing here knows robots. A search is a list of evaluations,
// and depends on nothing else: with the evaluations of one that was interrupted it goes on to the same bits.
#ifndef TENDRIL_DESIGN_H
#define TENDRIL_DESIGN_H

#include "tendril/fit.h"

enum { TD_MAX_DESIGN_NUMBERS = 4096, TD_MAX_DESIGN_CONSTRAINTS = 4096, TD_MAX_DESIGN_EVALUATIONS = 10000 };

typedef enum td_design_method {
  TD_DESIGN_SLSQP, ///< sequential quadratic programming
  TD_DESIGN_MMA,   ///< moving asymptotes: many numbers, many constraints
  TD_DESIGN_LBFGS, ///< limited-memory BFGS: no constraints
  TD_DESIGN_METHOD_COUNT
} td_design_method;
/// "slsqp", "mma", "lbfgs".
TD_API const char *td_design_method_name(td_design_method method);

/// @param p         [np] within the bounds
/// @param f         out
/// @param df_dp     [np] out; NULL: not wanted
/// @param c         [constraints] out, each in its own unit
/// @param dc_dp     [constraints][np] out; NULL: not wanted
/// @return TD_OK; TD_CANCELLED, TD_LIMIT or TD_NO_MEMORY end the search; with anything else there is nothing at p: the
///         search turns back (30 times)
typedef td_status (*td_design_evaluate)(void *context, const double *p, double *f, double *df_dp, double *c,
                                        double *dc_dp, td_error *err);

typedef struct td_design_spec {
  const td_unknown *unknowns; ///< [count]; priors are not read
  size_t count;               ///< np
  size_t constraints;
  const double *sizes; ///< [constraints] what each is measured by, in the unit of c; NULL or 0: by what it changes by
                       ///< when numbers do by as much as they are
  /// [constraints] c_i is -c_(i-1): both together want it to be 0, and slsqp and the judge of the end take them as one
  /// equation. NULL: none is.
  const bool *mirrored;
  td_design_method method;
  int max_evaluations; ///< of each start (200)
  int starts;          ///< searches: the first from the values, the others from random ones within the bounds (1)
  uint64_t seed;       ///< of the random ones (0)
  double tolerance;    ///< relative, of f and of p in their reaches (1e-6)
  double slack;        ///< by which a constraint may be above 0, of its size (1e-6)
  td_design_evaluate evaluate;
  void *context;
} td_design_spec;
/// max_evaluations, starts, tolerance, slack: the defaults above.
TD_API void td_design_defaults(td_design_spec *spec);

typedef enum td_design_end {
  TD_DESIGN_RUNNING,    ///< of a search that was stopped
  TD_DESIGN_CONVERGED,  ///< no direction lowers f within the constraints, also none along which it is flat
  TD_DESIGN_STALLED,    ///< it ended where the derivatives still promise less
  TD_DESIGN_EXHAUSTED,  ///< max_evaluations came first
  TD_DESIGN_INFEASIBLE, ///< nothing was found that meets the constraints, also where nothing else was asked for
  TD_DESIGN_UNBOUNDED,  ///< a number without a bound ran away, f falling still
  TD_DESIGN_FAILED,     ///< an evaluation failed on the way: the best of those before
  TD_DESIGN_END_COUNT
} td_design_end;
/// "running", "converged", "stalled", "evaluations", "infeasible", "unbounded", "failed".
TD_API const char *td_design_end_name(td_design_end end);

/// An evaluation in numbers: p [np], f (NaN: it failed, then what follows is 0), df_dp [np], c [constraints], dc_dp
/// [constraints][np], and which start it is from.
TD_API size_t td_design_row_size(const td_design_spec *spec);

/// What constraints are measured by, all positive: spec->sizes, else by what they change by at the start.
/// @param row    the first evaluation
/// @param sizes  [constraints] out
TD_API void td_design_sizes(const td_design_spec *spec, const double *row, double *sizes);

typedef struct td_design_hooks {
  void *context;
  /// After every evaluation that is none of those known. `best` of all so far: its index. Return false to stop:
  /// TD_CANCELLED.
  bool (*evaluated)(void *context, const double *row, size_t index);
} td_design_hooks;

/// Arrays belong to the caller; each may be NULL.
typedef struct td_design_result {
  td_design_end end;
  size_t evaluations;      ///< known ones included, of all starts
  int start;               ///< the one that found the best
  int failed_starts;       ///< where nothing could be evaluated
  size_t best;             ///< index of the best: the least f of those that meet the constraints, else least violation
  double f, first_f;       ///< at the best, at the first start
  double violation;        ///< the largest c at the best, by its size, at least 0
  double promised;         ///< what f could still fall by, to first order, over the reach of the numbers; by |f|
  double derivative_error; ///< of df_dp at the start, against differences of f; NaN: not known
  double *p;               ///< [np]
  bool *at_bound;          ///< [np]
  double *c;               ///< [constraints] at the best, each in its unit
  td_error failure;        ///< of TD_DESIGN_FAILED
  td_warnings warnings;
} td_design_result;

/// Checks a spec; pointers "/parameters/1/lower", "/method".
TD_API TD_NODISCARD td_status td_design_check(const td_design_spec *spec, td_error *err);
/// Searches. What NLopt sees is scaled by what the objective and the constraints change by over the reach of the numbers
/// (span of the bounds, else the start; of logarithms 1): the answer does not depend on units and weights. A search that
/// stalls begins anew at its best, at last by another method. One that came to an optimum where more than a millionth
/// of f is promised still goes on from there in the finest steps, by slsqp (beyond 300 numbers by lbfgs, with
/// constraints by the method itself), until less is or nothing is gained.
/// Several starts are searched one after the other, each with max_evaluations of its own; the best of their ends counts.
/// @param known   [known_count][td_design_row_size] evaluations of the same search, in their order, or NULL, 0
/// @param hooks   may be NULL
/// @param result  out, also where a hook stopped it: the best so far
/// @return TD_OK, whatever ended the search (result->end); TD_CANCELLED; where no start can be evaluated what the last said
/// Cost: two evaluations without derivatives at each start, one with them for each point. Allocates.
TD_API TD_NODISCARD td_status td_design_run(const td_design_spec *spec, const double *known, size_t known_count,
                                            const td_design_hooks *hooks, td_design_result *result, td_error *err);

/// What a list of evaluations tells of a search that was stopped, or ended elsewhere: the best, and what is promised
/// there. `end` is running, there are no warnings.
/// @param rows  [count][td_design_row_size], count > 0, as hooks had them
/// @param best  which of them is the best; count: it is looked for
/// @return TD_OK, TD_NO_MEMORY; TD_INVALID_ARGUMENT as td_design_check
TD_API TD_NODISCARD td_status td_design_peek(const td_design_spec *spec, const double *rows, size_t count, size_t best,
                                             td_design_result *result, td_error *err);

#endif
