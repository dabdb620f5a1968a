// Sections of rods and their material: shapes with holes, torsion constant, shear correction and damping, or the
// numbers of a section given by its stiffness.
//
// A size must be positive everywhere, not only at its knots: the minimum of each cubic piece is found exactly. What
// several profiles must be together (a hole inside its section, a stiffness with its coupling positive definite) is
// asked at 129 abscissas, the knots and the rod's computational points, where it is used.
#include "math/cholesky.h"
#include "math/lanes.h"
#include "math/spline.h"
#include "spec/check/checks.h"
#include "strain/points.h"
#include "strain/profile.h"
#include "strain/section.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 128, SIDE = 6, PADDED = TD_MOST_LANES };

// ---- profiles

// Row i of a profile: its place is the key itself for a constant, key/i for [base, tip], key/value/i for a spline.
static td_status check_profile_row(const td_place *at, const td_profile *profile, size_t i) {
  const double *row = profile->value + i * profile->width;
  td_place entry = profile->count == 1 && !profile->s ? *at : td_place_at(at, i);
  if (profile->width > 1) return td_check_all_finite(&entry, NULL, profile->width, row);
  return td_check_finite(&entry, NULL, row[0]);
}

// Knots, counts and finite values of a profile at `at`.
td_status td_check_profile(const td_place *at, const td_profile *profile) {
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
  td_status status = td_check_profile(&at, profile);
  for (size_t i = 0; i < profile->count && !status; i++) {
    td_place entry = profile->count == 1 ? values : td_place_at(&values, i);
    status = td_check_positive(&entry, NULL, profile->value[i]);
  }
  if (status || !profile->s) return status;
  return check_positive_spline(&at, profile);
}

// Every number of a profile of any width is at least 0, at its knots and at the abscissas asked.
static td_status check_rows_not_negative(const td_place *section, const char *key, const td_profile *profile) {
  td_place at = td_place_key(section, key);
  td_status status = td_check_profile(&at, profile);
  for (size_t i = 0; i < profile->count * profile->width && !status; i++)
    status = td_check_not_negative(&at, NULL, profile->value[i]);
  return status;
}

// ---- material

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

// ---- abscissas where profiles are asked together

typedef struct asked {
  double *s;
  int count;
} asked;

static void add_knots(asked *a, const td_profile *p) {
  for (size_t i = 0; p->s && i < p->count; i++) a->s[a->count++] = p->s[i];
}

// `a->s` is the caller's to free.
static td_status abscissas(const td_rod_spec *rod, const td_profile *const *profiles, int profile_count, asked *a) {
  size_t most = STEPS + 1 + 2 * TD_MAX_POINTS;
  for (int i = 0; i < profile_count; i++) most += profiles[i]->count;
  *a = (asked){.s = malloc(most * sizeof(double))};
  if (!a->s) return TD_NO_MEMORY;
  for (int i = 0; i <= STEPS; i++) a->s[a->count++] = i / (double)STEPS;
  for (int i = 0; i < profile_count; i++) add_knots(a, profiles[i]);
  int points = td_rod_point_count(rod);
  td_rod_points(rod, a->s + a->count, a->s + a->count + points);
  a->count += points;
  return TD_OK;
}

// ---- holes

static td_status compare_hole(const td_place *place, const td_rod_spec *rod, int i, const char *outer_key) {
  const td_profile *const pair[2] = {&rod->size[i], &rod->inner[i]};
  td_profile_fixed *outer = NULL, *inner = NULL;
  asked a = {0};
  td_status status = abscissas(rod, pair, 2, &a);
  if (!status) status = td_profile_fixed_create(&rod->size[i], &outer);
  if (!status) status = td_profile_fixed_create(&rod->inner[i], &inner);
  if (status) status = td_place_fail(place, status, "out of memory");
  for (int k = 0; k < a.count && !status; k++) {
    double big, small;
    td_profile_fixed_eval(outer, a.s[k], &big);
    td_profile_fixed_eval(inner, a.s[k], &small);
    if (!(small >= 0 && small < big))
      status = td_place_fail(place, TD_INVALID_ARGUMENT,
                             "must lie in [0, `%s`) all along the rod, is %.9g of %.9g at s = %.9g", outer_key, small,
                             big, a.s[k]);
  }
  td_profile_fixed_destroy(outer);
  td_profile_fixed_destroy(inner);
  free(a.s);
  return status;
}

