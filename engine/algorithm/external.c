// Fluid and contact wrenches, with the maps that derivatives need, in the world frame.
//
// Added mass Ma moves with its body but has no weight:  F += Ma (A + G) + V x* Ma V,  G = (0, g) undoing the -g in A;
//   dF seen from the body:  M += Ma,  B += X + X^T + (. x* Ma V) with X = V x* Ma,  N += Ma ad_G.
// Drag at a point with linear speed |v| and local twist eta:  F += |v| D eta,  B += |v| D + D eta (0, v)^T / |v| (0 at rest).
// Contact f at p with slope S = df/dp:  F -= (p x f, f),  N of a world-fixed force, less P^T S P with P = [-p^, 1].
// Everything local is first turned (R G R^T by 3x3 blocks), then shifted to the origin. Rods have linear blocks only.
// Sources: Mathew2025 (55)-(66), with the corrections of the signs (engine/README.md).
#include "algorithm/external.h"
#include "algorithm/dynamics.h"
#include "force/immersed.h"
#include "force/world_map.h"
#include "lie/spatial.h"
#include "pass/kinematics.h"
#include <math.h>
#include <string.h>

TD_INLINE void map_times(const double *G, const double *x, double *out) {
  for (int i = 0; i < 6; i++) out[i] = td_dot6(G + 6 * i, x);
}

static void add_wrench(double *F, const double *moment, const double *force, const double *p) {
  for (int i = 0; i < 3; i++) F[i] += moment ? moment[i] : 0, F[3 + i] += force[i];
  td_vec3_cross_add(p, force, F);
}

// ---- added mass

// X = V x* Ma column by column; B += X + X^T + (. x* h), h = Ma V; N += Ma ad_G.
static void added_mass_maps(const double *Ma, const double *V, const double *h, const double *gravity, td_full *full) {
  double X[36] = {0}, *B = full->B;
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

static void added_mass(td_workspace *ws, const td_fluid *f, const double *p, const double *gravity,
                       td_composite_level level) {
  double world[36], Ma[36] = {0}, A[6], h[6], F[6];
  const double *R = ws->pose[f->node].R, *V = ws->V[f->node];
  td_full *full = &ws->full[f->node];
  if (f->linear) {
    td_turn(R, f->added, world);
    td_add_point_map(world, p, Ma);
  } else {
    td_turn_map(R, f->added, world);
    td_add_body_map(world, p, Ma);
  }
  for (int i = 0; i < 36; i++) full->M[i] += Ma[i];
  if (level == TD_COMPOSITE_MASS) return;
  memcpy(A, ws->A[f->node], sizeof A);
  for (int i = 0; i < 3; i++) A[3 + i] += gravity[i];
  map_times(Ma, V, h);
  map_times(Ma, A, F);
  td_cobracket_add(V, h, F);
  for (int i = 0; i < 6; i++) ws->composite[f->node].F[i] += F[i];
  if (level == TD_COMPOSITE_ALL) added_mass_maps(Ma, V, h, gravity, full);
}

// ---- drag and lift

// Velocity of a point of the node, world axes.
static void point_velocity(const td_workspace *ws, int node, const double *p, double *v) {
  memcpy(v, ws->V[node] + 3, 3 * sizeof *v);
  td_vec3_cross_add(ws->V[node], p, v);
}

static void linear_drag(td_workspace *ws, const td_fluid *f, const double *p, const double *v, double speed,
                        td_composite_level level) {
  double D[9], Dv[3], force[3];
  td_turn(ws->pose[f->node].R, f->drag, D);
  td_mat3_vec(D, v, Dv);
  for (int i = 0; i < 3; i++) force[i] = speed * Dv[i];
  add_wrench(ws->composite[f->node].F, NULL, force, p);
  if (level < TD_COMPOSITE_ALL) return;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) D[3 * i + j] = speed * D[3 * i + j] + Dv[i] * v[j] / speed;
  td_add_point_map(D, p, ws->full[f->node].B);
}

static void body_drag(td_workspace *ws, const td_fluid *f, const double *p, const double *v, double speed,
                      td_composite_level level) {
  double D[36], twist[6], wrench[6];
  td_turn_map(ws->pose[f->node].R, f->drag, D);
  memcpy(twist, ws->V[f->node], 3 * sizeof *twist);
  memcpy(twist + 3, v, 3 * sizeof *twist);
  map_times(D, twist, wrench);
  double F[6];
  for (int i = 0; i < 6; i++) F[i] = speed * wrench[i];
  add_wrench(ws->composite[f->node].F, F, F + 3, p);
  if (level < TD_COMPOSITE_ALL) return;
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) D[6 * i + j] *= speed;
    for (int j = 0; j < 3; j++) D[6 * i + 3 + j] += wrench[i] * v[j] / speed;
  }
  td_add_body_map(D, p, ws->full[f->node].B);
}

static void drag(td_workspace *ws, const td_fluid *f, const double *p, td_composite_level level) {
  double v[3];
  point_velocity(ws, f->node, p, v);
  double speed = sqrt(td_vec3_dot(v, v));
  if (speed == 0) return; // quadratic drag: force and slope vanish at rest
  if (f->linear)
    linear_drag(ws, f, p, v, speed, level);
  else
    body_drag(ws, f, p, v, speed, level);
}

