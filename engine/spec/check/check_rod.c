// Rods: length, strain basis and quadrature; sections and materials in check_section.c.
#include "spec/check/checks.h"
#include "strain/basis.h"
#include "strain/points.h"
#include <math.h>
#include <stdlib.h>

static td_status check_order(const td_place *strain, const td_rod_spec *rod, int c) {
  td_place orders = td_place_key(strain, "order"), place = td_place_key(&orders, td_strain_component_name(c));
  int order = rod->order[c], lowest = td_basis_lowest_order(rod->basis);
  if (order == -1 || (order >= lowest && order <= TD_MAX_ORDER)) return TD_OK;
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "%s must lie in [%d, %d] for basis %s, is %d",
                       td_basis_has_elements(rod->basis) ? "the number of elements" : "the order", lowest,
                       (int)TD_MAX_ORDER, td_basis_name(rod->basis), order);
}

static td_status check_columns(const td_place *strain, const td_rod_spec *rod, int c) {
  td_place component = td_place_key(strain, td_strain_component_name(c));
  if (rod->table_columns[c] < 1 || rod->table_columns[c] > TD_MAX_ORDER + 1)
    return td_place_fail(&component, TD_INVALID_ARGUMENT, "must have 1 to %d coordinates, has %zu", TD_MAX_ORDER + 1,
                         rod->table_columns[c]);
  for (size_t i = 0; i < rod->table_columns[c]; i++) {
    td_place column = td_place_at(&component, i);
    td_status status = td_check_all_finite(&column, NULL, rod->table_count, rod->table[c] + i * rod->table_count);
    if (status) return status;
  }
  return TD_OK;
}

static td_status check_table(const td_place *strain, const td_rod_spec *rod) {
  td_status status = td_check_knots(strain, "s", rod->table_count, rod->table_s);
  for (int c = 0; c < 6 && !status; c++)
    if (rod->order[c] >= 0) status = check_columns(strain, rod, c);
  return status;
}

// A stretch of 0 is a rod without length, a negative one is turned inside out: somebody forgot the 1 of
// (0, 0, 0, 1, 0, 0).
static td_status check_reference(const td_place *reference, const td_profile *strain) {
  td_status status = td_check_profile(reference, strain);
  for (size_t i = 0; !status && i < strain->count && strain->width == 6; i++)
    if (strain->value[6 * i + 3] <= 0)
      return td_place_fail(
          reference, TD_INVALID_ARGUMENT,
          "the stretch, its fourth number, must be greater than 0, is %g: a straight rod has (0, 0, 0, 1, 0, 0)",
          strain->value[6 * i + 3]);
  return status;
}

static td_status check_strain(const td_place *body, const td_rod_spec *rod) {
  td_place strain = td_place_key(body, "strain"), reference = td_place_key(&strain, "reference");
  if ((unsigned)rod->basis >= TD_BASIS_COUNT)
    return td_place_fail(&strain, TD_INVALID_ARGUMENT, "unknown basis %d", (int)rod->basis);
  td_status status = rod->basis == TD_BASIS_TABLE ? check_table(&strain, rod) : TD_OK;
  for (int c = 0; c < 6 && !status && rod->basis != TD_BASIS_TABLE; c++) status = check_order(&strain, rod, c);
  if (status || !rod->reference.count) return status;
  return check_reference(&reference, &rod->reference);
}

static td_status check_quadrature(const td_place *body, const td_rod_spec *rod) {
  td_place quadrature = td_place_key(body, "quadrature"), points = td_place_key(&quadrature, "points");
  if (rod->quadrature_points < 0 || rod->quadrature_points > TD_MAX_POINTS)
    return td_place_fail(&points, TD_INVALID_ARGUMENT, "must lie in [1, %d], is %d", (int)TD_MAX_POINTS,
                         rod->quadrature_points);
  int gauss = td_rod_gauss_count(rod), all = td_rod_point_count(rod), largest = td_rod_largest_count(rod);
  if (all > TD_MAX_POINTS)
    return td_place_fail(&points, TD_INVALID_ARGUMENT, "the rod has %d computational points, the limit is %d", all,
                         (int)TD_MAX_POINTS);
  if (gauss >= largest) return TD_OK;
  return td_place_fail(
      &points, TD_INVALID_ARGUMENT,
      "%d Gauss points on the rod are fewer than the %d coefficients of a strain component: its mass and "
      "stiffness would be singular",
      gauss, largest);
}

