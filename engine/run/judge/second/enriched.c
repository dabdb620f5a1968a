// Estimates at states are linear, and know nothing of how errors of a motion add up: frequencies go out of step, and
// what is shaken near one of them swings by another amplitude. Where they doubt, the job is run again by the robot's
// twin with more strain functions (estimate/twin.h), whose coordinates include the robot's, and both motions are seen
// at the times of the run's trace (run/judge/second/sight.h). It is run by the same method, but functions are the stiffer the
// more of them there are, and methods that are stable up to some radians of the fastest one only would take ever more
// steps for next to nothing: theirs are run by the one that runs are held against.
//
// More functions need more Gauss points to be told apart, and these change the motion, too: where both together matter,
// a third run, of the robot's own functions on the twin's points, says what each does.
//
// What contacts did, and what loops ask of soft links that went far, no estimate sees: such runs are repeated, too, by
// two functions more, where contacts acted on twice the points. Where that takes too long (what is added is fast), the
// points alone are.
//
// What a run may take is counted as it goes, in evaluations times coordinates. One that takes more comes to no end:
// what it has shown until then is true all the same, and that it showed nothing says nothing.
//
// Runs whose own steps leave something out, or whose neighbours part, differ from their twins by that, too: what the
// run that they were held against differs by says how much. Such runs are compared as far as it is little, and only
// what is much more than it is held against functions.
#include "run/judge/second/enriched.h"
#include "estimate/resolution/parts.h"
#include "run/judge/second/sight.h"
#include "strain/basis.h"
#include "strain/points.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COORDINATES = 512, LEAST_ROWS = 3 }; // of a trace
enum { FEW = 2 };                               // functions more, where no estimate doubts, or where four cost too much
static const double AFFORDABLE = 5e5, PER = 4;  // evaluations times coordinates; of n^2, a Jacobian, as in retrace.c
static const double TO_BLAME = 2e6;             // before a run is blamed by estimates alone
static const double LONGER = 2.5;               // times the run itself, where estimates doubt and that is more,
static const double LONGEST = 1e7;              // of runs that are no longer than this
static const double STEPS = 500, TIMES = 3;     // more than the run took; times those
static const double TIMES_UNDOUBTED = 1.5;      // where no estimate doubts
static const double LEAST = 3e5, BEGINS = 0.2;  // where one doubts, if it takes no more than that; of it, to begin with
static const double FIRST = 100, CRAWLS = 1e-5; // steps; of the pace that it can be afforded at
static const double EARLY = 0.1, HASTE = 3;     // of the run; times that pace
static const double ALL = 1.8;                  // times what one run may take
static const double BEYOND_ACQUITTAL = 0.1;     // of strains, by functions and points together
static const double NOISY = 0.1, MUCH = 3;      // what steps leave out; times that
static const double TIGHTEST = 1e-6;            // rtol, of a run whose steps another method takes

typedef struct comparison {
  td_simulation *run;
  td_refinement how;
  td_twin twin;       // the robot with more functions,
  td_twin reference;  // and without them on as many points, where these are not its own
  bool held;          // its fast modes are held stable, not resolved
  double part, stage; // of the run's check that is over before; runs that are over
  int rows, row, wanted;
  const td_run_statistics *at_work; // of the run at hand,
  double size, steps, done;         // coordinates and rows of loops; steps; its work so far
  double begins, most, spent;       // what can be afforded, of it to begin with; of runs that are over
  bool gave_up;
  double *memory, *to;        // [2 N]; where rows of q of the run at hand go
  double *enriched, *settled; // [rows][N], [rows][n]
  double *times;              // [rows]
  td_comparison seen;
} comparison;

// ------------------------------------------------------------------------------------------------ a run

// Evaluations times coordinates.
static double work(const td_run_statistics *s, double size) {
  return (double)s->evaluations * size + (double)s->jacobians * size * size / PER;
}

// Of the run that is over with as many coordinates as a twin has.
static double work_of(const td_simulation *run, int n) { return work(&run->state.statistics, n + run->plant.rows); }

