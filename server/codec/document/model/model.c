// The model document tendril.model/1 as a whole: its top level, its links, and building the frozen model.
//
// Method: tables of fields (codec/json/field.h), one per object of the document. The engine's own errors come back
// with pointers into its spec, which follow the document; where the document wrote one number for several
// coordinates, the pointer is cut to the place that exists.
#include "codec/document/model/model.h"
#include "codec/document/job/job.h"
#include "codec/document/model/parts.h"
#include "codec/document/sound.h"

#include <stdlib.h>
#include <string.h>

#define MODEL_FORMAT "tendril.model/1"
enum { MAX_DESCRIPTION = 65536 };

static const td_link_spec default_link = {
    .parent = "world", .at = 1, .pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, .joint = {.axis = {0, 0, 1}}};

static const field link_fields[] = {
    REQUIRED_FIELD(td_link_spec, name, "name", read_name),
    FIELD(td_link_spec, parent, "parent", read_name),
    FIELD(td_link_spec, at, "at", read_number),
    FIELD(td_link_spec, pose, "pose", read_pose),
    REQUIRED_FIELD(td_link_spec, joint, "joint", read_joint),
    FIELD(td_link_spec, body, "body", read_body),
    {"view", read_view, 0, false, NULL},
};

static td_status read_link(reader *r, const json_t *value, void *out) {
  return read_object(r, value, link_fields, COUNT_OF(link_fields), out);
}

// A list of the model: `NAME`s [COUNT], each read by read_ONE over default_ONE.
#define LIST_READER(NAME, ONE, COUNT, MOST)                                                                            \
  static td_status read_##NAME(reader *r, const json_t *value, void *out) {                                            \
    td_model_spec *spec = out;                                                                                         \
    void *list = NULL;                                                                                                 \
    td_status status =                                                                                                 \
        read_list(r, value, MOST, sizeof default_##ONE, &default_##ONE, read_##ONE, &list, &spec->COUNT);              \
    spec->NAME = list;                                                                                                 \
    return status;                                                                                                     \
  }
LIST_READER(links, link, link_count, TD_MAX_LINKS)
LIST_READER(actuators, actuator, actuator_count, TD_MAX_CHANNELS)
LIST_READER(loads, load, load_count, TD_MAX_CHANNELS)
LIST_READER(contacts, contact, contact_count, TD_MAX_CONTACTS)
LIST_READER(loops, loop, loop_count, TD_MAX_LOOPS)
LIST_READER(springs, spring, spring_count, TD_MAX_SPRINGS)
#undef LIST_READER

static td_status read_drawn_links(reader *r, const json_t *value, void *out) {
  td_status status = read_links(r, value, out);
  return status ? status : check_views(r, value);
}

static td_status read_format(reader *r, const json_t *value, void *out) {
  (void)out;
  char text[64];
  if (json_is_string(value) && strcmp(json_string_value(value), MODEL_FORMAT) == 0) return TD_OK;
  return fail_here(r, TD_INVALID_ARGUMENT, "expected \"" MODEL_FORMAT "\", got %s", show(value, text));
}

static td_status read_description(reader *r, const json_t *value, void *out) {
  (void)out;
  const char *text;
  td_status status = read_text(r, value, &text);
  if (status == TD_OK && json_string_length(value) > MAX_DESCRIPTION)
    return fail_here(r, TD_INVALID_ARGUMENT, "%zu bytes are more than the %d of a description",
                     json_string_length(value), MAX_DESCRIPTION);
  return status;
}

static const field model_fields[] = {
    {"format", read_format, 0, true, NULL},
    FIELD(td_model_spec, name, "name", read_name),
    {"description", read_description, 0, false, NULL},
    FIELD(td_model_spec, gravity, "gravity", read_vector3),
    {"fluid", read_fluid, 0, false, NULL},
    {"links", read_drawn_links, 0, true, NULL},
    {"actuators", read_actuators, 0, false, NULL},
    {"loads", read_loads, 0, false, NULL},
    {"contacts", read_contacts, 0, false, NULL},
    {"loops", read_loops, 0, false, NULL},
    {"springs", read_springs, 0, false, NULL},
};

td_status codec_model_read(const json_t *doc, const char *prefix, arena *a, td_model_spec *spec, td_warnings *warnings,
                           td_error *err) {
  reader r = {.memory = a, .err = err, .warnings = warnings};
  codec_pointer_init(&r.at, prefix);
  r.prefix = r.at.length;
  memset(spec, 0, sizeof *spec);
  return read_object(&r, doc, model_fields, COUNT_OF(model_fields), spec);
}

