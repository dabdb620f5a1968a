// The tangent of the exponential and its derivatives against their power series in quadruple precision: the body of
// test_tangent.c and of its siblings for wider registers (the engine is compiled for each, math/lanes.h).
//
// Every call gets lanes that all differ. An entry of the real (rotational) half of a map is held against the largest
// entry of that half, and so for the dual half, so that translations of a millimetre or of a kilometre are no excuse.
#ifndef TENDRIL_TEST_TANGENT_LAW_H
#define TENDRIL_TEST_TANGENT_LAW_H

#include "lie/tangent.h"
#include "series.h"
#include "support/suite.h"
#include "support/tree.h"
#include <float.h>
#include <math.h>

// One lane's input in dual order: Omega = (w, v), and y, which is a direction, a vector, or a wrench (f, m).
typedef struct sample {
  double omega[6], y[6];
} sample;

enum { MATRIX, RATE, DERIVATIVE, WRENCH_DERIVATIVE, RATE_DERIVATIVE, RATE_TIMES, EXP, MAP_COUNT };

static const char *const map_names[MAP_COUNT] = {
    "T", "dT[y]", "d(T y)/dOmega", "d(T^T f)/dOmega", "d(dT[y] y)/dOmega", "dT[y] y", "exp"};

// All outputs of the engine. A vector sits in the first column of a matrix; exp is R in `re` and p in `du`.
static void engine_maps(const sample *samples, td_dmat out[MAP_COUNT]) {
  td_dvec omega, y;
  td_tangent t;
  for (int l = 0; l < TD_LANES; l++)
    for (int i = 0; i < 3; i++) {
      omega.re[i][l] = samples[l].omega[i], omega.du[i][l] = samples[l].omega[3 + i];
      y.re[i][l] = samples[l].y[i], y.du[i][l] = samples[l].y[3 + i];
    }
  td_tangent_at(&omega, &t);
  td_tangent_matrix(&t, &out[MATRIX]);
  td_tangent_rate(&t, &y, &out[RATE]);
  td_tangent_derivative(&t, &y, 1, &out[DERIVATIVE]);
  td_tangent_derivative(&t, &y, -1, &out[WRENCH_DERIVATIVE]);
  td_tangent_rate_derivative(&t, &y, &out[RATE_DERIVATIVE]);
  td_dvec times = td_tangent_rate_times(&t, &y);
  td_dmat_zero(&out[RATE_TIMES]);
  td_dmat_zero(&out[EXP]);
  for (int i = 0; i < 3; i++) out[RATE_TIMES].re[3 * i] = times.re[i], out[RATE_TIMES].du[3 * i] = times.du[i];
  td_tangent_exp(&t, &out[MATRIX], out[EXP].re, out[EXP].du);
}

// The same for one sample by series. The first three columns of [X 0; Y X] hold all of it.
typedef struct expected_maps {
  quad re[MAP_COUNT][9], du[MAP_COUNT][9];
} expected_maps;

static void put_column(expected_maps *e, int map, int j, const quad *top, const quad *bottom) {
  for (int i = 0; i < 3; i++) e->re[map][3 * i + j] = top[i], e->du[map][3 * i + j] = bottom[i];
}

// Columns j of the derivatives: along the unit twist j.
static void derivative_columns(const quad A[36], const quad At[36], const quad B[36], const quad y[6], int j,
                               expected_maps *e) {
  const quad wrench[6] = {y[3], y[4], y[5], y[0], y[1], y[2]}, zero[36] = {0}; // (m, f) of the lane's (f, m)
  quad unit[6] = {0}, E[36], out[4][6];
  unit[j] = 1;
  series_ad(unit, E);
  series_sum(1, A, B, E, y, out);
  put_column(e, RATE_TIMES, 0, out[1], out[1] + 3);
  put_column(e, DERIVATIVE, j, out[2], out[2] + 3);
  put_column(e, RATE_DERIVATIVE, j, out[3], out[3] + 3);
  series_transpose(E);
  series_sum(1, At, E, zero, wrench, out);
  put_column(e, WRENCH_DERIVATIVE, j, out[1] + 3, out[1]);
}

