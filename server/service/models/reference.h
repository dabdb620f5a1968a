// What a model is asked for by: name, owner, revision.
#ifndef SERVER_SERVICE_MODEL_REFERENCE_H
#define SERVER_SERVICE_MODEL_REFERENCE_H

#include "base/digest.h"
#include "service/fault.h"

typedef struct model_reference {
  char name[STORE_NAME_SIZE];
  char owner[STORE_NAME_SIZE]; ///< "": nobody's, it is shared
  bool owned;                  ///< when asked for: `owner` says whose; otherwise what the name means to who asks
  int64_t revision;            ///< 0 when asked for: the newest
  char sha256[DIGEST_HEX_SIZE];
} model_reference;

/// Fills a reference from "name" or "name@3" and whose it is (NULL: what it means to who asks).
bool models_refer(const char *name, const char *owner, model_reference *ref, fault *f);

#endif
