// Any bytes as a model document: text, codec, checks and build of the engine. Whatever is refused must have a reason.
#include "codec/document/model/model.h"
#include "codec/json/text.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  td_error err = {0};
  td_model *model = NULL;
  json_t *doc = codec_parse((const char *)data, size, &err);
  if (doc && codec_model_build(doc, "/model", &model, &err) == TD_OK) assert(td_model_ndof(model) > 0);
  assert(model || (err.status != TD_OK && err.message[0]));
  td_errors all = {0};
  if (doc && !model) codec_model_errors(doc, "/model", &all); // may be none: of what is wrong beyond the rules
  assert(all.count == 0 || err.status == TD_NO_MEMORY || strcmp(all.list[0].message, err.message) == 0);
  td_model_destroy(model);
  json_decref(doc);
  return 0;
}
