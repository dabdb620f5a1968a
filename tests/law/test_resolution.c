// Discretisations that are too coarse are said by runs and by equilibria, with the rod, the reason and what would do;
// those that are good enough are not. Estimates are held against robots of many more points and functions.
#include "codec/document/job/job.h"
#include "estimate/resolution/parts.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 8192, NDOF = 128 };

static const double bending = 1e6 * M_PI * 1e-8 / 4; // E I of r 1 cm, E 1 MPa

#define ROUND "\"section\": {\"shape\": \"circle\", \"radius\": 0.01}"
#define SOFT "\"material\": {\"young\": 1e6, \"poisson\": 0.45, \"density\": 1000, \"viscosity\": 1e4}"
#define TIP_LOAD                                                                                                       \
  ", \"loads\": [{\"link\": \"rod\", \"frame\": \"world\", \"channels\": [null, null, null, null, null, \"f\"]}]"

/// A cantilever of 1 m: its pose, the members of its body beside type and length, and more members of the model.
static td_model *cantilever(const char *rpy, const char *body, const char *model) {
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"name\": \"test\", \"links\": [{\"name\": \"rod\", \"pose\": {\"rpy\": %s}, "
      "\"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 1, %s}}]%s}",
      rpy, body, model);
  return test_model_from_text(text);
}

#define LEVEL "[0, 0, 0]"
#define UPRIGHT "[0, -1.5707963267948966, 0]"

/// A round one that bends about y by a basis of this order; points 0: the default.
static td_model *bending_rod(const char *basis, int order, int points, double young, const char *model) {
  char body[1024], quadrature[64] = "";
  if (points) snprintf(quadrature, sizeof quadrature, ", \"quadrature\": {\"points\": %d}", points);
  snprintf(body, sizeof body,
           ROUND ", \"material\": {\"young\": %g, \"poisson\": 0.45, \"density\": 1000, \"viscosity\": 1e3}, "
                 "\"strain\": {\"basis\": \"%s\", \"order\": {\"bending_y\": %d}}%s",
           young, basis, order, quadrature);
  return cantilever(LEVEL, body, model);
}

// ------------------------------------------------------------------------------------------------ equilibria

typedef struct answer {
  int n;
  double q[NDOF];
  td_warnings warnings;
} answer;

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  (void)index, (void)u, (void)result;
  answer *a = context;
  ck_assert_msg(!failure, "%s", failure ? failure->message : "");
  memcpy(a->q, q, (size_t)a->n * sizeof *q);
  return true;
}

/// The equilibrium with this value on a channel (NULL: none), and what it says.
static answer equilibrium(const td_model *model, const char *channel, double value) {
  answer a = {.n = td_model_ndof(model)};
  td_input_spec input = {.channel = channel, .signal = {.type = TD_SIGNAL_CONSTANT, .offset = value}};
  td_statics_spec spec = {.inputs = &input, .input_count = channel != NULL};
  td_statics_hooks hooks = {.context = &a, .solved = on_solved};
  td_run_statistics statistics;
  td_error err = {0};
  ck_assert_int_le(a.n, NDOF);
  td_statics_defaults(&spec.options);
  ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, &hooks, &statistics, &err), "%s", err.message);
  a.warnings = statistics.warnings;
  return a;
}

static answer equilibrium_once(td_model *model, const char *channel, double value) {
  answer a = equilibrium(model, channel, value);
  td_model_destroy(model);
  return a;
}

static const td_warning *find(const td_warnings *warnings, const char *code) {
  for (int i = 0; i < warnings->count; i++)
    if (!strcmp(warnings->list[i].code, code)) return &warnings->list[i];
  return NULL;
}

static void is_said(const td_warnings *warnings, const char *code, const char *pointer, const char *part) {
  const td_warning *w = find(warnings, code);
  ck_assert_msg(w != NULL, "no %s (%s)", code, part);
  ck_assert_str_eq(w->pointer, pointer);
  ck_assert_msg(strstr(w->detail, part) != NULL, "%s: no \"%s\"", w->detail, part);
}

static void is_silent(const td_warnings *warnings, const char *what) {
  const char *const codes[] = {"coarse_quadrature", "coarse_basis"};
  for (int i = 0; i < 2; i++) {
    const td_warning *w = find(warnings, codes[i]);
    ck_assert_msg(!w, "%s: %s", what, w ? w->detail : "");
  }
}

static double percent(const td_warning *w) {
  const char *by = strstr(w->detail, "by up to ");
  return by ? strtod(by + strlen("by up to "), NULL) : 0;
}

#define POINTS_OF_ROD "/model/links/0/body/quadrature/points"
#define ORDER_OF_ROD "/model/links/0/body/strain/order/bending_y"

// ------------------------------------------------------------------------------------------------ points

static td_model *helix(int points, double turns) {
  char body[1024], model[512];
  snprintf(body, sizeof body,
           "\"section\": {\"shape\": \"circle\", \"radius\": 0.02}, " SOFT
           ", \"strain\": {\"basis\": \"legendre\", \"order\": "
           "{\"torsion\": 4, \"bending_y\": 4, \"bending_z\": 4, \"elongation\": 2, \"shear_y\": 2, \"shear_z\": 2}}, "
           "\"quadrature\": {\"points\": %d}",
           points);
  snprintf(model, sizeof model,
           ", \"actuators\": [{\"name\": \"wound\", \"type\": \"tendon\", \"link\": \"rod\", \"routing\": {\"type\": "
           "\"helix\", "
           "\"radius\": 0.015, \"turns\": %g}}]",
           turns);
  return cantilever(LEVEL, body, model);
}

START_TEST(a_tendon_wound_twice_around_a_rod_of_five_points_is_named) {
  answer coarse = equilibrium_once(helix(5, 2), "wound", 5), enough = equilibrium_once(helix(10, 2), "wound", 5);
  is_said(&coarse.warnings, "coarse_quadrature", POINTS_OF_ROD, "tendon \"wound\"");
  ck_assert(!find(&enough.warnings, "coarse_quadrature"));
  is_said(&enough.warnings, "coarse_basis", ORDER_OF_ROD, "and its curvature"); // they turn twice along the rod
}
END_TEST

