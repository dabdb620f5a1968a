// Quantities by name: the table behind POST /v1/evaluate, and the evaluation of several at once.
//
// A row says what a quantity is called, what of the state it reads, its shape and the family that computes it. A family
// is run once for all its wanted members, so that fd, dfd_dq and dfd_dqd share one mass matrix and one factorisation.
// Adding a quantity is adding a row (and, for a new kind of computation, a family function).
#include "body/rod/folded.h"
#include "body/rod/inside_out.h"
#include "body/rod/overstretched.h"
#include "constraint/closed_chain.h"
#include "dynamics/link_jacobians.h"
#include "lie/vec3.h"
#include "math/finite.h"
#include "math/range.h"
#include "pass/composite_nodes.h"
#include "pass/generalized_force.h"
#include "pass/kinematics.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include "why/mass_rank.h"
#include "why/shape.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum quantity {
  Q_ID,
  Q_TAU,
  Q_RESIDUAL,
  Q_MASS,
  Q_ID_TERMS,
  Q_TAU_TERMS,
  Q_ENERGY,
  Q_POSES,
  Q_JACOBIANS,
  Q_TENDONS,
  Q_CHAMBERS,
  Q_TENSIONS,
  Q_CONTACTS,
  Q_CONTACT_FORCE,
  Q_CONTACT_PLACE,
  Q_DID_DQ,
  Q_DID_DQD,
  Q_DID_DQDD,
  Q_DID_DU,
  Q_DTAU_DQ,
  Q_DTAU_DQD,
  Q_DTAU_DU,
  Q_FD,
  Q_DFD_DQ,
  Q_DFD_DQD,
  Q_DFD_DU,
  Q_LAMBDA,
  Q_DLAMBDA_DQ,
  Q_DLAMBDA_DQD,
  Q_DLAMBDA_DU,
  Q_LOOP_ERROR,
  Q_LOOP_JACOBIAN,
  Q_COUNT
} quantity;

typedef struct evaluation {
  const td_model *m;
  td_workspace *ws;
  const td_state *s;
  double *out[Q_COUNT]; ///< NULL: not wanted
} evaluation;

// ---- shapes

// Members are put one after the other; those beyond the capacity still count.
typedef struct shape {
  td_member *members;
  int capacity, count;
  size_t total;
} shape;
typedef void (*shape_function)(const td_model *m, shape *out);

static void put(shape *out, td_member member) {
  member.offset = out->total;
  member.size = 1;
  for (int r = 0; r < member.rank; r++) member.size *= (size_t)member.dim[r];
  if (out->count < out->capacity) out->members[out->count] = member;
  out->count++;
  out->total += member.size;
}
static void shape_vector(const td_model *m, shape *out) { put(out, (td_member){.rank = 1, .dim = {m->n}}); }
static void shape_square(const td_model *m, shape *out) { put(out, (td_member){.rank = 2, .dim = {m->n, m->n}}); }
static void shape_input(const td_model *m, shape *out) {
  put(out, (td_member){.rank = 2, .dim = {m->n, m->channel_count}});
}
static int multipliers(const td_model *m) { return m->loop_rows + m->prescribed_count; }
static void shape_lambda(const td_model *m, shape *out) { put(out, (td_member){.rank = 1, .dim = {multipliers(m)}}); }
static void shape_lambda_rows(const td_model *m, shape *out) {
  put(out, (td_member){.rank = 2, .dim = {multipliers(m), m->n}});
}
static void shape_lambda_input(const td_model *m, shape *out) {
  put(out, (td_member){.rank = 2, .dim = {multipliers(m), m->channel_count}});
}
static void shape_loops(const td_model *m, shape *out) { put(out, (td_member){.rank = 1, .dim = {m->loop_rows}}); }
static void shape_loop_rows(const td_model *m, shape *out) {
  put(out, (td_member){.rank = 2, .dim = {m->loop_rows, m->n}});
}
static void put_vectors(const td_model *m, shape *out, int count, const char *const *names) {
  for (int i = 0; i < count; i++) put(out, (td_member){.name = names[i], .rank = 1, .dim = {m->n}});
}
static void shape_id_terms(const td_model *m, shape *out) {
  static const char *const NAMES[] = {"inertial", "coriolis", "gravity", "loads", "contact", "hydrodynamics"};
  put_vectors(m, out, 6, NAMES);
}
static void shape_tau_terms(const td_model *m, shape *out) {
  static const char *const NAMES[] = {"actuation", "elastic", "damping"};
  put_vectors(m, out, 3, NAMES);
}
static void shape_energy(const td_model *m, shape *out) {
  for (int i = 0; i < td_energy_count(m); i++) put(out, (td_member){.name = td_energy_name(td_energy_kind_of(m, i))});
}
static void put_per_link(const td_model *m, shape *out, int rows, int columns) {
  for (int i = 0; i < m->link_count; i++)
    put(out, (td_member){.name = m->link[i].name, .rank = 3, .dim = {td_model_link_point_count(m, i), rows, columns}});
}
static void shape_poses(const td_model *m, shape *out) { put_per_link(m, out, 4, 4); }
static void shape_jacobians(const td_model *m, shape *out) { put_per_link(m, out, 6, m->n); }
static void shape_tendons(const td_model *m, shape *out) {
  put(out, (td_member){.name = "length", .rank = 1, .dim = {m->tendon_count}});
  put(out, (td_member){.name = "dlength_dq", .rank = 2, .dim = {m->tendon_count, m->n}});
}
static void shape_chambers(const td_model *m, shape *out) {
  put(out, (td_member){.name = "volume", .rank = 1, .dim = {m->chamber_count}});
  put(out, (td_member){.name = "dvolume_dq", .rank = 2, .dim = {m->chamber_count, m->n}});
}
static void shape_tensions(const td_model *m, shape *out) {
  put(out, (td_member){.rank = 1, .dim = {m->tendon_count}});
}
static void shape_contacts(const td_model *m, shape *out) {
  put(out, (td_member){.rank = 2, .dim = {td_contact_row_count(m), 3}});
}
static void shape_places(const td_model *m, shape *out) {
  put(out, (td_member){.rank = 2, .dim = {td_contact_place_count(m), TD_CONTACT_PLACE}});
}