static bool on_sample(void *context, double t, const double *row) {
  comparison *c = context;
  (void)t;
  size_t n = (size_t)(c->to == c->enriched ? c->twin.model->n : c->run->plant.n);
  if (c->row >= c->wanted) return c->gave_up = true, false;
  memcpy(c->to + (size_t)c->row++ * n, row, n * sizeof *row);
  return true;
}

// One more step, to t: what has more and faster modes may take too many. Starts take more than what follows.
static bool goes_on(comparison *c, double t) {
  double part = t / c->run->spec->t_end;
  c->done = work(c->at_work, c->size);
  c->steps++;
  if (c->done > c->most || (c->steps > FIRST && CRAWLS * c->done > c->most * part)) return false;
  return part < EARLY || c->done <= HASTE * (c->begins + fmax(0, c->most - c->begins) * part);
}

// Of the check, when some runs are over and a part of the next: each is two thirds of what is left then, since nobody
// knows how many they will be.
static double passed(double stage, double part) {
  static const double left = 1. / 3;
  return 1 - pow(left, stage) * (1 - (1 - left) * part);
}

static bool on_step(void *context, double t) {
  comparison *c = context;
  td_simulation *run = c->run;
  if (!goes_on(c, t)) return c->gave_up = true, false;
  if (!run->hooks.check) return !run->hooks.step || run->hooks.step(run->hooks.context, run->state.t);
  run->check = run->hooks.check(run->hooks.context, c->part + (1 - c->part) * passed(c->stage, t / run->spec->t_end));
  return run->check == TD_CHECK_ON;
}

static bool is_conditional(const td_simulation *run) { return td_integrator_get(run->method_spec.method)->conditional; }

static td_integrator_spec method(const comparison *c) {
  const td_integrator_spec *used = &c->run->method_spec;
  td_integrator_spec out = *used;
  if (is_conditional(c->run)) {
    td_integrator_defaults(&out);
    out.method = td_integrator_for(TD_SERVES_JUDGES);
    out.rtol = fmax(used->rtol, TIGHTEST);
    out.atol = used->atol * out.rtol / used->rtol;
    out.baumgarte = used->baumgarte;
    out.finite_difference = used->finite_difference;
  }
  out.given = 0;
  out.h_max = c->run->h_max;
  bool open = td_integrator_get(out.method)->adaptive && !(out.cutoff > 0); // the twin's modes shall count, too
  if (open && !c->held) out.cutoff = 1e30;
  return out;
}

// The same job of a twin; memory [2 n of it].
static td_dynamics_spec job(const comparison *c, const td_twin *twin, double *memory) {
  static const char *const fields[] = {"q"};
  const td_simulation *run = c->run;
  td_dynamics_spec spec = *run->spec;
  double *q = memory, *qd = q + twin->model->n;
  spec.times = c->times, spec.time_count = (size_t)c->rows;
  spec.fields = fields, spec.field_count = 1;
  td_twin_embed(run->plant.model, twin, spec.q, q);
  td_twin_embed(run->plant.model, twin, spec.qd, qd);
  if (spec.q) spec.q = q, spec.q_count = (size_t)twin->model->n;
  if (spec.qd) spec.qd = qd, spec.qd_count = (size_t)twin->model->n;
  spec.integrator = method(c);
  return spec;
}

// The first `wanted` rows of a twin's run into `to`. *known: how many there are, which are all that it came to.
static td_status go(comparison *c, td_other_run *other_run, const td_twin *twin, double *to, int wanted, int *known) {
  td_dynamics_spec spec = job(c, twin, c->memory);
  td_run_hooks hooks = {.context = c, .step = on_step, .sample = on_sample};
  c->to = to;
  c->row = 0;
  c->wanted = wanted;
  c->steps = c->done = 0;
  c->size = twin->model->n + c->run->plant.rows;
  c->gave_up = false;
  td_status status = other_run(twin->model, &spec, &hooks, &c->at_work);
  *known = !status || c->gave_up ? c->row : 0;
  bool cancelled = status == TD_CANCELLED && c->run->check != TD_CHECK_CUT && !c->gave_up;
  c->stage++;
  c->spent += c->done;
  return cancelled ? TD_CANCELLED : TD_OK;
}

