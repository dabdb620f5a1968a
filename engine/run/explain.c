// Why a run could not go on, as far as its last state shows it: a mass matrix that is singular there, a rod bent beyond
// what its functions hold, a tendon without length, a singular configuration of loops, loops that have drifted apart.
#include "constraint/closed_chain.h"
#include "constraint/loop_closure.h"
#include "model/model.h"
#include "run/run.h"
#include "why/cause.h"

#include <stdio.h>
#include <string.h>

static void append(td_error *err, const char *text) {
  size_t used = strlen(err->message);
  if (used + strlen(text) < sizeof err->message) memcpy(err->message + used, text, strlen(text) + 1);
}

// Adds the cause to a failure's message where it is known.
void td_simulation_explain_state(td_simulation *run, td_error *err) {
  char why[256];
  if (!run->y) return;
  td_cause_explain(run->plant.model, run->y, why, sizeof why);
  if (!strstr(err->message, why)) append(err, why); // a start at equilibrium has been explained by statics
}

// Where a run ends next to a configuration in which loops lose rank, that is why.
static void explain_singular(td_simulation *run, td_error *err) {
  static const double near = 0.02; // of the largest singular value
  double value, size;
  int rank;
  if (run->plant.rows == 0 || !run->singular.u) return;
  bool known =
      !td_loop_smallest(&run->plant.projection, run->y, false, run->singular.u, run->singular.v, &value, &size, &rank);
  const td_warnings *said = &run->state.statistics.warnings;
  for (int i = 0; i < said->count; i++)
    if (strcmp(said->list[i].code, "singular_configuration") == 0 && strcmp(said->list[i].pointer, "/initial/q") == 0) {
      append(err, "; ");
      append(err, said->list[i].detail);
      return;
    }
  if (known && (size < near || rank < run->singular.most))
    append(err, "; it is next to a singular configuration, in which rows of the loops lose rank and multipliers grow "
                "beyond bounds: "
                "which way a mechanism goes on from there is not determined by its loops");
}

td_status td_simulation_explain(td_simulation *run, td_status status, td_error *err) {
  char drift[400];
  if (!run->y || (status != TD_NOT_CONVERGED && status != TD_STEP_TOO_SMALL && status != TD_NONFINITE)) return status;
  if (td_plant_massless(&run->plant, run->y))
    return td_fail(err, TD_SINGULAR, "", "%s at t = %.9g s: %s", td_method_name(run->method_spec.method), run->state.t,
                   run->plant.singular);
  if (!err) return status;
  td_simulation_explain_state(run, err);
  double error = 0;
  int loop, first, rows;
  explain_singular(run, err);
  td_cause_explain_far(run->plant.model, run->y, run->method_spec.rtol, drift, sizeof drift);
  append(err, drift);
  if (td_loop_drift(&run->plant.projection, run->y, &error, &loop) || loop < 0) return status;
  snprintf(drift, sizeof drift, "; loop errors up to %.3g, at \"%.63s\"", error,
           td_model_loop_name(run->plant.model, loop, &first, &rows));
  append(err, drift);
  return status;
}
