// The discrete map: check, life, and one call from state to state.
#include "step/step.h"
#include "base/carve.h"
#include "build/build.h"
#include "closure/rechart.h"
#include "constraint/loop_closure.h"
#include "integrate/one_step/implicit_newton.h"
#include "math/finite.h"
#include "model/model.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ check

void td_step_defaults(td_step_spec *spec) { *spec = (td_step_spec){.method = TD_METHOD_EULER_IMPLICIT, .substeps = 1}; }

// "euler_implicit, newmark … and rk4"
static void list_maps(char *text, size_t size) {
  size_t used = 0;
  for (int i = 0; i < TD_METHOD_COUNT && used < size; i++)
    if (td_integrator_get((td_method)i)->map)
      used +=
          (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", td_integrator_get((td_method)i)->name);
}

td_status td_step_check(const td_step_spec *spec, td_error *err) {
  char maps[128];
  const td_integrator *method = td_integrator_get(spec->method);
  list_maps(maps, sizeof maps);
  if (!(spec->h > 0) || isinf(spec->h))
    return td_fail(err, TD_INVALID_ARGUMENT, "/h", "the step must be longer than 0 s, it is %g", spec->h);
  if (!method || !method->map)
    return td_fail(err, TD_INVALID_ARGUMENT, "/method", "%s has no steps of its own that could be taken one by one: %s",
                   method ? method->name : "this method", maps);
  if (spec->substeps < 1 || spec->substeps > TD_MAX_SUBSTEPS)
    return td_fail(err, TD_INVALID_ARGUMENT, "/substeps", "must be 1 to %d, it is %d", TD_MAX_SUBSTEPS, spec->substeps);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ life

static size_t work_size(const td_step *s) { return 6 * (size_t)s->n + 6 * (size_t)(s->n * s->ld); }

static bool carve(td_step *s) {
  size_t n = (size_t)s->n, r = (size_t)s->rows, wide = n * (size_t)s->ld;
  size_t driven = (size_t)s->plant.driven_count;
  bool room = TD_CARVE({&s->right, wide}, {&s->below, r * (size_t)s->ld}, {&s->turned, wide}, {&s->b, n}, {&s->c, r},
                       {&s->shift, n}, {&s->rest, n}, {&s->e, r}, {&s->multipliers, r}, {&s->lambda, r + driven},
                       {&s->asked, r + driven}, {&s->rest_residual, n}, {&s->by_p, (n + r) * (size_t)s->np},
                       {&s->by_scratch, 3 * (n + r)}, {&s->motion, 3 * driven}, {&s->now.q, 2 * n}, {&s->now.a, n},
                       {&s->now.dq, 2 * wide}, {&s->now.da, wide}, {&s->work, work_size(s)});
  s->now.v = s->now.q + n;
  s->now.dv = s->now.dq + wide;
  return room;
}

size_t td_step_bytes(const td_model *model, const td_parameters *parameters) {
  size_t np = parameters ? td_parameters_count(parameters) : 0;
  size_t n = (size_t)model->n, m = (size_t)model->channel_count, r = (size_t)model->loop_rows;
  size_t wide = n * (size_t)td_pad((int)(2 * n + m + np));
  return td_linear_bytes(model, parameters) + td_workspace_bytes(model) +
         ((n + r) * np + 11 * wide + 9 * n * n + 4 * r * n + 40 * (n + r)) * sizeof(double);
}

void td_step_destroy(td_step *s) {
  if (!s) return;
  if (s->stepper) s->method->destroy(s->stepper);
  td_linear_fini(&s->linear);
  if (s->plant.free) td_plant_fini(&s->plant);
  td_workspace_destroy(s->ws);
  free(s->right);
  free(s);
}

static td_status make(td_step *s, const td_model *model) {
  td_status status = td_workspace_create(model, &s->ws);
  if (!status) status = td_plant_init(&s->plant, model, s->ws, NULL, &s->statistics);
  if (status) return status;
  s->n = s->plant.n;
  s->m = s->plant.m;
  s->rows = s->plant.rows;
  s->np = s->parameters ? (int)td_parameters_count(s->parameters) : 0;
  s->columns = 2 * s->n + s->m + s->np;
  s->ld = td_pad(s->columns);
  if (!carve(s)) return TD_NO_MEMORY;
  s->plant.motion = s->motion;
  status = td_linear_init(&s->linear, &s->plant, s->parameters);
  if (status || s->method->map == TD_MAP_EXPLICIT) return status;
  status = s->method->create(s->method, &s->plant, &s->spec, &s->stepper);
  if (!status) ((td_implicit *)s->stepper)->secant = true;
  return status;
}

td_status td_step_create(const td_model *model, const td_parameters *parameters, const td_step_spec *spec,
                         td_step **step, td_error *err) {
  assert(model && step);
  *step = NULL;
  td_status status = td_step_check(spec, err);
  if (status) return status;
  td_step *s = calloc(1, sizeof *s);
  if (s) {
    s->model = model;
    s->parameters = parameters;
    s->method = td_integrator_get(spec->method);
    s->H = spec->h;
    s->substeps = spec->substeps;
    td_integrator_defaults(&s->spec);
    s->spec.method = spec->method;
    s->spec.h = spec->h / spec->substeps;
    s->spec.formulation = TD_FORMULATION_INDEX3;
    status = make(s, model);
  }
  if (s && !status) return *step = s, TD_OK;
  td_step_destroy(s);
  return td_fail(err, TD_NO_MEMORY, "", "no memory for the step of a model with %d coordinates", td_model_ndof(model));
}

void td_step_watch(td_step *step, const _Atomic bool *stop) {
  td_workspace_watch(step->ws, stop);
  if (step->linear.by) td_parameter_workspace_watch(step->linear.by, stop);
}

// ------------------------------------------------------------------------------------------------ one step

static void start(td_step *s, const double *x, const double *u) {
  size_t n = (size_t)s->n;
  s->x = x;
  s->u = u;
  memcpy(s->now.q, x, 2 * n * sizeof *x);
  for (int k = 0; k < s->m; k++) s->plant.u[k] = u ? u[k] : 0;
  if (s->rows) td_loop_follow(s->model, s->ws, x, true);
  td_plant_note_rank(&s->plant, true, s->now.q);
  if (!s->tangents || s->units) return;
  memset(s->now.dq, 0, 2 * n * (size_t)s->ld * sizeof *s->now.dq);
  for (size_t i = 0; i < 2 * n; i++) s->now.dq[i * (size_t)s->ld + i] = 1;
}

static void hand_over(const td_step *s, double *x_next, double *dx, double *du, double *dp) {
  size_t n = (size_t)s->n, m = (size_t)s->m, np = (size_t)s->np;
  memcpy(x_next, s->now.q, 2 * n * sizeof *x_next);
  for (size_t i = 0; i < 2 * n; i++) {
    const double *row = s->now.dq + i * (size_t)s->ld;
    if (dx) memcpy(dx + i * 2 * n, row, 2 * n * sizeof *dx);
    if (du && m) memcpy(du + i * m, row + 2 * n, m * sizeof *du);
    if (dp && np) memcpy(dp + i * np, row + 2 * n + m, np * sizeof *dp);
  }
}

static bool slopes_are_finite(const td_step *s, const double *dx, const double *du, const double *dp) {
  int rows = 2 * s->n;
  return !(dx && td_all_finite(dx, rows * rows)) && !(du && td_all_finite(du, rows * s->m)) &&
         !(dp && td_all_finite(dp, rows * (int)s->np));
}

td_status td_step_take(td_step *s, const double *x, const double *u, double *x_next, double *dx, double *du, double *dp,
                       td_error *err) {
  assert(x != x_next);
  bool is_explicit = s->method->map == TD_MAP_EXPLICIT;
  s->by_wanted = dp && s->np > 0;
  s->tangents = dx || du || dp;
  s->units = !is_explicit && !s->method->family && s->plant.driven_count == 0;
  start(s, x, u);
  s->open = s->tangents ? td_step_gap(s, x) : 0;
  td_status status = is_explicit ? td_step_explicit(s, err) : td_step_implicit(s, err);
  if (!status) status = td_step_close(s, is_explicit, err);
  if (!status) td_rechart_columns(s->model, s->now.q, s->tangents ? s->columns : 0, s->ld, s->now.dq, s->work);
  if (!status && td_all_finite(s->now.q, 2 * s->n))
    status = td_fail(err, TD_NONFINITE, "", "%s: the state at the end of the step is not finite", s->method->name);
  if (!status) hand_over(s, x_next, dx, du, dp);
  if (!status && !slopes_are_finite(s, dx, du, dp))
    status = td_fail(err, TD_NONFINITE, "",
                     "%s: the derivatives of the step are not finite; it may be too long for an explicit method",
                     s->method->name);
  return status;
}

void td_step_tell(const td_step *s, const char *pointer, td_warnings *warnings) {
  static const double open = 1e-8; // rad, m: what few digits leave
  if (!(s->open > open)) return;
  td_warn(
      warnings, "loop_open", pointer,
      "loops are open by %.2g (rad, m) at this state: the step closes them, and its derivatives are those of closing "
      "them, too; per step of %.3g s they may be far from those of a robot whose loops are closed; give q with more "
      "digits, as the first sample of a run from it has it",
      s->open, s->H);
}
