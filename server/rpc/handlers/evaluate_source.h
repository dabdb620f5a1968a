// Which model an evaluation is about.
#ifndef SERVER_RPC_EVALUATE_SOURCE_H
#define SERVER_RPC_EVALUATE_SOURCE_H

#include "rpc/call.h"
#include "service/service.h"

typedef struct evaluate_source {
  const char *name;  ///< "cdm", "cdm@3"; NULL: the request's inline document
  const char *owner; ///< of the named one; "": what the name means to the caller
  bool given;        ///< one of the two
} evaluate_source;

/// The model, held; NULL with a fault.
cached_model *evaluate_source_hold(const rpc_call *c, const evaluate_source *source, const codec_evaluate *request,
                                   fault *f);

#endif
