// Closed chambers of reduced bodies: volume as a function of the body's own coordinates.
#ifndef TENDRIL_ELEMENT_CHAMBER_H
#define TENDRIL_ELEMENT_CHAMBER_H

#include "tendril/spec.h"

/// variable radius: V = (1 + q1/L)/2 (a^2 A0 + 2 a A1 x + A2 x^2) + q0/(3 L) (a^3 S0 + 3 a^2 S1 x + 3 a S2 x^2 +
/// S3 x^3), a = R - wall, A_i, S_i integrals of b^i and b^i sin phi, x the coordinate of the chamber's own bump. lvp:
/// V = V0 + sum slope_c q_c. A Ritz body's mesh: a cubic polynomial, summed over the cavity's surface
/// (element/reduced/cavity.h).
typedef struct td_chamber {
  int coordinate, n; ///< of the body in the model
  int bump;          ///< variable radius: 2 or 3; lvp: -1
  double length, gap, A[3], S[4];
  double rest;         ///< lvp: V0, m^3
  const double *slope; ///< lvp: [n]
  int points;          ///< of a mesh's cavity
  const double *rows;  ///< theirs, NULL: no mesh
} td_chamber;

/// Chambers of a body: 2 of variable radius, 1 of a hollow lvp, a mesh's cavities; -1: out of memory.
int td_reduced_chamber_count(const td_reduced_spec *spec);
/// Numbers that td_chamber_of stores for chamber `index`; -1: out of memory.
long td_chamber_storage(const td_reduced_spec *spec, int index);
/// Fills all but `coordinate`; `storage` is the caller's and stays. False: out of memory.
bool td_chamber_of(const td_reduced_spec *spec, int index, double *storage, td_chamber *chamber);
/// V, and when not NULL its gradient [n] and Hessian [n][n]. q [n] of the body. Pure.
double td_chamber_volume(const td_chamber *chamber, const double *q, double *gradient, double *hessian);

#endif
