// One batch at a time: started, then waited for.
#include "bench/rpc_client.h"

#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc_security.h>
#include <stdio.h>

enum { OPS = 6, WAIT_S = 60 };

bool rpc_client_open(rpc_client *c, const char *address) {
  grpc_arg args[] = {
      {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, .value.integer = 1},
      {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, .value.integer = -1},
  };
  char target[160];
  *c = (rpc_client){.channel = NULL};
  grpc_init();
  snprintf(target, sizeof target, "ipv4:%s", address);
  grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
  c->channel = grpc_channel_create(target, credentials, &(grpc_channel_args){.num_args = 2, .args = args});
  grpc_channel_credentials_release(credentials);
  c->queue = grpc_completion_queue_create_for_next(NULL);
  return c->channel && c->queue;
}

static void drop_reply(rpc_client *c) {
  if (c->reply) grpc_byte_buffer_destroy(c->reply);
  c->reply = NULL;
}

void rpc_client_close(rpc_client *c) {
  drop_reply(c);
  if (c->stream) grpc_call_unref(c->stream);
  if (c->channel) grpc_channel_destroy(c->channel);
  if (!c->queue) return;
  grpc_completion_queue_shutdown(c->queue);
  while (grpc_completion_queue_next(c->queue, gpr_inf_future(GPR_CLOCK_REALTIME), NULL).type != GRPC_QUEUE_SHUTDOWN)
    continue;
  grpc_completion_queue_destroy(c->queue);
}

static gpr_timespec soon(void) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(WAIT_S, GPR_TIMESPAN));
}

static grpc_call *start_call(rpc_client *c, const char *method) {
  return grpc_channel_create_call(c->channel, NULL, GRPC_PROPAGATE_DEFAULTS, c->queue,
                                  grpc_slice_from_static_string(method), NULL, gpr_inf_future(GPR_CLOCK_MONOTONIC),
                                  NULL);
}

static bool run(rpc_client *c, grpc_call *call, const grpc_op *ops, size_t count) {
  if (grpc_call_start_batch(call, ops, count, c, NULL) != GRPC_CALL_OK) return false;
  grpc_event event = grpc_completion_queue_next(c->queue, soon(), NULL);
  return event.type == GRPC_OP_COMPLETE && event.success;
}

static grpc_byte_buffer *pack(const ProtobufCMessage *message) {
  grpc_slice slice = grpc_slice_malloc(protobuf_c_message_get_packed_size(message));
  protobuf_c_message_pack(message, GRPC_SLICE_START_PTR(slice));
  grpc_byte_buffer *bytes = grpc_raw_byte_buffer_create(&slice, 1);
  grpc_slice_unref(slice);
  return bytes;
}

bool rpc_client_call(rpc_client *c, const char *method, const ProtobufCMessage *request) {
  grpc_metadata_array first, trailing;
  grpc_status_code status = GRPC_STATUS_UNKNOWN;
  grpc_slice detail = grpc_empty_slice();
  grpc_byte_buffer *sent = pack(request);
  grpc_call *call = start_call(c, method);
  drop_reply(c);
  grpc_metadata_array_init(&first);
  grpc_metadata_array_init(&trailing);
  grpc_op ops[OPS] = {
      {.op = GRPC_OP_SEND_INITIAL_METADATA},
      {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = sent},
      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
      {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &first},
      {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &c->reply},
      {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
       .data.recv_status_on_client = {.trailing_metadata = &trailing, .status = &status, .status_details = &detail}}};
  bool done = run(c, call, ops, OPS);
  c->status = status;
  grpc_slice_unref(detail);
  grpc_metadata_array_destroy(&first);
  grpc_metadata_array_destroy(&trailing);
  grpc_byte_buffer_destroy(sent);
  grpc_call_unref(call);
  return done && status == GRPC_STATUS_OK && c->reply;
}

bool rpc_client_begin(rpc_client *c, const char *method, const ProtobufCMessage *first) {
  c->stream = start_call(c, method);
  c->opened = false;
  grpc_byte_buffer *sent = pack(first);
  grpc_op ops[] = {{.op = GRPC_OP_SEND_INITIAL_METADATA},
                   {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = sent}};
  bool done = c->stream && run(c, c->stream, ops, 2);
  grpc_byte_buffer_destroy(sent);
  return done;
}

// The server's initial metadata come with its first message, which is not handed out before them.
bool rpc_client_exchange(rpc_client *c, const ProtobufCMessage *message) {
  grpc_byte_buffer *sent = pack(message);
  grpc_metadata_array first;
  drop_reply(c);
  grpc_metadata_array_init(&first);
  grpc_op ops[] = {{.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = sent},
                   {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &c->reply},
                   {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &first}};
  bool done = run(c, c->stream, ops, c->opened ? 2 : 3);
  c->opened = true;
  grpc_metadata_array_destroy(&first);
  grpc_byte_buffer_destroy(sent);
  return done && c->reply;
}

bool rpc_client_end(rpc_client *c) {
  grpc_metadata_array trailing;
  grpc_status_code status = GRPC_STATUS_UNKNOWN;
  grpc_slice detail = grpc_empty_slice();
  grpc_metadata_array_init(&trailing);
  grpc_op ops[] = {
      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
      {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
       .data.recv_status_on_client = {.trailing_metadata = &trailing, .status = &status, .status_details = &detail}}};
  bool done = run(c, c->stream, ops, 2);
  grpc_slice_unref(detail);
  grpc_metadata_array_destroy(&trailing);
  grpc_call_unref(c->stream);
  c->stream = NULL;
  return done && status == GRPC_STATUS_OK;
}

ProtobufCMessage *rpc_client_reply(const rpc_client *c, const ProtobufCMessageDescriptor *type) {
  grpc_byte_buffer_reader reader;
  if (!c->reply || !grpc_byte_buffer_reader_init(&reader, c->reply)) return NULL;
  grpc_slice bytes = grpc_byte_buffer_reader_readall(&reader);
  ProtobufCMessage *message =
      protobuf_c_message_unpack(type, NULL, GRPC_SLICE_LENGTH(bytes), GRPC_SLICE_START_PTR(bytes));
  grpc_slice_unref(bytes);
  grpc_byte_buffer_reader_destroy(&reader);
  return message;
}
