// One row per method: its operation, its message, its handler.
#include "rpc/methods.h"
#include "grpc/health/v1/health.pb-c.h"
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "grpc/reflection/v1alpha/reflection.pb-c.h"
#include "tendril/v1/dynamics.pb-c.h"
#include "tendril/v1/jobs.pb-c.h"
#include "tendril/v1/models.pb-c.h"

#define MODELS "/tendril.v1.Models/"
#define DYNAMICS "/tendril.v1.Dynamics/"
#define JOBS "/tendril.v1.Jobs/"
#define HEALTH "/grpc.health.v1.Health/"
#define REFLECTION(version) "/grpc.reflection." version ".ServerReflection/ServerReflectionInfo"
#define REQUEST(name) &tendril__v1__##name##__descriptor
#define OPERATION(name) &operations[OPERATION_##name]

const rpc_method rpc_methods[] = {
    {MODELS "Create", OPERATION(MODELS_CREATE), REQUEST(create_model_request), rpc_models_create, 0, NULL, NULL},
    {MODELS "List", OPERATION(MODELS_LIST), REQUEST(list_models_request), rpc_models_list, 0, NULL, NULL},
    {MODELS "Get", OPERATION(MODELS_GET), REQUEST(get_model_request), rpc_models_get, 0, NULL, NULL},
    {MODELS "Update", OPERATION(MODELS_PUT), REQUEST(update_model_request), rpc_models_update, 0, NULL, NULL},
    {MODELS "Delete", OPERATION(MODELS_DELETE), REQUEST(delete_model_request), rpc_models_delete, 0, NULL, NULL},
    {DYNAMICS "Evaluate", OPERATION(EVALUATE), REQUEST(evaluate_request), rpc_evaluate, 0, rpc_evaluate_is_short,
     rpc_evaluate_end},
    {DYNAMICS "EvaluateStream", OPERATION(EVALUATE_STREAM), REQUEST(evaluate_stream_request), rpc_stream,
     RPC_READS | RPC_SENDS, rpc_stream_is_short, rpc_stream_end},
    {JOBS "Submit", OPERATION(JOBS_SUBMIT), REQUEST(submit_job_request), rpc_jobs_submit, 0, NULL, NULL},
    {JOBS "List", OPERATION(JOBS_LIST), REQUEST(list_jobs_request), rpc_jobs_list, 0, NULL, NULL},
    {JOBS "Get", OPERATION(JOBS_GET), REQUEST(job_request), rpc_jobs_get, 0, NULL, NULL},
    {JOBS "Cancel", OPERATION(JOBS_CANCEL), REQUEST(job_request), rpc_jobs_cancel, 0, NULL, NULL},
    {JOBS "Retry", OPERATION(JOBS_RETRY), REQUEST(job_request), rpc_jobs_retry, 0, NULL, NULL},
    {JOBS "Delete", OPERATION(JOBS_DELETE), REQUEST(job_request), rpc_jobs_delete, 0, NULL, NULL},
    {JOBS "Watch", OPERATION(JOBS_EVENTS), REQUEST(watch_request), rpc_jobs_watch, RPC_SENDS, NULL, rpc_jobs_watch_end},
    {JOBS "GetResult", OPERATION(JOBS_RESULT), REQUEST(result_request), rpc_jobs_result, RPC_SENDS, NULL,
     rpc_jobs_result_end},
    {HEALTH "Check", OPERATION(HEALTH), &grpc__health__v1__health_check_request__descriptor, rpc_health_check, 0, NULL,
     NULL},
    {HEALTH "Watch", OPERATION(HEALTH_WATCH), &grpc__health__v1__health_check_request__descriptor, rpc_health_watch,
     RPC_SENDS, NULL, rpc_health_watch_end},
    {REFLECTION("v1"), OPERATION(REFLECTION), &grpc__reflection__v1__server_reflection_request__descriptor, rpc_reflect,
     RPC_READS | RPC_SENDS, NULL, NULL},
    {REFLECTION("v1alpha"), OPERATION(REFLECTION_ALPHA),
     &grpc__reflection__v1alpha__server_reflection_request__descriptor, rpc_reflect, RPC_READS | RPC_SENDS, NULL, NULL},
};
const int rpc_method_count = sizeof rpc_methods / sizeof *rpc_methods;
