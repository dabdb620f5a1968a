// The tension that the rounded corner of a tendon driven by length leaves where it should just be slack.
#ifndef TENDRIL_CREATE_SLACK_TENSION_H
#define TENDRIL_CREATE_SLACK_TENSION_H

#include "model/workspace.h"
#include "tendril/spec.h"

/// Warns (`slack_tension`, in m->warnings) once, at the tendon whose path is moved most, where the slack_width of all
/// tendons together pulls at q = 0, u = 0 so that it moves the robot; rests are known. Allocates; without memory it
/// says nothing. O(n^2 tendons) and one evaluation of the derivatives.
void td_warn_of_slack_tension(td_model *m, const td_model_spec *spec, td_workspace *ws);

#endif
