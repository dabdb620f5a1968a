// Friction and damping between two bodies: the chain rule line by line, as the law is written (element/rubbing.c).
#include "element/meeting.h"
#include "element/stick.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct law {
  double h[2][3];      // from the nearest points of the axes to the point midway between the surfaces
  double m[3], length; // r / |r|, |r|
  double v[3], rise;   // velocity there, n.v
  double gain, curve;  // g and its slope
  double along, vt[3], speed;
  double normal, scale;
  double even[3], ft[3]; // friction that is the same in all directions, and as it is
  double z[3];           // of what sticks: its stretch along the surface
} law;

// out = A y,  A = a_2 + (a_1 - a_2) t_p t_p^T,  of y across m.
static void weigh(const td_rubbing *r, const td_meeting *x, const double m[3], const double y[3], double out[3]) {
  memcpy(out, y, 3 * sizeof *out);
  if (x->grain < 0) return;
  double lean = td_vec3_dot(m, x->t), along = td_vec3_dot(y, x->t);
  for (int i = 0; i < 3; i++) out[i] = r->across * y[i] + (r->along - r->across) * along * (x->t[i] - m[i] * lean);
}

static void stick(const td_rubbing *r, const td_meeting *x, law *l) {
  double out = td_vec3_dot(l->m, x->z);
  for (int i = 0; i < 3; i++) l->z[i] = x->z[i] - l->m[i] * out;
  td_stick_pull(r, &(td_stick){x->weight, l->normal, l->z, l->vt}, l->even);
  for (int i = 0; i < 3; i++) l->even[i] = -l->even[i];
}

static void find(const td_rubbing *r, const td_meeting *x, law *l) {
  const double *n = x->at.n;
  double spin[3] = {0};
  l->length = sqrt(td_vec3_dot(x->at.r, x->at.r));
  for (int i = 0; i < 3; i++) {
    l->m[i] = l->length > 0 ? x->at.r[i] / l->length : 0;
    l->h[0][i] = -(x->radius[0] - 0.5 * x->at.depth) * n[i];
    l->h[1][i] = (x->radius[1] - 0.5 * x->at.depth) * n[i];
  }
  td_vec3_cross_add(x->w[0], l->h[0], spin);
  td_vec3_cross_add(l->h[1], x->w[1], spin);
  for (int i = 0; i < 3; i++) l->v[i] = x->v[i] + spin[i];
  l->rise = td_vec3_dot(n, l->v);
  td_rubbing_gain(1 - r->damping * l->rise, &l->gain, &l->curve);
  l->normal = x->push * l->gain;
  l->along = td_vec3_dot(l->m, l->v);
  for (int i = 0; i < 3; i++) l->vt[i] = l->v[i] - l->m[i] * l->along;
  if (r->stick > 0) {
    stick(r, x, l);
    weigh(r, x, l->m, l->even, l->ft);
    return;
  }
  l->speed = sqrt(td_vec3_dot(l->vt, l->vt) + r->slip * r->slip);
  l->scale = -r->friction * l->normal / l->speed;
  for (int i = 0; i < 3; i++) l->even[i] = l->scale * l->vt[i];
  weigh(r, x, l->m, l->even, l->ft);
}

void td_meeting_rub(const td_rubbing *r, const td_meeting *x, td_meeting_force *out) {
  assert(r->slip > 0);
  law l;
  find(r, x, &l);
  for (int i = 0; i < 3; i++) out->force[i] = (l.normal - x->push) * x->at.n[i] + l.ft[i];
  td_vec3_cross(l.h[0], l.ft, out->moment[0]);
  td_vec3_cross(l.ft, l.h[1], out->moment[1]);
  out->slip = sqrt(td_vec3_dot(l.vt, l.vt));
}

void td_meeting_hold(const td_rubbing *r, const td_meeting *x, td_hold *out) {
  assert(r->stick > 0);
  law l;
  find(r, x, &l);
  td_stick_keep(r, &(td_stick){x->weight, l.normal, l.z, l.vt}, out);
  double weighed[3];
  weigh(r, x, l.m, out->z, weighed);
  out->energy = 0.5 * x->weight * r->stick * td_vec3_dot(out->z, weighed);
  memcpy(out->point, l.h[0], sizeof out->point);
}

