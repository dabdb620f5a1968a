// Derivatives of forward dynamics by parameters (motion.h).
#include "math/finite.h"
#include "parameter/motion.h"
#include <string.h>

static void results(const td_motion_at *o, double *fd, double *lambda) {
  size_t n = (size_t)o->m->n, c = (size_t)(o->m->loop_rows + o->m->prescribed_count);
  if (fd) memcpy(fd, o->ws->fd, n * sizeof *fd);
  if (lambda && c) memcpy(lambda, o->ws->lambda, c * sizeof *lambda);
}

td_status td_parameter_dynamics(const td_parameters *p, td_parameter_workspace *ws, const td_state *state, double *fd,
                                double *lambda, double *dfd_dp, double *dlambda_dp) {
  td_motion_at o;
  td_status status = td_motion_begin(&o, p, ws, state, dlambda_dp != NULL);
  if (!status && (dfd_dp || dlambda_dp)) status = td_motion_right_sides(&o, NULL);
  if (status) return status;
  int n = o.m->n, c = o.m->loop_rows + o.m->prescribed_count;
  for (size_t j = 0; (dfd_dp || dlambda_dp) && j < p->count; j++) {
    td_motion_column(&o, j);
    td_motion_solve(&o, ws->f, ws->c, o.turns ? ws->turn : NULL);
    for (int i = 0; dfd_dp && i < n; i++) dfd_dp[(size_t)i * p->count + j] = ws->x[i];
    for (int i = 0; dlambda_dp && i < c; i++) dlambda_dp[(size_t)i * p->count + j] = ws->mu[i];
  }
  if (dfd_dp) status = td_all_finite(dfd_dp, n * (int)p->count);
  if (!status && dlambda_dp) status = td_all_finite(dlambda_dp, c * (int)p->count);
  if (!status) results(&o, fd, lambda);
  return status;
}
