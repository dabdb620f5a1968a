// References over time: held outside, their pieces chosen by the time itself where knots are no events.
#include "solve/reference.h"
#include "support/suite.h"

static double at(td_interpolation interpolation, double t, double inside) {
  static const double knots[2] = {6, 7}, value[2] = {0, 20};
  td_track track;
  double out[3];
  ck_assert_int_eq(td_track_init(&track, interpolation, 1, 2, knots, value), TD_OK);
  td_track_eval(&track, 0, t, inside, out);
  td_track_fini(&track);
  return out[0];
}

START_TEST(a_linear_reference_depends_on_the_time_alone) {
  for (int i = 0; i <= 3; i++) { // a segment of a run may hold knots: `inside` lies anywhere in it
    double inside = 5.5 + i;
    ck_assert_double_eq_tol(at(TD_INTERPOLATION_LINEAR, 5.9, inside), 0, 1e-14);
    ck_assert_double_eq_tol(at(TD_INTERPOLATION_LINEAR, 6.25, inside), 5, 1e-13);
    ck_assert_double_eq_tol(at(TD_INTERPOLATION_LINEAR, 7.1, inside), 20, 1e-14);
  }
}
END_TEST

START_TEST(a_cubic_reference_rests_at_its_knots_and_is_held_outside) {
  ck_assert_double_eq_tol(at(TD_INTERPOLATION_CUBIC, 6.5, 6.5), 10, 1e-13);
  ck_assert_double_eq_tol(at(TD_INTERPOLATION_CUBIC, 7, 7.5), 20, 1e-14);
  ck_assert_double_eq_tol(at(TD_INTERPOLATION_CUBIC, 5, 5.5), 0, 1e-14);
}
END_TEST

TEST_MAIN("track", a_linear_reference_depends_on_the_time_alone,
          a_cubic_reference_rests_at_its_knots_and_is_held_outside)
