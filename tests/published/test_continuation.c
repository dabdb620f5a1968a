// Paths of equilibria by arc length: Lee's frame through its snap, a shallow arch, Euler's column with and without
// imperfection.
//
// Lee1968: Lee, Manuel, Rossow, Large deflections and stability of elastic frames, J. Eng. Mech. 94: the frame's first
// limit load is
// 18.55 EI / L^2. With L 120, A 6, I 2, E 720 (SimoVuQuoc1986, SchweizerhofWriggers1986) it snaps back before it
// carries again.
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 400, COORDINATES = 128, EVENTS = 16 };

typedef struct path {
  int n, m;
  size_t count, failed;
  double u[POINTS][4], q[POINTS][COORDINATES];
  bool stable[POINTS];
  int iterations;
  char why[TD_MESSAGE_SIZE];
  int event_count;
  td_path_event event[EVENTS];
  size_t after[EVENTS];
  int multiplicity[EVENTS];
  bool ended, reached;
  double value[EVENTS], at[EVENTS][COORDINATES];
} path;

static bool solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                   const td_error *failure) {
  path *p = context;
  ck_assert_uint_eq(index, p->count);
  ck_assert_uint_lt(p->count, POINTS);
  memcpy(p->u[p->count], u, (size_t)p->m * sizeof *u);
  memcpy(p->q[p->count], q, (size_t)p->n * sizeof *q);
  p->stable[p->count] = result->stable;
  p->iterations += result->iterations;
  p->count++;
  if (failure) snprintf(p->why, sizeof p->why, "%s", failure->message), p->failed++;
  return true;
}

static void passed(void *context, size_t after, td_path_event event, int multiplicity, double value, const double *q) {
  path *p = context;
  if (p->event_count == EVENTS) return;
  int i = p->event_count++;
  p->event[i] = event, p->after[i] = after, p->value[i] = value, p->multiplicity[i] = multiplicity;
  memcpy(p->at[i], q, (size_t)p->n * sizeof *q);
}

static void ended(void *context, bool reached, double value, double nearest) {
  path *p = context;
  (void)value, (void)nearest;
  p->ended = true, p->reached = reached;
}

static void follow(const td_model *model, const td_statics_spec *job, path *p) {
  td_statics_spec spec = *job;
  td_statics_hooks hooks = {.context = p, .solved = solved, .passed = passed, .ended = ended};
  td_error err = {0};
  *p = (path){.n = td_model_ndof(model), .m = td_model_channel_count(model)};
  ck_assert_int_le(p->n, COORDINATES);
  td_statics_defaults(&spec.options);
  ck_assert_msg(td_statics_run(model, &spec, 0, NULL, &hooks, NULL, &err) == TD_OK, "%s: %s", err.pointer, err.message);
  ck_assert_msg(p->failed == 0, "point %zu: %s", p->count - 1, p->why);
}

static td_se3 pose(const td_model *model, const double *q, int link, double s) {
  td_workspace *ws;
  td_se3 g;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_pose_at(model, ws, q, link, s, &g), TD_OK);
  td_workspace_destroy(ws);
  return g;
}

// ------------------------------------------------------------------------------------------------ Lee's frame

#define MEMBER                                                                                                         \
  "\"body\": {\"type\": \"rod\", \"length\": 120, \"section\": {\"shape\": \"rectangle\", \"height\": 3, \"width\": "  \
  "2},"                                                                                                                \
  " \"material\": {\"young\": 720, \"poisson\": 0, \"density\": 1}, \"strain\": {\"basis\": \"cubic\", \"order\":"     \
  " {\"bending_y\": 5, \"elongation\": 5}}}"

// Column up from the hinge at the origin, beam to the hinge at (120, 0, 120), load down at a fifth of the beam.
static td_model *lees_frame(void) {
  return test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"column\", \"pose\": {\"rpy\":"
      " [0, -1.5707963267948966, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, " MEMBER
      "}, {\"name\": \"beam\","
      " \"parent\": \"column\", \"pose\": {\"rpy\": [0, 1.5707963267948966, 0]}, \"joint\": {\"type\": "
      "\"fixed\"}, " MEMBER "}], \"loops\": [{\"a\": {\"link\": \"beam\", \"at\": 1}, \"b\": {\"link\": \"world\", "
      "\"pose\": {\"translation\":"
      " [120, 0, 120]}}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}}], \"loads\": [{\"link\": \"beam\", "
      "\"at\":"
      " 0.2, \"frame\": \"world\", \"channels\": [null, null, null, null, null, \"push\"]}]}");
}

