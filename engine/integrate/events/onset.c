// A force that acts for a short while only, and whose motion before and after a formula integrates exactly (free
// flight, an even turn), is not known to any error estimate whose stages all lie beside it. Contacts have approach.c;
// what else sets in by configuration depends on one number f each: a tendon driven by length on its length, what water
// does on a height.
//
// After a step f is taken as the cubic through its values and rates at both ends. The step strode where on the way
//   a tendon's tension exceeds DEEPER times those at both ends and what the tolerances leave of its stretch,
//   so does the push of a joint's stop,
//   a wetness or a current leaves the range of its values at both ends by SHARE of its largest.
// All of these are monotone between knots and extrema of f, so that nothing else need be looked at, but for damped
// tendons, whose tension is looked at in SAMPLES places. Where that is not so and would be with f off by NEAR of its
// way, the middle of the step is looked at on the integrator's own interpolant: two cubics are off by a sixteenth of
// it. The cubic of r cos(w t) is off by r (w h)^4 / 384 at most, so steps turn no joint by more than a radian; a stop's
// f is the coordinate itself, which integrators follow.
#include "integrate/events/onset.h"
#include "force/stop.h"
#include "force/tendon/tendon.h"
#include "force/tendon/tension.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 16, BISECTIONS = 40 };
static const double DEEPER = 4, SHARE = 1e-3, NEAR = 0.005, TURN = 1, MOST_TURN = 2;

// f and f' (by x) on a step, x in [0, 1].
typedef struct cubic {
  double c[4];
} cubic;

// What is found in a step or a half of it: the place, in [0, 1], of the force that exceeds its bound most; whether one
// is near.
typedef struct found {
  double x, excess;
  bool near;
} found;

// ------------------------------------------------------------------------------------------------ life

static bool has_heights(const td_model *m) { return m->water.has_surface || m->water.knots > 0; }

static bool is_wet(const td_model *m, int node) {
  int inertia = m->node[node].inertia;
  return m->water.has_surface && inertia >= 0 && m->inertia[inertia].displaced > 0;
}

// Heights that water depends on: reference points of bodies in it, and centres of what it lifts. Counts only with
// o->node NULL.
static int list_heights(td_onset *o, const td_model *m) {
  int count = 0;
  for (int i = 0; i < m->fluid_count && has_heights(m); i++, count++)
    if (o->node) o->node[count] = m->fluid[i].node, memcpy(o->point[count], m->fluid[i].point, sizeof *o->point);
  for (int k = 0; k < m->node_count; k++) {
    if (!is_wet(m, k)) continue;
    if (o->node) o->node[count] = k, memcpy(o->point[count], m->inertia[m->node[k].inertia].com, sizeof *o->point);
    count++;
  }
  for (int i = 0; i < m->slice_count + m->ritz_count && m->water.has_surface; i++, count++) {
    bool slice = i < m->slice_count;
    int node = slice ? m->slice[i].node : m->ritz[i - m->slice_count].node;
    if (o->node) o->node[count] = node, memset(o->point[count], 0, sizeof *o->point);
  }
  return count;
}

bool td_onset_exists(const td_model *m) { return m->length_count > 0 || has_heights(m) || td_stops_count(m) > 0; }

static void assign(td_onset_sight *s, double **at, int count) {
  s->value = *at;
  s->rate = *at + count;
  s->input = *at + 2 * count;
  *at += 3 * count;
}

td_status td_onset_init(td_onset *o, const td_model *m) {
  *o = (td_onset){0};
  if (!td_onset_exists(m)) return TD_OK;
  int heights = list_heights(o, m), stops = td_stops_count(m), count = m->length_count + stops + heights;
  if (count == 0) return TD_OK;
  o->memory = calloc((size_t)(9 * count), sizeof *o->memory);
  o->tendon = calloc((size_t)(m->length_count + heights) + 1, sizeof *o->tendon);
  o->point = calloc((size_t)heights + 1, sizeof *o->point);
  if (!o->memory || !o->tendon || !o->point) return TD_NO_MEMORY;
  double *at = o->memory;
  assign(&o->start, &at, count);
  assign(&o->end, &at, count);
  assign(&o->middle, &at, count);
  o->node = o->tendon + m->length_count;
  o->count = count;
  o->stop_count = stops;
  for (int t = 0; t < m->tendon_count; t++)
    if (m->law[t].length) o->tendon[o->tendon_count++] = t;
  (void)!list_heights(o, m);
  for (int k = 0; k < 3 * m->water.knots; k++) o->scale = fmax(o->scale, fabs(m->water.table[k]));
  return TD_OK;
}

