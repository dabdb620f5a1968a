// Reduced bodies: measures, material and what each kinematics needs of its own.
//
// Poisson's ratio of 0.5 is accepted (the strain energies of backbones and of volume-preserving bodies do not diverge
// there).
#include "element/reduced/reduced_points.h"
#include "spec/check/checks.h"
#include "strain/field_column.h"
#include <math.h>

static td_status check_radius(const td_place *body, const td_reduced_spec *r) {
  td_place radius = td_place_key(body, "radius");
  if (r->radius.count < 1 || r->radius.count > 2)
    return td_place_fail(&radius, TD_INVALID_ARGUMENT, "must be a number or [base, tip]");
  for (size_t i = 0; i < r->radius.count; i++) {
    td_place entry = r->radius.count == 1 ? radius : td_place_at(&radius, i);
    td_status status = td_check_positive(&entry, NULL, r->radius.value[i]);
    if (status) return status;
  }
  return TD_OK;
}

static td_status check_points(const td_place *body, const char *key, int points, int most) {
  td_place quadrature = td_place_key(body, "quadrature"), place = td_place_key(&quadrature, key);
  if (points >= 0 && points <= most) return TD_OK;
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "must lie in [1, %d], is %d", most, points);
}

static td_status check_common(const td_place *body, const td_reduced_spec *r) {
  td_status status = td_check_positive(body, "length", r->length);
  if (!status && r->kinematics != TD_KINEMATICS_RITZ) status = check_radius(body, r);
  if (!status) status = td_check_positive(body, "density", r->density);
  if (!status) status = td_check_positive(body, "young", r->young);
  if (!status) status = td_check_within(body, "poisson", r->poisson, 0, 0.5);
  if (!status) status = td_check_not_negative(body, "damping_time", r->damping_time);
  if (status || r->has_mesh) return status;
  bool box = r->kinematics == TD_KINEMATICS_RITZ;
  status = check_points(body, box ? "z" : "s", r->s_points, TD_AXIS_POINTS_MOST);
  if (!status) status = check_points(body, box ? "x" : "r", r->r_points, TD_RADIUS_POINTS_MOST);
  return status ? status : check_points(body, box ? "y" : "angle", r->angle_points, TD_ANGLE_POINTS_MOST);
}

static td_status check_polynomial(const td_place *body, const td_reduced_spec *r) {
  td_place order = td_place_key(body, "order");
  if (r->order < 0 || r->order > TD_MAX_ORDER)
    return td_place_fail(&order, TD_INVALID_ARGUMENT, "must lie in [0, %d], is %d", (int)TD_MAX_ORDER, r->order);
  if (r->order < td_reduced_s_points(r)) return TD_OK;
  return td_place_fail(&order, TD_INVALID_ARGUMENT, "is not resolved by the %d Gauss points on the axis: %d",
                       td_reduced_s_points(r), r->order);
}

static td_status check_gaussian(const td_place *body, const td_reduced_spec *r) {
  return isnan(r->width) ? TD_OK : td_check_positive(body, "width", r->width);
}

static td_status check_variable_radius(const td_place *body, const td_reduced_spec *r) {
  if (r->radius.count == 2) {
    td_place radius = td_place_key(body, "radius");
    return td_place_fail(&radius, TD_INVALID_ARGUMENT, "must be one number for pcc_variable_radius");
  }
  td_status status = td_check_not_negative(body, "wall", r->wall);
  td_place wall = td_place_key(body, "wall");
  if (status || r->wall < r->radius.value[0]) return status;
  return td_place_fail(&wall, TD_INVALID_ARGUMENT, "must be thinner than the radius %g, is %g", r->radius.value[0],
                       r->wall);
}

static td_status check_mode(const td_place *mode, const td_reduced_spec *r, const td_mode_spec *m) {
  if ((unsigned)m->field >= TD_FIELD_COUNT)
    return td_place_fail(mode, TD_INVALID_ARGUMENT, "unknown field %d", (int)m->field);
  td_place polynomial = td_place_key(mode, "polynomial"), field = td_place_key(mode, "field");
  if (m->field == TD_FIELD_SOURCE && !(r->inner_radius > 0))
    return td_place_fail(&field, TD_INVALID_ARGUMENT, "a source needs a hollow body: give inner_radius");
  if (m->count < 1 || m->count > TD_MAX_ORDER + 1)
    return td_place_fail(&polynomial, TD_INVALID_ARGUMENT, "must have 1 to %d coefficients, has %zu",
                         (int)TD_MAX_ORDER + 1, m->count);
  td_status status = td_check_all_finite(mode, "polynomial", m->count, m->polynomial);
  bool zero = true;
  for (size_t i = 0; i < m->count; i++) zero = zero && m->polynomial[i] == 0;
  if (status || !zero) return status;
  return td_place_fail(&polynomial, TD_INVALID_ARGUMENT, "is zero everywhere: the coordinate would move nothing");
}

static td_status check_lvp(const td_place *body, const td_reduced_spec *r) {
  td_place modes = td_place_key(body, "modes"), inner = td_place_key(body, "inner_radius");
  if (r->mode_count < 1 || r->mode_count > TD_MAX_MODES)
    return td_place_fail(&modes, TD_INVALID_ARGUMENT, "must have 1 to %d entries, has %zu", (int)TD_MAX_MODES,
                         r->mode_count);
  td_status status = td_check_not_negative(body, "inner_radius", r->inner_radius);
  for (size_t i = 0; !status && i < r->radius.count; i++)
    if (!(r->inner_radius < r->radius.value[i]))
      status = td_place_fail(&inner, TD_INVALID_ARGUMENT, "must be less than the radius %g, is %g", r->radius.value[i],
                             r->inner_radius);
  for (size_t i = 0; !status && i < r->mode_count; i++) {
    td_place mode = td_place_at(&modes, i);
    status = check_mode(&mode, r, &r->modes[i]);
  }
  return status;
}

static td_status check_nothing(const td_place *body, const td_reduced_spec *r) {
  (void)body, (void)r;
  return TD_OK;
}

static td_status (*const kinds[TD_KINEMATICS_COUNT])(const td_place *, const td_reduced_spec *) = {
    [TD_KINEMATICS_PCC_PLANAR] = check_nothing,
    [TD_KINEMATICS_PCC_PLANAR_EXTENSIBLE] = check_nothing,
    [TD_KINEMATICS_PCC] = check_nothing,
    [TD_KINEMATICS_POLYNOMIAL_CURVATURE] = check_polynomial,
    [TD_KINEMATICS_GAUSSIAN_CURVATURE] = check_gaussian,
    [TD_KINEMATICS_PCC_VARIABLE_RADIUS] = check_variable_radius,
    [TD_KINEMATICS_LVP] = check_lvp,
    [TD_KINEMATICS_RITZ] = td_check_ritz,
};

td_status td_check_reduced(const td_place *body, const td_reduced_spec *reduced) {
  if ((unsigned)reduced->kinematics >= TD_KINEMATICS_COUNT)
    return td_place_fail(body, TD_INVALID_ARGUMENT, "unknown kinematics %d", (int)reduced->kinematics);
  td_status status = check_common(body, reduced);
  return status ? status : kinds[reduced->kinematics](body, reduced);
}
