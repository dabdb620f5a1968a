// Computational points: where the strain is integrated and the Magnus steps begin and end.
//
// Boundaries of all components' elements are collected as i / order; equal fractions give equal doubles, so sorting and
// dropping duplicates makes the union.  Between neighbours the same Gauss rule is scaled.
//
// Defaults: max(5, highest order + 3), that is two points more than a component has coefficients; fourier max(5, 4
// order); gaussian and inverse_multiquadric max(5, order + 4, 2 order); elements of degree p: p + 2 each, Hermite 5;
// table max(5, columns + 2). Why not fewer: a rod of n points has 6 n rows of inertia. With all six strains and a base
// that moves freely they must carry 6 (coefficients + 1) coordinates, so that n = coefficients leaves M singular, and
// n = coefficients + 1 leaves no margin: its highest frequency is up to 3 % (elements 40 %, bells 2 to 300 times) too
// high, because the shortest waves have hardly any mass. With n = coefficients alone it is 4 times too high and a fixed
// step or an error control pays for waves that are not there.
//
// A rod whose reference bends or winds has more of them where these would put it, or its mass, elsewhere: its points at
// rest are integrated as the model does (Magnus steps of fourth order, Mathew2025 A) and in steps that keep to the
// knots of its table.
#include "strain/points.h"
#include "lie/vec3.h"
#include "math/quadrature.h"
#include "strain/basis.h"
#include "strain/family.h"
#include "strain/profile.h"
#include "tendril/se3.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { BOUNDARY_LIMIT = 6 * TD_MAX_ORDER + 1 };
#define SLIVER 1e-12 ///< part of a rod that is none

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

// Boundaries of the union, 0 and 1 included, rising; returns the pieces between them.
static int boundaries(const td_rod_spec *rod, double *s) {
  int total = 0, kept = 0;
  s[total++] = 0;
  s[total++] = 1;
  for (int c = 0; c < 6; c++) {
    int N = td_rod_component_elements(rod, c);
    assert(N <= TD_MAX_ORDER);
    for (int i = 1; i < N; i++) s[total++] = i / (double)N;
  }
  qsort(s, (size_t)total, sizeof *s, compare);
  for (int i = 1; i < total; i++)
    if (s[i] > s[kept]) s[++kept] = s[i];
  return kept;
}

int td_rod_piece_count(const td_rod_spec *rod) {
  double s[BOUNDARY_LIMIT + 1];
  return boundaries(rod, s);
}

static int highest_order(const td_rod_spec *rod) {
  int highest = 0;
  for (int c = 0; c < 6; c++)
    if (rod->order[c] > highest) highest = rod->order[c];
  return highest;
}

static int default_gauss(const td_rod_spec *rod) {
  const td_basis_family *family = td_basis_family_of((int)rod->basis);
  int asked = family->default_points(highest_order(rod)), pieces = td_rod_piece_count(rod);
  int most = td_rod_largest_count(rod) + (family->elements ? 0 : 2), needed = (most + pieces - 1) / pieces;
  int least = family->elements ? 3 : 5;
  int points = asked > needed ? asked : needed;
  return points > least ? points : least;
}

// ------------------------------------------------------------------------------------------------ references that bend

static const double AT_REST = 3e-5;       // of the length, and of its square
static const double ZANNA = 0.5773502692; // 1/sqrt(3)
static const double MAGNUS = 0.1443375673;
enum {
  MOST_AT_REST = 384,
  STEPS_IN_A_STRETCH = 4,
  STEPS_IN_A_RADIAN = 4,
  MOST_STEPS = 4096,
  MANY_KNOTS = 256,
  MOMENTS = 9
};

// Where a rod's tip is at rest, m, and the moments of what lies along it: of p, and of p p^T.
typedef struct rest_shape {
  double tip[3], moment[MOMENTS];
} rest_shape;

