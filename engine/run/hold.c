// Springs of contacts that stick, over the steps of a run (force/contact/bristle.h).
//
// A step is judged with the springs as they were at its start: energies, samples inside it and its account. Then they
// are fixed anew. The account has the power of all that rubs as lost: what springs hold of it comes off.
#include "force/contact/bristle.h"
#include "pass/kinematics.h"
#include "run/run.h"
#include <string.h>

static td_bristle *taken(const td_simulation *run) { return run->bristle + run->plant.model->bristle_count; }

// What touches, and how, depends on springs.
static void let_go(td_simulation *run) { run->ws->holds &= ~(unsigned)(TD_HOLDS_NEARBY | TD_HOLDS_MET); }

static td_bristles_left take(td_simulation *run, double h) {
  const td_model *m = run->plant.model;
  td_kinematics(m, run->ws, run->y, run->y + run->plant.n, NULL, m->gravity, TD_LEVEL_TWIST);
  return td_bristles_take(m, run->ws, h, taken(run));
}

void td_simulation_put_down(td_simulation *run) {
  if (run->plant.model->bristle_count == 0) return;
  run->ws->bristle = run->bristle;
  let_go(run);
  if (run->state.put_down) return;
  (void)take(run, 0);
  run->state.put_down = true;
  td_simulation_go_on(run);
}

void td_simulation_hold(td_simulation *run, double h) {
  td_run_state *s = &run->state;
  if (run->plant.model->bristle_count == 0) return;
  td_bristles_left left = take(run, h);
  s->ledger.rubbing -= left.energy - s->held;
  s->held = left.energy;
  s->hurry = left.hurry;
}

void td_simulation_go_on(td_simulation *run) {
  memcpy(run->bristle, taken(run), (size_t)run->plant.model->bristle_count * sizeof *run->bristle);
  let_go(run);
}
