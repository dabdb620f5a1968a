// Contact of spheres with cylinders, planes and spheres.
//
// A type gives depth d, unit push n and the curvature of its level sets: dn/dp = c (E - n n^T), with E the identity
// (sphere) or the projector across the axis (cylinder) and c = 0 for a plane. All else is the same for every type:
//   f = k d^p n,   df/dp = -k p d^(p-1) n n^T + k d^p c (E - n n^T),   potential k d^(p+1) / (p+1).
// The depth falls along n, so dd/dp = -n: that is where the minus sign comes from.
#include "element/contact.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <string.h>

double td_obstacle_distance(const td_obstacle *o, const double point[3], bool across, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = point[i] - o->origin[i];
  double along = across ? td_vec3_dot(out, o->axis) : 0;
  for (int i = 0; i < 3; i++) out[i] -= along * o->axis[i];
  double distance = sqrt(td_vec3_dot(out, out));
  for (int i = 0; i < 3 && distance > 0; i++) out[i] /= distance;
  return distance;
}

static void inside_cylinder(const td_obstacle *o, const double centre[3], double radius, td_touch_geometry *g) {
  double r = td_obstacle_distance(o, centre, true, g->n);
  for (int i = 0; i < 3; i++) g->n[i] = -g->n[i];
  g->depth = r + radius - o->radius;
  g->curvature = r > 0 ? -1 / r : 0;
}

static void outside(const td_obstacle *o, const double centre[3], double radius, bool across, td_touch_geometry *g) {
  double r = td_obstacle_distance(o, centre, across, g->n);
  g->depth = o->radius + radius - r;
  g->curvature = r > 0 ? 1 / r : 0;
}
static void outside_cylinder(const td_obstacle *o, const double centre[3], double radius, td_touch_geometry *g) {
  outside(o, centre, radius, true, g);
}
static void outside_sphere(const td_obstacle *o, const double centre[3], double radius, td_touch_geometry *g) {
  outside(o, centre, radius, false, g);
}

static void above_plane(const td_obstacle *o, const double centre[3], double radius, td_touch_geometry *g) {
  double rel[3] = {centre[0] - o->origin[0], centre[1] - o->origin[1], centre[2] - o->origin[2]};
  memcpy(g->n, o->axis, sizeof g->n);
  g->depth = radius - td_vec3_dot(rel, o->axis);
  g->curvature = 0;
}

const td_obstacle_row td_obstacle_cylinder_interior = {
    .name = "cylinder_interior", .axis = true, .radius = true, .across = true, .measure = inside_cylinder};
const td_obstacle_row td_obstacle_cylinder_exterior = {
    .name = "cylinder_exterior", .axis = true, .radius = true, .across = true, .measure = outside_cylinder};
const td_obstacle_row td_obstacle_plane = {.name = "plane", .axis = true, .across = true, .measure = above_plane};
const td_obstacle_row td_obstacle_sphere = {.name = "sphere", .radius = true, .measure = outside_sphere};

#define ENTRY(word, row) &td_obstacle_##row,
static const td_obstacle_row *const types[TD_CONTACT_TYPE_COUNT] = {TD_CONTACTS(ENTRY)};

#define KNOWN(type) ((unsigned)(type) < TD_CONTACT_TYPE_COUNT)
const char *td_contact_type_name(td_contact_type type) { return KNOWN(type) ? types[type]->name : NULL; }
bool td_contact_has_axis(td_contact_type type) { return KNOWN(type) && types[type]->axis; }
bool td_contact_has_radius(td_contact_type type) { return KNOWN(type) && types[type]->radius; }

void td_obstacle_of(const td_contact_spec *spec, td_obstacle *obstacle) {
  *obstacle = (td_obstacle){
      .type = spec->type, .radius = spec->radius, .stiffness = spec->stiffness, .exponent = spec->exponent};
  memcpy(obstacle->origin, spec->pose.p, sizeof obstacle->origin);
  double length = sqrt(td_vec3_dot(spec->axis, spec->axis));
  td_mat3_vec(spec->pose.R, spec->axis, obstacle->axis);
  for (int i = 0; i < 3; i++) obstacle->axis[i] /= length;
}

void td_touch_at(const td_obstacle *o, const double centre[3], double radius, td_touch *touch) {
  assert(radius >= 0 && o->stiffness >= 0 && o->exponent >= 1);
  td_touch_geometry g;
  memset(touch, 0, sizeof *touch);
  types[o->type]->measure(o, centre, radius, &g);
  touch->depth = g.depth;
  if (!(g.depth > 0)) return;
  double across = types[o->type]->across ? 1 : 0;
  double push = o->stiffness * pow(g.depth, o->exponent), bend = push * g.curvature,
         steep = -o->stiffness * o->exponent * pow(g.depth, o->exponent - 1) - bend;
  touch->potential = push * g.depth / (o->exponent + 1);
  for (int i = 0; i < 3; i++) {
    touch->force[i] = push * g.n[i];
    for (int j = 0; j < 3; j++)
      touch->slope[3 * i + j] = steep * g.n[i] * g.n[j] - across * bend * o->axis[i] * o->axis[j];
    touch->slope[4 * i] += bend;
  }
}
