// Friction and damping of one touch, and their derivatives by directions.
//
// Every quantity of the law is carried along a direction in which depth, push, velocity and spin of the sphere change:
// the chain rule line by line, as the law is written.
// Derivatives by place are those of a body that is held while the obstacle moves the other way by a twist (b, a): then
// the body's velocities and its tangent stay, and  delta d = n.a,  delta n = b x n - dn/dp a.
#include "element/rubbing.h"
#include "element/stick.h"
#include "lie/vec3.h"
#include "math/lanes.h"
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

// Directions, of place and of motion: how depth, normal, velocity of the centre, spin and stretch change, and what
// moment and force do by that; a column each.
enum { D = 0, N = 1, V = 4, W = 7, Z = 10, ROWS = 13, PLACES = 6, WAYS = 12, STRIDE = 16 };
typedef struct ways {
  _Alignas(64) double in[ROWS][STRIDE], out[6][STRIDE];
} ways;

// Lanes of them.
typedef struct way {
  td_vec d, n[3], v[3], w[3], z[3];
} way;

TD_INLINE td_vec along(const double *a, const td_vec *x) { return a[0] * x[0] + a[1] * x[1] + a[2] * x[2]; }

// out += a x b
TD_INLINE void cross_add(const double *a, const td_vec *b, td_vec *out) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}

static way way_at(const ways *all, int at) {
  way x;
  td_vec *to[ROWS] = {&x.d,    &x.n[0], &x.n[1], &x.n[2], &x.v[0], &x.v[1], &x.v[2],
                      &x.w[0], &x.w[1], &x.w[2], &x.z[0], &x.z[1], &x.z[2]};
  for (int k = 0; k < ROWS; k++) *to[k] = *(const td_vec *)&all->in[k][at];
  return x;
}

// What becomes of A y, A by the tangent, where y, which is `even` now, changes by `change`.
static void follow_weight(const td_rubbing *r, const td_rubbed *b, const law *l, const double *even, const way *x,
                          td_vec change[3]) {
  const double *n = b->at.n;
  double lean = td_vec3_dot(n, b->t), was = td_vec3_dot(b->t, even), part = r->along - r->across;
  td_vec turn = along(b->t, x->n), rise = along(b->t, change);
  for (int i = 0; i < 3; i++) {
    td_vec tp = -x->n[i] * lean - n[i] * turn;
    change[i] = r->across * change[i] + part * (tp * was + l->tp[i] * rise);
  }
}

// How friction changes where the velocity along the surface changes by vt.
static void follow_slip(const td_rubbing *r, const td_rubbed *b, const law *l, const way *x, const td_vec vt[3],
                        td_vec normal, td_vec ft[3]) {
  double s = l->speed;
  td_vec speed = along(l->vt, vt) / s, scale = -r->friction * (normal / s - l->normal * speed / (s * s));
  for (int i = 0; i < 3; i++) ft[i] = vt[i];
  follow_weight(r, b, l, l->vt, x, ft);
  for (int i = 0; i < 3; i++) ft[i] = scale * l->slide[i] + l->scale * ft[i];
}

static void follow_stick(const td_rubbing *r, const td_rubbed *b, const law *l, const td_stick_slopes *by, const way *x,
                         const td_vec vt[3], td_vec normal, td_vec ft[3]) {
  const double *n = b->at.n;
  double out = td_vec3_dot(n, b->z);
  td_vec rise = along(b->z, x->n) + along(n, x->z);
  for (int i = 0; i < 3; i++) ft[i] = by->by_normal[i] * normal;
  for (int k = 0; k < 3; k++) {
    td_vec z = x->z[k] - x->n[k] * out - n[k] * rise;
    for (int i = 0; i < 3; i++) ft[i] += by->by_z[k][i] * z + by->by_v[k][i] * vt[k];
  }
  follow_weight(r, b, l, l->pull, x, ft);
  for (int i = 0; i < 3; i++) ft[i] = -ft[i];
}