static bool init(comparison *c) {
  size_t rows = (size_t)c->rows, N = (size_t)c->twin.model->n, n = (size_t)c->run->plant.n;
  c->times = calloc(rows * (1 + N + n) + 2 * N + 1, sizeof *c->times);
  if (!c->times) return false;
  c->enriched = c->times + rows;
  c->settled = c->enriched + rows * N;
  c->memory = c->settled + rows * n;
  for (int i = 0; i < c->rows; i++) c->times[i] = td_retrace_time(i, c->rows, c->run->spec->t_end);
  c->times[c->rows - 1] = c->run->spec->t_end;
  c->seen =
      (td_comparison){.own = c->run->plant.model, .how = &c->how, .twin = &c->twin, .rows = c->rows, .times = c->times};
  return td_comparison_init(&c->seen);
}

static void fini(comparison *c) {
  if (c->times) td_comparison_fini(&c->seen);
  td_twin_destroy(&c->twin);
  td_twin_destroy(&c->reference);
  free(c->times);
}

// ------------------------------------------------------------------------------------------------ twins

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

// What the run would have taken with the coordinates of a twin, and its points.
static double cost(const td_simulation *run, const td_model *twin) {
  return work_of(run, twin->n) * fmax(1, points_on_rods(twin) / points_on_rods(run->plant.model));
}

static bool make(comparison *c, const td_refinement *how, double affordable) {
  const td_model *own = c->run->plant.model;
  c->how = *how;
  if (td_twin_create(own, &c->how, &c->twin)) return false;
  const td_model *twin = c->twin.model;
  bool fits = twin->n <= MOST_COORDINATES && cost(c->run, twin) <= affordable;
  if (fits && (!how->own_points || carries(own, twin))) return true;
  td_twin_destroy(&c->twin);
  return false;
}

// Of at least and at most so many functions more than the robot's, how->enrichment is none of it.
static bool make_any(comparison *c, td_refinement how, int least, int most, double affordable) {
  static const int choices[] = {TD_ENRICHMENT, 2, 1};
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    how.enrichment = choices[i];
    if (least <= choices[i] && choices[i] <= most && make(c, &how, affordable)) return true;
  }
  return false;
}

// Of at most so many functions more. Methods that are not its own: what they cost is not known. Contacts of a point
// each act on the twin's points as well, spread; where these cost too much, two functions on the robot's own tell more
// of doubts than one, which may be what a symmetric motion lacks none of.
static bool make_twin(comparison *c, const td_enriched_wish *wish, int most, bool smooth) {
  const td_simulation *run = c->run;
  double affordable = is_conditional(run) ? INFINITY : AFFORDABLE;
  double most_of_all = fmax(wish->blames ? TO_BLAME : 0, LONGER * fmin(work_of(run, run->plant.n), LONGEST));
  bool choose = wish->doubts && hangs_on_points(run->plant.model->document);
  td_refinement how = {.points = wish->points, .smooth = smooth},
                own = {.points = 1, .own_points = true, .smooth = smooth};
  for (int round = 0; round <= wish->doubts; round++, affordable = most_of_all) {
    int upto = round > 0 && most > FEW ? FEW : most, least = choose && upto >= FEW ? FEW : 1;
    if (make_any(c, how, least, upto, affordable)) return true;
    if (choose && make_any(c, own, 1, upto, affordable)) return true;
  }
  return false;
}

// What one run may take, or what is left of all. false: next to nothing is.
static bool allow(comparison *c, const td_enriched_wish *wish) {
  static const double least = 0.1;
  double one = work_of(c->run, c->twin.model->n), steps = fmax(1, (double)c->run->state.statistics.steps);
  if (is_conditional(c->run)) one = fmin(one, AFFORDABLE);
  c->begins = STEPS / steps * one;
  c->most = c->begins + (wish->doubts ? TIMES : TIMES_UNDOUBTED) * one;
  if (wish->doubts) c->most = fmax(c->most, LEAST), c->begins = fmax(c->begins, BEGINS * c->most);
  double left = ALL * c->most - c->spent;
  bool enough = left > least * c->most;
  c->most = fmin(c->most, left);
  return enough;
}

