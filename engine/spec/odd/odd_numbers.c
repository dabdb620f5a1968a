// Numbers that a thousand or a degree would explain: each is judged beside another one of the same document, since
// alone it could be meant.
//
//   rods      odd_rods.c
//   mass      of a shape above 1e6 kg; what would stretch the rod that carries it by 1.2 of its length, m g / EA
//             (bungee cords 1), or one that is no cord by 0.4 (grippers on the softest silicone 0.1)
//   inertia   radius of gyration sqrt(I/m) above 20 m or below 1e-7 m (points are given small ones); above 5 m for a
//             mass that spread over it would be thinner than air (m/k^3 < 0.005 kg/m^3; masts 1); above 3 times the
//             length of a robot that has rods
//   angle     a joint's rest beyond a turn, its limits beyond five
//   damping   that takes 1000 s to let a spring go (D/K)
//   friction  of a tendon or a contact above 3 (rubber on rubber 1 to 2): degrees
//   contact   that gives way by more than ten times the size of a robot that nothing else holds, under its weight, or
//             by more than the length of the rods that may touch it under theirs, or by less than an atom
//   tendon    farther from its rod's axis than half of the rod's length
//   water     denser than mercury, thinner than a vacuum, thicker than pitch, faster than 100 m/s
#include "element/joint_type.h"
#include "spec/check/checks.h"
#include "spec/odd/odd.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FAR = 10;                // against the length of rods
static const double DENSEST = 1e7;           // kg/m^3, 400 times osmium
static const double MOST_TURNED = 10 * M_PI; // rad: of cables that are wound up, hardly more
static const double BALL = 16.6;             // its volume by its radius of gyration cubed

