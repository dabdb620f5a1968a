// Wrenches of flowing water on a body that a surface may cross, in the world frame, and the maps that derivatives need.
//
// Fluid of velocity U(z) (world axes) at the body's reference point p is the twist Vf = (0, U) near it; V_r = V - Vf
// moves relative to the water. w = w(p_z) is the wetness, c = (p x e_z, e_z) the covector of p_z, sigma = c.V the rate
// of p_z.
//   drag, lift, viscous   F = w (|v_r| D + L) V_r,  v_r the linear part of V_r at p
//   added mass            F = w (Ma (A + G + [V, Vf]) + V_r x* Ma V_r) + w' (sigma Ma V_r - (V_r.Ma V_r / 2) c)
// The first is Morison's equation with the relative velocity; the second Kirchhoff's equations in axes that move with
// the water:
// A + [V, Vf] is the acceleration seen from there (Fossen's nu_r). Lagrange's equations of the kinetic energy w V.Ma V
// / 2 give the terms with w': what enters the water takes momentum from the body, what leaves gives it back, no energy
// is lost (no spray).
// The water's own acceleration DU/Dt is left out (0 in uniform and in parallel shear flow): no Froude-Krylov force.
//
// Derivatives. Seen from the body V_r changes by R + kappa, kappa = -(ad_Vf + (0, U') c^T) J. With X = V_r x* Ma, h =
// Ma V_r, e = V_r.h/2:
//   B0 = X + X^T + (. x* h),   B += w (B0 - 2 Ma ad_Vf),   K = w (B0 - Ma ad_Vf),   N += w Ma ad_G
//   the terms with w':  B += w' (h c^T + sigma Ma - c h^T),  K += w' (sigma Ma - c h^T),
//                       N += w'' (sigma h - e c) c^T + w' (h (v_p x e_z, 0)^T + e N_c),
//                       N_c of a world-fixed force e_z at p
//   drag:  Bd = |v_r| D + D V_r (0, v_r)^T / |v_r| + L,  B += w Bd,  K += w Bd
//   N += w' F/w c^T - K (ad_Vf + (0, U') c^T),   dF/dU = -K (0, dU).
// Sources: Morison1950; Fossen2011 (8.2); Lamb, Hydrodynamics, 124; Pesce2003 on Lagrange's equations with
// position-dependent mass.
#include "force/water/immersed.h"
#include "element/water.h"
#include "force/force_table.h"
#include "force/water/high_reynolds.h"
#include "force/water/water_map.h"
#include "pass/composite.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>

typedef struct immersed {
  double p[3], c[6];                   // reference point, covector of its height
  double U[3], dU[3];                  // flow and its slope with z
  double V[6], Vr[6], Vf[6];           // twists of the body, relative to the water, of the water
  double v[3];                         // velocity of p
  double Ma[TD_MATRIX6], h[6], energy; // added mass, its momentum, V_r.Ma V_r / 2
  td_wetness wet;
  double rise; // sigma
} immersed;

// Maps of one body before they are added to its node's.
typedef struct slopes {
  double B[TD_MATRIX6], K[TD_MATRIX6], N[TD_MATRIX6];
} slopes;

// out += scale a b^T
static void add_outer(double scale, const double *a, const double *b, double *out) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) out[6 * i + j] += scale * a[i] * b[j];
}

static void add_scaled(double scale, const double *G, double *out) {
  for (int i = 0; i < TD_MATRIX6; i++) out[i] += scale * G[i];
}

// out += scale G ad_(0, U): ad_(0, U) x = (0, U x x_w).
static void add_times_drift(double scale, const double *G, const double *U, double *out) {
  for (int i = 0; i < 6; i++) {
    double row[3];
    td_vec3_cross(G + 6 * i + 3, U, row); // g . (U x w) = (g x U) . w
    for (int j = 0; j < 3; j++) out[6 * i + j] += scale * row[j];
  }
}

static void place(const td_model *m, const td_workspace *ws, const td_fluid *f, immersed *b) {
  td_node_point(ws, f->node, f->point, b->p);
  memcpy(b->c, (double[6]){b->p[1], -b->p[0], 0, 0, 0, 1}, sizeof b->c);
  b->wet = td_water_wetness(&m->water, b->p[2] + ws->origin[2]);
  if (f->has_added) td_water_map(ws, f, f->added, b->p, b->Ma);
}

