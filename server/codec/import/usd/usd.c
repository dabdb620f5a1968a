// A scene of USD as a whole: the head of its layer, gravity, its rods in the order of the text, and what is left out.
//
// The world of the model has z up; a layer whose y is up is turned about x by a quarter.
#include "codec/import/usd/parts.h"

#include <math.h>
#include <string.h>

static const char UNITS[] = "is not said by the layer: that of USD is taken";
static const char Y_UP[] = "y is up in the layer, z in the model: what stands at (x, y, z) is at (x, -z, y)";

static td_status read_unit(usd *u, const char *name, double *unit) {
  bool there;
  usd_field *f = usd_metadata(u->root, name);
  td_status status = usd_scalar(u, u->root, f, unit, &there);
  if (!status && !(*unit > 0)) return usd_fail(u, u->root, f->line, "%s %g has to be more than 0", name, *unit);
  return status;
}

static td_status read_head(usd *u) {
  usd_field *up = usd_metadata(u->root, "upAxis");
  const char *axis = usd_text(u, up);
  if (!axis) return usd_no_memory(u);
  if (up && strcmp(axis, "Y") != 0 && strcmp(axis, "Z") != 0)
    return usd_fail(u, u->root, up->line, "upAxis \"%.40s\" is neither Y nor Z", axis);
  u->y_up = !up || *axis == 'Y';
  if (!up) remark_add(u->r->remarks, UNITS, 0, "upAxis: Y");
  if (u->y_up) remark_add(u->r->remarks, Y_UP, up ? up->line : 0, "upAxis \"Y\"");
  if (!usd_metadata(u->root, "metersPerUnit"))
    remark_add(u->r->remarks, UNITS, 0, "metersPerUnit: 0.01 (write 1 for metres)");
  usd_metadata(u->root, "defaultPrim");
  td_status status = read_unit(u, "metersPerUnit", &u->metre);
  return status ? status : read_unit(u, "kilogramsPerUnit", &u->kilogram);
}

static usd_prim *first_scene(const usd *u) {
  usd_prim *p = u->root;
  while (p && !(strcmp(p->type, "PhysicsScene") == 0 && usd_is_defined(p))) p = p->following;
  return p;
}

// A direction of 0 is down, a magnitude below 0 that of the earth.
static td_status read_gravity(const usd *u, double gravity[3]) {
  static const double one[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  usd_prim *scene = first_scene(u);
  double way[3] = {0}, size = -1, turned[3];
  bool there = false;
  td_status status = TD_OK;
  if (scene) {
    usd_field *f = usd_property(scene, "physics:gravityDirection");
    scene->read = true;
    if (f) status = usd_vector(u, scene, f, way, 3);
    if (!status) status = usd_scalar(u, scene, usd_property(scene, "physics:gravityMagnitude"), &size, &there);
  }
  if (status) return status;
  usd_place_points(u, one, way, 1, turned);
  double n = sqrt(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2]);
  double g = there && size >= 0 ? size * u->metre : 9.81;
  for (int k = 0; k < 3; k++) gravity[k] = n > 0 ? g * turned[k] / n : k == 2 ? -g : 0;
  for (int k = 0; k < 3; k++) gravity[k] += 0.; // no -0
  if (!isfinite(n) || !isfinite(g)) return usd_fail(u, scene, scene->line, "its gravity is not finite");
  if (u->choice->has_gravity) memcpy(gravity, u->choice->gravity, sizeof u->choice->gravity);
  return TD_OK;
}

static td_status read_rods(usd *u) {
  td_status status = TD_OK;
  for (usd_prim *p = u->root; p && !status; p = p->following)
    if (strcmp(p->type, "BasisCurves") == 0 && usd_has_schema(p, "CurvesDeformableSimAPI") && usd_is_defined(p))
      status = usd_add_rods(u, p);
  if (!status && u->link_count == 0)
    return usd_fail(u, u->root, 1,
                    "it has no rod: no linear BasisCurves with the PhysicsCurvesDeformableSimAPI that moves");
  return status;
}

static td_status make_room(usd *u) {
  import_lines *lines = u->lines;
  *lines = (import_lines){.joints = arena_array(u->r->memory, USD_MAX_RODS, sizeof *lines->joints),
                          .links = arena_array(u->r->memory, USD_MAX_RODS, sizeof *lines->links)};
  u->names = arena_array(u->r->memory, USD_MAX_RODS, sizeof *u->names);
  return lines->joints && lines->links && u->names ? TD_OK : usd_no_memory(u);
}

static td_status fill(usd *u, json_t *out) {
  double gravity[3];
  td_status status = make_room(u);
  if (!status) status = read_head(u);
  if (!status) status = read_gravity(u, gravity);
  if (!status) status = read_rods(u);
  if (status) return status;
  const char *name = u->choice->name ? u->choice->name : usd_text(u, usd_metadata(u->root, "defaultPrim"));
  import_set(out, "format", json_string("tendril.model/1"), &u->failed);
  import_set(out, "name", json_string(name && *name ? name : "scene"), &u->failed);
  if (u->choice->description) import_set(out, "description", json_string(u->choice->description), &u->failed);
  import_set(out, "gravity", import_vector(gravity, 3, &u->failed), &u->failed);
  import_set(out, "links", json_incref(u->links), &u->failed);
  usd_tell_left(u);
  return u->failed || u->r->remarks->failed ? usd_no_memory(u) : TD_OK;
}

td_status usd_document(const import_reader *r, const char *text, size_t size, const import_choice *choice,
                       json_t **document, import_lines *lines) {
  usd u = {.r = r, .choice = choice, .metre = 0.01, .kilogram = 1, .lines = lines};
  *document = NULL;
  td_status status = usd_parse(text, size, r->pointer, r->memory, &u.root, r->err);
  if (status) return status;
  u.links = json_array();
  *document = json_object();
  u.failed = !u.links || !*document;
  status = fill(&u, *document);
  json_decref(u.links);
  if (status == TD_OK) return TD_OK;
  json_decref(*document);
  *document = NULL;
  return status;
}
