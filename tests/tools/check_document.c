// Judges documents the way the server does, for tests/api/test_schema.py.
//
// Usage: check_document MODEL.json < LINES. Each line is "model", "spec" or "job", a space and a document without
// newlines; each answer is a line {"status", "pointer", "message"}. "spec" stops after the codec; a job is checked
// against MODEL.json.
#include "codec/document/job/job.h"
#include "codec/document/model/model.h"
#include "codec/json/text.h"
#include "support/model_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static td_status check_model(const json_t *doc, td_error *err) {
  td_model *model = NULL;
  td_status status = codec_model_build(doc, "", &model, err);
  td_model_destroy(model);
  return status;
}

static td_status check_spec(const json_t *doc, td_error *err) {
  arena *a = arena_create();
  td_model_spec spec;
  td_status status = codec_model_read(doc, "", a, &spec, NULL, err);
  arena_destroy(a);
  return status;
}

static td_status check_job(const json_t *doc, const td_model *model, const json_t *document, td_error *err) {
  arena *a = arena_create();
  job_document job;
  parameter_set set;
  td_unknown *unknowns;
  td_status status = codec_job_read(doc, "", a, &job, err);
  if (status == TD_OK) status = codec_job_check(&job, model, "", NULL, NULL, err);
  if (status == TD_OK && job.kind == JOB_FIT)
    status = codec_fit_resolve(&job.fit, document, NULL, a, &set, &unknowns, err);
  if (status == TD_OK && job.kind == JOB_DESIGN)
    status = codec_fit_resolve(&job.design.unknowns, document, job.design.of, a, &set, &unknowns, err);
  arena_destroy(a);
  return status;
}

static td_status check(const char *line, const td_model *model, const json_t *document, td_error *err) {
  const char *text = strchr(line, ' ');
  if (!text) return td_fail(err, TD_INTERNAL, "", "a line is a kind, a space and a document");
  json_t *doc = codec_parse(text + 1, strlen(text + 1), err);
  if (!doc) return err->status;
  td_status status = strncmp(line, "model", 5) == 0  ? check_model(doc, err)
                     : strncmp(line, "spec", 4) == 0 ? check_spec(doc, err)
                                                     : check_job(doc, model, document, err);
  json_decref(doc);
  return status;
}

static void answer(td_status status, const td_error *err) {
  json_t *line =
      json_pack("{s:s, s:s, s:s}", "status", td_status_name(status), "pointer", err->pointer, "message", err->message);
  json_dumpf(line, stdout, JSON_COMPACT);
  putchar('\n');
  json_decref(line);
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "usage: check_document MODEL.json < LINES\n"), 2;
  td_model *model = test_model_from_file(arguments[1], NULL);
  json_t *document = json_load_file(arguments[1], 0, NULL);
  char *line = NULL;
  size_t room = 0;
  for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
    if (line[n - 1] == '\n') line[n - 1] = '\0';
    td_error err = {0};
    td_status status = check(line, model, document, &err);
    answer(status, &err);
  }
  free(line);
  json_decref(document);
  td_model_destroy(model);
  return 0;
}
