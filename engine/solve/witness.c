// Which states are asked: those at which forces are likely to be largest. Two or three are enough to tell, and twins cost more than a step.
#include "solve/witness.h"
#include "create/coarse_bodies.h"
#include "estimate/resolution.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ runs

static const double JUST_BEFORE = 1e-9; // of a run

enum { ELASTIC, KINETIC, START };
_Static_assert(START + 1 == TD_WITNESSES, "a row of td_simulation.witness for each");

static double *row_of(const td_simulation *run, int which) { return run->witness + which * 2 * run->plant.n; }

static void take(td_simulation *run, int which, double value) {
  td_run_state *s = &run->state;
  if (s->witnessed && !(value > s->witness_most[which])) return;
  s->witness_most[which] = value;
  s->witness_t[which] = s->t;
  memcpy(row_of(run, which), run->y, 2 * (size_t)run->plant.n * sizeof *run->y);
}

void td_witness_note(td_simulation *run, const td_energy *energy) {
  take(run, ELASTIC, energy->elastic);
  take(run, KINETIC, energy->kinetic);
  take(run, START, 0);
  run->state.witnessed = true;
}

// The accelerations and multipliers of a state of the run; qdd [2n], its second half. Where inputs jump, those before the jump: what
// comes after has not had its effect yet.
static bool answer(td_simulation *run, double t, const double *y, double *dy) {
  td_plant *p = &run->plant;
  p->inside = t > 0 ? t - JUST_BEFORE * run->spec->t_end : t;
  return !td_plant_rate(p, t, y, dy);
}

static void look(td_simulation *run, td_resolution *resolution, double t, const double *y, double *dy, bool at_rest) {
  td_plant *p = &run->plant;
  char where[32] = "at the start";
  if (!answer(run, t, y, dy)) return;
  if (!at_rest) snprintf(where, sizeof where, "t = %.4g s", t);
  for (int i = 0; i < p->driven_count; i++) p->lambda[p->rows + i] = 0;
  td_resolution_look(
      resolution,
      &(td_resolution_state){
          .state = {.q = y, .qd = y + p->n, .qdd = at_rest ? NULL : dy + p->n, .u = p->u, .baumgarte = p->baumgarte},
          .lambda = p->lambda,
          .closure = true,
          .start = at_rest,
          .stable = at_rest && run->state.rests_stably,
          .liveliest = run->state.witness_most[KINETIC],
          .where = where});
}

static void inputs_at(void *context, double t, double *u) {
  td_inputs_eval(((td_simulation *)context)->inputs, t, t, u);
}

static bool turns(const td_model *m, int coordinate) {
  bool found = false;
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    found |=
        e->type == TD_ELEMENT_SCREW && e->rotates && e->coordinate <= coordinate && coordinate < e->coordinate + e->n;
  }
  return found;
}

static void motions_at(void *context, double t, double *out) {
  const td_simulation *run = context;
  const td_model *m = run->plant.model;
  for (int i = 0; i < td_model_prescribed_count(m); i++, out += 3) {
    int channel, coordinate = td_model_prescribed_coordinate(m, i, &channel);
    double f[3];
    td_inputs_motion(run->inputs, channel, t, t, f);
    out[0] = f[2], out[1] = f[1], out[2] = turns(m, coordinate) ? sin(f[0]) : f[0];
  }
}

static double next_event(void *context, double t) {
  return td_inputs_next_event(((td_simulation *)context)->inputs, t);
}

// Motions about the start, as inputs drive them: where controllers do, nothing is known of what they would have done.
static void look_at_response(td_simulation *run, td_resolution *resolution) {
  td_plant *p = &run->plant;
  enum { TRACED = 48 };
  const double *y = row_of(run, START), *seen[3 + TRACED] = {row_of(run, ELASTIC), row_of(run, KINETIC), run->y};
  int rows = run->state.retrace.rows, count = 3;
  if (!run->state.witnessed || run->control || !run->inputs) return;
  for (int i = 0; i < TRACED && i < rows; i++)
    seen[count++] = run->trace + (size_t)(rows <= TRACED ? i : i * rows / TRACED) * (size_t)p->n;
  td_drive drive = {.t_end = run->state.t,
                    .context = run,
                    .inputs = inputs_at,
                    .motions = motions_at,
                    .next_event = next_event,
                    .balanced = run->spec->initial == TD_INITIAL_EQUILIBRIUM,
                    .seen = seen,
                    .seen_count = count};
  td_inputs_eval(run->inputs, 0, 1e-12 * run->state.t, p->u);
  td_resolution_look_at_response(
      resolution,
      &(td_resolution_state){.state = {.q = y, .qd = y + p->n, .u = p->u, .baumgarte = p->baumgarte}, .closure = true},
      &drive);
}

