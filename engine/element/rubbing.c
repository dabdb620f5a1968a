// Friction and damping of one touch, and their derivatives by directions.
//
// Every quantity of the law is carried along a direction in which depth, push, velocity and spin of the sphere change:
// the chain rule line by line, as the law is written.
// Derivatives by place are those of a body that is held while the obstacle moves the other way by a twist (b, a): then
// the body's velocities and its tangent stay, and  delta d = n.a,  delta n = b x n - dn/dp a.
#include "element/rubbing.h"
#include "element/stick.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const double SOFT = 0.1; // of the normal force: less of it goes to 0 smoothly

void td_rubbing_of(const td_contact_spec *spec, td_rubbing *out) {
  bool given = spec->anisotropy[0] > 0 || spec->anisotropy[1] > 0;
  *out = (td_rubbing){.damping = spec->damping,
                      .friction = spec->friction,
                      .slip = spec->slip_speed > 0 ? spec->slip_speed : TD_SLIP_SPEED,
                      .along = given ? spec->anisotropy[0] : 1,
                      .across = given ? spec->anisotropy[1] : 1,
                      .stick = spec->stick,
                      .stick_damping = spec->stick_damping};
}

bool td_rubbing_acts(const td_rubbing *r) { return r->damping > 0 || r->friction > 0; }

// What the law is made of.
typedef struct law {
  double h[3];        // from the centre to the point midway between the surfaces
  double v[3], rise;  // velocity there, and its part along the push
  double gain, curve; // g and its slope
  double vt[3], tp[3], slide[3], along, speed;
  double normal, scale, ft[3];
  double z[3], pull[3]; // of what sticks: its stretch along the surface, what it holds by before anisotropy
} law;

void td_rubbing_gain(double x, double *gain, double *slope) {
  *gain = x, *slope = 1;
  if (x >= SOFT) return;
  *gain = x > 0 ? x * x * (2 * SOFT - x) / (SOFT * SOFT) : 0;
  *slope = x > 0 ? x * (4 * SOFT - 3 * x) / (SOFT * SOFT) : 0;
}

static void slide_by(const td_rubbing *r, law *l, const double x[3], double along) {
  for (int i = 0; i < 3; i++) l->slide[i] = r->across * x[i] + (r->along - r->across) * l->tp[i] * along;
}

static void stick(const td_rubbing *r, const td_rubbed *b, law *l) {
  const double *n = b->at.n;
  double out = td_vec3_dot(n, b->z);
  for (int i = 0; i < 3; i++) l->z[i] = b->z[i] - n[i] * out;
  td_stick_pull(r, &(td_stick){b->share, l->normal, l->z, l->vt}, l->pull);
  slide_by(r, l, l->pull, td_vec3_dot(b->t, l->pull));
  for (int i = 0; i < 3; i++) l->ft[i] = -l->slide[i];
}

static void find(const td_rubbing *r, const td_rubbed *b, law *l) {
  const double *n = b->at.n;
  double lean = td_vec3_dot(n, b->t);
  for (int i = 0; i < 3; i++) l->h[i] = -(b->radius - 0.5 * b->at.depth) * n[i];
  memcpy(l->v, b->v, sizeof l->v);
  td_vec3_cross_add(b->w, l->h, l->v);
  l->rise = td_vec3_dot(n, l->v);
  td_rubbing_gain(1 - r->damping * l->rise, &l->gain, &l->curve);
  l->normal = b->push * l->gain;
  for (int i = 0; i < 3; i++) l->vt[i] = l->v[i] - n[i] * l->rise, l->tp[i] = b->t[i] - n[i] * lean;
  l->along = td_vec3_dot(b->t, l->vt);
  if (r->stick > 0) {
    stick(r, b, l);
    return;
  }
  l->speed = sqrt(td_vec3_dot(l->vt, l->vt) + r->slip * r->slip);
  l->scale = -r->friction * l->normal / l->speed;
  slide_by(r, l, l->vt, l->along);
  for (int i = 0; i < 3; i++) l->ft[i] = l->scale * l->slide[i];
}

void td_rubbing_at(const td_rubbing *r, const td_rubbed *b, double moment[3], double force[3], double *slip) {
  assert(r->slip > 0);
  law l;
  find(r, b, &l);
  td_vec3_cross(l.h, l.ft, moment);
  for (int i = 0; i < 3; i++) force[i] = (l.normal - b->push) * b->at.n[i] + l.ft[i];
  if (slip) *slip = sqrt(td_vec3_dot(l.vt, l.vt));
}

void td_rubbing_hold(const td_rubbing *r, const td_rubbed *b, td_hold *out) {
  assert(r->stick > 0);
  law l;
  find(r, b, &l);
  td_stick_keep(r, &(td_stick){b->share, l.normal, l.z, l.vt}, out);
  double along = td_vec3_dot(b->t, out->z);
  slide_by(r, &l, out->z, along);
  out->energy = 0.5 * b->share * r->stick * td_vec3_dot(out->z, l.slide);
  memcpy(out->point, l.h, sizeof out->point);
}

// A direction: how depth, push, velocity of the centre, spin and stretch change.
typedef struct way {
  double d, n[3], v[3], w[3], z[3];
} way;

