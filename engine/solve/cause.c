// Why a run or a search for equilibrium came to its end, when the model knows: a reduced body at the end of its kinematics,
// else a tendon that has used up its length.
//
// The last good state lies a little before the end of a body's kinematics, which no step can cross: it is asked with curvatures
// 5 % larger.
#include "solve/cause.h"
#include "algorithm/validity.h"
#include "solve/slack.h"
#include <stdio.h>

static const double NEAR = 1.05;

void td_cause_explain(const td_model *model, const double *q, char *text, size_t size) {
  char shape[256];
  if (td_shape_explain(model, q, NEAR, shape, sizeof shape) >= 0)
    snprintf(text, size, "; %s", shape);
  else
    td_slack_explain(model, q, text, size);
}
