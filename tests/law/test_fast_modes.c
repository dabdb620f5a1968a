// Robots with modes that are fast and hardly damped: what runs by default must be right and end, and what cannot must
// say why.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD(g) "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, " g "], \"links\": ["
#define STEEL(viscosity)                                                                                               \
  "\"material\": {\"young\": 2e11, \"poisson\": 0.3, \"density\": 7800, \"viscosity\": " viscosity "},"
#define ALL_STRAINS(order)                                                                                             \
  "\"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": " order ", \"bending_y\": " order                    \
  ", \"bending_z\": " order ", \"elongation\": " order ", \"shear_y\": " order ", \"shear_z\": " order "}},"           \
  "\"quadrature\": {\"points\": 7}"
#define STRIP                                                                                                          \
  "\"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"rectangle\", \"height\": 0.02,"             \
  " \"width\": 0.001}, " STEEL("0") ALL_STRAINS("3") "}"
#define STRIP_LINK "{\"name\": \"arm\", \"joint\": {\"type\": \"fixed\"}, " STRIP "}"

static const char *const tip[] = {"poses:arm@1"};

static td_dynamics_spec of_tip(const td_model *model, td_method method, double t_end) {
  td_dynamics_spec spec = recording_job(model, method, t_end, NULL);
  spec.output_dt = t_end / 20;
  spec.fields = tip;
  spec.field_count = 1;
  return spec;
}

// Largest distance of the tips of two runs.
static double apart(const recording *a, const recording *b) {
  double most = 0;
  ck_assert_uint_eq(a->count, b->count);
  for (size_t i = 0; i < a->count; i++)
    for (int k = 0; k < 3; k++)
      most = fmax(most, fabs(a->rows[16 * i + 4 * (size_t)k + 3] - b->rows[16 * i + 4 * (size_t)k + 3]));
  return most;
}

START_TEST(a_released_strip_of_undamped_steel_ends_right_by_default) {
  td_model *model = test_model_from_text(HEAD("-9.81") STRIP_LINK "]}");
  td_dynamics_spec spec = of_tip(model, TD_METHOD_AUTOMATIC, 0.25), followed = of_tip(model, TD_METHOD_DAE, 0.25);
  followed.integrator.rtol = 1e-4;
  followed.integrator.atol = 1e-7;
  recording r = {0}, reference = {0};
  recording_ok(&r, model, &spec);
  recording_ok(&reference, model, &followed); // resolves all modes
  double error = apart(&r, &reference);
  ck_assert_msg(error < 2e-6, "%g m apart", error);
  ck_assert_int_eq(r.statistics.method, TD_METHOD_RADAU);
  ck_assert_int_eq(r.statistics.choice, TD_CHOICE_UNDAMPED);
  ck_assert_uint_lt(r.statistics.steps, 20000);
  ck_assert(fabs(r.statistics.energy.error) < 1e-6 * r.statistics.energy.exchanged);
  char reason[512];
  td_run_reason(model, &r.statistics, reason, sizeof reason);
  ck_assert_msg(strstr(reason, "rad/s (arm.") && strstr(reason, "not resolved"), "%s", reason);
  recording_free(&r);
  recording_free(&reference);
  td_model_destroy(model);
}
END_TEST

START_TEST(adaptive_steps_pass_over_modes_that_need_not_be_resolved) {
  static const td_method family[] = {TD_METHOD_NEWMARK, TD_METHOD_HHT, TD_METHOD_GENERALIZED_ALPHA};
  td_model *model = test_model_from_text(HEAD("-9.81") STRIP_LINK "]}");
  td_dynamics_spec spec = of_tip(model, TD_METHOD_RADAU, 0.1);
  recording reference = {0};
  recording_ok(&reference, model, &spec);
  for (int m = 0; m < 3; m++) {
    spec.integrator.method = family[m];
    spec.integrator.adaptive = true;
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert(r.statistics.cutoff > 0);
    ck_assert_uint_lt(r.statistics.steps, 30000);
    ck_assert_msg(apart(&r, &reference) < 2e-6, "%s: %g m", td_method_name(family[m]), apart(&r, &reference));
    recording_free(&r);
  }
  recording_free(&reference);
  td_model_destroy(model);
}
END_TEST

