// Objectives of job documents: what is made small, or what it is differentiated along.
#ifndef TENDRIL_CODEC_DOCUMENT_JOB_OBJECTIVE_H
#define TENDRIL_CODEC_DOCUMENT_JOB_OBJECTIVE_H

#include "codec/json/field.h"
#include "tendril/objective.h"

typedef struct objective_document {
  td_objective_term *terms; ///< [count], in the arena; places are below the prefix of the reader
  size_t count;
} objective_document;

/// "objective": an array of terms.
td_status read_objective(reader *r, const json_t *value, void *out_objective_document);
/// The same with the terms that only designs have: peak, work, stiffness.
td_status read_design_terms(reader *r, const json_t *value, void *out_objective_document);
/// Their "of" where there is one job: 0.
td_status read_only_job(reader *r, const json_t *value, void *unused);
/// What an entry of these is.
td_term_kind objective_kind(const json_t *entry);
/// "cotangents": an object of arrays by field, each of the field's shape, samples first: linear terms.
td_status read_cotangents(reader *r, const json_t *value, void *out_objective_document);

/// `fields` and those of the terms that are not among them, in the arena; NULL: not enough memory.
const char *const *objective_fields(const objective_document *objective, const char *const *fields, size_t count,
                                    arena *a, size_t *all);

#endif
