// MJCF as a whole: its compiler's words, its bodies in the order of the text, then tendons and actuators.
//
// Elements are walked in the order of the text, in which a body stands before those that it carries.
#include "codec/import/mjcf/parts.h"
#include "tendril/spec.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ compiler

// What would change the robot, and is not read.
static td_status refuse(const mjcf *m) {
  static const struct {
    const char *name, *why;
  } rows[] = {{"include", "other files are not read"},
              {"frame", "frames around bodies are not read"},
              {"replicate", "copies are not made"},
              {"attach", "other models are not read"}};
  for (const xml_element *e = m->root; e; e = e->following)
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
      if (strcmp(e->name, rows[i].name) == 0)
        return import_fail(m->r, e,
                           "%s; let MuJoCo write the model in one piece (its compile program, or mj_saveLastXML)",
                           rows[i].why);
  return TD_OK;
}

static td_status read_word(const mjcf *m, xml_element *e, const char *name, const char *const *words, size_t count,
                           size_t *which) {
  const char *text = xml_attribute_of(e, name);
  for (size_t i = 0; text && i < count; i++)
    if (strcmp(text, words[i]) == 0) return *which = i, TD_OK;
  return text ? import_fail(m->r, e, "%s=\"%.40s\" is not read", name, text) : TD_OK;
}

static td_status read_sequence(mjcf *m, xml_element *e) {
  const char *text = xml_attribute_of(e, "eulerseq");
  if (!text) return TD_OK;
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
    return import_fail(m->r, e, "eulerseq=\"%.40s\" is not three of x, y, z, X, Y, Z", text);
  m->sequence = text;
  return TD_OK;
}

static td_status read_compiler(mjcf *m) {
  static const char *const angles[] = {"degree", "radian"}, *const places[] = {"local"},
                           *const flags[] = {"true", "false"}, *const from[] = {"auto", "true", "false"},
                           *const no[] = {"false"};
  td_status status = TD_OK;
  for (xml_element *e = xml_child(m->root, "compiler"); e && !status; e = xml_sibling(e)) {
    size_t angle = m->unit == 1, place = 0, by_range = m->limits_by_range ? 0 : 1, inertias = m->inertias, shell = 0;
    status = read_word(m, e, "angle", angles, 2, &angle);
    if (!status) status = read_word(m, e, "coordinate", places, 1, &place);
    if (!status) status = read_word(m, e, "autolimits", flags, 2, &by_range);
    if (!status) status = read_word(m, e, "inertiafromgeom", from, 3, &inertias);
    if (!status) status = read_word(m, e, "settotalmass", no, 0, &shell);
    if (!status) status = read_sequence(m, e);
    m->unit = angle ? 1 : 3.14159265358979323846 / 180;
    m->limits_by_range = by_range == 0;
    m->inertias = (mjcf_inertias)inertias;
  }
  return status;
}

