// A cylinder or a plane has no end: it is drawn over the span of the bounds along it. Nothing here may hide the robot:
// the inside of a cylinder, a plane and the inside of a sphere are wire, bodies are panes with edges of wire.
#include "plot/scene/surroundings.h"

#include <string.h>

enum { STAVES = 12, LINES = 8 };

static const colour grey = {.62, .65, .70};

typedef struct obstacle {
  const char *type;
  frame f; ///< x along its axis, or normal to the plane; of a box its own
  double radius;
  vec size;
} obstacle;

static obstacle obstacle_of(const json_t *contact) {
  const char *type = json_string_value(json_object_get(contact, "type"));
  frame pose = place_pose(json_object_get(contact, "pose"));
  const json_t *axis = json_object_get(contact, "axis");
  if (!axis) axis = json_object_get(contact, "normal");
  frame along = frame_along((vec){0, 0, 0}, place_axis(axis));
  obstacle o = {
      type ? type : "", frame_compose(&pose, &along), json_number_value(json_object_get(contact, "radius")), {0, 0, 0}};
  const json_t *size = json_object_get(contact, "size");
  o.size = (vec){json_number_value(json_array_get(size, 0)), json_number_value(json_array_get(size, 1)),
                 json_number_value(json_array_get(size, 2))};
  if (size) o.f = pose;
  return o;
}

static bool is(const obstacle *o, const char *type) { return strncmp(o->type, type, strlen(type)) == 0; }

// Least and greatest coordinate of the box's corners along a direction from a point.
static void span(const box *b, vec from, vec along, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int i = 0; i < 8; ++i) {
    vec p = {i & 1 ? b->high.x : b->low.x, i & 2 ? b->high.y : b->low.y, i & 4 ? b->high.z : b->low.z};
    double at = vec_dot(vec_sub(p, from), along);
    *low = fmin(*low, at), *high = fmax(*high, at);
  }
}

// ------------------------------------------------------------------------------------------------ extent

static void grow_by_cylinder(const obstacle *o, const box *robot, box *bounds) {
  double end[2];
  span(robot, o->f.at, o->f.x, &end[0], &end[1]);
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < STAVES; ++k) {
      double a = 2 * M_PI * k / STAVES;
      box_grow(bounds, frame_point(&o->f, (vec){end[i], o->radius * cos(a), o->radius * sin(a)}), 0);
    }
}

void surroundings_grow(const json_t *model, box *bounds) {
  const json_t *contact;
  size_t i;
  box robot = *bounds;
  json_array_foreach(json_object_get(model, "contacts"), i, contact) {
    obstacle o = obstacle_of(contact);
    if (is(&o, "cylinder")) grow_by_cylinder(&o, &robot, bounds);
    if (is(&o, "sphere")) box_grow(bounds, o.f.at, o.radius);
    for (int k = 0; is(&o, "box") && k < 8; ++k)
      box_grow(bounds,
               frame_point(&o.f, (vec){(k & 1 ? .5 : -.5) * o.size.x, (k & 2 ? .5 : -.5) * o.size.y,
                                       (k & 4 ? .5 : -.5) * o.size.z}),
               0);
  }
}

// ------------------------------------------------------------------------------------------------ drawing

static void draw_line(scene *s, vec a, vec b, double wire) { tube_draw(s, (vec[]){a, b}, 2, wire, grey); }

static void draw_cylinder(scene *s, const obstacle *o, const box *bounds, double wire) {
  double low, high;
  span(bounds, o->f.at, o->f.x, &low, &high);
  if (!is(o, "cylinder_interior")) {
    for (int i = 0; i < 2; ++i) {
      frame end = o->f;
      end.at = frame_point(&o->f, (vec){i ? high : low, 0, 0});
      hoop_draw(s, &end, o->radius, wire, grey);
    }
    return;
  }
  for (int i = 0; i < STAVES; ++i) {
    double a = 2 * M_PI * i / STAVES, y = o->radius * cos(a), z = o->radius * sin(a);
    draw_line(s, frame_point(&o->f, (vec){low, y, z}), frame_point(&o->f, (vec){high, y, z}), wire);
  }
  for (int i = 0; i <= 4; ++i) {
    frame f = o->f;
    f.at = frame_point(&o->f, (vec){low + i * (high - low) / 4, 0, 0});
    hoop_draw(s, &f, o->radius, wire, grey);
  }
}