// ---- families

static td_status run_id(evaluation *e) {
  double **o = e->out, *mass = o[Q_MASS] ? o[Q_MASS] : o[Q_DID_DQDD];
  const td_state *s = e->s;
  td_status status = TD_OK;
  if (o[Q_DID_DQ] || o[Q_DID_DQD])
    status = td_id_derivatives(e->m, e->ws, s->q, s->qd, s->qdd, s->u, o[Q_ID], o[Q_DID_DQ], o[Q_DID_DQD], mass);
  else if (o[Q_ID] && mass)
    status = td_mass_inverse_dynamics(e->m, e->ws, s->q, s->qd, s->qdd, s->u, o[Q_ID], mass);
  else if (o[Q_ID])
    status = td_inverse_dynamics(e->m, e->ws, s->q, s->qd, s->qdd, s->u, o[Q_ID]);
  else if (mass)
    status = td_mass_matrix(e->m, e->ws, s->q, mass);
  if (!status && o[Q_DID_DQDD] && mass != o[Q_DID_DQDD])
    memcpy(o[Q_DID_DQDD], mass, (size_t)(e->m->n * e->m->n) * sizeof *mass);
  if (!status && o[Q_DID_DU]) status = td_id_input_derivative(e->m, e->ws, s->q, s->qd, s->u, o[Q_DID_DU]);
  return status;
}

static td_status run_tau(evaluation *e) {
  double **o = e->out;
  const td_state *s = e->s;
  td_status status = o[Q_TAU] ? td_generalized_force(e->m, e->ws, s->q, s->qd, s->u, o[Q_TAU]) : TD_OK;
  if (!status && (o[Q_DTAU_DQ] || o[Q_DTAU_DQD] || o[Q_DTAU_DU]))
    status = td_force_derivatives(e->m, e->ws, s->q, s->qd, s->u, o[Q_DTAU_DQ], o[Q_DTAU_DQD], o[Q_DTAU_DU]);
  return status;
}

static td_status run_residual(evaluation *e) {
  const td_state *s = e->s;
  return td_residual_derivatives(e->m, e->ws, s->q, s->qd, s->qdd, s->u, e->out[Q_RESIDUAL], NULL, NULL, NULL);
}

