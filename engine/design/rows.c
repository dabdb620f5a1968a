// Evaluations. NLopt asks for f and for the constraints one after the other, at the same point: every point is
// evaluated once, with derivatives, and kept as a row.
//
// Where nothing can be evaluated (a run that does not come to its end) the row has no f (NaN).
#include "design/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WALLS = 30, LOOKED_BACK = 8, PATIENCE = 20 };

// The least f of those that meet the constraints, else the least violation.
static bool is_better(const design *d, const double *row, const double *than) {
  size_t n = d->spec->count;
  if (design_is_wall(d, row) || design_is_wall(d, than)) return !design_is_wall(d, row);
  double own = design_violation(d, row), other = design_violation(d, than), slack = d->spec->slack;
  if (own <= slack && other <= slack) return row[n] < than[n];
  return own < other;
}

static bool grow(design *d) {
  if (d->count < d->room) return true;
  size_t room = d->room ? 2 * d->room : 64;
  double *rows = realloc(d->rows, room * d->size * sizeof *rows);
  if (!rows) return false;
  d->rows = rows;
  d->room = room;
  return true;
}

// d->err stays that of the last one that failed, whatever is evaluated after it.
static td_status compute(design *d, double *row) {
  size_t n = d->spec->count, c = d->spec->constraints;
  double *f = row + n, *df = f + 1, *values = df + n, *slopes = values + c;
  td_error err = {.status = TD_OK};
  td_status status = d->spec->evaluate(d->spec->context, row, f, df, values, slopes, &err);
  for (size_t i = n; status == TD_OK && i < d->size; i++)
    if (!isfinite(row[i])) status = td_fail(&err, TD_NONFINITE, "", "the objective or a constraint is not finite");
  if (status != TD_OK) d->err = err;
  return status;
}

static void p_of(const design *d, const double *z, double *p) {
  for (size_t j = 0; j < d->spec->count; j++) {
    const td_unknown *u = &d->spec->unknowns[j];
    double x = z[j] * d->reach[j], near = 1e-12 * fmax(1, fabs(x)); // a bound that z is at is p's, to the last bit
    p[j] = fit_p_of(u, x);
    if (fabs(x - fit_x_of(u, u->upper)) <= near) p[j] = u->upper;
    if (fabs(x - fit_x_of(u, u->lower)) <= near) p[j] = u->lower;
  }
}

static const double *find_row(const design *d, const double *z) {
  size_t bytes = d->spec->count * sizeof *z;
  if (d->count > 0 && memcmp(z, d->from, bytes) == 0) return d->rows + d->from_row * d->size;
  for (size_t back = 1; back <= d->count && back <= LOOKED_BACK; back++) {
    const double *row = d->rows + (d->count - back) * d->size;
    if (memcmp(row, d->p, bytes) == 0) return row;
  }
  return NULL;
}

// Whether a search has long come no nearer to meeting the constraints.
static bool is_lost(design *d) {
  double missed = design_violation(d, d->rows + d->best * d->size);
  if (missed < 0.5 * d->missed) d->missed = missed, d->missed_at = d->count;
  return missed > d->spec->slack && d->count > d->missed_at + PATIENCE;
}

// What a new row means for the search.
static void take(design *d, const double *row) {
  d->walls += design_is_wall(d, row);
  if (d->count == 0 && !d->measured) td_design_sizes(d->spec, row, d->measure);
  bool first = d->count == 0, best = first || is_better(d, row, d->rows + d->best * d->size);
  if (best) d->best = d->count;
  d->count++;
  if (best && !first && design_gone(d, row) < d->spec->count) d->over = DESIGN_AWAY;
  if (best && d->restoring && design_violation(d, row) <= d->spec->slack) d->over = DESIGN_MET;
  if (!d->restoring && is_lost(d)) d->over = DESIGN_TURNS;
  bool meets = best && design_violation(d, row) <= d->spec->slack;
  if (meets && d->proves && design_promise(d, row) <= DESIGN_SURE) d->over = DESIGN_PROVED;
}

void design_look_at(design *d, size_t count) {
  for (size_t k = 0; k < count; k++) take(d, d->rows + k * d->size);
}

const double *design_row_at(design *d, const double *z) {
  size_t n = d->spec->count;
  p_of(d, z, d->p);
  const double *same = find_row(d, z);
  if (same) return same;
  if (d->over == DESIGN_GOES_ON && d->count >= (size_t)d->spec->max_evaluations) d->over = DESIGN_EXHAUSTED;
  if (d->over == DESIGN_GOES_ON && d->count >= d->turns_at) d->over = DESIGN_TURNS;
  if (d->over != DESIGN_GOES_ON) return NULL;
  if (!grow(d)) return d->status = td_fail(&d->err, TD_NO_MEMORY, "", "not enough memory"), NULL;
  double *row = d->rows + d->count * d->size;
  const double *known = d->count < d->known_count ? d->known + d->count * d->size : NULL;
  bool is_known = known && memcmp(known, d->p, n * sizeof *d->p) == 0;
  memcpy(row, is_known ? known : d->p, (is_known ? d->size : n) * sizeof *row);
  row[d->size - 1] = d->start;
  if (!is_known) d->status = compute(d, row);
  if (d->status != TD_OK && d->count > 0 && d->walls < MOST_WALLS && fit_can_avoid(d->status)) {
    for (size_t i = n; i + 1 < d->size; i++) row[i] = i == n ? NAN : 0;
    d->status = TD_OK;
  }
  if (d->status != TD_OK) return NULL;
  take(d, row);
  size_t index = d->count - 1;
  if (!is_known && d->hooks && d->hooks->evaluated && !d->hooks->evaluated(d->hooks->context, row, d->before + index))
    return d->status = TD_CANCELLED, NULL;
  return row;
}
