// Sections of a body deformed by a composition of locally volume-preserving primitives: source, stretch, bending.
//   y = X H,  H = sqrt(1 + m/|X|^2) xi6^(-1/2) w(alpha),  alpha = (2/3)(kx y2' - ky y1')/xi6,
// y' after source and stretch, with w the root of w^2 + alpha w^3 = 1 near 1 (alpha > -2/sqrt 27). Shear and twist act
// through the backbone's frame alone. Fields p = (xi6, kx, ky, m): xi6 and m enter by factors of their own, the
// curvatures linearly, so that most products of Taylor polynomials are with few terms. Source: Pustina2025 section IV;
// the reference data's conventions.
#include "element/reduced/section_parts.h"
#include <math.h>

enum { XI6, KX, KY, SOURCE };

#define ALPHA_LIMIT (-0.38490017945975050967) // -2/sqrt(27)

TD_INLINE td_vec sqrt_of(td_vec x) {
  for (int l = 0; l < TD_LANES; l++) x[l] = sqrt(x[l]);
  return x;
}

// The root w by Newton's method from 1, from where it converges monotonically and at last quadratically: after a step
// below 1e-9 nothing is left but rounding. Not a number beyond the limit.
TD_INLINE td_vec root(td_vec alpha) {
  td_vec w = td_splat(1);
  for (int i = 0; i < 60; i++) {
    td_vec step = (w * w * (1.0 + alpha * w) - 1.0) / (w * (2.0 + 3.0 * alpha * w));
    w -= step;
    int moving = 0;
    for (int l = 0; l < TD_LANES; l++) moving |= fabs(step[l]) > 1e-9;
    if (!moving) break;
  }
  for (int l = 0; l < TD_LANES; l++)
    if (!(alpha[l] > ALPHA_LIMIT)) w[l] = NAN;
  return w;
}

// w and its derivatives up to the fourth, from w' = -N/D, N = w^2, D = 2 + 3 alpha w.
TD_INLINE void bending_factor(td_vec a, td_vec f[5]) {
  td_vec w = root(a), D = 2.0 + 3.0 * a * w, N = w * w;
  td_vec w1 = -N / D, N1 = 2.0 * w * w1, D1 = 3.0 * w + 3.0 * a * w1, q = (N1 * D - N * D1) / (D * D), w2 = -q;
  td_vec N2 = 2.0 * (w1 * w1 + w * w2), D2 = 6.0 * w1 + 3.0 * a * w2;
  td_vec s = (N2 * D - N * D2) / (D * D), r = s - 2.0 * q * D1 / D, w3 = -r;
  td_vec N3 = 2.0 * (3.0 * w1 * w2 + w * w3), D3 = 9.0 * w2 + 3.0 * a * w3;
  td_vec s1 = (N3 * D + N2 * D1 - N1 * D2 - N * D3) / (D * D) - 2.0 * s * D1 / D;
  f[0] = w, f[1] = w1, f[2] = w2, f[3] = w3;
  f[4] = -(s1 - 2.0 * (r * D1 + q * D2 - q * D1 * D1 / D) / D);
}

// ---- factors of xi6 alone and of the source alone: coefficients of 1, x, x^2, x^3

typedef struct series {
  td_vec c[4];
} series;

// (x + scale of the variable)^power, power an odd half.
TD_INLINE series power_of(td_vec x, td_vec scale, int twice_power) {
  series out;
  td_vec root = sqrt_of(x), value = root;
  for (int k = 1; k < twice_power; k += 2) value *= x;
  for (int k = 1; k > twice_power; k -= 2) value /= x;
  for (int k = 0; k < 4; k++) {
    out.c[k] = value;
    value *= (0.5 * twice_power - k) / (k + 1) * scale / x;
  }
  return out;
}

// (m + x) b(x)
TD_INLINE series times_variable(const series *b, double m) {
  series out = {{m * b->c[0]}};
  for (int k = 1; k < 4; k++) out.c[k] = m * b->c[k] + b->c[k - 1];
  return out;
}

