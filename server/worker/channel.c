// Framing. Incoming bytes collect in one buffer that never holds more than one frame's limit; a length above the limit
// or bytes that protobuf cannot read break the channel for good: whoever is on the other side is not to be trusted.
#include "worker/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { PREFIX = 4, READ_SIZE = 64 << 10 };

void channel_init(channel *c, int fd, size_t limit) { *c = (channel){.fd = fd, .limit = limit}; }

void channel_fini(channel *c) {
  free(c->bytes);
  c->bytes = NULL;
}

static bool send_all(int fd, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= (size_t)n;
  }
  return true;
}

bool channel_send(int fd, const Tendril__Worker__Frame *frame) {
  size_t size = tendril__worker__frame__get_packed_size(frame);
  unsigned char *bytes = size <= UINT32_MAX ? malloc(PREFIX + size) : NULL;
  if (!bytes) return false;
  for (int i = 0; i < PREFIX; i++) bytes[i] = (unsigned char)(size >> (8 * i));
  tendril__worker__frame__pack(frame, bytes + PREFIX);
  bool sent = send_all(fd, bytes, PREFIX + size);
  free(bytes);
  return sent;
}

static size_t next_size(const channel *c) {
  size_t size = 0;
  for (int i = 0; i < PREFIX; i++) size |= (size_t)c->bytes[i] << (8 * i);
  return size;
}

static bool make_room(channel *c) {
  size_t wanted = c->used + READ_SIZE;
  if (wanted <= c->capacity) return true;
  if (c->used >= PREFIX && next_size(c) + PREFIX > wanted) wanted = next_size(c) + PREFIX;
  if (c->used >= PREFIX && next_size(c) > c->limit) return c->broken = true, false;
  unsigned char *bytes = realloc(c->bytes, wanted);
  if (!bytes) return c->broken = true, false;
  c->bytes = bytes;
  c->capacity = wanted;
  return true;
}

bool channel_fill(channel *c, bool wait) {
  if (c->broken || !make_room(c)) return false;
  ssize_t n;
  do n = recv(c->fd, c->bytes + c->used, c->capacity - c->used, wait ? 0 : MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  if (n > 0) c->used += (size_t)n;
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

Tendril__Worker__Frame *channel_next(channel *c) {
  if (c->broken || c->used < PREFIX) return NULL;
  size_t size = next_size(c);
  if (size > c->limit) return c->broken = true, NULL;
  if (c->used - PREFIX < size) return NULL;
  Tendril__Worker__Frame *frame = tendril__worker__frame__unpack(NULL, size, c->bytes + PREFIX);
  c->broken = !frame;
  c->used -= PREFIX + size;
  memmove(c->bytes, c->bytes + PREFIX + size, c->used);
  return frame;
}