// ---- contact

static void world_centre(const td_workspace *ws, int node, double centre[3]) {
  for (int k = 0; k < 3; k++) centre[k] = ws->pose[node].p[k] + ws->origin[k];
}

static void touch_node(const td_workspace *ws, const td_contact *c, int i, td_touch *touch) {
  double centre[3];
  world_centre(ws, c->point[i].node, centre);
  td_touch_at(&c->obstacle, centre, c->point[i].radius, touch);
  double share = c->point[i].share;
  touch->potential *= share;
  for (int k = 0; k < 3; k++) touch->force[k] *= share;
  for (int k = 0; k < 9; k++) touch->slope[k] *= share;
}

static void contact(td_workspace *ws, const td_contact *c, td_composite_level level) {
  static const double ZERO[3] = {0};
  for (int i = 0; i < c->point_count; i++) {
    int node = c->point[i].node;
    td_touch touch;
    touch_node(ws, c, i, &touch);
    if (!(touch.depth > 0)) continue;
    td_composite_apply(&ws->composite[node], ZERO, touch.force, ws->pose[node].p);
    if (level < TD_COMPOSITE_ALL) continue;
    for (int k = 0; k < 9; k++) touch.slope[k] = -touch.slope[k];
    td_add_point_map(touch.slope, ws->pose[node].p, ws->full[node].N);
  }
}

// ---- all

void td_external_nodes(const td_model *m, td_workspace *ws, const double *u, unsigned forces, const double *gravity,
                       td_composite_level level) {
  for (int i = 0; i < m->fluid_count; i++) {
    const td_fluid *f = &m->fluid[i];
    double p[3];
    if (m->immersed) {
      td_immersed_node(m, ws, f, u, forces, gravity, level);
      continue;
    }
    td_node_point(ws, f->node, f->point, p);
    if (f->has_added) added_mass(ws, f, p, gravity, level);
    if (level != TD_COMPOSITE_MASS && f->has_drag && (forces & TD_FORCE_DRAG)) drag(ws, f, p, level);
  }
  if (level == TD_COMPOSITE_MASS || !(forces & TD_FORCE_CONTACT)) return;
  for (int i = 0; i < m->contact_count; i++) contact(ws, &m->contact[i], level);
}

void td_external_energy(const td_model *m, const td_workspace *ws, double *kinetic, double *potential) {
  *kinetic = *potential = 0;
  for (int i = 0; i < m->fluid_count; i++) {
    const td_fluid *f = &m->fluid[i];
    const td_se3 *g = &ws->pose[f->node];
    double p[3], v[3], eta[6], momentum[6] = {0};
    td_node_point(ws, f->node, f->point, p);
    point_velocity(ws, f->node, p, v);
    td_mat3_tvec(g->R, ws->V[f->node], eta);
    td_mat3_tvec(g->R, v, eta + 3);
    if (f->linear)
      td_mat3_vec(f->added, eta + 3, momentum + 3);
    else
      map_times(f->added, eta, momentum);
    *kinetic += 0.5 * td_dot6(eta, momentum) * (m->water.has_surface ? td_immersed_wetness(m, ws, f) : 1);
  }
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++) {
      td_touch touch;
      touch_node(ws, &m->contact[c], i, &touch);
      *potential += touch.potential;
    }
}

void td_contact_sight(const td_model *m, const td_workspace *ws, int contact, int i, td_sighting *sighting) {
  const td_contact *c = &m->contact[contact];
  int node = c->point[i].node;
  td_touch touch;
  world_centre(ws, node, sighting->centre);
  point_velocity(ws, node, ws->pose[node].p, sighting->velocity);
  touch_node(ws, c, i, &touch);
  sighting->depth = touch.depth;
  sighting->energy = touch.potential;
}

double td_water_force(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                      double *id) {
  static const double NONE[3] = {0};
  double heat = 0;
  td_kinematics(m, ws, q, qd, NULL, NONE, TD_LEVEL_TWIST);
  td_composite_clear(m, ws);
  for (int i = 0; i < m->fluid_count; i++) {
    double p[3];
    if (m->immersed) {
      heat += td_immersed_force(m, ws, &m->fluid[i], u);
      continue;
    }
    td_node_point(ws, m->fluid[i].node, m->fluid[i].point, p);
    if (m->fluid[i].has_drag) drag(ws, &m->fluid[i], p, TD_COMPOSITE_WRENCH);
  }
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  td_composite_project(m, ws, id);
  for (int i = 0; i < m->n && !m->immersed; i++) heat += qd[i] * id[i];
  return heat;
}

bool td_external_flow_slope(const td_model *m, td_workspace *ws, const double *u, int channel) {
  bool any = false;
  for (int c = 0; c < 3; c++) {
    if (!m->water.flows || m->water.channel[c] != channel) continue;
    for (int i = 0; i < m->fluid_count; i++) td_immersed_flow_slope(m, ws, &m->fluid[i], u, c);
    any = true;
  }
  return any;
}
