// Spatial tendons of MJCF: straight stretches from site to site. One that an actuator pulls becomes a tendon of the
// model, one between two sites with a stiffness or a damper a spring.
#include "codec/import/mjcf/parts.h"

#include <string.h>

static const char AROUND[] =
    "is left out, and what drives it: its way leads around a geom or over a pulley; give it by sites";
static const char MANY_SITES[] =
    "is left out: a spring of Tendril lies between two points; a tendon of more with a drive has "
    "\"mode\": \"length\"";
static const char WORLD_LINK[] = "world_sites";

static const mjcf_site *site_of(const mjcf *m, const char *name) {
  for (size_t i = 0; name && i < m->site_count; i++)
    if (strcmp(m->sites[i].name, name) == 0) return &m->sites[i];
  return NULL;
}

// The sites of a way; *count 0 and a remark: it has other things in it.
static td_status read_way(mjcf *m, xml_element *tendon, const mjcf_site **way, size_t room, size_t *count, bool told) {
  char whose[REMARK_TEXT_SIZE];
  *count = 0;
  for (xml_element *e = tendon->first; e; e = e->next) {
    if (strcmp(e->name, "site") != 0) {
      if (!told) remark_add(m->r->remarks, AROUND, e->line, "%s", import_whose(tendon, whose));
      for (xml_element *other = tendon->first; other; other = other->next) other->read = false;
      tendon->read = true, *count = 0;
      return TD_OK;
    }
    e->read = true;
    const char *name = xml_attribute_of(e, "site");
    const mjcf_site *site = site_of(m, name);
    if (!site) return import_fail(m->r, e, "site=\"%.60s\": there is no site of that name", name ? name : "");
    if (*count == room)
      return td_fail(m->r->err, TD_LIMIT, m->r->pointer, "line %d: more than %zu sites", e->line, room);
    way[(*count)++] = site;
  }
  return *count > 1 ? TD_OK : import_fail(m->r, tendon, "it has fewer than two sites");
}

// What stands in the world hangs at a link of its own, made when it is needed.
static const char *link_of(mjcf *m, const mjcf_site *site) {
  size_t i;
  const json_t *link;
  if (site->body) return site->body->name;
  json_array_foreach(m->links, i, link) {
    if (strcmp(json_string_value(json_object_get(link, "name")), WORLD_LINK) == 0) return WORLD_LINK;
  }
  json_t *joint = json_object();
  import_set(joint, "type", json_string("fixed"), &m->failed);
  mjcf_add_link(m, WORLD_LINK, NULL, NULL, joint, m->world->line, m->world->line);
  return WORLD_LINK;
}

static xml_element *find_tendon(const mjcf *m, const char *name, bool *fixed) {
  for (xml_element *list = m->root->first; list; list = list->next)
    for (xml_element *e = strcmp(list->name, "tendon") == 0 ? list->first : NULL; e; e = e->next) {
      const char *own = NULL;
      for (size_t i = 0; i < e->attribute_count; i++)
        if (strcmp(e->attributes[i].name, "name") == 0) own = e->attributes[i].value;
      if (!own || strcmp(own, name) != 0) continue;
      *fixed = strcmp(e->name, "spatial") != 0;
      if (!*fixed) list->read = e->read = true;
      return e;
    }
  return NULL;
}

td_status mjcf_segments(mjcf *m, xml_element *actuator, const char *name, json_t **segments) {
  const mjcf_site *way[256];
  size_t count;
  bool fixed = false;
  xml_element *tendon = find_tendon(m, name, &fixed);
  *segments = NULL;
  if (!tendon) return import_fail(m->r, actuator, "tendon=\"%.60s\": there is no tendon of that name", name);
  if (fixed) return TD_OK;
  xml_attribute_of(tendon, "name");
  td_status status = read_way(m, tendon, way, sizeof way / sizeof *way, &count, true);
  if (status || count == 0) return status;
  *segments = json_array();
  json_t *points = NULL;
  const mjcf_body *last = NULL;
  for (size_t i = 0; i < count; i++) {
    if (!points || way[i]->body != last) {
      json_t *one = json_object();
      points = json_array();
      import_set(one, "link", json_string(link_of(m, way[i])), &m->failed);
      import_set(one, "points", points, &m->failed);
      import_append(*segments, one, &m->failed);
    }
    import_append(points, import_vector(way[i]->xyz, 3, &m->failed), &m->failed);
    last = way[i]->body;
  }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ springs

static json_t *end_of(mjcf *m, const mjcf_site *site) {
  static const double none[3];
  json_t *end = json_object(), *pose = import_pose(site->xyz, none, NULL, &m->failed);
  import_set(end, "link", json_string(site->body ? site->body->name : "world"), &m->failed);
  if (pose) import_set(end, "pose", pose, &m->failed);
  return end;
}

static td_status add_spring(mjcf *m, xml_element *tendon, const mjcf_site *const way[2]) {
  double stiffness = 0, damping = 0, rest[2] = {-1, -1};
  size_t count;
  char whose[REMARK_TEXT_SIZE];
  td_status status = mjcf_numbers(m, tendon, "stiffness", 1, 1, &stiffness, NULL);
  if (!status) status = mjcf_numbers(m, tendon, "damping", 1, 1, &damping, NULL);
  if (!status && (stiffness < 0 || damping < 0))
    status = import_fail(m->r, tendon, "its stiffness or damping is negative");
  if (!status) status = mjcf_numbers(m, tendon, "springlength", 1, 2, rest, &count);
  if (status || (stiffness == 0 && damping == 0)) return status;
  if (count == 2 && rest[0] != rest[1]) {
    remark_add(m->r->remarks, "is left out: a spring has one length at rest, no range of them", tendon->line, "%s",
               import_whose(tendon, whose));
    return TD_OK;
  }
  json_t *spring = json_object();
  const char *name = xml_attribute_of(tendon, "name");
  if (name) import_set(spring, "name", json_string(name), &m->failed);
  import_set(spring, "a", end_of(m, way[0]), &m->failed);
  import_set(spring, "b", end_of(m, way[1]), &m->failed);
  if (stiffness > 0) import_set(spring, "stiffness", json_real(stiffness), &m->failed);
  if (damping > 0) import_set(spring, "damping", json_real(damping), &m->failed);
  if (rest[0] >= 0) import_set(spring, "rest", json_real(rest[0]), &m->failed);
  import_append(m->springs, spring, &m->failed);
  return TD_OK;
}

td_status mjcf_add_springs(mjcf *m, xml_element *list) {
  td_status status = TD_OK;
  list->read = true;
  for (xml_element *e = xml_child(list, "spatial"); e && !status; e = xml_sibling(e)) {
    const mjcf_site *way[256];
    size_t count;
    double stiffness = 0;
    char whose[REMARK_TEXT_SIZE];
    xml_attribute_of(e, "name");
    status = read_way(m, e, way, sizeof way / sizeof *way, &count, false);
    if (!status && count == 2) status = add_spring(m, e, way);
    if (!status && count > 2) status = mjcf_numbers(m, e, "stiffness", 1, 1, &stiffness, NULL);
    if (!status && stiffness > 0)
      remark_add(m->r->remarks, MANY_SITES, e->line, "stiffness of %s", import_whose(e, whose));
  }
  return status;
}
