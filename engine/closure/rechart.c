// Change of chart of joints g = exp(xi), xi = Phi q (universal, planar, spherical, free): xi becomes log(exp(xi)), and
// qd follows from the twist, which both charts share: T(xi') Phi qd' = T(xi) Phi qd, T(xi) = sum_k ad_xi^k / (k + 1)!.
//
// Only joints without a spring or an actuator: these act along q itself, so q must keep its turns there. Cylindrical
// joints are left alone: their two motions commute and the chart is good everywhere. T is summed as a series: at 1.5 pi
// and a step beyond it loses at most three digits of sixteen, and a change of chart is rare.
#include "closure/rechart.h"
#include "math/lu.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

enum { TERMS = 60 };
static const double LIMIT = 1.5 * M_PI;

// ad_xi = [w^ 0; v^ w^], xi = (w, v)
static void adjoint(const double xi[6], double ad[TD_MATRIX6]) {
  memset(ad, 0, TD_MATRIX6 * sizeof *ad);
  for (int block = 0; block < 3; block++) { // angular-angular, linear-angular, linear-linear
    const double *x = block == 1 ? xi + 3 : xi;
    double *to = ad + (block == 0 ? 0 : block == 1 ? 18 : 21);
    to[1] = -x[2], to[2] = x[1], to[6] = x[2], to[8] = -x[0], to[12] = -x[1], to[13] = x[0];
  }
}

static void multiply(const double a[TD_MATRIX6], const double b[TD_MATRIX6], double factor, double out[TD_MATRIX6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += a[6 * i + k] * b[6 * k + j];
      out[6 * i + j] = factor * sum;
    }
}

static void tangent(const double xi[6], double T[TD_MATRIX6]) {
  double ad[TD_MATRIX6], term[TD_MATRIX6] = {0}, next[TD_MATRIX6];
  adjoint(xi, ad);
  for (int i = 0; i < 6; i++) term[7 * i] = 1;
  memcpy(T, term, sizeof term);
  for (int k = 1; k < TERMS; k++) {
    multiply(ad, term, 1. / (k + 1), next);
    memcpy(term, next, sizeof term);
    for (int i = 0; i < TD_MATRIX6; i++) T[i] += term[i];
  }
}

static bool commuting(const td_element *e) {
  return e->n == 2 && e->group[0].component % 3 == e->group[1].component % 3;
}

static bool has_chart(const td_model *m, const td_element *e) {
  if (e->type != TD_ELEMENT_STRIP || e->rod >= 0 || commuting(e)) return false;
  for (int c = 0; c < e->n; c++)
    if (m->joint_stiffness[e->coordinate + c] != 0 || m->prescribed_mask[e->coordinate + c] == 0) return false;
  for (int i = 0; i < m->actuator_channel_count; i++) {
    int driven = m->channel[i].tendon < 0 ? m->channel[i].coordinate : -1;
    if (driven >= e->coordinate && driven < e->coordinate + e->n) return false;
  }
  return true;
}

// Phi of a joint's column: 1 or -1 on its component; the Magnus step of a joint averages two nodes, of which one is 0.
static double sign(const td_element *e, int c) { return 0.5 * e->phi_column[c]; }

static void expand(const td_element *e, const double *x, double xi[6]) {
  memset(xi, 0, 6 * sizeof *xi);
  for (int c = 0; c < e->n; c++) xi[e->group[c].component] += sign(e, c) * x[e->coordinate + c];
}

void td_rechart_pose(const td_element *e, const double *q, td_se3 *g) {
  double xi[6];
  expand(e, q, xi);
  td_se3_exp(xi, g);
}

static void contract(const td_element *e, const double xi[6], double *x) {
  for (int c = 0; c < e->n; c++) x[e->coordinate + c] = sign(e, c) * xi[e->group[c].component];
}

static bool rechart_joint(const td_model *m, const td_element *e, double *y) {
  double xi[6], rate[6], T[TD_MATRIX6], twist[6] = {0};
  int pivot[6];
  expand(e, y, xi);
  if (hypot(hypot(xi[0], xi[1]), xi[2]) <= LIMIT) return false;
  expand(e, y + m->n, rate);
  tangent(xi, T);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) twist[i] += T[6 * i + j] * rate[j];
  td_se3 g;
  td_se3_exp(xi, &g);
  td_se3_log(&g, xi);
  tangent(xi, T);
  if (!td_lu_factor(6, T, pivot)) return false;
  td_lu_solve(6, T, pivot, twist);
  contract(e, xi, y);
  contract(e, twist, y + m->n);
  return true;
}

bool td_rechart_needed(const td_model *model) {
  for (int i = 0; i < model->element_count; i++)
    if (has_chart(model, &model->element[i])) return true;
  return false;
}

int td_rechart(const td_model *model, double *y) {
  int count = 0;
  for (int i = 0; i < model->element_count; i++)
    if (has_chart(model, &model->element[i])) count += rechart_joint(model, &model->element[i], y);
  return count;
}
