// `sensitivity` of a job: the numbers that its results are differentiated by, and the fields of which.
#include "tendril/sensitivity.h"
#include "base/limits.h"
#include "codec/document/job/parts.h"
#include "codec/json/place.h"
#include "tendril/gradient.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static td_status read_sensitivity_fields(reader *r, const json_t *value, void *out) {
  job_sensitivity *s = out;
  td_status status = read_fields(r, value, &s->fields, &s->field_count);
  if (status == TD_OK && s->field_count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one field");
  return status;
}

static td_status read_numbers_by(reader *r, const json_t *value, void *out) {
  job_sensitivity *s = out;
  td_status status = codec_parameters_read_of_job(r, value, &s->parameters);
  if (status == TD_OK && s->parameters.count == 0)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one parameter");
  return status;
}

static td_status read_sensitivity(reader *r, const json_t *value, const char *const *unnamed, size_t count, void *out) {
  static const field fields[] = {{"parameters", read_numbers_by, 0, true, NULL},
                                 {"fields", read_sensitivity_fields, 0, false, NULL}};
  job_sensitivity *s = out;
  *s = (job_sensitivity){.given = true, .at = "/sensitivity", .fields = unnamed, .field_count = count};
  return read_object(r, value, fields, COUNT_OF(fields), s);
}

td_status read_job_sensitivity(reader *r, const json_t *value, void *out) {
  static const char *const unnamed[] = {"q"};
  return read_sensitivity(r, value, unnamed, COUNT_OF(unnamed), out);
}

td_status read_linearize_sensitivity(reader *r, const json_t *value, void *out) {
  static const char *const unnamed[] = {"A", "B"};
  return read_sensitivity(r, value, unnamed, COUNT_OF(unnamed), out);
}

// Of a path the channel that is followed has the values that its points have.
static td_status check_followed(const job_document *job, const parameter_set *set, td_error *err) {
  const char *channel = job->kind == JOB_STATICS ? job->statics.continuation.channel : NULL;
  char token[JSON_TOKEN_SIZE], pointer[64];
  static const char inputs[] = "/job/inputs";
  for (size_t i = 0; channel && i < set->count + set->twin_count; i++) {
    size_t number;
    const char *name = codec_parameter_every(set, i, &number);
    if (strncmp(name, inputs, sizeof inputs - 1) != 0) continue;
    if (!json_place_token(name + sizeof inputs - 1, token) || strcmp(token, channel) != 0) continue;
    snprintf(pointer, sizeof pointer, "/parameters/%zu", set->place[number]);
    return td_fail(err, TD_INVALID_ARGUMENT, pointer,
                   "%.200s: the path gives its channel the values that its points have; they are held in derivatives",
                   name);
  }
  return TD_OK;
}

// Numbers that a static inversion depends on; those of the model are asked about with the run (dynamics.c).
static td_status check_inverted(const job_document *job, const parameter_set *set, td_error *err) {
  td_error why;
  char pointer[64];
  for (size_t i = 0; job->kind == JOB_DYNAMICS && i < set->count + set->twin_count; i++) {
    size_t number;
    const char *name = codec_parameter_every(set, i, &number);
    if (!codec_parameter_is_of_job(set, number)) continue;
    if (td_law_numbers_check_place(&job->dynamics, codec_job_number(job, name), &why) == TD_OK) continue;
    snprintf(pointer, sizeof pointer, "/parameters/%zu", set->place[number]);
    return td_fail(err, why.status, pointer, "%.120s has no derivatives here, for %.80s: %.240s", name, why.pointer,
                   why.message);
  }
  return TD_OK;
}

td_status codec_job_numbers(const job_document *job, const json_t *document, const json_t *model, arena *a,
                            parameter_set *set, td_error *err) {
  *set = (parameter_set){.count = 0};
  if (!job->sensitivity.given) return TD_OK;
  td_status status = codec_parameters_resolve(&job->sensitivity.parameters, model, document, a, set, err);
  if (status == TD_OK) status = check_followed(job, set, err);
  if (status == TD_OK) status = check_inverted(job, set, err);
  if (status != TD_OK) codec_error_prefix(err, job->sensitivity.at);
  return status;
}

// The engine names fields by their place in `output`.
static void move_pointer(td_error *err) {
  static const char from[] = "/output/fields";
  char rest[TD_POINTER_SIZE];
  if (!err || strncmp(err->pointer, from, sizeof from - 1) != 0) return;
  snprintf(rest, sizeof rest, "%s", err->pointer + sizeof from - 1);
  snprintf(err->pointer, sizeof err->pointer, "/sensitivity/fields%.200s", rest);
}

static int members_of(const job_document *job, const td_model *model, td_member *members, int capacity, size_t *row,
                      td_error *err) {
  const job_sensitivity *by = &job->sensitivity;
  if (job->kind == JOB_STATICS)
    return td_sensitivity_members(model, by->fields, by->field_count, members, capacity, row, err);
  if (job->kind == JOB_LINEARIZE)
    return td_linearize_sensitivity_members(model, by->fields, by->field_count, members, capacity, row, err);
  assert(job->kind == JOB_DYNAMICS);
  td_dynamics_spec spec = job->dynamics;
  spec.fields = by->fields;
  spec.field_count = by->field_count;
  int count = td_run_output_members(model, &spec, members, capacity, row, err);
  if (count < 0) move_pointer(err);
  return count;
}

int codec_job_sensitivity_members(const job_document *job, const td_model *model, size_t np, td_member *members,
                                  size_t capacity, size_t *row_size, td_error *err) {
  size_t row = 0, carried = 0; // a run differentiates all that it reports
  assert(job->sensitivity.given);
  int count = members_of(job, model, members, (int)capacity, &row, err);
  if (row_size) *row_size = row;
  if (count >= 0 && job->kind == JOB_DYNAMICS &&
      td_run_output_members(model, &job->dynamics, NULL, 0, &carried, err) < 0)
    return -1;
  double bytes = (double)(row + carried) * (double)np * sizeof(double);
  if (count < 0 || bytes <= (double)LIMIT_ROW_BYTES) return count;
  (void)td_fail(
      err, TD_LIMIT, "/sensitivity",
      "derivatives of these fields%s by %zu numbers would be %.3g bytes a row, more than %.3g: fewer numbers, "
      "or fields of points (poses:LINK@S) in place of whole links",
      carried ? ", and of those of output," : "", np, bytes, (double)LIMIT_ROW_BYTES);
  return -1;
}
