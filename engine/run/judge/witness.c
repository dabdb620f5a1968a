// Which states are asked: those at which forces are likely to be largest. Two or three are enough to tell, and twins
// cost more than a step.
#include "run/judge/witness.h"
#include "create/coarse_bodies.h"
#include "estimate/resolution/resolution.h"
#include "pass/kinematics.h"
#include "run/judge/poised.h"
#include "statics/equilibrium.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double JUST_BEFORE = 1e-9;   // of a run
static const double LEAST_PRESSED = 1e-6; // of the energy exchanged
static const double FAR = 0.1;            // of a rod's length
static const double TWICE = 2;            // times the points, where contacts act
static const double MOTIONLESS = 1e-7;    // of coordinates and rates
static const double STEADY = 0.1;         // of the largest input

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
  run->state.pressed = fmax(run->state.pressed, energy->contact);
  run->state.witnessed = true;
}

// The accelerations and multipliers of a state of the run; qdd [2n], its second half. Where inputs jump, those before
// the jump: what comes after has not had its effect yet.
static bool answer(td_simulation *run, double t, const double *y, double *dy) {
  td_plant *p = &run->plant;
  p->t_side = t > 0 ? t - JUST_BEFORE * run->spec->t_end : t;
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
          .t = t,
          .liveliest = run->state.witness_most[KINETIC],
          .where = where});
}

// Since when no coordinate has moved, of these alone (NULL: of all); its end where they do.
static double stands_since(const td_simulation *run, const bool *of) {
  const td_run_state *s = &run->state;
  size_t n = (size_t)run->plant.n;
  bool stands = true;
  double since = s->t;
  for (size_t i = 0; i < n; i++) stands &= (of && !of[i]) || fabs(run->y[n + i]) <= MOTIONLESS;
  for (int k = s->retrace.rows; k-- > 0 && stands;) {
    for (size_t i = 0; i < n; i++)
      stands &= (of && !of[i]) || fabs(run->trace[(size_t)k * n + i] - run->y[i]) <= MOTIONLESS;
    if (stands) since = td_retrace_time(k, s->retrace.rows, run->spec->t_end);
  }
  return since;
}

// Rods with coordinates that have stood all along, with what carries them, into rods; the number of them. of [n]:
// scratch.
static int standing(const td_simulation *run, bool *rods, bool *of) {
  const td_model *m = run->plant.model;
  int count = 0;
  for (int i = 0; i < m->rod_count; i++) {
    const td_element *e = &m->element[m->rod[i].element];
    memset(of, 0, (size_t)m->n * sizeof *of);
    for (int k = 0; k < e->n; k++) of[e->coordinate + k] = true;
    for (int r = 0; r < e->range_count; r++)
      for (int k = 0; k < e->range[r].count; k++) of[e->range[r].coordinate + k] = true;
    rods[i] = e->n > 0 && stands_since(run, of) == 0;
    count += rods[i];
  }
  return count;
}

// Inputs have been what they are since t. What controllers do is not known.
static bool steady_since(td_simulation *run, double t) {
  enum { ASKED = 8 };
  int m = td_model_channel_count(run->plant.model);
  double *u = calloc(2 * (size_t)m + 1, sizeof *u), size = 0, change = 0, end = run->state.t;
  if (u && run->inputs && !run->control) td_inputs_eval(run->inputs, end, end, u);
  for (int i = 0; i < m && u; i++) size = fmax(size, fabs(u[i]));
  for (int k = 0; k < ASKED && u && run->inputs && !run->control; k++) {
    double at = t + (end - t) * k / ASKED;
    td_inputs_eval(run->inputs, at, at, u + m);
    for (int i = 0; i < m; i++) change = fmax(change, fabs(u[m + i] - u[i]));
  }
  bool steady = u && !run->control && change <= STEADY * size;
  free(u);
  return steady;
}

static void ask_at_rest(td_simulation *run, td_resolution *resolution, double since, const bool *stands, double *dy) {
  td_plant *p = &run->plant;
  if (!steady_since(run, since) || !answer(run, run->state.t, run->y, dy)) return;
  for (int i = 0; i < p->driven_count; i++) p->lambda[p->rows + i] = 0;
  td_resolution_look(resolution, &(td_resolution_state){.state = {.q = run->y, .u = p->u},
                                                        .lambda = p->lambda,
                                                        .closure = true,
                                                        .rests = run->state.t - since,
                                                        .stands = stands,
                                                        .near = td_equilibrium_near,
                                                        .where = "at the end"});
}

