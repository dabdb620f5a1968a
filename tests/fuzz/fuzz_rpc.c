// Any bytes as a message of a gRPC client: what the check lets through is unpacked, and read as far as it can be
// without a model. The first byte says which message.
#include "codec/evaluate/message.h"
#include "codec/wire/message.h"
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "tendril/v1/jobs.pb-c.h"
#include "tendril/v1/models.pb-c.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_batch(const ProtobufCMessage *m) {
  codec_evaluate request;
  td_error err = {.status = TD_OK};
  td_status status = codec_evaluate_read_request((const void *)m, &request, &err);
  assert(status == err.status);
  codec_evaluate_fini(&request);
}

static void read_stream(const ProtobufCMessage *m) {
  const Tendril__V1__EvaluateStreamRequest *s = (const void *)m;
  codec_evaluate request;
  td_error err = {.status = TD_OK};
  if (s->body_case != TENDRIL__V1__EVALUATE_STREAM_REQUEST__BODY_SETUP) return;
  td_status status = codec_evaluate_read_setup(s->setup, &request, &err);
  assert(status == err.status);
  codec_evaluate_fini(&request);
}

static const struct {
  const ProtobufCMessageDescriptor *type;
  void (*read)(const ProtobufCMessage *m);
} messages[] = {{&tendril__v1__evaluate_request__descriptor, read_batch},
                {&tendril__v1__evaluate_stream_request__descriptor, read_stream},
                {&tendril__v1__result_request__descriptor, NULL},
                {&tendril__v1__list_jobs_request__descriptor, NULL},
                {&tendril__v1__update_model_request__descriptor, NULL},
                {&grpc__reflection__v1__server_reflection_request__descriptor, NULL}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  size_t which = data[0] % (sizeof messages / sizeof *messages);
  td_error err = {.status = TD_OK};
  td_status status = codec_message_check(messages[which].type, data + 1, size - 1, &err);
  assert(status == err.status);
  if (status != TD_OK) return 0;
  ProtobufCMessage *m = protobuf_c_message_unpack(messages[which].type, NULL, size - 1, data + 1);
  if (m && messages[which].read) messages[which].read(m);
  if (m) protobuf_c_message_free_unpacked(m, NULL);
  return 0;
}
