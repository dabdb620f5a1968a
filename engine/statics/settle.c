// What every rung of the ladder (statics.c) and every part of the loads (statics/load.c) does: start from a guess,
// settle, and leave saddles of the potential for the minimum beside them.
#include "constraint/loop_closure.h"
#include "model/model.h"
#include "statics/statics.h"
#include "tendril/statics.h"
#include <assert.h>
#include <string.h>

enum { UNDAMPED = 12, SADDLES = 8 };

// Prescribed coordinates follow u; then the loops are closed from there.
static td_status guess(td_statics *s, const double *q) {
  s->loops.u = s->u;
  memcpy(s->q, q, (size_t)s->n * sizeof *q);
  for (int i = 0; i < td_model_prescribed_count(s->model); i++) {
    int channel = -1, c = td_model_prescribed_coordinate(s->model, i, &channel);
    s->q[c] = s->u[channel];
  }
  s->closing = (td_error){.status = TD_OK};
  return td_assemble_turning(&s->loops, q, s->q, &s->closing);
}

td_status td_statics_start(td_statics *s, const double *first, double fraction) {
  assert(fraction > 0 && fraction <= 1);
  s->fraction = fraction;
  td_status status = guess(s, first);
  if (!status) status = td_statics_evaluate(s);
  if (!status) td_statics_weigh(s);
  if (!status && s->loops.rows) {
    status = td_statics_linearise(s);
    if (!status) td_statics_stiffen(s);
  }
  return status;
}

td_status td_statics_settle(td_statics *s, int iterations) {
  assert(iterations > 0);
  td_status status = td_statics_descend(s, iterations, false);
  return status == TD_UNSUPPORTED ? td_statics_newton(s, UNDAMPED, false) : status;
}

static bool is_saddle(const td_statics *s, const td_statics_result *result) {
  bool falls = result->conservative || (s->qd && !result->stable); // gyroscopic forces may hold a maximum
  return s->moved && falls && result->smallest_eigenvalue < -s->neutral;
}

td_status td_statics_leave_saddles(td_statics *s, td_statics_result *result) {
  td_status status = td_statics_judge(s, result);
  for (int i = 0; i < SADDLES && !status && is_saddle(s, result); i++) {
    memcpy(s->kept_q, s->q, (size_t)s->n * sizeof *s->q);
    bool down = !td_statics_evaluate(s) && !td_statics_descend(s, s->options.max_iterations, true);
    if (!down) memcpy(s->q, s->kept_q, (size_t)s->n * sizeof *s->q);
    status = td_statics_evaluate(s);
    if (!status) status = td_statics_judge(s, result);
    if (!down) break;
  }
  return status;
}
