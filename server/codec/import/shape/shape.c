// Shapes as JSON, and meshes that files have with what is to be said of them.
#include "codec/import/shape/shape.h"

static const char *const WORDS[VIEW_KINDS] = {"box", "cylinder", "sphere", "capsule", "mesh"};

static bool is_zero(const double *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (x[i] != 0) return false;
  return true;
}

json_t *import_pose(const double xyz[3], const double rpy[3], const double quaternion[4], bool *failed) {
  bool turned = quaternion && !is_zero(quaternion, 4) && !is_zero(quaternion + 1, 3);
  bool rolled = !turned && rpy && !is_zero(rpy, 3);
  if (is_zero(xyz, 3) && !turned && !rolled) return NULL;
  json_t *pose = json_object();
  if (!is_zero(xyz, 3)) import_set(pose, "translation", import_vector(xyz, 3, failed), failed);
  if (turned) import_set(pose, "quaternion", import_vector(quaternion, 4, failed), failed);
  if (rolled) import_set(pose, "rpy", import_vector(rpy, 3, failed), failed);
  return pose;
}

static void set_mesh(json_t *out, const view_mesh *mesh, bool *failed) {
  json_t *points = json_array(), *triangles = json_array();
  for (size_t i = 0; i < mesh->point_count; i++)
    import_append(points, import_vector(mesh->points + 3 * i, 3, failed), failed);
  for (size_t i = 0; i < mesh->triangle_count; i++) {
    const int *t = mesh->triangles + 3 * i;
    import_append(triangles, json_pack("[iii]", t[0], t[1], t[2]), failed);
  }
  import_set(out, "points", points, failed);
  import_set(out, "triangles", triangles, failed);
}

static json_t *shape_json(const view_shape *s, bool *failed) {
  json_t *out = json_object(), *pose = import_pose(s->xyz, s->rpy, s->quaternion, failed);
  import_set(out, "type", json_string(WORDS[s->kind]), failed);
  if (pose) import_set(out, "pose", pose, failed);
  if (s->coloured) import_set(out, "colour", import_vector(s->colour, s->colour[3] == 1 ? 3 : 4, failed), failed);
  if (s->kind == VIEW_BOX) import_set(out, "size", import_vector(s->size, 3, failed), failed);
  if (s->kind == VIEW_CYLINDER || s->kind == VIEW_SPHERE || s->kind == VIEW_CAPSULE)
    import_set(out, "radius", json_real(s->radius), failed);
  if (s->kind == VIEW_CYLINDER || s->kind == VIEW_CAPSULE) import_set(out, "length", json_real(s->length), failed);
  if (s->kind == VIEW_MESH) set_mesh(out, &s->mesh, failed);
  return out;
}

void view_set(json_t *link, const view_shape *shapes, size_t count, bool *failed) {
  if (count == 0) return;
  json_t *view = json_array();
  for (size_t i = 0; i < count; i++) import_append(view, shape_json(&shapes[i], failed), failed);
  import_set(link, "view", view, failed);
}

static const char ABSENT[] =
    "is not drawn: its file did not come along; `tendril import` and Python send the STL and OBJ files "
    "that they find beside the description (`meshes` of the request)";
static const char UNKNOWN[] = "is not drawn: meshes are read from STL and OBJ; convert it (Blender, assimp, MeshLab)";
static const char WRONG[] = "is not drawn";
static const char THINNED[] = "is drawn with fewer corners";

td_status import_mesh(const import_reader *r, const xml_element *e, const char *name, const double scale[3],
                      view_mesh *out) {
  view_mesh whole;
  const char *why;
  mesh_outcome outcome = mesh_read(r->files, name, scale, r->memory, &whole, &why);
  *out = (view_mesh){.points = NULL};
  switch (outcome) {
  case MESH_ABSENT:
  case MESH_UNKNOWN:
    remark_add(r->remarks, outcome == MESH_ABSENT ? ABSENT : UNKNOWN, e->line, "mesh \"%s\"", name);
    return TD_OK;
  case MESH_WRONG:
    remark_add(r->remarks, WRONG, e->line, "mesh \"%s\", which %s", name, why);
    return TD_OK;
  case MESH_READ:
    if (!mesh_thin(&whole, r->mesh_points, r->memory, out)) break;
    if (out->triangle_count < whole.triangle_count)
      remark_add(r->remarks, THINNED, e->line, "mesh \"%s\": %zu triangles of %zu", name, out->triangle_count,
                 whole.triangle_count);
    return TD_OK;
  case MESH_NO_MEMORY:
    break;
  }
  return td_fail(r->err, TD_NO_MEMORY, r->pointer, "no memory for mesh \"%.60s\"", name);
}
