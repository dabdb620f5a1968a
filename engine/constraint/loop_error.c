// What loops are at a state: errors and Jacobians, accelerations, the largest free rotation.
#include "constraint/closed_chain.h"
#include "constraint/loop.h"
#include "lie/vec3.h"
#include "math/finite.h"
#include "pass/kinematics.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <string.h>

td_status td_loop_error(const td_model *model, td_workspace *ws, const double *q, double *e, double *A) {
  if (model->loop_rows == 0) return TD_OK;
  td_constraint_scratch *s = &ws->constraint;
  if (A)
    td_kept_columns(model, ws, q);
  else
    td_kinematics(model, ws, q, NULL, NULL, model->gravity, TD_LEVEL_POSE);
  td_loop_poses(model, ws);
  if (e) memcpy(e, s->e, (size_t)model->loop_rows * sizeof *e);
  td_status status = td_all_finite(s->e, model->loop_rows);
  if (status || !A) return status;
  td_loop_jacobian(model, ws, s->A, NULL);
  td_loop_unpad(model, model->ld, s->A, A);
  return td_all_finite(s->A, model->loop_rows * model->ld);
}

double td_loop_power(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *lambda) {
  double power = 0;
  td_kinematics(m, ws, q, qd, NULL, m->gravity, TD_LEVEL_TWIST);
  td_loop_poses(m, ws);
  for (int i = 0; i < m->loop_count; i++) {
    double wrench[6];
    td_loop_wrench(&m->loop[i], &ws->constraint.loop[i], lambda, wrench);
    power += td_dot6(wrench, ws->V[m->loop[i].a.node]) - td_dot6(wrench, ws->V[m->loop[i].b.node]);
  }
  return power;
}

td_status td_loop_accelerations(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                const double *qdd, double *a) {
  td_kinematics(m, ws, q, qd, qdd, m->gravity, TD_LEVEL_ACCELERATION);
  td_loop_poses(m, ws);
  td_loop_rates(m, ws, INFINITY);
  memcpy(a, ws->constraint.a, (size_t)m->loop_rows * sizeof *a);
  return td_all_finite(a, m->loop_rows);
}

// Between the two frames of a loop, rad.
static double angle_of(const td_workspace *ws, int loop) {
  const double *w = ws->constraint.loop[loop].xi;
  return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

double td_loop_free_rotation(const td_model *m, td_workspace *ws, const double *q, int *loop) {
  double largest = 0;
  bool closure = ws->constraint.closure;
  *loop = -1;
  ws->constraint.closure = false;
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  td_loop_poses(m, ws);
  ws->constraint.closure = closure;
  for (int i = 0; i < m->loop_count; i++) {
    double angle = angle_of(ws, i);
    if (m->loop[i].turns && angle > largest) largest = angle, *loop = i;
  }
  return largest;
}
