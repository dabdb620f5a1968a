// The rank of the mass matrix and the coordinates of its null space.
//
//   S = D^-1 M D^-1, D^2 = diag M;   P^T S P = [U1 U2; 0 0]^T [U1 U2; 0 0] up to rounding;   null space N = P [-U1^-1
//     U2; 1]
// How much a coordinate takes part in what moves no mass is its row of an orthonormal N. A rod's Gauss points carry six
// rows of inertia each: on a base that moves, n points cannot tell strains of n coefficients from the base
// (strain/points.c). Source: Higham, Analysis of the Cholesky decomposition of a semi-definite matrix (1990).
#include "why/mass_rank.h"
#include "model/mass_factor.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMED = 3 }; // 40 bytes each fit the text, and the text a message that says when and in which method

static double rounding(int n) { return (n + 16) * DBL_EPSILON / 2; }

td_status td_mass_regular(const td_model *m, const td_workspace *ws) {
  return td_mass_above(m, ws->mass, ws->factor, rounding(m->n)) ? TD_OK : TD_SINGULAR;
}

// ---- a semidefinite matrix

// A [n][ld], symmetric with ones on its diagonal: its pivoted factor in the upper triangle, order [n] the rows taken;
// the rank.
static int factor_by_pivots(int n, int ld, double *A, double *order, double tolerance) {
  for (int i = 0; i < n; i++) order[i] = i;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) p = A[i * ld + i] > A[p * ld + p] ? i : p;
    if (!(A[p * ld + p] > tolerance)) return k;
    double held = order[k];
    order[k] = order[p], order[p] = held;
    for (int j = 0; j < n; j++) held = A[k * ld + j], A[k * ld + j] = A[p * ld + j], A[p * ld + j] = held;
    for (int i = 0; i < n; i++) held = A[i * ld + k], A[i * ld + k] = A[i * ld + p], A[i * ld + p] = held;
    double root = sqrt(A[k * ld + k]);
    for (int j = k; j < n; j++) A[k * ld + j] /= root;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i * ld + j] -= A[k * ld + i] * A[k * ld + j];
  }
  return n;
}

// Columns rank … n - 1 of A become an orthonormal basis of the null space, rows in pivoted order.
static void null_space(int n, int rank, int ld, double *A) {
  for (int c = rank; c < n; c++) {
    for (int i = rank; i < n; i++) A[i * ld + c] = i == c;
    for (int i = rank - 1; i >= 0; i--) {
      double sum = A[i * ld + c];
      for (int j = i + 1; j < rank; j++) sum += A[i * ld + j] * A[j * ld + c];
      A[i * ld + c] = -sum / A[i * ld + i];
    }
  }
  for (int c = rank; c < n; c++) {
    double norm = 0;
    for (int b = rank; b < c; b++) {
      double along = 0;
      for (int i = 0; i < n; i++) along += A[i * ld + b] * A[i * ld + c];
      for (int i = 0; i < n; i++) A[i * ld + c] -= along * A[i * ld + b];
    }
    for (int i = 0; i < n; i++) norm += A[i * ld + c] * A[i * ld + c];
    for (int i = 0; i < n; i++) A[i * ld + c] /= sqrt(norm);
  }
}

// ---- the mass matrix

// Its scaled copy in ws->factor; a coordinate without any mass keeps a row of zeros.
static void scale_mass(const td_model *m, td_workspace *ws) {
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++) {
      bool held = m->prescribed_count && (m->prescribed_mask[i] == 0 || m->prescribed_mask[j] == 0);
      double size = sqrt(ws->mass[i * m->ld + i] * ws->mass[j * m->ld + j]);
      ws->factor[i * m->ld + j] = held ? i == j : size > 0 ? ws->mass[i * m->ld + j] / size : 0;
    }
}

// The rod that takes most part, with its share of all; -1 when none does.
static int rod_of_most(const td_model *m, const double *part, int missing, double *share) {
  int found = -1;
  *share = 0;
  for (int r = 0; r < m->rod_count; r++) {
    const td_element *e = &m->element[m->rod[r].element];
    double sum = 0;
    for (int c = 0; c < e->n; c++) sum += part[e->coordinate + c] / missing;
    if (sum > *share) *share = sum, found = r;
  }
  return found;
}

