// Why a statics problem has no answer: the residual that is left, where it is worst, and the cause when we know one.
#include "body/rod/inside_out.h"
#include "solve/cause.h"
#include "solve/slack.h"
#include "solve/statics.h"
#include <math.h>
#include <string.h>

td_status td_statics_explain(td_statics *s, td_status status, td_error *err) {
  if (s->closing.status) return td_fail(err, s->closing.status, s->closing.pointer, "%s", s->closing.message);
  memcpy(s->q, s->best_q, (size_t)s->n * sizeof *s->q);
  char why[256];
  td_cause_explain(s->model, s->q, why, sizeof why);
  if (td_statics_evaluate(s)) return td_fail(err, status, "", "the forces at the first guess are not finite%s", why);
  td_inside_out inside;
  if (td_inside_out_find(s->model, s->q, 1, &inside)) {
    char text[TD_INSIDE_OUT_TEXT];
    td_inside_out_text(s->model, &inside, text);
    return td_fail(err, TD_NOT_CONVERGED, "", "no equilibrium found that a rod can take: where forces balance, %s",
                   text);
  }
  if (td_slack_has_met(s->model, s->ws, s->q, s->u))
    return td_fail(err, TD_NOT_CONVERGED, "",
                   "no equilibrium found: the robot moves to where a force has no direction%s", why);
  int worst = 0;
  for (int i = 1; i < s->d; i++)
    if (fabs(s->r[i]) > fabs(s->r[worst])) worst = i;
  const char *where = s->d ? td_model_coordinate_name(s->model, s->free[worst]) : "no free coordinate";
  return td_fail(
      err, TD_NOT_CONVERGED, "",
      "no equilibrium found in %d Newton iterations: the residual stays at %.3g (forces up to %.3g), worst at %s%s",
      s->iterations, s->residual, s->scale, where, why);
}
