// <composite type="cable"> of MJCF as one rod.
//
// MuJoCo's cable is a chain of bodies on ball joints, with the stiffness of its plugin: E I in bending, G J in torsion,
// I and J of the section of its geom. So it neither stretches nor shears: the rod has torsion and bending alone. A
// damper d at each joint, one every ds, is d ds for a curvature.
#include "codec/import/mjcf/parts.h"
#include "tendril/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BENDING_ORDER = 4, TORSION_ORDER = 2, MOST_VERTICES = 1000 };
static const double PI = 3.14159265358979323846;
static const char BECOMES[] =
    "becomes one rod, bent and twisted by Legendre polynomials of order 4 and 2, without stretch and "
    "shear as in MJCF; its bodies and sites (B_first, S_last, …) have no names of their own";

typedef struct cable {
  double way[3], length; ///< from end to end, in the frame of the composite
  double bodies;
  double young, shear;
  double size[3];
  bool flat;
  double density, damping;
} cable;

// ------------------------------------------------------------------------------------------------ course

static td_status read_vertices(const mjcf *m, xml_element *e, const char *text, cable *c) {
  double *x = arena_array(m->r->memory, 3 * MOST_VERTICES, sizeof *x), far = 0;
  size_t count = 0;
  if (!x) return td_fail(m->r->err, TD_NO_MEMORY, m->r->pointer, "no memory for the vertices");
  td_status status = import_numbers_of(m->r, e, "vertex", text, 6, 3 * MOST_VERTICES, x, &count);
  if (!status && count % 3) status = import_fail(m->r, e, "vertex has %zu numbers, no multiple of 3", count);
  if (status) return status;
  size_t last = count / 3 - 1;
  for (size_t k = 0; k < 3; k++) c->way[k] = x[3 * last + k] - x[k];
  c->length = sqrt(c->way[0] * c->way[0] + c->way[1] * c->way[1] + c->way[2] * c->way[2]);
  for (size_t i = 1; i < last && c->length > 0; i++)
    for (size_t k = 0; k < 3; k++) {
      size_t l = (k + 1) % 3, o = (k + 2) % 3;
      double cross = c->way[l] * (x[3 * i + o] - x[o]) - c->way[o] * (x[3 * i + l] - x[l]);
      far = fmax(far, fabs(cross) / c->length);
    }
  if (!(far <= 1e-6 * c->length)) return import_fail(m->r, e, "it is bent at rest; only straight cables are read");
  c->bodies = (double)last;
  return TD_OK;
}

// "s 0 0", or "s": along x.
static td_status read_curve(const mjcf *m, xml_element *e, cable *c) {
  const char *p = xml_attribute_of(e, "curve"), *text = p ? p : "";
  double size[3] = {1, 1, 1}, count[3] = {0};
  td_status status = TD_OK;
  for (int k = 0; k < 3 && !status; k++) {
    p = text + strspn(text, " \t\r\n");
    size_t length = strcspn(p, " \t\r\n");
    bool line = length == 1 && *p == 's', none = length == 0 || (length == 1 && *p == '0');
    if (!line && !none) return import_fail(m->r, e, "curve: only straight cables are read, of \"s\" and \"0\"");
    c->way[k] = line ? 1 : 0;
    text = p + length;
  }
  const char *counts = xml_attribute_of(e, "count"), *sizes = xml_attribute_of(e, "size");
  if (counts) status = import_numbers_of(m->r, e, "count", counts, 1, 3, count, NULL);
  if (!status && sizes) status = import_numbers_of(m->r, e, "size", sizes, 1, 3, size, NULL);
  if (!status && !(count[0] >= 2)) status = import_fail(m->r, e, "its count %g is less than 2 vertices", count[0]);
  for (int k = 0; k < 3; k++) c->way[k] *= size[0];
  c->length = sqrt(c->way[0] * c->way[0] + c->way[1] * c->way[1] + c->way[2] * c->way[2]);
  c->bodies = count[0] - 1;
  return status;
}

// ------------------------------------------------------------------------------------------------ parts

