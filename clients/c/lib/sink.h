// Where the bytes of an answer go: into the client's reply, or, when the server agrees, into a file.
#ifndef TENDRIL_CLIENT_LIB_SINK_H
#define TENDRIL_CLIENT_LIB_SINK_H

#include "lib/client.h"
#include <stdio.h>

typedef struct client_sink {
  const char *path; ///< the file to make, NULL: none
  char *partial;    ///< its name while it is not whole
  FILE *file;       ///< NULL: the reply
  client_buffer *reply;
  uint64_t kept;      ///< bytes in the file
  char etag[140];     ///< of what is in the file: lets a download go on
  char new_etag[140]; ///< of the answer that is coming in
  long retry_after_s;
  bool headed;            ///< the head of this answer is whole (libcurl takes one that breaks off for an empty answer)
  bool started;           ///< the first byte of this answer has come
  tendril_status trouble; ///< why its bytes cannot be kept, TENDRIL_OK when they can
  const char *why;        ///< in words
} client_sink;

tendril_status client_sink_open(client_sink *sink, client_buffer *reply, const char *path, tendril_error *err);
/// Before each try: forgets the answer to the last one, keeps what the file holds.
void client_sink_restart(client_sink *sink);
/// One header line, terminated.
void client_sink_header(client_sink *sink, const char *line);
/// Bytes of an answer with this status. False when they cannot be kept.
bool client_sink_bytes(client_sink *sink, long status, const void *bytes, size_t size);
/// Gives the file its name when `good`, else takes it away. Returns `status` unless this machine failed.
tendril_status client_sink_close(client_sink *sink, tendril_status status, tendril_error *err);

#endif
