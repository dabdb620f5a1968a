// Where the bytes of an answer go: into the client's reply, or, when the server agrees, to a path
// (api/c/output_file.h).
#ifndef TENDRIL_CLIENT_LIB_SINK_H
#define TENDRIL_CLIENT_LIB_SINK_H

#include "api/c/output_file.h"
#include "lib/http/client.h"

typedef struct client_sink {
  bool saving; ///< into `file`, else into the reply
  output_file file;
  client_buffer *reply;
  uint64_t kept;      ///< bytes in the file
  char etag[140];     ///< of what is in the file: lets a download go on
  char new_etag[140]; ///< of the answer that is coming in
  long retry_after_s;
  bool headed;            ///< the head of this answer is whole (libcurl takes one that breaks off for an empty answer)
  bool started;           ///< the first byte of this answer has come
  tendril_status trouble; ///< why its bytes cannot be kept, TENDRIL_OK when they can
  const char *why;        ///< in words
  output_error failure;   ///< holds them for what the file says
} client_sink;

/// @param path    NULL: the reply
/// @param binary  what comes is no text: terminals are refused
tendril_status client_sink_open(client_sink *sink, client_buffer *reply, const char *path, bool binary,
                                tendril_error *err);
/// Before each try: forgets the answer to the last one, keeps what the file holds.
void client_sink_restart(client_sink *sink);
/// One header line, terminated.
void client_sink_header(client_sink *sink, const char *line);
/// Bytes of an answer with this status. False when they cannot be kept.
bool client_sink_bytes(client_sink *sink, long status, const void *bytes, size_t size);
/// Commits the file after TENDRIL_OK, else takes it away. Returns `status` unless this machine failed.
tendril_status client_sink_close(client_sink *sink, tendril_status status, tendril_error *err);

#endif
