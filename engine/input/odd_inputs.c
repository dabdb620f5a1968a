// A tension T moves a coordinate of a rod by about T |dl/dq| / K at the straight robot. Bending and torsion coordinates
// are angles, the others strains: beyond ten turns, or a strain of 2, the tension was meant in another unit (robots of
// silicone stay below 5 rad and 0.1). An angle is a joint's that turns: 0 to two turns, unless a ramp or a polynomial
// takes it round and round.
#include "input/odd_inputs.h"
#include "create/idle.h"
#include "create/robot_size.h"
#include "force/stop.h"
#include "input/inputs.h"
#include "input/signal.h"
#include "model/model.h"
#include "pass/kinematics.h"
#include "spec/check/checks.h"
#include "spec/odd/odd.h"
#include "strain/section.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 2 * M_PI, MOST_BENT = 60, MOST_STRETCHED = 2;

// ------------------------------------------------------------------------------------------------ signals

static double largest(const double *x, size_t count) {
  double most = 0;
  for (size_t i = 0; x && i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// A bound of |u(t)|; 0 where it is not known without looking (polynomials).
static double bound(const td_signal_spec *s) {
  double all = 0;
  switch (s->type) {
  case TD_SIGNAL_CONSTANT:
    return fabs(s->offset);
  case TD_SIGNAL_SINE:
    return fabs(s->offset) + fabs(s->amplitude);
  case TD_SIGNAL_POLYNOMIAL:
    return 0;
  case TD_SIGNAL_SUM:
    for (size_t i = 0; i < s->of_count; i++) all += bound(&s->of[i]);
    return all;
  case TD_SIGNAL_PRODUCT:
    all = 1;
    for (size_t i = 0; i < s->of_count; i++) all *= bound(&s->of[i]);
    return all;
  default:
    return largest(s->value, s->count);
  }
}

static double farthest_phase(const td_signal_spec *s) {
  double most = s->type == TD_SIGNAL_SINE ? fabs(s->phase) : 0;
  for (size_t i = 0; i < s->of_count; i++) most = fmax(most, farthest_phase(&s->of[i]));
  return most;
}

static double most_of(const td_input_spec *in) {
  return in->list ? largest(in->list, in->list_count) : bound(&in->signal);
}

// Of what stands still or swings: what goes round may go round often. Lists wind up step by step: the largest step
// counts.
static double swing_of(const td_input_spec *in) {
  double most = 0, last = 0;
  for (size_t i = 0; in->list && i < in->list_count; last = in->list[i++]) most = fmax(most, fabs(in->list[i] - last));
  td_signal_type type = in->signal.type;
  return in->list ? most : type == TD_SIGNAL_CONSTANT || type == TD_SIGNAL_SINE ? bound(&in->signal) : 0;
}

// ------------------------------------------------------------------------------------------------ tensions

typedef struct pull {
  double bent, stretched;
} pull;

// What a tension T does to the rods by K alone; pull [n] is |dl/dq| of its tendon.
static pull pull_of(const td_model *m, const double *lever, double T) {
  pull p = {0, 0};
  for (int r = 0; r < m->rod_count; r++) {
    const td_rod *rod = &m->rod[r];
    if (rod->column) continue; // a reduced body's law is its own
    int first = m->element[rod->element].coordinate;
    const double *K = rod->stiffness;
    for (int g = 0; g < rod->group_count; K += rod->group[g].count * rod->group[g].count, g++)
      for (int i = 0; i < rod->group[g].count; i++) {
        double k = K[i * rod->group[g].count + i], q = T * fabs(lever[first + rod->group[g].first + i]) / k;
        double *most = rod->group[g].component < 3 ? &p.bent : &p.stretched;
        if (k > 0) *most = fmax(*most, q);
      }
  }
  return p;
}

static void remark_tension(const td_place *at, const td_model *m, const double *lever, double T) {
  pull p = pull_of(m, lever, T);
  if (p.bent > MOST_BENT)
    td_place_warn(at, "odd_input", "%.4g N would wind the rod up by %.3g turns: tensions are in N, moduli in Pa", T,
                  p.bent / TURN);
  else if (p.stretched > MOST_STRETCHED)
    td_place_warn(at, "odd_input", "%.4g N would strain the rod by %.3g: tensions are in N, moduli in Pa", T,
                  p.stretched);
}

static bool has_tension(const td_model *m, const td_input_spec *inputs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int channel = td_channel_find(m, inputs[i].channel);
    if (channel >= 0 && td_model_channel_is_tension(m, channel) && most_of(&inputs[i]) > 0) return true;
  }
  return false;
}

static void remark_tensions(const td_place *list, const td_model *m, const td_input_spec *inputs, size_t count) {
  size_t n = (size_t)td_model_ndof(m), tendons = (size_t)td_model_tendon_count(m);
  td_workspace *ws = NULL;
  double *memory = has_tension(m, inputs, count) ? calloc(n + tendons * (n + 1), sizeof *memory) : NULL;
  if (!memory) return;
  double *lever = memory + n + tendons;
  bool known = !td_workspace_create(m, &ws) && !td_tendon_lengths(m, ws, memory, memory + n, lever);
  for (size_t i = 0; known && i < count; i++) {
    int channel = td_channel_find(m, inputs[i].channel);
    td_place at = td_place_key(list, inputs[i].channel);
    if (channel >= 0 && td_model_channel_is_tension(m, channel))
      remark_tension(&at, m, lever + (size_t)m->channel[channel].tendon * n, most_of(&inputs[i]));
  }
  td_workspace_destroy(ws);
  free(memory);
}

// ------------------------------------------------------------------------------------------------ pressures

// Gauge pressures are above the air's; robots at sea level have -101325 Pa where nothing is left. Deep under water
// there may be more, so that it is no error.
static void remark_vacuum(const td_place *at, double least) {
  static const double vacuum = -101325;
  if (isfinite(least) && least < vacuum)
    td_place_warn(at, "odd_input",
                  "%.6g Pa is less than a vacuum: pressures are those above the surrounding air's 101325 Pa, and none "
                  "is below -101325 Pa (in water add 9800 Pa for each metre of depth)",
                  least);
}

// Chambers are driven by hundredths to tenths of their material's modulus; 5 of it are 5 bar in the softest silicone of
// all (0.1 MPa).
static void remark_burst(const td_place *at, const td_model_spec *document, const char *channel, double most) {
  for (size_t i = 0; document && i < document->actuator_count; i++) {
    const td_actuator_spec *a = &document->actuators[i];
    int link = strcmp(a->name, channel) ? -1 : td_spec_link_find(document, document->link_count, a->link);
    if (link < 0 || document->links[link].body.type != TD_BODY_REDUCED) continue;
    double young = document->links[link].body.reduced.young;
    if (young > 0 && most > 5 * young)
      td_place_warn(at, "odd_input",
                    "%.4g Pa is %.3g times the modulus of \"%.63s\" (%.4g Pa), which would burst: pressures are in Pa, "
                    "1 bar is 1e5 and 1 kPa 1e3",
                    most, most / young, a->link, young);
  }
}

static double least_of(const td_input_spec *in, double t_end) {
  double least = in->list ? INFINITY : td_signal_least(&in->signal, t_end);
  for (size_t k = 0; in->list && k < in->list_count; k++) least = fmin(least, in->list[k]);
  return least;
}

static void remark_pressures(const td_place *list, const td_model *m, const td_input_spec *inputs, size_t count,
                             double t_end) {
  for (size_t i = 0; i < count; i++) {
    const td_input_spec *in = &inputs[i];
    int channel = td_channel_find(m, in->channel);
    if (channel < 0 || channel >= m->actuator_channel_count || m->channel[channel].chamber < 0) continue;
    td_place at = td_place_key(list, in->channel);
    remark_vacuum(&at, least_of(in, t_end));
    remark_burst(&at, m->document, in->channel, most_of(in));
  }
}

// ------------------------------------------------------------------------------------------------ lengths, what is
// idle

// Pulled lengths and changes of rests beside what they are pulled out of.
static void remark_pull(const td_place *at, const td_model *m, const td_workspace *ws, const double *length,
                        int channel, double u) {
  double size = td_robot_size(m, ws);
  int tendon = m->channel[channel].tendon;
  if (tendon >= 0 && m->law[tendon].length && u > fmax(length[tendon], size))
    td_place_warn(at, "odd_input",
                  "%.4g m are pulled in or paid out of a tendon that is %.4g m long at q = 0: in metres, 1 mm is 0.001",
                  u, length[tendon]);
  for (int i = 0; i < m->spring_count; i++)
    if (m->spring[i].channel == channel && size > 0 && u > 10 * fmax(m->spring[i].rest, size))
      td_place_warn(at, "odd_input", "%.4g m are added to a spring's rest of %.4g m: in metres, 1 mm is 0.001", u,
                    m->spring[i].rest);
}

// A prescribed way beside the robot, and what a load's input does to the rod that it acts on.
static void remark_push(const td_place *at, const td_model *m, const td_workspace *ws, int channel, double u) {
  char *kind = calloc((size_t)m->n + 1, 1);
  double size = td_robot_size(m, ws);
  if (kind) td_mark_angles(m, kind);
  for (int p = 0; kind && p < m->prescribed_count; p++)
    if (m->prescribed[p].channel == channel && !kind[m->prescribed[p].coordinate] && size > 0 && u > 100 * size)
      td_place_warn(at, "odd_input", "%.4g m is %.3g times the robot's reach of %.3g m: in metres, 1 mm is 0.001", u,
                    u / size, size);
  free(kind);
  for (size_t i = 0; m->document && i < m->document->load_count; i++) {
    const td_load_spec *l = &m->document->loads[i];
    for (int c = 0; l->has_channels && c < 6; c++)
      if (l->channels[c] && td_channel_find(m, l->channels[c]) == channel)
        td_spec_remark_wrench(at, m->document, l, c < 3 ? u : 0, c < 3 ? 0 : u);
  }
}

static bool has_idle_parts(const td_model *m) {
  for (int i = 0; i < m->warnings.count; i++)
    if (!strcmp(m->warnings.list[i].code, "idle_force")) return true;
  return false;
}

static void remark_pulls(const td_place *list, const td_model *m, const td_input_spec *inputs, size_t count) {
  size_t n = (size_t)m->n;
  td_workspace *ws = NULL;
  double *q = count ? calloc(2 * n + (size_t)m->tendon_count + 1, sizeof *q) : NULL;
  bool told = has_idle_parts(m);
  if (!q || td_workspace_create(m, &ws)) {
    free(q);
    return;
  }
  double *length = q + 2 * n;
  (void)!td_tendon_lengths(m, ws, q, length, NULL);
  for (size_t i = 0; i < count; i++) {
    int channel = td_channel_find(m, inputs[i].channel);
    td_place at = td_place_key(list, inputs[i].channel);
    double u = most_of(&inputs[i]);
    if (channel < 0 || !(u > 0)) continue;
    for (size_t k = 0; k < n; k++) q[k] = 0;
    td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
    remark_pull(&at, m, ws, length, channel, u);
    remark_push(&at, m, ws, channel, u);
    if (!told && td_channel_is_idle(m, ws, channel, q, q + n))
      td_place_warn(&at, "idle_force",
                    "this input moves nothing: wherever the robot is, the strains and joints that it would work on are "
                    "locked or missing");
  }
  td_workspace_destroy(ws);
  free(q);
}

// ------------------------------------------------------------------------------------------------ angles

void td_mark_angles(const td_model *m, char *kind) {
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->type == TD_ELEMENT_SCREW && e->rotates) kind[e->coordinate] = 1;
    for (int g = 0; e->type == TD_ELEMENT_STRIP && e->rod < 0 && g < e->group_count; g++)
      for (int c = 0; c < e->group[g].count && e->group[g].component < 3; c++)
        kind[e->coordinate + e->group[g].first + c] = 2;
  }
}

