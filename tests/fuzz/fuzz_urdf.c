// Any bytes as a URDF (XML, links, joints, tree, document), as an MJCF (with <mujoco in it), as a USD (that begins with
// #usda), or as an import with attachments and meshes: what comes out is a document that the codec reads, or a reason.
#include "codec/document/model/model.h"
#include "codec/import/import.h"
#include "codec/json/text.h"
#include "codec/json/tree.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What was made reads back as it was written, and every remark is text.
static void check(const import_result *import) {
  td_error err = {0};
  td_model_spec spec;
  codec_buffer text, again;
  arena *a = arena_create();
  codec_buffer_init(&text, 0);
  codec_buffer_init(&again, 0);
  codec_buffer_tree(&text, import->document);
  json_t *read = codec_parse(text.data, text.size, &err);
  assert(read);
  codec_buffer_tree(&again, read);
  assert(again.size == text.size && memcmp(again.data, text.data, text.size) == 0);
  td_status status = codec_model_read(read, "", a, &spec, NULL, &err);
  if (status != TD_OK) codec_import_blame(import, err.pointer, err.message, sizeof err.message);
  assert(status == TD_OK || err.message[0]);
  for (const import_remark *r = import->remarks.first; r; r = r->next)
    for (const remark_place *p = r->places; p; p = p->next)
      assert(codec_utf8_valid(p->what, strlen(p->what)) && p->line >= 0);
  json_decref(read);
  codec_buffer_fini(&again);
  codec_buffer_fini(&text);
  arena_destroy(a);
}

// What begins with a brace is a whole request, anything else the text of a description.
static json_t *request_of(const char *bytes, size_t size, td_error *err) {
  if (size > 0 && bytes[0] == '{') return codec_parse(bytes, size, err);
  const char *inertia = size > 0 && bytes[0] % 2 ? "nearest" : "as_written",
             *stops = size > 0 && bytes[0] / 2 % 2 ? "none" : "soft";
  json_t *text = json_stringn(bytes, size);
  if (!text) return td_fail(err, TD_INVALID_ARGUMENT, "", "no UTF-8"), NULL; // as the parser says of a request's text
  bool usd = size > 5 && memcmp(bytes, "#usda", 5) == 0, mujoco = strstr(json_string_value(text), "<mujoco") != NULL;
  const char *format = usd ? "usd" : mujoco ? "mjcf" : "urdf";
  return json_pack("{s:o, s:s, s:s}", format, text, "inertia", inertia, "stops", stops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  json_t *request = request_of((const char *)data, size, &err);
  td_status status = request ? codec_import_read(request, a, &import, &err) : err.status;
  if (status == TD_OK) check(&import);
  assert(status == TD_OK || err.message[0]);
  if (status == TD_OK) json_decref(import.document);
  arena_destroy(a);
  json_decref(request);
  return 0;
}
