// The request of an import, read by tables of fields.
//
// A robot comes as a description or as a document; attachments are put on one after another, in the order given, so
// that one can hang at another. Where the entries of each begin in the lists of the whole is kept, so that what is
// wrong with the whole can be said of the part.
#include "codec/import/import.h"
#include "codec/document/model/model.h"
#include "codec/import/attach.h"
#include "codec/import/ground.h"
#include "codec/import/mjcf/mjcf.h"
#include "codec/import/shape/mesh.h"
#include "codec/import/urdf/urdf.h"
#include "codec/import/usd/usd.h"
#include "codec/json/field.h"
#include "codec/json/place.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof((import_result *)0)->begin[0] / sizeof(size_t) == (size_t)ATTACH_LISTS, "a place for each list");

enum { FORMAT_URDF, FORMAT_MJCF, FORMAT_USD, IMPORT_FORMATS };
static const char *const POINTERS[IMPORT_FORMATS] = {"/urdf", "/mjcf", "/usd"};

typedef struct import_request {
  const json_t *described[IMPORT_FORMATS], *model, *meshes; ///< described: at most one is there
  import_choice choice;
  bool ground;
  attachment *attach; // [attach_count]
  size_t attach_count;
} import_request;

// ------------------------------------------------------------------------------------------------ fields

static td_status keep(reader *r, const json_t *value, void *out) {
  (void)r;
  *(const json_t **)out = value;
  return TD_OK;
}

// Texts of files by their names; what is in them is said of the meshes that name them.
static td_status keep_files(reader *r, const json_t *value, void *out) {
  const char *key;
  const json_t *file;
  if (!json_is_object(value)) return fail_type(r, "an object of files by name", value);
  json_object_foreach((json_t *)value, key, file) {
    size_t mark = codec_pointer_key(&r->at, key);
    if (!json_is_string(file)) return fail_type(r, "base64 text of a file", file);
    codec_pointer_pop(&r->at, mark);
  }
  *(const json_t **)out = value;
  return TD_OK;
}

static td_status keep_text(reader *r, const json_t *value, void *out) {
  const char *text;
  *(const json_t **)out = value;
  return read_text(r, value, &text);
}

static td_status read_base(reader *r, const json_t *value, void *out) {
  return read_word(r, value, import_base_word, IMPORT_BASES, out);
}

static td_status read_actuators(reader *r, const json_t *value, void *out) {
  return read_word(r, value, import_actuators_word, IMPORT_ACTUATORS, out);
}

static td_status read_inertia(reader *r, const json_t *value, void *out) {
  return read_word(r, value, import_inertia_word, IMPORT_INERTIA_COUNT, out);
}

static td_status read_view(reader *r, const json_t *value, void *out) {
  return read_word(r, value, import_view_word, IMPORT_VIEWS, out);
}

static td_status read_stops(reader *r, const json_t *value, void *out) {
  return read_word(r, value, import_stops_word, IMPORT_STOPS_COUNT, out);
}

// A document that stands in the request: its form; the whole is built later.
static td_status read_model(reader *r, const json_t *value, void *out) {
  td_model_spec spec;
  *(const json_t **)out = value;
  return codec_model_read(value, r->at.text, r->memory, &spec, NULL, r->err);
}

static td_status read_mount(reader *r, const json_t *value, void *out) {
  td_se3 pose;
  *(const json_t **)out = value;
  return codec_pose_read(value, r->at.text, &pose, r->err);
}

static td_status read_at(reader *r, const json_t *value, void *out) {
  double at;
  td_status status = read_number(r, value, &at);
  *(const json_t **)out = value;
  if (status == TD_OK && !(at >= 0 && at <= 1)) return fail_here(r, TD_INVALID_ARGUMENT, "%g is not within [0, 1]", at);
  return status;
}

// "": none.
static td_status read_prefix(reader *r, const json_t *value, void *out) {
  bool none = json_is_string(value) && json_string_length(value) == 0;
  return none ? TD_OK : read_name(r, value, out);
}

