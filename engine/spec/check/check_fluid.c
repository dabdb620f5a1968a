// Water: how it moves and ends, and hydrodynamic coefficients of bodies. Added mass must be symmetric and positive
// semidefinite (up to rounding).
//
// Lift coefficients may have any sign. A rigid body's drag and linear resistance are general matrices that take power
// out of every motion: their symmetric parts are positive semidefinite (drag: power -|v| V^T D V), their skew parts are
// lift.
#include "math/cholesky.h"
#include "math/lanes.h"
#include "spec/check/checks.h"
#include "strain/points.h"
#include "strain/section.h"
#include <math.h>
#include <string.h>

enum { SIDE = 6, PADDED = TD_MOST_LANES };
#define FEW_RADII 30.
#define FEWEST_RADII 10. ///< length of a rod that resistive-force theory may be asked about

static double largest(const double A[TD_MATRIX6]) {
  double most = 0;
  for (int i = 0; i < TD_MATRIX6; i++) most = fmax(most, fabs(A[i]));
  return most;
}

// The symmetric part plus a slack of 1e-6 of its largest entry has a Cholesky factor.
static bool semidefinite(const double A[TD_MATRIX6], double scale) {
  double S[SIDE * SIDE], U[SIDE * PADDED];
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
      S[SIDE * i + j] = 0.5 * (A[SIDE * i + j] + A[SIDE * j + i]) / scale + (i == j ? 1e-6 : 0);
  return td_spd_factor(SIDE, SIDE, S, PADDED, U) == TD_OK;
}

static td_status check_matrix(const td_place *at, const double A[TD_MATRIX6]) {
  td_status status = TD_OK;
  for (int i = 0; i < TD_MATRIX6 && !status; i++) status = td_check_finite(at, NULL, A[i]);
  return status;
}

static td_status check_semidefinite(const td_place *at, const double A[TD_MATRIX6]) {
  double scale = largest(A);
  if (scale == 0 || semidefinite(A, scale)) return TD_OK;
  return td_place_fail(at, TD_INVALID_ARGUMENT, "must be positive semidefinite");
}

static td_status check_symmetric(const td_place *at, const double A[TD_MATRIX6]) {
  double scale = largest(A);
  for (int i = 0; i < SIDE; i++)
    for (int j = i + 1; j < SIDE; j++)
      if (!(fabs(A[SIDE * i + j] - A[SIDE * j + i]) <= 1e-9 * scale))
        return td_place_fail(at, TD_INVALID_ARGUMENT, "must be symmetric: entry (%d,%d) is %.15g, (%d,%d) is %.15g", i,
                             j, A[SIDE * i + j], j, i, A[SIDE * j + i]);
  return TD_OK;
}

// Resistance takes power out of every motion; what drives a body is none.
static td_status check_resistance(const td_place *at, const double A[TD_MATRIX6]) {
  td_status status = check_matrix(at, A);
  double scale = largest(A);
  if (status || scale == 0 || semidefinite(A, scale)) return status;
  for (int i = 0; i < SIDE; i++)
    if (A[(SIDE + 1) * i] < 0)
      return td_place_fail(at, TD_INVALID_ARGUMENT,
                           "would drive the body: no entry of its diagonal may be negative, entry %d is %.9g", i,
                           A[(SIDE + 1) * i]);
  return td_place_fail(at, TD_INVALID_ARGUMENT,
                       "would drive the body: its symmetric part must be positive semidefinite");
}

td_status td_check_rigid_fluid(const td_place *hydrodynamics, const td_rigid_spec *rigid) {
  td_place drag = td_place_key(hydrodynamics, "drag"), added = td_place_key(hydrodynamics, "added_mass"),
           linear = td_place_key(hydrodynamics, "linear");
  td_status status = check_resistance(&drag, rigid->drag);
  if (!status) status = check_resistance(&linear, rigid->linear);
  if (!status) status = check_matrix(&added, rigid->added_mass);
  if (!status) status = check_semidefinite(&added, rigid->added_mass);
  if (!status) status = check_symmetric(&added, rigid->added_mass);
  return status ? status : td_check_not_negative(hydrodynamics, "body_density", rigid->body_density);
}

static bool has_coefficients(const td_rod_spec *rod) {
  bool any = rod->added[0] != 0 || rod->added[1] != 0 || rod->resistive_force;
  for (int i = 0; i < 3; i++) any = any || rod->cd[i] != 0 || rod->cl[i] != 0;
  return any;
}

