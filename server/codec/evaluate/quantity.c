// The table of what evaluate knows beyond the engine's quantities: a row says what it is called, how it is laid out and
// which family computes it. A family is run once for all its wanted members.
#include "codec/evaluate/quantity.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef enum own {
  OWN_X_NEXT,
  OWN_DX_NEXT_DX,
  OWN_DX_NEXT_DU,
  OWN_DX_NEXT_DP,
  OWN_DID_DP,
  OWN_DTAU_DP,
  OWN_DRESIDUAL_DP,
  OWN_DFD_DP,
  OWN_DLAMBDA_DP,
  OWN_DPOSES_DP,
  OWN_DTENDONS_DP,
  OWN_JVP,
  OWN_VJP,
  OWN_COUNT
} own;

// ------------------------------------------------------------------------------------------------ layouts

typedef struct layout {
  const td_model *m;
  int np;
  td_member *members;
  int capacity, count;
  size_t total;
} layout;

static void put(layout *l, td_member member) {
  member.offset = l->total;
  member.size = 1;
  for (int k = 0; k < member.rank; k++) member.size *= (size_t)member.dim[k];
  if (l->count < l->capacity) l->members[l->count] = member;
  l->count++;
  l->total += member.size;
}

static void put_vector(layout *l, const char *name, int count) {
  put(l, (td_member){.name = name, .rank = 1, .dim = {count}});
}

static void lay_next(layout *l) { put_vector(l, NULL, 2 * td_model_ndof(l->m)); }
static void lay_next_by_state(layout *l) {
  put(l, (td_member){.rank = 2, .dim = {2 * td_model_ndof(l->m), 2 * td_model_ndof(l->m)}});
}
static void lay_next_by_inputs(layout *l) {
  put(l, (td_member){.rank = 2, .dim = {2 * td_model_ndof(l->m), td_model_channel_count(l->m)}});
}
static void lay_next_by_parameters(layout *l) {
  put(l, (td_member){.rank = 2, .dim = {2 * td_model_ndof(l->m), l->np}});
}
static void lay_force(layout *l) { put(l, (td_member){.rank = 2, .dim = {td_model_ndof(l->m), l->np}}); }
static void lay_lambda(layout *l) {
  int rows = td_model_loop_row_count(l->m) + td_model_prescribed_count(l->m);
  put(l, (td_member){.rank = 2, .dim = {rows, l->np}});
}
static void lay_poses(layout *l) {
  for (int i = 0; i < td_model_link_count(l->m); i++)
    put(l, (td_member){.name = td_model_link_name(l->m, i),
                       .rank = 4,
                       .dim = {td_model_link_point_count(l->m, i), 4, 4, l->np}});
}
static void lay_tendons(layout *l) { put(l, (td_member){.rank = 2, .dim = {td_model_tendon_count(l->m), l->np}}); }
static void lay_jvp(layout *l) { put_vector(l, NULL, td_model_ndof(l->m)); }
static void lay_vjp(layout *l) {
  put_vector(l, "q", td_model_ndof(l->m));
  put_vector(l, "qd", td_model_ndof(l->m));
  put_vector(l, "u", td_model_channel_count(l->m));
  put_vector(l, "p", l->np);
}

// ------------------------------------------------------------------------------------------------ families

typedef struct evaluation {
  const td_model *m;
  const td_parameters *parameters;
  td_parameter_workspace *ws;
  const td_state *state;
  const codec_product *product;
  double *out[OWN_COUNT]; ///< NULL: not wanted
} evaluation;

static td_status run_forces(evaluation *e) {
  td_parameter_output out = {
      .did_dp = e->out[OWN_DID_DP], .dtau_dp = e->out[OWN_DTAU_DP], .dresidual_dp = e->out[OWN_DRESIDUAL_DP]};
  return td_parameter_derivatives(e->parameters, e->ws, e->state, NULL, &out);
}

static td_status run_dynamics(evaluation *e) {
  return td_parameter_dynamics(e->parameters, e->ws, e->state, NULL, NULL, e->out[OWN_DFD_DP], e->out[OWN_DLAMBDA_DP]);
}

