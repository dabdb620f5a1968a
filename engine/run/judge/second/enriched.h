// A run once more with more strain functions, where estimates doubt those that it has
// (estimate/resolution/resolution.h).
#ifndef TENDRIL_RUN_JUDGE_SECOND_ENRICHED_H
#define TENDRIL_RUN_JUDGE_SECOND_ENRICHED_H

#include "estimate/resolution/resolution.h"
#include "run/run.h"

/// Another run from its start to its end, beside one that is over. *at_work: what it has taken so far, while it calls
/// the hooks.
typedef td_status td_other_run(const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                               const td_run_statistics **at_work);

/// Why and how a run is gone through again.
typedef struct td_enriched_wish {
  bool doubts;        ///< estimates doubt the functions; else it is to be seen whether they should have
  bool blames;        ///< and would be said: worth four times the work
  bool blames_points; ///< estimates blame points: what these do to strains shall be known
  double points;      ///< times those of the robot, and enough for the functions: >= 1
} td_enriched_wish;

/// Goes through a run that has come to its end with as many functions more as can be afforded, and compares what the
/// rods of both do at the times of its trace. Cost: up to some times that of the run; where no estimate doubts the
/// functions, nothing where that is more than some tenths of a second.
/// @param found  found->known: what was found, by runs that came to their end or showed it before; else nothing was,
///               because it takes too long, fails, or the caller has no time; found->points may be known without: of
///               twice the points alone
/// @return TD_OK, or TD_CANCELLED
TD_NODISCARD td_status td_enriched_compare(td_simulation *run, const td_enriched_wish *wish, td_other_run *other_run,
                                           td_enriched_finding *found);

/// How much more work than the run itself such a comparison may be, as far as can be told when so much of its time (0 to
/// 1) has passed: about, and 0 where none can come. Whether estimates will doubt is known at the end only.
double td_enriched_expected(const td_simulation *run, double passed);
/// What part of a run's check is over when the second runs at other steps are (retrace.h).
double td_enriched_begins(const td_model *model);

#endif
