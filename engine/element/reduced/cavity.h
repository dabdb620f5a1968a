// Cavities of a Ritz body's mesh: closed surfaces of faces that belong to one element alone and look inwards.
#ifndef TENDRIL_ELEMENT_CAVITY_H
#define TENDRIL_ELEMENT_CAVITY_H

#include "tendril/spec.h"

/// Cavities of a mesh, in the order of the least point in the surface of each; -1: out of memory. Surfaces that share a
/// point count as one. O(elements log elements); allocates while it runs.
int td_mesh_cavity_count(const td_mesh_spec *mesh);

/// The surface of cavity `index` at its Gauss points: *points of them, rows of 10 + 9 n numbers: weight, then X, dX/da,
/// dX/db, then the same of each mode. rows NULL only counts. False: out of memory.
bool td_cavity_surface(const td_reduced_spec *body, int index, int *points, double *rows);
/// V = sum of weight x . (x_a cross x_b) over such rows, gradient [n], hessian [n][n] (each may be NULL). Pure,
/// O(points n^2).
double td_cavity_volume(int n, int points, const double *rows, const double *q, double *gradient, double *hessian);

#endif
