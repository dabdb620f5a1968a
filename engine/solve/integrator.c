// The table of integrators, defaults of a run, and what the fixed-step methods share.
#include "solve/integrator.h"
#include <math.h>

static const td_integrator *const table[TD_METHOD_COUNT] = {
    [TD_METHOD_BDF] = &td_integrator_bdf,
    [TD_METHOD_DAE] = &td_integrator_dae,
    [TD_METHOD_NEWMARK] = &td_integrator_newmark,
    [TD_METHOD_HHT] = &td_integrator_hht,
    [TD_METHOD_GENERALIZED_ALPHA] = &td_integrator_generalized_alpha,
    [TD_METHOD_RADAU] = &td_integrator_radau,
    [TD_METHOD_RK45] = &td_integrator_rk45,
    [TD_METHOD_RK4] = &td_integrator_rk4,
    [TD_METHOD_EULER_IMPLICIT] = &td_integrator_euler_implicit,
};

const td_integrator *td_integrator_get(td_method method) {
  return (unsigned)method < TD_METHOD_COUNT ? table[method] : NULL;
}

const char *td_method_name(td_method method) {
  const td_integrator *row = td_integrator_get(method);
  return row ? row->name : NULL;
}

const char *td_formulation_name(td_formulation formulation) {
  static const char *const names[TD_FORMULATION_COUNT] = {"index1", "index3"};
  return (unsigned)formulation < TD_FORMULATION_COUNT ? names[formulation] : NULL;
}

void td_integrator_defaults(td_integrator_spec *spec) {
  *spec = (td_integrator_spec){.method = TD_METHOD_AUTOMATIC,
                               .rtol = 1e-6,
                               .atol = 1e-9,
                               .gamma = NAN,
                               .beta = NAN,
                               .alpha = -0.05,
                               .rho_inf = 0.8,
                               .formulation = TD_FORMULATION_AUTOMATIC};
}

// Steps of a given size, or what only Newmark's family has.
static bool asks_for_family(const td_integrator_spec *s) {
  static const unsigned own = TD_OPTION_GAMMA | TD_OPTION_BETA | TD_OPTION_ALPHA | TD_OPTION_RHO_INF;
  bool fixed = s->h > 0 || (s->given & TD_OPTION_ADAPTIVE && !s->adaptive);
  return fixed || s->given & own || s->formulation == TD_FORMULATION_INDEX3;
}

void td_integrator_resolve(const td_model *model, const td_dynamics_spec *spec, td_integrator_spec *out) {
  bool loops = td_model_loop_row_count(model) > 0;
  td_integrator_spec *s = out;
  *s = spec->integrator;
  if (s->method == TD_METHOD_AUTOMATIC) {
    bool family = loops && asks_for_family(s);
    s->method = family ? TD_METHOD_GENERALIZED_ALPHA : loops ? TD_METHOD_RADAU : TD_METHOD_BDF;
    s->adaptive = family && !(s->h > 0);
  }
  const td_integrator *row = td_integrator_get(s->method);
  if (!row) return;
  s->adaptive = row->adaptive || (s->adaptive && row->family);
  if (s->formulation == TD_FORMULATION_AUTOMATIC)
    s->formulation = row->family ? TD_FORMULATION_INDEX3 : TD_FORMULATION_INDEX1;
  if (!(s->baumgarte > 0)) s->baumgarte = TD_BAUMGARTE;
  if (!(s->h > 0) && !s->adaptive) s->h = row->default_h;
  if (s->h_max > 0) return;
  double scale = fmin(td_inputs_time_scale(spec->inputs, spec->input_count), td_controllers_time_scale(spec));
  s->h_max = fmin(spec->t_end / 10, fmax(scale, spec->t_end / 1000));
}

void td_hermite(int count, double s, double h, const double *y0, const double *dy0, const double *y1, const double *dy1,
                double *y) {
  double r = 1 - s, a = r * r * (1 + 2 * s), b = s * r * r * h, c = s * s * (3 - 2 * s), d = -s * s * r * h;
  for (int i = 0; i < count; i++) y[i] = a * y0[i] + b * dy0[i] + c * y1[i] + d * dy1[i];
}

double td_step_count(double length, double h) { return fmax(1, ceil(length / h * (1 - 1e-9))); }
