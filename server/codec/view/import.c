// Imports for callers: the members and their order are those of the contract.
#include "codec/view/import.h"
#include "codec/json/object.h"
#include "codec/view/message_list.h"
#include "codec/view/model.h"
#include "codec/wire/warnings.h"

// ---------------------------------------------------------------------------------------------------------------- JSON

static void write_places(codec_buffer *b, const remark_place *first) {
  json_key(b, "places");
  codec_buffer_text(b, "[");
  for (const remark_place *p = first; p; p = p->next) {
    json_next(b);
    json_begin(b);
    if (p->line > 0)
      json_integer_member(b, "line", p->line);
    else
      json_raw_member(b, "line", NULL);
    json_string_member(b, "what", p->what);
    json_end(b);
  }
  codec_buffer_text(b, "]");
}

void codec_imported_json(codec_buffer *b, const import_view *view) {
  json_begin(b);
  codec_model_shape_json(b, view->model);
  json_key(b, "remarks");
  codec_buffer_text(b, "[");
  for (const import_remark *r = view->remarks->first; r; r = r->next) {
    json_next(b);
    json_begin(b);
    json_string_member(b, "detail", r->detail);
    write_places(b, r->places);
    json_end(b);
  }
  codec_buffer_text(b, "]");
  json_raw_member(b, "document", view->document);
  json_end(b);
}

// ------------------------------------------------------------------------------------------------------------- message

static bool add_remark(arena *a, const import_remark *r, message_list *list) {
  message_list places = {.memory = a};
  Tendril__V1__ImportRemark *message = (void *)message_list_add(list, &tendril__v1__import_remark__descriptor);
  if (!message) return false;
  message->detail = (char *)r->detail;
  for (const remark_place *p = r->places; p; p = p->next) {
    Tendril__V1__ImportPlace *place = (void *)message_list_add(&places, &tendril__v1__import_place__descriptor);
    if (!place) return false;
    place->line = p->line;
    place->what = (char *)p->what;
  }
  message->n_places = places.count;
  message->places = (Tendril__V1__ImportPlace **)places.items;
  return true;
}

bool codec_imported_message(const import_view *view, arena *a, Tendril__V1__ImportedModel *m) {
  Tendril__V1__Model shape = TENDRIL__V1__MODEL__INIT;
  message_list remarks = {.memory = a};
  tendril__v1__imported_model__init(m);
  if (!codec_model_message(&(model_view){.model = view->model}, a, &shape)) return false;
  for (const import_remark *r = view->remarks->first; r; r = r->next)
    if (!add_remark(a, r, &remarks)) return false;
  m->document = (char *)view->document;
  m->ndof = shape.ndof;
  m->n_coordinates = shape.n_coordinates;
  m->coordinates = shape.coordinates;
  m->n_channels = shape.n_channels;
  m->channels = shape.channels;
  m->n_warnings = shape.n_warnings;
  m->warnings = shape.warnings;
  m->n_remarks = remarks.count;
  m->remarks = (Tendril__V1__ImportRemark **)remarks.items;
  return true;
}
