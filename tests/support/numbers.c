// See numbers.h.
#include "support/numbers.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POOL = 1 << 14 };

static tree_number *put(tree_numbers *s, const char *owner, const char *name, double *at, double scale, bool linear) {
  ck_assert_uint_lt(s->count, NUMBERS_MAX);
  tree_number *number = &s->number[s->count];
  *number = (tree_number){.at = at};
  snprintf(number->name, sizeof number->name, "%.20s/%s", owner, name);
  s->parameter[s->count++] = (td_parameter){.name = number->name,
                                            .value = at ? *at : 0,
                                            .scale = scale,
                                            .linear = linear,
                                            .lower = -INFINITY,
                                            .upper = INFINITY};
  return number;
}

// One that must stay above 0, of its own scale; 0 is left as it is.
static void put_positive(tree_numbers *s, const char *owner, const char *name, double *at, bool linear) {
  if (!(*at > 0)) return;
  put(s, owner, name, at, *at, linear);
  s->parameter[s->count - 1].lower = *at / 16;
}

static void put_if(tree_numbers *s, const char *owner, const char *name, double *at, bool linear) {
  if (*at != 0) put(s, owner, name, at, fabs(*at), linear);
}

static void put_turn(tree_numbers *s, const char *owner, td_se3 *pose) {
  tree_number *number = put(s, owner, "rpy", NULL, 0.2, false);
  number->pose = pose;
  memcpy(number->R, pose->R, sizeof pose->R);
}

static void put_pose(tree_numbers *s, const char *owner, td_se3 *pose) {
  put(s, owner, "translation", &pose->p[1], 0.1, false);
  put_turn(s, owner, pose);
}

// A copy of what the robot borrows, so that it can be changed.
static double *own(const double *from, size_t count) {
  static double pool[POOL];
  static size_t used;
  if (used + count > POOL) used = 0; // robots of tests before are gone
  double *copy = pool + used;
  memcpy(copy, from, count * sizeof *copy);
  used += count;
  return copy;
}

// The last number of a profile, and the first where it is positive.
static void put_profile(tree_numbers *s, const char *owner, const char *name, td_profile *profile, double scale,
                        bool linear) {
  if (profile->count == 0) return;
  size_t size = profile->count * profile->width;
  double *value = own(profile->value, size);
  profile->value = value;
  if (scale > 0)
    put(s, owner, name, &value[size / 2], scale, linear);
  else
    put_positive(s, owner, name, &value[size - 1], linear);
}

static void joint_numbers(tree_numbers *s, td_link_spec *link) {
  td_joint_spec *joint = &link->joint;
  if (td_joint_dof(joint->type) == 0) return;
  int last = td_joint_dof(joint->type) - 1;
  put_positive(s, link->name, "stiffness", &joint->stiffness[last], true);
  put_positive(s, link->name, "joint damping", &joint->damping[0], true);
  put(s, link->name, "rest", &joint->rest[last], 0.1, false);
  if (joint->type == TD_JOINT_HELICAL) put(s, link->name, "pitch", &joint->pitch, 0.1, false);
  put_if(s, link->name, "axis", &joint->axis[1], false);
}

static void rigid_numbers(tree_numbers *s, const char *name, td_rigid_spec *rigid) {
  put_positive(s, name, "mass", &rigid->mass, true);
  put(s, name, "com", &rigid->com[1], 0.05, false);
  put_positive(s, name, "inertia", &rigid->inertia[4], true);
  if (rigid->inertia[1] != 0) put(s, name, "inertia xy", &rigid->inertia[1], 1e-4, true)->also = &rigid->inertia[3];
  put_positive(s, name, "body_density", &rigid->body_density, false);
  put_if(s, name, "drag", &rigid->drag[7], true);
  put_if(s, name, "linear", &rigid->linear[21], true);
  put_if(s, name, "added_mass", &rigid->added_mass[28], true);
  put_if(s, name, "magnetisation", &rigid->magnetisation[0], true);
}

