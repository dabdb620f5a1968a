// Coordinates are told apart by their names: "arm.joint[0]" is the first of a joint, "arm.bending_y[2]" a curvature,
// "body.q[1]" of a body given by its kinematics. A curve beside others of its unit that never leaves rounding is noise:
// a picture that shows it lets nothing look like something.
#include "plot/curves/coordinates.h"

#include "plot/curves/channels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ROUNDING = 1e-9; // of the largest of its kind: below this a coordinate is at rounding
static const double STILL = 1e-11;   // rad, 1/m, m: below this all are

// "arm.bending_y[2]": link "arm", component "bending_y".
typedef struct coordinate {
  char link[64], component[40];
  long number; ///< in brackets, 0 without
} coordinate;

static coordinate split(const char *name) {
  coordinate c = {"", "", 0};
  const char *dot = name ? strrchr(name, '.') : NULL, *bracket = dot ? strchr(dot, '[') : NULL;
  if (!dot) return c;
  snprintf(c.link, sizeof c.link, "%.*s", (int)(dot - name), name);
  snprintf(c.component, sizeof c.component, "%.*s", (int)strcspn(dot + 1, "["), dot + 1);
  c.number = bracket ? strtol(bracket + 1, NULL, 10) : 0;
  return c;
}

static bool is_joint(const coordinate *c) { return strcmp(c->component, "joint") == 0; }

// ------------------------------------------------------------------------------------------------ kinds

typedef enum kind { ANGLE, SLIDE, JOINT, CURVATURE, STRETCH, SHAPE, KINDS } kind;

static const struct {
  const char *title, *unit, *rates, *rate_unit;
} kinds[KINDS] = {[ANGLE] = {"joint angles q", "rad", "joint rates qd", "rad/s"},
                  [SLIDE] = {"joint slides q", "m", "joint rates qd", "m/s"},
                  [JOINT] = {"joint coordinates q", "", "rates of joint coordinates qd", "per s"},
                  [CURVATURE] = {"curvatures q", "1/m", "rates of curvatures qd", "1/m/s"},
                  [STRETCH] = {"stretches q", "m/m", "rates of stretches qd", "1/s"},
                  [SHAPE] = {"shape coordinates q", "", "rates of shape coordinates qd", "per s"}};

static kind kind_of(const recording *r, const coordinate *c) {
  if (is_joint(c)) {
    const char *unit = channels_joint_unit(r, c->link, c->number);
    return *unit == 'r' ? ANGLE : *unit == 'm' ? SLIDE : JOINT;
  }
  if (strcmp(c->component, "torsion") == 0 || strncmp(c->component, "bending", 7) == 0) return CURVATURE;
  return strcmp(c->component, "elongation") == 0 || strncmp(c->component, "shear", 5) == 0 ? STRETCH : SHAPE;
}

static double largest(const double *q, size_t samples, size_t stride) {
  double most = 0;
  for (size_t i = 0; i < samples; ++i)
    if (isfinite(q[i * stride])) most = fmax(most, fabs(q[i * stride]));
  return most;
}

// ------------------------------------------------------------------------------------------------ curves

// What a joint is called: as the only actuator that turns it, which names its torque beside it, else as its link.
static const char *joint_name(const recording *r, const char *link) {
  const json_t *actuator;
  const char *name = NULL;
  size_t i;
  json_array_foreach(json_object_get(r->model, "actuators"), i, actuator) {
    const char *type = json_string_value(json_object_get(actuator, "type")),
               *of = json_string_value(json_object_get(actuator, "link"));
    if (!type || !of || strcmp(type, "joint") != 0 || strcmp(of, link) != 0) continue;
    if (name) return link;
    name = json_string_value(json_object_get(actuator, "name"));
  }
  return name ? name : link;
}

// "shoulder" of a joint with one coordinate, "body[2]" of one with several.
static void add_joint(const recording *r, panel *p, const double *q, size_t stride, size_t i, const coordinate *c) {
  coordinate next = split(recording_name(r, "coordinates", i + 1));
  bool several = c->number > 0 || (is_joint(&next) && strcmp(next.link, c->link) == 0);
  char label[80], number[16] = "";
  if (several) snprintf(number, sizeof number, "[%ld]", c->number);
  snprintf(label, sizeof label, "%.60s%s", joint_name(r, c->link), number);
  maker_named(p, q, stride, label);
}

// One colour per component, shared by all links, lighter for higher modes; the first of a component carries its name.
typedef struct strains {
  char component[COLOUR_CURVES][40];
  bool named[COLOUR_CURVES];
  int components, member;
  coordinate last;
} strains;

static void add_strain(panel *p, strains *s, const double *q, size_t stride, const coordinate *c, bool drawn) {
  int k = 0;
  while (k < s->components && strcmp(s->component[k], c->component) != 0) ++k;
  if (k == s->components && k < COLOUR_CURVES) memcpy(s->component[s->components++], c->component, sizeof c->component);
  bool goes_on = strcmp(s->last.link, c->link) == 0 && strcmp(s->last.component, c->component) == 0;
  s->member = goes_on ? s->member + 1 : 0;
  s->last = *c;
  if (!drawn) return;
  colour paint = colour_lighter(colour_of_curve(k), fmin(0.65, 0.16 * s->member));
  bool fresh = k < COLOUR_CURVES && !s->named[k];
  curve *added = maker_curve(p, q, stride, paint, fresh ? c->component : "");
  if (fresh) s->named[k] = true;
  if (!added) return;
  added->line_width = 1.4;
  snprintf(added->name, sizeof added->name, "%.30s.%.20s[%ld]", c->link, c->component, c->number);
}