static double largest(const double *x, size_t count) {
  double most = 0;
  for (size_t i = 0; x && i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static double norm(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

typedef struct bulk {
  double mass, size;  // of the whole robot: kg; m, its longest body
  double length, far; // lengths, and translations between links, m, summed up
  double *of;         // [links] mass of each body, kg; 0 of reduced ones
} bulk;

// ------------------------------------------------------------------------------------------------ rigid bodies

static double volume_of(const td_rigid_spec *r) {
  const double *s = r->size;
  if (r->shape == TD_SHAPE_BOX) return s[0] * s[1] * s[2];
  if (r->shape == TD_SHAPE_SPHERE) return 4.0 / 3 * M_PI * r->radius * r->radius * r->radius;
  return r->shape == TD_SHAPE_CYLINDER ? M_PI * r->radius * r->radius * r->length : 0;
}

// What a body of this mass and this moment of inertia would be like, when no body of this robot is.
static void remark_inertia(const td_place *body, const td_rigid_spec *r, const bulk *all) {
  td_place at = td_place_key(body, "inertia");
  double most = fmax(fabs(r->inertia[0]), fmax(fabs(r->inertia[4]), fabs(r->inertia[8])));
  double k = sqrt(most / r->mass), reach = all->length + all->far + norm(r->com);
  bool thin = k > 5 && 0.005 * k * k * k > r->mass;
  bool vast = all->length > 0 && k > 3 * reach;
  if (!(r->mass > 0) || !(most > 0)) return;
  if ((k > 20 && r->mass < k * k * k) || k < 1e-7 || thin || vast)
    td_place_warn(&at, "odd_inertia",
                  "%.4g kg m^2 of a mass of %.4g kg is that of a body of %.3g m: masses are in kg, inertias in kg m^2 "
                  "(1 kg mm^2 is 1e-6, 1 g mm^2 is 1e-9)",
                  most, r->mass, k);
  else if (all->length > 0 && r->mass >= 1 && k < 5e-3 * reach && r->mass > DENSEST * BALL * k * k * k)
    td_place_warn(
        &at, "odd_inertia",
        "%.4g kg within a radius of gyration of %.3g m (%.4g kg m^2) is denser than any matter: masses are in "
        "kg, inertias in kg m^2; of a point mass write 0",
        r->mass, k, most);
}

static void remark_rigid(const td_place *body, const td_rigid_spec *r, const bulk *all) {
  td_place com = td_place_key(body, "com");
  if (r->shape == TD_SHAPE_NONE) remark_inertia(body, r, all);
  if (r->shape != TD_SHAPE_NONE && r->density * volume_of(r) > 1e6)
    td_place_warn(body, "odd_mass", "the body weighs %.4g kg: sizes are in metres, densities in kg/m^3",
                  r->density * volume_of(r));
  if (norm(r->com) > 100 || (all->length > 0 && norm(r->com) > FAR * (all->length + all->far)))
    td_place_warn(&com, "odd_size", "the centre of mass is %.4g m away: lengths are in metres", norm(r->com));
}

// ------------------------------------------------------------------------------------------------ joints, poses

// Joints may turn several times; 45 and 90 are degrees.
static void remark_limits(const td_place *joint, const td_joint_spec *j) {
  td_place limits = td_place_key(joint, "limits");
  for (int c = 0; c < td_joint_dof(j->type); c++) {
    double bounds[2] = {j->limits.lower[c], j->limits.upper[c]};
    bool turns = j->limits.stiffness[c] > 0 && td_joint_component(j->type, c) < 3;
    for (int i = 0; i < 2 && turns; i++)
      if (isfinite(bounds[i]) && fabs(bounds[i]) > MOST_TURNED) {
        td_place_warn(&limits, "odd_angle",
                      "%.6g rad is more than five turns: angles are in radians, 90 degrees are 1.5707963", bounds[i]);
        return;
      }
  }
}

static void remark_joint(const td_place *link, const td_joint_spec *j) {
  td_place joint = td_place_key(link, "joint"), rest = td_place_key(&joint, "rest"),
           damping = td_place_key(&joint, "damping");
  for (int c = 0; c < td_joint_dof(j->type); c++) {
    if (td_joint_component(j->type, c) < 3 && fabs(j->rest[c]) > 2 * M_PI)
      td_place_warn(&rest, "odd_angle", "%.6g rad is more than a turn: angles are in radians, 90 degrees are 1.5707963",
                    j->rest[c]);
    if (j->stiffness[c] > 0 && j->damping[c] > 1e3 * j->stiffness[c])
      td_place_warn(&damping, "odd_damping",
                    "%.4g with a stiffness of %.4g: the joint would creep to its rest for %.3g s", j->damping[c],
                    j->stiffness[c], j->damping[c] / j->stiffness[c]);
  }
  remark_limits(&joint, j);
}

// `size`: the longest body; a short rib may carry what stands far off.
static void remark_distance(const td_place *link, const td_link_spec *spec, double size, bool on_rod) {
  td_place pose = td_place_key(link, "pose"), at = td_place_key(&pose, "translation");
  double far = norm(spec->pose.p);
  bool apart = size > 0 && !td_spec_is_world(spec->parent) && far > 20 && far > 100 * size;
  if (apart || (far > 100 && size > 0 && far > 30 * size) || (on_rod && far > FAR * size))
    td_place_warn(&at, "odd_size",
                  "the link is %.4g m from its parent, the longest rod has %.4g m: lengths are in metres", far, size);
}

// Lengths in mm, times in ms. Arms and catheters have 5 to 2000 radii; what is soft comes to rest within seconds.
static void remark_reduced(const td_place *body, const td_reduced_spec *r) {
  td_place length = td_place_key(body, "length"), time = td_place_key(body, "damping_time");
  double radius = largest(r->radius.value, r->radius.count);
  if (r->length > 20 && radius > 0 && r->length > 3000 * radius)
    td_place_warn(&length, "odd_size", "%.4g m is %.3g radii of %.4g m: lengths are in metres", r->length,
                  r->length / radius, radius);
  if (r->damping_time > 30)
    td_place_warn(&time, "odd_damping", "the body would creep to its rest for %.4g s: times are in seconds",
                  r->damping_time);
}

// Rods are remarked on while they are weighed.
static double weigh(const td_place *body, const td_body_spec *b, double gravity, bulk *all) {
  if (b->type == TD_BODY_ROD || b->type == TD_BODY_REDUCED) {
    double length = b->type == TD_BODY_ROD ? b->rod.length : b->reduced.length;
    all->length += length, all->size = fmax(all->size, length);
  }
  if (b->type == TD_BODY_REDUCED) remark_reduced(body, &b->reduced);
  if (b->type == TD_BODY_REDUCED) td_spec_remark_waves(body, b->reduced.young, b->reduced.density, "young");
  if (b->type == TD_BODY_ROD) return td_spec_remark_rod(body, &b->rod, gravity);
  if (b->type != TD_BODY_RIGID) return 0;
  return b->rigid.shape == TD_SHAPE_NONE ? b->rigid.mass : b->rigid.density * volume_of(&b->rigid);
}

static void remark_links(const td_model_spec *spec, const td_place *root, bulk *all) {
  td_place links = td_place_key(root, "links");
  for (size_t i = 0; i < spec->link_count; i++) {
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body");
    remark_joint(&link, &spec->links[i].joint);
    all->of[i] = weigh(&body, &spec->links[i].body, norm(spec->gravity), all);
    all->mass += all->of[i];
    all->far += norm(spec->links[i].pose.p);
  }
  for (size_t i = 0; i < spec->link_count; i++) {
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body");
    int parent = td_spec_link_find(spec, i, spec->links[i].parent);
    bool on_rod = parent >= 0 && spec->links[parent].body.type == TD_BODY_ROD;
    remark_distance(&link, &spec->links[i], all->size, on_rod);
    if (spec->links[i].body.type == TD_BODY_RIGID) remark_rigid(&body, &spec->links[i].body.rigid, all);
  }
}

// ------------------------------------------------------------------------------------------------ forces

static void remark_springs(const td_model_spec *spec, const td_place *root) {
  td_place springs = td_place_key(root, "springs");
  for (size_t i = 0; i < spec->spring_count; i++) {
    const td_spring_spec *s = &spec->springs[i];
    td_place spring = td_place_at(&springs, i), at = td_place_key(&spring, "damping");
    if (s->stiffness > 0 && s->damping > 1e3 * s->stiffness)
      td_place_warn(&at, "odd_damping", "%.4g N s/m with %.4g N/m: the spring would creep to its rest for %.3g s",
                    s->damping, s->stiffness, s->damping / s->stiffness);
  }
}

// Contacts carry a robot whose roots fly.
static bool is_free(const td_model_spec *spec) {
  for (size_t i = 0; i < spec->link_count; i++)
    if (td_spec_is_world(spec->links[i].parent) && spec->links[i].joint.type != TD_JOINT_FREE) return false;
  return spec->loop_count == 0 && spec->spring_count == 0 && spec->fluid_density == 0;
}

// The rods that a contact may touch: their weight, and the longest of them.
static double touching(const td_model_spec *spec, const td_contact_spec *c, const bulk *all, double *longest) {
  double mass = 0;
  *longest = 0;
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_link_spec *l = &spec->links[i];
    bool named = c->link_count == 0;
    for (size_t k = 0; k < c->link_count; k++) named |= !strcmp(c->links[k], l->name);
    if (!named || l->body.type != TD_BODY_ROD) continue;
    mass += all->of[i];
    *longest = fmax(*longest, l->body.rod.length);
  }
  return mass * norm(spec->gravity);
}

static double depth_under(const td_contact_spec *c, double weight, double length) {
  return pow((c->per == TD_CONTACT_PER_LENGTH ? weight / length : weight) / c->stiffness, 1 / c->exponent);
}

// Depth at which a contact carries the robot's weight, or that of the rods that touch it.
static void remark_contacts(const td_model_spec *spec, const td_place *root, const bulk *all) {
  td_place contacts = td_place_key(root, "contacts");
  double weight = all->mass * norm(spec->gravity);
  for (size_t i = 0; weight > 0 && all->size > 0 && i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    td_place contact = td_place_at(&contacts, i), at = td_place_key(&contact, "stiffness");
    double longest, light = touching(spec, c, all, &longest), sunk = longest > 0 ? depth_under(c, light, longest) : 0;
    double depth = depth_under(c, weight, all->size);
    double power = c->exponent + (c->per == TD_CONTACT_PER_LENGTH);
    if ((depth > 10 * all->size && is_free(spec)) || depth < 1e-10)
      td_place_warn(&at, "odd_stiffness", "%.4g N/m^%.3g gives way by %.3g m under the robot's weight of %.3g N: %s",
                    c->stiffness, power, depth, weight,
                    depth < 1e-10 ? "less than an atom; steps will be tiny" : "the robot falls through it");
    else if (sunk > longest)
      td_place_warn(&at, "odd_stiffness",
                    "%.4g N/m^%.3g gives way by %.3g m under the weight of the rods that may touch it, %.3g N, the "
                    "longest of which has %.3g m: stiffness is in N/m^%.3g",
                    c->stiffness, power, sunk, light, longest, power);
  }
}

static void remark_coefficient(const td_place *list, size_t i, double friction) {
  td_place entry = td_place_at(list, i), at = td_place_key(&entry, "friction");
  if (friction > 3)
    td_place_warn(&at, "odd_friction",
                  "%.4g is a coefficient, of force across by force along (0.05 to 0.3 in sheaths, rubber 1): not an "
                  "angle in degrees nor percent",
                  friction);
}

static void remark_friction(const td_model_spec *spec, const td_place *root) {
  td_place actuators = td_place_key(root, "actuators"), contacts = td_place_key(root, "contacts");
  for (size_t i = 0; i < spec->actuator_count; i++) remark_coefficient(&actuators, i, spec->actuators[i].friction);
  for (size_t i = 0; i < spec->contact_count; i++) remark_coefficient(&contacts, i, spec->contacts[i].friction);
}

// ------------------------------------------------------------------------------------------------ what rods carry

// m g / EA of a chain that nothing else holds up.
static void remark_burden(const td_model_spec *spec, const td_place *root, const bulk *all) {
  td_place links = td_place_key(root, "links");
  bool held = spec->loop_count || spec->spring_count || spec->contact_count || spec->fluid_density > 0;
  double *carried = held ? NULL : calloc(spec->link_count, sizeof *carried);
  for (size_t i = spec->link_count; carried && i-- > 0;) {
    const td_link_spec *l = &spec->links[i];
    int parent = td_spec_link_find(spec, i, l->parent);
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body");
    double EA = l->body.type == TD_BODY_ROD ? td_spec_rod_stiffness(&l->body.rod, 3) : 0;
    double EI = EA > 0 ? td_spec_rod_stiffness(&l->body.rod, 1) : 0, pull = carried[i] * norm(spec->gravity);
    bool cord = EI > 0 && l->body.rod.length > 600 * sqrt(EI / EA); // 300 radii
    if (EA > 0 && pull > (cord ? 1.2 : 0.4) * EA)
      td_place_warn(&body, "odd_mass",
                    "behind this rod hang %.4g kg, whose weight would stretch it by %.3g of its length (EA is %.3g N): "
                    "masses are in kg, moduli in Pa",
                    carried[i], pull / EA, EA);
    if (parent >= 0) carried[parent] += carried[i] + all->of[i];
  }
  free(carried);
}

// What a constant load does to the rod that it acts on: beyond EA it stretches it to twice its length, beyond 60 EI/L
// it winds it up.
static void remark_loads(const td_model_spec *spec, const td_place *root) {
  td_place list = td_place_key(root, "loads");
  for (size_t i = 0; i < spec->load_count; i++) {
    const td_load_spec *l = &spec->loads[i];
    td_place load = td_place_at(&list, i), at = td_place_key(&load, "wrench");
    if (!l->has_channels) td_spec_remark_wrench(&at, spec, l, norm(l->wrench), norm(l->wrench + 3));
  }
}

void td_spec_remark_wrench(const td_place *at, const td_model_spec *spec, const td_load_spec *load, double moment,
                           double force) {
  int link = td_spec_link_find(spec, spec->link_count, load->link);
  while (link >= 0 && spec->links[link].body.type == TD_BODY_RIGID && spec->links[link].joint.type == TD_JOINT_FIXED)
    link = td_spec_link_find(spec, (size_t)link, spec->links[link].parent);
  if (link < 0 || spec->links[link].body.type != TD_BODY_ROD) return;
  const td_rod_spec *rod = &spec->links[link].body.rod;
  double EA = td_spec_rod_stiffness(rod, 3), EI = fmax(td_spec_rod_stiffness(rod, 1), td_spec_rod_stiffness(rod, 2)),
         length = load->per_length ? (load->to - load->from) * rod->length : 1;
  if (EA > 0 && force * length > 1.5 * EA)
    td_place_warn(at, "odd_input", "%.4g N would stretch the rod by %.3g of its length (EA is %.3g N): forces are in N",
                  force * length, force * length / EA, EA);
  else if (EI > 0 && moment * length * rod->length > 60 * EI)
    td_place_warn(at, "odd_input",
                  "%.4g N m would wind the rod up by %.3g turns (EI is %.3g N m^2): moments are in N m",
                  moment * length, moment * length * rod->length / EI / (2 * M_PI), EI);
}

// ------------------------------------------------------------------------------------------------ routings, water

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
                          const td_routing_spec *routing, double robot) {
  double reach = reach_of(routing);
  if (reach > 0.5 * fmax(rod->length, robot))
    td_place_warn(routing_at, "odd_size",
                  "tendon \"%.63s\" runs %.4g m from the axis of a rod of %.4g m: offsets are in metres", tendon, reach,
                  rod->length);
}

// A fluid of 1 kg/m^3 is air on a mountain, or water in g/cm^3: by its viscosity, or beside rods as dense as animals.
static bool is_light_water(const td_model_spec *spec) {
  bool one = spec->fluid_density > 0.98 && spec->fluid_density < 1.04, dense = false;
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_body_spec *b = &spec->links[i].body;
    dense |= b->type == TD_BODY_ROD && b->rod.section != TD_SECTION_STIFFNESS && b->rod.density > 800 &&
             b->rod.density < 1400;
  }
  return (one && dense) || (spec->fluid_density > 0 && spec->fluid_density < 50 && spec->fluid.viscosity > 2e-4);
}