// ------------------------------------------------------------------------------------------------ verdict

// What the run that this one was held against differs by in the first `rows` of the traces.
static double noise(comparison *c, int rows) {
  td_apart apart = {0};
  if (!c->run->second) return 0;
  td_comparison_see(&c->seen, c->run->trace, c->run->second, false, rows);
  td_comparison_weigh(&c->seen, false, &apart);
  return apart.ratio;
}

// The first rows, in which that is no more than `bar`.
static int sure_rows(comparison *c, double bar) {
  int rows = c->rows;
  while (rows > 0 && noise(c, rows) > bar) rows = 3 * rows / 4;
  return rows;
}

// What the twin differs by in the first rows; of these as many as can tell something.
static void weigh_functions(comparison *c, int *rows, td_enriched_finding *found) {
  double left_out = noise(c, *rows);
  for (int part = 0; part < 2; part++) {
    found->functions = (td_apart){0};
    td_comparison_see(&c->seen, c->run->trace, c->enriched, true, *rows);
    found->component = td_comparison_weigh(&c->seen, false, &found->functions);
    if (left_out == 0 || found->functions.ratio > MUCH * left_out) return;
    int sure = sure_rows(c, TD_COARSE_RESPONSE / MUCH);
    *rows = sure < *rows ? sure : *rows;
    left_out = 0;
  }
}

// What points do, and functions on as many of them, in the first `rows` of the traces.
static td_status split(comparison *c, td_other_run *other_run, int rows, td_enriched_finding *found) {
  td_refinement how = {.points = c->how.points, .room = c->how.enrichment};
  bool same = true;
  int known = 0;
  for (int i = 0; i < c->twin.model->rod_count; i++)
    same &= td_comparison_points(&c->seen, i, true) == td_comparison_points(&c->seen, i, false);
  found->known = same;
  if (same || td_twin_create(c->run->plant.model, &how, &c->reference)) return TD_OK;
  td_status status = go(c, other_run, &c->reference, c->settled, rows, &known);
  if (!known) return status;
  found->functions = (td_apart){0};
  td_comparison_see(&c->seen, c->settled, c->enriched, true, known);
  found->component = td_comparison_weigh(&c->seen, false, &found->functions);
  td_comparison_see(&c->seen, c->run->trace, c->settled, false, known);
  td_comparison_weigh(&c->seen, true, &found->points);
  found->finer_known = td_comparison_strains(&c->seen, &found->strains) && known == c->rows;
  found->known = known == c->rows || fmax(found->functions.ratio, found->points.ratio) > TD_COARSE_RESPONSE;
  return status;
}

static td_status judge(comparison *c, const td_enriched_wish *wish, td_other_run *other_run,
                       td_enriched_finding *found) {
  int known, sure = sure_rows(c, NOISY);
  if (sure < LEAST_ROWS) return TD_OK;
  td_status status = go(c, other_run, &c->twin, c->enriched, sure, &known);
  if (known) weigh_functions(c, &known, found);
  found->known = known == c->rows;
  if (!known) return status;
  found->finer_known = td_comparison_strains(&c->seen, &found->strains) && known == c->rows;
  bool apart = found->functions.ratio > TD_COARSE_RESPONSE;
  if (!apart && !found->known) found->until = fmax(found->until, c->times[known - 1]);
  bool may_acquit = wish->blames_points && found->strains > TD_COARSE_FORCE && found->strains < BEYOND_ACQUITTAL;
  if (status || !(apart || may_acquit)) return status;
  td_enriched_finding both = *found;
  status = split(c, other_run, known, found);
  if (!apart && !found->known) *found = both;
  return status;
}

static bool follows_sections(const td_model *twin) {
  bool any = false;
  for (int i = 0; i < twin->rod_count; i++)
    for (int c = 0; c < 6 && twin->rod[i].basis; c++) any |= td_rod_basis_follows_section(twin->rod[i].basis, c);
  return any;
}

