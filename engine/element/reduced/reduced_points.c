// Why so many:
//   axis      modes of degree d: mass of degree 2 d, a cone's stiffness 2 d + 4. A Gaussian of width w: as dense as 1.1
//             points a width in the middle, where Gauss's lie pi/2 apart from equal ones; less, and the bump has no
//             stiffness. The bumps along a variable radius are flat to all orders at their ends, so that Gauss
//             converges slowly: 14 leave 0.1 %.
//   radius    lvp, in u = r^2: bending goes with u, a source's stiffness with 1/u^2 on [a^2, b^2]. Gauss's error falls
//             by ((b + a)/(b - a))^2 a point, by the ellipse through the pole at u = 0 (Trefethen, Approximation Theory
//             and Approximation Practice, 19.3); 6/ln((b + a)/(b - a)) points leave 2e-4. Variable radius: r^3 at most.
//   angle     lvp: the trapezoidal rule, exact to degree n - 1. Variable radius: 10 on each half turn leave 0.1 % of a
//             bump, on the whole turn, across the kinks, it takes 60.
//   box       a mode of degree d along an edge: 2 n - 1 >= 2 d.
#include "element/reduced/reduced_points.h"
#include "element/reduced/mesh.h"
#include "element/reduced/reduced_gram.h"
#include "math/quadrature.h"
#include <math.h>

static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

static int lvp_degree(const td_reduced_spec *spec) {
  int degree = 0;
  for (size_t i = 0; i < spec->mode_count; i++) degree = larger(degree, (int)spec->modes[i].count - 1);
  return degree;
}

static int default_s(const td_reduced_spec *spec) {
  if (spec->kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS) return 14;
  if (spec->kinematics == TD_KINEMATICS_LVP) return larger(6, lvp_degree(spec) + 3);
  if (spec->kinematics == TD_KINEMATICS_POLYNOMIAL_CURVATURE) return larger(10, spec->order + 3);
  if (spec->kinematics != TD_KINEMATICS_GAUSSIAN_CURVATURE || !(spec->width > 0)) return 10;
  return (int)fmin(TD_AXIS_POINTS_MOST, fmax(10, ceil(2.2 * spec->length / spec->width) + 2));
}

int td_reduced_s_points(const td_reduced_spec *spec) {
  return spec->s_points ? spec->s_points : smaller(TD_AXIS_POINTS_MOST, default_s(spec));
}

static bool has_source(const td_reduced_spec *spec) {
  for (size_t i = 0; i < spec->mode_count; i++)
    if (spec->modes[i].field == TD_FIELD_SOURCE) return true;
  return false;
}

int td_reduced_r_points(const td_reduced_spec *spec) {
  if (spec->r_points || spec->kinematics != TD_KINEMATICS_LVP) return spec->r_points ? spec->r_points : 2;
  double a = spec->inner_radius, b = 0;
  if (!(a > 0) || !has_source(spec)) return 2;
  for (size_t i = 0; i < spec->radius.count; i++) b = fmax(b, spec->radius.value[i]);
  double points = ceil(6 / log((b + a) / (b - a)));
  return points < TD_RADIUS_POINTS_MOST ? larger(2, (int)points) : TD_RADIUS_POINTS_MOST;
}

int td_reduced_angles(const td_reduced_spec *spec, double *angle, double *weight) {
  int n = spec->angle_points;
  if (spec->kinematics == TD_KINEMATICS_LVP) {
    n = n ? n : 8;
    for (int k = 0; k < n; k++) angle[k] = (k + 0.5) * 2 * M_PI / n, weight[k] = 1.0 / n;
    return n;
  }
  if (n) {
    td_gauss_legendre(n, angle, weight);
    for (int k = 0; k < n; k++) angle[k] *= 2 * M_PI;
    return n;
  }
  enum { HALF = 10 };
  td_gauss_legendre(HALF, angle, weight);
  for (int k = 0; k < HALF; k++) {
    angle[k] *= M_PI, weight[k] /= 2;
    angle[HALF + k] = M_PI + angle[k], weight[HALF + k] = weight[k];
  }
  return 2 * HALF;
}

// Highest power of X[axis] in the modes, of all three together for axis 3.
static int ritz_degree(const td_reduced_spec *spec, int axis) {
  double most = 0;
  for (size_t i = 0; i < spec->ritz_mode_count; i++)
    for (int c = 0; c < 3; c++)
      for (size_t t = 0; t < spec->ritz_modes[i].count[c]; t++) {
        const double *x = spec->ritz_modes[i].terms[c][t];
        most = fmax(most, axis < 3 ? x[1 + axis] : x[1] + x[2] + x[3]);
      }
  return (int)fmin(most, 3 * TD_MAX_ORDER);
}

void td_reduced_box_points(const td_reduced_spec *spec, int side[3]) {
  const int given[3] = {spec->r_points, spec->angle_points, spec->s_points}, least[3] = {3, 3, 6},
            most[3] = {TD_RADIUS_POINTS_MOST, TD_ANGLE_POINTS_MOST, TD_AXIS_POINTS_MOST};
  for (int k = 0; k < 3; k++)
    side[k] = given[k] ? given[k] : smaller(most[k], larger(least[k], ritz_degree(spec, k) + 1));
}

int td_reduced_mesh_points(const td_reduced_spec *spec) {
  if (spec->s_points) return spec->s_points;
  long elements = (long)(spec->mesh.tetrahedron_count + spec->mesh.hexahedron_count);
  int most = smaller(TD_MESH_POINTS_MOST, ritz_degree(spec, 3) + 2), n = TD_MESH_POINTS_DEFAULT;
  while (n < most && elements * (n + 1) * (n + 1) * (n + 1) <= TD_MAX_PARTICLES && !td_reduced_mesh_is_fine(spec, n))
    n++;
  return n;
}
