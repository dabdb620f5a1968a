// One search from each start, one after the other: the first from the values that were given, the others from random
// ones within the bounds. The best of their ends is the answer: one that meets the constraints before one that does not,
// then the least f, of equals the first. What constraints are measured by is the same for all.
//
// The evaluations of all are one list. A start takes as many of those that are known as its search asks for, which
// depends on nothing else; so what follows has the same bits. Where nothing can be evaluated a start leaves no row, and
// is tried again.
#include "design/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool carve(design *d) {
  size_t n = d->spec->count, m = d->spec->constraints;
  d->size = td_design_row_size(d->spec);
  d->p = calloc(7 * n + 4 * m + 1, sizeof *d->p);
  if (!d->p) return false;
  d->z = d->p + n;
  d->bound = d->z + n;
  d->slope = d->bound + n;
  d->beside = d->slope + n;
  d->from = d->beside + n;
  d->reach = d->from + n;
  d->measure = d->reach + n;
  d->unit = d->measure + m;
  d->slack = d->unit + m;
  d->lambda = d->slack + m;
  for (size_t j = 0; j < n; j++) d->reach[j] = fit_reach(&d->spec->unknowns[j]);
  d->which = calloc(m + 1, sizeof *d->which);
  return d->which;
}

static void discard(design *d) {
  free(d->rows);
  free(d->which);
  free(d->p);
}

static void clear(td_design_result *result) {
  result->end = TD_DESIGN_RUNNING;
  result->evaluations = result->best = 0;
  result->start = result->failed_starts = 0;
  result->f = result->first_f = result->violation = result->promised = result->derivative_error = NAN;
  result->failure = (td_error){.status = TD_OK};
  result->warnings = (td_warnings){0};
}

// ------------------------------------------------------------------------------------------------ all starts

typedef struct course {
  const td_design_spec *spec;
  const td_design_hooks *hooks;
  const double *known;
  size_t known_count;
  td_unknown *unknowns;    // [np] those of the present start
  td_design_result result; // of the present start, with arrays of its own
  double *measure;         // [constraints] as the first evaluation of all has them
  size_t before;           // evaluations
  double first_f;
  int failed;
} course;

static bool set_out(course *c) {
  size_t n = c->spec->count, m = c->spec->constraints;
  c->unknowns = calloc(n, sizeof *c->unknowns);
  c->measure = calloc(m + 1, sizeof *c->measure);
  c->result.p = calloc(n, sizeof *c->result.p);
  c->result.at_bound = calloc(n, sizeof *c->result.at_bound);
  c->result.c = calloc(m + 1, sizeof *c->result.c);
  return c->unknowns && c->measure && c->result.p && c->result.at_bound && c->result.c;
}

static void come_back(course *c) {
  free(c->unknowns);
  free(c->measure);
  free(c->result.p);
  free(c->result.at_bound);
  free(c->result.c);
}

static void place_start(course *c, int start) {
  uint64_t seed = c->spec->seed * 1000003u + (uint64_t)start;
  for (size_t j = 0; j < c->spec->count; j++) {
    td_unknown *u = &c->unknowns[j];
    *u = c->spec->unknowns[j];
    double part = fit_random(&seed), lower = fit_x_of(u, u->lower), upper = fit_x_of(u, u->upper);
    if (start > 0) u->value = fit_p_of(u, lower + part * (upper - lower));
  }
}

static bool is_better(const course *c, const td_design_result *own, const td_design_result *than) {
  double slack = c->spec->slack;
  if (isnan(than->f)) return true;
  if (own->violation <= slack && than->violation <= slack) return own->f < than->f;
  return own->violation < than->violation;
}

// The scalars of the present start's result, and what its arrays hold.
static void take_over(const course *c, int start, td_design_result *to) {
  const td_design_result *own = &c->result;
  size_t n = c->spec->count, m = c->spec->constraints;
  td_design_result arrays = *to;
  *to = *own;
  to->p = arrays.p, to->at_bound = arrays.at_bound, to->c = arrays.c;
  to->start = start;
  to->best += c->before;
  if (to->p) memcpy(to->p, own->p, n * sizeof *to->p);
  if (to->at_bound) memcpy(to->at_bound, own->at_bound, n * sizeof *to->at_bound);
  if (to->c) memcpy(to->c, own->c, m * sizeof *to->c);
}

