// Which model an evaluation is about: a name with or without a revision, or a document.
#include "rpc/handlers/evaluate_source.h"
#include "service/evaluate/evaluate.h"

bool evaluate_source_refer(const evaluate_source *source, model_reference *ref, fault *f) {
  return models_refer(source->name, rpc_text(source->owner), ref, f);
}

bool evaluate_source_hold(rpc_call *c, const evaluate_source *source, const model_reference *ref,
                          const codec_evaluate *request, evaluate_held *held, fault *f) {
  model_reference found;
  evaluate_audience audience = {.stop = rpc_stop_flag(c)};
  if (!source->given)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/model", "required: the name of a model, or a document");
  if (!ref && source->name) {
    if (!evaluate_source_refer(source, &found, f)) return false;
    ref = &found;
  }
  return evaluate_hold(rpc_service(c), rpc_caller(c), ref, request, "/document", &audience, held, f);
}
