// The metric W of statics' steps, a diagonal: how far each coordinate turns and stretches the robot, in radians and
// strains.
//
// Rod coordinates weigh by the integral of |Phi| along the arm, which is the diagonal of the Gram matrix of the basis
// with its rows summed up: the measure of a strain field then hardly depends on whether nodes or polynomials describe
// it. A joint's rotation weighs 1, its translation 1 / size^2 of the robot. The mass matrix would not do: torsion has
// next to no inertia.
#include "model/model.h"
#include "model/workspace.h"
#include "statics/statics.h"
#include <math.h>
#include <string.h>

static const double LEAST = 1e-6;

// Integral of |h Phi| over the strip for column c: both Zanna points of an interval stand for half of it.
static double extent(const td_element *e, int c) {
  int stride = e->npad + TD_LANES;
  double sum = 0;
  for (int i = 0; i < 2 * e->interval_count; i++) sum += 0.5 * fabs(e->phi_column[i * stride + c]);
  return sum;
}

static void weigh_strip(const td_model *m, const td_element *e, double size, double *weight) {
  double length = e->rod >= 0 ? m->rod[e->rod].length : size * size;
  for (int g = 0; g < e->group_count; g++) {
    bool linear = e->group[g].component >= 3;
    for (int c = e->group[g].first; c < e->group[g].first + e->group[g].count; c++)
      weight[e->coordinate + c] = fmax(extent(e, c) / (linear ? length : 1), LEAST);
  }
}

// The farthest node from the robot's base in its last pose.
static double size_of(const td_model *m, const td_workspace *ws) {
  double most = 0;
  for (int i = 1; i < m->node_count; i++) {
    double square = 0;
    for (int k = 0; k < 3; k++) square += pow(ws->pose[i].p[k] - ws->pose[0].p[k], 2);
    most = fmax(most, square);
  }
  return most > 0 ? sqrt(most) : 1;
}

void td_statics_weigh(td_statics *s) {
  const td_model *m = s->model;
  double *weight = s->part, size = size_of(m, s->ws);
  for (int i = 0; i < s->n; i++) weight[i] = 1;
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->type == TD_ELEMENT_STRIP) weigh_strip(m, e, size, weight);
    if (e->type == TD_ELEMENT_SCREW && !e->rotates) weight[e->coordinate] = 1 / (size * size);
  }
  for (int i = 0; i < s->d; i++) s->weight[i] = weight[s->free[i]];
}

// Projection onto loops leaves stiff coordinates alone: its metric is the diagonal of K beside W.
void td_statics_stiffen(td_statics *s) {
  int d = s->d;
  double most = 0;
  for (int i = 0; i < d; i++) most = fmax(most, fabs(s->K[i * d + i]) / s->weight[i]);
  memset(s->H, 0, (size_t)(d * d) * sizeof *s->H);
  for (int i = 0; i < d; i++) s->H[i * d + i] = fabs(s->K[i * d + i]) + 1e-6 * most * s->weight[i];
  td_projection_metric(&s->loops, s->H);
  s->stiff = s->loops.metric;
  s->loops.metric = false;
}
