// Memory is doubled, so that what comes in small pieces costs few copies.
#include "lib/base/buffer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool client_append(client_buffer *b, const void *bytes, size_t size) {
  assert(b->size <= b->room);
  if (size >= b->room - b->size || !b->at) {
    size_t room = 2 * b->room > b->size + size + 1 ? 2 * b->room : b->size + size + 4096;
    char *grown = realloc(b->at, room);
    if (!grown) return false;
    b->at = grown;
    b->room = room;
  }
  assert(b->room - b->size > size); // the NUL has its place
  memcpy(b->at + b->size, bytes, size);
  b->size += size;
  b->at[b->size] = '\0';
  return true;
}

void client_buffer_free(client_buffer *b) {
  free(b->at);
  *b = (client_buffer){0};
}
