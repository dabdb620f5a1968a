// What is odd in a dynamics job that passed every rule:
//   odd_duration  longer than a day of simulated time; knots and windows of which the run sees nothing, or next to
//                 nothing
//   undamped      a rod without any damping under error control: steps follow its fastest waves, which never die
//   starts_inside, and references beside the robot: odd_start.c
//   coarse_tolerance  atol or rtol at which a step may be wrong by a good part of what moves
//   coarse_step   fewer than ten fixed steps in all, or fewer than twenty fixed steps to a period of an input: of ten a
//                 method of second order makes 3 % of an error
#include "run/job_oddities.h"
#include "control/odd_reference.h"
#include "control/parts.h"
#include "input/odd_inputs.h"
#include "input/odd_speed.h"
#include "input/odd_start.h"
#include "input/signal.h"
#include "input/unsteady_flow.h"
#include "integrate/integrator.h"
#include "model/model.h"
#include <math.h>

static const double FEWEST = 20;          // steps to a period
static const double FAR = 100, SEEN = 50; // s that milliseconds would explain; times the run: what it sees little of

static bool is_damped(const td_rod *rod) {
  size_t at = 0;
  if (rod->damping_time > 0) return true;
  for (int g = 0; g < rod->group_count; g++) {
    size_t size = (size_t)rod->group[g].count * (size_t)rod->group[g].count;
    for (size_t i = 0; i < size; i++)
      if (rod->damping[at + i] != 0) return true;
    at += size;
  }
  return at == 0;
}

static void remark_damping(const td_place *root, const td_model *model) {
  for (int r = 0; r < model->rod_count; r++) {
    const td_rod *rod = &model->rod[r];
    if (rod->column || is_damped(rod)) continue; // reduced bodies move slowly by their making
    td_place all = td_place_key(root, "model"), links = td_place_key(&all, "links"),
             link = td_place_at(&links, (size_t)rod->link), body = td_place_key(&link, "body");
    td_place_warn(&body, "undamped",
                  "the rod \"%s\" has no damping: steps with error control follow its fastest waves, which never die; "
                  "give it a viscosity, or take %s, or %s with a fixed h",
                  model->link[rod->link].name, td_method_name(td_integrator_for(TD_SERVES_TREES)),
                  td_method_name(td_integrator_for(TD_SERVES_STEPS)));
  }
}

static double rate_of(const td_signal_spec *spec, double t_end) {
  td_signal *signal;
  if (td_signal_create(spec, &signal)) return 0;
  double rate = td_signal_rate(signal, 0, t_end);
  td_signal_destroy(signal);
  return rate;
}

// Coordinates are radians, metres and numbers of order 1.
static void remark_tolerances(const td_place *root, const td_integrator_spec *s) {
  static const double most_atol = 0.01, most_rtol = 0.05;
  td_place at = td_place_key(root, "integrator"), atol = td_place_key(&at, "atol"), rtol = td_place_key(&at, "rtol");
  if (s->atol > most_atol)
    td_place_warn(&atol, "coarse_tolerance",
                  "each step may be wrong by %.3g rad or m, as much as robots move: leave atol out (1e-9)", s->atol);
  if (s->rtol > most_rtol)
    td_place_warn(&rtol, "coarse_tolerance",
                  "each step may be wrong by %.3g of where the robot is: leave rtol out (1e-6)", s->rtol);
}

static void remark_steps(const td_place *root, double h, double t_end) {
  static const double few = 10;
  td_place at = td_place_key(root, "integrator"), place = td_place_key(&at, "h");
  if (h * few > t_end * (1 + 1e-9))
    td_place_warn(&place, "coarse_step", "%.6g s in steps of %.6g s are fewer than %g steps: take a smaller h", t_end,
                  h, few);
}

static void remark_inputs(const td_place *root, const td_dynamics_spec *spec, double h) {
  td_place inputs = td_place_key(root, "inputs");
  for (size_t i = 0; i < spec->input_count; i++) {
    td_place at = td_place_key(&inputs, spec->inputs[i].channel);
    double f = rate_of(&spec->inputs[i].signal, spec->t_end);
    if (f * h * FEWEST > 1)
      td_place_warn(&at, "coarse_step", "%.6g Hz in fixed steps of %.6g s are %.3g steps to a period: take a smaller h",
                    f, h, 1 / (f * h));
  }
}

// When the last knot of a signal is; 0: it has none.
static double last_knot(const td_signal_spec *s) {
  double last = s->count > 0 && s->t ? s->t[s->count - 1] : 0;
  for (size_t i = 0; i < s->of_count; i++) last = fmax(last, last_knot(&s->of[i]));
  return last;
}

