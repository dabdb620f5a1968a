// Radau, but for trees of many coordinates, whose matrices are smaller by bdf (td_integrator_for_damped). Bdf of order 3
// and more is unstable for modes near the imaginary axis: it follows each mode w that is hardly damped in steps of about
// 1 / w, whatever its amplitude. Radau is stable there at any step, and resolves modes for accuracy only; so it takes
// over where a run has many periods of one, w t_end > MANY; it is the more accurate, too (a pendulum of 1 rad after 100
// periods, at the same tolerances: a tenth of bdf's error of phase). It takes over, too, where some motion lasts as long
// as the run because nothing damps it, however slow: a tumbling body, a heavy top, a pendulum near its highest point. With the default tolerances bdf's errors there are 20 to 180 times those of radau, at the same
// cost (tumbling body 3e-2 rad/s, pendulum from 170 degrees 9e-3 rad after a period). Accuracy asks for every mode that
// is excited above the tolerances, and the sections of an undamped rod vibrate at 1e5 rad/s and more by nanometres for
// ever. `cutoff` says what is slow enough to be resolved. Measured on released rods of steel, silicone and nylon, 1 s,
// orders 3 to 8, two in a chain: with a cutoff of 300 rad/s tips are within 1.2e-7 of a length, with 3000 within 7e-9,
// at 1 to 20 thousand steps; resolving all modes took up to millions. The spectrum is that of the initial q of the job
// (0 when it asks for the equilibrium) at the inputs of t = 0. Springs that may be wound up by a turn: `run/winding.c`.
#include "run/choice.h"
#include "control/controller.h"
#include "integrate/integrator.h"
#include "model/model.h"
#include "run/winding.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LASTS = 1; // decay in the time of a run
static const double HELD = 0.6, PAID = 1.7e5, MANY_COORDINATES = 32;
static const double MANY = 200, RESOLVED = 2000, ABOVE_SLOWEST = 30, ABOVE_INPUTS = 10, ABOVE_DRIVING = 4;

// As far as steps can be paid: a mode takes 5 to 7 of them a radian.
static double payable(const td_plant *p, const td_dynamics_spec *spec) {
  double size = p->n / MANY_COORDINATES;
  return PAID / spec->t_end / (1 + size * size);
}

static bool turns(const td_model *m, int coordinate) {
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->type == TD_ELEMENT_SCREW && e->rotates && e->coordinate <= coordinate && coordinate < e->coordinate + e->n)
      return true;
  }
  return false;
}

// Inputs that go to and fro, motors that turn, and what turns already: unbalanced bodies shake the robot at these
// rates, rad/s.
static double driving(const td_plant *p, const td_dynamics_spec *spec) {
  double fastest = 2 * M_PI * td_inputs_rate(p->inputs, 0, spec->t_end, NULL);
  for (int i = 0; spec->qd && i < p->n; i++)
    if (turns(p->model, i)) fastest = fmax(fastest, fabs(spec->qd[i]));
  for (int i = 0; i < p->driven_count; i++) {
    int channel, coordinate = td_model_prescribed_coordinate(p->model, i, &channel);
    if (turns(p->model, coordinate)) fastest = fmax(fastest, td_inputs_speed(p->inputs, channel, spec->t_end));
  }
  return fastest;
}

// The state of the start as the job gives it, y [2 n], and room for n more. NULL: no memory.
static double *start_of(td_plant *p, const td_dynamics_spec *spec) {
  size_t n = (size_t)p->n;
  double *y = calloc(3 * n + 1, sizeof *y);
  if (!y) return NULL;
  if (spec->initial == TD_INITIAL_ARRAY && n) memcpy(y, spec->q, n * sizeof *y);
  p->t_side = 0;
  if (spec->qd && n) memcpy(y + n, spec->qd, n * sizeof *y);
  td_plant_drive(p, 0, y, NULL);
  return y;
}

static int winding(td_plant *p, const td_dynamics_spec *spec) {
  double *y = start_of(p, spec);
  int coordinate = y ? td_winding_expected(p, y) : -1;
  free(y);
  return coordinate;
}

static void spectrum(td_plant *p, const td_dynamics_spec *spec, td_spectrum *out) {
  size_t n = (size_t)p->n;
  double *y = start_of(p, spec);
  if (!y) return;
  double *moving = y + 2 * n;
  memcpy(moving, y + n, n * sizeof *y);
  memset(y + n, 0, n * sizeof *y);
  td_excitation by = {.q = spec->initial == TD_INITIAL_ARRAY ? spec->q : NULL,
                      .rates = spec->qd,
                      .moving = moving,
                      .t_end = spec->t_end,
                      .payable = payable(p, spec) / HELD,
                      .balanced = spec->initial == TD_INITIAL_EQUILIBRIUM};
  td_spectrum_at(p, 0, y, INFINITY, &by, out);
  out->driving = driving(p, spec);
  if (spec->initial == TD_INITIAL_EQUILIBRIUM) out->energetic = 0;
  free(y);
}

// A power of 2, so that rounding errors of the eigenproblem do not show in the bits of a run.
static double above(double x) { return exp2(ceil(log2(x))); }