static td_model *in_a_jet(int points, double half_width) {
  char body[1024], model[512], quadrature[64] = "";
  if (points) snprintf(quadrature, sizeof quadrature, ", \"quadrature\": {\"points\": %d}", points);
  snprintf(body, sizeof body,
           ROUND ", " SOFT ", \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 4}}, \"hydrodynamics\": "
                 "{\"cd_x\": 0.1, \"cd_y\": 1, \"cd_z\": 1}%s",
           quadrature);
  snprintf(model, sizeof model,
           ", \"fluid\": {\"density\": 1000, \"velocity\": {\"z\": [-2, %g, 0.37, %g, 2], \"velocity\": [[0, 0, 0], "
           "[0, 0, 0], "
           "[0.2, 0, 0], [0, 0, 0], [0, 0, 0]]}}",
           0.37 - half_width, 0.37 + half_width);
  return cantilever(UPRIGHT, body, model);
}

START_TEST(a_jet_that_falls_between_the_points_is_seen_all_the_same) {
  answer wide = equilibrium_once(in_a_jet(0, 0.3), NULL, 0), missed = equilibrium_once(in_a_jet(0, 0.05), NULL, 0);
  answer thin = equilibrium_once(in_a_jet(0, 0.005), NULL, 0), enough = equilibrium_once(in_a_jet(60, 0.05), NULL, 0);
  ck_assert_double_eq_tol(missed.q[0], 0, 1e-12); // the answer as it was before: the jet does nothing
  is_silent(&wide.warnings, "a wide jet");
  is_said(&missed.warnings, "coarse_quadrature", POINTS_OF_ROD, "the flow");
  is_said(&thin.warnings, "coarse_quadrature", POINTS_OF_ROD, "the flow");
  is_silent(&enough.warnings, "60 points");
}
END_TEST

static td_model *notched(int points) {
  char body[1024];
  snprintf(body, sizeof body,
           "\"section\": {\"shape\": \"circle\", \"radius\": {\"s\": [0, 0.36, 0.37, 0.38, 1], \"value\": [0.01, 0.01, "
           "0.005, 0.01, "
           "0.01]}}, " SOFT
           ", \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 4}}, \"quadrature\": {\"points\": %d}",
           points);
  return cantilever(LEVEL, body, TIP_LOAD);
}

START_TEST(a_notch_of_the_section_between_the_points_is_seen_all_the_same) {
  answer coarse = equilibrium_once(notched(7), "f", bending), fine = equilibrium_once(notched(60), "f", bending);
  is_said(&coarse.warnings, "coarse_quadrature", POINTS_OF_ROD, "elastic");
  ck_assert(!find(&fine.warnings, "coarse_quadrature"));
}
END_TEST

static double bent(const double *q, int n) { // root of the integral of the squared curvature, rad
  double sum = 0;
  for (int k = 0; k < n; k++) sum += q[k] * q[k] / (2 * k + 1);
  return sqrt(sum);
}

static double estimate(const td_model *model, const answer *a, bool basis) {
  td_resolution *r = td_resolution_create(model);
  ck_assert(r != NULL);
  td_resolution_look(r, &(td_resolution_state){.state = {.q = a->q}, .closure = true, .where = "here"});
  const td_finding *f = &r->found[model->rod[0].element];
  double value = basis ? f->basis : f->force;
  td_resolution_destroy(r);
  return value;
}

#define GRAVITY ", \"gravity\": [0, 0, -9.81]"

