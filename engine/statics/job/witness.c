// Which equilibria of a list are asked. Four are enough to tell, and twins cost more than a problem.
#include "statics/job/witness.h"
#include "create/coarse_bodies.h"
#include "estimate/resolution/resolution.h"
#include "statics/equilibrium.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST, MOST, STEEPEST, LAST };
enum { BRANCHES = 8 };                           // of a path
enum { HELD = 24 };                              // equilibria that are asked whether more functions would let them go
static const double HEAVIER = 1.1, SOFTER = 0.8; // than those that were asked
static const double BEFORE = 0.01;               // of its load: how near to a bifurcation is asked
_Static_assert(LAST + 1 == TD_EQUILIBRIA_WITNESSED, "a row of td_witnesses for each");

td_status td_witnesses_init(td_witnesses *w, const td_model *model, const td_statics_hooks *hooks, int channel) {
  *w = (td_witnesses){.model = model, .hooks = hooks, .channel = channel};
  w->size = (size_t)(td_model_ndof(model) + td_model_channel_count(model) + td_model_loop_row_count(model) +
                     td_model_prescribed_count(model));
  w->row[0] = calloc((TD_EQUILIBRIA_WITNESSED + 2) * w->size + 1, sizeof *w->row[0]);
  for (size_t i = 1; i < TD_EQUILIBRIA_WITNESSED && w->row[0]; i++) w->row[i] = w->row[0] + i * w->size;
  w->before = w->row[0] ? w->row[LAST] + w->size : NULL;
  w->near = w->row[0] ? w->before + w->size : NULL;
  return w->row[0] ? TD_OK : TD_NO_MEMORY;
}

void td_witnesses_fini(td_witnesses *w) {
  td_resolution_destroy(w->resolution);
  w->resolution = NULL;
  free(w->row[0]);
  w->row[0] = NULL;
}

static void tell_where(const td_witnesses *w, size_t index, char where[32]) {
  snprintf(where, 32, w->channel >= 0 ? "point %zu, from 0" : "problem %zu, from 0", index);
}

static void take_row(td_witnesses *w, int which, size_t index, const double *u, const double *q, const double *lambda,
                     bool stable) {
  size_t n = (size_t)td_model_ndof(w->model), m = (size_t)td_model_channel_count(w->model), c = w->size - n - m;
  double *row = w->row[which];
  if (m) memcpy(row, u, m * sizeof *u);
  if (n) memcpy(row + m, q, n * sizeof *q);
  for (size_t i = 0; i < c; i++) row[m + n + i] = lambda ? lambda[i] : 0;
  w->has[which] = true;
  w->stable[which] = stable;
  w->index[which] = index;
}

// The largest share of the last function of a curvature or a twist, rad: what a basis lacks is likely to be most where
// that is.
static double steepness(const td_model *m, const double *q) {
  enum { ANGULAR = 3 };
  double most = 0;
  for (int r = 0; r < m->rod_count; r++)
    for (int g = 0; g < m->rod[r].group_count && m->rod[r].basis; g++) {
      const td_group *group = &m->rod[r].group[g];
      int last = m->element[m->rod[r].element].coordinate + group->first + group->count - 1;
      if (group->component < ANGULAR) most = fmax(most, fabs(q[last]));
    }
  return most;
}

static td_resolution *resolution_of(td_witnesses *w) {
  if (!w->has_resolution) w->resolution = td_resolution_create(w->model);
  w->has_resolution = true;
  return w->resolution;
}

// What the basis cannot buckle in is not in the eigenvalues of K, but it buckles under large loads, and mostly where
// the robot has become soft in the forms that it has.
static void look_at_hold(td_witnesses *w, size_t index, const double *u, const double *q,
                         const td_statics_result *result) {
  double load = 0, eigenvalue = result->smallest_eigenvalue;
  for (int i = 0; i < td_model_channel_count(w->model); i++) load = hypot(load, u[i]);
  bool heavier = load > HEAVIER * w->load, softer = eigenvalue < SOFTER * w->softest;
  if (w->held == HELD || (w->held > 0 && !heavier && !softer)) return;
  w->load = fmax(w->load, load);
  w->softest = w->held > 0 ? fmin(w->softest, eigenvalue) : eigenvalue;
  w->held++;
  char where[32];
  tell_where(w, index, where);
  td_resolution_look_at_hold(resolution_of(w), &(td_resolution_state){.state = {.q = q, .u = u},
                                                                      .lambda = result->lambda,
                                                                      .closure = true,
                                                                      .stable = true,
                                                                      .path = w->channel >= 0,
                                                                      .where = where});
}

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  td_witnesses *w = context;
  const td_statics_hooks *h = w->hooks;
  double size = 0;
  for (int i = 0; i < td_model_ndof(w->model) && !failure; i++) size += q[i] * q[i];
  if (!failure) {
    bool stable = result->stable && result->conservative;
    if (stable) look_at_hold(w, index, u, q, result);
    if (!w->has[FIRST]) take_row(w, FIRST, index, u, q, result->lambda, stable);
    if (!w->has[MOST] || size > w->most) take_row(w, MOST, index, u, q, result->lambda, stable), w->most = size;
    double steep = steepness(w->model, q);
    if (!w->has[STEEPEST] || steep > w->steepest)
      take_row(w, STEEPEST, index, u, q, result->lambda, stable), w->steepest = steep;
    w->has_before = w->has[LAST];
    w->conservative = result->conservative;
    if (index == 0) w->countable = result->stable;
    memcpy(w->before, w->row[LAST], w->size * sizeof *w->before);
    take_row(w, LAST, index, u, q, result->lambda, stable);
  }
  return !h || !h->solved || h->solved(h->context, index, u, q, result, failure);
}

