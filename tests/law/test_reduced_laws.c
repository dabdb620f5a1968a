// What volume preservation, pressure and damping of reduced bodies must obey, whatever the state.
//
// The section map of an LVP body is judged by itself: its gradient against differences of the map, the determinant of
// the whole deformation gradient, and the area of a deformed cavity by a contour integral.
#include "element/reduced/section_map.h"
#include "support/suite.h"
#include "support/tree.h"
#include "tendril/tendril.h"
#include <math.h>
#include <string.h>

enum { XI6, KX, KY, SOURCE, FIELDS, MOST = 64 };

static const double INNER = 0.015, OUTER = 0.03;

// ------------------------------------------------------------------------------------------------ the section map

// Random material points between INNER and OUTER.
static void random_points(uint64_t *seed, td_section_points *points) {
  memset(points, 0, sizeof *points);
  for (int l = 0; l < TD_LANES; l++) {
    double r = INNER + (OUTER - INNER) * (0.5 + 0.5 * tree_random(seed)), angle = M_PI * tree_random(seed);
    points->weight[l] = 1;
    points->data[0][l] = r * cos(angle), points->data[1][l] = r * sin(angle);
  }
}

// Stretch to half or twice the length, a cavity that shrinks or grows by half its area, bending of up to 1/OUTER and
// more.
static void random_fields(uint64_t *seed, double p[FIELDS]) {
  p[XI6] = exp(0.6 * tree_random(seed));
  p[KX] = 25 * tree_random(seed), p[KY] = 25 * tree_random(seed);
  p[SOURCE] = 0.5 * INNER * INNER * tree_random(seed);
}

static double determinant(const double F[9]) {
  return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

// F of lane l: strains of the backbone (kx, ky, kz, sx, sy, sz) and slopes of the fields along the axis, as in
// body/section/section_elasticity.c.
static void gradient_of(const td_poly y[2], const td_poly Y[4], const double *p, const double twist[3],
                        const double slope[FIELDS], int l, double F[9]) {
  double y1 = y[0].c[0][l], y2 = y[1].c[0][l], along[2] = {0};
  for (int i = 0; i < 2; i++)
    for (int d = 0; d < FIELDS; d++) along[i] += td_poly_first(&y[i], d)[l] * slope[d];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) F[3 * i + j] = Y[2 * i + j].c[0][l];
  F[2] = twist[1] - twist[0] * y2 + along[0];
  F[5] = twist[2] + twist[0] * y1 + along[1];
  F[6] = F[7] = 0;
  F[8] = p[XI6] + p[KX] * y2 - p[KY] * y1;
}

START_TEST(the_gradient_of_a_volume_preserving_body_has_determinant_1) {
  const td_section_row *row = td_section_row_of(TD_KINEMATICS_LVP);
  uint64_t seed = tree_seed("determinant");
  int judged = 0;
  for (int trial = 0; trial < 4000; trial++) {
    td_section_points points;
    td_poly y[2], Y[4];
    double p[FIELDS], twist[3], slope[FIELDS], F[9];
    random_points(&seed, &points);
    random_fields(&seed, p);
    if (!row->valid(&points, p)) continue;
    tree_random_vector(&seed, 2, 3, twist);
    tree_random_vector(&seed, 3, FIELDS, slope);
    row->gradient(&points, p, 2, y, Y);
    for (int l = 0; l < TD_LANES; l++, judged++) {
      gradient_of(y, Y, p, twist, slope, l, F);
      ck_assert_msg(fabs(determinant(F) - 1) < 1e-12, "xi6 %g, curvatures %g, %g, source %g: det is 1 + %g", p[XI6],
                    p[KX], p[KY], p[SOURCE], determinant(F) - 1);
    }
  }
  ck_assert_int_gt(judged, 4000);
}
END_TEST

// Fourth-order difference of y_i along X_j in lane l.
static double difference(const td_section_row *row, const td_section_points *points, const double *p, int i, int j,
                         int l) {
  static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  const double h = 3e-6; // near the end of the law its fifth derivative is large
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    td_section_points moved = *points;
    td_poly y[2];
    moved.data[j][l] += at[k] * h;
    row->map(&moved, p, 1, y);
    sum += weight[k] * y[i].c[0][l] / (12 * h);
  }
  return sum;
}

