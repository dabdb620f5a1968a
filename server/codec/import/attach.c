// One robot at a link of another.
//
// The places of a document that hold names, and those that mean the world, stand in tables; everything else is copied
// as it is. Names are prefixed first, then what had the world for a parent is hung at the other robot's link, then the
// lists are joined.
#include "codec/import/attach.h"
#include "codec/document/model/model.h"
#include "codec/import/document.h"
#include "codec/json/hint.h"
#include "codec/json/pointer.h"
#include "tendril/se3.h"
#include "tendril/spec.h"

#include <stdio.h>
#include <string.h>

static const char WORLD[] = "world";

const char *codec_attach_list(int i) {
  static const char *const lists[ATTACH_LISTS] = {"links", "actuators", "loads", "contacts", "loops", "springs"};
  return lists[i];
}

typedef struct joining {
  json_t *document, *copy;
  const attachment *one;
  const char *pointer;
  remark_list *remarks;
  td_error *err;
  bool failed; // for want of memory
} joining;

static td_status fail(const joining *j, const char *place, const char *format, const char *name) {
  char pointer[TD_POINTER_SIZE];
  snprintf(pointer, sizeof pointer, "%s%s", j->pointer, place);
  return td_fail(j->err, TD_INVALID_ARGUMENT, pointer, format, name);
}

// ------------------------------------------------------------------------------------------------ names

// Where names stand: list/*/key, list/*/key/*, list/*/key/sub, list/*/key/*/sub.
typedef struct name_row {
  const char *list, *key;
  bool each;       // key is an array
  const char *sub; // NULL: the value is the name
  bool defines;    // a name of its own, not one of a link: none may be there twice where it is a link's or a channel's
} name_row;

static const name_row NAMES[] = {
    {"links", "name", false, NULL, true},           {"links", "parent", false, NULL, false},
    {"actuators", "name", false, NULL, true},       {"actuators", "link", false, NULL, false},
    {"actuators", "segments", true, "link", false}, {"loads", "name", false, NULL, true},
    {"loads", "link", false, NULL, false},          {"loads", "channels", true, NULL, true},
    {"contacts", "name", false, NULL, true},        {"contacts", "links", true, NULL, false},
    {"loops", "name", false, NULL, true},           {"loops", "a", false, "link", false},
    {"loops", "b", false, "link", false},           {"springs", "name", false, NULL, true},
    {"springs", "a", false, "link", false},         {"springs", "b", false, "link", false},
    {"springs", "channel", false, NULL, true},      {"contacts", "a", true, NULL, false},
    {"contacts", "b", true, NULL, false},           {"contacts", "link", false, NULL, false},
};
enum { NAME_ROWS = sizeof NAMES / sizeof *NAMES };

typedef td_status (*name_visit)(joining *j, const name_row *row, json_t *name, size_t i);

static td_status visit_value(joining *j, const name_row *row, json_t *value, size_t i, name_visit visit) {
  json_t *name = row->sub ? json_object_get(value, row->sub) : value;
  return json_is_string(name) ? visit(j, row, name, i) : TD_OK;
}

static td_status visit_row(joining *j, const json_t *document, const name_row *row, name_visit visit) {
  const json_t *list = json_object_get(document, row->list);
  td_status status = TD_OK;
  for (size_t i = 0; i < json_array_size(list) && !status; i++) {
    json_t *value = json_object_get(json_array_get(list, i), row->key);
    if (!row->each && value) status = visit_value(j, row, value, i, visit);
    for (size_t k = 0; row->each && k < json_array_size(value) && !status; k++)
      status = visit_value(j, row, json_array_get(value, k), i, visit);
  }
  return status;
}

static td_status put_prefix(joining *j, const name_row *row, json_t *name, size_t i) {
  char text[2 * (TD_MAX_NAME + 1)];
  const char *old = json_string_value(name);
  (void)i;
  if (!row->defines && strcmp(old, WORLD) == 0) return TD_OK;
  if (strlen(j->one->prefix) + strlen(old) > TD_MAX_NAME)
    return fail(j, "/prefix", "with it \"%s\" has more than 63 bytes", old);
  snprintf(text, sizeof text, "%s%s", j->one->prefix, old);
  if (json_string_set(name, text)) j->failed = true;
  return TD_OK;
}

static td_status rename_all(joining *j) {
  td_status status = TD_OK;
  for (size_t i = 0; i < NAME_ROWS && *j->one->prefix && !status; i++)
    status = visit_row(j, j->copy, &NAMES[i], put_prefix);
  return status;
}

