// A run of a robot and numbers that it depends on.
#include "support/task.h"
#include "closure/projection.h"
#include "support/recording.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const FIELDS[] = {"q", "u", "qd"};

// What their inputs want of prescribed joints at t = 0, with everything known to go there.
static void obey(task *k) {
  int n = td_model_ndof(k->model);
  for (int i = 0; i < td_model_prescribed_count(k->model); i++) {
    int channel, c = td_model_prescribed_coordinate(k->model, i, &channel);
    const td_signal_spec *s = &k->inputs[channel].signal;
    k->q[c] = 0;
    k->qd[c] = 2 * M_PI * s->frequency * s->amplitude;
    for (int d = 0; d < k->directions; d++) k->direction[d][c] = k->direction[d][n + c] = 0;
  }
}

// Puts the initial state on the constraint of loops where it can be; false: it cannot.
static bool close_state(task *k) {
  td_projection p;
  td_workspace *ws;
  int list[STATE_MAX], count = 0, n = td_model_ndof(k->model);
  for (int i = 0; i < n; i++) {
    bool driven = false;
    for (int d = 0; d < td_model_prescribed_count(k->model); d++)
      driven |= td_model_prescribed_coordinate(k->model, d, NULL) == i;
    if (!driven) list[count++] = i;
  }
  TREE_OK(td_workspace_create(k->model, &ws));
  TREE_OK(td_projection_init(&p, k->model, ws, count, list));
  td_status status = td_assemble(&p, k->q, NULL);
  if (!status) status = td_project_velocity(&p, k->q, k->qd);
  td_projection_fini(&p);
  td_workspace_destroy(ws);
  return status == TD_OK;
}

// ---- inputs: tables over the whole run, sines of channels that prescribe a coordinate

static double hat(const task *k, int j, double t) {
  const double *x = k->knots;
  if (j > 0 && t > x[j - 1] && t < x[j]) return (t - x[j - 1]) / (x[j] - x[j - 1]);
  if (j < TASK_KNOTS - 1 && t > x[j] && t < x[j + 1]) return (x[j + 1] - t) / (x[j + 1] - x[j]);
  return t == x[j];
}

static size_t slopes(void *context, const td_input_moment *at, td_input_slope *list) {
  const task *k = context;
  size_t count = 0, first = k->numbers.count + (size_t)k->directions;
  for (int c = 0; c < k->channels; c++) {
    const td_signal_spec *s = &k->inputs[c].signal;
    if (s->type == TD_SIGNAL_SINE) {
      double w = 2 * M_PI * s->frequency, x = w * at->t + s->phase;
      list[count++] = (td_input_slope){c, first + (size_t)(c * TASK_KNOTS), {sin(x), w * cos(x), -w * w * sin(x)}};
      continue;
    }
    for (int j = 0; j < TASK_KNOTS; j++)
      if (hat(k, j, at->t) != 0)
        list[count++] = (td_input_slope){c, first + (size_t)(c * TASK_KNOTS + j), {hat(k, j, at->t)}};
  }
  return count;
}

static void make_inputs(task *k, uint64_t *seed) {
  int m = td_model_channel_count(k->model);
  ck_assert_int_le(m, TASK_CHANNELS);
  for (int i = 0; i < TASK_KNOTS; i++) k->knots[i] = k->spec.t_end * i / (TASK_KNOTS - 1.);
  for (int c = 0; c < m; c++) {
    td_input_spec *in = &k->inputs[c];
    bool pulls = td_model_channel_is_tendon(k->model, c), drives = false;
    for (int i = 0; i < td_model_prescribed_count(k->model); i++) {
      int channel;
      (void)td_model_prescribed_coordinate(k->model, i, &channel);
      drives |= channel == c;
    }
    for (int i = 0; i < TASK_KNOTS; i++) k->values[c][i] = pulls ? 1 + 0.5 * tree_random(seed) : tree_random(seed);
    in->channel = td_model_channel_name(k->model, c);
    in->signal = (td_signal_spec){TD_SIGNAL_TABLE, .t = k->knots, .value = k->values[c], .count = TASK_KNOTS};
    if (drives) in->signal = (td_signal_spec){TD_SIGNAL_SINE, .amplitude = 0.02, .frequency = 0.2 / k->spec.t_end};
  }
  k->spec.inputs = k->inputs;
  k->spec.input_count = (size_t)m;
}

