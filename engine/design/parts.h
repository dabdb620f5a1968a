// Shared by the files of a design: design.c (the search) and judge.c (what its end is worth).
#ifndef TENDRIL_DESIGN_PARTS_H
#define TENDRIL_DESIGN_PARTS_H

#include "fit/parts.h"
#include "tendril/design.h"

typedef struct design {
  const td_design_spec *spec;
  const td_design_hooks *hooks;
  struct nlopt_opt_s *opt;
  const double *known; ///< [known_count][size]
  size_t known_count;
  double *rows; ///< [count][size] of td_design_row_size
  size_t size, count, room, best;
  size_t walls;                           ///< points where nothing could be evaluated
  double *p, *z, *bound, *slope, *beside; ///< [np]
  double *slack;                          ///< [constraints]
  td_status status;                       ///< of the last evaluation, or why the search was stopped
  td_error err;
} design;

/// 1: p_j is at its upper bound as far as the search looks, -1: at its lower bound, 0: at none.
int design_side(const design *d, size_t j, double p);
/// df_dp at the start against differences of f along one direction.
td_status design_check_derivatives(design *d, td_design_result *r);
/// What ended the search, and what has to be said of it. `failed`: an evaluation; `exhausted`: evaluations.
void design_judge(design *d, bool failed, bool exhausted, td_design_result *r);

#endif
