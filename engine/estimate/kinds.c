// Kinds: elastic and damping forces, each channel of u with an input, all that depends on the position alone (gravity,
// buoyancy, constant loads, flow, contact), inertia with what else depends on the motion. Forces are linear in tensions
// and loads; what is not (tendons by length) is the difference that the channel's input makes.
#include "estimate/kinds.h"
#include "math/cholesky.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LIFTED = 0.2; // of what its weight alone would do to a rod
static const double NOISE = 1e-7;
static const double NOISE_OF_JOINTS = 1e-9; // rad, and of the longest rod

enum { MOST_CHANNELS = 48 }; // told apart; of more of them all are one kind

struct td_kinds {
  const td_model *model;
  const td_twin *twin;
  double *factor; // [ld][ld] of the stiffness of one strain of a rod, and [ld]
  int ld;
  double *own, *fine; // [n], [n of the twin] a force
  double *fine_at;    // q, qd, qdd of the twin
  double *own_part, *fine_part;
  double *u, *work;
  void (*respond)(void *context, double *x);
  void *context;
};

// ------------------------------------------------------------------------------------------------ life

td_status td_kinds_create(const td_model *model, const td_twin *twin, void (*respond)(void *context, double *x),
                          void *context, td_kinds **kinds) {
  td_kinds *k = *kinds = calloc(1, sizeof *k);
  size_t n = (size_t)model->n, N = (size_t)twin->model->n, m = (size_t)model->channel_count;
  if (!k) return TD_NO_MEMORY;
  *k = (td_kinds){.model = model, .twin = twin, .respond = respond, .context = context};
  k->ld = td_pad_most(model->max_rod_n);
  size_t ld = (size_t)k->ld;
  k->own = calloc(3 * n + 5 * N + m + ld * (ld + 1) + 1, sizeof *k->own);
  if (!k->own) {
    td_kinds_destroy(k);
    *kinds = NULL;
    return TD_NO_MEMORY;
  }
  k->fine = k->own + n;
  k->fine_at = k->fine + N;
  k->own_part = k->fine_at + 3 * N;
  k->fine_part = k->own_part + n;
  k->work = k->fine_part + N;
  k->factor = k->work + n;
  k->u = k->factor + ld * (ld + 1);
  return TD_OK;
}

void td_kinds_destroy(td_kinds *k) {
  if (!k) return;
  free(k->own);
  free(k);
}

// ------------------------------------------------------------------------------------------------ norms

// sqrt(x^T K x) over a rod's coordinates, by the twin's Gauss points: the first rows of each block of its stiffness.
// Joints: |x|.
static double norm_of(const td_kinds *k, const td_element *e, const double *x) {
  double sum = 0;
  for (int i = 0; i < e->n && e->rod < 0; i++) sum += x[i] * x[i];
  if (e->rod < 0) return sqrt(sum);
  const td_rod *own = &k->model->rod[e->rod], *fine = &k->twin->model->rod[e->rod];
  const double *block = fine->stiffness;
  for (int g = 0; g < own->group_count; g++) {
    int count = own->group[g].count, wide = fine->group[g].count;
    const double *y = x + own->group[g].first;
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++) sum += y[i] * block[i * wide + j] * y[j];
    block += wide * wide;
  }
  return sqrt(fmax(sum, 0));
}

static bool is_judged(const td_model *m, const td_element *e) {
  return e->n > 0 && e->type != TD_ELEMENT_RITZ && (e->rod < 0 || m->rod[e->rod].basis);
}

// x [n of the element] from a vector of the twin.
static const double *part_of(const td_kinds *k, const td_element *e, const double *from) {
  for (int c = 0; c < e->n; c++) k->work[c] = from[k->twin->at[e->coordinate + c]];
  return k->work;
}

