// References over time: held outside, their pieces chosen by the time itself where knots are no events.
#include "control/reference.h"
#include "support/suite.h"
#include <math.h>

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

static double next(size_t knots, const double *t, const double *value, double after) {
  td_track track;
  ck_assert_int_eq(td_track_init(&track, TD_INTERPOLATION_LINEAR, 1, knots, t, value), TD_OK);
  double event = td_track_next_event(&track, after);
  td_track_fini(&track);
  return event;
}

START_TEST(no_step_strides_over_a_pulse_of_a_linear_reference) {
  static const double t[4] = {0, 52.37, 52.375, 52.38}, push[4] = {0, 0, 200, 0};
  ck_assert_double_eq(next(4, t, push, 0), 52.37);
  ck_assert_double_eq(next(4, t, push, 52.37), 52.375);
  ck_assert(isinf(next(4, t, push, 52.38)));
  ck_assert(isinf(next(1, t, push, -1)));
}
END_TEST

START_TEST(of_many_knots_those_are_events_where_a_linear_reference_bends) {
  enum { KNOTS = 1000 };
  double t[KNOTS], x[KNOTS];
  for (int k = 0; k < KNOTS; k++) t[k] = 0.01 * k, x[k] = sin(t[k]);
  ck_assert_double_eq(next(KNOTS, t, x, 0), t[KNOTS - 1]);
  x[500] += 0.1;
  ck_assert_double_eq(next(KNOTS, t, x, 0), t[499]);
  ck_assert_double_eq(next(KNOTS, t, x, t[499]), t[500]);
  ck_assert_double_eq(next(KNOTS, t, x, t[501]), t[KNOTS - 1]);
}
END_TEST

TEST_MAIN("track", no_step_strides_over_a_pulse_of_a_linear_reference,
          of_many_knots_those_are_events_where_a_linear_reference_bends, a_linear_reference_depends_on_the_time_alone,
          a_cubic_reference_rests_at_its_knots_and_is_held_outside)
