// Runs under error control whose errors of momentum add up: a carriage that nothing holds, shaken by a rotor that a
// position joint turns. Its motion is known, so that what a run says of its error is held against the error.
#include "run/judge/second/retrace.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct rotor {
  double w, damping, stiffness;
  const char *more; // members of the document
} rotor;

#define LOOP                                                                                                           \
  ", \"loops\": [{\"a\": {\"link\": \"x\"}, \"b\": {\"link\": \"world\"}, \"joint\": {\"type\": \"prismatic\", "       \
  "\"axis\": \"x\"}}]"

// 0.9 kg on rails, 0.1 kg turned 0.1 m off its axis.
static td_model *carriage(const rotor *r) {
  char text[2000];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": ["
           "{\"name\": \"x\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", \"damping\": %.17g, \"stiffness\": "
           "%.17g}, \"body\": {\"type\": \"rigid\", \"mass\": 0.9, \"inertia\": [0.1, 0.1, 0.1]}},"
           "{\"name\": \"rot\", \"parent\": \"x\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\": "
           "{\"type\": \"rigid\", \"mass\": 0.1, \"com\": [0.1, 0, 0], \"inertia\": [1e-6, 1e-6, 1e-6]}}],"
           "\"actuators\": [{\"name\": \"m\", \"type\": \"joint\", \"link\": \"rot\", \"mode\": \"position\"}]%s}",
           r->damping, r->stiffness, r->more ? r->more : "");
  return test_model_from_text(text);
}

// x'' + c x' = a w^2 cos w t, a = 0.01 m, from rest.
static double path(const rotor *r, double t) {
  double c = r->damping, w = r->w, size = 0.01 * w * w / (c * c + w * w);
  return size * (c * sin(w * t) / w - cos(w * t) + exp(-c * t));
}

typedef struct outcome {
  double error, said; // m; NAN: nothing
  td_warning warning;
} outcome;

static const td_warning *said_as(const recording *r, const char *code) {
  for (int i = 0; i < r->statistics.warnings.count; i++)
    if (!strcmp(r->statistics.warnings.list[i].code, code)) return &r->statistics.warnings.list[i];
  return NULL;
}

// About an unstable axis neighbours part exponentially for a while.
static const td_warning *warning_of(const recording *r) {
  const td_warning *w = said_as(r, "accumulated_error");
  return w ? w : said_as(r, "sensitive_motion");
}

static td_dynamics_spec job_of(const td_model *model, const rotor *r, td_method method, double t_end, double rtol,
                               td_input_spec *input, double *polynomial, double *qd) {
  td_dynamics_spec spec = recording_job(model, method, t_end, NULL);
  polynomial[0] = qd[0] = 0;
  polynomial[1] = qd[1] = r->w;
  *input = (td_input_spec){.channel = "m", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = polynomial, .count = 2}};
  spec.inputs = input;
  spec.input_count = 1;
  spec.qd = qd;
  spec.qd_count = 2;
  spec.integrator.adaptive = true;
  if (rtol > 0) spec.integrator.rtol = rtol, spec.integrator.atol = 1e-3 * rtol;
  spec.output_dt = t_end / 997;
  return spec;
}

static outcome run(const rotor *r, td_method method, double t_end, double rtol) {
  td_model *model = carriage(r);
  td_input_spec input;
  double polynomial[2], qd[2];
  td_dynamics_spec spec = job_of(model, r, method, t_end, rtol, &input, polynomial, qd);
  recording rec = {0};
  outcome o = {.said = NAN};
  recording_ok(&rec, model, &spec);
  for (size_t i = 0; i < rec.count; i++) o.error = fmax(o.error, fabs(rec.rows[i * rec.row] - path(r, rec.t[i])));
  const td_warning *said = warning_of(&rec);
  if (said) {
    o.warning = *said;
    ck_assert_int_eq(sscanf(strstr(said->detail, "off by about "), "off by about %lf", &o.said), 1);
  }
  recording_free(&rec);
  td_model_destroy(model);
  return o;
}

static const double AMPLITUDE = 0.01;