static void remark_angle(const td_place *at, double angle, double most) {
  if (angle > most)
    td_place_warn(at, "odd_angle", "%.6g rad is %.3g turns: angles are in radians, 90 degrees are 1.5707963", angle,
                  angle / TURN);
}

static void remark_swings(const td_place *list, const td_model *m, const td_input_spec *inputs, size_t count) {
  char *kind = calloc((size_t)td_model_ndof(m) + 1, 1);
  if (!kind) return;
  td_mark_angles(m, kind);
  for (int p = 0; p < td_model_prescribed_count(m); p++) {
    int channel = -1, coordinate = td_model_prescribed_coordinate(m, p, &channel);
    for (size_t i = 0; kind[coordinate] && i < count; i++) {
      td_place at = td_place_key(list, inputs[i].channel);
      if (td_channel_find(m, inputs[i].channel) == channel) remark_angle(&at, swing_of(&inputs[i]), 2 * TURN);
    }
  }
  free(kind);
}

// ------------------------------------------------------------------------------------------------ limits

// An input that drives a joint is obeyed: the stop does not hold it back, it only pushes.
static void remark_limit(const td_place *at, const td_model *m, const td_stop *s, double least, double most) {
  static const double rounding = 1e-9;
  bool up = most - s->upper > s->lower - least;
  double limit = up ? s->upper : s->lower, to = up ? most : least, depth = fabs(to - limit);
  if (!isfinite(to) || !(up ? to > limit : to < limit) || depth <= rounding * (1 + fabs(limit))) return;
  td_place_warn(
      at, "odd_input",
      "the joint of \"%.63s\" is driven to %.9g, %.4g beyond its %s limit %.9g: a prescribed joint goes where its "
      "input says, against a stop that pushes with %.4g (N m, N)",
      m->link[s->link].name, to, depth, up ? "upper" : "lower", limit, s->stiffness * depth);
}

