// What a design looks at: the members of a row, the objective, and which numbers of which samples are bound.
#include "worker/execute/design/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "not enough memory"); }

static bool add_bound(design_job *d, design_bound b, double size) {
  if (d->bound_count == d->bound_room) {
    size_t room = d->bound_room ? 2 * d->bound_room : 64;
    design_bound *more = realloc(d->bounds, room * sizeof *more);
    double *sizes = more ? realloc(d->sizes, room * sizeof *sizes) : NULL;
    if (more) d->bounds = more;
    if (!sizes) return false;
    d->sizes = sizes;
    d->bound_room = room;
  }
  d->sizes[d->bound_count] = size;
  d->bounds[d->bound_count++] = b;
  return true;
}

typedef struct bounding {
  design_job *d;
  size_t constraint;
  double lower, upper;
} bounding;

// Numbers are measured by what lies between their bounds, else by the bound; where that is 0 by what they change by.
static bool on_number(void *context, size_t sample, size_t at) {
  const bounding *b = context;
  double span = b->upper - b->lower, size = span > 0 ? span : fabs(isnan(b->upper) ? b->lower : b->upper);
  design_bound upper = {b->constraint, sample, at, 1, b->upper}, lower = {b->constraint, sample, at, -1, b->lower};
  return (isnan(b->upper) || add_bound(b->d, upper, size)) && (isnan(b->lower) || add_bound(b->d, lower, size));
}

td_status design_plan(design_job *d, td_error *err) {
  execution *r = d->r;
  d->members = arena_array(r->memory, CODEC_GRADIENT_FIELDS, sizeof *d->members);
  if (!d->members) return no_memory(err);
  td_status status = codec_gradient_objective(&r->job, r->model, d->members, CODEC_GRADIENT_FIELDS, &d->t, &d->samples,
                                              &d->objective, err);
  if (status != TD_OK) return status;
  const job_document *of = design_within(d);
  d->member_count = of->kind == JOB_DYNAMICS ? of->dynamics.field_count : of->sensitivity.field_count;
  for (size_t i = 0; i < d->member_count; i++) d->row_size += d->members[i].size;
  const design_document *doc = &r->job.design;
  for (size_t i = 0; status == TD_OK && i < doc->constraints.count; i++) {
    bounding b = {d, i, doc->lower[i], doc->upper[i]};
    status = codec_design_constraint(&r->job, r->model, i, on_number, &b, err);
  }
  return status;
}

static json_t *texts(const char *const *list, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, json_string(list[i]));
  return array;
}

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

json_t *design_job_to_run(const design_job *d) {
  const job_document *of = design_within(d);
  const job_sensitivity *by = &of->sensitivity;
  json_t *job = json_deep_copy(d->r->job.gradient.of), *output = json_object_get(job, "output"), *paths = json_array();
  if (!job || !paths) return json_decref(job), json_decref(paths), NULL;
  json_object_del(job, "model");
  output = output ? json_incref(output) : json_object();
  json_object_set_new(output, "fields", fields_of(of));
  json_object_set_new(job, "output", output);
  for (size_t i = 0; i < by->parameters.count; i++)
    json_array_append_new(paths, json_string(by->parameters.place[i].path));
  json_object_set_new(job, "sensitivity",
                      json_pack("{s:o, s:o}", "parameters", paths, "fields", texts(by->fields, by->field_count)));
  return job;
}
