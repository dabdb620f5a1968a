// One row per method: its message, its handler, where it runs. Found by a walk: two dozen comparisons are nothing beside a call.
#include "rpc/methods.h"
#include "base/metrics.h"
#include "grpc/health/v1/health.pb-c.h"
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "grpc/reflection/v1alpha/reflection.pb-c.h"
#include "tendril/v1/dynamics.pb-c.h"
#include "tendril/v1/jobs.pb-c.h"
#include "tendril/v1/models.pb-c.h"

#include <string.h>

enum { WRITES = RPC_WAITS | RPC_WORK };

#define MODELS "/tendril.v1.Models/"
#define DYNAMICS "/tendril.v1.Dynamics/"
#define JOBS "/tendril.v1.Jobs/"
#define HEALTH "/grpc.health.v1.Health/"
#define REQUEST(name) &tendril__v1__##name##__descriptor

const rpc_method rpc_methods[] = {
    {MODELS "Create", REQUEST(create_model_request), rpc_models_create, WRITES, NULL, NULL},
    {MODELS "List", REQUEST(list_models_request), rpc_models_list, RPC_WAITS | RPC_LOOKS | RPC_QUIET, NULL, NULL},
    {MODELS "Get", REQUEST(get_model_request), rpc_models_get, RPC_BLOCKS | RPC_LOOKS | RPC_QUIET, NULL, NULL},
    {MODELS "Update", REQUEST(update_model_request), rpc_models_update, WRITES, NULL, NULL},
    {MODELS "Delete", REQUEST(delete_model_request), rpc_models_delete, WRITES, NULL, NULL},
    {DYNAMICS "Evaluate", REQUEST(evaluate_request), rpc_evaluate, RPC_BLOCKS | RPC_WORK | RPC_QUIET,
     rpc_evaluate_is_short, rpc_evaluate_end},
    {DYNAMICS "EvaluateStream", REQUEST(evaluate_stream_request), rpc_stream,
     RPC_READS | RPC_SENDS | RPC_BLOCKS | RPC_WORK | RPC_QUIET, rpc_stream_is_short, rpc_stream_end},
    {JOBS "Submit", REQUEST(submit_job_request), rpc_jobs_submit, WRITES, NULL, NULL},
    {JOBS "List", REQUEST(list_jobs_request), rpc_jobs_list, RPC_WAITS | RPC_LOOKS | RPC_QUIET, NULL, NULL},
    {JOBS "Get", REQUEST(job_request), rpc_jobs_get, RPC_WAITS | RPC_LOOKS | RPC_QUIET, NULL, NULL},
    {JOBS "Cancel", REQUEST(job_request), rpc_jobs_cancel, RPC_WAITS, NULL, NULL},
    {JOBS "Retry", REQUEST(job_request), rpc_jobs_retry, WRITES, NULL, NULL},
    {JOBS "Delete", REQUEST(job_request), rpc_jobs_delete, WRITES, NULL, NULL},
    {JOBS "Watch", REQUEST(watch_request), rpc_jobs_watch, RPC_SENDS | RPC_WAITS | RPC_LOOKS | RPC_QUIET, NULL,
     rpc_jobs_watch_end},
    {JOBS "GetResult", REQUEST(result_request), rpc_jobs_result, RPC_SENDS | RPC_BLOCKS | RPC_LOOKS | RPC_QUIET, NULL,
     rpc_jobs_result_end},
    {HEALTH "Check", &grpc__health__v1__health_check_request__descriptor, rpc_health_check, RPC_PUBLIC | RPC_QUIET,
     NULL, NULL},
    {HEALTH "Watch", &grpc__health__v1__health_check_request__descriptor, rpc_health_watch,
     RPC_SENDS | RPC_PUBLIC | RPC_QUIET, NULL, rpc_health_watch_end},
    {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
     &grpc__reflection__v1__server_reflection_request__descriptor, rpc_reflect,
     RPC_READS | RPC_SENDS | RPC_PUBLIC | RPC_QUIET, NULL, NULL},
    {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
     &grpc__reflection__v1alpha__server_reflection_request__descriptor, rpc_reflect,
     RPC_READS | RPC_SENDS | RPC_PUBLIC | RPC_QUIET, NULL, NULL},
};
const int rpc_method_count = sizeof rpc_methods / sizeof *rpc_methods;

enum { FIRST_SERIES = METRIC_ROUTES - 24 }; // the routes of HTTP stand before them
_Static_assert(sizeof rpc_methods / sizeof *rpc_methods < 24, "a series for every method, and one for none");

const rpc_method *methods_find(const char *path, size_t length) {
  for (int i = 0; i < rpc_method_count; i++)
    if (strlen(rpc_methods[i].path) == length && memcmp(rpc_methods[i].path, path, length) == 0) return &rpc_methods[i];
  return NULL;
}

int methods_number(const rpc_method *m) { return FIRST_SERIES + (m ? (int)(m - rpc_methods) : rpc_method_count); }

void methods_name_metrics(void) {
  for (int i = 0; i <= rpc_method_count; i++)
    metrics_name_route(FIRST_SERIES + i, "gRPC", i < rpc_method_count ? rpc_methods[i].path : "");
}
