// What gravity would do to the robot.
//
//   gravity  between 30 and 100 m/s^2 or below 0.05, which no planet has; 1 exactly, of what is as dense as matter: a
//            multiple of g
//   floors   of a robot that flies, none of which holds it: gravity points along them, or away
//   springs  that alone carry a robot, and would give way by more than ten times its reach and their rest
//   rods     their own weight would stretch them by more than 0.6 (half a metre of gel 0.5, bungee cords 0.1): W / 2EA;
//            with tendons, W L^2 / EI above 1e5 (catheters 1e4): no tendon lifts that
#include "lie/vec3.h"
#include "spec/check/checks.h"
#include "spec/odd/odd.h"
#include <math.h>
#include <string.h>

static double norm(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static bool is_matter(const td_model_spec *spec) {
  static const double least = 500;
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_body_spec *b = &spec->links[i].body;
    if (b->type == TD_BODY_ROD && b->rod.section != TD_SECTION_STIFFNESS && b->rod.density > least) return true;
    if (b->type == TD_BODY_RIGID && b->rigid.shape != TD_SHAPE_NONE && b->rigid.density > least) return true;
    if (b->type == TD_BODY_REDUCED && b->reduced.density > least) return true;
  }
  return false;
}

static void remark_gravity(const td_model_spec *spec, const td_place *root) {
  td_place gravity = td_place_key(root, "gravity");
  double g = norm(spec->gravity);
  if ((g > 30 && g <= 100) || (g > 0 && g < 0.05))
    td_place_warn(&gravity, "odd_gravity",
                  "%.6g m/s^2 is that of no planet (Earth 9.81, Moon 1.62): gravity is in m/s^2", g);
  else if (g == 1 && is_matter(spec))
    td_place_warn(&gravity, "odd_gravity",
                  "1 m/s^2 is a tenth of the Earth's and that of no planet: gravity is in m/s^2, not in multiples of "
                  "9.81");
}

// ------------------------------------------------------------------------------------------------ floors, springs

// A link of the world whose joint lets gravity move it freely.
static bool falls(const td_model_spec *spec, const td_link_spec *l) {
  double axis[3], along = 0;
  if (l->joint.type == TD_JOINT_FREE) return true;
  if (l->joint.type != TD_JOINT_PRISMATIC || l->joint.stiffness[0] > 0 || l->joint.limits.stiffness[0] > 0)
    return false;
  td_mat3_vec(l->pose.R, l->joint.axis, axis);
  for (int k = 0; k < 3; k++) along += axis[k] * spec->gravity[k];
  return fabs(along) > 0.5 * norm(axis) * norm(spec->gravity);
}

static bool all_fall(const td_model_spec *spec) {
  bool all = norm(spec->gravity) > 0 && spec->fluid_density == 0 && spec->loop_count == 0;
  for (size_t i = 0; i < spec->link_count; i++)
    if (td_spec_is_world(spec->links[i].parent)) all = all && falls(spec, &spec->links[i]);
  for (size_t i = 0; i < spec->actuator_count; i++) all = all && spec->actuators[i].type != TD_ACTUATOR_JOINT;
  return all;
}

static void remark_floors(const td_model_spec *spec, const td_place *root) {
  static const double least = 1e-6;
  td_place at = td_place_key(root, "gravity");
  if (spec->contact_count == 0 || spec->spring_count > 0) return;
  for (size_t i = 0; i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    double out[3], against = 0;
    if (c->type != TD_CONTACT_PLANE) return;
    td_mat3_vec(c->pose.R, c->axis, out);
    for (int k = 0; k < 3; k++) against -= out[k] * spec->gravity[k];
    if (against > least * norm(out) * norm(spec->gravity)) return;
  }
  td_place_warn(
      &at, "odd_gravity",
      "nothing holds the robot but its planes, and gravity presses it onto none of them: it falls for ever; a "
      "plane's `axis` points out of it, gravity into it");
}