static td_status read_plugin(const mjcf *m, xml_element *e, cable *c) {
  xml_element *plugin;
  td_status status = import_need(m->r, e, "plugin", &plugin);
  if (status) return status;
  const char *kind = xml_attribute_of(plugin, "plugin");
  if (!kind || strcmp(kind, "mujoco.elasticity.cable") != 0)
    return import_fail(m->r, plugin, "a cable is stiff by the plugin \"mujoco.elasticity.cable\" alone");
  for (xml_element *one = xml_child(plugin, "config"); one && !status; one = xml_sibling(one)) {
    const char *key = xml_attribute_of(one, "key");
    bool bend = key && strcmp(key, "bend") == 0, twist = key && strcmp(key, "twist") == 0;
    if (bend || twist)
      status = import_numbers(m->r, one, "value", true, 1, bend ? &c->young : &c->shear);
    else
      one->read = false;
  }
  if (!status && !(c->young > 0 && c->shear > 0))
    status = import_fail(m->r, plugin, "bend %g and twist %g have to be more than 0, Pa", c->young, c->shear);
  return status;
}

static td_status read_section(const mjcf *m, xml_element *e, cable *c) {
  xml_element *geom;
  const char *type;
  double mass = 0;
  size_t count, massive;
  td_status status = import_need(m->r, e, "geom", &geom);
  if (!status) status = mjcf_attribute(m, geom, "type", &type);
  if (status) return status;
  c->flat = type && strcmp(type, "box") == 0;
  if (!c->flat && type && strcmp(type, "capsule") != 0 && strcmp(type, "cylinder") != 0)
    return import_fail(m->r, geom, "type=\"%.40s\" is none of capsule, cylinder, box", type);
  status = mjcf_numbers(m, geom, "size", 1, 3, c->size, &count);
  if (!status && count < (c->flat ? 3 : 1)) status = import_fail(m->r, geom, "its size has %zu numbers", count);
  if (!status) status = mjcf_numbers(m, geom, "density", 1, 1, &c->density, NULL);
  if (!status) status = mjcf_numbers(m, geom, "mass", 1, 1, &mass, &massive);
  double area = c->flat ? 4 * c->size[1] * c->size[2] : PI * c->size[0] * c->size[0];
  if (!status && !(area > 0)) status = import_fail(m->r, geom, "its section has no area");
  if (!status && massive) c->density = mass * c->bodies / (area * c->length);
  return status;
}

static td_status read_damper(const mjcf *m, xml_element *e, cable *c) {
  xml_element *joint;
  td_status status = import_one(m->r, e, "joint", &joint);
  if (status || !joint) return status;
  xml_attribute_of(joint, "kind");
  status = mjcf_numbers(m, joint, "damping", 1, 1, &c->damping, NULL);
  if (!status && c->damping < 0) status = import_fail(m->r, joint, "damping=\"%g\" is negative", c->damping);
  return status;
}

// ------------------------------------------------------------------------------------------------ rod

static json_t *section_of(mjcf *m, const cable *c) {
  json_t *section = json_object();
  double d = c->damping * c->length / c->bodies;
  import_set(section, "shape", json_string(c->flat ? "rectangle" : "circle"), &m->failed);
  if (c->flat) {
    double y = 2 * c->size[1], z = 2 * c->size[2], a = fmax(y, z) / 2, b = fmin(y, z) / 2;
    import_set(section, "height", json_real(y), &m->failed);
    import_set(section, "width", json_real(z), &m->failed);
    double J = a * b * b * b * (16. / 3 - 3.36 * b / a * (1 - b * b * b * b / (12 * a * a * a * a)));
    import_set(section, "torsion_constant", json_real(J), &m->failed);
  } else {
    import_set(section, "radius", json_real(c->size[0]), &m->failed);
  }
  if (d > 0) import_set(section, "damping", json_pack("[fffiii]", d, d, d, 0, 0, 0), &m->failed);
  return section;
}

