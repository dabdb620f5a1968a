// Why a run could not go on, as far as its last state shows it.
#ifndef TENDRIL_WHY_RUN_END_H
#define TENDRIL_WHY_RUN_END_H

#include "tendril/warnings.h"
#include "why/cause.h"

/// What a run was left with.
typedef struct td_run_end {
  double rtol;             ///< that its steps were held to
  const td_warnings *said; ///< before: a start in a singular configuration is named there
  bool near_singular;      ///< the rows of loops nearly lose rank
  int loop;                ///< the one that is open by most, -1: none is known
  double open;             ///< by so much (rad, m)
} td_run_end;

/// Appends the clauses to the message of `err` that hold at q [n]: the cause (td_cause_explain), a singular
/// configuration, coordinates that reach too far, loops that are open. May be called without `err`.
void td_run_end_explain(const td_model *model, const double *q, const td_run_end *left, td_error *err);
/// The first of them alone, for a run that has only begun; nothing that the message says already.
void td_run_end_add_cause(const td_model *model, const double *q, td_error *err);

#endif
