// Three fields; the words of the scope belong to the service.
#include "codec/document/token.h"
#include "codec/document/job/job.h"
#include "codec/json/field.h"

static td_status read_token_name(reader *r, const json_t *value, void *out) {
  char shown[64];
  td_status status = read_text(r, value, out);
  if (status != TD_OK || codec_name_valid(json_string_value(value))) return status;
  return fail_here(r, TD_INVALID_ARGUMENT, "%s is not a name: [A-Za-z0-9][A-Za-z0-9_.-]{0,62}", show(value, shown));
}

td_status codec_token_read(const json_t *doc, const char *(*scopes)(int i), int count, arena *a, token_document *out,
                           td_error *err) {
  static const field fields[] = {REQUIRED_FIELD(token_document, name, "name", read_token_name),
                                 FIELD(token_document, owner, "owner", read_token_name), SKIPPED_FIELD("scope")};
  reader r = {.memory = a, .err = err};
  codec_pointer_init(&r.at, "");
  *out = (token_document){.name = NULL};
  td_status status = read_object(&r, doc, fields, COUNT_OF(fields), out);
  return status == TD_OK ? read_key_word(&r, doc, "scope", scopes, count, &out->scope) : status;
}