td_status td_check_rod_fluid(const td_place *hydrodynamics, const td_rod_spec *rod) {
  static const char *const cd[3] = {"cd_x", "cd_y", "cd_z"}, *const cl[3] = {"cl_x", "cl_y", "cl_z"},
                           *const added[2] = {"added_y", "added_z"};
  td_status status = TD_OK;
  for (int i = 0; i < 3 && !status; i++) {
    status = td_check_not_negative(hydrodynamics, cd[i], rod->cd[i]);
    if (!status) status = td_check_finite(hydrodynamics, cl[i], rod->cl[i]);
  }
  for (int i = 0; i < 2 && !status; i++) status = td_check_not_negative(hydrodynamics, added[i], rod->added[i]);
  td_place place = td_place_key(hydrodynamics, "linear");
  for (int i = 0; i < 2 && !status; i++)
    status = td_check_not_negative(&place, i ? "normal" : "tangential", rod->linear[i]);
  if (!status && rod->section == TD_SECTION_STIFFNESS && !rod->numbers.radius.count && has_coefficients(rod))
    status =
        td_place_fail(hydrodynamics, TD_INVALID_ARGUMENT,
                      "a section of shape stiffness needs a `radius` for drag, added mass and resistive-force theory");
  return status;
}

// ---- the water itself

static td_status check_table(const td_place *velocity, const td_fluid_spec *fluid) {
  td_place heights = td_place_key(velocity, "z"), rows = td_place_key(velocity, "velocity");
  if (fluid->knots < 2 || fluid->knots > TD_MAX_KNOTS)
    return td_place_fail(&heights, TD_INVALID_ARGUMENT, "must have 2 to %d heights, has %zu", (int)TD_MAX_KNOTS,
                         fluid->knots);
  td_status status = td_check_all_finite(velocity, "z", fluid->knots, fluid->z);
  for (size_t i = 0; i < fluid->knots && !status; i++) {
    td_place row = td_place_at(&rows, i), height = td_place_at(&heights, i);
    status = td_check_all_finite(&row, NULL, 3, fluid->table + 3 * i);
    if (!status && i > 0 && !(fluid->z[i] > fluid->z[i - 1]))
      return td_place_fail(&height, TD_INVALID_ARGUMENT, "heights must rise strictly: %.15g follows %.15g", fluid->z[i],
                           fluid->z[i - 1]);
  }
  return status;
}

static bool is_made_of_particles(const td_body_spec *body) {
  td_body_kinematics k = body->reduced.kinematics;
  return body->type == TD_BODY_REDUCED &&
         (k == TD_KINEMATICS_PCC_VARIABLE_RADIUS || k == TD_KINEMATICS_LVP || k == TD_KINEMATICS_RITZ);
}

// A level surface is normal to gravity; bodies that cross it are lifted node by node.
static td_status check_surface(const td_model_spec *spec, const td_place *fluid, const td_place *root) {
  td_place surface = td_place_key(fluid, "surface"), gravity = td_place_key(root, "gravity"),
           links = td_place_key(root, "links");
  td_status status = td_check_finite(&surface, "z", spec->fluid.surface);
  if (!status) status = td_check_positive(&surface, "width", spec->fluid.width);
  if (status) return status;
  if (spec->gravity[0] != 0 || spec->gravity[1] != 0)
    return td_place_fail(&gravity, TD_INVALID_ARGUMENT,
                         "must be along z where water has a level surface, is [%.15g, %.15g, %.15g]", spec->gravity[0],
                         spec->gravity[1], spec->gravity[2]);
  for (size_t i = 0; i < spec->link_count; i++) {
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body"), at = td_place_key(&body, "kinematics");
    if (is_made_of_particles(&spec->links[i].body))
      return td_place_fail(
          &at, TD_INVALID_ARGUMENT,
          "a body of kinematics %s cannot cross the water's surface: leave `surface` out, or take a rod",
          td_kinematics_name(spec->links[i].body.reduced.kinematics));
  }
  return TD_OK;
}

// Lighthill's logarithm ln(0.18 L / r) must be well above 0.
static td_status check_slender(const td_model_spec *spec, const td_place *root, size_t index) {
  const td_rod_spec *rod = &spec->links[index].body.rod;
  td_place links = td_place_key(root, "links"), link = td_place_at(&links, index), body = td_place_key(&link, "body"),
           water = td_place_key(&body, "hydrodynamics"), at = td_place_key(&water, "resistive_force");
  if (!(spec->fluid.viscosity > 0))
    return td_place_fail(&at, TD_INVALID_ARGUMENT, "needs the fluid's viscosity, which is %.15g",
                         spec->fluid.viscosity);
  td_section *section;
  td_status status = td_section_create(rod, &section);
  if (status) return td_place_fail(&at, status, "the section cannot be computed");
  double slenderness = rod->length / td_section_mean_radius(section);
  td_section_destroy(section);
  if (slenderness < FEWEST_RADII)
    return td_place_fail(&at, TD_INVALID_ARGUMENT,
                         "is for thin rods, %g radii long or more; this one has %.3g: give `linear` instead",
                         FEWEST_RADII, slenderness);
  if (slenderness < FEW_RADII)
    td_place_warn(
        &at, "thick_rod",
        "resistive-force theory is for thin rods; one of %.3g radii is met to some 10 %%: check `linear` values",
        slenderness);
  return TD_OK;
}

