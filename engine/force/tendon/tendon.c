// Tendons on rods: tensions that inputs give, their forces, derivatives, and lengths of all tendons.
//
//   tau = -sum_i u_i dl_i/dq,  u_i the tension of tendon i;
// where its length is the input or friction acts along its path: tension.c, friction.c.
// A tendon on a rod: l = sum over Gauss points of w |t|, t = t0 + sum_c phi_c q_c m_a, with m_a the change of the
// tangent v + w x d + d' per unit of strain component a. Its gradient and Hessian are those of a norm:
//   dl/dq_c = sum w phi_c n.m_a,  d2l/dq_c dq_d = sum w phi_c phi_d m_a^T (1 - n n^T) m_b / |t|.
// Mathew2025 (D60)-(D63), corrected.
// Straight stretches between bodies: stretch.c.
#include "force/tendon/tendon.h"
#include "force/force_table.h"
#include "force/tendon/friction.h"
#include "force/tendon/path.h"
#include "force/tendon/tendon_kink.h"
#include "force/tendon/tension.h"
#include "math/finite.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// ---- strains and tangents at Gauss points

// strain [gauss][TD_COMPONENTS]: Phi q at the Gauss points (reference strain left out: it is in t0).
TD_INLINE void gauss_strains(const td_rod *rod, const double *q, int stride, double *strain) {
  for (int k = 0; k < rod->gauss_count; k++)
    td_path_strain(rod, rod->phi_gauss + k * stride, q, strain + TD_COMPONENTS * k);
}

typedef td_path_tangent tangent;

TD_INLINE tangent tangent_at(const td_tendon_path *path, int k, const double *e) {
  return td_path_tangent_of(path->offset + 2 * k, path->t0 + 3 * k, e);
}

// out[a] += scale n.m_a
TD_INLINE void add_gradient(const tangent *t, double scale, double *out) { td_path_pull(t, t->n, scale, out); }

