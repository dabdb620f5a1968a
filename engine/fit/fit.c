// The search: Levenberg and Marquardt with Nielsen's damping [Madsen2004], from one start after the other.
//
// Method: at a point, the undamped step tells what could still be gained: that little ends the search. A damped step is
// tried; where the cost falls it is the next point, else the damping grows. Columns are measured by the largest norm
// that they had [More1978]. Every accepted point is a checkpoint: what follows depends on the state alone.
#include "fit/parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double FIRST_DAMPING = 1e-3;
static const double UNDAMPED = 1e-16;     // directions below 1e-8 of the largest are noise of derivatives
static const double SAME_X = 1e-10;       // relative; a step that is less is none
static const double NOISE_X = 1e-7;       // runs that end by a tolerance do not tell points apart that are so near
static const double NOISE_DAMPING = 1e-6; // and derivatives of a thousandth of the largest are told to a thousandth
static const double NOISE_COST = 1e-6;    // nor such gains
static const double LONGEST_LOG = 2;      // of a step in ln p: a factor of 7
enum { MOST_REJECTIONS = 40 };

// ------------------------------------------------------------------------------------------------ points

// The largest |d| by the size of its unknown.
static double length(const fit *f, const double *x, const double *d) {
  double most = 0;
  for (size_t j = 0; j < f->spec->count; j++) most = fmax(most, fabs(d[j]) / fit_size(&f->spec->unknowns[j], x[j]));
  return most;
}

static void measure_columns(fit *f, const fit_point *point) {
  size_t n = f->spec->count;
  for (size_t j = 0; j < n; j++) {
    double sum = 0;
    for (size_t i = 0; i <= j; i++) sum += point->R[i * n + j] * point->R[i * n + j];
    f->scale[j] = fmax(f->scale[j], sqrt(sum));
  }
}

// f->trial becomes the present point; false: stop.
static bool accept(fit *f) {
  fit_state *s = f->state;
  size_t n = f->spec->count;
  fit_point before = f->now;
  f->now = f->trial;
  f->trial = before;
  measure_columns(f, &f->now);
  memcpy(f->x, f->now.x, n * sizeof *f->x);
  for (size_t j = 0; j < n; j++) f->p[j] = fit_p_of(&f->spec->unknowns[j], f->x[j]);
  if (s->best_start < 0 || f->now.cost < s->best_cost) {
    s->best_cost = f->now.cost;
    s->best_start = s->start;
    s->best_end = TD_FIT_RUNNING;
    memcpy(f->best_p, f->p, n * sizeof *f->p);
    memcpy(f->best_data, f->now.data, n * n * sizeof *f->best_data);
  }
  td_fit_iteration told = {s->start, s->iteration, f->p, f->now.cost, s->best_cost, f->state, td_fit_state_size(n)};
  return !f->hooks || !f->hooks->iteration || f->hooks->iteration(f->hooks->context, &told);
}

// ------------------------------------------------------------------------------------------------ one step

static void shorten(const fit *f, double *d) {
  double most = 0;
  for (size_t j = 0; j < f->spec->count; j++)
    if (f->spec->unknowns[j].log) most = fmax(most, fabs(d[j]));
  for (size_t j = 0; most > LONGEST_LOG && j < f->spec->count; j++) d[j] *= LONGEST_LOG / most;
}

static void place_trial(fit *f) {
  for (size_t j = 0; j < f->spec->count; j++)
    f->trial.x[j] = fmin(fmax(f->now.x[j] + f->step[j], f->lower[j]), f->upper[j]);
}

static void relax(fit_state *s, double ratio) {
  s->damping *= fmax(1. / 3, 1 - pow(2 * ratio - 1, 3));
  s->damping = fmax(s->damping, 1e-12);
  s->growth = 2;
}

static void tighten(fit_state *s) {
  s->damping *= s->growth;
  s->growth *= 2;
}

// No step helps: is that the minimum, as far as the runs tell? Along directions that hardly change what is predicted,
// what derivatives promise is their error.
static td_fit_end stuck(fit *f) {
  bool near = length(f, f->now.x, f->newton) <= NOISE_X;
  fit_step(f, &f->now, NOISE_DAMPING, f->newton);
  double off = f->spec->options.derivative_noise, least = fmax(NOISE_COST, off * off) * f->now.cost;
  return near || fit_promise(f, &f->now, f->newton) <= least ? TD_FIT_CONVERGED : TD_FIT_STALLED;
}

// Tries steps until one is accepted (*end stays) or the search is over.
static td_status improve(fit *f, td_fit_end *end) {
  fit_state *s = f->state;
  fit_step(f, &f->now, UNDAMPED, f->newton);
  double gain = fit_promise(f, &f->now, f->newton);
  bool there = gain <= f->spec->options.tolerance * f->now.cost || length(f, f->now.x, f->newton) <= SAME_X;
  if (there) return *end = TD_FIT_CONVERGED, TD_OK;
  if (s->iteration >= f->spec->options.max_iterations) return *end = TD_FIT_EXHAUSTED, TD_OK;
  for (int rejections = 0; rejections < MOST_REJECTIONS; rejections++) {
    fit_step(f, &f->now, s->damping, f->step);
    shorten(f, f->step);
    place_trial(f);
    double promised = fit_promise(f, &f->now, f->step);
    if (length(f, f->now.x, f->step) <= SAME_X) break;
    s->predictions++;
    td_status status = fit_measure(f, &f->trial);
    if (status != TD_OK && !fit_can_avoid(status)) return status;
    if (status == TD_OK && f->trial.cost < f->now.cost) {
      relax(s, promised > 0 ? (f->now.cost - f->trial.cost) / promised : 1);
      s->iteration++;
      s->iterations++;
      return accept(f) ? TD_OK : TD_CANCELLED;
    }
    tighten(s);
  }
  return *end = stuck(f), TD_OK;
}

