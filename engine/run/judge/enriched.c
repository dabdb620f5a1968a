// Estimates at states are linear, and know nothing of how errors of a motion add up: frequencies go out of step, and
// what is shaken near one of them swings by another amplitude. Where they doubt, the job is run again by the robot's
// twin with more strain functions (estimate/twin.h), whose coordinates include the robot's, by the same method. Both
// motions are seen by the twin, point by point of its rods, in the world and from the base of each rod, and by the
// twist of each tip, at the times of the run's trace.
//
// More functions need more Gauss points to be told apart, and these change the motion, too: where both together matter,
// a third run, of the robot's own functions on the twin's points, says what each does. Contacts of a point each would
// be others with other points: there the twin keeps the robot's, and has as many functions as they carry.
//
// What contacts did, and what loops ask of soft links that went far, no estimate sees: such runs are repeated, too, by
// two functions more, where contacts acted on twice the points. Where that takes too long (what is added is fast), the
// points alone are.
#include "run/judge/enriched.h"
#include "estimate/resolution/parts.h"
#include "pass/kinematics.h"
#include "strain/basis.h"
#include "strain/points.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COORDINATES = 512 };
enum { UNDOUBTED = 2 };                          // functions more, where no estimate doubts those that there are
static const double AFFORDABLE = 5e5, PER = 4;   // evaluations times coordinates; of n^2, a Jacobian, as in retrace.c
static const double TO_BLAME = 2e6;              // before a run is blamed by estimates alone
static const double MOST_STEPS = 500, TIMES = 3; // more than the run took; times those
static const double TIMES_UNDOUBTED = 1.5;       // where no estimate doubts
static const double FIRST = 100, CRAWLS = 1e-5;  // steps; of the pace that they can be afforded at
static const double EARLY = 0.1, HASTE = 3;      // of the run; times that pace
static const double ALL = 1.2;                   // times what one run may take
static const double LEAST_PART = 0.05;           // of what the rod that moves most does: others are not looked at
static const double LEAST_SEEN = 1e-9;           // of a rod's length,
static const double LEAST_CARRIED = 1e-3;        // and where joints carry rods about: stiff ones hardly bend
static const double TWISTS = 0.3;                // of how far the rod bends: less is not its motion
static const double OF_LENGTH = TD_COARSE_RESPONSE / TD_COARSE_MOTION;

typedef struct sight {           // what a robot's rods look like
  double (*world)[3], (*own)[3]; // [nodes] positions, in the world and from the base of the rod
  td_se3 *tip;                   // [rods] from the base
} sight;

enum { OWN, WORLD, TWIST, VIEWS }; // of a rod: from its base, from the world, m; of its tip about its axis, rad

typedef struct view {
  double scale, error, t;
  int component;
} view;

