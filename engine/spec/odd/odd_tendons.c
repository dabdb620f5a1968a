// Tendons that are odd in a document that passed every rule.
//
//   tendon_outside   farther from the axis than the outline of its rod's section by more than 1 % (right where disks
//                    guide it)
//   coarse_routing   a helix with less than two Gauss points a turn: what they see of it is another path
//   odd_routing      along the same rod twice, or across to the other side between two rods
#include "element/routing.h"
#include "spec/check/checks.h"
#include "spec/odd/odd.h"
#include "strain/points.h"
#include "strain/section.h"
#include <math.h>
#include <stdio.h>

static const double OUTSIDE = 1.01;

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

// A rod that bends about one axis only, and a tendon beside its axis in the plane of the other: offset y bends about z,
// z about y.
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
        "tendon \"%.63s\" bends nothing: it runs %.4g m off the axis along %s, which works on %s, and the rod has "
        "only %s; offsets are [y, z]",
        tendon, most[1 - bends], bends ? "y" : "z", td_strain_component_name(bends ? 2 : 1),
        td_strain_component_name(bends ? 1 : 2));
}

// Tendons that run outside of their rods' sections: how many, the first of them, and the one that runs farthest out.
typedef struct outside {
  size_t count, actuator, segment; // the first one
  const char *name;
  double part, where;
} outside;

static void remark_routing(const td_place *routing_at, const char *tendon, const td_rod_spec *rod,
                           const td_routing_spec *spec, double robot, double *part, double *where) {
  td_section *section = NULL;
  td_routing *routing = NULL;
  bool outlined = rod->section != TD_SECTION_STIFFNESS || rod->numbers.radius.count;
  remark_turns(routing_at, tendon, rod, spec);
  td_spec_remark_reach(routing_at, tendon, rod, spec, robot);
  if (td_routing_create(spec, &routing)) return;
  remark_plane(routing_at, tendon, rod, routing);
  if (outlined && !td_section_create(rod, &section)) *part = farthest(rod, section, routing, where);
  td_routing_destroy(routing);
  td_section_destroy(section);
}

static td_place routing_place(const td_actuator_spec *a, const td_place *at, const td_place *entry) {
  return td_place_key(a->segments_key ? entry : at, "routing");
}

// Once for the robot: arms with disks have many.
static void tell_outside(const td_model_spec *spec, const td_place *actuators, const outside *o) {
  char many[64] = "";
  if (o->count == 0) return;
  td_place at = td_place_at(actuators, o->actuator), list = td_place_key(&at, "segments"),
           entry = td_place_at(&list, o->segment), routing = routing_place(&spec->actuators[o->actuator], &at, &entry);
  if (o->count > 1) snprintf(many, sizeof many, "%zu tendons run outside of their rods; ", o->count);
  td_place_warn(&routing, "tendon_outside",
                "%sat s = %.3g tendon \"%.63s\" runs %.3g times as far from the axis as the outline of the rod's "
                "section: right where disks guide it",
                many, o->where, o->name, o->part);
}

// ---- from link to link

static bool is_rod(const td_model_spec *spec, const td_segment_spec *s, int *link) {
  *link = td_spec_link_find(spec, spec->link_count, s->link);
  return s->has_routing && *link >= 0 && spec->links[*link].body.type == TD_BODY_ROD;
}

static bool offset_at(const td_routing_spec *spec, double s, double d[2]) {
  td_routing *routing = NULL;
  double dd[2];
  if (td_routing_create(spec, &routing)) return false;
  td_routing_eval(routing, s, d, dd);
  td_routing_destroy(routing);
  return true;
}

static bool run_alike(const td_routing_spec *a, const td_routing_spec *b) {
  double d[2], e[2];
  for (int i = 0; i <= 4; i++)
    if (!offset_at(a, 0.25 * i, d) || !offset_at(b, 0.25 * i, e) || d[0] != e[0] || d[1] != e[1]) return false;
  return true;
}