static void remark_water(const td_model_spec *spec, const td_place *root) {
  td_place fluid = td_place_key(root, "fluid"), density = td_place_key(&fluid, "density"),
           viscosity = td_place_key(&fluid, "viscosity"), velocity = td_place_key(&fluid, "velocity");
  double fastest = fmax(norm(spec->fluid.velocity), largest(spec->fluid.table, 3 * spec->fluid.knots));
  if (spec->fluid_density > 2e4 || (spec->fluid_density > 0 && spec->fluid_density < 0.01))
    td_place_warn(&density, "odd_material",
                  "%.4g kg/m^3 is not a fluid (air 1.2, water 1000, mercury 13500): densities are in kg/m^3",
                  spec->fluid_density);
  else if (is_light_water(spec))
    td_place_warn(&density, "odd_material", "%.4g kg/m^3 is as light as air: water has 1000, densities are in kg/m^3",
                  spec->fluid_density);
  if (spec->fluid.viscosity >= 1000) // the thickest silicone oil that is sold has 970
    td_place_warn(&viscosity, "odd_material", "%.4g Pa s is thicker than honey (10): water has 1e-3 Pa s, air 1.8e-5",
                  spec->fluid.viscosity);
  if (fastest > 100)
    td_place_warn(&velocity, "odd_input", "%.4g m/s is fast for a fluid around a robot: velocities are in m/s",
                  fastest);
}

