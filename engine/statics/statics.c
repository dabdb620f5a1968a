// Equilibria: tau(q, 0, u) + A^T lambda = ID(q, 0, 0, u), e(q) = 0, prescribed coordinates where u puts them.
//
// Every iterate lies on the loops' constraint: a step goes along the tangent space, then back by projection, and lambda
// is the least-squares multiplier there. So the equations are those of a free robot, confined to the motions that loops
// allow. Ladder: descent of the potential from the first guess, undamped Newton where there is none; continuation of
// all loads from a small fraction; from the first guess again, more patiently; pseudo-transient relaxation. Only when
// all fail is the problem reported as not converged, with the best iterate, its residual and the coordinate where it is
// worst.
#include "statics/statics.h"
#include "base/carve.h"
#include "body/rod/inside_out.h"
#include "constraint/loop_closure.h"
#include "input/initial_check.h"
#include "model/model.h"
#include "tendril/statics.h"
#include "why/slack.h"
#include "why/unbalanced.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECT = 40 };

void td_statics_defaults(td_statics_options *options) {
  *options = (td_statics_options){.tolerance = 1e-10, .max_iterations = 100, .max_load_steps = 200};
}

static bool carve(td_statics *s) {
  size_t n = (size_t)s->n, d = (size_t)s->d, m = (size_t)s->m,
         c = (size_t)(td_model_loop_row_count(s->model) + td_model_prescribed_count(s->model));
  s->pivot = calloc(d + 1, sizeof *s->pivot);
  s->idle = calloc(d + 1, sizeof *s->idle);
  bool room = TD_CARVE({&s->K, d * d}, {&s->M, d * d}, {&s->H, d * d}, {&s->q, n}, {&s->trial_q, n}, {&s->best_q, n},
                       {&s->kept_q, n}, {&s->force, n}, {&s->trial_force, n}, {&s->r, d}, {&s->step, d},
                       {&s->trial_r, d}, {&s->weight, d}, {&s->direction, d}, {&s->work, d}, {&s->full, n * n},
                       {&s->faded, n * n}, {&s->part, 4 * n}, {&s->way, 2 * TD_STATICS_WAY * d},
                       {&s->U, d * (size_t)s->ld}, {&s->lambda, c}, {&s->held, c}, {&s->raised, m});
  return room && s->pivot && s->idle;
}

static td_status list_free(td_statics *s) {
  s->free = calloc((size_t)s->n + 1, sizeof *s->free);
  if (!s->free) return TD_NO_MEMORY;
  for (int i = 0; i < td_model_prescribed_count(s->model); i++)
    s->free[td_model_prescribed_coordinate(s->model, i, NULL)] = 1;
  for (int i = 0; i < s->n; i++)
    if (!s->free[i]) s->free[s->d++] = i; // d <= i: behind what is still read
  return TD_OK;
}

// Where weight and buoyancy cancel, what is left is their rounding, and no force is in play to measure it by: N, and N
// m at 1 m.
static double weight_rounding(const td_model *m) {
  double mass = 0;
  for (int i = 0; i < m->inertia_count; i++) mass += m->inertia[i].mass;
  return 64 * DBL_EPSILON * mass * hypot(hypot(m->gravity[0], m->gravity[1]), m->gravity[2]);
}

td_status td_statics_init(td_statics *s, const td_model *model, td_workspace *ws, const td_statics_options *options) {
  *s = (td_statics){
      .model = model, .ws = ws, .options = *options, .n = td_model_ndof(model), .m = td_model_channel_count(model)};
  s->weightless = weight_rounding(model);
  if (list_free(s)) return TD_NO_MEMORY;
  size_t d = (size_t)s->d;
  s->ld = td_pad_most(s->d);
  bool ready = carve(s) && !td_projection_init(&s->loops, model, ws, s->d, s->free) &&
               !td_clearance_init(&s->clearance, model, ws);
  s->basis_size = d * (size_t)s->loops.ldp * sizeof *s->basis;
  size_t p = (size_t)s->loops.ldp;
  s->confined_size = (2 * p * (size_t)s->loops.ld + 2 * d * p + p * p) * sizeof *s->confined;
  s->basis = ready ? malloc(s->basis_size + s->confined_size + 1) : NULL;
  if (s->basis) {
    s->confined = s->basis + d * p;
    return TD_OK;
  }
  td_statics_fini(s);
  return TD_NO_MEMORY;
}

void td_statics_fini(td_statics *s) {
  td_projection_fini(&s->loops);
  td_clearance_fini(&s->clearance);
  free(s->K);
  free(s->pivot);
  free(s->idle);
  free(s->free);
  free(s->basis);
  *s = (td_statics){0};
}

// ------------------------------------------------------------------------------------------------ ladder

// An equilibrium of the linear law may be one that no rod can take, and a residual of 0 one at which a tendon's force
// has no direction.
static bool is_whole(const td_statics *s) {
  return !td_inside_out_find(s->model, s->q, 1, NULL) && !td_slack_has_met(s->model, s->ws, s->q, s->u);
}