// What it is differentiated by.
static void vary(task *k, int directions, int channels, uint64_t *seed) {
  td_error err = {0};
  int n = td_model_ndof(k->model), m = td_model_channel_count(k->model);
  if (k->numbers.count) {
    td_status status = td_parameters_create(k->model, k->numbers.parameter, k->numbers.count, k->freeze, k->document,
                                            &k->parameters, &err);
    ck_assert_msg(!status, "%s: %s: %s", k->name, err.pointer, err.message);
  }
  k->channels = channels < m ? channels : m;
  size_t first = k->numbers.count, np = first + (size_t)(directions + k->channels * TASK_KNOTS);
  ck_assert_uint_le(np, TASK_NUMBERS);
  k->initial = calloc(2 * (size_t)n * np + 1, sizeof *k->initial);
  for (int d = 0; d < directions; d++) {
    tree_random_vector(seed, 1, 2 * n, k->direction[d]);
    obey(k);
    for (int i = 0; i < 2 * n; i++) k->initial[(size_t)i * np + first + (size_t)d] = k->direction[d][i];
  }
  k->by = (td_variables){.count = np, .model = k->parameters, .initial = k->initial, .context = k};
  if (k->channels) k->by.slopes = slopes, k->by.most_slopes = (size_t)(k->channels * TASK_KNOTS);
  ck_assert_int_ge(td_run_output_members(k->model, &k->spec, NULL, 0, &k->row, &err), 0);
}

static bool make(task *k, td_model *model, const char *name, td_method method, double t_end, double h, double scale,
                 int directions, int numbers, int channels) {
  uint64_t seed = tree_seed(name);
  tree *t = k->t;
  *k = (task){.t = t, .name = name, .model = model, .directions = directions};
  int n = td_model_ndof(k->model);
  ck_assert_int_le(n, STATE_MAX);
  tree_random_vector(&seed, scale, n, k->q);
  tree_random_vector(&seed, scale, n, k->qd);
  k->spec = recording_job(k->model, method, t_end, k->q);
  k->spec.qd = k->qd;
  k->spec.qd_count = (size_t)n;
  k->spec.integrator.h = h;
  k->spec.output_dt = t_end / 3.7;
  if (method == TD_METHOD_RK45) { // steps as long as they may be: whatever a number does to errors
    k->spec.integrator.rtol = 0.4;
    k->spec.integrator.atol = 1e3;
    k->spec.integrator.h_max = h;
  }
  if (method == TD_METHOD_RADAU) { // tolerances that steps of h meet
    k->spec.integrator.rtol = 1e-10;
    k->spec.integrator.atol = 1e-12;
    k->spec.integrator.h_max = h;
  }
  k->spec.fields = FIELDS;
  bool loops = td_model_loop_row_count(k->model) > 0;
  k->spec.field_count = 3;
  make_inputs(k, &seed);
  obey(k);
  bool closed = !loops || close_state(k);
  if (t) tree_numbers_of(t, &k->numbers);
  if (numbers > 0) tree_numbers_sample(&k->numbers, k->numbers.count / (size_t)numbers + 1);
  if (numbers == 0) k->numbers.count = 0;
  k->freeze = tree_numbers_freeze;
  k->document = &k->numbers;
  vary(k, directions, channels, &seed);
  return closed;
}

bool task_make(task *k, tree *t, const char *name, td_method method, double t_end, double h, double scale,
               int directions, int numbers, int channels) {
  k->t = t;
  return make(k, tree_build(t), name, method, t_end, h, scale, directions, numbers, channels);
}

bool task_of(task *k, td_model *model, const char *name, td_method method, double t_end, double h, double scale,
             int directions) {
  k->t = NULL;
  return make(k, model, name, method, t_end, h, scale, directions, 0, 0);
}

// Controllers answer to numbers of the model.
static void obey_laws(task *k) {
  static const double *const none[TASK_NUMBERS];
  td_error err = {0};
  td_status status = td_law_numbers_create(k->model, &k->spec, k->parameters, NULL, none, k->by.count, &k->laws, &err);
  ck_assert_msg(!status, "%s: %s: %s", k->name, err.pointer, err.message);
  k->by.slopes = td_law_numbers_at;
  k->by.context = k->laws;
  k->by.most_slopes = td_law_numbers_most(k->laws);
  k->by.controlled = true;
}

