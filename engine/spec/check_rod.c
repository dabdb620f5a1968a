// Rods: length, section, material, strain basis and quadrature.
//
// A section must be positive everywhere, not only at its knots: the minimum of each cubic piece is found exactly.
#include "math/spline.h"
#include "spec/checks.h"
#include "strain/basis.h"
#include "strain/points.h"
#include <math.h>
#include <stdlib.h>

// Row i of a profile: its place is the key itself for a constant, key/i for [base, tip], key/value/i for a spline.
static td_status check_profile_row(const td_place *at, const td_profile *profile, size_t i) {
  const double *row = profile->value + i * profile->width;
  td_place entry = profile->count == 1 && !profile->s ? *at : td_place_at(at, i);
  if (profile->width > 1) return td_check_all_finite(&entry, NULL, profile->width, row);
  return td_check_finite(&entry, NULL, row[0]);
}

// Knots, counts and finite values of a profile at `at`.
static td_status check_profile(const td_place *at, const td_profile *profile) {
  td_place values = profile->s ? td_place_key(at, "value") : *at;
  if (profile->count < 1 || profile->count > TD_MAX_KNOTS || (!profile->s && profile->count > 2))
    return td_place_fail(at, TD_INVALID_ARGUMENT, "must be one value, [base, tip], or 2 to %d knots; has %zu",
                         (int)TD_MAX_KNOTS, profile->count);
  td_status status = profile->s ? td_check_knots(at, "s", profile->count, profile->s) : TD_OK;
  for (size_t i = 0; i < profile->count && !status; i++) status = check_profile_row(&values, profile, i);
  return status;
}

// Smallest value of the cubic piece i, at the roots of its slope, and where.
static double piece_minimum(const td_profile *p, const double *m, size_t i, double *where) {
  double h = p->s[i + 1] - p->s[i], d = (p->value[i + 1] - p->value[i]) / h;
  // slope(t) = d - h (2 m0 + m1)/6 + t h m0 + t^2 h (m1 - m0)/2, t in [0, 1]
  double a = h * (m[i + 1] - m[i]) / 2, b = h * m[i], c = d - h * (2 * m[i] + m[i + 1]) / 6;
  double least = p->value[i], root = sqrt(fmax(0, b * b - 4 * a * c)), q = -(b + (b < 0 ? -root : root)) / 2;
  double t[3] = {1, a != 0 ? q / a : -1, q != 0 ? c / q : -1};
  *where = p->s[i];
  for (int k = 0; k < 3; k++) {
    if (!(t[k] >= 0 && t[k] <= 1)) continue;
    double at = p->s[i] + h * t[k], value;
    td_spline_eval(p->count, p->s, p->value, 1, m, at, &value, NULL);
    if (value < least) {
      least = value;
      *where = at;
    }
  }
  return least;
}

static td_status check_positive_between(const td_place *at, const td_profile *profile, const double *m) {
  for (size_t i = 0; i + 1 < profile->count; i++) {
    double where, least = piece_minimum(profile, m, i, &where);
    if (!(least > 0))
      return td_place_fail(at, TD_INVALID_ARGUMENT,
                           "must be positive all along the rod; the spline through its knots is %.9g at s = %.9g",
                           least, where);
  }
  return TD_OK;
}

static td_status check_positive_spline(const td_place *at, const td_profile *profile) {
  double *m = malloc(td_spline_size(profile->count) * sizeof *m);
  if (!m) return td_place_fail(at, TD_NO_MEMORY, "out of memory");
  td_status status = td_spline_prepare(profile->count, profile->s, profile->value, 1, m);
  status = status ? td_place_fail(at, status, "the spline through its knots cannot be computed")
                  : check_positive_between(at, profile, m);
  free(m);
  return status;
}

// Values first (the place of a wrong number), then what lies between.
static td_status check_positive_profile(const td_place *section, const char *key, const td_profile *profile) {
  td_place at = td_place_key(section, key);
  td_place values = profile->s ? td_place_key(&at, "value") : at;
  td_status status = check_profile(&at, profile);
  for (size_t i = 0; i < profile->count && !status; i++) {
    td_place entry = profile->count == 1 ? values : td_place_at(&values, i);
    status = td_check_positive(&entry, NULL, profile->value[i]);
  }
  if (status || !profile->s) return status;
  return check_positive_spline(&at, profile);
}