// Wrong by 6 % of the way and silent, or said with another size than it has: neither may be.
static bool is_told(const rotor *r, td_method method, double t_end, double rtol) {
  outcome o = run(r, method, t_end, rtol);
  const char *name = method == TD_METHOD_AUTOMATIC ? "default" : td_method_name(method);
  if (isnan(o.said)) {
    ck_assert_msg(o.error < 0.08 * AMPLITUDE, "%s, %g rad/s: off by %g m and silent", name, r->w, o.error);
    return false;
  }
  ck_assert_str_eq(o.warning.pointer, "/integrator/rtol");
  ck_assert_ptr_nonnull(strstr(o.warning.detail, "\"x"));
  ck_assert_msg(fabs(o.said - o.error) < 0.1 * o.error, "%s: said %g of %g", name, o.said, o.error);
  return true;
}

START_TEST(an_error_of_momentum_that_grows_is_said_with_its_size_by_every_method) {
  static const struct {
    rotor r;
    td_method method;
    double t_end, rtol;
  } cases[] = {{{.w = 50, .more = LOOP}, TD_METHOD_GENERALIZED_ALPHA, 5, 0},
               {{.w = 50, .more = LOOP}, TD_METHOD_NEWMARK, 5, 0},
               {{.w = 50, .more = LOOP}, TD_METHOD_HHT, 5, 0},
               {{.w = 50}, TD_METHOD_GENERALIZED_ALPHA, 10, 0},
               {{.w = 200, .damping = 0.1}, TD_METHOD_BDF, 10, 0},
               {{.w = 500}, TD_METHOD_BDF, 2, 0},
               {{.w = 50}, TD_METHOD_DAE, 10, 1e-4},
               {{.w = 50}, TD_METHOD_RK45, 10, 1e-4},
               {{.w = 50}, TD_METHOD_RADAU, 10, 1e-4}};
  int said = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    said += is_told(&cases[i].r, cases[i].method, cases[i].t_end, cases[i].rtol);
  ck_assert_int_ge(said, 6);
}
END_TEST

START_TEST(the_tolerances_advised_do) {
  static const struct {
    rotor r;
    td_method method;
  } cases[] = {{{.w = 50, .more = LOOP}, TD_METHOD_GENERALIZED_ALPHA}, {{.w = 500}, TD_METHOD_BDF}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    outcome first = run(&cases[i].r, cases[i].method, 5, 0);
    double rtol = 0;
    ck_assert(!isnan(first.said));
    ck_assert_int_eq(sscanf(strstr(first.warning.detail, "an rtol of "), "an rtol of %lf", &rtol), 1);
    outcome then = run(&cases[i].r, cases[i].method, 5, rtol);
    ck_assert_msg(isnan(then.said), "%s", then.warning.detail);
    ck_assert_double_lt(then.error, 0.06 * AMPLITUDE);
  }
}
END_TEST

START_TEST(runs_that_are_right_are_silent) {
  static const rotor held = {.w = 50, .stiffness = 100}, braked = {.w = 50, .damping = 20},
                     loop = {.w = 50, .more = LOOP};
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_RADAU, TD_METHOD_RK45, TD_METHOD_GENERALIZED_ALPHA};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    outcome o = run(&held, methods[i], 5, 0);
    ck_assert_msg(isnan(o.said), "%s", o.warning.detail);
    o = run(&braked, methods[i], 5, 0);
    ck_assert_msg(isnan(o.said) && o.error < 0.03 * AMPLITUDE, "%s: %g", td_method_name(methods[i]), o.error);
  }
  outcome fine = run(&loop, TD_METHOD_AUTOMATIC, 10, 0); // off by 200 % when loops took generalized_alpha
  ck_assert(isnan(fine.said) && fine.error < 0.001 * AMPLITUDE);
}
END_TEST

