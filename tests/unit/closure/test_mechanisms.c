// Mechanisms of rigid bars without damping, closed by loops: their energy stays, whatever the method, its damping, its
// steps, and however far their joints turn. Solutions to compare with come from minimal coordinates.
#include "support/linkage.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct variant { // of Newmark's family
  td_method method;
  double number; // rho_inf or alpha
} variant;

static const variant family[] = {
    {TD_METHOD_GENERALIZED_ALPHA, 0},
    {TD_METHOD_GENERALIZED_ALPHA, 0.5},
    {TD_METHOD_GENERALIZED_ALPHA, 0.8},
    {TD_METHOD_GENERALIZED_ALPHA, 0.9},
    {TD_METHOD_GENERALIZED_ALPHA, 0.98},
    {TD_METHOD_GENERALIZED_ALPHA, 1},
    {TD_METHOD_NEWMARK, 0},
    {TD_METHOD_HHT, 0},
    {TD_METHOD_HHT, -0.05},
    {TD_METHOD_HHT, -1. / 3},
};
enum { VARIANTS = sizeof family / sizeof *family };

static td_dynamics_spec job(const td_model *model, const linkage *l, const variant *v, double t_end) {
  td_dynamics_spec spec = recording_job(model, v->method, t_end, l->q);
  if (v->method == TD_METHOD_GENERALIZED_ALPHA) spec.integrator.rho_inf = v->number;
  if (v->method == TD_METHOD_HHT) spec.integrator.alpha = v->number;
  return spec;
}

// N cranks of 1 m and 1 kg turn, a coupler of 1 kg shifts: theta'' = ratio g cos theta, theta downwards, with the ratio
// (N / 2 + 1) / (N / 3 + 1). By the classical Runge-Kutta method with 20 000 steps.
static double crank_angle(double theta, double t_end, double ratio) {
  const double k = 9.81 * ratio;
  double x[2] = {theta, 0}, h = t_end / 20000;
  for (int i = 0; i < 20000; i++) {
    double s[5][2] = {{0}};
    for (int j = 1; j < 5; j++) {
      double part = j == 1 ? 0 : j == 4 ? h : h / 2;
      s[j][0] = x[1] + part * s[j - 1][1];
      s[j][1] = k * cos(x[0] + part * s[j - 1][0]);
    }
    for (int c = 0; c < 2; c++) x[c] += h / 6 * (s[1][c] + 2 * s[2][c] + 2 * s[3][c] + s[4][c]);
  }
  return x[0];
}

START_TEST(adaptive_steps_at_index_3_move_a_parallelogram_as_its_minimal_coordinate_moves) {
  linkage l = linkage_parallelogram(-2);
  td_model *model = linkage_build(&l);
  double exact = crank_angle(-2, 3, 2 / (2. / 3 + 1));
  for (int i = 0; i < VARIANTS; i++)
    for (double rtol = 1e-3; rtol > 1e-7; rtol *= 1e-3) {
      td_dynamics_spec spec = job(model, &l, &family[i], 3);
      spec.integrator.adaptive = true;
      spec.integrator.rtol = rtol;
      spec.integrator.atol = 1e-3 * rtol;
      recording r = {0};
      recording_ok(&r, model, &spec);
      double error = fabs(recording_last(&r)[0] - exact), work = r.statistics.energy.exchanged;
      // second order: what is left falls with the tolerance to the power 2/3
      ck_assert_msg(error < 6 * pow(rtol, 2. / 3), "%s %g at %g: %g rad off", td_method_name(family[i].method),
                    family[i].number, rtol, error);
      ck_assert_msg(fabs(r.statistics.energy.error) < 0.6 * pow(rtol, 2. / 3) * work, "%s %g at %g: %g J of %g J lost",
                    td_method_name(family[i].method), family[i].number, rtol, r.statistics.energy.error, work);
      ck_assert_msg((double)r.statistics.steps < 2 / sqrt(rtol) + 200, "%s %g at %g: %d steps",
                    td_method_name(family[i].method), family[i].number, rtol, (int)r.statistics.steps);
      recording_free(&r);
    }
  td_model_destroy(model);
}
END_TEST