START_TEST(the_error_of_strains_by_quadrature_is_estimated_within_a_factor_of_two) {
  static const struct {
    double young;
    int order, points;
  } cases[] = {{1e7, 2, 0},  {1e7, 4, 0}, {1e7, 4, 14}, {1e7, 8, 0},  {1e6, 2, 0}, {1e6, 4, 0},
               {1e6, 4, 14}, {1e6, 8, 0}, {1e5, 4, 0},  {1e5, 4, 14}, {1e5, 8, 0}, {1e5, 12, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int n = cases[i].order + 1;
    td_model *model = bending_rod("legendre", cases[i].order, cases[i].points, cases[i].young, GRAVITY);
    answer own = equilibrium(model, NULL, 0);
    answer fine = equilibrium_once(bending_rod("legendre", cases[i].order, 100, cases[i].young, GRAVITY), NULL, 0);
    double said = estimate(model, &own, false), size = bent(fine.q, n);
    for (int k = 0; k < n; k++) fine.q[k] -= own.q[k];
    double error = bent(fine.q, n) / size;
    ck_assert_msg(said > error / 2 && said < 2 * error, "%g Pa, order %d, %d points: %g, is %g", cases[i].young,
                  cases[i].order, cases[i].points, said, error);
    td_model_destroy(model);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ basis

// The largest distance of points of the rod, m.
static double between(const td_model *a, const double *qa, const td_model *b, const double *qb) {
  td_workspace *wa, *wb;
  td_se3 x, y;
  double most = 0;
  ck_assert(!td_workspace_create(a, &wa) && !td_workspace_create(b, &wb));
  for (int i = 1; i <= 20; i++) {
    ck_assert(!td_pose_at(a, wa, qa, 0, i / 20.0, &x) && !td_pose_at(b, wb, qb, 0, i / 20.0, &y));
    most = fmax(most, hypot(x.p[0] - y.p[0], x.p[2] - y.p[2]));
  }
  td_workspace_destroy(wa);
  td_workspace_destroy(wb);
  return most;
}

// A neck at the base, of 40 times the compliance: polynomials that are added approach it as slowly as the first ones.
static td_model *necked(const char *basis, int order, int points) {
  char body[1024];
  snprintf(body, sizeof body,
           "\"section\": {\"shape\": \"circle\", \"radius\": {\"s\": [0, 0.05, 0.1, 0.2, 0.4, 0.7, 1], \"value\": "
           "[0.004, 0.005, 0.009, 0.01, 0.01, 0.01, 0.01]}}, \"material\": {\"young\": 2e9, \"poisson\": 0.3, "
           "\"density\": 1200}, \"strain\": {\"basis\": \"%s\", \"order\": {\"bending_y\": %d}}, \"quadrature\": "
           "{\"points\": %d}",
           basis, order, points);
  return cantilever(LEVEL, body, TIP_LOAD);
}

START_TEST(what_a_basis_leaves_out_of_a_neck_is_estimated_within_a_fifth) {
  const double force = 0.5;
  td_model *model = necked("legendre", 8, 40), *elements = necked("linear", 60, 5);
  answer own = equilibrium(model, "f", force), right = equilibrium(elements, "f", force);
  double error = between(model, own.q, elements, right.q);
  td_resolution *r = td_resolution_create(model);
  ck_assert(r != NULL);
  td_resolution_look(r, &(td_resolution_state){.state = {.q = own.q, .u = &force}, .closure = true, .where = "here"});
  double said = r->found[model->rod[0].element].basis;
  ck_assert_msg(fabs(said / error - 1) < 0.2, "%g, is %g", said, error);
  is_said(&own.warnings, "coarse_basis", ORDER_OF_ROD, "its section varies too much");
  td_resolution_destroy(r);
  td_model_destroy(model);
  td_model_destroy(elements);
}
END_TEST

START_TEST(the_error_of_the_shape_by_the_basis_is_estimated_within_a_factor_of_two) {
  static const struct {
    const char *basis;
    int order;
    double load; // of E I / L^2
  } cases[] = {{"legendre", 0, 0.1}, {"legendre", 0, 1},  {"legendre", 0, 10},   {"legendre", 1, 10},
               {"legendre", 2, 100}, {"fourier", 1, 3},   {"fourier", 3, 30},    {"linear", 2, 30},
               {"gaussian", 2, 30},  {"monomial", 1, 10}, {"chebyshev", 2, 100}, {"legendre", 4, 80},
               {"hermite", 2, 60},   {"cubic", 2, 100},   {"linear", 8, 30}};
  td_model *fine = bending_rod("legendre", 16, 60, 1e6, TIP_LOAD);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_model *model = bending_rod(cases[i].basis, cases[i].order, 40, 1e6, TIP_LOAD);
    double load = cases[i].load * bending;
    answer own = equilibrium(model, "f", load), exact = equilibrium(fine, "f", load);
    double error = between(model, own.q, fine, exact.q);
    td_resolution *r = td_resolution_create(model);
    td_resolution_look(r, &(td_resolution_state){.state = {.q = own.q, .u = &load}, .closure = true, .where = ""});
    double said = r->found[model->rod[0].element].basis;
    ck_assert_msg(said > error / 2 && said < 2 * error, "%s %d, %g EI: %g, is %g", cases[i].basis, cases[i].order,
                  cases[i].load, said, error);
    td_resolution_destroy(r);
    td_model_destroy(model);
  }
  td_model_destroy(fine);
}
END_TEST

// Weight 200 EI/L^3: the tip of order 4 is 2.9e-3 L off, the points before it 4.3e-3 L.
static td_model *heavy(int order) { return bending_rod("legendre", order, 0, 1000 * 9.81 * 4 / 1e-4 / 200, GRAVITY); }

START_TEST(a_heavy_rod_that_is_off_by_a_few_thousandths_of_its_length_says_so_wherever_its_equilibrium_is_taken) {
  for (int order = 4; order <= 6; order += 2) {
    td_model *model = heavy(order);
    td_linearize_spec at = {.at = TD_AT_EQUILIBRIUM};
    td_dynamics_spec still = recording_job(model, TD_METHOD_AUTOMATIC, 0.01, NULL);
    td_run_statistics linear;
    td_error err = {0};
    recording run = {0};
    still.initial = TD_INITIAL_EQUILIBRIUM;
    answer own = equilibrium(model, NULL, 0);
    ck_assert_msg(!td_linearize_run(model, &at, NULL, &linear, &err), "%s", err.message);
    recording_ok(&run, model, &still);
    const td_warnings *all[] = {&own.warnings, &linear.warnings, &run.statistics.warnings};
    for (int i = 0; i < 3; i++)
      if (order == 4)
        is_said(all[i], "coarse_basis", ORDER_OF_ROD, "take order 6");
      else
        is_silent(all[i], "order 6");
    recording_free(&run);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(a_slender_rod_under_a_large_load_says_that_its_order_is_too_low_and_which_one_would_do) {
  answer low = equilibrium_once(bending_rod("legendre", 2, 20, 1e6, TIP_LOAD), "f", 100 * bending);
  is_said(&low.warnings, "coarse_basis", ORDER_OF_ROD, "take order 5");
  answer enough = equilibrium_once(bending_rod("legendre", 5, 20, 1e6, TIP_LOAD), "f", 100 * bending);
  is_silent(&enough.warnings, "order 5");
}
END_TEST

// Curvature of a rod that bends by Legendre polynomials, 1/m.
static double curvature(const answer *a, double s) {
  double x = 2 * s - 1, before = 0, now = 1, sum = 0;
  for (int k = 0; k < a->n; k++) {
    sum += a->q[k] * now;
    double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now, now = next;
  }
  return sum;
}

START_TEST(strains_that_are_wrong_where_the_shape_is_right_are_estimated_within_a_factor_of_two) {
  static const struct {
    int order, load;
    bool said;
  } cases[] = {{5, 100, false}, {4, 300, true}, {6, 200, false}, {6, 1000, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    answer a =
        equilibrium_once(bending_rod("legendre", cases[i].order, 30, 1e6, TIP_LOAD), "f", cases[i].load * bending);
    answer exact = equilibrium_once(bending_rod("legendre", 16, 60, 1e6, TIP_LOAD), "f", cases[i].load * bending);
    double wrong = 0, most = 0;
    for (double s = 0.005; s < 1; s += 0.005) {
      wrong = fmax(wrong, fabs(curvature(&a, s) - curvature(&exact, s)));
      most = fmax(most, fabs(curvature(&a, s)));
    }
    const td_warning *w = find(&a.warnings, "coarse_basis");
    ck_assert_msg((w != NULL) == cases[i].said, "order %d, %d EI/L^2: %g", cases[i].order, cases[i].load, wrong / most);
    if (!w) continue;
    const char *estimate = strstr(w->detail, "another by ");
    double said = estimate ? atof(estimate + 11) / 100 : 0;
    ck_assert_msg(said > wrong / most / 2 && said < 2 * wrong / most, "%g: %s", wrong / most, w->detail);
    is_silent(&exact.warnings, "order 16");
  }
}
END_TEST

START_TEST(elements_that_are_too_few_say_how_many_would_do) {
  answer few = equilibrium_once(bending_rod("linear", 2, 8, 1e6, TIP_LOAD), "f", 100 * bending);
  const td_warning *w = find(&few.warnings, "coarse_basis");
  ck_assert(w != NULL);
  const char *advice = strstr(w->detail, "; take ");
  int elements = advice ? atoi(advice + 7) : 0;
  ck_assert_msg(elements > 8 && elements <= 16, "%s", w->detail);
  answer enough = equilibrium_once(bending_rod("linear", elements, 8, 1e6, TIP_LOAD), "f", 100 * bending);
  is_silent(&enough.warnings, w->detail);
}
END_TEST

// One constant curvature: a quarter of the deflection is missing, however small it is.
START_TEST(a_stiff_beam_of_order_0_under_a_small_load_is_said_to_be_wrong_by_a_part_of_its_deflection) {
  answer small = equilibrium_once(bending_rod("legendre", 0, 0, 1e6, TIP_LOAD), "f", 1e-4 * bending);
  is_said(&small.warnings, "coarse_basis", ORDER_OF_ROD, "of what they have moved by");
  answer right = equilibrium_once(bending_rod("legendre", 1, 0, 1e6, TIP_LOAD), "f", 1e-4 * bending);
  is_silent(&right.warnings, "order 1");
}
END_TEST

// A torque T at 0.3 of a shaft twists it by T s / (G J) up to there and no farther: functions up to the fourth have 9 %
// less there. One on the end asks for one function.
START_TEST(a_shaft_says_what_functions_leave_out_of_its_twist) {
  static const double at[] = {0.3, 1};
  for (int i = 0; i < 2; i++) {
    char load[256];
    snprintf(load, sizeof load,
             ", \"loads\": [{\"link\": \"rod\", \"at\": %g, \"channels\": [\"t\", null, null, null, null, null]}]",
             at[i]);
    td_model *model =
        cantilever(LEVEL, ROUND ", " SOFT ", \"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 4}}", load);
    answer a = equilibrium_once(model, "t", 0.1 * bending);
    const td_warning *w = find(&a.warnings, "coarse_basis");
    if (i == 1) ck_assert_msg(!w, "%s", w->detail);
    if (i == 1) continue;
    is_said(&a.warnings, "coarse_basis", "/model/links/0/body/strain/order/torsion", "turned about its axis");
    ck_assert_msg(percent(w) > 2 && percent(w) < 10, "%s", w->detail);
  }
}
END_TEST

// In a list a large moment bends a rod most, and needs one function; a force between the others needs more than there
// are.
START_TEST(of_a_list_the_equilibrium_is_asked_that_needs_the_last_function_most) {
  td_model *model = bending_rod(
      "legendre", 3, 20, 1e6,
      ", \"loads\": [{\"link\": \"rod\", \"frame\": \"world\", \"channels\": [null, null, null, null, null, "
      "\"f\"]}, {\"link\": \"rod\", \"frame\": \"body\", \"channels\": [null, \"m\", null, null, null, null]}]");
  const double f[4] = {0, 60 * bending, 0, 0}, m[4] = {bending, 0, 15 * bending, bending};
  td_input_spec inputs[] = {{.channel = "f", .list = f, .list_count = 4}, {.channel = "m", .list = m, .list_count = 4}};
  answer a = {.n = td_model_ndof(model)};
  td_statics_hooks hooks = {.context = &a, .solved = on_solved};
  td_statics_spec spec = {.inputs = inputs, .input_count = 2};
  td_run_statistics statistics;
  td_error err = {0};
  td_statics_defaults(&spec.options);
  ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, &hooks, &statistics, &err), "%s", err.message);
  is_said(&statistics.warnings, "coarse_basis", ORDER_OF_ROD, "problem 1");
  td_model_destroy(model);
}
END_TEST

#define END_MOMENT                                                                                                     \
  ", \"loads\": [{\"link\": \"rod\", \"frame\": \"body\", \"channels\": [null, \"m\", null, null, null, null]}]"

START_TEST(rods_that_are_good_enough_say_nothing) {
  static const char *const bases[] = {"legendre", "monomial", "chebyshev", "quadratic", "cubic", "hermite"};
  for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
    for (double load = 1e-6; load < 50; load *= 30) {
      answer tip = equilibrium_once(bending_rod(bases[b], 4, 0, 1e6, TIP_LOAD), "f", load * bending);
      answer end = equilibrium_once(bending_rod(bases[b], 4, 0, 1e6, END_MOMENT), "m", 0.15 * load * bending);
      answer weight = equilibrium_once(bending_rod(bases[b], 6, 0, 1e7 / load, GRAVITY), NULL, 0);
      is_silent(&tip.warnings, bases[b]);
      is_silent(&end.warnings, bases[b]);
      if (load < 5) is_silent(&weight.warnings, bases[b]);
    }
}
END_TEST

// ------------------------------------------------------------------------------------------------ runs

static const char *example(const char *name, const char *kind) {
  static char path[4096];
  snprintf(path, sizeof path, TEST_DATA_DIR "/../api/examples/%s.%s.json", name, kind);
  return path;
}

/// The first `t_end` seconds of a shipped job; with `checkpoints` that at half of it is kept, and gone on from when
/// `again`.
static td_warnings run_first(const char *name, double t_end, bool checkpoints, bool again) {
  static const char *const fields[] = {"q"};
  td_error err = {0};
  job_document read;
  arena *memory = arena_create();
  td_model *model = test_model_from_file(example(name, "model"), NULL);
  json_t *document = test_json_from_file(example(name, "job"));
  ck_assert_msg(!codec_job_read_local(document, "", memory, &read, &err), "%s", err.message);
  td_dynamics_spec spec = read.dynamics;
  spec.t_end = t_end, spec.output_dt = t_end / 10, spec.fields = fields, spec.field_count = 1;
  double dt = checkpoints ? t_end / 4 : 0;
  recording r = {.checkpoint_dt = dt, .keep_at = t_end / 2}, rest = {.checkpoint_dt = dt};
  recording_ok(&r, model, &spec);
  if (again) recording_run(&rest, model, &spec, &r);
  ck_assert(!rest.status);
  td_warnings warnings = again ? rest.statistics.warnings : r.statistics.warnings;
  recording_free(&r);
  recording_free(&rest);
  td_model_destroy(model);
  json_decref(document);
  arena_destroy(memory);
  return warnings;
}

static td_warnings run_example(const char *name, double t_end, bool again) {
  return run_first(name, t_end, true, again);
}

typedef struct told { // of how far the work is
  double share, at_first, last;
} told;

static void on_share(void *context, double share) { ((told *)context)->share = share; }

static td_check on_check(void *context, double part) {
  told *x = context;
  if (x->at_first < 0) x->at_first = part;
  ck_assert_double_ge(part, x->last);
  x->last = part;
  return TD_CHECK_ON;
}

// At 4 s a second run by other steps comes first, at 20 s damping has made an end of what these would show.
START_TEST(a_comparison_with_a_finer_robot_is_part_of_the_work_that_is_told) {
  static const double ends[] = {4, 20};
  for (int i = 0; i < 2; i++) {
    td_error err = {0};
    job_document read;
    told x = {.at_first = -1};
    td_run_statistics s = {0};
    td_run_hooks hooks = {.context = &x, .share = on_share, .check = on_check};
    arena *memory = arena_create();
    td_model *model = test_model_from_file(example("cdm", "model"), NULL);
    json_t *document = test_json_from_file(example("cdm", "job"));
    ck_assert_int_eq(codec_job_read_local(document, "", memory, &read, &err), TD_OK);
    read.dynamics.t_end = ends[i];
    ck_assert_int_eq(td_dynamics_run(model, &read.dynamics, &hooks, NULL, 0, &s, &err), TD_OK);
    ck_assert_msg(x.share > 0.3 && x.share < 0.65, "the run is told to be %g of the work", x.share);
    ck_assert_msg(x.at_first >= 0 && x.at_first < 0.05, "the check begins at %g", x.at_first);
    ck_assert_msg(x.last > 0.6 && x.last < 1, "its last word is %g", x.last);
    td_model_destroy(model);
    json_decref(document);
    arena_destroy(memory);
  }
}
END_TEST

START_TEST(a_run_of_the_cable_driven_manipulator_says_that_its_helices_have_too_few_points) {
  td_warnings warnings = run_example("cdm", 6, false);
  is_said(&warnings, "coarse_quadrature", POINTS_OF_ROD, "tendon \"cable");
  ck_assert(!find(&warnings, "coarse_basis"));
}
END_TEST

START_TEST(shipped_robots_of_enough_points_say_nothing) {
  static const char *const names[] = {"serial", "serial_torque", "parallel", "finray", "contact"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    td_warnings warnings = run_example(names[i], 0.8, false);
    is_silent(&warnings, names[i]);
  }
}
END_TEST

static const td_warning *for_this_motion(const td_warnings *warnings, const char *code) {
  for (int i = 0; i < warnings->count; i++)
    if (!strcmp(warnings->list[i].code, code) && strstr(warnings->list[i].detail, "too few for this motion"))
      return &warnings->list[i];
  return NULL;
}

// A straight rod in glycerin that a hub begins to turn: for a millisecond its inertia takes up 99.3 % of the drag, and
// of what is left its points see 5 % otherwise. What bends it is the drag, and 40 points have its curvature to 0.15 %.
START_TEST(drag_that_inertia_takes_up_for_an_instant_is_no_reason_for_more_points) {
  static const char text[] =
      "{\"format\": \"tendril.model/1\", \"fluid\": {\"density\": 1260, \"viscosity\": 1.4}, \"links\": [{\"name\": "
      "\"hub\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}}, {\"name\": \"r\", \"parent\": \"hub\", "
      "\"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.1, \"section\": {\"shape\": "
      "\"stiffness\", \"GJ\": 1e-4, \"EI_y\": 1e-4, \"EI_z\": 1e-4, \"EA\": 50, \"GA_y\": 16, \"GA_z\": 16, "
      "\"mass_per_length\": 0.00314, \"inertia_per_length\": [2e-9, 1e-9, 1e-9], \"radius\": 0.001}, \"strain\": "
      "{\"basis\": \"legendre\", \"order\": {\"bending_y\": 3, \"bending_z\": 3}}, \"hydrodynamics\": "
      "{\"resistive_force\": true}}}], \"actuators\": [{\"name\": \"th\", \"type\": \"joint\", \"link\": \"hub\", "
      "\"mode\": \"position\"}]}";
  double turning[] = {0, 1};
  td_model *model = test_model_from_text(text);
  td_input_spec input = {.channel = "th", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = turning, .count = 2}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 0.5, NULL);
  recording r = {0};
  spec.inputs = &input, spec.input_count = 1;
  recording_ok(&r, model, &spec);
  is_silent(&r.statistics.warnings, "a hub in glycerin");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// In two seconds the vehicle's flagella on 5 points get 3.5 % of their way apart from those on 20, and 1.6 % by two
// functions more on as many points. What both together do is not said of functions.
START_TEST(what_points_do_to_a_motion_is_not_said_of_functions) {
  td_warnings warnings = run_first("uw", 2, false, false);
  const td_warning *points = for_this_motion(&warnings, "coarse_quadrature"),
                   *functions = for_this_motion(&warnings, "coarse_basis");
  ck_assert_msg(points && percent(points) > 2 && percent(points) < 6, "%s", points ? points->detail : "silent");
  ck_assert_msg(functions && percent(functions) > 1 && percent(functions) < 3, "%s",
                functions ? functions->detail : "silent");
}
END_TEST

// Within 3 s its tip is twisted by 0.048 rad, 8.5 % of its twist, more or less by four functions more on the same
// points, and nowhere by a hundredth of its length: that is what is said. On other points its contacts would be others.
START_TEST(a_twist_that_functions_change_is_said_as_a_twist_on_the_same_points) {
  td_warnings warnings = run_first("contact", 3, false, false);
  const td_warning *w = for_this_motion(&warnings, "coarse_basis");
  ck_assert(!find(&warnings, "coarse_quadrature"));
  ck_assert_msg(w && strstr(w->detail, "about its axis") && percent(w) > 6 && percent(w) < 12, "%s",
                w ? w->detail : "silent");
}
END_TEST

// Clamped at both ends, the middle pressed down by 0.4 % of the length: functions up to the second have P L^3 / (192 E
// I) 6.3 % too small, up to the fourth 1.4 %, up to the sixth 0.6 %.
START_TEST(a_stiff_beam_says_from_one_per_cent_of_its_deflection_on_what_functions_leave_out) {
  static const char form[] =
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"fixed\"}, \"body\": "
      "{\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": "
      "{\"young\": "
      "7e10, \"poisson\": 0.3, \"density\": 2700}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": "
      "%d}}}}], \"loops\": [{\"a\": {\"link\": \"rod\"}, \"b\": {\"link\": \"world\", "
      "\"pose\": {\"translation\": [1, 0, 0]}}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}}], \"loads\": "
      "[{\"link\": \"rod\", \"at\": 0.5, \"channels\": [null, null, null, null, null, \"f\"]}]}";
  static const struct {
    int order;
    double least, most; // %
  } cases[] = {{2, 5.5, 8}, {4, 1.2, 1.8}, {6, 0, 0}};
  const double EI = 7e10 * M_PI * 1e-8 / 4;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text, form, cases[i].order);
    answer a = equilibrium_once(test_model_from_text(text), "f", -0.004 * 192 * EI);
    const td_warning *w = find(&a.warnings, "coarse_basis");
    double said = w ? percent(w) : 0;
    ck_assert_msg(said >= cases[i].least && said <= cases[i].most, "order %d: %s", cases[i].order,
                  w ? w->detail : "silent");
  }
}
END_TEST

// Twenty elements leave 2.65 % of the deflection of a rod with a neck at its base out, forty 0.1 %.
START_TEST(elements_that_leave_a_part_of_a_neck_out_say_which) {
  const double force = 0.01;
  for (int elements = 20; elements <= 40; elements += 20) {
    answer a = equilibrium_once(necked("linear", elements, 3), "f", force);
    const td_warning *w = find(&a.warnings, "coarse_basis");
    double said = w ? percent(w) : 0;
    ck_assert_msg(elements == 20 ? fabs(said - 2.65) < 0.3 : !w, "%d: %s", elements, w ? w->detail : "silent");
  }
}
END_TEST

// Three arms that hang hardly bent from a plate: of next to no curvature a part is next to nothing.
START_TEST(curvatures_of_rods_that_are_stretched_and_not_bent_are_not_judged) {
  answer a = equilibrium_once(test_model_from_file(example("parallel", "model"), NULL), NULL, 0);
  is_silent(&a.warnings, "parallel");
}
END_TEST

START_TEST(a_run_that_was_interrupted_says_what_the_whole_run_says) {
  td_warnings whole = run_example("cdm", 4, false), resumed = run_example("cdm", 4, true);
  ck_assert(find(&whole, "coarse_quadrature") != NULL);
  ck_assert_int_eq(whole.count, resumed.count);
  for (int i = 0; i < whole.count; i++) ck_assert_str_eq(whole.list[i].detail, resumed.list[i].detail);
}
END_TEST

START_TEST(a_rod_of_order_0_that_falls_from_horizontal_says_that_its_order_is_too_low) {
  static const double q[1] = {0};
  for (int order = 0; order <= 5; order += 5) {
    td_model *model = bending_rod("legendre", order, 0, 1e7, GRAVITY);
    td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 1, order ? NULL : q);
    recording r = {0};
    recording_ok(&r, model, &spec);
    if (order)
      is_silent(&r.statistics.warnings, "order 5");
    else
      is_said(&r.statistics.warnings, "coarse_basis", ORDER_OF_ROD, "take order");
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// A soft heavy rod of two or three hermite elements snaps back when its tip is let go: it is right to 9e-4 of its
// length. Their fast strains are not orthogonal to the functions that are tried beside them, and are no reason for
// more.
static void snaps_back_in_silence(int elements, double t_end) {
  char body[512], what[32];
  snprintf(body, sizeof body,
           ROUND
           ", \"material\": {\"young\": 1e6, \"poisson\": 0.45, \"density\": 1000, \"viscosity\": 1e5}, \"strain\": "
           "{\"basis\": \"hermite\", \"order\": {\"bending_y\": %d}}",
           elements);
  td_model *model = cantilever(LEVEL, body, ", \"gravity\": [0, 0, -1.457]" TIP_LOAD);
  double t[] = {0, 4}, value[] = {36 * bending, 0};
  td_input_spec input = {.channel = "f", .signal = {.type = TD_SIGNAL_STEPS, .t = t, .value = value, .count = 2}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, t_end, NULL);
  recording r = {0};
  spec.initial = TD_INITIAL_EQUILIBRIUM;
  spec.inputs = &input, spec.input_count = 1;
  recording_ok(&r, model, &spec);
  snprintf(what, sizeof what, "hermite %d until %g s", elements, t_end);
  is_silent(&r.statistics.warnings, what);
  recording_free(&r);
  td_model_destroy(model);
}

START_TEST(fast_strains_of_elements_do_not_ask_for_more_of_them) {
  snaps_back_in_silence(2, 8);
  snaps_back_in_silence(3, 4.5);
}
END_TEST

// ------------------------------------------------------------------------------------------------ never a failure

START_TEST(robots_that_are_too_large_or_have_no_rods_are_not_judged) {
  td_model *rigid = test_model_from_file(example("ur10e-soft-gripper", "model"), NULL);
  td_resolution *none = td_resolution_create(rigid);
  td_resolution_look(none, &(td_resolution_state){.where = ""});
  td_resolution_tell(none, NULL);
  ck_assert(none == NULL);
  td_model_destroy(rigid);
}
END_TEST

// Three strains of 64 cubic elements are 579 coordinates.
START_TEST(a_rod_of_more_coordinates_than_are_judged_is_solved_as_before) {
  td_model *large = cantilever(
      LEVEL,
      ROUND ", " SOFT ", \"strain\": {\"basis\": \"cubic\", \"order\": {\"bending_y\": 64, \"bending_z\": 64, "
            "\"torsion\": 64}}",
      TIP_LOAD);
  ck_assert_int_gt(td_model_ndof(large), 512);
  ck_assert(td_resolution_create(large) == NULL);
  td_model_destroy(large);
}
END_TEST

// A force typed in the wrong unit asks for no functions, and no order would do.
START_TEST(a_force_far_beyond_what_a_rod_carries_is_a_question_of_units) {
  td_model *model = bending_rod("legendre", 0, 0, 1e6, TIP_LOAD);
  answer curved = equilibrium_once(bending_rod("legendre", 2, 0, 1e6, TIP_LOAD), "f", 1e6 * bending);
  const td_warning *w = find(&curved.warnings, "coarse_basis");
  ck_assert_ptr_nonnull(w);
  ck_assert_msg(strstr(w->detail, "check the units") != NULL, "%s", w->detail);
  answer strong = equilibrium(model, "f", 1e4 * bending), weak = equilibrium(model, "f", 10 * bending);
  ck_assert_int_eq(strong.warnings.count, 1);
  ck_assert_str_eq(strong.warnings.list[0].code, "coarse_basis");
  ck_assert_msg(strstr(strong.warnings.list[0].detail, "check the units") != NULL, "%s",
                strong.warnings.list[0].detail);
  ck_assert_msg(strstr(weak.warnings.list[0].detail, "take order") != NULL, "%s", weak.warnings.list[0].detail);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ contacts of a point
// each

typedef struct press {
  double reaction; // N
  answer equilibrium;
} press;

static bool on_pressed(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                       const td_error *failure) {
  press *p = context;
  ck_assert_msg(!failure, "%s", failure ? failure->message : "");
  p->reaction = result->lambda[0];
  return on_solved(&p->equilibrium, index, u, q, result, failure);
}

// A soft rod of 0.3 m along x whose base goes down by `way` onto an obstacle.
static press press_onto(const char *obstacle, const char *per, double stiffness, int points, double way) {
  char text[TEXT];
  press p = {0};
  td_run_statistics statistics;
  td_error err = {0};
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"prismatic\", "
           "\"axis\": \"z\"}, "
           "\"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": \"circle\", \"radius\": 0.006}, "
           "\"material\": "
           "{\"young\": 2e6, \"poisson\": 0.45, \"density\": 1100}, \"strain\": {\"basis\": \"legendre\", \"order\": "
           "{\"bending_y\": 6}}, \"quadrature\": {\"points\": %d}}}], \"actuators\": [{\"name\": \"hand\", \"type\": "
           "\"joint\", "
           "\"link\": \"rod\", \"mode\": \"position\"}], \"contacts\": [{%s, \"stiffness\": %g, \"per\": \"%s\"}]}",
           points, obstacle, stiffness, per);
  td_model *model = test_model_from_text(text);
  td_input_spec input = {.channel = "hand", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = -way}};
  td_statics_spec spec = {.inputs = &input, .input_count = 1};
  td_statics_hooks hooks = {.context = &p, .solved = on_pressed};
  p.equilibrium.n = td_model_ndof(model);
  td_statics_defaults(&spec.options);
  ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, &hooks, &statistics, &err), "%s", err.message);
  p.equilibrium.warnings = statistics.warnings;
  td_model_destroy(model);
  return p;
}

