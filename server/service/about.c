// What operators and clients ask a server about itself: version, limits, readiness.
#include "base/budget.h"
#include "base/embedded.h"
#include "base/limits.h"
#include "codec/document/sweep.h"
#include "codec/evaluate/evaluate.h"
#include "codec/json/object.h"
#include "codec/json/text.h"
#include "service/service.h"
#include "tendril/dynamics.h"

bool about_version(service *s, codec_buffer *reply, fault *f) {
  (void)s, (void)f;
  json_begin(reply);
  json_string_member(reply, "version", td_version());
  json_string_member(reply, "api", "v1");
  json_string_member(reply, "model_format", "tendril.model/1");
  json_string_member(reply, "cpu_level", td_cpu_level());
  json_end(reply);
  return true;
}

bool about_limits(service *s, codec_buffer *reply, fault *f) {
  (void)f;
  const struct {
    const char *name;
    int64_t value;
  } limits[] = {
      {"body_bytes", LIMIT_BODY_BYTES},
      {"states", CODEC_MAX_STATES},
      {"ndof", TD_MAX_NDOF},
      {"links", TD_MAX_LINKS},
      {"channels", TD_MAX_CHANNELS},
      {"depth", CODEC_MAX_DEPTH},
      {"jobs_queued", LIMIT_JOBS_QUEUED},
      {"sweep_jobs", SWEEP_MAX_JOBS},
      {"streams", LIMIT_STREAMS},
      {"attempts", LIMIT_ATTEMPTS},
      {"connections", s->limits.connections},
      {"connections_per_address", s->limits.connections_per_address},
      {"connections_per_caller", s->limits.connections_each},
      {"waiting_per_caller", s->limits.waiting_each},
      {"calls_per_caller", s->limits.calls_each},
      {"memory_bytes", (int64_t)budget_bytes()},
      {"evaluate_seconds", s->limits.evaluate_s},
      {"rate", s->limits.rate},
      {"burst", s->limits.burst},
      {"watchers", LIMIT_WATCHERS},
      {"results_per_caller", s->results ? seats_each(s->results) : 0},
      {"downloads_per_caller", s->downloads ? seats_each(s->downloads) : 0},
      {"watchers_per_caller", s->watchers ? seats_each(s->watchers) : 0},
      {"max_wall_s", s->max_wall_s},
      {"max_steps", s->max_steps},
      {"queued_per_owner", s->room.each},
      {"queued_bytes_per_owner", s->room.each_bytes},
      {"jobs_per_owner", s->keep.most[STORE_KEPT_JOBS]},
      {"sweeps_per_owner", s->keep.most[STORE_KEPT_SWEEPS]},
      {"keys_per_owner", s->keep.most[STORE_KEPT_KEYS]},
      {"models_per_owner", s->keep.most[STORE_KEPT_MODELS]},
      {"revisions_per_model", s->keep.most[STORE_KEPT_REVISIONS]},
      {"documents_bytes_per_owner", s->keep.most[STORE_KEPT_BYTES]},
      {"tokens_per_owner", s->tokens_each},
      {"calls", LIMIT_CALLS},
      {"wait_s", LIMIT_WAIT_S},
      {"list", LIMIT_LIST},
  };
  json_begin(reply);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    json_integer_member(reply, limits[i].name, limits[i].value);
  json_integer_member(reply, "reply_bytes", (int64_t)LIMIT_REPLY_BYTES);
  json_integer_member(reply, "result_bytes", (int64_t)LIMIT_RESULT_BYTES);
  const keeper_options *kept = keeper_get_options(s->keeper);
  json_integer_member(reply, "results_quota_bytes", kept->quota_bytes);
  json_integer_member(reply, "retention_days", kept->retention_days);
  json_integer_member(reply, "retention_min_days", kept->retention_min_days);
  json_end(reply);
  return true;
}

bool about_contract(service *s, codec_buffer *reply, fault *f) {
  (void)s, (void)f;
  codec_buffer_append(reply, embedded_contract[0].data, embedded_contract[0].size);
  return true;
}

bool about_ready(service *s, codec_buffer *reply, fault *f) {
  store_status status = store_ping(s->store);
  char trouble[STORE_MESSAGE_SIZE];
  if (status != STORE_OK) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the store does not answer");
  if (!store_health(s->store, trouble)) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "%s", trouble);
  codec_buffer_text(reply, "{\"status\":\"ready\"}");
  return true;
}
