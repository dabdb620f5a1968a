// The table of integrators, and what a run takes where its job leaves it open.
#include "integrate/integrator.h"
#include <assert.h>
#include <math.h>

#define DECLARATION(word, row) extern const td_integrator td_integrator_##row;
#define ENTRY(word, row) &td_integrator_##row,
TD_METHODS(DECLARATION)
static const td_integrator *const table[TD_METHOD_COUNT] = {TD_METHODS(ENTRY)};

// What every row has, and what goes together.
static inline bool is_whole(const td_integrator *row) {
  bool steps = row->name && row->create && row->destroy && row->start && row->step && row->interpolate;
  bool sized = row->adaptive || row->default_h > 0, kept = !row->carry == !row->carry_size;
  return steps && sized && kept && !row->family == !row->alpha && (!row->sifted || row->loss);
}

const td_integrator *td_integrator_get(td_method method) {
  assert((unsigned)method >= TD_METHOD_COUNT || is_whole(table[method]));
  return (unsigned)method < TD_METHOD_COUNT ? table[method] : NULL;
}

td_method td_integrator_for(td_service service) {
  int found = 0;
  while (found < TD_METHOD_COUNT && !(table[found]->serves & service)) found++;
  assert(found < TD_METHOD_COUNT);
  return (td_method)found;
}

// At the default tolerances radau is 5 to 500 times nearer to the motion than bdf and takes 0.5 to 1.5 times as long
// (shipped robots of 12 to 37 coordinates). Its matrices, a real and a complex one for each step, outweigh that where
// there are many coordinates.
td_method td_integrator_for_damped(int n) {
  static const int many = 100;
  return td_integrator_for(n > many ? TD_SERVES_MANY : TD_SERVES_TREES);
}

bool td_integrator_sifts(const td_integrator_spec *used, bool loops) {
  const td_integrator *method = td_integrator_get(used->method);
  return method->options & TD_OPTION_CUTOFF && (method->adaptive || (used->adaptive && !loops));
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
    td_method tree =
        s->differentiated ? td_integrator_for(TD_SERVES_TREES) : td_integrator_for_damped(td_model_ndof(model));
    s->method = family ? td_integrator_for(TD_SERVES_STEPS) : loops ? td_integrator_for(TD_SERVES_LOOPS) : tree;
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
