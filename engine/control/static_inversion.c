// Static inversion by Newton's method with continuation. Unknown: free coordinates q, the inputs u_c of the
// controller's channels and the multipliers of loops; equations, at the other inputs' values of the knot's time:
//     tau(q, v, u) - ID(q, v, 0) + A^T lambda = 0,      e(q) = 0,      y(q) = y_ref.
// v: 0, but for prescribed joints that turn on at that time and take their loops along (relative_rest.h): their rates.
// y: positions of tips, coordinates or tendon lengths. With fewer values than channels the step of least norm is taken
// (columns of u scaled to generalized forces), so the solution depends on the way there: from the initial state through
// the knots in order, y moving straight from each to the next, in parts where Newton needs them. Source: Pustina2025
// (55), solved there by Newton-Raphson on the same equations.
#include "control/static_inversion.h"
#include "base/carve.h"
#include "body/rod/inside_out.h"
#include "lie/vec3.h"
#include "math/finite.h"
#include "math/lapack.h"
#include "pass/jacobian.h"
#include "pass/kinematics.h"
#include "statics/equilibrium.h"
#include "statics/turning/relative_rest.h"
#include "tendril/dynamics.h"
#include "tendril/statics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 40, HALVINGS = 14 };
static const double CLOSE = 1e-11, REACHED = 1e-8, RANK = 1e-12;
static const double LEFT_OUT = 0.01; // of the forces in play

typedef struct inversion {
  td_control *s;
  const td_controlled *c;
  bool tips, inside_out;                     // what was found last was no shape of a rod
  int *link, width, rows, free_count, *free; // links of tips; values of y; rows of loops; free coordinates
  int equations, unknowns, ld;
  const double *qd;                     // [n] v
  double *rates;                        // [n] of all prescribed joints at the knot
  int moves;                            // the first channel whose rate is left out of v, -1
  double *q, *u, *lambda, *best;        // [n], [m], [rows + prescribed]; the three at the last point reached
  double *y, *target, *from, *goal, *J; // [width], J [width][n]
  double *r, *e, *K, *A, *G;            // of td_constraint_terms
  double *matrix, *b, *work, *scale;
  int *order, work_size;
  size_t state;
} inversion;

// ------------------------------------------------------------------------------------------------ outputs

static void tip_at(inversion *v, const double *q, int link, double *out, double *jacobian) {
  const td_model *m = v->s->model;
  td_workspace *ws = v->s->ws;
  double *J = v->work;
  int node = td_link_point_node(m, link, td_model_link_point_count(m, link) - 1), n = m->n;
  const double *p = ws->pose[node].p;
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < 3; i++) out[i] = p[i] + ws->origin[i];
  if (!jacobian) return;
  td_node_jacobian(m, ws, node, J);
  for (int c = 0; c < n; c++) {
    double w[3] = {J[c], J[n + c], J[2 * n + c]}, d[3] = {J[3 * n + c], J[4 * n + c], J[5 * n + c]};
    td_vec3_cross_add(w, p, d);
    for (int i = 0; i < 3; i++) jacobian[i * n + c] = d[i];
  }
}

static td_status outputs_at(inversion *v, double *y, double *J) {
  if (!v->tips) return td_outputs_at(v->s, v->c->output, v->width, v->q, y, J);
  for (int i = 0; i < v->width / 3; i++) tip_at(v, v->q, v->link[i], y + 3 * i, J ? J + 3 * i * v->s->n : NULL);
  return td_all_finite(y, v->width);
}

// ------------------------------------------------------------------------------------------------ Newton

// What one unit of every channel does, in units of generalized force: columns of u divided by it.
static double input_scale(const inversion *v) {
  double stiff = 0, moves = 0;
  for (int i = 0; i < v->s->n; i++) {
    for (int j = 0; j < v->s->n; j++) stiff = fmax(stiff, fabs(v->K[i * v->s->n + j]));
    for (int k = 0; k < v->c->width; k++) moves = fmax(moves, fabs(v->s->B[i * v->s->m + v->c->channel[k]]));
  }
  return stiff > 0 && moves > 0 ? stiff / moves : 1;
}

