// Ritz bodies: a box or a mesh that has volume everywhere, modes that move something, a frame at the tip.
#include "element/reduced/mesh.h"
#include "element/reduced/reduced_points.h"
#include "spec/check/checks.h"
#include <math.h>

static td_status check_size(const td_place *body, const td_reduced_spec *r) {
  td_place size = td_place_key(body, "size");
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < 3; i++) {
    td_place edge = td_place_at(&size, i);
    status = td_check_positive(&edge, NULL, r->size[i]);
  }
  return status;
}

// ---- mesh

static td_status check_count(const td_place *list, size_t count) {
  if (count <= TD_MAX_MESH) return TD_OK;
  return td_place_fail(list, TD_INVALID_ARGUMENT, "must have at most %d entries, has %zu", (int)TD_MAX_MESH, count);
}

static td_status check_corners(const td_place *element, const td_mesh_spec *mesh, const int *corner, size_t count) {
  for (size_t i = 0; i < count; i++) {
    td_place place = td_place_at(element, i);
    if (corner[i] < 0 || (size_t)corner[i] >= mesh->point_count)
      return td_place_fail(&place, TD_INVALID_ARGUMENT, "must lie in [0, %zu], is %d: the mesh has %zu points",
                           mesh->point_count - 1, corner[i], mesh->point_count);
  }
  return TD_OK;
}

static td_status check_tetrahedron(const td_place *element, const td_mesh_spec *mesh, size_t index) {
  td_status status = check_corners(element, mesh, mesh->tetrahedra[index], 4);
  if (status) return status;
  double det = td_mesh_tetrahedron_det(mesh, index);
  if (det > 0) return TD_OK;
  return td_place_fail(
      element, TD_INVALID_ARGUMENT,
      "must have volume, has %g m^3: the first three corners turn right-handed about the way to the fourth", det / 6);
}

static td_status check_hexahedron(const td_place *element, const td_mesh_spec *mesh, size_t index) {
  td_status status = check_corners(element, mesh, mesh->hexahedra[index], 8);
  for (int c = 0; !status && c < 8; c++) {
    double det = td_mesh_hexahedron_det(mesh, index, c);
    td_place corner = td_place_at(element, (size_t)c);
    if (!(det > 0))
      status =
          td_place_fail(&corner, TD_INVALID_ARGUMENT,
                        "must have volume at every corner, its edges here span %g m^3: four corners around the bottom, "
                        "then the four above them",
                        det);
  }
  return status;
}

static td_status check_elements(const td_place *at, const td_mesh_spec *mesh) {
  td_place points = td_place_key(at, "points"), tetrahedra = td_place_key(at, "tetrahedra"),
           hexahedra = td_place_key(at, "hexahedra");
  td_status status = check_count(&points, mesh->point_count);
  if (!status) status = check_count(&tetrahedra, mesh->tetrahedron_count);
  if (!status) status = check_count(&hexahedra, mesh->hexahedron_count);
  if (!status && mesh->point_count < 4)
    status = td_place_fail(&points, TD_INVALID_ARGUMENT, "must have at least 4 entries, has %zu", mesh->point_count);
  if (!status && !mesh->tetrahedron_count && !mesh->hexahedron_count)
    status = td_place_fail(at, TD_INVALID_ARGUMENT, "has no element: give `tetrahedra` or `hexahedra`");
  for (size_t i = 0; !status && i < mesh->point_count; i++) {
    td_place point = td_place_at(&points, i);
    status = td_check_all_finite(&point, NULL, 3, mesh->points + 3 * i);
  }
  for (size_t i = 0; !status && i < mesh->tetrahedron_count; i++) {
    td_place element = td_place_at(&tetrahedra, i);
    status = check_tetrahedron(&element, mesh, i);
  }
  for (size_t i = 0; !status && i < mesh->hexahedron_count; i++) {
    td_place element = td_place_at(&hexahedra, i);
    status = check_hexahedron(&element, mesh, i);
  }
  return status;
}

// A hexahedron may have volume at its corners and yet be folded within.
static td_status check_particles(const td_place *at, const td_mesh_spec *mesh, const td_mesh_rule *rule, long count) {
  int each = rule->n * rule->n * rule->n;
  for (long p = each * (long)mesh->tetrahedron_count; p < count; p++) {
    double X[3];
    td_place list = td_place_key(at, "hexahedra"),
             element = td_place_at(&list, (size_t)(p / each) - mesh->tetrahedron_count);
    if (!(td_mesh_particle(mesh, rule, p, X) > 0))
      return td_place_fail(&element, TD_INVALID_ARGUMENT, "is folded at (%g, %g, %g) m", X[0], X[1], X[2]);
  }
  return TD_OK;
}

