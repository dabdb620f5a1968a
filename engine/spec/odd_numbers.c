// Numbers that a thousand or a degree would explain: each is judged beside another one of the same document, since alone it could be meant.
//
//   waves     sqrt(E/rho), sqrt(EA/m): diamond 18 000 m/s, the softest gels 1 m/s. A metal (above 5000 kg/m^3) is not softer than 1e8 Pa
//   mass      of a rod or a shape above 1e6 kg
//   length    2e4 times the radius, thinner than a hair of a metre is long
//   inertia   radius of gyration sqrt(I/m) above 20 m or below 1e-7 m (points are given small ones); of a section sqrt(EI/EA) beside its radius
//   angle     a joint's rest beyond a turn
//   damping   that takes 1000 s to let a spring go (D/K), 100 s for a section's strains
//   contact   that gives way by more than ten times the size of a robot that nothing else holds, under its weight, or by less than an atom
//   tendon    farther from its rod's axis than half of the rod's length
//   water     denser than mercury, thinner than a vacuum, thicker than pitch, faster than 100 m/s
#include "spec/checks.h"
#include "strain/section.h"
#include <math.h>
#include <string.h>

static double largest(const double *x, size_t count) {
  double most = 0;
  for (size_t i = 0; x && i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static double most_of(const td_profile *p) { return largest(p->value, p->count * (p->width ? p->width : 1)); }

static double norm(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// ------------------------------------------------------------------------------------------------ rods

typedef struct bulk {
  double mass, size; // of the whole robot: kg; m, its longest body
} bulk;

// Mass of a rod, kg, by Simpson's rule; the largest radius.
static double mass_of(const td_rod_spec *rod, double *radius) {
  td_section *section = NULL;
  double mass = 0;
  *radius = 0;
  if (td_section_create(rod, &section)) return 0;
  for (int i = 0; i <= 2; i++) {
    td_section_at at;
    td_section_laws laws;
    td_section_eval(section, 0.5 * i, &at);
    td_section_laws_at(section, 0.5 * i, &laws);
    mass += laws.density * laws.area * rod->length * (i == 1 ? 4.0 : 1.0) / 6;
    *radius = fmax(*radius, at.radius);
  }
  td_section_destroy(section);
  return mass;
}

static void remark_waves(const td_place *at, double young, double density, const char *what) {
  double speed = sqrt(young / density);
  if (young < 1e3 || young > 1e13 || density < 10 || density > 25e3) return; // said already, each by itself
  if (density > 5000 && young < 1e8)
    td_place_warn(
        at, "odd_material",
        "%s of %.4g Pa at %.4g kg/m^3: what is as heavy as a metal is not as soft as rubber (steel has 2e11 Pa "
        "and 7800 kg/m^3)",
        what, young, density);
  else if (speed > 3e4 || speed < 0.3)
    td_place_warn(
        at, "odd_material",
        "%s of %.4g Pa at %.4g kg/m^3: sound would run at %.3g m/s (diamond 18000, soft gels 1); moduli are in "
        "Pa, densities in kg/m^3",
        what, young, density, speed);
}

static void remark_bulk(const td_place *body, double mass, double length, double radius) {
  td_place at = td_place_key(body, "length");
  if (mass > 1e6)
    td_place_warn(body, "odd_mass", "the rod weighs %.4g kg: sizes are in metres, densities in kg/m^3", mass);
  if (radius > 0 && length > 2e4 * radius)
    td_place_warn(&at, "odd_size", "%.6g m is %.3g times the radius of %.4g m: both are in metres", length,
                  length / radius, radius);
}

// EI of stiffness beside EA and the radius: the radius of gyration of a section's stiffness lies within its outline.
static void remark_stiffness_numbers(const td_place *body, const td_rod_spec *rod) {
  td_place section = td_place_key(body, "section");
  const td_stiffness_spec *n = &rod->numbers;
  double EA = most_of(&n->stiffness[3]), radius = most_of(&n->radius), mass = most_of(&n->mass);
  for (int c = 1; c <= 2 && EA > 0 && radius > 0; c++) {
    double gyration = sqrt(most_of(&n->stiffness[c]) / EA);
    td_place at = td_place_key(&section, td_stiffness_key(c));
    if (gyration > 10 * radius || (gyration > 0 && gyration < 1e-4 * radius))
      td_place_warn(&at, "odd_stiffness",
                    "%.4g N m^2 beside EA of %.4g N is that of a section of %.3g m, the radius is %.3g m: bending "
                    "stiffness is in N m^2",
                    most_of(&n->stiffness[c]), EA, gyration, radius);
  }
  double speed = EA > 0 && mass > 0 ? sqrt(EA / mass) : 1e3;
  td_place at = td_place_key(&section, "EA");
  if (speed > 1e5 || speed < 0.1)
    td_place_warn(&at, "odd_stiffness",
                  "%.4g N at %.4g kg/m: sound would run at %.3g m/s; EA is in N, mass_per_length in kg/m", EA, mass,
                  speed);
  for (int c = 0; c < 6; c++) {
    double stiffness = most_of(&n->stiffness[c]), damping = 0;
    for (size_t i = 0; i < rod->damping.count; i++) damping = fmax(damping, rod->damping.value[6 * i + (size_t)c]);
    td_place damped = td_place_key(&section, "damping");
    if (stiffness > 0 && damping > 100 * stiffness)
      td_place_warn(&damped, "odd_damping", "%.4g beside %s of %.4g: the strain would creep for %.3g s", damping,
                    td_stiffness_key(c), stiffness, damping / stiffness);
  }
}

static void remark_rod(const td_place *body, const td_rod_spec *rod, bulk *all) {
  td_place material = td_place_key(body, "material");
  double radius, mass = mass_of(rod, &radius);
  all->mass += mass, all->size = fmax(all->size, rod->length);
  if (rod->section == TD_SECTION_STIFFNESS) {
    remark_stiffness_numbers(body, rod);
    remark_bulk(body, mass, rod->length, most_of(&rod->numbers.radius));
    return;
  }
  remark_waves(&material, rod->young, rod->density, "young");
  remark_bulk(body, mass, rod->length, radius);
}

// ------------------------------------------------------------------------------------------------ rigid bodies

static double volume_of(const td_rigid_spec *r) {
  const double *s = r->size;
  if (r->shape == TD_SHAPE_BOX) return s[0] * s[1] * s[2];
  if (r->shape == TD_SHAPE_SPHERE) return 4.0 / 3 * M_PI * r->radius * r->radius * r->radius;
  return r->shape == TD_SHAPE_CYLINDER ? M_PI * r->radius * r->radius * r->length : 0;
}

static void remark_rigid(const td_place *body, const td_rigid_spec *r, bulk *all) {
  td_place inertia = td_place_key(body, "inertia"), com = td_place_key(body, "com");
  double mass = r->shape == TD_SHAPE_NONE ? r->mass : r->density * volume_of(r);
  double most = fmax(fabs(r->inertia[0]), fmax(fabs(r->inertia[4]), fabs(r->inertia[8]))), gyration = sqrt(most / mass);
  all->mass += mass;
  if (r->shape != TD_SHAPE_NONE && mass > 1e6)
    td_place_warn(body, "odd_mass", "the body weighs %.4g kg: sizes are in metres, densities in kg/m^3", mass);
  if (r->shape == TD_SHAPE_NONE && mass > 0 && most > 0 && (gyration > 20 || gyration < 1e-7))
    td_place_warn(&inertia, "odd_inertia",
                  "%.4g kg m^2 of a mass of %.4g kg is that of a body of %.3g m: masses are in kg, inertias in kg m^2",
                  most, mass, gyration);
  if (norm(r->com) > 100)
    td_place_warn(&com, "odd_size", "the centre of mass is %.4g m away: lengths are in metres", norm(r->com));
}

// ------------------------------------------------------------------------------------------------ joints, poses

static bool is_angle(td_joint_type type, int coordinate) {
  switch (type) {
  case TD_JOINT_REVOLUTE:
  case TD_JOINT_HELICAL:
  case TD_JOINT_CYLINDRICAL:
  case TD_JOINT_PLANAR:
    return coordinate == 0;
  case TD_JOINT_UNIVERSAL:
  case TD_JOINT_SPHERICAL:
    return true;
  case TD_JOINT_FREE:
    return coordinate < 3;
  default:
    return false;
  }
}

static void remark_joint(const td_place *link, const td_joint_spec *j) {
  td_place joint = td_place_key(link, "joint"), rest = td_place_key(&joint, "rest"),
           damping = td_place_key(&joint, "damping");
  for (int c = 0; c < td_joint_dof(j->type); c++) {
    if (is_angle(j->type, c) && fabs(j->rest[c]) > 2 * M_PI)
      td_place_warn(&rest, "odd_angle", "%.6g rad is more than a turn: angles are in radians, 90 degrees are 1.5707963",
                    j->rest[c]);
    if (j->stiffness[c] > 0 && j->damping[c] > 1e3 * j->stiffness[c])
      td_place_warn(&damping, "odd_damping",
                    "%.4g beside a stiffness of %.4g: the joint would creep to its rest for %.3g s", j->damping[c],
                    j->stiffness[c], j->damping[c] / j->stiffness[c]);
  }
}

static void remark_distance(const td_place *link, const td_link_spec *spec, double size) {
  td_place pose = td_place_key(link, "pose"), at = td_place_key(&pose, "translation");
  double far = norm(spec->pose.p);
  if (far > 100 && size > 0 && far > 30 * size)
    td_place_warn(&at, "odd_size",
                  "the link is %.4g m from its parent, the longest rod has %.4g m: lengths are in metres", far, size);
}

static void remark_links(const td_model_spec *spec, const td_place *root, bulk *all) {
  td_place links = td_place_key(root, "links");
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_body_spec *b = &spec->links[i].body;
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body");
    remark_joint(&link, &spec->links[i].joint);
    if (b->type == TD_BODY_ROD) remark_rod(&body, &b->rod, all);
    if (b->type == TD_BODY_RIGID) remark_rigid(&body, &b->rigid, all);
    if (b->type == TD_BODY_REDUCED) {
      remark_waves(&body, b->reduced.young, b->reduced.density, "young");
      all->size = fmax(all->size, b->reduced.length);
    }
  }
  for (size_t i = 0; i < spec->link_count; i++) {
    td_place link = td_place_at(&links, i);
    remark_distance(&link, &spec->links[i], all->size);
  }
}

// ------------------------------------------------------------------------------------------------ forces

static void remark_springs(const td_model_spec *spec, const td_place *root) {
  td_place springs = td_place_key(root, "springs");
  for (size_t i = 0; i < spec->spring_count; i++) {
    const td_spring_spec *s = &spec->springs[i];
    td_place spring = td_place_at(&springs, i), at = td_place_key(&spring, "damping");
    if (s->stiffness > 0 && s->damping > 1e3 * s->stiffness)
      td_place_warn(&at, "odd_damping", "%.4g N s/m beside %.4g N/m: the spring would creep to its rest for %.3g s",
                    s->damping, s->stiffness, s->damping / s->stiffness);
  }
}

// Contacts carry a robot whose roots fly.
static bool is_free(const td_model_spec *spec) {
  for (size_t i = 0; i < spec->link_count; i++)
    if (td_spec_is_world(spec->links[i].parent) && spec->links[i].joint.type != TD_JOINT_FREE) return false;
  return spec->loop_count == 0 && spec->spring_count == 0 && spec->fluid_density == 0;
}

// Depth at which a contact carries the robot's weight, all of it at one point or spread over its longest body.
static void remark_contacts(const td_model_spec *spec, const td_place *root, const bulk *all) {
  td_place contacts = td_place_key(root, "contacts");
  double weight = all->mass * norm(spec->gravity);
  for (size_t i = 0; weight > 0 && all->size > 0 && i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    td_place contact = td_place_at(&contacts, i), at = td_place_key(&contact, "stiffness");
    double load = c->per == TD_CONTACT_PER_LENGTH ? weight / all->size : weight;
    double depth = pow(load / c->stiffness, 1 / c->exponent);
    if ((depth > 10 * all->size && is_free(spec)) || depth < 1e-10)
      td_place_warn(&at, "odd_stiffness", "%.4g N/m^%.3g gives way by %.3g m under the robot's weight of %.3g N: %s",
                    c->stiffness, c->exponent, depth, weight,
                    depth < 1e-10 ? "less than an atom; steps will be tiny" : "the robot falls through it");
  }
}

static double reach_of(const td_routing_spec *r) {
  double sum = 0;
  switch (r->type) {
  case TD_ROUTING_LINEAR:
    return fmax(hypot(r->base[0], r->base[1]), hypot(r->tip[0], r->tip[1]));
  case TD_ROUTING_HELIX:
    return r->radius;
  case TD_ROUTING_TABLE:
    return hypot(largest(r->y, r->count), largest(r->z, r->count));
  default:
    for (size_t i = 0; i < r->of_count; i++) sum += reach_of(&r->of[i]);
    return sum;
  }
}

void td_spec_remark_reach(const td_place *routing_at, const char *tendon, const td_rod_spec *rod,
                          const td_routing_spec *routing) {
  double reach = reach_of(routing);
  if (reach > 0.5 * rod->length)
    td_place_warn(routing_at, "odd_size",
                  "tendon \"%.63s\" runs %.4g m from the axis of a rod of %.4g m: offsets are in metres", tendon, reach,
                  rod->length);
}

static void remark_water(const td_model_spec *spec, const td_place *root) {
  td_place fluid = td_place_key(root, "fluid"), density = td_place_key(&fluid, "density"),
           viscosity = td_place_key(&fluid, "viscosity"), velocity = td_place_key(&fluid, "velocity");
  double fastest = fmax(norm(spec->fluid.velocity), largest(spec->fluid.table, 3 * spec->fluid.knots));
  if (spec->fluid_density > 2e4 || (spec->fluid_density > 0 && spec->fluid_density < 0.01))
    td_place_warn(&density, "odd_material",
                  "%.4g kg/m^3 is no fluid (air 1.2, water 1000, mercury 13500): densities are in kg/m^3",
                  spec->fluid_density);
  if (spec->fluid.viscosity > 1e4)
    td_place_warn(&viscosity, "odd_material", "%.4g Pa s is thicker than honey (10): water has 1e-3 Pa s, air 1.8e-5",
                  spec->fluid.viscosity);
  if (fastest > 100)
    td_place_warn(&velocity, "odd_input", "%.4g m/s is fast for a fluid around a robot: velocities are in m/s",
                  fastest);
}

static void remark_gravity(const td_model_spec *spec, const td_place *root) {
  td_place gravity = td_place_key(root, "gravity");
  double g = norm(spec->gravity);
  if ((g > 30 && g <= 100) || (g > 0 && g < 0.05))
    td_place_warn(&gravity, "odd_gravity",
                  "%.6g m/s^2 is that of no planet (Earth 9.81, Moon 1.62): gravity is in m/s^2", g);
}

void td_spec_remark_numbers(const td_model_spec *spec, const td_place *root) {
  bulk all = {0};
  remark_gravity(spec, root);
  remark_links(spec, root, &all);
  remark_springs(spec, root);
  remark_contacts(spec, root, &all);
  remark_water(spec, root);
}
