// Jobs of kind gradient: a dynamics or statics job, numbers of it, and what it is worth by an objective or along
// cotangents.
//
// The job within is read as one of its own, its errors below /of; then it becomes the job that is run: by the method
// that `automatic` is here, with the objective's fields among its own.
#include "codec/document/job/gradient.h"
#include "codec/document/job/parts.h"
#include "tendril/gradient.h"
#include "tendril/sensitivity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ reading

static td_status read_of(reader *r, const json_t *value, void *out) {
  (void)r;
  ((gradient_document *)out)->of = value;
  return TD_OK;
}

static td_status read_parameters(reader *r, const json_t *value, void *out) {
  parameter_list *list = out;
  td_status status = codec_parameters_read_of_job(r, value, list);
  return status == TD_OK && list->count == 0 ? fail_here(r, TD_INVALID_ARGUMENT, "needs at least one parameter")
                                             : status;
}

static td_status read_own_objective(reader *r, const json_t *value, void *out) {
  gradient_document *g = out;
  g->objective_given = true;
  return read_objective(r, value, &g->objective);
}

static td_status read_own_cotangents(reader *r, const json_t *value, void *out) {
  gradient_document *g = out;
  g->cotangents_given = true;
  return read_cotangents(r, value, &g->objective);
}

static const field gradient_fields[] = {
    QUEUE_FIELDS,
    FIELD(job_document, max_wall_s, "max_wall_s", read_positive),
    REQUIRED_FIELD(job_document, gradient, "of", read_of),
    REQUIRED_FIELD(job_document, gradient.parameters, "parameters", read_parameters),
    FIELD(job_document, gradient, "objective", read_own_objective),
    FIELD(job_document, gradient, "cotangents", read_own_cotangents),
};

// Terms that do not say when count at the end of a run, and in every problem of a list.
static void count_problems(const json_t *doc, objective_document *objective) {
  const json_t *list = json_object_get(doc, "objective");
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!json_object_get(json_array_get(list, i), "at")) objective->terms[i].when = TD_WHEN_ALL;
}

td_status read_gradient(reader *r, const json_t *doc, job_document *job) {
  job->model_at = "/of/model";
  td_status status = read_object(r, doc, gradient_fields, COUNT_OF(gradient_fields), job);
  if (status != TD_OK) return status;
  const gradient_document *g = &job->gradient;
  if (g->objective_given != g->cotangents_given) return TD_OK;
  return fail_here(r, TD_INVALID_ARGUMENT, "needs an \"objective\", or \"cotangents\" in its place%s",
                   g->objective_given ? ", not both" : "");
}

// The job that is run.
td_status settle_gradient(reader *r, const json_t *doc, job_document *job) {
  job_document *of = job->base;
  gradient_document *g = &job->gradient;
  bool run = of->kind == JOB_DYNAMICS;
  const char *const **fields = run ? &of->dynamics.fields : &of->statics.fields;
  size_t *count = run ? &of->dynamics.field_count : &of->statics.field_count;
  job->model = of->model;
  job->model_name = of->model_name;
  job->model_revision = of->model_revision;
  g->own_fields = *count;
  *fields = objective_fields(&g->objective, *fields, *count, r->memory, count);
  if (!*fields) return fail_here(r, TD_NO_MEMORY, "out of memory");
  if (run) td_gradient_job(&of->dynamics, &of->dynamics);
  if (!run) count_problems(doc, &g->objective);
  if (job->max_wall_s == 0) job->max_wall_s = of->max_wall_s;
  of->sensitivity = (job_sensitivity){.given = true, .at = "", .parameters = g->parameters};
  of->sensitivity.fields = objective_fields(&g->objective, NULL, 0, r->memory, &of->sensitivity.field_count);
  return of->sensitivity.fields ? TD_OK : fail_here(r, TD_NO_MEMORY, "out of memory");
}

// ------------------------------------------------------------------------------------------------ rules

static void remark_unused(const gradient_document *g, td_warnings *warnings) {
  static const char *const unused[] = {"labels", "priority"};
  for (size_t i = 0; i < COUNT_OF(unused); i++) {
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/of/%s", unused[i]);
    if (json_object_get(g->of, unused[i]))
      td_warn(warnings, "unused_option", pointer, "the job within is not queued: \"%s\" belongs beside \"of\"",
              unused[i]);
  }
}

