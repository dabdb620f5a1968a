// The document that asks for a token.
#ifndef TENDRIL_CODEC_DOCUMENT_TOKEN_H
#define TENDRIL_CODEC_DOCUMENT_TOKEN_H

#include "base/arena.h"
#include "tendril/status.h"
#include <jansson.h>

typedef struct token_document {
  const char *name, *owner; ///< live in the document; owner NULL: not said
  int scope;                ///< index among the words given
} token_document;

/// Reads {"name", "scope", "owner"}; the first two must be there. `scopes` gives the words that a scope may be,
/// `count` of them.
TD_NODISCARD td_status codec_token_read(const json_t *doc, const char *(*scopes)(int i), int count, arena *a,
                                        token_document *out, td_error *err);

#endif
