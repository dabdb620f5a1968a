// What is in a document twice, by its numbers: nobody has two tendons on one path or two equal loads in one place on
// purpose, and a constant force that is a body's weight to three digits is that weight, which gravity gives it already.
//
//   weight   a constant load in world axes without a moment that is mass times gravity of a body or a rod, or per metre
//            that of its rod
//   pairs    tendons of the same segments and kind, loads of the same place and wrench
//   contacts two links that touch by two contacts; two that cannot move, which is idle
//   length   a link that begins as far behind the tip of its rod as the rod is long, along it: children hang at the tip
#include "spec/check/checks.h"
#include "spec/odd/odd.h"
#include <math.h>
#include <string.h>

static const double SAME_WEIGHT = 2e-3, SAME = 1e-9;

static double norm(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static bool same(const double *a, const double *b, size_t count) {
  return count == 0 || (a && b && memcmp(a, b, count * sizeof *a) == 0);
}

// ------------------------------------------------------------------------------------------------ weights

// Whether the force is that of `mass` in this gravity.
static bool is_weight(const double force[3], const double gravity[3], double mass) {
  double apart[3], weight = mass * norm(gravity);
  for (int k = 0; k < 3; k++) apart[k] = force[k] - mass * gravity[k];
  return weight > 0 && norm(apart) < SAME_WEIGHT * weight;
}

static void remark_weight(const td_place *load, const td_model_spec *spec, const td_load_spec *l, const double *mass) {
  td_place at = td_place_key(load, "wrench");
  int own = td_spec_link_find(spec, spec->link_count, l->link);
  if (l->has_channels || l->frame != TD_LOAD_WORLD || norm(l->wrench) > 0 || own < 0) return;
  const td_body_spec *body = &spec->links[own].body;
  if (l->per_length) {
    bool rod = body->type == TD_BODY_ROD && is_weight(l->wrench + 3, spec->gravity, mass[own] / body->rod.length);
    if (rod)
      td_place_warn(&at, "counted_twice",
                    "%.6g N/m is the rod's own weight per metre, which gravity gives it already: leave one of them out",
                    norm(l->wrench + 3));
    return;
  }
  for (size_t i = 0; i < spec->link_count; i++) {
    if (!is_weight(l->wrench + 3, spec->gravity, mass[i])) continue;
    td_place_warn(&at, "counted_twice",
                  "%.6g N is the weight of \"%.63s\" (%.6g kg), which gravity gives it already: leave one of them out",
                  norm(l->wrench + 3), spec->links[i].name, mass[i]);
    return;
  }
}

// ------------------------------------------------------------------------------------------------ pairs

static bool same_routing(const td_routing_spec *a, const td_routing_spec *b) {
  bool numbers = a->type == b->type && same(a->base, b->base, 2) && same(a->tip, b->tip, 2) && a->radius == b->radius &&
                 a->turns == b->turns && a->phase == b->phase && a->count == b->count && a->of_count == b->of_count;
  if (!numbers || !same(a->s, b->s, a->count) || !same(a->y, b->y, a->count) || !same(a->z, b->z, a->count))
    return false;
  for (size_t i = 0; i < a->of_count; i++)
    if (!same_routing(&a->of[i], &b->of[i])) return false;
  return true;
}

static bool same_path(const td_actuator_spec *a, const td_actuator_spec *b) {
  if (a->type != TD_ACTUATOR_TENDON || b->type != TD_ACTUATOR_TENDON || a->mode_length != b->mode_length ||
      a->segment_count != b->segment_count)
    return false;
  for (size_t i = 0; i < a->segment_count; i++) {
    const td_segment_spec *s = &a->segments[i], *t = &b->segments[i];
    if (strcmp(s->link, t->link) != 0 || s->has_routing != t->has_routing) return false;
    if (s->has_routing ? !same_routing(&s->routing, &t->routing)
                       : s->points_count != t->points_count || !same(s->points, t->points, 3 * s->points_count))
      return false;
  }
  return true;
}

static void remark_tendons(const td_model_spec *spec, const td_place *root) {
  td_place list = td_place_key(root, "actuators");
  for (size_t i = 1; i < spec->actuator_count; i++)
    for (size_t k = 0; k < i; k++) {
      td_place at = td_place_at(&list, i);
      if (!same_path(&spec->actuators[k], &spec->actuators[i])) continue;
      td_place_warn(&at, "counted_twice",
                    "tendon \"%.63s\" runs where \"%.63s\" does: is its routing that of the other?",
                    spec->actuators[i].name, spec->actuators[k].name);
      break;
    }
}

static bool same_load(const td_load_spec *a, const td_load_spec *b) {
  bool constant = !a->has_channels && !b->has_channels && norm(a->wrench) + norm(a->wrench + 3) > 0;
  bool place = strcmp(a->link, b->link) == 0 && a->frame == b->frame && a->per_length == b->per_length &&
               same(a->pose.R, b->pose.R, 9) && same(a->pose.p, b->pose.p, 3);
  bool along = a->per_length ? a->from == b->from && a->to == b->to : a->at == b->at;
  return constant && place && along && same(a->wrench, b->wrench, 6);
}

static void remark_loads(const td_model_spec *spec, const td_place *root, const double *mass) {
  td_place list = td_place_key(root, "loads");
  for (size_t i = 0; i < spec->load_count; i++) {
    td_place at = td_place_at(&list, i);
    remark_weight(&at, spec, &spec->loads[i], mass);
    size_t k = 0;
    while (k < i && !same_load(&spec->loads[k], &spec->loads[i])) k++;
    if (k < i) td_place_warn(&at, "counted_twice", "this load is /loads/%zu once more: leave one of them out", k);
  }
}

// ------------------------------------------------------------------------------------------------ contacts

static bool is_named(const char *const *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

static bool touch_in(const td_contact_spec *c, const char *a, const char *b) {
  if (c->type != TD_CONTACT_PAIR) return false;
  return (is_named(c->a, c->a_count, a) && is_named(c->b, c->b_count, b)) ||
         (is_named(c->a, c->a_count, b) && is_named(c->b, c->b_count, a));
}

// Nothing below the world moves it.
static bool is_still(const td_model_spec *spec, const char *name) {
  int i = td_spec_link_find(spec, spec->link_count, name);
  for (size_t steps = 0; i >= 0 && steps < spec->link_count; steps++) {
    const td_link_spec *l = &spec->links[i];
    bool stiff = l->body.type == TD_BODY_RIGID || l->body.type == TD_BODY_NONE;
    if (l->joint.type != TD_JOINT_FIXED || !stiff) return false;
    i = td_spec_link_find(spec, spec->link_count, l->parent);
  }
  return true;
}

// One word of a contact is enough.
static bool remark_two(const td_model_spec *spec, const td_place *at, size_t contact, const char *a, const char *b) {
  if (is_still(spec, a) && is_still(spec, b))
    return td_place_warn(at, "idle_force", "neither \"%.63s\" nor \"%.63s\" can move: that they touch moves nothing", a,
                         b),
           true;
  for (size_t k = 0; k < contact; k++) {
    if (!touch_in(&spec->contacts[k], a, b)) continue;
    td_place_warn(at, "counted_twice",
                  "\"%.63s\" and \"%.63s\" touch by /contacts/%zu, too: both push them apart; leave one of them out", a,
                  b, k);
    return true;
  }
  return false;
}

static void remark_contacts(const td_model_spec *spec, const td_place *root) {
  td_place list = td_place_key(root, "contacts");
  for (size_t n = 0; n < spec->contact_count; n++) {
    const td_contact_spec *c = &spec->contacts[n];
    td_place at = td_place_at(&list, n);
    bool told = c->type != TD_CONTACT_PAIR;
    for (size_t i = 0; i < c->a_count && !told; i++)
      for (size_t k = 0; k < c->b_count && !told; k++) told = remark_two(spec, &at, n, c->a[i], c->b[k]);
  }
}

// ------------------------------------------------------------------------------------------------ lengths

static void remark_offsets(const td_model_spec *spec, const td_place *root) {
  td_place links = td_place_key(root, "links");
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_link_spec *l = &spec->links[i];
    int parent = td_spec_link_find(spec, i, l->parent);
    if (parent < 0 || spec->links[parent].body.type != TD_BODY_ROD || l->at < 1) continue;
    double length = spec->links[parent].body.rod.length;
    if (fabs(fabs(l->pose.p[0]) - length) > SAME * length || hypot(l->pose.p[1], l->pose.p[2]) > SAME * length)
      continue;
    td_place link = td_place_at(&links, i), pose = td_place_key(&link, "pose"), at = td_place_key(&pose, "translation");
    td_place_warn(&at, "counted_twice",
                  "it begins %.6g m %s the tip of the rod \"%.63s\", which has that length: links hang at the tip of "
                  "their rod (`at` 1) without a translation",
                  length, l->pose.p[0] > 0 ? "beyond" : "before", l->parent);
  }
}

void td_spec_remark_twice(const td_model_spec *spec, const td_place *root, const double *mass) {
  remark_tendons(spec, root);
  remark_loads(spec, root, mass);
  remark_contacts(spec, root);
  remark_offsets(spec, root);
}
