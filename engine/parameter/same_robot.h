// Is a neighbour of a model the same robot with another number in it?
#ifndef TENDRIL_PARAMETER_SAME_ROBOT_H
#define TENDRIL_PARAMETER_SAME_ROBOT_H

#include "model/model.h"

/// What two models differ in that derivatives cannot cross ("coordinates"), with both numbers; NULL: nothing.
const char *td_robots_differ(const td_model *a, const td_model *b, int count[2]);
/// Whether workspaces of the two have one layout, so that either's serves both.
bool td_workspaces_alike(const td_model *a, const td_model *b);

#endif
