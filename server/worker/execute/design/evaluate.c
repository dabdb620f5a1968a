// One evaluation: the objective and the constraints of what the jobs within report, with their derivatives.
//
// Forward, a job is executed as any with `sensitivity` is: all that it reports comes with derivatives by its numbers, at
// a cost that grows with these. Backward, it is executed as a gradient of its part of the objective, and once more for
// every number that a constraint bounds: the cost grows with those.
#include "worker/execute/design/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "not enough memory"); }

static json_t *texts(const char *const *list, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, json_string(list[i]));
  return array;
}

static json_t *document_of(const design_part *part) {
  const job_sensitivity *by = &part->job->base->sensitivity;
  json_t *job = json_copy(part->run);
  if (job && part->count > 0)
    json_object_set_new(
        job, "sensitivity",
        json_pack("{s:O, s:o}", "parameters", part->paths, "fields", texts(by->fields, by->field_count)));
  return job;
}

// ------------------------------------------------------------------------------------------------ what was reported

// Fields of the members, [samples][size] each, and their derivatives, NULL where there are none.
typedef struct fields {
  const double **value, **slope; // [member_count]
} fields;

static bool is_sloped(const design_part *d, const char *name) {
  const job_sensitivity *by = &d->job->base->sensitivity;
  for (size_t i = 0; i < by->field_count; i++)
    if (strcmp(by->fields[i], name) == 0) return true;
  return false;
}

static td_status find_fields(const design_part *d, const design_outcome *o, bool slopes, fields *f, td_error *err) {
  char name[NPZ_MAX_NAME + 1];
  f->value = arena_array(o->memory, d->member_count, sizeof *f->value);
  f->slope = arena_array(o->memory, d->member_count, sizeof *f->slope);
  if (!f->value || !f->slope) return no_memory(err);
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < d->member_count; i++) {
    f->slope[i] = NULL;
    status = design_find(o, d->members[i].name, &f->value[i], err);
    if (status != TD_OK || !slopes || !is_sloped(d, d->members[i].name)) continue;
    snprintf(name, sizeof name, "sensitivity:%s", d->members[i].name);
    status = design_find(o, name, &f->slope[i], err);
  }
  return status;
}

static void gather(const design_part *d, const fields *f, size_t sample, double *row) {
  for (size_t i = 0; i < d->member_count; i++) {
    const td_member *m = &d->members[i];
    memcpy(row + m->offset, f->value[i] + sample * m->size, m->size * sizeof *row);
  }
}

// The derivatives of number `at` of a row by the part's numbers; NULL: it has none.
static const double *slope_at(const design_part *d, const fields *f, size_t sample, size_t at) {
  for (size_t i = 0; i < d->member_count; i++) {
    const td_member *m = &d->members[i];
    if (at >= m->offset && at < m->offset + m->size && f->slope[i])
      return f->slope[i] + (sample * m->size + at - m->offset) * d->count;
  }
  return NULL;
}

// Derivatives by the part's numbers among those by all.
static void add_slopes(const design_part *d, double factor, const double *slope, double *by_p) {
  for (size_t i = 0; slope && by_p && i < d->count; i++) by_p[d->number[i]] += factor * slope[i];
}

// Rows [samples][row_size], their cotangents behind them.
typedef struct table {
  double *rows, *cotangents;
  size_t size;
} table;

static void gather_all(const design_part *d, const fields *f, const table *all) {
  for (size_t s = 0; s < d->samples; s++) gather(d, f, s, all->rows + s * d->row_size);
}

static bool is_gap(const design_part *d, size_t sample) { return d->gap && d->gap[sample]; }

// What all samples together are worth by `of`; table.cotangents is what that changes by.
static double measure_at(const design_part *d, const td_objective *of, const table *all) {
  memset(all->cotangents, 0, all->size * sizeof *all->cotangents);
  return td_objective_history(of, all->rows, d->row_size, all->cotangents);
}

