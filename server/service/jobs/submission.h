// A job on its way from a document to a row of the store. Internal to service/.
#ifndef SERVER_SERVICE_SUBMISSION_H
#define SERVER_SERVICE_SUBMISSION_H

#include "codec/document/job/job.h"
#include "service/jobs/jobs.h"
#include "service/models/model_cache.h"

typedef struct submission {
  const auth_caller *who; ///< of a whole submission; NULL of the jobs of a sweep
  json_t *json;
  arena *memory;
  job_document job; ///< borrows from json and memory
  cached_model *held;
  const json_t *document, *model_json; ///< of jobs that are differentiated: the job's and its model's; NULL: not needed
  json_t *model_own;                   ///< that of a stored model
  char *model_document;                ///< what the worker will be given; NULL: the store has it
  bool model_differs;                  ///< it is what the model has other than that of the sweep
  char *job_document, *labels;
  char *warnings; ///< what is odd in job and model, JSON text; NULL: nothing
  size_t rows;    ///< of its result
  store_job row;
} submission;

/// Frees what a submission has; one that is all zeros is empty.
void submission_fini(service *s, submission *sub);
/// Parses and reads a document.
bool submission_read(submission *sub, span document, fault *f);
/// Finds or builds the model that the job names, as it means to `who`, or holds.
bool submission_find_model(service *s, const auth_caller *who, submission *sub, fault *f);
/// Everything that a worker would refuse, and results that would be too large; takes note of what is odd.
bool submission_check(const service *s, submission *sub, fault *f);
/// Of a document that submission_read refused: what its model says to what is right of it is added. Always false.
bool submission_tell_rest(service *s, const submission *sub, fault *f);
/// Of a job that submission_check refused: all its independent errors are added. Always false.
bool submission_tell_all(const submission *sub, fault *f);
/// Fills the row (with a new id) from `document`, which is taken over, and `labels`. False when there is not enough
/// memory.
bool submission_fill_row(submission *sub, char *document, char *labels, fault *f);

/// A new row like `before`, to be run again; its texts are those of `before`.
void submission_copy_row(const store_job *before, store_job *row);
/// The queue in which a job of its priority and of this caller waits.
void submission_choose_queue(const auth_caller *who, store_job *row);

typedef struct submission_room { ///< what the store asks of a submission, and says of one that it does not take
  store_room room;
  store_keep keep;
} submission_room;
const store_room *submission_find_room(const service *s, submission_room *r);
/// The fault of a submission of this owner that the store did not take.
bool submission_fault(const submission_room *r, store_status status, size_t jobs, const char *owner, fault *f);

// sweeps.c
/// Expands a sweep that was read, and whose base was checked, into jobs and stores all of them.
bool sweeps_insert(service *s, submission *sub, const store_request *request, fault *f);
/// Expands it as sweeps_insert does, which checks every job, and stores nothing.
bool sweeps_check(service *s, submission *sub, fault *f);
/// A new sweep like one that failed or was cancelled: the jobs that succeeded are taken over, the others are retried.
/// `sweep` is the new row, with its id; its texts are borrowed.
bool sweeps_retry(service *s, const store_job *before, store_job *sweep, const store_request *request, fault *f);

// jobs.c
/// The row of a job that `who` sees.
bool jobs_find(service *s, const auth_caller *who, const char *id, store_job *job, fault *f);

#endif
