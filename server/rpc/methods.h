// The table of methods, in the order of the contract.
#ifndef SERVER_RPC_METHODS_H
#define SERVER_RPC_METHODS_H

#include "rpc/call.h"

/// A line per method: path, operation, message of the request, handler (rpc_<name>), what is a stream (rpc_flag), which
/// of its steps are short, what is freed at its end.
#define RPC_METHODS(LINE)                                                                                              \
  LINE("/tendril.v1.Models/Create", MODELS_CREATE, tendril__v1__create_model_request, models_create, 0, NULL, NULL)    \
  LINE("/tendril.v1.Models/List", MODELS_LIST, tendril__v1__list_models_request, models_list, 0, NULL, NULL)           \
  LINE("/tendril.v1.Models/Get", MODELS_GET, tendril__v1__get_model_request, models_get, 0, NULL, NULL)                \
  LINE("/tendril.v1.Models/Update", MODELS_PUT, tendril__v1__update_model_request, models_update, 0, NULL, NULL)       \
  LINE("/tendril.v1.Models/Delete", MODELS_DELETE, tendril__v1__delete_model_request, models_delete, 0, NULL, NULL)    \
  LINE("/tendril.v1.Models/Import", MODELS_IMPORT, tendril__v1__import_model_request, models_import, 0, NULL, NULL)    \
  LINE("/tendril.v1.Dynamics/Evaluate", EVALUATE, tendril__v1__evaluate_request, evaluate, 0, rpc_evaluate_is_short,   \
       rpc_evaluate_end)                                                                                               \
  LINE("/tendril.v1.Dynamics/EvaluateStream", EVALUATE_STREAM, tendril__v1__evaluate_stream_request, stream,           \
       RPC_READS | RPC_SENDS, rpc_stream_is_short, rpc_stream_end)                                                     \
  LINE("/tendril.v1.Jobs/Submit", JOBS_SUBMIT, tendril__v1__submit_job_request, jobs_submit, 0, NULL, NULL)            \
  LINE("/tendril.v1.Jobs/List", JOBS_LIST, tendril__v1__list_jobs_request, jobs_list, 0, NULL, NULL)                   \
  LINE("/tendril.v1.Jobs/Get", JOBS_GET, tendril__v1__job_request, jobs_get, 0, NULL, NULL)                            \
  LINE("/tendril.v1.Jobs/Cancel", JOBS_CANCEL, tendril__v1__job_request, jobs_cancel, 0, NULL, NULL)                   \
  LINE("/tendril.v1.Jobs/Retry", JOBS_RETRY, tendril__v1__job_request, jobs_retry, 0, NULL, NULL)                      \
  LINE("/tendril.v1.Jobs/Delete", JOBS_DELETE, tendril__v1__job_request, jobs_delete, 0, NULL, NULL)                   \
  LINE("/tendril.v1.Jobs/Watch", JOBS_EVENTS, tendril__v1__watch_request, jobs_watch, RPC_SENDS, NULL,                 \
       rpc_jobs_watch_end)                                                                                             \
  LINE("/tendril.v1.Jobs/GetResult", JOBS_RESULT, tendril__v1__result_request, jobs_result, RPC_SENDS, NULL,           \
       rpc_jobs_result_end)                                                                                            \
  LINE("/grpc.health.v1.Health/Check", HEALTH, grpc__health__v1__health_check_request, health_check, 0, NULL, NULL)    \
  LINE("/grpc.health.v1.Health/Watch", HEALTH_WATCH, grpc__health__v1__health_check_request, health_watch, RPC_SENDS,  \
       NULL, rpc_health_watch_end)                                                                                     \
  LINE("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", REFLECTION,                                        \
       grpc__reflection__v1__server_reflection_request, reflect, RPC_READS | RPC_SENDS, NULL, NULL)                    \
  LINE("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", REFLECTION_ALPHA,                             \
       grpc__reflection__v1alpha__server_reflection_request, reflect, RPC_READS | RPC_SENDS, NULL, NULL)

extern const rpc_method rpc_methods[];
extern const int rpc_method_count;

// The handlers; they stand in handlers/, in a file per service.
#define LINE(path, ID, request, name, flags, is_short, end)                                                            \
  void rpc_##name(rpc_call *c, const ProtobufCMessage *message);
RPC_METHODS(LINE)
#undef LINE
bool rpc_evaluate_is_short(rpc_call *c, const ProtobufCMessage *message);
void rpc_evaluate_end(rpc_call *c);
bool rpc_stream_is_short(rpc_call *c, const ProtobufCMessage *message);
void rpc_stream_end(rpc_call *c);
void rpc_jobs_watch_end(rpc_call *c);
void rpc_jobs_result_end(rpc_call *c);
void rpc_health_watch_end(rpc_call *c);

#endif
