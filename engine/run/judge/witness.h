// States that a run went through, kept to be asked about its discretisation at the end.
#ifndef TENDRIL_RUN_JUDGE_WITNESS_H
#define TENDRIL_RUN_JUDGE_WITNESS_H

#include "run/judge/second/enriched.h"

/// Of a run: the one of most elastic and the one of most kinetic energy so far. Costs two copies of y at the most.
void td_witness_note(td_simulation *run, const td_energy *energy);
/// Looks at them and at the end, and appends what there is to say to the run's warnings
/// (estimate/resolution/resolution.h). Where its strain functions are doubted, other_run is asked what more of them do.
/// @return TD_OK, or TD_CANCELLED by the caller meanwhile
TD_NODISCARD td_status td_witness_judge(td_simulation *run, td_other_run *other_run);

#endif
