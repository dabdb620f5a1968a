// Resistive-force theory is the slow limit of the equations of fluids: forces grow with the speed, and nothing else.
// Against measured drag of cylinders across a stream (Re = rho |v| d / mu: 1, 10, 100; coefficient 10, 3, 1.4) a rod of
// 100 radii gets 0.7, 0.25, 0.05 of it by
// Lighthill's normal coefficient. Beyond 10 it is told. Where a rod has quadratic drag beside it, that is what acts
// there.
#include "force/water/high_reynolds.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double MOST = 10;

static double speed_of(const td_model *m, const td_workspace *ws, const td_fluid *f, const double *u) {
  double p[3], v[3], U[3] = {0}, slope[3];
  td_node_point(ws, f->node, f->point, p);
  double height = p[2] + ws->origin[2];
  if (td_water_wetness(&m->water, height).value == 0) return 0;
  memcpy(v, ws->V[f->node] + 3, sizeof v);
  td_vec3_cross_add(ws->V[f->node], p, v);
  if (m->water.flows) td_water_flow(&m->water, height, u, U, slope);
  for (int i = 0; i < 3; i++) v[i] -= U[i];
  return sqrt(td_vec3_dot(v, v));
}

static int rod_at(const td_model *m, int node) {
  for (int r = 0; r < m->rod_count; r++)
    for (int k = 0; k < m->rod[r].point_count; k++)
      if (m->rod[r].point_node[k] == node) return r;
  return 0;
}

bool td_high_reynolds_find(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                           td_high_reynolds *worst) {
  td_high_reynolds at = {.number = MOST};
  int node = -1;
  if (!m->resistive) return false;
  td_kinematics(m, ws, q, qd ? qd : ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  for (int i = 0; i < m->fluid_count; i++) {
    if (m->fluid[i].reynolds == 0) continue;
    double speed = speed_of(m, ws, &m->fluid[i], u), number = m->fluid[i].reynolds * speed;
    if (number > at.number) at.number = number, at.speed = speed, node = m->fluid[i].node;
  }
  if (node < 0) return false;
  at.rod = rod_at(m, node);
  *worst = at;
  return true;
}

void td_high_reynolds_text(const td_model *m, const td_high_reynolds *at, char text[TD_HIGH_REYNOLDS_TEXT]) {
  snprintf(
      text, TD_HIGH_REYNOLDS_TEXT,
      "the rod \"%.63s\" moves at %.3g m/s through the fluid, that is at a Reynolds number rho |v| d / mu of %.3g: "
      "resistive-force theory is for numbers below 1, and here the drag is several times what it says; give the "
      "rod "
      "quadratic drag (cd_y, cd_z: about 1), or check the fluid's viscosity",
      m->link[m->rod[at->rod].link].name, at->speed, at->number);
}

void td_high_reynolds_pointer(const td_model *m, const td_high_reynolds *at, const char *prefix, char *text,
                              size_t size) {
  snprintf(text, size, "%s/links/%d/body/hydrodynamics/resistive_force", prefix, m->rod[at->rod].link);
}
