// Fixed steps and contacts that begin and end inside them: a robot must not gain what a step strides over.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>

// A stick of 0.25 kg without strains lies across and falls 8 cm on a plane with p = 1.5 in every point.
static td_model *falling_stick(double stiffness) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"slide\", \"joint\":"
      " {\"type\": \"prismatic\", \"axis\": \"z\"}}, {\"name\": \"stick\", \"parent\": \"slide\", \"pose\":"
      " {\"translation\": [0, 0, 0.1]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\":"
      " 0.2, \"section\": {\"shape\": \"circle\", \"radius\": 0.02}, \"material\": {\"young\": 1e7, \"poisson\": 0.5,"
      " \"density\": 1000, \"viscosity\": 0}, \"strain\": {\"basis\": \"legendre\", \"order\": {}}}}],"
      " \"contacts\": [{\"type\": \"plane\", \"stiffness\": %g}]}",
      stiffness);
  return test_model_from_text(text);
}

static const td_method fixed[] = {TD_METHOD_NEWMARK, TD_METHOD_HHT, TD_METHOD_GENERALIZED_ALPHA};

START_TEST(a_stiff_contact_gives_back_what_fell_on_it_at_the_default_step) {
  for (double stiffness = 1e5; stiffness < 1e10; stiffness *= 10) {
    td_model *model = falling_stick(stiffness);
    for (int m = 0; m < 3; m++) {
      td_dynamics_spec spec = recording_job(model, fixed[m], 1, NULL);
      spec.output_dt = 1e-3;
      recording r = {0};
      recording_ok(&r, model, &spec);
      const td_energy_balance *e = &r.statistics.energy;
      ck_assert(e->exchanged > 2);
      ck_assert_msg(fabs(e->error) < 0.01 * e->exchanged, "%s, k = %g: %g J of %g J", td_method_name(fixed[m]),
                    stiffness, e->error, e->exchanged);
      double highest = -1; // after the first impact, at 0.13 s
      for (size_t i = 0; i < r.count; i++)
        if (r.t[i] > 0.14) highest = fmax(highest, r.rows[i * r.row]);
      ck_assert_msg(fabs(highest) < 4e-3, "%s, k = %g: up to %g m above its start", td_method_name(fixed[m]), stiffness,
                    highest);
      ck_assert_uint_lt(r.statistics.steps, 1000);
      recording_free(&r);
    }
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(what_a_fall_loses_in_a_contact_is_the_energy_of_the_contact) {
  td_model *model = falling_stick(1e5);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 0.3, NULL);
  spec.integrator.rtol = 1e-9, spec.integrator.atol = 1e-11;
  spec.fields = (const char *const[]){"energy"}, spec.field_count = 1, spec.output_dt = 1e-4;
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_uint_eq(r.row, 4); // kinetic, elastic, gravitational, contact
  double stored = 0, apart = 0;
  for (size_t i = 0; i < r.count; i++) {
    const double *e = r.rows + 4 * i, *e0 = r.rows;
    stored = fmax(stored, e[3]);
    apart = fmax(apart, fabs(e[0] + e[1] + e[2] + e[3] - e0[0] - e0[1] - e0[2] - e0[3]));
  }
  ck_assert_double_gt(stored, 0.1); // of 0.25 kg from 8 cm
  ck_assert_msg(apart < 1e-5 * stored, "the sum of the energies is off by %g of %g J", apart, stored);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(steps_without_contact_stay_as_many_as_asked_for) {
  td_model *model = falling_stick(1e6);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 0.12, NULL); // it has not arrived
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_uint_eq(r.statistics.steps, 60);
  ck_assert_uint_eq(r.statistics.rejected, 0);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_that_goes_on_from_a_checkpoint_strikes_with_the_same_bits) {
  td_model *model = falling_stick(1e6);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 0.5, NULL);
  recording whole = {.checkpoint_dt = 0.1, .keep_at = 0.3}, rest = {.checkpoint_dt = 0.1, .keep_at = -1};
  recording_ok(&whole, model, &spec);
  recording_run(&rest, model, &spec, &whole);
  ck_assert_int_eq(rest.status, TD_OK);
  ck_assert_uint_eq(rest.statistics.steps, whole.statistics.steps);
  ck_assert_mem_eq(recording_last(&rest), recording_last(&whole), rest.row * sizeof *rest.rows);
  recording_free(&whole);
  recording_free(&rest);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("strikes", a_stiff_contact_gives_back_what_fell_on_it_at_the_default_step,
          what_a_fall_loses_in_a_contact_is_the_energy_of_the_contact, steps_without_contact_stay_as_many_as_asked_for,
          a_run_that_goes_on_from_a_checkpoint_strikes_with_the_same_bits)
