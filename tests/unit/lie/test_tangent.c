// The tangent of the exponential and its derivatives against their power series in quadruple precision, at angles from 0 to
// 14 rad: the engine's closed forms may be off by rounding only, below, at and above every place where a formula changes.
//
// Every call gets eight different lanes. An entry of the real (rotational) half of a map is held against the largest entry of
// that half, and so for the dual half, so that translations of a millimetre or a kilometre are no excuse.
#include "lie/tangent.h"
#include "support/suite.h"
#include "support/tree.h"
#include "series.h"
#include <float.h>
#include <stdio.h>

// One lane's input: Omega, a direction y (or a vector, or a wrench as force, moment), in dual order (w, v) or (f, m).
typedef struct sample {
  double omega[6], y[6];
} sample;

typedef enum map { MATRIX, RATE, DERIVATIVE, WRENCH_DERIVATIVE, RATE_DERIVATIVE, RATE_TIMES, EXP, MAP_COUNT } map;

static const char *const names[MAP_COUNT] = {"T",   "dT[y]", "d(T y)/dOmega", "d(T^T f)/dOmega", "d(dT[y] y)/dOmega",
                                             "dT[y] y", "exp"};

// All outputs of the engine for eight samples; vectors sit in the first column of a matrix, exp as R and p in `re`, `du`.
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

// The same for one sample by series, the dual half from the lower left block.
typedef struct reference {
  quad re[MAP_COUNT][9], du[MAP_COUNT][9];
} reference;

static void put_column(reference *r, map m, int j, const quad *top, const quad *bottom) {
  for (int i = 0; i < 3; i++) r->re[m][3 * i + j] = top[i], r->du[m][3 * i + j] = bottom[i];
}

static void series_maps(const sample *s, reference *r) {
  quad omega[6], y[6], A[36], B[36], At[36], Bt[36], E[36], zero[36] = {0}, R[9], p[3], out[4][6];
  memset(r, 0, sizeof *r);
  for (int i = 0; i < 6; i++) omega[i] = s->omega[i], y[i] = s->y[i];
  quad wrench[6] = {y[3], y[4], y[5], y[0], y[1], y[2]};
  series_ad(omega, A), series_ad(omega, At), series_transpose(At);
  series_ad(y, B);
  for (int j = 0; j < 3; j++) {
    quad unit[6] = {0};
    unit[j] = 1;
    series_sum(1, A, B, zero, unit, out);
    put_column(r, MATRIX, j, out[0], out[0] + 3);
    put_column(r, RATE, j, out[1], out[1] + 3);
    series_ad(unit, E);
    series_sum(1, A, B, E, y, out);
    put_column(r, DERIVATIVE, j, out[2], out[2] + 3);
    put_column(r, RATE_DERIVATIVE, j, out[3], out[3] + 3);
    put_column(r, RATE_TIMES, 0, out[1], out[1] + 3);
    memcpy(Bt, E, sizeof Bt), series_transpose(Bt);
    series_sum(1, At, Bt, zero, wrench, out);
    put_column(r, WRENCH_DERIVATIVE, j, out[1] + 3, out[1]);
  }
  series_exp(s->omega, R, p);
  memcpy(r->re[EXP], R, sizeof R), memcpy(r->du[EXP], p, sizeof p);
}

static double worst(const quad *expected, const td_vec *got, int lane) {
  quad off = 0, scale = 0;
  for (int i = 0; i < 9; i++) {
    quad e = quad_abs(expected[i] - quad_from(got[i][lane]));
    if (!(e <= off)) off = e;
    if (quad_abs(expected[i]) > scale) scale = quad_abs(expected[i]);
  }
  return scale > 0 ? (double)(off / scale) : (double)off;
}

static double seen[MAP_COUNT];

static void check(const sample *samples, double bound) {
  td_dmat got[MAP_COUNT];
  engine_maps(samples, got);
  for (int l = 0; l < TD_LANES; l++) {
    reference r;
    series_maps(&samples[l], &r);
    for (int m = 0; m < MAP_COUNT; m++) {
      double re = worst(r.re[m], got[m].re, l), du = worst(r.du[m], got[m].du, l), theta = 0;
      for (int i = 0; i < 3; i++) theta += samples[l].omega[i] * samples[l].omega[i];
      seen[m] = fmax(seen[m], fmax(re, du));
      if (getenv("SHOW")) printf("%-18s %.6g %.2f %.2f\n", names[m], sqrt(theta), re / DBL_EPSILON, du / DBL_EPSILON);
      ck_assert_msg(re <= bound && du <= bound, "%s at %.17g rad, lane %d: off by %.2g (rotations), %.2g (translations)",
                    names[m], sqrt(theta), l, re, du);
    }
  }
}
static void random_sample(uint64_t *seed, double theta, double metres, sample *s) {
  double w[3];
  tree_random_vector(seed, 1, 3, w);
  tree_random_vector(seed, metres, 3, s->omega + 3);
  tree_random_vector(seed, 1, 3, s->y);
  tree_random_vector(seed, metres, 3, s->y + 3);
  double norm = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  for (int i = 0; i < 3; i++) s->omega[i] = theta * w[i] / norm;
}

START_TEST(x) {
  uint64_t seed = tree_seed("x");
  for (double th = 0; th < 14; th += 0.05) {
    sample s[8];
    for (int l = 0; l < TD_LANES; l++) random_sample(&seed, th, pow(10, l % 3 * 3 - 3), s+l);
    check(s, 1);
  }
  for (double th = 1e-9; th < 1; th *= 3) {
    sample s[8];
    for (int l = 0; l < TD_LANES; l++) random_sample(&seed, th, pow(10, l % 3 * 3 - 3), s+l);
    check(s, 1);
  }
  for (int m = 0; m < MAP_COUNT; m++) printf("%s %g\n", names[m], seen[m] / DBL_EPSILON);
}
END_TEST
TEST_MAIN("tangent", x)
