// Which model an evaluation is about: a name with or without a revision, or a document.
#include "rpc/evaluate_source.h"
#include "codec/job.h"

cached_model *evaluate_source_hold(service *s, const evaluate_source *source, const codec_evaluate *request, fault *f) {
  char name[STORE_NAME_SIZE];
  int64_t revision = 0;
  if (!source->given) {
    fault_set(f, PROBLEM_INVALID_ARGUMENT, "/model", "required: the name of a model, or a document");
    return NULL;
  }
  if (source->name && !codec_model_reference(source->name, name, &revision)) {
    fault_set(f, PROBLEM_NOT_FOUND, NULL, "there is no model \"%.80s\"", source->name);
    return NULL;
  }
  return evaluate_hold(s, source->name ? name : NULL, revision, request->model, "/document", f);
}
