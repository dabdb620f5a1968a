// A job from documents to archive: parse, build the model, check, dispatch by kind, write the summary, close the
// archive.
#include "base/clock.h"
#include "codec/document/model/model.h"
#include "codec/json/pointer.h"
#include "codec/json/text.h"
#include "codec/wire/archive.h"
#include "worker/execute/parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const execute_kind *const kinds[JOB_KIND_COUNT] = {
    [JOB_DYNAMICS] = &execute_dynamics, [JOB_STATICS] = &execute_statics, [JOB_LINEARIZE] = &execute_linearize,
    [JOB_FIT] = &execute_fit,           [JOB_DESIGN] = &execute_design,
};

static td_status read_documents(execution *r, td_error *err) {
  const execute_request *q = r->request;
  r->memory = arena_create();
  if (!r->memory) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  r->job_json = codec_parse(q->job, q->job_size, err);
  if (!r->job_json) return err->status;
  td_status status = codec_job_read_local(r->job_json, "", r->memory, &r->job, err);
  if (status != TD_OK) return status;
  r->run = codec_job_differentiated(&r->job, r->job_json, &r->run_json);
  if (r->job.max_wall_s == 0) r->job.max_wall_s = q->wall_s;
  if (r->job.max_wall_s > 0 && r->observer->bounded) r->observer->bounded(r->observer->context, r->job.max_wall_s);
  if (q->model) {
    r->model_json = codec_parse(q->model, q->model_size, err);
    if (!r->model_json) return codec_error_prefix(err, "/model"), err->status;
  } else if (r->job.model)
    r->model_json = json_incref((json_t *)r->job.model);
  else
    return td_fail(err, TD_INVALID_ARGUMENT, "/model", "the job has no inline model, and none was given with it");
  return codec_model_build(r->model_json, "/model", &r->model, err);
}

// From the model to the members of the archive.
static td_status work(execution *r, td_error *err) {
  bool design = r->job.kind == JOB_DESIGN; // which executes the job within by itself
  const execute_kind *kind = kinds[design ? JOB_DESIGN : r->run->kind];
  td_status status = kind->begin(r, err);
  if (status == TD_OK && kind->restore) status = kind->restore(r, err);
  if (status == TD_OK && !r->assembled && r->verdict.status == TD_OK) status = kind->compute(r, err);
  if (status == TD_OK) status = kind->finish(r, err);
  kind->end(r);
  return status;
}

// What was found odd on the way stands, of a gradient, in the job within.
static td_status work_and_tell(execution *r, td_error *err) {
  const char *within = r->gradient ? "/of" : "";
  td_warnings *checked = arena_alloc(r->memory, sizeof *checked), *found = arena_alloc(r->memory, sizeof *found);
  if (!checked || !found) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  *checked = r->warnings;
  r->warnings = (td_warnings){.count = 0};
  td_status status = work(r, err);
  *found = r->warnings;
  r->warnings = *checked;
  td_warnings_append(&r->warnings, within, found);
  td_warnings_append(&r->warnings, within, &r->statistics.warnings);
  return status;
}

static td_status write_archive(execution *r, uint64_t *size, td_error *err) {
  td_status status = work_and_tell(r, err);
  char *summary = status == TD_OK ? execute_summary(r) : NULL;
  if (status == TD_OK && !summary) status = td_fail(err, TD_NO_MEMORY, "", "no memory for the summary");
  if (status != TD_OK) {
    npz_writer_abandon(r->writer);
    return status;
  }
  npz_write_bytes(r->writer, "summary", summary, strlen(summary));
  free(summary);
  status = codec_npz_close(r->writer, size, err);
  if (status != TD_OK) *size = 0;
  return status == TD_INTERNAL ? execute_disk_failed(r, "the archive could not be written", err) : status;
}

static td_status execute_all(execution *r, int fd, uint64_t *size, td_error *err) {
  size_t rows = 0;
  td_status status = read_documents(r, err);
  if (status == TD_OK && r->job.kind == JOB_SWEEP)
    status = td_fail(err, TD_UNSUPPORTED, "/kind", "a job of kind \"%s\" is run by a server, as many jobs",
                     job_kind_name(r->job.kind));
  if (status == TD_OK) status = codec_job_check(&r->job, r->model, "", &rows, &r->warnings, err);
  if (status == TD_OK) r->t_end = r->run->kind == JOB_DYNAMICS ? r->run->dynamics.t_end : (double)rows;
  if (status == TD_OK) status = codec_job_numbers(r->run, r->run_json, r->model_json, r->memory, &r->numbers.set, err);
  if (status == TD_OK && r->job.kind == JOB_GRADIENT) status = execute_plan_gradient(r, err);
  if (status != TD_OK) return status;
  r->writer = npz_writer_to_fd(fd);
  return r->writer ? write_archive(r, size, err) : td_fail(err, TD_NO_MEMORY, "", "not enough memory");
}

static void release(execution *r) {
  json_decref(r->failures);
  json_decref(r->snaps);
  json_decref(r->events);
  json_decref(r->fit);
  json_decref(r->job_json);
  json_decref(r->model_json);
  execute_forget_gradient(r);
  execute_forget_numbers(r);
  td_model_destroy(r->model);
  arena_destroy(r->memory);
}

static execution execution_of(const execute_request *request, const execute_observer *observer) {
  return (execution){.request = request,
                     .observer = observer,
                     .execute = execute_job,
                     .run_part = 1,
                     .started_s = clock_monotonic_s(),
                     .started_cpu_s = (double)clock() / CLOCKS_PER_SEC};
}

td_status execute_job(const execute_request *request, const execute_observer *observer, int fd, uint64_t *size,
                      td_error *err) {
  execution r = execution_of(request, observer);
  td_status status = execute_all(&r, fd, size, err);
  if (status == TD_OK && r.verdict.status != TD_OK) status = (*err = r.verdict).status;
  if (observer->finished) observer->finished(observer->context, &r.statistics, &r.warnings);
  release(&r);
  return status;
}

td_status execute_assemble(const execute_request *request, int fd, uint64_t *size, td_error *err) {
  static const execute_observer nobody = {.context = NULL};
  execution r = execution_of(request, &nobody);
  r.assembled = true;
  td_status status = execute_all(&r, fd, size, err);
  release(&r);
  return status;
}
