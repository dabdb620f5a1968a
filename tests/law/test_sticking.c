// Contacts that stick: what holds does not creep, what slides obeys Coulomb, springs are the run's; derivatives with
// springs stretched are those of differences, the account of energy closes.
#include "force/contact/bristle.h"
#include "pass/kinematics.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/dynamics.h"
#include "tendril/gradient.h"
#include "tendril/run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };

static const double G = 9.81;
static const char FREE[] = "\"joint\": {\"type\": \"free\"}, ";
static const char BLOCK[] =
    "\"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.3, 0.1]}, "
    "\"density\": 500}";
static const char BALL[] =
    "\"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 700}";
static const char CAPSULE[] =
    "\"body\": {\"type\": \"rigid\", \"mass\": 2, \"com\": [0.01, 0, 0.02], \"inertia\": [0.02, 0.03, 0.02], "
    "\"collision\": {\"shape\": \"capsule\", \"radius\": 0.07, \"length\": 0.3, \"axis\": [1, 0.5, 0.2]}}";
static const char ROD[] =
    "\"body\": {\"type\": \"rod\", \"length\": 0.6, \"section\": {\"shape\": \"circle\", \"radius\": [0.06, 0.04]}, "
    "\"material\": {\"young\": 1e5, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 100}, \"strain\": {\"basis\": "
    "\"legendre\", \"order\": {\"bending_y\": 1, \"bending_z\": 1, \"elongation\": 0}}, \"quadrature\": {\"points\": "
    "5}}";

// ------------------------------------------------------------------------------------------------ derivatives

typedef struct probe {
  td_model *model;
  td_workspace *ws;
  td_bristle *bristle;
  int n;
  double x[3][MOST]; // q, qd, qdd
  unsigned seed;
} probe;

static double some(probe *p) {
  p->seed = p->seed * 1664525u + 1013904223u;
  return (double)(p->seed >> 8) / (1 << 23) - 1;
}

static void probe_init(probe *p, td_model *model) {
  *p = (probe){.model = model, .n = td_model_ndof(model), .seed = 3};
  ck_assert(p->n <= MOST && model->bristle_count > 0 && td_workspace_create(model, &p->ws) == TD_OK);
  p->bristle = calloc((size_t)model->bristle_count, sizeof *p->bristle);
}

static void probe_fini(probe *p) {
  td_workspace_destroy(p->ws);
  td_model_destroy(p->model);
  free(p->bristle);
}

// A random state that touches, its springs stretched by a way of 1e-3, as much as friction holds.
static void touch(probe *p) {
  td_energy energy;
  p->ws->bristle = NULL;
  do {
    for (int part = 0; part < 3; part++)
      for (int i = 0; i < p->n; i++) p->x[part][i] = (part ? 0.3 : 0.4) * some(p);
    ck_assert_int_eq(td_energy_at(p->model, p->ws, p->x[0], p->x[1], &energy), TD_OK);
  } while (!(energy.contact > 0.01));
  td_kinematics(p->model, p->ws, p->x[0], p->x[1], NULL, p->model->gravity, TD_LEVEL_TWIST);
  (void)td_bristles_take(p->model, p->ws, 0, p->bristle);
  p->ws->bristle = p->bristle;
  for (int i = 0; i < p->n; i++) p->x[0][i] += 2e-3 * some(p);
}

static void difference(probe *p, int part, int k, double h, double *out) {
  static const double weight[3] = {0.75, -0.15, 1. / 60};
  double kept = p->x[part][k];
  memset(out, 0, MOST * sizeof *out);
  for (int s = 0; s < 6; s++) {
    double id[MOST], sign = s % 2 ? -1 : 1;
    p->x[part][k] = kept + sign * (s / 2 + 1) * h;
    ck_assert_int_eq(td_inverse_dynamics(p->model, p->ws, p->x[0], p->x[1], p->x[2], NULL, id), TD_OK);
    for (int i = 0; i < p->n; i++) out[i] += sign * weight[s / 2] * id[i] / h;
  }
  p->x[part][k] = kept;
}

static double most(int n, const double *a, const double *b) {
  double x = 0;
  for (int i = 0; i < n; i++) x = fmax(x, fabs(a[i] - (b ? b[i] : 0)));
  return x;
}

