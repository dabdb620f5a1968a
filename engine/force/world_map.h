// Local 3x3 and 6x6 maps turned to world axes and shifted to the origin: S^T R G R^T S with S = [1 0; -p^ 1].
#ifndef TENDRIL_FORCE_WORLD_MAP_H
#define TENDRIL_FORCE_WORLD_MAP_H

#include "lie/vec3.h"
#include <string.h>

/// out = R G R^T
TD_INLINE void td_turn(const double *R, const double *G, double *out) {
  double RG[9];
  td_mat3_mul(R, G, RG);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = td_vec3_dot(RG + 3 * i, R + 3 * j);
}

/// out += p^ G
TD_INLINE void td_hat_times_add(const double *p, const double *G, double sign, double *out) {
  for (int j = 0; j < 3; j++) {
    out[j] += sign * (p[1] * G[6 + j] - p[2] * G[3 + j]);
    out[3 + j] += sign * (p[2] * G[j] - p[0] * G[6 + j]);
    out[6 + j] += sign * (p[0] * G[3 + j] - p[1] * G[j]);
  }
}
/// out += G p^: row by row G_i x p
TD_INLINE void td_times_hat_add(const double *G, const double *p, double sign, double *out) {
  for (int i = 0; i < 3; i++) {
    double row[3];
    td_vec3_cross(G + 3 * i, p, row);
    for (int j = 0; j < 3; j++) out[3 * i + j] += sign * row[j];
  }
}

/// The 3x3 block at (row, column) of a 6x6 map += G.
TD_INLINE void td_add_block(double *map, int row, int column, const double *G) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) map[6 * (row + i) + column + j] += G[3 * i + j];
}

/// map += P^T d P of a linear-linear block d at p:  [-p^ d p^, p^ d; -d p^, d].
static inline void td_add_point_map(const double *d, const double *p, double *map) {
  double pd[9] = {0}, dp[9] = {0}, pdp[9] = {0};
  td_hat_times_add(p, d, 1, pd);
  td_times_hat_add(d, p, -1, dp);
  td_times_hat_add(pd, p, -1, pdp);
  td_add_block(map, 0, 0, pdp);
  td_add_block(map, 0, 3, pd);
  td_add_block(map, 3, 0, dp);
  td_add_block(map, 3, 3, d);
}

/// map += S^T [a b; c d] S, S = [1 0; -p^ 1]; the blocks row-major in G [6][6], in world axes.
static inline void td_add_body_map(const double *G, const double *p, double *map) {
  double block[4][9];
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) memcpy(block[k] + 3 * i, G + 6 * (3 * (k / 2) + i) + 3 * (k % 2), 3 * sizeof(double));
  td_times_hat_add(block[1], p, -1, block[0]);
  td_hat_times_add(p, block[2], 1, block[0]);
  td_add_block(map, 0, 0, block[0]);
  td_add_block(map, 0, 3, block[1]);
  td_add_block(map, 3, 0, block[2]);
  td_add_point_map(block[3], p, map);
}

/// Turns all four blocks of a local map to world axes.
static inline void td_turn_map(const double *R, const double *G, double *out) {
  for (int k = 0; k < 4; k++) {
    double local[9], world[9];
    int at = 6 * 3 * (k / 2) + 3 * (k % 2);
    for (int i = 0; i < 3; i++) memcpy(local + 3 * i, G + at + 6 * i, 3 * sizeof(double));
    td_turn(R, local, world);
    for (int i = 0; i < 3; i++) memcpy(out + at + 6 * i, world + 3 * i, 3 * sizeof(double));
  }
}

#endif
