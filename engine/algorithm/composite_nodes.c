// What every node carries and what acts on it: bodies, then the forces that enter id.
#include "algorithm/composite_nodes.h"
#include "algorithm/external.h"
#include "force/immersed.h"
#include "lie/vec3.h"

static void apply_load(td_workspace *ws, const td_load *load, const double *u) {
  double wrench[6], moment[3], force[3], point[3];
  for (int i = 0; i < 6; i++)
    wrench[i] = load->scale * (load->channel[i] < 0 ? load->wrench[i] : u ? u[load->channel[i]] : 0);
  td_composite *c = &ws->composite[load->node];
  td_node_point(ws, load->node, load->pose.p, point);
  if (load->frame == TD_LOAD_WORLD) {
    td_composite_apply(c, wrench, wrench + 3, point);
    return;
  }
  double R[9];
  td_mat3_mul(ws->pose[load->node].R, load->pose.R, R);
  td_mat3_vec(R, wrench, moment);
  td_mat3_vec(R, wrench + 3, force);
  td_vec3_cross_add(point, force, moment);
  for (int i = 0; i < 3; i++) c->F[i] -= moment[i], c->F[3 + i] -= force[i];
}

// Displaced fluid pushes against gravity at the centre of mass; particles feel it in their own sums.
static void apply_buoyancy(const td_model *m, td_workspace *ws, const double *gravity, td_composite_level level) {
  for (int k = 1; k < m->node_count; k++) {
    const td_inertia *in = m->node[k].inertia < 0 ? NULL : &m->inertia[m->node[k].inertia];
    if (!in || !(in->displaced > 0)) continue;
    double force[3] = {-in->displaced * gravity[0], -in->displaced * gravity[1], -in->displaced * gravity[2]},
           zero[3] = {0}, point[3];
    td_node_point(ws, k, in->com, point);
    if (m->water.has_surface)
      td_immersed_lift(m, ws, k, in->displaced, gravity, point, level);
    else
      td_composite_apply(&ws->composite[k], zero, force, point);
  }
}

void td_composite_nodes(const td_model *m, td_workspace *ws, const double *u, unsigned forces, const double *gravity,
                        td_composite_level level) {
  td_composite_clear(m, ws);
  ws->world_forces = m->world_forces;
  for (const td_body_row *const *row = m->bodies; *row; row++)
    if ((*row)->nodes) (*row)->nodes(m, ws, gravity, level);
  if (ws->full) td_external_nodes(m, ws, u, forces, gravity, level);
  if (level == TD_COMPOSITE_MASS) return;
  for (int i = 0; (forces & TD_FORCE_LOADS) && i < m->load_count; i++) apply_load(ws, &m->load[i], u);
  if (m->world_forces) apply_buoyancy(m, ws, gravity, level);
}
