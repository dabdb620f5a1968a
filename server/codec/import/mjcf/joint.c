// Joints of a body of MJCF as links.
//
// A joint turns the body about a point `pos` of it, at its frame at rest; several of one body act one after another. A
// link of the model has one joint, at its own origin. So the frame of the body is
//   parent * (pos, quat) * T(p1) exp(j1) T(p2 - p1) exp(j2) … T(-pn):
// a link without mass for each joint, then the body at -pn, or the last joint's link itself where pn is 0.
#include "codec/import/mjcf/parts.h"
#include "tendril/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct joint_kind {
  const char *word, *tendril;
  bool has_axis, limited, turns;
} joint_kind;
static const joint_kind KINDS[] = {{"hinge", "revolute", true, true, true},
                                   {"slide", "prismatic", true, true, false},
                                   {"ball", "spherical", false, false, true},
                                   {"free", "free", false, false, true}};

static const double SOFT_TURN = 1e4, SOFT_SLIDE = 1e6; // as those of a URDF
static const char SOFT[] =
    "becomes a soft stop of 10000 N m/rad and 10000 N m s/rad^2 (slides: 1000000 N/m and 1000000 N s/m^2); other "
    "numbers: `limits` of the joint; none: \"stops\": \"none\"";
static const char OUT_OF_REACH[] =
    "keep the joint from 0, where runs and evaluations start unless they say otherwise; give them an "
    "`initial` (or `q`) within";
static const char SHIFTED[] = "is where the coordinate begins: q of the model is that of MJCF less `ref`";

json_t *mjcf_add_link(mjcf *m, const char *name, const char *parent, json_t *pose, json_t *joint, int joint_line,
                      int body_line) {
  json_t *link = json_object();
  import_set(link, "name", json_string(name), &m->failed);
  if (parent) import_set(link, "parent", json_string(parent), &m->failed);
  if (pose) import_set(link, "pose", pose, &m->failed);
  import_set(link, "joint", joint, &m->failed);
  if (m->lines->link_count < m->line_room) {
    m->lines->joints[m->lines->link_count] = joint_line;
    m->lines->links[m->lines->link_count++] = body_line;
  }
  import_append(m->links, link, &m->failed);
  return link;
}

static json_t *fixed(mjcf *m) {
  json_t *joint = json_object();
  import_set(joint, "type", json_string("fixed"), &m->failed);
  return joint;
}

static td_status read_kind(const mjcf *m, xml_element *e, const joint_kind **kind) {
  const char *text;
  if (strcmp(e->name, "freejoint") == 0) return *kind = &KINDS[3], TD_OK;
  td_status status = mjcf_attribute(m, e, "type", &text);
  if (status) return status;
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
    if (strcmp(text ? text : "hinge", KINDS[i].word) == 0) return *kind = &KINDS[i], TD_OK;
  return import_fail(m->r, e, "type=\"%.40s\" is none of hinge, slide, ball, free", text);
}

// ------------------------------------------------------------------------------------------------ what holds it

static td_status set_spring(mjcf *m, xml_element *e, const joint_kind *kind, double ref, json_t *joint) {
  double stiffness = 0, damping = 0, rest = 0, unit = kind->turns ? m->unit : 1;
  td_status status = mjcf_numbers(m, e, "stiffness", 1, 1, &stiffness, NULL);
  if (!status) status = mjcf_numbers(m, e, "damping", 1, 1, &damping, NULL);
  if (!status && kind->has_axis) status = mjcf_numbers(m, e, "springref", 1, 1, &rest, NULL);
  if (!status && stiffness < 0) status = import_fail(m->r, e, "stiffness=\"%g\" is negative", stiffness);
  if (!status && damping < 0) status = import_fail(m->r, e, "damping=\"%g\" is negative", damping);
  if (status) return status;
  if (stiffness > 0) import_set(joint, "stiffness", json_real(stiffness), &m->failed);
  if (stiffness > 0 && rest * unit != ref) import_set(joint, "rest", json_real(rest * unit - ref), &m->failed);
  if (damping > 0) import_set(joint, "damping", json_real(damping), &m->failed);
  return TD_OK;
}

static td_status set_limits(mjcf *m, xml_element *e, const joint_kind *kind, double ref, json_t *joint) {
  double range[2] = {0, 0}, unit = kind->turns ? m->unit : 1, stiffness = kind->turns ? SOFT_TURN : SOFT_SLIDE;
  int limited = -1;
  size_t count;
  char whose[REMARK_TEXT_SIZE];
  if (!kind->limited || m->r->stops == IMPORT_STOPS_NONE) return TD_OK;
  td_status status = mjcf_numbers(m, e, "range", 2, 2, range, &count);
  if (!status) status = mjcf_flag(m, e, "limited", &limited);
  bool has = limited == 1 || (limited < 0 && m->limits_by_range && count > 0);
  if (status || !has) return status;
  if (count == 0 || range[0] > range[1])
    return import_fail(m->r, e, "it is limited, and its range [%g, %g] is none", range[0], range[1]);
  json_t *limits = json_object();
  const double ends[2] = {range[0] * unit - ref, range[1] * unit - ref};
  import_set(limits, "lower", json_real(ends[0]), &m->failed);
  import_set(limits, "upper", json_real(ends[1]), &m->failed);
  import_set(limits, "stiffness", json_real(stiffness), &m->failed);
  import_set(limits, "damping", json_real(stiffness), &m->failed);
  import_set(joint, "limits", limits, &m->failed);
  remark_add(m->r->remarks, SOFT, e->line, "[%g, %g] of %s", ends[0], ends[1], import_whose(e, whose));
  if (ends[0] > 0 || ends[1] < 0)
    remark_add(m->r->remarks, OUT_OF_REACH, e->line, "[%g, %g] of %s", ends[0], ends[1], import_whose(e, whose));
  return TD_OK;
}

