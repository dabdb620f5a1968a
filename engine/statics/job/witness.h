// Equilibria that a list went through, kept to be asked about its discretisation at the end.
#ifndef TENDRIL_STATICS_JOB_WITNESS_H
#define TENDRIL_STATICS_JOB_WITNESS_H

#include "estimate/resolution/resolution.h"
#include "tendril/statics.h"

enum { TD_EQUILIBRIA_WITNESSED = 4 };

/// Of a list of equilibria: the first one, the one of the largest coordinates, the one in which the last function of a
/// curvature or a twist has most to do, and the last one. Those that are stable are asked on the way whether they would
/// be with more strain functions, where loads are larger or the robot is softer than where that was asked before.
typedef struct td_witnesses {
  const td_model *model;
  const td_statics_hooks *hooks; ///< the caller's, called for every problem
  int channel;                   ///< that a path follows; -1: a list
  size_t size, index[TD_EQUILIBRIA_WITNESSED];
  bool has[TD_EQUILIBRIA_WITNESSED], stable[TD_EQUILIBRIA_WITNESSED];
  td_resolution *resolution; ///< NULL: nothing can be judged
  bool has_resolution;       ///< it was tried
  int held;                  ///< equilibria that were asked,
  double load, softest;      ///< the largest |u|, and the smallest eigenvalue of K, 1/s^2, among them
  double most, steepest, *row[TD_EQUILIBRIA_WITNESSED]; ///< u, q, lambda
  double *before, *near;                                ///< like the rows: of the last but one; scratch
  bool has_before, conservative;                        ///< conservative: the last point
  bool countable;                                       ///< the path began stable and has met bifurcations alone,
  int behind, asked;                                    ///< so many, one by one; those that were asked about
} td_witnesses;

TD_NODISCARD td_status td_witnesses_init(td_witnesses *w, const td_model *model, const td_statics_hooks *hooks,
                                         int channel);
void td_witnesses_fini(td_witnesses *w);
/// The hooks to run with: they keep what is wanted and call the caller's.
td_statics_hooks td_witnesses_hooks(td_witnesses *w);
void td_witnesses_judge(td_witnesses *w, td_warnings *warnings);

#endif
