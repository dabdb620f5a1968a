// What a linearisation may ask for, and the run behind one along times.
#ifndef TENDRIL_LINEARIZE_CHECK_H
#define TENDRIL_LINEARIZE_CHECK_H

#include "tendril/linearize.h"

/// Every rule of the job; pointers relative to its document.
TD_NODISCARD td_status td_linearize_check(const td_model *model, const td_linearize_spec *spec, td_error *err);

/// The run behind TD_AT_TIMES: samples of q, qd, qdd and u at the times asked for. A single time 0 gets a short run
/// after it, whose times are `extended` [2].
td_dynamics_spec td_linearize_run_spec(const td_linearize_spec *spec, double extended[2]);

#endif