static const td_warning *said_of_contact(const press *p) {
  for (int i = 0; i < p->equilibrium.warnings.count; i++) {
    const td_warning *w = &p->equilibrium.warnings.list[i];
    if (!strcmp(w->code, "coarse_quadrature") && strstr(w->pointer, "/model/contacts/0/per")) return w;
  }
  return NULL;
}

#define POST                                                                                                           \
  "\"type\": \"cylinder_exterior\", \"axis\": \"y\", \"radius\": 0.02, \"pose\": {\"translation\": [0.17, 0, -0.026]}"
#define FLOOR "\"type\": \"plane\", \"axis\": \"z\", \"pose\": {\"translation\": [0, 0, -0.006]}"

START_TEST(points_that_lie_beside_a_post_say_that_they_press_wrongly_and_what_they_advise_presses_rightly) {
  press coarse = press_onto(POST, "point", 3000, 9, 0.02), fine = press_onto(POST, "point", 3000, 80, 0.02);
  const td_warning *w = said_of_contact(&coarse);
  ck_assert_msg(w, "%g N, %g N with 80 points: silent", coarse.reaction, fine.reaction);
  double stiffness = 0;
  int points = 0;
  ck_assert_msg(strstr(w->detail, "\"per\": \"length\""), "%s", w->detail);
  ck_assert_int_eq(
      sscanf(strstr(w->detail, "stiffness of "), "stiffness of %lf per metre, and %d", &stiffness, &points), 2);
  press advised = press_onto(POST, "length", stiffness, points, 0.02);
  press right = press_onto(POST, "length", stiffness, 3 * points, 0.02);
  ck_assert_double_gt(fabs(coarse.reaction / fine.reaction - 1), 0.1);
  ck_assert_double_lt(fabs(advised.reaction / right.reaction - 1), 0.02);
  ck_assert_double_lt(fabs(advised.reaction / fine.reaction - 1), 0.1); // softer on what touches
  for (int i = 0; i < advised.equilibrium.warnings.count; i++)
    ck_assert_str_ne(advised.equilibrium.warnings.list[i].code, "coarse_quadrature");
}
END_TEST

