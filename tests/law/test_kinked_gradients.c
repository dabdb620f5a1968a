// Derivatives of runs that bounce at a stop or an obstacle of exponent 1, where the slope of the force jumps and steps
// under error control end: against the closed form, forward and backward. A mass m flies at v from x0 towards a wall at
// w, a spring k on the one side of it, and flies back. With o^2 = k / m, s = (w - x0) / v, p = o (t - s):
//   before:  q = x0 + v t,   in it:  q = w + v / o sin p,   behind:  q = w - v (t - s) + v pi / o
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/gradient.h"
#include "tendril/sensitivity.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OF_WALL, OF_STIFFNESS, OF_X0, OF_V0, NUMBERS, OF_MODEL = 2, SAMPLES = 4 };
static const double TIMES[SAMPLES] = {0.14, 0.16, 0.25, 0.6};
static const double SIZE[NUMBERS] = {1, 1e-4, 1, 0.3}; // of a derivative, at the least

typedef enum wall { UPPER, LOWER, PLANE } wall;

typedef struct bounce {
  wall kind;
  double number[NUMBERS];
} bounce;

static double sign_of(const bounce *b) { return b->kind == LOWER ? -1 : 1; }

// The same motion for all: mirrored at a lower limit. A rod without strains, 0.2 m long, touches with its tip alone.
static td_model *model_of(const bounce *b, double w, double k) {
  char text[1024], limits[128] = "", contacts[256] = "";
  const char *body = "{\"type\": \"rigid\", \"mass\": 2, \"inertia\": [1e-3, 1e-3, 1e-3]}";
  if (b->kind == PLANE) {
    body = "{\"type\": \"rod\", \"length\": 0.2, \"section\": {\"shape\": \"stiffness\", \"mass_per_length\": 10, "
           "\"radius\": 0.01, \"EI_y\": 1}, \"strain\": {\"basis\": \"legendre\", \"order\": {}}, \"quadrature\": "
           "{\"points\": 3}}";
    snprintf(contacts, sizeof contacts,
             ", \"contacts\": [{\"type\": \"plane\", \"axis\": \"-x\", \"pose\": {\"translation\": [%.17g, 0, 0]}, "
             "\"stiffness\": %.17g, \"exponent\": 1}]",
             w + 0.21, k);
  } else
    snprintf(limits, sizeof limits, ", \"limits\": {\"%s\": %.17g, \"stiffness\": %.17g}",
             b->kind == UPPER ? "upper" : "lower", sign_of(b) * w, k);
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"a\", \"joint\": "
           "{\"type\": \"prismatic\", \"axis\": \"x\"%s}, \"body\": %s}]%s}",
           limits, body, contacts);
  return test_model_from_text(text);
}

static td_status freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  const bounce *b = context;
  (void)err;
  *model = model_of(b, index == OF_WALL ? value : b->number[OF_WALL],
                    index == OF_STIFFNESS ? value : b->number[OF_STIFFNESS]);
  return TD_OK;
}

// dq and dqd by all numbers.
static void closed_form(const bounce *b, double t, double dq[NUMBERS], double dv[NUMBERS]) {
  double w = b->number[OF_WALL], k = b->number[OF_STIFFNESS], x0 = b->number[OF_X0], v = b->number[OF_V0];
  double o = sqrt(k / 2), s = (w - x0) / v, p = o * (t - s), o_k = o / (2 * k);
  memset(dq, 0, NUMBERS * sizeof *dq);
  memset(dv, 0, NUMBERS * sizeof *dv);
  if (p < 0) {
    dq[OF_X0] = 1, dq[OF_V0] = t, dv[OF_V0] = 1;
  } else if (p < M_PI) {
    dq[OF_WALL] = 1 - cos(p), dv[OF_WALL] = o * sin(p);
    dq[OF_X0] = cos(p), dv[OF_X0] = -o * sin(p);
    dq[OF_V0] = sin(p) / o + s * cos(p), dv[OF_V0] = cos(p) - s * o * sin(p);
    dq[OF_STIFFNESS] = o_k * (v * (t - s) * cos(p) / o - v * sin(p) / (o * o));
    dv[OF_STIFFNESS] = -o_k * v * (t - s) * sin(p);
  } else {
    dq[OF_WALL] = 2, dq[OF_X0] = -1, dq[OF_V0] = -(t - s) + M_PI / o - s, dv[OF_V0] = -1;
    dq[OF_STIFFNESS] = -o_k * v * M_PI / (o * o);
  }
}

static void agree(double is, double expected, int number, double allowed, const char *what, td_method method,
                  double t) {
  double size = fmax(fabs(expected), SIZE[number]);
  ck_assert_msg(fabs(is - expected) <= allowed * size, "method %d, %s by number %d at t = %g: %.10g, not %.10g", method,
                what, number, t, is, expected);
}

typedef struct asked {
  bounce b;
  td_model *model;
  td_parameters *parameters;
  td_variables by;
  td_dynamics_spec spec;
  double q, qd, initial[2 * NUMBERS], allowed;
  int sample; // backward: whose q or qd is wanted
  bool rate;
} asked;