typedef struct account { // of all other runs: how many, and their work
  double stage, spent;
  double on_own; // what the last one cost on the robot's own points, 0: it had others
} account;

static comparison begin(td_simulation *run, const account *sum) {
  return (comparison){.run = run,
                      .rows = run->state.retrace.rows,
                      .part = run->checked_by ? td_enriched_begins(run->plant.model) : 0,
                      .stage = sum->stage,
                      .spent = sum->spent};
}

// Functions that follow a section which tapers to next to nothing may be too stiff for a method: then by smooth ones.
// Those of an undamped rod may be too fast: then by fewer, and what is fast of them is held.
static td_status more_functions(td_simulation *run, const td_enriched_wish *wish, td_other_run *other_run,
                                td_enriched_finding *found, account *sum) {
  td_status status = TD_OK;
  bool smooth = !wish->doubts, held = false;
  int most = wish->doubts ? TD_ENRICHMENT : FEW;
  while (most > 0 && !found->known && !status && run->check == TD_CHECK_ON) {
    comparison c = begin(run, sum);
    c.held = held;
    if (!make_twin(&c, wish, most, smooth)) return TD_OK;
    *found = (td_enriched_finding){.finer = wish->points, .more = c.how.enrichment, .until = found->until};
    bool allowed = allow(&c, wish);
    if (allowed && init(&c)) status = judge(&c, wish, other_run, found);
    *sum = (account){c.stage, c.spent, c.how.own_points ? cost(run, c.twin.model) : 0};
    if (!smooth && follows_sections(c.twin.model))
      smooth = true;
    else
      most = wish->doubts && allowed ? c.how.enrichment - 1 : 0, held = true;
    fini(&c);
  }
  return status;
}

// By the robot's own functions on more points.
static td_status more_points(td_simulation *run, const td_enriched_wish *wish, td_other_run *other_run,
                             td_enriched_finding *found, const account *sum) {
  td_status status = TD_OK;
  comparison c = begin(run, &(account){.stage = sum->stage});
  int known = 0;
  double affordable = (is_conditional(run) ? INFINITY : AFFORDABLE) - (found->known ? sum->on_own : 0);
  if (!make(&c, &(td_refinement){.points = wish->points}, affordable)) return TD_OK;
  if (allow(&c, wish) && init(&c))
    status = go(&c, other_run, &c.twin, c.enriched, sure_rows(&c, TD_COARSE_RESPONSE / MUCH), &known);
  if (known) {
    td_comparison_see(&c.seen, run->trace, c.enriched, true, known);
    td_comparison_weigh(&c.seen, true, &found->points);
    found->finer_known = td_comparison_strains(&c.seen, &found->strains) && known == c.rows;
  }
  fini(&c);
  return status;
}

static bool may_come(const td_model *m) {
  bool any = false;
  for (int i = 0; i < m->rod_count; i++) any |= m->rod[i].basis != NULL;
  return any && m->n < MOST_COORDINATES;
}

double td_enriched_begins(const td_model *model) {
  static const double first = 0.6;
  return may_come(model) ? first : 1;
}

double td_enriched_expected(const td_simulation *run, double passed) {
  static const double about = 0.7, unknown = 1e-6; // more than the run itself took
  if (!may_come(run->plant.model)) return 0;
  double work = work_of(run, run->plant.n) / fmax(passed, unknown);
  return about * fmin(1, LONGER * LONGEST / fmax(work, 1));
}

td_status td_enriched_compare(td_simulation *run, const td_enriched_wish *wish, td_other_run *other_run,
                              td_enriched_finding *found) {
  account sum = {.stage = 0};
  *found = (td_enriched_finding){.finer = wish->points};
  if (run->state.retrace.rows < td_retrace_rows(run->plant.n)) return TD_OK;
  td_status status = more_functions(run, wish, other_run, found, &sum);
  if (status || (found->known && !(sum.on_own > 0))) return status;
  if (!found->known) // of both together, where the third run failed
    *found = (td_enriched_finding){.finer = wish->points, .until = found->until};
  return wish->points > 1 && run->check == TD_CHECK_ON ? more_points(run, wish, other_run, found, &sum) : TD_OK;
}