typedef struct comparison {
  td_simulation *run;
  td_refinement how;
  td_twin twin;       // the robot with more functions,
  td_twin reference;  // and without them on as many points, where these are not its own
  double part, stage; // of the run's check that is over before; runs that are over
  int rows, row;
  double steps, most, spent; // taken; that can be afforded; those of runs that are over
  bool gave_up;
  double *to;                 // where rows of q of the run at hand go
  double *enriched, *settled; // [rows][N], [rows][n]
  double *q, *times;          // [2 N], [rows]
  sight start, ours, theirs;
  view (*seen)[VIEWS]; // [rods]
  view *strain;        // [rods] sqrt(x^T K x)
  bool joints;         // that move
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
      for (int j = 0; j < 3; j++) {
        out->own[rod->point_node[k]][j] = base->R[j] * d[0] + base->R[3 + j] * d[1] + base->R[6 + j] * d[2];
        out->world[rod->point_node[k]][j] = c->twin.ws->origin[j] + p[j];
      }
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

static void note(const comparison *c, view *v, double scale, double error, double t, int rod, const double *q) {
  v->scale = fmax(v->scale, scale);
  if (error <= v->error) return;
  v->error = error, v->t = t;
  v->component = v == &c->seen[rod][TWIST] ? td_twin_lacking(&c->twin, rod, q) : td_twin_moving(&c->twin, rod, q);
}

// sqrt(x^T K x) of a rod, x = a - b [N each] or a, by what its material holds.
static double strain_of(const comparison *c, int rod_index, const double *a, const double *b) {
  const td_rod *rod = &c->twin.model->rod[rod_index];
  const double *block = rod->stiffness;
  double sum = 0;
  for (int g = 0; g < rod->group_count; g++) {
    int count = rod->group[g].count, first = c->twin.model->element[rod->element].coordinate + rod->group[g].first;
    for (int i = first; i < first + count; i++)
      for (int j = first; j < first + count; j++)
        sum += block[(i - first) * count + j - first] * (a[i] - (b ? b[i] : 0)) * (a[j] - (b ? b[j] : 0));
    block += count * count;
  }
  return sqrt(fmax(sum, 0));
}

// Two traces at one time; q [N] of the twin: the second's, and the first's in c->q.
static void compare_at(const comparison *c, double t, const double *q) {
  const sight *start = &c->start, *ours = &c->ours, *theirs = &c->theirs;
  for (int i = 0; i < c->twin.model->rod_count; i++) {
    const td_rod *rod = &c->twin.model->rod[i];
    view *v = c->seen[i];
    if (!rod->basis) continue;
    note(c, &v[OWN], farthest(rod, start->own, ours->own, 1), farthest(rod, ours->own, theirs->own, 1), t, i, q);
    note(c, &v[WORLD], farthest(rod, start->world, ours->world, 0), farthest(rod, ours->world, theirs->world, 0), t, i,
         q);
    note(c, &v[TWIST], fabs(td_twist_between(&start->tip[i], &ours->tip[i])),
         fabs(td_twist_between(&ours->tip[i], &theirs->tip[i])), t, i, q);
    c->strain[i].scale = fmax(c->strain[i].scale, strain_of(c, i, c->q, NULL));
    c->strain[i].error = fmax(c->strain[i].error, strain_of(c, i, c->q, q));
  }
}

// A robot's trace [rows][n], and one with functions [rows][N] or without [rows][n].
static void compare(comparison *c, const double *a, const double *b, bool functions) {
  const td_model *own = c->run->plant.model;
  size_t n = (size_t)own->n, N = (size_t)c->twin.model->n;
  double *q = c->q, *other = c->q + N;
  memset(c->seen, 0, (size_t)own->rod_count * sizeof *c->seen);
  memset(c->strain, 0, (size_t)own->rod_count * sizeof *c->strain);
  for (int k = 0; k < c->rows; k++) {
    td_twin_embed(own, &c->twin, a + (size_t)k * n, q);
    if (!functions) td_twin_embed(own, &c->twin, b + (size_t)k * n, other);
    const double *theirs = functions ? b + (size_t)k * N : other;
    see(c, q, &c->ours);
    see(c, theirs, &c->theirs);
    if (k == 0) see(c, q, &c->start);
    compare_at(c, c->times[k], theirs);
  }
}

// ------------------------------------------------------------------------------------------------ a run

static bool on_sample(void *context, double t, const double *row) {
  comparison *c = context;
  (void)t;
  size_t n = (size_t)(c->to == c->enriched ? c->twin.model->n : c->run->plant.n);
  if (c->row >= c->rows) return false;
  memcpy(c->to + (size_t)c->row++ * n, row, n * sizeof *row);
  return true;
}

// One more step, to t: what has more and faster modes may take too many. Starts take more steps than what follows.
static bool goes_on(comparison *c, double t) {
  double part = t / c->run->spec->t_end, pace = c->most * part;
  c->steps++;
  if (c->steps > c->most || (c->steps > FIRST && CRAWLS * c->steps > pace)) return false;
  return part < EARLY || c->steps <= HASTE * (MOST_STEPS + fmax(0, c->most - MOST_STEPS) * part);
}

static bool on_step(void *context, double t) {
  comparison *c = context;
  td_simulation *run = c->run;
  if (!goes_on(c, t)) return c->gave_up = true, false;
  if (!run->hooks.check) return !run->hooks.step || run->hooks.step(run->hooks.context, run->state.t);
  double done = c->stage + t / run->spec->t_end; // of runs, and nobody knows how many they will be
  run->check = run->hooks.check(run->hooks.context, c->part + (1 - c->part) * done / (1 + done));
  return run->check == TD_CHECK_ON;
}

// The same job of a twin; memory [2 n of it].
static td_dynamics_spec job(const comparison *c, const td_twin *twin, double *memory) {
  static const char *const fields[] = {"q"};
  const td_simulation *run = c->run;
  const td_integrator_spec *used = &run->method_spec;
  td_dynamics_spec spec = *run->spec;
  double *q = memory, *qd = q + twin->model->n;
  spec.times = c->times, spec.time_count = (size_t)c->rows;
  spec.fields = fields, spec.field_count = 1;
  td_twin_embed(run->plant.model, twin, spec.q, q);
  td_twin_embed(run->plant.model, twin, spec.qd, qd);
  if (spec.q) spec.q = q, spec.q_count = (size_t)twin->model->n;
  if (spec.qd) spec.qd = qd, spec.qd_count = (size_t)twin->model->n;
  spec.integrator = *used;
  spec.integrator.given = 0;
  spec.integrator.h_max = run->h_max;
  bool open = td_integrator_get(used->method)->adaptive && !(used->cutoff > 0); // the twin's modes shall count, too
  if (open) spec.integrator.cutoff = 1e30;
  return spec;
}

// A twin's run into `to`. *known: it came to its end.
static td_status go(comparison *c, td_other_run *other_run, const td_twin *twin, double *to, bool *known) {
  td_dynamics_spec spec = job(c, twin, c->q);
  td_run_hooks hooks = {.context = c, .step = on_step, .sample = on_sample};
  c->to = to;
  c->row = 0;
  c->steps = 0;
  c->gave_up = false;
  td_status status = other_run(twin->model, &spec, &hooks);
  *known = !status && c->row == c->rows;
  bool cancelled = status == TD_CANCELLED && c->run->check != TD_CHECK_CUT && !c->gave_up;
  c->stage++;
  c->spent += c->steps;
  return cancelled ? TD_CANCELLED : TD_OK;
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
  size_t rows = (size_t)c->rows, N = (size_t)t->n, n = (size_t)c->run->plant.n;
  c->times = calloc(rows * (1 + N + n) + 2 * N + 1, sizeof *c->times);
  c->seen = calloc((size_t)t->rod_count + 1, sizeof *c->seen);
  c->strain = calloc((size_t)t->rod_count + 1, sizeof *c->strain);
  bool start = sight_init(t, &c->start), ours = sight_init(t, &c->ours), theirs = sight_init(t, &c->theirs);
  if (!c->times || !c->seen || !c->strain || !start || !ours || !theirs) return false;
  c->enriched = c->times + rows;
  c->settled = c->enriched + rows * N;
  c->q = c->settled + rows * n;
  for (int i = 0; i < c->rows; i++) c->times[i] = td_retrace_time(i, c->rows, c->run->spec->t_end);
  c->times[c->rows - 1] = c->run->spec->t_end;
  for (int i = 0; i < t->element_count; i++) c->joints |= t->element[i].rod < 0 && t->element[i].n > 0;
  return true;
}

static void fini(comparison *c) {
  sight_fini(&c->start);
  sight_fini(&c->ours);
  sight_fini(&c->theirs);
  td_twin_destroy(&c->twin);
  td_twin_destroy(&c->reference);
  free(c->seen);
  free(c->strain);
  free(c->times);
}

// ------------------------------------------------------------------------------------------------ verdict

static int points_of(const comparison *c, int rod, bool twin) {
  const td_model *m = c->run->plant.model;
  return twin ? td_twin_points(m->document, m->rod[rod].link, &c->how)
              : td_rod_gauss_per_piece(&m->document->links[m->rod[rod].link].body.rod);
}

// What a view of a rod says against `largest`, the farthest that any gets in it. false: it is not looked at.
static bool apart_in(const comparison *c, int rod, int which, double largest, td_apart *out) {
  const view *v = &c->seen[rod][which];
  double L = c->run->plant.model->rod[rod].length, length = which == TWIST ? 1 : L;
  *out = (td_apart){.share = v->error / v->scale, .of_length = v->error / length, .rod = rod, .t = v->t};
  out->twist = which == TWIST;
  out->ratio = out->share * (out->twist ? 1 : fmax(1, OF_LENGTH * fmin(1, v->scale / L)));
  if (v->scale < fmax(LEAST_PART * largest, LEAST_SEEN * length)) return false;
  if (out->twist && L * v->scale < TWISTS * c->seen[rod][OWN].scale) return false;
  return which == WORLD || !c->joints || v->error >= LEAST_CARRIED * length;
}

// Where a rod is worst; by points: of those that have more in the twin. Returns the strain that the twin's functions
// have most of there.
static int weigh(const comparison *c, bool by_points, td_apart *worst) {
  const td_model *m = c->run->plant.model;
  int component = 0;
  for (int k = 0; k < VIEWS; k++) {
    double largest = 0;
    for (int i = 0; i < m->rod_count; i++) largest = fmax(largest, c->seen[i][k].scale);
    for (int i = 0; i < m->rod_count; i++) {
      td_apart apart;
      if (!m->rod[i].basis || !apart_in(c, i, k, largest, &apart) || !(apart.ratio > worst->ratio)) continue;
      if (by_points && points_of(c, i, true) == points_of(c, i, false)) continue;
      *worst = apart;
      component = c->seen[i][k].component;
    }
  }
  return component;
}

// Whether every rod has more points in the twin, whose motion was compared last: then it says what points do.
static void weigh_strains(const comparison *c, td_enriched_finding *found) {
  const td_model *m = c->run->plant.model;
  found->finer_known = true;
  found->strains = 0;
  for (int i = 0; i < m->rod_count; i++) {
    if (!m->rod[i].basis) continue;
    found->finer_known &= points_of(c, i, true) > points_of(c, i, false);
    if (c->strain[i].error > 0) found->strains = fmax(found->strains, c->strain[i].error / c->strain[i].scale);
  }
}

// Evaluations times coordinates.
static double work(const td_simulation *run, int n) {
  const td_run_statistics *s = &run->state.statistics;
  double size = n + run->plant.rows;
  return (double)s->evaluations * size + (double)s->jacobians * size * size / PER;
}

// Contacts of a point each are what the points make them: another number of points is another robot.
static bool hangs_on_points(const td_model_spec *d) {
  bool per_point = false;
  for (size_t i = 0; i < d->contact_count; i++) per_point |= d->contacts[i].per == TD_CONTACT_PER_POINT;
  return per_point;
}

// Whether the robot's own points tell the functions of its twin apart, with one to spare (strain/points.c).
static bool carries(const td_model *own, const td_model *twin) {
  for (int i = 0; i < twin->rod_count; i++)
    for (int g = 0; g < twin->rod[i].group_count && twin->rod[i].basis; g++)
      if (twin->rod[i].group[g].count >= td_rod_gauss_count(&own->document->links[own->rod[i].link].body.rod))
        return false;
  return true;
}

static double points_on_rods(const td_model *m) {
  double sum = 1;
  for (int i = 0; i < m->rod_count; i++) sum += m->rod[i].point_count;
  return sum;
}

// Of at most so many functions more, a run of at most so much work.
static bool make_twin_of(comparison *c, double points, int most, bool smooth, double affordable) {
  static const int choices[] = {TD_ENRICHMENT, 2, 1};
  const td_simulation *run = c->run;
  const td_model *own = run->plant.model;
  bool same = hangs_on_points(own->document);
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    if (choices[i] > most) continue;
    c->how = (td_refinement){.points = points, .enrichment = choices[i], .own_points = same, .smooth = smooth};
    if (td_twin_create(own, &c->how, &c->twin)) continue;
    int N = c->twin.model->n;
    double times = points_on_rods(c->twin.model) / points_on_rods(own); // what an evaluation costs beside coordinates
    if (N <= MOST_COORDINATES && work(run, N) * fmax(1, times) <= affordable && (!same || carries(own, c->twin.model)))
      return true;
    td_twin_destroy(&c->twin);
  }
  return false;
}

