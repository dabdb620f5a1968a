// Stability of an equilibrium.
#include "math/lapack.h"
#include "solve/statics.h"
#include <math.h>
#include <string.h>

// H = D^-1/2 K_sym D^-1/2, D the diagonal of M
static void scale_stiffness(td_statics *s) {
  int d = s->d;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double k = 0.5 * (s->K[i * d + j] + s->K[j * d + i]);
      s->H[i * d + j] = k / sqrt(s->M[i * d + i] * s->M[j * d + j]);
    }
}

// The loops' rows in the scaled coordinates: D is their metric.
static td_status scaled_rows(td_statics *s) {
  int d = s->d;
  memset(s->H, 0, (size_t)(d * d) * sizeof *s->H);
  for (int i = 0; i < d; i++) s->H[i * d + i] = s->M[i * d + i];
  td_projection_metric(&s->loops, s->H);
  td_status status = td_loop_multipliers(&s->loops, s->q, s->force, s->held);
  td_projection_metric(&s->loops, NULL);
  return status;
}

td_status td_statics_smallest(td_statics *s, bool *conservative, double *smallest) {
  *smallest = INFINITY; // a rigid structure
  td_status status = td_statics_linearise(s);
  if (!status) *conservative = td_statics_conservative(s);
  if (!status) status = td_mass_matrix(s->model, s->ws, s->q, s->full);
  if (status || s->d == 0) return status;
  td_statics_gather(s, s->full, s->M);
  if (s->loops.rows) status = scaled_rows(s);
  if (status) return status;
  scale_stiffness(s);
  td_statics_confine(s, s->H);
  int d = s->d, lwork = 4 * s->n, info = 0;
  dsyev_("N", "L", &d, s->H, &d, s->trial_r, s->part, &lwork, &info);
  if (s->d > s->loops.rank) *smallest = s->trial_r[0];
  return info == 0 ? TD_OK : TD_NONFINITE;
}