// Takes k->own and k->fine, the same force twice, into account; both are overwritten.
static void note(td_kinds *k, const char *name, td_kind_unit *unit) {
  const td_model *m = k->model;
  double *off = k->fine_part; // free again whenever a kind is whole
  for (int i = 0; i < k->twin->model->n; i++) off[i] = 0;
  for (int i = 0; i < m->n; i++) off[k->twin->at[i]] = k->own[i] - k->fine[k->twin->at[i]];
  k->respond(k->context, k->fine);
  k->respond(k->context, off);
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (!is_judged(m, e)) continue;
    unit[i].scale = fmax(unit[i].scale, norm_of(k, e, part_of(k, e, k->fine)));
    double size = norm_of(k, e, part_of(k, e, off));
    if (!(size <= unit[i].off)) unit[i].off = size, snprintf(unit[i].what, sizeof unit[i].what, "%s", name);
  }
}

// ------------------------------------------------------------------------------------------------ kinds

static void subtract(const td_kinds *k, const double *own, const double *fine) {
  for (int i = 0; i < k->model->n; i++) k->own[i] -= own[i];
  for (int i = 0; i < k->twin->model->n; i++) k->fine[i] -= fine[i];
}

// What depends on the position alone, by what the model has of it.
static void name_static(const td_model *m, char name[TD_KIND_NAME]) {
  bool constant = false;
  const double *g = m->gravity;
  for (int i = 0; i < m->load_count; i++)
    for (int c = 0; c < 6; c++) constant |= m->load[i].wrench[c] != 0;
  const struct {
    bool has;
    const char *word;
  } parts[] = {{g[0] != 0 || g[1] != 0 || g[2] != 0, "gravity"},
               {constant, "constant loads"},
               {m->water.has_surface, "buoyancy at the surface"},
               {m->water.flows, "the flow"},
               {m->contact_count > 0, "contact"}};
  int count = 0;
  name[0] = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    size_t at = strlen(name);
    if (parts[i].has) snprintf(name + at, TD_KIND_NAME - at, "%s%s", count++ ? ", " : "", parts[i].word);
  }
}

static void name_channel(const td_model *m, int channel, char name[TD_KIND_NAME]) {
  snprintf(name, TD_KIND_NAME, "%s \"%.60s\"",
           td_model_channel_is_tendon(m, channel)         ? "tendon"
           : td_model_channel_is_flow(m, channel)         ? "flow"
           : channel < td_model_actuator_channel_count(m) ? "actuator"
                                                          : "load",
           td_model_channel_name(m, channel));
}

typedef struct sides { // the same state of both robots
  const td_model *own, *fine;
  td_workspace *own_ws, *fine_ws;
  td_state own_state, fine_state;
} sides;

static td_status id(const sides *s, bool moves, const double *u, double *own, double *fine) {
  const td_state *a = &s->own_state, *b = &s->fine_state;
  td_status status = td_inverse_dynamics(s->own, s->own_ws, a->q, moves ? a->qd : NULL, moves ? a->qdd : NULL, u, own);
  return status ? status
                : td_inverse_dynamics(s->fine, s->fine_ws, b->q, moves ? b->qd : NULL, moves ? b->qdd : NULL, u, fine);
}

static td_status tau(const sides *s, bool moves, const double *u, double *own, double *fine) {
  const td_state *a = &s->own_state, *b = &s->fine_state;
  td_status status = td_generalized_force(s->own, s->own_ws, a->q, moves ? a->qd : NULL, u, own);
  return status ? status : td_generalized_force(s->fine, s->fine_ws, b->q, moves ? b->qd : NULL, u, fine);
}

// Elastic forces, and what damping adds.
static td_status passive(td_kinds *k, const sides *s, td_kind_unit *unit) {
  td_status status = tau(s, false, NULL, k->own, k->fine);
  if (status) return status;
  note(k, "elastic", unit);
  if (!s->own_state.qd) return TD_OK;
  status = tau(s, false, NULL, k->own_part, k->fine_part);
  if (!status) status = tau(s, true, NULL, k->own, k->fine);
  if (status) return status;
  subtract(k, k->own_part, k->fine_part);
  note(k, "damping", unit);
  return TD_OK;
}

static td_status actuator(td_kinds *k, const sides *s, const double *u, const double *without, const char *name,
                          td_kind_unit *unit) {
  td_status status = tau(s, true, without, k->own_part, k->fine_part);
  if (!status) status = tau(s, true, u, k->own, k->fine);
  if (status) return status;
  subtract(k, k->own_part, k->fine_part);
  note(k, name, unit);
  return TD_OK;
}

