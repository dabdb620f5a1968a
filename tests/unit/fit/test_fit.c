// Bounded least squares: certified problems of NIST (Statistical Reference Datasets, nonlinear regression,
// itl.nist.gov/div898/strd), cminpack's lmder as a second route, and what has to be said of answers.
#include "support/suite.h"
#include "tendril/fit.h"
#include <cminpack.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8, SAMPLES = 40 };

// ------------------------------------------------------------------------------------------------ problems

typedef double (*curve)(double x, const double *b, double *slope);
typedef struct problem {
  const char *name;
  curve y;
  int n, samples;
  double x[SAMPLES], data[SAMPLES], start[2][MOST], best[MOST], deviation[MOST], squares;
  bool hard; // the first start leads astray, here and in lmder
} problem;

static double misra(double x, const double *b, double *s) {
  double e = exp(-b[1] * x);
  s[0] = 1 - e, s[1] = b[0] * x * e;
  return b[0] * (1 - e);
}

static double thurber(double x, const double *b, double *s) {
  double up = b[0] + x * (b[1] + x * (b[2] + x * b[3])), down = 1 + x * (b[4] + x * (b[5] + x * b[6]));
  for (int i = 0; i < 4; i++) s[i] = pow(x, i) / down;
  for (int i = 4; i < 7; i++) s[i] = -up * pow(x, i - 3) / (down * down);
  return up / down;
}

static double ratkowsky(double x, const double *b, double *s) {
  double e = exp(b[1] - b[2] * x), root = pow(1 + e, -1 / b[3]);
  s[0] = root, s[1] = -b[0] / b[3] * e * root / (1 + e), s[2] = -x * s[1];
  s[3] = b[0] / (b[3] * b[3]) * log(1 + e) * root;
  return b[0] * root;
}

static double eckerle(double x, const double *b, double *s) {
  double d = (x - b[2]) / b[1], g = exp(-0.5 * d * d) / b[1];
  s[0] = g, s[1] = b[0] * g * (d * d - 1) / b[1], s[2] = b[0] * g * d / b[1];
  return b[0] * g;
}

static double meyer(double x, const double *b, double *s) {
  double e = exp(b[1] / (x + b[2]));
  s[0] = e, s[1] = b[0] * e / (x + b[2]), s[2] = -b[1] * s[1] / (x + b[2]);
  return b[0] * e;
}

static const problem certified[] = {
    {"BoxBOD",
     misra,
     2,
     6,
     {1, 2, 3, 5, 7, 10},
     {109, 149, 149, 191, 213, 224},
     {{1, 1}, {100, 0.75}},
     {2.1380940889E+02, 5.4723748542E-01},
     {1.2354515176E+01, 1.0455993237E-01},
     1.1680088766E+03,
     true},
    {"Thurber",
     thurber,
     7,
     37,
     {-3.067, -2.981, -2.921, -2.912, -2.84,  -2.797, -2.702, -2.699, -2.633, -2.481, -2.363, -2.322, -1.501,
      -1.46,  -1.274, -1.212, -1.1,   -1.046, -.915,  -.714,  -.566,  -.545,  -.4,    -.309,  -.109,  -.103,
      .01,    .119,   .377,   .79,    .963,   1.006,  1.115,  1.572,  1.841,  2.047,  2.2},
     {80.574,   84.248,   87.264,   87.195,   89.076,   89.608,   89.868,   90.101,   92.405,   95.854,
      100.696,  101.06,   401.672,  390.724,  567.534,  635.316,  733.054,  759.087,  894.206,  990.785,
      1090.109, 1080.914, 1122.643, 1178.351, 1260.531, 1273.514, 1288.339, 1327.543, 1353.863, 1414.509,
      1425.208, 1421.384, 1442.962, 1464.35,  1468.705, 1447.894, 1457.628},
     {{1000, 1000, 400, 40, 0.7, 0.3, 0.03}, {1300, 1500, 500, 75, 1, 0.4, 0.05}},
     {1.2881396800E+03, 1.4910792535E+03, 5.8323836877E+02, 7.5416644291E+01, 9.6629502864E-01, 3.9797285797E-01,
      4.9727297349E-02},
     {4.6647963344E+00, 3.9571156086E+01, 2.8698696102E+01, 5.5675370270E+00, 3.1333340687E-02, 1.4984928198E-02,
      6.5842344623E-03},
     5.6427082397E+03,
     false},
    {"Rat43",
     ratkowsky,
     4,
     15,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     {16.08, 33.83, 65.80, 97.20, 191.55, 326.20, 386.87, 520.53, 590.03, 651.92, 724.93, 699.56, 689.96, 637.56,
      717.41},
     {{100, 10, 1, 1}, {700, 5, 0.75, 1.3}},
     {6.9964151270E+02, 5.2771253025E+00, 7.5962938329E-01, 1.2792483859E+00},
     {1.6302297817E+01, 2.0828735829E+00, 1.9566123451E-01, 6.8761936385E-01},
     8.7864049080E+03,
     false},
    {"Eckerle4",
     eckerle,
     3,
     35,
     {400,   405, 410,   415, 420,   425, 430,   435, 436.5, 438, 439.5, 441, 442.5, 444, 445.5, 447, 448.5, 450,
      451.5, 453, 454.5, 456, 457.5, 459, 460.5, 462, 463.5, 465, 470,   475, 480,   485, 490,   495, 500},
     {0.0001575, 0.0001699, 0.0002350, 0.0003102, 0.0004917, 0.0008710, 0.0017418, 0.0046400, 0.0065895,
      0.0097302, 0.0149002, 0.0237310, 0.0401683, 0.0712559, 0.1264458, 0.2073413, 0.2902366, 0.3445623,
      0.3698049, 0.3668534, 0.3106727, 0.2078154, 0.1164354, 0.0616764, 0.0337200, 0.0194023, 0.0117831,
      0.0074357, 0.0022732, 0.0008800, 0.0004579, 0.0002345, 0.0001586, 0.0001143, 0.0000710},
     {{1, 10, 500}, {1.5, 5, 450}},
     {1.5543827178E+00, 4.0888321754E+00, 4.5154121844E+02},
     {1.5408051163E-02, 4.6803020753E-02, 4.6800518816E-02},
     1.4635887487E-03,
     false},
    {"MGH10",
     meyer,
     3,
     16,
     {50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 115, 120, 125},
     {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872},
     {{2, 400000, 25000}, {0.02, 4000, 250}},
     {5.6096364710E-03, 6.1813463463E+03, 3.4522363462E+02},
     {1.5687892471E-04, 2.3309021107E+01, 7.8486103508E-01},
     8.7945855171E+01,
     true},
};
enum { PROBLEMS = sizeof certified / sizeof *certified };

