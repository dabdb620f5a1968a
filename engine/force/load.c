// Loads: wrenches on frames of nodes, constant or of input channels, in axes of the world or of the body.
//
// A load in the world's axes acts at a point that moves, and turns against the body: F -= W, N of such a wrench
// (composite.c). One in the body's axes turns along, so that seen from the body it does not change and N has nothing of
// it. Loads per length are loads at points of quadrature, each times the metres it stands for.
#include "force/force_table.h"
#include "lie/spatial.h"
#include "pass/composite.h"
#include <assert.h>

static void add_to_node(td_workspace *ws, const td_load *load, const double *u) {
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

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  assert(pass->level != TD_COMPOSITE_MASS);
  for (int i = 0; i < m->load_count; i++) add_to_node(ws, &m->load[i], pass->u);
}

static void add_unit(td_workspace *ws, const td_load *load, int component) {
  double unit[6] = {0}, moment[3], force[3], point[3];
  unit[component] = load->scale;
  td_node_point(ws, load->node, load->pose.p, point);
  if (load->frame == TD_LOAD_WORLD) {
    td_composite_apply(&ws->composite[load->node], unit, unit + 3, point);
    return;
  }
  double origin[3] = {0}, tip[3], shift[3];
  const double *local = component < 3 ? unit : unit + 3; // the axis in the load's frame, turned to the world
  for (int i = 0; i < 3; i++)
    shift[i] = load->pose.R[3 * i] * local[0] + load->pose.R[3 * i + 1] * local[1] + load->pose.R[3 * i + 2] * local[2];
  td_node_point(ws, load->node, origin, origin);
  td_node_point(ws, load->node, shift, tip);
  for (int i = 0; i < 3; i++)
    moment[i] = component < 3 ? tip[i] - origin[i] : 0, force[i] = component < 3 ? 0 : tip[i] - origin[i];
  td_composite_apply(&ws->composite[load->node], moment, force, point);
}

// At all points where the channel acts.
static bool by_channel(const td_model *m, td_workspace *ws, const double *u, int channel) {
  bool any = false;
  (void)u;
  for (int l = 0; l < m->load_count; l++)
    for (int k = 0; k < 6; k++) {
      if (m->load[l].channel[k] != channel) continue;
      add_unit(ws, &m->load[l], k);
      any = true;
    }
  return any;
}

static unsigned acts(const td_model *m) {
  bool world = false;
  for (int i = 0; i < m->load_count; i++) world |= m->load[i].frame == TD_LOAD_WORLD;
  return world ? TD_ACTS_IN_WORLD : m->load_count ? TD_ACTS : 0;
}

const td_force td_force_load = {
    .name = "load", .acts = acts, .kind = TD_FORCE_LOADS, .on_nodes = on_nodes, .by_channel = by_channel};
