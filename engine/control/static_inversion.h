// Static inversion: the equilibria, and what the channels do in them, that put outputs or tips where a reference wants
// them.
#ifndef TENDRIL_CONTROL_STATIC_INVERSION_H
#define TENDRIL_CONTROL_STATIC_INVERSION_H

#include "control/inversion_slopes.h"

/// For every knot of controller `index`: rows [knots][width] = its inputs there (feed_forward) or the values of its
/// outputs. Starts from the initial q, or the equilibrium for the inputs at t = 0 where the job gives none.
/// @param by  NULL, or what its derivatives are asked by
/// @return TD_NOT_CONVERGED, pointer to the knot's row of the reference; TD_SINGULAR likewise: it has no derivative there
TD_NODISCARD td_status td_static_inversion(td_control *s, const td_dynamics_spec *spec, size_t index, double *rows,
                                           const td_inversion_by *by, td_error *err);

#endif
