// Derivatives of what frozen models say, summed over neighbours, and the scratch for that.
//   f' = sum over points k of weight_k (f_k - f_0),
// differences first, so that what a parameter does not touch is 0 to the last bit. What is affine in a number moves no
// point by it: the model and its affine neighbours have the same poses and twists at a state, which are computed once.
#include "base/carve.h"
#include "dynamics/kinks.h"
#include "force/tendon/tension.h"
#include "parameter/parameters.h"
#include "pass/kinematics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- scratch

static size_t carve(const td_parameters *p, char *base, td_parameter_workspace *ws) {
  td_carver carver = {.base = base};
  const td_model *m = p->model;
  size_t n = (size_t)m->n, r = (size_t)m->loop_rows, c = r + (size_t)m->prescribed_count, np = p->count,
         channels = (size_t)m->channel_count;
  ws->own = td_carve(&carver, p->own_count, sizeof *ws->own);
  const td_array arrays[] = {{&ws->scratch, 3 * p->most},
                             {&ws->kinks, (size_t)td_kinks_count(m)},
                             {&ws->taut, 2 * (size_t)m->tendon_count},
                             {&ws->fd, n},
                             {&ws->lambda, c},
                             {&ws->force, n * np},
                             {&ws->rows, r * np},
                             {&ws->moved, r * np},
                             {&ws->left, n * np},
                             {&ws->w, n},
                             {&ws->a, r},
                             {&ws->still, n},
                             {&ws->parted, r * np},
                             {&ws->A, r * n},
                             {&ws->K, n * n},
                             {&ws->C, n * n},
                             {&ws->Cq, r * n},
                             {&ws->Cv, r * n},
                             {&ws->dtau_du, n * channels},
                             {&ws->did_du, n * channels},
                             {&ws->f, n},
                             {&ws->c, r},
                             {&ws->turn, r},
                             {&ws->x, n},
                             {&ws->mu, c},
                             {&ws->z, n}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i].at = td_carve(&carver, arrays[i].count, sizeof(double));
  return carver.used;
}

size_t td_parameter_workspace_bytes(const td_parameters *p) {
  td_parameter_workspace measured;
  size_t bytes = sizeof measured + carve(p, NULL, &measured) + 2 * td_workspace_bytes(p->model);
  for (size_t i = 0; i < p->own_count; i++) bytes += td_workspace_bytes(p->owner[i]);
  return bytes;
}

