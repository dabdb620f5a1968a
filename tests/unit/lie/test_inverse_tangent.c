// The inverse tangent against the tangent (whose own tests are in test_tangent.c), from tiny angles to almost 2 pi.
#include "lie/inverse_tangent.h"
#include "lie/tangent.h"
#include "support/suite.h"
#include "support/tree.h"
#include "tendril/se3.h"
#include <math.h>

static const double angles[] = {0,   1e-12, 1e-6, 1e-3, 0.1, 0.5,     0.9999999, 1.0000001, 1.5,
                                2.3, 3,     3.14, M_PI, 3.2, 3.16228, 4,         5,         6};

static void random_twist(uint64_t *seed, double angle, double length, double xi[6]) {
  double norm = 0;
  tree_random_vector(seed, 1, 3, xi);
  tree_random_vector(seed, length, 3, xi + 3);
  for (int i = 0; i < 3; i++) norm += xi[i] * xi[i];
  for (int i = 0; i < 3; i++) xi[i] *= angle / sqrt(norm);
}

// T as a 6x6 matrix, from lane 0.
static void tangent(const double xi[6], double out[36]) {
  td_dvec omega;
  td_tangent t;
  td_dmat T;
  for (int i = 0; i < 3; i++) omega.re[i] = td_splat(xi[i]), omega.du[i] = td_splat(xi[3 + i]);
  td_tangent_at(&omega, &t);
  td_tangent_matrix(&t, &T);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[6 * i + j] = out[6 * (3 + i) + 3 + j] = T.re[3 * i + j][0];
      out[6 * (3 + i) + j] = T.du[3 * i + j][0];
      out[6 * i + 3 + j] = 0;
    }
}

START_TEST(tangent_times_its_inverse_is_one) {
  uint64_t seed = tree_seed("inverse tangent");
  for (size_t a = 0; a < sizeof angles / sizeof *angles; a++)
    for (int k = 0; k < 20; k++) {
      double xi[6], T[36], inverse[36], size = 2 * M_PI / (2 * M_PI - angles[a]); // T is singular at 2 pi
      random_twist(&seed, angles[a], 0.7, xi);
      tangent(xi, T);
      td_inverse_tangent(xi, inverse);
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
          double sum = i == j ? -1 : 0;
          for (int l = 0; l < 6; l++) sum += T[6 * i + l] * inverse[6 * l + j];
          ck_assert_msg(fabs(sum) < 1e-14 * size * size, "angle %g: [%d][%d] off by %g", angles[a], i, j, sum);
        }
    }
}
END_TEST

START_TEST(coefficient_is_smooth_where_its_series_ends) {
  for (double s = 0.9; s < 1.1; s += 0.01) {
    double d, h = 1e-4, e = td_inverse_tangent_coefficient(s, &d);
    double numeric =
        (8 * (td_inverse_tangent_coefficient(s + h, NULL) - td_inverse_tangent_coefficient(s - h, NULL)) -
         td_inverse_tangent_coefficient(s + 2 * h, NULL) + td_inverse_tangent_coefficient(s - 2 * h, NULL)) /
        (12 * h);
    ck_assert(e > 1.0 / 12 && e < 0.09);
    ck_assert_msg(fabs(d - numeric) < 1e-11, "s %g: %.15g, not %.15g", s, d, numeric);
  }
}
END_TEST

// d log(exp(dx) g) = T^-1 dx, up to pi on both sides of the series' end.
START_TEST(log_changes_by_the_inverse_tangent) {
  uint64_t seed = tree_seed("log");
  for (size_t a = 1; a < sizeof angles / sizeof *angles; a++) {
    if (angles[a] > 3) break;
    double xi[6], inverse[36];
    random_twist(&seed, angles[a], 0.5, xi);
    td_inverse_tangent(xi, inverse);
    for (int j = 0; j < 6; j++) {
      double value[2][6], h = 1e-5;
      for (int side = 0; side < 2; side++) {
        double dx[6] = {0};
        td_se3 g, step;
        dx[j] = side ? h : -h;
        td_se3_exp(xi, &g);
        td_se3_exp(dx, &step);
        td_se3_compose(&step, &g, &g);
        td_se3_log(&g, value[side]);
      }
      for (int i = 0; i < 6; i++)
        ck_assert_msg(fabs((value[1][i] - value[0][i]) / (2 * h) - inverse[6 * i + j]) < 1e-6, "angle %g: [%d][%d]",
                      angles[a], i, j);
    }
  }
}
END_TEST

TEST_MAIN("inverse_tangent", tangent_times_its_inverse_is_one, coefficient_is_smooth_where_its_series_ends,
          log_changes_by_the_inverse_tangent)