static bool make_twin(comparison *c, const td_enriched_wish *wish, int most, bool smooth) {
  return make_twin_of(c, wish->points, most, smooth, AFFORDABLE) ||
         (wish->blames && make_twin_of(c, wish->points, most, smooth, TO_BLAME));
}

// What points do, and functions on as many of them.
static td_status split(comparison *c, td_other_run *other_run, td_enriched_finding *found) {
  td_refinement how = {.points = c->how.points, .room = c->how.enrichment};
  bool same = true;
  for (int i = 0; i < c->twin.model->rod_count; i++) same &= points_of(c, i, true) == points_of(c, i, false);
  if (same) return TD_OK;
  found->known = false;
  if (td_twin_create(c->run->plant.model, &how, &c->reference)) return TD_OK;
  td_status status = go(c, other_run, &c->reference, c->settled, &found->known);
  if (!found->known) return status;
  found->functions = (td_apart){0};
  compare(c, c->settled, c->enriched, true);
  found->component = weigh(c, false, &found->functions);
  compare(c, c->run->trace, c->settled, false);
  weigh(c, true, &found->points);
  weigh_strains(c, found);
  return status;
}

static td_status judge(comparison *c, td_other_run *other_run, td_enriched_finding *found) {
  td_status status = go(c, other_run, &c->twin, c->enriched, &found->known);
  if (!found->known) return status;
  compare(c, c->run->trace, c->enriched, true);
  found->component = weigh(c, false, &found->functions);
  weigh_strains(c, found);
  return found->functions.ratio > TD_COARSE_RESPONSE ? split(c, other_run, found) : status;
}

