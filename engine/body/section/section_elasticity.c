// Incompressible neo-Hookean energy and Kelvin-Voigt damping in weak form, particle by particle, eight at a time.
//
//   W = mu/2 (F:F - 3),  E = (F^T F - 1)/2,  elastic force dW/df = mu sum F_i dF_i/df,
//   damping force 2 eta mu sum E' : dE/df = 2 eta mu sum S_i dF_i/df,  S = F E'.
// In the section's frame the deformation gradient is F = [dy/dX1, dy/dX2, u + k x y + dy/ds]: two columns in the plane,
// and
//   F13 = sx - kz y2 + y1_d p_d',  F23 = sy + kz y1 + y2_d p_d',  F33 = sz + kx y2 - ky y1     (p_d' slopes along the
//     axis).
// It depends on eleven fields f of the section, each linear in q: kx, ky, kz, sx, sy, sz, four slopes, and the source.
// First and second derivatives of the seven entries with respect to f come from the section map's polynomials.
// Source: Pustina2025, weak form; engine/README.md.
#include "body/section/section_elasticity.h"
#include <string.h>

enum { FIELDS = 11, ENTRIES = 7, KX = 0, KY, KZ, SX, SY, SZ, SLOPE, SOURCE = 10 };

// Field of each local field p of the section map (xi6, kx, ky, m).
static const int FIELD_OF[4] = {SZ, KX, KY, SOURCE};
// Row and column of F of each entry.
static const int ROW[ENTRIES] = {0, 0, 1, 1, 0, 1, 2}, COLUMN[ENTRIES] = {0, 1, 0, 1, 2, 2, 2};

typedef struct entries {
  td_vec value[ENTRIES], slope[ENTRIES][FIELDS]; ///< F_i, dF_i/df
} entries;

typedef struct slice_law {
  double energy, elastic[FIELDS], damping[FIELDS], K[FIELDS][FIELDS], Dq[FIELDS][FIELDS], Dv[FIELDS][FIELDS];
} slice_law;

// ---- the deformation gradient

TD_INLINE void plane_entry(const td_poly *Y, td_vec *value, td_vec slope[FIELDS]) {
  *value = Y->c[0];
  for (int d = 0; d < 4; d++) slope[FIELD_OF[d]] = td_poly_first(Y, d);
}

// F13 (i = 0) or F23 (i = 1): strain along i, turned by twist, and the change of y along the axis.
TD_INLINE void shear_entry(const td_poly y[2], const double *fields, int i, td_vec *value, td_vec slope[FIELDS]) {
  td_vec turn = i ? y[0].c[0] : -y[1].c[0];
  double sign = i ? 1 : -1;
  *value = fields[SX + i] + fields[KZ] * turn;
  slope[SX + i] = td_splat(1);
  slope[KZ] = turn;
  for (int d = 0; d < 4; d++) {
    td_vec rate = td_splat(0);
    for (int e = 0; e < 4; e++) rate += td_poly_second(&y[i], d, e) * fields[SLOPE + e];
    *value += td_poly_first(&y[i], d) * fields[SLOPE + d];
    slope[FIELD_OF[d]] = sign * fields[KZ] * td_poly_first(&y[1 - i], d) + rate;
    slope[SLOPE + d] = td_poly_first(&y[i], d);
  }
}

// F33 as a polynomial in p.
TD_INLINE td_poly axial_entry(const td_poly y[2], const double *fields, int order) {
  td_poly kx = td_poly_variable(td_splat(fields[KX]), 1, order), ky = td_poly_variable(td_splat(-fields[KY]), 2, order),
          a, b, out = td_poly_variable(td_splat(fields[SZ]), 0, order);
  ky.c[3] = td_splat(-1);
  td_poly_mul(&kx, &y[1], order, &a);
  td_poly_mul(&ky, &y[0], order, &b);
  out = td_poly_add(&out, &a, order);
  return td_poly_add(&out, &b, order);
}

