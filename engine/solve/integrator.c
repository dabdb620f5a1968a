// The table of integrators, defaults of a run, and what the fixed-step methods share.
#include "solve/integrator.h"
#include <math.h>

static const td_integrator *const table[TD_METHOD_COUNT] = {
    [TD_METHOD_BDF] = &td_integrator_bdf,
    [TD_METHOD_NEWMARK] = &td_integrator_newmark,
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

void td_integrator_defaults(td_integrator_spec *spec) {
  *spec = (td_integrator_spec){.method = TD_METHOD_BDF, .rtol = 1e-6, .atol = 1e-9, .gamma = 0.5, .beta = 0.25};
}

void td_hermite(int count, double s, double h, const double *y0, const double *dy0, const double *y1, const double *dy1,
                double *y) {
  double r = 1 - s, a = r * r * (1 + 2 * s), b = s * r * r * h, c = s * s * (3 - 2 * s), d = -s * s * r * h;
  for (int i = 0; i < count; i++) y[i] = a * y0[i] + b * dy0[i] + c * y1[i] + d * dy1[i];
}

double td_step_count(double length, double h) { return fmax(1, ceil(length / h * (1 - 1e-9))); }
