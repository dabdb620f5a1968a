// Elasticity and damping of joints and bodies. Linear laws of joints and strains:  tau = -k (q - rest) - d qd - K q - D
// qd,  K, D block-diagonal by strain component but for what sections couple (td_rod.coupling). Nonlinear ones are those
// of the bodies' rows (body/body.h).
#include "force/elasticity.h"
#include "force/force_table.h"
#include "force/tendon/path.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <string.h>

// out -= block-diagonal matrix times x
static void subtract_blocks(const td_rod *rod, const double *block, const double *x, double *out) {
  for (int g = 0; g < rod->group_count; g++) {
    int first = rod->group[g].first, count = rod->group[g].count;
    for (int i = 0; i < count; i++) {
      double sum = 0;
      for (int j = 0; j < count; j++) sum += block[i * count + j] * x[first + j];
      out[first + i] -= sum;
    }
    block += count * count;
  }
}

// out -= coupling x: what blocks leave out.
static void subtract_coupling(const td_model *m, const td_rod *rod, const double *x, double *out) {
  int n = m->element[rod->element].n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[i] -= rod->coupling[i * n + j] * x[j];
}

// Linear springs and dampers: joints and strains.
static void add_springs(const td_model *m, const double *q, double *out) {
  for (int i = 0; i < m->n; i++) out[i] -= m->joint_stiffness[i] * (q[i] - m->joint_rest[i]);
  for (int i = 0; i < m->rod_count; i++) {
    int c = td_rod_coordinate(m, &m->rod[i]);
    subtract_blocks(&m->rod[i], m->rod[i].stiffness, q + c, out + c);
    if (m->rod[i].coupling) subtract_coupling(m, &m->rod[i], q + c, out + c);
  }
}

static void add_dampers(const td_model *m, const double *qd, double *out) {
  for (int i = 0; i < m->n; i++) out[i] -= m->joint_damping[i] * qd[i];
  for (int i = 0; i < m->rod_count; i++) {
    int c = td_rod_coordinate(m, &m->rod[i]);
    subtract_blocks(&m->rod[i], m->rod[i].damping, qd + c, out + c);
  }
}

static void add(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                const td_force_sums *out) {
  (void)ws, (void)u;
  add_springs(m, q, out->elastic);
  if (qd) add_dampers(m, qd, out->damping);
  for (const td_body_row *const *row = m->bodies; *row; row++)
    if ((*row)->forces) (*row)->forces(m, q, qd, out->elastic, out->damping);
}

// ---- derivatives

static void write_blocks(const td_model *m, const td_rod *rod, const double *block, double *matrix) {
  int c = td_rod_coordinate(m, rod);
  for (int g = 0; g < rod->group_count; g++) {
    int first = c + rod->group[g].first, count = rod->group[g].count;
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++) matrix[(first + i) * m->ld + first + j] -= *block++;
  }
}

static void write_coupling(const td_model *m, const td_rod *rod, double *matrix) {
  int c = td_rod_coordinate(m, rod), n = m->element[rod->element].n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) matrix[(c + i) * m->ld + c + j] -= rod->coupling[i * n + j];
}

static void add_slopes(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u) {
  double *dtau_dq = ws->dtau_dq, *dtau_dqd = ws->dtau_dqd;
  (void)u;
  for (int i = 0; i < m->n; i++) {
    dtau_dq[i * m->ld + i] -= m->joint_stiffness[i];
    dtau_dqd[i * m->ld + i] -= m->joint_damping[i];
  }
  for (int i = 0; i < m->rod_count; i++) {
    write_blocks(m, &m->rod[i], m->rod[i].stiffness, dtau_dq);
    if (m->rod[i].coupling) write_coupling(m, &m->rod[i], dtau_dq);
    write_blocks(m, &m->rod[i], m->rod[i].damping, dtau_dqd);
  }
  for (const td_body_row *const *row = m->bodies; *row; row++)
    if ((*row)->slopes) (*row)->slopes(m, ws, q, qd);
}

void td_elasticity_at_rest(const td_model *m, td_workspace *ws) {
  size_t size = (size_t)(m->n * m->ld) * sizeof(double);
  memset(ws->dtau_dq, 0, size);
  memset(ws->dtau_dqd, 0, size);
  add_slopes(m, ws, ws->zero, ws->zero, NULL);
}

// ---- energy, q^T K q / 2 and that of joints' springs

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *out) {
  double energy = 0;
  (void)ws, (void)u;
  for (int i = 0; i < m->n; i++) energy += 0.5 * m->joint_stiffness[i] * pow(q[i] - m->joint_rest[i], 2);
  for (int r = 0; r < m->rod_count; r++) {
    const td_rod *rod = &m->rod[r];
    const double *block = rod->stiffness, *x = q + m->element[rod->element].coordinate;
    for (int g = 0; g < rod->group_count; g++)
      for (int i = 0; i < rod->group[g].count; i++)
        for (int j = 0; j < rod->group[g].count; j++)
          energy += 0.5 * *block++ * x[rod->group[g].first + i] * x[rod->group[g].first + j];
    int n = rod->coupling ? m->element[rod->element].n : 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) energy += 0.5 * rod->coupling[i * n + j] * x[i] * x[j];
  }
  out->elastic += energy;
  for (const td_body_row *const *row = m->bodies; *row; row++)
    if ((*row)->elastic) out->elastic += (*row)->elastic(m, q);
}

static unsigned acts(const td_model *m) { return m->n ? TD_ACTS : 0; }

const td_force td_force_elasticity = {
    .name = "elasticity", .acts = acts, .add = add, .add_slopes = add_slopes, .energy = add_energy};
