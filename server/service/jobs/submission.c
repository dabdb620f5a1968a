// Submissions: everything that a worker would refuse is refused here, so that a job that was accepted can only fail for
// reasons of its own. The store keeps the model document with the job: later revisions do not touch it.
#include "service/jobs/submission.h"
#include "base/limits.h"
#include "codec/json/text.h"
#include "codec/wire/warnings.h"
#include "service/access/bounds.h"
#include "service/models/models.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void submission_fini(service *s, submission *sub) {
  if (sub->held) cache_release(s->cache, sub->held);
  free(sub->model_document);
  free(sub->job_document);
  free(sub->labels);
  free(sub->warnings);
  json_decref(sub->json);
  json_decref(sub->model_own);
  arena_destroy(sub->memory);
  *sub = (submission){.who = sub->who};
}

bool submission_read(submission *sub, span document, fault *f) {
  td_error err = {.status = TD_OK};
  sub->memory = arena_create();
  if (!sub->memory) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  sub->json = codec_parse(document.bytes, document.size, &err);
  if (!sub->json) return fault_from_error(f, &err);
  if (codec_job_read(sub->json, "", sub->memory, &sub->job, &err) == TD_OK) return true;
  td_errors all = {0};
  fault_from_error(f, &err);
  codec_job_errors(sub->json, &all);
  fault_add(f, &all);
  return false;
}

// The job that asks for derivatives: of a sweep its base.
static const job_document *differentiated(const submission *sub) {
  const json_t *of;
  const job_document *job = codec_job_differentiated(&sub->job, sub->json, &of);
  return job->sensitivity.given ? job : NULL;
}

static bool needs_document(const submission *sub) { return differentiated(sub) || sub->job.kind == JOB_FIT; }

static bool parse_stored(submission *sub, char *text, fault *f) {
  td_error err = {.status = TD_OK};
  if (!text) return true;
  sub->model_own = codec_parse(text, strlen(text), &err);
  free(text);
  if (!sub->model_own) return fault_from_error(f, &err);
  sub->model_json = sub->model_own;
  return true;
}

// A model that comes with its job is known by the name in its document, where that is one.
static void name_own(const json_t *model, store_job *row) {
  const char *name = json_string_value(json_object_get(model, "name"));
  if (name && codec_name_valid(name)) snprintf(row->model_name, sizeof row->model_name, "%s", name);
}

bool submission_find_model(service *s, const auth_caller *who, submission *sub, fault *f) {
  char *text = NULL;
  if (!sub->document) (void)codec_job_differentiated(&sub->job, sub->json, &sub->document);
  if (sub->job.model) {
    sub->model_json = sub->job.model;
    sub->held =
        models_hold_inline(s, who, sub->job.model, sub->job.model_at, sub->row.model_sha256, &sub->model_document, f);
    name_own(sub->job.model, &sub->row);
    return sub->held != NULL;
  }
  model_reference ref = {.revision = sub->job.model_revision};
  strncpy(ref.name, sub->job.model_name, sizeof ref.name - 1);
  sub->held = models_hold(s, who, &ref, needs_document(sub) ? &text : NULL, f); // the store has its document
  // The body names something that is not there: a fault of the body, with its place; not of the address (404).
  if (!sub->held && f->code == PROBLEM_NOT_FOUND) {
    f->code = PROBLEM_INVALID_ARGUMENT;
    f->has_pointer = true;
    strcpy(f->pointer, sub->job.model_at);
  }
  if (!sub->held) return false;
  memcpy(sub->row.model_name, ref.name, sizeof ref.name);
  memcpy(sub->row.model_owner, ref.owner, sizeof ref.owner);
  memcpy(sub->row.model_sha256, ref.sha256, sizeof ref.sha256);
  sub->row.model_revision = ref.revision;
  return parse_stored(sub, text, f);
}

// Rows of a linearisation, as doubles of its result.
static bool matrices_fit(const submission *sub, fault *f) {
  const td_model *model = cached_model_get(sub->held);
  double n = td_model_ndof(model), m = td_model_channel_count(model);
  double bytes = (double)sub->rows * (1 + 2 * n + m + 2 * n * (2 * n + m)) * sizeof(double);
  return bytes <= (double)LIMIT_RESULT_BYTES ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, "/at/times",
                   "matrices at %zu times would be %.3g bytes, more than the %.3g of a result", sub->rows, bytes,
                   (double)LIMIT_RESULT_BYTES);
}

