// What a design looks at: the jobs within, members of their rows, the objective, and which numbers of which samples are
// bound; and which way derivatives come.
#include "worker/execute/design/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Forward a run with derivatives costs more with every number, backward with every value that is differentiated: about
// as much as so many numbers (measured with tables of inputs).
enum { NUMBERS_A_VALUE = 32 };

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "not enough memory"); }

static bool add_bound(design_job *d, design_bound b, double size, bool mirrored) {
  if (d->bound_count == d->bound_room) {
    size_t room = d->bound_room ? 2 * d->bound_room : 64;
    design_bound *more = realloc(d->bounds, room * sizeof *more);
    double *sizes = more ? realloc(d->sizes, room * sizeof *sizes) : NULL;
    if (more) d->bounds = more;
    if (sizes) d->sizes = sizes;
    bool *flags = sizes ? realloc(d->mirrored, room * sizeof *flags) : NULL;
    if (!flags) return false;
    d->mirrored = flags;
    d->bound_room = room;
  }
  d->sizes[d->bound_count] = size;
  d->mirrored[d->bound_count] = mirrored;
  d->bounds[d->bound_count++] = b;
  return true;
}

typedef struct bounding {
  design_job *d;
  size_t part, constraint;
  double lower, upper;
  const td_objective *measure;
  const td_objective_term *term;
} bounding;

// Numbers are measured by what lies between their bounds, else by the bound; where that is 0 by what they change by.
static bool on_number(void *context, size_t sample, size_t at) {
  const bounding *b = context;
  double span = b->upper - b->lower, size = span > 0 ? span : fabs(isnan(b->upper) ? b->lower : b->upper);
  design_bound upper = {b->part, b->constraint, sample, at, 1, b->upper, b->measure, b->term}, lower = upper;
  lower.sign = -1;
  lower.value = b->lower;
  return (isnan(b->upper) || add_bound(b->d, upper, size, false)) &&
         (isnan(b->lower) || add_bound(b->d, lower, size, span == 0));
}

bool design_is_same(const design_job *d, size_t a, size_t b) {
  const design_bound *one = &d->bounds[a], *other = &d->bounds[b];
  return one->sample == other->sample && one->at == other->at && one->measure == other->measure;
}

static td_status plan_measure(design_part *part, size_t i, bounding *b, td_error *err) {
  design_measure *m = &part->measures[part->measure_count++];
  *m = (design_measure){NULL, NULL};
  td_status status = codec_design_measure(part->job, b->d->r->model, i, &m->t, &m->of, err);
  b->measure = m->of;
  if (status != TD_OK) return status;
  return on_number(b, part->samples - 1, 0) ? TD_OK : no_memory(err);
}

static td_status plan_bounds(design_job *d, design_part *part, td_error *err) {
  const design_document *doc = &part->job->design;
  td_status status = TD_OK;
  part->first = d->bound_count;
  part->measures = arena_array(d->r->memory, doc->constraints.count + 1, sizeof *part->measures);
  if (!part->measures) return no_memory(err);
  for (size_t i = 0; status == TD_OK && i < doc->constraints.count; i++) {
    bounding b = {d,
                  part->index,
                  doc->place[1] ? doc->place[1][i] : i,
                  doc->lower[i],
                  doc->upper[i],
                  NULL,
                  &doc->constraints.terms[i]};
    status = doc->constraints.terms[i].kind == TD_TERM_SUM
                 ? codec_design_constraint(part->job, d->r->model, i, on_number, &b, err)
                 : plan_measure(part, i, &b, err);
  }
  part->bounds = d->bound_count - part->first;
  return status;
}

// ------------------------------------------------------------------------------------------------ numbers

bool design_reaches(const design_job *d, size_t number, size_t part) {
  bool all = !codec_parameter_is_of_job(&d->set, number) || !json_is_array(d->jobs);
  return all || codec_fit_reaches(&d->r->job.design.unknowns, d->set.place[number], part);
}

