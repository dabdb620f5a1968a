// What is odd in a document that passed every rule: numbers that were likely meant in another unit.
//
// The thresholds lie far outside of what robots are made of and from, so that a warning is worth its reading:
//   gravity above 100 m/s^2 (9810 mm/s^2); a rod's half section above 10 m or its length, a length above 1000 m (mm);
//   young below 1e3 or above 1e13 Pa (the softest gels have 1e3, diamond 1e12), viscosity that creeps for more than 100
//   s, poisson below 0, density below 10 (rigid: 3) or above 25000 kg/m^3 (aerogels, osmium); a rigid mass above 1e6 kg
//   (g); torsion of a solid strip by Iy + Iz when that is more than 3 times Saint-Venant's constant (2.9 times as wide
//   as high).
// Of tendons: odd_tendons.c.
#include "spec/odd/odd.h"
#include "strain/section.h"
#include <math.h>

typedef struct odd_material {
  double young, poisson, density, viscosity; // NaN: not given
} odd_material;

// `half`, `thin`: what the section reaches from the axis at the most, and across its flat side; `longest`: the robot's
// longest body. Ribs and flexures are wider than long, and some are stout among longer ones.
static void remark_size(const td_place *at, double length, double half, double thin, double longest) {
  td_place place = td_place_key(at, "length");
  if (length > 1e3) td_place_warn(&place, "odd_size", "%.6g m is long for a robot: lengths are in metres", length);
  if (half > 10 || (thin > length && half > longest) || half > 100 * length)
    td_place_warn(at, "odd_size",
                  "its section reaches %.6g m from the axis, with a length of %.6g m: sizes are in metres", half,
                  length);
}

static double longest_of(const td_model_spec *spec) {
  double most = 0;
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_body_spec *b = &spec->links[i].body;
    if (b->type == TD_BODY_ROD) most = fmax(most, b->rod.length);
    if (b->type == TD_BODY_REDUCED) most = fmax(most, b->reduced.length);
  }
  return most;
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

// The second moments of a plane: those about y and z add up to that about x. Numbers of several orders are another
// unit's.
static void remark_numbers(const td_place *body, const td_rod_spec *rod, double longest) {
  td_place section = td_place_key(body, "section"), inertia = td_place_key(&section, "inertia_per_length");
  const td_stiffness_spec *n = &rod->numbers;
  const double *J = n->inertia.value;
  double radius = reach_of(&n->radius, 1, 1);
  remark_size(body, rod->length, radius, radius, longest);
  if (n->inertia.count && fabs(J[0] - J[1] - J[2]) > 1e-2 * J[0])
    td_place_warn(&inertia, "odd_inertia", "a section that is plane has Jx = Iy + Iz, here they are %.6g and %.6g kg m",
                  J[0], J[1] + J[2]);
}

// Saint-Venant's torsion constant of a solid section; 0: not known here. Rectangle b >= t:
//   J = b t^3 / 3 (1 - 192 t / (pi^5 b) sum over odd n of tanh(n pi b / (2 t)) / n^5);
// ellipse: J = pi a^3 b^3 / (a^2 + b^2)
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

static void remark_rod(const td_place *body, const td_rod_spec *rod, double longest) {
  if (rod->section == TD_SECTION_STIFFNESS) {
    remark_numbers(body, rod, longest);
    return;
  }
  remark_torsion(body, rod);
  td_place material = td_place_key(body, "material");
  odd_material m = {rod->young, rod->poisson, rod->density, rod->viscosity};
  double share = rod->section == TD_SECTION_RECTANGLE ? 0.5 : 1, half = reach_of(rod->size, 2, share), thin = half;
  for (int i = 0; i < 2; i++)
    if (rod->size[i].count) thin = fmin(thin, reach_of(&rod->size[i], 1, share));
  remark_size(body, rod->length, half, thin, longest);
  remark_material(&material, &m);
}

static void remark_reduced(const td_place *body, const td_reduced_spec *r, double longest) {
  odd_material m = {r->young, r->poisson, r->density, NAN};
  double radius = r->kinematics == TD_KINEMATICS_RITZ ? 0 : reach_of(&r->radius, 1, 1);
  remark_size(body, r->length, radius, radius, longest);
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
  double longest = longest_of(spec);
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_body_spec *b = &spec->links[i].body;
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body");
    if (b->type == TD_BODY_ROD) remark_rod(&body, &b->rod, longest);
    if (b->type == TD_BODY_REDUCED) remark_reduced(&body, &b->reduced, longest);
    if (b->type == TD_BODY_RIGID) remark_rigid(&body, &b->rigid);
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
  td_spec_remark_tendons(spec, root);
  td_spec_remark_numbers(spec, root);
}
