// What an admin is told of a token.
#ifndef SERVER_CODEC_VIEW_TOKEN_H
#define SERVER_CODEC_VIEW_TOKEN_H

#include "codec/json/number.h"
#include "store/store.h"

/// {id, name, scope, owner, created_at, token}: the secret when it is told, the one time that it was made; NULL: it is
/// not.
void codec_token_json(codec_buffer *b, const store_token *row, const char *secret);

#endif
