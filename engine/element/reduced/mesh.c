// Gauss points of tetrahedra and hexahedra.
//
// Hexahedron: trilinear map of the unit cube, corner c at bits 0, 1, 2 of its place in the cube, tensor Gauss-Legendre.
// Tetrahedron: affine map; the unit one is folded out of a cube, (a, b, c) = (r, (1-r) s, (1-r)(1-s) t), which leaves
// the weight (1-r)^2 (1-s) to Gauss-Jacobi rules (Stroud's conical product): no negative weight, any degree.
#include "element/reduced/mesh.h"

#include "lie/vec3.h"
#include "math/quadrature.h"
#include <assert.h>

// Corners of a hexahedron go around its bottom, then around its top: where each stands in the unit cube.
static const int cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

void td_mesh_rule_of(int n, td_mesh_rule *rule) {
  assert(n >= 1 && n <= TD_MESH_POINTS_MOST);
  rule->n = n;
  td_gauss_legendre(rule->n, rule->x, rule->w);
  for (int power = 0; power < 3; power++) td_gauss_jacobi(rule->n, power, rule->u[power], rule->v[power]);
}

long td_mesh_particle_count(const td_mesh_spec *mesh, const td_mesh_rule *rule) {
  return (long)(mesh->tetrahedron_count + mesh->hexahedron_count) * rule->n * rule->n * rule->n;
}

static const double *corner(const td_mesh_spec *mesh, int index) { return mesh->points + 3 * index; }

static double determinant(const double edge[3][3]) {
  double normal[3];
  td_vec3_cross(edge[0], edge[1], normal);
  return td_vec3_dot(normal, edge[2]);
}

static double tetrahedron_edges(const td_mesh_spec *mesh, size_t element, double edge[3][3]) {
  const int *index = mesh->tetrahedra[element];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) edge[k][i] = corner(mesh, index[k + 1])[i] - corner(mesh, index[0])[i];
  return determinant((const double(*)[3])edge);
}

double td_mesh_tetrahedron_det(const td_mesh_spec *mesh, size_t element) {
  double edge[3][3];
  return tetrahedron_edges(mesh, element, edge);
}

static double in_tetrahedron(const td_mesh_spec *mesh, const td_mesh_rule *rule, size_t element, const int at[3],
                             double X[3]) {
  double edge[3][3], det = tetrahedron_edges(mesh, element, edge);
  double r = rule->u[2][at[0]], s = rule->u[1][at[1]], t = rule->u[0][at[2]];
  double a[3] = {r, (1 - r) * s, (1 - r) * (1 - s) * t};
  for (int i = 0; i < 3; i++)
    X[i] = corner(mesh, mesh->tetrahedra[element][0])[i] + a[0] * edge[0][i] + a[1] * edge[1][i] + a[2] * edge[2][i];
  return det * rule->v[2][at[0]] * rule->v[1][at[1]] * rule->v[0][at[2]];
}

// X and dX/da at a point of the cube; returns det dX/da.
static double trilinear(const td_mesh_spec *mesh, size_t element, const double a[3], double X[3]) {
  double edge[3][3] = {{0}};
  for (int i = 0; i < 3; i++) X[i] = 0;
  for (int c = 0; c < 8; c++) {
    const double *p = corner(mesh, mesh->hexahedra[element][c]);
    double f[3], slope[3];
    for (int k = 0; k < 3; k++) f[k] = cube[c][k] ? a[k] : 1 - a[k], slope[k] = cube[c][k] ? 1 : -1;
    for (int i = 0; i < 3; i++) {
      X[i] += f[0] * f[1] * f[2] * p[i];
      for (int k = 0; k < 3; k++) edge[k][i] += slope[k] * f[(k + 1) % 3] * f[(k + 2) % 3] * p[i];
    }
  }
  return determinant((const double(*)[3])edge);
}

double td_mesh_hexahedron_det(const td_mesh_spec *mesh, size_t element, int at) {
  assert(at >= 0 && at < 8);
  double a[3] = {cube[at][0], cube[at][1], cube[at][2]}, X[3];
  return trilinear(mesh, element, a, X);
}

static double in_hexahedron(const td_mesh_spec *mesh, const td_mesh_rule *rule, size_t element, const int at[3],
                            double X[3]) {
  double a[3] = {rule->x[at[0]], rule->x[at[1]], rule->x[at[2]]};
  return trilinear(mesh, element, a, X) * rule->w[at[0]] * rule->w[at[1]] * rule->w[at[2]];
}

double td_mesh_particle(const td_mesh_spec *mesh, const td_mesh_rule *rule, long p, double X[3]) {
  assert(p >= 0 && p < td_mesh_particle_count(mesh, rule));
  int n = rule->n, at[3] = {(int)(p % n), (int)(p / n % n), (int)(p / n / n % n)};
  size_t element = (size_t)(p / n / n / n);
  if (element < mesh->tetrahedron_count) return in_tetrahedron(mesh, rule, element, at, X);
  return in_hexahedron(mesh, rule, element - mesh->tetrahedron_count, at, X);
}