typedef struct reach {
  double least, most;
} reach;

static void reach_add(reach *r, double u) {
  r->least = fmin(r->least, u);
  r->most = fmax(r->most, u);
}

// A sine's extremes are known; what has knots is looked at there, and like all others at many times.
static reach reach_of(const td_input_spec *in, double t_end) {
  enum { LOOKS = 4000 };
  const td_signal_spec *s = &in->signal;
  td_signal_spec minus = *s;
  reach r = {INFINITY, -INFINITY};
  td_signal *signal = NULL;
  minus.offset = -s->offset, minus.amplitude = -s->amplitude;
  for (size_t k = 0; in->list && k < in->list_count; k++) reach_add(&r, in->list[k]);
  if (in->list) return r;
  if (s->type == TD_SIGNAL_CONSTANT || s->type == TD_SIGNAL_SINE)
    return (reach){td_signal_least(s, t_end), -td_signal_least(&minus, t_end)};
  size_t knots = s->t ? s->count : 0;
  if (td_signal_create(s, &signal)) return r;
  for (size_t k = 0; k < knots + LOOKS + 1; k++) {
    double t = k < knots ? fmin(fmax(s->t[k], 0), t_end) : t_end * (double)(k - knots) / LOOKS;
    reach_add(&r, td_signal_eval(signal, t, t));
  }
  td_signal_destroy(signal);
  return r;
}

