// What a caller is told of a job, as JSON (REST) and as a message (gRPC).
#ifndef SERVER_CODEC_VIEW_JOB_H
#define SERVER_CODEC_VIEW_JOB_H

#include "codec/json/number.h"
#include "codec/view/message_list.h"
#include "store/store.h"
#include "tendril/v1/jobs.pb-c.h"

typedef struct job_view {
  store_job row;           ///< of the one who holds the view
  store_progress progress; ///< as it is now; t_end NaN: there is none
  const char
      *waiting_for; ///< why it does not run though it could, in the row, constant or below; NULL: it does, or has ended
  char waiting_text[160];
} job_view;

/// Whether it is one of many jobs from one document.
bool job_is_sweep(const store_job *row);

/// {id, kind, owner, state, attempt, model, progress, …}; of a sweep with {jobs}, the number in each state.
void codec_job_json(codec_buffer *b, const job_view *view);
/// The same as a message, all of whose texts lie in `a`; it has no `jobs`. False when there is not enough memory.
bool codec_job_message(const job_view *view, arena *a, Tendril__V1__Job *message);

typedef struct job_documents { ///< what it was submitted with
  char *job, *model;           ///< owned; an inline model stands beside the job, not in it
} job_documents;
/// {job, model}
void codec_job_documents_json(codec_buffer *b, const job_documents *documents);

#endif
