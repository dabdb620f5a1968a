// Bodies in water that flows, has a surface or is viscous: what others ask of the force `immersed`.
#ifndef TENDRIL_FORCE_WATER_IMMERSED_H
#define TENDRIL_FORCE_WATER_IMMERSED_H

#include "body/body.h"

/// Displaced fluid at a surface: force -wetness displaced gravity at `point` (world axes about the origin), and its
/// slopes.
void td_immersed_lift(const td_model *m, td_workspace *ws, int node, double displaced, const double *gravity,
                      const double point[3], td_composite_level level);
/// Wetness of a body at its reference point. Needs poses.
double td_immersed_wetness(const td_model *m, const td_workspace *ws, const td_fluid *f);

#endif
