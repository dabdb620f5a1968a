// Bytes that grow.
#ifndef TENDRIL_CLIENT_LIB_BUFFER_H
#define TENDRIL_CLIENT_LIB_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct client_buffer {
  char *at; ///< terminated by 0 after `size` bytes; NULL when empty
  size_t size, room;
} client_buffer;

/// Appends to a buffer; false when there is not enough memory.
bool client_append(client_buffer *buffer, const void *bytes, size_t size);
void client_buffer_free(client_buffer *buffer);

#endif