// The first column of Phi [points][count] that is zero or, to rounding, a combination of those before it; `count` when
// there is none. Modified Gram-Schmidt, in place.
static size_t first_dependent(double *phi, size_t points, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double before = 0, after = 0;
    for (size_t p = 0; p < points; p++) before += phi[p * count + i] * phi[p * count + i];
    for (size_t j = 0; j < i; j++) {
      double along = 0;
      for (size_t p = 0; p < points; p++) along += phi[p * count + i] * phi[p * count + j];
      for (size_t p = 0; p < points; p++) phi[p * count + i] -= along * phi[p * count + j];
    }
    for (size_t p = 0; p < points; p++) after += phi[p * count + i] * phi[p * count + i];
    if (!(after > 1e-20 * before)) return i;
    for (size_t p = 0; p < points; p++) phi[p * count + i] /= sqrt(after);
  }
  return count;
}

// Columns of a table come from outside and may be zero or repeat each other; those of the named bases are independent.
static td_status check_table_columns(const td_place *strain, const td_rod_spec *rod, const td_rod_basis *basis,
                                     double *s, double *phi, int c) {
  size_t points = (size_t)td_rod_point_count(rod), count = rod->table_columns[c];
  double *w = s + points;
  td_rod_points(rod, s, w);
  for (size_t p = 0; p < points; p++) {
    td_rod_basis_eval(basis, c, s[p], phi + p * count);
    for (size_t i = 0; i < count; i++) phi[p * count + i] *= sqrt(w[p]);
  }
  size_t i = first_dependent(phi, points, count);
  if (i == count) return TD_OK;
  td_place component = td_place_key(strain, td_strain_component_name(c)), column = td_place_at(&component, i);
  return td_place_fail(&column, TD_INVALID_ARGUMENT,
                       "is zero or a combination of the coordinates before it at the rod's Gauss points: mass and "
                       "stiffness would be singular");
}

static td_status check_independent(const td_place *body, const td_rod_spec *rod) {
  td_place strain = td_place_key(body, "strain");
  if (rod->basis != TD_BASIS_TABLE) return TD_OK;
  size_t points = (size_t)td_rod_point_count(rod), count = (size_t)td_rod_largest_count(rod);
  td_rod_basis *basis = NULL;
  double *s = malloc(points * (2 + count) * sizeof *s);
  td_status status = s ? td_rod_basis_create(rod, &basis) : TD_NO_MEMORY;
  if (status) status = td_place_fail(&strain, status, "the table cannot be frozen");
  for (int c = 0; c < 6 && !status; c++)
    if (rod->order[c] >= 0) status = check_table_columns(&strain, rod, basis, s, s + 2 * points, c);
  td_rod_basis_destroy(basis);
  free(s);
  return status;
}

// A magnetisation is per volume, and a section by its stiffness has a volume by its radius alone.
static td_status check_magnetisation(const td_place *body, const td_rod_spec *rod) {
  const double *m = rod->magnetisation;
  td_place place = td_place_key(body, "magnetisation");
  td_status status = td_check_all_finite(body, "magnetisation", 3, m);
  if (status || rod->section != TD_SECTION_STIFFNESS || rod->numbers.radius.count) return status;
  if (m[0] == 0 && m[1] == 0 && m[2] == 0) return TD_OK;
  return td_place_fail(&place, TD_INVALID_ARGUMENT,
                       "is per volume of the rod: a section of shape stiffness needs a `radius` for it");
}

td_status td_check_rod(const td_place *body, const td_rod_spec *rod) {
  td_status status = td_check_positive(body, "length", rod->length);
  if (!status) status = td_check_section(body, rod);
  if (!status) status = check_strain(body, rod);
  if (!status) status = check_quadrature(body, rod);
  if (!status) status = check_independent(body, rod);
  if (!status) status = td_check_section_along(body, rod);
  td_place hydrodynamics = td_place_key(body, "hydrodynamics");
  if (!status) status = td_check_rod_fluid(&hydrodynamics, rod);
  if (!status) status = check_magnetisation(body, rod);
  return status ? status : td_check_rod_magnitudes(body, rod);
}