static void remark_springs(const td_model_spec *spec, const td_place *root, double mass, double reach) {
  double stiffness = 0, rest = 0, weight = mass * norm(spec->gravity);
  td_place list = td_place_key(root, "springs"), first = td_place_at(&list, 0), at = td_place_key(&first, "stiffness");
  if (spec->contact_count > 0 || spec->spring_count == 0) return;
  for (size_t i = 0; i < spec->spring_count; i++) {
    const td_spring_spec *s = &spec->springs[i];
    bool from_world = td_spec_is_world(s->a.link) || td_spec_is_world(s->b.link);
    if (from_world) stiffness += s->stiffness;
    rest = fmax(rest, isnan(s->rest) ? fmax(norm(s->a.pose.p), norm(s->b.pose.p)) : s->rest);
    reach = fmax(reach, fmax(norm(s->a.pose.p), norm(s->b.pose.p)));
  }
  if (stiffness > 0 && weight / stiffness > 10 * (rest + reach))
    td_place_warn(
        &at, "odd_stiffness",
        "springs of %.4g N/m in all carry %.4g N, and give way by %.3g m: stiffness is in N/m (1 N/mm is 1000)",
        stiffness, weight, weight / stiffness);
}

// ------------------------------------------------------------------------------------------------ rods

static bool has_tendon(const td_model_spec *spec, const char *link) {
  for (size_t a = 0; a < spec->actuator_count; a++)
    for (size_t i = 0; spec->actuators[a].type == TD_ACTUATOR_TENDON && i < spec->actuators[a].segment_count; i++)
      if (!strcmp(spec->actuators[a].segments[i].link, link)) return true;
  return false;
}

static void remark_rod(const td_place *body, const td_model_spec *spec, const td_link_spec *l, double weight,
                       double g) {
  static const double most_stretch = 0.6, most_sag = 1e5, said = 1e3; // Pa: less is odd by itself
  const td_rod_spec *rod = &l->body.rod;
  bool numbers = rod->section == TD_SECTION_STIFFNESS;
  double EA = td_spec_rod_stiffness(rod, 3), EI = fmax(td_spec_rod_stiffness(rod, 1), td_spec_rod_stiffness(rod, 2));
  double stretch = numbers ? EA > 0 ? weight / (2 * EA) : 0 : rod->density * g * rod->length / (2 * rod->young);
  double sag = EI > 0 ? weight * rod->length * rod->length / EI : 0;
  if (!numbers && rod->young < said) return;
  if (stretch > most_stretch)
    td_place_warn(
        body, "odd_mass",
        "its own weight of %.3g N would stretch the rod by about %.2g of its length when it hangs: lengths are "
        "in metres, moduli in Pa (1 kPa is 1000)",
        weight, stretch);
  else if (sag > most_sag && has_tendon(spec, l->name))
    td_place_warn(
        body, "odd_mass",
        "its own weight is %.2g times what bends the rod through its length (W L^2 / EI): no tendon lifts it; "
        "lengths are in metres, moduli in Pa",
        sag);
}

static void remark_rods(const td_model_spec *spec, const td_place *root, const double *mass) {
  td_place links = td_place_key(root, "links");
  bool held = spec->loop_count || spec->spring_count || spec->contact_count || spec->fluid_density > 0;
  for (size_t i = 0; i < spec->link_count && !held && !all_fall(spec); i++) {
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body");
    if (spec->links[i].body.type == TD_BODY_ROD)
      remark_rod(&body, spec, &spec->links[i], mass[i] * norm(spec->gravity), norm(spec->gravity));
  }
}

void td_spec_remark_weight(const td_model_spec *spec, const td_place *root, const double *mass, double reach) {
  double all = 0;
  for (size_t i = 0; i < spec->link_count; i++) all += mass[i];
  remark_gravity(spec, root);
  remark_rods(spec, root, mass);
  if (!all_fall(spec)) return;
  remark_floors(spec, root);
  remark_springs(spec, root, all, reach);
}