static bool follows_sections(const td_model *twin) {
  bool any = false;
  for (int i = 0; i < twin->rod_count; i++)
    for (int c = 0; c < 6 && twin->rod[i].basis; c++) any |= td_rod_basis_follows_section(twin->rod[i].basis, c);
  return any;
}

// What one run may take, or what is left of all.
static double steps_left(const td_simulation *run, const td_enriched_wish *wish, double spent) {
  double one = MOST_STEPS + (wish->doubts ? TIMES : TIMES_UNDOUBTED) * (double)run->state.statistics.steps;
  return fmin(one, ALL * one - spent);
}

typedef struct account { // of all other runs: how many, and their steps
  double stage, spent;
} account;

// Functions that follow a section which tapers to next to nothing may be too stiff for a method: then by smooth ones.
// Those of an undamped rod may be too fast: then by fewer.
static td_status more_functions(td_simulation *run, const td_enriched_wish *wish, td_other_run *other_run,
                                td_enriched_finding *found, account *sum) {
  td_status status = TD_OK;
  bool smooth = !wish->doubts;
  int most = wish->doubts ? TD_ENRICHMENT : UNDOUBTED;
  while (most > 0 && !found->known && !status && run->check == TD_CHECK_ON) {
    comparison c = {.run = run, .rows = run->state.retrace.rows, .stage = sum->stage, .spent = sum->spent};
    c.part = run->checked_by != NULL;
    c.most = steps_left(run, wish, sum->spent);
    if (c.most < FIRST || !make_twin(&c, wish, most, smooth)) return TD_OK;
    found->more = c.how.enrichment;
    if (init(&c)) status = judge(&c, other_run, found);
    *sum = (account){c.stage, c.spent};
    if (!smooth && follows_sections(c.twin.model))
      smooth = true;
    else
      most = wish->doubts ? c.how.enrichment - 1 : 0;
    fini(&c);
  }
  return status;
}