TD_INLINE void gradient_at(const td_poly y[2], const td_poly Y[4], const td_poly *axial, const double *fields,
                           entries *F) {
  memset(F, 0, sizeof *F);
  for (int i = 0; i < 4; i++) plane_entry(&Y[i], &F->value[i], F->slope[i]);
  for (int i = 0; i < 2; i++) shear_entry(y, fields, i, &F->value[4 + i], F->slope[4 + i]);
  plane_entry(axial, &F->value[6], F->slope[6]);
}

TD_INLINE void matrix_of(const td_vec value[ENTRIES], td_vec out[9]) {
  for (int i = 0; i < 9; i++) out[i] = td_splat(0);
  for (int i = 0; i < ENTRIES; i++) out[3 * ROW[i] + COLUMN[i]] = value[i];
}

// Second derivatives of entry i with respect to the fields, both triangles.
TD_INLINE void second_plane(const td_poly *Y, td_vec H[FIELDS][FIELDS]) {
  for (int d = 0; d < 4; d++)
    for (int e = 0; e < 4; e++) H[FIELD_OF[d]][FIELD_OF[e]] = td_poly_second(Y, d, e);
}

TD_INLINE void second_shear(const td_poly y[2], const double *fields, int i, td_vec H[FIELDS][FIELDS]) {
  double sign = i ? 1 : -1;
  for (int d = 0; d < 4; d++) {
    int D = FIELD_OF[d];
    H[KZ][D] = H[D][KZ] = sign * td_poly_first(&y[1 - i], d);
    for (int e = 0; e < 4; e++) {
      td_vec rate = td_splat(0);
      for (int f = 0; f < 4; f++) rate += td_poly_third(&y[i], d, e, f) * fields[SLOPE + f];
      H[D][FIELD_OF[e]] = sign * fields[KZ] * td_poly_second(&y[1 - i], d, e) + rate;
      H[D][SLOPE + e] = H[SLOPE + e][D] = td_poly_second(&y[i], d, e);
    }
  }
}

TD_INLINE void second_of(const td_poly y[2], const td_poly Y[4], const td_poly *axial, const double *fields, int entry,
                         td_vec H[FIELDS][FIELDS]) {
  memset(H, 0, FIELDS * sizeof *H);
  if (entry < 4) second_plane(&Y[entry], H);
  if (entry == 4 || entry == 5) second_shear(y, fields, entry - 4, H);
  if (entry == 6) second_plane(axial, H);
}

// ---- one batch of particles

typedef struct batch {
  td_poly y[2], Y[4], axial;
  entries F;
  td_vec Fd[ENTRIES], Ed[9], S[9]; ///< rate of F, of E, and F E'
} batch;

TD_INLINE void prepare(const td_section_row *row, const td_section_points *points, const double *fields,
                       const double *field_rates, int order, batch *b) {
  const double p[4] = {fields[SZ], fields[KX], fields[KY], fields[SOURCE]};
  row->gradient(points, p, order, b->y, b->Y);
  b->axial = axial_entry(b->y, fields, order);
  gradient_at(b->y, b->Y, &b->axial, fields, &b->F);
  td_vec F[9], Fd[9];
  for (int i = 0; i < ENTRIES; i++) {
    b->Fd[i] = td_splat(0);
    for (int k = 0; k < FIELDS; k++) b->Fd[i] += b->F.slope[i][k] * field_rates[k];
  }
  matrix_of(b->F.value, F);
  matrix_of(b->Fd, Fd);
  for (int i = 0; i < 9; i++) b->Ed[i] = td_splat(0);
  td_m3_add_symmetric(F, Fd, b->Ed);
  td_m3_mul(F, b->Ed, b->S);
}

TD_INLINE td_vec stress_of(const batch *b, int i) { return b->S[3 * ROW[i] + COLUMN[i]]; }