START_TEST(four_bars_keep_their_energy_by_adaptive_and_by_fixed_steps) {
  for (int k = 0; k < LINKAGE_FOUR_BARS; k++) {
    linkage l = linkage_four_bar(k);
    td_model *model = linkage_build(&l);
    for (int i = 0; i < VARIANTS; i++)
      for (int adaptive = 0; adaptive < 2; adaptive++) {
        td_dynamics_spec spec = job(model, &l, &family[i], 4);
        spec.integrator.adaptive = adaptive;
        if (!adaptive) spec.integrator.h = 0.002;
        recording r = {0};
        recording_run(&r, model, &spec, NULL);
        ck_assert_msg(r.status == TD_OK, "%s %g: %s", td_method_name(family[i].method), family[i].number,
                      r.error.message);
        const td_energy_balance *e = &r.statistics.energy;
        double most = family[i].number == 0 && family[i].method == TD_METHOD_GENERALIZED_ALPHA ? 0.02 : 0.003;
        ck_assert_msg(fabs(e->error) < most * e->exchanged, "four-bar %d, %s %g, adaptive %d: %g J of %g J lost", k,
                      td_method_name(family[i].method), family[i].number, adaptive, e->error, e->exchanged);
        recording_free(&r);
      }
    td_model_destroy(model);
  }
}
END_TEST

// Three equal legs under one coupler: 5 + 5 rows of rank 3, and every loop's joint passes half a turn (where the legs
// are at 1.2 rad).
#define LEG(name, parent, place, length)                                                                               \
  "{\"name\": \"" name "\", \"parent\": \"" parent "\", \"pose\": {\"translation\": [" place                           \
  ", 0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, "      \
  "\"com\": [" length ", 0, 0], \"inertia\": [0.0001, 0.083333333333333333, 0.083333333333333333]}}"
#define FOOT(name, place)                                                                                              \
  "{\"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"a\": {\"link\": \"" name                                   \
  "\", \"pose\": {\"translation\": [1, "                                                                               \
  "0, 0]}}, \"b\": {\"link\": \"world\", \"pose\": {\"translation\": [" place ", 0, 0], \"rpy\": [0, 1.2, 0]}}}"
static const char three_legs[] = "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [" LEG(
    "left", "world", "0",
    "0.5") ", " LEG("coupler", "left", "1",
                    "0.5") ", " LEG("middle", "coupler", "0.5",
                                    "0.5") ", " LEG("right", "coupler", "1",
                                                    "0.5") "], \"loops\": [" FOOT("middle", "0.5") ", " FOOT("right",
                                                                                                             "1") "]}";

START_TEST(dependent_loops_whose_joints_pass_half_a_turn_move_as_their_minimal_coordinate_by_every_method) {
  td_model *model = test_model_from_text(three_legs);
  double q[] = {0.3, -0.3, M_PI + 0.3, M_PI + 0.3}, exact = crank_angle(0.3, 3, (3 / 2. + 1) / (3 / 3. + 1));
  for (int m = 0; m < TD_METHOD_COUNT; m++)
    for (int way = 0; way < 3; way++) { // as it comes, adaptive, index 1
      bool in_family = m >= TD_METHOD_NEWMARK && m <= TD_METHOD_GENERALIZED_ALPHA;
      if (way && !in_family) continue;
      td_dynamics_spec spec = recording_job(model, (td_method)m, 3, q);
      if (m == TD_METHOD_RK4) spec.integrator.h = 5e-4;
      spec.integrator.adaptive = way == 1;
      if (way == 2) spec.integrator.formulation = TD_FORMULATION_INDEX1;
      recording r = {0};
      recording_run(&r, model, &spec, NULL);
      ck_assert_msg(r.status == TD_OK, "%s: %s", td_method_name((td_method)m), r.error.message);
      double error = fabs(recording_last(&r)[0] - exact), most = m == TD_METHOD_EULER_IMPLICIT ? 1 : 2e-3;
      ck_assert_msg(error < most, "%s, way %d: %g rad off", td_method_name((td_method)m), way, error);
      const td_energy_balance *e = &r.statistics.energy;
      ck_assert_msg(fabs(e->error) < (m == TD_METHOD_EULER_IMPLICIT ? 0.1 : 1e-3) * e->exchanged,
                    "%s, way %d: %g J of %g J lost", td_method_name((td_method)m), way, e->error, e->exchanged);
      recording_free(&r);
    }
  td_model_destroy(model);
}
END_TEST