static td_status set_axis(mjcf *m, xml_element *e, json_t *joint) {
  double axis[3] = {0, 0, 1};
  td_status status = mjcf_numbers(m, e, "axis", 3, 3, axis, NULL);
  double norm = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!status && !(norm > 0 && isfinite(norm)))
    return import_fail(m->r, e, "axis=\"%g %g %g\" has no direction", axis[0], axis[1], axis[2]);
  import_set(joint, "axis", import_vector(axis, 3, &m->failed), &m->failed);
  return status;
}

static td_status read_joint(mjcf *m, xml_element *e, const joint_kind *kind, json_t *joint) {
  double ref = 0;
  char whose[REMARK_TEXT_SIZE];
  import_set(joint, "type", json_string(kind->tendril), &m->failed);
  td_status status = kind->has_axis ? set_axis(m, e, joint) : TD_OK;
  if (!status && kind->has_axis) status = mjcf_numbers(m, e, "ref", 1, 1, &ref, NULL);
  if (kind->turns) ref *= m->unit;
  if (!status && ref != 0) remark_add(m->r->remarks, SHIFTED, e->line, "ref %g of %s", ref, import_whose(e, whose));
  bool bare = strcmp(e->name, "freejoint") == 0;
  if (!status && !bare) status = set_spring(m, e, kind, ref, joint);
  return status || bare ? status : set_limits(m, e, kind, ref, joint);
}

// ------------------------------------------------------------------------------------------------ links

// Where the next frame lies, in the one that was made last.
static json_t *step(mjcf *m, const mjcf_place *place, bool first, const double at[3], const double last[3]) {
  static const double none[3];
  double way[3], R[9];
  if (!first) {
    for (int i = 0; i < 3; i++) way[i] = at[i] - last[i];
    return import_pose(way, none, NULL, &m->failed);
  }
  mjcf_rotation(place->quaternion, R);
  for (int i = 0; i < 3; i++) way[i] = place->xyz[i] + R[3 * i] * at[0] + R[3 * i + 1] * at[1] + R[3 * i + 2] * at[2];
  return import_pose(way, none, place->quaternion, &m->failed);
}

static xml_element *next_joint(xml_element *e) {
  while (e && strcmp(e->name, "joint") != 0 && strcmp(e->name, "freejoint") != 0) e = e->next;
  if (e) e->read = true;
  return e;
}

static td_status note_joint(mjcf *m, xml_element *e, const joint_kind *kind, const char *link) {
  const char *name = xml_attribute_of(e, "name");
  if (m->joint_count == m->joint_room)
    return td_fail(m->r->err, TD_LIMIT, m->r->pointer, "line %d: more than %zu joints", e->line, m->joint_room);
  m->joints[m->joint_count++] = (mjcf_joint){.name = name ? name : "", .link = link, .type = kind->word};
  return TD_OK;
}

static td_status name_of(mjcf *m, const mjcf_body *body, xml_element *e, size_t index, char **name) {
  char text[256];
  const char *own = xml_attribute_of(e, "name");
  int size = own ? snprintf(text, sizeof text, "%s.%s", body->name, own)
                 : snprintf(text, sizeof text, "%s.joint%zu", body->name, index);
  if (size < 0 || size > (int)TD_MAX_NAME)
    return import_fail(m->r, e, "\"%.100s\", its link, is a name of more than %d bytes", text, (int)TD_MAX_NAME);
  *name = arena_strdup(m->r->memory, text);
  return *name ? TD_OK : td_fail(m->r->err, TD_NO_MEMORY, m->r->pointer, "no memory for the joints");
}

// One joint: the body's own link where nothing comes behind it and it lies at the body's origin.
static td_status add_joint(mjcf *m, const mjcf_body *body, xml_element *e, json_t *pose, const char *parent, bool own,
                           size_t index, const char **made, json_t **link) {
  const joint_kind *kind = &KINDS[0];
  char *name = NULL;
  td_status status = read_kind(m, e, &kind);
  if (!status && !own) status = name_of(m, body, e, index, &name);
  if (!status) status = note_joint(m, e, kind, own ? body->name : name);
  if (status) return json_decref(pose), status;
  *made = own ? body->name : name;
  json_t *joint = json_object();
  *link = mjcf_add_link(m, *made, parent, pose, joint, e->line, own ? body->element->line : e->line);
  return read_joint(m, e, kind, joint);
}

static bool is_zero(const double x[3]) { return x[0] == 0 && x[1] == 0 && x[2] == 0; }

td_status mjcf_add_joints(mjcf *m, const mjcf_body *body, json_t **link) {
  mjcf_place place;
  double last[3] = {0}, at[3], none[3] = {0};
  const char *parent = body->parent ? body->parent->name : NULL;
  td_status status = mjcf_place_of(m, body->element, &place);
  size_t count = 0;
  *link = NULL;
  for (xml_element *e = next_joint(body->element->first); e && !status; e = next_joint(e->next)) {
    memset(at, 0, sizeof at);
    if (strcmp(e->name, "joint") == 0) status = mjcf_numbers(m, e, "pos", 3, 3, at, NULL);
    if (status) break;
    xml_element *behind = next_joint(e->next);
    bool own = !behind && is_zero(at);
    status = add_joint(m, body, e, step(m, &place, count == 0, at, last), parent, own, count, &parent, link);
    memcpy(last, at, sizeof last);
    count++;
    if (own) return status;
  }
  if (status) return status;
  *link = mjcf_add_link(m, body->name, parent, step(m, &place, count == 0, none, last), fixed(m), body->element->line,
                        body->element->line);
  return TD_OK;
}