static td_status read_gravity(const mjcf *m, double gravity[3]) {
  td_status status = TD_OK;
  memcpy(gravity, m->choice->gravity, sizeof m->choice->gravity);
  for (xml_element *e = xml_child(m->root, "option"); e && !status; e = xml_sibling(e)) {
    double own[3] = {0, 0, -9.81};
    status = import_numbers(m->r, e, "gravity", false, 3, own);
    if (!m->choice->has_gravity) memcpy(gravity, own, sizeof own);
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ bodies

static const mjcf_body *body_at(const mjcf *m, const xml_element *e) {
  for (size_t i = m->body_count; i > 0; i--)
    if (m->bodies[i - 1].element == e) return &m->bodies[i - 1];
  return NULL;
}

static td_status name_body(mjcf *m, xml_element *e, const char **name) {
  char text[32];
  *name = xml_attribute_of(e, "name");
  snprintf(text, sizeof text, "body%zu", m->body_count + 1);
  if (!*name) *name = arena_strdup(m->r->memory, text);
  if (!*name) return td_fail(m->r->err, TD_NO_MEMORY, m->r->pointer, "no memory for the bodies");
  if (!**name || strlen(*name) > TD_MAX_NAME)
    return import_fail(m->r, e, "its name has %zu bytes, not 1 to %d", strlen(*name), (int)TD_MAX_NAME);
  for (size_t i = 0; i < m->body_count; i++)
    if (strcmp(m->bodies[i].name, *name) == 0)
      return import_fail(m->r, e, "a body of line %d has that name already", m->bodies[i].element->line);
  return TD_OK;
}

static td_status read_sites(mjcf *m, xml_element *around, const mjcf_body *body) {
  td_status status = TD_OK;
  for (xml_element *e = xml_child(around, "site"); e && !status; e = xml_sibling(e)) {
    mjcf_place place;
    const char *name = xml_attribute_of(e, "name");
    status = mjcf_place_of(m, e, &place);
    if (status || !name) continue;
    if (m->site_count == MJCF_MAX_SITES)
      return td_fail(m->r->err, TD_LIMIT, m->r->pointer, "line %d: more than %d sites", e->line, (int)MJCF_MAX_SITES);
    mjcf_site *site = &m->sites[m->site_count++];
    *site = (mjcf_site){.name = name, .body = body};
    memcpy(site->xyz, place.xyz, sizeof site->xyz);
  }
  return status;
}

// What geoms of one body are drawn as; used again for the next.
static td_status read_body(mjcf *m, xml_element *e, view_shape *views) {
  mjcf_weight weight;
  size_t seen;
  json_t *link = NULL, *body = NULL;
  const char *name;
  td_status status = name_body(m, e, &name);
  if (!status && m->body_count == m->body_room)
    return td_fail(m->r->err, TD_LIMIT, m->r->pointer, "line %d: more than %zu bodies", e->line, m->body_room);
  if (status) return status;
  xml_attribute_of(e, "childclass");
  mjcf_body *one = &m->bodies[m->body_count];
  *one = (mjcf_body){.name = name, .element = e, .parent = body_at(m, e->parent)};
  m->body_count++;
  status = mjcf_add_joints(m, one, &link);
  if (!status) status = mjcf_read_geoms(m, e, views, &seen, &weight);
  if (!status) status = mjcf_read_inertia(m, e, &weight, &body);
  if (!status && body) import_set(link, "body", body, &m->failed);
  if (!status) view_set(link, views, seen, &m->failed);
  return status ? status : read_sites(m, e, one);
}

static td_status read_bodies(mjcf *m) {
  view_shape *views = arena_array(m->r->memory, VIEW_MOST, sizeof *views);
  if (!views) return td_fail(m->r->err, TD_NO_MEMORY, m->r->pointer, "no memory for the bodies");
  td_status status = read_sites(m, m->world, NULL);
  for (xml_element *e = m->world->first; e && !status; e = e->following) {
    if (!e->parent->read) continue;
    bool within = e->parent == m->world || body_at(m, e->parent);
    if (within && strcmp(e->name, "body") == 0) e->read = true, status = read_body(m, e, views);
    if (within && strcmp(e->name, "composite") == 0)
      e->read = true, status = mjcf_add_cable(m, e, body_at(m, e->parent));
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ the whole

static td_status make_room(mjcf *m, import_lines *lines) {
  arena *a = m->r->memory;
  m->body_room = m->joint_room = TD_MAX_LINKS;
  m->line_room = 2 * TD_MAX_LINKS;
  m->bodies = arena_array(a, m->body_room, sizeof *m->bodies);
  m->joints = arena_array(a, m->joint_room, sizeof *m->joints);
  m->sites = arena_array(a, MJCF_MAX_SITES, sizeof *m->sites);
  *lines = (import_lines){.joints = arena_array(a, m->line_room, sizeof(int)),
                          .links = arena_array(a, m->line_room, sizeof(int)),
                          .actuators = arena_array(a, m->line_room, sizeof(int))};
  bool good = m->bodies && m->joints && m->sites && lines->joints && lines->links && lines->actuators;
  return good ? TD_OK : td_fail(m->r->err, TD_NO_MEMORY, m->r->pointer, "no memory for the robot");
}

static td_status read_lists(mjcf *m) {
  td_status status = TD_OK;
  for (xml_element *e = m->root->first; e && !status; e = e->next) {
    if (strcmp(e->name, "tendon") == 0) status = mjcf_add_springs(m, e);
    if (!status && strcmp(e->name, "actuator") == 0) status = mjcf_add_actuators(m, e);
  }
  return status;
}

static void put(mjcf *m, json_t *out, const char *key, json_t *list) {
  if (json_array_size(list) > 0) import_set(out, key, json_incref(list), &m->failed);
}

static td_status fill(mjcf *m, json_t *out) {
  double gravity[3];
  const char *name = xml_attribute_of(m->root, "model");
  td_status status = refuse(m);
  if (!status) status = read_compiler(m);
  if (!status) status = mjcf_read_defaults(m);
  if (!status) status = read_gravity(m, gravity);
  if (!status) status = import_need(m->r, m->root, "worldbody", &m->world);
  if (!status) status = read_bodies(m);
  if (!status) status = read_lists(m);
  if (status) return status;
  import_set(out, "format", json_string("tendril.model/1"), &m->failed);
  import_set(out, "name", json_string(m->choice->name ? m->choice->name : name && *name ? name : "robot"), &m->failed);
  if (m->choice->description) import_set(out, "description", json_string(m->choice->description), &m->failed);
  import_set(out, "gravity", import_vector(gravity, 3, &m->failed), &m->failed);
  import_set(out, "links", json_incref(m->links), &m->failed);
  put(m, out, "actuators", m->actuators);
  put(m, out, "springs", m->springs);
  mjcf_tell_left(m);
  if (m->failed || m->r->remarks->failed)
    return td_fail(m->r->err, TD_NO_MEMORY, m->r->pointer, "no memory for the document");
  return json_array_size(m->links) > 0 ? TD_OK : import_fail(m->r, m->world, "it has no body");
}

td_status mjcf_document(const import_reader *r, xml_element *root, const import_choice *choice, json_t **document,
                        import_lines *lines) {
  mjcf m = {.r = r,
            .choice = choice,
            .root = root,
            .unit = 3.14159265358979323846 / 180,
            .sequence = "xyz",
            .limits_by_range = true,
            .lines = lines};
  td_status status = make_room(&m, lines);
  m.links = json_array(), m.actuators = json_array(), m.springs = json_array();
  *document = json_object();
  m.failed = !m.links || !m.actuators || !m.springs || !*document;
  if (!status) status = fill(&m, *document);
  json_decref(m.links);
  json_decref(m.actuators);
  json_decref(m.springs);
  if (status == TD_OK) return TD_OK;
  json_decref(*document);
  *document = NULL;
  return status;
}