// Bricard's mechanism of the IFToMM's benchmarks: six bars of 1 m and 1 kg, six revolute joints, one freedom against
// Kutzbach's count of none: its rows depend on each other where it is closed and nowhere else. It falls and comes back.
START_TEST(a_mechanism_whose_rows_depend_on_each_other_when_closed_only_moves_by_every_method) {
  static const double q[5] = {0};
  td_model *model = test_model_from_file("unit/closure/mechanisms.json", "bricard");
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RK45, 3, q);
  recording exact = {0};
  spec.integrator.rtol = spec.integrator.atol = 1e-10;
  recording_ok(&exact, model, &spec);
  ck_assert_double_lt(fabs(exact.statistics.energy.error), 1e-6 * exact.statistics.energy.exchanged);
  for (int m = 0; m < TD_METHOD_COUNT; m++)
    for (int way = 0; way < 3; way++) { // as it comes, adaptive, index 1
      bool in_family = m >= TD_METHOD_NEWMARK && m <= TD_METHOD_GENERALIZED_ALPHA;
      if ((way && !in_family) || m == TD_METHOD_EULER_IMPLICIT) continue;
      spec = recording_job(model, (td_method)m, 3, q);
      if (m == TD_METHOD_RK4) spec.integrator.h = 5e-4;
      spec.integrator.adaptive = way == 1;
      if (way == 2) spec.integrator.formulation = TD_FORMULATION_INDEX1;
      recording r = {0};
      recording_run(&r, model, &spec, NULL);
      ck_assert_msg(r.status == TD_OK, "%s, way %d: %s", td_method_name((td_method)m), way, r.error.message);
      double error = fabs(recording_last(&r)[0] - recording_last(&exact)[0]);
      ck_assert_msg(error < 2e-3, "%s, way %d: %g rad off", td_method_name((td_method)m), way, error);
      const td_energy_balance *e = &r.statistics.energy;
      ck_assert_msg(fabs(e->error) + fabs(e->loops) < 3e-4 * e->exchanged,
                    "%s, way %d: %g J lost, %g J by loops, of %g J", td_method_name((td_method)m), way, e->error,
                    e->loops, e->exchanged);
      recording_free(&r);
    }
  recording_free(&exact);
  td_model_destroy(model);
}
END_TEST

// A parallelogram folds flat where its cranks are level, at -pi and at 0, and could go on crossed; an uneven four-bar
// never does.
START_TEST(singular_configurations_that_a_run_passes_are_counted) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_DAE, TD_METHOD_RK45, TD_METHOD_GENERALIZED_ALPHA};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int uneven = 0; uneven < 2; uneven++) {
      linkage l = uneven ? linkage_four_bar(0) : linkage_parallelogram(-2);
      td_model *model = linkage_build(&l);
      td_dynamics_spec spec = recording_job(model, methods[i], 3, l.q);
      spec.integrator.adaptive = methods[i] == TD_METHOD_GENERALIZED_ALPHA;
      recording r = {0};
      recording_ok(&r, model, &spec);
      double turned = fabs(recording_last(&r)[0] - l.q[0]);
      ck_assert_double_gt(turned, 0.1);
      if (uneven) ck_assert_uint_eq(r.statistics.singular, 0);
      if (!uneven) ck_assert_uint_gt(r.statistics.singular, 0);
      if (!uneven) ck_assert_double_eq_tol(r.statistics.singular_t, 0.64, 0.2);
      recording_free(&r);
      td_model_destroy(model);
    }
}
END_TEST

// ------------------------------------------------------------------------------------------------ many loops

