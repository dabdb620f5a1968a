// Rods whose drag is resistive-force theory's alone, in a motion for which that theory is not made.
#ifndef TENDRIL_FORCE_WATER_HIGH_REYNOLDS_H
#define TENDRIL_FORCE_WATER_HIGH_REYNOLDS_H

#include "model/workspace.h"

enum { TD_HIGH_REYNOLDS_TEXT = 400 };

/// The point that moves fastest through the fluid for its size.
typedef struct td_high_reynolds {
  int rod;              ///< index into model->rod
  double number, speed; ///< rho |v| d / mu; m/s, relative to the fluid
} td_high_reynolds;

/// The largest Reynolds number at (q, qd, u) of rods with `resistive_force` and no quadratic drag, where it is beyond
/// what the theory bears; false: nowhere, `worst` is left alone. qd, u NULL: zero. Overwrites kinematics in ws. A
/// forward pass where there is such a rod, else nothing; no allocation. Source: Lighthill1976, for Reynolds numbers
/// below 1.
bool td_high_reynolds_find(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                           td_high_reynolds *worst);
/// 'the rod "tail" moves at 2 m/s through the fluid, …', without a full stop.
void td_high_reynolds_text(const td_model *m, const td_high_reynolds *at, char text[TD_HIGH_REYNOLDS_TEXT]);
/// Its place: "/model/links/2/body/hydrodynamics/resistive_force" with the prefix "/model".
void td_high_reynolds_pointer(const td_model *m, const td_high_reynolds *at, const char *prefix, char *text,
                              size_t size);

#endif
