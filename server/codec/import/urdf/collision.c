// <collision> of a link with mass: the `collision` of its body. A body has one. Balls, capsules, cylinders and boxes
// are what they are, a mesh is the hull of its corners.
#include "codec/import/urdf/parts.h"

#include <string.h>

enum { CORNERS = 256 };

#define WHERE                                                                                                          \
  "it touches where `contacts` name the link: \"ground\": true is a floor that does, others are "                      \
  "{\"type\": \"plane\", \"stiffness\": 2e5, \"links\": [LINK]}"
static const char TAKEN[] = "becomes the `collision` of its body; " WHERE;
static const char HULL[] = "becomes the `collision` of its body, the hull of its mesh; " WHERE;
static const char UNREAD[] = "is left out: its mesh cannot be read (STL or OBJ that came along can); give the body a "
                             "`collision`";

static const char *const TOLD[VIEW_KINDS] = {TAKEN, TAKEN, TAKEN, TAKEN, HULL};

// Corners of a mesh are few: contacts look at each.
static td_status read_shape(const import_reader *r, xml_element *collision, view_shape *s) {
  remark_list unsaid = {.memory = r->memory};
  import_reader few = *r;
  few.mesh_points = CORNERS;
  few.remarks = &unsaid; // of the mesh as it is drawn
  return urdf_read_geometry(&few, collision, s);
}

// Others stay unread, and are told as left out.
static xml_element *only_collision(xml_element *e) {
  size_t count = 0;
  for (const xml_element *child = e->first; child; child = child->next) count += strcmp(child->name, "collision") == 0;
  return count == 1 ? xml_child(e, "collision") : NULL;
}

td_status urdf_read_collision(const import_reader *r, xml_element *e, urdf_link *link) {
  xml_element *collision = link->heavy ? only_collision(e) : NULL;
  if (!collision) return TD_OK;
  char whose[REMARK_TEXT_SIZE];
  urdf_origin origin;
  view_shape *s = arena_array(r->memory, 1, sizeof *s);
  if (!s) return td_fail(r->err, TD_NO_MEMORY, r->pointer, "no memory for what touches");
  xml_attribute_of(collision, "name");
  td_status status = urdf_origin_of(r, collision, &origin);
  memcpy(s->xyz, origin.xyz, sizeof s->xyz);
  memcpy(s->rpy, origin.rpy, sizeof s->rpy);
  if (!status) status = read_shape(r, collision, s);
  if (status) return status;
  bool read = s->kind != VIEW_MESH || s->mesh.point_count > 0;
  remark_add(r->remarks, read ? TOLD[s->kind] : UNREAD, collision->line, "%s", import_whose(collision, whose));
  if (read) link->touching = s;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ document

static json_t *corners(const view_shape *s, bool *failed) {
  json_t *points = json_array();
  for (size_t i = 0; i < s->mesh.point_count; i++)
    import_append(points, import_vector(s->mesh.points + 3 * i, 3, failed), failed);
  return points;
}

json_t *urdf_collision_json(const urdf_link *link, bool *failed) {
  static const char *const words[VIEW_KINDS] = {"box", "cylinder", "sphere", "capsule", "mesh"};
  const view_shape *s = link->touching;
  if (!s) return NULL;
  json_t *out = json_object(), *pose = import_pose(s->xyz, s->rpy, NULL, failed);
  import_set(out, "shape", json_string(words[s->kind]), failed);
  if (s->kind == VIEW_BOX) import_set(out, "size", import_vector(s->size, 3, failed), failed);
  bool drum = s->kind == VIEW_CYLINDER, straight = drum || s->kind == VIEW_CAPSULE;
  if (s->kind == VIEW_SPHERE || straight) import_set(out, "radius", json_real(s->radius), failed);
  if (straight) import_set(out, "length", json_real(s->length), failed);
  if (s->kind == VIEW_MESH) import_set(out, "points", corners(s, failed), failed);
  if (pose) import_set(out, "pose", pose, failed);
  return out;
}
