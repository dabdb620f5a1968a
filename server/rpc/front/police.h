// What one connection may ask of us without giving us anything to do: points that drain with time.
//
// Each frame costs what police.c says: a stream that is reset 10, a frame that only talks about the connection 1, and
// so on. Messages that are exchanged give points back, because stock clients send some such frames with each. Beyond
// the limit the connection is closed.
#ifndef SERVER_RPC_POLICE_H
#define SERVER_RPC_POLICE_H

#include "rpc/front/frames.h"

/// A connection of an address that nobody has complained of may have so many at once.
enum { POLICE_MOST = 10000 };

typedef struct police {
  double most; ///< points at once
  double points, at_s;
  size_t block;      ///< bytes of the header block that is coming
  int continuations; ///< of it
  bool in_block;
  bool trusted; ///< a call of somebody who may call was admitted here
} police;

/// The head of a frame came from the client. False: too much.
bool police_frame(police *p, const frame_head *head, double now_s);
/// So many bytes came: of a frame that may be large, some.
bool police_bytes(police *p, size_t count, double now_s);
/// A call was refused to somebody without a good token, or is open to everybody.
bool police_stranger(police *p, double now_s);
/// A message came or went.
void police_message(police *p);

#endif
