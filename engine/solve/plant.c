// The robot with its inputs. Each function evaluates u(t) and hands over to the engine's algorithms; the statistics of the
// run count calls here, so that every method counts alike. Forward differences perturb one coordinate at a time by
// sqrt(eps) (1 + |x|): coordinates are radians, metres or dimensionless, of order 1.
#include "solve/plant.h"
#include <float.h>
#include <math.h>
#include <string.h>

static void set_inputs(td_plant *p, double t) { td_inputs_eval(p->inputs, t, p->inside, p->u); }

td_status td_plant_rate(td_plant *p, double t, const double *y, double *dy) {
  set_inputs(p, t);
  p->statistics->evaluations++;
  memcpy(dy, y + p->n, (size_t)p->n * sizeof *dy);
  return td_forward_dynamics(p->model, p->ws, y, y + p->n, p->u, dy + p->n);
}

td_status td_plant_residual(td_plant *p, double t, const double *q, const double *qd, const double *qdd, double *r) {
  set_inputs(p, t);
  p->statistics->evaluations++;
  return td_residual_derivatives(p->model, p->ws, q, qd, qdd, p->u, r, NULL, NULL, NULL);
}

// column j of out [n][n] = (base - f) / step
static void put_column(int n, int j, const double *base, const double *f, double step, double *out) {
  for (int i = 0; i < n; i++) out[i * n + j] = (base[i] - f[i]) / step;
}

// The function whose forward differences are taken: residual at qdd, or fd when qdd is NULL.
static td_status difference_value(td_plant *p, const double *q, const double *qd, const double *qdd, double *f) {
  p->statistics->evaluations++;
  if (!qdd) return td_forward_dynamics(p->model, p->ws, q, qd, p->u, f);
  return td_residual_derivatives(p->model, p->ws, q, qd, qdd, p->u, f, NULL, NULL, NULL);
}

// -d(value)/dq into K and -d(value)/dqd into C; `base` [n] is the value at the state itself.
static td_status differences(td_plant *p, const double *q, const double *qd, const double *qdd, const double *base,
                             double *K, double *C) {
  td_status status = TD_OK;
  for (int pass = 0; pass < 2; pass++) {
    const double *from = pass ? qd : q;
    memcpy(p->x, from, (size_t)p->n * sizeof *p->x);
    for (int j = 0; !status && j < p->n; j++) {
      volatile double moved = from[j] + sqrt(DBL_EPSILON) * (1 + fabs(from[j])); // volatile: the step as it is stored
      p->x[j] = moved;
      status = difference_value(p, pass ? q : p->x, pass ? p->x : qd, qdd, p->f);
      put_column(p->n, j, base, p->f, moved - from[j], pass ? C : K);
      p->x[j] = from[j];
    }
  }
  return status;
}

td_status td_plant_matrices(td_plant *p, double t, const double *q, const double *qd, const double *qdd, double *K,
                            double *C, double *M) {
  set_inputs(p, t);
  p->statistics->jacobians++;
  if (!p->finite_difference) return td_residual_derivatives(p->model, p->ws, q, qd, qdd, p->u, NULL, K, C, M);
  double *base = p->f + p->n;
  td_status status = td_plant_residual(p, t, q, qd, qdd, base);
  if (!status) status = differences(p, q, qd, qdd, base, K, C);
  return status ? status : td_mass_matrix(p->model, p->ws, q, M);
}

td_status td_plant_rate_matrices(td_plant *p, double t, const double *q, const double *qd, const double *qdd, double *K,
                                 double *C, double *M) {
  if (!p->finite_difference) return td_plant_matrices(p, t, q, qd, qdd, K, C, M);
  set_inputs(p, t);
  p->statistics->jacobians++;
  memset(M, 0, (size_t)p->n * (size_t)p->n * sizeof *M);
  for (int i = 0; i < p->n; i++) M[i * p->n + i] = 1;
  return differences(p, q, qd, NULL, qdd, K, C);
}

td_status td_plant_fail(const td_plant *p, td_status status, td_error *err, const char *method, double t,
                        const double *r, const char *reason) {
  int worst = 0;
  for (int i = 1; i < p->n; i++)
    if (!(fabs(r[i]) <= fabs(r[worst]))) worst = i;
  if (p->n == 0) return td_fail(err, status, "", "%s at t = %.9g s: %s", method, t, reason);
  return td_fail(err, status, "", "%s at t = %.9g s: %s; residual %.3g, worst at %s", method, t, reason, fabs(r[worst]),
                 td_model_coordinate_name(p->model, worst));
}
