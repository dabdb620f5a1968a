// Designs: numbers of a robot or of what is done with it for which an objective is least within constraints.
//
//   {"kind": "design", "of": {dynamics or statics} or several, "parameters": as of fits, "objective": as of gradients,
//    "constraints": [{"field", "select", "at", "lower", "upper"}], "method": "slsqp"}
//
// It is read as a gradient, with what follows in addition.
#ifndef TENDRIL_CODEC_DOCUMENT_JOB_DESIGN_H
#define TENDRIL_CODEC_DOCUMENT_JOB_DESIGN_H

#include "codec/document/job/fit.h"
#include "codec/document/job/objective.h"
#include "tendril/design.h"

enum { DESIGN_MAX_JOBS = 64 };
struct job_document; ///< codec/document/job/job.h

typedef struct design_document {
  const json_t *of;                       ///< as it stands in the document: a job, or an array of jobs
  const struct job_document *const *part; ///< [part_count] the design as if each job were alone; the first is itself
  size_t part_count;
  size_t index; ///< of several jobs: which part this is
  /// Of several jobs: where its terms, constraints and parameters stand in the document; NULL: where they are.
  const size_t *place[3];
  size_t placed[3];
  fit_document unknowns; ///< list, entry
  /// A linear term for each entry of `constraints`, which counts where and selects what it bounds.
  objective_document constraints;
  const double *lower, *upper; ///< [constraints.count]; NaN: none
  td_design_method method;
  int max_evaluations;
  double tolerance;
} design_document;

#endif