// A ball or cylinder of a hundred times the reach of a robot is as good as a plane.
static void remark_obstacles(const td_model_spec *spec, const td_place *root, const bulk *all) {
  static const double most = 100;
  td_place list = td_place_key(root, "contacts");
  double reach = all->length + all->far;
  for (size_t i = 0; i < spec->contact_count && all->length > 0; i++) {
    td_place contact = td_place_at(&list, i), at = td_place_key(&contact, "radius");
    if (td_contact_has_radius(spec->contacts[i].type) && spec->contacts[i].radius > most * reach)
      td_place_warn(&at, "odd_size", "a radius of %.4g m, and the robot reaches %.3g m: lengths are in metres",
                    spec->contacts[i].radius, reach);
  }
}

void td_spec_remark_numbers(const td_model_spec *spec, const td_place *root) {
  bulk all = {.of = calloc(spec->link_count, sizeof *all.of)};
  if (!all.of) return;
  remark_links(spec, root, &all);
  remark_springs(spec, root);
  remark_contacts(spec, root, &all);
  td_spec_remark_touch(spec, root);
  remark_friction(spec, root);
  remark_burden(spec, root, &all);
  remark_loads(spec, root);
  remark_water(spec, root);
  remark_obstacles(spec, root, &all);
  td_spec_remark_weight(spec, root, all.of, all.length + all.far);
  td_spec_remark_twice(spec, root, all.of);
  free(all.of);
}