// ------------------------------------------------------------------------------------------------ starts

static void place_start(fit *f) {
  fit_state *s = f->state;
  uint64_t seed = f->spec->options.seed * 1000003u + (uint64_t)s->start;
  for (size_t j = 0; j < f->spec->count; j++) {
    const td_unknown *u = &f->spec->unknowns[j];
    double part = fit_random(&seed), own = fit_x_of(u, u->value);
    f->trial.x[j] = s->start == 0 ? own : f->lower[j] + part * (f->upper[j] - f->lower[j]);
    f->scale[j] = 0;
  }
  s->iteration = 0;
  s->damping = FIRST_DAMPING;
  s->growth = 2;
}

// Where the search begins or goes on. *able false: nothing can be predicted there.
static td_status enter(fit *f, bool resumed, bool *able) {
  fit_state *s = f->state;
  if (resumed)
    memcpy(f->trial.x, f->x, f->spec->count * sizeof *f->x);
  else
    place_start(f);
  s->predictions += !resumed;
  td_status status = fit_measure(f, &f->trial);
  *able = status == TD_OK;
  if (status != TD_OK) {
    s->failed_starts++;
    return fit_can_avoid(status) ? TD_OK : status;
  }
  if (!resumed) return accept(f) ? TD_OK : TD_CANCELLED;
  fit_point before = f->now;
  f->now = f->trial;
  f->trial = before;
  return TD_OK;
}

static td_status search(fit *f, bool resumed) {
  fit_state *s = f->state;
  bool able;
  td_fit_end end = TD_FIT_RUNNING;
  td_status status = enter(f, resumed, &able);
  while (status == TD_OK && able && end == TD_FIT_RUNNING) status = improve(f, &end);
  if (status == TD_OK && able && s->best_start == s->start) s->best_end = (int32_t)end;
  return status;
}

static bool take_over(fit *f, const void *resume, size_t size) {
  if (!resume || size != td_fit_state_size(f->spec->count)) return false;
  uint64_t np;
  memcpy(&np, resume, sizeof np);
  if (np != f->spec->count) return false;
  memcpy(f->state, resume, size);
  return true;
}

// ------------------------------------------------------------------------------------------------ the answer

static void tell_best(const fit *f, td_fit_result *r) {
  const fit_state *s = f->state;
  size_t n = f->spec->count;
  r->end = (td_fit_end)s->best_end;
  r->start = s->best_start;
  r->iterations = s->iterations;
  r->failed_starts = s->failed_starts;
  r->predictions = s->predictions;
  r->used = f->used;
  r->cost = s->best_cost;
  size_t rows = f->used;
  for (size_t j = 0; j < n; j++) {
    const td_unknown *u = &f->spec->unknowns[j];
    rows += u->prior_sigma > 0;
    double x = fit_x_of(u, f->best_p[j]);
    bool low = x <= f->lower[j], high = x >= f->upper[j]; // as the search sees it: exp and ln round
    if (r->p) r->p[j] = low ? u->lower : high ? u->upper : f->best_p[j];
    if (r->at_bound) r->at_bound[j] = low || high;
  }
  r->misfit = rows > n ? sqrt(2 * s->best_cost / (double)(rows - n)) : NAN;
  r->derivative_error = NAN;
}

static td_status finish(fit *f, td_fit_result *result) {
  tell_best(f, result);
  td_status status = fit_check_derivatives(f, result);
  if (status == TD_OK) status = fit_confide(f, result);
  if (status == TD_OK) fit_judge(f, result);
  if (status == TD_OK) status = fit_judge_steps(f, result);
  return status;
}

static td_status run(fit *f, const void *resume, size_t resume_size, td_fit_result *result, td_error *err) {
  fit_state *s = f->state;
  bool resumed = take_over(f, resume, resume_size);
  if (!resumed) *s = (fit_state){.np = f->spec->count, .best_start = -1};
  td_status status = TD_OK;
  for (; status == TD_OK && s->start < f->spec->options.starts; s->start++)
    status = search(f, resumed), resumed = false;
  if (s->best_start >= 0) tell_best(f, result);
  if (status != TD_OK) return status;
  if (s->best_start < 0) return err->status; // of the last start
  return finish(f, result);
}

static void clear(td_fit_result *r) {
  r->end = TD_FIT_RUNNING;
  r->start = -1;
  r->cost = r->misfit = r->derivative_error = NAN;
  r->warnings = (td_warnings){0};
}

td_status td_fit_run(const td_fit_spec *spec, const td_fit_hooks *hooks, const void *resume, size_t resume_size,
                     td_fit_result *result, td_error *err) {
  td_error own = {.status = TD_OK}, *why = err ? err : &own;
  fit f;
  clear(result);
  td_status status = td_fit_check(spec, why);
  if (status != TD_OK) return status;
  status = fit_init(&f, spec, hooks, why);
  if (status == TD_OK) status = run(&f, resume, resume_size, result, why);
  fit_fini(&f);
  return status;
}

td_status td_fit_peek(const td_fit_spec *spec, const void *state, size_t state_size, td_fit_result *result,
                      td_error *err) {
  td_error own = {.status = TD_OK}, *why = err ? err : &own;
  fit f;
  clear(result);
  td_status status = td_fit_check(spec, why);
  if (status != TD_OK) return status;
  status = fit_init(&f, spec, NULL, why);
  if (status == TD_OK && !take_over(&f, state, state_size))
    status = td_fail(why, TD_INVALID_ARGUMENT, "", "this is no state of this fit");
  if (status == TD_OK) {
    tell_best(&f, result);
    status = fit_confide(&f, result);
  }
  fit_fini(&f);
  return status;
}
