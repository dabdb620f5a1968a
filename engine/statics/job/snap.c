// A list goes from one equilibrium to the next by solving for the next inputs. Where the branch ends on the way (a
// limit point) the solver lands on another one, as a real robot snaps, and nothing in the rows says so.
//
// Two tests. The first is cheap: the step between the rows, W-norm, against the way back that the tangent at the second
// predicts, K^-1 (tau - ID)(q, u before); its K is known. What moves farther than FAR and FURTHER times that is
// suspicious. The second halves the interval of inputs, always going on in the half with the longer step: on a branch
// steps shrink with the interval, like its square root at a fork at the worst, which leaves 1/16 after 8 halvings. A
// jump stays as long as it is.
#include "statics/job/snap.h"
#include "base/carve.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 8 };
static const double FAR = 0.1;   // rad, strains
static const double FURTHER = 3; // than the tangent predicts
static const double STAYS = 0.3; // of the step, when the interval is 2^-8 of what it was

td_status td_snap_init(td_snap *w, const td_statics *s) {
  size_t n = (size_t)s->n, m = (size_t)s->m, d = (size_t)s->d;
  size_t c = (size_t)(td_model_loop_row_count(s->model) + td_model_prescribed_count(s->model));
  *w = (td_snap){0};
  bool room = TD_CARVE({&w->from_u, m}, {&w->to_u, m}, {&w->u, m}, {&w->from_q, n}, {&w->to_q, n}, {&w->weight, d},
                       {&w->lambda, c});
  return room ? TD_OK : TD_NO_MEMORY;
}

void td_snap_fini(td_snap *w) {
  free(w->from_u);
  *w = (td_snap){0};
}

static double distance(const td_snap *w, const td_statics *s, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < s->d; i++) sum += w->weight[i] * pow(b[s->free[i]] - a[s->free[i]], 2);
  return sqrt(sum);
}

// W-norm of the step back that the tangent at to_q, whose K the solver holds, predicts; 0 where there is none.
static double prediction(const td_snap *w, td_statics *s) {
  bool driven = td_model_prescribed_count(s->model) > 0; // then the way of the joints moves the rest
  s->u = w->from_u;
  td_status status = driven ? td_statics_start(s, w->to_q, 1) : td_statics_evaluate(s);
  if (!status && driven) status = td_statics_linearise(s);
  if (status) return 0;
  double placed = distance(w, s, w->to_q, s->q), sum = 0;
  s->shift = 0;
  if (!td_statics_lu_step(s)) return 0;
  for (int i = 0; i < s->d; i++) sum += w->weight[i] * s->step[i] * s->step[i];
  return placed + sqrt(sum);
}

static void copy(double *to, const double *from, int count) { memcpy(to, from, (size_t)count * sizeof *to); }

// True when the step stays as long while its interval is halved again and again.
static bool jumps(td_snap *w, td_statics *s, double whole) {
  double step = whole;
  for (int k = 0; k < HALVINGS; k++) {
    td_statics_result result;
    td_error err = {0};
    for (int i = 0; i < s->m; i++) w->u[i] = 0.5 * (w->from_u[i] + w->to_u[i]);
    copy(s->q, w->from_q, s->n);
    s->from_u = w->from_u;
    td_status status = td_statics_find(s, w->u, &result, &err);
    s->from_u = NULL;
    if (status) { // the branch ends before, and no other is found from there
      copy(w->to_u, w->u, s->m);
      continue;
    }
    double first = distance(w, s, w->from_q, s->q), second = distance(w, s, s->q, w->to_q);
    bool behind = second > first;
    copy(behind ? w->from_q : w->to_q, s->q, s->n);
    copy(behind ? w->from_u : w->to_u, w->u, s->m);
    step = fmax(first, second);
    if (step < STAYS * whole) return false;
  }
  return true;
}

double td_snap_between(td_snap *w, td_statics *s) {
  copy(w->weight, s->weight, s->d);
  copy(w->to_q, s->q, s->n);
  double whole = distance(w, s, w->from_q, w->to_q);
  if (!(whole > FAR)) return 0;
  int c = td_model_loop_row_count(s->model) + td_model_prescribed_count(s->model);
  bool led = s->led;
  copy(w->lambda, s->lambda, c);
  double found = whole > FURTHER * prediction(w, s) && jumps(w, s, whole) ? whole : 0;
  copy(s->lambda, w->lambda, c);
  s->led = led;
  return found;
}
