// Derivatives of runs in which a point lands, rubs and flies on. Friction and damping grow with the push, so that their
// slopes jump at the surface where its does (exponent 1), and steps under error control end there. Against differences of
// order 4 of runs at tight tolerances and of the same equal steps, forward and backward.
//
// A bar swings about the end of two rails, flies along x at 1 m/s onto a plane and slides along it at 0.8 m/s.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/gradient.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OF_WALL, OF_STIFFNESS, OF_FRICTION, OF_DAMPING, OF_MODEL, NUMBERS = OF_MODEL + 3, N = 3, ROW = 2 * N };
enum { SAMPLES = 4 };
static const double TIMES[SAMPLES] = {0.14, 0.16, 0.25, 0.4};
static const double Q[N] = {-0.1, 0, 0.2}, QD[N] = {1, 0.8, 0.5};

typedef struct landing {
  double exponent, number[OF_MODEL];
} landing;

static td_model *model_of(const landing *b, int number, double value) {
  char text[2048];
  double x[OF_MODEL];
  memcpy(x, b->number, sizeof x);
  if (number >= 0) x[number] = value;
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"fly\", \"joint\": "
           "{\"type\": \"prismatic\", \"axis\": \"x\"}}, {\"name\": \"slide\", \"parent\": \"fly\", \"joint\": "
           "{\"type\": \"prismatic\", \"axis\": \"y\"}}, {\"name\": \"bar\", \"parent\": \"slide\", \"joint\": "
           "{\"type\": \"revolute\", \"axis\": \"z\", \"stiffness\": 2}, \"body\": {\"type\": \"rod\", \"length\": "
           "0.2, \"section\": {\"shape\": \"stiffness\", \"mass_per_length\": 10, \"radius\": 0.01, \"EI_y\": 1}, "
           "\"strain\": {\"basis\": \"legendre\", \"order\": {}}, \"quadrature\": {\"points\": 3}}}], \"contacts\": "
           "[{\"type\": \"plane\", \"axis\": \"-x\", \"pose\": {\"translation\": [%.17g, 0, 0]}, \"stiffness\": %.17g, "
           "\"exponent\": %g, \"friction\": %.17g, \"damping\": %.17g, \"slip_speed\": 0.05}]}",
           x[OF_WALL] + 0.21, x[OF_STIFFNESS], b->exponent, x[OF_FRICTION], x[OF_DAMPING]);
  return test_model_from_text(text);
}

static td_status freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  (void)err;
  *model = model_of(context, (int)index, value);
  return TD_OK;
}

typedef struct asked {
  landing b;
  td_model *model;
  td_parameters *parameters;
  td_variables by;
  td_dynamics_spec spec;
  double q[N], qd[N], initial[ROW * (NUMBERS - OF_MODEL)], full[ROW * NUMBERS];
  double expected[SAMPLES][ROW][NUMBERS], size[2][NUMBERS], allowed;
  int sample, entry; // backward: what is wanted
} asked;

