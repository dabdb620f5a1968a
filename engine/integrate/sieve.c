// The matrix is that of an implicit step of 1 / cutoff. With a fixed cutoff, unlike filters of the step's own size, the
// error of a step falls with its size always: there is no barrier at w h = 1 that steps would have to jump over.
#include "integrate/sieve.h"
#include "base/carve.h"
#include "integrate/saddle.h"
#include "math/lu.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

td_status td_sieve_init(td_sieve *s, const td_plant *plant, double cutoff) {
  assert(cutoff >= 0);
  size_t f = (size_t)plant->free_count;
  *s = (td_sieve){.plant = plant, .cutoff = cutoff};
  if (!(cutoff > 0)) return TD_OK;
  s->pivot = calloc(f + 1, sizeof *s->pivot);
  bool room = TD_CARVE({&s->lu, f * f}, {&s->M, f * f}, {&s->work, f}, {&s->both, 2 * f});
  return room && s->pivot ? TD_OK : TD_NO_MEMORY;
}

void td_sieve_fini(td_sieve *s) {
  free(s->lu);
  free(s->pivot);
  *s = (td_sieve){0};
}

void td_sieve_factor(td_sieve *s, const double *K, const double *C, const double *M) {
  if (!(s->cutoff > 0)) return;
  double k = 1 / s->cutoff;
  td_saddle_square(s->plant, 0, NULL, 0, NULL, 1, M, s->M);
  td_saddle_square(s->plant, k * k, K, k, C, 1, M, s->lu);
  s->ready = td_lu_factor(s->plant->free_count, s->lu, s->pivot);
}

void td_sieve_apply(const td_sieve *s, double *x) {
  int f = s->plant->free_count;
  for (int pass = 0; s->ready && pass < 2; pass++) {
    for (int i = 0; i < f; i++) {
      s->work[i] = 0;
      for (int j = 0; j < f; j++) s->work[i] += s->M[i * f + j] * x[j];
    }
    td_lu_solve(f, s->lu, s->pivot, s->work);
    memcpy(x, s->work, (size_t)f * sizeof *x);
  }
}