START_TEST(bdf_on_undamped_steel_ends_early_and_names_mode_and_remedy) {
  td_model *model = test_model_from_text(HEAD("-9.81") STRIP_LINK "]}");
  td_dynamics_spec spec = of_tip(model, TD_METHOD_BDF, 10);
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_STEP_TOO_SMALL);
  ck_assert_uint_le(r.statistics.steps, 200000);
  ck_assert_msg(strstr(r.error.message, "resolving modes at") && strstr(r.error.message, "rad/s of arm.") &&
                    strstr(r.error.message, "Add viscosity, or take radau"),
                "%s", r.error.message);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(radau_is_not_told_to_take_radau) {
  td_model *model = test_model_from_text(HEAD("-9.81") STRIP_LINK "]}");
  td_dynamics_spec spec = of_tip(model, TD_METHOD_RADAU, 1000);
  spec.integrator.max_steps = 1000;
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_STEP_TOO_SMALL);
  ck_assert_msg(strstr(r.error.message, "Add viscosity, or take generalized_alpha") &&
                    !strstr(r.error.message, "take radau"),
                "%s", r.error.message);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_may_be_allowed_more_steps_or_fewer_than_the_bound) {
  td_model *model = test_model_from_text(HEAD("-9.81") STRIP_LINK "]}");
  td_dynamics_spec spec = of_tip(model, TD_METHOD_DAE, 5);
  spec.integrator.rtol = 1e-3;
  spec.integrator.atol = 1e-6;
  spec.integrator.max_steps = 2e4; // it takes 8e5
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_STEP_TOO_SMALL);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// First frequency of a clamped beam: w = 1.875104069^2 sqrt(E I / (rho A)) / L^2. The curvature released is near that
// of the first mode; higher ones ring along with a thousandth of its amplitude. Rotary inertia and the section move w
// by 1e-5.
START_TEST(a_cantilever_rings_at_its_first_frequency_without_losing_amplitude) {
  td_model *model = test_model_from_text(
      HEAD("0") "{\"name\": \"arm\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 1,"
                " \"section\": {\"shape\": \"circle\", \"radius\": 0.005}, " STEEL(
                    "0") "\"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 5}}, \"quadrature\": "
                         "{\"points\": 9}}}]}");
  static const double q0[6] = {1e-4, -1e-4};
  double w = 1.875104068711961 * 1.875104068711961 * sqrt(2e11 / 7800) * 0.005 / 2, period = 2 * M_PI / w;
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 50 * period, q0);
  spec.output_dt = period / 40;
  spec.fields = (const char *const[]){"energy", "poses:arm@1"};
  spec.field_count = 2;
  recording r = {0};
  recording_ok(&r, model, &spec);
  double first = 0, last = 0;
  int crossings = 0;
  for (size_t i = 1; i < r.count; i++) {
    double a = r.rows[(i - 1) * r.row + 4 + 11], b = r.rows[i * r.row + 4 + 11];
    if (!(a < 0 && b >= 0)) continue;
    last = r.t[i - 1] + (r.t[i] - r.t[i - 1]) * a / (a - b);
    if (crossings++ == 0) first = last;
  }
  ck_assert_int_eq(crossings, 50);
  double measured = (crossings - 1) / (last - first) * 2 * M_PI;
  ck_assert_msg(fabs(measured / w - 1) < 1e-4, "%.8g rad/s instead of %.8g", measured, w);
  const double *e0 = r.rows, *e1 = recording_last(&r);
  double kept = (e1[0] + e1[1]) / (e0[0] + e0[1]);
  ck_assert_msg(fabs(kept - 1) < 1e-3, "%g of its energy is left", kept);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// A chain of `count` hinges; damping 0: nothing damps them.
static td_model *chain(int count, double damping) {
  static char text[65536];
  int at = snprintf(text, sizeof text, HEAD("0"));
  for (int i = 0; i < count; i++)
    at += snprintf(
        text + at, sizeof text - (size_t)at,
        "%s{\"name\": \"l%d\", \"parent\": \"%s%.0d\", \"pose\": {\"translation\": [0.1, 0, 0]}, \"joint\": {\"type\": "
        "\"revolute\", \"stiffness\": 1, \"damping\": %g}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": "
        "[0.01, 0.01, 0.01]}}",
        i ? ", " : "", i + 1, i ? "l" : "world", i, damping);
  snprintf(text + at, sizeof text - (size_t)at, "]}");
  return test_model_from_text(text);
}

static td_run_statistics pushed(td_model *model, char *reason, size_t size) {
  double qd[128] = {1};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 0.01, NULL);
  spec.qd = qd, spec.qd_count = (size_t)td_model_ndof(model);
  recording r = {0};
  recording_ok(&r, model, &spec);
  td_run_reason(model, &r.statistics, reason, size);
  td_run_statistics s = r.statistics;
  recording_free(&r);
  td_model_destroy(model);
  return s;
}