// Points of a path may lie so far from the load at which it buckles that none is stable without reason. So a state a
// little before that is asked: on the straight line from the last point, multipliers along that from the one before.
static void look_before(td_witnesses *w, double value, const double *q, bool stable) {
  int n = td_model_ndof(w->model), m = td_model_channel_count(w->model), c = (int)w->size - n - m;
  const double *last = w->row[LAST], *before = w->before;
  double from = last[w->channel], at = value - copysign(BEFORE * value, value - from);
  double part = (at - from) / (value - from), further = (at - from) / (from - before[w->channel]);
  if (!(part > 0 && part < 1)) part = further = 0, at = from; // the last point is nearer
  if (c > 0 && !(w->has_before && isfinite(further))) return;
  memcpy(w->near, last, w->size * sizeof *last);
  w->near[w->channel] = at;
  for (int i = 0; i < n; i++) w->near[m + i] += part * (q[i] - last[m + i]);
  for (int i = m + n; i < m + n + c; i++) w->near[i] += further * (last[i] - before[i]);
  char where[32];
  snprintf(where, sizeof where, "before the branch at %.4g", value);
  td_resolution_state state = {.state = {.q = w->near + m, .u = w->near},
                               .lambda = w->near + m + n,
                               .closure = true,
                               .stable = stable,
                               .path = true,
                               .where = where};
  if (stable)
    td_resolution_look_at_hold(resolution_of(w), &state);
  else
    td_resolution_look_at_branch(resolution_of(w), &state, w->behind);
}

static void on_passed(void *context, size_t after, td_path_event event, int multiplicity, double value,
                      const double *q) {
  td_witnesses *w = context;
  const td_statics_hooks *h = w->hooks;
  bool known = w->has[LAST] && w->index[LAST] == after && w->conservative;
  if (event == TD_PATH_BIFURCATION && known && w->countable && w->asked++ < BRANCHES)
    look_before(w, value, q, w->behind == 0);
  w->behind += multiplicity;
  w->countable = w->countable && event == TD_PATH_BIFURCATION; // at limit points it may become less
  if (h && h->passed) h->passed(h->context, after, event, multiplicity, value, q);
}

static void on_ended(void *context, bool reached, double value, double nearest) {
  const td_statics_hooks *h = ((td_witnesses *)context)->hooks;
  if (h && h->ended) h->ended(h->context, reached, value, nearest);
}

td_statics_hooks td_witnesses_hooks(td_witnesses *w) {
  return (td_statics_hooks){.context = w, .solved = on_solved, .passed = on_passed, .ended = on_ended};
}

void td_witnesses_judge(td_witnesses *w, td_warnings *warnings) {
  size_t n = (size_t)td_model_ndof(w->model), m = (size_t)td_model_channel_count(w->model);
  td_resolution *resolution = resolution_of(w);
  td_coarse_bodies *bodies = td_coarse_bodies_create(w->model);
  char where[32];
  for (int i = 0; i < TD_EQUILIBRIA_WITNESSED && (resolution || bodies); i++) {
    bool again = !w->has[i];
    for (int k = 0; k < i; k++) again |= w->index[k] == w->index[i];
    if (again) continue;
    tell_where(w, w->index[i], where);
    const double *u = w->row[i];
    td_coarse_bodies_look(bodies, u + m, where);
    td_resolution_look(resolution, &(td_resolution_state){.state = {.q = u + m, .u = u},
                                                          .lambda = u + m + n,
                                                          .closure = true,
                                                          .stable = w->stable[i],
                                                          .path = w->channel >= 0,
                                                          .near = td_equilibrium_near,
                                                          .where = where});
  }
  td_resolution_tell(resolution, warnings);
  td_coarse_bodies_tell(bodies, warnings);
  td_coarse_bodies_destroy(bodies);
}
