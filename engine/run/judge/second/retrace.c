// A tolerance bounds each step. Where damping takes errors away together with the motion that carries them, that bounds
// the run; where nothing does, they add up: a phase runs away, a momentum drifts, an attitude tumbles, and energies
// close all the same. How many steps' errors a run holds is counted as it goes,
//     N' = 1 / h - r N,   r = power of damping / (4 kinetic energy);
// few of them, or few beside those of the whole run, are let be, so that damped robots pay an exponential a step; but a
// run that costs next to nothing is looked at whatever its damping, as long as that leaves something of the start:
// driven motions may be chaotic. Else the job is run again: radau's errors are 20 to 1e4 times below those of bdf and
// of Newmark's family at the same tolerances, and it is the reference at a tenth of them; radau and rk45 are run at ten
// times their tolerances, which costs two thirds, and their errors there are divided by what they grow by: those of
// radau as rtol^(5/6) (fifth order, steps by rtol^(1/6)), those of rk45 as rtol; what comes near to being said then is
// looked at again by radau at a tenth of the tolerances, and its size is that. Equal steps are doubled, which costs a
// half; errors of order p are (2^p - 1) times below the difference, unless that is large. Where forces that steps must
// not stride over shortened them, doubled ones would be the same: then radau is the reference. Damping takes errors of
// a speed away and not those that it has left in a phase, and a tolerance that is relative to an angle of many turns
// bounds the phase by nothing: what has turned that far is looked at in any case. So are bodies that tumble and chains
// that swing undamped: errors may grow by factors there, and few steps are enough. What bounces errs by more with each
// time it strikes, however well damped it is in between: it is looked at if its errors are not few. Times of the trace
// are at no even distance, which might be that of a mode: at turning points no phase shows. They lie the closer the
// earlier, since what parts exponentially has parted after a few of its time constants, however long the run. Errors
// that add up grow by t to t^3: 8 times at most while t doubles. More than that, in more than one leap, is the motion
// itself: neighbours part, and a smaller tolerance reaches only so much further.
#include "run/judge/second/retrace.h"
#include "closure/rechart.h"
#include "integrate/events/strike.h"
#include "model/model.h"
#include "run/judge/drift.h"
#include "run/judge/march.h"
#include "run/judge/second/unseen_turn.h"
#include "run/winding.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FEW = 5e-4, LEAST = 500,
                    LOOSE = 1e-5;             // steps: of 1 / rtol; at any tolerance; more where it is looser than that
static const double PART = 0.25, MUCH = 0.05; // of the steps of a run; or of the motion, if each errs by its tolerance
static const double PHASE = 0.1 * TD_RETRACE_TOLERANCE * 2 * M_PI; // rad, that a step may err by
static const double CHEAP = 3e5, PER = 4; // evaluations times coordinates, about 0.3 us each; of n^2, a Jacobian
static const double MOST_DAMPED = 100;    // e-folds
static const double TUMBLES = 1;          // rad
enum { BOUNCES = 3 };
static const uint64_t FEW_EQUAL = 8; // steps, that doubled ones can be held against
static const double SHORTENED = 1.2; // times the equal steps
static const double LOOSER = 10, FINER = 0.1;
static const double SMALL = 1000, BESIDE = 1e-3; // of atol; of how far others of its kind get
static const double DOUBT = 0.125;               // of what is said: looser means may be as wrong by luck
static const double BESIDE_EQUAL =
    0.1; // the same of equal steps: what starts and is damped away within a few of them is no motion
static const double LARGE = 0.3;             // of the motion: a difference that no power of the step tells of
static const double SEVERE = 0.1;            // of the motion: less is not told to be lost
static const double ADDS_UP = 8, LEAP = 0.7; // while t doubles; of the logarithm, at most, from row to row
static const double ALL_STEPS = 1e4;         // more than the first run took

static const double AGAIN_EQUAL = 0.5, AGAIN_LOOSER = 0.7, AGAIN_FINER = 1; // times the work of the first run, about

static void accuracy_of(const td_integrator_spec *used, int *order, double *constant) {
  const td_integrator *method = td_integrator_get(used->method);
  assert(method->accuracy && !used->adaptive);
  method->accuracy(method, used, order, constant);
}

// ------------------------------------------------------------------------------------------------ two states

typedef enum measure { TURN, SLIDE, SHAPE, PARTS } measure; // rad, m, a soft body's coordinates