// g <- g exp(Omega) over [from, to] of a rod: Omega = (a1 + a2)/2 + sqrt(3)/12 [a1, a2].
static void step_at_rest(const td_profile_fixed *reference, double length, double from, double to, td_se3 *g) {
  double a[2][6], Omega[6], bracket[6] = {0}, half = 0.5 * (to - from);
  for (int z = 0; z < 2; z++) {
    td_profile_fixed_eval(reference, from + half + (z ? ZANNA : -ZANNA) * half, a[z]);
    for (int i = 0; i < 6; i++) a[z][i] *= 2 * half * length;
  }
  td_bracket_add(a[0], a[1], bracket);
  for (int i = 0; i < 6; i++) Omega[i] = 0.5 * (a[0][i] + a[1][i]) + MAGNUS * bracket[i];
  td_se3 step;
  td_se3_exp(Omega, &step);
  td_se3_compose(g, &step, g);
}

static void add_moments(rest_shape *shape, double weight, const double p[3]) {
  static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 3; i++) shape->moment[i] += weight * p[i];
  for (int i = 0; i < 6; i++) shape->moment[3 + i] += weight * p[row[i]] * p[column[i]];
}

// In equal steps from knot to knot, short against what bends; moments by Simpson's rule.
static void shape_by_knots(const td_profile *profile, const td_profile_fixed *reference, double length,
                           rest_shape *shape) {
  td_se3 g = td_se3_identity();
  size_t stretches = profile->s ? profile->count - 1 : 1;
  int least = stretches < MANY_KNOTS ? STEPS_IN_A_STRETCH : 1;
  *shape = (rest_shape){0};
  for (size_t k = 0; k < stretches; k++) {
    double from = profile->s ? profile->s[k] : 0, to = profile->s ? profile->s[k + 1] : 1, bent = 0, xi[6];
    for (int i = 0; i <= 2; i++) {
      td_profile_fixed_eval(reference, from + 0.5 * i * (to - from), xi);
      bent = fmax(bent, hypot(hypot(xi[0], xi[1]), xi[2]));
    }
    double radians = fmin(bent * length * (to - from) * STEPS_IN_A_RADIAN, MOST_STEPS / (double)stretches);
    int steps = radians > least ? (int)ceil(radians) : least;
    double h = (to - from) / steps;
    for (int i = 0; i < steps; i++) {
      add_moments(shape, h / 6, g.p);
      step_at_rest(reference, length, from + i * h, from + (i + 0.5) * h, &g);
      add_moments(shape, 4 * h / 6, g.p);
      step_at_rest(reference, length, from + (i + 0.5) * h, from + (i + 1) * h, &g);
      add_moments(shape, h / 6, g.p);
    }
  }
  for (int i = 0; i < 3; i++) shape->tip[i] = g.p[i];
}

// As a model of this rod has it. s, w: room for its points.
static void shape_by_points(const td_rod_spec *rod, const td_profile_fixed *reference, double *s, double *w,
                            rest_shape *shape) {
  td_se3 g = td_se3_identity();
  int count = td_rod_point_count(rod);
  *shape = (rest_shape){0};
  td_rod_points(rod, s, w);
  for (int i = 0; i < count; i++) {
    if (i > 0) step_at_rest(reference, rod->length, s[i - 1], s[i], &g);
    add_moments(shape, w[i], g.p);
  }
  for (int i = 0; i < 3; i++) shape->tip[i] = g.p[i];
}

static double difference(const rest_shape *a, const rest_shape *b, double length) {
  double most = 0;
  for (int i = 0; i < 3; i++) most = fmax(most, fabs(a->tip[i] - b->tip[i]) / length);
  for (int i = 0; i < MOMENTS; i++)
    most = fmax(most, fabs(a->moment[i] - b->moment[i]) / (i < 3 ? length : length * length));
  return most;
}

