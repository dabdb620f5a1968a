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

static void add_objective(const design_part *d, const fields *f, double *row, double *value, double *df_dp) {
  double *cotangent = row + d->row_size;
  for (size_t s = 0; s < d->samples; s++) {
    if (!td_objective_counts(d->objective, s)) continue;
    gather(d, f, s, row);
    memset(cotangent, 0, d->row_size * sizeof *cotangent);
    *value += td_objective_at(d->objective, s, row, cotangent);
    for (size_t k = 0; df_dp && k < d->row_size; k++)
      if (cotangent[k] != 0) add_slopes(d, cotangent[k], slope_at(d, f, s, k), df_dp);
  }
}

static void fill_constraints(const design_job *all, const design_part *d, const fields *f, double *row, double *c,
                             double *dc_dp) {
  size_t np = all->set.count;
  for (size_t b = d->first; b < d->first + d->bounds; b++) {
    const design_bound *it = &all->bounds[b];
    gather(d, f, it->sample, row);
    c[b] = it->sign * (row[it->at] - it->value);
    if (dc_dp) add_slopes(d, it->sign, slope_at(d, f, it->sample, it->at), dc_dp + b * np);
  }
}

// ------------------------------------------------------------------------------------------------ forward

static td_status go_forward(design_job *all, const design_part *d, double *row, double *value, double *df_dp, double *c,
                            double *dc_dp, td_error *err) {
  design_outcome o;
  fields f;
  td_status status = design_execute(all, d, document_of(d), &o, err);
  if (status == TD_OK) status = find_fields(d, &o, d->count > 0, &f, err);
  if (status == TD_OK) {
    add_objective(d, &f, row, value, df_dp);
    fill_constraints(all, d, &f, row, c, dc_dp);
  }
  arena_destroy(o.memory);
  return status;
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
  return json_array_size(d->terms) > 0 ? json_incref(d->terms) : term_of(d, &all->bounds[d->first]);
}

json_t *design_request(const design_job *all, const design_part *part) {
  return part->adjoint ? gradient_of(part, first_terms(all, part)) : document_of(part);
}

static td_status go_back(design_job *all, const design_part *d, double *row, double *value, double *df_dp, double *c,
                         double *dc_dp, td_error *err) {
  bool goal = json_array_size(d->terms) > 0;
  size_t np = all->set.count, end = d->first + d->bounds;
  design_outcome o;
  fields f;
  const double *gradient = NULL;
  td_status status = sweep_back(all, d, first_terms(all, d), &o, &gradient, err);
  if (status == TD_OK) status = find_fields(d, &o, false, &f, err);
  if (status == TD_OK) {
    add_objective(d, &f, row, value, NULL);
    fill_constraints(all, d, &f, row, c, NULL);
    if (goal) add_slopes(d, 1, gradient, df_dp);
  }
  for (size_t b = d->first; status == TD_OK && dc_dp && b < end; b++) {
    bool known = b == d->first ? !goal : design_is_same(all, b, b - 1);
    if (!known) {
      arena_destroy(o.memory);
      status = sweep_back(all, d, term_of(d, &all->bounds[b]), &o, &gradient, err);
    }
    if (status == TD_OK) add_slopes(d, all->bounds[b].sign, gradient, dc_dp + b * np);
  }
  arena_destroy(o.memory);
  return status;
}

// ------------------------------------------------------------------------------------------------ all of them

static void clear(double *list, size_t count) {
  if (list) memset(list, 0, count * sizeof *list);
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
    double *row = calloc(2 * part->row_size, sizeof *row);
    if (!row) return no_memory(err);
    status = (part->adjoint ? go_back : go_forward)(d, part, row, value, df_dp, c, dc_dp, err);
    free(row);
  }
  return status;
}
