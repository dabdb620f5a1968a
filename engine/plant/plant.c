// The robot with its inputs. Each function evaluates u(t) and hands over to the engine's algorithms; the statistics of
// the run count calls here, so that every method counts alike. Models without loops and prescribed joints take the
// plain algorithms, the others td_constrained_dynamics and td_constraint_terms_at.
#include "plant/plant.h"
#include "base/carve.h"
#include "math/finite.h"
#include "model/workspace.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include "why/mass_rank.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void motion_at(const td_plant *p, int i, int channel, double t, double out[3]) {
  if (p->motion)
    memcpy(out, p->motion + 3 * i, 3 * sizeof *out);
  else
    td_inputs_motion(p->inputs, channel, t, p->t_side, out);
}

static void drive_accelerations(td_plant *p, double t) {
  for (int i = 0; i < p->driven_count; i++) {
    int channel = -1, c = td_model_prescribed_coordinate(p->model, i, &channel);
    double motion[3];
    motion_at(p, i, channel, t, motion);
    p->qdd[c] = motion[2];
  }
}

static td_control_state control_state(const td_plant *p, double t, const double *q, const double *qd) {
  return (td_control_state){.t = t, .t_side = p->t_side, .q = q, .qd = qd, .qdd = p->qdd, .baumgarte = p->baumgarte};
}

td_status td_plant_inputs(td_plant *p, double t, const double *q, const double *qd) {
  if (p->inputs) td_inputs_eval(p->inputs, t, p->t_side, p->u);
  if (!p->control) return TD_OK;
  drive_accelerations(p, t);
  td_control_state state = control_state(p, t, q, qd);
  td_status status = td_control_eval(p->control, &state, p->u);
  p->uncontrolled = status != TD_OK;
  return status;
}

td_status td_plant_energy(td_plant *p, double t, const double *y, td_energy *energy) {
  bool driven = p->model->driven_energy;
  td_status status = driven ? td_plant_inputs(p, t, y, y + p->n) : TD_OK;
  if (status) return status;
  return td_state_energy(p->model, p->ws, &(td_state){.q = y, .qd = y + p->n, .u = driven ? p->u : NULL}, energy);
}

const char *td_plant_singular(td_plant *p) {
  if (p->uncontrolled) return "the channels of a controller cannot move its outputs (singular decoupling matrix)";
  td_mass_fault fault;
  td_mass_judge(p->model, p->ws, 1, &fault);
  snprintf(p->singular, sizeof p->singular, "the mass matrix is singular: %s", fault.text);
  return p->singular;
}

bool td_plant_massless(td_plant *p, const double *q) {
  td_mass_fault fault = {0};
  td_mass_padded(p->model, p->ws, q);
  if (!td_all_finite(p->ws->mass, p->n * p->model->ld)) td_mass_judge(p->model, p->ws, 0, &fault);
  if (fault.missing) snprintf(p->singular, sizeof p->singular, "the mass matrix is singular: %s", fault.text);
  return fault.missing > 0;
}

double td_plant_next_event(const td_plant *p, double t) {
  return fmin(td_inputs_next_event(p->inputs, t), td_control_next_event(p->control, t));
}

// ------------------------------------------------------------------------------------------------ life

static void list_free(const td_plant *p, int *list) {
  for (int i = 0; i < p->driven_count; i++) list[td_model_prescribed_coordinate(p->model, i, NULL)] = 1;
  int count = 0;
  for (int i = 0; i < p->n; i++)
    if (!list[i]) list[count++] = i;
}

td_status td_plant_init(td_plant *p, const td_model *model, td_workspace *ws, const td_inputs *inputs,
                        td_run_statistics *statistics) {
  assert(model && ws);
  *p = (td_plant){.model = model,
                  .ws = ws,
                  .inputs = inputs,
                  .n = td_model_ndof(model),
                  .m = td_model_channel_count(model),
                  .driven_count = td_model_prescribed_count(model),
                  .rows = td_model_loop_row_count(model),
                  .baumgarte = TD_BAUMGARTE,
                  .barrier = INFINITY,
                  .keen = -INFINITY,
                  .statistics = statistics};
  p->free_count = p->n - p->driven_count;
  size_t n = (size_t)p->n, m = (size_t)p->m, r = (size_t)p->rows;
  int *list = calloc(n + 1, sizeof *list);
  p->free = list;
  bool room = TD_CARVE({&p->u, m}, {&p->qdd, n}, {&p->x, n}, {&p->f, 2 * n}, {&p->g, 2 * r}, {&p->linearised, n},
                       {&p->lambda_before, r}, {&p->lambda, r + (size_t)p->driven_count});
  if (!list || !room) return TD_NO_MEMORY;
  list_free(p, list);
  return td_projection_init(&p->projection, model, ws, p->free_count, p->free);
}