static void begin(asked *a, double exponent, td_method method, double rtol) {
  static const char *const fields[] = {"q", "qd"};
  td_error err = {0};
  *a = (asked){.b = {exponent, {0.05, exponent > 1 ? 5e5 : 5e4, 0.4, 0.3}}};
  const double *x = a->b.number;
  td_parameter list[OF_MODEL] = {{"wall", x[OF_WALL], 0.2, false, -INFINITY, INFINITY},
                                 {"stiffness", x[OF_STIFFNESS], x[OF_STIFFNESS], true, 1, INFINITY},
                                 {"friction", x[OF_FRICTION], 1, true, 0, INFINITY},
                                 {"damping", x[OF_DAMPING], 1, false, 0, INFINITY}};
  a->model = model_of(&a->b, -1, 0);
  td_status status = td_parameters_create(a->model, list, OF_MODEL, freeze, &a->b, &a->parameters, &err);
  ck_assert_msg(!status, "%s: %s", err.pointer, err.message);
  memcpy(a->q, Q, sizeof Q);
  memcpy(a->qd, QD, sizeof QD);
  a->full[0 * NUMBERS + OF_MODEL] = 1;           // by x0
  a->full[(N + 0) * NUMBERS + OF_MODEL + 1] = 1; // by its rate
  a->full[(N + 1) * NUMBERS + OF_MODEL + 2] = 1; // by how fast it slides
  a->by = (td_variables){.count = NUMBERS, .model = a->parameters, .initial = a->full};
  a->spec = (td_dynamics_spec){.t_end = TIMES[SAMPLES - 1],
                               .times = TIMES,
                               .time_count = SAMPLES,
                               .fields = fields,
                               .field_count = 2,
                               .initial = TD_INITIAL_ARRAY,
                               .q = a->q,
                               .qd = a->qd,
                               .q_count = N,
                               .qd_count = N};
  td_integrator_defaults(&a->spec.integrator);
  a->spec.integrator.method = method;
  a->spec.integrator.rtol = rtol, a->spec.integrator.atol = rtol * 1e-2;
  a->spec.integrator.adaptive = method != TD_METHOD_RADAU && method != TD_METHOD_RK45;
}

static void end(asked *a) {
  td_parameters_destroy(a->parameters);
  td_model_destroy(a->model);
}

// ------------------------------------------------------------------------------------------------ by repeated runs

static void run_at(asked *a, int number, double by, recording *r) {
  td_model *model = a->model;
  if (number < OF_MODEL) model = model_of(&a->b, number, a->b.number[number] + by);
  for (int i = 0; i < N; i++) {
    a->q[i] = Q[i] + by * a->full[i * NUMBERS + number];
    a->qd[i] = QD[i] + by * a->full[(N + i) * NUMBERS + number];
  }
  *r = (recording){0};
  recording_ok(r, model, &a->spec);
  ck_assert_uint_eq(r->count, SAMPLES);
  memcpy(a->q, Q, sizeof Q);
  memcpy(a->qd, QD, sizeof QD);
  if (model != a->model) td_model_destroy(model);
}

// a->expected by runs of its spec; the change of each number in parts of its size.
static void repeat(asked *a, double step) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  memset(a->expected, 0, sizeof a->expected);
  memset(a->size, 0, sizeof a->size);
  for (int j = 0; j < NUMBERS; j++) {
    double h = step * (j == OF_STIFFNESS ? a->b.number[j] : 0.1);
    for (int k = 0; k < 4; k++) {
      recording r;
      run_at(a, j, at[k] * h, &r);
      for (int s = 0; s < SAMPLES; s++)
        for (int i = 0; i < ROW; i++) a->expected[s][i][j] += weight[k] / h * r.rows[s * ROW + i];
      recording_free(&r);
    }
    for (int s = 0; s < SAMPLES; s++)
      for (int i = 0; i < ROW; i++) a->size[i / N][j] = fmax(a->size[i / N][j], fabs(a->expected[s][i][j]));
  }
}

// ------------------------------------------------------------------------------------------------ by formula

static void agree(const asked *a, const char *way, int sample, int entry, int number, double is) {
  double expected = a->expected[sample][entry][number], off = fabs(is - expected) / a->size[entry / N][number];
  ck_assert_msg(off <= a->allowed,
                "exponent %g, %s at %g, %s: entry %d by number %d at t = %g: %.10g, not %.10g (%.2g)", a->b.exponent,
                td_method_name(a->spec.integrator.method), a->spec.integrator.rtol, way, entry, number, TIMES[sample],
                is, expected, off);
}

static bool compare(void *context, double t, const double *row, const double *row_dp) {
  const asked *a = context;
  int sample = 0;
  (void)row;
  while (TIMES[sample] < t) sample++;
  for (int i = 0; i < ROW; i++)
    for (int j = 0; j < NUMBERS; j++) agree(a, "forward", sample, i, j, row_dp[i * NUMBERS + j]);
  return true;
}