START_TEST(the_gradient_is_that_of_the_map) {
  const td_section_row *row = td_section_row_of(TD_KINEMATICS_LVP);
  uint64_t seed = tree_seed("gradient");
  for (int trial = 0; trial < 100; trial++) {
    td_section_points points;
    td_poly y[2], Y[4];
    double p[FIELDS];
    random_points(&seed, &points);
    random_fields(&seed, p);
    p[KX] *= 0.5, p[KY] *= 0.5;
    if (!row->valid(&points, p)) continue;
    row->gradient(&points, p, 2, y, Y);
    for (int k = 0; k < 4; k++) {
      double by_difference = difference(row, &points, p, k / 2, k % 2, 0);
      ck_assert_msg(fabs(Y[k].c[0][0] - by_difference) < 1e-8, "dy%d/dX%d is %.12g, by difference %.12g", k / 2, k % 2,
                    Y[k].c[0][0], by_difference);
    }
  }
}
END_TEST

// Volume per length inside the deformed circle r = INNER: ∫ (xi6 + kx y2 - ky y1) dA by Green's theorem, trapezium rule
// around.
static double cavity(const td_section_row *row, const double *p) {
  enum { AROUND = 512 };
  double x[2][AROUND], sum = 0;
  for (int k = 0; k < AROUND; k++) {
    td_section_points point = {0};
    td_poly y[2];
    double angle = 2 * M_PI * k / AROUND;
    for (int l = 0; l < TD_LANES; l++) point.data[0][l] = INNER * cos(angle), point.data[1][l] = INNER * sin(angle);
    row->map(&point, p, 1, y);
    x[0][k] = y[0].c[0][0], x[1][k] = y[1].c[0][0];
  }
  for (int k = 0; k < AROUND; k++) { // the chord from k to k + 1, exact for polygons
    int n = (k + 1) % AROUND;
    double a = x[0][k], b = x[1][k], c = x[0][n], d = x[1][n], cross = a * d - b * c;
    sum += cross / 2 * (p[XI6] + (p[KX] * (b + d) - p[KY] * (a + c)) / 3);
  }
  return sum;
}

START_TEST(bending_and_stretching_leave_the_volume_of_the_cavity_and_a_source_adds_pi_m) {
  const td_section_row *row = td_section_row_of(TD_KINEMATICS_LVP);
  uint64_t seed = tree_seed("cavity");
  double straight = cavity(row, (double[]){1, 0, 0, 0}), round = straight / (M_PI * INNER * INNER); // polygon to circle
  for (int trial = 0; trial < 100; trial++) {
    double p[FIELDS];
    random_fields(&seed, p);
    p[KX] *= 0.3, p[KY] *= 0.3;
    double expected = round * M_PI * (INNER * INNER + p[SOURCE]), got = cavity(row, p);
    ck_assert_msg(fabs(got - expected) < 1e-3 * fabs(expected), "source %g, curvatures %g, %g: %g m^2, expected %g",
                  p[SOURCE], p[KX], p[KY], got, expected);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ bodies

typedef struct robot_state {
  td_model *model;
  td_workspace *ws;
  int n, chambers;
  double q[MOST], qd[MOST];
} robot_state;

static const td_body_kinematics chambered[] = {TD_KINEMATICS_PCC_VARIABLE_RADIUS, TD_KINEMATICS_LVP};

// A body of that kinematics on a hinge, a pressure actuator per chamber.
static void make(robot_state *s, td_body_kinematics kinematics) {
  static const char *const names[2] = {"p0", "p1"};
  tree t;
  tree_init(&t);
  td_link_spec *link = tree_link(&t, "body", "world", TD_JOINT_REVOLUTE);
  if (kinematics == TD_KINEMATICS_RITZ)
    tree_ritz(link);
  else
    tree_reduced(link, kinematics);
  int chambers = kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS ? 2 : kinematics == TD_KINEMATICS_LVP;
  for (int k = 0; k < chambers; k++)
    t.actuators[t.spec.actuator_count++] =
        (td_actuator_spec){.name = names[k], .type = TD_ACTUATOR_PRESSURE, .link = "body", .chamber = k};
  *s = (robot_state){.model = tree_build(&t)};
  s->n = td_model_ndof(s->model);
  s->chambers = td_model_chamber_count(s->model);
  ck_assert_int_eq(s->chambers, chambers);
  ck_assert_int_le(s->n, MOST);
  ck_assert_int_eq(td_workspace_create(s->model, &s->ws), TD_OK);
}

static void done(robot_state *s) {
  td_workspace_destroy(s->ws);
  td_model_destroy(s->model);
}

// Radius modes and sources are lengths: a hundredth of what angles may be.
static void random_state(robot_state *s, td_body_kinematics kinematics, uint64_t *seed) {
  tree_random_vector(seed, 0.4, s->n, s->q);
  tree_random_vector(seed, 1, s->n, s->qd);
  if (kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS)
    for (int i = s->n - 3; i < s->n; i++) s->q[i] *= 0.01, s->qd[i] *= 0.01;
}

static double volume_at(robot_state *s, const double *q, int chamber) {
  double volume[2];
  ck_assert_int_eq(td_chamber_volumes(s->model, q, volume, NULL), TD_OK);
  return volume[chamber];
}

// Power of one pascal in a chamber, and the rate of its volume by a fourth-order difference along the motion.
static void power_of_pressure(robot_state *s, int chamber) {
  static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  double u[2] = {0}, with[MOST], without[MOST], q[MOST], power = 0, rate = 0, size = 0;
  const double h = 1e-4;
  ck_assert_int_eq(td_generalized_force(s->model, s->ws, s->q, s->qd, u, without), TD_OK);
  u[chamber] = 1e5;
  ck_assert_int_eq(td_generalized_force(s->model, s->ws, s->q, s->qd, u, with), TD_OK);
  for (int i = 0; i < s->n; i++) {
    power += (with[i] - without[i]) * s->qd[i];
    size += fabs((with[i] - without[i]) * s->qd[i]) + 1e-10 * fabs(without[i] * s->qd[i]);
  }
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < s->n; i++) q[i] = s->q[i] + at[k] * h * s->qd[i];
    rate += weight[k] * volume_at(s, q, chamber) / (12 * h);
  }
  ck_assert_double_gt(size, 0);
  ck_assert_msg(fabs(power - 1e5 * rate) < 1e-7 * size, "chamber %d: power %.12g W, p dV/dt %.12g W", chamber, power,
                1e5 * rate);
}

