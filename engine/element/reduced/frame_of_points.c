// Second-order Taylor arithmetic in the six components of two vectors.
//
// With e1 = l n1 and e2 = a n1 + b n2 a change (de1, de2) turns the frame by
//   omega = ((n3.de2 - (a/l) n3.de1)/b) n1 - (n3.de1/l) n2 + (n2.de1/l) n3,
// which is linear in the change: S_i is that vector for the i-th unit change. Everything is a polynomial in z around
// its value.
#include "element/reduced/frame_of_points.h"
#include <math.h>
#include <string.h>

enum { VARIABLES = 6, SIZE = 28 };

typedef struct poly {
  double c[SIZE]; ///< 1; z_i; z_i z_j (i <= j)
} poly;

static int pair(int i, int j) {
  int low = i < j ? i : j, high = i < j ? j : i;
  return 1 + VARIABLES + low * VARIABLES - low * (low - 1) / 2 + high - low;
}

static poly variable(double value, int i) {
  poly out = {{value}};
  out.c[1 + i] = 1;
  return out;
}

static poly plus(const poly *a, double s, const poly *b) {
  poly out;
  for (int i = 0; i < SIZE; i++) out.c[i] = a->c[i] + s * b->c[i];
  return out;
}

static poly times(const poly *a, const poly *b) {
  poly out;
  for (int i = 0; i < SIZE; i++) out.c[i] = a->c[0] * b->c[i] + (i ? a->c[i] * b->c[0] : 0);
  for (int i = 0; i < VARIABLES; i++)
    for (int j = 0; j < VARIABLES; j++) out.c[pair(i, j)] += a->c[1 + i] * b->c[1 + j];
  return out;
}

// x^power
static poly power_of(const poly *x, double power) {
  double f = pow(x->c[0], power), f1 = power * f / x->c[0], f2 = (power - 1) * f1 / x->c[0];
  poly d = *x, square;
  d.c[0] = 0;
  square = times(&d, &d);
  poly out;
  for (int i = 0; i < SIZE; i++) out.c[i] = f1 * d.c[i] + f2 / 2 * square.c[i];
  out.c[0] = f;
  return out;
}

static poly dot(const poly a[3], const poly b[3]) {
  poly x = times(&a[0], &b[0]), y = times(&a[1], &b[1]), z = times(&a[2], &b[2]);
  x = plus(&x, 1, &y);
  return plus(&x, 1, &z);
}

static void cross(const poly a[3], const poly b[3], poly out[3]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    poly x = times(&a[j], &b[k]), y = times(&a[k], &b[j]);
    out[i] = plus(&x, -1, &y);
  }
}

static void scale(const poly *s, const poly a[3], poly out[3]) {
  for (int i = 0; i < 3; i++) out[i] = times(s, &a[i]);
}

static void store(const poly omega[3], int i, td_turning *out) {
  for (int k = 0; k < 3; k++) {
    out->S[i][k] = omega[k].c[0];
    for (int j = 0; j < VARIABLES; j++) {
      out->first[i][j][k] = omega[k].c[1 + j];
      for (int l = 0; l < VARIABLES; l++) out->second[i][j][l][k] = (j == l ? 2 : 1) * omega[k].c[pair(j, l)];
    }
  }
}

void td_frame_of_points(const double z[6], td_turning *out) {
  poly e[2][3], n[3][3], c[3];
  for (int i = 0; i < 6; i++) e[i / 3][i % 3] = variable(z[i], i);
  poly square = dot(e[0], e[0]), inverse_l = power_of(&square, -0.5);
  scale(&inverse_l, e[0], n[0]);
  cross(n[0], e[1], c);
  square = dot(c, c);
  poly inverse_b = power_of(&square, -0.5), a = dot(n[0], e[1]);
  scale(&inverse_b, c, n[2]);
  cross(n[2], n[0], n[1]);
  poly a_over_lb = times(&a, &inverse_l);
  a_over_lb = times(&a_over_lb, &inverse_b);
  for (int i = 0; i < 3; i++) {
    poly along = times(&a_over_lb, &n[2][i]), y = times(&inverse_l, &n[2][i]), x = times(&inverse_l, &n[1][i]),
         omega[3];
    for (int k = 0; k < 3; k++) {
      poly t1 = times(&along, &n[0][k]), t2 = times(&y, &n[1][k]), t3 = times(&x, &n[2][k]);
      omega[k] = plus(&t3, -1, &t1);
      omega[k] = plus(&omega[k], -1, &t2);
    }
    store(omega, i, out);
    poly turn = times(&inverse_b, &n[2][i]);
    scale(&turn, n[0], omega);
    store(omega, 3 + i, out);
    for (int k = 0; k < 3; k++) out->R[3 * k + i] = n[i][k].c[0];
  }
}