// The list that holds a link of this name, or an input channel, in the document so far; NULL: none.
static bool has_name(const json_t *document, const char *list, const char *key, const char *name) {
  const json_t *all = json_object_get(document, list);
  for (size_t i = 0; i < json_array_size(all); i++) {
    const char *other = json_string_value(json_object_get(json_array_get(all, i), key));
    if (other && strcmp(other, name) == 0) return true;
  }
  return false;
}

static bool has_channel(const json_t *document, const char *name) {
  const json_t *loads = json_object_get(document, "loads");
  for (size_t i = 0; i < json_array_size(loads); i++) {
    const json_t *channels = json_object_get(json_array_get(loads, i), "channels");
    for (size_t k = 0; k < json_array_size(channels); k++) {
      const char *other = json_string_value(json_array_get(channels, k));
      if (other && strcmp(other, name) == 0) return true;
    }
  }
  return has_name(document, "actuators", "name", name) || has_name(document, "springs", "channel", name);
}

static td_status clash(joining *j, const name_row *row, json_t *name, size_t i) {
  const char *text = json_string_value(name);
  bool link = strcmp(row->list, "links") == 0;
  bool channel = strcmp(row->list, "actuators") == 0 || row->each || strcmp(row->key, "channel") == 0;
  bool taken = link ? has_name(j->document, "links", "name", text) : channel && has_channel(j->document, text);
  char place[96];
  if (!row->defines || !taken) return TD_OK;
  snprintf(place, sizeof place, "/model/%s/%zu/%s", row->list, i, row->key);
  return fail(j, place,
              link ? "both robots have a link \"%.63s\"; give the attached one a prefix"
                   : "both robots have an input channel \"%.63s\"; give the attached one a prefix",
              text);
}

static td_status check_clashes(joining *j) {
  td_status status = TD_OK;
  for (size_t i = 0; i < NAME_ROWS && !status; i++) status = visit_row(j, j->copy, &NAMES[i], clash);
  return status;
}

// ------------------------------------------------------------------------------------------------ places

// The pose of what hung in the world, behind that of the attachment. One of the two alone stays as it was written.
static void move(joining *j, json_t *holder) {
  const json_t *mount = j->one->pose, *own = json_object_get(holder, "pose");
  td_se3 a, b;
  td_error ignored; // both were read before
  if (!mount) return;
  if (!own || codec_pose_read(mount, "", &a, &ignored) || codec_pose_read(own, "", &b, &ignored)) {
    import_set(holder, "pose", json_deep_copy(mount), &j->failed);
    return;
  }
  double q[4];
  td_se3_compose(&a, &b, &a);
  td_quaternion_from_rotation(a.R, q);
  json_t *pose = json_object();
  import_set(pose, "translation", import_vector(a.p, 3, &j->failed), &j->failed);
  import_set(pose, "quaternion", import_vector(q, 4, &j->failed), &j->failed);
  import_set(holder, "pose", pose, &j->failed);
}

// `holder` names its link by `key`: in the world (or nothing said), it is at the parent now.
static void hang(joining *j, json_t *holder, const char *key) {
  const char *link = json_string_value(json_object_get(holder, key));
  if (!holder || (link && strcmp(link, WORLD) != 0)) return;
  import_set(holder, key, json_string(j->one->parent), &j->failed);
  json_object_del(holder, "at"); // of the world it had none
  if (j->one->at) import_set(holder, "at", json_deep_copy(j->one->at), &j->failed);
  move(j, holder);
}

static void hang_all(joining *j) {
  static const struct {
    const char *list, *key; // key NULL: the entries themselves
    const char *link;
  } rows[] = {{"links", NULL, "parent"},
              {"loops", "a", "link"},
              {"loops", "b", "link"},
              {"springs", "a", "link"},
              {"springs", "b", "link"}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    const json_t *list = json_object_get(j->copy, rows[r].list);
    for (size_t i = 0; i < json_array_size(list); i++) {
      json_t *entry = json_array_get(list, i);
      hang(j, rows[r].key ? json_object_get(entry, rows[r].key) : entry, rows[r].link);
    }
  }
}

// ------------------------------------------------------------------------------------------------ the whole

static bool zero_vector(const json_t *v) {
  for (size_t i = 0; i < json_array_size(v); i++)
    if (json_number_value(json_array_get(v, i)) != 0) return false;
  return true;
}