// `n` squares of 1 m and 1 kg a bar, side by side, upright at q = 0. All cranks turn as one pendulum, through states in
// which all bars lie on a line.
static td_model *squares(int n) {
  static const char bar[] = "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.5, 0, 0], \"inertia\": [1e-4, "
                            "0.083333333333333333, 0.083333333333333333]}, \"joint\": {\"type\": \"revolute\", "
                            "\"axis\": \"y\"}";
  static char text[16384];
  size_t used = (size_t)snprintf(text, sizeof text, "{\"format\": \"tendril.model/1\", \"links\": [");
  for (int i = 0; i <= n; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "%s{\"name\": \"crank%d\", \"pose\": {\"translation\": [%d, 0, 0], \"rpy\": [0, "
                             "-1.5707963267948966, 0]}, %s}",
                             i ? ", " : "", i, i, bar);
    if (i < n)
      used += (size_t)snprintf(text + used, sizeof text - used,
                               ", {\"name\": \"level%d\", \"parent\": \"crank%d\", \"pose\": {\"translation\": [1, 0, "
                               "0], \"rpy\": [0, 1.5707963267948966, 0]}, %s}",
                               i, i, bar);
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "], \"gravity\": [0, 0, -9.81], \"loops\": [");
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "%s{\"a\": {\"link\": \"level%d\", \"pose\": {\"translation\": [1, 0, 0]}}, \"b\": "
                             "{\"link\": \"crank%d\", \"pose\": {\"translation\": [1, 0, 0]}}, \"joint\": {\"type\": "
                             "\"revolute\", \"axis\": \"y\"}}",
                             i ? ", " : "", i, i + 1);
  snprintf(text + used, sizeof text - used, "]}");
  return test_model_from_text(text);
}

// The angle after t_end, by Runge and Kutta.
static double one_pendulum(int n, double rate, double t_end) {
  double k = 9.81 * ((n + 1) / 2. + n) / ((n + 1) / 3. + n), a = 0, v = rate, h = t_end / 20000;
  for (int i = 0; i < 20000; i++) {
    double v1 = k * sin(a), v2 = k * sin(a + h / 2 * v), v3 = k * sin(a + h / 2 * (v + h / 2 * v1)),
           v4 = k * sin(a + h * (v + h / 2 * v2));
    a += h * (v + h / 6 * (v1 + v2 + v3));
    v += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
  }
  return a;
}

START_TEST(squares_that_pass_states_with_all_bars_on_a_line_go_on_as_one_pendulum_by_default) {
  static const struct {
    int n;
    double rate;
  } cases[] = {{4, 1}, {5, 0.6}, {1, 1.4}, {2, 2.7}, {7, 0.3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    int n = cases[k].n;
    double qd[15];
    for (int i = 0; i <= n; i++) qd[2 * i] = cases[k].rate;
    for (int i = 0; i < n; i++) qd[2 * i + 1] = -cases[k].rate;
    td_model *model = squares(n);
    td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 10, NULL);
    spec.qd = qd;
    spec.qd_count = 2 * (size_t)n + 1;
    recording r = {0};
    recording_ok(&r, model, &spec);
    double exact = one_pendulum(n, cases[k].rate, 10);
    for (int i = 0; i <= n; i++)
      ck_assert_msg(fabs(recording_last(&r)[2 * i] - exact) < 1e-3, "%d squares, %g rad/s: crank %d at %g, not %g", n,
                    cases[k].rate, i, recording_last(&r)[2 * i], exact);
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

TEST_MAIN("mechanisms", singular_configurations_that_a_run_passes_are_counted,
          a_mechanism_whose_rows_depend_on_each_other_when_closed_only_moves_by_every_method,
          dependent_loops_whose_joints_pass_half_a_turn_move_as_their_minimal_coordinate_by_every_method,
          adaptive_steps_at_index_3_move_a_parallelogram_as_its_minimal_coordinate_moves,
          four_bars_keep_their_energy_by_adaptive_and_by_fixed_steps,
          squares_that_pass_states_with_all_bars_on_a_line_go_on_as_one_pendulum_by_default)
