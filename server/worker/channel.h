// Framed messages over a stream socket: 4 bytes of length, then a Frame (worker/frames.proto).
#ifndef SERVER_WORKER_CHANNEL_H
#define SERVER_WORKER_CHANNEL_H

#include "worker/frames.pb-c.h"

#include <stdbool.h>
#include <stddef.h>

enum { CHANNEL_FILES = 2 }; ///< descriptors that may travel with one frame

typedef struct channel {
  int fd;
  unsigned char *bytes; ///< received, not yet taken
  size_t used, capacity, limit;
  bool broken;              ///< a frame was malformed or larger than `limit`
  bool takes_files;         ///< set it to receive descriptors; whoever does not never gets any
  int files[CHANNEL_FILES]; ///< received, in the order of sending, until they are closed
  int file_count;
} channel;

/// `limit` bounds one incoming frame. Takes no ownership of fd.
void channel_init(channel *c, int fd, size_t limit);
void channel_fini(channel *c);
/// Closes the descriptors that came.
void channel_close_files(channel *c);

/// Sends one frame, blocking. False when the other side is gone, stuck (SO_SNDTIMEO) or there is not enough memory.
bool channel_send(int fd, const Tendril__Worker__Frame *frame);
/// The same with descriptors, which the receiver gets as its own; they are there when the frame is.
bool channel_send_files(int fd, const Tendril__Worker__Frame *frame, const int *files, int count);
/// Reads what is there. False at the end of the stream or on an error; with `wait` it blocks for the first byte.
bool channel_fill(channel *c, bool wait);
/// The next whole frame (tendril__worker__frame__free_unpacked), NULL when more bytes are needed or the stream is
/// broken.
Tendril__Worker__Frame *channel_next(channel *c);

#endif