// A double pendulum that swings below a carriage: nothing shaken, all of it moves, and the carriage comes and goes with
// it.
START_TEST(a_carriage_below_which_a_chain_swings_is_silent) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, -9.81, 0], \"links\": ["
      "{\"name\": \"x\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", "
      "\"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}},"
      "{\"name\": \"a\", \"parent\": \"x\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\": {\"type\": "
      "\"rigid\", \"mass\": 0.5, \"com\": [0, -0.3, 0], \"inertia\": [0.01, 0.01, 0.01]}}]}");
  static const td_method methods[] = {TD_METHOD_AUTOMATIC, TD_METHOD_BDF, TD_METHOD_RADAU, TD_METHOD_RK45,
                                      TD_METHOD_GENERALIZED_ALPHA};
  static const double q[2] = {0, 1};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    td_dynamics_spec spec = recording_job(model, methods[i], 5, q);
    spec.integrator.adaptive = true;
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_msg(!warning_of(&r), "%s", warning_of(&r) ? warning_of(&r)->detail : "");
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// The rotor spins freely for 800 rad, the carriage moves by 0.02 m: its centre of mass keeps its place, so that x is
// never outside [0, 0.02] m. What it gets beyond is its error.
START_TEST(a_small_motion_of_a_carriage_beside_a_long_turn_is_judged_by_itself) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": ["
      "{\"name\": \"x\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", "
      "\"mass\": 0.9, \"inertia\": [0.1, 0.1, 0.1]}},"
      "{\"name\": \"a\", \"parent\": \"x\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\": {\"type\": "
      "\"rigid\", \"mass\": 0.1, \"com\": [0.1, 0, 0], \"inertia\": [1e-6, 1e-6, 1e-6]}}]}");
  static const double qd[2] = {0, 40};
  for (int fine = 0; fine < 2; fine++) {
    td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 20, NULL);
    recording r = {0};
    double beyond = 0;
    spec.qd = qd;
    spec.qd_count = 2;
    spec.output_dt = 0.02;
    spec.integrator.rtol = fine ? 1e-8 : 1e-4;
    spec.integrator.atol = 1e-3 * spec.integrator.rtol;
    recording_ok(&r, model, &spec);
    for (size_t i = 0; i < r.count; i++)
      beyond = fmax(beyond, fmax(-r.rows[i * r.row], r.rows[i * r.row] - 2 * AMPLITUDE));
    ck_assert_int_eq(warning_of(&r) != NULL, !fine);
    ck_assert_int_eq(beyond > 0.05 * AMPLITUDE, !fine);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_resumed_says_the_same_and_fails_where_that_was_asked_for) {
  static const rotor r = {.w = 50, .more = LOOP};
  td_model *model = carriage(&r);
  td_input_spec input;
  double polynomial[2], qd[2];
  td_dynamics_spec spec = job_of(model, &r, TD_METHOD_GENERALIZED_ALPHA, 5, 0, &input, polynomial, qd);
  recording whole = {.checkpoint_dt = 1.3, .keep_at = 2.6}, rest = {.checkpoint_dt = 1.3}, failed = {0};
  recording_ok(&whole, model, &spec);
  recording_run(&rest, model, &spec, &whole);
  ck_assert_ptr_nonnull(warning_of(&whole));
  ck_assert_ptr_nonnull(warning_of(&rest));
  ck_assert_str_eq(warning_of(&whole)->detail, warning_of(&rest)->detail);
  spec.fail_on_inconsistency = true;
  recording_run(&failed, model, &spec, NULL);
  ck_assert_int_eq(failed.status, TD_INCONSISTENT);
  ck_assert_str_eq(failed.error.pointer, "/integrator/rtol");
  recording_free(&whole);
  recording_free(&rest);
  recording_free(&failed);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ what is held, and
// what turns freely

// A mass of 1 kg on a spring, k N/m: x = 0.1 cos(sqrt(k) t) m.
static td_model *oscillator(double stiffness, double damping, const char *more) {
  char text[1200];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"x\", \"joint\": {\"type\": \"prismatic\", \"axis\": "
      "\"x\", \"stiffness\": %.17g, \"damping\": %.17g}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": "
      "[0.1, 0.1, 0.1]}}%s}",
      stiffness, damping, *more ? more : "]");
  return test_model_from_text(text);
}

static double said_of(const recording *r, double *error) {
  const td_warning *w = warning_of(r);
  *error = NAN;
  if (w) ck_assert_int_eq(sscanf(strstr(w->detail, "off by about "), "off by about %lf", error), 1);
  return *error;
}

// Silent and wrong by more than 0.6 % of `reach`, or said with a size that is not its size: neither may be.
static bool is_true(const recording *r, double error, double reach, const char *what) {
  double said;
  if (isnan(said_of(r, &said))) {
    ck_assert_msg(error < 0.006 * reach, "%s: off by %g of %g and silent", what, error, reach);
    return false;
  }
  ck_assert_msg(said < 3 * error && said > error / 3, "%s: said %g of %g", what, said, error);
  return true;
}