typedef struct asked {
  const problem *of;
  int calls, with_slopes;
  double wrong;     // times each slope by the first unknown
  double forbidden; // nothing can be predicted where the first unknown is above; 0: everywhere
} asked;

static td_status predict(void *context, const double *p, double *y, double *dy_dp, td_error *err) {
  asked *a = context;
  double slope[MOST];
  a->calls++;
  a->with_slopes += dy_dp != NULL;
  if (a->forbidden > 0 && p[0] > a->forbidden) return td_fail(err, TD_NOT_CONVERGED, "", "no prediction");
  for (int i = 0; i < a->of->samples; i++) {
    y[i] = a->of->y(a->of->x[i], p, slope);
    if (a->wrong != 0) slope[0] *= a->wrong;
    if (dy_dp) memcpy(dy_dp + i * a->of->n, slope, (size_t)a->of->n * sizeof *slope);
  }
  return TD_OK;
}

static td_fit_spec make_spec(const problem *of, const double *start, td_unknown *unknowns, asked *a) {
  static const char *const names[MOST] = {"b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"};
  for (int j = 0; j < of->n; j++)
    unknowns[j] = (td_unknown){.name = names[j], .value = start[j], .lower = -INFINITY, .upper = INFINITY};
  *a = (asked){.of = of};
  td_fit_spec spec = {.unknowns = unknowns,
                      .count = (size_t)of->n,
                      .data = of->data,
                      .samples = (size_t)of->samples,
                      .predict = predict,
                      .context = a};
  td_fit_defaults(&spec.options);
  spec.options.max_iterations = 200;
  spec.options.tolerance = 1e-16; // to the last digits
  return spec;
}

static const td_warning *find_warning(const td_fit_result *r, const char *code) {
  for (int i = 0; i < r->warnings.count; i++)
    if (strcmp(r->warnings.list[i].code, code) == 0) return &r->warnings.list[i];
  return NULL;
}

// ------------------------------------------------------------------------------------------------ right answers

