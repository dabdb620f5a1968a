// Searches against problems of Hock and Schittkowski (Test Examples for Nonlinear Programming Codes, 1981; HS and their
// numbers) whose optima are known: an end that is called converged is the optimum within a millionth, whatever the
// method and the weight of the objective.
#include "support/suite.h"
#include "tendril/design.h"
#include <math.h>
#include <string.h>

enum { MOST = 10, CONSTRAINTS = 8 };

// f and c <= 0 at x, with df [n] and dc [m][n], which are zero before.
typedef double (*problem_at)(const double *x, double *df, double *c, double *dc);

typedef struct problem {
  const char *name;
  size_t n, m;
  double best;
  double start[MOST], lower[MOST], upper[MOST];
  problem_at at;
} problem;

static double hs5(const double *x, double *df, double *c, double *dc) {
  (void)c, (void)dc;
  double cosine = cos(x[0] + x[1]), off = 2 * (x[0] - x[1]);
  df[0] = cosine + off - 1.5, df[1] = cosine - off + 2.5;
  return sin(x[0] + x[1]) + off * off / 4 - 1.5 * x[0] + 2.5 * x[1] + 1;
}

static double hs10(const double *x, double *df, double *c, double *dc) {
  c[0] = 3 * x[0] * x[0] - 2 * x[0] * x[1] + x[1] * x[1] - 1;
  dc[0] = 6 * x[0] - 2 * x[1], dc[1] = 2 * x[1] - 2 * x[0];
  df[0] = 1, df[1] = -1;
  return x[0] - x[1];
}

static double hs11(const double *x, double *df, double *c, double *dc) {
  c[0] = x[0] * x[0] - x[1];
  dc[0] = 2 * x[0], dc[1] = -1;
  df[0] = 2 * (x[0] - 5), df[1] = 2 * x[1];
  return pow(x[0] - 5, 2) + x[1] * x[1] - 25;
}

static double hs12(const double *x, double *df, double *c, double *dc) {
  c[0] = 4 * x[0] * x[0] + x[1] * x[1] - 25;
  dc[0] = 8 * x[0], dc[1] = 2 * x[1];
  df[0] = x[0] - x[1] - 7, df[1] = 2 * x[1] - x[0] - 7;
  return 0.5 * x[0] * x[0] + x[1] * x[1] - x[0] * x[1] - 7 * x[0] - 7 * x[1];
}

static double hs22(const double *x, double *df, double *c, double *dc) {
  c[0] = x[0] + x[1] - 2, c[1] = x[0] * x[0] - x[1];
  dc[0] = dc[1] = 1, dc[2] = 2 * x[0], dc[3] = -1;
  df[0] = 2 * (x[0] - 2), df[1] = 2 * (x[1] - 1);
  return pow(x[0] - 2, 2) + pow(x[1] - 1, 2);
}

static double hs24(const double *x, double *df, double *c, double *dc) {
  static const double root = 1.7320508075688772;
  double a = (pow(x[0] - 3, 2) - 9) / (27 * root), cube = x[1] * x[1] * x[1];
  c[0] = x[1] - x[0] / root, c[1] = -x[0] - root * x[1], c[2] = x[0] + root * x[1] - 6;
  dc[0] = -1 / root, dc[1] = 1, dc[2] = -1, dc[3] = -root, dc[4] = 1, dc[5] = root;
  df[0] = 2 * (x[0] - 3) * cube / (27 * root), df[1] = 3 * a * x[1] * x[1];
  return a * cube;
}

static double product(const double *x, double *df) {
  for (int i = 0; i < 3; i++) df[i] = -x[(i + 1) % 3] * x[(i + 2) % 3];
  return -x[0] * x[1] * x[2];
}

static double hs29(const double *x, double *df, double *c, double *dc) {
  c[0] = x[0] * x[0] + 2 * x[1] * x[1] + 4 * x[2] * x[2] - 48;
  dc[0] = 2 * x[0], dc[1] = 4 * x[1], dc[2] = 8 * x[2];
  return product(x, df);
}

static double hs31(const double *x, double *df, double *c, double *dc) {
  c[0] = 1 - x[0] * x[1];
  dc[0] = -x[1], dc[1] = -x[0];
  df[0] = 18 * x[0], df[1] = 2 * x[1], df[2] = 18 * x[2];
  return 9 * x[0] * x[0] + x[1] * x[1] + 9 * x[2] * x[2];
}

static double hs34(const double *x, double *df, double *c, double *dc) {
  c[0] = exp(x[0]) - x[1], c[1] = exp(x[1]) - x[2];
  dc[0] = exp(x[0]), dc[1] = -1, dc[4] = exp(x[1]), dc[5] = -1;
  df[0] = -1;
  return -x[0];
}

