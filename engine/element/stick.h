// Friction that sticks: a spring and a damper along the surface, within the cone of friction.
//
// Each touch has a spring between a point of either body, stretched by z along the surface (Coulomb's law as one of
// plasticity; Cundall and Strack, Geotechnique 29, 1979):
//   s = C(k z),  y = C(s + c v_t),  f_t = -A y,  C(x) = x min(1, mu f_n / |x|)
// Below the cone nothing slides: what holds does not creep. At the end of a step the spring keeps z' = s / k, which is
// what has not slid, between points at the place where the bodies touch then: neither force nor energy jumps,
// U = k z'.A z' / 2. What y does beyond U is lost, and never less than 0, as C is a projection.
#ifndef TENDRIL_ELEMENT_STICK_H
#define TENDRIL_ELEMENT_STICK_H

#include "element/rubbing.h"

/// A state, or how it changes.
typedef struct td_stick {
  double share;        ///< of k and c, with the sign of f_n
  double normal;       ///< f_n, N
  const double *z, *v; ///< [3] along the surface, m, m/s
} td_stick;

/// y, N, with the sign of share.
void td_stick_pull(const td_rubbing *law, const td_stick *at, double pull[3]);
/// How y changes; at the cone and where nothing pulls its slope is one-sided.
void td_stick_follow(const td_rubbing *law, const td_stick *at, const td_stick *change, double pull[3]);
/// How it changes by each of what it depends on; along the surface, [component of z, v][component of y].
typedef struct td_stick_slopes {
  double by_normal[3], by_z[3][3], by_v[3][3];
} td_stick_slopes;
void td_stick_slopes_at(const td_rubbing *law, const td_stick *at, td_stick_slopes *out);
/// Fills z, slip and most.
void td_stick_keep(const td_rubbing *law, const td_stick *at, td_hold *out);

#endif