static int most_coefficients(const td_rod *rod) {
  int most = 0;
  for (int g = 0; g < rod->group_count; g++) most = rod->group[g].count > most ? rod->group[g].count : most;
  return most;
}

// Whether the functions of some strain depend on each other at the Gauss points. Overwrites ws->factor and `order`.
static bool basis_is_dependent(const td_model *m, td_workspace *ws, const td_rod *rod, double *order) {
  const td_element *e = &m->element[rod->element];
  int stride = e->npad + TD_LANES;
  for (int g = 0; g < e->group_count; g++) {
    int n = e->group[g].count;
    const double *phi = rod->phi_gauss + e->group[g].first;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double ij = 0, ii = 0, jj = 0;
        for (int k = 0; k < rod->gauss_count; k++) {
          const double *row = phi + k * stride;
          double w = rod->weight[k];
          ij += w * row[i] * row[j], ii += w * row[i] * row[i], jj += w * row[j] * row[j];
        }
        ws->factor[i * m->ld + j] = ij / sqrt(ii * jj);
      }
    if (factor_by_pivots(n, m->ld, ws->factor, order, 1e-12) < n) return true;
  }
  return false;
}

static void name_coordinates(const td_model *m, double *part, td_mass_fault *fault) {
  size_t at = (size_t)snprintf(fault->text, sizeof fault->text,
                               "%d of %d combinations of coordinates move%s no mass, most of all", fault->missing, m->n,
                               fault->missing == 1 ? "s" : "");
  for (int k = 0; k < NAMED; k++) {
    int most = 0;
    for (int i = 1; i < m->n; i++) most = part[i] > part[most] ? i : most;
    if (!(part[most] > 1e-3)) break;
    part[most] = 0;
    size_t left = sizeof fault->text - at;
    at += (size_t)snprintf(fault->text + at, left, "%s %.40s", k ? "," : "", m->coordinate_name[most]);
  }
}

static void name_reason(const td_model *m, td_mass_fault *fault, const td_rod *rod, bool basis) {
  size_t at = strlen(fault->text), left = sizeof fault->text - at;
  int most = most_coefficients(rod);
  fault->link = rod->link;
  fault->basis = basis;
  if (basis)
    snprintf(fault->text + at, left,
             ": functions of the basis of \"%.40s\" depend on each other at its Gauss points; take a lower order or "
             "another basis",
             m->link[rod->link].name);
  else
    snprintf(fault->text + at, left,
             ": the Gauss points of \"%.40s\" are %d, the coefficients of a strain %d; on a base that moves it needs "
             "%d points: raise quadrature.points",
             m->link[rod->link].name, rod->gauss_count, most, most + 2);
}

void td_mass_judge(const td_model *m, td_workspace *ws, int least, td_mass_fault *fault) {
  assert(least >= 0 && least <= m->n);
  double *order = ws->scratch, *part = ws->fd, share;
  *fault = (td_mass_fault){.link = -1};
  scale_mass(m, ws);
  int rank = factor_by_pivots(m->n, m->ld, ws->factor, order, 10 * rounding(m->n));
  if (rank > m->n - least) rank = m->n - least;
  fault->missing = m->n - rank;
  if (!fault->missing) return;
  null_space(m->n, rank, m->ld, ws->factor);
  for (int i = 0; i < m->n; i++) {
    double sum = 0;
    for (int c = rank; c < m->n; c++) sum += ws->factor[i * m->ld + c] * ws->factor[i * m->ld + c];
    part[(int)order[i]] = sum;
  }
  int most = rod_of_most(m, part, fault->missing, &share);
  name_coordinates(m, part, fault);
  if (most < 0 || share < 0.2 || !m->rod[most].basis) return;
  const td_rod *rod = &m->rod[most];
  bool basis = basis_is_dependent(m, ws, rod, order);
  if (basis || rod->gauss_count < most_coefficients(rod) + 2) name_reason(m, fault, rod, basis);
}
