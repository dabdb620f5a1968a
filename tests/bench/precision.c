// Work-precision: the examples' jobs, shortened, by every method at ever finer tolerances (or steps, where the method
// takes equal ones). The error is that of q against radau at its finest, relative to the largest motion of a coordinate;
// the run's own check by a second run is cut off, as nothing here needs it. A method is refined until it has used
// MOST_S, until it is as near as the reference itself is known, or until finer is no better three times.
#include "bench/precision.h"
#include "bench/precision_picture.h"
#include "bench/robot.h"
#include "codec/document/job/job.h"
#include "codec/json/text.h"
#include "support/model_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 3, STALE = 3 };
static const double MOST_S = 3, SHORT_S = 0.2, FINEST = 1e-11, FINE = 1e-9, ALL = 1e12;

static const struct {
  const char *name;
  double t_end; // s
} robots[] = {{"cdm", 2}, {"serial", 2}, {"parallel", 1}, {"contact", 1}, {"finray", 0.5}};
enum { ROBOTS = sizeof robots / sizeof *robots };
_Static_assert((int)ROBOTS <= (int)PRECISION_PANELS, "all are drawn");

// Refined by rtol (atol a thousandth of it), or by equal steps.
static const struct {
  td_method method;
  bool steps;
} series[] = {{TD_METHOD_AUTOMATIC, false},    {TD_METHOD_BDF, false},  {TD_METHOD_DAE, false},
              {TD_METHOD_RADAU, false},        {TD_METHOD_RK45, false}, {TD_METHOD_RK4, true},
              {TD_METHOD_NEWMARK, true},       {TD_METHOD_HHT, true},   {TD_METHOD_GENERALIZED_ALPHA, true},
              {TD_METHOD_EULER_IMPLICIT, true}};
enum { SERIES = sizeof series / sizeof *series };
_Static_assert((int)SERIES <= (int)PRECISION_CURVES, "all are drawn");

typedef struct setting {
  td_model *model;
  arena *memory;
  json_t *document;
  td_dynamics_spec spec;
  int n;
  size_t samples, rows; // rows: reported by the run under way
  double *row;          // [samples][n] of it
  double *reference;    // [samples][n]
  double motion;
  double started;
  bool stuck;
  td_error err;
} setting;

static void close_setting(setting *s) {
  td_model_destroy(s->model);
  json_decref(s->document);
  arena_destroy(s->memory);
  free(s->row);
  free(s->reference);
}

static bool open_setting(setting *s, const char *name, double t_end) {
  static const char *const fields[] = {"q"};
  char file[64];
  job_document job;
  *s = (setting){.memory = arena_create(), .err = {.message = "not enough memory"}};
  snprintf(file, sizeof file, "%s.model.json", name);
  s->model = test_model_from_text(bench_example(file));
  snprintf(file, sizeof file, "%s.job.json", name);
  const char *text = bench_example(file);
  s->document = codec_parse(text, strlen(text), &s->err);
  if (!s->memory || !s->model || !s->document) return false;
  if (codec_job_read_local(s->document, "", s->memory, &job, &s->err)) return false;
  s->spec = job.dynamics;
  s->spec.t_end = t_end;
  s->spec.output_dt = t_end / 20;
  s->spec.times = NULL, s->spec.time_count = 0;
  s->spec.fields = fields, s->spec.field_count = 1;
  s->n = td_model_ndof(s->model);
  s->samples = td_run_sample_count(&s->spec);
  s->row = calloc(s->samples * (size_t)s->n, sizeof *s->row);
  s->reference = calloc(s->samples * (size_t)s->n, sizeof *s->reference);
  return s->row && s->reference;
}

// ---------------------------------------------------------------------------------------------------------- one run

static bool on_step(void *context, double t) {
  setting *s = context;
  (void)t;
  s->stuck = bench_now(BENCH_CPU) - s->started > MOST_S;
  return !s->stuck;
}

static bool on_sample(void *context, double t, const double *row) {
  setting *s = context;
  (void)t;
  if (s->rows < s->samples) memcpy(s->row + s->rows++ * (size_t)s->n, row, (size_t)s->n * sizeof *row);
  return true;
}

static td_check on_check(void *context, double part) {
  (void)context, (void)part;
  return TD_CHECK_CUT;
}

// s of CPU time; NaN: the run failed, or took too long where it is bounded.
static double run(setting *s, const td_integrator_spec *integrator, bool bounded) {
  td_dynamics_spec spec = s->spec;
  td_run_hooks hooks = {.context = s, .step = bounded ? on_step : NULL, .sample = on_sample, .check = on_check};
  td_run_statistics *statistics = calloc(1, sizeof *statistics);
  spec.integrator = *integrator;
  s->rows = 0;
  s->started = bench_now(BENCH_CPU);
  td_status status = statistics ? td_dynamics_run(s->model, &spec, &hooks, NULL, 0, statistics, &s->err) : TD_NO_MEMORY;
  double took = bench_now(BENCH_CPU) - s->started;
  free(statistics);
  return (status == TD_OK || status == TD_INCONSISTENT) && s->rows == s->samples ? took : NAN;
}