static bool pick(void *context, size_t sample, double t, const double *row, double *cotangent) {
  const asked *a = context;
  (void)t, (void)row;
  memset(cotangent, 0, ROW * sizeof *cotangent);
  cotangent[a->entry] = (int)sample == a->sample;
  return true;
}

static void formulas(asked *a) {
  td_forward_hooks forward = {.sample = compare, .context = a};
  ck_assert_int_eq(td_gradient_forward(a->model, &a->spec, &a->by, &forward, NULL, 0, NULL, NULL), TD_OK);
  for (a->sample = 1; a->sample < SAMPLES; a->sample += 2)
    for (a->entry = a->sample; a->entry < ROW; a->entry += 3) {
      double gradient[NUMBERS];
      td_backward_hooks hooks = {.run = {.checkpoint_dt = 0.05}, .cotangent = pick, .context = a};
      ck_assert_int_eq(td_gradient_backward(a->model, &a->spec, &a->by, &hooks, NULL, 0, gradient, NULL, NULL), TD_OK);
      for (int j = 0; j < NUMBERS; j++) agree(a, "backward", a->sample, a->entry, j, gradient[j]);
    }
}

// The default tolerance, and how exact it gets. As Hertz has it, the slope of the force goes with the root of the depth,
// of which a step at the surface leaves an error of h^1.5: steps are graded towards it.
static const struct {
  td_method method;
  double rtol, linear, hertz; // allowed
} WAYS[] = {{TD_METHOD_RADAU, 1e-6, 3e-4, 5e-4},   {TD_METHOD_RADAU, 1e-10, 1e-6, 3e-6},
            {TD_METHOD_RK45, 1e-6, 3e-4, 5e-4},    {TD_METHOD_RK45, 1e-10, 1e-6, 3e-6},
            {TD_METHOD_NEWMARK, 1e-7, 1e-3, 1e-3}, {TD_METHOD_GENERALIZED_ALPHA, 1e-7, 1e-3, 1e-3}};

static void lands(double exponent) {
  asked truth;
  begin(&truth, exponent, TD_METHOD_RADAU, 1e-12);
  repeat(&truth, 1e-4);
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
    asked a;
    begin(&a, exponent, WAYS[i].method, WAYS[i].rtol);
    memcpy(a.expected, truth.expected, sizeof a.expected);
    memcpy(a.size, truth.size, sizeof a.size);
    a.allowed = exponent > 1 ? WAYS[i].hertz : WAYS[i].linear;
    formulas(&a);
    end(&a);
  }
  end(&truth);
}

START_TEST(of_motions_onto_a_linear_plane) { lands(1); }
END_TEST
START_TEST(of_motions_onto_a_plane_as_hertz_has_it) { lands(1.5); }
END_TEST

// Equal steps go across, and have the derivatives that differences of the same steps have.
START_TEST(of_equal_steps) {
  static const td_method methods[] = {TD_METHOD_NEWMARK, TD_METHOD_GENERALIZED_ALPHA, TD_METHOD_RK4};
  for (int i = 0; i < 3; i++)
    for (double exponent = 1; exponent < 2; exponent += 0.5) {
      asked a;
      begin(&a, exponent, methods[i], 1e-6);
      a.spec.integrator.adaptive = false;
      a.spec.integrator.h = 5e-4;
      repeat(&a, 1e-6);
      a.allowed = methods[i] == TD_METHOD_RK4 ? 2e-6 : 2e-3; // of Newton's tolerance
      formulas(&a);
      end(&a);
    }
}
END_TEST

TEST_MAIN("landing gradients", of_motions_onto_a_linear_plane, of_motions_onto_a_plane_as_hertz_has_it, of_equal_steps)
