// Inertias: turned into other axes, and the one that is nearest to one that no body has.
//
// A body's inertia is I = tr(S) 1 - S of its second moments S = integral of x x^T dm, which are positive semidefinite;
// S = tr(I)/2 1 - I. So the negative principal values of S become 0 (the nearest semidefinite matrix, Higham 1988), in
// its own axes. Those come from Jacobi's rotations.
#include "codec/import/value.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 30 };

void import_turn_inertia(const double R[9], const double I[9], double out[9]) {
  double half[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) half[3 * i + j] = R[3 * i] * I[j] + R[3 * i + 1] * I[3 + j] + R[3 * i + 2] * I[6 + j];
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      out[3 * i + j] = out[3 * j + i] =
          half[3 * i] * R[3 * j] + half[3 * i + 1] * R[3 * j + 1] + half[3 * i + 2] * R[3 * j + 2];
}

// A = G A G^T and V = V G^T with the rotation G of the plane (p, q) that makes A[p][q] zero.
static void rotate(int p, int q, double A[3][3], double V[3][3]) {
  if (A[p][q] == 0) return;
  double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]), sign = theta < 0 ? -1 : 1;
  double t = sign / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    double x = A[k][p], y = A[k][q], v = V[k][p], w = V[k][q];
    A[k][p] = c * x - s * y, A[k][q] = s * x + c * y;
    V[k][p] = c * v - s * w, V[k][q] = s * v + c * w;
  }
  for (int k = 0; k < 3; k++) {
    double x = A[p][k], y = A[q][k];
    A[p][k] = c * x - s * y, A[q][k] = s * x + c * y;
  }
}

void import_nearest_inertia(const import_reader *r, const xml_element *e, double I[9]) {
  char whose[REMARK_TEXT_SIZE];
  double A[3][3], V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, S[9], s[3], trace = I[0] + I[4] + I[8], least = 0;
  for (int i = 0; i < 9; i++) A[i / 3][i % 3] = (i % 4 == 0 ? trace / 2 : 0) - I[i];
  for (int sweep = 0; sweep < SWEEPS; sweep++) rotate(0, 1, A, V), rotate(0, 2, A, V), rotate(1, 2, A, V);
  for (int i = 0; i < 3; i++) least = fmin(least, s[i] = A[i][i]);
  if (!(least < 0)) return;
  double sum = fmax(s[0], 0) + fmax(s[1], 0) + fmax(s[2], 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      S[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) S[3 * i + j] += V[i][k] * fmax(s[k], 0) * V[j][k];
    }
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) I[3 * i + j] = I[3 * j + i] = (i == j ? sum : 0) - S[3 * i + j];
  remark_add(r->remarks,
             "is that of no body (a principal moment is negative, or larger than the sum of the other two); the "
             "nearest one is taken",
             e->line, "%s, now ixx %g ixy %g ixz %g iyy %g iyz %g izz %g", import_whose(e, whose), I[0], I[1], I[2],
             I[4], I[5], I[8]);
}
