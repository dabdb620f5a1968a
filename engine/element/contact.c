// Contact of spheres with cylinders, planes and spheres.
//
// A type gives depth d, unit push n and the curvature of its level sets: dn/dp = c (E - n n^T), with E the identity
// (sphere, a box's corner) or the projector across what is straight (the axis of a cylinder, a box's edge) and c = 0 of a
// plane and a box's face. All else is the same for every type:
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

// At an edge bend = (1 - e e^T - n n^T) / distance has the trace 1 / distance, at a corner twice that.
static void outside_box(const td_obstacle *o, const double centre[3], double radius, td_touch_geometry *g) {
  td_core_near near;
  td_core_near_at(&o->core, centre, &near);
  double trace = near.bend[0] + near.bend[4] + near.bend[8];
  memcpy(g->n, near.n, sizeof g->n);
  g->depth = radius + o->core.rounding - near.distance;
  g->curvature = trace > 0 ? 1 / near.distance : 0;
  if (!(trace > 0) || trace * near.distance > 1.5) return;
  for (int k = 0; k < 3; k++) g->straight[k] = o->core.pose.R[3 * k + near.edge];
}

const td_obstacle_row td_obstacle_cylinder_interior = {
    .name = "cylinder_interior", .axis = true, .radius = true, .across = true, .measure = inside_cylinder};
const td_obstacle_row td_obstacle_cylinder_exterior = {
    .name = "cylinder_exterior", .axis = true, .radius = true, .across = true, .measure = outside_cylinder};
const td_obstacle_row td_obstacle_plane = {.name = "plane", .axis = true, .across = true, .measure = above_plane};
const td_obstacle_row td_obstacle_sphere = {.name = "sphere", .radius = true, .measure = outside_sphere};
const td_obstacle_row td_obstacle_box = {.name = "box", .size = true, .measure = outside_box};

#define ENTRY(word, row) &td_obstacle_##row,
static const td_obstacle_row *const types[TD_OBSTACLE_COUNT] = {TD_CONTACTS(ENTRY)};

#define KNOWN(type) ((unsigned)(type) < TD_OBSTACLE_COUNT)
const char *td_contact_type_name(td_contact_type type) {
  if (KNOWN(type)) return types[type]->name;
  return type == TD_CONTACT_PAIR ? "pair" : type == TD_CONTACT_SELF ? "self" : NULL;
}
bool td_contact_has_axis(td_contact_type type) { return KNOWN(type) && types[type]->axis; }
bool td_contact_has_radius(td_contact_type type) { return KNOWN(type) && types[type]->radius; }
bool td_contact_has_size(td_contact_type type) { return KNOWN(type) && types[type]->size; }

void td_obstacle_of(const td_contact_spec *spec, td_obstacle *obstacle) {
  *obstacle = (td_obstacle){
      .type = spec->type, .radius = spec->radius, .stiffness = spec->stiffness, .exponent = spec->exponent};
  if (td_contact_is_mutual(spec->type)) return; // its law alone
  memcpy(obstacle->origin, spec->pose.p, sizeof obstacle->origin);
  double length = sqrt(td_vec3_dot(spec->axis, spec->axis));
  td_mat3_vec(spec->pose.R, spec->axis, obstacle->axis);
  for (int i = 0; i < 3; i++) obstacle->axis[i] /= length;
  if (!td_contact_has_size(spec->type)) return;
  obstacle->radius = 0.5 * fmin(spec->size[0], fmin(spec->size[1], spec->size[2]));
  obstacle->core = (td_core){.kind = TD_CORE_BOX, .pose = spec->pose, .rounding = spec->rounding};
  for (int i = 0; i < 3; i++) obstacle->core.half[i] = 0.5 * spec->size[i] - spec->rounding;
}

// k d^p, its derivative and its integral.
static td_press law_at(const td_obstacle *o, double d) {
  if (o->exponent == 1) return (td_press){o->stiffness * d, o->stiffness, o->stiffness * d * d / 2};
  double push = o->stiffness * pow(d, o->exponent);
  return (td_press){push, o->exponent * push / d, push * d / (o->exponent + 1)};
}

// Its polynomial about a depth: of first order for the push, and one more for what it is the derivative of.
static td_press law_about(const td_obstacle *o, double d, double about) {
  double x = d - about, p = o->exponent;
  td_press at = law_at(o, about);
  double bend = p == 1 ? 0 : o->stiffness * p * (p - 1) * pow(about, p - 2);
  return (td_press){at.push + x * (at.steep + 0.5 * x * bend), at.steep + x * bend,
                    at.potential + x * (at.push + x * (0.5 * at.steep + x * bend / 6))};
}

// k d, whatever the sign of d.
static td_press law_extended(const td_obstacle *o, double d) {
  return (td_press){o->stiffness * d, o->stiffness, 0.5 * o->stiffness * d * d};
}

bool td_press_at(const td_obstacle *o, double d, const double *about, td_press *press) {
  bool own = !about || (*about == INFINITY && o->exponent > 1);
  if (own ? !(d > 0) : !(*about > 0)) return false;
  *press = own ? law_at(o, d) : *about == INFINITY ? law_extended(o, d) : law_about(o, d, *about);
  return true;
}

void td_obstacle_measure(const td_obstacle *o, const double centre[3], double radius, td_touch_geometry *out) {
  memset(out->straight, 0, sizeof out->straight);
  if (types[o->type]->across) memcpy(out->straight, o->axis, sizeof out->straight);
  types[o->type]->measure(o, centre, radius, out);
}

void td_obstacle_turn(const td_touch_geometry *at, const double x[3], double out[3]) {
  double along = td_vec3_dot(x, at->straight), away = td_vec3_dot(x, at->n);
  for (int i = 0; i < 3; i++) out[i] = at->curvature * (x[i] - along * at->straight[i] - away * at->n[i]);
}

static void fill(const td_touch_geometry *g, const td_press *at, td_touch *touch) {
  double bend = at->push * g->curvature, steep = -at->steep - bend;
  touch->pressed = true;
  touch->potential = at->potential;
  for (int i = 0; i < 3; i++) {
    touch->force[i] = at->push * g->n[i];
    for (int j = 0; j < 3; j++)
      touch->slope[3 * i + j] = steep * g->n[i] * g->n[j] - bend * g->straight[i] * g->straight[j];
    touch->slope[4 * i] += bend;
  }
}

static void touch_at(const td_obstacle *o, const double centre[3], double radius, const double *about,
                     td_touch *touch) {
  td_touch_geometry g;
  td_press press;
  assert(radius >= 0 && o->stiffness >= 0 && o->exponent >= 1);
  memset(touch, 0, sizeof *touch);
  td_obstacle_measure(o, centre, radius, &g);
  touch->depth = g.depth;
  if (td_press_at(o, g.depth, about, &press)) fill(&g, &press, touch);
}

void td_touch_at(const td_obstacle *o, const double centre[3], double radius, td_touch *touch) {
  touch_at(o, centre, radius, NULL, touch);
}

void td_touch_about(const td_obstacle *o, const double centre[3], double radius, double about, td_touch *touch) {
  touch_at(o, centre, radius, &about, touch);
}
