// Any bytes as a JSON evaluate request on a small robot, through to the reply in both formats. The request's own parser
// must accept nothing that Jansson refuses.
#include "codec/evaluate/evaluate.h"
#include "codec/json/text.h"
#include "support/model_file.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char robot[] =
    "{\"format\":\"tendril.model/"
    "1\",\"gravity\":[0,0,-9.81],\"links\":[{\"name\":\"a\",\"joint\":{\"type\":\"revolute\"},"
    "\"body\":{\"type\":\"rod\",\"length\":0.5,\"section\":{\"shape\":\"circle\",\"radius\":0.02},\"material\":{"
    "\"young\":1e6,"
    "\"poisson\":0.5,\"density\":1000},\"strain\":{\"basis\":\"legendre\",\"order\":{\"bending_y\":1}}}}],"
    "\"actuators\":["
    "{\"name\":\"c\",\"type\":\"tendon\",\"link\":\"a\",\"routing\":{\"type\":\"linear\",\"base\":[0,0.01]}}]}";

static void answer(const codec_evaluate *request, const td_model *model, td_workspace *ws) {
  codec_reply reply;
  codec_buffer buffer;
  td_error err = {0};
  if (codec_evaluate_bind(request, model, &err) != TD_OK) return;
  if (codec_reply_init(&reply, model, request->want, request->want_count, request->state_count, request->memory,
                       1 << 24, &err) != TD_OK)
    return;
  for (size_t i = 0; i < request->state_count; i++) {
    double *out[TD_QUANTITY_LIMIT];
    codec_reply_blocks(&reply, i, out);
    if (td_evaluate(model, ws, &request->states[i], request->want, request->want_count, out, &err) != TD_OK)
      codec_reply_fail(&reply, i, &err);
  }
  codec_buffer_init(&buffer, 1 << 26);
  codec_reply_write_json(&reply, &buffer);
  assert(!buffer.failed);
  json_t *doc = json_loadb(buffer.data, buffer.size, JSON_REJECT_DUPLICATES, NULL);
  assert(doc);
  json_decref(doc);
  buffer.size = 0;
  if (codec_reply_write_npz(&reply, &buffer, &err) != TD_OK) abort();
  codec_buffer_fini(&buffer);
}

static void request_of(const uint8_t *data, size_t size, const td_model *model, td_workspace *ws) {
  td_error err = {0};
  codec_evaluate request;
  bool accepted = codec_evaluate_parse_json((const char *)data, size, size & 1, &request, &err) == TD_OK;
  assert(accepted || err.message[0]);
  if (accepted) {
    json_t *doc = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    assert(doc && codec_utf8_valid((const char *)data, size));
    json_decref(doc);
    answer(&request, model, ws);
  }
  codec_evaluate_fini(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static td_model *model;
  static td_workspace *ws;
  if (!model) model = test_model_from_text(robot);
  if (!ws && td_workspace_create(model, &ws) != TD_OK) abort();
  request_of(data, size, model, ws);
  return 0;
}