static td_status load(td_kinds *k, const sides *s, const double *alone, const char *name, td_kind_unit *unit) {
  td_status status = id(s, false, alone, k->own, k->fine);
  if (status) return status;
  subtract(k, k->own_part, k->fine_part);
  note(k, name, unit);
  return TD_OK;
}

static td_status channels(td_kinds *k, const sides *s, const double *u, td_kind_unit *unit) {
  const td_model *m = k->model;
  char name[TD_KIND_NAME];
  int used = 0;
  td_status status = TD_OK;
  size_t bytes = (size_t)m->channel_count * sizeof *u;
  for (int c = 0; c < m->channel_count; c++) used += u[c] != 0;
  for (int c = 0; c < m->channel_count && used <= MOST_CHANNELS && !status; c++) {
    if (u[c] == 0) continue;
    bool pulls = c < m->actuator_channel_count || td_model_channel_is_rest(m, c);
    name_channel(m, c, name);
    memcpy(k->u, u, bytes);
    if (pulls) {
      k->u[c] = 0;
      status = actuator(k, s, u, k->u, name, unit);
      continue;
    }
    memset(k->u, 0, bytes);
    k->u[c] = u[c];
    status = id(s, false, NULL, k->own_part, k->fine_part);
    if (!status) status = load(k, s, k->u, name, unit);
  }
  if (used <= MOST_CHANNELS) return status;
  status = actuator(k, s, u, NULL, "actuators", unit);
  if (!status) status = id(s, false, NULL, k->own_part, k->fine_part);
  return status ? status : load(k, s, u, "loads", unit);
}

// sqrt(f^T K^-1 f) of a rod: what a force would do to it that only its own stiffness holds, in the unit of norm_of.
static double norm_held(td_kinds *k, const td_element *e, const double *f) {
  const td_rod *own = &k->model->rod[e->rod], *fine = &k->twin->model->rod[e->rod];
  const double *block = fine->stiffness;
  double sum = 0, *x = k->factor + (size_t)k->ld * (size_t)k->ld;
  for (int g = 0; g < own->group_count; g++) {
    int count = own->group[g].count, wide = fine->group[g].count;
    memcpy(x, f + own->group[g].first, (size_t)count * sizeof *x);
    if (count > 0 && !td_spd_factor(count, wide, block, k->ld, k->factor)) {
      td_spd_forward(count, k->ld, k->factor, x);
      for (int i = 0; i < count; i++) sum += x[i] * x[i];
    }
    block += wide * wide;
  }
  return sqrt(sum);
}

// What floats has next to no weight left: joints count by the weight alone, without what lifts it. What lies on a floor
// does not bend: its rods count by a part of what the weight would do to them.
static void weigh(td_kinds *k, const sides *s, td_kind_unit *unit) {
  static const double NONE[3] = {0};
  const td_model *t = s->fine, *m = k->model;
  if (!m->world_forces && m->contact_count == 0) return;
  td_kinematics(t, s->fine_ws, s->fine_state.q, s->fine_ws->zero, s->fine_ws->zero, t->gravity, TD_LEVEL_ACCELERATION);
  td_composite_nodes(t, s->fine_ws, NULL, 0, NONE, TD_COMPOSITE_WRENCH);
  td_composite_sum(t, s->fine_ws, TD_COMPOSITE_WRENCH);
  td_composite_project(t, s->fine_ws, k->fine);
  for (int i = 0; i < m->element_count && m->contact_count > 0; i++) {
    const td_element *e = &m->element[i];
    if (is_judged(m, e) && e->rod >= 0)
      unit[i].scale = fmax(unit[i].scale, LIFTED * norm_held(k, e, part_of(k, e, k->fine)));
  }
  k->respond(k->context, k->fine);
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (is_judged(m, e) && e->rod < 0) unit[i].scale = fmax(unit[i].scale, norm_of(k, e, part_of(k, e, k->fine)));
  }
}

