// Geoms: solids of one density or mass, which give a body without <inertial> its own, and what is drawn of it.
//
// Sizes of MJCF are half lengths; a capsule's is that of its cylinder. `fromto` says the axis from end to end instead.
// Moments about the centre (mass of the cylinder c and of the two half balls s, radius r, length L, of the whole m):
//   capsule   Izz = c r^2/2 + 2 s r^2/5,  Ixx = c (3 r^2 + L^2)/12 + s (2 r^2/5 + L^2/4 + 3 L r/8)
//   ellipsoid Ixx = m (b^2 + c^2)/5
#include "codec/import/mjcf/parts.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
enum { VISIBLE_GROUPS = 3 }; // as MuJoCo's viewers show

typedef enum geom_kind { SPHERE, CAPSULE, CYLINDER, BOX, ELLIPSOID, MESH, NOTHING, GEOM_KINDS } geom_kind;

typedef struct geom {
  xml_element *element;
  geom_kind kind;
  double size[3];
  mjcf_place place;
} geom;

static td_status read_kind(const mjcf *m, geom *g) {
  static const struct {
    const char *word;
    geom_kind kind;
  } words[] = {{"sphere", SPHERE},       {"capsule", CAPSULE}, {"cylinder", CYLINDER}, {"box", BOX},
               {"ellipsoid", ELLIPSOID}, {"mesh", MESH},       {"plane", NOTHING},     {"hfield", NOTHING}};
  const char *text;
  td_status status = mjcf_attribute(m, g->element, "type", &text);
  if (status) return status;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(text ? text : "sphere", words[i].word) == 0) return g->kind = words[i].kind, TD_OK;
  return import_fail(m->r, g->element,
                     "type=\"%.40s\" is none of sphere, capsule, cylinder, box, ellipsoid, mesh, plane", text);
}

// The middle of the way, its half length as the size along z.
static td_status read_ends(const mjcf *m, geom *g, const double ends[6]) {
  double way[3], length = 0;
  for (int i = 0; i < 3; i++) {
    way[i] = ends[3 + i] - ends[i];
    g->place.xyz[i] = 0.5 * (ends[i] + ends[3 + i]);
    length += way[i] * way[i];
  }
  length = sqrt(length);
  if (!(length > 0)) return import_fail(m->r, g->element, "fromto leads from a point to the same");
  for (int i = 0; i < 3; i++) way[i] /= length;
  mjcf_quaternion_to(way, g->place.quaternion);
  g->size[g->kind == BOX || g->kind == ELLIPSOID ? 2 : 1] = 0.5 * length;
  if (g->kind == BOX || g->kind == ELLIPSOID) g->size[1] = g->size[0];
  return TD_OK;
}

static td_status read_size(const mjcf *m, geom *g) {
  static const size_t needed[GEOM_KINDS] = {1, 2, 2, 3, 3, 0, 0};
  double ends[6];
  size_t count = 0, ended = 0;
  if (g->kind == MESH || g->kind == NOTHING) return TD_OK;
  td_status status = mjcf_numbers(m, g->element, "size", 1, 3, g->size, &count);
  if (!status && g->kind != SPHERE) status = mjcf_numbers(m, g->element, "fromto", 6, 6, ends, &ended);
  if (!status && count < (ended ? 1 : needed[g->kind]))
    status = import_fail(m->r, g->element, "its size has %zu numbers, %zu are needed", count, needed[g->kind]);
  if (!status && ended) status = read_ends(m, g, ends);
  for (size_t i = 0; i < needed[g->kind] && !status; i++)
    if (!(g->size[i] > 0)) status = import_fail(m->r, g->element, "its size %g is not more than 0", g->size[i]);
  return status;
}

// ------------------------------------------------------------------------------------------------ weight

