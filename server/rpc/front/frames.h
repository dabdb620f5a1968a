// Where the frames of an HTTP/2 byte stream begin, and what their nine bytes say (RFC 9113, 4.1). Payloads are stepped
// over.
#ifndef SERVER_RPC_FRAMES_H
#define SERVER_RPC_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  FRAME_DATA,
  FRAME_HEADERS,
  FRAME_PRIORITY,
  FRAME_RST_STREAM,
  FRAME_SETTINGS,
  FRAME_PUSH_PROMISE,
  FRAME_PING,
  FRAME_GOAWAY,
  FRAME_WINDOW_UPDATE,
  FRAME_CONTINUATION
};
enum { FRAME_ACK = 1, FRAME_END_STREAM = 1, FRAME_END_HEADERS = 4, FRAME_HEAD_SIZE = 9 };

typedef struct frame_head {
  uint32_t length, stream;
  uint8_t type, flags;
} frame_head;

typedef struct frame_scan {
  size_t preface; ///< bytes of the client's preface that came; a server's stream has none: set it to FRAME_PREFACE_SIZE
  uint8_t head[FRAME_HEAD_SIZE];
  size_t have; ///< of the head
  size_t left; ///< of the payload
} frame_scan;

enum { FRAME_PREFACE_SIZE = 24 };

/// Goes on to the next head. Moves *bytes and *size behind what was seen.
/// @return true with the head; false when the bytes are used up, or *wrong: they are no HTTP/2
bool frames_next(frame_scan *scan, const uint8_t **bytes, size_t *size, frame_head *head, bool *wrong);
/// Nothing of a frame has come yet: another one may be put in here.
bool frames_between(const frame_scan *scan);
/// GOAWAY with this error.
enum { FRAME_GOAWAY_SIZE = FRAME_HEAD_SIZE + 8 };
void frames_goaway(uint32_t last_stream, uint32_t error, uint8_t out[FRAME_GOAWAY_SIZE]);

#endif
