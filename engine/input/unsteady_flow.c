// The flow is taken as it is at an instant (element/water.h). Fluid that accelerates by U' carries a pressure gradient
// rho U' along, which acts on what is displaced like a weight (Froude and Krylov), and added mass resists V' - U', not
// V': a force of (rho V + Ma) U' that is left out. Beside drag it counts where a body is large for the way the fluid
// goes to and fro, in waves, and it is all that moves a body without drag. Sizes: largest coefficients, robot at rest.
// Source: Morison1950.
#include "input/unsteady_flow.h"
#include "element/water.h"
#include "input/inputs.h"
#include <math.h>
#include <stdlib.h>

enum { LOOKS = 400 };
static const double PART = 0.25; // of the drag

// Of all bodies together: kg, of what is displaced and added; N s^2/m^2 and N s/m.
typedef struct wet {
  double inertia, drag, viscous;
} wet;

static double largest_of(const td_fluid *f, const double *map) {
  double most = 0;
  for (int i = 0; i < 3; i++) most = fmax(most, fabs(f->linear ? map[4 * i] : map[21 + 7 * i]));
  return most;
}

static wet wet_of(const td_model *m) {
  wet all = {0};
  for (int k = 0; k < m->node_count; k++)
    if (m->node[k].inertia >= 0) all.inertia += m->inertia[m->node[k].inertia].displaced;
  for (int i = 0; i < m->fluid_count; i++) {
    const td_fluid *f = &m->fluid[i];
    if (f->has_added) all.inertia += largest_of(f, f->added);
    if (f->has_drag) all.drag += largest_of(f, f->drag);
    if (f->has_viscous) all.viscous += largest_of(f, f->viscous);
  }
  return all;
}

// The fastest that the fluid gets.
static double fastest(const td_model *m, const td_inputs *inputs, double t_end) {
  double most = 0, *u = calloc((size_t)m->channel_count + 1, sizeof *u), U[3], slope[3];
  for (int i = 0; u && i <= LOOKS; i++) {
    double t = t_end * i / LOOKS;
    td_inputs_eval(inputs, t, t, u);
    for (int knot = 0; knot < (m->water.knots ? m->water.knots : 1); knot++) {
      td_water_flow(&m->water, m->water.knots ? m->water.z[knot] : 0, u, U, slope);
      most = fmax(most, sqrt(U[0] * U[0] + U[1] * U[1] + U[2] * U[2]));
    }
  }
  free(u);
  return most;
}

void td_unsteady_flow_remark(const td_place *root, const td_model *m, const td_dynamics_spec *spec) {
  td_inputs *inputs = NULL;
  double square = 0, most = 0;
  int channel = -1;
  bool driven = false;
  for (int c = 0; c < 3; c++) driven |= m->water.flows && m->water.channel[c] >= 0;
  if (!root->warnings || !driven || td_inputs_create(m, spec->inputs, spec->input_count, &inputs)) return;
  for (int c = 0; c < 3; c++) {
    double rate = m->water.channel[c] < 0 ? 0 : td_inputs_speed(inputs, m->water.channel[c], spec->t_end);
    if (rate > most) most = rate, channel = m->water.channel[c];
    square += rate * rate;
  }
  wet all = wet_of(m);
  double speed = fastest(m, inputs, spec->t_end), force = all.inertia * sqrt(square),
         drag = all.drag * speed * speed + all.viscous * speed;
  td_inputs_destroy(inputs);
  td_place list = td_place_key(root, "inputs");
  if (channel < 0 || !(force > PART * drag)) return;
  td_place at = td_place_key(&list, td_model_channel_name(m, channel));
  td_place_warn(
      &at, "unsteady_flow",
      "the fluid accelerates by up to %.3g m/s^2, which on the fluid displaced and the added mass makes up to "
      "%.3g N next to a drag of up to %.3g N: a run takes the flow as steady at each instant and leaves this "
      "force out; give it as loads, (rho V + added mass) dU/dt, or drag that is right for it",
      sqrt(square), force, drag);
}