static void begin(asked *a, wall kind, td_method method, double rtol) {
  static const char *const fields[] = {"q", "qd"};
  td_error err = {0};
  *a = (asked){.b = {kind, {0.05, 500, -0.1, 1}}};
  if (kind == PLANE) a->b.number[OF_STIFFNESS] = 5e4; // 6 mm deep: the next point is 20 mm behind the tip
  const double *x = a->b.number;
  td_parameter list[OF_MODEL] = {{"wall", x[OF_WALL], 1, false, -INFINITY, INFINITY},
                                 {"stiffness", x[OF_STIFFNESS], x[OF_STIFFNESS], true, 1, INFINITY}};
  a->model = model_of(&a->b, x[OF_WALL], x[OF_STIFFNESS]);
  td_status status = td_parameters_create(a->model, list, OF_MODEL, freeze, &a->b, &a->parameters, &err);
  ck_assert_msg(!status, "%s: %s", err.pointer, err.message);
  a->q = sign_of(&a->b) * x[OF_X0], a->qd = sign_of(&a->b) * x[OF_V0];
  a->initial[OF_X0] = a->initial[NUMBERS + OF_V0] = sign_of(&a->b);
  a->by = (td_variables){.count = NUMBERS, .model = a->parameters, .initial = a->initial};
  a->spec = (td_dynamics_spec){.t_end = 0.6,
                               .times = TIMES,
                               .time_count = SAMPLES,
                               .fields = fields,
                               .field_count = 2,
                               .initial = TD_INITIAL_ARRAY,
                               .q = &a->q,
                               .qd = &a->qd,
                               .q_count = 1,
                               .qd_count = 1};
  td_integrator_defaults(&a->spec.integrator);
  a->spec.integrator.method = method;
  a->spec.integrator.rtol = rtol, a->spec.integrator.atol = rtol * 1e-2;
  a->spec.integrator.adaptive = method != TD_METHOD_RADAU && method != TD_METHOD_RK45;
}

static void end(asked *a) {
  td_parameters_destroy(a->parameters);
  td_model_destroy(a->model);
}

static bool compare(void *context, double t, const double *row, const double *row_dp) {
  const asked *a = context;
  double dq[NUMBERS], dv[NUMBERS], sign = sign_of(&a->b);
  (void)row;
  closed_form(&a->b, t, dq, dv);
  for (int j = 0; j < NUMBERS; j++) {
    agree(sign * row_dp[j], dq[j], j, a->allowed, "q", a->spec.integrator.method, t);
    agree(sign * row_dp[NUMBERS + j] / 20, dv[j] / 20, j, a->allowed, "qd", a->spec.integrator.method, t);
  }
  return true;
}

static bool pick(void *context, size_t sample, double t, const double *row, double *cotangent) {
  const asked *a = context;
  (void)t, (void)row;
  cotangent[a->rate] = (int)sample == a->sample;
  return true;
}

static void backward(asked *a) {
  for (a->sample = 0; a->sample < SAMPLES; a->sample++)
    for (int rate = 0; rate < 2; rate++) {
      double d[2][NUMBERS], gradient[NUMBERS], sign = sign_of(&a->b);
      a->rate = rate;
      td_backward_hooks hooks = {.run = {.checkpoint_dt = 0.05}, .cotangent = pick, .context = a};
      ck_assert_int_eq(td_gradient_backward(a->model, &a->spec, &a->by, &hooks, NULL, 0, gradient, NULL, NULL), TD_OK);
      closed_form(&a->b, TIMES[a->sample], d[0], d[1]);
      for (int j = 0; j < NUMBERS; j++)
        agree(sign * gradient[j] / (rate ? 20 : 1), d[rate][j] / (rate ? 20 : 1), j, a->allowed, "backward",
              a->spec.integrator.method, TIMES[a->sample]);
    }
}

// The default tolerance, and how exact it gets.
static const struct {
  td_method method;
  double rtol, allowed;
} WAYS[] = {{TD_METHOD_RADAU, 1e-6, 5e-6}, {TD_METHOD_RADAU, 1e-11, 1e-9},  {TD_METHOD_RK45, 1e-6, 5e-6},
            {TD_METHOD_RK45, 1e-11, 1e-9}, {TD_METHOD_NEWMARK, 1e-6, 3e-4}, {TD_METHOD_GENERALIZED_ALPHA, 1e-6, 3e-4}};

static void bounces(wall kind) {
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
    asked a;
    begin(&a, kind, WAYS[i].method, WAYS[i].rtol);
    a.allowed = WAYS[i].allowed;
    td_forward_hooks hooks = {.sample = compare, .context = &a};
    ck_assert_int_eq(td_gradient_forward(a.model, &a.spec, &a.by, &hooks, NULL, 0, NULL, NULL), TD_OK);
    backward(&a);
    end(&a);
  }
}

