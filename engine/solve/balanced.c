// Symmetric robots under symmetric loads have no reason to choose a side: a strip that is pushed beyond Euler's load stays straight in a run that
// starts straight, as its equations of motion say, and buckles on every table. Such an end is told by three things: the last state is an
// equilibrium to rounding, it is at rest, and a small push would have grown by e^3 and more within the run.
#include "solve/balanced.h"
#include "solve/signal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 1e-6, AT_REST = 1e-3, GROWN = 3; // rad, m and strains; per s; of growth rate times duration
enum { LARGEST = 256 };

static double farthest(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - (b ? b[i] : 0)));
  return most;
}

static double growth_of(const td_statics_result *r) {
  return r->conservative && !r->fed ? sqrt(fmax(0, -r->smallest_eigenvalue)) : r->growth_rate;
}

void td_balanced_tell(td_simulation *run) {
  td_plant *p = &run->plant;
  const double *y = run->y;
  if (run->spec->controller_count || p->n == 0 || p->n > LARGEST || !(farthest(y + p->n, NULL, p->n) < AT_REST)) return;
  double *q = malloc((size_t)p->n * sizeof *q);
  if (!q) return;
  memcpy(q, y, (size_t)p->n * sizeof *q);
  td_statics_options options;
  td_statics_defaults(&options);
  td_statics_result result;
  td_error why = {0};
  options.max_iterations = 3, options.max_load_steps = 1;
  td_inputs_eval(run->inputs, run->state.t, run->spec->t_end, p->u);
  td_status status = td_statics_solve(p->model, run->ws, p->u, &options, q, &result, &why);
  if (!status && td_equilibrium_is_unstable(&result)) {
    double growth = growth_of(&result);
    bool there = farthest(y, q, p->n) < NEAR && farthest(y + p->n, NULL, p->n) < NEAR * fmax(1, growth);
    if (there && growth * run->spec->t_end > GROWN)
      td_warn(&run->state.statistics.warnings, "unstable", "/initial/q",
              "the run ends at an equilibrium that is unstable, where the least push grows by e in %.3g s: only "
              "symmetry, or a start that "
              "is exactly there, holds it. A small load aside, a small curvature in `strain.reference` or a small "
              "entry of `initial.q` lets it go",
              1 / growth);
  }
  free(q);
}
