// A gRPC client of one connection and one thread, on the C core: what a call costs, with no language runtime around it.
#ifndef TENDRIL_BENCH_RPC_CLIENT_H
#define TENDRIL_BENCH_RPC_CLIENT_H

#include <grpc/grpc.h>
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

typedef struct rpc_client {
  grpc_channel *channel;
  grpc_completion_queue *queue;
  grpc_call *stream;
  bool opened;             ///< the stream's first reply was received
  grpc_byte_buffer *reply; ///< the last one
  int status;              ///< of the last unary call
} rpc_client;

/// A connection of its own. The gRPC core is initialised by the first client and stays.
bool rpc_client_open(rpc_client *c, const char *address);
void rpc_client_close(rpc_client *c);

/// One unary call; false unless it ends with OK and a reply.
bool rpc_client_call(rpc_client *c, const char *method, const ProtobufCMessage *request);
/// Begins a bidirectional stream with its first message.
bool rpc_client_begin(rpc_client *c, const char *method, const ProtobufCMessage *first);
/// One message there and one back.
bool rpc_client_exchange(rpc_client *c, const ProtobufCMessage *message);
/// Half-closes, and ends the stream. True when that was OK.
bool rpc_client_end(rpc_client *c);
/// The last reply, unpacked; to be freed. NULL: there is none.
ProtobufCMessage *rpc_client_reply(const rpc_client *c, const ProtobufCMessageDescriptor *type);

#endif