// By a rotation vector or more.
static bool is_ball(const td_element *e) { return e->type == TD_ELEMENT_STRIP && e->rod < 0; }

// How far two states of an element are apart.
static void apart(const td_model *m, const td_element *e, const double *a, const double *b, double out[PARTS]) {
  memset(out, 0, PARTS * sizeof *out);
  if (is_ball(e)) { // by poses: rotation vectors are rewritten on the way
    td_se3 g, k, d;
    double xi[6];
    td_rechart_pose(e, a, &g);
    td_rechart_pose(e, b, &k);
    td_se3_inverse(&g, &d);
    td_se3_compose(&d, &k, &d);
    td_se3_log(&d, xi);
    out[TURN] = hypot(hypot(xi[0], xi[1]), xi[2]);
    out[SLIDE] = hypot(hypot(g.p[0] - k.p[0], g.p[1] - k.p[1]), g.p[2] - k.p[2]);
    return;
  }
  double sum = 0;
  for (int i = e->coordinate; i < e->coordinate + e->n; i++)
    if (m->prescribed_mask[i] != 0) sum += (a[i] - b[i]) * (a[i] - b[i]);
  out[e->type != TD_ELEMENT_SCREW || e->n != 1 ? SHAPE : e->rotates ? TURN : SLIDE] = sqrt(sum);
}

// ------------------------------------------------------------------------------------------------ the first run

static double turned(const td_model *m, const double *q) {
  double most = 0;
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->type == TD_ELEMENT_SCREW && e->n == 1 && e->rotates && m->prescribed_mask[e->coordinate] != 0)
      most = fmax(most, fabs(q[e->coordinate]));
  }
  return most;
}

// rad, of all joints that are not driven, from the attitudes at q0.
static double tumbled(const td_model *m, const double *q0, const double *q) {
  double most = 0, way[PARTS];
  for (int i = 0; i < m->element_count; i++) {
    apart(m, &m->element[i], q0, q, way);
    most = fmax(most, way[TURN]);
  }
  return most;
}

void td_retrace_note(td_retrace_account *a, const td_plant *plant, const td_integrator *method, td_stepper *stepper,
                     double t, double t_end, const double *y, double kinetic, double lost, double *trace,
                     double *scratch) {
  int n = plant->n;
  double folds = lost > 0 ? lost / (4 * fmax(kinetic, 1e-300)) : 0;
  a->steps = (folds > 0 ? a->steps * exp(-folds) : a->steps) + 1;
  a->damped += fmin(1, folds);
  a->most = fmax(a->most, a->steps);
  a->turned = fmax(a->turned, turned(plant->model, y));
  int rows = td_retrace_rows(n);
  for (; a->rows < rows && td_retrace_time(a->rows, rows, t_end) <= t; a->rows++) {
    if (method->interpolate(stepper, td_retrace_time(a->rows, rows, t_end), scratch)) continue;
    memcpy(trace + (size_t)a->rows * (size_t)n, scratch, (size_t)n * sizeof *trace);
    a->tumbled = fmax(a->tumbled, tumbled(plant->model, trace, scratch));
  }
}

bool td_retrace_wanted(const td_retrace_account *a, const td_integrator_spec *used, const td_run_statistics *s,
                       int size) {
  double steps = (double)s->steps, jacobian = (double)size * size / PER;
  double work = (double)s->evaluations * size + (double)s->jacobians * jacobian;
  bool lively = a->damped<MOST_DAMPED, lasts = a->most> PART * steps;
  bool cheap = lively && work < CHEAP, tumbles = lively && a->tumbled > TUMBLES;
  if (!used->adaptive) return s->steps >= FEW_EQUAL && (lasts || lively);
  double least = fmax(FEW / used->rtol, LEAST * sqrt(fmax(1, used->rtol / LOOSE)));
  if (a->turned * used->rtol > PHASE) return true;
  return ((lasts || a->most * used->rtol > MUCH || a->bounces >= BOUNCES) && a->most > least) || cheap || tumbles;
}

