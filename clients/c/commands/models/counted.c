#include "commands/models/counted.h"

#include <stdio.h>

enum { NAMED = 12 };

void print_counted(const session *s, const tendril_model *model) {
  tendril_text text = tendril_reply_member(s->client, "channels");
  json_t *names = text.at ? json_loadb(text.at, text.size, 0, NULL) : NULL, *name;
  size_t i;
  printf("%d coordinates, %d input channel%s", model->ndof, model->channels, model->channels == 1 ? "" : "s");
  json_array_foreach(names, i, name) {
    if (i < NAMED && json_is_string(name)) printf("%s%s", i == 0 ? ": " : ", ", json_string_value(name));
  }
  printf("%s\n", json_array_size(names) > NAMED ? ", …" : "");
  json_decref(names);
}
