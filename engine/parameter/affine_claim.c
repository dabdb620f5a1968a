// Slopes of tau - ID over two distances. They are equal where it is affine; the state is as general as any.
#include "parameter/affine_claim.h"
#include <math.h>
#include <stdlib.h>

enum { NEARER = 8 };

static td_status residual_of(const td_model *m, const td_state *s, double *out) {
  td_workspace *ws;
  td_status status = td_workspace_create(m, &ws);
  if (status) return status;
  status = td_residual_derivatives(m, ws, s->q, s->qd, s->qdd, s->u, out, NULL, NULL, NULL);
  td_workspace_destroy(ws);
  return status;
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// r: at the value, far off, near.
static bool same_slope(int n, double *const r[3]) {
  double rounding = 1e-11 * (largest(n, r[0]) * NEARER + largest(n, r[1]));
  for (int i = 0; i < n; i++)
    if (fabs((r[1][i] - r[0][i]) - NEARER * (r[2][i] - r[0][i])) > rounding) return false;
  return true;
}

static void fill_state(const td_model *m, double *x, td_state *s) {
  for (int i = 0; i < 3 * m->n + m->channel_count; i++) x[i] = 0.1 * sin(1 + 1.7 * i);
  *s = (td_state){.q = x, .qd = x + m->n, .qdd = x + 2 * m->n, .u = x + 3 * m->n};
}

bool td_affine_claim_holds(const td_parameters *p, size_t index, td_parameter_freeze freeze, void *context) {
  const td_model *m = p->model;
  const td_parameter_row *row = &p->row[index];
  size_t n = (size_t)m->n;
  double *block = calloc(6 * n + (size_t)m->channel_count + 1, sizeof *block),
         H = row->stencil.at[1] - row->stencil.at[0], *r[3] = {block, block + n, block + 2 * n};
  td_model *near = NULL;
  td_state state;
  bool holds = true;
  if (block && freeze(context, index, row->stencil.at[0] + H / NEARER, &near, NULL) == TD_OK) {
    fill_state(m, block + 3 * n, &state);
    bool known =
        !residual_of(m, &state, r[0]) && !residual_of(row->model[1], &state, r[1]) && !residual_of(near, &state, r[2]);
    holds = !known || same_slope(m->n, r);
    td_model_destroy(near);
  }
  free(block);
  return holds;
}