START_TEST(at_an_upper_limit) { bounces(UPPER); }
END_TEST
START_TEST(at_a_lower_limit) { bounces(LOWER); }
END_TEST
START_TEST(at_a_plane) { bounces(PLANE); }
END_TEST

// ---- equal steps, which go across

static const td_warning *crossed_of(const td_run_statistics *s) {
  for (int i = 0; i < s->warnings.count; i++)
    if (!strcmp(s->warnings.list[i].code, "kink_crossed")) return &s->warnings.list[i];
  return NULL;
}

static void tells(wall kind, const char *pointer, const char *name) {
  td_run_statistics on = {0}, back = {0}, plain = {0}, short_of_it = {0};
  double gradient[NUMBERS];
  asked a;
  begin(&a, kind, TD_METHOD_GENERALIZED_ALPHA, 1e-6);
  a.spec.integrator.adaptive = false, a.spec.integrator.h = 1.1e-3;
  ck_assert_int_eq(td_gradient_forward(a.model, &a.spec, &a.by, NULL, NULL, 0, &on, NULL), TD_OK);
  td_backward_hooks hooks = {.run = {.checkpoint_dt = 0.05}, .cotangent = pick, .context = &a};
  ck_assert_int_eq(td_gradient_backward(a.model, &a.spec, &a.by, &hooks, NULL, 0, gradient, &back, NULL), TD_OK);
  const td_warning *w = crossed_of(&on), *again = crossed_of(&back);
  ck_assert_msg(w && again && !strcmp(w->pointer, again->pointer), "%s", w ? w->detail : "nothing is said");
  ck_assert_str_eq(w->pointer, pointer);
  ck_assert_msg(strstr(w->detail, name) != NULL, "%s", w->detail);
  ck_assert_int_eq(td_dynamics_run(a.model, &a.spec, NULL, NULL, 0, &plain, NULL), TD_OK);
  ck_assert_ptr_null(crossed_of(&plain));
  a.spec.t_end = 0.14, a.spec.time_count = 1;
  ck_assert_int_eq(td_gradient_forward(a.model, &a.spec, &a.by, NULL, NULL, 0, &short_of_it, NULL), TD_OK);
  ck_assert_ptr_null(crossed_of(&short_of_it));
  end(&a);
}

START_TEST(equal_steps_that_go_across_a_kink_do_not_have_other_derivatives_than_the_motion_silently) {
  tells(UPPER, "/model/links/0/joint/limits", "upper limit of \"a\"");
  tells(LOWER, "/model/links/0/joint/limits", "lower limit of \"a\"");
  tells(PLANE, "/model/contacts/0", "\"a\" touches an obstacle");
}
END_TEST

START_TEST(steps_that_end_at_a_kink_do_not_say_that_they_go_across) {
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i += 2) {
    td_run_statistics s = {0};
    asked a;
    begin(&a, LOWER, WAYS[i].method, WAYS[i].rtol);
    ck_assert_int_eq(td_gradient_forward(a.model, &a.spec, &a.by, NULL, NULL, 0, &s, NULL), TD_OK);
    ck_assert_ptr_null(crossed_of(&s));
    end(&a);
  }
}
END_TEST

// ---- an equilibrium at a kink: a force of 5 N on a spring of 100 N/m, up to a stop at 0.05 m

START_TEST(an_equilibrium_just_at_a_stop_does_not_have_derivatives_of_one_side_silently) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"prismatic\", \"axis\": "
      "\"x\", "
      "\"stiffness\": 100, \"limits\": {\"upper\": 0.05, \"stiffness\": 1e4}}, \"body\": {\"type\": \"rigid\", "
      "\"mass\": 1, "
      "\"inertia\": [0.1, 0.1, 0.1]}}], \"actuators\": [{\"name\": \"F\", \"type\": \"joint\", \"link\": \"a\"}]}");
  const double force[2] = {5, 4.9}, one = 1;
  for (int i = 0; i < 2; i++) {
    td_sensitivity *s = NULL;
    td_warnings told = {0};
    double q = force[i] / 100, dq;
    td_equilibrium at = {.q = &q, .u = &force[i], .du_dp = &one, .warnings = &told};
    ck_assert_int_eq(td_sensitivity_create(model, 1, NULL, NULL, &s), TD_OK);
    ck_assert_int_eq(td_statics_sensitivity(s, &at, &dq, NULL, NULL), TD_OK);
    ck_assert_int_eq(told.count, i == 0);
    if (i == 0) ck_assert_str_eq(told.list[0].code, "contact_kink");
    if (i == 0) ck_assert_str_eq(told.list[0].pointer, "/model/links/0/joint/limits");
    td_sensitivity_destroy(s);
  }
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("kinked gradients", at_an_upper_limit, at_a_lower_limit, at_a_plane,
          equal_steps_that_go_across_a_kink_do_not_have_other_derivatives_than_the_motion_silently,
          steps_that_end_at_a_kink_do_not_say_that_they_go_across,
          an_equilibrium_just_at_a_stop_does_not_have_derivatives_of_one_side_silently)
