// Jobs of kind gradient: a number that a run or a list of equilibria is worth, and its derivatives by many others.
#ifndef TENDRIL_CODEC_DOCUMENT_JOB_GRADIENT_H
#define TENDRIL_CODEC_DOCUMENT_JOB_GRADIENT_H

#include "codec/document/job/objective.h"
#include "codec/document/parameters/parameters.h"

typedef struct gradient_document {
  const json_t *of;          ///< the job's document, borrowed
  parameter_list parameters; ///< places below /model and /job are those of `of`
  objective_document objective;
  size_t own_fields;                      ///< of its output.fields; behind them stand those that the objective brought
  bool objective_given, cotangents_given; ///< exactly one of them
} gradient_document;

#endif