// ---- what is odd

// What scales with the fluid's density.
static double by_density(const td_rod_spec *r) {
  double sum = r->added[0] + r->added[1];
  for (int i = 0; i < 3; i++) sum += fabs(r->cd[i]) + fabs(r->cl[i]);
  return sum;
}

static bool feels_flow(const td_body_spec *body, double density) {
  const td_rigid_spec *g = &body->rigid;
  const td_rod_spec *r = &body->rod;
  if (body->type == TD_BODY_RIGID) return largest(g->drag) > 0 || largest(g->linear) > 0 || largest(g->added_mass) > 0;
  if (body->type != TD_BODY_ROD) return false;
  return r->resistive_force || r->linear[0] + r->linear[1] > 0 || density * by_density(r) > 0;
}

static void warn_of_idle_flow(const td_model_spec *spec, const td_place *fluid) {
  const td_fluid_spec *f = &spec->fluid;
  bool flows = f->knots > 0 || f->velocity[0] != 0 || f->velocity[1] != 0 || f->velocity[2] != 0;
  for (int c = 0; c < 3; c++) flows |= f->has_channels && f->channels[c];
  for (size_t i = 0; i < spec->link_count && flows; i++) flows = !feels_flow(&spec->links[i].body, spec->fluid_density);
  td_place place = td_place_key(fluid, f->has_channels ? "channels" : "velocity");
  if (flows)
    td_place_warn(
        &place, "idle_flow",
        "the fluid flows, but no body feels it: give rods or rigid bodies `hydrodynamics` (reduced bodies have none)");
}

// Coefficients without a density to multiply them.
static void warn_of_dry_rods(const td_model_spec *spec, const td_place *root) {
  td_place links = td_place_key(root, "links");
  for (size_t i = 0; i < spec->link_count && spec->fluid_density == 0; i++) {
    const td_body_spec *b = &spec->links[i].body;
    td_place link = td_place_at(&links, i), body = td_place_key(&link, "body"),
             water = td_place_key(&body, "hydrodynamics");
    if (b->type == TD_BODY_ROD && by_density(&b->rod) > 0)
      td_place_warn(&water, "idle_flow",
                    "drag, lift and added mass of a rod are multiples of the fluid's density, and the model has none: "
                    "they do nothing; give the model \"fluid\": {\"density\": 1000} (kg/m^3, of water)");
  }
}

// A fluid at rest lifts by gravity and resists by coefficients.
static void warn_of_idle_fluid(const td_model_spec *spec, const td_place *fluid) {
  const double *g = spec->gravity;
  bool idle = spec->fluid_density > 0 && g[0] == 0 && g[1] == 0 && g[2] == 0;
  for (size_t i = 0; i < spec->link_count && idle; i++) idle = !feels_flow(&spec->links[i].body, spec->fluid_density);
  if (idle)
    td_place_warn(fluid, "idle_flow",
                  "the fluid does nothing: without gravity it lifts nothing, and no body has `hydrodynamics` (cd_y, "
                  "cd_z … of rods; drag, linear of rigid bodies) that would resist");
}

td_status td_check_water(const td_model_spec *spec, const td_place *root) {
  const td_fluid_spec *fluid = &spec->fluid;
  td_place place = td_place_key(root, "fluid"), velocity = td_place_key(&place, "velocity");
  td_status status = td_check_not_negative(&place, "viscosity", fluid->viscosity);
  if (!status)
    status = fluid->knots ? check_table(&velocity, fluid) : td_check_all_finite(&velocity, NULL, 3, fluid->velocity);
  if (!status && fluid->has_surface) status = check_surface(spec, &place, root);
  for (size_t i = 0; i < spec->link_count && !status; i++)
    if (spec->links[i].body.type == TD_BODY_ROD && spec->links[i].body.rod.resistive_force)
      status = check_slender(spec, root, i);
  if (status) return status;
  warn_of_idle_flow(spec, &place);
  warn_of_dry_rods(spec, root);
  warn_of_idle_fluid(spec, &place);
  return TD_OK;
}