static void remark_limits(const td_place *list, const td_model *m, const td_input_spec *inputs, size_t count,
                          double t_end) {
  const td_stops *all = td_stops_of(m);
  for (int k = 0; k < td_stops_count(m); k++)
    for (int p = 0; p < m->prescribed_count; p++)
      for (size_t i = 0; m->prescribed[p].coordinate == all->stop[k].coordinate && i < count; i++) {
        if (td_channel_find(m, inputs[i].channel) != m->prescribed[p].channel) continue;
        td_place at = td_place_key(list, inputs[i].channel);
        reach r = reach_of(&inputs[i], t_end);
        remark_limit(&at, m, &all->stop[k], r.least, r.most);
      }
}

void td_inputs_remark(const td_place *root, const td_model *model, const td_input_spec *inputs, size_t count,
                      double t_end) {
  td_place list = td_place_key(root, "inputs");
  if (!root->warnings) return;
  for (size_t i = 0; i < count; i++) {
    td_place at = td_place_key(&list, inputs[i].channel);
    double phase = inputs[i].list ? 0 : farthest_phase(&inputs[i].signal);
    if (phase > 2 * TURN)
      td_place_warn(&at, "odd_angle", "a phase of %.6g rad is %.3g turns: phases are in radians", phase, phase / TURN);
  }
  remark_pressures(&list, model, inputs, count, t_end);
  remark_tensions(&list, model, inputs, count);
  remark_pulls(&list, model, inputs, count);
  remark_swings(&list, model, inputs, count);
  remark_limits(&list, model, inputs, count, t_end);
}