// By the robot's own functions on more points.
static td_status more_points(td_simulation *run, const td_enriched_wish *wish, td_other_run *other_run,
                             td_enriched_finding *found, const account *sum) {
  td_status status = TD_OK;
  comparison c = {.run = run, .rows = run->state.retrace.rows, .stage = sum->stage, .how = {.points = wish->points}};
  c.part = run->checked_by != NULL;
  c.most = steps_left(run, wish, 0);
  if (td_twin_create(run->plant.model, &c.how, &c.twin)) return TD_OK;
  double times = points_on_rods(c.twin.model) / points_on_rods(run->plant.model);
  bool known = false;
  if (work(run, run->plant.n) * times <= AFFORDABLE && init(&c))
    status = go(&c, other_run, &c.twin, c.enriched, &known);
  if (known) {
    compare(&c, run->trace, c.enriched, true);
    weigh(&c, true, &found->points);
    weigh_strains(&c, found);
  }
  fini(&c);
  return status;
}

td_status td_enriched_compare(td_simulation *run, const td_enriched_wish *wish, td_other_run *other_run,
                              td_enriched_finding *found) {
  account sum = {0};
  *found = (td_enriched_finding){.finer = wish->points};
  if (run->state.retrace.rows < td_retrace_rows(run->plant.n)) return TD_OK;
  td_status status = more_functions(run, wish, other_run, found, &sum);
  bool finer = wish->points > 1 && !hangs_on_points(run->plant.model->document);
  if (status || found->known) return status;
  *found = (td_enriched_finding){.finer = wish->points}; // of both together, where the third run failed
  return finer && run->check == TD_CHECK_ON ? more_points(run, wish, other_run, found, &sum) : TD_OK;
}