static double volume_of(const geom *g) {
  const double *s = g->size;
  switch (g->kind) {
  case SPHERE:
    return 4. / 3 * PI * s[0] * s[0] * s[0];
  case CAPSULE:
    return PI * s[0] * s[0] * (2 * s[1] + 4. / 3 * s[0]);
  case CYLINDER:
    return 2 * PI * s[0] * s[0] * s[1];
  case BOX:
    return 8 * s[0] * s[1] * s[2];
  case ELLIPSOID:
    return 4. / 3 * PI * s[0] * s[1] * s[2];
  default:
    return 0;
  }
}

static void moments_of(const geom *g, double mass, double out[3]) {
  const double *s = g->size;
  double r = s[0], L = 2 * s[1], ball = 4. / 3 * r / (L + 4. / 3 * r) * mass, pipe = mass - ball;
  switch (g->kind) {
  case SPHERE:
    out[0] = out[1] = out[2] = 0.4 * mass * r * r;
    break;
  case CAPSULE:
    out[0] = out[1] = pipe * (3 * r * r + L * L) / 12 + ball * (0.4 * r * r + L * L / 4 + 3 * L * r / 8);
    out[2] = pipe * r * r / 2 + 0.4 * ball * r * r;
    break;
  case CYLINDER:
    out[0] = out[1] = mass * (3 * r * r + L * L) / 12;
    out[2] = mass * r * r / 2;
    break;
  default:
    for (int i = 0; i < 3; i++) {
      double b = s[(i + 1) % 3], c = s[(i + 2) % 3];
      out[i] = mass * (b * b + c * c) / (g->kind == BOX ? 3 : 5);
    }
  }
}

static td_status read_mass(const mjcf *m, const geom *g, double *mass, bool *weighs) {
  double density = 1000;
  size_t count;
  td_status status = mjcf_numbers(m, g->element, "density", 1, 1, &density, NULL);
  if (!status) status = mjcf_numbers(m, g->element, "mass", 1, 1, mass, &count);
  if (status) return status;
  *weighs = count > 0 ? *mass > 0 : density > 0;
  if (count == 0) *mass = density * volume_of(g);
  return *mass < 0 || (count == 0 && density < 0) ? import_fail(m->r, g->element, "its mass is negative") : TD_OK;
}