static void derivatives_are_right(probe *p, int states, const char *what) {
  static const double H = 2e-5;
  int compared = 0, seams = 0;
  double worst = 0, dq[MOST * MOST], dqd[MOST * MOST];
  for (int s = 0; s < states; s++) {
    touch(p);
    ck_assert_int_eq(td_id_derivatives(p->model, p->ws, p->x[0], p->x[1], p->x[2], NULL, NULL, dq, dqd, NULL), TD_OK);
    for (int part = 0; part < 2; part++)
      for (int k = 0; k < p->n; k++) {
        double column[MOST], near[MOST], far[MOST];
        for (int i = 0; i < p->n; i++) column[i] = (part ? dqd : dq)[i * p->n + k];
        difference(p, part, k, H, near);
        difference(p, part, k, 1.5 * H, far);
        double size = fmax(1, most(p->n, near, NULL));
        if (most(p->n, near, far) > 1e-8 * size) {
          seams++;
          continue;
        }
        compared++;
        worst = fmax(worst, most(p->n, near, column) / size);
      }
  }
  ck_assert_msg(worst < 1e-7, "%s: off by %g", what, worst);
  ck_assert_msg(seams < compared / 4, "%s: %d of %d at seams", what, seams, seams + compared);
}

static const char STICKS[] = "\"stiffness\": 2e3, \"damping\": 0.4, \"friction\": 0.6, \"stick\": {\"stiffness\": 3e3, "
                             "\"damping\": 20}";

static td_model *two(const char *a, const char *b) {
  char text[4096];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", %s%s}, {\"name\": \"b\", %s%s}], "
           "\"contacts\": [{\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"], %s}]}",
           FREE, a, FREE, b, STICKS);
  return test_model_from_text(text);
}

static td_model *one(const char *body, const char *obstacle) {
  char text[4096];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", %s%s}], \"contacts\": [{%s, \"links\": "
           "[\"a\"], %s}]}",
           FREE, body, obstacle, STICKS);
  return test_model_from_text(text);
}

START_TEST(derivatives_with_springs_stretched_are_those_of_differences) {
  const char *pairs[][2] = {{BALL, CAPSULE}, {ROD, BALL}, {ROD, CAPSULE}, {ROD, ROD}};
  const char *obstacles[] = {"\"type\": \"plane\", \"axis\": [0.1, 0.2, 1], \"anisotropy\": [1, 0.3]",
                             "\"type\": \"cylinder_interior\", \"radius\": 0.3, \"axis\": [1, 0.2, 0]",
                             "\"type\": \"sphere\", \"radius\": 0.2"};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    probe p;
    probe_init(&p, two(pairs[i][0], pairs[i][1]));
    derivatives_are_right(&p, 6, pairs[i][0]);
    probe_fini(&p);
  }
  for (int k = 0; k < 6; k++) {
    probe p;
    probe_init(&p, one(k < 3 ? BALL : ROD, obstacles[k % 3]));
    derivatives_are_right(&p, 4, obstacles[k % 3]);
    probe_fini(&p);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ laws

// A block on a plane z = 0, gravity turned by `slope` about y, from where its weight presses its corners in.
static td_model *block(double slope) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [%.17g, 0, %.17g], \"links\": [{\"name\": \"a\", %s%s}], "
           "\"contacts\": [{\"type\": \"plane\", \"links\": [\"a\"], \"stiffness\": 1e6, \"damping\": 1, \"friction\": "
           "0.5, \"stick\": {\"stiffness\": 2e5, \"damping\": 500}}]}",
           G * sin(slope), -G * cos(slope), FREE, BLOCK);
  return test_model_from_text(text);
}

static double depth(double slope) { return pow(4.5 * G * cos(slope) / 4e6, 1 / 1.5); }

static void closes(const td_run_statistics *s, int method) {
  const td_energy_balance *e = &s->energy;
  double allowed = method == TD_METHOD_EULER_IMPLICIT ? 2e-2 : 1e-3; // of first order
  ck_assert_msg(fabs(e->error) < allowed * e->exchanged, "method %d: off by %g of %g J", method, e->error,
                e->exchanged);
}

