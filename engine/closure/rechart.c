// Change of chart of joints g = exp(xi), xi = Phi q (universal, planar, spherical, free): xi becomes log(exp(xi)), and
// qd follows from the twist, which both charts share: T(xi') Phi qd' = T(xi) Phi qd, T(xi) = sum_k ad_xi^k / (k + 1)!.
//
// Only joints without a spring or an actuator: these act along q itself, so q must keep its turns there. Cylindrical
// joints are left alone: their two motions commute and the chart is good everywhere. T is summed as a series: at 1.5 pi
// and a step beyond it loses at most three digits of sixteen, and a change of chart is rare.
#include "closure/rechart.h"
#include "force/stop.h"
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

static bool has_vector(const td_element *e) {
  return e->type == TD_ELEMENT_STRIP && e->rod < 0 && e->n > 0 && !commuting(e);
}

static bool has_chart(const td_model *m, const td_element *e) {
  if (!has_vector(e) || td_stops_any(m, e->coordinate, e->n)) return false;
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

static double angle_of(const td_element *e, const double *y) {
  double xi[6];
  expand(e, y, xi);
  return hypot(hypot(xi[0], xi[1]), xi[2]);
}

static bool is_solved_for(const td_model *m, const td_element *e) {
  for (int c = e->coordinate; c < e->coordinate + e->n; c++)
    if (m->prescribed_mask[c] != 0) return true;
  return false;
}

bool td_keeps_turns(const td_model *m, const td_element *e) {
  return has_vector(e) && !has_chart(m, e) && is_solved_for(m, e);
}

double td_from_whole_turns(const td_model *m, const double *q, const td_element **joint) {
  double least = INFINITY;
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (!td_keeps_turns(m, e)) continue;
    double turns = angle_of(e, q) / (2 * M_PI), away = 2 * M_PI * fabs(turns - fmax(1, round(turns)));
    if (turns < 0.5 || away >= least) continue;
    least = away;
    *joint = e;
  }
  return least;
}

// A change of chart: where it goes from and to, and the factors of the new tangent.
typedef struct chart {
  double xi[2][6], rate[2][6];
  double T[TD_MATRIX6], factors[TD_MATRIX6]; ///< tangent at the old xi, LU of that at the new
  int pivot[6];
} chart;

static void apply(const double A[TD_MATRIX6], const double x[6], double out[6]) {
  for (int i = 0; i < 6; i++) {
    out[i] = 0;
    for (int j = 0; j < 6; j++) out[i] += A[6 * i + j] * x[j];
  }
}

static bool change(const td_model *m, const td_element *e, const double *y, chart *c) {
  td_se3 g;
  expand(e, y, c->xi[0]);
  expand(e, y + m->n, c->rate[0]);
  tangent(c->xi[0], c->T);
  apply(c->T, c->rate[0], c->rate[1]);
  td_se3_exp(c->xi[0], &g);
  td_se3_log(&g, c->xi[1]);
  tangent(c->xi[1], c->factors);
  if (!td_lu_factor(6, c->factors, c->pivot)) return false;
  td_lu_solve(6, c->factors, c->pivot, c->rate[1]);
  return true;
}

// out = d(T(xi) rate) for a change d of xi, term by term: t_k = ad_xi t_(k-1) / (k + 1).
static void tangent_change(const double xi[6], const double d[6], const double rate[6], double out[6]) {
  double ad[TD_MATRIX6], add[TD_MATRIX6], term[6], dterm[6] = {0}, x[6], y[6];
  adjoint(xi, ad);
  adjoint(d, add);
  memcpy(term, rate, sizeof term);
  memset(out, 0, 6 * sizeof *out);
  for (int k = 1; k < TERMS; k++) {
    apply(add, term, x);
    apply(ad, dterm, y);
    for (int i = 0; i < 6; i++) dterm[i] = (x[i] + y[i]) / (k + 1);
    apply(ad, term, x);
    for (int i = 0; i < 6; i++) term[i] = x[i] / (k + 1);
    for (int i = 0; i < 6; i++) out[i] += dterm[i];
  }
}

// A column of (q, qd) likewise: dxi' = T'^-1 T dxi;   T' drate' = d(T rate) - dT' rate'.
static void change_column(const td_model *m, const td_element *e, const chart *c, double *column) {
  double dxi[6], drate[6], to[6], turned[6], rate[6];
  expand(e, column, dxi);
  expand(e, column + m->n, drate);
  apply(c->T, dxi, to);
  td_lu_solve(6, c->factors, c->pivot, to);
  apply(c->T, drate, rate);
  tangent_change(c->xi[0], dxi, c->rate[0], turned);
  for (int i = 0; i < 6; i++) rate[i] += turned[i];
  tangent_change(c->xi[1], to, c->rate[1], turned);
  for (int i = 0; i < 6; i++) rate[i] -= turned[i];
  td_lu_solve(6, c->factors, c->pivot, rate);
  contract(e, to, column);
  contract(e, rate, column + m->n);
}

bool td_rechart_needed(const td_model *model) {
  for (int i = 0; i < model->element_count; i++)
    if (has_chart(model, &model->element[i])) return true;
  return false;
}

int td_rechart_columns(const td_model *model, double *y, int columns, int ld, double *T, double *column) {
  int count = 0;
  chart c;
  for (int i = 0; i < model->element_count; i++) {
    const td_element *e = &model->element[i];
    if (!has_chart(model, e) || angle_of(e, y) <= LIMIT || !change(model, e, y, &c)) continue;
    for (int j = 0; j < columns; j++) {
      for (int k = 0; k < 2 * model->n; k++) column[k] = T[k * ld + j];
      change_column(model, e, &c, column);
      for (int k = 0; k < 2 * model->n; k++) T[k * ld + j] = column[k];
    }
    contract(e, c.xi[1], y);
    contract(e, c.rate[1], y + model->n);
    count++;
  }
  return count;
}

int td_rechart(const td_model *model, double *y) { return td_rechart_columns(model, y, 0, 0, NULL, NULL); }
