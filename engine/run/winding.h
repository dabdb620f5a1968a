// Joints whose rotation vectors keep their turns, because a spring, an actuator or a signal acts along them
// (closure/rechart.h): next to a whole turn they are singular, and what motions do there is amplified.
#ifndef TENDRIL_RUN_WINDING_H
#define TENDRIL_RUN_WINDING_H

#include "plant/plant.h"

enum { TD_WINDING_TEXT = 128 };

/// The first coordinate of such a joint that weight, constant loads, what moves and what is stored at y [2n] may turn
/// so far; -1: there is none. Three inverse dynamics and an energy where there are such joints.
int td_winding_expected(td_plant *plant, const double *y);
/// Says of which joint the rotation vector came within a radian of a whole turn in the rows of a trace [rows][n] up to
/// t, and when. False: of none, and the text is empty.
/// @param ends  s, of the run that the trace is of (td_retrace_time)
bool td_winding_text(const td_model *model, const double *trace, int rows, double ends, double t,
                     char text[TD_WINDING_TEXT]);

#endif