static const field attachment_fields[] = {
    REQUIRED_FIELD(attachment, model, "model", read_model), REQUIRED_FIELD(attachment, parent, "parent", read_name),
    FIELD(attachment, at, "at", read_at), FIELD(attachment, pose, "pose", read_mount),
    FIELD(attachment, prefix, "prefix", read_prefix)};

static td_status read_attachment(reader *r, const json_t *value, void *out) {
  return read_object(r, value, attachment_fields, COUNT_OF(attachment_fields), out);
}

static td_status read_attachments(reader *r, const json_t *value, void *out) {
  import_request *request = out;
  static const attachment none = {.prefix = ""};
  void *list = NULL;
  td_status status =
      read_list(r, value, IMPORT_MAX_ATTACHED, sizeof none, &none, read_attachment, &list, &request->attach_count);
  request->attach = list;
  return status;
}

static const field request_fields[] = {
    FIELD(import_request, described[FORMAT_URDF], "urdf", keep_text),
    FIELD(import_request, described[FORMAT_MJCF], "mjcf", keep_text),
    FIELD(import_request, described[FORMAT_USD], "usd", keep_text),
    FIELD(import_request, model, "model", keep),
    FIELD(import_request, choice.name, "name", read_name),
    FIELD(import_request, choice.description, "description", read_text),
    FIELD(import_request, choice.gravity, "gravity", read_vector3),
    FIELD(import_request, choice.base, "base", read_base),
    FIELD(import_request, choice.actuators, "actuators", read_actuators),
    FIELD(import_request, choice.inertia, "inertia", read_inertia),
    FIELD(import_request, choice.stops, "stops", read_stops),
    FIELD(import_request, choice.view, "view", read_view),
    FIELD(import_request, meshes, "meshes", keep_files),
    FIELD(import_request, ground, "ground", read_bool),
    {"attach", read_attachments, 0, false, NULL},
};

