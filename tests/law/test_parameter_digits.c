// Digits of derivatives by differences, with the steps that documents lead to.
//
// Where forces set in over much less than the robot's size: an obstacle, a tendon driven by length between slack and
// taut, the stop of a joint. A turn of a link's frame about the axis of its joint is a turn of the joint, by which
// derivatives are analytic: dr/d(rpy) = dr/dq.
//
// Of equilibria: where a robot rests it stays at rest whatever its numbers are. dfd_dq dq/dp + dfd_dp = 0, a difference
// of terms of 3e13 for the fin-ray finger and the length of its rods.
#include "base/arena.h"
#include "codec/document/parameters/parameters.h"
#include "statics/statics.h"
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/parameters.h"
#include "tendril/sensitivity.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 80, NUMBERS = 2 };

typedef struct asked {
  arena *memory;
  json_t *document;
  parameter_set set;
  td_model *model;
  td_workspace *ws;
  td_parameters *parameters;
  td_parameter_workspace *by;
} asked;

static td_status freeze(void *context, size_t index, double value, td_model **out, td_error *err) {
  asked *a = context;
  ck_assert(codec_parameters_move(&a->set, a->document, index, value));
  char *text = json_dumps(a->document, JSON_REAL_PRECISION(17));
  ck_assert(codec_parameters_restore(&a->set, a->document, index));
  td_status status = test_model_try(text, out, err);
  free(text);
  return status;
}

// Takes the document over.
static asked *ask(json_t *document, const char *first, const char *second) {
  asked *a = calloc(1, sizeof *a);
  parameter_place places[NUMBERS] = {{.path = first}, {.path = second}};
  parameter_list list = {.place = places, .count = second ? 2 : 1};
  td_error err = {0};
  ck_assert(a && document);
  *a = (asked){.memory = arena_create(), .document = document};
  td_status status = codec_parameters_resolve(&list, document, NULL, a->memory, &a->set, &err);
  char *text = json_dumps(document, JSON_REAL_PRECISION(17));
  a->model = test_model_from_text(text);
  free(text);
  if (!status) status = td_workspace_create(a->model, &a->ws);
  if (!status) status = td_parameters_create(a->model, a->set.number, list.count, freeze, a, &a->parameters, &err);
  if (!status) status = td_parameter_workspace_create(a->parameters, &a->by);
  ck_assert_msg(!status, "%s: %s", err.pointer, err.message);
  ck_assert_int_le(td_model_ndof(a->model), MOST);
  return a;
}

static void done(asked *a) {
  td_parameter_workspace_destroy(a->by);
  td_parameters_destroy(a->parameters);
  td_workspace_destroy(a->ws);
  td_model_destroy(a->model);
  json_decref(a->document);
  arena_destroy(a->memory);
  free(a);
}

// ---- forces that set in

