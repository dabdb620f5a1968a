// Which model an evaluation is about: a name with or without a revision, or a document.
#include "rpc/handlers/evaluate_source.h"
#include "service/evaluate/evaluate.h"

bool evaluate_source_refer(const evaluate_source *source, model_reference *ref, fault *f) {
  return models_refer(source->name, rpc_text(source->owner), ref, f);
}

cached_model *evaluate_source_hold(const rpc_call *c, const evaluate_source *source, const model_reference *ref,
                                   const codec_evaluate *request, fault *f) {
  model_reference found;
  if (!source->given) {
    fault_set(f, PROBLEM_INVALID_ARGUMENT, "/model", "required: the name of a model, or a document");
    return NULL;
  }
  if (!ref && source->name) {
    if (!evaluate_source_refer(source, &found, f)) return NULL;
    ref = &found;
  }
  return evaluate_hold(rpc_service(c), rpc_caller(c), ref, request->model, "/document", f);
}
