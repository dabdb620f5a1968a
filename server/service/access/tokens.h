// Tokens as admins make, list and delete them.
#ifndef SERVER_SERVICE_TOKENS_H
#define SERVER_SERVICE_TOKENS_H

#include "service/access/auth.h"
#include "service/service.h"

typedef struct token_made {
  store_token row;
  char secret[AUTH_TOKEN_SIZE]; ///< told once; to be overwritten
} token_made;
/// From {"name", "scope", "owner"}.
bool tokens_create(service *s, span document, token_made *made, fault *f);
/// Visits all of them, in the order of their making.
bool tokens_list(service *s, void (*visit)(void *context, const store_token *row), void *context, fault *f);
/// By id or name.
bool tokens_get(service *s, const char *id_or_name, store_token *row, fault *f);
bool tokens_delete(service *s, const char *id_or_name, bool force, fault *f);

#endif