// The monomials of xi6^a m^b, sorted by a + b.
enum { PAIRS = 10 };
static const struct {
  unsigned char a, b, at;
} pairs[PAIRS] = {{0, 0, 0},  {1, 0, 1 + XI6}, {0, 1, 1 + SOURCE}, {2, 0, 5},  {1, 1, 8},
                  {0, 2, 14}, {3, 0, 15},      {2, 1, 18},         {1, 2, 24}, {0, 3, 34}};
TD_INLINE int pairs_of(int order) { return order == 1 ? 3 : order == 2 ? 6 : 10; }

// a(xi6) b(m)
TD_INLINE void product_of(const series *a, const series *b, int order, td_poly *out) {
  *out = td_poly_constant(td_splat(0), order);
  for (int k = 0; k < pairs_of(order); k++) out->c[pairs[k].at] = a->c[pairs[k].a] * b->c[pairs[k].b];
}

// a b, where a is a product_of
TD_INLINE void mul_product(const td_poly *a, const td_poly *b, int order, td_poly *out) {
  td_poly r = td_poly_scale(a->c[0], b, order);
  for (int k = 1; k < 3; k++) {
    int i = pairs[k].at - 1;
    td_vec x = a->c[1 + i];
    r.c[1 + i] += x * b->c[0];
    for (int j = 0; order >= 2 && j < 4; j++) r.c[td_poly_pair[i][j]] += x * b->c[1 + j];
    for (int q = 0; order >= 3 && q < 10; q++) r.c[td_poly_triple[i][q]] += x * b->c[5 + q];
  }
  for (int k = 3; order >= 2 && k < 6; k++) {
    int q = pairs[k].at - TD_POLY_QUADRATIC;
    td_vec x = a->c[5 + q];
    r.c[5 + q] += x * b->c[0];
    for (int j = 0; order >= 3 && j < 4; j++) r.c[td_poly_triple[j][q]] += x * b->c[1 + j];
  }
  for (int k = 6; order >= 3 && k < PAIRS; k++) r.c[pairs[k].at] += a->c[pairs[k].at] * b->c[0];
  *out = r;
}

// ---- the map

typedef struct parts {
  series f, source, stretch, tilt; ///< f = sqrt(1 + m/r^2), m/f; xi6^(-1/2), xi6^(-3/2)
  td_poly h, leaning, alpha, w;    ///< f xi6^(-1/2), f xi6^(-3/2); alpha = (2/3) leaning (kx X2 - ky X1); w
  td_poly_powers powers;           ///< of alpha
  td_vec bend[5];                  ///< w and its derivatives
} parts;

static const int CURVATURES[2] = {KX, KY};

// |X|^2, kept off 0: a point on the axis of a solid body has no source to divide by it.
TD_INLINE td_vec square_radius(td_vec x, td_vec y) { return x * x + y * y + 1e-18; }

// a (kx X2 - ky X1)
TD_INLINE void mul_cross(const td_section_points *points, const double *p, const td_poly *a, int order, td_poly *out) {
  td_vec x = points->data[0], y = points->data[1], slopes[2] = {y, -x};
  td_poly_mul_linear(a, p[KX] * y - p[KY] * x, slopes, CURVATURES, order, out);
}

TD_INLINE void compose(const td_section_points *points, const double *p, int order, parts *o) {
  td_vec r2 = square_radius(points->data[0], points->data[1]), base = 1.0 + p[SOURCE] / r2, xi6 = td_splat(p[XI6]);
  o->f = power_of(base, 1.0 / r2, 1);
  o->stretch = power_of(xi6, td_splat(1), -1);
  o->tilt = power_of(xi6, td_splat(1), -3);
  product_of(&o->stretch, &o->f, order, &o->h);
  product_of(&o->tilt, &o->f, order, &o->leaning);
  mul_cross(points, p, &o->leaning, order, &o->alpha);
  o->alpha = td_poly_scale(td_splat(2.0 / 3), &o->alpha, order);
  bending_factor(o->alpha.c[0], o->bend);
  td_poly_powers_of(&o->alpha, order, &o->powers);
  td_poly_compose(o->bend, &o->alpha, &o->powers, order, &o->w);
}

