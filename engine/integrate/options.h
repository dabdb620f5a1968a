// Which options belong to which integrator, and what they may be.
#ifndef TENDRIL_INTEGRATE_OPTIONS_H
#define TENDRIL_INTEGRATE_OPTIONS_H

#include "spec/place.h"
#include "tendril/run.h"

/// Every rule of a job's integrator: refuses options that the method does not have and numbers out of their bounds,
/// warns of options that it will not look at here (spec->integrator.given says which were given). Pointers read
/// /integrator/….
TD_NODISCARD td_status td_integrator_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec);

#endif