START_TEST(a_block_holds_on_a_slope_for_a_minute_and_does_not_creep) {
  const double slope = 0.95 * atan(0.5);
  td_model *model = block(slope);
  for (int method = 0; method < TD_METHOD_COUNT; method++) {
    bool steps = method != TD_METHOD_BDF && method != TD_METHOD_DAE && method != TD_METHOD_RADAU; // small ones
    double q[6] = {0, 0, 0, 0, 0, 0.05 - depth(slope)}, t_end = steps ? 1 : 60;
    td_dynamics_spec spec = recording_job(model, (td_method)method, t_end, q);
    recording r = {0};
    spec.output_dt = t_end / 60;
    recording_ok(&r, model, &spec);
    const double *early = r.rows + r.count / 2 * r.row, *end = recording_last(&r);
    ck_assert_msg(fabs(end[3] - early[3]) < 1e-6, "method %d: crept by %g m", method, end[3] - early[3]);
    ck_assert_msg(fabs(end[3]) < 5e-4, "method %d: %g m", method, end[3]);
    closes(&r.statistics, method);
    for (int i = 0; i < r.statistics.warnings.count; i++)
      ck_assert_str_ne(r.statistics.warnings.list[i].code, "friction_faded");
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_block_slides_on_a_steeper_slope_as_coulomb_says) {
  const double slope = 0.7, a = G * (sin(slope) - 0.5 * cos(slope)), t_end = 0.2;
  td_model *model = block(slope);
  for (int method = 0; method < TD_METHOD_COUNT; method++) {
    double q[6] = {0, 0, 0, 0, 0, 0.05 - depth(slope)};
    td_dynamics_spec spec = recording_job(model, (td_method)method, t_end, q);
    recording r = {0};
    recording_ok(&r, model, &spec);
    const double *end = recording_last(&r);
    ck_assert_msg(fabs(end[9] - a * t_end) < 0.01 * a * t_end, "method %d: %g m/s, not %g", method, end[9], a * t_end);
    closes(&r.statistics, method);
    double lost = 0.5 * 4.5 * G * cos(slope) * end[3];
    ck_assert_msg(fabs(r.statistics.energy.contact_losses - lost) < 0.02 * lost, "method %d: %g J, not %g", method,
                  r.statistics.energy.contact_losses, lost);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// v^2 / (2 mu g), and there it stays: sliding that ends within a step does not spring back.
START_TEST(a_block_that_is_pushed_comes_to_rest_where_friction_has_its_energy) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_GENERALIZED_ALPHA, TD_METHOD_RADAU,
                                      TD_METHOD_EULER_IMPLICIT};
  td_model *model = block(0);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    td_method method = methods[i];
    double q[6] = {0, 0, 0, 0, 0, 0.05 - depth(0)}, qd[6] = {0, 0, 0, 1, 0, 0};
    td_dynamics_spec spec = recording_job(model, method, 0.6, q);
    recording r = {0};
    spec.qd = qd;
    spec.qd_count = 6;
    recording_ok(&r, model, &spec);
    const double *end = recording_last(&r);
    double allowed = method == TD_METHOD_EULER_IMPLICIT ? 0.02 : 0.01; // of first order
    ck_assert_msg(fabs(end[3] - 0.5 / (0.5 * G)) < allowed * end[3], "method %d: %g m, not %g", method, end[3], 1 / G);
    ck_assert_msg(fabs(end[9]) < 1e-4, "method %d: %g m/s", method, end[9]);
    closes(&r.statistics, method);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// A ball between two jaws that springs press together; nothing else carries it.
static const char JAWS[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": ["
    "{\"name\": \"left\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", \"stiffness\": 1000, \"damping\": 20, "
    "\"rest\": 0.03}, \"pose\": {\"translation\": [-0.15, 0, 0]}, \"body\": {\"type\": \"rigid\", \"mass\": 0.5, "
    "\"inertia\": [1, 1, 1], \"collision\": {\"shape\": \"sphere\", \"radius\": 0.05}}}, "
    "{\"name\": \"right\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", \"stiffness\": 1000, \"damping\": 20, "
    "\"rest\": -0.03}, \"pose\": {\"translation\": [0.15, 0, 0]}, \"body\": {\"type\": \"rigid\", \"mass\": 0.5, "
    "\"inertia\": [1, 1, 1], \"collision\": {\"shape\": \"capsule\", \"radius\": 0.05, \"length\": 0.2, \"axis\": "
    "\"y\"}}}, "
    "{\"name\": \"ball\", \"joint\": {\"type\": \"free\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": "
    "[0.004, 0.004, 0.004], \"collision\": {\"shape\": \"sphere\", \"radius\": 0.1}}}], "
    "\"contacts\": [{\"type\": \"pair\", \"a\": [\"left\", \"right\"], \"b\": [\"ball\"], \"stiffness\": 1e5, "
    "\"damping\": 1, \"friction\": 0.6, \"stick\": {\"stiffness\": 1e5, \"damping\": 100}}]}";

START_TEST(a_ball_between_two_jaws_stays_for_a_minute) {
  td_model *model = test_model_from_text(JAWS);
  double q[8] = {0.001, -0.001};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 60, q);
  recording r = {0};
  spec.output_dt = 1;
  recording_ok(&r, model, &spec);
  const double *early = r.rows + 2 * r.row, *end = recording_last(&r);
  ck_assert_msg(fabs(end[7] - early[7]) < 1e-4, "crept by %g m", end[7] - early[7]);
  ck_assert_double_lt(fabs(end[7]), 1e-2);
  closes(&r.statistics, -1);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_goes_on_with_the_springs_it_had) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_GENERALIZED_ALPHA, TD_METHOD_RADAU};
  td_model *model = block(0.7), *jaws = test_model_from_text(JAWS);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    double q[6] = {0, 0, 0, 0, 0, 0.05 - depth(0.7)}, p[8] = {0.001, -0.001};
    td_dynamics_spec spec = recording_job(model, methods[i], 0.2, q);
    recording_goes_on(model, &spec, 0.05, 0.1);
    spec = recording_job(jaws, methods[i], 0.2, p);
    recording_goes_on(jaws, &spec, 0.05, 0.1);
  }
  td_model_destroy(model);
  td_model_destroy(jaws);
}
END_TEST