TD_INLINE void place(const td_section_points *points, const parts *o, int order, td_poly *H, td_poly y[2]) {
  mul_product(&o->h, &o->w, order, H);
  for (int i = 0; i < 2; i++) y[i] = td_poly_scale(points->data[i], H, order);
}

TD_INLINE void map(const td_section_points *points, const double *p, int order, td_poly y[2]) {
  parts o;
  td_poly H;
  compose(points, p, order, &o);
  place(points, &o, order, &H, y);
}

void td_lvp_map(const td_section_points *points, const double *p, int order, td_poly y[2]) {
  if (order == 1)
    map(points, p, 1, y);
  else if (order == 2)
    map(points, p, 2, y);
  else
    map(points, p, 3, y);
}

// ---- its gradient

// dH/dX_j = h_j w + h w' alpha_j,  h_j = -(X_j / r^4) (m/f) xi6^(-1/2),
// alpha_j = (2/3) (-(X_j / r^4) (m/f) xi6^(-3/2) cross + leaning cross_j);  hw1 = h w'.
TD_INLINE void slope_of_H(const td_section_points *points, const double *p, const parts *o, const td_poly *hw1, int j,
                          int order, td_poly *out) {
  td_vec r2 = square_radius(points->data[0], points->data[1]), far = -points->data[j] / (r2 * r2);
  td_vec along[2] = {td_splat(j ? 1 : 0), td_splat(j ? 0 : -1)};
  td_poly thinner, leaner, alpha_j, term;
  product_of(&o->stretch, &o->source, order, &thinner);
  product_of(&o->tilt, &o->source, order, &leaner);
  mul_cross(points, p, &leaner, order, &alpha_j);
  alpha_j = td_poly_scale(far, &alpha_j, order);
  td_poly_mul_linear(&o->leaning, td_splat(j ? p[KX] : -p[KY]), along, CURVATURES, order, &term);
  alpha_j = td_poly_add(&alpha_j, &term, order);
  td_poly_mul(hw1, &alpha_j, order, &term);
  term = td_poly_scale(td_splat(2.0 / 3), &term, order);
  mul_product(&thinner, &o->w, order, out);
  *out = td_poly_scale(far, out, order);
  *out = td_poly_add(out, &term, order);
}

TD_INLINE void gradient(const td_section_points *points, const double *p, int order, td_poly y[2], td_poly Y[4]) {
  parts o;
  td_poly H, hw1, Hj;
  compose(points, p, order, &o);
  place(points, &o, order, &H, y);
  td_vec r2 = square_radius(points->data[0], points->data[1]);
  series inverse = power_of(1.0 + p[SOURCE] / r2, 1.0 / r2, -1);
  o.source = times_variable(&inverse, p[SOURCE]);
  td_poly_compose(o.bend + 1, &o.alpha, &o.powers, order, &hw1);
  mul_product(&o.h, &hw1, order, &hw1);
  for (int j = 0; j < 2; j++) {
    slope_of_H(points, p, &o, &hw1, j, order, &Hj);
    for (int i = 0; i < 2; i++) {
      Y[2 * i + j] = td_poly_scale(points->data[i], &Hj, order);
      if (i == j) Y[2 * i + j] = td_poly_add(&Y[2 * i + j], &H, order);
    }
  }
}

void td_lvp_gradient(const td_section_points *points, const double *p, int order, td_poly y[2], td_poly Y[4]) {
  if (order == 2)
    gradient(points, p, 2, y, Y);
  else
    gradient(points, p, 3, y, Y);
}

bool td_lvp_valid(const td_section_points *points, const double *p) {
  for (int l = 0; l < TD_LANES; l++) {
    double x = points->data[0][l], y = points->data[1][l], r2 = x * x + y * y + 1e-18;
    if (points->weight[l] == 0) continue;
    double base = 1 + p[SOURCE] / r2;
    if (!(base > 0) || !(p[XI6] > 0)) return false;
    double alpha = 2. / 3 * sqrt(base) * (p[KX] * y - p[KY] * x) / (p[XI6] * sqrt(p[XI6]));
    if (!(alpha > ALPHA_LIMIT)) return false;
  }
  return true;
}
