// Models for callers: the members and their order are those of the contract.
#include "codec/view/model.h"
#include "codec/json/object.h"
#include "codec/wire/warnings.h"

#include <assert.h>
#include <stdlib.h>

typedef const char *(*name_of)(const td_model *model, int i);

// ---------------------------------------------------------------------------------------------------------------- JSON

static void write_names(codec_buffer *b, const char *key, const td_model *model, int count, name_of name) {
  json_key(b, key);
  codec_buffer_text(b, "[");
  for (int i = 0; i < count; i++) {
    json_next(b);
    codec_buffer_string(b, name(model, i));
  }
  codec_buffer_text(b, "]");
}

static void write_row(codec_buffer *b, const store_model *row) {
  json_string_member(b, "name", row->name);
  json_string_member(b, "owner", *row->owner ? row->owner : NULL);
  json_integer_member(b, "revision", row->revision);
  json_string_member(b, "sha256", row->sha256);
  json_time_member(b, "created_at", row->created_ms);
}

void codec_model_shape_json(codec_buffer *b, const td_model *model) {
  char *warnings = codec_warnings_text(td_model_warnings(model));
  json_integer_member(b, "ndof", td_model_ndof(model));
  write_names(b, "coordinates", model, td_model_ndof(model), td_model_coordinate_name);
  write_names(b, "channels", model, td_model_channel_count(model), td_model_channel_name);
  json_raw_member(b, "warnings", warnings ? warnings : "[]");
  free(warnings);
}

void codec_model_json(codec_buffer *b, const model_view *view) {
  assert(view->row.revision > 0 || !view->row.document);
  json_begin(b);
  if (view->row.revision > 0) write_row(b, &view->row);
  if (view->model) codec_model_shape_json(b, view->model);
  if (view->row.document) json_raw_member(b, "document", view->row.document);
  json_end(b);
}

// ------------------------------------------------------------------------------------------------------------- message

static bool set_names(arena *a, const td_model *model, int count, name_of name, char ***names, size_t *n_names) {
  *n_names = (size_t)count;
  *names = arena_array(a, (size_t)count, sizeof **names);
  for (int i = 0; *names && i < count; i++) (*names)[i] = (char *)name(model, i);
  return *names != NULL;
}

static bool set_row(arena *a, const store_model *row, Tendril__V1__Model *m) {
  m->revision = row->revision;
  return message_text(a, row->name, &m->name) && message_text(a, row->owner, &m->owner) &&
         message_text(a, row->sha256, &m->sha256) && message_time(a, row->created_ms, &m->created_at);
}

static bool set_shape(arena *a, const td_model *model, Tendril__V1__Model *m) {
  int ndof = td_model_ndof(model), channels = td_model_channel_count(model);
  m->ndof = (uint32_t)ndof;
  return set_names(a, model, ndof, td_model_coordinate_name, &m->coordinates, &m->n_coordinates) &&
         set_names(a, model, channels, td_model_channel_name, &m->channels, &m->n_channels) &&
         codec_warnings_messages(td_model_warnings(model), a, &m->warnings, &m->n_warnings);
}

bool codec_model_message(const model_view *view, arena *a, Tendril__V1__Model *m) {
  assert(view->row.revision > 0 || !view->row.document);
  tendril__v1__model__init(m);
  if (view->row.document) m->document = view->row.document;
  return (view->row.revision == 0 || set_row(a, &view->row, m)) && (!view->model || set_shape(a, view->model, m));
}
