// Added mass in water that stands still and has no end, in the world frame.
//
// Added mass Ma moves with its body but has no weight:  F += Ma (A + G) + V x* Ma V,  G = (0, g) undoing the -g in A;
//   dF seen from the body:  M += Ma,  B += X + X^T + (. x* Ma V) with X = V x* Ma,  N += Ma ad_G.
// Ma is first turned (R G R^T by 3x3 blocks), then shifted to the origin. Rods have linear blocks only.
// Where water flows, ends or is viscous: immersed.c. Source: Mathew2025 (63), with the corrections of engine/README.md.
#include "force/force_table.h"
#include "force/water/fluid.h"
#include "force/water/water_map.h"
#include "lie/spatial.h"
#include "pass/composite.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <string.h>

// X = V x* Ma column by column; B += X + X^T + (. x* h), h = Ma V; N += Ma ad_G.
static void add_maps(const double *Ma, const double *V, const double *h, const double *gravity, td_full *full) {
  double X[TD_MATRIX6] = {0}, *B = full->B;
  for (int j = 0; j < 6; j++) {
    double column[6], turned[6] = {0};
    for (int i = 0; i < 6; i++) column[i] = Ma[6 * i + j];
    td_cobracket_add(V, column, turned);
    for (int i = 0; i < 6; i++) X[6 * i + j] = turned[i];
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) B[6 * i + j] += X[6 * i + j] + X[6 * j + i];
  for (int k = 0; k < 3; k++) { // . x* (m, f) = [-m^ -f^; -f^ 0]
    int i = (k + 1) % 3, j = (k + 2) % 3;
    B[6 * i + j] += h[k], B[6 * j + i] -= h[k];
    B[6 * i + 3 + j] += h[3 + k], B[6 * j + 3 + i] -= h[3 + k];
    B[6 * (3 + i) + j] += h[3 + k], B[6 * (3 + j) + i] -= h[3 + k];
  }
  for (int i = 0; i < 6; i++) { // row of the last three columns of Ma times g^
    double row[3];
    td_vec3_cross(Ma + 6 * i + 3, gravity, row);
    for (int k = 0; k < 3; k++) full->N[6 * i + k] += row[k];
  }
}

static void add_to_node(td_workspace *ws, const td_fluid *f, const td_force_pass *pass) {
  double Ma[TD_MATRIX6], A[6], h[6], F[6], p[3];
  const double *V = ws->V[f->node];
  td_full *full = &ws->full[f->node];
  td_node_point(ws, f->node, f->point, p);
  td_water_map(ws, f, f->added, p, Ma);
  for (int i = 0; i < TD_MATRIX6; i++) full->M[i] += Ma[i];
  if (pass->level == TD_COMPOSITE_MASS) return;
  assert(pass->gravity);
  memcpy(A, ws->A[f->node], sizeof A);
  for (int i = 0; i < 3; i++) A[3 + i] += pass->gravity[i];
  td_water_times(Ma, V, h);
  td_water_times(Ma, A, F);
  td_cobracket_add(V, h, F);
  for (int i = 0; i < 6; i++) ws->composite[f->node].F[i] += F[i];
  if (pass->level == TD_COMPOSITE_ALL) add_maps(Ma, V, h, pass->gravity, full);
}

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  assert(ws->full);
  for (int i = 0; i < m->fluid_count; i++)
    if (m->fluid[i].has_added) add_to_node(ws, &m->fluid[i], pass);
}

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  double sum = 0;
  (void)q, (void)u;
  for (int i = 0; i < m->fluid_count; i++) sum += td_water_kinetic(ws, &m->fluid[i]);
  energy->kinetic += sum;
}

static unsigned acts(const td_model *m) {
  bool any = false;
  for (int i = 0; i < m->fluid_count; i++) any |= m->fluid[i].has_added;
  return any && !m->immersed ? TD_ACTS_BY_MAPS : 0;
}

const td_force td_force_added_mass = {.name = "added_mass",
                                      .build = td_water_build, // for all of water's
                                      .acts = acts,
                                      .inertial = true,
                                      .moves = true,
                                      .on_nodes = on_nodes,
                                      .energy = add_energy};