// As it is so far, until the end.
double td_retrace_share(const td_retrace_account *account, const td_integrator_spec *used, const td_run_statistics *s,
                        int size, double passed) {
  static const double unknown = 1e-6;
  if (!(passed > unknown)) return 1;
  td_retrace_account a = *account;
  td_run_statistics all = {.steps = (uint64_t)((double)s->steps / passed),
                           .evaluations = (uint64_t)((double)s->evaluations / passed),
                           .jacobians = (uint64_t)((double)s->jacobians / passed)};
  a.most /= passed, a.damped /= passed, a.turned /= passed;
  if (!td_retrace_wanted(&a, used, &all, size)) return 1;
  return 1 / (1 + (!used->adaptive                              ? AGAIN_EQUAL
                   : td_integrator_get(used->method)->grows > 0 ? AGAIN_LOOSER
                                                                : AGAIN_FINER));
}

// ------------------------------------------------------------------------------------------------ the second run

// Looser means may leave a doubt, which a third run settles.
static bool may_doubt(const td_integrator_spec *used, const td_integrator_spec *other) {
  return used->adaptive && other->rtol > used->rtol;
}

double td_retrace_part(const td_integrator_spec *used, const td_integrator_spec *other, bool finer, double part) {
  static const double second = 0.5;
  if (finer) return second + (1 - second) * part;
  return may_doubt(used, other) ? second * part : part;
}

// Of methods that err as their tolerance looser ones, of others the judges' method at tighter ones; `times` those of
// `used`.
static void take(const td_dynamics_spec *spec, const td_integrator_spec *used, td_method method, double times,
                 td_integrator_spec *out) {
  td_integrator_defaults(out);
  out->method = method;
  out->rtol = fmin(0.1, times * used->rtol);
  out->atol = times * used->atol;
  out->h_max = spec->integrator.h_max;
  out->baumgarte = used->baumgarte;
  out->finite_difference = used->finite_difference;
  out->cutoff = used->cutoff > 0 ? used->cutoff : 1e30; // of methods that have one
}

void td_retrace_spec(const td_dynamics_spec *spec, const td_run_statistics *first, const td_integrator_spec *used,
                     bool finer, td_dynamics_spec *out) {
  static const char *const fields[] = {"q"};
  *out = *spec;
  out->fields = fields;
  out->field_count = 1;
  out->output_dt = spec->t_end;
  out->times = NULL;
  out->time_count = 0;
  double steps = (double)first->steps;
  td_method judge = td_integrator_for(TD_SERVES_JUDGES);
  if (used->adaptive) {
    bool good = td_integrator_get(used->method)->grows > 0 && !finer;
    take(spec, used, good ? used->method : judge, good ? LOOSER : FINER, &out->integrator);
    out->integrator.max_steps = ALL_STEPS + steps;
  } else if (steps > SHORTENED * spec->t_end / used->h) {
    take(spec, used, judge, 1, &out->integrator);
    out->integrator.max_steps = ALL_STEPS + 0.5 * steps;
  } else {
    out->integrator = *used;
    out->integrator.h = 2 * used->h;
  }
}

// ------------------------------------------------------------------------------------------------ both

typedef struct finding {
  const td_element *element;
  measure part;
  double error, reach, t;
  double turned; // rad, all the way, of what is the same from all sides: 0 of others
} finding;

typedef struct comparison {
  const td_model *model;
  const td_integrator_spec *used;
  const double *ours, *theirs;
  int rows;
  double t_end, factor; // of the distance, to the error
  bool fed;             // a controller sees where things stand
} comparison;

// Errors beyond this part of the motion are said.
static double most_of(const td_integrator_spec *used) {
  return used->adaptive ? fmax(TD_RETRACE_TOLERANCE, 10 * used->rtol) : TD_MARCH_TOLERANCE;
}

// By what the second run's distance is to be divided: by what errors grow by from the better run to the other. Contacts
// and stops set in and end within steps, where no method has an order.
static double growth(const td_model *model, const td_integrator_spec *used, const td_integrator_spec *other) {
  int order = 0;
  double constant;
  if (!used->adaptive && other->method == used->method) {
    accuracy_of(used, &order, &constant);
    return exp2(td_strike_exists(model) && order > 1 ? 1 : order) - 1;
  }
  if (!used->adaptive) return 1;
  return other->rtol < used->rtol ? 1 : td_integrator_get(used->method)->grows;
}

// Of element e in row k of the traces.
static void errors_at(const comparison *c, const td_element *e, int k, double out[PARTS]) {
  size_t row = (size_t)k * (size_t)c->model->n;
  apart(c->model, e, c->ours + row, c->theirs + row, out);
  for (int p = 0; p < PARTS; p++) out[p] *= c->factor;
}

