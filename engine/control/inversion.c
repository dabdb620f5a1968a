// The equations of a static inversion at a state, and its memory.
#include "control/inversion.h"
#include "base/carve.h"
#include "lie/vec3.h"
#include "math/finite.h"
#include "pass/jacobian.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ memory

bool td_inversion_init(td_inversion *v, const td_reference_spec *r) {
  const td_model *m = v->s->model;
  size_t n = (size_t)v->s->n, tips = r->tip_count ? r->tip_count : 1;
  v->rows = m->loop_rows;
  v->free_count = m->n - m->prescribed_count;
  v->tips = r->space == TD_SPACE_TIP;
  v->width = (int)r->width;
  v->equations = v->free_count + v->rows + v->width;
  v->unknowns = v->free_count + v->c->width + v->rows;
  v->ld = v->equations > v->unknowns ? v->equations : v->unknowns;
  size_t w = r->width, rows = (size_t)v->rows, ld = (size_t)v->ld;
  v->work_size = 6 * v->ld + 64 * (v->ld + 1) + 6 * v->s->n;
  v->state = n + (size_t)v->s->m + rows + (size_t)m->prescribed_count;
  bool room =
      TD_CARVE({&v->q, v->state}, {&v->best, v->state}, {&v->y, w}, {&v->target, w}, {&v->from, w}, {&v->goal, w},
               {&v->J, w * n}, {&v->r, n}, {&v->e, rows}, {&v->K, n * n}, {&v->A, rows * n}, {&v->G, rows * n},
               {&v->matrix, ld * ld}, {&v->b, ld}, {&v->scale, ld}, {&v->rates, n}, {&v->work, (size_t)v->work_size});
  v->link = calloc(tips + n + ld + 1, sizeof *v->link);
  if (!room || !v->link) return false;
  v->free = v->link + tips;
  v->order = v->free + n;
  v->u = v->q + n; // one state, as in `best`
  v->lambda = v->u + v->s->m;
  v->qd = v->s->zero;
  for (int c = 0, i = 0; c < m->n; c++)
    if (m->prescribed_mask[c] != 0) v->free[i++] = c;
  for (size_t i = 0; i < tips; i++)
    v->link[i] = r->tip_count ? td_model_link_find(m, r->tips[i]) : td_model_link_count(m) - 1;
  return true;
}

void td_inversion_fini(td_inversion *v) {
  free(v->q);
  free(v->link);
}

// ------------------------------------------------------------------------------------------------ outputs

void td_inversion_tip(const td_model *m, td_workspace *ws, const double *q, int link, double *J, double *out,
                      double *jacobian) {
  int node = td_link_point_node(m, link, td_model_link_point_count(m, link) - 1), n = m->n;
  const double *p = ws->pose[node].p;
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < 3; i++) out[i] = p[i] + ws->origin[i];
  if (!jacobian) return;
  td_node_jacobian(m, ws, node, J);
  for (int c = 0; c < n; c++) {
    double w[3] = {J[c], J[n + c], J[2 * n + c]}, d[3] = {J[3 * n + c], J[4 * n + c], J[5 * n + c]};
    td_vec3_cross_add(w, p, d);
    for (int i = 0; i < 3; i++) jacobian[i * n + c] = d[i];
  }
}

td_status td_inversion_outputs(td_inversion *v, double *y, double *J) {
  if (!v->tips) return td_outputs_at(v->s, v->c->output, v->width, v->q, y, J);
  for (int i = 0; i < v->width / 3; i++)
    td_inversion_tip(v->s->model, v->s->ws, v->q, v->link[i], v->work, y + 3 * i, J ? J + 3 * i * v->s->n : NULL);
  return td_all_finite(y, v->width);
}

// ------------------------------------------------------------------------------------------------ equations

double td_inversion_input_scale(const td_inversion *v) {
  double stiff = 0, moves = 0;
  for (int i = 0; i < v->s->n; i++) {
    for (int j = 0; j < v->s->n; j++) stiff = fmax(stiff, fabs(v->K[i * v->s->n + j]));
    for (int k = 0; k < v->c->width; k++) moves = fmax(moves, fabs(v->s->B[i * v->s->m + v->c->channel[k]]));
  }
  return stiff > 0 && moves > 0 ? stiff / moves : 1;
}

void td_inversion_assemble(td_inversion *v, double unit) {
  int n = v->s->n, f = v->free_count, k = v->c->width;
  memset(v->matrix, 0, (size_t)v->ld * (size_t)v->unknowns * sizeof *v->matrix);
  for (int i = 0; i < f; i++) {
    int row = v->free[i];
    v->b[i] = v->r[row];
    for (int j = 0; j < f; j++) v->matrix[j * v->ld + i] = v->K[row * n + v->free[j]];
    for (int j = 0; j < k; j++) v->matrix[(f + j) * v->ld + i] = -unit * v->s->B[row * v->s->m + v->c->channel[j]];
    for (int j = 0; j < v->rows; j++) v->matrix[(f + k + j) * v->ld + i] = -v->A[j * n + row];
  }
  for (int i = 0; i < v->rows + v->width; i++) {
    bool loop = i < v->rows;
    const double *row = loop ? v->G + i * n : v->J + (i - v->rows) * n;
    v->b[f + i] = loop ? -v->e[i] : v->target[i - v->rows] - v->y[i - v->rows];
    for (int j = 0; j < f; j++) v->matrix[j * v->ld + f + i] = row[v->free[j]];
  }
  for (int i = 0; i < v->equations; i++) {
    double most = 0;
    for (int j = 0; j < v->unknowns; j++) most = fmax(most, fabs(v->matrix[j * v->ld + i]));
    v->scale[i] = most > 0 ? most : 1;
    v->b[i] /= v->scale[i];
    for (int j = 0; j < v->unknowns; j++) v->matrix[j * v->ld + i] /= v->scale[i];
  }
}

td_status td_inversion_terms(td_inversion *v) {
  td_control *s = v->s;
  td_state state = {.q = v->q, .qd = v->qd, .qdd = s->zero, .u = v->u};
  td_constraint_terms out = {.residual = v->r, .K = v->K};
  if (v->rows) out.A = v->A, out.G = v->G, out.e = v->e;
  td_status status = td_constraint_terms_at(s->model, s->ws, &state, v->lambda, &out);
  if (!status) status = td_force_derivatives(s->model, s->ws, v->q, NULL, v->u, NULL, NULL, s->B);
  return status ? status : td_inversion_outputs(v, v->y, v->J);
}