static void rod_numbers(tree_numbers *s, const char *name, td_rod_spec *rod) {
  put_positive(s, name, "length", &rod->length, false);
  put_profile(s, name, "size", &rod->size[0], 0, false);
  put_profile(s, name, "size across", &rod->size[1], 0, false);
  put_profile(s, name, "inner", &rod->inner[0], 0, false);
  put_profile(s, name, "torsion_constant", &rod->torsion_constant, 0, true);
  put_profile(s, name, "shear_correction", &rod->shear_correction, 0, true);
  put_profile(s, name, "screw damping", &rod->damping, 0, true);
  put_profile(s, name, "reference", &rod->reference, 0.5, false);
  if (rod->section == TD_SECTION_STIFFNESS) {
    for (int c = 0; c < 6; c += 2) put_profile(s, name, "stiffness", &rod->numbers.stiffness[c], 0, true);
    put_profile(s, name, "mass", &rod->numbers.mass, 0, true);
    put_profile(s, name, "inertia", &rod->numbers.inertia, 0, true);
  } else {
    put_positive(s, name, "young", &rod->young, true);
    put_positive(s, name, "density", &rod->density, true);
    put_positive(s, name, "viscosity", &rod->viscosity, true);
    if (isfinite(rod->poisson)) put(s, name, "poisson", &rod->poisson, 0.25, false);
  }
  put_if(s, name, "cd", &rod->cd[1], true);
  put_if(s, name, "cl", &rod->cl[2], true);
  put_if(s, name, "added", &rod->added[1], true);
  put_if(s, name, "linear", &rod->linear[1], true);
  put_if(s, name, "magnetisation", &rod->magnetisation[0], true);
}

static void reduced_numbers(tree_numbers *s, const char *name, td_reduced_spec *body) {
  put_positive(s, name, "density", &body->density, true);
  put_positive(s, name, "young", &body->young, true);
  put(s, name, "poisson", &body->poisson, 0.25, false);
  s->parameter[s->count - 1].upper = 0.499;
  put_positive(s, name, "damping_time", &body->damping_time, true);
  if (body->kinematics == TD_KINEMATICS_RITZ) {
    if (!body->has_mesh) put_positive(s, name, "size", &body->size[0], false);
    return;
  }
  put_positive(s, name, "length", &body->length, false);
  put_profile(s, name, "radius", &body->radius, 0, false);
}

static void actuator_numbers(tree_numbers *s, tree *t, td_actuator_spec *actuator) {
  for (size_t i = 0; i < actuator->segment_count; i++) {
    td_segment_spec *segment = &t->segments[actuator->segments - t->segments + (ptrdiff_t)i];
    td_routing_spec *routing = &segment->routing;
    if (!segment->has_routing && segment->points_count) {
      double *points = own(segment->points, 3 * segment->points_count);
      segment->points = points;
      put(s, actuator->name, "points", &points[1], 0.01, false);
    } else if (routing->type == TD_ROUTING_LINEAR)
      put(s, actuator->name, "base", &routing->base[0], 0.02, false);
    else if (routing->type == TD_ROUTING_HELIX)
      put_positive(s, actuator->name, "radius", &routing->radius, false),
          put_if(s, actuator->name, "turns", &routing->turns, false);
  }
  if (actuator->mode_length) put_positive(s, actuator->name, "tendon stiffness", &actuator->stiffness, false);
  if (actuator->mode_length) put_positive(s, actuator->name, "tendon damping", &actuator->damping, false);
  if (actuator->mode_length && isfinite(actuator->rest))
    put_positive(s, actuator->name, "tendon rest", &actuator->rest, false);
  put_positive(s, actuator->name, "friction", &actuator->friction, false);
}