static td_status plan_numbers(design_job *d, design_part *part, td_error *err) {
  const parameter_list *list = &part->job->gradient.parameters;
  part->number = arena_array(d->r->memory, d->set.count, sizeof *part->number);
  part->paths = json_array();
  if (!part->number || !part->paths) return no_memory(err);
  for (size_t i = 0; i < list->count; i++)
    json_array_append_new(part->paths, codec_parameter_place_json(&list->place[i]));
  for (size_t k = 0; k < d->set.count; k++)
    if (design_reaches(d, k, part->index)) part->number[part->count++] = k;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ jobs

// q, u and lambda are in every result of statics, and no fields of its output.
static bool is_state(const char *name) {
  return strcmp(name, "q") == 0 || strcmp(name, "u") == 0 || strcmp(name, "lambda") == 0;
}

static json_t *fields_of(const job_document *of) {
  bool run = of->kind == JOB_DYNAMICS;
  const char *const *list = run ? of->dynamics.fields : of->statics.fields;
  size_t count = run ? of->dynamics.field_count : of->statics.field_count;
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++)
    if (run || !is_state(list[i])) json_array_append_new(array, json_string(list[i]));
  return array;
}

// A job within reports all that is looked at.
static void report_all(const design_part *part) {
  json_t *output = json_object_get(part->run, "output");
  output = output ? json_incref(output) : json_object();
  json_object_del(part->run, "model");
  json_object_set_new(output, "fields", fields_of(part->job->base));
  json_object_set_new(part->run, "output", output);
}

// What has to be differentiated: the objective and the numbers that are bound, from one side or from both.
static size_t values_of(const design_job *d, const design_part *part) {
  size_t count = (json_array_size(part->terms) > 0) + td_objective_has_history(part->objective);
  for (size_t i = 0; i < part->bounds; i++) count += i == 0 || !design_is_same(d, part->first + i, part->first + i - 1);
  return count;
}

static td_status plan_part(design_job *d, design_part *part, td_error *err) {
  execution *r = d->r;
  part->job = r->job.design.part[part->index];
  part->run = json_is_array(d->jobs) ? json_array_get(d->jobs, part->index) : d->jobs;
  part->terms = codec_design_terms(&r->job, r->job_json, part->index);
  part->members = arena_array(r->memory, CODEC_GRADIENT_FIELDS, sizeof *part->members);
  if (!part->members || !part->terms) return no_memory(err);
  td_status status = codec_gradient_objective(part->job, r->model, part->members, CODEC_GRADIENT_FIELDS, &part->t,
                                              &part->samples, &part->objective, err);
  if (status != TD_OK) return status;
  const job_document *of = part->job->base;
  bool run = of->kind == JOB_DYNAMICS;
  part->member_count = run ? of->dynamics.field_count : of->sensitivity.field_count;
  for (size_t i = 0; i < part->member_count; i++) part->row_size += part->members[i].size;
  status = plan_bounds(d, part, err);
  if (status == TD_OK) status = plan_numbers(d, part, err);
  size_t values = values_of(d, part);
  part->adjoint = run && values > 0 && part->count > NUMBERS_A_VALUE * values;
  report_all(part);
  return status;
}

td_status design_plan(design_job *d, td_error *err) {
  const design_document *doc = &d->r->job.design;
  d->jobs = json_deep_copy(doc->of);
  d->parts = arena_array(d->r->memory, doc->part_count, sizeof *d->parts);
  if (!d->jobs || !d->parts) return no_memory(err);
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < doc->part_count; i++) {
    d->parts[i] = (design_part){.index = i};
    d->part_count = i + 1;
    status = plan_part(d, &d->parts[i], err);
  }
  return status;
}

void design_forget(design_job *d) {
  for (size_t i = 0; i < d->part_count; i++) {
    td_objective_destroy(d->parts[i].objective);
    free(d->parts[i].t);
    for (size_t k = 0; k < d->parts[i].measure_count; k++) {
      td_objective_destroy(d->parts[i].measures[k].of);
      free(d->parts[i].measures[k].t);
    }
    json_decref(d->parts[i].paths);
    json_decref(d->parts[i].terms);
  }
  free(d->bounds);
  free(d->sizes);
  free(d->mirrored);
  json_decref(d->jobs);
}