void task_of_job(task *k, td_model *model, const char *name, const td_dynamics_spec *spec, const td_parameter *numbers,
                 size_t count, td_parameter_freeze freeze, void *document, int directions) {
  uint64_t seed = tree_seed(name);
  size_t n = (size_t)td_model_ndof(model);
  *k = (task){.name = name, .model = model, .spec = *spec, .freeze = freeze, .document = document};
  k->directions = spec->initial == TD_INITIAL_EQUILIBRIUM ? 0 : directions;
  ck_assert_uint_le(n, STATE_MAX);
  if (spec->q) memcpy(k->q, spec->q, n * sizeof *k->q);
  if (spec->qd) memcpy(k->qd, spec->qd, n * sizeof *k->qd);
  if (k->directions) {
    k->spec.initial = TD_INITIAL_ARRAY;
    k->spec.q = k->q, k->spec.qd = k->qd;
    k->spec.q_count = k->spec.qd_count = n;
  }
  k->spec.fields = FIELDS;
  k->spec.field_count = 3;
  k->by_field = true;
  k->numbers.count = count;
  for (size_t i = 0; i < count; i++) {
    k->numbers.parameter[i] = numbers[i];
    snprintf(k->numbers.number[i].name, sizeof k->numbers.number[i].name, "%s", numbers[i].name);
  }
  vary(k, k->directions, 0, &seed);
  if (count && spec->controller_count) obey_laws(k);
}

void task_free(task *k) {
  td_law_numbers_destroy(k->laws);
  td_parameters_destroy(k->parameters);
  td_model_destroy(k->model);
  free(k->initial);
}

// ---- by formula

typedef struct listener {
  const task *k;
  size_t count;
  double *rows, *rows_dp, *cotangents; ///< [samples][row]; [samples][row][np]; [samples][row]
} listener;

static bool hear(void *context, double t, const double *row, const double *row_dp) {
  listener *l = context;
  (void)t;
  size_t size = l->k->row * l->k->by.count;
  memcpy(l->rows + l->count * l->k->row, row, l->k->row * sizeof *row);
  memcpy(l->rows_dp + l->count++ * size, row_dp, size * sizeof *row_dp);
  return true;
}

static bool answer(void *context, size_t sample, double t, const double *row, double *cotangent) {
  listener *l = context;
  (void)t;
  if (l->rows) ck_assert_mem_eq(row, l->rows + sample * l->k->row, l->k->row * sizeof *row);
  memcpy(cotangent, l->cotangents + sample * l->k->row, l->k->row * sizeof *cotangent);
  return true;
}

static double checkpoint_dt(const task *k) { return k->spec.t_end / 2; }

// In the steps of `plain` (NULL: its own).
static listener listen(const task *k, const recording *plain) {
  td_error err = {0};
  size_t samples = td_run_sample_count(&k->spec);
  listener l = {.k = k,
                .rows = calloc(samples * k->row + 1, sizeof(double)),
                .rows_dp = calloc(samples * k->row * k->by.count + 1, sizeof(double))};
  td_forward_hooks hooks = {.sample = hear, .context = &l, .run.checkpoint_dt = checkpoint_dt(k)};
  if (plain) hooks.run.again = plain->steps, hooks.run.again_count = plain->step_count;
  td_status status = td_gradient_forward(k->model, &k->spec, &k->by, &hooks, NULL, 0, NULL, &err);
  ck_assert_msg(!status, "%s, %s: %s: %s", k->name, td_method_name(k->spec.integrator.method), err.pointer,
                err.message);
  ck_assert_uint_eq(l.count, samples);
  return l;
}

// Keeps every checkpoint of a sweep.
typedef struct keeper {
  size_t count, size[64];
  void *bytes[64];
} keeper;

static keeper kept;

static bool keep_all(void *context, double t, double part, const void *bytes, size_t size) {
  (void)context, (void)t, (void)part;
  ck_assert_uint_lt(kept.count, 64);
  kept.bytes[kept.count] = malloc(size);
  memcpy(kept.bytes[kept.count], bytes, size);
  kept.size[kept.count++] = size;
  return true;
}

static bool keep_run(void *context, double t, const void *bytes, size_t size) {
  return keep_all(context, t, 0, bytes, size);
}

// Sensitivities, too: of the last sample.
static void forward_goes_on(task *k) {
  size_t size = k->row * k->by.count, most = td_run_sample_count(&k->spec);
  td_error err = {0};
  double *whole = NULL;
  kept.count = 0;
  for (size_t i = 0; i <= kept.count; i++) {
    listener l = {
        .k = k, .rows = calloc(most * k->row + 1, sizeof(double)), .rows_dp = calloc(most * size + 1, sizeof(double))};
    td_forward_hooks hooks = {.sample = hear, .context = &l, .run.checkpoint_dt = k->spec.t_end / 3};
    if (i == 0) hooks.run.checkpoint = keep_run;
    TREE_OK(td_gradient_forward(k->model, &k->spec, &k->by, &hooks, i ? kept.bytes[i - 1] : NULL,
                                i ? kept.size[i - 1] : 0, NULL, &err));
    double *last = l.rows_dp + (l.count - 1) * size;
    if (i) ck_assert_mem_eq(last, whole, size * sizeof *last);
    if (i) free(kept.bytes[i - 1]);
    if (!i) whole = malloc(size * sizeof *whole), memcpy(whole, last, size * sizeof *whole);
    free(l.rows);
    free(l.rows_dp);
  }
  ck_assert_uint_eq(kept.count, 2);
  free(whole);
}

