// What touches obstacles otherwise than a reader of the document may think.
//
//   flat_contact  a flat section (more than twice as wide as thick) touches as a ball of its mean radius r: by r -
//                 thin/2 too early across its flat side, by wide/2 - r too late across its edge
//   no_contact    only rods touch unless others are named: a body that moves about on its own, with nothing that may
//                 touch on anything it hangs together with, goes through all obstacles. Platforms on rods that touch, pendulums and wheels are
//                 nobody's surprise
//
// And numbers of one contact alone that few would mean:
//   odd_stiffness  an exponent above 5; a force of 1 N that presses it in by less than a tenth of an atom
//   odd_damping    that doubles the force at 1 mm/s
//   odd_friction   of which 0.3 is left at 1 m/s of sliding, or a slip speed that no method follows
//   odd_size       what touches is thinner than a hair's hundredth or wider than a town; a mesh that its rounding hides
#include "spec/check/checks.h"
#include "spec/odd/odd.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FLAT = 2;

static const double STEEP = 5, DAMPED = 1e3, SLIPS[2] = {1e-7, 1};
static const double FAR_OUT = 5;                                    // of a mesh
static const double THIN = 1e-6, WIDE = 1e4, TENTH_OF_ATOM = 1e-11; // m

static bool may_touch(const td_contact_spec *c, const td_link_spec *l) {
  for (size_t k = 0; k < c->link_count; k++)
    if (!strcmp(c->links[k], l->name)) return true;
  for (size_t k = 0; k < c->a_count + c->b_count; k++)
    if (!strcmp(k < c->a_count ? c->a[k] : c->b[k - c->a_count], l->name)) return true;
  return !td_contact_is_mutual(c->type) && c->link_count == 0 && l->body.type == TD_BODY_ROD;
}

static bool touches_any(const td_model_spec *spec, const td_link_spec *l) {
  for (size_t i = 0; i < spec->contact_count; i++)
    if (may_touch(&spec->contacts[i], l)) return true;
  return false;
}

// ------------------------------------------------------------------------------------------------ flat sections

// Both sides at the base or (last) at the tip; 0 where they are not known.
static double side(const td_profile *p, bool last) {
  return p->value && p->count ? p->value[last ? p->count - 1 : 0] : 0;
}

static void remark_flat(const td_place *body, const td_rod_spec *rod, const char *name) {
  double thin = 0, wide = 0, unit = rod->section == TD_SECTION_ELLIPSE ? 2 : 1;
  if (rod->section != TD_SECTION_RECTANGLE && rod->section != TD_SECTION_ELLIPSE) return;
  for (int end = 0; end < 2; end++) {
    double a = unit * side(&rod->size[0], end), b = unit * side(&rod->size[1], end);
    if (fmax(a, b) * fmax(thin, 1e-300) > wide * fmin(a, b) || end == 0) thin = fmin(a, b), wide = fmax(a, b);
  }
  td_place section = td_place_key(body, "section");
  double r = 0.5 * sqrt(thin * wide);
  if (!(thin > 0) || !(wide > FLAT * thin)) return;
  td_place_warn(
      &section, "flat_contact",
      "the section of \"%.63s\" is %.3g m by %.3g m and touches obstacles as if it were round, with a radius of "
      "%.3g m: %.3g m too early across its flat side, %.3g m too late across its edge; where it is the flat "
      "side that touches, make balls and cylinders thinner by so much and set planes back, or give the "
      "section by its `stiffness` with a `radius` of %.3g m",
      name, thin, wide, r, r - 0.5 * thin, 0.5 * wide - r, 0.5 * thin);
}

// ------------------------------------------------------------------------------------------------ bodies without rods

// Links that hang together, by the world not: each has the index of one of them.
static int root_of(int *of, int i) {
  while (of[i] != i) i = of[i] = of[of[i]];
  return i;
}

static void join(const td_model_spec *spec, int *of, const char *a, const char *b) {
  int i = td_spec_is_world(a) ? -1 : td_spec_link_find(spec, spec->link_count, a),
      k = td_spec_is_world(b) ? -1 : td_spec_link_find(spec, spec->link_count, b);
  if (i >= 0 && k >= 0) of[root_of(of, i)] = root_of(of, k);
}

static void join_all(const td_model_spec *spec, int *of) {
  for (size_t i = 0; i < spec->link_count; i++) of[i] = (int)i;
  for (size_t i = 0; i < spec->link_count; i++) join(spec, of, spec->links[i].name, spec->links[i].parent);
  for (size_t i = 0; i < spec->loop_count; i++) join(spec, of, spec->loops[i].a.link, spec->loops[i].b.link);
  for (size_t i = 0; i < spec->spring_count; i++) join(spec, of, spec->springs[i].a.link, spec->springs[i].b.link);
}

static bool flies(const td_link_spec *l) {
  return td_spec_is_world(l->parent) && td_joint_moves(l->joint.type) & TD_SLIDES;
}

