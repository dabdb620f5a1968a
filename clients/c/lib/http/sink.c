// A download that broke goes on behind the bytes that are kept (206), or begins again when the server sends the whole
// (200). Invariant: the file's first `kept` bytes belong to the answer that `etag` names.
#include "lib/http/sink.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { REPLY_LIMIT = 1 << 30 };

static bool fail(client_sink *s, tendril_status trouble, const char *why) {
  s->trouble = trouble;
  s->why = why;
  return false;
}

static tendril_status status_of(output_trouble trouble) {
  return trouble == OUTPUT_CLOSED ? TENDRIL_CLOSED : trouble == OUTPUT_TERMINAL ? TENDRIL_INVALID : TENDRIL_FILE;
}

static bool fail_as_file(client_sink *s) { return fail(s, status_of(s->failure.trouble), s->failure.text); }

tendril_status client_sink_open(client_sink *s, client_buffer *reply, const char *path, bool binary,
                                tendril_error *err) {
  assert(reply);
  *s = (client_sink){.saving = path != NULL, .reply = reply};
  if (!path || output_file_open(&s->file, path, binary, &s->failure)) return TENDRIL_OK;
  return client_fail(err, status_of(s->failure.trouble), "%s", s->failure.text);
}

void client_sink_restart(client_sink *s) {
  s->reply->size = 0;
  if (s->reply->at) s->reply->at[0] = '\0';
  s->started = s->headed = false;
  s->retry_after_s = 0;
  s->new_etag[0] = '\0';
}

// The value of a header line when it has this name.
static bool header_value(const char *line, const char *name, char *out, size_t size) {
  size_t length = strlen(name);
  if (strncasecmp(line, name, length) != 0 || line[length] != ':') return false;
  line += length + 1;
  line += strspn(line, " \t");
  size_t n = strcspn(line, "\r\n");
  if (n >= size) return false;
  memcpy(out, line, n);
  out[n] = '\0';
  return true;
}

void client_sink_header(client_sink *s, const char *line) {
  char value[140];
  if (strncmp(line, "HTTP/", 5) == 0) s->new_etag[0] = '\0', s->retry_after_s = 0, s->headed = false;
  if (line[0] == '\r' || line[0] == '\n') s->headed = true;
  if (header_value(line, "ETag", value, sizeof value)) memcpy(s->new_etag, value, sizeof value);
  if (header_value(line, "Retry-After", value, sizeof value)) s->retry_after_s = strtol(value, NULL, 10);
}

// The whole comes although a part was asked for: what is there gives way.
static bool begin_file(client_sink *s, long status) {
  bool follows = s->kept > 0 && strcmp(s->etag, s->new_etag) == 0;
  if (status == 206 && !follows)
    return fail(s, TENDRIL_BAD_REPLY, "the server sent a part of the file that was not asked for");
  if (status != 206 && s->kept > 0) {
    s->kept = 0;
    if (!output_file_restart(&s->file, &s->failure)) return fail_as_file(s);
  }
  memcpy(s->etag, s->new_etag, sizeof s->etag);
  return true;
}

bool client_sink_bytes(client_sink *s, long status, const void *bytes, size_t size) {
  if (!s->saving || status < 200 || status > 299) {
    if (s->reply->size + size > REPLY_LIMIT) return fail(s, TENDRIL_BAD_REPLY, "the answer is larger than 1 GiB");
    return client_append(s->reply, bytes, size) || fail(s, TENDRIL_NO_MEMORY, "out of memory");
  }
  if (!s->started && !begin_file(s, status)) return false;
  assert(s->started || s->kept == 0 || strcmp(s->etag, s->new_etag) == 0); // never two files in one
  s->started = true;
  if (!output_file_write(&s->file, bytes, size, &s->failure)) return fail_as_file(s);
  s->kept += size;
  return true;
}

tendril_status client_sink_close(client_sink *s, tendril_status status, tendril_error *err) {
  if (!s->saving) return s->trouble ? client_fail(err, s->trouble, "%s", s->why) : status;
  if (status == TENDRIL_OK && !s->trouble && !s->started && s->kept > 0)
    fail(s, TENDRIL_BAD_REPLY, "the rest of the answer is missing");
  if (status == TENDRIL_OK && !s->trouble && !output_file_commit(&s->file, &s->failure)) fail_as_file(s);
  output_file_discard(&s->file);
  return s->trouble ? client_fail(err, s->trouble, "%s", s->why) : status;
}