// Twists relative to a flow; `flows` false: to still water.
static void move(const td_model *m, const td_workspace *ws, const td_fluid *f, const double *u, bool flows,
                 immersed *b) {
  memcpy(b->V, ws->V[f->node], sizeof b->V);
  memcpy(b->Vr, b->V, sizeof b->V);
  memset(b->U, 0, sizeof b->U);
  memset(b->dU, 0, sizeof b->dU);
  memset(b->Vf, 0, sizeof b->Vf);
  if (flows && m->water.flows) td_water_flow(&m->water, b->p[2] + ws->origin[2], u, b->U, b->dU);
  for (int i = 0; i < 3; i++) b->Vf[3 + i] = b->U[i], b->Vr[3 + i] -= b->U[i];
  memcpy(b->v, b->V + 3, sizeof b->v);
  td_vec3_cross_add(b->V, b->p, b->v);
  b->rise = b->v[2];
  if (!f->has_added) return;
  td_water_times(b->Ma, b->Vr, b->h);
  b->energy = 0.5 * td_dot6(b->Vr, b->h);
}

// ---- added mass

// Wrench of the added mass where the body accelerates with A + G (NULL: 0); `full` its part without the wetness.
static void added_wrench(const immersed *b, const double *A, double full[6], double F[6]) {
  double acceleration[6] = {0};
  if (A) memcpy(acceleration, A, sizeof acceleration);
  td_bracket_add(b->V, b->Vf, acceleration);
  td_water_times(b->Ma, acceleration, full);
  td_cobracket_add(b->Vr, b->h, full);
  for (int i = 0; i < 6; i++) F[i] += b->wet.value * full[i] + b->wet.slope * (b->rise * b->h[i] - b->energy * b->c[i]);
}

// out += scale N_c: what a world-fixed force e_z at p loses, seen from the body.
static void add_turn_of_height(const immersed *b, double scale, double *out) {
  const double *p = b->p;
  for (int i = 0; i < 3; i++) out[7 * i] += scale * p[2];
  for (int j = 0; j < 3; j++) out[6 * 2 + j] -= scale * p[j];
  out[6 * 3 + 1] += scale, out[6 * 4] -= scale; // -e_z^
}

static void added_wetness_slopes(const immersed *b, slopes *s) {
  const double w1 = b->wet.slope, w2 = b->wet.bend;
  double across[6] = {b->v[1], -b->v[0], 0, 0, 0, 0}; // v_p x e_z
  add_outer(w1, b->h, b->c, s->B);
  add_scaled(w1 * b->rise, b->Ma, s->B);
  add_outer(-w1, b->c, b->h, s->B);
  add_scaled(w1 * b->rise, b->Ma, s->K);
  add_outer(-w1, b->c, b->h, s->K);
  add_outer(w2 * b->rise, b->h, b->c, s->N);
  add_outer(-w2 * b->energy, b->c, b->c, s->N);
  add_outer(w1, b->h, across, s->N);
  add_turn_of_height(b, w1 * b->energy, s->N);
}

static void added_slopes(const immersed *b, const double *gravity, const double full[6], slopes *s) {
  const double w = b->wet.value, *h = b->h;
  double X[TD_MATRIX6], B0[TD_MATRIX6];
  for (int j = 0; j < 6; j++) {
    double column[6], turned[6] = {0};
    for (int i = 0; i < 6; i++) column[i] = b->Ma[6 * i + j];
    td_cobracket_add(b->Vr, column, turned);
    for (int i = 0; i < 6; i++) X[6 * i + j] = turned[i];
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) B0[6 * i + j] = X[6 * i + j] + X[6 * j + i];
  for (int k = 0; k < 3; k++) { // . x* (m, f) = [-m^ -f^; -f^ 0]
    int i = (k + 1) % 3, j = (k + 2) % 3;
    B0[6 * i + j] += h[k], B0[6 * j + i] -= h[k];
    B0[6 * i + 3 + j] += h[3 + k], B0[6 * j + 3 + i] -= h[3 + k];
    B0[6 * (3 + i) + j] += h[3 + k], B0[6 * (3 + j) + i] -= h[3 + k];
  }
  add_scaled(w, B0, s->B);
  add_times_drift(-2 * w, b->Ma, b->U, s->B);
  add_scaled(w, B0, s->K);
  add_times_drift(-w, b->Ma, b->U, s->K);
  if (gravity) add_times_drift(w, b->Ma, gravity, s->N);
  add_outer(b->wet.slope, full, b->c, s->N);
  if (b->wet.slope != 0) added_wetness_slopes(b, s);
}