static double hs35(const double *x, double *df, double *c, double *dc) {
  c[0] = x[0] + x[1] + 2 * x[2] - 3;
  dc[0] = dc[1] = 1, dc[2] = 2;
  df[0] = -8 + 4 * x[0] + 2 * x[1] + 2 * x[2], df[1] = -6 + 4 * x[1] + 2 * x[0], df[2] = -4 + 2 * x[2] + 2 * x[0];
  return 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] * x[0] + 2 * x[1] * x[1] + x[2] * x[2] + 2 * x[0] * x[1] +
         2 * x[0] * x[2];
}

static double hs36(const double *x, double *df, double *c, double *dc) {
  c[0] = x[0] + 2 * x[1] + 2 * x[2] - 72;
  dc[0] = 1, dc[1] = dc[2] = 2;
  return product(x, df);
}

static double hs37(const double *x, double *df, double *c, double *dc) {
  c[1] = -x[0] - 2 * x[1] - 2 * x[2];
  dc[3] = -1, dc[4] = dc[5] = -2;
  return hs36(x, df, c, dc);
}

static double hs43(const double *x, double *df, double *c, double *dc) {
  static const double twice[4] = {5, 5, 21, -7};
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    sum += x[i] * x[i];
    df[i] = (i == 2 ? 4 : 2) * x[i] - twice[i];
    for (int k = 0; k < 3; k++) dc[4 * k + i] = 2 * x[i];
  }
  c[0] = sum + x[0] - x[1] + x[2] - x[3] - 8;
  c[1] = sum + x[1] * x[1] + x[3] * x[3] - x[0] - x[3] - 10;
  c[2] = sum + x[0] * x[0] - x[3] * x[3] + 2 * x[0] - x[1] - x[3] - 5;
  dc[0] += 1, dc[1] -= 1, dc[2] += 1, dc[3] -= 1;
  dc[4] -= 1, dc[5] *= 2, dc[7] = 2 * dc[7] - 1;
  dc[8] = 2 * dc[8] + 2, dc[9] -= 1, dc[11] = -1;
  return sum + x[2] * x[2] - 5 * x[0] - 5 * x[1] - 21 * x[2] + 7 * x[3];
}

static double hs66(const double *x, double *df, double *c, double *dc) {
  double ignored[3];
  (void)hs34(x, ignored, c, dc);
  df[0] = -0.8, df[2] = 0.2;
  return 0.2 * x[2] - 0.8 * x[0];
}

static double hs76(const double *x, double *df, double *c, double *dc) {
  static const double wall[3][5] = {{1, 2, 1, 1, 5}, {3, 1, 2, -1, 4}, {0, -1, -4, 0, -1.5}};
  for (int k = 0; k < 3; k++) {
    c[k] = -wall[k][4];
    for (int i = 0; i < 4; i++) c[k] += wall[k][i] * x[i], dc[4 * k + i] = wall[k][i];
  }
  df[0] = 2 * x[0] - x[2] - 1, df[1] = x[1] - 3, df[2] = 2 * x[2] - x[0] + x[3] + 1, df[3] = x[3] + x[2] - 1;
  return x[0] * x[0] + 0.5 * x[1] * x[1] + x[2] * x[2] + 0.5 * x[3] * x[3] - x[0] * x[2] + x[2] * x[3] - x[0] -
         3 * x[1] + x[2] - x[3];
}

static double hs100(const double *x, double *df, double *c, double *dc) {
  c[0] = 2 * x[0] * x[0] + 3 * pow(x[1], 4) + x[2] + 4 * x[3] * x[3] + 5 * x[4] - 127;
  c[1] = 7 * x[0] + 3 * x[1] + 10 * x[2] * x[2] + x[3] - x[4] - 282;
  c[2] = 23 * x[0] + x[1] * x[1] + 6 * x[5] * x[5] - 8 * x[6] - 196;
  c[3] = 4 * x[0] * x[0] + x[1] * x[1] - 3 * x[0] * x[1] + 2 * x[2] * x[2] + 5 * x[5] - 11 * x[6];
  double slopes[4][7] = {{4 * x[0], 12 * pow(x[1], 3), 1, 8 * x[3], 5},
                         {7, 3, 20 * x[2], 1, -1},
                         {23, 2 * x[1], 0, 0, 0, 12 * x[5], -8},
                         {8 * x[0] - 3 * x[1], 2 * x[1] - 3 * x[0], 4 * x[2], 0, 0, 5, -11}};
  memcpy(dc, slopes, sizeof slopes);
  double own[7] = {2 * (x[0] - 10),
                   10 * (x[1] - 12),
                   4 * pow(x[2], 3),
                   6 * (x[3] - 11),
                   60 * pow(x[4], 5),
                   14 * x[5] - 4 * x[6] - 10,
                   4 * pow(x[6], 3) - 4 * x[5] - 8};
  memcpy(df, own, sizeof own);
  return pow(x[0] - 10, 2) + 5 * pow(x[1] - 12, 2) + pow(x[2], 4) + 3 * pow(x[3] - 11, 2) + 10 * pow(x[4], 6) +
         7 * x[5] * x[5] + pow(x[6], 4) - 4 * x[5] * x[6] - 10 * x[5] - 8 * x[6];
}