// What of the energy at the start is not to be lost, and what drives, as far as a run of that length can be paid.
static double for_energy(const td_plant *p, const td_dynamics_spec *spec, const td_spectrum *modes) {
  double most = payable(p, spec), wanted = fmax(HELD * modes->energetic, ABOVE_DRIVING * modes->driving);
  if (wanted > most) wanted = 0.5 * most; // a power of 2 above the half is below the whole
  return fmax(wanted, HELD * modes->payable);
}

static double cutoff(const td_plant *p, const td_dynamics_spec *spec, const td_integrator_spec *s,
                     const td_spectrum *modes) {
  double scale = fmin(td_inputs_time_scale(spec->inputs, spec->input_count), td_controllers_time_scale(spec));
  double wanted = fmax(RESOLVED / spec->t_end, fmax(ABOVE_SLOWEST * modes->lowest, ABOVE_INPUTS / scale));
  wanted = fmax(wanted, for_energy(p, spec, modes));
  if (s->cutoff > 0) return s->cutoff < modes->highest ? s->cutoff : 0;
  return wanted < modes->highest ? above(wanted) : 0;
}

// Rigid bodies whose motion lasts are cheap, and their errors add up: tumbling about the middle axis for 20 s is off by
// 1.3e-2 at the default tolerances, by 2e-4 at a hundredth of them, in twice the steps. Tolerances that were given are
// kept.
static void tighten(const td_model *m, const td_integrator_spec *asked, td_integrator_spec *resolved) {
  static const double part = 0.01;
  td_integrator_spec usual;
  td_integrator_defaults(&usual);
  bool given =
      asked->given & (TD_OPTION_RTOL | TD_OPTION_ATOL) || asked->rtol != usual.rtol || asked->atol != usual.atol;
  if (given || m->rod_count > 0 || m->ritz_count > 0) return;
  resolved->rtol = part * usual.rtol;
  resolved->atol = part * usual.atol;
}

void td_choose(td_plant *plant, const td_dynamics_spec *spec, td_integrator_spec *resolved) {
  assert((unsigned)resolved->method < TD_METHOD_COUNT);
  td_run_statistics *s = plant->statistics;
  bool automatic = spec->integrator.method == TD_METHOD_AUTOMATIC, open = automatic && plant->rows == 0;
  s->spectrum = (td_spectrum){.coordinate = -1, .seen_coordinate = -1, .decay = INFINITY};
  s->choice = !automatic ? TD_CHOICE_ASKED : plant->rows > 0 ? TD_CHOICE_LOOPS : TD_CHOICE_UNKNOWN;
  if (open || td_integrator_sifts(resolved, plant->rows > 0)) spectrum(plant, spec, &s->spectrum);
  const td_spectrum *modes = &s->spectrum;
  if (open && modes->known) {
    bool fast = modes->highest * spec->t_end > MANY;
    bool lasting = modes->decay * spec->t_end < LASTS;
    s->choice = fast ? TD_CHOICE_UNDAMPED : lasting ? TD_CHOICE_LASTING : TD_CHOICE_DAMPED;
    s->winding = s->choice == TD_CHOICE_DAMPED ? winding(plant, spec) : -1;
    if (s->winding >= 0) s->choice = TD_CHOICE_WINDING;
    bool damped = s->choice == TD_CHOICE_DAMPED && !resolved->differentiated;
    resolved->method = damped ? td_integrator_for_damped(plant->n) : td_integrator_for(TD_SERVES_TREES);
    if (lasting) tighten(plant->model, &spec->integrator, resolved);
  }
  bool sifts = modes->known && td_integrator_sifts(resolved, plant->rows > 0);
  resolved->cutoff = sifts ? cutoff(plant, spec, resolved, modes) : 0;
  s->method = resolved->method;
  s->rtol = resolved->rtol;
  s->atol = resolved->atol;
  s->limit = MANY / spec->t_end;
  s->cutoff = resolved->cutoff;
}

double td_choice_wanted(const td_run_statistics *s) {
  const td_spectrum *m = &s->spectrum;
  double held = HELD * fmax(m->seen, m->energetic), driven = fmin(ABOVE_DRIVING * m->driving, m->highest);
  return held > 0 || driven > 0 ? above(fmax(held, driven)) : 0;
}

static void tell(td_run_statistics *s, const char *what, double wanted) {
  td_warn(&s->warnings, "unresolved_modes", "/integrator/cutoff",
          "%s; modes above %.3g rad/s are held stable, but not resolved, and that motion is lost: take a `cutoff` of "
          "%.6g, with which the run takes more steps, or a shorter run",
          what, s->cutoff, wanted);
}

