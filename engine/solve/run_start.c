// The state that a run begins with: given, at rest, or nearest to what was given that its loops and prescribed joints allow.
#include "model/model.h"
#include "solve/choice.h"
#include "solve/initial_check.h"
#include "solve/moved.h"
#include "solve/odd_start.h"
#include "solve/passage.h"
#include "solve/run.h"
#include "solve/statics.h"
#include "solve/witness.h"
#include <stdlib.h>
#include <string.h>

// Whether the way from the guess, which is kept in run->sample_y, leads through an obstacle.
static void tell_passage(td_simulation *run, const td_statics_options *options) {
  td_statics s;
  if (td_statics_init(&s, run->plant.model, run->ws, options)) return;
  memcpy(s.q, run->y, (size_t)s.n * sizeof *s.q);
  s.u = run->plant.u;
  td_passage_tell(&s, run->sample_y, NULL, "the equilibrium that the run starts at", &run->state.statistics.warnings);
  td_statics_fini(&s);
}

static td_status start_at_rest(td_simulation *run, td_error *err) {
  td_statics_options options;
  td_statics_result result;
  td_statics_defaults(&options);
  run->plant.inside = 0;
  td_inputs_eval(run->inputs, 0, 0, run->plant.u);
  td_error why = {0};
  memcpy(run->sample_y, run->y, (size_t)run->plant.n * sizeof *run->y);
  td_status status = td_statics_solve(run->plant.model, run->ws, run->plant.u, &options, run->y, &result, &why);
  td_statics_tell(&result, &run->state.statistics);
  if (!status && run->plant.model->contact_count > 0) tell_passage(run, &options);
  if (status) return td_fail(err, status, "/initial/q", "%s", why.message);
  if (!td_equilibrium_is_unstable(&result)) return TD_OK;
  if (result.fed)
    td_warn(
        &run->state.statistics.warnings, "unstable", "/initial/q",
        "the equilibrium that the run starts at is unstable: the current feeds motions about it, the least push grows "
        "by e in %.3g s while it swings by %.3g rad/s; rounding decides when, a small entry of `initial.qd` does",
        1 / result.growth_rate, result.growth_frequency);
  else
    td_warn(&run->state.statistics.warnings, "unstable", "/initial/q",
            "the equilibrium that the run starts at is unstable: rounding decides when and to which side it is left; a "
            "small load aside, or a small curvature in `strain.reference`, "
            "decides it");
  return TD_OK;
}

static void tell_singular_start(td_simulation *run) {
  char what[400];
  td_singular_describe(&run->plant, run->y, what, sizeof what);
  if (!*what) return;
  td_warn(&run->state.statistics.warnings, "singular_configuration", "/initial/q",
          "the run starts in a singular configuration: %s; the method and its rounding decide which. Start a little "
          "beside it",
          what);
}

// Prescribed coordinates go to f(0), then q to the nearest state that closes the loops, then qd to the nearest they allow.
static td_status assemble(td_simulation *run, double first_end, td_error *err) {
  td_plant *p = &run->plant;
  if (!td_plant_constrained(p)) return TD_OK;
  p->inside = 0.5 * first_end;
  double *from = malloc((size_t)p->n * sizeof *from + 1);
  if (!from) return td_fail(err, TD_NO_MEMORY, "", "no memory for the initial state");
  memcpy(from, run->y, (size_t)p->n * sizeof *from);
  td_plant_drive(p, 0, run->y, NULL);
  td_inputs_eval(run->inputs, 0, p->inside, p->u);
  p->projection.u = p->u;
  memcpy(run->sample_y, run->y, (size_t)p->n * sizeof *run->y);
  td_status status = td_assemble_turning(&p->projection, from, run->y, err);
  free(from);
  if (!status) status = td_initial_shape_check(p->model, run->y, "/initial/q", err);
  if (status) return status;
  if (run->spec->initial == TD_INITIAL_ARRAY)
    td_moved_tell(p->model, run->sample_y, run->y, &run->state.statistics.warnings);
  else
    td_moved_tell_open(p->model, run->y, &run->state.statistics.warnings);
  td_place root = td_place_root_of(&run->state.statistics.warnings, err);
  if (run->spec->initial != TD_INITIAL_EQUILIBRIUM) td_start_remark_assembled(&root, p->model, run->y);
  td_misfit_tell(p->projection.misfit, &run->state.statistics.warnings);
  tell_singular_start(run);
  td_plant_note_rank(p, true, run->y);
  status = td_project_velocity(&p->projection, run->y, run->y + p->n);
  if (!status && run->spec->qd)
    td_moved_tell_rates(p->model, run->spec->qd, run->y + p->n, &run->state.statistics.warnings);
  return status ? td_fail(err, status, "/initial/qd", "the loops' velocities at the start are not finite") : TD_OK;
}

td_status td_simulation_start(td_simulation *run, double first_end, td_error *err) {
  size_t n = (size_t)run->plant.n;
  const td_dynamics_spec *spec = run->spec;
  if (spec->initial == TD_INITIAL_ARRAY && n) memcpy(run->y, spec->q, n * sizeof *run->y);
  if (spec->qd && n) memcpy(run->y + n, spec->qd, n * sizeof *run->y);
  td_status status = spec->initial == TD_INITIAL_EQUILIBRIUM ? start_at_rest(run, err) : TD_OK;
  if (!status) status = assemble(run, first_end, err);
  if (status) return status;
  status = td_plant_energy(&run->plant, run->state.t, run->y, &run->state.first);
  run->state.last = run->state.first;
  td_guard_note_energy(&run->state.guard, &run->state.first, 0);
  td_witness_note(run, &run->state.first);
  return status ? td_fail(err, status, "/initial", "the energy of the initial state is not finite") : TD_OK;
}