// *able false: nothing could be evaluated there.
static td_status search_from(course *c, int start, td_design_result *result, bool *able, td_error *err) {
  place_start(c, start);
  clear(&c->result);
  td_design_spec spec = *c->spec;
  spec.unknowns = c->unknowns;
  design d = {.spec = &spec, .hooks = c->hooks, .turns_at = SIZE_MAX};
  d.start = start, d.before = c->before, d.measured = c->before > 0;
  size_t used = c->before < c->known_count ? c->before : c->known_count;
  d.known = c->known ? c->known + used * td_design_row_size(&spec) : NULL;
  d.known_count = c->known_count - used;
  bool ready = carve(&d);
  if (ready && d.measured) memcpy(d.measure, c->measure, spec.constraints * sizeof *d.measure);
  td_status status = ready ? design_explore(&d, &c->result) : td_fail(&d.err, TD_NO_MEMORY, "", "not enough memory");
  if (ready) design_tell(&d, &c->result);
  *able = d.count > 0;
  if (*able && !d.measured) memcpy(c->measure, d.measure, spec.constraints * sizeof *c->measure);
  if (*able && c->before == 0) c->first_f = c->result.first_f;
  if (*able && is_better(c, &c->result, result)) take_over(c, start, result);
  c->before += d.count;
  if (status != TD_OK) *err = d.err, err->status = status;
  discard(&d);
  return status;
}

static void conclude(const course *c, td_status status, td_design_result *result) {
  result->evaluations = c->before;
  result->first_f = c->first_f;
  result->failed_starts = c->failed;
  if (status != TD_OK) result->end = TD_DESIGN_RUNNING, result->warnings = (td_warnings){0};
  if (status == TD_OK && c->failed > 0)
    td_warn(&result->warnings, "failed_starts", "/starts",
            "at %d of %d starts nothing could be evaluated: the bounds reach to robots that cannot be computed",
            c->failed, c->spec->starts);
}

td_status td_design_run(const td_design_spec *spec, const double *known, size_t known_count,
                        const td_design_hooks *hooks, td_design_result *result, td_error *err) {
  clear(result);
  td_error own = {.status = TD_OK}, *why = err ? err : &own;
  td_status status = td_design_check(spec, why);
  if (status != TD_OK) return status;
  course c = {.spec = spec, .hooks = hooks, .known = known, .known_count = known_count, .first_f = NAN};
  if (!set_out(&c)) status = td_fail(why, TD_NO_MEMORY, "", "not enough memory");
  for (int start = 0; status == TD_OK && start < spec->starts; start++) {
    bool able = false;
    status = search_from(&c, start, result, &able, why);
    if (status == TD_OK || able || !fit_can_avoid(status)) continue;
    c.failed++;
    bool none = start + 1 == spec->starts && c.before == 0;
    if (!none) status = TD_OK;
  }
  conclude(&c, status, result);
  come_back(&c);
  return status;
}

// ------------------------------------------------------------------------------------------------ a list

td_status td_design_peek(const td_design_spec *spec, const double *rows, size_t count, size_t best,
                         td_design_result *result, td_error *err) {
  clear(result);
  td_status status = td_design_check(spec, err);
  if (status != TD_OK) return status;
  design d = {.spec = spec};
  size_t bytes = count * td_design_row_size(spec) * sizeof *rows;
  d.rows = malloc(bytes);
  if (!carve(&d) || !d.rows) status = td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  if (status == TD_OK) {
    memcpy(d.rows, rows, bytes);
    design_look_at(&d, count);
    if (best < count) d.best = best;
    if (best >= count) design_judge(&d, result);
    if (best < count) result->promised = design_promise(&d, d.rows + best * d.size);
    design_tell(&d, result);
    result->start = (int)d.rows[d.best * d.size + d.size - 1];
    result->end = TD_DESIGN_RUNNING;
  }
  discard(&d);
  return status;
}
