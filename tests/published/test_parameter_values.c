// Derivatives by numbers of documents against those of the oracle: 80-bit differences of order 8 of its forward
// kinematics (tests/oracle/parameters.py). Both ways, far neighbours where a number enters linearly and near ones.
#include "codec/document/model/model.h"
#include "support/model_file.h"
#include "support/suite.h"
#include "support/tree_state.h"
#include "tendril/parameters.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };

typedef struct numbers {
  json_t *model;
  size_t count;
  const char *path[MOST];
  td_parameter parameter[MOST];
} numbers;

// The value at a pointer; `set` (NULL: only read) replaces it.
static double at_pointer(json_t *value, const char *path, json_t *set) {
  json_t *owner = NULL;
  char key[64];
  while (*path == '/') {
    size_t length = strcspn(path + 1, "/");
    ck_assert_uint_lt(length, sizeof key);
    memcpy(key, path + 1, length);
    key[length] = 0;
    owner = value;
    value = json_is_array(owner) ? json_array_get(owner, strtoul(key, NULL, 10)) : json_object_get(owner, key);
    path += 1 + length;
  }
  ck_assert_msg(json_is_number(value), "no number at %s", path);
  double old = json_number_value(value);
  if (set && json_is_array(owner)) json_array_set(owner, strtoul(key, NULL, 10), set);
  if (set && json_is_object(owner)) json_object_set(owner, key, set);
  return old;
}

static td_status freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  numbers *s = context;
  json_t *there = json_real(value), *here = json_real(s->parameter[index].value);
  at_pointer(s->model, s->path[index], there);
  td_status status = codec_model_build(s->model, "", model, err);
  at_pointer(s->model, s->path[index], here);
  json_decref(there);
  json_decref(here);
  return status;
}

// Words of documents that the equation of motion is affine in.
static bool is_linear(const char *path) {
  static const char *const words[] = {"/young",   "/density", "/viscosity", "/mass",   "/stiffness",
                                      "/damping", "/drag",    "/gravity",   "/wrench", "/magnetisation"};
  const char *end = path + strlen(path);
  while (end > path && (isdigit((unsigned char)end[-1]) || end[-1] == '/')) end--;
  bool linear = false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    linear |= (size_t)(end - path) >= length && !strncmp(end - length, words[i], length);
  }
  return linear && !strstr(path, "/actuators");
}

static void read_numbers(const json_t *parameters, numbers *s, bool far) {
  s->count = json_array_size(parameters);
  ck_assert_uint_gt(s->count, 0);
  ck_assert_uint_le(s->count, MOST);
  for (size_t i = 0; i < s->count; i++) {
    const json_t *row = json_array_get(parameters, i);
    s->path[i] = json_string_value(json_object_get(row, "path"));
    s->parameter[i] = (td_parameter){.name = s->path[i],
                                     .value = at_pointer(s->model, s->path[i], NULL),
                                     .scale = json_number_value(json_object_get(row, "scale")),
                                     .linear = far && is_linear(s->path[i]),
                                     .lower = -INFINITY,
                                     .upper = INFINITY};
  }
}

// Column j of got [rows][np] against the reference of that parameter; `floor` by its scale: what rounding may leave of
// near neighbours.
static void same(const char *model, const numbers *s, const json_t *parameters, const char *what, int rows,
                 const double *got, double relative, double floor) {
  for (size_t j = 0; j < s->count; j++) {
    size_t size;
    double most = 0, *want = test_numbers(json_object_get(json_array_get(parameters, j), what), &size);
    ck_assert_uint_eq(size, (size_t)rows);
    for (int i = 0; i < rows; i++) most = fmax(most, fabs(want[i]));
    for (int i = 0; i < rows; i++) {
      double a = got[(size_t)i * s->count + j];
      ck_assert_msg(fabs(a - want[i]) <=
                        relative * most + 1e-15 + (s->parameter[j].linear ? 0 : floor / s->parameter[j].scale),
                    "%s: %s by %s [%d] is %.15g, not %.15g (%.2g of %.3g)", model, what, s->path[j], i, a, want[i],
                    fabs(a - want[i]), most);
    }
    free(want);
  }
}

