// Symmetric robots under symmetric loads have no reason to choose a side: a strip that is pushed beyond Euler's load
// stays straight in a run that starts straight, as its equations of motion say, and buckles on every table. Such an end
// is told by three things: the last state is an equilibrium to rounding, it is at rest, and a small push would have
// grown by e^3 and more within the run. The same goes for what hangs exactly in the axis of a hub that turns too fast
// for it: there it is at rest relative to the hub.
#include "run/judge/balanced.h"
#include "statics/turning/relative_rest.h"
#include "statics/turning/slopes.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LAST = 0.7;                             // of the run
static const double NEAR = 1e-6, AT_REST = 1e-3, GROWN = 3; // rad, m and strains; per s; of growth rate times duration
enum { LARGEST = 256 };

static double farthest(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static double growth_of(const td_statics_result *r) {
  return r->conservative && !r->fed ? sqrt(fmax(0, -r->smallest_eigenvalue)) : r->growth_rate;
}

// Rates of prescribed joints at the end, in `rates` [n]; false: they did not turn on for the last part of the run, or
// loops do not turn along.
static bool turn_along(const td_simulation *run, td_statics *s, double *rates) {
  const td_plant *p = &run->plant;
  double t_end = run->spec->t_end;
  bool moves = false;
  td_driven_motion joints = td_driven_motion_at(p->model, run->inputs, LAST * t_end, t_end, rates);
  for (int i = 0; i < p->driven_count; i++) {
    int c = td_model_prescribed_coordinate(p->model, i, NULL);
    rates[c] = run->y[p->n + c];
    moves |= rates[c] != 0;
  }
  if (!moves) return true; // they stand
  s->qd = rates;
  return joints.on && td_loops_turn_along(p->model, run->ws, run->y, rates, s->loops.G);
}

// The equilibrium next to the end of the run, in s->q.
static bool find(td_simulation *run, td_statics *s, double *rates, td_statics_result *result) {
  td_plant *p = &run->plant;
  td_error why = {0};
  memcpy(s->q, run->y, (size_t)p->n * sizeof *s->q);
  td_inputs_eval(run->inputs, run->state.t, run->spec->t_end, p->u);
  return turn_along(run, s, rates) && !td_statics_find(s, p->u, result, &why);
}

static double fastest_free(const td_plant *p, const double *rates) {
  double most = 0;
  for (int i = 0; i < p->free_count; i++) most = fmax(most, fabs(rates[p->free[i]]));
  return most;
}

void td_balanced_tell(td_simulation *run) {
  td_plant *p = &run->plant;
  const double *y = run->y;
  if (run->spec->controller_count || p->n == 0 || p->n > LARGEST || !(fastest_free(p, y + p->n) < AT_REST)) return;
  td_statics s;
  td_statics_options options;
  td_statics_defaults(&options);
  options.max_iterations = 3, options.max_load_steps = 1;
  double *rates = calloc((size_t)p->n, sizeof *rates);
  if (!rates || td_statics_init(&s, p->model, run->ws, &options)) {
    free(rates);
    return;
  }
  td_statics_result result;
  if (find(run, &s, rates, &result) && td_equilibrium_is_unstable(&result)) {
    double growth = growth_of(&result);
    bool there = farthest(y, s.q, p->n) < NEAR && fastest_free(p, y + p->n) < NEAR * fmax(1, growth);
    if (there && growth * run->spec->t_end > GROWN && td_slopes_turn_along(&s, INFINITY))
      td_warn(&run->state.statistics.warnings, "unstable", "/initial/q",
              "the run ends at an equilibrium that is unstable, where the least push grows by e in %.3g s: only "
              "symmetry, or a start that "
              "is exactly there, holds it. A small load aside, a small curvature in `strain.reference` or a small "
              "entry of `initial.q` lets it go",
              1 / growth);
  }
  td_statics_fini(&s);
  free(rates);
}
