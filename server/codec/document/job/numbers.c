// Places of a job document to the numbers of the spec that was read from it: inputs, controllers, initial states,
// states that a linearisation is asked about.
#include "codec/document/job/parts.h"
#include "codec/document/job/signal.h"
#include "codec/json/place.h"

#include <string.h>

typedef struct numbers {
  const double *list;
  size_t count;
} numbers;

static const td_input_spec *find_input(const td_input_spec *inputs, size_t count, const char *channel) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(inputs[i].channel, channel) == 0) return &inputs[i];
  return NULL;
}

static const double *entry(numbers of, const char *rest) {
  char token[JSON_TOKEN_SIZE];
  size_t i;
  rest = json_place_token(rest, token);
  return of.list && rest && !*rest && json_place_index(token, &i) && i < of.count ? &of.list[i] : NULL;
}

static const double *input_number(const td_input_spec *inputs, size_t count, const char *rest) {
  char channel[JSON_TOKEN_SIZE];
  rest = json_place_token(rest, channel);
  const td_input_spec *input = rest ? find_input(inputs, count, channel) : NULL;
  if (!input) return NULL;
  return input->list ? entry((numbers){input->list, input->list_count}, rest) : signal_number(&input->signal, rest);
}

// Of {q, qd}.
static const double *state_number(numbers q, numbers qd, const char *rest) {
  char member[JSON_TOKEN_SIZE];
  rest = json_place_token(rest, member);
  if (!rest || !*rest) return NULL;
  return strcmp(member, "q") == 0 ? entry(q, rest) : strcmp(member, "qd") == 0 ? entry(qd, rest) : NULL;
}

// A number, or an entry of a list.
static const double *one_or_entry(numbers of, const char *rest) {
  if (*rest) return entry(of, rest);
  return of.list && of.count == 1 ? of.list : NULL;
}

// An entry of a row, or the one number of it.
static const double *reference_number(const td_reference_spec *r, const char *rest) {
  char token[JSON_TOKEN_SIZE];
  size_t row;
  rest = json_place_token(rest, token);
  if (!rest || strcmp(token, "value") != 0 || !*rest) return NULL;
  rest = json_place_token(rest, token);
  if (!rest || !json_place_index(token, &row) || row >= r->rows) return NULL;
  return one_or_entry((numbers){r->value + row * r->width, r->width}, rest);
}

static const double *controller_number(const td_dynamics_spec *run, const char *rest) {
  char token[JSON_TOKEN_SIZE];
  size_t i = 0;
  rest = json_place_token(rest, token);
  if (rest && run->controller_list) {
    if (!json_place_index(token, &i) || !*rest) return NULL;
    rest = json_place_token(rest, token);
  }
  if (!rest || i >= run->controller_count) return NULL;
  const td_controller_spec *c = &run->controllers[i];
  if (strcmp(token, "kp") == 0) return one_or_entry((numbers){c->kp, c->kp_count}, rest);
  if (strcmp(token, "kd") == 0) return one_or_entry((numbers){c->kd, c->kd_count}, rest);
  return strcmp(token, "reference") == 0 && *rest ? reference_number(&c->reference, rest) : NULL;
}

static const double *run_number(const td_dynamics_spec *run, const char *member, const char *rest) {
  if (strcmp(member, "inputs") == 0) return input_number(run->inputs, run->input_count, rest);
  if (strcmp(member, "controller") == 0) return controller_number(run, rest);
  if (strcmp(member, "initial") != 0) return NULL;
  return state_number((numbers){run->q, run->q_count}, (numbers){run->qd, run->qd_count}, rest);
}

static const double *statics_number(const td_statics_spec *spec, const char *member, const char *rest) {
  return strcmp(member, "inputs") == 0 ? input_number(spec->inputs, spec->input_count, rest) : NULL;
}

static const double *linearize_number(const td_linearize_spec *spec, const char *member, const char *rest) {
  if (strcmp(member, "at") != 0) return run_number(&spec->run, member, rest);
  return state_number((numbers){spec->q, spec->q_count}, (numbers){spec->qd, spec->qd_count}, rest);
}

const double *codec_job_number(const job_document *job, const char *place) {
  static const char in_job[] = "/job";
  char member[JSON_TOKEN_SIZE];
  if (strncmp(place, in_job, sizeof in_job - 1) != 0) return NULL;
  const char *rest = json_place_token(place + sizeof in_job - 1, member);
  if (!rest || !*rest) return NULL;
  switch (job->kind) {
  case JOB_DYNAMICS:
    return run_number(&job->dynamics, member, rest);
  case JOB_STATICS:
    return statics_number(&job->statics, member, rest);
  case JOB_LINEARIZE:
    return linearize_number(&job->linearize, member, rest);
  default:
    return NULL;
  }
}
