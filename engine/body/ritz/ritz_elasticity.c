// Elastic and viscous forces of Ritz bodies, whose deformation gradient F = 1 + sum grad phi_k q_k is linear in q:
// compressible neo-Hookean and Kelvin-Voigt in weak form, their stiffness and their energy, summed over batches of
// quadrature points.
#include "body/ritz/ritz.h"
#include <math.h>

TD_INLINE td_vec contract9(const td_vec *a, const td_vec *b) {
  td_vec sum = a[0] * b[0];
  for (int i = 1; i < 9; i++) sum += a[i] * b[i];
  return sum;
}

// One batch: F, its inverse transposed, ln det F, the stress P = mu (F - F^-T) + lambda ln J F^-T, and S = F E'.
typedef struct strain {
  td_vec F[9], Fd[9], inverse[9], log_det, P[9], Ed[9], S[9];
} strain;

TD_INLINE void gradient_of(const td_ritz *ritz, int batch, const double *x, double diagonal, td_vec out[9]) {
  for (int i = 0; i < 9; i++) out[i] = td_splat(i % 4 ? 0 : diagonal);
  for (int k = 0; x && k < ritz->n; k++)
    for (int i = 0; i < 9; i++) out[i] += ritz->modes[batch * ritz->n + k].gradient[i] * x[k];
}

TD_INLINE void strain_at(const td_ritz *ritz, int batch, const double *q, const double *qd, strain *s) {
  gradient_of(ritz, batch, q, 1, s->F);
  gradient_of(ritz, batch, qd, 0, s->Fd);
  const td_vec *F = s->F;
  td_vec C[9] = {F[4] * F[8] - F[5] * F[7], F[5] * F[6] - F[3] * F[8], F[3] * F[7] - F[4] * F[6],
                 F[2] * F[7] - F[1] * F[8], F[0] * F[8] - F[2] * F[6], F[1] * F[6] - F[0] * F[7],
                 F[1] * F[5] - F[2] * F[4], F[2] * F[3] - F[0] * F[5], F[0] * F[4] - F[1] * F[3]};
  td_vec det = F[0] * C[0] + F[1] * C[1] + F[2] * C[2];
  for (int l = 0; l < TD_LANES; l++) s->log_det[l] = log(det[l]);
  for (int i = 0; i < 9; i++) {
    s->inverse[i] = C[i] / det; // F^-T is the cofactor matrix over det F
    s->P[i] = ritz->mu * (F[i] - s->inverse[i]) + ritz->lambda * s->log_det * s->inverse[i];
    s->Ed[i] = td_splat(0);
  }
  td_m3_add_symmetric(s->F, s->Fd, s->Ed);
  td_m3_mul(s->F, s->Ed, s->S);
}

void td_ritz_forces(const td_model *m, const double *q, const double *qd, double *elastic, double *damping) {
  for (int i = 0; i < m->ritz_count; i++) {
    const td_ritz *ritz = &m->ritz[i];
    int c = m->element[ritz->element].coordinate;
    double viscosity = 2 * ritz->eta * ritz->mu;
    for (int b = 0; b < ritz->batch_count; b++) {
      strain s;
      td_vec volume = ritz->points[b].volume;
      strain_at(ritz, b, q + c, qd ? qd + c : NULL, &s);
      for (int k = 0; k < ritz->n; k++) {
        const td_vec *G = ritz->modes[b * ritz->n + k].gradient;
        if (elastic) elastic[c + k] -= td_total(volume * contract9(s.P, G));
        if (damping && qd) damping[c + k] -= viscosity * td_total(volume * contract9(s.S, G));
      }
    }
  }
}

// Column k: dP = mu G + (mu - lambda ln J) F^-T G^T F^-T + lambda (F^-T : G) F^-T and the changes of S with q and qd.
static void add_stiffness(const td_model *m, td_workspace *ws, const td_ritz *ritz, int batch, const strain *s,
                          const double *qd) {
  int c = m->element[ritz->element].coordinate;
  double viscosity = 2 * ritz->eta * ritz->mu;
  td_vec volume = ritz->points[batch].volume, pull = ritz->mu - ritz->lambda * s->log_det;
  for (int k = 0; k < ritz->n; k++) {
    const td_vec *G = ritz->modes[batch * ritz->n + k].gradient;
    td_vec Gt[9], left[9], both[9], dP[9], dE[9] = {0}, dEd[9] = {0}, Sq[9], Sv[9], extra[9],
                                           trace = contract9(s->inverse, G);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) Gt[3 * i + j] = G[3 * j + i];
    td_m3_mul(s->inverse, Gt, left);
    td_m3_mul(left, s->inverse, both);
    for (int i = 0; i < 9; i++) dP[i] = ritz->mu * G[i] + pull * both[i] + ritz->lambda * trace * s->inverse[i];
    td_m3_add_symmetric(s->F, G, dE);
    td_m3_add_symmetric(G, s->Fd, dEd);
    td_m3_mul(s->F, dE, Sv);
    td_m3_mul(s->F, dEd, Sq);
    td_m3_mul(G, s->Ed, extra);
    for (int i = 0; i < 9; i++) Sq[i] += extra[i];
    for (int d = 0; d < ritz->n; d++) {
      const td_vec *row = ritz->modes[batch * ritz->n + d].gradient;
      int at = (c + d) * m->ld + c + k;
      ws->dtau_dq[at] -= td_total(volume * contract9(dP, row));
      if (qd) ws->dtau_dq[at] -= viscosity * td_total(volume * contract9(Sq, row));
      ws->dtau_dqd[at] -= viscosity * td_total(volume * contract9(Sv, row));
    }
  }
}

void td_ritz_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd) {
  for (int i = 0; i < m->ritz_count; i++) {
    const td_ritz *ritz = &m->ritz[i];
    int c = m->element[ritz->element].coordinate;
    for (int b = 0; b < ritz->batch_count && !td_stopped(ws); b++) {
      strain s;
      strain_at(ritz, b, q + c, qd ? qd + c : NULL, &s);
      add_stiffness(m, ws, ritz, b, &s, qd);
    }
  }
}

double td_ritz_energy(const td_model *m, const double *q) {
  double energy = 0;
  for (int i = 0; i < m->ritz_count; i++) {
    const td_ritz *ritz = &m->ritz[i];
    for (int b = 0; b < ritz->batch_count; b++) {
      strain s;
      strain_at(ritz, b, q + m->element[ritz->element].coordinate, NULL, &s);
      td_vec density =
          0.5 * ritz->mu * (contract9(s.F, s.F) - 3.0 - 2.0 * s.log_det) + 0.5 * ritz->lambda * s.log_det * s.log_det;
      energy += td_total(ritz->points[b].volume * density);
    }
  }
  return energy;
}