START_TEST(damped_trees_take_radau_up_to_a_hundred_coordinates_and_bdf_beyond) {
  char reason[512];
  td_run_statistics s = pushed(chain(100, 1e3), reason, sizeof reason);
  ck_assert_int_eq(s.choice, TD_CHOICE_DAMPED);
  ck_assert_int_eq(s.method, TD_METHOD_RADAU);
  ck_assert_msg(!strstr(reason, "bdf"), "%s", reason);
  s = pushed(chain(101, 1e3), reason, sizeof reason);
  ck_assert_int_eq(s.choice, TD_CHOICE_DAMPED);
  ck_assert_int_eq(s.method, TD_METHOD_BDF);
  s = pushed(chain(101, 0), reason, sizeof reason);
  ck_assert_int_ne(s.choice, TD_CHOICE_DAMPED);
  ck_assert_int_eq(s.method, TD_METHOD_RADAU);
}
END_TEST

START_TEST(damped_robots_and_what_nothing_damps_take_radau) {
  td_model *damped = test_model_from_file("../api/examples/cdm.model.json", NULL);
  td_dynamics_spec spec = recording_job(damped, TD_METHOD_AUTOMATIC, 0.1, NULL);
  recording r = {0};
  recording_ok(&r, damped, &spec);
  ck_assert_int_eq(r.statistics.method, TD_METHOD_RADAU);
  ck_assert_int_eq(r.statistics.choice, TD_CHOICE_DAMPED);
  recording_free(&r);
  td_model_destroy(damped);
  td_model *slow = test_model_from_text(HEAD(
      "-9.81") "{\"name\": \"a\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\","
               " \"mass\": 1, \"com\": [0.5, 0, 0], \"inertia\": [0, 0, 0]}}]}");
  const double near_the_top = -1.4;
  spec = recording_job(slow, TD_METHOD_AUTOMATIC, 10, NULL);
  spec.initial = TD_INITIAL_ARRAY, spec.q = &near_the_top, spec.q_count = 1;
  recording_ok(&r, slow, &spec);
  ck_assert_int_eq(r.statistics.method, TD_METHOD_RADAU);
  ck_assert_int_eq(r.statistics.choice, TD_CHOICE_LASTING);
  ck_assert_double_lt(fabs(r.statistics.energy.error), 1e-6 * r.statistics.energy.exchanged); // by bdf 1e-4
  recording_free(&r);
  td_model_destroy(slow);
}
END_TEST

static int warnings_of(const td_run_statistics *s, const char *code) {
  int count = 0;
  for (int i = 0; i < s->warnings.count; i++) count += !strcmp(s->warnings.list[i].code, code);
  return count;
}

START_TEST(a_motion_that_the_tolerances_hide_is_said_to_be_hidden) {
  td_model *spring = test_model_from_text(
      HEAD("0") "{\"name\": \"a\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", \"stiffness\": 1},"
                " \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, 0], \"inertia\": [0, 0, 0]}}]}");
  static const td_method methods[] = {TD_METHOD_AUTOMATIC, TD_METHOD_BDF, TD_METHOD_DAE, TD_METHOD_RADAU,
                                      TD_METHOD_RK45};
  for (double amplitude = 1e-12; amplitude < 1e7; amplitude *= 1e3)
    for (int m = 0; m < 5; m++) {
      td_dynamics_spec spec = recording_job(spring, methods[m], 4 * M_PI, &amplitude);
      recording r = {0};
      recording_ok(&r, spring, &spec);
      double error = fabs(recording_last(&r)[0] / amplitude - 1);
      int said = warnings_of(&r.statistics, "small_motion");
      double hides = methods[m] == TD_METHOD_AUTOMATIC ? 1e-8 : 1e-5; // by default rtol 1e-8, atol 1e-11: nothing damps
      ck_assert_msg(said == (amplitude < hides), "%s, %g m: %d", td_method_name(r.statistics.method), amplitude, said);
      ck_assert_msg(said || error < 1e-3, "%s, %g m: wrong by %g", td_method_name(r.statistics.method), amplitude,
                    error);
      spec.integrator.atol = 1e-6 * amplitude;
      recording_free(&r);
      recording_ok(&r, spring, &spec);
      ck_assert_int_eq(warnings_of(&r.statistics, "small_motion"), 0);
      ck_assert_double_lt(fabs(recording_last(&r)[0] / amplitude - 1), 1e-3);
      recording_free(&r);
    }
  td_model_destroy(spring);
}
END_TEST

