// Statics jobs that are a path (statics/job/continuation.c) instead of a list.
#ifndef TENDRIL_STATICS_JOB_LIST_H
#define TENDRIL_STATICS_JOB_LIST_H

#include "statics/job/output.h"
#include "statics/statics.h"
#include "tendril/statics.h"

TD_NODISCARD td_status td_continuation_check(const td_model *model, const td_statics_spec *spec, td_error *err);
/// Points from `first` on are told, those before are followed again (the same bits). The solver holds the first guess;
/// u [m] the inputs at the start.
TD_NODISCARD td_status td_continuation_run(td_statics *s, const td_statics_spec *spec, double *u, size_t first,
                                           td_statics_output *output, const td_statics_hooks *hooks,
                                           td_run_statistics *statistics, td_error *err);

#endif
