// The robot together with its inputs: what integrators and statics see. Functions of (t, q, qd, qdd), no allocation.
//
// y = (q, qd) [2 n] is the state of a run. `inside` picks the side of an input's jump (solve/signal.h): it is the middle of
// the smooth segment being integrated.
#ifndef TENDRIL_SOLVE_PLANT_H
#define TENDRIL_SOLVE_PLANT_H

#include "solve/signal.h"

typedef struct td_plant {
  const td_model *model;
  td_workspace *ws;
  const td_inputs *inputs;
  int n, m;
  bool finite_difference; ///< derivatives by forward differences
  double inside;
  double *u;     ///< [m] of the last call
  double *x, *f; ///< [n], [2 n] scratch of the finite differences
  td_run_statistics *statistics;
} td_plant;

/// y' = (qd, fd(q, qd, u(t))).
TD_NODISCARD td_status td_plant_rate(td_plant *p, double t, const double *y, double *dy);
/// r [n] = tau - ID.
TD_NODISCARD td_status td_plant_residual(td_plant *p, double t, const double *q, const double *qd, const double *qdd,
                                         double *r);
/// K, C, M [n][n] at a state, analytic or by forward differences of the residual.
TD_NODISCARD td_status td_plant_matrices(td_plant *p, double t, const double *q, const double *qd, const double *qdd,
                                         double *K, double *C, double *M);
/// The same three matrices where fd at (q, qd) is known to be qdd. By forward differences they are those of
/// qdd - fd(q, qd) = 0: K = -dfd/dq, C = -dfd/dqd, M = I, so that the comparison with the paper's numeric Jacobian is fair.
TD_NODISCARD td_status td_plant_rate_matrices(td_plant *p, double t, const double *q, const double *qd,
                                              const double *qdd, double *K, double *C, double *M);

/// Fails with time, size of the residual r and the coordinate where it is worst.
td_status td_plant_fail(const td_plant *p, td_status status, td_error *err, const char *method, double t,
                        const double *r, const char *reason);

#endif
