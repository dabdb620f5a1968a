// Any bytes as an archive with a job, and as the document of one whose members are whole (checksums keep mutations of a
// packed one out): what comes out is a document, which asks for nothing any more.
#include "codec/document/archive.h"
#include "codec/json/text.h"
#include "codec/wire/archive.h"
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expand(const void *bytes, size_t size) {
  td_error err = {.status = TD_OK};
  char *text = NULL;
  size_t length = 0;
  if (codec_archive_document(bytes, size, &text, &length, &err) != TD_OK) {
    assert(!text && err.message[0]);
    return;
  }
  json_t *document = codec_parse(text, length, &err);
  assert(document || err.status == TD_LIMIT);
  json_decref(document);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const double numbers[6] = {0, 0.1, -2.5, 1e300, NAN, 5};
  static const char *const words[] = {"a", "b"};
  codec_buffer archive;
  expand(data, size);
  codec_buffer_init(&archive, 0);
  npz_writer *w = codec_npz_writer(&archive);
  uint64_t whole;
  npz_write_bytes(w, "job", data, size);
  if (size % 2) npz_write_doubles(w, "x", numbers, 2, (const size_t[]){2, 3});
  if (size % 3 == 0) npz_write_strings(w, "words", words, 2);
  if (codec_npz_close(w, &whole, NULL) == TD_OK) expand(archive.data, archive.size);
  codec_buffer_fini(&archive);
  return 0;
}