static td_status run_id_terms(evaluation *e) {
  static const double NONE[3] = {0};
  static const unsigned KINDS[] = {TD_FORCE_LOADS, TD_FORCE_CONTACT | TD_FORCE_RUBBING,
                                   TD_FORCE_DRAG}; // as shape_id_terms names them
  const td_state *s = e->s;
  int n = e->m->n;
  double *out = e->out[Q_ID_TERMS];
  memset(out, 0, 6 * (size_t)n * sizeof *out);
  if (s->qdd) td_id_parts(e->m, e->ws, s->q, NULL, s->qdd, NULL, 0, NONE, out);
  if (s->qd) td_id_parts(e->m, e->ws, s->q, s->qd, NULL, NULL, 0, NONE, out + n);
  td_id_parts(e->m, e->ws, s->q, NULL, NULL, NULL, 0, e->m->gravity, out + 2 * n);
  for (int k = 0; k < 3; k++)
    if (td_force_acts(e->m, KINDS[k]))
      (void)td_force_alone(e->m, e->ws, KINDS[k], s->q, s->qd ? s->qd : e->ws->zero, s->u, out + (3 + k) * n);
  return td_all_finite(out, 6 * n);
}

static td_status run_tau_terms(evaluation *e) {
  int n = e->m->n;
  double *out = e->out[Q_TAU_TERMS];
  td_force_parts(e->m, e->ws, e->s->q, e->s->qd, e->s->u, e->ws->tau, out, out + n, out + 2 * n);
  return td_all_finite(out, 3 * n);
}

static td_status run_energy(evaluation *e) {
  td_energy energy;
  td_status status = td_state_energy(e->m, e->ws, e->s, &energy);
  double *out = e->out[Q_ENERGY];
  for (int i = 0; i < td_energy_count(e->m); i++) out[i] = energy.of[td_energy_kind_of(e->m, i)];
  return status;
}

static void matrix_of(const td_se3 *g, double *out) {
  static const double LAST[4] = {0, 0, 0, 1};
  for (int i = 0; i < 3; i++) {
    memcpy(out + 4 * i, g->R + 3 * i, 3 * sizeof *out);
    out[4 * i + 3] = g->p[i];
  }
  memcpy(out + 12, LAST, sizeof LAST);
}

static void node_matrix(const td_workspace *ws, int node, double *out) {
  td_se3 pose = ws->pose[node];
  for (int i = 0; i < 3; i++) pose.p[i] += ws->origin[i];
  matrix_of(&pose, out);
}

// J_body = Ad_g^-1 J_world: w_b = R^T w, v_b = R^T (v + w x p).
static void turn_jacobian(const td_model *m, const td_se3 *g, double *J) {
  for (int c = 0; c < m->n; c++) {
    double w[3], v[3], wb[3], vb[3];
    for (int i = 0; i < 3; i++) w[i] = J[i * m->n + c], v[i] = J[(3 + i) * m->n + c];
    td_vec3_cross_add(w, g->p, v);
    td_mat3_tvec(g->R, w, wb);
    td_mat3_tvec(g->R, v, vb);
    for (int i = 0; i < 3; i++) J[i * m->n + c] = wb[i], J[(3 + i) * m->n + c] = vb[i];
  }
}

static void link_poses(evaluation *e, int link, double *poses) {
  for (int k = 0; k < td_model_link_point_count(e->m, link); k++)
    node_matrix(e->ws, td_link_point_node(e->m, link, k), poses + 16 * k);
}

static void link_jacobians(evaluation *e, int link, double *J) {
  td_link_jacobians(e->m, e->ws, link, J);
  for (int k = 0; k < td_model_link_point_count(e->m, link); k++, J += 6 * e->m->n)
    turn_jacobian(e->m, &e->ws->pose[td_link_point_node(e->m, link, k)], J);
}

