// MCAP files (mcap.dev/spec, version 0): messages with times on channels, in chunks with an index and checksums.
#ifndef TENDRIL_CLIENT_MCAP_H
#define TENDRIL_CLIENT_MCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct mcap mcap;
enum { MCAP_CHANNELS = 2048 }; ///< at most, and as many schemas

typedef struct mcap_pair {
  const char *key, *value;
} mcap_pair;

/// Begins a file on an empty stream, which stays the caller's. Numbers of schemas and channels are from 1; texts are
/// copied.
mcap *mcap_begin(FILE *to);
/// A schema of encoding jsonschema. Schemas and channels come before the first message.
uint16_t mcap_schema(mcap *m, const char *name, const char *text);
/// A channel whose messages are JSON.
/// @param pairs  [count] metadata
uint16_t mcap_channel(mcap *m, uint16_t schema, const char *topic, const mcap_pair *pairs, size_t count);
/// @param time_ns  ns since the file's epoch; times may not fall
void mcap_message(mcap *m, uint16_t channel, uint64_t time_ns, const void *data, size_t size);
/// Between messages, outside of chunks. It has its own place in the index.
void mcap_attachment(mcap *m, const char *name, const char *media_type, const void *data, size_t size);
void mcap_metadata(mcap *m, const char *name, const mcap_pair *pairs, size_t count);
/// Writes what is left, index and footer, and frees it. False when the stream failed at any time.
bool mcap_end(mcap *m);

#endif
