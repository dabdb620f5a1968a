// A tolerance bounds each step. Where damping takes errors away together with the motion that carries them, that bounds the run;
// where nothing does, they add up: a phase runs away, a momentum drifts, an attitude tumbles, and energies close all the same.
// How many steps' errors a run holds is counted as it goes,
//     N' = 1 / h - r N,   r = power of damping / (4 kinetic energy);
// few of them, or few beside those of the whole run, are let be, so that damped robots pay an exponential a step. Else the job is run again: radau's errors are
// 20 to 1e4 times below those of bdf and of Newmark's family at the same tolerances, and it is the reference at a tenth of them; radau and
// rk45 are run at ten times their tolerances, which costs two thirds, and their errors there are divided by what they grow by: those of radau as
// rtol^(5/6) (fifth order, steps by rtol^(1/6)), those of rk45 as rtol.
// Times of the trace are at no even distance, which might be that of a mode: at turning points no phase shows.
#include "solve/retrace.h"
#include "model/model.h"
#include "solve/drift.h"
#include "solve/rechart.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FEW = 5e-4, LEAST = 500,
                    LOOSE = 1e-5;             // steps: of 1 / rtol; at any tolerance; more where it is looser than that
static const double PART = 0.25, MUCH = 0.05; // of the steps of a run; or of the motion, if each errs by its tolerance
static const double LOOSER = 10, RADAU_GROWS = 5.8, RK45_GROWS = 9, FINER = 0.1;
static const double SMALL = 300, BESIDE = 1e-3; // of atol; of how far others of its kind get
static const double ALL_STEPS = 1e4;            // more than the first run took

// ------------------------------------------------------------------------------------------------ the first run

static double time_of(int row, double t_end) {
  static const double golden = 0.6180339887498949;
  double at = golden * row;
  return t_end * (row + 0.9 * (at - floor(at))) / TD_RETRACE_ROWS;
}

void td_retrace_note(td_retrace_account *a, const td_integrator *method, td_stepper *stepper, double t, double t_end,
                     int n, double kinetic, double lost, double *trace, double *scratch) {
  a->steps = (lost > 0 ? a->steps * exp(-lost / (4 * fmax(kinetic, 1e-300))) : a->steps) + 1;
  a->most = fmax(a->most, a->steps);
  for (; a->rows < TD_RETRACE_ROWS && time_of(a->rows, t_end) <= t; a->rows++) {
    if (method->interpolate(stepper, time_of(a->rows, t_end), scratch)) continue;
    memcpy(trace + (size_t)a->rows * (size_t)n, scratch, (size_t)n * sizeof *trace);
  }
}

bool td_retrace_wanted(const td_retrace_account *a, const td_integrator_spec *used, uint64_t steps) {
  double least = fmax(FEW / used->rtol, LEAST * sqrt(fmax(1, used->rtol / LOOSE)));
  bool lasts = a->most > PART * (double)steps || a->most * used->rtol > MUCH;
  return used->adaptive && a->rows == TD_RETRACE_ROWS && lasts && a->most > least;
}

// ------------------------------------------------------------------------------------------------ the second run

static bool is_good(td_method method) { return method == TD_METHOD_RADAU || method == TD_METHOD_RK45; }

void td_retrace_spec(const td_dynamics_spec *spec, const td_run_statistics *first, const td_integrator_spec *used,
                     td_dynamics_spec *out) {
  static const char *const fields[] = {"q"};
  double times = is_good(used->method) ? LOOSER : FINER;
  *out = *spec;
  out->fields = fields;
  out->field_count = 1;
  out->output_dt = spec->t_end;
  out->times = NULL;
  out->time_count = 0;
  td_integrator_defaults(&out->integrator);
  out->integrator.method = is_good(used->method) ? used->method : TD_METHOD_RADAU;
  out->integrator.rtol = fmin(0.1, times * used->rtol);
  out->integrator.atol = times * used->atol;
  out->integrator.h_max = spec->integrator.h_max;
  out->integrator.baumgarte = used->baumgarte;
  out->integrator.finite_difference = used->finite_difference;
  out->integrator.max_steps = ALL_STEPS + (double)first->steps;
  if (out->integrator.method == TD_METHOD_RADAU) out->integrator.cutoff = used->cutoff > 0 ? used->cutoff : 1e30;
}