void task_goes_on(task *k) {
  forward_goes_on(k);
  listener l = {.k = k, .cotangents = calloc(td_run_sample_count(&k->spec) * k->row + 1, sizeof(double))};
  uint64_t seed = tree_seed(k->name);
  double whole[TASK_NUMBERS], again[TASK_NUMBERS];
  td_error err = {0};
  tree_random_vector(&seed, 1, (int)(td_run_sample_count(&k->spec) * k->row), l.cotangents);
  td_backward_hooks hooks = {
      .cotangent = answer, .context = &l, .checkpoint = keep_all, .run.checkpoint_dt = k->spec.t_end / 5};
  kept.count = 0;
  TREE_OK(td_gradient_backward(k->model, &k->spec, &k->by, &hooks, NULL, 0, whole, NULL, &err));
  hooks.checkpoint = NULL;
  ck_assert_uint_ge(kept.count, 8);
  for (size_t i = 0; i < kept.count; i++) {
    td_status status =
        td_gradient_backward(k->model, &k->spec, &k->by, &hooks, kept.bytes[i], kept.size[i], again, NULL, &err);
    ck_assert_msg(!status, "%s: from checkpoint %zu: %s", k->name, i, err.message);
    ck_assert_msg(!memcmp(whole, again, k->by.count * sizeof *again), "%s: other bits from checkpoint %zu", k->name, i);
    free(kept.bytes[i]);
  }
  free(l.cotangents);
}

// By what derivatives of q and u, and of qd, are judged, each by its own largest entry. Rates of what is nearly at rest
// are differences of what moves: errors of derivatives of q over a time count in them.
typedef struct measure {
  size_t row, n;
  double q, qd;
} measure;

static measure measure_of(const task *k, size_t rows, const double *slope, size_t stride) {
  static const double time = 1e-3; // s
  measure m = {.row = k->row, .n = k->by_field ? (size_t)td_model_ndof(k->model) : 0};
  for (size_t i = 0; i < rows; i++) {
    double *most = i % m.row < m.row - m.n ? &m.q : &m.qd;
    *most = fmax(*most, fabs(slope[i * stride]));
  }
  m.qd = fmax(m.qd, m.q / time);
  return m;
}

static double size_of(const measure *m, size_t i) { return i % m->row < m->row - m->n ? m->q : m->qd; }

void task_same_both_ways(task *k, double allowed) {
  listener l = listen(k, NULL);
  size_t np = k->by.count, rows = l.count * k->row;
  uint64_t seed = tree_seed(k->name);
  double gradient[TASK_NUMBERS];
  td_error err = {0};
  l.cotangents = calloc(rows + 1, sizeof *l.cotangents);
  tree_random_vector(&seed, 1, (int)rows, l.cotangents);
  td_backward_hooks hooks = {.cotangent = answer, .context = &l, .run.checkpoint_dt = checkpoint_dt(k)};
  td_status status = td_gradient_backward(k->model, &k->spec, &k->by, &hooks, NULL, 0, gradient, NULL, &err);
  ck_assert_msg(!status, "%s: %s: %s", k->name, err.pointer, err.message);
  for (size_t j = 0; j < np; j++) {
    double sum = 0, size = 0;
    measure m = measure_of(k, rows, l.rows_dp + j, np);
    for (size_t i = 0; i < rows; i++) {
      sum += l.cotangents[i] * l.rows_dp[i * np + j];
      size += fabs(l.cotangents[i]) * (k->by_field ? size_of(&m, i) : fabs(l.rows_dp[i * np + j]));
    }
    ck_assert_msg(fabs(sum - gradient[j]) <= allowed * size + 1e-13,
                  "%s, %s: number %zu: %.15g forward, %.15g backward, of terms that sum to %g", k->name,
                  td_method_name(k->spec.integrator.method), j, sum, gradient[j], size);
  }
  free(l.rows);
  free(l.rows_dp);
  free(l.cotangents);
}

// ---- by repeated runs

static double *number_of(task *k, size_t j, int *direction) {
  *direction = -1;
  if (j < k->numbers.count) return NULL;
  j -= k->numbers.count;
  if (j < (size_t)k->directions) return *direction = (int)j, NULL;
  j -= (size_t)k->directions;
  td_input_spec *in = &k->inputs[j / TASK_KNOTS];
  if (in->signal.type == TD_SIGNAL_SINE) return j % TASK_KNOTS ? NULL : &in->signal.amplitude;
  return &k->values[j / TASK_KNOTS][j % TASK_KNOTS];
}