START_TEST(certified_parameters_and_deviations_are_found) {
  for (int k = 0; k < PROBLEMS; k++)
    for (int from = certified[k].hard; from < 2; from++) {
      const problem *of = &certified[k];
      td_unknown unknowns[MOST];
      asked a;
      double p[MOST], covariance[MOST * MOST];
      td_fit_spec spec = make_spec(of, of->start[from], unknowns, &a);
      td_fit_result r = {.p = p, .covariance = covariance};
      td_error err;
      ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, &err), TD_OK);
      ck_assert_msg(r.end == TD_FIT_CONVERGED, "%s from %d: %s after %d", of->name, from, td_fit_end_name(r.end),
                    r.iterations);
      ck_assert_double_eq_tol(2 * r.cost, of->squares, 1e-7 * of->squares);
      ck_assert_msg(r.derivative_error < 1e-3, "%s: %g", of->name, r.derivative_error);
      double sign = k == 3 && p[0] < 0 ? -1 : 1; // Eckerle4 is the same with b1 and b2 turned
      for (int j = 0; j < of->n; j++) {
        double deviation = sqrt(covariance[j * of->n + j]);
        ck_assert_msg(fabs((j < 2 ? sign : 1) * p[j] - of->best[j]) < 1e-5 * fabs(of->best[j]), "%s b%d: %.10g",
                      of->name, j + 1, p[j]);
        ck_assert_msg(fabs(deviation - of->deviation[j]) < 1e-4 * of->deviation[j], "%s b%d: +- %.10g", of->name, j + 1,
                      deviation);
      }
    }
}
END_TEST

// BoxBOD runs off to b2 = infinity, where the data do not tell it; MGH10 has a valley that takes 250 steps.
START_TEST(a_start_that_leads_astray_gives_no_answer_that_looks_right) {
  for (int k = 0; k < PROBLEMS; k++) {
    const problem *of = &certified[k];
    if (!of->hard) continue;
    td_unknown unknowns[MOST];
    asked a;
    double p[MOST];
    td_fit_spec spec = make_spec(of, of->start[0], unknowns, &a);
    td_fit_result r = {.p = p};
    ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
    ck_assert_double_gt(2 * r.cost, 1.01 * of->squares);
    ck_assert_msg(r.end != TD_FIT_CONVERGED || find_warning(&r, "unidentified"), "%s", of->name);
  }
}
END_TEST

static int residuals_for_minpack(void *context, int m, int n, const double *p, double *r, double *J, int ldj,
                                 int flag) {
  asked *a = context;
  double y[SAMPLES], slopes[SAMPLES * MOST];
  if (predict(a, p, y, slopes, NULL) != TD_OK) return -1;
  for (int i = 0; i < m; i++) {
    if (flag == 1) r[i] = y[i] - a->of->data[i];
    for (int j = 0; flag == 2 && j < n; j++) J[j * ldj + i] = slopes[i * n + j];
  }
  return 0;
}

START_TEST(cminpack_finds_the_same_in_about_as_many_predictions) {
  for (int k = 0; k < PROBLEMS; k++) {
    const problem *of = &certified[k];
    td_unknown unknowns[MOST];
    asked ours, theirs;
    double p[MOST], x[MOST], r[SAMPLES], J[SAMPLES * MOST], work[5 * MOST + SAMPLES];
    td_fit_spec spec = make_spec(of, of->start[1], unknowns, &ours);
    td_fit_result result = {.p = p};
    ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &result, NULL), TD_OK);
    theirs = (asked){.of = of};
    memcpy(x, of->start[1], sizeof x);
    int pivot[MOST];
    int info = lmder1(residuals_for_minpack, &theirs, of->samples, of->n, x, r, J, of->samples, 1e-12, pivot, work,
                      5 * of->n + of->samples);
    ck_assert_int_ge(info, 1);
    for (int j = 0; j < of->n; j++)
      ck_assert_msg(fabs(p[j] - x[j]) < 2e-6 * fabs(x[j]), "%s b%d: %.12g, theirs %.12g", of->name, j + 1, p[j], x[j]);
    ck_assert_msg(ours.calls < 2 * theirs.calls, "%s: %d, theirs %d", of->name, ours.calls, theirs.calls);
  }
}
END_TEST

// With y in units of sigma, x = ln p: the covariance is still that of p.
START_TEST(an_unknown_by_its_logarithm_has_the_same_answer_and_covariance) {
  const problem *of = &certified[0];
  td_unknown unknowns[MOST];
  asked a;
  double p[2], q[2], first[4], second[4], sigma[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) sigma[i] = 17;
  td_fit_spec spec = make_spec(of, of->start[1], unknowns, &a);
  spec.sigma = sigma;
  td_fit_result r = {.p = p, .covariance = first}, s = {.p = q, .covariance = second};
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  for (int j = 0; j < 2; j++) unknowns[j].log = true, unknowns[j].lower = 0;
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &s, NULL), TD_OK);
  for (int j = 0; j < 2; j++) ck_assert_double_eq_tol(p[j], q[j], 1e-6 * p[j]);
  for (int j = 0; j < 4; j++) ck_assert_double_eq_tol(first[j], second[j], 1e-5 * fabs(first[j]));
  ck_assert_double_eq_tol(r.misfit, sqrt(of->squares / 4) / 17, 1e-6);
}
END_TEST

