// Framing. Incoming bytes collect in one buffer that never holds more than one frame's limit; a length above the limit
// or bytes that protobuf cannot read break the channel for good: whoever is on the other side is not to be trusted.
// Descriptors travel with the first byte of their frame (SCM_RIGHTS); the kernel closes those that nobody has room for.
#include "worker/channel.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PREFIX = 4, READ_SIZE = 64 << 10 };

void channel_init(channel *c, int fd, size_t limit) { *c = (channel){.fd = fd, .limit = limit}; }

void channel_close_files(channel *c) {
  for (int i = 0; i < c->file_count; i++) close(c->files[i]);
  c->file_count = 0;
}

void channel_fini(channel *c) {
  channel_close_files(c);
  free(c->bytes);
  c->bytes = NULL;
  c->used = c->capacity = 0;
}

typedef union control { // room for descriptors beside a message
  struct cmsghdr align;
  char bytes[CMSG_SPACE(CHANNEL_FILES * sizeof(int))];
} control;

// The first piece; how many bytes of it went, or -1.
static ssize_t send_with_files(int fd, unsigned char *bytes, size_t size, const int *files, int count) {
  control c = {.bytes = {0}};
  size_t length = (size_t)count * sizeof *files;
  struct iovec piece = {.iov_base = bytes, .iov_len = size};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = CMSG_SPACE(length)};
  assert(count > 0 && count <= CHANNEL_FILES); // as many as `control` has room for
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(length);
  memcpy(CMSG_DATA(head), files, length);
  ssize_t n;
  do n = sendmsg(fd, &message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n;
}

static bool send_all(int fd, unsigned char *bytes, size_t size, const int *files, int count) {
  while (size > 0) {
    ssize_t n = count > 0 ? send_with_files(fd, bytes, size, files, count) : send(fd, bytes, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= (size_t)n;
    count = 0;
  }
  return true;
}

bool channel_send_files(int fd, const Tendril__Worker__Frame *frame, const int *files, int count) {
  size_t size = tendril__worker__frame__get_packed_size(frame);
  unsigned char *bytes = size <= UINT32_MAX && count <= CHANNEL_FILES ? malloc(PREFIX + size) : NULL;
  if (!bytes) return false;
  for (int i = 0; i < PREFIX; i++) bytes[i] = (unsigned char)(size >> (8 * i));
  tendril__worker__frame__pack(frame, bytes + PREFIX);
  bool sent = send_all(fd, bytes, PREFIX + size, files, count);
  free(bytes);
  return sent;
}

bool channel_send(int fd, const Tendril__Worker__Frame *frame) { return channel_send_files(fd, frame, NULL, 0); }

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

static void take_files(channel *c, struct msghdr *message) {
  for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int file;
      memcpy(&file, CMSG_DATA(head) + i * sizeof file, sizeof file);
      if (c->file_count < CHANNEL_FILES)
        c->files[c->file_count++] = file;
      else
        close(file);
    }
  }
}

static ssize_t receive(channel *c, int flags) {
  control room;
  assert(c->used < c->capacity); // nothing received into no room would look like the end
  struct iovec piece = {.iov_base = c->bytes + c->used, .iov_len = c->capacity - c->used};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  if (c->takes_files) message.msg_control = &room, message.msg_controllen = sizeof room;
  ssize_t n;
  do n = recvmsg(c->fd, &message, flags | MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n > 0) take_files(c, &message);
  return n;
}

bool channel_fill(channel *c, bool wait) {
  if (c->broken || !make_room(c)) return false;
  ssize_t n = receive(c, wait ? 0 : MSG_DONTWAIT);
  if (n > 0) c->used += (size_t)n;
  assert(c->used <= c->capacity);
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
