// Any bytes as a JSON evaluate request on a small robot, through to the reply in both formats. The request's own parser
// must accept nothing that Jansson refuses.
#include "codec/document/model/model.h"
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

// The robot frozen around the parameters of a request: NULL and false where it asks for none that there are.
typedef struct around {
  json_t *document;
  parameter_set set;
  td_parameters *parameters;
  td_parameter_workspace *ws;
} around;

static td_status freeze(void *context, size_t i, double value, td_model **model, td_error *err) {
  around *a = context;
  td_status status = TD_NO_MEMORY;
  if (codec_parameters_move(&a->set, a->document, i, value)) status = codec_model_build(a->document, "", model, err);
  if (!codec_parameters_restore(&a->set, a->document, i)) abort();
  return status;
}

static bool freeze_around(around *a, const codec_evaluate *request, const td_model *model) {
  td_error err = {0};
  *a = (around){.document = json_loads(robot, 0, NULL)};
  if (!a->document) abort();
  if (codec_parameters_resolve(&request->parameters, a->document, NULL, request->memory, &a->set, &err) != TD_OK) {
    assert(err.message[0] && err.pointer[0] == '/');
    return false;
  }
  for (size_t i = 0; i < a->set.count; i++) {
    const td_parameter *p = &a->set.number[i];
    assert(p->scale > 0 && p->lower <= p->value && p->value <= p->upper);
  }
  if (td_parameters_create(model, a->set.number, a->set.count, freeze, a, &a->parameters, &err) != TD_OK) return false;
  if (td_parameter_workspace_create(a->parameters, &a->ws) != TD_OK) abort();
  return true;
}

static void forget(around *a) {
  td_parameter_workspace_destroy(a->ws);
  td_parameters_destroy(a->parameters);
  json_decref(a->document);
}

// As the server does: the engine's quantities, the step's, those by parameters.
static td_status evaluate_state(const codec_evaluate *r, const td_model *model, td_workspace *ws, const around *a,
                                size_t i, double **out, td_error *err) {
  int step = r->engine_count, by = step + r->step_count, n = td_model_ndof(model);
  td_status status = td_evaluate(model, ws, &r->states[i], r->want, step, out, err);
  if (!status && r->step_count > 0 && r->step.substeps <= 20) {
    double x[64];
    td_step *map;
    assert(4 * n <= 64 && r->step.h > 0);
    if (td_step_create(model, a->parameters, &r->step, &map, err) != TD_OK) abort();
    status = codec_quantity_step(map, n, &r->states[i], r->want + step, r->step_count, x, out + step, err);
    td_step_destroy(map);
  }
  if (status) return status;
  return codec_quantity_evaluate(model, a->parameters, a->ws, &r->states[i], r->products ? &r->products[i] : NULL,
                                 r->want + by, r->want_count - by, out + by, err);
}

static void write_reply(const codec_reply *reply) {
  codec_buffer buffer;
  td_error err = {0};
  codec_buffer_init(&buffer, 1 << 26);
  codec_reply_write_json(reply, &buffer);
  assert(!buffer.failed);
  json_t *doc = json_loadb(buffer.data, buffer.size, JSON_REJECT_DUPLICATES, NULL);
  assert(doc);
  json_decref(doc);
  buffer.size = 0;
  if (codec_reply_write_npz(reply, &buffer, &err) != TD_OK) abort();
  codec_buffer_fini(&buffer);
}

static void answer(const codec_evaluate *request, const td_model *model, td_workspace *ws) {
  codec_reply reply;
  td_error err = {0};
  around a;
  bool frozen = freeze_around(&a, request, model);
  codec_by by = {&request->parameters, &a.set, a.parameters};
  if (frozen && codec_evaluate_bind(request, model, a.set.count, &err) == TD_OK &&
      codec_reply_init(&reply, model, &by, request->want, request->want_count, request->state_count, request->memory,
                       1 << 24, &err) == TD_OK) {
    for (size_t i = 0; i < request->state_count; i++) {
      double *out[TD_QUANTITY_LIMIT];
      codec_reply_blocks(&reply, i, out);
      if (evaluate_state(request, model, ws, &a, i, out, &err) != TD_OK) codec_reply_fail(&reply, i, &err);
    }
    write_reply(&reply);
  }
  forget(&a);
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