static void series_maps(const sample *s, expected_maps *e) {
  quad omega[6], y[6], A[36], At[36], B[36], out[4][6];
  const quad zero[36] = {0};
  memset(e, 0, sizeof *e);
  for (int i = 0; i < 6; i++) omega[i] = s->omega[i], y[i] = s->y[i];
  series_ad(omega, A), series_ad(y, B);
  memcpy(At, A, sizeof At), series_transpose(At);
  for (int j = 0; j < 3; j++) {
    quad unit[6] = {0};
    unit[j] = 1;
    series_sum(1, A, B, zero, unit, out);
    put_column(e, MATRIX, j, out[0], out[0] + 3);
    put_column(e, RATE, j, out[1], out[1] + 3);
    derivative_columns(A, At, B, y, j, e);
  }
  series_exp(s->omega, e->re[EXP], e->du[EXP]);
}

// Largest error of one half of a map in one lane, relative to its largest entry. Not a number counts as infinite.
static double worst(const quad *expected, const td_vec *got, int lane) {
  quad off = 0, scale = 0;
  for (int i = 0; i < 9; i++) {
    quad error = quad_abs(expected[i] - quad_from(got[i][lane]));
    if (!(error <= 1e30)) return INFINITY;
    if (error > off) off = error;
    if (quad_abs(expected[i]) > scale) scale = quad_abs(expected[i]);
  }
  return scale > 0 ? (double)(off / scale) : (double)off;
}