// Steiner: about the body's origin, in its axes.
static td_status add_weight(const mjcf *m, const geom *g, mjcf_weight *w) {
  double mass = 0, moment[3], I[9] = {0}, R[9], turned[9];
  bool weighs;
  td_status status = read_mass(m, g, &mass, &weighs);
  if (status || !weighs) return status;
  if (g->kind == MESH) return w->mesh = g->element, TD_OK;
  moments_of(g, mass, moment);
  for (int i = 0; i < 3; i++) I[4 * i] = moment[i];
  mjcf_rotation(g->place.quaternion, R);
  import_turn_inertia(R, I, turned);
  const double *c = g->place.xyz;
  double c2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  w->mass += mass;
  for (int i = 0; i < 3; i++) {
    w->moment[i] += mass * c[i];
    for (int j = 0; j < 3; j++) w->inertia[3 * i + j] += turned[3 * i + j] + mass * ((i == j ? c2 : 0) - c[i] * c[j]);
  }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ view

static xml_element *asset(const mjcf *m, const char *kind, const char *name) {
  for (xml_element *list = m->root->first; list; list = list->next)
    for (xml_element *e = strcmp(list->name, "asset") == 0 ? list->first : NULL; e; e = e->next) {
      if (strcmp(e->name, kind) != 0) continue;
      const char *own = xml_attribute_of(e, "name"), *file = xml_attribute_of(e, "file");
      const char *slash = file ? strrchr(file, '/') : NULL, *stem = slash ? slash + 1 : file;
      size_t length = stem ? strcspn(stem, ".") : 0;
      bool is = own ? strcmp(own, name) == 0 : stem && strlen(name) == length && strncmp(stem, name, length) == 0;
      if (is) return list->read = e->read = true, e;
    }
  return NULL;
}

static td_status read_colour(const mjcf *m, xml_element *e, view_shape *s) {
  const char *material;
  size_t count;
  td_status status = mjcf_numbers(m, e, "rgba", 4, 4, s->colour, &count);
  if (!status) status = mjcf_attribute(m, e, "material", &material);
  xml_element *found = !status && count == 0 && material ? asset(m, "material", material) : NULL;
  if (found) status = mjcf_numbers(m, found, "rgba", 4, 4, s->colour, &count);
  for (int i = 0; i < 4; i++) s->colour[i] = fmin(1, fmax(0, s->colour[i]));
  s->coloured = count > 0;
  return status;
}

static td_status read_mesh(const mjcf *m, const geom *g, view_shape *s) {
  double scale[3] = {1, 1, 1};
  const char *name, *file;
  td_status status = mjcf_attribute(m, g->element, "mesh", &name);
  if (status || !name) return status ? status : import_fail(m->r, g->element, "it has no attribute \"mesh\"");
  xml_element *mesh = asset(m, "mesh", name);
  if (!mesh) return import_fail(m->r, g->element, "mesh=\"%.60s\": there is no mesh of that name in <asset>", name);
  file = xml_attribute_of(mesh, "file");
  status = mjcf_numbers(m, mesh, "scale", 3, 3, scale, NULL);
  return status ? status : import_mesh(m->r, mesh, file ? file : "", scale, &s->mesh);
}

static const char NOT_DRAWN[] = "is not drawn: an ellipsoid; it weighs as one";

static td_status add_view(const mjcf *m, const geom *g, view_shape *views, size_t *count) {
  static const view_kind kinds[GEOM_KINDS] = {VIEW_SPHERE, VIEW_CAPSULE, VIEW_CYLINDER, VIEW_BOX,
                                              VIEW_KINDS,  VIEW_MESH,    VIEW_KINDS};
  char whose[REMARK_TEXT_SIZE];
  double group = 0;
  td_status status = mjcf_numbers(m, g->element, "group", 1, 1, &group, NULL);
  if (status || !m->r->viewed || group >= VISIBLE_GROUPS || g->kind == NOTHING) return status;
  if (g->kind == ELLIPSOID)
    remark_add(m->r->remarks, NOT_DRAWN, g->element->line, "%s", import_whose(g->element, whose));
  if (g->kind == ELLIPSOID) return TD_OK;
  if (*count == VIEW_MOST)
    return td_fail(m->r->err, TD_LIMIT, m->r->pointer, "line %d: more than %d geoms in a body", g->element->line,
                   (int)VIEW_MOST);
  view_shape *s = &views[*count];
  *s = (view_shape){.kind = kinds[g->kind], .radius = g->size[0], .length = 2 * g->size[1]};
  for (int i = 0; i < 3; i++) s->size[i] = 2 * g->size[i];
  memcpy(s->xyz, g->place.xyz, sizeof s->xyz);
  memcpy(s->quaternion, g->place.quaternion, sizeof s->quaternion);
  if (g->kind == MESH) status = read_mesh(m, g, s);
  if (!status) status = read_colour(m, g->element, s);
  if (!status && (g->kind != MESH || s->mesh.triangle_count > 0)) ++*count;
  return status;
}

td_status mjcf_read_geoms(const mjcf *m, xml_element *body, view_shape *views, size_t *view_count,
                          mjcf_weight *weight) {
  td_status status = TD_OK;
  *view_count = 0;
  *weight = (mjcf_weight){.mass = 0};
  for (xml_element *e = xml_child(body, "geom"); e && !status; e = xml_sibling(e)) {
    geom g = {.element = e};
    xml_attribute_of(e, "name");
    status = read_kind(m, &g);
    if (!status) status = mjcf_place_of(m, e, &g.place);
    if (!status) status = read_size(m, &g);
    if (!status && g.kind != NOTHING) status = add_weight(m, &g, weight);
    if (!status) status = add_view(m, &g, views, view_count);
  }
  return status;
}
