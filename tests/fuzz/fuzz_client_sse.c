// Any bytes as a stream of events, cut by its own first byte; the events' data as events of a job, the whole as a
// problem document and as an object whose members are looked for.
#include "lib/base/error.h"
#include "lib/http/sse.h"
#include "lib/reply/documents.h"
#include "lib/reply/raw.h"
#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool on_event(void *context, const client_sse_event *raw) {
  size_t *told = context;
  tendril_event event;
  assert(strlen(raw->type) < CLIENT_SSE_WORD && strlen(raw->id) < CLIENT_SSE_WORD && raw->data[raw->size] == '\0');
  (void)client_read_event(raw->type, raw->data, raw->size, &event);
  return ++*told < 1000;
}

static void read_as_json(const char *text, size_t size) {
  tendril_error err;
  client_problem(&err, 500, text, size);
  assert(*err.detail);
  static const char *const keys[] = {"document", "a", ""};
  for (int i = 0; i < 3; ++i) {
    size_t length = 0;
    const char *at = client_raw_member(text, size, keys[i], &length);
    assert(!at || (at >= text && at + length <= text + size));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t told = 0, piece = size ? data[0] % 61 + 1 : 1;
  client_sse sse = {.on_event = on_event, .context = &told};
  bool on = true;
  for (size_t at = 0; on && at < size; at += piece)
    on = client_sse_feed(&sse, (const char *)data + at, size - at < piece ? size - at : piece);
  client_sse_free(&sse);
  read_as_json((const char *)data, size);
  return 0;
}
