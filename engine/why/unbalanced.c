#include "why/unbalanced.h"
#include "body/rod/inside_out.h"
#include "why/cause.h"
#include "why/slack.h"
#include <assert.h>

td_status td_unbalanced_explain(const td_model *model, td_workspace *ws, const double *q, const double *u,
                                const td_unbalanced *left, td_status status, td_error *err) {
  char why[256];
  td_inside_out turned;
  assert(left || status); // a cause: what is left over, or numbers that are not finite
  td_cause_explain(model, q, why, sizeof why);
  if (!left) return td_fail(err, status, "", "the forces at the first guess are not finite%s", why);
  if (td_inside_out_find(model, q, 1, &turned)) {
    char text[TD_INSIDE_OUT_TEXT];
    td_inside_out_text(model, &turned, text);
    return td_fail(err, TD_NOT_CONVERGED, "", "no equilibrium found that a rod can take: where forces balance, %s",
                   text);
  }
  if (td_slack_has_met(model, ws, q, u))
    return td_fail(err, TD_NOT_CONVERGED, "",
                   "no equilibrium found: the robot moves to where a force has no direction%s", why);
  return td_fail(
      err, TD_NOT_CONVERGED, "",
      "no equilibrium found in %d Newton iterations: the residual stays at %.3g (forces up to %.3g), worst at %s%s",
      left->iterations, left->residual, left->scale, left->where, why);
}
