// Any bytes as what a worker says to the server, or the server to a worker: frames one after the other, until the
// stream ends or is broken.
#include "worker/channel.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAME_LIMIT = 1 << 16 };
typedef Tendril__Worker__Frame frame;

// Every byte of it is read. (Not more: protobuf-c keeps unknown fields as they came, also those of number 0, which it
// refuses when it reads what it wrote.)
static void write_again(const frame *f) {
  size_t size = tendril__worker__frame__get_packed_size(f);
  uint8_t *bytes = malloc(size + 1);
  assert(bytes && tendril__worker__frame__pack(f, bytes) == size);
  free(bytes);
}

static void take_all(channel *in) {
  for (frame *f; (f = channel_next(in));) {
    write_again(f);
    tendril__worker__frame__free_unpacked(f, NULL);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int ends[2];
  channel in;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
  channel_init(&in, ends[1], FRAME_LIMIT);
  for (size_t sent = 0, piece; sent < size && !in.broken; sent += piece) { // the first byte says in what pieces
    piece = size - sent < 1 + 37u * data[0] ? size - sent : 1 + 37u * data[0];
    if (write(ends[0], data + sent, piece) != (ssize_t)piece) abort();
    bool open = channel_fill(&in, false);
    assert(open || in.broken);
    take_all(&in);
  }
  close(ends[0]);
  assert(!channel_fill(&in, false));
  assert(in.used <= FRAME_LIMIT + 4 || in.broken);
  channel_fini(&in);
  close(ends[1]);
  return 0;
}