static td_status check_section(const td_place *body, const td_rod_spec *rod) {
  td_place section = td_place_key(body, "section");
  const char *keys[2];
  td_section_keys(rod->section, keys);
  if (!keys[0]) return td_place_fail(&section, TD_INVALID_ARGUMENT, "unknown shape %d", (int)rod->section);
  for (int i = 0; i < 2 && keys[i]; i++) {
    td_status status = check_positive_profile(&section, keys[i], &rod->size[i]);
    if (status) return status;
  }
  return TD_OK;
}

static td_status check_poisson(const td_place *material, double poisson) {
  if (poisson > -1 && poisson <= 0.5) return TD_OK;
  td_place place = td_place_key(material, "poisson");
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "must lie in (-1, 0.5], is %.15g", poisson);
}

// poisson and shear: the absent one is NaN.
static td_status check_material(const td_place *body, const td_rod_spec *rod) {
  td_place material = td_place_key(body, "material");
  bool by_poisson = !isnan(rod->poisson), by_shear = !isnan(rod->shear);
  td_status status = td_check_positive(&material, "young", rod->young);
  if (!status && by_poisson == by_shear)
    status = td_place_fail(&material, TD_INVALID_ARGUMENT, "needs exactly one of `poisson` and `shear`, has %s",
                           by_poisson ? "both" : "neither");
  if (!status)
    status = by_poisson ? check_poisson(&material, rod->poisson) : td_check_positive(&material, "shear", rod->shear);
  if (!status) status = td_check_positive(&material, "density", rod->density);
  return status ? status : td_check_not_negative(&material, "viscosity", rod->viscosity);
}

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

static td_status check_strain(const td_place *body, const td_rod_spec *rod) {
  td_place strain = td_place_key(body, "strain"), reference = td_place_key(&strain, "reference");
  if ((unsigned)rod->basis >= TD_BASIS_COUNT)
    return td_place_fail(&strain, TD_INVALID_ARGUMENT, "unknown basis %d", (int)rod->basis);
  td_status status = rod->basis == TD_BASIS_TABLE ? check_table(&strain, rod) : TD_OK;
  for (int c = 0; c < 6 && !status && rod->basis != TD_BASIS_TABLE; c++) status = check_order(&strain, rod, c);
  if (status || !rod->reference.count) return status;
  return check_profile(&reference, &rod->reference);
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

// The first column of Phi [points][count] that is zero or, to rounding, a combination of those before it; `count` when there
// is none. Modified Gram-Schmidt, in place.
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

// The products that the engine forms of numbers that are each finite must be finite (and masses above 0) too.
static td_status check_magnitudes(const td_place *body, const td_rod_spec *rod) {
  double size = 0, least = INFINITY;
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; rod->size[i].value && k < rod->size[i].count; k++) {
      size = fmax(size, rod->size[i].value[k]);
      least = fmin(least, rod->size[i].value[k]);
    }
  double inertia = rod->density * pow(least, 4), stiffness = rod->young * pow(size, 4), area = rod->young * size * size;
  if (inertia > 1e-290 && isfinite(stiffness) && isfinite(area) && isfinite(area / rod->length)) return TD_OK;
  return td_place_fail(
      body, TD_INVALID_ARGUMENT,
      "its length, section and material are so large or small that mass or stiffness leaves the range of "
      "double precision");
}

td_status td_check_rod(const td_place *body, const td_rod_spec *rod) {
  td_status status = td_check_positive(body, "length", rod->length);
  if (!status) status = check_section(body, rod);
  if (!status) status = check_material(body, rod);
  if (!status) status = check_strain(body, rod);
  if (!status) status = check_quadrature(body, rod);
  if (!status) status = check_independent(body, rod);
  td_place hydrodynamics = td_place_key(body, "hydrodynamics");
  if (!status) status = td_check_rod_fluid(&hydrodynamics, rod);
  return status ? status : check_magnitudes(body, rod);
}
