// What is odd in a document that passed every rule: numbers that were likely meant in another unit, tendons beside their rods.
//
// The thresholds lie far outside of what robots are made of and from, so that a warning is worth its reading:
//   gravity above 100 m/s^2 (9810 mm/s^2); a rod's half section above 10 m or its length, a length above 1000 m (mm);
//   young below 1e3 or above 1e13 Pa (the softest gels have 1e3, diamond 1e12), viscosity that creeps for more than 100 s,
//   poisson below 0, density below 10 (rigid: 3) or above 25000 kg/m^3 (aerogels, osmium); a rigid mass above 1e6 kg (g);
//   torsion of a solid strip by Iy + Iz when that is more than 3 times Saint-Venant's constant (2.9 times as wide as high);
//   a tendon that runs outside of its rod's section by more than 1 % (right where disks guide it);
//   a helix of a tendon with less than two Gauss points a turn: what they see of it is another path.
#include "element/routing.h"
#include "spec/checks.h"
#include "strain/points.h"
#include "strain/section.h"
#include <math.h>

typedef struct odd_material {
  double young, poisson, density, viscosity; // NaN: not given
} odd_material;

static void remark_size(const td_place *at, double length, double half) {
  td_place place = td_place_key(at, "length");
  if (length > 1e3) td_place_warn(&place, "odd_size", "%.6g m is long for a robot: lengths are in metres", length);
  if (half > 10 || half > length)
    td_place_warn(at, "odd_size",
                  "its section reaches %.6g m from the axis, with a length of %.6g m: sizes are in metres", half,
                  length);
}

static void remark_stiffness(const td_place *at, const odd_material *m) {
  td_place young = td_place_key(at, "young"), poisson = td_place_key(at, "poisson");
  if (m->young < 1e3 || m->young > 1e13)
    td_place_warn(&young, "odd_material",
                  "%.6g Pa is far from any material (soft silicone 1e4 … 1e6, steel 2e11): moduli are in Pa", m->young);
  if (m->poisson < 0)
    td_place_warn(&poisson, "odd_material", "%.6g: few materials grow thicker when they are pulled", m->poisson);
}

static void remark_material(const td_place *at, const odd_material *m) {
  td_place density = td_place_key(at, "density"), viscosity = td_place_key(at, "viscosity");
  remark_stiffness(at, m);
  if (m->density < 10 || m->density > 25e3)
    td_place_warn(&density, "odd_material",
                  "%.6g kg/m^3 is far from any material (water 1000, steel 7800): densities are in kg/m^3", m->density);
  if (m->viscosity > 100 * m->young)
    td_place_warn(&viscosity, "odd_material",
                  "%.6g Pa s against %.6g Pa: the material would creep for %.3g s; viscosities are in Pa s",
                  m->viscosity, m->young, m->viscosity / m->young);
}

// Largest distance of the outline from the axis.
static double reach_of(const td_profile *size, size_t count, double share) {
  double most = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; size[i].value && k < size[i].count; k++) most = fmax(most, share * size[i].value[k]);
  return most;
}

// The second moments of a plane: those about y and z add up to that about x. Numbers of several orders are another unit's.
static void remark_numbers(const td_place *body, const td_rod_spec *rod) {
  td_place section = td_place_key(body, "section"), inertia = td_place_key(&section, "inertia_per_length");
  const td_stiffness_spec *n = &rod->numbers;
  const double *J = n->inertia.value;
  remark_size(body, rod->length, reach_of(&n->radius, 1, 1));
  if (n->inertia.count && fabs(J[0] - J[1] - J[2]) > 1e-2 * J[0])
    td_place_warn(&inertia, "odd_inertia", "a section that is plane has Jx = Iy + Iz, here they are %.6g and %.6g kg m",
                  J[0], J[1] + J[2]);
}

// Saint-Venant's torsion constant of a solid section; 0: not known here. Rectangle b >= t:
//   J = b t^3 / 3 (1 - 192 t / (pi^5 b) sum over odd n of tanh(n pi b / (2 t)) / n^5);   ellipse: J = pi a^3 b^3 / (a^2 + b^2)
// Source: Timoshenko and Goodier, Theory of Elasticity, articles 106, 109.
static double saint_venant(td_section_shape shape, const double extent[2]) {
  double b = fmax(extent[0], extent[1]), t = fmin(extent[0], extent[1]), sum = 0;
  if (shape == TD_SECTION_ELLIPSE) return M_PI / 16 * b * b * b * t * t * t / (b * b + t * t);
  if (shape != TD_SECTION_RECTANGLE) return 0;
  for (int n = 15; n > 0; n -= 2) sum += tanh(n * M_PI * b / (2 * t)) / pow(n, 5);
  return b * t * t * t / 3 * (1 - 192 * t / (pow(M_PI, 5) * b) * sum);
}