// Samples of a dynamics job, as doubles of its result.
static bool samples_fit(const submission *sub, const job_document *run, fault *f) {
  const td_dynamics_spec *spec = &run->dynamics;
  td_error err = {.status = TD_OK};
  td_member member;
  size_t row = 0;
  if (td_run_output_members(cached_model_get(sub->held), spec, &member, 1, &row, &err) < 0)
    return fault_from_error(f, &err);
  double bytes = (spec->t_end / spec->output_dt + 2) * (double)(row + 1) * sizeof(double);
  return bytes <= (double)LIMIT_RESULT_BYTES ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, "/output/dt",
                   "samples every %g s until %g s would be %.3g bytes, more than the %.3g of a result", spec->output_dt,
                   spec->t_end, bytes, (double)LIMIT_RESULT_BYTES);
}

// What a statics job asks for beside its solutions.
static bool solutions_fit(const submission *sub, const job_document *list, fault *f) {
  td_error err = {.status = TD_OK};
  size_t row = 0;
  if (td_statics_output_members(cached_model_get(sub->held), &list->statics, NULL, 0, &row, &err) < 0)
    return fault_from_error(f, &err);
  double bytes = (double)sub->rows * (double)row * sizeof(double);
  return bytes <= (double)LIMIT_RESULT_BYTES ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, "/output/fields",
                   "these fields of %zu equilibria would be %.3g bytes, more than the %.3g of a result", sub->rows,
                   bytes, (double)LIMIT_RESULT_BYTES);
}

// Rows of a job's result.
static double rows_of(const submission *sub, const job_document *job) {
  const td_dynamics_spec *run = &job->dynamics;
  return job->kind == JOB_DYNAMICS ? run->t_end / run->output_dt + 2 : (double)sub->rows;
}

// What is differentiated: every place is a number that may be, and its derivatives fit.
static bool derivatives_fit(submission *sub, fault *f) {
  const job_document *job = differentiated(sub);
  td_error err = {.status = TD_OK};
  parameter_set set;
  size_t row = 0;
  if (!job || !sub->model_json || !sub->document) return true;
  const td_model *model = cached_model_get(sub->held);
  bool gradient = sub->job.kind == JOB_GRADIENT || sub->job.kind == JOB_DESIGN, swept = sub->job.kind == JOB_SWEEP;
  if (codec_job_numbers(job, sub->document, sub->model_json, sub->memory, &set, &err) != TD_OK ||
      (!(gradient && job->kind == JOB_DYNAMICS) &&
       codec_job_sensitivity_members(job, model, set.count, NULL, 0, &row, &err) < 0)) {
    if (swept) codec_error_prefix(&err, "/base");
    if (gradient && strcmp(err.pointer, "/sensitivity") == 0) strcpy(err.pointer, "/parameters");
    return fault_from_error(f, &err);
  }
  if (gradient) return true; // of which each is kept while it is added, and no longer
  double bytes = rows_of(sub, job) * (double)row * (double)set.count * sizeof(double);
  return bytes <= (double)LIMIT_RESULT_BYTES ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, swept ? "/base/sensitivity" : "/sensitivity",
                   "derivatives of these fields by %zu numbers would be %.3g bytes, more than the %.3g of a result",
                   set.count, bytes, (double)LIMIT_RESULT_BYTES);
}

// Equal steps and samples are known before a job runs; those of adaptive methods are not: max_wall_s bounds them.
static bool steps_fit(const service *s, const td_model *model, const td_dynamics_spec *spec, fault *f) {
  td_integrator_spec used;
  td_integrator_resolve(model, spec, &used);
  double steps = used.h > 0 && !used.adaptive ? spec->t_end / used.h : 0;
  double samples = spec->output_dt > 0 ? spec->t_end / spec->output_dt : 0;
  if (s->max_steps > 0 && steps > s->max_steps)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/integrator/h",
                     "steps of %g s until %g s are %.3g, more than the %d that this server allows (max-steps)", used.h,
                     spec->t_end, steps, s->max_steps);
  return s->max_steps == 0 || samples <= s->max_steps ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, "/output/dt",
                   "samples every %g s until %g s are %.3g, more than the %d that this server allows (max-steps)",
                   spec->output_dt, spec->t_end, samples, s->max_steps);
}

// The places of a fit's parameters are in the document of its model.
static bool unknowns_fit(submission *sub, fault *f) {
  td_error err = {.status = TD_OK};
  parameter_set set;
  td_unknown *unknowns;
  assert(sub->model_json);
  return codec_fit_resolve(&sub->job.fit, sub->model_json, NULL, sub->memory, &set, &unknowns, &err) == TD_OK ||
         fault_from_error(f, &err);
}

