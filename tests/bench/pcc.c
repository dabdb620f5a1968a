// Group pcc: chains of planar bodies of constant curvature, what inverse dynamics costs as they grow and how exact it
// is.
//
// The chain is that of the papers (length 0.1 m, radius 0.01 m, 1062 kg/m^3, 0.666 MPa), one coordinate per body.
// id_fit is the least-squares line a + b N through the medians of N = 1 … 128, its figure b, per body; the note says
// how far off the line they lie and the exponent p of N^p through N = 16 … 128 (1: linear). error_1, error_2: the
// largest relative error against symbolic Euler-Lagrange equations.
#include "bench/euler_lagrange.h"
#include "bench/robot.h"
#include "support/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 8, MOST = 1 << (SIZES - 1) };

typedef struct chain {
  double radius, length, density, young;
  int points;
} chain;

static const chain paper = {0.01, 0.1, 1062, 6.66e5, 10}, unit_chain = {1, 1, 1, 1, 16};

typedef struct fixture {
  bench_robot *robot[SIZES]; ///< 1, 2, 4 … bodies
  double median[SIZES];      ///< s per call, 0: not measured yet
} fixture;

static td_model *chain_model(const chain *c, int bodies, char why[BENCH_NOTE_SIZE]) {
  static td_link_spec links[MOST];
  static char names[MOST][16];
  for (int i = 0; i < bodies; i++) {
    snprintf(names[i], sizeof names[i], "b%d", i + 1);
    links[i] =
        (td_link_spec){.name = names[i], .parent = i ? names[i - 1] : "world", .at = 1, .pose = td_se3_identity()};
    links[i].joint = (td_joint_spec){.type = TD_JOINT_FIXED, .axis = {0, 0, 1}};
    links[i].body.type = TD_BODY_REDUCED;
    links[i].body.reduced = (td_reduced_spec){.kinematics = TD_KINEMATICS_PCC_PLANAR,
                                              .length = c->length,
                                              .radius = {.count = 1, .width = 1, .value = &c->radius},
                                              .density = c->density,
                                              .young = c->young,
                                              .poisson = 0.5,
                                              .section_inertia = true,
                                              .s_points = c->points};
  }
  td_model_spec spec = {.name = "pcc", .gravity = {0, 0, -9.81}, .links = links, .link_count = (size_t)bodies};
  td_model *model = NULL;
  td_error err = {.status = TD_OK};
  if (td_model_create(&spec, &model, &err) == TD_OK) return model;
  snprintf(why, BENCH_NOTE_SIZE, "%.30s: %.120s", err.pointer, err.message);
  return NULL;
}

static void close_fixture(void *context) {
  fixture *f = context;
  for (int i = 0; i < SIZES; i++)
    if (f->robot[i]) bench_robot_destroy(f->robot[i]);
  free(f);
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  fixture *f = calloc(1, sizeof *f);
  for (int i = 0; f && i < SIZES; i++) {
    td_model *model = chain_model(&paper, 1 << i, why);
    f->robot[i] = model ? bench_robot_create(model, tree_seed("state")) : NULL;
    if (!f->robot[i]) return close_fixture(f), NULL;
  }
  return f;
}

// ------------------------------------------------------------------------------------------------------------- cost

static bool call_id(void *robot) {
  bench_robot *r = robot;
  return td_inverse_dynamics(r->model, r->ws, r->q, r->qd, r->qdd, r->u, r->vector) == TD_OK;
}

static void measure_size(fixture *f, bench_figure *figure, int size) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_id, .context = f->robot[size]}, figure);
  f->median[size] = figure->median;
}

static void id_0(void *f, bench_figure *figure) { measure_size(f, figure, 0); }
static void id_1(void *f, bench_figure *figure) { measure_size(f, figure, 1); }
static void id_2(void *f, bench_figure *figure) { measure_size(f, figure, 2); }
static void id_3(void *f, bench_figure *figure) { measure_size(f, figure, 3); }
static void id_4(void *f, bench_figure *figure) { measure_size(f, figure, 4); }
static void id_5(void *f, bench_figure *figure) { measure_size(f, figure, 5); }
static void id_6(void *f, bench_figure *figure) { measure_size(f, figure, 6); }
static void id_7(void *f, bench_figure *figure) { measure_size(f, figure, 7); }