// A stick of 1 kg more, and a floor that it does not touch.
static const char FLOOR[] = ", {\"name\": \"stick\", \"parent\": \"x\", \"joint\": {\"type\": \"fixed\"}, \"body\": "
                            "{\"type\": \"rod\", \"length\": 0.1, "
                            "\"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": {\"young\": 1e9, "
                            "\"poisson\": 0.3, \"density\": "
                            "31830.988618379067}, \"strain\": {\"basis\": \"legendre\", \"order\": {}}, "
                            "\"quadrature\": {\"points\": 5}}}], \"contacts\": "
                            "[{\"type\": \"plane\", \"stiffness\": 1e5, \"pose\": {\"translation\": [0, 0, -9]}}]";

START_TEST(a_phase_that_runs_away_is_said_with_its_size) {
  static const struct {
    td_method method;
    double t_end, rtol;
    const char *more;
  } cases[] = {{TD_METHOD_NEWMARK, 100, 1e-4, ""},    {TD_METHOD_NEWMARK, 20, 1e-4, ""},
               {TD_METHOD_NEWMARK, 100, 1e-4, FLOOR}, {TD_METHOD_HHT, 100, 1e-5, ""},
               {TD_METHOD_BDF, 200, 1e-5, ""},        {TD_METHOD_BDF, 1000, 1e-6, ""},
               {TD_METHOD_DAE, 200, 1e-5, ""},        {TD_METHOD_RADAU, 400, 1e-4, ""},
               {TD_METHOD_RADAU, 100, 1e-5, ""},      {TD_METHOD_RK45, 400, 1e-4, ""}};
  const double w = 20;
  const double q[1] = {0.1};
  int said = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_model *model = oscillator(*cases[i].more ? 2 * w * w : w * w, 0, cases[i].more);
    td_dynamics_spec spec = recording_job(model, cases[i].method, cases[i].t_end, q);
    spec.integrator.adaptive = true;
    spec.integrator.rtol = cases[i].rtol;
    spec.integrator.atol = 1e-3 * cases[i].rtol;
    spec.output_dt = cases[i].t_end / 997;
    recording r = {0};
    recording_run(&r, model, &spec, NULL);
    ck_assert_msg(r.status == TD_OK, "%s: %s", td_method_name(cases[i].method), r.error.message);
    double error = 0;
    for (size_t k = 0; k < r.count; k++) error = fmax(error, fabs(r.rows[k * r.row] - 0.1 * cos(w * r.t[k])));
    bool lossy = false; // whose energy went is told so, and nothing more
    for (int k = 0; k < r.statistics.warnings.count; k++)
      lossy |= !strcmp(r.statistics.warnings.list[k].code, "energy_error");
    if (!lossy) said += is_true(&r, error, 0.2, td_method_name(cases[i].method));
    recording_free(&r);
    td_model_destroy(model);
  }
  ck_assert_int_ge(said, 4);
}
END_TEST

// A damped motor that turned by 1e5 rad in a long run: damping has taken the errors of its speed away, those of its
// phase stay. (Whole runs of that length take half a minute: one of 1000 s with an unbalance was off by 0.056 rad in
// silence.)
START_TEST(damping_does_not_excuse_a_phase_that_turned_far_from_a_look) {
  td_retrace_account account = {.steps = 10, .most = 10, .damped = 1e4, .turned = 1e5};
  td_run_statistics all = {.steps = 1000000, .evaluations = 7000000};
  td_integrator_spec used;
  td_integrator_defaults(&used);
  used.method = TD_METHOD_RADAU, used.adaptive = true, used.rtol = 1e-6;
  ck_assert(td_retrace_wanted(&account, &used, &all, 1));
  account.turned = 100;
  ck_assert(!td_retrace_wanted(&account, &used, &all, 1));
}
END_TEST