START_TEST(lees_frame_is_followed_through_its_snap_and_back) {
  static path p;
  td_model *model = lees_frame();
  td_statics_spec job = {.continuation = {.channel = "push", .steps = 200, .bounded = true, .to = -3, .ds = 0.15}};
  follow(model, &job, &p);
  int limits = 0;
  double load[EVENTS];
  for (int i = 0; i < p.event_count; i++)
    if (p.event[i] == TD_PATH_LIMIT) load[limits++] = -p.value[i];
  ck_assert_int_eq(limits, 2);
  ck_assert_msg(fabs(10 * load[0] - 18.55) < 0.015, "first limit load %.4f EI/L^2", 10 * load[0]);
  ck_assert_msg(fabs(10 * load[1] + 9.4) < 0.4, "second limit load %.4f EI/L^2", 10 * load[1]);
  ck_assert_double_eq_tol(p.u[p.count - 1][0], -3, 1e-12); // and up again to the load asked for
  // the point under the load at the first limit: 48.8 down (SimoVuQuoc1986, figure)
  td_se3 g = pose(model, p.at[0], 1, 0.2);
  ck_assert_double_eq_tol(120 - g.p[2], 48.8, 1);
  // It snaps back: the deflection itself falls somewhere between the limits.
  bool back = false;
  double before = 0;
  for (size_t i = 0; i < p.count; i++) {
    td_se3 at = pose(model, p.q[i], 1, 0.2);
    back = back || 120 - at.p[2] < before - 1;
    before = fmax(before, 120 - at.p[2]);
  }
  ck_assert(back);
  // Stable up to the first limit and after the last, not between.
  ck_assert(p.stable[0] && p.stable[p.after[0]] && !p.stable[p.after[0] + 2] && p.stable[p.count - 1]);
  ck_assert_msg(p.iterations < 10 * (int)p.count, "%d Newton steps for %zu points", p.iterations, p.count);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_path_resumed_has_the_same_points) {
  static path whole, rest;
  td_model *model = lees_frame();
  td_statics_spec job = {.continuation = {.channel = "push", .steps = 12, .bounded = true, .to = -3, .ds = 0.15}};
  follow(model, &job, &whole);
  td_statics_hooks hooks = {.context = &rest, .solved = solved, .passed = passed};
  rest = (path){.n = whole.n, .m = whole.m, .count = 7};
  td_statics_defaults(&job.options);
  ck_assert_int_eq(td_statics_run(model, &job, 7, NULL, &hooks, NULL, NULL), TD_OK);
  ck_assert_uint_eq(rest.count, whole.count);
  ck_assert_mem_eq(rest.q[12], whole.q[12], (size_t)whole.n * sizeof(double));
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ von Mises' truss

// One of its two bars (l0 = 1, k = 100) between a hinge and a slider at b = cos 0.3: P = k (l0 / l - 1) y at the height
// y,
// l^2 = b^2 + y^2; dP/dy = 0 at l^3 = l0 b^2, once above and once below.
START_TEST(a_shallow_truss_has_its_two_limit_loads) {
  static path p;
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"lean\", \"pose\": {\"rpy\": "
      "[0,"
      " -0.3, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1,"
      " \"inertia\": [1, 1, 1]}}, {\"name\": \"bar\", \"parent\": \"lean\", \"pose\": {\"translation\": [1, 0, 0]},"
      " \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", \"stiffness\": 100}, \"body\": {\"type\": \"rigid\", "
      "\"mass\":"
      " 1, \"inertia\": [1, 1, 1]}}, {\"name\": \"apex\", \"parent\": \"bar\", \"pose\": {\"rpy\": [0, 0.3, 0]}, "
      "\"joint\":"
      " {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, "
      "1]}}],"
      " \"loops\": [{\"a\": {\"link\": \"apex\"}, \"b\": {\"link\": \"world\", \"pose\": {\"translation\":"
      " [0.955336489125606, 0, 0]}}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"}}], \"loads\": [{\"link\":"
      " \"apex\", \"frame\": \"world\", \"channels\": [null, null, null, null, null, \"push\"]}]}");
  td_statics_spec job = {.continuation = {.channel = "push", .steps = 100, .bounded = true, .to = -3, .ds = 0.05}};
  follow(model, &job, &p);
  double b = cos(0.3), l = cbrt(b * b), limit = 100 * (1 / l - 1) * sqrt(l * l - b * b); // one bar, l0 = 1
  ck_assert_int_eq(p.event_count, 2);
  ck_assert_double_eq_tol(-p.value[0], limit, 1e-6 * limit);
  ck_assert_double_eq_tol(-p.value[1], -limit, 1e-6 * limit);
  ck_assert_double_eq_tol(p.u[p.count - 1][0], -3, 1e-12);
  for (size_t i = 0; i < p.count; i++) // on the curve
  {
    td_se3 g = pose(model, p.q[i], 2, 0);
    double y = g.p[2], now = hypot(b, y);
    ck_assert_double_eq_tol(-p.u[i][0], 100 * (1 / now - 1) * y, 1e-8);
  }
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ Euler

