// The table of methods, in the order of the contract.
#ifndef SERVER_RPC_METHODS_H
#define SERVER_RPC_METHODS_H

#include "rpc/call.h"

extern const rpc_method rpc_methods[];
extern const int rpc_method_count;

// Handlers, by the file that holds them.
void rpc_models_create(rpc_call *c, const ProtobufCMessage *message); // handlers/models.c
void rpc_models_list(rpc_call *c, const ProtobufCMessage *message);
void rpc_models_get(rpc_call *c, const ProtobufCMessage *message);
void rpc_models_update(rpc_call *c, const ProtobufCMessage *message);
void rpc_models_delete(rpc_call *c, const ProtobufCMessage *message);
void rpc_evaluate(rpc_call *c, const ProtobufCMessage *message); // handlers/evaluate.c
bool rpc_evaluate_is_short(rpc_call *c, const ProtobufCMessage *message);
void rpc_evaluate_end(rpc_call *c);
void rpc_stream(rpc_call *c, const ProtobufCMessage *message); // handlers/stream.c
bool rpc_stream_is_short(rpc_call *c, const ProtobufCMessage *message);
void rpc_stream_end(rpc_call *c);
void rpc_jobs_submit(rpc_call *c, const ProtobufCMessage *message); // handlers/jobs.c
void rpc_jobs_list(rpc_call *c, const ProtobufCMessage *message);
void rpc_jobs_get(rpc_call *c, const ProtobufCMessage *message);
void rpc_jobs_cancel(rpc_call *c, const ProtobufCMessage *message);
void rpc_jobs_retry(rpc_call *c, const ProtobufCMessage *message);
void rpc_jobs_delete(rpc_call *c, const ProtobufCMessage *message);
void rpc_jobs_watch(rpc_call *c, const ProtobufCMessage *message); // handlers/watch.c
void rpc_jobs_watch_end(rpc_call *c);
void rpc_jobs_result(rpc_call *c, const ProtobufCMessage *message); // handlers/results.c
void rpc_jobs_result_end(rpc_call *c);
void rpc_health_check(rpc_call *c, const ProtobufCMessage *message); // handlers/health.c
void rpc_health_watch(rpc_call *c, const ProtobufCMessage *message);
void rpc_health_watch_end(rpc_call *c);
void rpc_reflect(rpc_call *c, const ProtobufCMessage *message); // handlers/reflection.c

#endif
