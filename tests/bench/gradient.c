// Group gradient: ten seconds of the cable-driven manipulator, its five cables pulled by tables of 200 values each, by the
// method that gradients take where the job leaves it open: the run alone, the gradient of its end by all values of the
// tables, and the sensitivities of its samples to four numbers of the material; these by radau at the usual tolerances,
// too. Once each: they take seconds. Then one of 200 equilibria of a list, whose inputs are 1000 numbers: its tip's
// derivatives carried forward and pulled back.
#include "tendril/gradient.h"
#include "bench/robot.h"
#include "codec/document/model/model.h"

#include "tendril/sensitivity.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CABLES = 5, KNOTS = 200, VALUES = CABLES * KNOTS, NUMBERS = 4 };
static const double T_END = 10;

typedef struct fixture {
  td_model *model;
  json_t *document, *material;
  td_dynamics_spec job;
  td_input_spec inputs[CABLES];
  double t[KNOTS], value[CABLES][KNOTS], gradient[VALUES];
  td_input_numbers *values;
  td_parameters *numbers;
  size_t row;
  td_sensitivity_rows *rows; ///< of an equilibrium's tip
  double *q, u[CABLES], *du, *row_dp, cotangent[16], pulled[VALUES];
} fixture;

static const char *const KEYS[NUMBERS] = {"young", "density", "viscosity", "poisson"};

static td_status freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  fixture *f = context;
  json_t *kept = json_incref(json_object_get(f->material, KEYS[index]));
  json_object_set_new(f->material, KEYS[index], json_real(value));
  td_status status = codec_model_build(f->document, "", model, err);
  json_object_set_new(f->material, KEYS[index], kept);
  return status;
}

static bool open_inputs(fixture *f) {
  const double *places[VALUES];
  for (int i = 0; i < KNOTS; i++) f->t[i] = T_END * i / (KNOTS - 1);
  for (int c = 0; c < CABLES; c++) {
    for (int i = 0; i < KNOTS; i++) {
      f->value[c][i] = 4 + 3 * sin(0.5 * f->t[i] * (1 + 0.3 * c) + c);
      places[c * KNOTS + i] = &f->value[c][i];
    }
    f->inputs[c].channel = td_model_channel_name(f->model, c);
    f->inputs[c].signal = (td_signal_spec){TD_SIGNAL_TABLE, .t = f->t, .value = f->value[c], .count = KNOTS};
  }
  return td_input_numbers_create(f->model, f->inputs, CABLES, places, VALUES, &f->values) == TD_OK;
}

static bool open_numbers(fixture *f) {
  td_parameter list[NUMBERS];
  for (int i = 0; i < NUMBERS; i++) {
    double value = json_number_value(json_object_get(f->material, KEYS[i]));
    list[i] = (td_parameter){KEYS[i], value, value, i < 3, -INFINITY, INFINITY};
  }
  return td_parameters_create(f->model, list, NUMBERS, freeze, f, &f->numbers, NULL) == TD_OK;
}

static bool open_rest(fixture *f) {
  static const char *const field = "poses:arm@1";
  td_workspace *ws = NULL;
  td_statics_options options;
  td_statics_result result;
  size_t n = (size_t)td_model_ndof(f->model);
  for (int c = 0; c < CABLES; c++) f->u[c] = 1 + c;
  f->q = calloc(n, sizeof *f->q);
  f->du = calloc(CABLES * VALUES, sizeof *f->du);
  f->row_dp = calloc(16 * VALUES, sizeof *f->row_dp);
  if (!f->q || !f->du || !f->row_dp || td_workspace_create(f->model, &ws)) return false;
  for (int c = 0; c < CABLES; c++) f->du[c * VALUES + c * KNOTS] = 1; // of the first of 200 equilibria
  f->cotangent[3] = f->cotangent[7] = 1;
  td_statics_defaults(&options);
  bool found = td_statics_solve(f->model, ws, f->u, &options, f->q, &result, NULL) == TD_OK;
  td_workspace_destroy(ws);
  return found && td_sensitivity_rows_create(f->model, VALUES, NULL, NULL, &field, 1, &f->rows, NULL) == TD_OK;
}

static void close_fixture(void *context) {
  fixture *f = context;
  td_sensitivity_rows_destroy(f->rows);
  free(f->q);
  free(f->du);
  free(f->row_dp);
  td_input_numbers_destroy(f->values);
  td_parameters_destroy(f->numbers);
  td_model_destroy(f->model);
  json_decref(f->document);
  free(f);
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  static const char *const fields[] = {"q", "poses:arm@1"};
  (void)group;
  fixture *f = calloc(1, sizeof *f);
  if (!f) return snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
  f->document = json_loads(bench_example("cdm.model.json"), 0, NULL);
  f->material =
      json_object_get(json_object_get(json_array_get(json_object_get(f->document, "links"), 0), "body"), "material");
  td_dynamics_spec spec = {.t_end = T_END, .output_dt = 0.01, .fields = fields, .field_count = 2};
  td_integrator_defaults(&spec.integrator);
  spec.integrator.rtol = 1e-3, spec.integrator.atol = 1e-6; // as the shipped job
  bool good =
      codec_model_build(f->document, "", &f->model, NULL) == TD_OK && open_inputs(f) && open_numbers(f) && open_rest(f);
  spec.inputs = f->inputs;
  spec.input_count = CABLES;
  td_gradient_job(&spec, &f->job);
  if (good && td_run_output_members(f->model, &f->job, NULL, 0, &f->row, NULL) > 0) return f;
  snprintf(why, BENCH_NOTE_SIZE, "the run could not be set up");
  return close_fixture(f), NULL;
}