static void draw_plane(scene *s, const obstacle *o, const box *bounds, double wire) {
  double y[2], z[2];
  span(bounds, o->f.at, o->f.y, &y[0], &y[1]);
  span(bounds, o->f.at, o->f.z, &z[0], &z[1]);
  for (int i = 0; i <= LINES; ++i) {
    double k = (double)i / LINES, at_y = y[0] + k * (y[1] - y[0]), at_z = z[0] + k * (z[1] - z[0]);
    draw_line(s, frame_point(&o->f, (vec){0, at_y, z[0]}), frame_point(&o->f, (vec){0, at_y, z[1]}), wire);
    draw_line(s, frame_point(&o->f, (vec){0, y[0], at_z}), frame_point(&o->f, (vec){0, y[1], at_z}), wire);
  }
}

static void draw_sphere(scene *s, const obstacle *o, double wire) {
  if (!is(o, "sphere_interior")) return;
  for (int i = 0; i < 6; ++i) {
    double a = M_PI * i / 6, belt = cos(M_PI * (i + 0.5) / 6);
    frame meridian = frame_along(o->f.at, (vec){cos(a), sin(a), 0});
    frame parallel = frame_along(vec_add(o->f.at, (vec){0, 0, o->radius * belt}), (vec){0, 0, 1});
    hoop_draw(s, &meridian, o->radius, wire, grey);
    hoop_draw(s, &parallel, o->radius * sqrt(1 - belt * belt), wire, grey);
  }
}

// The twelve edges: from each corner, along the sides that begin there.
static void draw_edges(scene *s, const obstacle *o, double wire) {
  const double half[3] = {o->size.x / 2, o->size.y / 2, o->size.z / 2};
  for (int corner = 0; corner < 8; ++corner)
    for (int side = 0; side < 3; ++side) {
      double from[3], to[3];
      if (corner >> side & 1) continue;
      for (int k = 0; k < 3; ++k) from[k] = to[k] = corner >> k & 1 ? half[k] : -half[k];
      to[side] = half[side];
      draw_line(s, frame_point(&o->f, (vec){from[0], from[1], from[2]}), frame_point(&o->f, (vec){to[0], to[1], to[2]}),
                wire);
    }
}

static void draw_pane_of_cylinder(scene *s, const obstacle *o, const box *bounds) {
  double low, high;
  span(bounds, o->f.at, o->f.x, &low, &high);
  frame middle = o->f;
  middle.at = frame_point(&o->f, (vec){(low + high) / 2, 0, 0});
  cylinder_draw(s, &middle, o->radius, high - low, grey);
}

bool surroundings_panes(scene *s, const json_t *model, const box *bounds) {
  const json_t *contact;
  size_t i;
  bool any = false;
  json_array_foreach(json_object_get(model, "contacts"), i, contact) {
    obstacle o = obstacle_of(contact);
    bool bar = is(&o, "cylinder_exterior"), ball = strcmp(o.type, "sphere") == 0, crate = is(&o, "box");
    if (bar) draw_pane_of_cylinder(s, &o, bounds);
    if (ball) ball_draw(s, o.f.at, o.radius, grey);
    if (crate) box_draw(s, &o.f, o.size, grey);
    any = any || bar || ball || crate;
  }
  return any;
}

void surroundings_draw(scene *s, const json_t *model, const box *bounds, double wire) {
  const json_t *contact;
  size_t i;
  json_array_foreach(json_object_get(model, "contacts"), i, contact) {
    obstacle o = obstacle_of(contact);
    if (is(&o, "cylinder")) draw_cylinder(s, &o, bounds, wire);
    if (is(&o, "plane")) draw_plane(s, &o, bounds, wire);
    if (is(&o, "sphere")) draw_sphere(s, &o, wire);
    if (is(&o, "box")) draw_edges(s, &o, wire);
  }
  const json_t *water = json_object_get(json_object_get(model, "fluid"), "surface");
  if (!water) return;
  double height = json_number_value(json_object_get(water, "z"));
  if (height < bounds->low.z || height > bounds->high.z) return;
  obstacle level = {"plane", frame_along((vec){0, 0, height}, (vec){0, 0, 1}), 0, {0, 0, 0}};
  draw_plane(s, &level, bounds, wire);
}