// Those of a design are in the documents of its job and of that job's model.
static bool numbers_fit(submission *sub, fault *f) {
  td_error err = {.status = TD_OK};
  parameter_set set;
  td_unknown *unknowns;
  assert(sub->model_json);
  return codec_fit_resolve(&sub->job.design.unknowns, sub->model_json, sub->job.design.of, sub->memory, &set, &unknowns,
                           &err) == TD_OK ||
         fault_from_error(f, &err);
}

// Numbers of data times parameters: the derivatives that a worker holds at a time.
static bool records_fit(const submission *sub, fault *f) {
  double bytes = 2. * (double)sub->job.fit.samples * (double)(sub->job.fit.list.count + 4) * sizeof(double);
  return bytes <= (double)LIMIT_FIT_BYTES ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, "/of",
                   "derivatives of %zu numbers by %zu parameters would take %.3g bytes, more than %.3g: fewer samples",
                   sub->job.fit.samples, sub->job.fit.list.count, bytes, (double)LIMIT_FIT_BYTES);
}

static bool wall_fits(const service *s, const submission *sub, fault *f) {
  return s->max_wall_s == 0 || sub->job.max_wall_s <= s->max_wall_s ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, "/max_wall_s",
                   "max_wall_s is %g, more than the %d s that this server allows (max-wall-s)", sub->job.max_wall_s,
                   s->max_wall_s);
}

static bool experiments_fit(const service *s, const submission *sub, fault *f) {
  const fit_document *fit = &sub->job.fit;
  char pointer[TD_POINTER_SIZE];
  for (size_t i = 0; i < fit->count; i++) {
    const job_document *job = fit->of[i].job;
    if (job->kind != JOB_DYNAMICS || steps_fit(s, cached_model_get(sub->held), &job->dynamics, f)) continue;
    snprintf(pointer, sizeof pointer, "/of/%zu/job%.200s", i, f->pointer);
    memcpy(f->pointer, pointer, sizeof pointer);
    return false;
  }
  return true;
}

// What a job, or that within a gradient, would do and leave behind.
static bool work_fits(const service *s, const submission *sub, const job_document *job, fault *f) {
  if (job->kind == JOB_STATICS) return solutions_fit(sub, job, f);
  if (!wall_fits(s, sub, f)) return false;
  if (job->kind == JOB_LINEARIZE) return matrices_fit(sub, f);
  return job->kind != JOB_DYNAMICS ||
         (samples_fit(sub, job, f) && steps_fit(s, cached_model_get(sub->held), &job->dynamics, f));
}

// A job within a gradient or a design, at its place.
static bool within_fits(const service *s, const submission *sub, const job_document *job, const char *place, fault *f) {
  if (work_fits(s, sub, job, f)) return true;
  if (f->has_pointer && strcmp(f->pointer, "/max_wall_s") != 0) {
    char within[TD_POINTER_SIZE];
    snprintf(within, sizeof within, "%s%.200s", place, f->pointer);
    memcpy(f->pointer, within, sizeof within);
  }
  return false;
}

static bool jobs_fit(const service *s, const submission *sub, fault *f) {
  const design_document *d = &sub->job.design;
  char place[32];
  for (size_t i = 0; i < d->part_count; i++) {
    snprintf(place, sizeof place, json_is_array(d->of) ? "/of/%zu" : "/of", i);
    if (!within_fits(s, sub, d->part[i]->base, place, f)) return false;
  }
  return true;
}

bool submission_check(const service *s, submission *sub, fault *f) {
  td_error err = {.status = TD_OK};
  td_warnings warnings = {0};
  if (codec_job_check(&sub->job, cached_model_get(sub->held), "", &sub->rows, &warnings, &err) != TD_OK)
    return fault_from_error(f, &err);
  free(sub->warnings);
  sub->warnings = codec_warnings_text(&warnings);
  if (!derivatives_fit(sub, f)) return false;
  if (sub->job.kind == JOB_FIT)
    return wall_fits(s, sub, f) && records_fit(sub, f) && unknowns_fit(sub, f) && experiments_fit(s, sub, f);
  if (sub->job.kind == JOB_DESIGN && !numbers_fit(sub, f)) return false;
  if (sub->job.kind != JOB_GRADIENT && sub->job.kind != JOB_DESIGN) return work_fits(s, sub, &sub->job, f);
  return sub->job.kind == JOB_DESIGN ? jobs_fit(s, sub, f) : within_fits(s, sub, sub->job.base, "/of", f);
}