static td_status check_mesh(const td_place *body, const td_reduced_spec *r) {
  td_place mesh = td_place_key(body, "mesh"), quadrature = td_place_key(body, "quadrature"),
           points = td_place_key(&quadrature, "points");
  if (r->s_points < 0 || r->s_points > TD_MESH_POINTS_MOST)
    return td_place_fail(&points, TD_INVALID_ARGUMENT, "must lie in [1, %d], is %d", (int)TD_MESH_POINTS_MOST,
                         r->s_points);
  td_status status = check_elements(&mesh, &r->mesh);
  if (status) return status;
  td_mesh_rule rule;
  td_mesh_rule_of(td_reduced_mesh_points(r), &rule);
  long particles = td_mesh_particle_count(&r->mesh, &rule);
  if (particles <= TD_MAX_PARTICLES) return check_particles(&mesh, &r->mesh, &rule, particles);
  return td_place_fail(&mesh, TD_INVALID_ARGUMENT,
                       "must have at most %d quadrature points, has %ld: %zu elements of %d^3", (int)TD_MAX_PARTICLES,
                       particles, r->mesh.tetrahedron_count + r->mesh.hexahedron_count, rule.n);
}

// ---- modes

static td_status check_ritz_mode(const td_place *mode, const td_ritz_mode_spec *m) {
  size_t terms = 0;
  for (size_t c = 0; c < 3; c++) {
    td_place component = td_place_at(mode, c);
    if (m->count[c] > TD_MAX_TERMS)
      return td_place_fail(&component, TD_INVALID_ARGUMENT, "must have at most %d terms, has %zu", (int)TD_MAX_TERMS,
                           m->count[c]);
    for (size_t t = 0; t < m->count[c]; t++) {
      td_place term = td_place_at(&component, t);
      const double *x = m->terms[c][t];
      td_status status = td_check_all_finite(&term, NULL, 4, x);
      if (status) return status;
      for (size_t k = 1; k < 4; k++)
        if (x[k] < 0 || x[k] > TD_MAX_ORDER || x[k] != floor(x[k])) {
          td_place power = td_place_at(&term, k);
          return td_place_fail(&power, TD_INVALID_ARGUMENT, "must be a whole power in [0, %d], is %g",
                               (int)TD_MAX_ORDER, x[k]);
        }
      terms += x[0] != 0;
    }
  }
  if (terms > 0) return TD_OK;
  return td_place_fail(mode, TD_INVALID_ARGUMENT, "is zero everywhere: the coordinate would move nothing");
}

td_status td_check_ritz(const td_place *body, const td_reduced_spec *r) {
  td_place modes = td_place_key(body, "modes"), tip = td_place_key(body, "tip_points");
  if (r->ritz_mode_count < 1 || r->ritz_mode_count > TD_MAX_MODES)
    return td_place_fail(&modes, TD_INVALID_ARGUMENT, "must have 1 to %d entries, has %zu", (int)TD_MAX_MODES,
                         r->ritz_mode_count);
  td_status status = r->poisson < 0.5 ? TD_OK : td_check_within(body, "poisson", r->poisson, 0, 0.4999);
  for (size_t i = 0; !status && i < r->ritz_mode_count; i++) {
    td_place mode = td_place_at(&modes, i);
    status = check_ritz_mode(&mode, &r->ritz_modes[i]);
  }
  if (!status) status = r->has_mesh ? check_mesh(body, r) : check_size(body, r); // the default of points asks the modes
  if (!status) status = td_check_all_finite(&tip, NULL, 9, r->tip_points);
  if (status) return status;
  const double *p = r->tip_points;
  double a[3], b[3], n[3];
  for (int i = 0; i < 3; i++) a[i] = p[3 + i] - p[i], b[i] = p[6 + i] - p[i];
  n[0] = a[1] * b[2] - a[2] * b[1], n[1] = a[2] * b[0] - a[0] * b[2], n[2] = a[0] * b[1] - a[1] * b[0];
  if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0) return TD_OK;
  return td_place_fail(&tip, TD_INVALID_ARGUMENT, "the three points of the distal frame lie on a line");
}
