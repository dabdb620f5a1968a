// What operators and clients ask a server about itself: version, limits, readiness.
#include "service/about/about.h"
#include "base/embedded.h"
#include "base/limits.h"
#include "base/share/budget.h"
#include "base/share/seats.h"
#include "codec/document/sweep.h"
#include "codec/evaluate/evaluate.h"
#include "codec/json/text.h"
#include "service/keeper/keeper.h"
#include "tendril/dynamics.h"

#include <string.h>

server_version about_version(void) {
  return (server_version){
      .version = td_version(), .api = "v1", .model_format = "tendril.model/1", .cpu_level = td_cpu_level()};
}

int about_limits(const service *s, limit_row rows[ABOUT_LIMITS]) {
  const keeper_options *kept = keeper_get_options(s->keeper);
  const limit_row limits[] = {
      {"body_bytes", LIMIT_BODY_BYTES},
      {"states", CODEC_MAX_STATES},
      {"parameters", CODEC_MAX_PARAMETERS},
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
      {"reply_bytes", (int64_t)LIMIT_REPLY_BYTES},
      {"result_bytes", (int64_t)LIMIT_RESULT_BYTES},
      {"sensitivity_models_bytes", (int64_t)LIMIT_NEIGHBOUR_BYTES},
      {"sensitivity_row_bytes", (int64_t)LIMIT_ROW_BYTES},
      {"results_quota_bytes", kept->quota_bytes},
      {"retention_days", kept->retention_days},
      {"retention_min_days", kept->retention_min_days},
  };
  _Static_assert(sizeof limits <= ABOUT_LIMITS * sizeof *limits, "room for all of them");
  memcpy(rows, limits, sizeof limits);
  return sizeof limits / sizeof *limits;
}

span about_contract(void) { return (span){embedded_contract[0].data, embedded_contract[0].size}; }

bool about_ready(service *s, fault *f) {
  store_status status = store_ping(s->store);
  char trouble[STORE_MESSAGE_SIZE];
  if (status != STORE_OK) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the store does not answer");
  return store_health(s->store, trouble) || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "%s", trouble);
}
