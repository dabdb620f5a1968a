// Three-vectors for drawing.
#ifndef TENDRIL_CLIENT_VECTOR_H
#define TENDRIL_CLIENT_VECTOR_H

#include <math.h>

typedef struct vec {
  double x, y, z;
} vec;

static inline vec vec_add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec vec_sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec vec_scale(double k, vec a) { return (vec){k * a.x, k * a.y, k * a.z}; }
static inline double vec_dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec vec_cross(vec a, vec b) {
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec_norm(vec a) { return sqrt(vec_dot(a, a)); }
static inline vec vec_unit(vec a) {
  double n = vec_norm(a);
  return n > 0 ? vec_scale(1 / n, a) : a;
}
static inline vec vec_mix(vec a, vec b, double s) { return vec_add(vec_scale(1 - s, a), vec_scale(s, b)); }

#endif
