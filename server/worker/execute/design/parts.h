// Shared by the files of jobs of kind design: design.c (life and results), plan.c (what is looked at), evaluate.c (what
// it is at values of the numbers), say.c (how the search ended, in words).
#ifndef SERVER_WORKER_EXECUTE_DESIGN_PARTS_H
#define SERVER_WORKER_EXECUTE_DESIGN_PARTS_H

#include "codec/wire/archive.h"
#include "worker/execute/parts.h"

typedef struct design_bound { // of one number of a sample, from one side: sign (x - value) <= 0
  size_t constraint;          // of the document
  size_t sample, at;
  double sign, value;
} design_bound;

typedef struct design_job {
  execution *r;
  spool rows;
  parameter_set set;
  td_unknown *unknowns;
  td_member *members;
  size_t member_count, row_size, samples;
  double *t;
  td_objective *objective;
  design_bound *bounds;
  double *sizes; // [bound_count] what lies between the bounds, else the bound, 0 where that is
  size_t bound_count, bound_room;
  json_t *model, *job; // ours, moved about
  td_design_spec spec;
  td_design_result result;
  double *known;
  size_t done; // evaluations
  td_warnings found;
} design_job;

/// An archive of an evaluation, in memory.
typedef struct design_outcome {
  arena *memory;
  npz_archive archive;
} design_outcome;

/// The job within.
static inline const job_document *design_within(const design_job *d) { return d->r->job.base; }

// plan.c
TD_NODISCARD td_status design_plan(design_job *d, td_error *err);
/// The job within with all that has to be reported and differentiated; NULL: not enough memory.
json_t *design_job_to_run(const design_job *d);

// evaluate.c
/// A td_design_evaluate.
td_status design_evaluate(void *context, const double *p, double *f, double *df_dp, double *c, double *dc_dp,
                          td_error *err);
/// Runs the job at p. The outcome is the caller's to give back, also after an error.
TD_NODISCARD td_status design_execute_at(design_job *d, const double *p, design_outcome *o, td_error *err);

// say.c
/// Why a search found no optimum: what stands in its way and what to try. The place is that in the document.
void design_say_end(const design_job *d, td_error *why);

#endif
