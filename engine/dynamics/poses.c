// Poses of links and of material points of rods, strains.
#include "body/rod/strip.h"
#include "lie/vec3.h"
#include "math/finite.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static void world_pose(const td_workspace *ws, int node, td_se3 *pose) {
  *pose = ws->pose[node];
  for (int i = 0; i < 3; i++) pose->p[i] += ws->origin[i];
}

td_status td_link_poses(const td_model *model, td_workspace *ws, const double *q, int link, td_se3 *poses) {
  td_kinematics(model, ws, q, NULL, NULL, model->gravity, TD_LEVEL_POSE);
  int count = td_model_link_point_count(model, link);
  for (int k = 0; k < count; k++) world_pose(ws, td_link_point_node(model, link, k), &poses[k]);
  return td_all_finite((const double *)poses, 12 * count);
}

void td_strain_at(const td_model *model, const double *q, int link, double s, double xi[6]) {
  assert(link >= 0 && link < model->link_count && s >= 0 && s <= 1);
  static const double STRAIGHT[6] = {0, 0, 0, 1, 0, 0};
  memset(xi, 0, 6 * sizeof *xi);
  if (model->link[link].body != TD_BODY_ROD) return;
  const td_rod *rod = &model->rod[model->link[link].rod];
  const td_element *e = &model->element[rod->element];
  if (rod->reference)
    td_profile_fixed_eval(rod->reference, s, xi);
  else
    memcpy(xi, STRAIGHT, sizeof STRAIGHT);
  for (int g = 0; g < e->group_count; g++) {
    double value[512], scale = e->group[g].component < 3 ? 1 / rod->length : 1;
    if (e->group[g].count > (int)(sizeof value / sizeof *value)) continue; // spec_check limits counts below this
    td_rod_basis_eval(rod->basis, e->group[g].component, s, value);
    for (int i = 0; i < e->group[g].count; i++)
      xi[e->group[g].component] += scale * value[i] * q[e->coordinate + e->group[g].first + i];
  }
}

// Omega of one Magnus step from s0 to s1, straight from the strain field.
static void magnus_step(const td_model *m, const double *q, int link, double s0, double s1, td_se3 *step) {
  double a[2][6], omega[6], bracket[6] = {0}, length = m->rod[m->link[link].rod].length;
  for (int z = 0; z < 2; z++) {
    td_strain_at(m, q, link, s0 + (0.5 + (z ? 1 : -1) * sqrt(3) / 6) * (s1 - s0), a[z]);
    for (int i = 0; i < 6; i++) a[z][i] *= (s1 - s0) * length;
  }
  td_bracket_add(a[0], a[1], bracket);
  for (int i = 0; i < 6; i++) omega[i] = 0.5 * (a[0][i] + a[1][i]) + TD_MAGNUS * bracket[i];
  td_se3_exp(omega, step);
}

td_status td_pose_at(const td_model *model, td_workspace *ws, const double *q, int link, double s, td_se3 *pose) {
  td_kinematics(model, ws, q, NULL, NULL, model->gravity, TD_LEVEL_POSE);
  const td_link *l = &model->link[link];
  int k = 0;
  world_pose(ws, td_link_point_node(model, link, 0), pose);
  if (l->body == TD_BODY_ROD) {
    const td_rod *rod = &model->rod[l->rod];
    while (k + 1 < rod->point_count && rod->abscissa[k + 1] <= s + 1e-12) k++;
    world_pose(ws, rod->point_node[k], pose);
    td_se3 step;
    if (s - rod->abscissa[k] > 1e-12) {
      magnus_step(model, q, link, rod->abscissa[k], s, &step);
      td_se3_compose(pose, &step, pose);
    }
  }
  return td_all_finite((const double *)pose, 12);
}
