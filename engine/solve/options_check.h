// Which options belong to which integrator.
#ifndef TENDRIL_SOLVE_OPTIONS_CHECK_H
#define TENDRIL_SOLVE_OPTIONS_CHECK_H

#include "spec/place.h"
#include "tendril/solve.h"

/// Refuses options that the method does not have, warns of those that it will not look at (given->given says which were
/// given).
/// @param used  `given` with its defaults filled in (td_integrator_resolve), of a known method
TD_NODISCARD td_status td_options_check(const td_place *at, const td_integrator_spec *given,
                                        const td_integrator_spec *used);

#endif
