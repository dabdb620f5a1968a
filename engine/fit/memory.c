// What a fit writes to: one block for the state, one for everything else.
#include "base/carve.h"
#include "fit/parts.h"
#include "math/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = (sizeof(fit_state) + sizeof(double) - 1) / sizeof(double) }; // of a state, in doubles

size_t td_fit_state_size(size_t count) { return (HEAD + 3 * count + count * count) * sizeof(double); }

static size_t count_used(const td_fit_spec *spec) {
  size_t used = 0;
  for (size_t i = 0; i < spec->samples; i++) used += !isnan(spec->data[i]);
  return used;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static bool carve_state(fit *f, size_t n) {
  double *block = calloc(1, td_fit_state_size(n));
  if (!block) return false;
  f->state = (fit_state *)(void *)block;
  f->x = block + HEAD;
  f->scale = f->x + n;
  f->best_p = f->scale + n;
  f->best_data = f->best_p + n;
  return true;
}

static bool carve_rest(fit *f, size_t n, size_t samples) {
  f->rows = larger(f->used, n + 1); // a triangle needs as many
  f->lwork = (int)(66 * (n + 2));
  return TD_CARVE({&f->lower, n}, {&f->upper, n}, {&f->now.x, n}, {&f->now.R, n * n}, {&f->now.c, n},
                  {&f->now.data, n * n}, {&f->trial.x, n}, {&f->trial.R, n * n}, {&f->trial.c, n},
                  {&f->trial.data, n * n}, {&f->p, n}, {&f->y, samples}, {&f->dy_dp, samples * n}, {&f->near, samples},
                  {&f->far, samples}, {&f->columns, (n + 1) * f->rows}, {&f->small, 4 * (2 * n + 2) * (n + 2)},
                  {&f->step, n}, {&f->newton, n}, {&f->tau, n + 1}, {&f->work, (size_t)f->lwork});
}

td_status fit_init(fit *f, const td_fit_spec *spec, const td_fit_hooks *hooks, td_error *err) {
  *f = (fit){.spec = spec, .hooks = hooks, .n = (int)spec->count, .used = count_used(spec), .err = err};
  size_t n = spec->count;
  if (!carve_state(f, n) || !carve_rest(f, n, spec->samples))
    return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  for (size_t j = 0; j < n; j++) {
    const td_unknown *u = &spec->unknowns[j];
    f->lower[j] = fit_x_of(u, u->lower);
    f->upper[j] = fit_x_of(u, u->upper);
  }
  return TD_OK;
}

void fit_fini(fit *f) {
  free(f->state);
  free(f->lower);
}