static td_status run_poses(evaluation *e) {
  double *at = e->out[OWN_DPOSES_DP];
  td_status status = TD_OK;
  for (int i = 0; status == TD_OK && i < td_model_link_count(e->m); i++) {
    status = td_parameter_poses(e->parameters, e->ws, e->state->q, i, at);
    at += (size_t)td_model_link_point_count(e->m, i) * 16 * td_parameters_count(e->parameters);
  }
  return status;
}

static td_status run_tendons(evaluation *e) {
  return td_parameter_tendons(e->parameters, e->ws, e->state->q, e->out[OWN_DTENDONS_DP]);
}

// The engine's directions are not const, as its gradients are of the same type; it reads them.
static td_status run_jvp(evaluation *e) {
  const double *const *f = e->product->factor;
  td_variation v = {.q = (double *)f[CODEC_JVP_Q],
                    .qd = (double *)f[CODEC_JVP_QD],
                    .u = (double *)f[CODEC_JVP_U],
                    .p = (double *)f[CODEC_JVP_P]};
  return td_parameter_jvp(e->parameters, e->ws, e->state, &v, NULL, e->out[OWN_JVP]);
}

static td_status run_vjp(evaluation *e) {
  size_t n = (size_t)td_model_ndof(e->m), m = (size_t)td_model_channel_count(e->m);
  double *at = e->out[OWN_VJP];
  td_variation gradient = {.q = at, .qd = at + n, .u = at + 2 * n, .p = at + 2 * n + m};
  return td_parameter_vjp(e->parameters, e->ws, e->state, e->product->factor[CODEC_VJP_COTANGENT], NULL, &gradient);
}

// ------------------------------------------------------------------------------------------------ the table

typedef struct own_row {
  const char *name;
  void (*lay)(layout *l);
  td_status (*run)(evaluation *e); ///< what computes it with others; NULL: a step
  const char *like;                ///< the engine's quantity that a neighbour, or a step, costs
} own_row;

static const own_row TABLE[OWN_COUNT] = {
    [OWN_X_NEXT] = {"x_next", lay_next, NULL, "dfd_dq"},
    [OWN_DX_NEXT_DX] = {"dx_next_dx", lay_next_by_state, NULL, "dfd_dq"},
    [OWN_DX_NEXT_DU] = {"dx_next_du", lay_next_by_inputs, NULL, "dfd_dq"},
    [OWN_DX_NEXT_DP] = {"dx_next_dp", lay_next_by_parameters, NULL, "dfd_dq"},
    [OWN_DID_DP] = {"did_dp", lay_force, run_forces, "id"},
    [OWN_DTAU_DP] = {"dtau_dp", lay_force, run_forces, "tau"},
    [OWN_DRESIDUAL_DP] = {"dresidual_dp", lay_force, run_forces, "id"},
    [OWN_DFD_DP] = {"dfd_dp", lay_force, run_dynamics, "id"},
    [OWN_DLAMBDA_DP] = {"dlambda_dp", lay_lambda, run_dynamics, "id"},
    [OWN_DPOSES_DP] = {"dposes_dp", lay_poses, run_poses, "poses"},
    [OWN_DTENDONS_DP] = {"dtendons_dp", lay_tendons, run_tendons, "poses"},
    [OWN_JVP] = {"jvp", lay_jvp, run_jvp, "id"},
    [OWN_VJP] = {"vjp", lay_vjp, run_vjp, "id"},
};

static int first(void) { return td_quantity_count(); }

int codec_quantity_count(void) { return first() + OWN_COUNT; }
bool codec_quantity_by_parameters(int quantity) {
  return quantity == first() + OWN_DX_NEXT_DP || (quantity >= first() + OWN_DID_DP && quantity < codec_quantity_jvp());
}
int codec_quantity_jvp(void) { return first() + OWN_JVP; }
int codec_quantity_vjp(void) { return first() + OWN_VJP; }
static bool is_own(int quantity) { return quantity >= first(); }

codec_family codec_quantity_family(int quantity) {
  if (!is_own(quantity)) return CODEC_OF_STATE;
  return TABLE[quantity - first()].run ? CODEC_BY_PARAMETERS : CODEC_OF_STEP;
}

const char *codec_quantity_name(int quantity) {
  if (!is_own(quantity)) return td_quantity_name(quantity);
  return quantity < codec_quantity_count() ? TABLE[quantity - first()].name : NULL;
}

int codec_quantity_find(const char *name) {
  for (int i = 0; i < OWN_COUNT; i++)
    if (strcmp(TABLE[i].name, name) == 0) return first() + i;
  return td_quantity_find(name);
}

