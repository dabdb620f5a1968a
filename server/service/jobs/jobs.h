// Jobs: submitted, looked at, ended, followed.
#ifndef SERVER_SERVICE_JOBS_H
#define SERVER_SERVICE_JOBS_H

#include "codec/view/job.h"
#include "service/service.h"

// Whoever gets a view gives it back with store_job_fini(&view->row); after a failure there is nothing to give back.

/// Checks a job against its model and queues it. `view` is the new job, or the one that the same request with the same
/// key (Idempotency-Key; NULL: none) has made before.
bool jobs_submit(service *s, const auth_caller *who, span document, const char *key, job_view *view, fault *f);
/// The same of a document whose large arrays are members of an NPZ archive (codec/document/archive.h).
bool jobs_submit_archive(service *s, const auth_caller *who, span archive, const char *key, job_view *view, fault *f);
/// What jobs_submit refuses is refused, nothing is queued: `view` is the job as it would be, with an id that names
/// nothing. Of a sweep what its base and its list of places tell, not each of its jobs.
bool jobs_check(service *s, const auth_caller *who, span document, job_view *view, fault *f);
/// A new job like one that failed or was cancelled, of the same owner.
/// `key` as in jobs_submit.
/// max_wall_s: of the new job, 0: as it was.
bool jobs_retry(service *s, const auth_caller *who, const char *id, double max_wall_s, const char *key, job_view *view,
                fault *f);
bool jobs_get(service *s, const auth_caller *who, const char *id, job_view *view, fault *f);
/// The documents it was submitted with, both to be freed.
bool jobs_document(service *s, const auth_caller *who, const char *id, job_documents *documents, fault *f);

typedef struct jobs_query { ///< as in the query string; NULL: absent
  const char *state, *kind, *model, *label, *since, *until, *parent, *owner, *limit, *cursor;
} jobs_query;
typedef void (*job_visit)(void *context, const job_view *view);
/// Visits them, the newest first; `next` is the cursor of the following page, "": there is none.
bool jobs_list(service *s, const auth_caller *who, const jobs_query *query, job_visit visit, void *context,
               char next[STORE_CURSOR_SIZE], fault *f);
/// *finished: nothing changed, the job had ended before.
bool jobs_cancel(service *s, const auth_caller *who, const char *id, job_view *view, bool *finished, fault *f);
bool jobs_delete(service *s, const auth_caller *who, const char *id, fault *f);

/// True for the error (JSON) of a job that came to its end and keeps all it computed: inconsistent, unconverged.
bool jobs_error_is_late(const char *error);

bool jobs_exists(service *s, const auth_caller *who, const char *id, fault *f);

typedef struct events_page {
  int64_t next; ///< number of the last event, to go on after
  int count;
  bool ended; ///< the job is over and this was the end of its log
} events_page;
typedef void (*event_visit)(void *context, const store_event *event);
/// Visits the events after number `after` of a job that jobs_exists has found, in their order.
bool events_read(service *s, const char *id, int64_t after, event_visit visit, void *context, events_page *page,
                 fault *f);

#endif