// ---- drag, lift, viscous resistance

// The wrench of a wet body, and its slope Bd with V_r (NULL: not wanted).
static void resistance(const td_workspace *ws, const td_fluid *f, const immersed *b, double F[6], double *Bd) {
  double D[TD_MATRIX6], part[6], v[3];
  memset(F, 0, 6 * sizeof *F);
  if (Bd) memset(Bd, 0, TD_MATRIX6 * sizeof *Bd);
  for (int i = 0; i < 3; i++) v[i] = b->v[i] - b->U[i];
  double speed = sqrt(td_vec3_dot(v, v));
  if (f->has_drag && speed > 0) { // quadratic drag: force and slope vanish where water and body move alike
    td_water_map(ws, f, f->drag, b->p, D);
    td_water_times(D, b->Vr, part);
    for (int i = 0; i < 6; i++) F[i] += speed * part[i];
    double along[6] = {0, 0, 0, v[0], v[1], v[2]};
    td_vec3_cross(b->p, v, along);
    if (Bd) add_scaled(speed, D, Bd), add_outer(1 / speed, part, along, Bd);
  }
  if (!f->has_viscous) return;
  td_water_map(ws, f, f->viscous, b->p, D);
  td_water_times(D, b->Vr, part);
  for (int i = 0; i < 6; i++) F[i] += part[i];
  if (Bd) add_scaled(1, D, Bd);
}

static void resistance_slopes(const immersed *b, const double F[6], const double *Bd, slopes *s) {
  add_scaled(b->wet.value, Bd, s->B);
  add_scaled(b->wet.value, Bd, s->K);
  add_outer(b->wet.slope, F, b->c, s->N);
}

// ---- all

static bool resists(const td_fluid *f) { return f->has_drag || f->has_viscous; }

static void add_to_node(const td_model *m, td_workspace *ws, const td_fluid *f, const td_force_pass *pass) {
  immersed b;
  slopes s = {0};
  td_full *full = &ws->full[f->node];
  double *F = ws->composite[f->node].F, wrench[6], Bd[TD_MATRIX6];
  bool flows = pass->kinds & TD_FORCE_DRAG, all = pass->level == TD_COMPOSITE_ALL;
  place(m, ws, f, &b);
  if (f->has_added) add_scaled(b.wet.value, b.Ma, full->M);
  if (pass->level == TD_COMPOSITE_MASS) return;
  assert(pass->gravity);
  move(m, ws, f, pass->u, flows, &b);
  if (f->has_added) {
    double A[6];
    memcpy(A, ws->A[f->node], sizeof A);
    for (int i = 0; i < 3; i++) A[3 + i] += pass->gravity[i];
    added_wrench(&b, A, wrench, F);
    if (all) added_slopes(&b, pass->gravity, wrench, &s);
  }
  if (flows && resists(f)) {
    resistance(ws, f, &b, wrench, all ? Bd : NULL);
    for (int i = 0; i < 6; i++) F[i] += b.wet.value * wrench[i];
    if (all) resistance_slopes(&b, wrench, Bd, &s);
  }
  if (!all) return;
  double drift[6] = {0, 0, 0, b.dU[0], b.dU[1], b.dU[2]}, steep[6];
  add_times_drift(-1, s.K, b.U, s.N);
  td_water_times(s.K, drift, steep);
  add_outer(-1, steep, b.c, s.N);
  add_scaled(1, s.B, full->B);
  add_scaled(1, s.N, full->N);
}

// F += what the water does beside the added mass of still water: all that depends on velocities relative to it. Returns
// what resistance turns into heat, V_r.F, W.
static double add_alone(const td_model *m, td_workspace *ws, const td_fluid *f, const double *u) {
  immersed b;
  double *F = ws->composite[f->node].F, wrench[6], still[6] = {0};
  place(m, ws, f, &b);
  if (f->has_added && m->water.flows) { // in the flow, less in still water
    move(m, ws, f, u, false, &b);
    added_wrench(&b, NULL, wrench, still);
    for (int i = 0; i < 6; i++) F[i] -= still[i];
  }
  move(m, ws, f, u, true, &b);
  if (f->has_added && m->water.flows) added_wrench(&b, NULL, wrench, F);
  if (!resists(f)) return 0;
  resistance(ws, f, &b, wrench, NULL);
  for (int i = 0; i < 6; i++) F[i] += b.wet.value * wrench[i];
  return b.wet.value * td_dot6(wrench, b.Vr);
}