START_TEST(an_oscillation_that_damping_ends_is_silent) {
  static const double q[1] = {0.1};
  td_model *model = oscillator(400, 0.5, "");
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_dynamics_spec spec = recording_job(model, (td_method)m, 40, q);
    spec.integrator.adaptive = m >= TD_METHOD_NEWMARK && m <= TD_METHOD_GENERALIZED_ALPHA;
    recording r = {0};
    recording_run(&r, model, &spec, NULL);
    ck_assert_msg(!warning_of(&r), "%s", warning_of(&r) ? warning_of(&r)->detail : "");
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// The angle between two rotation vectors' rotations.
static double turn_between(const double *a, const double *b) {
  double na = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), nb = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
  double sa = na > 0 ? sin(na / 2) / na : 0.5, sb = nb > 0 ? sin(nb / 2) / nb : 0.5;
  double w = cos(na / 2) * cos(nb / 2) + sa * sb * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  return 2 * acos(fmin(1, fabs(w)));
}

// About its middle axis: it turns over again and again.
START_TEST(a_stone_thrown_spinning_is_not_off_in_silence) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"s\", \"joint\": {\"type\": \"free\"}, \"body\": "
      "{\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 2, 3]}}]}");
  static const double qd[6] = {0.1, 12, 0.1, 0, 0, 0};
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_DAE, TD_METHOD_NEWMARK, TD_METHOD_RK45,
                                      TD_METHOD_AUTOMATIC};
  recording exact = {0};
  int said = 0;
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 10, NULL);
  spec.qd = qd;
  spec.qd_count = 6;
  spec.output_dt = 0.02;
  spec.integrator.rtol = 1e-11;
  spec.integrator.atol = 1e-14;
  recording_ok(&exact, model, &spec);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    td_integrator_defaults(&spec.integrator);
    spec.integrator.method = methods[m];
    spec.integrator.adaptive = methods[m] == TD_METHOD_NEWMARK;
    recording r = {0};
    recording_ok(&r, model, &spec);
    double error = 0;
    for (size_t k = 0; k < r.count; k++)
      error = fmax(error, turn_between(r.rows + k * r.row, exact.rows + k * exact.row));
    said += is_true(&r, error, M_PI, m < 4 ? td_method_name(methods[m]) : "default");
    recording_free(&r);
  }
  ck_assert_int_ge(said, 2);
  recording_free(&exact);
  td_model_destroy(model);
}
END_TEST

// Seconds to turn over, the middle axis of 1 : 2 : 2.8. Silent by default at 1.3e-2 and 1.5e-2, by rk45 at 0.9e-2 and
// 1.3e-2, by dae at 4e-2.
START_TEST(a_body_that_tumbles_is_right_to_a_thousandth_by_default_and_named_methods_say_what_they_lose) {
  static const char *const joints[] = {"spherical", "free"};
  static const double qd[6] = {0.01, 3, 0.01, 0, 0, 0};
  static const td_method methods[] = {TD_METHOD_AUTOMATIC, TD_METHOD_RADAU, TD_METHOD_RK45,
                                      TD_METHOD_DAE,       TD_METHOD_BDF,   TD_METHOD_RK4};
  for (int j = 0; j < 2; j++) {
    char text[400];
    snprintf(text, sizeof text,
             "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"b\", \"joint\": {\"type\": \"%s\"}, "
             "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 2, 2.8]}}]}",
             joints[j]);
    td_model *model = test_model_from_text(text);
    td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 20, NULL);
    recording exact = {0};
    spec.qd = qd;
    spec.qd_count = j ? 6 : 3;
    spec.output_dt = 0.05;
    spec.integrator.rtol = 1e-11, spec.integrator.atol = 1e-14;
    recording_ok(&exact, model, &spec);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      td_integrator_defaults(&spec.integrator);
      spec.integrator.method = methods[m];
      recording r = {0};
      recording_ok(&r, model, &spec);
      double error = 0;
      for (size_t k = 0; k < r.count; k++)
        error = fmax(error, turn_between(r.rows + k * r.row, exact.rows + k * exact.row));
      bool told = is_true(&r, error, M_PI, methods[m] == TD_METHOD_AUTOMATIC ? "default" : td_method_name(methods[m]));
      if (methods[m] == TD_METHOD_AUTOMATIC) ck_assert_msg(!told && error < 1e-3, "by default off by %g rad", error);
      recording_free(&r);
    }
    recording_free(&exact);
    td_model_destroy(model);
  }
}
END_TEST

