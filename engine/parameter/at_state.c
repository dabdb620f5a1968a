// What neighbours say of one state: parts of the equation of motion, poses of links, lengths of tendons.
#include "parameter/parameters.h"
#include "pass/kinematics.h"
#include <assert.h>
#include <string.h>

// ---- the equation of motion

typedef struct equation {
  const td_state *state;
  const double *lambda;
  bool residual, e, a; ///< wanted
} equation;

static td_status id_at(void *context, const td_model *m, td_workspace *ws, double *out) {
  const td_state *s = context;
  return td_inverse_dynamics(m, ws, s->q, s->qd, s->qdd, s->u, out);
}

static td_status tau_at(void *context, const td_model *m, td_workspace *ws, double *out) {
  const td_state *s = context;
  return td_generalized_force(m, ws, s->q, s->qd, s->u, out);
}

static td_status terms_at(void *context, const td_model *m, td_workspace *ws, double *out) {
  const equation *q = context;
  td_constraint_terms terms = {.residual = q->residual ? out : NULL};
  out += q->residual ? m->n : 0;
  terms.e = q->e ? out : NULL;
  out += q->e ? m->loop_rows : 0;
  terms.a = q->a ? out : NULL;
  return td_constraint_terms_at(m, ws, q->state, q->lambda, &terms);
}

td_status td_parameter_derivatives(const td_parameters *p, td_parameter_workspace *ws, const td_state *state,
                                   const double *lambda, const td_parameter_output *out) {
  size_t n = (size_t)p->model->n, r = (size_t)p->model->loop_rows;
  td_state at = *state;
  equation wanted = {&at, lambda, out->dresidual_dp, r && out->de_dp, r && out->da_dp};
  td_parameter_part id = {n, out->did_dp}, tau = {n, out->dtau_dp},
                    terms[] = {{n, out->dresidual_dp}, {r, r ? out->de_dp : NULL}, {r, r ? out->da_dp : NULL}};
  td_status status = td_parameters_sum(p, ws, id_at, &at, &id, 1, &at, ws->scratch, NULL);
  if (!status) status = td_parameters_sum(p, ws, tau_at, &at, &tau, 1, &at, ws->scratch, NULL);
  if (!status) status = td_parameters_sum(p, ws, terms_at, &wanted, terms, 3, &at, ws->scratch, NULL);
  return status;
}

// ---- geometry

typedef struct geometry {
  const double *q;
  int link;
} geometry;

static td_status poses_at(void *context, const td_model *m, td_workspace *ws, double *out) {
  const geometry *g = context;
  td_kinematics(m, ws, g->q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int k = 0; k < td_model_link_point_count(m, g->link); k++, out += 16) {
    const td_se3 *pose = &ws->pose[td_link_point_node(m, g->link, k)];
    memset(out, 0, 16 * sizeof *out);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) out[4 * i + j] = pose->R[3 * i + j];
      out[4 * i + 3] = pose->p[i] + ws->origin[i];
    }
    out[15] = 1;
  }
  return TD_OK;
}

td_status td_parameter_poses(const td_parameters *p, td_parameter_workspace *ws, const double *q, int link,
                             double *dposes_dp) {
  assert(link >= 0 && link < p->model->link_count);
  geometry g = {q, link};
  td_parameter_part part = {16 * (size_t)td_model_link_point_count(p->model, link), dposes_dp};
  return td_parameters_sum(p, ws, poses_at, &g, &part, 1, NULL, ws->scratch, NULL);
}

static td_status lengths_at(void *context, const td_model *m, td_workspace *ws, double *out) {
  const geometry *g = context;
  return td_tendon_lengths(m, ws, g->q, out, NULL);
}

td_status td_parameter_tendons(const td_parameters *p, td_parameter_workspace *ws, const double *q,
                               double *dlength_dp) {
  geometry g = {q, 0};
  td_parameter_part part = {(size_t)p->model->tendon_count, dlength_dp};
  return td_parameters_sum(p, ws, lengths_at, &g, &part, 1, NULL, ws->scratch, NULL);
}