// At 30 mm at once it would stand with its middle below the post's.
START_TEST(a_base_that_is_put_behind_a_post_at_once_presses_on_it_from_the_side_it_came_from) {
  press less = press_onto(POST, "point", 3000, 40, 0.02), more = press_onto(POST, "point", 3000, 40, 0.03);
  ck_assert_double_lt(more.reaction, less.reaction); // downwards
  ck_assert_double_lt(less.reaction, 0);
  for (int i = 0; i < more.equilibrium.warnings.count; i++)
    ck_assert_str_ne(more.equilibrium.warnings.list[i].code, "contact_missed");
}
END_TEST

START_TEST(points_that_lie_close_or_flat_or_hardly_touch_say_nothing) {
  const press presses[] = {press_onto(POST, "point", 3000, 80, 0.02), press_onto(POST, "point", 3000, 40, 0.0002),
                           press_onto(FLOOR, "point", 3000, 9, 0.001), press_onto(FLOOR, "point", 10, 9, 0.01)};
  for (size_t i = 0; i < sizeof presses / sizeof *presses; i++) {
    const td_warning *w = said_of_contact(&presses[i]);
    ck_assert_msg(!w, "%zu, %g N: %s", i, presses[i].reaction, w ? w->detail : "");
  }
}
END_TEST

