// The shape of Ritz bodies: their deformed surface (rings of their box or the points of their mesh, moved by the
// modes), and whether some particle has no volume left.
#include "body/ritz/ritz.h"
#include "pass/composite.h"

int td_ritz_skin(const td_model *m, const td_element *e, int *rings) {
  *rings = m->ritz[e->ritz].skin_rings;
  return m->ritz[e->ritz].skin_count;
}

void td_ritz_surface(const td_model *m, const td_workspace *ws, const td_element *e, const double *q, double *at) {
  const td_ritz *ritz = &m->ritz[e->ritz];
  const double *coordinates = q + e->coordinate;
  for (int p = 0; p < ritz->skin_count; p++, at += 3) {
    double x[3];
    for (int i = 0; i < 3; i++) {
      x[i] = ritz->skin[3 * p + i];
      for (int k = 0; k < ritz->n; k++) x[i] += ritz->skin_mode[3 * (ritz->skin_count * k + p) + i] * coordinates[k];
    }
    td_node_place(ws, ritz->node, x, at);
  }
}

// det(1 + sum q_k grad phi_k) of eight particles.
static td_vec determinant(const td_ritz *ritz, int batch, const double *q) {
  td_vec F[9];
  for (int i = 0; i < 9; i++) F[i] = td_splat(i % 4 == 0);
  for (int k = 0; k < ritz->n; k++)
    for (int i = 0; i < 9; i++) F[i] += q[k] * ritz->modes[batch * ritz->n + k].gradient[i];
  return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

// The compressible energy needs det F > 0 at every particle.
static bool ritz_valid(const td_model *m, const td_ritz *ritz, const double *q, td_shape_fault *fault) {
  const td_element *e = &m->element[ritz->element];
  for (int b = 0; b < ritz->batch_count; b++) {
    td_vec det = determinant(ritz, b, q + e->coordinate);
    for (int l = 0; l < TD_LANES; l++) {
      if (det[l] > 0) continue;
      *fault = (td_shape_fault){e->link, ritz->points[b].X[2][l], "is turned inside out by its modes"};
      return false;
    }
  }
  return true;
}

bool td_ritz_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault) {
  (void)margin;
  for (int i = 0; i < m->ritz_count; i++)
    if (!ritz_valid(m, &m->ritz[i], q, fault)) return false;
  return true;
}