static td_model *column(void) {
  return test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"rod\", \"joint\": {\"type\":"
      " \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", \"radius\":"
      " 0.001}, \"material\": {\"young\": 1e9, \"poisson\": 0.3, \"density\": 1000}, \"strain\": {\"basis\":"
      " \"legendre\", \"order\": {\"bending_y\": 7}}, \"quadrature\": {\"points\": 12}}}], \"loads\": [{\"link\":"
      " \"rod\", \"at\": 1, \"frame\": \"world\", \"channels\": [null, null, null, \"push\", null, \"side\"]}]}");
}

static const double EI = 1e9 * M_PI * 1e-12 / 4;

// The straight column carries on beyond pi^2/4 EI/L^2, unstable, and the branch point is named; a second one at 9
// pi^2/4.
START_TEST(eulers_loads_are_bifurcations_of_the_straight_column) {
  static path p;
  td_model *model = column();
  td_statics_spec job = {.continuation = {.channel = "push", .steps = 60, .bounded = true, .to = -25 * EI, .ds = 0.04}};
  follow(model, &job, &p);
  ck_assert_int_eq(p.event_count, 2);
  for (int i = 0; i < 2; i++) {
    double wave = (2 * i + 1) * M_PI / 2;
    ck_assert_int_eq(p.event[i], TD_PATH_BIFURCATION);
    ck_assert_double_eq_tol(-p.value[i] / EI, wave * wave, 1e-3 * wave * wave);
  }
  ck_assert(p.stable[p.after[0]] && !p.stable[p.after[0] + 1]);
  td_model_destroy(model);
}
END_TEST

// k theta = P l sin theta: theta = 0 for every P, and the determinant is a straight line along it, so that whoever
// seeks its zero lands on the branch point itself, where the matrix is singular.
START_TEST(a_path_passes_the_pitchfork_of_a_sprung_pendulum) {
  static path p;
  static const struct {
    const char *joint;
    int multiplicity;
    double to, ds;
  } cases[] = {{"\"revolute\", \"axis\": \"y\"", 1, -20, 0.1},
               {"\"revolute\", \"axis\": \"y\"", 1, -19, 0.05},
               {"\"universal\", \"axis\": \"z\"", 2, -20, 0.125},
               {"\"revolute\", \"axis\": \"y\"", 1, -10, 0.25}}; // ends at the branch point
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"arm\", \"joint\": "
             "{\"type\": %s, \"stiffness\": 10}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": "
             "[0.001, 0.001, 0.001]}}], \"loads\": [{\"link\": \"arm\", \"pose\": {\"translation\": [0, 0, 1]}, "
             "\"channels\": [null, null, null, null, null, \"push\"]}]}",
             cases[i].joint);
    td_model *model = test_model_from_text(text);
    td_statics_spec job = {
        .continuation = {.channel = "push", .steps = 60, .bounded = true, .to = cases[i].to, .ds = cases[i].ds}};
    follow(model, &job, &p);
    ck_assert(p.ended && p.reached);
    ck_assert_int_eq(p.event_count, 1);
    ck_assert_int_eq(p.event[0], TD_PATH_BIFURCATION);
    ck_assert_int_eq(p.multiplicity[0], cases[i].multiplicity);
    ck_assert_double_eq_tol(p.value[0], -10, 1e-6);
    for (size_t k = 0; k < p.count; k++) ck_assert(p.stable[k] == (p.u[k][0] >= -10) && p.q[k][0] == 0);
    td_model_destroy(model);
  }
}
END_TEST