START_TEST(undamped_motions_of_all_time_scales_come_back_after_their_period) {
  for (double w = 1e-9; w < 1e10; w *= 1e3) {
    char text[400];
    snprintf(text, sizeof text,
             HEAD("0") "{\"name\": \"a\", \"joint\": {\"type\": \"revolute\", \"axis\": \"x\", \"stiffness\": %.17g},"
                       " \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, 0], \"inertia\": [1, 1, 1]}}]}",
             w * w);
    td_model *spring = test_model_from_text(text);
    static const double turned = 0.3;
    for (int periods = 3; periods < 100; periods *= 30) {
      td_dynamics_spec spec = recording_job(spring, TD_METHOD_AUTOMATIC, periods * 2 * M_PI / w, &turned);
      spec.output_dt = spec.t_end / 10;
      recording r = {0};
      recording_ok(&r, spring, &spec);
      ck_assert_int_eq(r.statistics.method, TD_METHOD_RADAU);
      ck_assert_msg(fabs(recording_last(&r)[0] / turned - 1) < 2e-4, "%g rad/s, %d periods: %g", w, periods,
                    recording_last(&r)[0]);
      recording_free(&r);
    }
    td_model_destroy(spring);
  }
}
END_TEST

// A steel wire of 1 m that bends only, let go from a shape that a tenth of its energy makes ring at 8000 rad/s and
// above.
static td_model *wire(void) {
  return test_model_from_text(
      HEAD("0") "{\"name\": \"arm\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 1,"
                " \"section\": {\"shape\": \"circle\", \"radius\": 0.005}, " STEEL(
                    "0") "\"strain\": {\"basis\":"
                         " \"legendre\", \"order\": {\"bending_y\": 5}}, \"quadrature\": {\"points\": 8}}}]}");
}
static const double PLUCKED[6] = {0.3, 0, 0.1};

static double kept(const recording *r) {
  const double *first = r->rows, *last = recording_last(r);
  return (last[0] + last[1]) / (first[0] + first[1]);
}

START_TEST(what_is_plucked_keeps_its_energy_by_default) {
  td_model *model = wire();
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 1, PLUCKED);
  spec.fields = (const char *const[]){"energy"}, spec.field_count = 1;
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_msg(fabs(kept(&r) - 1) < 3e-3, "%g of the energy is left", kept(&r));
  ck_assert_int_eq(r.statistics.warnings.count, 0);
  ck_assert(r.statistics.spectrum.energetic > 7000);
  ck_assert_uint_lt(r.statistics.steps, 60000);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_cutoff_below_what_holds_the_energy_is_told_with_one_that_does) {
  td_model *model = wire();
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 1, PLUCKED);
  spec.fields = (const char *const[]){"energy"}, spec.field_count = 1;
  spec.integrator.cutoff = 1024;
  recording r = {0}, better = {0};
  recording_ok(&r, model, &spec);
  ck_assert_int_eq(r.statistics.warnings.count, 1);
  const char *advice = strstr(r.statistics.warnings.list[0].detail, "take a `cutoff` of ");
  ck_assert_ptr_nonnull(advice);
  ck_assert_int_eq(sscanf(advice, "take a `cutoff` of %lf", &spec.integrator.cutoff), 1);
  ck_assert_double_gt(spec.integrator.cutoff, 4000);
  recording_ok(&better, model, &spec);
  ck_assert_msg(better.statistics.warnings.count == 0, "%s", better.statistics.warnings.list[0].detail);
  ck_assert_msg(fabs(kept(&better) - 1) < 0.01, "%g of the energy is left", kept(&better));
  recording_free(&better);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(the_energy_of_the_start_that_cannot_be_paid_for_raises_no_cutoff_beyond_the_budget) {
  td_model *model = wire();
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 1000, PLUCKED);
  recording r = {.step_limit = 1};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_CANCELLED);
  ck_assert_double_le(r.statistics.cutoff, 2048); // 30 times the slowest mode
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("fast_modes", what_is_plucked_keeps_its_energy_by_default,
          a_cutoff_below_what_holds_the_energy_is_told_with_one_that_does,
          the_energy_of_the_start_that_cannot_be_paid_for_raises_no_cutoff_beyond_the_budget,
          a_released_strip_of_undamped_steel_ends_right_by_default,
          adaptive_steps_pass_over_modes_that_need_not_be_resolved,
          bdf_on_undamped_steel_ends_early_and_names_mode_and_remedy, radau_is_not_told_to_take_radau,
          a_run_may_be_allowed_more_steps_or_fewer_than_the_bound,
          a_cantilever_rings_at_its_first_frequency_without_losing_amplitude,
          damped_trees_take_radau_up_to_a_hundred_coordinates_and_bdf_beyond,
          damped_robots_and_what_nothing_damps_take_radau, a_motion_that_the_tolerances_hide_is_said_to_be_hidden,
          undamped_motions_of_all_time_scales_come_back_after_their_period)