static bool tell(fault *f, const td_errors *found) {
  if (f->code == PROBLEM_INVALID_ARGUMENT) fault_add(f, found);
  return false;
}

bool submission_tell_rest(service *s, const submission *sub, fault *f) {
  submission rest = {.who = sub->who, .memory = arena_create()};
  td_errors known = f->all, found = {0};
  td_error ignored;
  fault none;
  if (f->code != PROBLEM_INVALID_ARGUMENT || !sub->json) return submission_fini(s, &rest), false;
  if (known.count == 0) {
    known.count = 1;
    memcpy(known.list[0].pointer, f->pointer, sizeof f->pointer);
    memcpy(known.list[0].message, f->detail, sizeof f->detail);
  }
  rest.json = codec_job_sound(sub->json, &known);
  if (rest.json && rest.memory && codec_job_read(rest.json, "", rest.memory, &rest.job, &ignored) == TD_OK &&
      submission_find_model(s, sub->who, &rest, &none))
    codec_job_errors_against(&rest.job, rest.json, cached_model_get(rest.held), rest.model_json, &found);
  codec_errors_elsewhere(&known, &found);
  submission_fini(s, &rest);
  return tell(f, &known);
}

bool submission_tell_all(const submission *sub, fault *f) {
  td_errors found = {0};
  if (f->code == PROBLEM_INVALID_ARGUMENT)
    codec_job_errors_against(&sub->job, sub->json, cached_model_get(sub->held), sub->model_json, &found);
  return tell(f, &found);
}

bool submission_fill_row(submission *sub, char *document, char *labels, fault *f) {
  store_job *row = &sub->row;
  sub->job_document = document;
  sub->labels = labels;
  id_make(row->id);
  snprintf(row->kind, sizeof row->kind, "%s", job_kind_name(sub->job.kind));
  row->priority = sub->job.priority;
  row->document = sub->job_document;
  row->labels = sub->labels;
  row->warnings = sub->warnings;
  const job_document *run = sub->job.kind == JOB_GRADIENT ? sub->job.base : &sub->job;
  row->t_end = run->kind == JOB_DYNAMICS ? run->dynamics.t_end : (double)sub->rows;
  return (document && labels) || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
}

void submission_copy_row(const store_job *before, store_job *row) {
  *row = (store_job){.priority = before->priority,
                     .model_revision = before->model_revision,
                     .document = before->document,
                     .labels = before->labels,
                     .t_end = before->t_end};
  memcpy(row->kind, before->kind, sizeof row->kind);
  memcpy(row->model_name, before->model_name, sizeof row->model_name);
  memcpy(row->model_owner, before->model_owner, sizeof row->model_owner);
  memcpy(row->model_sha256, before->model_sha256, sizeof row->model_sha256);
  memcpy(row->retry_of, before->id, sizeof row->retry_of);
  memcpy(row->document_base, before->document_base, sizeof row->document_base);
  memcpy(row->owner, before->owner, sizeof row->owner);
  memcpy(row->queue, before->queue, sizeof row->queue);
  id_make(row->id);
}

// Priorities count among the jobs of one owner; those of admins above 0 among all.
void submission_choose_queue(const auth_caller *who, store_job *row) {
  bool urgent = who->scope == AUTH_ADMIN && *who->space && row->priority > 0;
  snprintf(row->queue, sizeof row->queue, "%s", urgent ? STORE_EXPRESS : who->space);
}

const store_room *submission_find_room(const service *s, submission_room *r) {
  r->room = s->room;
  if (bounds_of(s, &r->keep)) r->room.keep = &r->keep;
  return &r->room;
}

bool submission_fault(const submission_room *r, store_status status, size_t jobs, const char *owner, fault *f) {
  if (status == STORE_KEPT) return bounds_fault(&r->keep, owner, f);
  if (status == STORE_SHARE)
    return fault_set(
        f, PROBLEM_RATE_LIMITED, NULL,
        "%zu more would be more than one owner may have waiting: %lld jobs (queued-per-owner) with %lld MiB "
        "of documents (queued-mib-per-owner); 0 means no limit",
        jobs, (long long)r->room.each, (long long)(r->room.each_bytes >> 20));
  if (status == STORE_PRECONDITION)
    return fault_set(f, PROBLEM_RATE_LIMITED, NULL, "%zu more would be more than the %d jobs that may wait", jobs,
                     LIMIT_JOBS_QUEUED);
  if (status == STORE_EXISTS)
    return fault_set(f, PROBLEM_ALREADY_EXISTS, NULL, "the same request has made a job already");
  return fault_from_store(f, status, "the job");
}