// A clamped rod of order 4 in both bendings: lambda of P = lambda EI / L^2 by its basis, 2.4674 = pi^2 / 4 and 22.2 = 9
// pi^2 / 4.
static td_model *rod_of_two_bendings(const char *section) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"rod\", \"joint\": "
           "{\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": %s, \"material\": "
           "{\"young\": 1e7, \"poisson\": 0.5, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", "
           "\"order\": {\"bending_y\": 4, \"bending_z\": 4}}}}], \"loads\": [{\"link\": \"rod\", \"at\": 1, "
           "\"frame\": \"world\", \"channels\": [null, null, null, \"push\", null, null]}]}",
           section);
  return test_model_from_text(text);
}

static void follow_push(const char *section, double to, double ds, path *p) {
  td_model *model = rod_of_two_bendings(section);
  td_statics_spec job = {.continuation = {.channel = "push", .steps = 300, .bounded = true, .to = to, .ds = ds}};
  follow(model, &job, p);
  td_model_destroy(model);
}

// Both bendings of a round rod buckle at once: the determinant keeps its sign there.
START_TEST(a_round_rod_buckles_both_ways_at_one_named_load) {
  static path p;
  double critical = M_PI * M_PI / 4 * 1e7 * M_PI * pow(0.005, 4) / 4 / 0.25;
  static const double steps[] = {0.1, 0.03};
  for (int i = 0; i < 2; i++) {
    follow_push("{\"shape\": \"circle\", \"radius\": 0.005}", -12 * critical, steps[i], &p);
    ck_assert(p.ended && p.reached);
    ck_assert_int_eq(p.event_count, 2);
    for (int k = 0; k < 2; k++) {
      double load = critical * (2 * k + 1) * (2 * k + 1);
      ck_assert_int_eq(p.event[k], TD_PATH_BIFURCATION);
      ck_assert_int_eq(p.multiplicity[k], 2);
      ck_assert_double_eq_tol(-p.value[k], load, (k ? 2e-2 : 1e-3) * load);
    }
    ck_assert(p.stable[p.after[0]] && !p.stable[p.after[0] + 1]);
  }
}
END_TEST

// A nearly square one has two loads that lie within one step, EI of either side: two events, in their order.
START_TEST(a_nearly_square_rod_buckles_at_two_loads_in_one_step) {
  static path p;
  double h = 0.01, w = 0.0101, critical = M_PI * M_PI * 1e7 * w * h * h * h / 12;
  follow_push("{\"shape\": \"rectangle\", \"height\": 0.01, \"width\": 0.0101}", -3 * critical, 0.1, &p);
  ck_assert_int_eq(p.event_count, 2);
  ck_assert_uint_eq(p.after[0], p.after[1]);
  ck_assert_int_eq(p.multiplicity[0], 1);
  ck_assert_int_eq(p.multiplicity[1], 1);
  ck_assert_double_eq_tol(-p.value[0], critical, 1e-3 * critical);
  ck_assert_double_eq_tol(p.value[1] / p.value[0], (w / h) * (w / h), 1e-5);
}
END_TEST

// A round rod stands on the apex of the truss above and buckles at 0.99 of the truss's limit load: with long steps both
// lie in one.
static td_model *rod_on_a_truss(double young) {
  static const char rigid[] = "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1]}";
  char text[2048];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"lean\", \"pose\": {\"rpy\": "
      "[0, -0.3, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, %s}, {\"name\": \"bar\", \"parent\": "
      "\"lean\", \"pose\": {\"translation\": [1, 0, 0]}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", "
      "\"stiffness\": 100}, %s}, {\"name\": \"apex\", \"parent\": \"bar\", \"pose\": {\"rpy\": [0, 0.3, 0]}, "
      "\"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, %s}, {\"name\": \"rod\", \"parent\": \"apex\", "
      "\"pose\": {\"rpy\": [0, -1.5707963267948966, 0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": "
      "\"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\", \"radius\": 0.005}, \"material\": {\"young\": "
      "%.17g, \"poisson\": 0.5, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": "
      "4, \"bending_z\": 4}}}}], \"loops\": [{\"a\": {\"link\": \"apex\"}, \"b\": {\"link\": \"world\", \"pose\": "
      "{\"translation\": [0.955336489125606, 0, 0]}}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"}}], "
      "\"loads\": [{\"link\": \"rod\", \"at\": 1, \"frame\": \"world\", \"channels\": [null, null, null, null, null, "
      "\"push\"]}]}",
      rigid, rigid, rigid, young);
  return test_model_from_text(text);
}

