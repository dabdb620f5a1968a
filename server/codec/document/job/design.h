// Designs: numbers of a robot or of what is done with it for which an objective is least within constraints.
//
//   {"kind": "design", "of": {dynamics or statics}, "parameters": as of fits, "objective": as of gradients,
//    "constraints": [{"field", "select", "at", "lower", "upper"}], "method": "slsqp"}
//
// It is read as a gradient, with what follows in addition.
#ifndef TENDRIL_CODEC_DOCUMENT_JOB_DESIGN_H
#define TENDRIL_CODEC_DOCUMENT_JOB_DESIGN_H

#include "codec/document/job/fit.h"
#include "codec/document/job/objective.h"
#include "tendril/design.h"

typedef struct design_document {
  fit_document unknowns; ///< list, entry
  /// A linear term for each entry of `constraints`, which counts where and selects what it bounds.
  objective_document constraints;
  const double *lower, *upper; ///< [constraints.count]; NaN: none
  td_design_method method;
  int max_evaluations;
  double tolerance;
} design_document;

#endif