START_TEST(missing_samples_weigh_nothing) {
  const problem *of = &certified[0];
  problem less = *of;
  td_unknown unknowns[MOST];
  asked a;
  double p[2], q[2], holes[6];
  memcpy(holes, of->data, sizeof holes);
  holes[2] = NAN;
  td_fit_spec spec = make_spec(of, of->start[1], unknowns, &a);
  spec.data = holes;
  td_fit_result r = {.p = p}, s = {.p = q};
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  ck_assert_uint_eq(r.used, 5);
  less.samples = 5;
  for (int i = 2; i < 5; i++) less.x[i] = of->x[i + 1], less.data[i] = of->data[i + 1];
  spec = make_spec(&less, of->start[1], unknowns, &a);
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &s, NULL), TD_OK);
  for (int j = 0; j < 2; j++) ck_assert_double_eq_tol(p[j], q[j], 1e-7 * p[j]);
}
END_TEST

// y = p0 + p1 x with a prior is a linear problem with a textbook answer: (A^T A / s^2 + P) p = A^T y / s^2 + P prior.
static double line(double x, const double *b, double *s) {
  s[0] = 1, s[1] = x;
  return b[0] + b[1] * x;
}
static const problem straight = {"line", line, 2, 4,    {0, 1, 2, 3}, {1.1, 2.9, 5.2, 6.8}, {{0.5, 0.5}, {0.5, 0.5}},
                                 {0},    {0},  0, false};

START_TEST(a_prior_is_one_more_measurement) {
  td_unknown unknowns[MOST];
  asked a;
  double p[2], covariance[4], sigma[4] = {0.5, 0.5, 0.5, 0.5};
  td_fit_spec spec = make_spec(&straight, straight.start[0], unknowns, &a);
  spec.sigma = sigma;
  unknowns[1].prior = 3, unknowns[1].prior_sigma = 0.1;
  td_fit_result r = {.p = p, .covariance = covariance};
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  double A = 4 * 4, B = 4 * 6, C = 4 * 14 + 100, f = 4 * 16, g = 4 * (2.9 + 10.4 + 20.4) + 300, det = A * C - B * B;
  ck_assert_double_eq_tol(p[0], (C * f - B * g) / det, 1e-8);
  ck_assert_double_eq_tol(p[1], (A * g - B * f) / det, 1e-8);
  ck_assert_double_eq_tol(covariance[0], C / det, 1e-8);
  ck_assert_double_eq_tol(covariance[3], A / det, 1e-8);
}
END_TEST

// ------------------------------------------------------------------------------------------------ bounds and starts

// Of a convex problem the least cost on a face is the answer where the free one lies outside.
START_TEST(what_lies_beyond_a_bound_ends_at_it_and_says_so) {
  td_unknown unknowns[MOST];
  asked a;
  bool at_bound[2];
  double p[2], covariance[4], sigma[4] = {1, 1, 1, 1};
  td_fit_spec spec = make_spec(&straight, straight.start[0], unknowns, &a);
  spec.sigma = sigma;
  unknowns[1].upper = 1.5; // 1.94 without
  td_fit_result r = {.p = p, .covariance = covariance, .at_bound = at_bound};
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  ck_assert_int_eq(r.end, TD_FIT_CONVERGED);
  ck_assert_double_eq(p[1], 1.5);
  ck_assert_double_eq_tol(p[0], 4 - 1.5 * 1.5, 1e-9); // mean of y - 1.5 x
  ck_assert(at_bound[1] && !at_bound[0]);
  ck_assert_double_eq_tol(covariance[0], 0.25, 1e-9);
  ck_assert(isnan(covariance[3]));
  ck_assert_str_eq(find_warning(&r, "fit_at_bound")->pointer, "/parameters/1");
}
END_TEST

// sin(b x): many minima, one of them deep.
static double wave(double x, const double *b, double *s) {
  s[0] = x * cos(b[0] * x);
  return sin(b[0] * x);
}

START_TEST(random_starts_find_the_deep_minimum_and_the_same_one_every_time) {
  problem of = {"wave", wave, 1, 20, {0}, {0}, {{1.2}, {1.2}}, {0}, {0}, 0, false};
  for (int i = 0; i < 20; i++) of.x[i] = 0.3 * i, of.data[i] = sin(7 * of.x[i]) + 0.01 * (i % 3 - 1);
  td_unknown unknowns[MOST];
  asked a;
  double p, again;
  td_fit_spec spec = make_spec(&of, of.start[0], unknowns, &a);
  unknowns[0].lower = 0.5, unknowns[0].upper = 9.5;
  td_fit_result r = {.p = &p}, s = {.p = &again};
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  ck_assert_double_gt(fabs(p - 7), 0.5); // one start is not enough here
  spec.options.starts = 30;
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &s, NULL), TD_OK);
  ck_assert_double_eq_tol(p, 7, 0.01);
  ck_assert_double_eq(p, again);
  ck_assert_int_gt(r.start, 0);
}
END_TEST

