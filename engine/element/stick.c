// The law of springs that hold, and its derivative, line by line (stick.h).
#include "element/stick.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// C(x)
static void within(double cone, const double x[3], double out[3]) {
  double size = sqrt(td_vec3_dot(x, x)), scale = size > cone ? cone / size : 1;
  for (int i = 0; i < 3; i++) out[i] = scale * x[i];
}

static void within_follow(double cone, const double x[3], double rise, const double way[3], double out[3]) {
  double size = sqrt(td_vec3_dot(x, x)), along = td_vec3_dot(x, way);
  memcpy(out, way, 3 * sizeof *out);
  if (!(size > cone)) return;
  for (int i = 0; i < 3; i++) {
    double e = x[i] / size;
    out[i] = rise * e + cone / size * (way[i] - e * along / size);
  }
}

typedef struct parts {
  double sign, k, c, cone, whole[3], held[3], sum[3]; // k z; s; s + c v
} parts;

static void find(const td_rubbing *law, const td_stick *at, parts *p) {
  assert(law->stick > 0);
  p->sign = at->share < 0 ? -1 : 1;
  p->k = fabs(at->share) * law->stick;
  p->c = fabs(at->share) * law->stick_damping;
  p->cone = law->friction * fmax(0, p->sign * at->normal);
  for (int i = 0; i < 3; i++) p->whole[i] = p->k * at->z[i];
  within(p->cone, p->whole, p->held);
  for (int i = 0; i < 3; i++) p->sum[i] = p->held[i] + p->c * at->v[i];
}

void td_stick_pull(const td_rubbing *law, const td_stick *at, double pull[3]) {
  parts p;
  find(law, at, &p);
  within(p.cone, p.sum, pull);
  for (int i = 0; i < 3; i++) pull[i] *= p.sign;
}

void td_stick_follow(const td_rubbing *law, const td_stick *at, const td_stick *change, double pull[3]) {
  parts p;
  double way[3], held[3];
  find(law, at, &p);
  double rise = law->friction * p.sign * change->normal;
  for (int i = 0; i < 3; i++) way[i] = p.k * change->z[i];
  within_follow(p.cone, p.whole, rise, way, held);
  for (int i = 0; i < 3; i++) way[i] = held[i] + p.c * change->v[i];
  within_follow(p.cone, p.sum, rise, way, pull);
  for (int i = 0; i < 3; i++) pull[i] *= p.sign;
}

void td_stick_slopes_at(const td_rubbing *law, const td_stick *at, td_stick_slopes *out) {
  static const double NONE[3] = {0};
  td_stick_follow(law, at, &(td_stick){at->share, 1, NONE, NONE}, out->by_normal);
  for (int i = 0; i < 3; i++) {
    double unit[3] = {i == 0, i == 1, i == 2};
    td_stick_follow(law, at, &(td_stick){at->share, 0, unit, NONE}, out->by_z[i]);
    td_stick_follow(law, at, &(td_stick){at->share, 0, NONE, unit}, out->by_v[i]);
  }
}

void td_stick_keep(const td_rubbing *law, const td_stick *at, td_hold *out) {
  parts p;
  find(law, at, &p);
  out->most = p.k > 0 ? p.cone / p.k : 0;
  for (int i = 0; i < 3; i++) out->z[i] = p.k > 0 ? p.held[i] / p.k : 0;
  memcpy(out->slip, at->v, sizeof out->slip);
}