int codec_quantity_members(const td_model *model, size_t np, int quantity, td_member *members, int capacity,
                           size_t *total) {
  if (!is_own(quantity)) return td_quantity_members(model, quantity, members, capacity, total);
  layout l = {.m = model, .np = (int)np, .members = members, .capacity = capacity};
  TABLE[quantity - first()].lay(&l);
  if (total) *total = l.total;
  return l.count;
}

// ------------------------------------------------------------------------------------------------ costs

static size_t neighbours(const td_parameters *parameters) {
  size_t count = 0;
  for (size_t i = 0; parameters && i < td_parameters_count(parameters); i++)
    count += td_parameter_neighbours(&(td_parameter){.linear = td_parameters_affine(parameters, i)});
  return count;
}

double codec_quantity_cost(const td_model *model, const td_parameters *parameters, int substeps, const int *want,
                           int count) {
  enum { OF_STEP = 4 }; // derivatives of a state, about, that a substep costs
  int engines = 0, base = td_quantity_find("dfd_dq");
  while (engines < count && !is_own(want[engines])) engines++;
  double cost = td_evaluate_cost(model, want, engines);
  for (int i = engines; i < count; i++) {
    const own_row *row = &TABLE[want[i] - first()];
    int like = td_quantity_find(row->like);
    double times = row->run ? (double)(neighbours(parameters) + 1) : (double)OF_STEP * substeps;
    if (want[i] - first() == OWN_DX_NEXT_DP) times += (double)(neighbours(parameters) * (size_t)substeps);
    cost += times * td_evaluate_cost(model, &like, 1);
    if (row->run == run_dynamics || row->run == run_jvp || row->run == run_vjp)
      cost += td_evaluate_cost(model, &base, 1);
  }
  return cost;
}

// ------------------------------------------------------------------------------------------------ evaluation

static td_status explain(td_status status, const char *name, td_error *err) {
  char pointer[32];
  if (status == TD_CANCELLED) return status;
  snprintf(pointer, sizeof pointer, "/%s", name);
  if (status == TD_SINGULAR)
    return td_fail(err, status, pointer, "%s: the mass matrix is singular at this state", name);
  return td_fail(err, status, pointer, "%s is not finite at this state", name);
}

td_status codec_quantity_evaluate(const td_model *model, const td_parameters *parameters, td_parameter_workspace *ws,
                                  const td_state *state, const codec_product *product, const int *want, int count,
                                  double *const *out, td_error *err) {
  evaluation e = {.m = model, .parameters = parameters, .ws = ws, .state = state, .product = product};
  for (int i = 0; i < count; i++) e.out[want[i] - first()] = out[i];
  for (int i = 0; i < count; i++) {
    const own_row *row = &TABLE[want[i] - first()];
    int before = 0; // a family runs at its first wanted member only
    while (TABLE[want[before] - first()].run != row->run) before++;
    assert(row->run != run_jvp || (product && product->jvp));
    assert(row->run != run_vjp || (product && product->vjp));
    td_status status = before < i ? TD_OK : row->run(&e);
    if (status != TD_OK) return explain(status, row->name, err);
  }
  return TD_OK;
}

td_status codec_quantity_step(td_step *step, int n, const td_state *state, const int *want, int count, double *x,
                              double *const *out, td_error *err) {
  assert(count > 0 && codec_quantity_family(want[0]) == CODEC_OF_STEP);
  double *to[OWN_DX_NEXT_DP + 1] = {NULL};
  size_t half = (size_t)n * sizeof *x;
  for (int i = 0; i < count; i++) to[want[i] - first()] = out[i];
  if (n > 0) memcpy(x, state->q, half);
  if (n > 0 && state->qd) memcpy(x + n, state->qd, half);
  if (!state->qd) memset(x + n, 0, half);
  double *next = to[OWN_X_NEXT] ? to[OWN_X_NEXT] : x + 2 * n;
  td_status status =
      td_step_take(step, x, state->u, next, to[OWN_DX_NEXT_DX], to[OWN_DX_NEXT_DU], to[OWN_DX_NEXT_DP], err);
  if (status && err) snprintf(err->pointer, sizeof err->pointer, "/%s", TABLE[want[0] - first()].name);
  return status;
}