// Where Iy + Iz, which stands for J when none is given, exceeds it most.
static void remark_torsion(const td_place *body, const td_rod_spec *rod) {
  enum { SAMPLES = 16 };
  td_place section_at = td_place_key(body, "section");
  td_section *section = NULL;
  double most = 0, where = 0, J = 0;
  bool solid = rod->inner[0].count == 0 && rod->inner[1].count == 0;
  if (rod->order[0] < 0 || rod->torsion_constant.count || !solid || td_section_create(rod, &section)) return;
  for (int i = 0; i <= SAMPLES; i++) {
    td_section_at at;
    td_section_eval(section, (double)i / SAMPLES, &at);
    double constant = saint_venant(rod->section, at.extent);
    if (at.Jx > most * constant && constant > 0) most = at.Jx / constant, where = (double)i / SAMPLES, J = constant;
  }
  td_section_destroy(section);
  if (most > 3)
    td_place_warn(
        &section_at, "torsion_constant",
        "Saint-Venant's torsion constant of this section at s = %.3g is %.4g m^4; Iy + Iz, used without one, is "
        "%.3g times larger, and the rod as much too stiff in torsion: give `torsion_constant`",
        where, J, most);
}

static void remark_rod(const td_place *body, const td_rod_spec *rod) {
  if (rod->section == TD_SECTION_STIFFNESS) {
    remark_numbers(body, rod);
    return;
  }
  remark_torsion(body, rod);
  td_place material = td_place_key(body, "material");
  odd_material m = {rod->young, rod->poisson, rod->density, rod->viscosity};
  remark_size(body, rod->length, reach_of(rod->size, 2, rod->section == TD_SECTION_RECTANGLE ? 0.5 : 1));
  remark_material(&material, &m);
}

static void remark_reduced(const td_place *body, const td_reduced_spec *r) {
  odd_material m = {r->young, r->poisson, r->density, NAN};
  remark_size(body, r->length, r->kinematics == TD_KINEMATICS_RITZ ? 0 : reach_of(&r->radius, 1, 1));
  remark_material(body, &m);
}

static void remark_rigid(const td_place *body, const td_rigid_spec *rigid) {
  td_place mass = td_place_key(body, "mass"), density = td_place_key(body, "density");
  if (rigid->shape == TD_SHAPE_NONE && rigid->mass > 1e6)
    td_place_warn(&mass, "odd_mass", "%.6g kg is heavy for a robot: masses are in kg", rigid->mass);
  if (rigid->shape != TD_SHAPE_NONE && (rigid->density < 3 || rigid->density > 25e3))
    td_place_warn(&density, "odd_material",
                  "%.6g kg/m^3 is far from any material (water 1000, steel 7800): densities are in kg/m^3",
                  rigid->density);
}

static void remark_links(const td_model_spec *spec, const td_place *root) {
  td_place links = td_place_key(root, "links");
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_body_spec *b = &spec->links[i].body;
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body");
    if (b->type == TD_BODY_ROD) remark_rod(&body, &b->rod);
    if (b->type == TD_BODY_REDUCED) remark_reduced(&body, &b->reduced);
    if (b->type == TD_BODY_RIGID) remark_rigid(&body, &b->rigid);
  }
}

// ---- tendons

// Distance of (y, z) from the axis in units of the outline's: beyond 1 it is outside.
static double part_of_section(td_section_shape shape, const double extent[2], const double d[2]) {
  double y = 2 * fabs(d[0]) / extent[0], z = 2 * fabs(d[1]) / extent[1];
  return shape == TD_SECTION_RECTANGLE ? fmax(y, z) : hypot(y, z);
}

// Where the routing is farthest outside, as a part of the section; sampled, as routings are smooth.
static double farthest(const td_rod_spec *rod, const td_section *section, const td_routing *routing, double *where) {
  enum { SAMPLES = 32 };
  double most = 0;
  for (int i = 0; i <= SAMPLES; i++) {
    double s = (double)i / SAMPLES, d[2], dd[2];
    td_section_at at;
    td_section_eval(section, s, &at);
    td_routing_eval(routing, s, d, dd);
    double part = part_of_section(rod->section, at.extent, d);
    if (part > most) most = part, *where = s;
  }
  return most;
}

static double most_turns(const td_routing_spec *spec) {
  double most = spec->type == TD_ROUTING_HELIX ? fabs(spec->turns) : 0;
  for (size_t i = 0; spec->type == TD_ROUTING_SUM && i < spec->of_count; i++)
    if (spec->of[i].type == TD_ROUTING_HELIX) most = fmax(most, fabs(spec->of[i].turns));
  return most;
}

