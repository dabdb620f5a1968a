// Warnings as JSON. The members stand in the order of the contract; a list that ran over says so in its last entry.
#include "codec/wire/warnings.h"
#include "codec/json/memory.h"

#include <stdio.h>

static bool append(json_t *list, const char *code, const char *detail, const char *pointer) {
  json_t *entry = json_pack("{s:s, s:s, s:s}", "code", code, "detail", detail, "pointer", pointer);
  return entry && json_array_append_new(list, entry) == 0;
}

enum { MORE_SIZE = 80 };
static const char more_code[] = "more_warnings";

static void write_more(int dropped, char detail[MORE_SIZE]) {
  snprintf(detail, MORE_SIZE, "there are %d more warnings than fit into this list", dropped);
}

static bool append_more(json_t *list, int dropped) {
  char detail[MORE_SIZE];
  if (dropped <= 0) return true;
  write_more(dropped, detail);
  return append(list, more_code, detail, "");
}

json_t *codec_warnings_json(const td_warnings *w) {
  json_t *list = json_array();
  bool done = list != NULL;
  for (int i = 0; done && i < w->count; i++) {
    char text[TD_WARNING_TEXT_SIZE];
    td_warning_text(&w->list[i], text);
    done = append(list, w->list[i].code, text, w->list[i].pointer);
  }
  if (done && append_more(list, w->dropped)) return list;
  json_decref(list);
  return NULL;
}

char *codec_warnings_text(const td_warnings *w) {
  if (w->count == 0) return NULL;
  json_t *list = codec_warnings_json(w);
  char *text = list ? json_memory_text(list, JSON_COMPACT) : NULL;
  json_decref(list);
  return text;
}

// ------------------------------------------------------------------------------------------------------------ messages

static Tendril__V1__Warning *make_message(arena *a, const char *code, const char *detail, const char *pointer) {
  Tendril__V1__Warning *w = arena_alloc(a, sizeof *w);
  if (!w) return NULL;
  tendril__v1__warning__init(w);
  w->code = arena_strdup(a, code);
  w->detail = arena_strdup(a, detail);
  w->pointer = arena_strdup(a, pointer);
  return w->code && w->detail && w->pointer ? w : NULL;
}

bool codec_warnings_messages(const td_warnings *w, arena *a, Tendril__V1__Warning ***list, size_t *count) {
  char text[TD_WARNING_TEXT_SIZE], more[MORE_SIZE];
  *count = 0;
  *list = arena_array(a, (size_t)w->count + 1, sizeof **list);
  bool made = *list != NULL;
  for (int i = 0; made && i < w->count; i++) {
    td_warning_text(&w->list[i], text);
    made = ((*list)[(*count)++] = make_message(a, w->list[i].code, text, w->list[i].pointer)) != NULL;
  }
  if (!made || w->dropped <= 0) return made;
  write_more(w->dropped, more);
  return ((*list)[(*count)++] = make_message(a, more_code, more, "")) != NULL;
}

static const char *member(const json_t *entry, const char *name) {
  const char *text = json_string_value(json_object_get(entry, name));
  return text ? text : "";
}

bool codec_warnings_messages_of(const char *text, arena *a, Tendril__V1__Warning ***list, size_t *count) {
  json_t *entries = text ? json_loads(text, 0, NULL) : NULL;
  size_t all = json_array_size(entries);
  *count = 0;
  *list = all > 0 ? arena_array(a, all, sizeof **list) : NULL;
  bool made = (entries || !text) && (*list || all == 0);
  for (; made && *count < all; ++*count) {
    const json_t *entry = json_array_get(entries, *count);
    (*list)[*count] = make_message(a, member(entry, "code"), member(entry, "detail"), member(entry, "pointer"));
    made = (*list)[*count] != NULL;
  }
  json_decref(entries);
  return made;
}