static void tell_left_out(panel *p, int count) {
  size_t used = strlen(p->title);
  if (count > 0) snprintf(p->title + used, sizeof p->title - used, ", %d at rounding left out", count);
}

typedef struct columns {
  const double *q;
  size_t count;
  bool rates;
  double most[KINDS]; ///< the largest of each kind
} columns;

static void add_kind(maker *m, const columns *all, kind k) {
  strains s = {.components = 0};
  panel *p = NULL;
  int quiet = 0;
  bool still = all->most[k] < STILL;
  for (size_t i = 0; i < all->count; ++i) {
    coordinate c = split(recording_name(m->r, "coordinates", i));
    if (kind_of(m->r, &c) != k) continue;
    if (!p)
      p = maker_add(m, all->rates ? kinds[k].rates : kinds[k].title, all->rates ? kinds[k].rate_unit : kinds[k].unit);
    if (!p) return;
    bool drawn = still || largest(all->q + i, m->r->samples, all->count) > ROUNDING * all->most[k];
    quiet += !drawn;
    if (k >= CURVATURE)
      add_strain(p, &s, all->q + i, all->count, &c, drawn);
    else if (drawn)
      add_joint(m->r, p, all->q + i, all->count, i, &c);
  }
  if (!p) return;
  p->still = STILL;
  tell_left_out(p, quiet);
}

static bool make(maker *m, const char *field, bool rates) {
  columns all = {.rates = rates};
  all.q = recording_field(m->r, field, &all.count);
  if (!all.q || all.count == 0) return false;
  for (size_t i = 0; i < all.count; ++i) {
    coordinate c = split(recording_name(m->r, "coordinates", i));
    kind k = kind_of(m->r, &c);
    all.most[k] = fmax(all.most[k], largest(all.q + i, m->r->samples, all.count));
  }
  for (int k = 0; k < KINDS; ++k) add_kind(m, &all, (kind)k);
  return true;
}

bool coordinates_make(maker *m) { return make(m, "q", false); }
bool coordinates_rates(maker *m) { return make(m, "qd", true); }

// ------------------------------------------------------------------------------------------------ loops

// How many rotations a loop's joint holds: its first rows; those behind them hold positions. -1: nobody knows.
static int rotations_held(const recording *r, const char *loop, size_t length) {
  static const struct {
    const char *type;
    int held;
  } joints[] = {{"fixed", 3},  {"revolute", 2},  {"prismatic", 3}, {"cylindrical", 2},
                {"planar", 2}, {"spherical", 0}, {"universal", 1}};
  const json_t *joint = json_object_get(recording_entry(r, "loops", loop, length), "joint");
  const char *type = json_string_value(json_object_get(joint, "type"));
  for (size_t i = 0; type && i < sizeof joints / sizeof *joints; ++i)
    if (strcmp(joints[i].type, type) == 0) return joints[i].held;
  return -1;
}

// Entry i turns (1) or shifts (0), -1 where nobody knows: a row of a loop, else a prescribed joint by its channel.
static int turns(const recording *r, const char *name) {
  const char *bracket = name ? strchr(name, '[') : NULL;
  if (!name) return -1;
  int held = bracket ? rotations_held(r, name, (size_t)(bracket - name)) : -1;
  if (held >= 0) return strtol(bracket + 1, NULL, 10) < held;
  channel_group group = channels_group(r, name);
  return group == CHANNEL_ANGLE ? 1 : group == CHANNEL_SLIDE ? 0 : -1;
}

// {what is known to shift, to turn, the rest}
static bool make_rows(maker *m, const char *field, const char *const titles[3], const char *const units[3]) {
  size_t count;
  const double *rows = recording_field(m->r, field, &count);
  int first = m->list->count;
  double most = rows ? largest(rows, m->r->samples * count, 1) : 0;
  for (size_t i = 0; rows && i < count; ++i) {
    const char *name = recording_name(m->r, "multipliers", i);
    int which = turns(m->r, name);
    char plain[48];
    snprintf(plain, sizeof plain, "%.24s[%zu]", field, i);
    if (which < 0) which = 2;
    panel *p = maker_of_unit(m, first, titles[which], units[which]);
    if (p) p->still = ROUNDING * most;
    if (p) maker_named(p, rows + i, count, name ? name : plain);
  }
  return rows && count > 0;
}

bool coordinates_multipliers(maker *m) {
  static const char *const titles[3] = {"forces of loops and prescribed joints",
                                        "moments of loops and prescribed joints", "multipliers of loops and joints"},
                           *const units[3] = {"N", "N m", "N, N m"};
  return make_rows(m, "lambda", titles, units);
}

bool coordinates_loop_error(maker *m) {
  static const char *const titles[3] = {"loops, how far open", "loops, how far turned", "loop error"},
                           *const units[3] = {"m", "rad", "rad, m"};
  return make_rows(m, "loop_error", titles, units);
}