static void outside_numbers(tree_numbers *s, tree *t) {
  for (size_t i = 0; i < t->spec.load_count; i++) {
    put_pose(s, "load", &t->loads[i].pose);
    if (!t->loads[i].has_channels) put(s, "load", "wrench", &t->loads[i].wrench[4], 0.3, true);
    if (t->loads[i].per_length && t->loads[i].from > 0.2) put(s, "load", "from", &t->loads[i].from, 0.02, false);
  }
  for (size_t i = 0; i < t->spec.contact_count; i++) {
    put_pose(s, "contact", &t->contacts[i].pose);
    put_positive(s, "contact", "stiffness", &t->contacts[i].stiffness, true);
    put(s, "contact", "exponent", &t->contacts[i].exponent, 0.5, false);
    if (isfinite(t->contacts[i].radius)) put_positive(s, "contact", "radius", &t->contacts[i].radius, false);
  }
  for (size_t i = 0; i < t->spec.loop_count; i++) {
    put_pose(s, "loop a", &t->loops[i].a.pose);
    put_pose(s, "loop b", &t->loops[i].b.pose);
  }
  for (size_t i = 0; i < t->spec.spring_count; i++) {
    put(s, "spring", "translation", &t->springs[i].a.pose.p[1], 0.05, false);
    put_positive(s, "spring", "stiffness", &t->springs[i].stiffness, true);
    put_positive(s, "spring", "damping", &t->springs[i].damping, true);
    if (t->springs[i].rest > 0) put_positive(s, "spring", "rest", &t->springs[i].rest, false);
  }
}

static void water_numbers(tree_numbers *s, td_model_spec *spec) {
  put_positive(s, "fluid", "density", &spec->fluid_density, true);
  put_positive(s, "fluid", "viscosity", &spec->fluid.viscosity, true);
  put_if(s, "fluid", "velocity", &spec->fluid.velocity[1], false);
  if (spec->fluid.knots) {
    double *table = own(spec->fluid.table, 3 * spec->fluid.knots);
    spec->fluid.table = table;
    put(s, "fluid", "table", &table[4], 0.5, false);
  }
  if (spec->fluid.has_surface) put(s, "fluid", "surface", &spec->fluid.surface, 0.3, false);
}

void tree_numbers_of(tree *t, tree_numbers *s) {
  s->t = t;
  s->count = 0;
  put(s, "model", "gravity", &t->spec.gravity[2], 9.81, true);
  water_numbers(s, &t->spec);
  for (size_t i = 0; i < t->spec.link_count; i++) {
    td_link_spec *link = &t->links[i];
    put_pose(s, link->name, &link->pose);
    joint_numbers(s, link);
    if (link->body.type == TD_BODY_RIGID) rigid_numbers(s, link->name, &link->body.rigid);
    if (link->body.type == TD_BODY_ROD) rod_numbers(s, link->name, &link->body.rod);
    if (link->body.type == TD_BODY_REDUCED) reduced_numbers(s, link->name, &link->body.reduced);
  }
  for (size_t i = 0; i < t->spec.actuator_count; i++) actuator_numbers(s, t, &t->actuators[i]);
  outside_numbers(s, t);
  for (size_t i = 0; i < s->count; i++) s->parameter[i].name = s->number[i].name;
}

static void keep(tree_numbers *s, size_t *kept, size_t i) {
  s->number[*kept] = s->number[i];
  s->parameter[*kept] = s->parameter[i];
  s->parameter[*kept].name = s->number[*kept].name;
  ++*kept;
}

void tree_numbers_keep(tree_numbers *s, bool linear) {
  size_t kept = 0;
  for (size_t i = 0; i < s->count; i++)
    if (s->parameter[i].linear == linear) keep(s, &kept, i);
  s->count = kept;
}

void tree_numbers_sample(tree_numbers *s, size_t every) {
  size_t kept = 0;
  for (size_t i = every / 2; i < s->count; i += every) keep(s, &kept, i);
  s->count = kept;
}

void tree_numbers_without(tree_numbers *s, const char *word) {
  size_t kept = 0;
  for (size_t i = 0; i < s->count; i++)
    if (!strstr(s->number[i].name, word)) keep(s, &kept, i);
  s->count = kept;
}

static void turn(tree_number *number, double angle) {
  const double c = cos(angle), s = sin(angle), X[9] = {1, 0, 0, 0, c, -s, 0, s, c};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      number->pose->R[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) number->pose->R[3 * i + j] += number->R[3 * i + k] * X[3 * k + j];
    }
}

static void set(tree_number *number, double value) {
  if (number->pose) turn(number, value);
  if (number->at) *number->at = value;
  if (number->also) *number->also = value;
}

td_status tree_numbers_freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  tree_numbers *s = context;
  set(&s->number[index], value);
  s->t->spec.told = true;
  td_status status = td_model_create(&s->t->spec, model, err);

  set(&s->number[index], s->parameter[index].value);
  return status;
}