// What describes a robot says nothing of a document, which has it all.
static td_status check_parts(reader *r, const json_t *request, const import_request *asked) {
  static const char *const only_described[] = {"gravity", "base", "actuators", "inertia", "stops", "view", "meshes"};
  size_t parts = asked->model != NULL;
  for (size_t i = 0; i < IMPORT_FORMATS; i++) parts += asked->described[i] != NULL;
  if (parts != 1)
    return fail_here(r, TD_INVALID_ARGUMENT,
                     "an import has either \"urdf\", \"mjcf\" or \"usd\", the text of a description, or \"model\", "
                     "a model document");
  for (size_t i = 0; asked->model && i < COUNT_OF(only_described); i++)
    if (json_object_get(request, only_described[i]))
      return fail_key(r, only_described[i], TD_INVALID_ARGUMENT, "a model document says that itself");
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ parts

// A mesh of a URDF, or a geom of an MJCF that names one.
static bool draws_mesh(const xml_element *e) {
  if (strcmp(e->name, "geom") != 0) return strcmp(e->name, "mesh") == 0 && strcmp(e->parent->name, "asset") != 0;
  for (size_t i = 0; i < e->attribute_count; i++)
    if (strcmp(e->attributes[i].name, "mesh") == 0) return true;
  return false;
}

// What a mesh may have, so that all have no more than a document.
static size_t points_of_a_mesh(const xml_element *root) {
  size_t count = 0;
  for (const xml_element *e = root->following; e; e = e->following) count += draws_mesh(e);
  size_t share = MODEL_MAX_VIEW_POINTS / (count > 0 ? count : 1);
  return share > MESH_POINTS ? MESH_POINTS : share < MESH_LEAST_POINTS ? MESH_LEAST_POINTS : share;
}

static td_status describe_urdf(const import_reader *d, xml_element *root, const import_choice *choice,
                               import_result *out) {
  urdf_robot robot;
  if (strcmp(root->name, "robot") != 0)
    return import_fail(d, root, "a URDF begins with <robot>%s",
                       strcmp(root->name, "mujoco") == 0 ? "; this is MJCF, which goes under \"mjcf\"" : "");
  td_status status = urdf_read(d, root, &robot);
  if (status) return status;
  return urdf_document(&robot, choice, d->memory, d->remarks, &out->document, &out->lines, d->err);
}

static td_status describe_mjcf(const import_reader *d, xml_element *root, const import_choice *choice,
                               import_result *out) {
  if (strcmp(root->name, "mujoco") != 0) return import_fail(d, root, "an MJCF begins with <mujoco>");
  if (choice->base != 0)
    return td_fail(d->err, TD_INVALID_ARGUMENT, "/base", "bodies of an MJCF that float have a joint of type free");
  return mjcf_document(d, root, choice, &out->document, &out->lines);
}

static td_status describe_usd(const import_reader *d, const json_t *text, const import_choice *choice,
                              import_result *out) {
  if (choice->base != 0)
    return td_fail(d->err, TD_INVALID_ARGUMENT, "/base", "rods of a USD are held or free as their masses say");
  return usd_document(d, json_string_value(text), json_string_length(text), choice, &out->document, &out->lines);
}

static td_status describe(reader *r, const import_request *asked, size_t format, import_result *out) {
  const import_choice *choice = &asked->choice;
  const json_t *text = asked->described[format];
  mesh_files files = {.object = asked->meshes};
  import_reader d = {.pointer = POINTERS[format],
                     .inertia = (import_inertia)choice->inertia,
                     .stops = (import_stops)choice->stops,
                     .files = asked->meshes ? &files : NULL,
                     .viewed = choice->view == 0,
                     .memory = r->memory,
                     .remarks = &out->remarks,
                     .err = r->err};
  if (format == FORMAT_USD) return describe_usd(&d, text, choice, out);
  xml_element *root;
  td_status status = xml_parse(json_string_value(text), json_string_length(text), d.pointer, r->memory, &root, r->err);
  if (status) return status;
  root->read = true;
  d.mesh_points = points_of_a_mesh(root);
  return format == FORMAT_URDF ? describe_urdf(&d, root, choice, out) : describe_mjcf(&d, root, choice, out);
}

static td_status copy_model(reader *r, const import_request *asked, import_result *out) {
  const json_t *checked;
  size_t mark = codec_pointer_key(&r->at, "model");
  td_status status = read_model(r, asked->model, &checked);
  codec_pointer_pop(&r->at, mark);
  if (status) return status;
  out->document = json_deep_copy(asked->model);
  bool failed = !out->document;
  const import_choice *choice = &asked->choice;
  if (!failed && choice->name) import_set(out->document, "name", json_string(choice->name), &failed);
  if (!failed && choice->description)
    import_set(out->document, "description", json_string(choice->description), &failed);
  return failed ? td_fail(r->err, TD_NO_MEMORY, "/model", "no memory for the model") : TD_OK;
}

static void note_begins(import_result *out, size_t part) {
  for (int i = 0; i < ATTACH_LISTS; i++)
    out->begin[part][i] = part == 0 ? 0 : json_array_size(json_object_get(out->document, codec_attach_list(i)));
}

static td_status attach_all(reader *r, const import_request *asked, import_result *out) {
  td_status status = TD_OK;
  note_begins(out, 0);
  for (size_t i = 0; i < asked->attach_count && !status; i++) {
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/attach/%zu", i);
    note_begins(out, 1 + i);
    status = codec_attach(out->document, &asked->attach[i], pointer, &out->remarks, r->err);
  }
  note_begins(out, 1 + asked->attach_count);
  out->attached = asked->attach_count;
  if (!status && out->remarks.failed) return td_fail(r->err, TD_NO_MEMORY, "", "no memory for what is left out");
  return status;
}

td_status codec_import_read(const json_t *request, arena *a, import_result *out, td_error *err) {
  reader r = {.memory = a, .err = err};
  import_request asked = {.choice = {.gravity = {0, 0, -9.81}}};
  codec_pointer_init(&r.at, "");
  *out = (import_result){.remarks = {.memory = a}};
  td_status status = read_object(&r, request, request_fields, COUNT_OF(request_fields), &asked);
  if (!status) status = check_parts(&r, request, &asked);
  asked.choice.has_gravity = json_object_get(request, "gravity") != NULL;
  size_t format = 0;
  while (format < IMPORT_FORMATS && !asked.described[format]) format++;
  out->described = format < IMPORT_FORMATS ? POINTERS[format] : NULL;
  out->named = asked.choice.name != NULL;
  if (!status) status = out->described ? describe(&r, &asked, format, out) : copy_model(&r, &asked, out);
  if (!status) status = attach_all(&r, &asked, out);
  if (!status && asked.ground) status = import_ground(out->document, &out->remarks, err);
  if (!status) return TD_OK;
  json_decref(out->document);
  out->document = NULL;
  return status;
}

// ------------------------------------------------------------------------------------------------ blame

// The part whose entry `index` of list `list` is.
static size_t part_of(const import_result *import, int list, size_t index) {
  size_t part = import->attached;
  while (part > 0 && index < import->begin[part][list]) part--;
  return part;
}

// A link's own line, of its body; else that of the joint which carries it.
static int line_of(const import_result *import, int list, size_t index, const char *rest) {
  const import_lines *lines = &import->lines;
  bool body = strncmp(rest, "/body", 5) == 0;
  if (list == 0 && index < lines->link_count) return body ? lines->links[index] : lines->joints[index];
  return list == 1 && index < lines->actuator_count ? lines->actuators[index] : 0;
}

// What the request could say instead, where the engine refuses this place of a link.
static const char *advice_of(const char *rest) {
  static const struct {
    const char *place, *advice;
  } rows[] = {{"/body/inertia", "; \"inertia\": \"nearest\" takes the nearest that a body has"},
              {"/joint", "; \"actuators\": \"position\" prescribes all joints, which then need no mass"}};
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    if (strncmp(rest, rows[i].place, strlen(rows[i].place)) == 0) return rows[i].advice;
  return "";
}

static void put_line(int line, const char *advice, char *message, size_t size) {
  char old[TD_MESSAGE_SIZE], head[32] = "";
  snprintf(old, sizeof old, "%s", message);
  if (line > 0) snprintf(head, sizeof head, "line %d: ", line);
  snprintf(message, size, "%s%.300s%s", head, old, advice);
}

static void put_part(char pointer[TD_POINTER_SIZE], const char *part, const char *list, size_t index,
                     const char *rest) {
  char old[TD_POINTER_SIZE];
  snprintf(old, sizeof old, "%s", rest);
  snprintf(pointer, TD_POINTER_SIZE, "%s/%s/%zu%.160s", part, list, index, old);
}

void codec_import_blame(const import_result *import, char pointer[TD_POINTER_SIZE], char *message, size_t size) {
  char token[JSON_TOKEN_SIZE], part_text[40] = "/model";
  const char *rest = *pointer == '/' ? json_place_token(pointer, token) : NULL;
  int list = 0;
  size_t index;
  while (rest && list < ATTACH_LISTS && strcmp(token, codec_attach_list(list)) != 0) list++;
  bool entry = rest && list < ATTACH_LISTS && *rest == '/' && (rest = json_place_token(rest, token)) != NULL &&
               json_place_index(token, &index);
  size_t part = entry ? part_of(import, list, index) : 0;
  if (part > 0) snprintf(part_text, sizeof part_text, "/attach/%zu/model", part - 1);
  if (entry && (part > 0 || !import->described)) {
    put_part(pointer, part_text, codec_attach_list(list), index - import->begin[part][list], rest);
  } else if (entry) {
    put_line(line_of(import, list, index, rest), list == 0 ? advice_of(rest) : "", message, size);
    snprintf(pointer, TD_POINTER_SIZE, "%s", import->described);
  } else if ((strcmp(pointer, "/name") == 0 && import->named) || strcmp(pointer, "/description") == 0) {
    return; // the request's own
  } else {
    char old[TD_POINTER_SIZE];
    snprintf(old, sizeof old, "%s", pointer);
    if (import->described && strcmp(import->described, POINTERS[FORMAT_URDF]) == 0 && strcmp(old, "/links") == 0)
      put_line(0, "; \"base\": \"free\" lets the robot float", message, size);
    snprintf(pointer, TD_POINTER_SIZE, "%s%.200s", import->described ? import->described : "/model",
             import->described ? "" : old);
  }
}
