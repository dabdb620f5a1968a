// grpc.health.v1: the server serves until it is told to stop; its services are those of the contract.
#include "grpc/health/v1/health.pb-c.h"
#include "rpc/descriptors.h"
#include "rpc/methods.h"

#include <stdlib.h>

typedef Grpc__Health__V1__HealthCheckResponse response;

enum {
  SERVING = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING,
  NOT_SERVING = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING,
  SERVICE_UNKNOWN = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN,
};

static bool known(const char *name) { return !*name || descriptors_has_service(name); }

static int status_now(const rpc_call *c) { return rpc_is_draining(c) ? NOT_SERVING : SERVING; }

void rpc_health_check(rpc_call *c, const ProtobufCMessage *message) {
  const Grpc__Health__V1__HealthCheckRequest *m = (const void *)message;
  fault f;
  response r = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
  r.status = (unsigned)status_now(c);
  if (known(m->service))
    rpc_reply(c, &r.base);
  else
    fault_set(&f, PROBLEM_NOT_FOUND, "/service", "there is no service \"%.80s\"", m->service), rpc_fail(c, &f);
}

typedef struct health_watch {
  bool known;
  int said; // 0: nothing yet
} health_watch;

void rpc_health_watch(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  health_watch *w = rpc_state(c);
  if (!w && (w = calloc(1, sizeof *w))) {
    w->known = known(((const Grpc__Health__V1__HealthCheckRequest *)message)->service);
    rpc_set_state(c, w);
  }
  int now = w && w->known ? status_now(c) : SERVICE_UNKNOWN;
  if (!w)
    fault_set(&f, PROBLEM_UNAVAILABLE, NULL, "not enough memory"), rpc_fail(c, &f);
  else if (w->said != now) {
    response r = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    r.status = (unsigned)now;
    w->said = now;
    rpc_send(c, &r.base);
  } else if (rpc_is_stopping(c))
    fault_set(&f, PROBLEM_UNAVAILABLE, NULL, "the server is stopping"), rpc_fail(c, &f);
  else
    rpc_sleep(c);
}

void rpc_health_watch_end(rpc_call *c) {
  free(rpc_state(c));
  rpc_set_state(c, NULL);
}