void td_onset_fini(td_onset *o) {
  free(o->memory);
  free(o->tendon);
  free(o->point);
  *o = (td_onset){0};
}

// ------------------------------------------------------------------------------------------------ sights

static double spin_of(const td_plant *p, const double *qd) {
  double fastest = 0;
  for (int i = 0; i < p->model->element_count; i++) {
    const td_element *e = &p->model->element[i];
    double square = 0;
    if (e->type == TD_ELEMENT_SCREW && e->rotates) square = qd[e->coordinate] * qd[e->coordinate];
    if (e->type == TD_ELEMENT_STRIP && e->rod < 0) // spherical and free joints turn first, planar ones on the way
      for (int g = 0; g < e->group_count; g++)
        for (int c = 0; c < e->group[g].count && e->group[g].component < 3; c++) {
          double rate = qd[e->coordinate + e->group[g].first + c];
          square += rate * rate;
        }
    fastest = fmax(fastest, square);
  }
  return sqrt(fastest);
}

static int first_height(const td_onset *o) { return o->tendon_count + o->stop_count; }

static bool only_stops(const td_onset *o) { return o->count == o->stop_count; }

static void sight_stops(const td_onset *o, const td_plant *p, const double *y, td_onset_sight *out) {
  const td_stops *all = td_stops_of(p->model);
  for (int i = 0, k = o->tendon_count; i < o->stop_count; i++, k++) {
    out->value[k] = y[all->stop[i].coordinate];
    out->rate[k] = y[p->n + all->stop[i].coordinate];
  }
}

// By the poses, twists and inputs at hand.
static void sight(td_onset *o, const td_plant *p, const double *y, td_onset_sight *out) {
  const td_model *m = p->model;
  out->spin = only_stops(o) ? 0 : spin_of(p, y + p->n);
  sight_stops(o, p, y, out);
  for (int i = 0, k = first_height(o); k < o->count; i++, k++) {
    const double *V = p->ws->V[o->node[i]];
    double at[3], v[3];
    td_node_point(p->ws, o->node[i], o->point[i], at);
    memcpy(v, V + 3, sizeof v);
    td_vec3_cross_add(V, at, v);
    out->value[k] = at[2] + p->ws->origin[2];
    out->rate[k] = v[2];
  }
  if (o->tendon_count == 0) return;
  double(*motion)[3] = p->ws->tension.motion;
  bool known = !td_tendon_motion(m, p->ws, y, y + p->n, p->ws->zero, motion);
  for (int k = 0; k < o->tendon_count; k++) {
    const td_tendon_law *law = &m->law[o->tendon[k]];
    const double *l = motion[o->tendon[k]];
    out->value[k] = known ? l[0] : 0;
    out->input[k] = p->u[law->channel];
    out->rate[k] = known ? l[1] : 0;
  }
}

static bool sight_at(td_onset *o, td_plant *p, double t, const double *y, td_onset_sight *out) {
  if (o->tendon_count > 0 && td_plant_inputs(p, t, y, y + p->n)) return false;
  td_kinematics(p->model, p->ws, y, y + p->n, NULL, p->model->gravity, TD_LEVEL_TWIST);
  sight(o, p, y, out);
  return true;
}

void td_onset_start(td_onset *o, td_plant *plant, double t, const double *y) {
  if (o->count > 0 && !sight_at(o, plant, t, y, &o->start))
    memset(o->start.value, 0, 3 * (size_t)o->count * sizeof(double));
}

double td_onset_limit(const td_onset *o) { return o->count > 0 && o->start.spin > 0 ? TURN / o->start.spin : INFINITY; }

// ------------------------------------------------------------------------------------------------ ways

// Through values and rates at both ends of `h` seconds.
static cubic through(double f0, double r0, double f1, double r1, double h) {
  double d = f1 - f0;
  return (cubic){{f0, h * r0, 3 * d - h * (2 * r0 + r1), h * (r0 + r1) - 2 * d}};
}

static double at(const cubic *f, double x) { return f->c[0] + x * (f->c[1] + x * (f->c[2] + x * f->c[3])); }
static double slope(const cubic *f, double x) { return f->c[1] + x * (2 * f->c[2] + x * 3 * f->c[3]); }

static double off_by(double f0, double r0, double f1, double r1, double h) {
  return NEAR * (fabs(f1 - f0) + 0.5 * h * (fabs(r0) + fabs(r1)));
}