static double hs72(const double *x, double *df, double *c, double *dc) {
  static const double w[2][4] = {{4, 2.25, 1, 0.25}, {0.16, 0.36, 0.64, 0.64}}, most[2] = {0.0401, 0.010085};
  double sum = 1;
  for (int k = 0; k < 2; k++) c[k] = -most[k];
  for (int i = 0; i < 4; i++) {
    sum += x[i];
    df[i] = 1;
    for (int k = 0; k < 2; k++) c[k] += w[k][i] / x[i], dc[4 * k + i] = -w[k][i] / (x[i] * x[i]);
  }
  return sum;
}

static double hs64(const double *x, double *df, double *c, double *dc) {
  static const double cost[3] = {5, 20, 10}, over[3] = {50000, 72000, 144000}, share[3] = {4, 32, 120};
  double sum = 0;
  c[0] = -1;
  for (int i = 0; i < 3; i++) {
    sum += cost[i] * x[i] + over[i] / x[i];
    df[i] = cost[i] - over[i] / (x[i] * x[i]);
    c[0] += share[i] / x[i];
    dc[i] = -share[i] / (x[i] * x[i]);
  }
  return sum;
}

static double rosenbrock(const double *x, double *df, double *c, double *dc) {
  (void)c, (void)dc;
  double q = x[1] - x[0] * x[0], r = 1 - x[0];
  df[0] = -400 * x[0] * q - 2 * r, df[1] = 200 * q;
  return 1 + 100 * q * q + r * r;
}

// A flat valley along a parabola, and a flat slope: small steps and little that is promised long before the optimum.
static double valley(const double *x, double *df, double *c, double *dc) {
  static const double flat = 1e-4;
  (void)c, (void)dc;
  double q = x[1] - x[0] * x[0], r = 1 - x[0];
  df[0] = -4 * x[0] * q - 2 * flat * r, df[1] = 2 * q;
  return 1 + q * q + flat * r * r;
}

static double slope(const double *x, double *df, double *c, double *dc) {
  static const double flat = 1e-5;
  double a = x[0] + x[1] - 1, b = x[0] - x[1] - 1;
  c[0] = -b - 0.7, dc[0] = -1, dc[1] = 1;
  df[0] = a + flat * b, df[1] = a - flat * b;
  return 1 + 0.5 * (a * a + flat * b * b);
}

#define NONE INFINITY
#define FOUR_OF(x) (x), (x), (x), (x)