void td_plant_fini(td_plant *p) {
  td_projection_fini(&p->projection);
  free((void *)p->free);
  free(p->u);
  *p = (td_plant){0};
}

// ------------------------------------------------------------------------------------------------ coordinates

void td_plant_drive(td_plant *p, double t, double *y, double *qdd) {
  for (int i = 0; i < p->driven_count; i++) {
    int channel = -1, c = td_model_prescribed_coordinate(p->model, i, &channel);
    double motion[3];
    motion_at(p, i, channel, t, motion);
    y[c] = motion[0];
    y[p->n + c] = motion[1];
    if (qdd) qdd[c] = motion[2];
  }
}

void td_plant_pack(const td_plant *p, const double *full, double *packed) {
  assert(full != packed);
  for (int i = 0; i < p->free_count; i++) packed[i] = full[p->free[i]];
}

void td_plant_unpack(const td_plant *p, const double *packed, double *full) {
  assert(full != packed);
  for (int i = 0; i < p->free_count; i++) full[p->free[i]] = packed[i];
}

// ------------------------------------------------------------------------------------------------ loops

void td_plant_measure(td_plant *p, const double *q) {
  if (p->measured)
    td_projection_measure(&p->projection, &p->metric, q);
  else
    td_projection_metric(&p->projection, NULL);
}

bool td_plant_hold_position(td_plant *p, double above, double *y) {
  double error = 0;
  if (p->rows == 0 || td_loop_drift(&p->projection, y, &error, NULL)) return false;
  p->statistics->drift = fmax(p->statistics->drift, error);
  if (error <= above) return false;
  td_plant_measure(p, y);
  if (td_project_position(&p->projection, y)) return false;
  p->statistics->projections++;
  return true;
}

double td_plant_hold_above(const td_plant *p) {
  if (!p->given) return TD_HOLD_ABOVE;
  return p->given->how & TD_STEP_HELD ? 0 : INFINITY;
}

void td_plant_hold(td_plant *p, double above, double *y, bool *moved) {
  *moved = p->held = td_plant_hold_position(p, above, y);
  if (*moved) (void)!td_project_velocity(&p->projection, y, y + p->n);
}

void td_plant_note_drift(td_plant *p, const double *y) {
  double error = 0;
  if (p->rows > 0 && !td_loop_drift(&p->projection, y, &error, NULL))
    p->statistics->drift = fmax(p->statistics->drift, error);
}

// The rank of the rows at a state off the constraint.
static int loose_rank(td_plant *p, const double *y) {
  int rank = 0;
  for (int i = 0; i < p->n; i++) p->x[i] = y[i] + 0.1 * sin(1 + 7 * i);
  return td_loop_rank_at(&p->projection, p->x, &rank) ? 0 : rank;
}

bool td_plant_has_turned(const td_plant *p, const double *q) {
  static const double most = 0.1; // rad, m, strain
  double moved = 0;
  if (p->rows == 0 || p->loose_rank <= p->ws->constraint.most_rank) return false;
  for (int i = 0; i < p->n; i++) moved = fmax(moved, fabs(q[i] - p->linearised[i]));
  return moved > most;
}

void td_plant_note_rank(td_plant *p, bool fresh, const double *y) {
  td_constraint_scratch *s = &p->ws->constraint;
  int rank = 0;
  bool loose = s->loose && !fresh;
  if (p->rows == 0) return;
  s->most_rank = 0;
  if (p->loose_rank == 0) p->loose_rank = loose_rank(p, y);
  memcpy(p->x, y, (size_t)p->n * sizeof *y);
  if (td_loop_rank(&p->projection, loose, p->x, &rank)) rank = 0; // as near as matrices can tell
  s->most_rank = rank;
  s->doubt = false;
}

void td_plant_settle_rates(td_plant *p, double *y) {
  bool begun = td_steady_begin(p->ws, y, NULL); // rates move, coordinates do not
  td_plant_measure(p, y);
  (void)!td_project_velocity(&p->projection, y, y + p->n);
  td_steady_end(p->ws, begun);
}

void td_plant_settle(td_plant *p, double t, double *y) {
  td_plant_drive(p, t, y, NULL);
  if (p->rows == 0) return;
  td_plant_measure(p, y);
  if (!td_project_position(&p->projection, y)) (void)!td_project_velocity(&p->projection, y, y + p->n);
}

// ------------------------------------------------------------------------------------------------ values