// Column-major matrix and right-hand side, rows scaled to 1.
static void assemble(inversion *v, double unit) {
  int n = v->s->n, f = v->free_count, k = v->c->width;
  memset(v->matrix, 0, (size_t)v->ld * (size_t)v->unknowns * sizeof *v->matrix);
  for (int i = 0; i < f; i++) {
    int row = v->free[i];
    v->b[i] = v->r[row];
    for (int j = 0; j < f; j++) v->matrix[j * v->ld + i] = v->K[row * n + v->free[j]];
    for (int j = 0; j < k; j++) v->matrix[(f + j) * v->ld + i] = -unit * v->s->B[row * v->s->m + v->c->channel[j]];
    for (int j = 0; j < v->rows; j++) v->matrix[(f + k + j) * v->ld + i] = -v->A[j * n + row];
  }
  for (int i = 0; i < v->rows + v->width; i++) {
    bool loop = i < v->rows;
    const double *row = loop ? v->G + i * n : v->J + (i - v->rows) * n;
    v->b[f + i] = loop ? -v->e[i] : v->target[i - v->rows] - v->y[i - v->rows];
    for (int j = 0; j < f; j++) v->matrix[j * v->ld + f + i] = row[v->free[j]];
  }
  for (int i = 0; i < v->equations; i++) {
    double most = 0;
    for (int j = 0; j < v->unknowns; j++) most = fmax(most, fabs(v->matrix[j * v->ld + i]));
    v->scale[i] = most > 0 ? most : 1;
    v->b[i] /= v->scale[i];
    for (int j = 0; j < v->unknowns; j++) v->matrix[j * v->ld + i] /= v->scale[i];
  }
}

static td_status terms(inversion *v) {
  td_control *s = v->s;
  td_state state = {.q = v->q, .qd = v->qd, .qdd = s->zero, .u = v->u};
  td_constraint_terms out = {.residual = v->r, .K = v->K};
  if (v->rows) out.A = v->A, out.G = v->G, out.e = v->e;
  td_status status = td_constraint_terms_at(s->model, s->ws, &state, v->lambda, &out);
  if (!status) status = td_force_derivatives(s->model, s->ws, v->q, NULL, v->u, NULL, NULL, s->B);
  return status ? status : outputs_at(v, v->y, v->J);
}

// One Newton step; *size: of the change of q.
static td_status improve(inversion *v, double *size) {
  td_status status = terms(v);
  if (status) return status;
  int one = 1, rank = 0, info = 0, f = v->free_count, k = v->c->width;
  double unit = input_scale(v);
  assemble(v, unit);
  memset(v->order, 0, (size_t)v->unknowns * sizeof *v->order);
  dgelsy_(&v->equations, &v->unknowns, &one, v->matrix, &v->ld, v->b, &v->ld, v->order, &RANK, &rank, v->work,
          &v->work_size, &info);
  if (info) return TD_SINGULAR;
  *size = 0;
  for (int i = 0; i < f; i++) {
    double *x = &v->q[v->free[i]];
    *size = fmax(*size, fabs(v->b[i]) / (1 + fabs(*x)));
    *x += v->b[i];
  }
  for (int i = 0; i < k; i++) v->u[v->c->channel[i]] += unit * v->b[f + i];
  for (int i = 0; i < v->rows; i++) v->lambda[i] += v->b[f + k + i];
  return isfinite(*size) ? TD_OK : TD_NONFINITE;
}

// What is left of the equations, each row as the change of unknowns that would mend it.
static double misfit(inversion *v) {
  double most = 0;
  if (terms(v)) return INFINITY;
  assemble(v, input_scale(v));
  for (int i = 0; i < v->equations; i++) most = fmax(most, fabs(v->b[i]));
  return isfinite(most) ? most : INFINITY;
}

// Newton towards v->target; the state is put back when it fails.
static bool reach(inversion *v) {
  memcpy(v->best, v->q, v->state * sizeof *v->best);
  double before = INFINITY;
  for (int i = 0; i < ITERATIONS; i++) {
    double size = 0;
    if (improve(v, &size) || (i > 4 && size > 2 * before)) break;
    if (size < CLOSE && misfit(v) < REACHED) {
      v->inside_out = td_inside_out_find(v->s->model, v->q, 1, NULL); // an answer of the equations that no rod can take
      if (v->inside_out) break;
      return true;
    }
    before = size;
  }
  memcpy(v->q, v->best, v->state * sizeof *v->best);
  return false;
}