// What flies while it turns over took seven times the steps, too many to be looked at for cheap and too few to add up:
// silent at 0.1 rad. It takes as many as it should now, and is right or says what it lost. Its attitude is that of the
// same body on its place.
START_TEST(a_body_that_flies_while_it_tumbles_says_what_its_attitude_lost) {
  static const double qd[6] = {0.001, 8, 0.001, 1, 0, 0.3}, on_its_place[6] = {0.001, 8, 0.001, 0, 0, 0};
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"b\", \"joint\": {\"type\": \"free\"}, \"body\": "
      "{\"type\": \"rigid\", \"mass\": 0.5, \"inertia\": [0.001, 0.002, 0.0027]}}]}");
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 6.5, NULL);
  recording exact = {0}, r = {0};
  double error = 0;
  spec.qd = on_its_place;
  spec.qd_count = 6;
  spec.output_dt = 0.05;
  spec.integrator.rtol = 1e-12, spec.integrator.atol = 1e-15;
  recording_ok(&exact, model, &spec);
  td_integrator_defaults(&spec.integrator);
  spec.qd = qd;
  recording_ok(&r, model, &spec);
  for (size_t k = 0; k < r.count; k++)
    error = fmax(error, turn_between(r.rows + k * r.row, exact.rows + k * exact.row));
  bool told = is_true(&r, error, M_PI, "a body that flies");
  ck_assert_msg(told || error < 3e-3, "off by %g rad and silent", error);
  recording_free(&r);
  recording_free(&exact);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ chaos

#define BAR                                                                                                            \
  "\"joint\": {\"type\": \"revolute\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.5, 0, 0], "           \
  "\"inertia\": [0.01, 0.09, 0.09]}}"
static const char double_pendulum[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, -9.81, 0], \"links\": [{\"name\": \"a\", " BAR
    ", {\"name\": \"b\", \"parent\": \"a\", \"pose\": {\"translation\": [1, 0, 0]}, " BAR "]}";
static const char driven_pendulum[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [1, 0, 0], \"links\": [{\"name\": \"a\", \"joint\": {\"type\": "
    "\"revolute\", \"damping\": 0.5}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [1, 0, 0], \"inertia\": "
    "[0, 0, 0]}}], \"actuators\": [{\"name\": \"t\", \"type\": \"joint\", \"link\": \"a\"}]}";

static const double thrown[2] = {2, 1}, swinging[2] = {-1.37, 0.1};

// From when on the run says that it is not to be trusted; INFINITY: it does not.
static double trusted_until(const recording *r) {
  double t;
  const td_warning *w = said_as(r, "sensitive_motion");
  if (!w) return INFINITY;
  ck_assert_str_eq(w->pointer, "/initial");
  ck_assert_int_eq(sscanf(strstr(w->detail, "after t = "), "after t = %lf", &t), 1);
  return t;
}

// Its exponent is about 1.5 to 2 1/s.
START_TEST(a_chaotic_motion_is_told_by_every_method_and_holds_up_to_the_time_told) {
  static const struct {
    td_method method;
    double t_end;
  } cases[] = {{TD_METHOD_AUTOMATIC, 20}, {TD_METHOD_BDF, 20},   {TD_METHOD_BDF, 10},
               {TD_METHOD_DAE, 20},       {TD_METHOD_RADAU, 20}, {TD_METHOD_RK45, 60},
               {TD_METHOD_RK4, 20},       {TD_METHOD_RK4, 60},   {TD_METHOD_NEWMARK, 10}};
  td_model *model = test_model_from_text(double_pendulum);
  recording exact = {0};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 13, thrown);
  spec.output_dt = 0.01;
  spec.integrator.rtol = 1e-13, spec.integrator.atol = 1e-15;
  recording_ok(&exact, model, &spec);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    spec = recording_job(model, cases[i].method, cases[i].t_end, thrown);
    spec.output_dt = 0.01;
    recording r = {0};
    recording_ok(&r, model, &spec);
    double until = trusted_until(&r);
    const char *name = i == 0 ? "default" : td_method_name(cases[i].method);
    ck_assert_msg(until > 2 && until < 13, "%s, %g s: until %g s", name, cases[i].t_end, until);
    for (size_t k = 0; k < r.count && r.t[k] < until; k++)
      for (int c = 0; c < 2; c++) {
        double off = fabs(r.rows[k * r.row + c] - exact.rows[k * exact.row + c]);
        ck_assert_msg(off < 0.4, "%s, %g s: off by %g rad at %g s, said until %g s", name, cases[i].t_end, off, r.t[k],
                      until);
      }
    recording_free(&r);
  }
  recording_free(&exact);
  td_model_destroy(model);
}
END_TEST