static td_status run_poses(evaluation *e) {
  const td_model *m = e->m;
  double *poses = e->out[Q_POSES], *jacobians = e->out[Q_JACOBIANS];
  td_kinematics(m, e->ws, e->s->q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  bool finite = true;
  for (int i = 0; i < m->link_count; i++) {
    int points = td_model_link_point_count(m, i);
    if (poses) {
      link_poses(e, i, poses);
      finite = finite && td_all_finite(poses, 16 * points) == TD_OK;
      poses += 16 * points;
    }
    if (jacobians) {
      link_jacobians(e, i, jacobians);
      finite = finite && td_all_finite(jacobians, 6 * m->n * points) == TD_OK;
      jacobians += 6 * m->n * points;
    }
  }
  return finite ? TD_OK : TD_NONFINITE;
}

static td_status run_tendons(evaluation *e) {
  double *length = e->out[Q_TENDONS];
  return td_tendon_lengths(e->m, e->ws, e->s->q, length, length + e->m->tendon_count);
}

static td_status run_chambers(evaluation *e) {
  double *volume = e->out[Q_CHAMBERS];
  return td_chamber_volumes(e->m, e->s->q, volume, volume + e->m->chamber_count);
}

static td_status run_tensions(evaluation *e) {
  return td_tendon_tensions(e->m, e->ws, e->s->q, e->s->qd, e->s->u, e->out[Q_TENSIONS]);
}

static td_status run_contacts(evaluation *e) {
  return td_contact_rows(e->m, e->ws, e->s->q, e->s->qd, e->out[Q_CONTACTS], e->out[Q_CONTACT_FORCE]);
}

static td_status run_places(evaluation *e) {
  return td_contact_places(e->m, e->ws, e->s->q, e->s->qd, e->out[Q_CONTACT_PLACE]);
}

static td_status run_fd(evaluation *e) {
  double **o = e->out;
  td_constrained_output out = {.fd = o[Q_FD],
                               .lambda = o[Q_LAMBDA],
                               .dfd_dq = o[Q_DFD_DQ],
                               .dfd_dqd = o[Q_DFD_DQD],
                               .dfd_du = o[Q_DFD_DU],
                               .dlambda_dq = o[Q_DLAMBDA_DQ],
                               .dlambda_dqd = o[Q_DLAMBDA_DQD],
                               .dlambda_du = o[Q_DLAMBDA_DU]};
  return td_constrained_dynamics(e->m, e->ws, e->s, &out);
}

static td_status run_loops(evaluation *e) {
  return td_loop_error(e->m, e->ws, e->s->q, e->out[Q_LOOP_ERROR], e->out[Q_LOOP_JACOBIAN]);
}

static const double ROUNDED = 1e-9; // rad, m: loops that are open by more were given in few digits

// ---- the table

enum {
  READS_ALL = TD_READS_Q | TD_READS_QD | TD_READS_QDD | TD_READS_U,
  READS_FORCE = TD_READS_Q | TD_READS_QD | TD_READS_U
};

typedef struct quantity_row {
  const char *name;
  unsigned reads;
  shape_function shape;
  td_status (*run)(evaluation *e); ///< the family
} quantity_row;

static const quantity_row TABLE[Q_COUNT] = {
    [Q_ID] = {"id", READS_ALL, shape_vector, run_id},
    [Q_TAU] = {"tau", READS_FORCE, shape_vector, run_tau},
    [Q_RESIDUAL] = {"residual", READS_ALL, shape_vector, run_residual},
    [Q_MASS] = {"mass", TD_READS_Q, shape_square, run_id},
    [Q_ID_TERMS] = {"id_terms", READS_ALL, shape_id_terms, run_id_terms},
    [Q_TAU_TERMS] = {"tau_terms", READS_FORCE, shape_tau_terms, run_tau_terms},
    [Q_ENERGY] = {"energy", READS_FORCE, shape_energy, run_energy},
    [Q_POSES] = {"poses", TD_READS_Q, shape_poses, run_poses},
    [Q_JACOBIANS] = {"jacobians", TD_READS_Q, shape_jacobians, run_poses},
    [Q_TENDONS] = {"tendons", TD_READS_Q, shape_tendons, run_tendons},
    [Q_CHAMBERS] = {"chambers", TD_READS_Q, shape_chambers, run_chambers},
    [Q_TENSIONS] = {"tensions", READS_FORCE, shape_tensions, run_tensions},
    [Q_CONTACTS] = {"contacts", TD_READS_Q | TD_READS_QD, shape_contacts, run_contacts},
    [Q_CONTACT_FORCE] = {"contact_force", TD_READS_Q | TD_READS_QD, shape_contacts, run_contacts},
    [Q_CONTACT_PLACE] = {"contact_place", TD_READS_Q | TD_READS_QD, shape_places, run_places},
    [Q_DID_DQ] = {"did_dq", READS_ALL, shape_square, run_id},
    [Q_DID_DQD] = {"did_dqd", READS_ALL, shape_square, run_id},
    [Q_DID_DQDD] = {"did_dqdd", READS_ALL, shape_square, run_id},
    [Q_DID_DU] = {"did_du", READS_ALL, shape_input, run_id},
    [Q_DTAU_DQ] = {"dtau_dq", READS_FORCE, shape_square, run_tau},
    [Q_DTAU_DQD] = {"dtau_dqd", READS_FORCE, shape_square, run_tau},
    [Q_DTAU_DU] = {"dtau_du", READS_FORCE, shape_input, run_tau},
    [Q_FD] = {"fd", READS_ALL, shape_vector, run_fd},
    [Q_DFD_DQ] = {"dfd_dq", READS_ALL, shape_square, run_fd},
    [Q_DFD_DQD] = {"dfd_dqd", READS_ALL, shape_square, run_fd},
    [Q_DFD_DU] = {"dfd_du", READS_ALL, shape_input, run_fd},
    [Q_LAMBDA] = {"lambda", READS_ALL, shape_lambda, run_fd},
    [Q_DLAMBDA_DQ] = {"dlambda_dq", READS_ALL, shape_lambda_rows, run_fd},
    [Q_DLAMBDA_DQD] = {"dlambda_dqd", READS_ALL, shape_lambda_rows, run_fd},
    [Q_DLAMBDA_DU] = {"dlambda_du", READS_ALL, shape_lambda_input, run_fd},
    [Q_LOOP_ERROR] = {"loop_error", TD_READS_Q, shape_loops, run_loops},
    [Q_LOOP_JACOBIAN] = {"loop_jacobian", TD_READS_Q, shape_loop_rows, run_loops},
};
_Static_assert((int)Q_COUNT <= (int)TD_QUANTITY_LIMIT, "callers size their arrays by TD_QUANTITY_LIMIT");

int td_quantity_count(void) { return Q_COUNT; }
const char *td_quantity_name(int q) { return q >= 0 && q < Q_COUNT ? TABLE[q].name : NULL; }
unsigned td_quantity_reads(int q) { return q >= 0 && q < Q_COUNT ? TABLE[q].reads : 0; }

int td_quantity_find(const char *name) {
  for (int q = 0; q < Q_COUNT; q++)
    if (!strcmp(TABLE[q].name, name)) return q;
  return -1;
}

int td_quantity_members(const td_model *model, int q, td_member *members, int capacity, size_t *total) {
  shape out = {.members = members, .capacity = capacity};
  TABLE[q].shape(model, &out);
  if (total) *total = out.total;
  return out.count;
}

// The first link whose poses (or, with qd, twists) are not finite; NULL when all are and the failure comes from further
// on.
static const char *link_at_fault(const evaluation *e) {
  const td_model *m = e->m;
  const double *qd = e->s->qd;
  td_kinematics(m, e->ws, e->s->q, qd, NULL, m->gravity, qd ? TD_LEVEL_TWIST : TD_LEVEL_POSE);
  for (int i = 0; i < m->link_count; i++)
    for (int k = 0; k < td_model_link_point_count(m, i); k++) {
      int node = td_link_point_node(m, i, k);
      double pose[16];
      node_matrix(e->ws, node, pose);
      if (td_all_finite(pose, 16) || (qd && td_all_finite(e->ws->V[node], 6))) return m->link[i].name;
    }
  return NULL;
}

// A body that left its kinematics first: whatever failed (not finite, no mass matrix) failed because of it.
static td_status explain(const evaluation *e, td_status status, const char *wanted, td_error *err) {
  char pointer[2 * TD_MAX_NAME + 8] = "", why[256];
  int body = td_shape_explain(e->m, e->s->q, 1, why, sizeof why);
  const char *link = body >= 0 ? e->m->link[body].name : status == TD_SINGULAR ? NULL : link_at_fault(e);
  if (link) snprintf(pointer, sizeof pointer, "/%s/%s", wanted, link);
  if (body >= 0) return td_fail(err, TD_NONFINITE, pointer, "%s does not exist at this state: %s", wanted, why);
  if (status == TD_SINGULAR) {
    td_mass_fault fault;
    td_mass_judge(e->m, e->ws, 1, &fault);
    return td_fail(err, status, "", "%s: the mass matrix is singular at this state: %s", wanted, fault.text);
  }
  if (!link) return td_fail(err, status, "", "%s is not finite at this state", wanted);
  return td_fail(err, status, pointer, "%s is not finite at this state: the motion of link \"%s\" is not", wanted,
                 link);
}

static td_status run_wanted(evaluation *e, const int *want, int count, td_error *err) {
  for (int i = 0; i < count; i++) {
    int first = 0; // run each family at its first wanted member only
    while (TABLE[want[first]].run != TABLE[want[i]].run) first++;
    if (first < i) continue;
    td_status status = td_stopped(e->ws) ? TD_CANCELLED : TABLE[want[i]].run(e);
    if (td_stopped(e->ws)) return TD_CANCELLED; // whatever became of it
    if (status) return explain(e, status, TABLE[want[i]].name, err);
  }
  return TD_OK;
}

td_status td_evaluate(const td_model *model, td_workspace *ws, const td_state *state, const int *want, int count,
                      double *const *out, td_error *err) {
  evaluation e = {.m = model, .ws = ws, .s = state};
  for (int i = 0; i < count; i++) assert(want[i] >= 0 && want[i] < Q_COUNT && out[i]);
  for (int i = 0; i < count; i++) e.out[want[i]] = out[i];
  bool begun = td_steady_begin(ws, state->q, state->qd);
  td_status status = run_wanted(&e, want, count, err);
  td_steady_end(ws, begun);
  return status;
}

// ---- what is odd about an answer

// Rows that are independent by less than TD_LOOSE_RANK, from the scratch of the constrained dynamics just computed.
static int rows_in_doubt(const td_model *m, td_workspace *ws) {
  td_constraint_scratch *s = &ws->constraint;
  for (int i = 0; i < m->loop_rows; i++)
    for (int j = 0; j < m->ld; j++) s->reduced[i * m->ld + j] = s->A[i * m->ld + j] * m->prescribed_mask[j];
  return s->rank - td_range_basis(m->loop_rows, m->n, m->ld, s->reduced, TD_LOOSE_RANK, s->kpad, s->basis, s->work);
}

static void tell_open(const td_model *m, td_workspace *ws, const char *pointer, td_warnings *warnings) {
  double open = 0;
  for (int i = 0; i < m->loop_rows; i++) open = fmax(open, fabs(ws->constraint.e[i]));
  int doubt = open > ROUNDED ? rows_in_doubt(m, ws) : 0;
  if (doubt <= 0) return;
  td_warn(
      warnings, "loop_open", pointer,
      "loops are open by %.2g (rad, m) at this state, and %d of their %d rows are independent by no more than that may "
      "make: closed they depend on the others, and fd, lambda and their derivatives are not those given here; give q "
      "with more digits, as the first sample of a run from it has it",
      open, doubt, m->loop_rows);
}

static bool reads(const int *want, int count, unsigned what) {
  for (int i = 0; i < count; i++)
    if (TABLE[want[i]].reads & what) return true;
  return false;
}

// What kinds of force know to be odd: id and what holds it read qdd; forces of tendons are in what reads inputs and is
// no id, their lengths in tendons.
static void tell_forces(const td_model *m, td_workspace *ws, const td_state *state, const int *want, int count,
                        const char *pointer, td_warnings *warnings) {
  unsigned asked = reads(want, count, TD_READS_QDD) ? TD_ASKED_ID : 0;
  for (int i = 0; i < count; i++) {
    const quantity_row *row = &TABLE[want[i]];
    bool forces = row->reads & TD_READS_U && row->run != run_id && row->run != run_id_terms;
    if (forces || want[i] == Q_TENDONS) asked |= TD_ASKED_TAU;
  }
  for (int i = 0; i < m->tau_force_count; i++)
    if (m->tau_force[i]->tell) m->tau_force[i]->tell(m, ws, state->q, state->qd, state->u, asked, pointer, warnings);
  for (int i = 0; i < m->body_force_count; i++)
    if (m->body_force[i]->tell) m->body_force[i]->tell(m, ws, state->q, state->qd, state->u, asked, pointer, warnings);
}

void td_evaluate_tell(const td_model *model, td_workspace *ws, const td_state *state, const int *want, int count,
                      const char *pointer, td_warnings *warnings) {
  td_inside_out at;
  td_folded bent;
  td_overstretched long_one;
  char text[TD_INSIDE_OUT_TEXT], bend[TD_FOLDED_TEXT], stretch[TD_OVERSTRETCHED_TEXT];
  if (td_inside_out_find(model, state->q, 1, &at)) {
    td_inside_out_text(model, &at, text);
    td_warn(warnings, "inside_out", pointer, "at this state %s", text);
  }
  if (td_folded_find(model, state->q, &bent)) {
    td_folded_text(model, &bent, bend);
    td_warn(warnings, "folded_section", pointer, "at this state %s", bend);
  }
  if (td_overstretched_find(model, state->q, &long_one)) {
    td_overstretched_text(model, &long_one, stretch);
    td_warn(warnings, "overstretched", pointer, "at this state %s", stretch);
  }
  bool constrained = false;
  for (int i = 0; i < count && model->loop_rows > 0; i++) constrained |= TABLE[want[i]].run == run_fd;
  if (constrained) tell_open(model, ws, pointer, warnings);
  tell_forces(model, ws, state, want, count, pointer, warnings);
}