// qdd of a robot without loops and prescribed joints at the u in p->u: what a controller found out with u, or forward
// dynamics.
static td_status acceleration(td_plant *p, const double *q, const double *qd, double *qdd) {
  const double *known = td_control_acceleration(p->control);
  if (!known) return td_forward_dynamics(p->model, p->ws, q, qd, p->u, qdd);
  memcpy(qdd, known, (size_t)p->n * sizeof *qdd);
  return td_all_finite(qdd, p->n);
}

td_status td_plant_rate(td_plant *p, double t, const double *y, double *dy) {
  assert(y != dy);
  td_status status = td_plant_inputs(p, t, y, y + p->n);
  p->statistics->evaluations++;
  memcpy(dy, y + p->n, (size_t)p->n * sizeof *dy);
  if (status) return status;
  if (!td_plant_constrained(p)) return acceleration(p, y, y + p->n, dy + p->n);
  drive_accelerations(p, t);
  td_state state = {.q = y, .qd = y + p->n, .qdd = p->qdd, .u = p->u, .baumgarte = p->baumgarte};
  td_constrained_output out = {.fd = dy + p->n, .lambda = p->lambda};
  return td_constrained_dynamics(p->model, p->ws, &state, &out);
}

td_status td_plant_residual(td_plant *p, double t, const double *q, const double *qd, const double *qdd,
                            const double *lambda, double *r) {
  td_plant_state state = {.q = q, .qd = qd, .qdd = qdd, .lambda = lambda};
  td_constraint_terms out = {.residual = r};
  if (p->rows > 0 && lambda) return td_plant_terms(p, t, &state, &out);
  td_status status = td_plant_inputs(p, t, q, qd);
  if (status) return status;
  p->statistics->evaluations++;
  return td_residual_derivatives(p->model, p->ws, q, qd, qdd, p->u, r, NULL, NULL, NULL);
}

// Multipliers of prescribed joints are 0: their rows are not among the equations solved.
static td_status terms_at(td_plant *p, const td_plant_state *s, const td_constraint_terms *out) {
  td_state state = {.q = s->q, .qd = s->qd, .qdd = s->qdd, .u = p->u, .baumgarte = p->baumgarte};
  double *all = p->lambda;
  if (p->rows > 0 && s->lambda) memmove(all, s->lambda, (size_t)p->rows * sizeof *all);
  if (p->rows > 0 && !s->lambda) memset(all, 0, (size_t)p->rows * sizeof *all);
  if (p->driven_count > 0) memset(all + p->rows, 0, (size_t)p->driven_count * sizeof *all);
  return td_constraint_terms_at(p->model, p->ws, &state, all, out);
}

// ------------------------------------------------------------------------------------------------ derivatives

// Forward differences perturb one coordinate at a time by sqrt(eps) (1 + |x|): coordinates are radians, metres or
// dimensionless, of order 1.
static double perturbed(double x) {
  static const double root_eps = 0x1p-26;
  volatile double moved = x + root_eps * (1 + fabs(x)); // volatile: the step as it is stored
  return moved;
}

// column j of out [rows][n] = (f - base) / step
static void put_column(int rows, int n, int j, const double *f, const double *base, double step, double *out) {
  for (int i = 0; i < rows; i++) out[i * n + j] = (f[i] - base[i]) / step;
}

static td_status rate_value(td_plant *p, double t, const double *q, const double *qd, double *f) {
  p->statistics->evaluations++;
  if (p->control && td_plant_inputs(p, t, q, qd)) return TD_SINGULAR;
  if (!td_plant_constrained(p)) return acceleration(p, q, qd, f);
  td_state state = {.q = q, .qd = qd, .qdd = p->qdd, .u = p->u, .baumgarte = p->baumgarte};
  td_constrained_output out = {.fd = f};
  return td_constrained_dynamics(p->model, p->ws, &state, &out);
}

td_status td_plant_rate_differences(td_plant *p, double t, const double *q, const double *qd, const double *qdd,
                                    double *K, double *C, double *M) {
  int n = p->n;
  td_status status = td_plant_inputs(p, t, q, qd);
  drive_accelerations(p, t);
  p->statistics->jacobians++;
  for (int pass = 0; pass < 2; pass++) {
    const double *from = pass ? qd : q;
    memcpy(p->x, from, (size_t)n * sizeof *p->x);
    for (int k = 0; !status && k < p->free_count; k++) {
      int j = p->free[k];
      p->x[j] = perturbed(from[j]);
      status = rate_value(p, t, pass ? q : p->x, pass ? p->x : qd, p->f);
      put_column(n, n, j, qdd, p->f, p->x[j] - from[j], pass ? C : K);
      p->x[j] = from[j];
    }
  }
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  for (int i = 0; i < n; i++) M[i * n + i] = 1;
  return status;
}