// The extrema of f inside (0, 1); their number.
static int extrema(const cubic *f, double x[2]) {
  double a = 3 * f->c[3], b = f->c[2], c = f->c[1], square = b * b - a * c; // a x^2 + 2 b x + c = 0
  if (!(square >= 0)) return 0;
  double root = -(b + copysign(sqrt(square), b)), candidate[2] = {c / root, root / a};
  int count = 0;
  for (int i = 0; i < 2; i++)
    if (candidate[i] > 0 && candidate[i] < 1) x[count++] = candidate[i];
  return count;
}

// Where f passes `level` between x0 and x1.
static double crossing(const cubic *f, double level, double x0, double x1) {
  bool above = at(f, x0) > level;
  for (int i = 0; i < BISECTIONS; i++) {
    double x = 0.5 * (x0 + x1);
    if ((at(f, x) > level) == above)
      x0 = x;
    else
      x1 = x;
  }
  return 0.5 * (x0 + x1);
}

static void note(found *best, double x, double excess) {
  if (excess > best->excess) *best = (found){x, excess, best->near};
}

// ------------------------------------------------------------------------------------------------ tendons

static double tension(const td_tendon_law *law, double length, double rate, double u) {
  td_pull pull;
  td_pull_at(law, length, rate, u, &pull);
  return pull.elastic + pull.damping;
}

// No length of the cubic is beyond `most`; its rate is a parabola, at most 5/4 of what it is at both ends and in the
// middle.
static double most_tension(const td_tendon_law *law, double most, double l0, double r0, double l1, double r1, double u,
                           double h) {
  double middle = 1.5 * (l1 - l0) / h - 0.25 * (r0 + r1);
  return tension(law, most, 1.25 * fmax(fabs(middle), fmax(fabs(r0), fabs(r1))), u);
}

static void look_at_tendon(const td_onset *o, const td_plant *p, const td_integrator_spec *spec, int k, double h,
                           const td_onset_sight *a, const td_onset_sight *b, found *best) {
  const td_tendon_law *law = &p->model->law[o->tendon[k]];
  double l0 = a->value[k], l1 = b->value[k], r0 = a->rate[k], r1 = b->rate[k], u0 = a->input[k], u1 = b->input[k];
  double ends = fmax(tension(law, l0, r0, u0), tension(law, l1, r1, u1)), x[SAMPLES + 1];
  double bound = DEEPER * fmax(ends, law->stiffness * (spec->atol + spec->rtol * fabs(l0)));
  double off = off_by(l0, r0, l1, r1, h), most = off + fmax(l0, l1) + h * (fabs(r0) + fabs(r1)) * 4 / 27;
  if (!(most_tension(law, most, l0, r0, l1, r1, fmax(u0, u1), h) > bound)) return;
  cubic f = through(l0, r0, l1, r1, h);
  int count = extrema(&f, x);
  for (int i = 1; i < SAMPLES; i++) x[count++] = (double)i / SAMPLES;
  for (int i = 0; i < count; i++) {
    double length = at(&f, x[i]), rate = slope(&f, x[i]) / h, u = u0 + x[i] * (u1 - u0);
    note(best, x[i], tension(law, length, rate, u) / bound);
    best->near |= tension(law, length + off, rate, u) > bound;
  }
}

// ------------------------------------------------------------------------------------------------ stops

// At most, with what is damped at the fastest of the way.
static double push(const td_stop *s, double q, double fastest) {
  return (s->stiffness + s->damping * fastest) * td_stop_depth(s, q);
}

static void look_at_stop(const td_onset *o, const td_plant *p, const td_integrator_spec *spec, int i, double h,
                         const td_onset_sight *a, const td_onset_sight *b, found *best) {
  const td_stop *s = &td_stops_of(p->model)->stop[i];
  int k = o->tendon_count + i;
  double q0 = a->value[k], q1 = b->value[k], r0 = a->rate[k], r1 = b->rate[k], x[2];
  double middle = 1.5 * (q1 - q0) / h - 0.25 * (r0 + r1), off = off_by(q0, r0, q1, r1, h),
         fastest = 1.25 * fmax(fabs(middle), fmax(fabs(r0), fabs(r1)));
  double ends = fmax(push(s, q0, fastest), push(s, q1, fastest)),
         bound = DEEPER * fmax(ends, s->stiffness * (spec->atol + spec->rtol * fabs(q0)));
  cubic f = through(q0, r0, q1, r1, h);
  int count = extrema(&f, x);
  for (int j = 0; j < count; j++) {
    double q = at(&f, x[j]);
    note(best, x[j], push(s, q, fastest) / bound);
    best->near |= push(s, q + off, fastest) > bound || push(s, q - off, fastest) > bound;
  }
}

