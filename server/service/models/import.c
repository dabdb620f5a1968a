// A model document from a robot in another format, or from several robots: read, put together, built to be sure.
#include "codec/import/import.h"
#include "codec/json/text.h"
#include "codec/json/tree.h"
#include "service/models/models.h"

#include <stdlib.h>

void models_import_fini(service *s, model_imported *made) {
  if (made->held) cache_release(s->cache, made->held);
  free(made->document);
  arena_destroy(made->memory);
  *made = (model_imported){.held = NULL};
}

import_view models_import_view(const model_imported *made) {
  return (import_view){.document = made->document, .model = cached_model_get(made->held), .remarks = &made->remarks};
}

static bool write_document(const json_t *document, char **text, fault *f) {
  codec_buffer b;
  size_t size;
  codec_buffer_init(&b, 0);
  codec_buffer_tree(&b, document);
  codec_buffer_append(&b, "", 1);
  *text = codec_buffer_take(&b, &size);
  codec_buffer_fini(&b);
  return *text || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the document");
}

static bool build(service *s, const auth_caller *who, const import_result *import, model_imported *made, fault *f) {
  char sha256[DIGEST_HEX_SIZE];
  made->held = models_hold_inline(s, who, import->document, "", sha256, NULL, f);
  if (made->held) return write_document(import->document, &made->document, f);
  if (f->has_pointer) codec_import_blame(import, f->pointer, f->detail, sizeof f->detail);
  return false;
}

static bool import_parsed(service *s, const auth_caller *who, const json_t *request, model_imported *made, fault *f) {
  td_error err = {.status = TD_OK};
  import_result import;
  made->memory = arena_create();
  if (!made->memory) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory for the request");
  if (codec_import_read(request, made->memory, &import, &err) != TD_OK) return fault_from_error(f, &err);
  made->remarks = import.remarks;
  bool done = build(s, who, &import, made, f);
  json_decref(import.document);
  return done;
}

bool models_import(service *s, const auth_caller *who, span request, model_imported *made, fault *f) {
  td_error err = {.status = TD_OK};
  *made = (model_imported){.held = NULL};
  json_t *json = codec_parse(request.bytes, request.size, &err);
  if (!json) return fault_from_error(f, &err);
  bool done = import_parsed(s, who, json, made, f);
  if (!done) models_import_fini(s, made);
  json_decref(json);
  return done;
}