START_TEST(where_nothing_can_be_predicted_the_search_stays_away) {
  const problem *of = &certified[0];
  td_unknown unknowns[MOST];
  asked a;
  double p[2];
  td_fit_spec spec = make_spec(of, of->start[1], unknowns, &a);
  a.forbidden = 215; // the answer is at 213.8
  td_fit_result r = {.p = p};
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  ck_assert_double_eq_tol(p[0], of->best[0], 1e-5 * p[0]);
  a.forbidden = 50; // the start is at 100
  td_error err;
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, &err), TD_NOT_CONVERGED);
  ck_assert_str_eq(err.message, "no prediction");
}
END_TEST

// ------------------------------------------------------------------------------------------------ guards

// y = p0 p1 x: the data tell the product alone.
static double product(double x, const double *b, double *s) {
  s[0] = b[1] * x, s[1] = b[0] * x;
  return b[0] * b[1] * x;
}

START_TEST(what_the_data_cannot_tell_apart_is_named) {
  problem of = {"product", product, 2, 4, {1, 2, 3, 4}, {2.1, 3.9, 6.1, 8}, {{1, 1}, {1, 1}}, {0}, {0}, 0, false};
  td_unknown unknowns[MOST];
  asked a;
  double p[2], covariance[4], singular[2], directions[4], sigma[4] = {.1, .1, .1, .1};
  td_fit_spec spec = make_spec(&of, of.start[0], unknowns, &a);
  spec.sigma = sigma;
  for (int j = 0; j < 2; j++) unknowns[j].log = true, unknowns[j].lower = 0.01, unknowns[j].upper = 100;
  td_fit_result r = {.p = p, .covariance = covariance, .singular_values = singular, .directions = directions};
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  ck_assert_double_eq_tol(p[0] * p[1], 2.01, 0.02);
  ck_assert_double_lt(singular[1], 1e-7 * singular[0]);
  ck_assert_double_eq_tol(directions[2], -directions[3], 1e-6);
  ck_assert(isinf(covariance[0]) && isinf(covariance[3]));
  const td_warning *w = find_warning(&r, "unidentified");
  ck_assert_ptr_nonnull(w);
  ck_assert_msg(strstr(w->detail, "0.71 ln(b1) - 0.71 ln(b2)") || strstr(w->detail, "0.71 ln(b2) - 0.71 ln(b1)"), "%s",
                w->detail);
  unknowns[0].prior = 1, unknowns[0].prior_sigma = 0.01; // with that it is told
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  ck_assert_ptr_null(find_warning(&r, "unidentified"));
  ck_assert_double_eq_tol(covariance[0], 1e-4, 1e-6);
}
END_TEST

// Two numbers, of four unknowns: y = k0 / m0 at 1, k1 / m1 at 2.
static double ratios(double x, const double *b, double *s) {
  int j = x > 1.5;
  for (int i = 0; i < 4; i++) s[i] = 0;
  s[j] = 1 / b[2 + j], s[2 + j] = -b[j] / (b[2 + j] * b[2 + j]);
  return b[j] / b[2 + j];
}

// The same unknowns in another order.
static const int *turned;
static double turned_ratios(double x, const double *b, double *s) {
  double own[4], slope[4];
  for (int i = 0; i < 4; i++) own[turned[i]] = b[i];
  double y = ratios(x, own, slope);
  for (int i = 0; i < 4; i++) s[i] = slope[turned[i]];
  return y;
}

START_TEST(combinations_that_nothing_tells_are_named_whatever_the_order) {
  static const int orders[][4] = {{0, 1, 2, 3}, {2, 3, 1, 0}, {3, 0, 1, 2}, {1, 3, 0, 2}};
  static const char *const names[] = {"k0", "k1", "m0", "m1"};
  for (int o = 0; o < 4; o++) {
    problem of = {"ratios", turned_ratios, 4, 2, {1, 2}, {2.1, 3.9}, {{1, 1, 1, 1}, {1, 1, 1, 1}}, {0}, {0}, 0, false};
    td_unknown unknowns[MOST];
    asked a;
    double p[4], sigma[2] = {.1, .1};
    int said = 0;
    turned = orders[o];
    td_fit_spec spec = make_spec(&of, of.start[0], unknowns, &a);
    spec.sigma = sigma;
    for (int j = 0; j < 4; j++)
      unknowns[j].name = names[turned[j]], unknowns[j].log = true, unknowns[j].lower = 0.01, unknowns[j].upper = 100;
    td_fit_result r = {.p = p};
    ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
    bool first = false, second = false;
    for (int i = 0; i < r.warnings.count; i++) {
      const td_warning *w = &r.warnings.list[i];
      if (strcmp(w->code, "unidentified") != 0) continue;
      said++;
      first = first || strstr(w->detail, "do not tell 0.71 ln(k0) + 0.71 ln(m0):");
      second = second || strstr(w->detail, "do not tell 0.71 ln(k1) + 0.71 ln(m1):");
    }
    ck_assert_msg(said == 2 && first && second, "order %d: %d are named", o, said);
  }
}
END_TEST

