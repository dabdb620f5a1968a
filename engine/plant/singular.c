// The smallest singular value of A(q(t)), u^T A v, is analytic along a motion when it may change its sign, and steps
// nearly always stride over its zero. So the vectors of the state before are held against the present A: where u^T A v
// has changed its sign, the rows lost rank in between (the four-bar of equal sides when it is folded flat). Cost: a
// mass pass and a QR of the rows.
#include "plant/singular.h"
#include "constraint/closed_chain.h"
#include "model/workspace.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 0.5, CLEAR = 1e-3; // of the largest singular value; of the value before

td_status td_singular_init(td_singular_watch *w, const td_plant *p) {
  *w = (td_singular_watch){0};
  w->u = calloc((size_t)(p->rows + p->n) + 1, sizeof *w->u);
  w->v = w->u ? w->u + p->rows : NULL;
  return w->u ? TD_OK : TD_NO_MEMORY;
}

void td_singular_fini(td_singular_watch *w) { free(w->u); }

static void note(td_run_statistics *s, double t) {
  if (s->singular == 0) s->singular_t = t;
  s->singular++;
}

void td_singular_note(td_singular_watch *w, td_plant *p, double t, const double *q) {
  double signed_value = 0, size = 0;
  int rank = 0;
  if (td_loop_smallest(&p->projection, q, w->known, w->u, w->v, &signed_value, &size, &rank)) return;
  bool passed = w->known && (rank < w->rank || (rank == w->rank && w->size < NEAR && signed_value < -CLEAR * w->size));
  if (passed) note(p->statistics, t);
  w->known = true;
  w->rank = rank;
  if (rank > w->most) w->most = rank;
  w->size = size;
}

// ------------------------------------------------------------------------------------------------ standing in one

enum { NAMED = 4 };

typedef struct stand {
  int rank, beside;
  double *q, *P, *Q; ///< [n] aside; bases of A's rows and columns at the state itself, as td_projection has them
} stand;

static td_status stand_init(stand *s, const td_projection *l) {
  size_t p = (size_t)(l->rows * l->ldp), q = (size_t)(l->free_count * l->ldp);
  *s = (stand){.q = malloc(((size_t)l->n + p + q + 1) * sizeof *s->q)};
  if (!s->q) return TD_NO_MEMORY;
  s->P = s->q + l->n;
  s->Q = s->P + p;
  return TD_OK;
}

// Part of coordinate k of the free ones that no row holds, squared.
static double left_to(const stand *s, const td_projection *l, int k) {
  double held = 0;
  for (int j = 0; j < s->rank; j++) held += s->Q[k * l->ldp + j] * s->Q[k * l->ldp + j];
  return 1 - held;
}

// s->q = q along a motion that the rows leave, as general as any.
static void step_aside(stand *s, const td_projection *l, const double *q, double size) {
  double most = 0;
  memcpy(s->q, q, (size_t)l->n * sizeof *q);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < l->free_count; k++) {
      double x = sin(1 + 7 * k);
      for (int j = 0; j < s->rank; j++) {
        double along = 0;
        for (int i = 0; i < l->free_count; i++) along += s->Q[i * l->ldp + j] * sin(1 + 7 * i);
        x -= s->Q[k * l->ldp + j] * along;
      }
      if (pass == 0) most = fmax(most, fabs(x));
      if (pass == 1 && most > 1e-9) s->q[l->free[k]] += size / most * x;
    }
}

// Looks to both sides for closed states at which more rows are independent than at q.
static bool is_singular(td_projection *l, const double *q, stand *s) {
  static const double strides[] = {0.05, -0.05, 0.005, -0.005};
  bool loose = l->ws->constraint.loose, metric = l->metric, more = false;
  l->metric = false;
  if (!td_loop_rank_at(l, q, &s->rank) && s->rank < l->free_count) {
    memcpy(s->P, l->P, (size_t)(l->rows * l->ldp) * sizeof *s->P);
    memcpy(s->Q, l->Q, (size_t)(l->free_count * l->ldp) * sizeof *s->Q);
    for (int i = 0; i < 4 && !more; i++) {
      step_aside(s, l, q, strides[i]);
      more = !td_loop_rank(l, loose, s->q, &s->beside) && s->beside > s->rank;
    }
  }
  l->metric = metric;
  l->ws->constraint.loose = loose;
  l->ws->constraint.most_rank = 0;
  return more;
}

// The loop with the longest row in the range at s->q that is not in that at q.
static int whose(const stand *s, const td_projection *l) {
  double most = -1;
  int loop = 0;
  for (int k = 0; k < td_model_loop_count(l->model); k++) {
    int first, rows;
    double sum = 0;
    (void)td_model_loop_name(l->model, k, &first, &rows);
    for (int c = 0; c < s->beside; c++)
      for (int i = first; i < first + rows; i++) {
        double rest = l->P[i * l->ldp + c];
        for (int j = 0; j < s->rank; j++) {
          double along = 0;
          for (int r = 0; r < l->rows; r++) along += s->P[r * l->ldp + j] * l->P[r * l->ldp + c];
          rest -= s->P[i * l->ldp + j] * along;
        }
        sum += rest * rest;
      }
    if (sum > most) most = sum, loop = k;
  }
  return loop;
}

static void name(const td_plant *p, const stand *s, char *text, size_t size) {
  const td_projection *l = &p->projection;
  int first, rows, count = 0;
  for (int k = 0; k < l->free_count; k++) count += left_to(s, l, k) > 1e-6;
  int used = snprintf(text, size, "the rows of loop \"%.63s\" lose rank there, and ",
                      td_model_loop_name(l->model, whose(s, l), &first, &rows));
  for (int k = 0, named = 0; k < l->free_count && named < NAMED && used < (int)size; k++) {
    if (!(left_to(s, l, k) > 1e-6)) continue;
    used += snprintf(text + used, size - (size_t)used, "%s%.60s", named++ ? ", " : "",
                     td_model_coordinate_name(l->model, l->free[k]));
  }
  if (count > NAMED && used < (int)size)
    used += snprintf(text + used, size - (size_t)used, " and %d more", count - NAMED);
  if (used < (int)size) snprintf(text + used, size - (size_t)used, " may go more than one way");
}

void td_singular_describe(td_plant *p, const double *q, char *text, size_t size) {
  stand s;
  *text = 0;
  if (p->rows == 0 || stand_init(&s, &p->projection)) return;
  if (is_singular(&p->projection, q, &s)) name(p, &s, text, size);
  free(s.q);
}
