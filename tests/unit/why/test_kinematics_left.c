// What is said when a volume-preserving body leaves what its kinematics can represent: by one state, a run and statics.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <string.h>

// A hollow finger with curvature about x (unit: 1/L), elongation or not, and a source (unit: 1e-4 m^2); turned by a
// moment.
#define FINGER_WITH(more, actuators)                                                                                   \
  "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"finger\", \"joint\": {\"type\": \"fixed\"}, \"body\":"   \
  " {\"type\": \"reduced\", \"kinematics\": \"lvp\", \"length\": 0.1, \"radius\": 0.02, \"inner_radius\": 0.005,"      \
  " \"density\": 1000, \"young\": 1e5, \"poisson\": 0.5, \"damping_time\": 0.1, \"modes\": ["                          \
  "{\"field\": \"kx\", \"polynomial\": [1]}" more "]}}], \"loads\": [{\"link\": \"finger\", \"frame\": \"body\","      \
  " \"channels\": [\"turn\", null, null, null, null, null]}]" actuators "}"
#define FINGER(more) FINGER_WITH(more, "")
#define TENDON                                                                                                         \
  ", \"actuators\": [{\"name\": \"cable\", \"type\": \"tendon\", \"link\": \"finger\", \"points\": [[0, -0.02, 0], "   \
  "[0, -0.02, 0.05], [0, -0.02, 0.1]]}]"
#define GROWS ", {\"field\": \"e\", \"polynomial\": [1]}, {\"field\": \"source\", \"polynomial\": [1e-4]}"

static td_status mass_at(const double *q, td_error *err) {
  td_model *model = test_model_from_text(FINGER(GROWS));
  td_workspace *ws;
  double M[9], *out[1] = {M};
  int want = td_quantity_find("mass");
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_status status = td_evaluate(model, ws, &(td_state){.q = q}, &want, 1, out, err);
  td_workspace_destroy(ws);
  td_model_destroy(model);
  return status;
}

static void check_words(const td_error *err, const char *words) {
  ck_assert_msg(strstr(err->message, "body \"finger\" at s = ") != NULL, "%s", err->message);
  ck_assert_msg(strstr(err->message, words) != NULL, "%s", err->message);
}

START_TEST(a_state_that_bends_too_far_is_an_error_with_body_and_abscissa) {
  td_error err = {0};
  ck_assert_int_eq(mass_at((double[]){2, 0, 0}, &err), TD_OK); // alpha = 2/3 20/m 0.02 m = -0.27
  ck_assert_int_eq(mass_at((double[]){-3.5, 0, 0}, &err), TD_NONFINITE);
  ck_assert_str_eq(err.pointer, "/mass/finger");
  check_words(&err, "m bends beyond what the volume-preserving kinematics can represent");
}
END_TEST

START_TEST(a_body_without_length_and_a_cavity_that_closes_are_told_apart) {
  td_error err = {0};
  ck_assert_int_eq(mass_at((double[]){0, -1.2, 0}, &err), TD_NONFINITE);
  check_words(&err, "compressed to no length");
  ck_assert_int_eq(mass_at((double[]){0.1, 0, -1.2}, &err),
                   TD_NONFINITE); // m = -1.2e-4, innermost particles at r^2 = 1.04e-4
  check_words(&err, "closes its cavity");
}
END_TEST

START_TEST(a_body_of_modes_that_is_turned_inside_out_is_an_error_with_body_and_abscissa) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"block\", \"joint\": {\"type\": \"fixed\"}, \"body\":"
      " {\"type\": \"reduced\", \"kinematics\": \"ritz\", \"length\": 0.2, \"size\": [0.04, 0.04, 0.2], \"density\": "
      "1000,"
      " \"young\": 1e5, \"poisson\": 0.3, \"modes\": [[[], [], [[1, 0, 0, 1]]]],"
      " \"tip_points\": [[0, 0, 0.2], [0.02, 0, 0.2], [0, 0.02, 0.2]]}}]}");
  td_workspace *ws;
  td_error err = {0};
  double tau[1], *out[1] = {tau};
  int want = td_quantity_find("tau");
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_evaluate(model, ws, &(td_state){.q = (double[]){-0.9}}, &want, 1, out, &err), TD_OK);
  ck_assert_int_eq(td_evaluate(model, ws, &(td_state){.q = (double[]){-1.1}}, &want, 1, out, &err), TD_NONFINITE);
  ck_assert_str_eq(err.pointer, "/tau/block");
  ck_assert_msg(strstr(err.message, "turned inside out") != NULL, "%s", err.message);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// Particles stand at radii up to 17.8 mm, the tendon at 20 mm: it leaves the kinematics first.
START_TEST(a_tendon_point_beyond_the_kinematics_is_found_where_no_particle_is) {
  td_model *model = test_model_from_text(FINGER_WITH("", TENDON));
  td_workspace *ws;
  td_error err = {0};
  double tendons[2], *out[1] = {tendons};
  int want = td_quantity_find("tendons");
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_evaluate(model, ws, &(td_state){.q = (double[]){2.5}}, &want, 1, out, &err), TD_OK);
  ck_assert_int_eq(td_evaluate(model, ws, &(td_state){.q = (double[]){3}}, &want, 1, out, &err), TD_NONFINITE);
  ck_assert_str_eq(err.pointer, "/tendons/finger");
  check_words(&err, "bends beyond");
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// The forces grow without bound towards the end of the kinematics, so that no run crosses it: only a start
// beyond it can be there.
static void run_and_fail(td_method method, const double *q, recording *r) {
  td_model *model = test_model_from_text(FINGER(""));
  td_dynamics_spec spec = recording_job(model, method, 1, q);
  recording_run(r, model, &spec, NULL);
  ck_assert_int_ne(r->status, TD_OK);
  td_model_destroy(model);
}

START_TEST(a_run_that_starts_beyond_the_kinematics_says_so) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_NEWMARK, TD_METHOD_RK45};
  for (size_t i = 0; i < 3; i++) {
    recording r = {0};
    run_and_fail(methods[i], (double[]){-3.5}, &r);
    check_words(&r.error, "bends beyond");
    recording_free(&r);
  }
}
END_TEST

START_TEST(statics_from_beyond_the_kinematics_says_so) {
  td_model *model = test_model_from_text(FINGER(""));
  td_workspace *ws;
  double q[1] = {-3.5}, u[1] = {0};
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_ne(td_statics_solve(model, ws, u, &options, q, &result, &err), TD_OK);
  check_words(&err, "bends beyond");
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("kinematics_left", a_tendon_point_beyond_the_kinematics_is_found_where_no_particle_is,
          a_body_of_modes_that_is_turned_inside_out_is_an_error_with_body_and_abscissa,
          a_state_that_bends_too_far_is_an_error_with_body_and_abscissa,
          a_body_without_length_and_a_cavity_that_closes_are_told_apart,
          a_run_that_starts_beyond_the_kinematics_says_so, statics_from_beyond_the_kinematics_says_so)