// ------------------------------------------------------------------------------------------------ results

// Forces of places are those of the touch; each presses along its normal, on the surface of the plane through 0.
static void places_hold(const double *places, int count, const double force[3]) {
  double sum[3] = {0};
  int touching = 0;
  for (int i = 0; i < count; i++) {
    const double *p = places + i * TD_CONTACT_PLACE, *at = p + 1, *f = p + 4, *n = p + 7;
    if (p[0] < 0) continue;
    ck_assert_double_eq(p[0], 0);
    ck_assert_double_eq_tol(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-12);
    ck_assert(n[0] * f[0] + n[1] * f[1] + n[2] * f[2] > 0);
    ck_assert_double_le(fabs(n[0] * at[0] + n[1] * at[1] + n[2] * at[2]), 1e-3);
    for (int k = 0; k < 3; k++) sum[k] += f[k];
    touching++;
  }
  ck_assert_int_ge(touching, 3);
  for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(sum[k], force[k], 1e-9);
}

// The ball is pressed by 2 mm on the left, by 1 mm on the right: a place on either side, midway between the surfaces.
static void asked_at_a_state(const td_model *model) {
  td_workspace *ws = NULL;
  const double q[8] = {0.002, -0.001};
  const td_state state = {.q = q};
  const int want[] = {td_quantity_find("contact_place"), td_quantity_find("contacts"),
                      td_quantity_find("contact_force")};
  double places[64 * TD_CONTACT_PLACE], touch[6], force[6], *out[] = {places, touch, force};
  td_member member;
  size_t total;
  td_error err = {0};
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_quantity_members(model, want[0], &member, 1, &total), 1);
  ck_assert_uint_eq(total, (size_t)td_contact_place_count(model) * TD_CONTACT_PLACE);
  ck_assert_msg(td_evaluate(model, ws, &state, want, 3, out, &err) == TD_OK, "%s", err.message);
  for (int side = 0; side < 2; side++) {
    const double *p = places + side * TD_CONTACT_PLACE, d = touch[3 * side], sign = side ? 1 : -1;
    ck_assert_double_eq(p[0], side);
    ck_assert_double_eq_tol(d, side ? 0.001 : 0.002, 1e-4);
    ck_assert_double_eq_tol(p[1], sign * (0.1 - 0.5 * d), 1e-4);
    ck_assert_double_eq_tol(p[4], sign * touch[3 * side + 1], 1e-9);
    ck_assert_double_eq_tol(p[7], sign, 1e-12);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(p[4 + k], force[3 * side + k], 1e-9);
  }
  ck_assert_int_eq(td_contact_place_count(model), 2);
  td_workspace_destroy(ws);
}