static bool same_numbers(const json_t *a, const json_t *b) {
  for (size_t i = 0; i < json_array_size(a); i++)
    if (json_number_value(json_array_get(a, i)) != json_number_value(json_array_get(b, i))) return false;
  return true;
}

static td_status check_world(joining *j) {
  const json_t *own = json_object_get(j->document, "gravity"), *other = json_object_get(j->copy, "gravity");
  const json_t *fluid = json_object_get(j->copy, "fluid");
  bool same = !other || (own ? same_numbers(own, other) : zero_vector(other)); // what says nothing of it takes any
  if (!same)
    remark_add(j->remarks, "is left out: gravity is that of the robot it is attached to", 0, "%s/model/gravity",
               j->pointer);
  if (json_object_get(j->copy, "contacts"))
    remark_add(j->remarks,
               "stay where they are in the world, and touch every rod of both robots unless they name links", 0,
               "%s/model/contacts", j->pointer);
  if (json_object_get(j->copy, "description"))
    remark_add(j->remarks, "is left out: a model has one description", 0, "%s/model/description", j->pointer);
  if (!fluid || (json_object_get(j->document, "fluid") && json_equal(fluid, json_object_get(j->document, "fluid"))))
    return TD_OK;
  return fail(j, "/model/fluid", "%s",
              "it is not the fluid of the robot it is attached to; write one into that, or none");
}

static const char *link_name(const void *context, size_t i) {
  return json_string_value(json_object_get(json_array_get(context, i), "name"));
}

// The first names, as far as they are few.
static void list_links(const json_t *links, char *text, size_t size) {
  enum { SHOWN = 12 };
  size_t used = 0, count = json_array_size(links);
  for (size_t i = 0; i < count && i <= SHOWN && used + TD_MAX_NAME + 8 < size; i++) {
    const char *name = i < SHOWN ? link_name(links, i) : "…";
    used += (size_t)snprintf(text + used, size - used, "%s%.63s", i ? ", " : "", name ? name : "");
  }
}

// Descriptions name a joint beside the link that it moves; inputs are called as their joints.
static const char *link_of_joint(const json_t *document, const char *name) {
  const json_t *all = json_object_get(document, "actuators");
  for (size_t i = 0; i < json_array_size(all); i++) {
    const json_t *one = json_array_get(all, i);
    const char *own = json_string_value(json_object_get(one, "name")),
               *link = json_string_value(json_object_get(one, "link"));
    if (own && link && strcmp(own, name) == 0) return link;
  }
  return NULL;
}

static td_status check_parent(joining *j) {
  const char *parent = j->one->parent;
  const json_t *links = json_object_get(j->document, "links");
  char text[TD_MESSAGE_SIZE], hint[160], names[240] = "";
  if (strcmp(parent, WORLD) == 0 || has_name(j->document, "links", "name", parent)) return TD_OK;
  const char *moved = link_of_joint(j->document, parent);
  if (moved)
    snprintf(hint, sizeof hint, "the joint of that name moves the link \"%.63s\"; ", moved);
  else
    codec_hint(parent, link_name, links, json_array_size(links), hint, sizeof hint);
  list_links(links, names, sizeof names);
  snprintf(text, sizeof text, "there is no link \"%.63s\"; %sthe links are %s", parent, hint, names);
  return fail(j, "/parent", "%s", text);
}

static void join(joining *j) {
  for (int i = 0; i < ATTACH_LISTS; i++) {
    const char *key = codec_attach_list(i);
    json_t *from = json_object_get(j->copy, key), *to = json_object_get(j->document, key);
    if (!from) continue;
    if (!to)
      import_set(j->document, key, json_incref(from), &j->failed);
    else if (json_array_extend(to, from))
      j->failed = true;
  }
}

td_status codec_attach(json_t *document, const attachment *one, const char *pointer, remark_list *remarks,
                       td_error *err) {
  joining j = {.document = document,
               .copy = json_deep_copy(one->model),
               .one = one,
               .pointer = pointer,
               .remarks = remarks,
               .err = err};
  td_status status = j.copy ? check_parent(&j) : TD_NO_MEMORY;
  if (!status) status = check_world(&j);
  if (!status) status = rename_all(&j);
  if (!status) status = check_clashes(&j);
  if (!status) hang_all(&j), join(&j);
  json_decref(j.copy);
  if (j.failed || status == TD_NO_MEMORY) return td_fail(err, TD_NO_MEMORY, pointer, "no memory for the model");
  return status;
}
