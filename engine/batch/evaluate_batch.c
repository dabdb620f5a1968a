// Many states at once (batch.h). What lanes serve goes through the passes side by side; forces, factors and solves, and
// all else that is wanted, are done state by state by the functions of one state. A lane whose numbers are not finite is
// a state for td_evaluate, which says why; so is every state of a robot that lanes do not serve.
#include "batch/lanes.h"
#include "constraint/closed_chain.h"
#include "dynamics/forward_dynamics.h"
#include "math/finite.h"
#include "pass/generalized_force.h"
#include "tendril/batch.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

// What lanes compute, in the order of NAMES.
typedef enum served { ID, MASS, DID_DQ, DID_DQD, DID_DQDD, FD, DFD_DQ, DFD_DQD, SERVED } served;
static const char *const NAMES[SERVED] = {"id", "mass", "did_dq", "did_dqd", "did_dqdd", "fd", "dfd_dq", "dfd_dqd"};

struct td_batch {
  td_lanes *lanes; // NULL: the model is not served
  double *factors; // [lanes][n][ld] of mass matrices
};

// A call, and the states of it that are at work.
typedef struct job {
  const td_model *m;
  td_batch *batch;
  td_workspace *ws;
  const td_state *states; // [count]
  int count;              // of them, up to TD_LANES
  double *out[SERVED];    // of the first of these states; NULL: not wanted
  bool failed[TD_LANES];
} job;

static bool is_served(const td_model *m) { return td_lanes_serve(m) && !td_is_constrained(m); }

static served served_as(int quantity) {
  served s = ID;
  while (s < SERVED && strcmp(NAMES[s], td_quantity_name(quantity)) != 0) s++;
  return s;
}

bool td_batch_serves(const td_model *model, const int *want, int wanted) {
  for (int i = 0; i < wanted; i++)
    if (served_as(want[i]) < SERVED) return is_served(model);
  return false;
}

int td_batch_lanes(void) { return TD_LANES; }

td_status td_batch_create(const td_model *model, td_batch **batch) {
  td_batch *b = *batch = calloc(1, sizeof *b);
  if (!b) return TD_NO_MEMORY;
  size_t matrix = (size_t)(model->n * model->ld);
  td_status status = is_served(model) ? td_lanes_create(model, &b->lanes) : TD_OK;
  if (b->lanes) b->factors = calloc(TD_LANES * matrix, sizeof *b->factors);
  if (b->lanes && !b->factors) status = TD_NO_MEMORY;
  if (!status) return TD_OK;
  td_batch_destroy(b);
  *batch = NULL;
  return status;
}

void td_batch_destroy(td_batch *batch) {
  if (!batch) return;
  td_lanes_destroy(batch->lanes);
  free(batch->factors);
  free(batch);
}

// ------------------------------------------------------------------------------------------------ side by side

// Lanes beyond the last state repeat it.
static const td_state *state_of(const job *j, int lane) { return &j->states[lane < j->count ? lane : j->count - 1]; }

static void put_states(const job *j) {
  td_lanes *l = j->batch->lanes;
  for (int lane = 0; lane < TD_LANES; lane++) {
    const td_state *s = state_of(j, lane);
    td_lanes_put(l, lane, s->q, l->q);
    td_lanes_put(l, lane, s->qd, l->qd);
    td_lanes_put(l, lane, s->qdd, l->qdd);
  }
}

static void get_vector(job *j, served what, const td_vec *from) {
  int n = j->m->n;
  for (int lane = 0; lane < j->count && j->out[what]; lane++) {
    double *to = j->out[what] + lane * n;
    td_lanes_get(n, lane, from, to);
    j->failed[lane] |= td_all_finite(to, n) != TD_OK;
  }
}

static void get_matrix(job *j, served what, const td_vec *from) {
  int size = j->m->n * j->m->n;
  for (int lane = 0; lane < j->count && j->out[what]; lane++) {
    double *to = j->out[what] + lane * size;
    td_lanes_get(size, lane, from, to);
    j->failed[lane] |= td_all_finite(to, size) != TD_OK;
  }
}

static void pad_matrix(const job *j, int lane, const td_vec *from, double *to) {
  int n = j->m->n, ld = j->m->ld;
  for (int i = 0; i < n; i++) td_lanes_get(n, lane, from + i * n, to + i * ld);
}

static void inverse_dynamics(job *j) {
  td_lanes *l = j->batch->lanes;
  const bool slopes = j->out[DID_DQ] || j->out[DID_DQD], mass = j->out[MASS] || j->out[DID_DQDD];
  const unsigned what = (slopes ? TD_COLUMNS_SLOPES : 0) | (mass ? TD_COLUMNS_MASS : 0);
  bool moving = j->out[ID] || slopes;
  if (!moving && !mass) return;
  td_lanes_motion(l, TD_LEVEL_POSE, moving ? TD_LEVEL_ACCELERATION : TD_LEVEL_POSE);
  td_lanes_wrenches(l, slopes ? TD_COMPOSITE_ALL : moving ? TD_COMPOSITE_WRENCH : TD_COMPOSITE_MASS);
  if (what) td_lanes_columns(l, (td_columns)what);
  get_vector(j, ID, l->id);
  get_matrix(j, MASS, l->mass);
  get_matrix(j, DID_DQDD, l->mass);
  get_matrix(j, DID_DQ, l->did_dq);
  get_matrix(j, DID_DQD, l->did_dqd);
}

