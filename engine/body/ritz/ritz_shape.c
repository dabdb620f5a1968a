// The shape of Ritz bodies: their deformed surface (rings of their box or the points of their mesh, moved by the
// modes), and whether some particle has no volume left.
#include "body/ritz/ritz.h"
#include "pass/composite.h"

int td_ritz_skin(const td_model *m, const td_element *e, int *rings) {
  *rings = m->solid[e->solid].skin_rings;
  return m->solid[e->solid].skin_count;
}

void td_ritz_surface(const td_model *m, const td_workspace *ws, const td_element *e, const double *q, double *at) {
  const td_solid *solid = &m->solid[e->solid];
  const double *coordinates = q + e->coordinate;
  for (int p = 0; p < solid->skin_count; p++, at += 3) {
    double x[3];
    for (int i = 0; i < 3; i++) {
      x[i] = solid->skin[3 * p + i];
      for (int k = 0; k < solid->n; k++) x[i] += solid->skin_mode[3 * (solid->skin_count * k + p) + i] * coordinates[k];
    }
    td_node_place(ws, solid->node, x, at);
  }
}

// det(1 + sum q_k grad phi_k) of eight particles.
static td_vec determinant(const td_solid *solid, int batch, const double *q) {
  td_vec F[9];
  for (int i = 0; i < 9; i++) F[i] = td_splat(i % 4 == 0);
  for (int k = 0; k < solid->n; k++)
    for (int i = 0; i < 9; i++) F[i] += q[k] * solid->modes[batch * solid->n + k].gradient[i];
  return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

// The compressible energy needs det F > 0 at every particle.
static bool solid_valid(const td_model *m, const td_solid *solid, const double *q, td_shape_fault *fault) {
  const td_element *e = &m->element[solid->element];
  for (int b = 0; b < solid->batch_count; b++) {
    td_vec det = determinant(solid, b, q + e->coordinate);
    for (int l = 0; l < TD_LANES; l++) {
      if (det[l] > 0) continue;
      *fault = (td_shape_fault){e->link, solid->points[b].X[2][l], "is turned inside out by its modes"};
      return false;
    }
  }
  return true;
}

bool td_ritz_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault) {
  (void)margin;
  for (int i = 0; i < m->solid_count; i++)
    if (!solid_valid(m, &m->solid[i], q, fault)) return false;
  return true;
}