START_TEST(branches_beside_a_limit_point_are_told_with_it) {
  static path p;
  double b = cos(0.3), l = cbrt(b * b), limit = 100 * (1 / l - 1) * sqrt(l * l - b * b), critical = 0.99 * limit;
  td_model *model = rod_on_a_truss(critical * 0.25 * 4 / (M_PI * M_PI) * 4 / (M_PI * pow(0.005, 4)));
  for (int k = 0; k < 2; k++) {
    td_statics_spec job = {
        .continuation = {.channel = "push", .steps = 200, .bounded = true, .to = -3, .ds = k ? 0.2 : 0.05}};
    follow(model, &job, &p);
    int branches = 0, limits = 0;
    for (int i = 0; i < p.event_count; i++) {
      bool turn = p.event[i] == TD_PATH_LIMIT;
      ck_assert_int_eq(p.multiplicity[i], turn ? 1 : 2);
      if (!turn) ck_assert_double_eq_tol(-p.value[i], critical, 1e-3 * critical);
      if (turn) ck_assert_double_eq_tol(fabs(p.value[i]), limit, 1e-6 * limit);
      branches += !turn, limits += turn;
    }
    ck_assert_int_eq(limits, 2);
    ck_assert_int_ge(branches, 2);
    if (k) ck_assert(p.event[0] == TD_PATH_BIFURCATION && p.event[1] == TD_PATH_LIMIT && p.after[0] == p.after[1]);
  }
  td_model_destroy(model);
}
END_TEST

// A rod that turns freely about its axis may bend any way without a change of shape: that motion costs nothing all
// along the path, the determinant is rounding, and its signs are no branches.
START_TEST(a_motion_that_costs_nothing_makes_no_branches) {
  static path p;
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"rod\", \"joint\": "
      "{\"type\": \"revolute\", \"axis\": \"x\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": "
      "{\"shape\": \"circle\", \"radius\": 0.005}, \"material\": {\"young\": 1e7, \"poisson\": 0.5, \"density\": "
      "1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 4, \"bending_z\": 4}}}}], \"loads\": "
      "[{\"link\": \"rod\", \"at\": 1, \"frame\": \"world\", \"channels\": [null, null, null, \"push\", \"side\", "
      "null]}]}");
  static const td_input_spec side[] = {{.channel = "side", .signal = {.offset = 1e-4}}};
  td_statics_spec job = {.inputs = side,
                         .input_count = 1,
                         .continuation = {.channel = "push", .steps = 200, .bounded = true, .to = -0.145, .ds = 0.1}};
  follow(model, &job, &p);
  ck_assert(p.reached);
  ck_assert_msg(p.event_count == 0, "%d events", p.event_count);
  td_model_destroy(model);
}
END_TEST

// A step of ds 10 goes far beyond the last value, over the second load at which the column buckles.
START_TEST(no_event_lies_beyond_the_last_value) {
  static path p;
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"c\", \"joint\": {\"type\": "
      "\"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": \"circle\", \"radius\": "
      "0.002}, \"material\": {\"young\": 2e9, \"poisson\": 0.45, \"density\": 1200}, \"strain\": {\"basis\": "
      "\"legendre\", \"order\": {\"bending_y\": 4}}}, \"pose\": {\"rpy\": [0, -1.5707963267948966, 0]}}], \"loads\": "
      "[{\"name\": \"P\", \"link\": \"c\", \"channels\": [null, null, null, null, null, \"P\"]}]}");
  const double critical = M_PI * M_PI * 2e9 * M_PI * pow(0.002, 4) / 4 / (4 * 0.09);
  td_statics_spec job = {
      .continuation = {.channel = "P", .steps = 100, .bounded = true, .to = -2 * critical, .ds = 10}};
  follow(model, &job, &p);
  ck_assert(p.reached);
  ck_assert_int_eq(p.event_count, 1); // -6.23 N was one, of a path to -1.378 N
  ck_assert_double_eq_tol(-p.value[0], critical, 1e-3 * critical);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_path_that_its_steps_end_says_that_it_has_not_arrived) {
  static path p;
  td_model *model = column();
  td_statics_spec job = {.continuation = {.channel = "push", .steps = 5, .bounded = true, .to = -25 * EI, .ds = 0.04}};
  follow(model, &job, &p);
  ck_assert(p.ended && !p.reached);
  job.continuation.steps = 60;
  follow(model, &job, &p);
  ck_assert(p.ended && p.reached);
  td_model_destroy(model);
}
END_TEST