// A hole needs all of its measures.
static td_status check_hole(const td_place *section, const td_rod_spec *rod) {
  const char *keys[2], *inner[2];
  td_section_keys(rod->section, keys);
  td_section_inner_keys(rod->section, inner);
  td_status status = TD_OK;
  if (!rod->inner[0].count && !rod->inner[1].count) return TD_OK;
  for (int i = 0; i < 2 && inner[i] && !status; i++) {
    td_place place = td_place_key(section, inner[i]);
    if (!rod->inner[i].count)
      return td_place_fail(&place, TD_INVALID_ARGUMENT, "is required: a hole has %s and %s", inner[0], inner[1]);
    status = check_rows_not_negative(section, inner[i], &rod->inner[i]);
    if (!status) status = compare_hole(&place, rod, i, keys[i]);
  }
  return status;
}

// ---- shapes

// J of a section without holes is at most Iy + Iz, k of a shear stiffness at most 1: what exceeds them is odd, not
// wrong.
static void warn_of_factors(const td_place *section, const td_rod_spec *rod, const td_section *made) {
  td_section_at at;
  td_section_eval(made, 0, &at);
  td_place torsion = td_place_key(section, "torsion_constant"), shear = td_place_key(section, "shear_correction");
  if (rod->torsion_constant.count && rod->torsion_constant.value[0] > at.Jx * (1 + 1e-6))
    td_place_warn(&torsion, "torsion_constant",
                  "%.6g m^4 is more than Iy + Iz = %.6g m^4, the most that a section can have",
                  rod->torsion_constant.value[0], at.Jx);
  if (rod->shear_correction.count && rod->shear_correction.value[0] > 1)
    td_place_warn(&shear, "shear_correction", "%.6g is more than 1, as if shear were stiffer than G A",
                  rod->shear_correction.value[0]);
}

static td_status check_factors(const td_place *section, const td_rod_spec *rod) {
  td_status status = TD_OK;
  if (rod->torsion_constant.count) status = check_positive_profile(section, "torsion_constant", &rod->torsion_constant);
  if (!status && rod->shear_correction.count)
    status = check_positive_profile(section, "shear_correction", &rod->shear_correction);
  return status;
}

static td_status check_shape(const td_place *section, const td_rod_spec *rod) {
  const char *keys[2];
  td_status status = TD_OK;
  td_section_keys(rod->section, keys);
  for (int i = 0; i < 2 && keys[i] && !status; i++) status = check_positive_profile(section, keys[i], &rod->size[i]);
  return status ? status : check_factors(section, rod);
}

// ---- numbers

static td_status check_stiffness(const td_place *section, const td_rod_spec *rod, int c) {
  const char *key = td_stiffness_key(c);
  if (rod->numbers.stiffness[c].count) return check_positive_profile(section, key, &rod->numbers.stiffness[c]);
  td_place place = td_place_key(section, key);
  bool active = rod->order[c] >= 0;
  return active ? td_place_fail(&place, TD_INVALID_ARGUMENT, "is required: %s is active", td_strain_component_name(c))
                : TD_OK;
}

static td_status check_symmetric(const td_place *coupling, const td_profile *profile) {
  for (size_t row = 0; row < profile->count; row++) {
    const double *C = profile->value + TD_MATRIX6 * row;
    double scale = 0;
    for (int i = 0; i < TD_MATRIX6; i++) scale = fmax(scale, fabs(C[i]));
    for (int i = 0; i < SIDE; i++)
      for (int j = i + 1; j < SIDE; j++)
        if (!(fabs(C[SIDE * i + j] - C[SIDE * j + i]) <= 1e-9 * scale))
          return td_place_fail(coupling, TD_INVALID_ARGUMENT,
                               "must be symmetric: entry (%d,%d) is %.15g, (%d,%d) is %.15g", i, j, C[SIDE * i + j], j,
                               i, C[SIDE * j + i]);
  }
  return TD_OK;
}

// The stiffness scaled to ones on its diagonal, of the components that have any, has a Cholesky factor.
static bool is_definite(const td_section_laws *laws) {
  double K[SIDE * SIDE], U[SIDE * PADDED];
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      double size = sqrt(laws->stiffness[i] * laws->stiffness[j]), c = laws->coupling[SIDE * i + j];
      if (c != 0 && !(size > 0)) return false;
      K[SIDE * i + j] = i == j ? 1 : c == 0 ? 0 : c / size;
    }
  for (int i = 0; i < SIDE; i++)
    if (laws->stiffness[i] < 0) return false;
  return td_spd_factor(SIDE, SIDE, K, PADDED, U) == TD_OK;
}

// The laws at one abscissa: splines through good knots may leave what is allowed.
static td_status check_laws(const td_place *section, const td_rod_spec *rod, const td_section_laws *laws, double s) {
  td_place coupling = td_place_key(section, "coupling"), inertia = td_place_key(section, "inertia_per_length"),
           damping = td_place_key(section, "damping");
  for (int i = 0; i < 3; i++)
    if (!(laws->J[i] >= 0))
      return td_place_fail(&inertia, TD_INVALID_ARGUMENT, "must not be negative along the rod, is %.9g at s = %.9g",
                           laws->J[i], s);
  for (int i = 0; i < 6; i++)
    if (!(laws->damping[i] >= 0))
      return td_place_fail(&damping, TD_INVALID_ARGUMENT, "must not be negative along the rod, is %.9g at s = %.9g",
                           laws->damping[i], s);
  if (rod->numbers.coupling.count && !is_definite(laws))
    return td_place_fail(&coupling, TD_INVALID_ARGUMENT,
                         "together with the diagonal it must be positive definite, is not at s = %.9g", s);
  return TD_OK;
}

