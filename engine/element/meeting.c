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
  td_meeting_levers(x, l->h);
  for (int i = 0; i < 3; i++) l->m[i] = l->length > 0 ? x->at.r[i] / l->length : 0;
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

void td_meeting_levers(const td_meeting *x, double lever[2][3]) {
  for (int i = 0; i < 3; i++) {
    lever[0][i] = -(x->radius[0] - 0.5 * x->at.depth) * x->at.n[i];
    lever[1][i] = (x->radius[1] - 0.5 * x->at.depth) * x->at.n[i];
  }
}

// ---- how it changes

TD_INLINE td_vec along(const double *a, const td_vec *x) { return a[0] * x[0] + a[1] * x[1] + a[2] * x[2]; }

// out += a x b
TD_INLINE void cross_add(const double *a, const td_vec *b, td_vec *out) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}

// How friction changes where the velocity along the surface changes by vt, m by `m`.
static void follow_pull(const td_stick_slopes *p, const td_meeting *x, const td_meeting_way *y, const law *l,
                        const td_vec m[3], const td_vec vt[3], td_vec normal, td_vec ft[3]) {
  double out = td_vec3_dot(l->m, x->z);
  td_vec rise = along(x->z, m) + along(l->m, y->z), z[3];
  for (int i = 0; i < 3; i++) z[i] = y->z[i] - m[i] * out - l->m[i] * rise;
  for (int i = 0; i < 3; i++) {
    ft[i] = -p->by_normal[i] * normal;
    for (int k = 0; k < 3; k++) ft[i] -= p->by_z[k][i] * z[k] + p->by_v[k][i] * vt[k];
  }
}

static void follow_slide(const td_rubbing *r, const law *l, const td_vec vt[3], td_vec normal, td_vec ft[3]) {
  td_vec speed = along(l->vt, vt) / l->speed, scale = -r->friction / l->speed * (normal - l->normal * speed / l->speed);
  for (int i = 0; i < 3; i++) ft[i] = scale * l->vt[i] + l->scale * vt[i];
}

// What becomes of A y where y changes by `change`, and m by `m`.
static void follow_weight(const td_rubbing *r, const td_meeting *x, const td_meeting_way *w, const law *l,
                          const td_vec m[3], td_vec change[3]) {
  double lean = td_vec3_dot(l->m, x->t), way = td_vec3_dot(l->even, x->t), part = r->along - r->across;
  td_vec turn = along(x->t, m) + along(l->m, w->t), rise = along(x->t, change) + along(l->even, w->t);
  for (int i = 0; i < 3; i++) {
    double tp = x->t[i] - l->m[i] * lean;
    td_vec bent = w->t[i] - m[i] * lean - l->m[i] * turn;
    change[i] = r->across * change[i] + part * (rise * tp + way * bent);
  }
}

// h: of the levers. v: of the velocity midway.
static void follow_place(const td_meeting *x, const td_meeting_way *y, td_vec h[2][3], td_vec v[3]) {
  double lever[2][3], a[3], b[3];
  td_meeting_levers(x, lever);
  td_vec3_cross(x->wu[0], lever[0], a);
  td_vec3_cross(x->wu[1], lever[1], b);
  for (int i = 0; i < 3; i++) {
    h[0][i] = 0.5 * y->at.depth * x->at.n[i] - (x->radius[0] - 0.5 * x->at.depth) * y->at.n[i];
    h[1][i] = -0.5 * y->at.depth * x->at.n[i] + (x->radius[1] - 0.5 * x->at.depth) * y->at.n[i];
    v[i] = y->v[i] + y->at.s * (x->vu[i] + a[i]) - y->at.t * (x->vv[i] + b[i]);
  }
  cross_add(x->w[0], h[0], v);
  for (int i = 0; i < 3; i++) h[1][i] = -h[1][i];
  cross_add(x->w[1], h[1], v);
  for (int i = 0; i < 3; i++) h[1][i] = -h[1][i];
}

static void follow(const td_rubbing *r, const td_meeting *x, const law *l, const td_stick_slopes *held,
                   td_meeting_way *y) {
  const double *n = x->at.n;
  td_vec h[2][3], m[3], v[3], vt[3], ft[3], turn = along(l->m, y->at.whole);
  double inverse = l->length > 0 ? 1 / l->length : 0;
  for (int i = 0; i < 3; i++) m[i] = (y->at.whole[i] - l->m[i] * turn) * inverse;
  follow_place(x, y, h, v);
  td_vec rise = along(l->v, y->at.n) + along(n, v), push = x->steep * y->at.depth,
         normal = push * l->gain - x->push * r->damping * l->curve * rise, way = along(l->v, m) + along(l->m, v);
  for (int i = 0; i < 3; i++) vt[i] = v[i] - m[i] * l->along - l->m[i] * way;
  if (held)
    follow_pull(held, x, y, l, m, vt, normal, ft);
  else
    follow_slide(r, l, vt, normal, ft);
  if (x->grain >= 0) follow_weight(r, x, y, l, m, ft);
  for (int i = 0; i < 3; i++) y->force[i] = (normal - push) * n[i] + (l->normal - x->push) * y->at.n[i] + ft[i];
  for (int k = 0; k < 2; k++) {
    double back[3] = {-l->ft[0], -l->ft[1], -l->ft[2]};
    memset(y->moment[k], 0, sizeof y->moment[k]);
    cross_add(back, h[k], y->moment[k]); // h x f_t
    cross_add(l->h[k], ft, y->moment[k]);
  }
  for (int i = 0; i < 3; i++) y->moment[1][i] = -y->moment[1][i];
}

void td_meeting_rub_follow(const td_rubbing *r, const td_meeting *x, int count, td_meeting_way *way) {
  law l;
  td_stick_slopes held;
  find(r, x, &l);
  if (r->stick > 0) td_stick_slopes_at(r, &(td_stick){x->weight, l.normal, l.z, l.vt}, &held);
  for (int i = 0; i < count; i++) follow(r, x, &l, r->stick > 0 ? &held : NULL, &way[i]);
}