static void remark_turns(const td_place *routing_at, const char *tendon, const td_rod_spec *rod,
                         const td_routing_spec *spec) {
  double turns = most_turns(spec);
  int points = td_rod_gauss_count(rod);
  if (spec->type == TD_ROUTING_HELIX && fabs(spec->phase) > 4 * M_PI)
    td_place_warn(routing_at, "odd_angle", "a phase of %.6g rad is %.3g turns: phases are in radians", spec->phase,
                  spec->phase / (2 * M_PI));
  if (points > 2 * turns) return;
  td_place_warn(
      routing_at, "coarse_routing",
      "tendon \"%.63s\" turns %.3g times around its rod, which has %d Gauss points: they see another path; give the "
      "rod's quadrature at least %.0f points",
      tendon, turns, points, ceil(4 * turns) + 2);
}

// A rod that bends about one axis only, and a tendon beside its axis in the plane of the other: offset y bends about z, z about y.
static void remark_plane(const td_place *routing_at, const char *tendon, const td_rod_spec *rod,
                         const td_routing *routing) {
  enum { SAMPLES = 8 };
  double most[2] = {0, 0};
  int bends = rod->order[1] >= 0 && rod->order[2] < 0 ? 1 : rod->order[2] >= 0 && rod->order[1] < 0 ? 0 : -1;
  for (int i = 0; i <= SAMPLES; i++) {
    double d[2], dd[2];
    td_routing_eval(routing, (double)i / SAMPLES, d, dd);
    for (int k = 0; k < 2; k++) most[k] = fmax(most[k], fabs(d[k]));
  }
  if (bends >= 0 && most[bends] < 1e-6 * most[1 - bends])
    td_place_warn(
        routing_at, "idle_force",
        "tendon \"%.63s\" bends nothing: it runs %.4g m beside the axis along %s, which works on %s, and the rod has "
        "only %s; offsets are [y, z]",
        tendon, most[1 - bends], bends ? "y" : "z", td_strain_component_name(bends ? 2 : 1),
        td_strain_component_name(bends ? 1 : 2));
}

static void remark_routing(const td_place *routing_at, const char *tendon, const td_rod_spec *rod,
                           const td_routing_spec *spec) {
  td_section *section = NULL;
  td_routing *routing = NULL;
  double where = 0, part = 0;
  bool outlined = rod->section != TD_SECTION_STIFFNESS || rod->numbers.radius.count;
  remark_turns(routing_at, tendon, rod, spec);
  td_spec_remark_reach(routing_at, tendon, rod, spec);
  if (td_routing_create(spec, &routing)) return;
  remark_plane(routing_at, tendon, rod, routing);
  if (outlined && !td_section_create(rod, &section)) part = farthest(rod, section, routing, &where);
  if (part > 1.01)
    td_place_warn(
        routing_at, "tendon_outside",
        "at s = %.3g tendon \"%.63s\" runs %.3g times as far from the axis as the outline of the rod's section: "
        "right where disks guide it",
        where, tendon, part);
  td_routing_destroy(routing);
  td_section_destroy(section);
}

static void remark_tendons(const td_model_spec *spec, const td_place *root) {
  td_place actuators = td_place_key(root, "actuators");
  for (size_t a = 0; a < spec->actuator_count; a++) {
    const td_actuator_spec *actuator = &spec->actuators[a];
    td_place at = td_place_at(&actuators, a), list = td_place_key(&at, "segments");
    for (size_t i = 0; actuator->type == TD_ACTUATOR_TENDON && i < actuator->segment_count; i++) {
      const td_segment_spec *segment = &actuator->segments[i];
      int link = td_spec_link_find(spec, spec->link_count, segment->link);
      td_place entry = td_place_at(&list, i), up = actuator->segments_key ? entry : at,
               routing = td_place_key(&up, "routing");
      if (segment->has_routing && link >= 0 && spec->links[link].body.type == TD_BODY_ROD)
        remark_routing(&routing, actuator->name, &spec->links[link].body.rod, &segment->routing);
    }
  }
}

void td_spec_remark(const td_model_spec *spec, const td_place *root) {
  td_place gravity = td_place_key(root, "gravity");
  const double *g = spec->gravity;
  double norm = hypot(hypot(g[0], g[1]), g[2]);
  if (!root->warnings) return;
  if (norm > 100)
    td_place_warn(&gravity, "odd_gravity", "%.6g m/s^2 is %.3g times the Earth's: gravity is in m/s^2", norm,
                  norm / 9.81);
  remark_links(spec, root);
  remark_tendons(spec, root);
  td_spec_remark_numbers(spec, root);
}