// ------------------------------------------------------------------------------------------------------------ calls

static size_t slopes(void *context, const td_input_moment *at, td_input_slope *list) {
  return td_input_numbers_at(((fixture *)context)->values, at->t, at->t_side, list);
}

static bool of_end(void *context, size_t sample, double t, const double *row, double *cotangent) {
  fixture *f = context;
  (void)sample, (void)row;
  if (t == T_END) cotangent[f->row - 16 + 3] = cotangent[f->row - 16 + 7] = 1; // x + y of the tip
  return true;
}

static bool call_run(fixture *f) {
  td_run_hooks hooks = {.checkpoint_dt = T_END / 20};
  return td_dynamics_run(f->model, &f->job, &hooks, NULL, 0, NULL, NULL) == TD_OK;
}

static bool call_backward(fixture *f) {
  td_variables by = {.count = VALUES, .slopes = slopes, .most_slopes = td_input_numbers_most(f->values), .context = f};
  td_backward_hooks hooks = {.run.checkpoint_dt = T_END / 20, .cotangent = of_end, .context = f};
  return td_gradient_backward(f->model, &f->job, &by, &hooks, NULL, 0, f->gradient, NULL, NULL) == TD_OK;
}

static bool forward_of(fixture *f, const td_dynamics_spec *job) {
  td_variables by = {.count = NUMBERS, .model = f->numbers};
  td_forward_hooks hooks = {.run.checkpoint_dt = T_END / 20};
  return td_gradient_forward(f->model, job, &by, &hooks, NULL, 0, NULL, NULL) == TD_OK;
}

static bool call_forward(fixture *f) { return forward_of(f, &f->job); }

// By radau at the tolerances that jobs have where they give none.
static td_dynamics_spec by_radau(const fixture *f) {
  td_dynamics_spec job = f->job;
  td_integrator_defaults(&job.integrator);
  job.integrator.method = TD_METHOD_RADAU;
  return job;
}

static bool call_radau_run(fixture *f) {
  td_dynamics_spec job = by_radau(f);
  td_run_hooks hooks = {.checkpoint_dt = T_END / 20};
  return td_dynamics_run(f->model, &job, &hooks, NULL, 0, NULL, NULL) == TD_OK;
}

static bool call_radau_forward(fixture *f) {
  td_dynamics_spec job = by_radau(f);
  return forward_of(f, &job);
}

static bool call_rest_forward(void *context) {
  fixture *f = context;
  td_equilibrium at = {.q = f->q, .u = f->u, .du_dp = f->du};
  return td_sensitivity_rows_at(f->rows, &at, f->row_dp, NULL) == TD_OK;
}

static bool call_rest_backward(void *context) {
  fixture *f = context;
  double u[CABLES];
  td_equilibrium at = {.q = f->q, .u = f->u};
  return td_sensitivity_rows_pull(f->rows, &at, f->cotangent, u, f->pulled, NULL) == TD_OK;
}

// ------------------------------------------------------------------------------------------------------------- rows

static void once(fixture *f, bench_figure *figure, bool (*call)(fixture *)) {
  enum { TIMES = 3 };
  double samples[TIMES];
  for (int i = 0; i < TIMES; i++) {
    double before = bench_now(BENCH_CPU);
    if (!call(f)) {
      bench_fail(figure, "it came to no end");
      return;
    }
    samples[i] = bench_now(BENCH_CPU) - before;
  }
  bench_summarise(samples, TIMES, 1, figure);
}

static void run(void *f, bench_figure *figure) { once(f, figure, call_run); }
static void backward(void *f, bench_figure *figure) { once(f, figure, call_backward); }
static void forward(void *f, bench_figure *figure) { once(f, figure, call_forward); }
static void radau_run(void *f, bench_figure *figure) { once(f, figure, call_radau_run); }
static void radau_forward(void *f, bench_figure *figure) { once(f, figure, call_radau_forward); }

static void rest(void *f, bench_figure *figure, bool (*call)(void *)) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = f}, figure);
}
static void rest_forward(void *f, bench_figure *figure) { rest(f, figure, call_rest_forward); }
static void rest_backward(void *f, bench_figure *figure) { rest(f, figure, call_rest_backward); }

static const bench_row rows[] = {
    {"cdm_run", "ms", run, NULL},
    {"cdm_gradient_by_1000_values", "ms", backward, "cdm_run"},
    {"cdm_sensitivity_to_4_numbers", "ms", forward, "cdm_run"},
    {"cdm_radau_run", "ms", radau_run, NULL},
    {"cdm_radau_sensitivity_to_4_numbers", "ms", radau_forward, "cdm_radau_run"},
    {"cdm_rest_carried_by_1000_values", "us", rest_forward, NULL},
    {"cdm_rest_pulled_by_1000_values", "us", rest_backward, "cdm_rest_carried_by_1000_values"}};

const bench_group bench_gradient = {"gradient", BENCH_ROWS(rows), open_fixture, close_fixture, 0};
