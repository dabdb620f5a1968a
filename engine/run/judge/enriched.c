// Estimates at states are linear, and know nothing of how errors of a motion add up: frequencies go out of step, and
// what is shaken near one of them swings by another amplitude. Where they doubt, the job is run again by the robot's
// twin with more strain functions (estimate/twin.h), whose coordinates include the robot's, by the same method. Both
// motions are seen by the twin, point by point of its rods, in the world and from the base of each rod (twist of its
// tip as well, times its length), at the times of the run's trace.
#include "run/judge/enriched.h"
#include "estimate/resolution_parts.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COORDINATES = 512 };
static const double AFFORDABLE = 5e5, PER = 4;   // evaluations times coordinates; of n^2, a Jacobian, as in retrace.c
static const double MOST_STEPS = 500, TIMES = 3; // more than the run took; times those
static const double LEAST_PART = 0.05;           // of what the rod that moves most does: others are not looked at
static const double LEAST_SEEN = 1e-9;           // of a rod's length,
static const double LEAST_CARRIED = 1e-3;        // and where joints carry rods about: stiff ones hardly bend
static const double OF_LENGTH = TD_COARSE_RESPONSE / TD_COARSE_MOTION;

typedef struct sight {           // what a robot's rods look like
  double (*world)[3], (*own)[3]; // [nodes] positions, in the world and from the base of the rod
  td_se3 *tip;                   // [rods] from the base
} sight;

typedef struct view {     // of a rod, from the world or from its base
  double scale, error, t; // m
  int component;
} view;

typedef struct comparison {
  td_simulation *run;
  td_twin twin;
  double part; // of the run's check that is over
  int row;
  double steps, most; // taken; that can be afforded
  double *q;          // [N]
  sight start, ours, theirs;
  view (*seen)[2]; // [rods]
} comparison;

// ------------------------------------------------------------------------------------------------ what is seen

static void see(const comparison *c, const double *q, const sight *out) {
  const td_model *t = c->twin.model;
  td_kinematics(t, c->twin.ws, q, NULL, NULL, t->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < t->rod_count; i++) {
    const td_rod *rod = &t->rod[i];
    const td_se3 *pose = c->twin.ws->pose, *base = &pose[rod->point_node[0]];
    for (int k = 0; k < rod->point_count && rod->basis; k++) {
      const double *p = pose[rod->point_node[k]].p, d[3] = {p[0] - base->p[0], p[1] - base->p[1], p[2] - base->p[2]};
      memcpy(out->world[rod->point_node[k]], p, 3 * sizeof *p);
      for (int j = 0; j < 3; j++)
        out->own[rod->point_node[k]][j] = base->R[j] * d[0] + base->R[3 + j] * d[1] + base->R[6 + j] * d[2];
    }
    if (rod->basis) td_twin_tip(&c->twin, i, &out->tip[i]);
  }
}

static double farthest(const td_rod *rod, double (*a)[3], double (*b)[3], int first) {
  double most = 0;
  for (int k = first; k < rod->point_count; k++) {
    const double *x = a[rod->point_node[k]], *y = b[rod->point_node[k]];
    double d = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
    if (!(d <= most)) most = d;
  }
  return most;
}

static bool note(view *v, double scale, double error, double t) {
  v->scale = fmax(v->scale, scale);
  if (error <= v->error) return false;
  v->error = error, v->t = t;
  return true;
}

// One time; q [N] of the twin.
static void compare(comparison *c, double t, const double *q) {
  for (int i = 0; i < c->twin.model->rod_count; i++) {
    const td_rod *rod = &c->twin.model->rod[i];
    if (!rod->basis) continue;
    double scale = fmax(farthest(rod, c->start.own, c->ours.own, 1),
                        rod->length * fabs(td_twist_between(&c->start.tip[i], &c->ours.tip[i])));
    double error = fmax(farthest(rod, c->ours.own, c->theirs.own, 1),
                        rod->length * fabs(td_twist_between(&c->ours.tip[i], &c->theirs.tip[i])));
    double world = farthest(rod, c->ours.world, c->theirs.world, 0);
    bool worse = note(&c->seen[i][0], scale, error, t);
    worse |= note(&c->seen[i][1], farthest(rod, c->start.world, c->ours.world, 0), world, t);
    if (worse) c->seen[i][0].component = c->seen[i][1].component = td_twin_lacking(&c->twin, i, q);
  }
}

// ------------------------------------------------------------------------------------------------ the run

static bool on_sample(void *context, double t, const double *row) {
  comparison *c = context;
  const td_simulation *run = c->run;
  td_twin_embed(run->plant.model, &c->twin, run->trace + (size_t)c->row * (size_t)run->plant.n, c->q);
  see(c, c->q, &c->ours);
  see(c, row, &c->theirs);
  if (c->row == 0) see(c, c->q, &c->start);
  compare(c, t, row);
  c->row++;
  return true;
}

static bool on_step(void *context, double t) {
  comparison *c = context;
  td_simulation *run = c->run;
  if (++c->steps > c->most) return false;
  if (!run->hooks.check) return !run->hooks.step || run->hooks.step(run->hooks.context, run->state.t);
  run->check = run->hooks.check(run->hooks.context, c->part + (1 - c->part) * t / run->spec->t_end);
  return run->check == TD_CHECK_ON;
}

