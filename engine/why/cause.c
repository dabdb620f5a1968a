// Why a run or a search for equilibrium came to its end, when the model knows: a reduced body at the end of its
// kinematics, else a tendon that has used up its length.
//
// The last good state lies a little before the end of a body's kinematics, which no step can cross: it is asked with
// curvatures 5 % larger.
#include "why/cause.h"
#include "model/model.h"
#include "why/shape.h"
#include "why/slack.h"
#include <math.h>
#include <stdio.h>

static const double NEAR = 1.05;
static const double ROUNDING = 2e-13; // of accelerations, at 1 m

void td_cause_explain(const td_model *model, const double *q, char *text, size_t size) {
  char shape[256];
  if (td_shape_explain(model, q, NEAR, shape, sizeof shape) >= 0)
    snprintf(text, size, "; %s", shape);
  else
    td_slack_explain(model, q, text, size);
}

double td_cause_far(const td_model *model, const double *q, int *link, double *metres) {
  *metres = 0;
  for (int e = 0; e < model->element_count; e++) {
    const td_element *element = &model->element[e];
    if (element->n != 6 || element->rod >= 0 || element->type == TD_ELEMENT_RITZ ||
        model->document->links[element->link].joint.type != TD_JOINT_FREE)
      continue;
    const double *v = q + element->coordinate + 3;
    double distance = hypot(hypot(v[0], v[1]), v[2]);
    if (distance > *metres) *metres = distance, *link = element->link;
  }
  return ROUNDING * *metres * *metres;
}

void td_cause_explain_far(const td_model *model, const double *q, double rtol, char *text, size_t size) {
  int link = -1;
  double metres, rounding = td_cause_far(model, q, &link, &metres);
  *text = '\0';
  if (!(rounding > TD_FAR * rtol)) return;
  snprintf(
      text, size,
      "; the coordinates of the free joint of \"%.63s\" reach %.3g m, where rounding alone puts accelerations off by "
      "about %.1g of their size, and steps are held to rtol %.2g: let its `pose` be near where the robot is",
      td_model_link_name(model, link), metres, fmin(1, rounding), rtol);
}