static td_status climb(td_statics *s, const double *first) {
  int most = s->options.max_iterations;
  td_status status = td_statics_start(s, first, 1);
  if (s->only_down) return status ? status : td_statics_descend(s, most, false);
  if (!status && !td_statics_settle(s, DIRECT) && is_whole(s)) return TD_OK;
  s->climbed = true;
  if (s->closing.status) return s->closing.status;
  if (!td_statics_raise(s, first) && is_whole(s)) return TD_OK;
  status = td_statics_start(s, first, 1);
  if (!status) status = td_statics_descend(s, most, false);
  if (status == TD_UNSUPPORTED) status = td_statics_newton(s, most, true);
  if (!status && is_whole(s)) return TD_OK;
  status = td_statics_start(s, first, 1);
  if (!status) status = td_statics_relax(s);
  return status == TD_NOT_CONVERGED ? td_statics_descend(s, most, false) : status;
}

// Steps keep clear of obstacles as far as points feel them. Where the way has led through one all the same, the
// equilibrium is that to which loads raised slowly lead past it, if they do.
static td_status go_around(td_statics *s, const double *first, td_statics_result *result) {
  td_passage ignored;
  if (s->only_down || !td_clearance_passes(&s->clearance, first, s->q, false, &ignored)) return TD_OK;
  double *found = malloc((size_t)s->n * sizeof *found + 1);
  if (!found) return TD_NO_MEMORY;
  memcpy(found, s->q, (size_t)s->n * sizeof *found);
  s->led = !td_statics_raise_slowly(s, first, s->from_u) && is_whole(s);
  if (!s->led) memcpy(s->q, found, (size_t)s->n * sizeof *found);
  free(found);
  td_status status = td_statics_evaluate(s);
  return status ? status : td_statics_leave_saddles(s, result);
}

// Goes back to the best iterate and says why there is no better one; the status of the problem.
static td_status explain(td_statics *s, td_status status, td_error *err) {
  if (s->closing.status) return td_fail(err, s->closing.status, s->closing.pointer, "%s", s->closing.message);
  memcpy(s->q, s->best_q, (size_t)s->n * sizeof *s->q);
  bool finite = td_statics_evaluate(s) == TD_OK;
  int worst = 0;
  for (int i = 1; i < s->d; i++)
    if (fabs(s->r[i]) > fabs(s->r[worst])) worst = i;
  const char *where = s->d ? td_model_coordinate_name(s->model, s->free[worst]) : "no free coordinate";
  td_unbalanced left = {s->iterations, s->residual, s->scale, where};
  return td_unbalanced_explain(s->model, s->ws, s->q, s->u, finite ? &left : NULL, status, err);
}

td_status td_statics_find(td_statics *s, const double *u, td_statics_result *result, td_error *err) {
  assert((u || s->m == 0) && result);
  *result = (td_statics_result){0};
  double *first = malloc((size_t)s->n * sizeof *first + 1);
  if (!first) return td_fail(err, TD_NO_MEMORY, "", "no memory for statics");
  memcpy(first, s->q, (size_t)s->n * sizeof *first);
  memcpy(s->best_q, s->q, (size_t)s->n * sizeof *first);
  s->u = u;
  s->iterations = 0;
  s->moved = s->climbed = s->led = false;
  s->evaluations = s->jacobians = s->factorisations = 0;
  s->best = INFINITY;
  td_status status = climb(s, first);
  td_status judged = status ? TD_OK : td_statics_leave_saddles(s, result);
  if (!status && !judged) judged = go_around(s, first, result);
  free(first);
  if (!status && !is_whole(s)) {
    memcpy(s->best_q, s->q, (size_t)s->n * sizeof *s->q);
    status = TD_NOT_CONVERGED;
  }
  if (status) {
    status = explain(s, status, err);
    judged = td_statics_judge(s, result);
  }
  result->iterations = s->iterations;
  result->converged = !status;
  result->residual = s->residual;
  result->lambda = s->lambda;
  if (s->loops.rows) td_loop_follow(s->model, s->ws, s->q, false);
  (void)!td_loop_drift(&s->loops, s->q, &result->loop_error, NULL);
  result->stable = result->stable && !status && !judged;
  result->evaluations = s->evaluations;
  result->jacobians = s->jacobians;
  result->factorisations = s->factorisations;
  return status;
}

void td_statics_tell(const td_statics_result *result, td_run_statistics *statistics) {
  statistics->newton_iterations += (uint64_t)result->iterations;
  statistics->evaluations += result->evaluations;
  statistics->jacobians += result->jacobians;
  statistics->factorisations += result->factorisations;
  if (result->converged) td_misfit_tell(result->loop_error, &statistics->warnings);
}

td_status td_statics_solve(const td_model *model, td_workspace *ws, const double *u, const td_statics_options *options,
                           double *q, td_statics_result *result, td_error *err) {
  td_statics s;
  td_place root = td_place_root(err);
  *result = (td_statics_result){0};
  td_status status = td_rest_check(&root, model);
  if (status) return status;
  status = td_statics_init(&s, model, ws, options);
  if (status) return td_fail(err, status, "", "no memory for statics");
  memcpy(s.q, q, (size_t)s.n * sizeof *q);
  status = td_statics_find(&s, u, result, err);
  memcpy(q, s.q, (size_t)s.n * sizeof *q);
  td_statics_fini(&s);
  result->lambda = NULL;
  return status;
}