// Where a motion begins, inertia takes up nearly all of the drag for an instant: rods count by the drag that bends them
// next. k->own_part and k->fine_part: what acts at rest.
static td_status drag(td_kinds *k, const sides *s, const double *u, td_kind_unit *unit) {
  const td_model *m = k->model;
  sides steady = *s;
  if (m->fluid_count == 0 || !s->own_state.qd || !s->own_state.qdd) return TD_OK;
  steady.own_state.qdd = steady.fine_state.qdd = NULL;
  td_status status = id(&steady, true, u, k->own, k->fine);
  if (status) return status;
  subtract(k, k->own_part, k->fine_part);
  k->respond(k->context, k->fine);
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (is_judged(m, e)) unit[i].scale = fmax(unit[i].scale, norm_of(k, e, part_of(k, e, k->fine)));
  }
  return TD_OK;
}

// Position alone, then what motion adds at the inputs given.
static td_status weights(td_kinds *k, const sides *s, const double *u, td_kind_unit *unit) {
  char name[TD_KIND_NAME];
  td_status status = id(s, false, NULL, k->own, k->fine);
  if (status) return status;
  name_static(k->model, name);
  note(k, name, unit);
  weigh(k, s, unit);
  if (!s->own_state.qd && !s->own_state.qdd) return TD_OK;
  status = id(s, false, u, k->own_part, k->fine_part);
  if (!status) status = drag(k, s, u, unit);
  if (!status) status = id(s, true, u, k->own, k->fine);
  if (status) return status;
  subtract(k, k->own_part, k->fine_part);
  note(k, k->model->fluid_count ? "inertia and drag" : "inertia", unit);
  return TD_OK;
}

// Strains of NOISE: nothing is judged by less, where forces cancel but for their rounding.
static double noise_of(const td_kinds *k, const td_element *e) {
  const td_rod *fine = &k->twin->model->rod[e->rod];
  const double *block = fine->stiffness;
  double most = 0;
  for (int g = 0; g < fine->group_count; g++) {
    most = fmax(most, block[0]);
    block += fine->group[g].count * fine->group[g].count;
  }
  return NOISE * sqrt(most);
}

static void begin(td_kinds *k, const td_state *state, td_kind_unit *unit) {
  double longest = 0;
  for (int i = 0; i < k->model->rod_count; i++) longest = fmax(longest, k->model->rod[i].length);
  for (int i = 0; i < k->model->element_count; i++) {
    const td_element *e = &k->model->element[i];
    unit[i] = (td_kind_unit){.scale = e->rod < 0 ? NOISE_OF_JOINTS * fmin(1, longest) : 0};
    if (is_judged(k->model, e) && e->rod >= 0)
      unit[i].scale = fmax(noise_of(k, e), norm_of(k, e, state->q + e->coordinate));
  }
}

td_status td_kinds_compare(td_kinds *k, const td_model *model, td_workspace *ws, const td_state *state,
                           td_kind_unit *unit) {
  size_t N = (size_t)k->twin->model->n;
  sides s = {.own = model, .fine = k->twin->model, .own_ws = ws, .fine_ws = k->twin->ws, .own_state = *state};
  const double *from[] = {state->q, state->qd, state->qdd};
  for (size_t i = 0; i < 3; i++) td_twin_embed(k->model, k->twin, from[i], k->fine_at + i * N);
  s.fine_state = (td_state){
      .q = k->fine_at, .qd = state->qd ? k->fine_at + N : NULL, .qdd = state->qdd ? k->fine_at + 2 * N : NULL};
  begin(k, state, unit);
  td_status status = passive(k, &s, unit);
  if (!status && state->u) status = channels(k, &s, state->u, unit);
  return status ? status : weights(k, &s, state->u, unit);
}

void td_kinds_note_total(td_kinds *k, const double *x, td_kind_unit *unit) {
  for (int i = 0; i < k->model->element_count; i++) {
    const td_element *e = &k->model->element[i];
    unit[i].total = is_judged(k->model, e) ? norm_of(k, e, part_of(k, e, x)) : 0;
  }
}
