// A leaking bucket. POLICE_MOST points at once and 2000 a second are 700 calls that are reset at once, and 200 a second
// whose message came before: a control loop that cancels what is late stays below, the rapid reset of CVE-2023-44487
// (30000 a second) ends within a thirtieth of a second.
#include "rpc/front/police.h"
#include "base/limits.h"

#include <assert.h>

static const double DRAINED_PER_S = 2000;
static const double RESET = 10, SETTINGS = 20, SMALL = 1, UNKNOWN = 5, STRANGER = 10, MESSAGE = 4, CALL = 4;
static const double STRANGE_BYTE =
    1.0 / 32;              // 320 kB at once, 64 kB a second: nobody needs more before he has shown who he is
enum { SMALL_BYTES = 64 }; // a frame of data that brings less is as good as none
enum {
  BLOCK_BYTES = 2 * LIMIT_REQUEST_HEADER_BYTES,
  CONTINUATIONS = 8
}; // up to the half the call is refused by its own status

static bool charge(police *p, double points, double now_s) {
  assert(points >= 0 && p->points >= 0);
  double left = p->points - DRAINED_PER_S * (now_s - p->at_s);
  p->points = (left > 0 ? left : 0) + points;
  p->at_s = now_s;
  return p->points <= p->most;
}

// Header blocks are no longer than what may be in them, and come in few pieces.
static bool check_block(police *p, const frame_head *head) {
  bool begins = head->type == FRAME_HEADERS;
  p->block = (begins ? 0 : p->block) + head->length;
  p->continuations = begins ? 0 : p->continuations + 1;
  p->in_block = !(head->flags & FRAME_END_HEADERS);
  return p->block <= BLOCK_BYTES && p->continuations <= CONTINUATIONS;
}

bool police_frame(police *p, const frame_head *head, double now_s) {
  if (p->in_block != (head->type == FRAME_CONTINUATION)) return false; // RFC 9113, 6.10
  switch (head->type) {
  case FRAME_HEADERS: // its message gives that back
    return check_block(p, head) && charge(p, CALL, now_s);
  case FRAME_CONTINUATION:
    return check_block(p, head);
  case FRAME_DATA:
    return head->length >= SMALL_BYTES || (head->flags & FRAME_END_STREAM) || charge(p, SMALL, now_s);
  case FRAME_RST_STREAM:
    return charge(p, RESET, now_s);
  case FRAME_SETTINGS:
    return (head->flags & FRAME_ACK) || charge(p, SETTINGS, now_s);
  case FRAME_PING:
  case FRAME_PRIORITY:
  case FRAME_WINDOW_UPDATE:
    return charge(p, SMALL, now_s);
  default:
    return charge(p, UNKNOWN, now_s);
  }
}

bool police_bytes(police *p, size_t count, double now_s) {
  return p->trusted || charge(p, STRANGE_BYTE * (double)count, now_s);
}

bool police_stranger(police *p, double now_s) { return charge(p, STRANGER, now_s); }
void police_message(police *p) { p->points = p->points > MESSAGE ? p->points - MESSAGE : 0; }
