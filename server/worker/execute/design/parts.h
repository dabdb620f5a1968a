// Shared by the files of jobs of kind design: design.c (life and results), plan.c (what is looked at), evaluate.c (what
// it is at values of the numbers), outcome.c (archives of jobs that were executed), say.c (how the search ended, in
// words), keep.c (what is left of it, also where it failed).
#ifndef SERVER_WORKER_EXECUTE_DESIGN_PARTS_H
#define SERVER_WORKER_EXECUTE_DESIGN_PARTS_H

#include "codec/wire/archive.h"
#include "worker/execute/parts.h"

/// What a constraint measures of all samples.
typedef struct design_measure {
  double *t;
  td_objective *of;
} design_measure;

/// A job within: what is looked at in it, and which of the numbers are its.
typedef struct design_part {
  const job_document *job; ///< the design as if this one were alone
  size_t index;
  json_t *run;           ///< its document, moved about; borrowed from design_job.jobs
  json_t *paths, *terms; ///< of its numbers, of its part of the objective, as gradients have them
  size_t *number;        ///< [count] which of the np its numbers are
  size_t count;
  td_member *members;
  size_t member_count, row_size, samples;
  double *t;
  td_objective *objective;
  design_measure *measures; ///< [measure_count]
  size_t measure_count;
  size_t first, bounds; ///< of design_job.bounds
  bool adjoint;         ///< derivatives come backward
  bool *gap;            ///< [samples] of statics that keep what is unconverged: problems left out; NULL: none are
} design_part;

typedef struct design_bound { // of one number of a sample, from one side: sign (x - value) <= 0
  size_t part, constraint;    // of the document
  size_t sample, at;
  double sign, value;
  const td_objective *measure;   // x is what all samples together are worth by it; NULL: it is that number
  const td_objective_term *term; // of the measure
} design_bound;

// An archive of an evaluation, in memory.
typedef struct design_outcome {
  arena *memory;
  npz_archive archive;
  const char *bytes; ///< [size] of the archive
  uint64_t size;
} design_outcome;

typedef struct design_job {
  execution *r;
  spool rows;
  parameter_set set;
  td_unknown *unknowns;
  design_part *parts;
  size_t part_count;
  design_bound *bounds;
  double *sizes; // [bound_count] what lies between the bounds, else the bound, 0 where that is until the search is over
  bool *mirrored; // [bound_count] it is the one before from the other side, at the same value
  size_t bound_count, bound_room;
  json_t *model, *jobs; // ours, moved about; jobs: as `of`, one or an array
  td_design_spec spec;
  td_design_result result;
  double *known;
  size_t done;            // evaluations
  double all;             // of them, as far as is known
  td_warnings found;      // of the job that was executed last
  td_run_statistics last; // the same
  design_outcome *best;   // [part_count] at the best; NULL, or memory NULL: not known
  const void *kept;       // [kept_size] of a checkpoint, behind its rows
  size_t kept_size;
} design_job;

// plan.c
TD_NODISCARD td_status design_plan(design_job *d, td_error *err);
void design_forget(design_job *d);
/// Whether a number is one of a part's.
bool design_reaches(const design_job *d, size_t number, size_t part);
/// Whether two bounds of a part are of the same number.
bool design_is_same(const design_job *d, size_t a, size_t b);

// outcome.c
/// Puts the values where they stand in model and jobs.
TD_NODISCARD td_status design_move(design_job *d, const double *p, td_error *err);
/// Executes a document, a job or a gradient of one. The outcome is the caller's to give back, also after an error.
/// @param document  taken
TD_NODISCARD td_status design_execute(design_job *d, const design_part *part, json_t *document, design_outcome *o,
                                      td_error *err);
/// An array of it as doubles.
TD_NODISCARD td_status design_find(const design_outcome *o, const char *name, const double **values, td_error *err);
/// "/of", of several jobs "/of/1".
void design_place(const design_job *d, const design_part *part, char place[32]);

// evaluate.c
/// Finds the problems that are left out: those without a solution where the search begins, of jobs that keep these.
TD_NODISCARD td_status design_find_gaps(design_job *d, td_error *err);
/// A td_design_evaluate.
td_status design_evaluate(void *context, const double *p, double *f, double *df_dp, double *c, double *dc_dp,
                          td_error *err);
/// The document that is executed for a part: its job with derivatives of what it reports, or a gradient of it; NULL:
/// not enough memory.
json_t *design_request(const design_job *d, const design_part *part);

// keep.c
/// Executes the jobs within at the best; their warnings are those of the design.
TD_NODISCARD td_status design_run_best(design_job *d, td_error *err);
void design_forget_best(design_job *d);
/// The design fails, and keeps what it has.
void design_condemn(design_job *d, const td_error *why);
/// d->result and best by a checkpoint alone: what a search that was stopped, or failed, has found.
TD_NODISCARD td_status design_peek(design_job *d, td_error *err);

// say.c
/// Why a search found no optimum: what stands in its way and what to try. The place is that in the document.
void design_say_end(const design_job *d, td_error *why);
/// Of each constraint of the document the number that it bounds which is the nearest to its bound or the farthest beyond:
/// [{constraint, number, value, lower, upper, missed, active, numbers}].
json_t *design_constraints(const design_job *d);

#endif
