// Drag and lift in water that stands still and has no end, in the world frame.
//
// At a point with linear speed |v| and local twist eta:  F += |v| D eta,  B += |v| D + D eta (0, v)^T / |v| (0 at
// rest).
// D is first turned (R D R^T by 3x3 blocks), then shifted to the origin. Rods have linear blocks only.
// Where water flows, ends or is viscous: immersed.c. Source: Mathew2025 (62)-(66), with the corrections of
// engine/README.md.
#include "force/force_table.h"
#include "force/water/water_map.h"
#include "pass/composite.h"
#include <assert.h>
#include <math.h>

static void add_wrench(double *F, const double *moment, const double *force, const double *p) {
  for (int i = 0; i < 3; i++) F[i] += moment ? moment[i] : 0, F[3 + i] += force[i];
  td_vec3_cross_add(p, force, F);
}

static void on_point(td_workspace *ws, const td_fluid *f, const double *p, const double *v, double speed,
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

static void on_body(td_workspace *ws, const td_fluid *f, const double *p, const double *v, double speed,
                    td_composite_level level) {
  double D[TD_MATRIX6], twist[6], wrench[6];
  td_turn_map(ws->pose[f->node].R, f->drag, D);
  memcpy(twist, ws->V[f->node], 3 * sizeof *twist);
  memcpy(twist + 3, v, 3 * sizeof *twist);
  td_water_times(D, twist, wrench);
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

static void add_to_node(td_workspace *ws, const td_fluid *f, td_composite_level level) {
  double p[3], v[3];
  td_node_point(ws, f->node, f->point, p);
  td_point_velocity(ws, f->node, p, v);
  double speed = sqrt(td_vec3_dot(v, v));
  if (speed == 0) return; // quadratic drag: force and slope vanish at rest
  if (f->linear)
    on_point(ws, f, p, v, speed, level);
  else
    on_body(ws, f, p, v, speed, level);
}

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  assert(ws->full && pass->level != TD_COMPOSITE_MASS);
  for (int i = 0; i < m->fluid_count; i++)
    if (m->fluid[i].has_drag) add_to_node(ws, &m->fluid[i], pass->level);
}

static unsigned acts(const td_model *m) {
  bool any = false;
  for (int i = 0; i < m->fluid_count; i++) any |= m->fluid[i].has_drag;
  return any && !m->immersed ? TD_ACTS_BY_MAPS : 0;
}

const td_force td_force_drag = {
    .name = "drag", .acts = acts, .kind = TD_FORCE_DRAG, .moves = true, .heats = true, .on_nodes = on_nodes};