// Gauss points per piece, from `least` on, that put a rod with such a reference where it is at rest.
static int points_at_rest(const td_rod_spec *rod, int least) {
  td_profile_fixed *reference = NULL;
  td_rod_spec trial = *rod;
  int pieces = td_rod_piece_count(rod), most = (MOST_AT_REST - pieces - 1) / pieces;
  double *s = malloc(2 * (MOST_AT_REST + 1) * sizeof *s);
  rest_shape right, own;
  trial.quadrature_points = least;
  if (s && least <= most && !td_profile_fixed_create(&rod->reference, &reference)) {
    shape_by_knots(&rod->reference, reference, rod->length, &right);
    for (;;) {
      shape_by_points(&trial, reference, s, s + MOST_AT_REST + 1, &own);
      int more = trial.quadrature_points + trial.quadrature_points / 4 + 1;
      if (!(difference(&own, &right, rod->length) > AT_REST) || trial.quadrature_points == most) break;
      trial.quadrature_points = more < most ? more : most;
    }
  }
  td_profile_fixed_destroy(reference);
  free(s);
  return trial.quadrature_points;
}

static bool bends_at_rest(const td_profile *reference) {
  bool bends = false;
  for (size_t i = 0; i < reference->count * reference->width && reference->width == 6; i++) {
    bool angular = i % reference->width < 3;
    bends |= angular && reference->value[i] != 0;
  }
  return bends;
}

int td_rod_gauss_per_piece(const td_rod_spec *rod) {
  if (rod->quadrature_points) return rod->quadrature_points;
  int points = default_gauss(rod);
  return bends_at_rest(&rod->reference) ? points_at_rest(rod, points) : points;
}

int td_rod_gauss_count(const td_rod_spec *rod) { return td_rod_gauss_per_piece(rod) * td_rod_piece_count(rod); }

int td_rod_point_count(const td_rod_spec *rod) { return td_rod_gauss_count(rod) + td_rod_piece_count(rod) + 1; }

// The rule is computed in place, on the first piece's own entries, then copied with the scale of every piece, the last
// piece first, so that no scratch is needed.
void td_rod_points(const td_rod_spec *rod, double *s, double *w) {
  double edge[BOUNDARY_LIMIT + 1];
  int pieces = boundaries(rod, edge), gauss = td_rod_gauss_per_piece(rod);
  td_gauss_legendre(gauss, s + 1, w + 1);
  for (int piece = pieces - 1; piece >= 0; piece--) {
    double *x = s + piece * (gauss + 1), *weight = w + piece * (gauss + 1);
    double from = edge[piece], length = edge[piece + 1] - edge[piece];
    for (int k = 1; k <= gauss; k++) {
      x[k] = from + length * s[k];
      weight[k] = length * w[k];
    }
    x[0] = from;
    weight[0] = 0;
  }
  s[pieces * (gauss + 1)] = 1;
  w[pieces * (gauss + 1)] = 0;
}

enum { FEWEST_IN_A_PART = 3 };

int td_rod_range_limit(const td_rod_spec *rod) {
  int gauss = td_rod_gauss_per_piece(rod);
  return td_rod_piece_count(rod) * (gauss > FEWEST_IN_A_PART ? gauss : FEWEST_IN_A_PART);
}

// Points for a part of a piece with `gauss` of them.
static int part_points(int gauss, double part) {
  int points = (int)ceil(0.5 * gauss * (1 + part));
  return points > FEWEST_IN_A_PART ? points : FEWEST_IN_A_PART;
}

int td_rod_range_points(const td_rod_spec *rod, double from, double to, double *s, double *w) {
  assert(from >= 0 && from < to && to <= 1 && !s == !w);
  double edge[BOUNDARY_LIMIT + 1];
  int pieces = boundaries(rod, edge), gauss = td_rod_gauss_per_piece(rod), count = 0;
  for (int piece = 0; piece < pieces; piece++) {
    double low = fmax(edge[piece], from), high = fmin(edge[piece + 1], to), length = edge[piece + 1] - edge[piece];
    if (high - low < SLIVER) continue;
    int points = high - low < length ? part_points(gauss, (high - low) / length) : gauss;
    if (s) td_gauss_legendre(points, s + count, w + count);
    for (int k = count; s && k < count + points; k++) {
      s[k] = low + (high - low) * s[k];
      w[k] *= high - low;
    }
    count += points;
  }
  return count;
}