// Points of reduced bodies, at the states of most energy and the last one.
static void look_at_bodies(td_simulation *run) {
  const td_run_state *s = &run->state;
  td_coarse_bodies *bodies = td_coarse_bodies_create(run->plant.model);
  char where[32];
  for (int i = 0; bodies && s->witnessed && i < START; i++) {
    snprintf(where, sizeof where, "t = %.4g s", s->witness_t[i]);
    td_coarse_bodies_look(bodies, row_of(run, i), where);
  }
  snprintf(where, sizeof where, "t = %.4g s", s->t);
  td_coarse_bodies_look(bodies, run->y, where);
  td_coarse_bodies_tell(bodies, &run->state.statistics.warnings);
  td_coarse_bodies_destroy(bodies);
}

// Motions whose ends hang on rounding, or whose steps are off themselves, tell nothing of strain functions.
static bool is_exact(const td_warnings *warnings) {
  static const char *const codes[] = {"sensitive_motion", "accumulated_error", "coarse_step", "check_cut"};
  bool exact = true;
  for (int i = 0; i < warnings->count; i++)
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) exact &= strcmp(warnings->list[i].code, codes[k]) != 0;
  return exact;
}

// What estimates doubt is seen by a run.
static td_status settle(td_simulation *run, td_other_run *other_run, td_resolution *motion, td_resolution *response) {
  td_enriched_finding found;
  if (!td_resolution_doubts_motion(motion) && !td_resolution_doubts_motion(response)) return TD_OK;
  if (!is_exact(&run->state.statistics.warnings)) return TD_OK;
  td_status status = td_enriched_compare(run, other_run, &found);
  if (!found.known) return status;
  td_resolution_settle_motion(motion, &found);
  if (motion != response) td_resolution_settle_motion(response, &(td_enriched_finding){.known = true});
  return status;
}

td_status td_witness_judge(td_simulation *run, td_other_run *other_run) {
  const td_run_state *s = &run->state;
  size_t n = (size_t)run->plant.n;
  uint64_t evaluations = s->statistics.evaluations; // those of the run
  td_resolution *resolution = td_resolution_create(run->plant.model), *motion = resolution;
  if (td_resolution_follows_sections(resolution)) motion = td_resolution_create_in_motion(run->plant.model);
  double *dy = calloc(4 * n + 1, sizeof *dy), *y = dy + 2 * n;
  for (int i = 0; motion && dy && i < START; i++) {
    bool again = false; // the same state as one before
    for (int k = 0; k < i; k++) again |= s->witness_t[k] == s->witness_t[i];
    if (again || s->witness_t[i] >= s->t) continue;
    memcpy(y, row_of(run, i), 2 * n * sizeof *y);
    look(run, motion, s->witness_t[i], y, dy, false);
  }
  if (motion && dy) look(run, motion, s->t, run->y, dy, false);
  look_at_response(run, resolution);
  td_status status = settle(run, other_run, motion, resolution);
  if (resolution && dy && s->witnessed && run->spec->initial == TD_INITIAL_EQUILIBRIUM) {
    memcpy(y, row_of(run, START), 2 * n * sizeof *y);
    look(run, resolution, 0, y, dy, true);
  }
  td_resolution_tell(motion, &run->state.statistics.warnings);
  if (motion != resolution) {
    td_resolution_tell(resolution, &run->state.statistics.warnings);
    td_resolution_destroy(motion);
  }
  look_at_bodies(run);
  run->state.statistics.evaluations = evaluations;
  td_resolution_destroy(resolution);
  free(dy);
  return status;
}