// A run with number j moved, in the steps of `plain`.
static void repeat(task *k, size_t j, double by, const recording *plain, recording *r) {
  int direction, n = td_model_ndof(k->model);
  td_model *model = k->model;
  td_error err = {0};
  double *number = number_of(k, j, &direction), before = number ? *number : 0;
  if (number) *number += by;
  obey(k);
  for (int i = 0; i < n && direction >= 0; i++)
    k->q[i] += by * k->direction[direction][i], k->qd[i] += by * k->direction[direction][n + i];
  if (j < k->numbers.count) TREE_OK(k->freeze(k->document, j, k->numbers.parameter[j].value + by, &model, &err));
  *r = (recording){.again = plain, .checkpoint_dt = checkpoint_dt(k), .keep_at = -1};
  recording_ok(r, model, &k->spec);
  if (model != k->model) td_model_destroy(model);
  for (int i = 0; i < n && direction >= 0; i++)
    k->q[i] -= by * k->direction[direction][i], k->qd[i] -= by * k->direction[direction][n + i];
  if (number) *number = before;
  obey(k);
}

// slope [rows] of number j by five runs.
static void slope_by_runs(task *k, size_t j, double size, const recording *plain, double *slope) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  size_t rows = plain->count * plain->row;
  memset(slope, 0, rows * sizeof *slope);
  for (int a = 0; a < 4; a++) {
    recording r;
    repeat(k, j, at[a] * size, plain, &r);
    ck_assert_uint_eq(r.count, plain->count);
    for (size_t i = 0; i < rows; i++) slope[i] += weight[a] / size * r.rows[i];
    recording_free(&r);
  }
}

// What is told of number j is off by so much of its largest entry (of each field); rounding of runs apart.
static double off_by(const task *k, size_t j, double size, const listener *l, const double *slope, size_t *worst) {
  size_t rows = l->count * k->row;
  const double *rows_dp = l->rows_dp;
  double off = 0, largest = 1;
  measure m = measure_of(k, rows, slope, 1);
  for (size_t i = 0; i < rows; i++) largest = fmax(largest, fabs(l->rows[i]));
  for (size_t i = 0; i < rows; i++) {
    double rounding = size_of(&m, i) > m.q ? 1e-10 : 1e-12, x = fabs(slope[i] - rows_dp[i * k->by.count + j]);
    x -= rounding * largest / size;
    x = (x < 0 ? 0 : x) / fmax(size_of(&m, i), 1e-300);
    if (!(x <= off)) off = x, *worst = i;
  }
  return off;
}

// Too long a step leaves the tangent, too short a one drowns in Newton's tolerance: which is which differs by number.
void task_same_as_repeated(task *k, double allowed) {
  static const double steps[] = {1e-3, 1e-4, 1e-2, 1e-5, 1e-6, 1e-1};
  recording plain = {.checkpoint_dt = checkpoint_dt(k), .keep_at = -1};
  recording_ok(&plain, k->model, &k->spec);
  listener l = listen(k, NULL);
  size_t np = k->by.count, rows = l.count * k->row, worst = 0;
  double *slope = calloc(rows + 1, sizeof *slope);
  ck_assert_msg(!memcmp(plain.rows, l.rows, rows * sizeof *l.rows), "%s: derivatives change the run", k->name);
  for (size_t j = 0; j < np; j++) {
    int direction;
    double off = INFINITY;
    bool of_model = j < k->numbers.count;
    if (j >= k->numbers.count + (size_t)k->directions && !number_of(k, j, &direction)) continue;
    for (size_t a = 0; a < sizeof steps / sizeof *steps && off > allowed; a++) {
      double size = steps[a] * (of_model ? k->numbers.parameter[j].scale : 1);
      slope_by_runs(k, j, size, &plain, slope);
      off = fmin(off, off_by(k, j, size, &l, slope, &worst));
    }
    const char *what = of_model ? k->numbers.number[j].name : "a number of the job";
    ck_assert_msg(off <= allowed, "%s, %s: number %zu (%s), entry %zu: %.12g, by repeated runs %.12g (off by %.2g)",
                  k->name, td_method_name(k->spec.integrator.method), j, what, worst, l.rows_dp[worst * np + j],
                  slope[worst], off);
  }
  recording_free(&plain);
  free(slope);
  free(l.rows);
  free(l.rows_dp);
}