static json_t *body_of(mjcf *m, const cable *c) {
  json_t *body = json_object();
  import_set(body, "type", json_string("rod"), &m->failed);
  import_set(body, "length", json_real(c->length), &m->failed);
  import_set(body, "section", section_of(m, c), &m->failed);
  import_set(body, "material",
             json_pack("{s:f, s:f, s:f}", "young", c->young, "shear", c->shear, "density", c->density), &m->failed);
  import_set(body, "strain",
             json_pack("{s:s, s:{s:i, s:i, s:i}}", "basis", "legendre", "order", "torsion", (int)TORSION_ORDER,
                       "bending_y", (int)BENDING_ORDER, "bending_z", (int)BENDING_ORDER),
             &m->failed);
  return body;
}

// The rod's x points along the cable.
static json_t *pose_of(mjcf *m, xml_element *e, const cable *c, td_status *status) {
  mjcf_place place;
  double R[9], q[4], way[3];
  static const double none[3];
  *status = mjcf_place_of(m, e, &place);
  const char *offset = xml_attribute_of(e, "offset");
  if (!*status && offset) *status = import_numbers_of(m->r, e, "offset", offset, 3, 3, place.xyz, NULL);
  mjcf_rotation(place.quaternion, R);
  for (int i = 0; i < 3; i++)
    way[i] = (R[3 * i] * c->way[0] + R[3 * i + 1] * c->way[1] + R[3 * i + 2] * c->way[2]) / c->length;
  // the least turn of x into the way
  double s = hypot(way[1], way[2]), angle = atan2(s, way[0]);
  q[0] = cos(angle / 2), q[1] = 0;
  q[2] = s > 0 ? -way[2] / s * sin(angle / 2) : 0;
  q[3] = s > 0 ? way[1] / s * sin(angle / 2) : sin(angle / 2);
  return import_pose(place.xyz, none, q, &m->failed);
}

static td_status joint_of(mjcf *m, xml_element *e, json_t **joint) {
  static const struct {
    const char *word, *tendril;
  } words[] = {{"ball", "spherical"}, {"free", "free"}, {"none", "fixed"}};
  const char *text = xml_attribute_of(e, "initial");
  for (size_t i = 0; i < 3; i++)
    if (strcmp(text ? text : "ball", words[i].word) == 0) {
      *joint = json_object();
      import_set(*joint, "type", json_string(words[i].tendril), &m->failed);
      return TD_OK;
    }
  return import_fail(m->r, e, "initial=\"%.40s\" is none of ball, free, none", text);
}

td_status mjcf_add_cable(mjcf *m, xml_element *e, const mjcf_body *parent) {
  cable c = {.density = 1000};
  json_t *joint = NULL;
  const char *type = xml_attribute_of(e, "type"), *vertices = xml_attribute_of(e, "vertex"),
             *prefix = xml_attribute_of(e, "prefix");
  if (!type || strcmp(type, "cable") != 0)
    return import_fail(m->r, e, "type=\"%.40s\": only cables are read, as rods", type ? type : "");
  if (prefix && (!*prefix || strlen(prefix) > TD_MAX_NAME))
    return import_fail(m->r, e, "its prefix is no name of a link");
  td_status status = vertices ? read_vertices(m, e, vertices, &c) : read_curve(m, e, &c);
  if (!status && !(c.length > 0)) status = import_fail(m->r, e, "it has no length");
  if (!status) status = read_plugin(m, e, &c);
  if (!status) status = read_section(m, e, &c);
  if (!status) status = read_damper(m, e, &c);
  if (status) return status;
  json_t *pose = pose_of(m, e, &c, &status);
  if (!status) status = joint_of(m, e, &joint);
  if (status) return json_decref(pose), status;
  json_t *link =
      mjcf_add_link(m, prefix ? prefix : "cable", parent ? parent->name : NULL, pose, joint, e->line, e->line);
  import_set(link, "body", body_of(m, &c), &m->failed);
  remark_add(m->r->remarks, BECOMES, e->line, "composite \"%s\", %g m", prefix ? prefix : "cable", c.length);
  return TD_OK;
}
