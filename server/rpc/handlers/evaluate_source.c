// Which model an evaluation is about: a name with or without a revision, or a document.
#include "rpc/handlers/evaluate_source.h"

cached_model *evaluate_source_hold(const rpc_call *c, const evaluate_source *source, const codec_evaluate *request,
                                   fault *f) {
  model_reference ref;
  if (!source->given) {
    fault_set(f, PROBLEM_INVALID_ARGUMENT, "/model", "required: the name of a model, or a document");
    return NULL;
  }
  if (source->name && !models_refer(source->name, rpc_text(source->owner), &ref, f)) return NULL;
  return evaluate_hold(rpc_service(c), rpc_caller(c), source->name ? &ref : NULL, request->model, "/document", f);
}