// ------------------------------------------------------------------------------------------------ heights

// By how much a value leaves the range of two others, in units of what matters.
static double leaves(double value, double a, double b, double scale) {
  return fmax(value - fmax(a, b), fmin(a, b) - value) / (SHARE * scale);
}

// All that the water does at a height, against both ends of a step.
static double strange(const td_onset *o, const td_water *w, double z, double z0, double z1) {
  double U[3], U0[3], U1[3], slopes[3], most = 0;
  if (w->has_surface)
    most = leaves(td_water_wetness(w, z).value, td_water_wetness(w, z0).value, td_water_wetness(w, z1).value, 1);
  if (!(o->scale > 0)) return most;
  td_water_flow(w, z, NULL, U, slopes);
  td_water_flow(w, z0, NULL, U0, slopes);
  td_water_flow(w, z1, NULL, U1, slopes);
  for (int c = 0; c < 3; c++) most = fmax(most, leaves(U[c], U0[c], U1[c], o->scale));
  return most;
}

static void look_at_height(const td_onset *o, const td_water *w, int k, double h, const td_onset_sight *a,
                           const td_onset_sight *b, found *best) {
  double z0 = a->value[k], z1 = b->value[k], r0 = a->rate[k], r1 = b->rate[k], x[4] = {0};
  double off = off_by(z0, r0, z1, r1, h);
  cubic f = through(z0, r0, z1, r1, h);
  int count = extrema(&f, x + 1) + 1;
  if (count == 3 && x[1] > x[2]) x[0] = x[1], x[1] = x[2], x[2] = x[0], x[0] = 0;
  x[count] = 1;
  for (int i = 0; i < count; i++) { // monotone from x[i] to x[i + 1]
    double from = at(&f, x[i]), to = at(&f, x[i + 1]);
    if (i > 0) {
      note(best, x[i], strange(o, w, from, z0, z1));
      best->near |= strange(o, w, from - off, z0, z1) > 1 || strange(o, w, from + off, z0, z1) > 1;
    }
    for (int j = 0; j < w->knots; j++) {
      double z = w->z[j], excess = (z - from) * (z - to) < 0 ? strange(o, w, z, z0, z1) : 0;
      if (excess > fmax(1, best->excess)) note(best, crossing(&f, z, x[i], x[i + 1]), excess);
    }
  }
}

// ------------------------------------------------------------------------------------------------ steps

static found look(const td_onset *o, const td_plant *p, const td_integrator_spec *spec, double h,
                  const td_onset_sight *a, const td_onset_sight *b) {
  found best = {0};
  for (int k = 0; k < o->tendon_count; k++) look_at_tendon(o, p, spec, k, h, a, b, &best);
  for (int i = 0; i < o->stop_count; i++) look_at_stop(o, p, spec, i, h, a, b, &best);
  for (int k = first_height(o); k < o->count; k++) look_at_height(o, &p->model->water, k, h, a, b, &best);
  return best;
}

void td_onset_skip(td_onset *o) {
  td_onset_sight start = o->start;
  o->start = o->end;
  o->end = start;
}

void td_onset_arrive(td_onset *o, const td_plant *plant, const double *y) {
  if (o->count > 0) sight(o, plant, y, &o->end);
}

// A joint that turned much further than it set out to.
static double over_turned(const td_onset *o, double t0, double h) {
  return h * o->end.spin > MOST_TURN ? t0 + TURN / o->end.spin : INFINITY;
}

double td_onset_look(td_onset *o, td_plant *plant, const td_integrator_spec *spec, const td_integrator *method,
                     td_stepper *stepper, double t0, double t1, double *scratch) {
  double h = t1 - t0;
  if (o->count == 0) return INFINITY;
  double turned = over_turned(o, t0, h);
  if (turned < t1) return turned;
  found all = look(o, plant, spec, h, &o->start, &o->end);
  if (all.excess > 1) return t0 + all.x * h;
  double middle = t0 + 0.5 * h;
  if (all.near && !method->interpolate(stepper, middle, scratch) && sight_at(o, plant, middle, scratch, &o->middle)) {
    found first = look(o, plant, spec, 0.5 * h, &o->start, &o->middle);
    found second = look(o, plant, spec, 0.5 * h, &o->middle, &o->end);
    if (fmax(first.excess, second.excess) > 1)
      return first.excess > second.excess ? t0 + 0.5 * first.x * h : middle + 0.5 * second.x * h;
  }
  td_onset_skip(o);
  return INFINITY;
}