// A small side force opens the branch: the post-buckling path of the elastica, P / P_cr = 1.0628 at 40 degrees at the
// tip (Timoshenko and Gere, table 2-4: alpha 40 degrees, 1.063), 1.2935 at 80 degrees.
START_TEST(a_column_with_an_imperfection_follows_the_elastica_after_buckling) {
  static path p;
  td_model *model = column();
  static const td_input_spec side[] = {{.channel = "side", .signal = {.offset = 1e-8}}};
  td_statics_spec job = {.inputs = side,
                         .input_count = 1,
                         .continuation = {.channel = "push", .steps = 300, .bounded = true, .to = -5 * EI, .ds = 0.05}};
  follow(model, &job, &p);
  ck_assert_int_eq(p.event_count, 0);
  static const double angle[] = {20, 40, 60, 80, 100}, ratio[] = {1.015, 1.063, 1.152, 1.293, 1.518};
  for (int k = 0; k < 5; k++) {
    double before = 0, load = NAN, was = 0;
    for (size_t i = 0; i < p.count; i++) {
      td_se3 g = pose(model, p.q[i], 0, 1);
      double turn = fabs(atan2(g.R[6], g.R[0])) * 180 / M_PI, push = -p.u[i][0] / (M_PI * M_PI / 4 * EI);
      if (before < angle[k] && turn >= angle[k]) load = was + (push - was) * (angle[k] - before) / (turn - before);
      before = turn, was = push;
      ck_assert_msg(p.stable[i], "point %zu of %zu at %g, %g degrees", i, p.count, push, turn);
    }
    ck_assert_msg(fabs(load - ratio[k]) < 0.004, "%g degrees at %g of the critical load", angle[k], load);
  }
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ refusals

// ------------------------------------------------------------------------------------------------ a steep truss

// Two springs of natural length l0 = sqrt(1 + h^2) from (-+1, 0) to an apex at height h = 3 that may move sideways,
// too, k = 100 N/m:
// P(z) = 2 k z (1 - l0 / sqrt(1 + z^2)), limit points where 1 + z^2 = l0^(2/3); sideways it has the stiffness
// 2 k (1 - l0 z^2 / (1 + z^2)^(3/2)), whose zeros are branches.
static const char steep_truss[] =
    "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"px\", \"pose\": {\"translation\": [0, 0, 3]}, "
    "\"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}}, {\"name\": \"apex\", \"parent\": \"px\", \"joint\": "
    "{\"type\": \"prismatic\", \"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.1, 0.1, "
    "0.1]}}], \"springs\": [{\"a\": {\"link\": \"world\", \"pose\": {\"translation\": [-1, 0, 0]}}, \"b\": {\"link\": "
    "\"apex\"}, \"stiffness\": 100}, {\"a\": {\"link\": \"world\", \"pose\": {\"translation\": [1, 0, 0]}}, \"b\": "
    "{\"link\": \"apex\"}, \"stiffness\": 100}], \"loads\": [{\"name\": \"P\", \"link\": \"apex\", \"channels\": "
    "[null, "
    "null, null, null, null, \"P\"]}]}";

static double steep_load(double z) { return 200 * z * (1 - sqrt(10) / sqrt(1 + z * z)); }

static double sideways(double z) { return 1 - sqrt(10) * z * z / pow(1 + z * z, 1.5); }

static double zero_of_sideways(double lo, double hi) {
  for (int i = 0; i < 60; i++) {
    double z = 0.5 * (lo + hi);
    *((sideways(z) < 0) == (sideways(lo) < 0) ? &lo : &hi) = z;
  }
  return lo;
}

START_TEST(steps_longer_than_the_path_is_wide_do_not_jump_over_it) {
  static path p;
  td_model *model = test_model_from_text(steep_truss);
  double fold = steep_load(sqrt(pow(10, 1. / 3) - 1)), high = steep_load(zero_of_sideways(sqrt(2), 3)),
         low = steep_load(zero_of_sideways(0.1, sqrt(2)));
  const double value[] = {high, fold, low, -low, -fold, -high}, steps[] = {3, 10, 100};
  for (int k = 0; k < 3; k++) {
    td_statics_spec job = {
        .continuation = {.channel = "P", .steps = 300, .bounded = true, .to = -744.2267967042229, .ds = steps[k]}};
    follow(model, &job, &p);
    ck_assert(p.reached);
    ck_assert_msg(p.event_count == 6, "ds %g: %d events", steps[k], p.event_count);
    for (int i = 0; i < 6; i++) {
      ck_assert_int_eq(p.event[i], i % 3 == 1 ? TD_PATH_LIMIT : TD_PATH_BIFURCATION);
      ck_assert_msg(fabs(p.value[i] - value[i]) < 1e-6 * fabs(value[i]), "ds %g, event %d: %.9g, not %.9g", steps[k], i,
                    p.value[i], value[i]);
    }
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(what_cannot_be_followed_is_refused_at_its_place) {
  static const double list[] = {1, 2};
  td_model *model = column();
  td_input_spec inputs[] = {{.channel = "side", .list = list, .list_count = 2}};
  const struct {
    td_statics_spec spec;
    const char *pointer;
  } cases[] = {
      {{.continuation = {.channel = "none", .steps = 5, .ds = 0.1}}, "/continuation/channel"},
      {{.continuation = {.channel = "push", .steps = 0, .ds = 0.1}}, "/continuation/steps"},
      {{.continuation = {.channel = "push", .steps = 5, .ds = 0}}, "/continuation/ds"},
      {{.continuation = {.channel = "push", .steps = 5, .ds = 0.1, .bounded = true, .to = NAN}}, "/continuation/to"},
      {{.inputs = inputs, .input_count = 1, .continuation = {.channel = "push", .steps = 5, .ds = 0.1}},
       "/continuation"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_error err = {0};
    ck_assert_uint_eq(td_statics_count(model, &cases[i].spec, &err), 0);
    ck_assert_str_eq(err.pointer, cases[i].pointer);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_path_does_not_set_out_to_let_a_tendon_push) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"fixed\"}, \"body\": "
      "{\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": "
      "{\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": "
      "{\"bending_y\": 1}}}}], "
      "\"actuators\": [{\"name\": \"cable\", \"type\": \"tendon\", \"link\": \"rod\", \"routing\": {\"type\": "
      "\"linear\", "
      "\"base\": [0, 0.005]}}]}");
  td_statics_spec job = {.continuation = {.channel = "cable", .steps = 5, .ds = 0.1, .bounded = true, .to = -1}};
  td_error err = {0};
  td_statics_defaults(&job.options);
  ck_assert_uint_eq(td_statics_count(model, &job, &err), 0);
  ck_assert_str_eq(err.pointer, "/continuation/to");
  ck_assert_ptr_nonnull(strstr(err.message, "cannot push"));
  job.continuation.to = 1;
  ck_assert_uint_eq(td_statics_count(model, &job, &err), 6);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("continuation", no_event_lies_beyond_the_last_value, lees_frame_is_followed_through_its_snap_and_back,
          a_path_resumed_has_the_same_points, a_shallow_truss_has_its_two_limit_loads,
          eulers_loads_are_bifurcations_of_the_straight_column, a_path_passes_the_pitchfork_of_a_sprung_pendulum,
          a_round_rod_buckles_both_ways_at_one_named_load, a_nearly_square_rod_buckles_at_two_loads_in_one_step,
          branches_beside_a_limit_point_are_told_with_it, a_motion_that_costs_nothing_makes_no_branches,
          a_path_that_its_steps_end_says_that_it_has_not_arrived,
          a_column_with_an_imperfection_follows_the_elastica_after_buckling,
          steps_longer_than_the_path_is_wide_do_not_jump_over_it, what_cannot_be_followed_is_refused_at_its_place,
          a_path_does_not_set_out_to_let_a_tendon_push)