// A bend of a rod to half of its section's radius: legendre coordinates are angles over the whole length.
static void remark_bends(const td_place *list, const td_model *m, const double *q) {
  for (int r = 0; r < m->rod_count; r++) {
    const td_rod *rod = &m->rod[r];
    double radius = rod->outline && !rod->column ? td_section_mean_radius(rod->outline) : 0;
    const td_element *e = &m->element[rod->element];
    for (int g = 0; g < e->group_count && radius > 0; g++)
      for (int c = 0; c < e->group[g].count && (e->group[g].component == 1 || e->group[g].component == 2); c++) {
        int i = e->coordinate + e->group[g].first + c;
        td_place at = td_place_at(list, (size_t)i);
        if (fabs(q[i]) * radius > 0.5 * rod->length)
          td_place_warn(&at, "odd_angle",
                        "%.4g rad over a rod of %.4g m bend it to a radius of %.3g m, its section has %.3g m: angles "
                        "are in radians",
                        q[i], rod->length, rod->length / fabs(q[i]), radius);
      }
  }
}

// Curvatures of reduced bodies are angles over the whole length, by the largest of their fields along it.
static void remark_curls(const td_place *list, const td_model *m, const double *q) {
  static const int looks = 16, twist = 2;
  for (int r = 0; r < m->rod_count; r++) {
    const td_rod *rod = &m->rod[r];
    const td_element *e = &m->element[rod->element];
    for (int c = 0; rod->column && c < e->n; c++) {
      double most = 0;
      for (int k = 0; rod->column[c].component <= twist && k <= looks; k++)
        most = fmax(most, fabs(td_field_column_eval(&rod->column[c], (double)k / looks, NULL)));
      double angle = fabs(q[e->coordinate + c]) * most * rod->length;
      td_place at = td_place_at(list, (size_t)(e->coordinate + c));
      if (angle > 2 * TURN)
        td_place_warn(&at, "odd_angle",
                      "%.4g rolls a body of %.4g m up by %.3g turns: bends are in radians, 90 degrees are 1.5707963",
                      q[e->coordinate + c], rod->length, angle / TURN);
    }
  }
}

void td_initial_remark(const td_place *root, const td_model *model, const double *q, size_t count) {
  td_place initial = td_place_key(root, "initial"), list = td_place_key(&initial, "q");
  char *kind = root->warnings && q ? calloc(count + 1, 1) : NULL;
  bool known = kind && count == (size_t)td_model_ndof(model);
  if (known) td_mark_angles(model, kind);
  if (known) remark_bends(&list, model, q);
  if (known) remark_curls(&list, model, q);
  for (int p = 0; known && p < td_model_prescribed_count(model); p++) // follow their inputs, which are judged
    kind[td_model_prescribed_coordinate(model, p, NULL)] = 0;
  for (size_t i = 0; known && i < count; i++) {
    td_place at = td_place_at(&list, i);
    if (kind[i]) remark_angle(&at, fabs(q[i]), kind[i] == 1 ? 2 * TURN : TURN);
  }
  free(kind);
}
