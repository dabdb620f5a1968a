// Tendon routings: one row per type with its formula; sums are flattened at creation, in document order, by a walk with
// an explicit stack (documents from outside must not decide how deep we recurse).
//
// Invariant: a frozen routing is one allocation holding leaf terms only; a table's knots and splines live behind them.
#include "element/routing.h"
#include "math/spline.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct term {
  td_routing_type type;
  double base[2], tip[2];
  double radius, turns, phase;
  size_t count;
  const double *s;    // [count]
  const double *y[2]; // [count] y, z
  const double *m[2]; // [count] second derivatives
} term;

struct td_routing {
  size_t count;
  term terms[];
};

static void eval_linear(const term *t, double s, double d[2], double slope[2]) {
  for (int i = 0; i < 2; i++) {
    d[i] = (1 - s) * t->base[i] + s * t->tip[i];
    slope[i] = t->tip[i] - t->base[i];
  }
}

static void eval_helix(const term *t, double s, double d[2], double slope[2]) {
  double rate = 2 * M_PI * t->turns, angle = rate * s + t->phase;
  d[0] = t->radius * cos(angle);
  d[1] = t->radius * sin(angle);
  slope[0] = -rate * d[1];
  slope[1] = rate * d[0];
}

static void eval_table(const term *t, double s, double d[2], double slope[2]) {
  for (int i = 0; i < 2; i++) td_spline_eval(t->count, t->s, t->y[i], 1, t->m[i], s, &d[i], &slope[i]);
}

static void (*const types[TD_ROUTING_COUNT])(const term *, double, double[2], double[2]) = {
    [TD_ROUTING_LINEAR] = eval_linear, [TD_ROUTING_HELIX] = eval_helix, [TD_ROUTING_TABLE] = eval_table};

// Collects the leaves of nested sums in document order.
static td_status collect(const td_routing_spec *root, const td_routing_spec *leaves[], size_t *count) {
  struct {
    const td_routing_spec *sum;
    size_t next;
  } stack[TD_MAX_ROUTING_DEPTH + 1];
  int depth = 0;
  const td_routing_spec *at = root;
  *count = 0;
  for (;;) {
    if (at->type == TD_ROUTING_SUM) {
      if (depth == TD_MAX_ROUTING_DEPTH) return TD_INVALID_ARGUMENT;
      stack[depth].sum = at;
      stack[depth++].next = 0;
    } else {
      if (*count == TD_MAX_ROUTING_TERMS) return TD_INVALID_ARGUMENT;
      leaves[(*count)++] = at;
    }
    while (depth > 0 && stack[depth - 1].next == stack[depth - 1].sum->of_count) depth--;
    if (depth == 0) return TD_OK;
    at = &stack[depth - 1].sum->of[stack[depth - 1].next++];
  }
}

// Copies knots and values to *next and moves it on: s, y, z, then both splines' second derivatives.
static td_status freeze_table(const td_routing_spec *spec, double **next, term *out) {
  size_t n = spec->count;
  const double *source[3] = {spec->s, spec->y, spec->z};
  double *block = *next;
  *next += 5 * n;
  for (int i = 0; i < 3; i++) memcpy(block + (size_t)i * n, source[i], n * sizeof *block);
  out->count = n;
  out->s = block;
  for (size_t i = 0; i < 2; i++) {
    double *m = block + (3 + i) * n;
    out->y[i] = block + (1 + i) * n;
    out->m[i] = m;
    td_status status = td_spline_prepare(n, out->s, out->y[i], 1, m);
    if (status) return status;
  }
  return TD_OK;
}

static td_status freeze(const td_routing_spec *spec, double **next, term *out) {
  out->type = spec->type;
  out->radius = spec->radius;
  out->turns = spec->turns;
  out->phase = spec->phase;
  memcpy(out->base, spec->base, sizeof out->base);
  memcpy(out->tip, spec->tip, sizeof out->tip);
  return spec->type == TD_ROUTING_TABLE ? freeze_table(spec, next, out) : TD_OK;
}

static td_routing *allocate(const td_routing_spec *const leaves[], size_t count, double **numbers) {
  size_t doubles = 0;
  for (size_t i = 0; i < count; i++)
    if (leaves[i]->type == TD_ROUTING_TABLE) doubles += 5 * leaves[i]->count;
  td_routing *made = calloc(1, sizeof *made + count * sizeof(term) + doubles * sizeof(double));
  if (!made) return NULL;
  made->count = count;
  *numbers = (double *)(void *)(made->terms + count);
  return made;
}

td_status td_routing_create(const td_routing_spec *spec, td_routing **routing) {
  const td_routing_spec *leaves[TD_MAX_ROUTING_TERMS];
  size_t count;
  double *next;
  td_status status = collect(spec, leaves, &count);
  if (status) return status;
  td_routing *made = allocate(leaves, count, &next);
  if (!made) return TD_NO_MEMORY;
  for (size_t i = 0; i < count && !status; i++) status = freeze(leaves[i], &next, &made->terms[i]);
  if (status) {
    free(made);
    return status;
  }
  *routing = made;
  return TD_OK;
}

void td_routing_destroy(td_routing *routing) { free(routing); }

void td_routing_eval(const td_routing *routing, double s, double d[2], double dd_ds[2]) {
  d[0] = d[1] = dd_ds[0] = dd_ds[1] = 0;
  for (size_t i = 0; i < routing->count; i++) {
    double place[2], slope[2];
    types[routing->terms[i].type](&routing->terms[i], s, place, slope);
    for (int k = 0; k < 2; k++) {
      d[k] += place[k];
      dd_ds[k] += slope[k];
    }
  }
}
