// Room doubles; what was outgrown stays in the arena, which is as much again at the most.
#include "codec/view/message_list.h"
#include "base/clock.h"

#include <assert.h>
#include <string.h>

static bool grow(message_list *list) {
  if (list->count < list->room) return true;
  size_t room = list->room ? 2 * list->room : 16;
  ProtobufCMessage **items = arena_array(list->memory, room, sizeof *items);
  if (!items) return false;
  if (list->count > 0) memcpy(items, list->items, list->count * sizeof *items);
  list->items = items;
  list->room = room;
  return true;
}

ProtobufCMessage *message_list_add(message_list *list, const ProtobufCMessageDescriptor *type) {
  assert(list->count <= list->room);
  ProtobufCMessage *made = !list->failed && grow(list) ? arena_alloc(list->memory, type->sizeof_message) : NULL;
  list->failed = !made;
  if (!made) return NULL;
  type->message_init(made);
  return list->items[list->count++] = made;
}

bool message_text(arena *a, const char *text, char **field) {
  static char none[] = "";
  *field = text && *text ? arena_strdup(a, text) : none;
  return *field != NULL;
}

bool message_time(arena *a, int64_t ms, char **field) {
  char time[CLOCK_TEXT_SIZE] = "";
  if (ms != 0) clock_format(ms, time);
  return message_text(a, time, field);
}