enum { N = 4, TURNED = 1 };
static const double STOP = 400; // N m/rad
static const char robot[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [3, -9.81, 0.5], \"links\": ["
    "{\"name\": \"near\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"limits\": {\"upper\": 0.1, "
    "\"stiffness\": 400}}, \"body\": {\"type\": \"rigid\", \"mass\": 0.2, \"com\": [0.1, 0, 0], \"inertia\": [1e-3, "
    "1e-3, 1e-3]}}, "
    "{\"name\": \"far\", \"parent\": \"near\", \"pose\": {\"translation\": [0.3, 0, 0], \"rpy\": [0, 0, 0.2]}, "
    "\"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": "
    "{\"shape\": \"circle\", \"radius\": 0.01}, \"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000}, "
    "\"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_z\": 1}}}}], "
    "\"contacts\": [{\"type\": \"plane\", \"axis\": \"-y\", \"pose\": {\"translation\": [0, 0.06, 0]}, \"stiffness\": "
    "2000, \"exponent\": 1.5}], "
    "\"actuators\": [{\"name\": \"pull\", \"type\": \"tendon\", \"mode\": \"length\", \"stiffness\": 2000, \"rest\": "
    "0.2, \"damping\": 20, \"slack_width\": 1e-4, \"segments\": [{\"link\": \"near\", \"points\": [[0.2, 0.02, 0]]}, "
    "{\"link\": \"far\", "
    "\"routing\": {\"type\": \"linear\", \"base\": [0.006, 0]}}]}]}";
static const double q[N] = {0.12, 0.1, 0.4, -0.2}, qd[N] = {0.1, -0.2, 0.1, 0.3}, qdd[N] = {1, 2, -1, -2};

// The input by which the tendon is stretched by a part of its slack width.
static double half_taut(const asked *a) {
  double now;
  ck_assert_int_eq(td_tendon_lengths(a->model, a->ws, q, &now, NULL), TD_OK);
  return 0.2 - now + 3e-5;
}

START_TEST(forces_that_set_in_sharply_leave_derivatives_by_poses_and_limits_their_digits) {
  asked *a = ask(json_loads(robot, 0, NULL), "/model/links/1/pose/rpy/2", "/model/links/0/joint/limits/upper");
  double u = half_taut(a), got[N * NUMBERS], r[N], K[N * N], most = 0;
  td_state at = {.q = q, .qd = qd, .qdd = qdd, .u = &u};
  td_parameter_output out = {.dresidual_dp = got};
  ck_assert_int_eq(td_model_ndof(a->model), N);
  ck_assert_int_eq(td_parameter_derivatives(a->parameters, a->by, &at, NULL, &out), TD_OK);
  ck_assert_int_eq(td_residual_derivatives(a->model, a->ws, q, qd, qdd, &u, r, K, NULL, NULL), TD_OK);
  for (int i = 0; i < N; i++) most = fmax(most, fabs(K[i * N + TURNED]));
  for (int i = 0; i < N; i++) {
    double turn = -K[i * N + TURNED], stop = i == 0 ? STOP : 0;
    ck_assert_msg(fabs(got[i * NUMBERS] - turn) <= 2e-11 * most, "[%d] by the turn: %.17g, not %.17g (of %g: %.1e)", i,
                  got[i * NUMBERS], turn, most, fabs(got[i * NUMBERS] - turn) / most);
    ck_assert_msg(fabs(got[i * NUMBERS + 1] - stop) <= 1e-11 * STOP, "[%d] by the limit: %.17g, not %g", i,
                  got[i * NUMBERS + 1], stop);
  }
  done(a);
}
END_TEST

// ---- equilibria

static void rest(const asked *a, double *at) {
  td_statics s;
  td_statics_result result;
  td_statics_options options;
  td_error err;
  const double u = 0;
  td_statics_defaults(&options);
  ck_assert_int_eq(td_statics_init(&s, a->model, a->ws, &options), TD_OK);
  ck_assert_int_eq(td_statics_find(&s, &u, &result, &err), TD_OK);
  memcpy(at, s.q, (size_t)s.n * sizeof *at);
  td_statics_fini(&s);
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

START_TEST(what_rests_keeps_resting_as_a_rod_grows) {
  asked *a =
      ask(test_json_from_file(TEST_DATA_DIR "/../api/examples/finray.model.json"), "/model/links/1/body/length", NULL);
  double at[MOST], dq[MOST], jvp[MOST], back[MOST], one = 1, u = 0, still[MOST] = {0}, along[MOST], p, moved;
  int n = td_model_ndof(a->model);
  td_sensitivity *s;
  td_error err = {0};
  rest(a, at);
  td_equilibrium e = {.q = at, .u = &u};
  td_state state = {.q = at, .qd = still, .u = &u};
  ck_assert_int_eq(td_sensitivity_create(a->model, 1, a->parameters, NULL, &s), TD_OK);
  ck_assert_msg(!td_statics_sensitivity(s, &e, dq, NULL, &err), "%s", err.message);
  td_variation v = {.q = dq, .p = &one};
  ck_assert_int_eq(td_parameter_jvp(a->parameters, a->by, &state, &v, NULL, jvp), TD_OK);
  ck_assert_msg(largest(n, jvp) <= 0.02, "%.3g is left", largest(n, jvp));
  for (int i = 0; i < n; i++) {
    memset(along, 0, sizeof along);
    along[i] = 1;
    td_variation g = {.q = back, .p = &p};
    ck_assert_int_eq(td_parameter_vjp(a->parameters, a->by, &state, along, NULL, &g), TD_OK);
    ck_assert_msg(!td_statics_cotangent(s, &e, back, NULL, &(td_equilibrium_cotangent){.p = &moved}, &err), "%s",
                  err.message);
    ck_assert_msg(fabs(p + moved) <= 0.02, "[%d] backward: %.3g is left of %.3g", i, p + moved, p);
  }
  td_sensitivity_destroy(s);
  done(a);
}
END_TEST

TEST_MAIN("parameter digits", forces_that_set_in_sharply_leave_derivatives_by_poses_and_limits_their_digits,
          what_rests_keeps_resting_as_a_rod_grows)
