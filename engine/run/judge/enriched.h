// A run once more with more strain functions, where estimates doubt those that it has
// (estimate/resolution/resolution.h).
#ifndef TENDRIL_RUN_JUDGE_ENRICHED_H
#define TENDRIL_RUN_JUDGE_ENRICHED_H

#include "estimate/resolution/resolution.h"
#include "run/run.h"

/// Another run from its start to its end, beside one that is over.
typedef td_status td_other_run(const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks);

/// Goes through a run that has come to its end with as many functions more as can be afforded, and compares what the
/// rods of both do at the times of its trace. Cost: up to some times that of the run, nothing where that is more than
/// some tenths of a second.
/// @param found  found->known: what was found; else nothing was, because it takes too long, fails, or the caller has no
///               time
/// @return TD_OK, or TD_CANCELLED
TD_NODISCARD td_status td_enriched_compare(td_simulation *run, td_other_run *other_run, td_enriched_finding *found);

#endif