// residual (into f [n]) and, with loops, e or a (into g [rows]) at a perturbed state
static td_status difference_value(td_plant *p, double t, const td_plant_state *s, bool want_e, bool want_a, double *f,
                                  double *g) {
  p->statistics->evaluations++;
  td_status status = p->control ? td_plant_inputs(p, t, s->q, s->qd) : TD_OK;
  if (status) return status;
  if (p->rows == 0) return td_residual_derivatives(p->model, p->ws, s->q, s->qd, s->qdd, p->u, f, NULL, NULL, NULL);
  td_constraint_terms out = {.residual = f, .e = want_e ? g : NULL, .a = want_a ? g : NULL};
  return terms_at(p, s, &out);
}

// K or C and, with loops, G, Cq or Cv by forward differences in q (pass 0) or qd (pass 1).
static td_status differences(td_plant *p, double t, const td_plant_state *s, int pass, const td_constraint_terms *out) {
  int n = p->n;
  double *base = p->f + n, *base_g = p->g + p->rows, *to = pass ? out->C : out->K;
  double *rows = p->rows == 0 ? NULL : pass ? out->Cv : out->Cq ? out->Cq : out->G;
  bool e = rows && rows == out->G, a = rows && !e;
  if (!to && !rows) return TD_OK;
  const double *from = pass ? s->qd : s->q;
  td_status status = difference_value(p, t, s, e, a, base, base_g);
  memcpy(p->x, from, (size_t)n * sizeof *p->x);
  for (int k = 0; !status && k < p->free_count; k++) {
    int j = p->free[k];
    td_plant_state moved = {pass ? s->q : p->x, pass ? p->x : s->qd, s->qdd, s->lambda};
    p->x[j] = perturbed(from[j]);
    status = difference_value(p, t, &moved, e, a, p->f, p->g);
    if (to) put_column(n, n, j, base, p->f, p->x[j] - from[j], to);
    if (rows) put_column(p->rows, n, j, p->g, base_g, p->x[j] - from[j], rows);
    p->x[j] = from[j];
  }
  return status;
}

static bool wants_matrices(const td_constraint_terms *out) {
  return out->K || out->C || out->M || out->G || out->Cq || out->Cv;
}

// As td_plant_terms at the inputs in p->u, analytic derivatives without those of controllers.
static td_status terms_of_robot(td_plant *p, double t, const td_plant_state *s, const td_constraint_terms *out) {
  bool matrices = wants_matrices(out);
  if (p->rows == 0 && !(matrices && p->finite_difference))
    return td_residual_derivatives(p->model, p->ws, s->q, s->qd, s->qdd, p->u, out->residual, out->K, out->C, out->M);
  if (!(matrices && p->finite_difference)) return terms_at(p, s, out);
  td_constraint_terms exact = {.residual = out->residual, .A = out->A, .e = out->e, .a = out->a};
  td_status status = p->rows > 0 ? terms_at(p, s, &exact) : TD_OK;
  if (!status && p->rows == 0 && out->residual)
    status = td_residual_derivatives(p->model, p->ws, s->q, s->qd, s->qdd, p->u, out->residual, NULL, NULL, NULL);
  for (int pass = 0; pass < 2 && !status; pass++) status = differences(p, t, s, pass, out);
  return status || !out->M ? status : td_mass_matrix(p->model, p->ws, s->q, out->M);
}

td_status td_plant_terms(td_plant *p, double t, const td_plant_state *s, const td_constraint_terms *out) {
  bool matrices = wants_matrices(out);
  if (matrices) p->statistics->jacobians++;
  if (matrices) memcpy(p->linearised, s->q, (size_t)p->n * sizeof *s->q);
  if (!matrices) p->statistics->evaluations++;
  td_status status = td_plant_inputs(p, t, s->q, s->qd);
  if (!status) status = terms_of_robot(p, t, s, out);
  if (status || !p->control || p->finite_difference || !(out->K || out->C)) return status;
  td_control_state state = control_state(p, t, s->q, s->qd);
  return td_control_stiffen(p->control, &state, p->u, out->K, out->C);
}

// ------------------------------------------------------------------------------------------------ failures

td_status td_plant_fail(const td_plant *p, td_status status, td_error *err, const char *method, double t,
                        const double *r, const char *reason) {
  int worst = -1;
  for (int k = 0; k < p->free_count; k++)
    if (worst < 0 || !(fabs(r[p->free[k]]) <= fabs(r[worst]))) worst = p->free[k];
  if (worst < 0 || status == TD_SINGULAR) return td_fail(err, status, "", "%s at t = %.9g s: %s", method, t, reason);
  return td_fail(err, status, "", "%s at t = %.9g s: %s; residual %.3g, worst at %s", method, t, reason, fabs(r[worst]),
                 td_model_coordinate_name(p->model, worst));
}
