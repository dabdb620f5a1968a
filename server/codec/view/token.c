// Tokens for admins: never what they are compared with.
#include "codec/view/token.h"
#include "codec/json/object.h"

void codec_token_json(codec_buffer *b, const store_token *row, const char *secret) {
  json_begin(b);
  json_string_member(b, "id", row->id);
  json_string_member(b, "name", row->name);
  json_string_member(b, "scope", row->scope);
  json_string_member(b, "owner", *row->owner ? row->owner : NULL);
  json_time_member(b, "created_at", row->created_ms);
  if (secret) json_string_member(b, "token", secret);
  json_end(b);
}