// ------------------------------------------------------------------------------------------------ errors

// One step down; NULL when the value has no such member.
static const json_t *member(const json_t *value, const char *token) {
  if (json_is_object(value)) return json_object_get(value, token);
  if (!json_is_array(value)) return NULL;
  return json_array_get(value, strtoul(token, NULL, 10));
}

// Keeps the tokens that exist in `doc` and, below an object, one that is missing there.
static void trim_pointer(char *pointer, const json_t *doc) {
  for (char *p = pointer; *p == '/';) {
    char token[TD_POINTER_SIZE], *end = p + 1 + strcspn(p + 1, "/");
    memcpy(token, p + 1, (size_t)(end - p - 1));
    token[end - p - 1] = '\0';
    const json_t *next = member(doc, token);
    if (!next) {
      *(json_is_object(doc) ? end : p) = '\0';
      return;
    }
    doc = next;
    p = end;
  }
}

// Of the spec that is read from `doc`, or of reading it. Places of the spec that are not written there are left out.
static bool read_errors(const json_t *doc, bool of_spec, td_errors *all) {
  arena *a = arena_create();
  td_error err = {.status = TD_NO_MEMORY};
  td_model_spec spec = {0};
  td_errors found = {0};
  reader r = {.memory = a, .err = &err, .all = all};
  codec_pointer_init(&r.at, "");
  bool good = a && read_object(&r, doc, model_fields, COUNT_OF(model_fields), &spec) == TD_OK;
  if (!good) (void)td_errors_add(all, &err);
  if (good && of_spec) td_model_errors(&spec, &found);
  for (int i = 0; i < found.count; i++) trim_pointer(found.list[i].pointer, doc);
  td_errors_join(all, &found);
  arena_destroy(a);
  return good;
}

static bool reads(const json_t *doc, td_errors *all) { return read_errors(doc, false, all); }

void codec_model_errors(const json_t *doc, const char *prefix, td_errors *all) {
  td_errors found = {0}, more = {0};
  if (!read_errors(doc, true, &found)) {
    json_t *left = codec_sound(doc, &found, reads);
    if (left) (void)read_errors(left, true, &more);
    json_decref(left);
    codec_errors_elsewhere(&found, &more);
  }
  for (int i = 0; i < found.count; i++) {
    codec_error_prefix(&found.list[i], prefix);
    (void)td_errors_add(all, &found.list[i]);
  }
}

td_status codec_model_name_check(const json_t *doc, td_error *err) {
  const char *name = json_string_value(json_object_get(doc, "name"));
  if (!name || codec_name_valid(name)) return TD_OK;
  return td_fail(err, TD_INVALID_ARGUMENT, "/name",
                 "\"%.80s\" is not a name to store a model under: [A-Za-z0-9][A-Za-z0-9_.-]{0,62}", name);
}

// ------------------------------------------------------------------------------------------------ building

// The model is ours alone still.
static void add_warnings(td_model *model, const json_t *doc, const td_warnings *of_reading) {
  td_warnings *w = (td_warnings *)td_model_warnings(model);
  td_warnings_append(w, "", of_reading);
  for (int i = 0; i < w->count; i++) trim_pointer(w->list[i].pointer, doc);
}

static td_status build(const json_t *doc, const char *prefix, const td_memory *memory, bool told, td_model **model,
                       td_error *err) {
  *model = NULL;
  arena *a = arena_create();
  if (!a) return td_fail(err, TD_NO_MEMORY, prefix, "out of memory");
  td_model_spec spec;
  td_warnings warnings = {0};
  td_status status = codec_model_read(doc, prefix, a, &spec, &warnings, err);
  if (status == TD_OK) {
    spec.told = told;
    status = td_model_create_within(&spec, memory, model, err);
    if (status == TD_OK && !told) add_warnings(*model, doc, &warnings);
    if (status != TD_OK && err) {
      trim_pointer(err->pointer, doc);
      codec_error_prefix(err, prefix);
    }
  }
  arena_destroy(a);
  return status;
}

td_status codec_model_build_within(const json_t *doc, const char *prefix, const td_memory *memory, td_model **model,
                                   td_error *err) {
  return build(doc, prefix, memory, false, model, err);
}

td_status codec_model_build_moved(const json_t *doc, const td_memory *memory, td_model **model, td_error *err) {
  return build(doc, "", memory, true, model, err);
}

td_status codec_model_build(const json_t *doc, const char *prefix, td_model **model, td_error *err) {
  return codec_model_build_within(doc, prefix, NULL, model, err);
}