// The same for the objective, its sums among it.
static double objective_at(const design_part *d, const table *all) {
  double value = measure_at(d, d->objective, all);
  for (size_t s = 0; s < d->samples; s++)
    if (td_objective_counts(d->objective, s) && !is_gap(d, s))
      value += td_objective_at(d->objective, s, all->rows + s * d->row_size, all->cotangents + s * d->row_size);
  return value;
}

static void pull_back(const design_part *d, const fields *f, const table *all, double factor, double *by_p) {
  for (size_t i = 0; by_p && i < all->size; i++)
    if (all->cotangents[i] != 0)
      add_slopes(d, factor * all->cotangents[i], slope_at(d, f, i / d->row_size, i % d->row_size), by_p);
}

// What is left out misses nothing.
static double bound_at(const design_part *d, const design_bound *b, const table *all) {
  if (!b->measure && is_gap(d, b->sample)) return -1;
  double x = b->measure ? measure_at(d, b->measure, all) : all->rows[b->sample * d->row_size + b->at];
  return b->sign * (x - b->value);
}

// ------------------------------------------------------------------------------------------------ forward

static td_status go_forward(design_job *all, const design_part *d, const table *t, double *value, double *df_dp,
                            double *c, double *dc_dp, td_error *err) {
  size_t np = all->set.count;
  design_outcome o;
  fields f;
  td_status status = design_execute(all, d, document_of(d), &o, err);
  if (status == TD_OK) status = find_fields(d, &o, d->count > 0, &f, err);
  if (status != TD_OK) return arena_destroy(o.memory), status;
  gather_all(d, &f, t);
  *value += objective_at(d, t);
  pull_back(d, &f, t, 1, df_dp);
  for (size_t b = d->first; b < d->first + d->bounds; b++) {
    const design_bound *it = &all->bounds[b];
    c[b] = bound_at(d, it, t);
    if (dc_dp && it->measure) pull_back(d, &f, t, it->sign, dc_dp + b * np);
    if (dc_dp && !it->measure && !is_gap(d, it->sample))
      add_slopes(d, it->sign, slope_at(d, &f, it->sample, it->at), dc_dp + b * np);
  }
  arena_destroy(o.memory);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ backward

// What a constraint bounds, as a term of a gradient.
static json_t *term_of(const design_part *d, const design_bound *b) {
  const td_member *m = d->members;
  while (b->at < m->offset || b->at >= m->offset + m->size) m++;
  size_t left = b->at - m->offset, below = m->size;
  json_t *index = json_array();
  for (int k = 0; k < m->rank; k++) {
    below /= (size_t)m->dim[k];
    json_array_append_new(index, json_integer((json_int_t)(left / below)));
    left %= below;
  }
  return json_pack("[{s:s, s:[o], s:f, s:[f]}]", "field", m->name, "select", index, "linear", 1., "at",
                   d->t[b->sample]);
}

static json_t *gradient_of(const design_part *d, json_t *terms) {
  return json_pack("{s:s, s:O, s:O, s:o}", "kind", "gradient", "of", d->run, "parameters", d->paths, "objective",
                   terms);
}

static td_status sweep_back(design_job *all, const design_part *d, json_t *terms, design_outcome *o,
                            const double **gradient, td_error *err) {
  td_status status = design_execute(all, d, gradient_of(d, terms), o, err);
  return status == TD_OK ? design_find(o, "gradient", gradient, err) : status;
}

// What goes backward first, and brings what the run reports.
static json_t *first_terms(const design_job *all, const design_part *d) {
  static const design_bound any = {.at = 0};
  if (json_array_size(d->terms) > 0) return json_incref(d->terms);
  return term_of(d, d->bounds > 0 ? &all->bounds[d->first] : &any);
}

json_t *design_request(const design_job *all, const design_part *part) {
  return part->adjoint ? gradient_of(part, first_terms(all, part)) : document_of(part);
}

// Cotangents of a table, by field.
static json_t *cotangents_of(const design_part *d, const table *all) {
  json_t *cotangents = json_object();
  for (size_t i = 0; i < d->member_count; i++) {
    const td_member *m = &d->members[i];
    json_t *rows = json_array();
    bool some = false;
    for (size_t s = 0; s < d->samples; s++) {
      const double *from = all->cotangents + s * d->row_size + m->offset;
      json_t *row = json_array();
      for (size_t k = 0; k < m->size; k++) {
        json_array_append_new(row, json_real(from[k]));
        some = some || from[k] != 0;
      }
      json_array_append_new(rows, row);
    }
    if (some) json_object_set(cotangents, m->name, rows);
    json_decref(rows);
  }
  return cotangents;
}

// Adds the gradient of what the table's cotangents say; none are none.
static td_status sweep_table(design_job *all, const design_part *d, const table *t, double factor, double *by_p,
                             td_error *err) {
  design_outcome o = {.memory = NULL};
  const double *gradient = NULL;
  json_t *cotangents = cotangents_of(d, t);
  if (json_object_size(cotangents) == 0) return json_decref(cotangents), TD_OK;
  json_t *document = json_pack("{s:s, s:O, s:O, s:o}", "kind", "gradient", "of", d->run, "parameters", d->paths,
                               "cotangents", cotangents);
  td_status status = design_execute(all, d, document, &o, err);
  if (status == TD_OK) status = design_find(&o, "gradient", &gradient, err);
  if (status == TD_OK) add_slopes(d, factor, gradient, by_p);
  arena_destroy(o.memory);
  return status;
}

static td_status sweep_number(design_job *all, const design_part *d, const design_bound *b, double *by_p,
                              td_error *err) {
  design_outcome o;
  const double *gradient = NULL;
  td_status status = sweep_back(all, d, term_of(d, b), &o, &gradient, err);
  if (status == TD_OK) add_slopes(d, b->sign, gradient, by_p);
  arena_destroy(o.memory);
  return status;
}

// Derivatives of bound b; of one number those from the other side are the same.
static td_status sweep_bound(design_job *all, const design_part *d, const table *t, size_t b, double *dc_dp,
                             td_error *err) {
  size_t np = all->set.count;
  const design_bound *it = &all->bounds[b];
  double *own = dc_dp + b * np;
  if (b > d->first && design_is_same(all, b, b - 1)) {
    for (size_t i = 0; i < np; i++) own[i] = it->sign * all->bounds[b - 1].sign * own[(ptrdiff_t)i - (ptrdiff_t)np];
    return TD_OK;
  }
  if (!it->measure) return sweep_number(all, d, it, own, err);
  (void)measure_at(d, it->measure, t);
  return sweep_table(all, d, t, it->sign, own, err);
}

static td_status go_back(design_job *all, const design_part *d, const table *t, double *value, double *df_dp, double *c,
                         double *dc_dp, td_error *err) {
  design_outcome o;
  fields f;
  const double *gradient = NULL;
  td_status status = sweep_back(all, d, first_terms(all, d), &o, &gradient, err);
  if (status == TD_OK) status = find_fields(d, &o, false, &f, err);
  if (status == TD_OK) {
    gather_all(d, &f, t);
    *value += objective_at(d, t);
    if (json_array_size(d->terms) > 0) add_slopes(d, 1, gradient, df_dp);
    for (size_t b = d->first; b < d->first + d->bounds; b++) c[b] = bound_at(d, &all->bounds[b], t);
  }
  arena_destroy(o.memory);
  if (status == TD_OK && df_dp && td_objective_has_history(d->objective)) {
    (void)measure_at(d, d->objective, t);
    status = sweep_table(all, d, t, 1, df_dp, err);
  }
  for (size_t b = d->first; status == TD_OK && dc_dp && b < d->first + d->bounds; b++)
    status = sweep_bound(all, d, t, b, dc_dp, err);
  return status;
}

// ------------------------------------------------------------------------------------------------ all of them

static void clear(double *list, size_t count) {
  if (list) memset(list, 0, count * sizeof *list);
}

static bool are_finite(const double *list, size_t count) {
  for (size_t i = 0; list && i < count; i++)
    if (!isfinite(list[i])) return false;
  return true;
}

// Why there are numbers that are none: the job within has said it, unless it is finite itself.
static td_status fail_nonfinite(const design_job *d, const design_part *part, bool whole, td_error *err) {
  static const char *const codes[] = {"unconverged", "no_derivative"};
  char place[32];
  design_place(d, part, place);
  for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
    for (int i = 0; i < d->found.count; i++)
      if (strcmp(d->found.list[i].code, codes[k]) == 0)
        return td_fail(err, TD_NONFINITE, place, "the objective or a constraint is not finite: %s",
                       d->found.list[i].detail);
  if (whole)
    return td_fail(
        err, TD_NONFINITE, "/objective",
        "the objective is not finite, though all that it looks at is: a stiffness between two equal places has "
        "no value, and sums of many large numbers have none");
  return td_fail(err, TD_NONFINITE, place, "the objective, a constraint or a derivative of them is not finite");
}

static td_status check_finite(const design_job *d, const design_part *part, double value, const double *df_dp,
                              const double *c, const double *dc_dp, const table *t, td_error *err) {
  size_t np = d->set.count, first = part->first, count = part->bounds;
  bool good = isfinite(value) && are_finite(df_dp, np) && are_finite(c + first, count) &&
              (!dc_dp || are_finite(dc_dp + first * np, count * np));
  return good ? TD_OK : fail_nonfinite(d, part, !isfinite(value) && are_finite(t->rows, t->size), err);
}

static td_status find_gaps(design_job *d, design_part *part, td_error *err) {
  design_outcome o;
  fields f;
  td_status status = design_execute(d, part, json_incref(part->run), &o, err);
  if (status == TD_OK) status = find_fields(part, &o, false, &f, err);
  part->gap = status == TD_OK ? arena_array(d->r->memory, part->samples, sizeof *part->gap) : NULL;
  if (status == TD_OK && !part->gap) status = no_memory(err);
  for (size_t s = 0; status == TD_OK && s < part->samples; s++) {
    part->gap[s] = false;
    for (size_t i = 0; i < part->member_count; i++)
      if (!are_finite(f.value[i] + s * part->members[i].size, part->members[i].size)) part->gap[s] = true;
  }
  arena_destroy(o.memory);
  return status;
}

// One that has a solution there and loses it on the way is a place that cannot be evaluated, or it would be left out for
// being bad.
td_status design_find_gaps(design_job *d, td_error *err) {
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < d->part_count; i++) {
    design_part *part = &d->parts[i];
    const job_document *of = part->job->base;
    if (of->kind != JOB_STATICS || !of->keep_unconverged) continue;
    for (size_t k = 0; k < d->set.count; k++) d->result.p[k] = d->unknowns[k].value;
    status = design_move(d, d->result.p, err);
    if (status == TD_OK) status = find_gaps(d, part, err);
  }
  return status;
}

td_status design_evaluate(void *context, const double *p, double *value, double *df_dp, double *c, double *dc_dp,
                          td_error *err) {
  design_job *d = context;
  size_t np = d->set.count;
  td_status status = design_move(d, p, err);
  *value = 0;
  clear(df_dp, np);
  clear(dc_dp, d->bound_count * np);
  for (size_t i = 0; status == TD_OK && i < d->part_count; i++) {
    const design_part *part = &d->parts[i];
    table t = {.size = part->samples * part->row_size};
    t.rows = calloc(2 * t.size + 1, sizeof *t.rows);
    t.cotangents = t.rows + t.size;
    if (!t.rows) return no_memory(err);
    status = (part->adjoint ? go_back : go_forward)(d, part, &t, value, df_dp, c, dc_dp, err);
    if (status == TD_OK) status = check_finite(d, part, *value, df_dp, c, dc_dp, &t, err);
    free(t.rows);
  }
  return status;
}
