// Shared by experiments.c (what is measured) and experiment_runs.c (runs and their derivatives).
#ifndef SERVER_WORKER_EXECUTE_EXPERIMENT_PARTS_H
#define SERVER_WORKER_EXECUTE_EXPERIMENT_PARTS_H

#include "tendril/gradient.h"
#include "tendril/sensitivity.h"
#include "worker/execute/experiments.h"

/// One record: where its numbers stand in rows of the experiment, and where they go.
typedef struct record {
  size_t *at;                ///< [width] in a row
  size_t *slope;             ///< [width] in a row of derivatives; of runs the same
  size_t *sample;            ///< [rows] of the run
  size_t rows, width, first; ///< first: of y
} record;

typedef struct experiment {
  const fit_experiment *says;
  const job_document *job;   ///< as it was said, or with the values at hand
  json_t *document;          ///< of its job, ours, moved about; NULL: none of its numbers is sought
  arena *memory;             ///< of the job that was read from it last
  bool stale;                ///< it has moved since
  size_t *column;            ///< [numbers.set.count] which of the fit's numbers it depends on
  execution_numbers numbers; ///< these: set.count, which, place; model, laws and inputs while it is differentiated
  const char **fields;       ///< [field_count] without doubles; statics: without q, u and lambda
  size_t field_count;
  const char **sloped; ///< [sloped_count] statics: all fields, q, u and lambda among them
  size_t sloped_count;
  double *times; ///< [time_count] of dynamics, rising, the last one the end
  size_t time_count;
  record *records;     ///< [says->data_count]
  bool by_differences; ///< runs that have no derivatives of their own
} experiment;

struct experiments {
  execution *r;
  const parameter_set *set;
  json_t *document;        ///< of the model, ours
  parameter_list of_model; ///< its entries, others left out
  size_t model_numbers;    ///< how many of the set are the model's
  experiment *of;
  double *data, *sigma; ///< [samples]
  double *beside;       ///< [2][samples] at neighbours
  size_t samples;
  double iterations, all; ///< for reports
  bool halves;            ///< equal steps are half as long
  td_warnings *warnings;  ///< NULL: no checks of runs, nobody wants to know
};

/// Whether number i of the fit is one of experiment k.
bool experiment_depends(const experiments *e, size_t k, size_t i);
static inline bool experiment_is_run(const experiment *x) { return x->says->job->kind == JOB_DYNAMICS; }
/// q, u and lambda, which stand before the fields in a row of statics.
size_t experiment_state_size(const td_model *model);
td_dynamics_spec experiment_run_spec(const experiment *x);
td_statics_spec experiment_list_spec(const experiment *x);

#endif