td_status td_parameter_workspace_create(const td_parameters *p, td_parameter_workspace **out) {
  td_parameter_workspace measured;
  size_t head = (sizeof measured + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE,
         size = head + carve(p, NULL, &measured);
  td_parameter_workspace *ws = aligned_alloc(TD_CACHE_LINE, size);
  *out = NULL;
  if (!ws) return TD_NO_MEMORY;
  memset(ws, 0, size);
  ws->parameters = p;
  ws->fault = p->count;
  carve(p, (char *)ws + head, ws);
  td_status status = td_workspace_create(p->model, &ws->base);
  if (!status) status = td_workspace_create(p->model, &ws->side);
  for (size_t i = 0; !status && i < p->own_count; i++) status = td_workspace_create(p->owner[i], &ws->own[i]);
  if (status)
    td_parameter_workspace_destroy(ws);
  else
    *out = ws;
  return status;
}

void td_parameter_workspace_destroy(td_parameter_workspace *ws) {
  if (!ws) return;
  td_workspace_destroy(ws->base);
  td_workspace_destroy(ws->side);
  for (size_t i = 0; i < ws->parameters->own_count; i++) td_workspace_destroy(ws->own[i]);
  free(ws);
}

void td_parameter_workspace_watch(td_parameter_workspace *ws, const _Atomic bool *stop) {
  td_workspace_watch(ws->base, stop);
  td_workspace_watch(ws->side, stop);
  for (size_t i = 0; i < ws->parameters->own_count; i++) td_workspace_watch(ws->own[i], stop);
}

size_t td_parameter_fault(const td_parameter_workspace *ws) { return ws->fault; }

// ---- kinks

static void hold(td_parameter_workspace *ws, const double *kinks, const double *taut) {
  ws->side->kinks = kinks;
  ws->side->taut = taut;
  for (size_t i = 0; i < ws->parameters->own_count; i++) ws->own[i]->kinks = kinks, ws->own[i]->taut = taut;
}

void td_parameters_let_go(td_parameter_workspace *ws) {
  hold(ws, NULL, NULL);
  ws->kept = false;
}

void td_parameters_keep(td_parameter_workspace *ws, const double *kinks, const td_state *at) {
  const td_model *m = ws->parameters->model;
  td_parameters_let_go(ws);
  if (!kinks && td_kinks_count(m)) td_kinks_at(m, ws->side, at->q, ws->kinks), kinks = ws->kinks;
  if (m->length_count) td_tensions_hold(m, ws->side, at->q, at->qd, at->u, ws->taut);
  hold(ws, kinks, m->length_count ? ws->taut : NULL);
  ws->kept = true;
}

// ---- sums

typedef struct sum {
  const td_parameters *p;
  td_parameter_workspace *ws;
  td_parameter_function function;
  void *context;
  const td_parameter_part *part;
  int parts;
  double *value, *first, *home; ///< of the neighbour at work, of a row's first point, of the model itself
  bool home_known, sharing;     ///< sharing: one motion serves the model and its affine neighbours
} sum;

static td_status call(const sum *s, const td_model *model, td_workspace *ws, double *out) {
  if (td_stopped(ws)) return TD_CANCELLED;
  assert(!ws->steady_q || s->sharing); // else poses of one model would pass for those of another
  return s->function(s->context, model, ws, out);
}

// f at point k of a stencil: in `value`, or what is kept of the model itself.
static td_status at_point(sum *s, const td_parameter_row *row, int k, double *value, const double **f) {
  *f = row->model[k] ? value : s->home;
  if (row->model[k]) return call(s, row->model[k], row->own[k] < 0 ? s->ws->side : s->ws->own[row->own[k]], value);
  td_status status = s->home_known ? TD_OK : call(s, s->p->model, s->ws->side, s->home);
  s->home_known = true;
  return status;
}

// Adds weight (f - first) to column j of all parts; weight 0 clears it.
static void add(const sum *s, size_t j, double weight, const double *f, const double *first) {
  size_t np = s->p->count;
  for (int k = 0; k < s->parts; k++) {
    double *out = s->part[k].d_dp;
    for (size_t i = 0; out && i < s->part[k].size; i++, f++, first++)
      out[i * np + j] = weight != 0 ? out[i * np + j] + weight * (*f - *first) : 0;
  }
}

static td_status add_row(sum *s, size_t j) {
  const td_parameter_row *row = &s->p->row[j];
  const double *first, *f;
  td_status status = at_point(s, row, 0, s->first, &first);
  add(s, j, 0, first, first);
  for (int k = 1; !status && k < row->stencil.count; k++) {
    status = at_point(s, row, k, s->value, &f);
    if (status && row->model[k]) s->ws->fault = j;
    if (!status) add(s, j, row->stencil.weight[k], f, first);
  }
  return status;
}

// Notes a parameter whose column is not finite.
static td_status judge(const sum *s) {
  size_t np = s->p->count;
  for (int k = 0; k < s->parts; k++)
    for (size_t i = 0; s->part[k].d_dp && i < s->part[k].size * np; i++)
      if (!isfinite(s->part[k].d_dp[i])) return s->ws->fault = i % np, TD_NONFINITE;
  return TD_OK;
}

static td_status add_rows(sum *s, bool affine, const double *weight) {
  td_status status = TD_OK;
  for (size_t j = 0; !status && j < s->p->count; j++)
    if (s->p->row[j].affine == affine && (!weight || weight[j] != 0)) status = add_row(s, j);
  return status;
}

td_status td_parameters_sum(const td_parameters *p, td_parameter_workspace *ws, td_parameter_function function,
                            void *context, const td_parameter_part *part, int parts, const td_state *moving,
                            double *scratch, const double *weight) {
  size_t size = 0;
  for (int k = 0; k < parts; k++) size += part[k].d_dp ? part[k].size : 0;
  ws->fault = p->count;
  if (size == 0) return TD_OK;
  sum s = {.p = p, .ws = ws, .function = function, .context = context, .part = part, .parts = parts};
  s.value = scratch, s.first = scratch + size, s.home = scratch + 2 * size;
  bool keeps = moving && !ws->kept;
  if (keeps) td_parameters_keep(ws, NULL, moving);
  s.sharing = moving && td_steady_begin(ws->side, moving->q, moving->qd);
  td_status status = add_rows(&s, true, weight);
  td_steady_end(ws->side, s.sharing);
  s.sharing = false;
  if (!status) status = add_rows(&s, false, weight);
  if (keeps) td_parameters_let_go(ws);
  return status || weight ? status : judge(&s);
}

td_status td_parameter_differentiate(const td_parameters *parameters, td_parameter_workspace *ws,
                                     td_parameter_function function, void *context, size_t size, double *scratch,
                                     double *d_dp) {
  return td_parameters_sum(parameters, ws, function, context, &(td_parameter_part){size, d_dp}, 1, NULL, scratch, NULL);
}