static td_status check_along(const td_place *section, const td_rod_spec *rod, const td_section *made) {
  const td_profile *const profiles[3] = {&rod->numbers.coupling, &rod->numbers.inertia, &rod->damping};
  asked a = {0};
  td_status status = abscissas(rod, profiles, 3, &a) ? td_place_fail(section, TD_NO_MEMORY, "out of memory") : TD_OK;
  for (int k = 0; k < a.count && !status; k++) {
    td_section_laws laws;
    td_section_laws_at(made, a.s[k], &laws);
    status = check_laws(section, rod, &laws, a.s[k]);
  }
  free(a.s);
  return status;
}

static td_status check_numbers(const td_place *section, const td_rod_spec *rod) {
  const td_stiffness_spec *n = &rod->numbers;
  td_status status = TD_OK;
  for (int c = 0; c < 6 && !status; c++) status = check_stiffness(section, rod, c);
  if (!status) status = check_positive_profile(section, "mass_per_length", &n->mass);
  if (!status && n->inertia.count) status = check_rows_not_negative(section, "inertia_per_length", &n->inertia);
  if (!status && n->radius.count) status = check_positive_profile(section, "radius", &n->radius);
  td_place coupling = td_place_key(section, "coupling");
  if (!status && n->coupling.count) status = td_check_profile(&coupling, &n->coupling);
  if (!status && n->coupling.count) status = check_symmetric(&coupling, &n->coupling);
  return status;
}

// ---- the whole

td_status td_check_section(const td_place *body, const td_rod_spec *rod) {
  td_place section = td_place_key(body, "section");
  bool numbers = rod->section == TD_SECTION_STIFFNESS;
  if (!td_section_shape_name(rod->section))
    return td_place_fail(&section, TD_INVALID_ARGUMENT, "unknown shape %d", (int)rod->section);
  td_status status = numbers ? check_numbers(&section, rod) : check_shape(&section, rod);
  if (!status && rod->damping.count) status = check_rows_not_negative(&section, "damping", &rod->damping);
  return status || numbers ? status : check_material(body, rod);
}

td_status td_check_section_along(const td_place *body, const td_rod_spec *rod) {
  td_place section = td_place_key(body, "section");
  bool numbers = rod->section == TD_SECTION_STIFFNESS;
  td_status status = numbers ? TD_OK : check_hole(&section, rod);
  if (status || (!numbers && !rod->damping.count && !rod->torsion_constant.count && !rod->shear_correction.count))
    return status;
  td_section *made = NULL;
  status = td_section_create(rod, &made);
  if (status) return td_place_fail(&section, status, "the section cannot be frozen");
  status = check_along(&section, rod, made);
  if (!status && !numbers) warn_of_factors(&section, rod, made);
  td_section_destroy(made);
  return status;
}

// The products that the engine forms of numbers that are each finite must be finite (and masses above 0) too.
static bool numbers_in_range(const td_rod_spec *rod) {
  const td_stiffness_spec *n = &rod->numbers;
  bool good = true;
  for (size_t k = 0; k < n->mass.count; k++) good = good && n->mass.value[k] * rod->length > 1e-290;
  for (int c = 0; c < 6; c++)
    for (size_t k = 0; k < n->stiffness[c].count; k++) good = good && isfinite(n->stiffness[c].value[k] / rod->length);
  return good;
}

static bool material_in_range(const td_rod_spec *rod) {
  double size = 0, least = INFINITY;
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; rod->size[i].value && k < rod->size[i].count; k++) {
      size = fmax(size, rod->size[i].value[k]);
      least = fmin(least, rod->size[i].value[k]);
    }
  double inertia = rod->density * pow(least, 4), stiffness = rod->young * pow(size, 4), area = rod->young * size * size;
  return inertia > 1e-290 && isfinite(stiffness) && isfinite(area) && isfinite(area / rod->length);
}

td_status td_check_rod_magnitudes(const td_place *body, const td_rod_spec *rod) {
  if (rod->section == TD_SECTION_STIFFNESS ? numbers_in_range(rod) : material_in_range(rod)) return TD_OK;
  return td_place_fail(
      body, TD_INVALID_ARGUMENT,
      "its length, section and material are so large or small that mass or stiffness leaves the range of "
      "double precision");
}