static double norm3(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

// What rounding may cost at any angle, the condition of the map in theta included.
static const double allowed = 32 * DBL_EPSILON;

static void check_maps(const sample *samples) {
  td_dmat got[MAP_COUNT];
  expected_maps expected;
  engine_maps(samples, got);
  for (int l = 0; l < TD_LANES; l++) {
    double theta = norm3(samples[l].omega), bound = allowed;
    series_maps(&samples[l], &expected);
    for (int m = 0; m < MAP_COUNT; m++) {
      double re = worst(expected.re[m], got[m].re, l), du = worst(expected.du[m], got[m].du, l);
      ck_assert_msg(re <= bound && du <= bound, "%s at %.17g rad, lane %d of %d: off by %.2g and %.2g, allowed %.2g",
                    map_names[m], theta, l, TD_LANES, re, du, bound);
    }
  }
}

// A random axis and pitch with the angle theta; lengths of the order of `metres`.
static sample random_sample(uint64_t *seed, double theta, double metres) {
  sample s;
  double w[3];
  tree_random_vector(seed, 1, 3, w);
  tree_random_vector(seed, metres, 3, s.omega + 3);
  tree_random_vector(seed, 1, 3, s.y);
  tree_random_vector(seed, metres, 3, s.y + 3);
  for (int i = 0; i < 3; i++) s.omega[i] = theta * w[i] / norm3(w);
  return s;
}

// Feeds samples one by one into lanes and checks whenever they are full.
typedef struct lane_queue {
  sample samples[TD_LANES];
  int count;
} lane_queue;

static void push(lane_queue *queue, sample s) {
  queue->samples[queue->count++] = s;
  if (queue->count < TD_LANES) return;
  check_maps(queue->samples);
  queue->count = 0;
}

START_TEST(maps_agree_with_their_series_from_0_to_7_rad) {
  uint64_t seed = tree_seed("0 to 7");
  lane_queue queue = {.count = 0};
  for (int i = 0; i < 480;
       i++) // neighbouring lanes: another angle, on the other side of the switch or not, another scale
    push(&queue, random_sample(&seed, 7.0 / 480 * (i * 131 % 480), pow(10, i % 3 * 3 - 3)));
}
END_TEST

START_TEST(maps_agree_with_their_series_at_angles_where_formulas_could_change) {
  static const double angles[] = {0,      0x1p-1000, 1e-160, 1e-20, 1e-12,   1e-9,   1e-8,     1e-7, 1e-5, 1e-3,
                                  1e-2,   0.02,      0.1,    0.5,   1,       M_PI_2, 3.14,     M_PI, 3.15, 3.162,
                                  3.1623, 3.1625,    3.17,   3.2,   4.71239, 6.28,   2 * M_PI, 6.29};
  uint64_t seed = tree_seed("places");
  lane_queue queue = {.count = 0};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
    for (int k = 0; k < 4; k++) push(&queue, random_sample(&seed, angles[i], pow(10, 2 * k - 3)));
}
END_TEST

enum { STEPS = 64, BATCHES = STEPS / TD_LANES };

// Entry k of the 18 of a map at step i.
static double entry_at(td_dmat (*got)[MAP_COUNT], int map, int i, int k) {
  const td_dmat *m = &got[i / TD_LANES][map];
  return k < 9 ? m->re[k][i % TD_LANES] : m->du[k - 9][i % TD_LANES];
}

static void check_steps(td_dmat (*got)[MAP_COUNT], int map, int first, double bound) {
  double scale = 0;
  for (int k = first; k < first + 9; k++) scale = fmax(scale, fabs(entry_at(got, map, 0, k)));
  for (int k = first; k < first + 9; k++)
    for (int i = 1; i < STEPS; i++) {
      double jump = fabs(entry_at(got, map, i, k) - entry_at(got, map, i - 1, k));
      ck_assert_msg(jump <= bound * scale, "%s jumps by %.2g of %.2g at step %d", map_names[map], jump, scale, i);
    }
}

// The angle crosses sqrt(10) in steps of a few units in the last place: nothing may change by more than rounding.
START_TEST(no_map_jumps_where_the_series_gives_way_to_the_closed_forms) {
  static td_dmat got[BATCHES][MAP_COUNT];
  uint64_t seed = tree_seed("switch");
  double bound = 2 * allowed;
  for (int trial = 0; trial < 20; trial++) {
    sample s = random_sample(&seed, sqrt(TD_SERIES_LIMIT), 1), lanes[TD_LANES];
    for (int i = 0; i < STEPS; i++) {
      lanes[i % TD_LANES] = s;
      for (int k = 0; k < 3; k++) lanes[i % TD_LANES].omega[k] *= 1 + 2 * (i - STEPS / 2) * DBL_EPSILON;
      if (i % TD_LANES == TD_LANES - 1) engine_maps(lanes, got[i / TD_LANES]);
    }
    for (int m = 0; m < MAP_COUNT; m++) {
      check_steps(got, m, 0, bound);
      check_steps(got, m, 9, bound);
    }
  }
}
END_TEST

// Rods are cut into batches of lanes: what the neighbours hold, even infinities, must not show in a single bit.
START_TEST(a_lane_does_not_see_its_neighbours) {
  static td_dmat alone[MAP_COUNT], crowded[MAP_COUNT];
  uint64_t seed = tree_seed("neighbours");
  for (int trial = 0; trial < 200; trial++) {
    sample s = random_sample(&seed, 0.04 * trial, 1), lanes[TD_LANES];
    int lane = trial % TD_LANES;
    for (int l = 0; l < TD_LANES; l++) lanes[l] = s;
    engine_maps(lanes, alone);
    for (int l = 0; l < TD_LANES; l++)
      if (l != lane)
        lanes[l] = random_sample(&seed, l % 3 == 1 ? NAN : l % 3 == 2 ? INFINITY : 7 * fabs(tree_random(&seed)), 1);
    engine_maps(lanes, crowded);
    for (int m = 0; m < MAP_COUNT; m++)
      for (int i = 0; i < 9; i++) {
        ck_assert_double_eq(alone[m].re[i][0], crowded[m].re[i][lane]);
        ck_assert_double_eq(alone[m].du[i][0], crowded[m].du[i][lane]);
      }
  }
}
END_TEST

// A program for a CPU level that this machine lacks has nothing to say.
#define TANGENT_MAIN(name, supported)                                                                                  \
  int main(void) {                                                                                                     \
    const TTest *const tests[] = {maps_agree_with_their_series_from_0_to_7_rad,                                        \
                                  maps_agree_with_their_series_at_angles_where_formulas_could_change,                  \
                                  no_map_jumps_where_the_series_gives_way_to_the_closed_forms,                         \
                                  a_lane_does_not_see_its_neighbours};                                                 \
    if (!(supported)) return EXIT_SUCCESS;                                                                             \
    return test_suite_run(name, tests, sizeof tests / sizeof *tests) ? EXIT_FAILURE : EXIT_SUCCESS;                    \
  }

#endif