// The largest error of an element in each part, and how far that gets from where it was.
static void compare(const comparison *c, const td_element *e, finding out[PARTS]) {
  for (int p = 0; p < PARTS; p++) out[p] = (finding){.element = e, .part = (measure)p};
  for (int k = 0; k < c->rows; k++) {
    double way[PARTS], off[PARTS];
    apart(c->model, e, c->ours + k * c->model->n, c->ours, way);
    errors_at(c, e, k, off);
    for (int p = 0; p < PARTS; p++) {
      out[p].reach = fmax(out[p].reach, way[p]);
      if (off[p] > out[p].error) out[p].error = off[p], out[p].t = td_retrace_time(k, c->rows, c->t_end);
    }
  }
  if (out[TURN].reach > 2 * M_PI && !c->fed && td_turns_unseen(c->model, e)) out[TURN].turned = out[TURN].reach;
  if (out[TURN].reach > 2 * M_PI) out[TURN].reach = 2 * M_PI; // where something stands is known up to a turn
  for (int p = 0; p < PARTS; p++)
    if (!c->used->adaptive && out[p].error > LARGE * c->factor * out[p].reach) out[p].error /= c->factor;
}

static double size_of(const finding *f) { return fmax(f->reach, f->turned); }
static double share(const finding *f) { return f->error / size_of(f); }

static finding worst_of(const comparison *c) {
  finding worst = {0}, found[PARTS];
  double furthest[PARTS] = {0};
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < c->model->element_count; i++) {
      if (c->model->element[i].n == 0) continue;
      compare(c, &c->model->element[i], found);
      for (int p = 0; p < PARTS; p++) {
        if (round == 0) furthest[p] = fmax(furthest[p], found[p].reach);
        if (!c->used->adaptive) found[p].reach = fmax(found[p].reach, BESIDE_EQUAL * furthest[p]);
        bool moves = round == 1 && found[p].reach > fmax(SMALL * c->used->atol, BESIDE * furthest[p]);
        if (moves && (!worst.element || share(&found[p]) > share(&worst))) worst = found[p];
      }
    }
  return worst;
}

// ------------------------------------------------------------------------------------------------ words

// The last row at or before t.
static int row_before(const comparison *c, double t) {
  int row = 0;
  while (row + 1 < c->rows && td_retrace_time(row + 1, c->rows, c->t_end) <= t) row++;
  return row;
}

// True where the worst error grew as no sum of errors does; *until: the last row of the trace before it was too large,
// s.
static bool parts_exponentially(const comparison *c, const finding *worst, double *until) {
  double most[TD_RETRACE_MOST_ROWS], at[PARTS], bar = most_of(c->used) * size_of(worst), leap = 1;
  int k = 0;
  for (; k < c->rows; k++) {
    errors_at(c, worst->element, k, at);
    most[k] = fmax(k > 0 ? most[k - 1] : 1e-300, at[worst->part]);
    if (most[k] > bar) break;
  }
  if (share(worst) < SEVERE || k < 3 || k == c->rows) return false;
  *until = td_retrace_time(k - 1, c->rows, c->t_end);
  int half = row_before(c, 0.5 * td_retrace_time(k, c->rows, c->t_end)),
      eighth = row_before(c, 0.125 * td_retrace_time(k, c->rows, c->t_end));
  for (int i = eighth + 1; i <= k; i++) leap = fmax(leap, most[i] / most[i - 1]);
  double all = most[k] / most[eighth];
  return most[k] > ADDS_UP * most[half] && all > ADDS_UP * ADDS_UP * ADDS_UP && log(leap) < LEAP * log(all);
}

typedef struct words {
  char what[200], second[48], more[120], cause[TD_WINDING_TEXT], text[TD_MESSAGE_SIZE + 128];
} words;

static void describe(const td_plant *plant, const td_integrator_spec *used, const td_integrator_spec *other,
                     const finding *worst, words *w) {
  const char *name = td_model_coordinate_name(plant->model, worst->element->coordinate), *dot = strrchr(name, '.');
  bool several = worst->part == SHAPE && worst->element->n > 1 && dot; // "arm.bending_y[0]" is one of the arm's
  snprintf(w->what, sizeof w->what, "%s\"%.*s\" %s off by about %.3g at t = %.3g s, %.2g %% of the %.3g that %s by",
           several ? "the coordinates of " : "", several ? (int)fmin((double)(dot - name), 63) : 63, name,
           several ? "together are" : "is", worst->error, worst->t, 100 * share(worst), size_of(worst),
           several ? "they move" : "it moves");
  if (other->method != used->method || used->adaptive)
    snprintf(w->second, sizeof w->second, "of %.20s at %.2g", td_integrator_get(other->method)->name, other->rtol);
  else
    snprintf(w->second, sizeof w->second, "in steps of %.6g s", other->h);
}