bool td_choice_tell(const td_model *model, td_run_statistics *s) {
  const td_spectrum *m = &s->spectrum;
  char what[200];
  bool seen = s->cutoff < HELD * m->seen, driven = s->cutoff < fmin(ABOVE_DRIVING * m->driving, m->highest);
  if (!(s->cutoff > 0) || (!seen && !driven)) return false;
  if (seen)
    snprintf(what, sizeof what, "\"%.80s\" moves at %.3g rad/s for more than 1 %% of its energy",
             td_model_coordinate_name(model, m->seen_coordinate), m->seen);
  else
    snprintf(what, sizeof what, "inputs or joints go round at %.3g rad/s, and there are modes up to %.3g rad/s",
             m->driving, m->highest);
  tell(s, what, td_choice_wanted(s));
  return true;
}

void td_choice_tell_lost(const td_model *model, int coordinate, double w, double share, td_run_statistics *s) {
  char what[200];
  snprintf(what, sizeof what, "steps took %.2g times its largest energy out of \"%.80s\" at about %.3g rad/s", share,
           td_model_coordinate_name(model, coordinate), w);
  tell(s, what, fmax(fmax(2 * s->cutoff, td_choice_wanted(s)), above(w)));
}

// ------------------------------------------------------------------------------------------------ words

static void unresolved(const td_run_statistics *s, char *text, size_t size) {
  *text = 0;
  if (s->cutoff > 0)
    snprintf(text, size, "; those above %.3g rad/s are held stable but not resolved (`cutoff`)", s->cutoff);
}

// A run that is differentiated does not go by the method that the same job takes otherwise.
static void tell_stand_in(const td_model *model, const td_run_statistics *s, char *text, size_t size) {
  td_method damped = td_integrator_for_damped(model->n);
  const char *usual = td_method_name(damped), *own = td_method_name(s->method);
  size_t length = strlen(text);
  if (s->method != damped)
    snprintf(
        text + length, size - length,
        "; without derivatives this job goes by %s, whose steps have none: %s stands in for it, and its numbers are "
        "others within the tolerances",
        usual, own);
}

static const char *name_of(td_service service) { return td_method_name(td_integrator_for(service)); }

void td_run_reason(const td_model *model, const td_run_statistics *s, char *text, size_t size) {
  const td_spectrum *m = &s->spectrum;
  const char *name = m->coordinate >= 0 ? td_model_coordinate_name(model, m->coordinate) : "";
  const char *own = td_method_name(s->method), *lasting = name_of(TD_SERVES_TREES), *many = name_of(TD_SERVES_MANY);
  bool takes_over = td_integrator_for_damped(model->n) != td_integrator_for(TD_SERVES_TREES);
  char more[120], modes[256];
  unresolved(s, more, sizeof more);
  snprintf(modes, sizeof modes, "modes up to %.3g rad/s (%.80s) are hardly damped%s", m->highest, name, more);
  if (s->choice == TD_CHOICE_LOOPS && s->method == td_integrator_for(TD_SERVES_LOOPS))
    snprintf(text, size, "the model has loops, which %s follows with the smallest errors%s", own, more);
  if (s->choice == TD_CHOICE_LOOPS && s->method == td_integrator_for(TD_SERVES_STEPS))
    snprintf(text, size, "the model has loops, and the job asks for steps of a given size or for options of %s", own);
  if (s->choice == TD_CHOICE_UNKNOWN) snprintf(text, size, "the modes at the start cannot be found");
  if (s->choice == TD_CHOICE_UNDAMPED) snprintf(text, size, "%s", modes);
  if (s->choice == TD_CHOICE_UNDAMPED && takes_over)
    snprintf(text, size, "%s; beyond %.3g rad/s, %g / t_end, %s takes over from %s", modes, s->limit, MANY, lasting,
             many);
  if (s->choice == TD_CHOICE_LASTING)
    snprintf(text, size, "some motion lasts as long as the run: nothing damps it%s",
             s->rtol < 1e-6 ? "; of rigid bodies it is followed at rtol 1e-8 and atol 1e-11 where the job gives none"
                            : "");
  if (s->choice == TD_CHOICE_ASKED)
    snprintf(text, size, "asked for%s%s", m->highest > 0 ? "; " : "", m->highest > 0 ? modes : "");
  if (s->choice == TD_CHOICE_DAMPED && m->highest > 0)
    snprintf(text, size, "no mode faster than %.3g rad/s (%.80s) is hardly damped", m->highest, name);
  if (s->choice == TD_CHOICE_DAMPED && m->highest > 0 && takes_over)
    snprintf(text, size,
             "no mode faster than %.3g rad/s (%.80s) is hardly damped, and %s resolves that one: %s takes over "
             "beyond %.3g rad/s, %g / t_end, where a run has more than thirty periods of a mode",
             m->highest, name, many, lasting, s->limit, MANY);
  if (s->choice == TD_CHOICE_WINDING)
    snprintf(text, size,
             "the rotation vector that \"%.63s\" is of may get to a whole turn, where it is singular, and what acts "
             "along it keeps it from being rewritten: %s is right there, %s is not",
             td_model_coordinate_name(model, s->winding), own, many);
  if (s->choice == TD_CHOICE_DAMPED && !(m->highest > 0)) snprintf(text, size, "no mode is hardly damped");
  if (s->choice == TD_CHOICE_DAMPED || s->choice == TD_CHOICE_UNKNOWN) tell_stand_in(model, s, text, size);
}
