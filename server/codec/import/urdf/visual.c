// <visual> of a link: simple shapes, and meshes of files that came beside the description, with their colours. Where
// none of them can be drawn, its <collision>.
#include "codec/import/urdf/parts.h"

#include <math.h>
#include <string.h>

typedef td_status (*geometry_reader)(const import_reader *r, xml_element *e, view_shape *s);

// ------------------------------------------------------------------------------------------------ geometry

static td_status positive(const import_reader *r, xml_element *e, const char *attribute, size_t count, double *x) {
  td_status status = import_numbers(r, e, attribute, true, count, x);
  for (size_t i = 0; i < count && !status; i++)
    if (!(x[i] > 0))
      status = import_fail(r, e, "%s=\"%s\": %g is not more than 0", attribute, xml_attribute_of(e, attribute), x[i]);
  return status;
}

static td_status read_box(const import_reader *r, xml_element *e, view_shape *s) {
  s->kind = VIEW_BOX;
  return positive(r, e, "size", 3, s->size);
}

static td_status read_sphere(const import_reader *r, xml_element *e, view_shape *s) {
  s->kind = VIEW_SPHERE;
  return positive(r, e, "radius", 1, &s->radius);
}

static td_status read_round(const import_reader *r, xml_element *e, view_shape *s) {
  s->kind = strcmp(e->name, "capsule") == 0 ? VIEW_CAPSULE : VIEW_CYLINDER;
  td_status status = positive(r, e, "radius", 1, &s->radius);
  return status ? status : positive(r, e, "length", 1, &s->length);
}

static td_status read_mesh(const import_reader *r, xml_element *e, view_shape *s) {
  const char *name = xml_attribute_of(e, "filename");
  double scale[3] = {1, 1, 1};
  td_status status = name ? TD_OK : import_fail(r, e, "it has no attribute \"filename\"");
  if (!status) status = import_numbers(r, e, "scale", false, 3, scale);
  s->kind = VIEW_MESH;
  return status ? status : import_mesh(r, e, name, scale, &s->mesh);
}

static const struct {
  const char *name;
  geometry_reader read;
} GEOMETRIES[] = {
    {"box", read_box}, {"cylinder", read_round}, {"sphere", read_sphere}, {"capsule", read_round}, {"mesh", read_mesh}};

td_status urdf_read_geometry(const import_reader *r, xml_element *of, view_shape *s) {
  xml_element *geometry, *shape = NULL;
  td_status status = import_need(r, of, "geometry", &geometry);
  for (size_t i = 0; !status && !shape && i < sizeof GEOMETRIES / sizeof *GEOMETRIES; i++)
    if ((shape = xml_child(geometry, GEOMETRIES[i].name)) != NULL) status = GEOMETRIES[i].read(r, shape, s);
  return status || shape ? status : import_fail(r, geometry, "it has no box, cylinder, sphere, capsule or mesh");
}

// ------------------------------------------------------------------------------------------------ colour

static td_status read_colour(const import_reader *r, xml_element *material, view_shape *s) {
  xml_element *colour = material ? xml_child(material, "color") : NULL;
  td_status status = colour ? import_numbers(r, colour, "rgba", true, 4, s->colour) : TD_OK;
  if (status || !colour) return status;
  for (int i = 0; i < 4; i++) s->colour[i] = fmin(1, fmax(0, s->colour[i]));
  s->coloured = true;
  return TD_OK;
}

static bool is_called(const xml_element *e, const char *name) {
  for (size_t i = 0; i < e->attribute_count; i++)
    if (strcmp(e->attributes[i].name, "name") == 0) return strcmp(e->attributes[i].value, name) == 0;
  return false;
}

static bool has_colour(const xml_element *e) {
  for (const xml_element *child = e->first; child; child = child->next)
    if (strcmp(child->name, "color") == 0) return true;
  return false;
}

// A material has its colour itself, or is called as one elsewhere that has.
static td_status read_material(const import_reader *r, xml_element *root, xml_element *visual, view_shape *s) {
  xml_element *material = xml_child(visual, "material");
  const char *name = material ? xml_attribute_of(material, "name") : NULL;
  td_status status = read_colour(r, material, s);
  if (status || s->coloured || !name || !*name) return status;
  for (xml_element *e = root; e; e = e->following)
    if (strcmp(e->name, "material") == 0 && is_called(e, name) && has_colour(e)) {
      if (e->parent == root) e->read = true, (void)xml_attribute_of(e, "name");
      return read_colour(r, e, s);
    }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ visuals

static td_status read_visual(const import_reader *r, xml_element *root, xml_element *visual, urdf_link *link) {
  view_shape *s = &link->views[link->view_count];
  urdf_origin origin;
  xml_attribute_of(visual, "name");
  td_status status = urdf_origin_of(r, visual, &origin);
  memcpy(s->xyz, origin.xyz, sizeof s->xyz);
  memcpy(s->rpy, origin.rpy, sizeof s->rpy);
  if (!status) status = urdf_read_geometry(r, visual, s);
  if (!status) status = read_material(r, root, visual, s);
  bool seen = s->kind != VIEW_MESH || s->mesh.triangle_count > 0;
  if (!status && seen) link->view_count++;
  if (!status && !seen) *s = (view_shape){.kind = VIEW_BOX};
  return status;
}

// All <visual>, or all <collision>, of a link.
static td_status read_all(const import_reader *r, xml_element *root, xml_element *e, const char *which,
                          urdf_link *link) {
  size_t count = 0;
  for (xml_element *v = xml_child(e, which); v; v = xml_sibling(v))
    if (++count > VIEW_MOST)
      return td_fail(r->err, TD_LIMIT, r->pointer, "line %d: more than %d of <%s> in one link", v->line, (int)VIEW_MOST,
                     which);
  link->views = arena_array(r->memory, count, sizeof *link->views);
  if (!link->views) return td_fail(r->err, TD_NO_MEMORY, r->pointer, "no memory for the visuals");
  td_status status = TD_OK;
  for (xml_element *v = xml_child(e, which); v && !status; v = xml_sibling(v)) status = read_visual(r, root, v, link);
  return status;
}

static const char INSTEAD[] = "is drawn, as the visuals of the link cannot be";

td_status urdf_read_visuals(const import_reader *r, xml_element *root, xml_element *e, urdf_link *link) {
  char whose[REMARK_TEXT_SIZE];
  if (!r->viewed) return TD_OK;
  td_status status = read_all(r, root, e, "visual", link);
  bool unseen = !status && link->view_count == 0 && xml_child(e, "visual");
  const xml_element *other = unseen ? xml_child(e, "collision") : NULL;
  if (!other) return status;
  remark_add(r->remarks, INSTEAD, other->line, "%s", import_whose(other, whose));
  return read_all(r, root, e, "collision", link);
}