// Six bars let go while they are level: 8e5 evaluations of a coordinate, off by as much as they move, and silent.
START_TEST(a_chain_of_bars_is_told_to_be_chaotic_though_the_look_is_not_cheap) {
  char text[4000] = "{\"format\": \"tendril.model/1\", \"gravity\": [0, -9.81, 0], \"links\": [";
  for (int i = 0; i < 6; i++) {
    size_t at = strlen(text);
    snprintf(text + at, sizeof text - at, "%s{\"name\": \"%c\", " BAR, i ? ", " : "", 'a' + i);
    at = strlen(text) - 1; // its brace
    if (i)
      snprintf(text + at, sizeof text - at, ", \"parent\": \"%c\", \"pose\": {\"translation\": [1, 0, 0]}}",
               'a' + i - 1);
  }
  td_model *model = test_model_from_text(strcat(text, "]}"));
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 15, NULL);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_msg(trusted_until(&r) < 15, "a chain of six bars parts in silence");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(damping_does_not_hide_chaos_and_what_is_regular_is_not_called_chaotic) {
  static const double start[1] = {0.2};
  td_model *driven = test_model_from_text(driven_pendulum), *model = test_model_from_text(double_pendulum);
  // chaotic within 60 s by bdf; radau, chosen by default, is right twice as long, and tells what adds up beyond
  static const td_method methods[] = {TD_METHOD_AUTOMATIC, TD_METHOD_BDF, TD_METHOD_AUTOMATIC};
  for (int k = 0; k < 3; k++) {
    bool chaotic = k > 0;
    td_input_spec push = {
        .channel = "t",
        .signal = {
            .type = TD_SIGNAL_SINE, .amplitude = chaotic ? 1.5 : 0.9, .frequency = 1 / (3 * M_PI), .phase = M_PI / 2}};
    td_dynamics_spec spec = recording_job(driven, methods[k], 200, start);
    spec.inputs = &push;
    spec.input_count = 1;
    recording r = {0};
    recording_ok(&r, driven, &spec);
    bool told = trusted_until(&r) < 200;
    ck_assert_msg(told == (methods[k] == TD_METHOD_BDF), "%d: until %g s", k, trusted_until(&r));
    ck_assert_int_eq(r.statistics.warnings.count > 0, chaotic);
    recording_free(&r);
  }
  for (int i = 0; i < 2; i++) {
    td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, i ? 60 : 2, i ? swinging : thrown);
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_int_eq(r.statistics.warnings.count, 0);
    recording_free(&r);
  }
  td_model_destroy(driven);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ equal steps