// fd of one lane from its id and mass; its factor is kept, and fd is in the lane's qdd.
static void solve_lane(job *j, int lane, bool slopes) {
  td_workspace *ws = j->ws;
  td_lanes *l = j->batch->lanes;
  const td_state *s = state_of(j, lane);
  int n = j->m->n;
  td_status status = td_generalized_force(j->m, ws, s->q, s->qd ? s->qd : ws->zero, s->u, ws->tau);
  td_lanes_get(n, lane, l->id, ws->id);
  pad_matrix(j, lane, l->mass, ws->mass);
  if (!status) status = td_acceleration_of(j->m, ws);
  j->failed[lane] |= status != TD_OK;
  if (status) return;
  if (j->out[FD]) memcpy(j->out[FD] + lane * n, ws->fd, (size_t)n * sizeof *ws->fd);
  if (!slopes) return;
  td_lanes_put(l, lane, ws->fd, l->qdd);
  size_t matrix = (size_t)(n * j->m->ld);
  memcpy(j->batch->factors + (size_t)lane * matrix, ws->factor, matrix * sizeof *ws->factor);
}

static void solve_slopes(job *j, int lane) {
  td_workspace *ws = j->ws;
  td_lanes *l = j->batch->lanes;
  const td_state *s = state_of(j, lane);
  int n = j->m->n;
  size_t matrix = (size_t)(n * j->m->ld);
  td_force_derivatives_padded(j->m, ws, s->q, s->qd ? s->qd : ws->zero, s->u);
  pad_matrix(j, lane, l->did_dq, ws->did_dq);
  pad_matrix(j, lane, l->did_dqd, ws->did_dqd);
  memcpy(ws->factor, j->batch->factors + (size_t)lane * matrix, matrix * sizeof *ws->factor);
  double *dq = j->out[DFD_DQ] ? j->out[DFD_DQ] + lane * n * n : NULL;
  double *dqd = j->out[DFD_DQD] ? j->out[DFD_DQD] + lane * n * n : NULL;
  j->failed[lane] |= td_acceleration_slopes_of(j->m, ws, dq, dqd) != TD_OK;
}

static void forward_dynamics(job *j) {
  td_lanes *l = j->batch->lanes;
  const bool slopes = j->out[DFD_DQ] || j->out[DFD_DQD];
  if (!j->out[FD] && !slopes) return;
  for (int i = 0; i < j->m->n; i++) l->qdd[i] = td_splat(0);
  td_lanes_motion(l, TD_LEVEL_POSE, TD_LEVEL_ACCELERATION);
  td_lanes_wrenches(l, TD_COMPOSITE_WRENCH);
  td_lanes_columns(l, TD_COLUMNS_MASS);
  for (int lane = 0; lane < j->count; lane++) solve_lane(j, lane, slopes);
  if (!slopes) return;
  td_lanes_motion(l, TD_LEVEL_ACCELERATION, TD_LEVEL_ACCELERATION);
  td_lanes_wrenches(l, TD_COMPOSITE_ALL);
  td_lanes_columns(l, TD_COLUMNS_SLOPES);
  for (int lane = 0; lane < j->count; lane++)
    if (!j->failed[lane]) solve_slopes(j, lane);
}

// ------------------------------------------------------------------------------------------------ the call

typedef struct wish {
  const int *want;
  int wanted, left[TD_QUANTITY_LIMIT], left_count; // left: what lanes do not compute
  double *const *out;
  size_t total[TD_QUANTITY_LIMIT]; // doubles of a state, of each wanted one
} wish;

static td_status one_by_one(const job *j, const wish *w, size_t i, const int *which, int count, td_error *err) {
  int want[TD_QUANTITY_LIMIT];
  double *out[TD_QUANTITY_LIMIT];
  for (int k = 0; k < count; k++) {
    int at = which ? which[k] : k;
    want[k] = w->want[at];
    out[k] = w->out[at] + i * w->total[at];
  }
  return count ? td_evaluate(j->m, j->ws, &j->states[0], want, count, out, err) : TD_OK;
}

// The states from `first` on that are at work; *done of them have answers.
static td_status group(job *j, const wish *w, size_t first, int *done, td_error *err) {
  memset(j->failed, 0, sizeof j->failed);
  for (int k = 0; k < w->wanted; k++) {
    served s = served_as(w->want[k]);
    if (s < SERVED) j->out[s] = w->out[k] + first * w->total[k];
  }
  put_states(j);
  inverse_dynamics(j);
  forward_dynamics(j);
  job one = *j;
  for (*done = 0; *done < j->count; ++*done, one.states++) {
    bool alone = j->failed[*done];
    td_status status =
        one_by_one(&one, w, first + (size_t)*done, alone ? NULL : w->left, alone ? w->wanted : w->left_count, err);
    if (status) return status;
  }
  return TD_OK;
}

td_status td_evaluate_batch(const td_model *model, td_batch *batch, td_workspace *ws, const td_state *states,
                            size_t count, const int *want, int wanted, double *const *out, size_t *done,
                            td_error *err) {
  job j = {.m = model, .batch = batch, .ws = ws};
  wish w = {.want = want, .wanted = wanted, .out = out};
  bool lanes = batch->lanes && td_batch_serves(model, want, wanted);
  assert(wanted <= TD_QUANTITY_LIMIT && (!batch->lanes || batch->lanes->model == model));
  for (int k = 0; k < wanted; k++) {
    td_quantity_members(model, want[k], NULL, 0, &w.total[k]);
    if (served_as(want[k]) == SERVED) w.left[w.left_count++] = k;
  }
  td_status status = TD_OK;
  for (*done = 0; !status && *done < count;) {
    size_t left = count - *done;
    int finished = 1;
    j.states = states + *done;
    j.count = left < TD_LANES ? (int)left : TD_LANES;
    if (td_stopped(ws)) return TD_CANCELLED;
    if (lanes)
      status = group(&j, &w, *done, &finished, err);
    else
      status = one_by_one(&j, &w, *done, NULL, wanted, err);
    if (lanes || !status) *done += (size_t)finished;
  }
  return status;
}
