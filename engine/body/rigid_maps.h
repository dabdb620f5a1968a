// Maps of one rigid inertia in the world frame, once for each type of number: of one state (rigid.c), of as many states
// as there are lanes (batch/).
//   M = (m, m c, I),  I = R I_c R^T + m (c.c 1 - c c^T)
// dF/dV along the rate dV/dq seen from the body is B = (B11, -2 P^) acting on the angular part alone,
//   B11 = -L^ + w^ I - I w^ + 2 (h.v) 1 - h v^T - v h^T,  -I w^ = (w^ I)^T.
#ifndef TENDRIL_BODY_RIGID_MAPS_H
#define TENDRIL_BODY_RIGID_MAPS_H

#include "model/workspace.h"

#define TD_RIGID_MAPS(suffix, number)                                                                                  \
  TD_INLINE void td_world_inertia_##suffix(const td_inertia *in, const number *R, const number *p, number *M) {        \
    const double *J = in->inertia, m = in->mass;                                                                       \
    number c[3], RJ[9];                                                                                                \
    for (int i = 0; i < 3; i++) c[i] = R[3 * i] * in->com[0] + R[3 * i + 1] * in->com[1] + R[3 * i + 2] * in->com[2];  \
    for (int i = 0; i < 3; i++) c[i] += p[i];                                                                          \
    for (int i = 0; i < 3; i++) {                                                                                      \
      const number *r = R + 3 * i;                                                                                     \
      RJ[3 * i] = r[0] * J[0] + r[1] * J[1] + r[2] * J[2];                                                             \
      RJ[3 * i + 1] = r[0] * J[1] + r[1] * J[3] + r[2] * J[4];                                                         \
      RJ[3 * i + 2] = r[0] * J[2] + r[1] * J[4] + r[2] * J[5];                                                         \
    }                                                                                                                  \
    M[0] = (number){0} + m;                                                                                            \
    for (int i = 0; i < 3; i++) M[1 + i] = m * c[i];                                                                   \
    number cc = m * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);                                                         \
    M[4] = RJ[0] * R[0] + RJ[1] * R[1] + RJ[2] * R[2] + cc - m * c[0] * c[0];                                          \
    M[5] = RJ[0] * R[3] + RJ[1] * R[4] + RJ[2] * R[5] - m * c[0] * c[1];                                               \
    M[6] = RJ[0] * R[6] + RJ[1] * R[7] + RJ[2] * R[8] - m * c[0] * c[2];                                               \
    M[7] = RJ[3] * R[3] + RJ[4] * R[4] + RJ[5] * R[5] + cc - m * c[1] * c[1];                                          \
    M[8] = RJ[3] * R[6] + RJ[4] * R[7] + RJ[5] * R[8] - m * c[1] * c[2];                                               \
    M[9] = RJ[6] * R[6] + RJ[7] * R[7] + RJ[8] * R[8] + cc - m * c[2] * c[2];                                          \
  }                                                                                                                    \
  /** B11 and 2 P of one body. */                                                                                      \
  TD_INLINE void td_coriolis_map_##suffix(const number *M, const number *V, const number *momentum, number *B) {       \
    const number *w = V, *v = V + 3, *h = M + 1, *L = momentum, *P = momentum + 3;                                     \
    const number I[9] = {M[4], M[5], M[6], M[5], M[7], M[8], M[6], M[8], M[9]};                                        \
    number wI[9];                                                                                                      \
    for (int j = 0; j < 3; j++) {                                                                                      \
      wI[j] = w[1] * I[6 + j] - w[2] * I[3 + j];                                                                       \
      wI[3 + j] = w[2] * I[j] - w[0] * I[6 + j];                                                                       \
      wI[6 + j] = w[0] * I[3 + j] - w[1] * I[j];                                                                       \
    }                                                                                                                  \
    number hv = 2 * (h[0] * v[0] + h[1] * v[1] + h[2] * v[2]);                                                         \
    for (int i = 0; i < 3; i++)                                                                                        \
      for (int j = 0; j < 3; j++) B[3 * i + j] = wI[3 * i + j] + wI[3 * j + i] - h[i] * v[j] - v[i] * h[j];            \
    for (int i = 0; i < 3; i++) B[4 * i] += hv, B[9 + i] = 2 * P[i];                                                   \
    B[1] += L[2], B[2] -= L[1], B[3] -= L[2], B[5] += L[0], B[6] += L[1], B[7] -= L[0];                                \
  }

TD_RIGID_MAPS(scalar, double)
TD_RIGID_MAPS(lanes, td_vec)

#endif
