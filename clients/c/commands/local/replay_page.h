// The page of a replay without its result, made of the dashboard's sources by clients/dashboard/embed_replay.mjs.
#ifndef TENDRIL_CLIENT_REPLAY_PAGE_H
#define TENDRIL_CLIENT_REPLAY_PAGE_H

#include <stddef.h>

/// A title stands between head and middle, the archive as base64 between middle and tail. A build without npm has none:
/// lengths of 0.
typedef struct replay_part {
  const unsigned char *bytes;
  size_t size;
} replay_part;

extern const replay_part replay_head, replay_middle, replay_tail;

#endif
