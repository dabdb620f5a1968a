// The smallest singular value of A(q(t)), u^T A v, is analytic along a motion when it may change its sign, and steps nearly always
// stride over its zero. So the vectors of the state before are held against the present A: where u^T A v has changed its sign,
// the rows lost rank in between (the four-bar of equal sides when it is folded flat). Cost: a mass pass and a QR of the rows.
#include "solve/singular.h"
#include "model/workspace.h"
#include <math.h>
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
  w->size = size;
}