static const problem problems[] = {
    {"HS5", 2, 0, -1.9132229549810367, {0, 0}, {-1.5, -3}, {4, 3}, hs5},
    {"HS10", 2, 1, -1, {-10, 10}, {-NONE, -NONE}, {NONE, NONE}, hs10},
    {"HS11", 2, 1, -8.498464223, {4.9, 0.1}, {-NONE, -NONE}, {NONE, NONE}, hs11},
    {"HS12", 2, 1, -30, {0, 0}, {-NONE, -NONE}, {NONE, NONE}, hs12},
    {"HS22", 2, 2, 1, {2, 2}, {-NONE, -NONE}, {NONE, NONE}, hs22},
    {"HS24", 2, 3, -1, {1, 0.5}, {0, 0}, {NONE, NONE}, hs24},
    {"HS29", 3, 1, -22.627416997969522, {1, 1, 1}, {-NONE, -NONE, -NONE}, {NONE, NONE, NONE}, hs29},
    {"HS31", 3, 1, 6, {1, 1, 1}, {-10, 1, -10}, {10, 10, 1}, hs31},
    {"HS34", 3, 2, -0.834032445247956, {0, 1.05, 2.9}, {0, 0, 0}, {100, 100, 10}, hs34},
    {"HS35", 3, 1, 1. / 9, {0.5, 0.5, 0.5}, {0, 0, 0}, {NONE, NONE, NONE}, hs35},
    {"HS36", 3, 1, -3300, {10, 10, 10}, {0, 0, 0}, {20, 11, 42}, hs36},
    {"HS37", 3, 2, -3456, {10, 10, 10}, {0, 0, 0}, {42, 42, 42}, hs37},
    {"HS43", 4, 3, -44, {0}, {-5, -5, -5, -5}, {5, 5, 5, 5}, hs43},
    {"HS66", 3, 2, 0.518163274159, {0, 1.05, 2.9}, {0, 0, 0}, {100, 100, 10}, hs66},
    {"HS76", 4, 3, -4.68181818182, {0.5, 0.5, 0.5, 0.5}, {0, 0, 0, 0}, {FOUR_OF(NONE)}, hs76},
    {"HS72", 4, 2, 727.679365, {1, 1, 1, 1}, {0.001, 0.001, 0.001, 0.001}, {4e5, 3e5, 2e5, 1e5}, hs72},
    {"HS64", 3, 1, 6299.842427921, {1, 1, 1}, {1e-5, 1e-5, 1e-5}, {NONE, NONE, NONE}, hs64}, // two powers of ten away
    {"Rosenbrock", 2, 0, 1, {-1.2, 1}, {-5, -5}, {5, 5}, rosenbrock},
    {"valley", 2, 0, 1, {-1, 2}, {-5, -5}, {5, 5}, valley},
    {"slope", 2, 1, 1, {-1, 2}, {-5, -5}, {5, 5}, slope},
    {"HS100",
     7,
     4,
     680.630057374,
     {1, 2, 0, 4, 0, 1, 1},
     {FOUR_OF(-NONE), -NONE, -NONE, -NONE},
     {FOUR_OF(NONE), NONE, NONE, NONE},
     hs100},
};

typedef struct asked {
  const problem *of;
  double weight;
} asked;

static td_status evaluate(void *context, const double *x, double *f, double *df, double *c, double *dc, td_error *err) {
  const asked *a = context;
  double own_df[MOST] = {0}, own_c[CONSTRAINTS] = {0}, own_dc[CONSTRAINTS * MOST] = {0};
  (void)err;
  *f = a->weight * a->of->at(x, own_df, own_c, own_dc);
  for (size_t j = 0; df && j < a->of->n; j++) df[j] = a->weight * own_df[j];
  if (a->of->m > 0) memcpy(c, own_c, a->of->m * sizeof *c);
  if (a->of->m > 0 && dc) memcpy(dc, own_dc, a->of->m * a->of->n * sizeof *dc);
  return TD_OK;
}

// What is below the optimum is owed to the slack of constraints, which is measured at the start.
static void is_optimum(const problem *p, const asked *a, const td_design_result *r, const char *method) {
  double off = r->f / a->weight - p->best, first = fabs(r->first_f / a->weight);
  ck_assert_msg(off <= 1e-6 * fabs(p->best) && off >= -1e-6 * fmax(fabs(p->best), first),
                "%s by %s, weight %g: off by %g after %zu, promised %g, missed %g", p->name, method, a->weight, off,
                r->evaluations, r->promised, r->violation);
}

static void search(const problem *p, td_design_method method, double weight) {
  asked a = {p, weight};
  td_unknown unknowns[MOST];
  for (size_t j = 0; j < p->n; j++)
    unknowns[j] = (td_unknown){.name = "x", .value = p->start[j], .lower = p->lower[j], .upper = p->upper[j]};
  td_design_spec spec = {.unknowns = unknowns, .count = p->n, .constraints = p->m, .evaluate = evaluate, .context = &a};
  td_design_defaults(&spec);
  spec.method = method;
  spec.max_evaluations = 500;
  td_design_result r = {0};
  const char *name = td_design_method_name(method);
  ck_assert_int_eq(td_design_run(&spec, NULL, 0, NULL, &r, NULL), TD_OK);
  ck_assert_msg(r.end == TD_DESIGN_CONVERGED, "%s by %s: %s after %zu", p->name, name, td_design_end_name(r.end),
                r.evaluations);
  is_optimum(p, &a, &r, name);
}

START_TEST(ends_called_converged_are_optima_whatever_the_method_and_the_weight) {
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    for (int method = 0; method < TD_DESIGN_METHOD_COUNT; method++) {
      if (method == TD_DESIGN_LBFGS && problems[i].m > 0) continue;
      search(&problems[i], (td_design_method)method, 1);
      search(&problems[i], (td_design_method)method, 1e-6);
    }
}
END_TEST

TEST_MAIN("known_optima", ends_called_converged_are_optima_whatever_the_method_and_the_weight)