// A rod held at both ends that has no function for what is left to it does not move, whatever acts on it: it seems to
// be at rest, and motions have nothing to compare. So what stands is asked as an equilibrium, and where a run with more
// functions says what they do, or other parts of the robot move, what has stood all along.
static void look_at_rest(td_simulation *run, td_resolution *resolution, bool all_along, double *dy) {
  double since = stands_since(run, NULL);
  size_t n = (size_t)run->plant.n, rods = (size_t)run->plant.model->rod_count;
  if (since < run->state.t && !(all_along && since > 0)) {
    ask_at_rest(run, resolution, since, NULL, dy);
    return;
  }
  bool *stands = calloc(rods + n + 1, sizeof *stands);
  if (stands && standing(run, stands, stands + rods) > 0) ask_at_rest(run, resolution, 0, stands, dy);
  free(stands);
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

// What steps leave out is known, be it next to nothing, or by the run that this one was held against.
static bool is_measured(const td_simulation *run) {
  static const char *const codes[] = {"sensitive_motion", "accumulated_error", "coarse_step", "check_cut"};
  const td_warnings *warnings = &run->state.statistics.warnings;
  bool exact = true;
  for (int i = 0; i < warnings->count; i++)
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) exact &= strcmp(warnings->list[i].code, codes[k]) != 0;
  return exact || run->second;
}

// Contacts act where their obstacles are and nowhere beside them: an estimate at some states knows nothing of what a
// rod meets between its points on the way.
static bool touched(const td_simulation *run) {
  return run->state.pressed > LEAST_PRESSED * run->state.statistics.energy.exchanged;
}

// The farthest that a point of a rod with strain functions gets from where it started, by the rod's length.
static double farthest_way(td_simulation *run) {
  const td_model *m = run->plant.model;
  const td_run_state *s = &run->state;
  double most = 0, *start = calloc(3 * (size_t)m->node_count + 1, sizeof *start);
  for (int k = 0; start && k < s->retrace.rows; k++) {
    td_kinematics(m, run->ws, run->trace + (size_t)k * (size_t)m->n, NULL, NULL, m->gravity, TD_LEVEL_POSE);
    for (int i = 0; i < m->rod_count; i++)
      for (int p = 0; p < m->rod[i].point_count && m->rod[i].basis; p++) {
        double d[3], *from = start + 3 * m->rod[i].point_node[p];
        for (int j = 0; j < 3; j++) {
          d[j] = run->ws->pose[m->rod[i].point_node[p]].p[j] + run->ws->origin[j] - from[j];
          if (k == 0) from[j] += d[j];
        }
        if (k > 0) most = fmax(most, hypot(hypot(d[0], d[1]), d[2]) / m->rod[i].length);
      }
  }
  free(start);
  return most;
}

// What a loop presses on its soft links by turns with the shape: on its way a robot asks for strains that its start
// knows nothing of, and neither do small motions about it.
static bool goes_round(td_simulation *run) { return run->plant.model->loop_rows > 0 && farthest_way(run) > FAR; }

// What estimates doubt, or cannot see, is seen by a run.
static td_status settle(td_simulation *run, td_other_run *other_run, td_resolution *motion, td_resolution *response,
                        bool *known) {
  td_enriched_finding found;
  *known = false;
  if (!motion || !response || !is_measured(run)) return TD_OK;
  bool touches = touched(run), doubts = td_resolution_doubts_motion(motion) || td_resolution_doubts_motion(response);
  bool blames_points = td_resolution_blames_points(motion), finer = touches || (!doubts && blames_points);
  if (!finer && !doubts && !goes_round(run)) return TD_OK;
  bool blames = td_resolution_blames_motion(motion) || td_resolution_blames_motion(response);
  td_enriched_wish wish = {
      .doubts = doubts, .blames = blames, .blames_points = blames_points, .points = finer ? TWICE : 1};
  td_status status = td_enriched_compare(run, &wish, other_run, &found);
  *known = found.known;
  td_resolution_settle_motion(motion, &found);
  if (motion != response)
    td_resolution_settle_motion(response, &(td_enriched_finding){.known = found.known, .until = found.until});
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
  if (!td_resolution_doubts_motion(motion) && !td_resolution_doubts_motion(resolution)) td_poised_look(run, motion);
  bool known;
  td_status status = settle(run, other_run, motion, resolution, &known);
  if (resolution && dy) look_at_rest(run, resolution, known, dy);
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
