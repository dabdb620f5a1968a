// The tangent of a tendon at a point of a rod, and how strains change it: t = t0 + sum_c phi_c q_c m_{a(c)}, with m_a
// the change of v + w x d + d' per unit of strain component a. Mathew2025 (D60)-(D63), corrected.
#ifndef TENDRIL_FORCE_TENDON_PATH_H
#define TENDRIL_FORCE_TENDON_PATH_H

#include "model/model.h"
#include <math.h>

typedef struct td_path_tangent {
  double length, n[3], dy, dz;
} td_path_tangent;

static inline int td_rod_stride(const td_model *m, const td_rod *rod) {
  return m->element[rod->element].npad + TD_LANES;
}
static inline int td_rod_coordinate(const td_model *m, const td_rod *rod) {
  return m->element[rod->element].coordinate;
}

/// strain [TD_COMPONENTS] = Phi x at a point with columns phi: by component of the frame whose x axis is the tangent.
TD_INLINE void td_path_strain(const td_rod *rod, const double *phi, const double *x, double *strain) {
  for (int a = 0; a < TD_COMPONENTS; a++) strain[a] = 0;
  for (int g = 0; g < rod->group_count; g++) {
    double sum = 0;
    for (int c = rod->group[g].first; c < rod->group[g].first + rod->group[g].count; c++) sum += phi[c] * x[c];
    strain[rod->axis[rod->group[g].component]] = sum;
  }
}

/// The tangent at offset d = (y, z) and constant t0 under strains e (reference strain left out: it is in t0).
TD_INLINE td_path_tangent td_path_tangent_of(const double *d, const double *t0, const double *e) {
  double dy = d[0], dz = d[1];
  double t[3] = {t0[0] + e[3] + e[1] * dz - e[2] * dy, t0[1] + e[4] - e[0] * dz, t0[2] + e[5] + e[0] * dy};
  double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]), inverse = 1 / length;
  return (td_path_tangent){length, {t[0] * inverse, t[1] * inverse, t[2] * inverse}, dy, dz};
}

/// out [TD_COMPONENTS] += scale m^T x
TD_INLINE void td_path_pull(const td_path_tangent *t, const double *along, double scale, double *out) {
  double x = scale * along[0], y = scale * along[1], z = scale * along[2];
  out[0] += z * t->dy - y * t->dz;
  out[1] += x * t->dz;
  out[2] -= x * t->dy;
  out[3] += x, out[4] += y, out[5] += z;
}

/// The tangent's change for strains e: m e.
TD_INLINE void td_path_change(const td_path_tangent *t, const double *e, double out[3]) {
  out[0] = e[3] + e[1] * t->dz - e[2] * t->dy;
  out[1] = e[4] - e[0] * t->dz;
  out[2] = e[5] + e[0] * t->dy;
}

#endif