static double least_of(setting *s, const td_integrator_spec *integrator) {
  double least = run(s, integrator, true);
  for (int i = 1; i < REPEATS && least < SHORT_S; i++) least = fmin(least, run(s, integrator, true));
  return least;
}

static double error_of(const setting *s) {
  double most = 0;
  for (size_t i = 0; i < s->samples * (size_t)s->n; i++) most = fmax(most, fabs(s->row[i] - s->reference[i]));
  return most / s->motion;
}

static td_integrator_spec by_tolerance(td_method method, double rtol) {
  td_integrator_spec spec;
  td_integrator_defaults(&spec);
  spec.method = method;
  spec.rtol = rtol, spec.atol = 1e-3 * rtol;
  spec.given = TD_OPTION_RTOL | TD_OPTION_ATOL;
  return spec;
}

static td_integrator_spec by_step(td_method method, double h) {
  td_integrator_spec spec;
  td_integrator_defaults(&spec);
  spec.method = method;
  spec.h = h;
  return spec;
}

// ----------------------------------------------------------------------------------------------------------- a robot

// The reference, and how well it is known: by a second run with larger tolerances.
static bool find_reference(setting *s, double *known) {
  td_integrator_spec finest = by_tolerance(TD_METHOD_RADAU, FINEST), fine = by_tolerance(TD_METHOD_RADAU, FINE);
  finest.cutoff = fine.cutoff = ALL;
  if (isnan(run(s, &finest, false))) return false;
  memcpy(s->reference, s->row, s->samples * (size_t)s->n * sizeof *s->row);
  for (size_t i = 0; i < s->samples; i++)
    for (int k = 0; k < s->n; k++) s->motion = fmax(s->motion, fabs(s->row[i * (size_t)s->n + (size_t)k] - s->row[k]));
  if (isnan(run(s, &fine, false)) || !(s->motion > 0)) return false;
  *known = fmax(error_of(s), 1e-13);
  return true;
}

// From 1e-2 on by tens, or from a twentieth of a sample on by halves.
static void refine(setting *s, int k, double known, precision_curve *curve) {
  bool steps = series[k].steps;
  int stale = 0; // refinements that were of no use
  double least = INFINITY, level = steps ? s->spec.output_dt / 5 : 1e-2;
  snprintf(curve->name, sizeof curve->name, "%s", k ? td_method_name(series[k].method) : "automatic");
  for (; curve->count < PRECISION_POINTS; level *= steps ? 0.5 : 0.1) {
    td_integrator_spec spec = steps ? by_step(series[k].method, level) : by_tolerance(series[k].method, level);
    double took = least_of(s, &spec), error = error_of(s);
    if (s->stuck || (!steps && level < 2 * FINE)) return;
    if (isnan(took) || !(error < 1)) {
      if (level < (steps ? 1e-5 * s->spec.t_end : 1e-8)) return;
      continue; // too coarse for it
    }
    curve->cost[curve->count] = took, curve->error[curve->count++] = error;
    printf("  %-18s %-5s %-8.2g %10.4g s  error %.2g\n", curve->name, steps ? "h" : "rtol", level, took, error);
    fflush(stdout);
    if (error < 3 * known) return;
    stale = error < 0.7 * least ? 0 : stale + 1;
    if (stale == STALE) return;
    least = fmin(least, error);
  }
}

static bool measure(const char *name, double t_end, precision_panel *panel) {
  setting s;
  double known = 0;
  bool good = open_setting(&s, name, t_end) && find_reference(&s, &known);
  if (good) {
    printf("%s, %g s: radau at rtol %g is known to %.1g of its largest motion\n", name, t_end, FINEST, known);
    snprintf(panel->title, sizeof panel->title, "%s, %g s (n = %d)", name, t_end, s.n);
    panel->known = known;
    for (int k = 0; k < SERIES; k++) refine(&s, k, known, &panel->curve[panel->count++]);
  } else {
    fprintf(stderr, "tendril-bench: %s cannot be run: %s\n", name, s.err.message);
  }
  close_setting(&s);
  return good;
}

int bench_precision(const char *file, const char *robot) {
  static precision_panel panels[ROBOTS];
  int count = 0;
  for (int i = 0; i < ROBOTS; i++)
    if (!robot || strcmp(robot, robots[i].name) == 0) count += measure(robots[i].name, robots[i].t_end, &panels[count]);
  if (count == 0) return fprintf(stderr, "tendril-bench: nothing could be measured\n"), 1;
  if (precision_draw(file, panels, count)) return 0;
  fprintf(stderr, "tendril-bench: %s cannot be written\n", file);
  return 1;
}