// An arm that turns at 200 rad/s pulls a slider for a small part of each turn: -1.54 m in 20 s (two independent
// integrators agree to 7 digits). Steps of 0.01 s, shortened on the way, were off by 0.1 to 0.4 m and silent.
START_TEST(equal_steps_that_stride_over_turns_say_so) {
  static const double turning[2] = {M_PI, 200}, q[2] = {M_PI, 0}, qd[2] = {200, 0};
  static const td_method methods[] = {TD_METHOD_RK4, TD_METHOD_NEWMARK, TD_METHOD_GENERALIZED_ALPHA};
  static const double steps[] = {0.01, 1};
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"arm\", \"joint\": {\"type\": \"revolute\", "
      "\"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}}, "
      "{\"name\": \"x\", \"pose\": {\"translation\": [1, 0, 0]}, \"joint\": {\"type\": \"prismatic\", \"axis\": "
      "\"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}}], \"actuators\": ["
      "{\"name\": \"m\", \"type\": \"joint\", \"link\": \"arm\", \"mode\": \"position\"}, {\"name\": \"T\", "
      "\"type\": \"tendon\", \"segments\": [{\"link\": \"arm\", \"points\": [[-0.2, 0, 0]]}, {\"link\": \"x\", "
      "\"points\": [[0, 0, 0]]}], \"mode\": \"length\", \"stiffness\": 1000, \"rest\": 1.19, \"slack_width\": 1e-6}]}");
  td_input_spec input = {.channel = "m", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = turning, .count = 2}};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (size_t h = 0; h < sizeof steps / sizeof *steps; h++) {
      td_dynamics_spec spec = recording_job(model, methods[m], 20, q);
      spec.qd = qd, spec.qd_count = 2;
      spec.inputs = &input, spec.input_count = 1;
      spec.integrator.h = steps[h];
      recording r = {0};
      recording_ok(&r, model, &spec);
      double off = fabs(recording_last(&r)[1] + 1.54203902), said = NAN;
      const td_warning *w = said_as(&r, "coarse_step");
      ck_assert_msg(w, "%s, h = %g: off by %g m and silent", td_method_name(methods[m]), steps[h], off);
      ck_assert_str_eq(w->pointer, "/integrator/h");
      ck_assert_int_eq(sscanf(strstr(w->detail, "off by about "), "off by about %lf", &said), 1);
      ck_assert_msg(said > 0.9 * off && said < 1.5 * off, "said %g of %g m", said, off); // at its largest
      recording_free(&r);
    }
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ the second run and
// its caller

typedef struct caller {
  td_check answer;
  int asked, steps;
  double part;
} caller;

static td_check on_check(void *context, double part) {
  caller *c = context;
  ck_assert(part >= 0 && part <= 1);
  c->part = part;
  return ++c->asked < 50 ? TD_CHECK_ON : c->answer;
}

static bool on_step(void *context, double t) {
  (void)t;
  ((caller *)context)->steps++;
  return true;
}

START_TEST(a_check_that_is_cut_leaves_the_run_as_it_is_and_says_so) {
  static const td_check answers[] = {TD_CHECK_ON, TD_CHECK_CUT, TD_CHECK_CANCEL};
  td_model *model = test_model_from_text(double_pendulum);
  for (int i = 0; i < 3; i++) {
    caller c = {.answer = answers[i]};
    td_run_hooks hooks = {.context = &c, .step = on_step, .check = on_check};
    td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 20, thrown);
    td_run_statistics s = {0};
    td_error err = {0};
    td_status status = td_dynamics_run(model, &spec, &hooks, NULL, 0, &s, &err);
    ck_assert_int_eq(status, answers[i] == TD_CHECK_CANCEL ? TD_CANCELLED : TD_OK);
    ck_assert_int_eq(c.steps, (int)s.steps); // those of the second run are no steps of the job
    if (answers[i] == TD_CHECK_CANCEL) continue;
    ck_assert_int_eq(s.warnings.count, 1);
    ck_assert_str_eq(s.warnings.list[0].code, answers[i] == TD_CHECK_CUT ? "check_cut" : "sensitive_motion");
    if (answers[i] == TD_CHECK_ON) ck_assert_double_gt(c.part, 0.99);
  }
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("accumulated errors", an_error_of_momentum_that_grows_is_said_with_its_size_by_every_method,
          the_tolerances_advised_do, runs_that_are_right_are_silent, a_carriage_below_which_a_chain_swings_is_silent,
          a_small_motion_of_a_carriage_beside_a_long_turn_is_judged_by_itself,
          a_run_resumed_says_the_same_and_fails_where_that_was_asked_for, a_phase_that_runs_away_is_said_with_its_size,
          an_oscillation_that_damping_ends_is_silent, damping_does_not_excuse_a_phase_that_turned_far_from_a_look,
          a_stone_thrown_spinning_is_not_off_in_silence,
          a_body_that_tumbles_is_right_to_a_thousandth_by_default_and_named_methods_say_what_they_lose,
          a_body_that_flies_while_it_tumbles_says_what_its_attitude_lost,
          a_chaotic_motion_is_told_by_every_method_and_holds_up_to_the_time_told,
          a_chain_of_bars_is_told_to_be_chaotic_though_the_look_is_not_cheap,
          damping_does_not_hide_chaos_and_what_is_regular_is_not_called_chaotic,
          equal_steps_that_stride_over_turns_say_so, a_check_that_is_cut_leaves_the_run_as_it_is_and_says_so)