TD_INLINE void add_forces(const batch *b, td_vec weight, double mu, double viscosity, slice_law *law) {
  td_vec square = td_splat(-3);
  for (int i = 0; i < ENTRIES; i++) square += b->F.value[i] * b->F.value[i];
  law->energy += mu / 2 * td_total(weight * square);
  for (int k = 0; k < FIELDS; k++) {
    td_vec elastic = td_splat(0), damping = td_splat(0);
    for (int i = 0; i < ENTRIES; i++) {
      elastic += b->F.value[i] * b->F.slope[i][k];
      damping += stress_of(b, i) * b->F.slope[i][k];
    }
    law->elastic[k] += mu * td_total(weight * elastic);
    law->damping[k] += viscosity * td_total(weight * damping);
  }
}

// What second derivatives of F contribute: mu F_i H_i, S_i H_i, and the rates of the slopes H_i f' [entry][field].
TD_INLINE void add_seconds(const batch *b, const double *fields, const double *field_rates, td_vec weight, double mu,
                           double viscosity, td_vec rates[ENTRIES][FIELDS], slice_law *law) {
  td_vec H[FIELDS][FIELDS], K[FIELDS][FIELDS] = {0}, D[FIELDS][FIELDS] = {0};
  for (int i = 0; i < ENTRIES; i++) {
    second_of(b->y, b->Y, &b->axial, fields, i, H);
    td_vec pull = b->F.value[i], drag = stress_of(b, i);
    for (int r = 0; r < FIELDS; r++) {
      rates[i][r] = td_splat(0);
      for (int c = 0; c < FIELDS; c++) {
        rates[i][r] += H[r][c] * field_rates[c];
        K[r][c] += pull * H[r][c] + b->F.slope[i][r] * b->F.slope[i][c];
        D[r][c] += drag * H[r][c];
      }
    }
  }
  for (int r = 0; r < FIELDS; r++)
    for (int c = 0; c < FIELDS; c++) {
      law->K[r][c] += mu * td_total(weight * K[r][c]);
      law->Dq[r][c] += viscosity * td_total(weight * D[r][c]);
    }
}

// Change of S with field k and with its rate: F_k E' + F sym(F_k^T F' + F^T F'_k) and F sym(F^T F_k).
TD_INLINE void add_stress_changes(const batch *b, td_vec weight, double viscosity, td_vec rates[ENTRIES][FIELDS],
                                  slice_law *law) {
  td_vec F[9], Fd[9];
  matrix_of(b->F.value, F);
  matrix_of(b->Fd, Fd);
  for (int k = 0; k < FIELDS; k++) {
    td_vec column[ENTRIES], rate[ENTRIES], Fk[9], Fdk[9], with_q[9] = {0}, with_v[9] = {0}, Sq[9], Sv[9], extra[9];
    for (int i = 0; i < ENTRIES; i++) column[i] = b->F.slope[i][k], rate[i] = rates[i][k];
    matrix_of(column, Fk);
    matrix_of(rate, Fdk);
    td_m3_add_symmetric(Fk, Fd, with_q);
    td_m3_add_symmetric(F, Fdk, with_q);
    td_m3_add_symmetric(F, Fk, with_v);
    td_m3_mul(F, with_q, Sq);
    td_m3_mul(Fk, b->Ed, extra);
    td_m3_mul(F, with_v, Sv);
    for (int r = 0; r < FIELDS; r++) {
      td_vec dq = td_splat(0), dv = td_splat(0);
      for (int i = 0; i < ENTRIES; i++) {
        int at = 3 * ROW[i] + COLUMN[i];
        dq += (Sq[at] + extra[at]) * b->F.slope[i][r];
        dv += Sv[at] * b->F.slope[i][r];
      }
      law->Dq[r][k] += viscosity * td_total(weight * dq);
      law->Dv[r][k] += viscosity * td_total(weight * dv);
    }
  }
}

// ---- slices

// Row of Phi of field k of a slice.
static const double *field_row(const td_slice *slice, int stride, int k) {
  return k == SOURCE ? slice->phi + 3 * stride : slice->strain + k * stride;
}

static void fields_of(const td_slice *slice, int stride, int n, const double *q, double rest, double fields[FIELDS]) {
  for (int k = 0; k < FIELDS; k++) {
    const double *phi = field_row(slice, stride, k);
    fields[k] = k == SZ ? rest : 0;
    for (int c = 0; q && c < n; c++) fields[k] += phi[c] * q[c];
  }
}

