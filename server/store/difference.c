// Documents that are stored as what they have other than a base: [["/inputs/cable1", 5], …], places and the values they
// take.
//
// The jobs of a sweep differ in a few values of a body that may be large. Reading puts them in again: the same base and
// values give the same bytes, those that the document's checksum was taken of.
#include "store/parts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// The next token of a pointer, unescaped (RFC 6901, 4); false at its end.
static bool next_token(const char **at, char *token, size_t size) {
  size_t n = 0;
  if (**at != '/') return false;
  for (++*at; **at && **at != '/' && n + 1 < size; ++*at) {
    bool escaped = **at == '~' && ((*at)[1] == '0' || (*at)[1] == '1');
    token[n++] = escaped ? ((*at)[1] == '1' ? '/' : '~') : **at;
    *at += escaped;
  }
  token[n] = '\0';
  return true;
}

static json_t *child(json_t *parent, const char *token) {
  return json_is_array(parent) ? json_array_get(parent, strtoul(token, NULL, 10)) : json_object_get(parent, token);
}

// As json_dumps writes it, in memory that is not Jansson's: what it allocates is counted until it releases it itself.
char *store_json_text(const json_t *document) {
  const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY, size = json_dumpb(document, NULL, 0, flags);
  char *text = size > 0 ? malloc(size + 1) : NULL;
  if (text) text[json_dumpb(document, text, size, flags)] = '\0';
  return text;
}

static bool put(json_t *document, const char *pointer, json_t *value) {
  char token[256], next[256];
  if (!next_token(&pointer, token, sizeof token)) return false;
  while (document && next_token(&pointer, next, sizeof next)) {
    document = child(document, token);
    memcpy(token, next, sizeof token);
  }
  if (json_is_array(document)) return json_array_set(document, strtoul(token, NULL, 10), value) == 0;
  return json_is_object(document) && json_object_set(document, token, value) == 0;
}

char *store_difference_apply(const char *base, const char *difference) {
  json_t *document = json_loads(base, JSON_DECODE_ANY, NULL), *changes = json_loads(difference, 0, NULL), *entry;
  bool good = document && json_is_array(changes);
  size_t i;
  json_array_foreach(changes, i, entry) {
    const char *pointer = json_string_value(json_array_get(entry, 0));
    good = good && pointer && put(document, pointer, json_array_get(entry, 1));
  }
  char *text = good ? store_json_text(document) : NULL;
  json_decref(document);
  json_decref(changes);
  return text;
}

store_status store_job_whole_from(store_job *job, const char *base) {
  char *document = store_difference_apply(base, job->document);
  if (!document) return STORE_FAILED;
  free(job->document);
  job->document = document;
  *job->document_base = '\0';
  return STORE_OK;
}

store_status store_job_whole(store *s, store_job *job) {
  char *base = NULL;
  if (!*job->document_base) return STORE_OK;
  store_status status = store_document_get(s, job->document_base, &base);
  if (status == STORE_OK) status = store_job_whole_from(job, base);
  free(base);
  return status;
}

store_status store_document_check(const char *sha256, const char *document) {
  char found[DIGEST_HEX_SIZE];
  digest_of(document, strlen(document), found);
  if (strcmp(found, sha256) == 0) return STORE_OK;
  log_write(LOG_LEVEL_ERROR, "document_damaged", LOG_S("sha256", sha256), LOG_S("found", found),
            LOG_S("detail", "the disk has changed it since: run `tendrild check` and restore a backup"));
  return STORE_FAILED;
}