// Moves y straight from where it is to the goal.
static bool approach(inversion *v) {
  double done = 0, part = 1;
  if (outputs_at(v, v->from, NULL)) return false;
  for (int halvings = 0; done < 1;) {
    double next = fmin(1, done + part);
    for (int i = 0; i < v->width; i++) v->target[i] = v->from[i] + next * (v->goal[i] - v->from[i]);
    if (reach(v))
      done = next;
    else if (++halvings > HALVINGS)
      return false;
    else
      part /= 2;
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ knots

static void prescribe(inversion *v, double t) {
  const td_model *m = v->s->model;
  td_inputs_eval(v->s->inputs, t, t, v->s->u);
  for (int i = 0; i < v->s->m; i++) {
    bool own = false;
    for (int k = 0; k < v->c->width; k++) own = own || v->c->channel[k] == i;
    if (!own) v->u[i] = v->s->u[i];
  }
  for (int i = 0; i < m->prescribed_count; i++) v->q[m->prescribed[i].coordinate] = v->u[m->prescribed[i].channel];
  td_driven_motion joints = td_driven_motion_at(m, v->s->inputs, t, INFINITY, v->rates);
  bool along = joints.on && td_loops_turn_along(m, v->s->ws, v->q, v->rates, v->A);
  v->qd = along ? v->rates : v->s->zero;
  v->moves = along ? -1 : joints.channel;
}

// What the rates that are left out would do, against the forces in play.
static bool rates_matter(inversion *v) {
  td_control *s = v->s;
  double *tau = v->work, most = 0, left = 0;
  v->qd = v->rates;
  bool known = !terms(v) && !td_generalized_force(s->model, s->ws, v->q, NULL, v->u, tau);
  v->qd = s->zero;
  for (int i = 0; i < v->free_count && known; i++) {
    double pull = 0;
    for (int k = 0; k < s->m; k++) pull += s->B[v->free[i] * s->m + k] * v->u[k];
    most = fmax(most, fmax(fabs(tau[v->free[i]]), fabs(pull)));
    left = fmax(left, fabs(v->r[v->free[i]]));
  }
  return known && left > LEFT_OUT * most;
}

// Of the equilibrium at this knot.
static void tell(inversion *v, const td_place *values, size_t knot) {
  td_warnings *warnings = v->s->hooks.warnings;
  td_equilibrium_tell_shape(v->s->model, v->q, warnings);
  if (v->moves < 0 || !rates_matter(v)) return;
  td_place at = td_place_at(values, knot);
  at.warnings = warnings;
  td_place_warn(
      &at, "rates_left_out",
      "the static inversion takes \"%.63s\" to stand here, and it moves its joint, to and fro or against loops: "
      "what its rate does, centrifugal forces above all, is not in these inputs",
      td_model_channel_name(v->s->model, v->moves));
}

static td_status give_up(inversion *v, const td_place *values, const td_reference_spec *r, size_t knot) {
  td_place at = td_place_at(values, knot);
  double away = 0;
  if (!outputs_at(v, v->y, NULL))
    for (int i = 0; i < v->width; i++) away = fmax(away, fabs(v->goal[i] - v->y[i]));
  return td_place_fail(
      &at, TD_NOT_CONVERGED,
      "static inversion at t = %.9g s: no equilibrium found there; %.3g away from the last one reached%s", r->t[knot],
      away,
      v->inside_out
          ? ". The equations go on to rods that are turned inside out, which none can be: the reference is out of reach"
          : "");
}

static td_status go_on(const td_control *s, const td_place *values, size_t knot) {
  const td_control_hooks *h = &s->hooks;
  if (!h->step || h->step(h->context, h->t)) return TD_OK;
  td_place root = td_place_root(values->err);
  return td_place_fail(&root, TD_CANCELLED, "cancelled at knot %zu of a static inversion", knot);
}

static td_status walk(inversion *v, const td_place *values, const td_reference_spec *r, double *rows) {
  size_t k = (size_t)v->c->width;
  bool feed = v->c->row->law == TD_LAW_FEED_FORWARD;
  for (size_t knot = 0; knot < r->knots; knot++, rows += k) {
    td_status status = go_on(v->s, values, knot);
    if (status) return status;
    prescribe(v, r->t[knot]);
    memcpy(v->goal, r->value + knot * r->width, r->width * sizeof *v->goal);
    if (!approach(v)) return give_up(v, values, r, knot);
    tell(v, values, knot);
    for (size_t i = 0; feed && i < k; i++) rows[i] = v->u[v->c->channel[i]];
    if (!feed && td_outputs_at(v->s, v->c->output, v->c->width, v->q, rows, NULL)) return give_up(v, values, r, knot);
  }
  return TD_OK;
}

// The equilibrium for the inputs at t = 0 with the controller's channels at rest, in v->q; false: there is none (an arm
// without springs).
static bool find_rest(inversion *v, double t_end) {
  td_control *c = v->s;
  td_statics_options options;
  td_statics s;
  td_run_statistics *statistics = calloc(1, sizeof *statistics);
  td_rest rest = {.rates = v->rates};
  td_error why = {0};
  td_statics_defaults(&options);
  bool found = statistics && !td_statics_init(&s, c->model, c->ws, &options);
  if (found) {
    s.u = v->u;
    found = !td_rest_find(&s, c->inputs, t_end, &rest, statistics, &why);
    memcpy(v->q, s.q, (size_t)c->n * sizeof *v->q);
    td_statics_fini(&s);
  }
  free(statistics);
  return found;
}

static void first_guess(inversion *v, const td_dynamics_spec *spec) {
  size_t size = (size_t)v->s->n * sizeof *v->q;
  td_inputs_eval(v->s->inputs, 0, 0, v->u);
  if (spec->initial == TD_INITIAL_ARRAY)
    memcpy(v->q, spec->q, size);
  else if (!find_rest(v, spec->t_end))
    memset(v->q, 0, size);
}

// ------------------------------------------------------------------------------------------------ memory

static bool memory(inversion *v, const td_reference_spec *r) {
  const td_model *m = v->s->model;
  size_t n = (size_t)v->s->n, tips = r->tip_count ? r->tip_count : 1;
  v->rows = m->loop_rows;
  v->free_count = m->n - m->prescribed_count;
  v->tips = r->space == TD_SPACE_TIP;
  v->width = (int)r->width;
  v->equations = v->free_count + v->rows + v->width;
  v->unknowns = v->free_count + v->c->width + v->rows;
  v->ld = v->equations > v->unknowns ? v->equations : v->unknowns;
  size_t w = r->width, rows = (size_t)v->rows, ld = (size_t)v->ld;
  v->work_size = 6 * v->ld + 64 * (v->ld + 1) + 6 * v->s->n;
  v->state = n + (size_t)v->s->m + rows + (size_t)m->prescribed_count;
  bool room =
      TD_CARVE({&v->q, v->state}, {&v->best, v->state}, {&v->y, w}, {&v->target, w}, {&v->from, w}, {&v->goal, w},
               {&v->J, w * n}, {&v->r, n}, {&v->e, rows}, {&v->K, n * n}, {&v->A, rows * n}, {&v->G, rows * n},
               {&v->matrix, ld * ld}, {&v->b, ld}, {&v->scale, ld}, {&v->rates, n}, {&v->work, (size_t)v->work_size});
  v->link = calloc(tips + n + ld + 1, sizeof *v->link);
  if (!room || !v->link) return false;
  v->free = v->link + tips;
  v->order = v->free + n;
  v->u = v->q + n; // one state, as in `best`
  v->lambda = v->u + v->s->m;
  v->qd = v->s->zero;
  for (int c = 0, i = 0; c < m->n; c++)
    if (m->prescribed_mask[c] != 0) v->free[i++] = c;
  for (size_t i = 0; i < tips; i++)
    v->link[i] = r->tip_count ? td_model_link_find(m, r->tips[i]) : td_model_link_count(m) - 1;
  return true;
}

td_status td_static_inversion(td_control *s, const td_dynamics_spec *spec, size_t index, double *rows, td_error *err) {
  assert(index < spec->controller_count && rows);
  const td_reference_spec *r = &spec->controllers[index].reference;
  td_place root = td_place_root(err), all, at = td_controller_place(&root, spec, index, &all);
  td_place reference = td_place_key(&at, "reference"), values = td_place_key(&reference, "value");
  inversion v = {.s = s, .c = &s->item[index]};
  td_status status = memory(&v, r) ? TD_OK : td_place_fail(&at, TD_NO_MEMORY, "no memory for the static inversion");
  if (!status) {
    first_guess(&v, spec);
    status = walk(&v, &values, r, rows);
  }
  free(v.q);
  free(v.link);
  return status;
}