// How A y changes where y changes by `change`, and m by `m`.
static void follow_weight(const td_rubbing *r, const td_meeting *x, const td_meeting_way *w, const law *l,
                          const double m[3], const double change[3], double out[3]) {
  memcpy(out, change, 3 * sizeof *out);
  if (x->grain < 0) return;
  double lean = td_vec3_dot(l->m, x->t), turn = td_vec3_dot(m, x->t) + td_vec3_dot(l->m, w->t),
         along = td_vec3_dot(l->even, x->t), rise = td_vec3_dot(change, x->t) + td_vec3_dot(l->even, w->t);
  for (int i = 0; i < 3; i++) {
    double tp = x->t[i] - l->m[i] * lean, bent = w->t[i] - m[i] * lean - l->m[i] * turn;
    out[i] = r->across * change[i] + (r->along - r->across) * (rise * tp + along * bent);
  }
}

// How friction changes where the velocity along the surface changes by vt, and m by `m`.
static void follow_friction(const td_rubbing *r, const td_meeting *x, const td_meeting_way *y, const law *l,
                            const double m[3], const double vt[3], double normal, double ft[3]) {
  double even[3];
  if (r->stick > 0) {
    double out = td_vec3_dot(l->m, x->z), rise = td_vec3_dot(m, x->z) + td_vec3_dot(l->m, y->z), z[3];
    for (int i = 0; i < 3; i++) z[i] = y->z[i] - m[i] * out - l->m[i] * rise;
    td_stick_follow(r, &(td_stick){x->weight, l->normal, l->z, l->vt}, &(td_stick){x->weight, normal, z, vt}, even);
    for (int i = 0; i < 3; i++) even[i] = -even[i];
    follow_weight(r, x, y, l, m, even, ft);
    return;
  }
  double s = l->speed, speed = td_vec3_dot(l->vt, vt) / s,
         scale = -r->friction * (normal / s - l->normal * speed / (s * s));
  for (int i = 0; i < 3; i++) even[i] = scale * l->vt[i] + l->scale * vt[i];
  follow_weight(r, x, y, l, m, even, ft);
}

void td_meeting_rub_follow(const td_rubbing *r, const td_meeting *x, const td_meeting_way *y, td_meeting_force *out) {
  law l;
  find(r, x, &l);
  const double *n = x->at.n, d = y->at.depth;
  double h[2][3], m[3], v[3], spin[3] = {0}, turn = td_vec3_dot(l.m, y->at.whole);
  for (int i = 0; i < 3; i++) {
    m[i] = l.length > 0 ? (y->at.whole[i] - l.m[i] * turn) / l.length : 0;
    h[0][i] = 0.5 * d * n[i] - (x->radius[0] - 0.5 * x->at.depth) * y->at.n[i];
    h[1][i] = -0.5 * d * n[i] + (x->radius[1] - 0.5 * x->at.depth) * y->at.n[i];
    v[i] = y->v[i] + y->at.s * x->vu[i] - y->at.t * x->vv[i];
  }
  for (int k = 0; k < 2; k++) {
    double w[3], slide = k ? y->at.t : y->at.s, sign = k ? -1 : 1, turned[3];
    for (int i = 0; i < 3; i++) w[i] = y->w[k][i] + slide * x->wu[k][i];
    td_vec3_cross(w, l.h[k], turned);
    td_vec3_cross_add(x->w[k], h[k], turned);
    for (int i = 0; i < 3; i++) spin[i] += sign * turned[i];
  }
  for (int i = 0; i < 3; i++) v[i] += spin[i];
  double rise = td_vec3_dot(y->at.n, l.v) + td_vec3_dot(n, v), push = x->steep * d,
         normal = push * l.gain - x->push * r->damping * l.curve * rise,
         along = td_vec3_dot(m, l.v) + td_vec3_dot(l.m, v), vt[3], ft[3];
  for (int i = 0; i < 3; i++) vt[i] = v[i] - m[i] * l.along - l.m[i] * along;
  follow_friction(r, x, y, &l, m, vt, normal, ft);
  for (int i = 0; i < 3; i++) out->force[i] = (normal - push) * n[i] + (l.normal - x->push) * y->at.n[i] + ft[i];
  td_vec3_cross(h[0], l.ft, out->moment[0]);
  td_vec3_cross_add(l.h[0], ft, out->moment[0]);
  td_vec3_cross(l.ft, h[1], out->moment[1]);
  td_vec3_cross_add(ft, l.h[1], out->moment[1]);
}