START_TEST(a_combination_is_named_by_the_sizes_of_its_numbers) {
  problem of = {"product", product, 2, 4, {1, 2, 3, 4}, {2.1, 3.9, 6.1, 8}, {{1, 1}, {1, 1}}, {0}, {0}, 0, false};
  td_unknown unknowns[MOST];
  asked a;
  double p[2], sigma[4] = {.1, .1, .1, .1};
  td_fit_spec spec = make_spec(&of, of.start[0], unknowns, &a);
  spec.sigma = sigma;
  unknowns[0].value = 1e3, unknowns[1].value = 1e-3; // b1 b2 is told; both have the same bounds
  for (int j = 0; j < 2; j++) unknowns[j].lower = 1e-4, unknowns[j].upper = 1e4;
  td_fit_result r = {.p = p};
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  const td_warning *w = find_warning(&r, "unidentified");
  ck_assert_ptr_nonnull(w);
  ck_assert_msg(strstr(w->detail, "0.71 (b1 / ") && strstr(w->detail, "0.71 (b2 / "), "%s", w->detail);
}
END_TEST

static double sum(double x, const double *b, double *s) {
  s[0] = s[1] = x;
  return x * (b[0] + b[1]);
}

// Only the sum is told; the search ends where one of them is 0 or hardly anything.
START_TEST(a_number_whose_best_value_is_0_takes_part_in_what_nothing_tells) {
  static const double starts[][2] = {{0.02, 0.03}, {0.02, 0.0302}, {0.1, 0.1}, {0.03, 0.02}, {1e-3, 0.5}};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    problem of = {"sum", sum, 2, 4, {1, 2, 3, 4}, {.01, .02, .03, .04}, {{0, 0}, {0, 0}}, {0}, {0}, 0, false};
    td_unknown unknowns[MOST];
    asked a;
    double p[2], covariance[4], sigma[4] = {1e-4, 1e-4, 1e-4, 1e-4};
    td_fit_spec spec = make_spec(&of, starts[i], unknowns, &a);
    spec.sigma = sigma;
    for (int j = 0; j < 2; j++) unknowns[j].lower = -1, unknowns[j].upper = 1;
    td_fit_result r = {.p = p, .covariance = covariance};
    ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
    ck_assert_double_eq_tol(p[0] + p[1], 0.01, 1e-9);
    ck_assert_msg(isinf(covariance[0]) && isinf(covariance[3]), "%g, %g: deviations^2 %g, %g", p[0], p[1],
                  covariance[0], covariance[3]);
    const td_warning *w = find_warning(&r, "unidentified");
    ck_assert_ptr_nonnull(w);
    ck_assert_msg(strstr(w->detail, "(b1 / ") && strstr(w->detail, " - ") && strstr(w->detail, "(b2 / "), "%s",
                  w->detail);
  }
}
END_TEST

START_TEST(wrong_derivatives_are_told_whichever_column_and_however_the_search_ended) {
  const problem *of = &certified[0];
  static const double wrongs[] = {0.5, 1.2, -1};
  for (int k = 0; k < 3; k++) {
    td_unknown unknowns[MOST];
    asked a;
    double p[2];
    td_fit_spec spec = make_spec(of, of->start[1], unknowns, &a);
    a.wrong = wrongs[k];
    spec.options.max_iterations = 100;
    td_fit_result r = {.p = p};
    ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
    ck_assert_msg(find_warning(&r, "wrong_derivative") != NULL, "slope times %g: %g", wrongs[k], r.derivative_error);
    if (wrongs[k] < 0) ck_assert_int_eq(r.end, TD_FIT_STALLED);
  }
}
END_TEST

static double compliance(double x, const double *b, double *s) {
  s[0] = -x / (b[0] * b[0]);
  return x / b[0];
}

