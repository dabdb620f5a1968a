// Which model an evaluation is about.
#ifndef SERVER_RPC_EVALUATE_SOURCE_H
#define SERVER_RPC_EVALUATE_SOURCE_H

#include "service/service.h"

typedef struct evaluate_source {
  const char *name; ///< "cdm", "cdm@3"; NULL: the request's inline document
  bool given;       ///< one of the two
} evaluate_source;

/// The model, held; NULL with a fault.
cached_model *evaluate_source_hold(service *s, const evaluate_source *source, const codec_evaluate *request, fault *f);

#endif