// How friction changes where the velocity along the surface changes by vt.
static void follow_slip(const td_rubbing *r, const td_rubbed *b, const law *l, const way *x, const double vt[3],
                        double normal, double ft[3]) {
  const double *n = b->at.n, s = l->speed;
  double speed = td_vec3_dot(l->vt, vt) / s, along = td_vec3_dot(b->t, vt), lean = td_vec3_dot(n, b->t),
         turn = td_vec3_dot(x->n, b->t), scale = -r->friction * (normal / s - l->normal * speed / (s * s));
  for (int i = 0; i < 3; i++) {
    double tp = -x->n[i] * lean - n[i] * turn;
    double slide = r->across * vt[i] + (r->along - r->across) * (tp * l->along + l->tp[i] * along);
    ft[i] = scale * l->slide[i] + l->scale * slide;
  }
}

static void follow_stick(const td_rubbing *r, const td_rubbed *b, const law *l, const way *x, const double vt[3],
                         double normal, double ft[3]) {
  const double *n = b->at.n;
  double out = td_vec3_dot(n, b->z), rise = td_vec3_dot(x->n, b->z) + td_vec3_dot(n, x->z), z[3], pull[3];
  for (int i = 0; i < 3; i++) z[i] = x->z[i] - x->n[i] * out - n[i] * rise;
  td_stick_follow(r, &(td_stick){b->share, l->normal, l->z, l->vt}, &(td_stick){b->share, normal, z, vt}, pull);
  double lean = td_vec3_dot(n, b->t), turn = td_vec3_dot(x->n, b->t), held = td_vec3_dot(b->t, l->pull),
         along = td_vec3_dot(b->t, pull);
  for (int i = 0; i < 3; i++) {
    double tp = -x->n[i] * lean - n[i] * turn;
    ft[i] = -r->across * pull[i] - (r->along - r->across) * (tp * held + l->tp[i] * along);
  }
}

// out [6]: how moment and force change.
static void follow(const td_rubbing *r, const td_rubbed *b, const law *l, const way *x, double out[6]) {
  const double *n = b->at.n, reach = b->radius - 0.5 * b->at.depth;
  double h[3], v[3], vt[3], ft[3], *moment = out, *force = out + 3;
  for (int i = 0; i < 3; i++) h[i] = 0.5 * x->d * n[i] - reach * x->n[i];
  memcpy(v, x->v, sizeof v);
  td_vec3_cross_add(x->w, l->h, v);
  td_vec3_cross_add(b->w, h, v);
  double rise = td_vec3_dot(x->n, l->v) + td_vec3_dot(n, v), push = b->steep * x->d,
         gain = -r->damping * l->curve * rise, normal = push * l->gain + b->push * gain;
  for (int i = 0; i < 3; i++) vt[i] = v[i] - x->n[i] * l->rise - n[i] * rise;
  (r->stick > 0 ? follow_stick : follow_slip)(r, b, l, x, vt, normal, ft);
  for (int i = 0; i < 3; i++) force[i] = (normal - push) * n[i] + (l->normal - b->push) * x->n[i] + ft[i];
  td_vec3_cross(h, l->ft, moment);
  td_vec3_cross_add(l->h, ft, moment);
}

// Seen from the body, which is held: the obstacle's end of the spring moves the other way, and its stretch turns along.
static void stretch(const td_rubbed *b, const double twist[6], double z[3]) {
  double turned[3], moved[3];
  if (!b->held) return;
  td_vec3_cross(twist, b->z, turned);
  td_vec3_cross(twist, b->lever, moved);
  for (int i = 0; i < 3; i++) z[i] = turned[i] - moved[i] - twist[3 + i];
}

// The point goes round a rim, where the normal turns by dn.
static void roll(const td_rubbed *b, const double dn[3], way *x, double out[3]) {
  td_rim_turn(&b->rim, dn, out);
  x->d -= td_vec3_dot(b->at.n, out);
  td_vec3_cross_add(b->w, out, x->v);
}

void td_rubbing_slopes(const td_rubbing *r, const td_rubbed *b, td_rubbing_maps *maps) {
  law l;
  find(r, b, &l);
  double force[3];
  for (int i = 0; i < 3; i++) force[i] = (l.normal - b->push) * b->at.n[i] + l.ft[i];
  for (int k = 0; k < 6; k++) {
    double unit[6] = {0}, column[2][6], turned[3], way_round[3];
    way place = {0}, motion = {0};
    unit[k] = 1;
    td_obstacle_turn(&b->at, unit + 3, turned);
    td_vec3_cross(unit, b->at.n, place.n);
    for (int i = 0; i < 3; i++) place.n[i] -= turned[i];
    place.d = td_vec3_dot(b->at.n, unit + 3);
    stretch(b, unit, place.z);
    if (b->on_rim) roll(b, place.n, &place, way_round);
    memcpy(motion.w, unit, sizeof motion.w);
    memcpy(motion.v, unit + 3, sizeof motion.v);
    follow(r, b, &l, &place, column[0]);
    if (b->on_rim) td_vec3_cross_add(way_round, force, column[0]);
    follow(r, b, &l, &motion, column[1]);
    for (int i = 0; i < 6; i++) maps->place[6 * i + k] = column[0][i], maps->motion[6 * i + k] = column[1][i];
  }
}
