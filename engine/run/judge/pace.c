// A window is WINDOW steps; what its mean step makes of the time left is what the run heads for. A hard impact may fill
// a window or two; PATIENCE of them in a row, less than a minute's work, are no impact. The mode named is the fastest
// hardly damped one that steps of this size can see (w h < SEEN). Where the fastest is far below that (w h < FELT),
// modes are not why the steps are small, and nothing is said of them.
#include "run/judge/pace.h"
#include "integrate/integrator.h"
#include "plant/spectrum.h"
#include "why/cause.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { WINDOW = 20000, PATIENCE = 3 };
static const double MOST_FIXED = 2e8, MOST = 1e7, MANY_COORDINATES = 32, MANY = 1e6, SEEN = 10, FELT = 0.01;

double td_pace_most_steps(const td_plant *p, const td_integrator_spec *s) {
  double size = p->n / MANY_COORDINATES;
  if (s->max_steps > 0) return s->max_steps;
  return s->adaptive ? MOST / (1 + size * size) : MOST_FIXED;
}

double td_pace_longest_step(const td_plant *plant, const td_integrator_spec *spec, double rate, double t_end) {
  assert(rate >= 0 && t_end > 0);
  double half = 0.5 * td_pace_most_steps(plant, spec), most = spec->max_steps > 0 ? half : fmin(MANY, half);
  return fmax(1 / (TD_STEPS_A_PERIOD * rate), t_end / most);
}

static bool find(td_plant *p, double t, double h, const double *y, td_spectrum *modes) {
  td_spectrum_at(p, t, y, SEEN / h, NULL, modes);
  return modes->highest * h > FELT;
}

// "resolving modes at … of …: steps of …, the rest would take … of them", or that they have shrunk.
static void describe(td_plant *p, const td_integrator_spec *spec, double t, double h, double left, const double *y,
                     char *text, size_t size) {
  td_spectrum modes;
  int link;
  double metres;
  td_method lasting = td_integrator_for(TD_SERVES_TREES);
  bool other = spec->method != lasting;
  if (td_cause_far(p->model, y, &link, &metres) <= TD_FAR * spec->rtol && find(p, t, h, y, &modes))
    snprintf(
        text, size,
        "resolving modes at %.3g rad/s of %.80s: steps of %.3g s, the rest would take %.2g of them. Add viscosity, or "
        "take %s%s%s with fixed h",
        modes.highest, td_model_coordinate_name(p->model, modes.coordinate), h, left / h,
        other ? td_method_name(lasting) : "", other ? ", or " : "", td_method_name(td_integrator_for(TD_SERVES_STEPS)));
  else
    snprintf(text, size, "steps have shrunk to %.3g s, the rest would take %.2g of them", h, left / h);
}

td_status td_pace_check(td_pace *pace, td_plant *plant, const td_integrator_spec *spec, double t, double t_end,
                        const double *y, td_error *err) {
  if (++pace->steps < WINDOW) return TD_OK;
  char text[400];
  double mean = (t - pace->since) / WINDOW, left = t_end - t, most = td_pace_most_steps(plant, spec);
  pace->steps = 0;
  pace->since = t;
  pace->slow = left > most * mean ? pace->slow + 1 : 0;
  pace->many = spec->adaptive && left > MANY * mean ? pace->many + 1 : 0;
  if (pace->slow < PATIENCE && pace->many != PATIENCE) return TD_OK;
  describe(plant, spec, t, mean, left, y, text, sizeof text);
  const char *name = td_integrator_get(spec->method)->name;
  if (pace->slow >= PATIENCE)
    return td_fail(err, TD_STEP_TOO_SMALL, "", "%s at t = %.9g s: %s (`max_steps` allows %.2g)", name, t, text, most);
  td_warn(&plant->statistics->warnings, "many_steps", "/integrator", "%s at t = %.9g s: %s", name, t, text);
  return TD_OK;
}
