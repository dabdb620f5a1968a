// Messages in an arena, as many as come: the elements of a repeated field.
#ifndef SERVER_CODEC_VIEW_MESSAGE_LIST_H
#define SERVER_CODEC_VIEW_MESSAGE_LIST_H

#include "base/arena.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct message_list {
  arena *memory;
  ProtobufCMessage **items; ///< [count]
  size_t count, room;
  bool failed; ///< there was not enough memory for one of them: the list is of no use
} message_list;

/// A new message of this type at the end of the list; NULL, and the list has failed, when there is not enough memory.
ProtobufCMessage *message_list_add(message_list *list, const ProtobufCMessageDescriptor *type);
/// Copies `text` into `a`; NULL becomes "", which is how a message says that there is none. False when there is not
/// enough memory.
bool message_text(arena *a, const char *text, char **field);
/// A time in ms since the epoch as RFC 3339; 0: "".
bool message_time(arena *a, int64_t ms, char **field);

#endif