// The same job of the twin; memory [rows + 2 N].
static td_dynamics_spec job(const comparison *c, int rows, double *memory) {
  static const char *const fields[] = {"q"};
  const td_simulation *run = c->run;
  const td_integrator_spec *used = &run->method_spec;
  td_dynamics_spec spec = *run->spec;
  double *q = memory + rows, *qd = q + c->twin.model->n;
  for (int i = 0; i < rows; i++) memory[i] = td_retrace_time(i, rows, spec.t_end);
  memory[rows - 1] = spec.t_end;
  spec.times = memory, spec.time_count = (size_t)rows;
  spec.fields = fields, spec.field_count = 1;
  td_twin_embed(run->plant.model, &c->twin, spec.q, q);
  td_twin_embed(run->plant.model, &c->twin, spec.qd, qd);
  if (spec.q) spec.q = q, spec.q_count = (size_t)c->twin.model->n;
  if (spec.qd) spec.qd = qd, spec.qd_count = (size_t)c->twin.model->n;
  spec.integrator = *used;
  spec.integrator.given = 0;
  spec.integrator.h_max = run->h_max;
  if (used->method == TD_METHOD_RADAU && !(used->cutoff > 0)) spec.integrator.cutoff = 1e30;
  return spec;
}

static bool sight_init(const td_model *t, sight *s) {
  s->world = calloc(2 * (size_t)t->node_count + 1, sizeof *s->world);
  s->own = s->world ? s->world + t->node_count : NULL;
  s->tip = calloc((size_t)t->rod_count + 1, sizeof *s->tip);
  return s->world && s->tip;
}

static void sight_fini(sight *s) {
  free(s->world);
  free(s->tip);
}

static bool init(comparison *c) {
  const td_model *t = c->twin.model;
  c->q = calloc((size_t)t->n + 1, sizeof *c->q);
  c->seen = calloc((size_t)t->rod_count + 1, sizeof *c->seen);
  bool start = sight_init(t, &c->start), ours = sight_init(t, &c->ours), theirs = sight_init(t, &c->theirs);
  return c->q && c->seen && start && ours && theirs;
}

static void fini(comparison *c) {
  sight_fini(&c->start);
  sight_fini(&c->ours);
  sight_fini(&c->theirs);
  td_twin_destroy(&c->twin);
  free(c->seen);
  free(c->q);
}

// ------------------------------------------------------------------------------------------------ verdict

static void weigh(const comparison *c, td_enriched_finding *found) {
  const td_model *m = c->run->plant.model;
  bool joints = false;
  for (int i = 0; i < m->element_count; i++) joints |= m->element[i].rod < 0 && m->element[i].n > 0;
  for (int k = 0; k < 2; k++) {
    double largest = 0;
    for (int i = 0; i < m->rod_count; i++) largest = fmax(largest, c->seen[i][k].scale);
    for (int i = 0; i < m->rod_count; i++) {
      const view *v = &c->seen[i][k];
      double L = m->rod[i].length;
      if (!m->rod[i].basis || v->scale < fmax(LEAST_PART * largest, LEAST_SEEN * L)) continue;
      if (k == 0 && joints && v->error < LEAST_CARRIED * L) continue;
      double share = v->error / v->scale, ratio = share * fmax(1, OF_LENGTH * fmin(1, v->scale / L));
      if (!(ratio > found->apart.ratio)) continue;
      found->apart = (td_apart){.ratio = ratio, .share = share, .rod = i, .t = v->t};
      found->of_length = v->error / L;
      found->component = v->component;
    }
  }
}

// Evaluations times coordinates.
static double work(const td_simulation *run, int n) {
  const td_run_statistics *s = &run->state.statistics;
  double size = n + run->plant.rows;
  return (double)s->evaluations * size + (double)s->jacobians * size * size / PER;
}

static bool make_twin(comparison *c, int *more) {
  static const int choices[] = {TD_ENRICHMENT, 2, 1};
  const td_simulation *run = c->run;
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    td_refinement how = {.points = 1, .enrichment = choices[i]};
    if (td_twin_create(run->plant.model, &how, &c->twin)) continue;
    int N = c->twin.model->n;
    double points = 0, own = 1; // what an evaluation costs beside coordinates
    for (int k = 0; k < c->twin.model->rod_count; k++)
      own += run->plant.model->rod[k].point_count, points += c->twin.model->rod[k].point_count;
    *more = choices[i];
    if (N <= MOST_COORDINATES && work(run, N) * fmax(1, points / own) <= AFFORDABLE) return true;
    td_twin_destroy(&c->twin);
  }
  return false;
}

td_status td_enriched_compare(td_simulation *run, td_other_run *other_run, td_enriched_finding *found) {
  comparison c = {.run = run, .part = run->checked_by != NULL};
  int rows = td_retrace_rows(run->plant.n);
  td_status status = TD_OK;
  *found = (td_enriched_finding){0};
  c.most = MOST_STEPS + TIMES * (double)run->state.statistics.steps;
  if (run->check != TD_CHECK_ON || run->state.retrace.rows < rows || !make_twin(&c, &found->more)) return TD_OK;
  double *document = calloc((size_t)(rows + 2 * c.twin.model->n) + 1, sizeof *document);
  if (document && init(&c)) {
    td_dynamics_spec spec = job(&c, rows, document);
    td_run_hooks hooks = {.context = &c, .step = on_step, .sample = on_sample};
    status = other_run(c.twin.model, &spec, &hooks);
    found->known = !status && c.row == rows;
    if (found->known) weigh(&c, found);
  }
  free(document);
  fini(&c);
  bool cancelled = status == TD_CANCELLED && run->check != TD_CHECK_CUT && !(c.steps > c.most);
  return cancelled ? TD_CANCELLED : TD_OK;
}
