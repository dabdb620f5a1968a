// A solid body as a mesh of tetrahedra and hexahedra: volumes of its elements and Gauss points in them.
#ifndef TENDRIL_ELEMENT_MESH_H
#define TENDRIL_ELEMENT_MESH_H

#include "tendril/spec.h"

enum { TD_MESH_POINTS_DEFAULT = 2, TD_MESH_POINTS_MOST = 8 };

/// Gauss points along each direction of an element: Legendre's for hexahedra, Jacobi's of power 2, 1, 0 for tetrahedra.
typedef struct td_mesh_rule {
  int n;
  double x[TD_MESH_POINTS_MOST], w[TD_MESH_POINTS_MOST];
  double u[3][TD_MESH_POINTS_MOST], v[3][TD_MESH_POINTS_MOST]; ///< [power] nodes and weights
} td_mesh_rule;

/// n in [1, TD_MESH_POINTS_MOST].
void td_mesh_rule_of(int n, td_mesh_rule *rule);
/// Gauss points of all elements: n^3 each.
long td_mesh_particle_count(const td_mesh_spec *mesh, const td_mesh_rule *rule);
/// Material position X and volume (m^3) of particle p, elements in document order, tetrahedra first. Exact for
/// polynomials of degree 2 n - 1 over a tetrahedron, and over a hexahedron whose faces are parallelograms. Pure.
double td_mesh_particle(const td_mesh_spec *mesh, const td_mesh_rule *rule, long p, double X[3]);
/// det dX/d(edges) at a corner of an element: six times a tetrahedron's volume, the volume of a hexahedron's three
/// edges there.
double td_mesh_tetrahedron_det(const td_mesh_spec *mesh, size_t element);
double td_mesh_hexahedron_det(const td_mesh_spec *mesh, size_t element, int corner);

#endif