// ------------------------------------------------------------------------------------------------ equilibria

enum { FIRST, MOST, STEEPEST, LAST };
_Static_assert(LAST + 1 == TD_EQUILIBRIA_WITNESSED, "a row of td_witnesses for each");

td_status td_witnesses_init(td_witnesses *w, const td_model *model, const td_statics_hooks *hooks, bool path) {
  *w = (td_witnesses){.model = model, .hooks = hooks, .path = path};
  w->size = (size_t)(td_model_ndof(model) + td_model_channel_count(model) + td_model_loop_row_count(model) +
                     td_model_prescribed_count(model));
  w->row[0] = calloc(TD_EQUILIBRIA_WITNESSED * w->size + 1, sizeof *w->row[0]);
  for (size_t i = 1; i < TD_EQUILIBRIA_WITNESSED && w->row[0]; i++) w->row[i] = w->row[0] + i * w->size;
  return w->row[0] ? TD_OK : TD_NO_MEMORY;
}

void td_witnesses_fini(td_witnesses *w) {
  free(w->row[0]);
  w->row[0] = NULL;
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

// The largest share of the last function of a curvature or a twist, rad: what a basis lacks is likely to be most where that is.
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

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  td_witnesses *w = context;
  const td_statics_hooks *h = w->hooks;
  double size = 0;
  for (int i = 0; i < td_model_ndof(w->model) && !failure; i++) size += q[i] * q[i];
  if (!failure) {
    bool stable = result->stable && result->conservative;
    if (!w->has[FIRST]) take_row(w, FIRST, index, u, q, result->lambda, stable);
    if (!w->has[MOST] || size > w->most) take_row(w, MOST, index, u, q, result->lambda, stable), w->most = size;
    double steep = steepness(w->model, q);
    if (!w->has[STEEPEST] || steep > w->steepest)
      take_row(w, STEEPEST, index, u, q, result->lambda, stable), w->steepest = steep;
    take_row(w, LAST, index, u, q, result->lambda, stable);
  }
  return !h || !h->solved || h->solved(h->context, index, u, q, result, failure);
}

static void on_passed(void *context, size_t after, td_path_event event, int multiplicity, double value,
                      const double *q) {
  const td_statics_hooks *h = ((td_witnesses *)context)->hooks;
  if (h && h->passed) h->passed(h->context, after, event, multiplicity, value, q);
}

static void on_ended(void *context, bool reached, double value, double nearest) {
  const td_statics_hooks *h = ((td_witnesses *)context)->hooks;
  if (h && h->ended) h->ended(h->context, reached, value, nearest);
}

td_statics_hooks td_witnesses_hooks(td_witnesses *w) {
  return (td_statics_hooks){.context = w, .solved = on_solved, .passed = on_passed, .ended = on_ended};
}

void td_witnesses_judge(const td_witnesses *w, td_warnings *warnings) {
  size_t n = (size_t)td_model_ndof(w->model), m = (size_t)td_model_channel_count(w->model);
  td_resolution *resolution = td_resolution_create(w->model);
  td_coarse_bodies *bodies = td_coarse_bodies_create(w->model);
  char where[32];
  for (int i = 0; i < TD_EQUILIBRIA_WITNESSED && (resolution || bodies); i++) {
    bool again = !w->has[i];
    for (int k = 0; k < i; k++) again |= w->index[k] == w->index[i];
    if (again) continue;
    snprintf(where, sizeof where, w->path ? "point %zu, from 0" : "problem %zu, from 0", w->index[i]);
    const double *u = w->row[i];
    td_coarse_bodies_look(bodies, u + m, where);
    td_resolution_look(resolution, &(td_resolution_state){.state = {.q = u + m, .u = u},
                                                          .lambda = u + m + n,
                                                          .closure = true,
                                                          .stable = w->stable[i],
                                                          .path = w->path,
                                                          .where = where});
  }
  td_resolution_tell(resolution, warnings);
  td_resolution_destroy(resolution);
  td_coarse_bodies_tell(bodies, warnings);
  td_coarse_bodies_destroy(bodies);
}
