// Warnings of a dynamics job that passed every rule.
#ifndef TENDRIL_RUN_JOB_ODDITIES_H
#define TENDRIL_RUN_JOB_ODDITIES_H

#include "spec/place.h"
#include "tendril/run.h"

/// @param used  spec->integrator with its defaults filled in (td_integrator_resolve)
void td_job_remark(const td_place *root, const td_model *model, const td_dynamics_spec *spec,
                   const td_integrator_spec *used);

#endif
