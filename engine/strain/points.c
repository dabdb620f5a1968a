// Computational points: where the strain is integrated and the Magnus steps begin and end.
//
// Boundaries of all components' elements are collected as i / order; equal fractions give equal doubles, so sorting and
// dropping duplicates makes the union.  Between neighbours the same Gauss rule is scaled.
//
// Defaults: max(5, highest order + 3), that is two points more than a component has coefficients; fourier max(5, 4 order);
// gaussian and inverse_multiquadric max(5, order + 4, 2 order); elements of degree p: p + 2 each, Hermite 5; table max(5, columns + 2).
// Why not fewer: a rod of n points has 6 n rows of inertia. With all six strains and a base that moves freely they must carry
// 6 (coefficients + 1) coordinates, so that n = coefficients leaves M singular, and n = coefficients + 1 leaves no margin: its highest
// frequency is up to 3 % (elements 40 %, bells 2 to 300 times) too high, because the shortest waves have hardly any mass.
// With n = coefficients alone it is 4 times too high and a fixed step or an error control pays for waves that are not there.
#include "strain/points.h"
#include "math/quadrature.h"
#include "strain/basis.h"
#include "strain/family.h"
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

int td_rod_gauss_per_piece(const td_rod_spec *rod) {
  return rod->quadrature_points ? rod->quadrature_points : default_gauss(rod);
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