START_TEST(a_first_value_that_is_far_off_makes_no_derivative_wrong) {
  problem of = {"compliance",   compliance, 1,   4, {1, 2, 3, 4}, {0.31, 0.6, 0.93, 1.21},
                {{1e6}, {1e6}}, {0},        {0}, 0, false};
  for (int k = 0; k < 2; k++) {
    td_unknown unknowns[MOST];
    asked a;
    double p[1];
    td_fit_spec spec = make_spec(&of, of.start[0], unknowns, &a);
    unknowns[0].lower = 0.1, unknowns[0].upper = k ? 1e7 : INFINITY;
    spec.options.max_iterations = 200;
    td_fit_result r = {.p = p};
    ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
    ck_assert_double_eq_tol(p[0], 30 / (0.31 + 1.2 + 2.79 + 4.84), 1e-4);
    ck_assert_msg(r.derivative_error < 1e-4 && !find_warning(&r, "wrong_derivative"), "off by %g", r.derivative_error);
  }
}
END_TEST

START_TEST(residuals_that_sigma_does_not_explain_are_told) {
  static const struct {
    double sigma;
    bool odd;
  } cases[] = {
      {1, true}, {7, true}, {9, false}, {14, false}, {200, false}}; // 13.7 is right; of 30 more than 1.65 is odd
  for (int k = 0; k < 5; k++) {
    const problem *of = &certified[1];
    td_unknown unknowns[MOST];
    asked a;
    double p[MOST], sigma[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) sigma[i] = cases[k].sigma;
    td_fit_spec spec = make_spec(of, of->start[1], unknowns, &a);
    spec.sigma = sigma;
    td_fit_result r = {.p = p};
    ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
    bool told = find_warning(&r, "misfit") != NULL;
    ck_assert_msg(told == (cases[k].odd || cases[k].sigma > 100), "sigma %g: %g", cases[k].sigma, r.misfit);
  }
}
END_TEST

// What finer steps would give: all of it by 2 % more, which the first unknown is in proportion to, the second not at all.
static td_status predict_more(void *context, const double *p, double *y, double *dy_dp, td_error *err) {
  td_status status = predict(context, p, y, dy_dp, err);
  for (int i = 0; i < ((asked *)context)->of->samples; i++) y[i] *= 1.02;
  return status;
}

START_TEST(steps_that_move_an_unknown_by_more_than_its_deviation_are_told) {
  const problem *of = &certified[0]; // 213.8 +- 12.4 where sigma is 17.1
  for (int k = 0; k < 2; k++) {
    td_unknown unknowns[MOST];
    asked a;
    double p[MOST], covariance[MOST * MOST], sigma[SAMPLES], told;
    for (int i = 0; i < SAMPLES; i++) sigma[i] = k == 0 ? 17.1 : 1.71;
    td_fit_spec spec = make_spec(of, of->start[1], unknowns, &a);
    spec.sigma = sigma;
    spec.predict_finer = predict_more;
    td_fit_result r = {.p = p, .covariance = covariance};
    ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
    const td_warning *w = find_warning(&r, "coarse_step");
    ck_assert_int_eq(w != NULL, k == 1);
    if (!w) continue;
    ck_assert_str_eq(w->pointer, "/parameters/0");
    ck_assert_int_eq(sscanf(strstr(w->detail, "come out as "), "come out as %lf", &told), 1);
    ck_assert_double_eq_tol(told, p[0] / 1.02, 1e-3 * p[0]);
    ck_assert_ptr_nonnull(strstr(w->detail, "lower"));
  }
}
END_TEST

START_TEST(a_search_that_is_cut_short_says_so) {
  const problem *of = &certified[4];
  td_unknown unknowns[MOST];
  asked a;
  double p[MOST];
  td_fit_spec spec = make_spec(of, of->start[1], unknowns, &a);
  spec.options.max_iterations = 3;
  td_fit_result r = {.p = p};
  ck_assert_int_eq(td_fit_run(&spec, NULL, NULL, 0, &r, NULL), TD_OK);
  ck_assert_int_eq(r.end, TD_FIT_EXHAUSTED);
  ck_assert_int_eq(r.iterations, 3);
}
END_TEST