// What holds a block on a slope is its weight, of which the plane presses the part across.
START_TEST(fields_of_contacts_are_what_holds_a_block) {
  static const char *const fields[] = {"contacts", "contact_force", "contact_place"};
  const double slope = 0.4, weight = 4.5 * G;
  td_model *model = block(slope), *jaws = test_model_from_text(JAWS);
  char name[TD_CONTACT_ROW_NAME];
  double q[6] = {0, 0, 0, 0, 0, 0.05 - depth(slope)};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 10, q);
  recording r = {0};
  spec.fields = fields;
  spec.field_count = 3;
  recording_ok(&r, model, &spec);
  const double *end = recording_last(&r);
  ck_assert_uint_eq(r.row, 6 + (size_t)td_contact_place_count(model) * TD_CONTACT_PLACE);
  places_hold(end + 6, td_contact_place_count(model), end + 3);
  ck_assert_double_eq_tol(end[1], weight * cos(slope), 1e-3);
  ck_assert_double_eq_tol(end[3], -weight * sin(slope), 1e-3);
  ck_assert_double_eq_tol(end[5], weight * cos(slope), 1e-3);
  ck_assert(end[0] > depth(slope) && end[0] < 2 * depth(slope) && fabs(end[2]) < 1e-6);
  recording_free(&r);
  td_contact_row_name(model, 0, name);
  ck_assert_str_eq(name, "contacts[0].a");
  ck_assert_int_eq(td_contact_row_count(jaws), 2);
  td_contact_row_name(jaws, 1, name);
  ck_assert_str_eq(name, "contacts[0].right.ball");
  asked_at_a_state(jaws);
  td_model_destroy(model);
  td_model_destroy(jaws);
}
END_TEST

// ------------------------------------------------------------------------------------------------ documents

static void refuses(const char *law, const char *pointer, const char *why) {
  char text[2048];
  td_model *model = NULL;
  td_error err = {0};
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", %s%s}], \"contacts\": [{\"type\": "
           "\"plane\", \"links\": [\"a\"], \"stiffness\": 1, %s}]}",
           FREE, BALL, law);
  ck_assert_int_eq(test_model_try(text, &model, &err), TD_INVALID_ARGUMENT);
  ck_assert_msg(!strcmp(err.pointer, pointer), "%s: %s", err.pointer, err.message);
  ck_assert_msg(strstr(err.message, why) != NULL, "%s", err.message);
}

START_TEST(what_cannot_stick_is_refused_with_its_place) {
  refuses("\"stick\": {\"stiffness\": 1}", "/contacts/0/stick", "needs `friction`");
  refuses("\"friction\": 1, \"stick\": {\"stiffness\": 0}", "/contacts/0/stick/stiffness", "positive");
  refuses("\"friction\": 1, \"stick\": {\"stiffness\": 1, \"damping\": -1}", "/contacts/0/stick/damping", "negative");
  refuses("\"friction\": 1, \"stick\": {}", "/contacts/0/stick/stiffness", "missing");
}
END_TEST

START_TEST(runs_that_stick_have_no_derivatives_and_say_so) {
  td_model *model = block(0.1);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 0.1, (double[6]){0});
  td_variables by = {0};
  td_error err = {0};
  ck_assert_int_eq(td_gradient_check(model, &spec, &by, &err), TD_UNSUPPORTED);
  ck_assert_str_eq(err.pointer, "/model/contacts");
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("sticking", derivatives_with_springs_stretched_are_those_of_differences,
          a_block_holds_on_a_slope_for_a_minute_and_does_not_creep, a_block_slides_on_a_steeper_slope_as_coulomb_says,
          a_block_that_is_pushed_comes_to_rest_where_friction_has_its_energy,
          a_ball_between_two_jaws_stays_for_a_minute, a_run_goes_on_with_the_springs_it_had,
          fields_of_contacts_are_what_holds_a_block, runs_that_stick_have_no_derivatives_and_say_so,
          what_cannot_stick_is_refused_with_its_place)