START_TEST(the_power_of_a_pressure_is_p_dV_dt) {
  uint64_t seed = tree_seed("pressure");
  for (size_t k = 0; k < sizeof chambered / sizeof *chambered; k++) {
    robot_state s;
    make(&s, chambered[k]);
    for (int trial = 0; trial < 20; trial++) {
      random_state(&s, chambered[k], &seed);
      for (int c = 0; c < s.chambers; c++) power_of_pressure(&s, c);
    }
    done(&s);
  }
}
END_TEST

static double power_of_damping(robot_state *s) {
  double moving[MOST], resting[MOST], power = 0;
  ck_assert_int_eq(td_generalized_force(s->model, s->ws, s->q, s->qd, NULL, moving), TD_OK);
  ck_assert_int_eq(td_generalized_force(s->model, s->ws, s->q, NULL, NULL, resting), TD_OK);
  for (int i = 0; i < s->n; i++) power += (moving[i] - resting[i]) * s->qd[i];
  return power;
}

START_TEST(damping_never_drives) {
  uint64_t seed = tree_seed("damping");
  for (int k = 0; k < TD_KINEMATICS_COUNT; k++) {
    robot_state s;
    make(&s, (td_body_kinematics)k);
    for (int trial = 0; trial < 20; trial++) {
      random_state(&s, (td_body_kinematics)k, &seed);
      double power = power_of_damping(&s);
      ck_assert_msg(power < 0, "%s: damping drives with %g W", td_kinematics_name((td_body_kinematics)k), power);
    }
    done(&s);
  }
}
END_TEST

// Coordinates of tree_reduced's LVP body: after the hinge e, kx, kx, ky, source, kz, sx, sy, ky.
START_TEST(a_uniform_pressure_does_no_work_on_volume_preserving_modes) {
  enum { HINGE = 1, SOURCE_MODE = HINGE + 4 };
  uint64_t seed = tree_seed("uniform");
  robot_state s;
  make(&s, TD_KINEMATICS_LVP);
  for (int trial = 0; trial < 20; trial++) {
    double u[1] = {1e5}, with[MOST], without[MOST];
    random_state(&s, TD_KINEMATICS_LVP, &seed);
    ck_assert_int_eq(td_generalized_force(s.model, s.ws, s.q, s.qd, u, with), TD_OK);
    ck_assert_int_eq(td_generalized_force(s.model, s.ws, s.q, s.qd, NULL, without), TD_OK);
    for (int i = 0; i < s.n; i++) {
      double force = with[i] - without[i];
      if (i == SOURCE_MODE)
        ck_assert_double_gt(force, 0);
      else
        ck_assert_msg(force == 0, "%s feels %g", td_model_coordinate_name(s.model, i), force);
    }
  }
  done(&s);
}
END_TEST

TEST_MAIN("reduced_laws", the_gradient_of_a_volume_preserving_body_has_determinant_1, the_gradient_is_that_of_the_map,
          bending_and_stretching_leave_the_volume_of_the_cavity_and_a_source_adds_pi_m,
          the_power_of_a_pressure_is_p_dV_dt, damping_never_drives,
          a_uniform_pressure_does_no_work_on_volume_preserving_modes)