// H [6][TD_COMPONENTS] += scale m^T (1 - n n^T) m / |t|
TD_INLINE void add_hessian(const tangent *t, double scale, double *H) {
  const double m[6][3] = {{0, -t->dz, t->dy}, {t->dz, 0, 0}, {-t->dy, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double f = scale / t->length, nm[6];
  for (int a = 0; a < 6; a++) nm[a] = t->n[0] * m[a][0] + t->n[1] * m[a][1] + t->n[2] * m[a][2];
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
      H[TD_COMPONENTS * a + b] += f * (m[a][0] * m[b][0] + m[a][1] * m[b][1] + m[a][2] * m[b][2] - nm[a] * nm[b]);
}

// out_c += sum_k phi_ck g[k][a(c)]
TD_INLINE void project_gauss(const td_rod *rod, int stride, const double *g, double scale, double *out) {
  for (int i = 0; i < rod->group_count; i++) {
    const td_group *group = &rod->group[i];
    for (int c = group->first; c < group->first + group->count; c++) {
      double sum = 0;
      for (int k = 0; k < rod->gauss_count; k++)
        sum += rod->phi_gauss[k * stride + c] * g[TD_COMPONENTS * k + rod->axis[group->component]];
      out[c] += scale * sum;
    }
  }
}

// ---- tau

// B u of the tendons on one rod, added to out.
static void rod_tendons(const td_model *m, td_workspace *ws, int index, const double *q, const double *tension,
                        double *out) {
  const td_rod *rod = &m->rod[index];
  int stride = td_rod_stride(m, rod), any = 0;
  double *strain = ws->rod_scratch, *g = strain + TD_COMPONENTS * rod->gauss_count;
  for (int p = 0; p < m->path_count; p++) {
    const td_tendon_path *path = &m->path[p];
    if (path->rod != index || tension[path->tendon] == 0) continue;
    if (!any++) {
      gauss_strains(rod, q + td_rod_coordinate(m, rod), stride, strain);
      memset(g, 0, TD_COMPONENTS * (size_t)rod->gauss_count * sizeof *g);
    }
    for (int k = 0; k < rod->gauss_count; k++) {
      tangent t = tangent_at(path, k, strain + TD_COMPONENTS * k);
      add_gradient(&t, tension[path->tendon] * rod->weight[k], g + TD_COMPONENTS * k);
    }
  }
  if (any) project_gauss(rod, stride, g, -1, out + td_rod_coordinate(m, rod));
}

// Tensions that inputs give; 0 for tendons driven by length, whose force has a potential.
static void tensions(const td_model *m, const double *u, double *tension) {
  for (int t = 0; t < m->tendon_count; t++) tension[t] = m->law[t].length ? 0 : u[m->law[t].channel];
}

void td_add_tensions(const td_model *m, td_workspace *ws, const double *q, const double *tension, double *out) {
  for (int i = 0; i < m->rod_count && m->path_count; i++) rod_tendons(m, ws, i, q, tension, out);
  if (m->stretch_count) td_stretch_forces(m, ws, q, tension, out);
}

static void add(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                const td_force_sums *out) {
  (void)qd;
  if (!u || !out->actuation) return;
  tensions(m, u, ws->scratch);
  td_add_tensions(m, ws, q, ws->scratch, out->actuation);
}

// ---- derivatives

// dtau/dq -= sum_k phi_k^T H_k phi_k for eight columns; Y [gauss][6] holds H_k phi_k.
TD_INLINE void subtract_gauss_products(const td_model *m, td_workspace *ws, const td_rod *rod, const double *H,
                                       td_vec *Y, int first_piece, int pieces) {
  const td_element *e = &m->element[rod->element];
  int stride = td_rod_stride(m, rod), chunk = e->piece[first_piece].chunk, count = e->n - chunk * TD_LANES;
  for (int k = 0; k < rod->gauss_count; k++)
    for (int a = 0; a < 6; a++) {
      td_vec sum = td_splat(0);
      for (int p = first_piece; p < first_piece + pieces; p++)
        sum += H[TD_STRAIN_HESSIAN * k + TD_COMPONENTS * a + rod->axis[e->piece[p].component]] *
               rod->piece_gauss[k * e->piece_count + p];
      Y[6 * k + a] = sum;
    }
  for (int g = 0; g < e->group_count; g++)
    for (int c = e->group[g].first; c < e->group[g].first + e->group[g].count; c++) {
      td_vec sum = td_splat(0);
      for (int k = 0; k < rod->gauss_count; k++)
        sum += rod->phi_gauss[k * stride + c] * Y[6 * k + rod->axis[e->group[g].component]];
      double *out = ws->dtau_dq + (e->coordinate + c) * m->ld + e->coordinate + chunk * TD_LANES;
      for (int l = 0; l < TD_LANES && l < count; l++) out[l] -= sum[l];
    }
}

// dtau/dq of the tendons on one rod: -sum_k phi_k^T H_k phi_k, H_k [6][TD_COMPONENTS] the tension-weighted Hessians.
// `factor` [pieces]: of friction, NULL without.
static void rod_tendon_stiffness(const td_model *m, td_workspace *ws, int index, const double *q, const double *tension,
                                 const double *factor) {
  const td_rod *rod = &m->rod[index];
  const td_element *e = &m->element[rod->element];
  int stride = td_rod_stride(m, rod), first = td_rod_coordinate(m, rod), any = 0;
  double *strain = ws->rod_scratch, *H = strain + TD_COMPONENTS * rod->gauss_count,
         *row = H + TD_STRAIN_HESSIAN * rod->gauss_count;
  for (int p = 0; p < m->path_count; p++) {
    const td_tendon_path *path = &m->path[p];
    if (path->rod != index || tension[path->tendon] == 0) continue;
    if (!any++) {
      gauss_strains(rod, q + first, stride, strain);
      memset(H, 0, TD_STRAIN_HESSIAN * (size_t)rod->gauss_count * sizeof *H);
    }
    for (int k = 0; k < rod->gauss_count; k++) {
      tangent t = tangent_at(path, k, strain + TD_COMPONENTS * k);
      double share = factor && path->first_piece >= 0 ? factor[path->first_piece + k] : 1;
      add_hessian(&t, share * tension[path->tendon] * rod->weight[k], H + TD_STRAIN_HESSIAN * k);
    }
  }
  if (!any) return;
  for (int p = 0; p < e->piece_count;) {
    int chunk = e->piece[p].chunk, pieces = 0;
    while (p + pieces < e->piece_count && e->piece[p + pieces].chunk == chunk) pieces++;
    subtract_gauss_products(m, ws, rod, H, (td_vec *)(void *)row, p, pieces);
    p += pieces;
  }
}

void td_add_tension_stiffness(const td_model *m, td_workspace *ws, const double *q, const double *tension,
                              const double *factor, const double *stretch_factor) {
  for (int i = 0; i < m->rod_count && m->path_count; i++) rod_tendon_stiffness(m, ws, i, q, tension, factor);
  if (m->stretch_count) td_stretch_derivatives(m, ws, q, tension, stretch_factor);
}

// ws->dtau_dq = minus the sum of tension d2length/dq2
static void tendon_curvature(const td_model *m, td_workspace *ws, const double *q, const double *tension) {
  memset(ws->dtau_dq, 0, (size_t)m->n * (size_t)m->ld * sizeof(double));
  td_add_tension_stiffness(m, ws, q, tension, NULL, NULL);
}

void td_tendon_curvature(const td_model *m, td_workspace *ws, const double *q, const double *tension, const double *x,
                         double *out) {
  tendon_curvature(m, ws, q, tension);
  for (int i = 0; i < m->n; i++) {
    out[i] = 0;
    for (int j = 0; j < m->n; j++) out[i] -= ws->dtau_dq[i * m->ld + j] * x[j];
  }
}

void td_tendon_hessian(const td_model *m, td_workspace *ws, const double *q, const double *tension, double *hessian) {
  tendon_curvature(m, ws, q, tension);
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++) hessian[i * m->n + j] = -ws->dtau_dq[i * m->ld + j];
}

static void add_slopes(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u) {
  (void)qd;
  if (!u || td_tension_has_laws(m)) return; // with laws all tendons are those of tension.c
  tensions(m, u, ws->scratch);
  td_add_tension_stiffness(m, ws, q, ws->scratch, NULL, NULL);
}

static void add_inputs(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                       double *dtau_du) {
  (void)qd, (void)u;
  if (td_tension_has_laws(m)) return;
  double *gradient = ws->solution, *length = gradient + m->tendon_count * m->n;
  (void)!td_tendon_lengths(m, ws, q, length, gradient); // who asks looks at dtau_du
  for (int t = 0; t < m->tendon_count; t++)
    for (int i = 0; i < m->n; i++) dtau_du[i * m->channel_count + m->law[t].channel] = -gradient[t * m->n + i];
}

static void tell(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                 unsigned asked, const char *pointer, td_warnings *warnings) {
  td_tendon_kink least;
  char text[TD_TENDON_KINK_TEXT];
  (void)qd, (void)u;
  if (!(asked & TD_ASKED_TAU) || !td_tendon_kink_find(m, ws, q, true, &least) || !td_tendon_is_kinked(&least)) return;
  td_tendon_kink_text(m, &least, text);
  td_warn(warnings, "tendon_kink", pointer,
          "at this state %s; its force has no direction, and its stiffness no bound: no robot gets here", text);
}

static unsigned acts(const td_model *m) { return m->tendon_count ? TD_ACTS : 0; }

const td_force td_force_tendon = {.name = "tendon",
                                  .acts = acts,
                                  .actuates = true,
                                  .add = add,
                                  .add_slopes = add_slopes,
                                  .add_inputs = add_inputs,
                                  .tell = tell};

// ---- lengths

td_status td_tendon_lengths(const td_model *m, td_workspace *ws, const double *q, double *length, double *dlength_dq) {
  if (dlength_dq) memset(dlength_dq, 0, (size_t)(m->tendon_count * m->n) * sizeof *dlength_dq);
  memcpy(length, m->tendon_constant, (size_t)m->tendon_count * sizeof *length);
  for (int p = 0; p < m->path_count; p++) {
    const td_tendon_path *path = &m->path[p];
    const td_rod *rod = &m->rod[path->rod];
    int stride = td_rod_stride(m, rod), first = td_rod_coordinate(m, rod);
    double *strain = ws->rod_scratch, *g = strain + TD_COMPONENTS * rod->gauss_count;
    gauss_strains(rod, q + first, stride, strain);
    memset(g, 0, TD_COMPONENTS * (size_t)rod->gauss_count * sizeof *g);
    for (int k = 0; k < rod->gauss_count; k++) {
      tangent t = tangent_at(path, k, strain + TD_COMPONENTS * k);
      length[path->tendon] += rod->weight[k] * t.length;
      add_gradient(&t, rod->weight[k], g + TD_COMPONENTS * k);
    }
    if (dlength_dq) project_gauss(rod, stride, g, 1, dlength_dq + path->tendon * m->n + first);
  }
  if (m->stretch_count) td_stretch_lengths(m, ws, q, length, dlength_dq);
  return td_all_finite(length, m->tendon_count);
}

// |t|' = n.t',  |t|'' = n.t'' + (|t'|^2 - (n.t')^2) / |t|
static void add_path_motion(const td_tendon_path *path, const td_rod *rod, const double *strain, double out[3]) {
  const double *rate = strain + TD_COMPONENTS * rod->gauss_count, *second = rate + TD_COMPONENTS * rod->gauss_count;
  for (int k = 0; k < rod->gauss_count; k++) {
    tangent t = tangent_at(path, k, strain + TD_COMPONENTS * k);
    double v[3], a[3];
    td_path_change(&t, rate + TD_COMPONENTS * k, v);
    td_path_change(&t, second + TD_COMPONENTS * k, a);
    double along = t.n[0] * v[0] + t.n[1] * v[1] + t.n[2] * v[2], w = rod->weight[k];
    out[0] += w * t.length;
    out[1] += w * along;
    out[2] += w * (t.n[0] * a[0] + t.n[1] * a[1] + t.n[2] * a[2] +
                   (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - along * along) / t.length);
  }
}

td_status td_tendon_motion(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                           double (*motion)[3]) {
  for (int t = 0; t < m->tendon_count; t++) motion[t][0] = m->tendon_constant[t], motion[t][1] = motion[t][2] = 0;
  for (int p = 0; p < m->path_count; p++) {
    const td_tendon_path *path = &m->path[p];
    const td_rod *rod = &m->rod[path->rod];
    int stride = td_rod_stride(m, rod), first = td_rod_coordinate(m, rod), size = TD_COMPONENTS * rod->gauss_count;
    gauss_strains(rod, q + first, stride, ws->rod_scratch);
    gauss_strains(rod, qd + first, stride, ws->rod_scratch + size);
    gauss_strains(rod, qdd + first, stride, ws->rod_scratch + 2 * size);
    add_path_motion(path, rod, ws->rod_scratch, motion[path->tendon]);
  }
  if (m->stretch_count) td_stretch_motion(m, ws, q, qd, qdd, motion);
  return m->tendon_count ? td_all_finite(motion[0], 3 * m->tendon_count) : TD_OK;
}