// Slope of the least-squares line through (x, y), count of them; *offset receives its value at 0.
static double line(const double *x, const double *y, int count, double *offset) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < count; i++) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  double slope = (count * sxy - sx * sy) / (count * sxx - sx * sx);
  *offset = (sy - slope * sx) / count;
  return slope;
}

static void id_fit(void *context, bench_figure *figure) {
  fixture *f = context;
  double bodies[SIZES], log_bodies[SIZES], log_time[SIZES], offset, unused, worst = 0;
  enum { FROM = 4 };
  for (int i = 0; i < SIZES; i++) {
    bench_figure one = {0};
    if (f->median[i] == 0) measure_size(f, &one, i);
    if (one.failed) {
      bench_fail(figure, "%s", one.note);
      return;
    }
    bodies[i] = 1 << i;
    log_bodies[i] = log(bodies[i]), log_time[i] = log(f->median[i]);
  }
  figure->median = figure->min = line(bodies, f->median, SIZES, &offset);
  double exponent = line(log_bodies + FROM, log_time + FROM, SIZES - FROM, &unused);
  for (int i = FROM; i < SIZES; i++)
    worst = fmax(worst, fabs(f->median[i] / (offset + figure->median * bodies[i]) - 1));
  bench_note(figure, "per body, %.3g us more; N = %d ... %d lie within %.1f %% of the line, exponent %.2f",
             1e6 * offset, 1 << FROM, MOST, 100 * worst, exponent);
}

// ------------------------------------------------------------------------------------------------------------ error

// Largest |id - expected| / max |expected| over the states of `bodies` bodies.
static void measure_error(bench_figure *figure, int bodies) {
  char why[BENCH_NOTE_SIZE] = "not enough memory";
  td_model *model = chain_model(&unit_chain, bodies, why);
  bench_robot *r = model ? bench_robot_create(model, tree_seed("state")) : NULL;
  int states = 0;
  if (!r) {
    bench_fail(figure, "%s", why);
    return;
  }
  for (size_t k = 0; k < sizeof euler_lagrange_states / sizeof *euler_lagrange_states; k++) {
    const euler_lagrange *e = &euler_lagrange_states[k];
    double error = 0, size = 0;
    if (e->bodies != bodies) continue;
    if (td_inverse_dynamics(model, r->ws, e->q, e->qd, e->qdd, NULL, r->vector)) bench_fail(figure, "a call failed");
    for (int i = 0; i < bodies; i++)
      error = fmax(error, fabs(r->vector[i] - e->id[i])), size = fmax(size, fabs(e->id[i]));
    if (!figure->failed) figure->median = fmax(figure->median, error / size);
    states++;
  }
  figure->min = figure->median;
  if (!figure->failed)
    bench_note(figure, "%.1e relative, largest of %d states against Euler-Lagrange", figure->median, states);
  bench_robot_destroy(r);
}

static void error_1(void *f, bench_figure *figure) { (void)f, measure_error(figure, 1); }
static void error_2(void *f, bench_figure *figure) { (void)f, measure_error(figure, 2); }

static const bench_row rows[] = {
    {"id_1", "us", id_0, NULL},        {"id_2", "us", id_1, "id_1"},      {"id_4", "us", id_2, "id_1"},
    {"id_8", "us", id_3, "id_1"},      {"id_16", "us", id_4, "id_1"},     {"id_32", "us", id_5, "id_1"},
    {"id_64", "us", id_6, "id_1"},     {"id_128", "us", id_7, "id_1"},    {"id_fit", "us", id_fit, NULL},
    {"error_1", "eps", error_1, NULL}, {"error_2", "eps", error_2, NULL},
};

const bench_group bench_pcc = {"pcc", BENCH_ROWS(rows), open_fixture, close_fixture, 0};
