// Which model an evaluation is about.
#ifndef SERVER_RPC_EVALUATE_SOURCE_H
#define SERVER_RPC_EVALUATE_SOURCE_H

#include "rpc/call.h"
#include "service/evaluate/evaluate.h"

typedef struct evaluate_source {
  const char *name;  ///< "cdm", "cdm@3"; NULL: the request's inline document
  const char *owner; ///< of the named one; "": what the name means to the caller
  bool given;        ///< one of the two
} evaluate_source;

/// What its name refers to; false with a fault.
bool evaluate_source_refer(const evaluate_source *source, model_reference *ref, fault *f);
/// What the evaluation is about (evaluate_hold); false with a fault. `ref`: what its name refers to, where that is
/// known; NULL: it is found here.
bool evaluate_source_hold(rpc_call *c, const evaluate_source *source, const model_reference *ref,
                          const codec_evaluate *request, evaluate_held *held, fault *f);

#endif