// A path is counted once for each time that it is named. There and back it is not joined: the stretch would run from
// the tip to the base.
static void remark_repeats(const td_model_spec *spec, const td_place *list, const td_actuator_spec *a, size_t i) {
  int link, other;
  td_place entry = td_place_at(list, i), at = td_place_key(&entry, "link");
  if (!is_rod(spec, &a->segments[i], &link)) return;
  for (size_t k = 0; k < i; k++) {
    if (!is_rod(spec, &a->segments[k], &other) || other != link) continue;
    if (run_alike(&a->segments[k].routing, &a->segments[i].routing))
      td_place_warn(&at, "odd_routing",
                    "tendon \"%.63s\" runs along \"%.63s\" twice in the same place (segment %zu, too): it pulls "
                    "twice there",
                    a->name, spec->links[link].name, k);
    else if (a->joined)
      td_place_warn(&at, "odd_routing",
                    "tendon \"%.63s\" runs along \"%.63s\" again, from base to tip as every routing does: the "
                    "straight stretch back to its base counts; give \"joined\": false, where it turns round at the tip",
                    a->name, spec->links[link].name);
    return;
  }
}

// Between a rod and its child at the tip, where both have one axis, a tendon that leaves on one side and goes on at the
// other crosses through.
static void remark_jump(const td_model_spec *spec, const td_place *list, const td_actuator_spec *a, size_t i) {
  int from, to;
  double d[2], e[2];
  td_place entry = td_place_at(list, i), at = td_place_key(&entry, "routing");
  if (!a->joined || !is_rod(spec, &a->segments[i - 1], &from) || !is_rod(spec, &a->segments[i], &to)) return;
  const td_link_spec *child = &spec->links[to];
  const double *R = child->pose.R, *p = child->pose.p;
  if (td_spec_link_find(spec, spec->link_count, child->parent) != from || child->at < 1 || R[0] < 0.99) return;
  if (!offset_at(&a->segments[i - 1].routing, 1, d) || !offset_at(&a->segments[i].routing, 0, e)) return;
  double y = R[4] * e[0] + R[5] * e[1], z = R[7] * e[0] + R[8] * e[1], out = hypot(d[0], d[1]), in = hypot(y, z);
  double across = hypot(y + p[1] - d[0], z + p[2] - d[1]);
  if (fabs(p[0]) < across && d[0] * y + d[1] * z < -0.5 * out * in && out * in > 0)
    td_place_warn(&at, "odd_routing",
                  "tendon \"%.63s\" changes sides: it leaves \"%.63s\" at [%.4g, %.4g] and goes on along \"%.63s\" "
                  "at [%.4g, %.4g] of that, %.3g m across between them; offsets are [y, z] in each rod's own axes",
                  a->name, spec->links[from].name, d[0], d[1], child->name, e[0], e[1], across);
}

// ---- all

void td_spec_remark_tendons(const td_model_spec *spec, const td_place *root) {
  td_place actuators = td_place_key(root, "actuators");
  outside all = {0};
  double robot = 0;
  for (size_t i = 0; i < spec->link_count; i++)
    if (spec->links[i].body.type == TD_BODY_ROD) robot += spec->links[i].body.rod.length;
  for (size_t a = 0; a < spec->actuator_count; a++) {
    const td_actuator_spec *actuator = &spec->actuators[a];
    td_place at = td_place_at(&actuators, a), list = td_place_key(&at, "segments");
    bool beside = false;
    for (size_t i = 0; actuator->type == TD_ACTUATOR_TENDON && i < actuator->segment_count; i++) {
      const td_segment_spec *segment = &actuator->segments[i];
      int link;
      double part = 0, where = 0;
      td_place entry = td_place_at(&list, i), routing = routing_place(actuator, &at, &entry);
      if (!is_rod(spec, segment, &link)) continue;
      remark_routing(&routing, actuator->name, &spec->links[link].body.rod, &segment->routing, robot, &part, &where);
      remark_repeats(spec, &list, actuator, i);
      if (i > 0) remark_jump(spec, &list, actuator, i);
      if (part <= OUTSIDE) continue;
      if (all.count == 0) all.actuator = a, all.segment = i;
      if (part > all.part) all.part = part, all.where = where, all.name = actuator->name;
      all.count += !beside;
      beside = true;
    }
  }
  tell_outside(spec, &actuators, &all);
}
