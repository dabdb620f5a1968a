// Forward dynamics at a state, and what its derivatives in any direction need of it (motion.h).
#include "parameter/motion.h"
#include "constraint/closed_chain.h"
#include "model/mass_factor.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// A row that leaves the others by this part of the longest, within the width of a stencil, is not one of rounding
// (1e-15 of it).
static const double PARTED = 1e-10;

// v [n] that no row of A moves along, as general as any: what is left of a fixed vector in the null space of A on the
// free coordinates. A^T c of td_closed_range_motion's rows spans the rest.
static void fill_still(const td_motion_at *o, double *v) {
  for (int i = 0; i < o->m->n; i++) v[i] = o->m->n ? sin(1 + 2.3 * i) : 0;
  for (int i = 0; i < o->m->prescribed_count; i++) v[o->m->prescribed[i].coordinate] = 0;
  td_closed_project_out(o->m, o->ws->base, v);
}

td_status td_motion_begin(td_motion_at *o, const td_parameters *p, td_parameter_workspace *ws, const td_state *state,
                          bool lambdas) {
  *o = (td_motion_at){.p = p, .m = p->model, .ws = ws, .at = *state};
  ws->fault = p->count;
  td_constrained_output out = {.fd = ws->fd, .lambda = ws->lambda};
  td_status status = td_constrained_dynamics(o->m, ws->base, state, &out);
  o->at.qdd = ws->fd;
  if (status || ws->base->constraint.rank >= o->m->loop_rows) return status;
  status = td_constraint_terms_at(o->m, ws->side, &o->at, ws->lambda, &(td_constraint_terms){.a = ws->a});
  if (status) return status;
  o->dependent = true;
  o->leftover = td_closed_dependent(o->m, ws->base, ws->a);
  o->turns = lambdas;
  td_closed_range_motion(o->m, ws->base, ws->lambda, ws->w);
  fill_still(o, ws->still);
  return TD_OK;
}

// out [r] = A w
static void multiply(const td_motion_at *o, const double *w, double *out) {
  for (int i = 0; i < o->m->loop_rows; i++) {
    out[i] = 0;
    for (int j = 0; j < o->m->n; j++) out[i] += o->ws->A[i * o->m->n + j] * w[j];
  }
}

// out [n] = A^T a
static void multiply_transposed(const td_motion_at *o, const double *a, double *out) {
  memset(out, 0, (size_t)o->m->n * sizeof *out);
  for (int i = 0; i < o->m->loop_rows; i++)
    for (int j = 0; j < o->m->n; j++) out[j] += o->ws->A[i * o->m->n + j] * a[i];
}

// r [n], a [r] and, with dependent rows, A v [r] of the still v, where wanted A w [r], A^T a [n] of a neighbour.
static td_status terms_at(void *context, const td_model *m, td_workspace *side, double *out) {
  const td_motion_at *o = context;
  td_constraint_terms terms = {.residual = out, .a = m->loop_rows ? out + m->n : NULL};
  if (o->dependent) terms.A = o->ws->A;
  td_status status = td_constraint_terms_at(m, side, &o->at, o->ws->lambda, &terms);
  out += m->n + m->loop_rows;
  if (o->dependent) multiply(o, o->ws->still, out);
  out += o->dependent ? m->loop_rows : 0;
  if (o->turns) multiply(o, o->ws->w, out);
  out += o->turns ? m->loop_rows : 0;
  if (o->leftover) multiply_transposed(o, o->ws->a, out);
  return status;
}

// The rank of A changes with parameter j where what no row moves along is moved along by it, out of the range of A.
static bool parts(const td_motion_at *o, size_t j) {
  td_parameter_workspace *ws = o->ws;
  const td_stencil *s = &o->p->row[j].stencil;
  double most = 0, size = 0, step = fabs(s->at[s->count - 1] - s->at[0]);
  for (int i = 0; i < o->m->loop_rows; i++) ws->mu[i] = ws->parted[(size_t)i * o->p->count + j];
  td_closed_turn(o->m, ws->base, ws->mu, ws->turn);
  for (int i = 0; i < o->m->loop_rows; i++) {
    double row = 0;
    for (int k = 0; k < o->m->n; k++) row += fabs(ws->base->constraint.A[i * o->m->ld + k]);
    most = fmax(most, fabs(ws->turn[i]));
    size = fmax(size, row);
  }
  return !o->p->row[j].affine && most * step > PARTED * size;
}

td_status td_motion_right_sides(const td_motion_at *o, const double *weight) {
  td_parameter_workspace *ws = o->ws;
  size_t n = (size_t)o->m->n, r = (size_t)o->m->loop_rows;
  const td_parameter_part part[] = {{n, ws->force},
                                    {r, ws->rows},
                                    {r, o->dependent ? ws->parted : NULL},
                                    {r, o->turns ? ws->moved : NULL},
                                    {n, o->leftover ? ws->left : NULL}};
  td_status status = td_parameters_sum(o->p, ws, terms_at, (void *)o, part, 5, &o->at, ws->scratch, weight);
  for (size_t j = 0; !status && o->dependent && j < o->p->count; j++)
    if ((!weight || weight[j] != 0) && parts(o, j)) status = TD_SINGULAR, ws->fault = j;
  return status;
}

void td_motion_solve(const td_motion_at *o, const double *f, const double *c, const double *turn) {
  td_parameter_workspace *ws = o->ws;
  if (td_is_constrained(o->m)) {
    td_closed_solve(o->m, ws->base, f, c, turn, ws->x, ws->mu);
    return;
  }
  memcpy(ws->x, f, (size_t)o->m->n * sizeof *f);
  td_mass_solve(o->m, ws->base->factor, ws->x);
}

static void copy_column(int rows, size_t np, size_t j, const double *from, double *column) {
  for (int i = 0; i < rows; i++) column[i] = from[(size_t)i * np + j];
}

void td_motion_column(const td_motion_at *o, size_t j) {
  td_parameter_workspace *ws = o->ws;
  size_t np = o->p->count;
  int n = o->m->n, r = o->m->loop_rows;
  copy_column(n, np, j, ws->force, ws->f);
  copy_column(r, np, j, ws->rows, ws->c);
  if (o->leftover) {
    copy_column(n, np, j, ws->left, ws->z);
    td_closed_leftover(o->m, ws->base, ws->z, ws->c);
  }
  if (o->turns) {
    copy_column(r, np, j, ws->moved, ws->mu);
    td_closed_turn(o->m, ws->base, ws->mu, ws->turn);
  }
}
