// Warnings as JSON. The members stand in the order of the contract; a list that ran over says so in its last entry.
#include "codec/wire/warnings.h"
#include "codec/json/memory.h"

#include <stdbool.h>
#include <stdio.h>

static bool append(json_t *list, const char *code, const char *detail, const char *pointer) {
  json_t *entry = json_pack("{s:s, s:s, s:s}", "code", code, "detail", detail, "pointer", pointer);
  return entry && json_array_append_new(list, entry) == 0;
}

static bool append_more(json_t *list, int dropped) {
  char detail[80];
  if (dropped <= 0) return true;
  snprintf(detail, sizeof detail, "there are %d more warnings than fit into this list", dropped);
  return append(list, "more_warnings", detail, "");
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