typedef struct values {
  double residual[STATE_MAX * MOST], fd[STATE_MAX * MOST], lambda[STATE_MAX * MOST], lengths[STATE_MAX * MOST],
      tips[16 * 16 * MOST], poses[64 * 16 * MOST], at[3][STATE_MAX]; ///< at: residual, fd and lambda themselves
} values;

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void residual_at(const td_model *model, const td_state *s, double *out) {
  td_workspace *ws;
  TREE_OK(td_workspace_create(model, &ws));
  TREE_OK(td_residual_derivatives(model, ws, s->q, s->qd, s->qdd, s->u, out, NULL, NULL, NULL));
  td_workspace_destroy(ws);
}

static void ask(const td_model *model, numbers *s, const td_state *state, values *v) {
  td_parameters *p;
  td_parameter_workspace *ws;
  td_error err = {0};
  td_status status = td_parameters_create(model, s->parameter, s->count, freeze, s, &p, &err);
  ck_assert_msg(status == TD_OK, "%s: %s", err.pointer, err.message);
  TREE_OK(td_parameter_workspace_create(p, &ws));
  TREE_OK(td_parameter_derivatives(p, ws, state, NULL, &(td_parameter_output){.dresidual_dp = v->residual}));
  TREE_OK(td_parameter_dynamics(p, ws, state, v->at[1], v->at[2], v->fd, v->lambda));
  TREE_OK(td_parameter_tendons(p, ws, state->q, v->lengths));
  for (int i = 0; i < td_model_link_count(model); i++) {
    int points = td_model_link_point_count(model, i);
    ck_assert_int_le(points, 64);
    TREE_OK(td_parameter_poses(p, ws, state->q, i, v->poses));
    memcpy(v->tips + 16 * s->count * (size_t)i, v->poses + 16 * s->count * (size_t)(points - 1),
           16 * s->count * sizeof(double));
  }
  td_parameter_workspace_destroy(ws);
  td_parameters_destroy(p);
}

static void check_robot(const char *name, bool far) {
  static values v;
  char file[96];
  size_t size;
  snprintf(file, sizeof file, "published/oracle/parameters/%s.json", name);
  json_t *document = test_json_from_file(file), *parameters = json_object_get(document, "parameters"),
         *state = json_object_get(document, "state");
  snprintf(file, sizeof file, "published/oracle/%s.json", name);
  json_t *robot = test_json_from_file(file);
  numbers s = {.model = json_object_get(robot, "model")};
  td_model *model = NULL;
  TREE_OK(codec_model_build(s.model, "", &model, NULL));
  read_numbers(parameters, &s, far);
  double *q = test_numbers(json_object_get(state, "q"), &size), *qd = test_numbers(json_object_get(state, "qd"), &size),
         *qdd = test_numbers(json_object_get(state, "qdd"), &size),
         *u = test_numbers(json_object_get(state, "u"), &size);
  int n = td_model_ndof(model), c = td_model_loop_row_count(model) + td_model_prescribed_count(model);
  double T = json_number_value(json_object_get(document, "baumgarte"));
  const td_state at = {.q = q, .qd = qd, .qdd = qdd, .u = u, .baumgarte = T};
  ask(model, &s, &at, &v);
  residual_at(model, &at, v.at[0]);
  same(name, &s, parameters, "residual", n, v.residual, 1e-9, 1e-12 * largest(n, v.at[0]));
  same(name, &s, parameters, "fd", n, v.fd, 1e-7, 1e-10 * largest(n, v.at[1]));
  same(name, &s, parameters, "lambda", c, v.lambda, 1e-7, 1e-10 * largest(c, v.at[2]));
  same(name, &s, parameters, "tips", 16 * td_model_link_count(model), v.tips, 1e-9, 1e-12);
  same(name, &s, parameters, "lengths", td_model_tendon_count(model), v.lengths, 1e-9, 1e-12);
  td_model_destroy(model);
  free(q), free(qd), free(qdd), free(u);
  json_decref(document);
  json_decref(robot);
}

static const char *const ROBOTS[] = {"hybrid_of_everything", "contacts_together",  "loops_to_the_world",
                                     "prescribed_in_a_loop", "magnets_in_a_field", "tendons_by_length"};

START_TEST(derivatives_are_those_of_the_oracle) {
  for (size_t i = 0; i < sizeof ROBOTS / sizeof *ROBOTS; i++)
    for (int far = 0; far < 2; far++) check_robot(ROBOTS[i], far);
}
END_TEST

TEST_MAIN("parameter values", derivatives_are_those_of_the_oracle)