static void law_of(const td_model *m, int index, const double *q, const double *qd, bool derivatives, slice_law *law) {
  const td_slice *slice = &m->slice[index];
  const td_rod *rod = &m->rod[slice->rod];
  const td_element *e = &m->element[rod->element];
  int stride = e->npad + TD_LANES;
  double fields[FIELDS], field_rates[FIELDS], viscosity = 2 * rod->damping_time * rod->shear_modulus;
  fields_of(slice, stride, e->n, q + e->coordinate, 1, fields);
  fields_of(slice, stride, e->n, qd ? qd + e->coordinate : NULL, 0, field_rates);
  memset(law, 0, sizeof *law);
  for (int i = 0; i < slice->batch_count; i++) {
    batch b;
    td_vec weight = slice->points[i].weight, rates[ENTRIES][FIELDS];
    prepare(rod->section, &slice->points[i], fields, field_rates, derivatives ? 3 : 2, &b);
    add_forces(&b, weight, rod->shear_modulus, viscosity, law);
    if (!derivatives) continue;
    add_seconds(&b, fields, field_rates, weight, rod->shear_modulus, viscosity, rates, law);
    add_stress_changes(&b, weight, viscosity, rates, law);
  }
}

static bool is_solid(const td_model *m, int slice) { return m->rod[m->slice[slice].rod].section->gradient != NULL; }

static void fold(const td_model *m, int index, const double *force, double *out) {
  const td_slice *slice = &m->slice[index];
  const td_element *e = &m->element[m->rod[slice->rod].element];
  for (int k = 0; k < FIELDS; k++) {
    const double *phi = field_row(slice, e->npad + TD_LANES, k);
    for (int c = 0; c < e->n; c++) out[e->coordinate + c] -= phi[c] * force[k];
  }
}

void td_section_forces(const td_model *m, const double *q, const double *qd, double *elastic, double *damping) {
  for (int i = 0; i < m->slice_count; i++) {
    slice_law law;
    if (!is_solid(m, i)) continue;
    law_of(m, i, q, qd, false, &law);
    if (elastic) fold(m, i, law.elastic, elastic);
    if (damping && qd) fold(m, i, law.damping, damping);
  }
}

// matrix -= phi^T A phi
static void fold_matrix(const td_model *m, int index, double A[FIELDS][FIELDS], double *matrix) {
  const td_slice *slice = &m->slice[index];
  const td_element *e = &m->element[m->rod[slice->rod].element];
  int stride = e->npad + TD_LANES;
  for (int c = 0; c < e->n; c++) {
    double row[FIELDS] = {0};
    for (int k = 0; k < FIELDS; k++) {
      double phi = field_row(slice, stride, k)[c];
      for (int l = 0; phi != 0 && l < FIELDS; l++) row[l] += phi * A[k][l];
    }
    double *out = matrix + (e->coordinate + c) * m->ld + e->coordinate;
    for (int l = 0; l < FIELDS; l++) {
      const double *phi = field_row(slice, stride, l);
      for (int d = 0; row[l] != 0 && d < e->n; d++) out[d] -= row[l] * phi[d];
    }
  }
}

void td_section_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd) {
  for (int i = 0; i < m->slice_count; i++) {
    slice_law law;
    if (!is_solid(m, i)) continue;
    law_of(m, i, q, qd, true, &law);
    fold_matrix(m, i, law.K, ws->dtau_dq);
    if (qd) fold_matrix(m, i, law.Dq, ws->dtau_dq);
    fold_matrix(m, i, law.Dv, ws->dtau_dqd);
  }
}

double td_section_energy(const td_model *m, const double *q) {
  double energy = 0;
  for (int i = 0; i < m->slice_count; i++) {
    slice_law law;
    if (!is_solid(m, i)) continue;
    law_of(m, i, q, NULL, false, &law);
    energy += law.energy;
  }
  return energy;
}
