// What has to be said of an answer, beyond how it ended: numbers at bounds, without bounds, without effect, and
// derivatives that are none.
#include "design/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double WRONG_DERIVATIVE = 0.02;
static const double NO_EFFECT = 1e-9; // of the largest effect of any number
static const double SPREAD = 10;      // reaches

static void point_to(char pointer[48], size_t j) { snprintf(pointer, 48, "/parameters/%zu", j); }

static void remark_bounds(const design *d, td_design_result *r) {
  char pointer[48];
  const double *row = d->rows + d->best * d->size;
  for (size_t j = 0; j < d->spec->count; j++) {
    const td_unknown *u = &d->spec->unknowns[j];
    int side = design_side(d, j, row[j]);
    if (side == 0 || d->bound[j] != 0 || r->end == TD_DESIGN_INFEASIBLE) continue; // as design_judge left it
    point_to(pointer, j);
    td_warn(&r->warnings, "design_at_bound", pointer, "%.120s is at its %s bound %.9g: beyond it would be better still",
            u->name, side > 0 ? "upper" : "lower", side > 0 ? u->upper : u->lower);
  }
}

// Numbers that have gone far where no bound is, of searches that found no optimum.
static void remark_open(const design *d, td_design_result *r) {
  char pointer[48];
  const double *row = d->rows + d->best * d->size;
  if (r->end == TD_DESIGN_CONVERGED || r->end == TD_DESIGN_EXHAUSTED) return;
  for (size_t j = 0; j < d->spec->count; j++) {
    const td_unknown *u = &d->spec->unknowns[j];
    double way = fabs(design_z(d, row, j) - design_z(d, d->rows, j)) * design_grown(d, j);
    double most = u->log ? log(SPREAD) : SPREAD;
    if (!(way > most) || !design_is_open(d, row, j)) continue;
    point_to(pointer, j);
    td_warn(&r->warnings, "design_unbounded", pointer,
            "%.120s has gone from %.6g to %.6g, and nothing holds it there: give it %s", u->name, d->rows[j], row[j],
            row[j] > d->rows[j] ? "an `upper`" : "a `lower`");
  }
}

// [np] the largest part that each number ever had in what f or a constraint changes by.
static void find_effects(const design *d, double *effect) {
  size_t n = d->spec->count, m = d->spec->constraints;
  for (size_t k = 0; k < d->count; k++) {
    const double *row = d->rows + k * d->size;
    for (size_t i = 0; i <= m && !design_is_wall(d, row); i++) {
      const double *slopes = i == 0 ? row + n + 1 : row + 2 * n + 1 + m + (i - 1) * n;
      double most = 0;
      for (size_t j = 0; j < n; j++) most = fmax(most, fabs(slopes[j] * design_slope(d, row, j)));
      for (size_t j = 0; j < n && most > 0; j++)
        effect[j] = fmax(effect[j], fabs(slopes[j] * design_slope(d, row, j)) / most);
    }
  }
}

static void remark_idle(const design *d, td_design_result *r) {
  char pointer[48];
  memset(d->beside, 0, d->spec->count * sizeof *d->beside);
  find_effects(d, d->beside);
  for (size_t j = 0; j < d->spec->count; j++) {
    if (d->beside[j] > NO_EFFECT) continue;
    point_to(pointer, j);
    td_warn(&r->warnings, "no_effect", pointer,
            "%.120s changes neither the objective nor a constraint at any point of the search: it stays at %.9g. Leave "
            "it out, or ask for something that depends on it",
            d->spec->unknowns[j].name, d->rows[d->best * d->size + j]);
  }
}

void design_remark(const design *d, td_design_result *r) {
  if (r->derivative_error > WRONG_DERIVATIVE)
    td_warn(
        &r->warnings, "wrong_derivative", "/objective",
        "the derivatives of the objective are off by %.2g of them from differences at the start: the best may not be "
        "one. Contacts and other kinks do that, and runs with coarse tolerances",
        r->derivative_error);
  remark_open(d, r);
  remark_idle(d, r);
  remark_bounds(d, r);
}