// marks [links], by the group's index: 1: something of it may touch; 2: told.
static void remark_bodies(const td_model_spec *spec, const td_place *links, int *of, char *marks) {
  join_all(spec, of);
  for (size_t i = 0; i < spec->link_count; i++)
    if (touches_any(spec, &spec->links[i])) marks[root_of(of, (int)i)] = 1;
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_link_spec *l = &spec->links[i];
    int group = root_of(of, (int)i);
    td_place link = td_place_at(links, i), body = td_place_key(&link, "body");
    bool solid = l->body.type == TD_BODY_RIGID || l->body.type == TD_BODY_REDUCED;
    if (!solid || marks[group] || !flies(l)) continue;
    td_place_warn(
        &body, "no_contact",
        "only rods touch obstacles unless `links` of a contact names others: \"%.63s\" and what hangs on it go "
        "through all of `contacts`",
        l->name);
    marks[group] = 2;
  }
}

// ------------------------------------------------------------------------------------------------ numbers

static void remark_press(const td_place *contact, const td_contact_spec *c) {
  td_place exponent = td_place_key(contact, "exponent"), stiffness = td_place_key(contact, "stiffness"),
           damping = td_place_key(contact, "damping");
  double depth = pow(c->stiffness, -1 / c->exponent);
  if (c->exponent > STEEP)
    td_place_warn(
        &exponent, "odd_stiffness",
        "depth^%.4g hardly pushes until it is a wall (Hertz 1.5, a flat 1, a cone 2): the exponent has no unit",
        c->exponent);
  if (depth < TENTH_OF_ATOM)
    td_place_warn(&stiffness, "odd_stiffness",
                  "%.4g N/m^%.3g gives way by %.3g m under 1 N, less than a tenth of an atom; steps will be tiny",
                  c->stiffness, c->exponent, depth);
  if (c->damping > DAMPED)
    td_place_warn(&damping, "odd_damping",
                  "%.4g s/m doubles the force at %.3g m/s: it is a factor of the force, not N s/m (0.05 to 20)",
                  c->damping, 1 / c->damping);
}

static void remark_slip(const td_place *contact, const td_contact_spec *c) {
  td_place at = td_place_key(contact, "slip_speed");
  if (!(c->friction > 0) || (c->slip_speed >= SLIPS[0] && c->slip_speed <= SLIPS[1])) return;
  td_place_warn(&at, "odd_friction",
                c->slip_speed > 1 ? "friction fades below %.4g m/s of sliding: speeds are in m/s, take a hundredth of "
                                    "those of interest"
                                  : "friction turns round within %.4g m/s of sliding, which few methods follow: take a "
                                    "hundredth of the speeds of interest, or `stick`",
                c->slip_speed);
}

static void remark_measure(const td_place *at, const char *key, double x) {
  td_place place = td_place_key(at, key);
  if (!(x > 0) || (x >= THIN && x <= WIDE)) return;
  td_place_warn(&place, "odd_size", "%.4g m is %s: sizes are in metres", x,
                x < THIN ? "thinner than anything that robots touch" : "wider than anything that robots touch");
}

static void remark_contact(const td_place *contact, const td_contact_spec *c) {
  remark_press(contact, c);
  remark_slip(contact, c);
  if (td_contact_has_radius(c->type)) remark_measure(contact, "radius", c->radius);
  for (int k = 0; k < 3 && td_contact_has_size(c->type); k++) remark_measure(contact, "size", c->size[k]);
}

// A mesh is thicker by its rounding; one that is a point, or points in a row, is made of it.
static void remark_collision(const td_place *body, const td_collision_spec *c) {
  td_place at = td_place_key(body, "collision"), rounding = td_place_key(&at, "rounding");
  double most = 0;
  if (c->shape == TD_COLLISION_NONE) return;
  if (c->shape == TD_COLLISION_SPHERE || c->shape == TD_COLLISION_CAPSULE || c->shape == TD_COLLISION_CYLINDER)
    remark_measure(&at, "radius", c->radius);
  for (int k = 0; k < 3 && c->shape == TD_COLLISION_BOX; k++) remark_measure(&at, "size", c->size[k]);
  for (size_t i = 0; i < 3 * c->point_count && c->shape == TD_COLLISION_MESH; i++)
    most = fmax(most, fabs(c->points[i] - c->points[i % 3]));
  if (most > 0 && c->rounding > FAR_OUT * most)
    td_place_warn(&rounding, "odd_size",
                  "%.4g m hides a mesh of %.4g m: it touches as a ball would; sizes are in metres", c->rounding, most);
}

static void remark_all(const td_model_spec *spec, const td_place *root) {
  td_place contacts = td_place_key(root, "contacts"), links = td_place_key(root, "links");
  for (size_t i = 0; i < spec->contact_count; i++) {
    td_place contact = td_place_at(&contacts, i);
    remark_contact(&contact, &spec->contacts[i]);
  }
  for (size_t i = 0; i < spec->link_count; i++) {
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body");
    if (spec->links[i].body.type == TD_BODY_RIGID) remark_collision(&body, &spec->links[i].body.rigid.collision);
  }
}

void td_spec_remark_touch(const td_model_spec *spec, const td_place *root) {
  td_place links = td_place_key(root, "links");
  if (spec->contact_count == 0) return;
  remark_all(spec, root);
  for (size_t i = 0; i < spec->link_count; i++) {
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body");
    bool rod = spec->links[i].body.type == TD_BODY_ROD;
    if (rod && touches_any(spec, &spec->links[i])) remark_flat(&body, &spec->links[i].body.rod, spec->links[i].name);
  }
  int *of = calloc(spec->link_count + 1, sizeof *of);
  char *marks = calloc(spec->link_count + 1, 1);
  if (of && marks) remark_bodies(spec, &links, of, marks);
  free(of);
  free(marks);
}