// A beam on a hinge and a slide: constant curvature takes 4/5 of the deflection by its weight, however small that is.
// The hinge turns by a two-hundredth, and what rods do beside joints that swing far did not count.
START_TEST(a_beam_on_hinges_that_hardly_turn_is_judged_by_how_little_it_moves) {
  for (int order = 0; order <= 2; order += 2) {
    char text[1536];
    snprintf(
        text, sizeof text,
        "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"rod\", \"joint\": "
        "{\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rod\", \"length\": 1, " ROUND
        ", \"material\": {\"young\": 5e9, \"poisson\": 0.3, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", "
        "\"order\": {\"bending_y\": %d, \"elongation\": 0}}}}, {\"name\": \"slide\", \"pose\": {\"translation\": "
        "[1, 0, 0]}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": "
        "0.01, \"inertia\": [1e-6, 1e-6, 1e-6]}}], \"loops\": [{\"a\": {\"link\": \"rod\"}, \"b\": {\"link\": "
        "\"slide\"}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}}]}",
        order);
    answer a = equilibrium_once(test_model_from_text(text), NULL, 0);
    ck_assert_double_gt(fabs(a.q[0]), 1e-6);
    ck_assert_double_lt(fabs(a.q[0]), 1e-2);
    if (order == 0) { // a quarter of what it moves, a fifth of what it should; seen from the hinge, which turns, less
      is_said(&a.warnings, "coarse_basis", ORDER_OF_ROD, "of what they have moved by");
      ck_assert_double_gt(percent(find(&a.warnings, "coarse_basis")), 20);
    } else
      is_silent(&a.warnings, "order 2");
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ advice

static int number_after(const td_warnings *warnings, const char *code, const char *words, int otherwise) {
  const td_warning *w = find(warnings, code);
  const char *at = w ? strstr(w->detail, words) : NULL;
  return at ? (int)fmax(otherwise, strtod(at + strlen(words), NULL)) : otherwise;
}

// Each of these took two to five rounds, one asked for order 0 of what has it.
START_TEST(who_does_what_is_advised_is_not_advised_again) {
  static const struct {
    const char *section, *basis, *more, *channel;
    int order, points;
    double load;
  } cases[] = {
      {"[0.02, 0.01]", "legendre", TIP_LOAD, "f", 0, 5, 0.4},
      {"[0.02, 0.01]", "chebyshev",
       ", \"loads\": [{\"link\": \"rod\", \"channels\": [null, null, null, \"f\", null, null]}], \"contacts\": "
       "[{\"type\": "
       "\"cylinder_exterior\", \"radius\": 0.15, \"axis\": \"y\", \"stiffness\": 10000, \"exponent\": 1, \"per\": "
       "\"length\", \"pose\": {\"translation\": [0.17, 0, -0.5]}}]",
       "f", 4, 5, 0.098},
      {"0.02", "chebyshev",
       ", \"actuators\": [{\"name\": \"f\", \"type\": \"tendon\", \"link\": \"rod\", \"routing\": {\"type\": "
       "\"helix\", "
       "\"radius\": 0.008, \"turns\": 2}}]",
       "f", 4, 5, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int order = cases[i].order, points = cases[i].points;
    for (int round = 0; round < 2; round++) {
      char body[1024];
      snprintf(body, sizeof body,
               "\"section\": {\"shape\": \"circle\", \"radius\": %s}, " SOFT
               ", \"strain\": {\"basis\": \"%s\", \"order\": {\"bending_y\": %d}}, \"quadrature\": {\"points\": %d}",
               cases[i].section, cases[i].basis, order, points);
      bool hangs = strstr(cases[i].more, "contacts") != NULL;
      answer a = equilibrium_once(cantilever(hangs ? "[0, 1.5707963267948966, 0]" : LEVEL, body, cases[i].more),
                                  cases[i].channel, cases[i].load);
      if (round == 1) {
        is_silent(&a.warnings, "as advised");
        break;
      }
      order = number_after(&a.warnings, "coarse_basis", "take order ", order);
      points = number_after(&a.warnings, "coarse_basis", " and ", points);
      points = number_after(&a.warnings, "coarse_quadrature", "take ", points);
      ck_assert_msg(order > cases[i].order || points > cases[i].points, "case %zu is silent", i);
      ck_assert_int_le(order, 12);
      ck_assert_int_le(points, 100);
    }
  }
}
END_TEST

TEST_MAIN(
    "resolution", a_comparison_with_a_finer_robot_is_part_of_the_work_that_is_told,
    a_beam_on_hinges_that_hardly_turn_is_judged_by_how_little_it_moves, who_does_what_is_advised_is_not_advised_again,
    a_base_that_is_put_behind_a_post_at_once_presses_on_it_from_the_side_it_came_from,
    points_that_lie_beside_a_post_say_that_they_press_wrongly_and_what_they_advise_presses_rightly,
    points_that_lie_close_or_flat_or_hardly_touch_say_nothing,
    a_force_far_beyond_what_a_rod_carries_is_a_question_of_units,
    a_tendon_wound_twice_around_a_rod_of_five_points_is_named, a_jet_that_falls_between_the_points_is_seen_all_the_same,
    a_notch_of_the_section_between_the_points_is_seen_all_the_same,
    the_error_of_strains_by_quadrature_is_estimated_within_a_factor_of_two,
    the_error_of_the_shape_by_the_basis_is_estimated_within_a_factor_of_two,
    a_heavy_rod_that_is_off_by_a_few_thousandths_of_its_length_says_so_wherever_its_equilibrium_is_taken,
    curvatures_of_rods_that_are_stretched_and_not_bent_are_not_judged,
    a_slender_rod_under_a_large_load_says_that_its_order_is_too_low_and_which_one_would_do,
    of_a_list_the_equilibrium_is_asked_that_needs_the_last_function_most,
    strains_that_are_wrong_where_the_shape_is_right_are_estimated_within_a_factor_of_two,
    what_a_basis_leaves_out_of_a_neck_is_estimated_within_a_fifth, elements_that_are_too_few_say_how_many_would_do,
    a_stiff_beam_of_order_0_under_a_small_load_is_said_to_be_wrong_by_a_part_of_its_deflection,
    rods_that_are_good_enough_say_nothing,
    a_run_of_the_cable_driven_manipulator_says_that_its_helices_have_too_few_points,
    shipped_robots_of_enough_points_say_nothing, drag_that_inertia_takes_up_for_an_instant_is_no_reason_for_more_points,
    what_points_do_to_a_motion_is_not_said_of_functions,
    a_twist_that_functions_change_is_said_as_a_twist_on_the_same_points,
    a_stiff_beam_says_from_one_per_cent_of_its_deflection_on_what_functions_leave_out,
    elements_that_leave_a_part_of_a_neck_out_say_which, a_shaft_says_what_functions_leave_out_of_its_twist,
    a_run_that_was_interrupted_says_what_the_whole_run_says,
    a_rod_of_order_0_that_falls_from_horizontal_says_that_its_order_is_too_low,
    fast_strains_of_elements_do_not_ask_for_more_of_them, robots_that_are_too_large_or_have_no_rods_are_not_judged,
    a_rod_of_more_coordinates_than_are_judged_is_solved_as_before)