// F += dF/dU of one component of the flow.
static void add_flow_slope(const td_model *m, td_workspace *ws, const td_fluid *f, const double *u, int component) {
  immersed b;
  slopes s = {0};
  double wrench[6], unused[6] = {0}, Bd[TD_MATRIX6];
  place(m, ws, f, &b);
  move(m, ws, f, u, true, &b);
  if (f->has_added) {
    added_wrench(&b, NULL, wrench, unused);
    added_slopes(&b, NULL, wrench, &s);
  }
  if (resists(f)) {
    resistance(ws, f, &b, wrench, Bd);
    resistance_slopes(&b, wrench, Bd, &s);
  }
  for (int i = 0; i < 6; i++) ws->composite[f->node].F[i] -= s.K[6 * i + 3 + component];
}

void td_immersed_lift(const td_model *m, td_workspace *ws, int node, double displaced, const double *gravity,
                      const double point[3], td_composite_level level) {
  static const double NONE[3] = {0};
  td_wetness wet = td_water_wetness(&m->water, point[2] + ws->origin[2]);
  double force[3], slope[9] = {0};
  for (int i = 0; i < 3; i++) {
    force[i] = -wet.value * displaced * gravity[i];
    slope[3 * i + 2] = wet.slope * displaced * gravity[i]; // less df/dp
  }
  td_composite_apply(&ws->composite[node], NONE, force, point);
  if (level == TD_COMPOSITE_ALL) td_add_point_map(slope, point, ws->full[node].N);
}

double td_immersed_wetness(const td_model *m, const td_workspace *ws, const td_fluid *f) {
  double p[3];
  td_node_point(ws, f->node, f->point, p);
  return td_water_wetness(&m->water, p[2] + ws->origin[2]).value;
}

// ---- the row

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  assert(ws->full);
  for (int i = 0; i < m->fluid_count; i++) add_to_node(m, ws, &m->fluid[i], pass);
}

static double alone(const td_model *m, td_workspace *ws, const double *u) {
  double heat = 0;
  for (int i = 0; i < m->fluid_count; i++) heat += add_alone(m, ws, &m->fluid[i], u);
  return heat;
}

static bool by_channel(const td_model *m, td_workspace *ws, const double *u, int channel) {
  bool any = false;
  for (int c = 0; c < 3; c++) {
    if (!m->water.flows || m->water.channel[c] != channel) continue;
    for (int i = 0; i < m->fluid_count; i++) add_flow_slope(m, ws, &m->fluid[i], u, c);
    any = true;
  }
  return any;
}

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  double sum = 0;
  (void)q, (void)u;
  for (int i = 0; i < m->fluid_count; i++)
    sum += td_water_kinetic(ws, &m->fluid[i]) * (m->water.has_surface ? td_immersed_wetness(m, ws, &m->fluid[i]) : 1);
  energy->kinetic += sum;
}

static void tell(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                 unsigned asked, const char *pointer, td_warnings *warnings) {
  td_high_reynolds at;
  char text[TD_HIGH_REYNOLDS_TEXT];
  if (!m->resistive || !(asked & TD_ASKED_ID) || !td_high_reynolds_find(m, ws, q, qd, u, &at)) return;
  td_high_reynolds_text(m, &at, text);
  td_warn(warnings, "high_reynolds", pointer, "at this state %s", text);
}

static unsigned acts(const td_model *m) { return m->immersed && m->fluid_count ? TD_ACTS_BY_MAPS : 0; }

const td_force td_force_immersed = {.name = "immersed",
                                    .acts = acts,
                                    .kind = TD_FORCE_DRAG,
                                    .inertial = true,
                                    .moves = true,
                                    .on_nodes = on_nodes,
                                    .alone = alone,
                                    .by_channel = by_channel,
                                    .energy = add_energy,
                                    .tell = tell};