// How moment and force change.
static void follow(const td_rubbing *r, const td_rubbed *b, const law *l, const td_stick_slopes *by, int at,
                   ways *all) {
  const double *n = b->at.n, reach = b->radius - 0.5 * b->at.depth;
  const way x = way_at(all, at);
  td_vec h[3], v[3], vt[3], ft[3], moment[3] = {{0}};
  for (int i = 0; i < 3; i++) h[i] = 0.5 * x.d * n[i] - reach * x.n[i];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    v[i] = x.v[i] + x.w[j] * l->h[k] - x.w[k] * l->h[j];
  }
  cross_add(b->w, h, v);
  td_vec rise = along(l->v, x.n) + along(n, v), push = b->steep * x.d, gain = -r->damping * l->curve * rise,
         normal = push * l->gain + b->push * gain;
  for (int i = 0; i < 3; i++) vt[i] = v[i] - x.n[i] * l->rise - n[i] * rise;
  if (r->stick > 0)
    follow_stick(r, b, l, by, &x, vt, normal, ft);
  else
    follow_slip(r, b, l, &x, vt, normal, ft);
  const double back[3] = {-l->ft[0], -l->ft[1], -l->ft[2]};
  cross_add(back, h, moment); // h x f_t
  cross_add(l->h, ft, moment);
  for (int i = 0; i < 3; i++) {
    *(td_vec *)&all->out[i][at] = moment[i];
    *(td_vec *)&all->out[3 + i][at] = (normal - push) * n[i] + (l->normal - b->push) * x.n[i] + ft[i];
  }
}

// Seen from the body, which is held: the obstacle's end of the spring moves the other way, and its stretch turns along.
static void stretch(const td_rubbed *b, const double twist[6], double z[3]) {
  double turned[3], moved[3];
  td_vec3_cross(twist, b->z, turned);
  td_vec3_cross(twist, b->lever, moved);
  for (int i = 0; i < 3; i++) z[i] = turned[i] - moved[i] - twist[3 + i];
}

// Of the unit k of a twist. around: how a point goes round a rim, where the normal turns, which takes the force there
// with it.
static void set_place(const td_rubbed *b, int k, double around[3], ways *all) {
  const double *n = b->at.n;
  double unit[6] = {0}, turned[3], dn[3], v[3] = {0}, z[3] = {0};
  unit[k] = 1;
  td_obstacle_turn(&b->at, unit + 3, turned);
  td_vec3_cross(unit, n, dn);
  for (int i = 0; i < 3; i++) dn[i] -= turned[i];
  double d = td_vec3_dot(n, unit + 3);
  if (b->held) stretch(b, unit, z);
  if (b->on_rim) {
    td_rim_turn(&b->rim, dn, around);
    d -= td_vec3_dot(n, around);
    td_vec3_cross_add(b->w, around, v);
  }
  all->in[D][k] = d;
  for (int i = 0; i < 3; i++) all->in[N + i][k] = dn[i], all->in[V + i][k] = v[i], all->in[Z + i][k] = z[i];
}

void td_rubbing_slopes(const td_rubbing *r, const td_rubbed *b, td_rubbing_maps *maps) {
  law l;
  ways all;
  td_stick_slopes by;
  double force[3], around[PLACES][3];
  find(r, b, &l);
  memset(all.in, 0, sizeof all.in);
  if (r->stick > 0) td_stick_slopes_at(r, &(td_stick){b->share, l.normal, l.z, l.vt}, &by);
  for (int i = 0; i < 3; i++) force[i] = (l.normal - b->push) * b->at.n[i] + l.ft[i];
  for (int k = 0; k < PLACES; k++) {
    set_place(b, k, around[k], &all);
    all.in[k < 3 ? W + k : V + k - 3][PLACES + k] = 1;
  }
  for (int at = 0; at < WAYS; at += TD_LANES) follow(r, b, &l, r->stick > 0 ? &by : NULL, at, &all);
  for (int k = 0; k < PLACES; k++) {
    double column[6];
    for (int i = 0; i < 6; i++) column[i] = all.out[i][k], maps->motion[6 * i + k] = all.out[i][PLACES + k];
    if (b->on_rim) td_vec3_cross_add(around[k], force, column);
    for (int i = 0; i < 6; i++) maps->place[6 * i + k] = column[i];
  }
}