// ------------------------------------------------------------------------------------------------ both

typedef enum part { TURN, SLIDE, SHAPE, PARTS } part; // rad, m, a soft body's coordinates

// How far two states of an element are apart.
static void apart(const td_model *m, const td_element *e, const double *a, const double *b, double out[PARTS]) {
  memset(out, 0, PARTS * sizeof *out);
  if (e->type == TD_ELEMENT_STRIP && e->rod < 0) { // by poses: rotation vectors are rewritten on the way
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

typedef struct finding {
  int coordinate;
  double error, reach, t;
} finding;

typedef struct comparison {
  const td_model *model;
  const double *ours, *theirs;
  double t_end, factor; // of the distance, to the error
} comparison;

// The largest error of an element in each part, and how far that gets from where it was.
static void compare(const comparison *c, const td_element *e, finding out[PARTS]) {
  for (int p = 0; p < PARTS; p++) out[p] = (finding){.coordinate = e->coordinate};
  for (int k = 0; k < TD_RETRACE_ROWS; k++) {
    const double *a = c->ours + k * c->model->n, *b = c->theirs + k * c->model->n;
    double way[PARTS], off[PARTS];
    apart(c->model, e, a, c->ours, way);
    apart(c->model, e, a, b, off);
    for (int p = 0; p < PARTS; p++) {
      out[p].reach = fmax(out[p].reach, way[p]);
      if (c->factor * off[p] > out[p].error) out[p].error = c->factor * off[p], out[p].t = time_of(k, c->t_end);
    }
  }
  if (out[TURN].reach > 2 * M_PI) out[TURN].reach = 2 * M_PI; // where something stands is known up to a turn
}

static double share(const finding *f) { return f->error / f->reach; }

static finding worst_of(const comparison *c, const td_integrator_spec *used) {
  finding worst = {.coordinate = -1}, found[PARTS];
  double furthest[PARTS] = {0};
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < c->model->element_count; i++) {
      if (c->model->element[i].n == 0) continue;
      compare(c, &c->model->element[i], found);
      for (int p = 0; p < PARTS; p++) {
        if (round == 0) furthest[p] = fmax(furthest[p], found[p].reach);
        bool moves = round == 1 && found[p].reach > fmax(SMALL * used->atol, BESIDE * furthest[p]);
        if (moves && (worst.coordinate < 0 || share(&found[p]) > share(&worst))) worst = found[p];
      }
    }
  return worst;
}

td_status td_retrace_judge(const td_plant *plant, const td_integrator_spec *used, const td_integrator_spec *other,
                           double t_end, const double *ours, const double *theirs, td_run_statistics *statistics,
                           td_error *err) {
  static const char *const pointer = "/integrator/rtol";
  double grows = used->method == TD_METHOD_RK45 ? RK45_GROWS : RADAU_GROWS;
  comparison c = {plant->model, ours, theirs, t_end, other->rtol > used->rtol ? 1 / grows : 1};
  finding worst = worst_of(&c, used);
  if (worst.coordinate < 0 || !(share(&worst) > fmax(TD_DRIFT_TOLERANCE, 10 * used->rtol))) return TD_OK;
  char text[TD_MESSAGE_SIZE], more[160];
  td_drift_advise(used, share(&worst), more, sizeof more);
  snprintf(text, sizeof text,
           "what steps of %s at rtol %.2g leave out adds up: against a second run, of %s at %.2g, \"%.63s\" is off by "
           "about %.3g by t = %.6g s, %.2g %% of the %.3g (rad, m or a shape's numbers) that it moves by; %s",
           td_integrator_get(used->method)->name, used->rtol, td_integrator_get(other->method)->name, other->rtol,
           td_model_coordinate_name(plant->model, worst.coordinate), worst.error, worst.t, 100 * share(&worst),
           worst.reach, more);
  td_warn(&statistics->warnings, "accumulated_error", pointer, "%s", text);
  return td_fail(err, TD_INCONSISTENT, pointer, "%s", text);
}