// When a signal of knots alone first does something; 0: from the start. Ahead of its first knot a signal of steps is 0,
// others are held.
static double first_knot(const td_signal_spec *s) {
  double first = s->count > 0 && s->t ? s->t[0] : INFINITY;
  for (size_t i = 0; i < s->of_count; i++) first = fmin(first, first_knot(&s->of[i]));
  return first;
}

// A window that opens, and knots that come, when the run has ended.
static void remark_controller(const td_place *at, const td_controller_spec *c, double t_end) {
  const td_reference_spec *ref = &c->reference;
  td_place from = td_place_key(at, "from"), reference = td_place_key(at, "reference"),
           times = td_place_key(&reference, "t");
  if (c->from >= t_end)
    td_place_warn(&from, "odd_duration", "it acts from %.6g s on, the run ends at %.6g s: times are in seconds",
                  c->from, t_end);
  if (ref->knots < 2) return;
  double next = ref->t[1];
  if (ref->t[0] >= t_end)
    td_place_warn(&times, "odd_duration",
                  "the reference begins at %.6g s, the run ends at %.6g s: of it only its first value is seen",
                  ref->t[0], t_end);
  else if (next >= FAR && next > SEEN * t_end)
    td_place_warn(&times, "odd_duration",
                  "the first knot is followed by one at %.6g s, the run ends at %.6g s: of the way to it %.2g %% is "
                  "seen; times are in seconds",
                  next, t_end, 100 * (t_end - ref->t[0]) / (next - ref->t[0]));
}

static void remark_controllers(const td_place *root, const td_dynamics_spec *spec) {
  for (size_t i = 0; i < spec->controller_count; i++) {
    td_place above, at = td_controller_place(root, spec, i, &above);
    remark_controller(&at, &spec->controllers[i], spec->t_end);
  }
}

// Times in milliseconds.
static void remark_times(const td_place *root, const td_dynamics_spec *spec) {
  td_place output = td_place_key(root, "output"), dt = td_place_key(&output, "dt"),
           inputs = td_place_key(root, "inputs");
  if (!spec->times && spec->output_dt > spec->t_end)
    td_place_warn(&dt, "odd_duration", "%.6g s is longer than the run of %.6g s: only its start and its end are kept",
                  spec->output_dt, spec->t_end);
  for (size_t i = 0; i < spec->input_count; i++) {
    td_place at = td_place_key(&inputs, spec->inputs[i].channel);
    double last = last_knot(&spec->inputs[i].signal), first = first_knot(&spec->inputs[i].signal);
    if (isfinite(first) && first >= spec->t_end)
      td_place_warn(
          &at, "odd_duration",
          "the first knot of the signal is at %.6g s, the run ends at %.6g s: nothing of it happens; times are "
          "in seconds",
          first, spec->t_end);
    else if (last >= FAR && last > 90 * spec->t_end)
      td_place_warn(&at, "odd_duration", "the signal ends at %.6g s, the run at %.6g s: times are in seconds", last,
                    spec->t_end);
  }
  remark_controllers(root, spec);
}

void td_job_remark(const td_place *root, const td_model *model, const td_dynamics_spec *spec,
                   const td_integrator_spec *used) {
  td_place t_end = td_place_key(root, "t_end");
  if (!root->warnings) return;
  if (spec->t_end > 86400)
    td_place_warn(&t_end, "odd_duration", "%.6g s are %.3g days of simulated time: times are in seconds", spec->t_end,
                  spec->t_end / 86400);
  remark_times(root, spec);
  td_inputs_remark(root, model, spec->inputs, spec->input_count, spec->t_end);
  td_unsteady_flow_remark(root, model, spec);
  if (spec->initial == TD_INITIAL_ARRAY) td_initial_remark(root, model, spec->q, spec->q_count);
  if (spec->initial != TD_INITIAL_EQUILIBRIUM)
    td_start_remark(root, model, spec->initial == TD_INITIAL_ARRAY ? spec->q : NULL);
  td_references_remark(root, model, spec);
  td_speeds_remark(root, model, spec);
  bool chosen = spec->integrator.method != TD_METHOD_AUTOMATIC;  // otherwise the run looks at its modes first
  bool sifts = td_integrator_sifts(used, model->loop_count > 0); // what they need not resolve is their own affair
  if (used->adaptive && chosen && !sifts) remark_damping(root, model);
  if (!used->adaptive) remark_inputs(root, spec, used->h);
  if (!used->adaptive && spec->integrator.h > 0) remark_steps(root, used->h, spec->t_end);
  if (used->adaptive) remark_tolerances(root, used);
}