START_TEST(what_cannot_be_asked_is_refused_at_its_place) {
  td_unknown unknowns[MOST];
  asked a;
  td_error err;
  td_fit_spec spec = make_spec(&straight, straight.start[0], unknowns, &a);
  unknowns[1].upper = 0.4;
  ck_assert_int_eq(td_fit_check(&spec, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/parameters/1/upper");
  unknowns[1].upper = INFINITY;
  spec.options.starts = 2;
  ck_assert_int_eq(td_fit_check(&spec, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/parameters/0/upper");
  spec.options.starts = 1;
  unknowns[0].log = true, unknowns[0].lower = 0, unknowns[0].value = 0;
  ck_assert_int_eq(td_fit_check(&spec, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/parameters/0/scale");
  unknowns[0].log = false, unknowns[0].prior_sigma = 1; // no sigma of data
  ck_assert_int_eq(td_fit_check(&spec, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/parameters/0/prior");
}
END_TEST

// ------------------------------------------------------------------------------------------------ resuming

typedef struct tape {
  double states[64][64], costs[256];
  size_t size;
  int count, stop;
} tape;

static bool on_iteration(void *context, const td_fit_iteration *now) {
  tape *t = context;
  ck_assert_uint_le(now->state_size, sizeof t->states[0]);
  if (t->count < 64) memcpy(t->states[t->count], now->state, now->state_size);
  t->size = now->state_size;
  t->costs[t->count++] = now->cost;
  return t->count != t->stop;
}

START_TEST(a_fit_goes_on_from_any_iteration_with_the_same_bits) {
  const problem *of = &certified[2];
  td_unknown unknowns[MOST];
  asked a;
  static tape whole, rest;
  whole = (tape){.stop = -1};
  double p[MOST], q[MOST], c[16], d[16];
  td_fit_spec spec = make_spec(of, of->start[0], unknowns, &a);
  spec.options.starts = 2;
  for (int j = 0; j < of->n; j++) unknowns[j].lower = 0.1, unknowns[j].upper = 1000;
  td_fit_result r = {.p = p, .covariance = c}, s = {.p = q, .covariance = d};
  td_fit_hooks hooks = {&whole, on_iteration};
  ck_assert_int_eq(td_fit_run(&spec, &hooks, NULL, 0, &r, NULL), TD_OK);
  ck_assert_int_gt(whole.count, 5);
  for (int from = 0; from < whole.count && from < 64; from += 3) {
    rest = (tape){.stop = -1};
    td_fit_hooks again = {&rest, on_iteration};
    ck_assert_int_eq(td_fit_run(&spec, &again, whole.states[from], whole.size, &s, NULL), TD_OK);
    ck_assert_int_eq(rest.count, whole.count - from - 1);
    ck_assert_mem_eq(rest.costs, whole.costs + from + 1, (size_t)rest.count * sizeof(double));
    ck_assert_mem_eq(p, q, (size_t)of->n * sizeof *p);
    ck_assert_mem_eq(c, d, (size_t)(of->n * of->n) * sizeof *c);
    ck_assert_uint_eq(r.predictions, s.predictions);
  }
}
END_TEST

START_TEST(a_fit_that_is_stopped_has_its_best_and_the_state_says_the_same) {
  const problem *of = &certified[0];
  td_unknown unknowns[MOST];
  asked a;
  static tape t;
  t = (tape){.stop = 3};
  double p[2], q[2], covariance[4];
  td_fit_spec spec = make_spec(of, of->start[1], unknowns, &a);
  td_fit_hooks hooks = {&t, on_iteration};
  td_fit_result r = {.p = p}, s = {.p = q, .covariance = covariance};
  ck_assert_int_eq(td_fit_run(&spec, &hooks, NULL, 0, &r, NULL), TD_CANCELLED);
  ck_assert_int_eq(r.end, TD_FIT_RUNNING);
  ck_assert_double_eq(r.cost, t.costs[2]);
  int calls = a.calls;
  ck_assert_int_eq(td_fit_peek(&spec, t.states[2], t.size, &s, NULL), TD_OK);
  ck_assert_int_eq(a.calls, calls);
  ck_assert_mem_eq(p, q, sizeof p);
  ck_assert(isfinite(covariance[0]));
  td_error err;
  ck_assert_int_eq(td_fit_peek(&spec, t.states[2], t.size - 8, &s, &err), TD_INVALID_ARGUMENT);
}
END_TEST

TEST_MAIN("fit", certified_parameters_and_deviations_are_found,
          a_start_that_leads_astray_gives_no_answer_that_looks_right,
          cminpack_finds_the_same_in_about_as_many_predictions,
          an_unknown_by_its_logarithm_has_the_same_answer_and_covariance, missing_samples_weigh_nothing,
          a_prior_is_one_more_measurement, what_lies_beyond_a_bound_ends_at_it_and_says_so,
          random_starts_find_the_deep_minimum_and_the_same_one_every_time,
          where_nothing_can_be_predicted_the_search_stays_away, what_the_data_cannot_tell_apart_is_named,
          a_number_whose_best_value_is_0_takes_part_in_what_nothing_tells,
          a_combination_is_named_by_the_sizes_of_its_numbers,
          combinations_that_nothing_tells_are_named_whatever_the_order,
          wrong_derivatives_are_told_whichever_column_and_however_the_search_ended,
          a_first_value_that_is_far_off_makes_no_derivative_wrong, residuals_that_sigma_does_not_explain_are_told,
          steps_that_move_an_unknown_by_more_than_its_deviation_are_told, a_search_that_is_cut_short_says_so,
          what_cannot_be_asked_is_refused_at_its_place, a_fit_goes_on_from_any_iteration_with_the_same_bits,
          a_fit_that_is_stopped_has_its_best_and_the_state_says_the_same)