// Of neighbours that part after `until`.
static void describe_parting(const td_integrator_spec *used, double until, words *w) {
  const char *advice = "take a quarter of `h`; where that reaches little further, neighbours part exponentially";
  if (used->adaptive) advice = "smaller tolerances reach a little further with each digit";
  snprintf(
      w->text, sizeof w->text,
      "errors grow by factors, as where neighbouring motions part: against a second run, %s, %s; do not trust what "
      "comes after t = %.4g s: %.120s",
      w->second, w->what, until, w->cause[0] ? w->cause : advice);
}

static void describe_equal(double h, double wanted, words *w) {
  snprintf(w->text, sizeof w->text,
           "steps of %.6g s are too coarse: against a second run, %s, %s; take h below %.2g, or a method with error "
           "control",
           h, w->second, w->what, wanted);
}

static void describe_sum(const td_integrator_spec *used, words *w) {
  char why[TD_WINDING_TEXT + 2] = "";
  if (w->cause[0]) snprintf(why, sizeof why, "; %s", w->cause);
  snprintf(w->text, sizeof w->text,
           "what steps of %s at rtol %.2g leave out adds up: against a second run, %s, %s%s; %s",
           td_integrator_get(used->method)->name, used->rtol, w->second, w->what, why, w->more);
}

bool td_retrace_doubts(const td_plant *plant, const td_integrator_spec *used, const td_integrator_spec *other,
                       double t_end, const double *ours, const double *theirs) {
  comparison c = {plant->model,
                  used,
                  ours,
                  theirs,
                  td_retrace_rows(plant->model->n),
                  t_end,
                  1 / growth(plant->model, used, other),
                  td_control_feeds_back(plant->control)};
  finding worst = worst_of(&c);
  return may_doubt(used, other) && worst.element && share(&worst) > DOUBT * most_of(used);
}

td_status td_retrace_judge(const td_plant *plant, const td_integrator_spec *used, const td_integrator_spec *other,
                           double t_end, const double *ours, const double *theirs, td_run_statistics *statistics,
                           td_error *err) {
  double grows = growth(plant->model, used, other), most = most_of(used), until;
  td_method judge = td_integrator_for(TD_SERVES_JUDGES);
  comparison c = {plant->model,
                  used,
                  ours,
                  theirs,
                  td_retrace_rows(plant->model->n),
                  t_end,
                  1 / grows,
                  td_control_feeds_back(plant->control)};
  finding worst = worst_of(&c);
  if (!worst.element || !(share(&worst) > most)) return TD_OK;
  words w;
  describe(plant, used, other, &worst, &w);
  bool better = used->adaptive && used->method != judge; // there is
  bool winds = td_winding_text(c.model, ours, c.rows, t_end, worst.t, w.cause);
  if (!(winds && better) && parts_exponentially(&c, &worst, &until)) {
    describe_parting(used, until, &w);
    td_warn(&statistics->warnings, "sensitive_motion", "/initial", "%s", w.text);
    return td_fail(err, TD_INCONSISTENT, "/initial", "%s", w.text);
  }
  if (!used->adaptive) {
    int order;
    double constant, h = fmin(used->h, t_end / (double)statistics->steps);
    accuracy_of(used, &order, &constant);
    describe_equal(used->h, h * pow(0.5 * most / share(&worst), 1. / order), &w);
    td_warn(&statistics->warnings, "coarse_step", "/integrator/h", "%s", w.text);
    return td_fail(err, TD_INCONSISTENT, "/integrator/h", "%s", w.text);
  }
  td_drift_advise(used, 2 * share(&worst) / most, w.more, sizeof w.more);
  if (winds && better) snprintf(w.more, sizeof w.more, "take the method %.40s", td_method_name(judge));
  describe_sum(used, &w);
  td_warn(&statistics->warnings, "accumulated_error", "/integrator/rtol", "%s", w.text);
  return td_fail(err, TD_INCONSISTENT, "/integrator/rtol", "%s", w.text);
}
