// Any bytes as a URDF: XML, links, joints, tree, document; what comes out is a document that the codec reads, or a reason.
#include "codec/document/model/model.h"
#include "codec/import/import.h"
#include "codec/json/text.h"
#include "codec/json/tree.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What was made reads back as it is, and every remark is text.
static void check(const import_result *import) {
  td_error err = {0};
  td_model_spec spec;
  codec_buffer text;
  arena *a = arena_create();
  codec_buffer_init(&text, 0);
  codec_buffer_tree(&text, import->document);
  json_t *again = codec_parse(text.data, text.size, &err);
  assert(again && json_equal(again, import->document));
  td_status status = codec_model_read(again, "", a, &spec, NULL, &err);
  if (status != TD_OK) codec_import_blame(import, err.pointer, err.message, sizeof err.message);
  assert(status == TD_OK || err.message[0]);
  for (const import_remark *r = import->remarks.first; r; r = r->next)
    for (const remark_place *p = r->places; p; p = p->next)
      assert(codec_utf8_valid(p->what, strlen(p->what)) && p->line > 0);
  json_decref(again);
  codec_buffer_fini(&text);
  arena_destroy(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  td_error err = {0};
  import_result import;
  const char *inertia = size > 0 && data[0] % 2 ? "nearest" : "as_written";
  json_t *request = json_pack("{s:o*, s:s}", "urdf", json_stringn((const char *)data, size), "inertia", inertia);
  arena *a = arena_create();
  td_status status = codec_import_read(request, a, &import, &err);
  if (status == TD_OK) check(&import);
  assert(status == TD_OK || err.message[0]);
  if (status == TD_OK) json_decref(import.document);
  arena_destroy(a);
  json_decref(request);
  return 0;
}
