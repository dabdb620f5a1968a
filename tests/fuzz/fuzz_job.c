// Any bytes as a job document, checked against the cable-driven manipulator.
#include "codec/document/job/job.h"
#include "codec/json/text.h"
#include "support/model_file.h"
#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The first and the last job of a sweep, and an error of each.
static void expand(const sweep_document *sweep) {
  json_t *base = json_deep_copy(sweep->base);
  const size_t ends[] = {0, sweep->jobs - 1};
  for (int i = 0; i < 2; i++) {
    td_error err = {.pointer = "/inputs/cable1/t/2"};
    bool done = codec_sweep_apply(sweep, ends[i], base, NULL);
    assert(done);
    codec_sweep_blame(sweep, ends[i], &err);
    assert(err.pointer[0] == '/');
  }
  json_decref(base);
}

static void check(json_t *doc, const td_model *model) {
  td_error err = {0};
  job_document job;
  arena *memory = arena_create();
  size_t problems = 0;
  td_status status = codec_job_read(doc, "", memory, &job, &err);
  td_errors all = {0};
  if (status != TD_OK) codec_job_errors(doc, &all);
  assert(status == TD_OK || all.count > 0);
  if (status == TD_OK) status = codec_job_check(&job, model, "", &problems, NULL, &err);
  if (status == TD_OK && job.kind == JOB_SWEEP) expand(&job.sweep);
  assert(status == TD_OK ? problems > 0 : err.message[0] != '\0');
  arena_destroy(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static td_model *model;
  if (!model) model = test_model_from_file("../api/examples/cdm.model.json", NULL);
  json_t *doc = codec_parse((const char *)data, size, NULL);
  if (doc) check(doc, model);
  json_decref(doc);
  return 0;
}
