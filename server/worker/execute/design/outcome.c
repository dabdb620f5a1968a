// Jobs that are executed for an evaluation, with the values that are asked about in their documents and their model's:
// into a nameless file, read back as an archive.
#include "api/c/nameless_file.h"
#include "worker/execute/design/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "not enough memory"); }

static bool on_progress(void *context, const execute_progress *now) {
  const design_job *d = context;
  double all = d->all, done = (double)d->done + now->fraction / (double)d->part_count;
  return execute_report(d->r, fmin(done / all, 0.99), (double)d->done, all);
}

static void on_finished(void *context, const td_run_statistics *statistics, const td_warnings *warnings) {
  design_job *d = context;
  td_run_statistics *all = &d->r->statistics;
  all->steps += statistics->steps;
  all->evaluations += statistics->evaluations;
  all->jacobians += statistics->jacobians;
  all->factorisations += statistics->factorisations;
  all->newton_iterations += statistics->newton_iterations;
  d->found = *warnings;
  d->last = *statistics;
}

void design_place(const design_job *d, const design_part *part, char place[32]) {
  snprintf(place, 32, json_is_array(d->jobs) ? "/of/%zu" : "/of", part->index);
}

td_status design_move(design_job *d, const double *p, td_error *err) {
  bool done = true;
  for (size_t i = 0; done && i < d->set.count; i++) {
    bool of_job = codec_parameter_is_of_job(&d->set, i);
    if (!of_job) done = codec_parameters_move(&d->set, d->model, i, p[i]);
    for (size_t k = 0; done && of_job && k < d->part_count; k++)
      done = !design_reaches(d, i, k) || codec_parameters_move(&d->set, d->parts[k].run, i, p[i]);
  }
  return done ? TD_OK : no_memory(err);
}

static td_status read_back(int fd, uint64_t size, design_outcome *o, td_error *err) {
  o->memory = arena_create();
  char *bytes = o->memory ? arena_alloc(o->memory, size) : NULL;
  if (!bytes) return no_memory(err);
  for (uint64_t at = 0; at < size;) {
    ssize_t n = pread(fd, bytes + at, size - at, (off_t)at);
    if (n <= 0) return td_fail(err, TD_LIMIT, "", "an evaluation could not be read back: the disk fails");
    at += (uint64_t)n;
  }
  o->bytes = bytes;
  o->size = size;
  return codec_npz_open(bytes, size, o->memory, &o->archive, err);
}

// Places of a gradient's job are below "/of" already.
static void place_error(const design_job *d, const design_part *part, td_error *err) {
  char place[32], rest[TD_POINTER_SIZE];
  if (!*err->pointer || strncmp(err->pointer, "/model", 6) == 0) return;
  snprintf(rest, sizeof rest, "%s", err->pointer + (strncmp(err->pointer, "/of", 3) == 0 ? 3 : 0));
  design_place(d, part, place);
  snprintf(err->pointer, sizeof err->pointer, "%s%.200s", place, rest);
}

td_status design_execute(design_job *d, const design_part *part, json_t *document, design_outcome *o, td_error *err) {
  execute_observer observer = {.context = d, .progress = on_progress, .finished = on_finished};
  *o = (design_outcome){.memory = NULL};
  td_status status = TD_OK;
  char *job = json_dumps(document, JSON_COMPACT), *model = json_dumps(d->model, JSON_COMPACT);
  int fd = nameless_file(NULL);
  uint64_t size = 0;
  json_decref(document);
  if (!job || !model) status = no_memory(err);
  if (status == TD_OK && fd < 0) status = execute_disk_failed(d->r, "no file for an evaluation can be made", err);
  if (status == TD_OK) {
    execute_request request = {
        .model = model, .model_size = strlen(model), .job = job, .job_size = strlen(job), .attempt = 1};
    status = d->r->execute(&request, &observer, fd, &size, err);
    if (status != TD_OK) place_error(d, part, err);
  }
  if (status == TD_OK) status = read_back(fd, size, o, err);
  if (fd >= 0) close(fd);
  free(job);
  free(model);
  return status;
}

td_status design_find(const design_outcome *o, const char *name, const double **values, td_error *err) {
  const npz_member *member = npz_find(&o->archive, name);
  npz_array array;
  npz_trouble trouble;
  if (!member || !npz_read(&o->archive, member, codec_npz_memory(o->memory), &array, &trouble))
    return td_fail(err, TD_INTERNAL, "", "an evaluation has no %.200s", name);
  *values = npz_doubles(&array, codec_npz_memory(o->memory));
  return *values ? TD_OK : no_memory(err);
}