// Fields that the objective has brought are named where it names them.
void blame_term(const job_document *job, td_error *err) {
  static const char list[] = "/of/output/fields/";
  const gradient_document *g = &job->gradient;
  const td_dynamics_spec *run = &job->base->dynamics;
  if (strncmp(err->pointer, list, sizeof list - 1) != 0) return;
  size_t i = strtoul(err->pointer + sizeof list - 1, NULL, 10);
  const char *const *fields = job->base->kind == JOB_DYNAMICS ? run->fields : job->base->statics.fields;
  for (size_t k = 0; i >= g->own_fields && k < g->objective.count; k++)
    if (strcmp(g->objective.terms[k].field, fields[i]) == 0)
      snprintf(err->pointer, sizeof err->pointer, "%s%s", g->objective.terms[k].place,
               g->objective_given ? "/field" : "");
}

static td_status check_derivatives(const job_document *of, const td_model *model, td_error *err) {
  if (of->kind == JOB_DYNAMICS) return codec_check_derivatives_of_run(of, model, err);
  if (!of->statics.continuation.channel) return TD_OK;
  return td_fail(err, TD_UNSUPPORTED, "/continuation",
                 "a path has as many points as it needs, a gradient those that it is told: take a list of inputs");
}

// An array of cotangents has no keys as terms have.
static void forget_key(const objective_document *cotangents, td_error *err) {
  for (size_t i = 0; i < cotangents->count; i++) {
    size_t length = strlen(cotangents->terms[i].place);
    bool here = strncmp(err->pointer, cotangents->terms[i].place, length) == 0;
    if (here && err->pointer[length] == '/') err->pointer[length] = '\0';
  }
}

td_status codec_gradient_objective(const job_document *job, const td_model *model, td_member *members, int capacity,
                                   double **t, size_t *samples, td_objective **objective, td_error *err) {
  const job_document *of = job->base;
  const gradient_document *g = &job->gradient;
  const job_sensitivity *by = &of->sensitivity;
  size_t row = 0;
  bool run = of->kind == JOB_DYNAMICS;
  int count = run ? td_run_output_members(model, &of->dynamics, members, capacity, &row, err)
                  : td_sensitivity_members(model, by->fields, by->field_count, members, capacity, &row, err);
  *objective = NULL;
  *t = NULL;
  if (count < 0) return err->status;
  *samples = run ? td_run_sample_count(&of->dynamics) : td_statics_count(model, &of->statics, err);
  if (*samples == 0) return err->status;
  *t = calloc(*samples, sizeof **t);
  if (!*t || count > capacity) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  for (size_t i = 0; i < *samples; i++) (*t)[i] = run ? td_run_sample_time(&of->dynamics, i) : (double)i;
  td_status status =
      td_objective_create(members, count, *t, *samples, g->objective.terms, g->objective.count, objective, err);
  if (status != TD_OK && g->cotangents_given) forget_key(&g->objective, err);
  return status;
}

static td_status check_objective(const job_document *job, const td_model *model, td_error *err) {
  td_member *members = calloc(CODEC_GRADIENT_FIELDS, sizeof *members);
  double *t = NULL;
  size_t samples = 0;
  td_objective *objective = NULL;
  td_status status =
      members ? codec_gradient_objective(job, model, members, CODEC_GRADIENT_FIELDS, &t, &samples, &objective, err)
              : td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  td_objective_destroy(objective);
  free(t);
  free(members);
  return status;
}

// Of an objective with an error: each term's own.
static void add_term_errors(const job_document *job, const td_model *model, td_errors *all) {
  const objective_document *o = &job->gradient.objective;
  job_document *one = malloc(sizeof *one);
  if (one) *one = *job;
  for (size_t i = 0; one && i < o->count; i++) {
    td_error err = {.status = TD_OK};
    one->gradient.objective = (objective_document){&o->terms[i], 1};
    if (!check_goes_on(all, check_objective(one, model, &err), &err)) break;
  }
  free(one);
}

td_status check_gradient_parts(const job_document *job, const td_model *model, td_warnings *warnings, td_errors *all,
                               td_error *err) {
  remark_unused(&job->gradient, warnings);
  td_status status = check_derivatives(job->base, model, err);
  if (status != TD_OK) return codec_error_prefix(err, "/of"), status;
  status = check_objective(job, model, err);
  if (!check_goes_on(all, status, err)) return status;
  if (status != TD_OK) add_term_errors(job, model, all);
  return status;
}
