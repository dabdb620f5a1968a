// Rows and blobs of results against each other: what is done now and then, in small steps.
//
// First every job that succeeded: is its result there, of the right size (the checksum is read where an error stands
// already, to take it back)? Then every result: does a job want it? What belongs to a queued or running job is left
// alone: it may be about to be replaced, or named by a commit. That of a job that failed or was cancelled is removed.
// One of which no row knows is set aside. What is lost is said in the row and its log once, and taken back when it is
// found good again (an operator brought it back).
#include "base/log/metrics.h"
#include "store/parts.h"

#include <string.h>

enum { PAGE = 200 };
#define TASK "results"

const char *store_result_words(store_result_condition condition) {
  static const char *const words[] = {
      [STORE_RESULT_GOOD] = "it is there",
      [STORE_RESULT_MISSING] = "its file is missing",
      [STORE_RESULT_CUT] = "its file has another size than was written",
      [STORE_RESULT_DAMAGED] = "its file has another checksum than was written",
      [STORE_RESULT_UNREADABLE] = "its file cannot be read now",
  };
  return words[condition];
}

store_status store_result_report(store *s, const store_job *job, store_result_condition found) {
  bool good = found == STORE_RESULT_GOOD;
  const char *lacks = good ? NULL : store_result_words(found);
  if (found == STORE_RESULT_UNREADABLE || good == (job->error == NULL)) return STORE_OK;
  if (!store_lead(s, TASK)) return STORE_OK; // one process says so, for all that share the rows
  store_status status = store_result_note(s, job->id, lacks);
  if (status == STORE_PRECONDITION) return STORE_OK; // somebody else said so
  if (status != STORE_OK) return status;
  metrics_add(METRIC_RESULTS_LOST, 0, !good);
  log_write(good ? LOG_LEVEL_INFO : LOG_LEVEL_ERROR, good ? "result_found" : "result_lost", LOG_S("job", job->id),
            LOG_S("detail", good ? "" : lacks));
  return STORE_OK;
}

static bool goes_on(const store_scan *scan) { return !scan->go_on || scan->go_on(scan->context); }

// -------------------------------------------------------------------------------------------------------------- rows

typedef struct page {
  store_job jobs[PAGE];
  int count;
} page;

static void page_fini(page *p) {
  for (int i = 0; i < p->count; i++) store_job_fini(&p->jobs[i]);
  p->count = 0;
}

static store_status check_rows(store *s, store_scan *scan, page *p) {
  int64_t after = 0;
  store_status status = store_result_rows(s, after, PAGE, p->jobs, &p->count);
  while (status == STORE_OK && p->count > 0 && goes_on(scan) && store_lead(s, TASK)) {
    for (int i = 0; i < p->count; i++) {
      store_result_condition found = store_result_look(s, &p->jobs[i]);
      store_status reported = store_result_report(s, &p->jobs[i], found);
      (void)reported; // what cannot be written now is found again
      scan->results++;
      scan->unsure += found == STORE_RESULT_UNREADABLE;
      scan->lost += found != STORE_RESULT_GOOD && found != STORE_RESULT_UNREADABLE;
    }
    after = p->jobs[p->count - 1].seq;
    page_fini(p);
    status = store_result_rows(s, after, PAGE, p->jobs, &p->count);
  }
  page_fini(p);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- blobs

typedef enum owner { OWNER_WANTS, OWNER_DOES_NOT, OWNER_UNKNOWN } owner;

// Of those that several processes share: it is the one that the row speaks of, or that of an attempt that may be about to
// end.
static bool wants(const store_standing *job, const store_result_name *name) {
  if (job->attempt != name->attempt) return false;
  return job->state == JOB_RUNNING || (job->result && strcmp(job->result_node, name->node) == 0);
}

// In doubt it stays.
static owner find_owner(store *s, const store_result_name *name) {
  store_standing job;
  store_status status = store_job_standing(s, name->id, &job);
  if (status != STORE_OK) return status == STORE_NOT_FOUND ? OWNER_UNKNOWN : OWNER_WANTS;
  if (*name->node) return wants(&job, name) ? OWNER_WANTS : OWNER_DOES_NOT;
  return (job.state == JOB_FAILED || job.state == JOB_CANCELLED) && !job.result ? OWNER_DOES_NOT : OWNER_WANTS;
}

typedef struct look {
  store *s;
  store_scan *scan;
  int64_t *all, *unknown;
} look;

static bool check_blob(void *context, const store_result_name *name) {
  const look *l = context;
  owner o = find_owner(l->s, name);
  if (o == OWNER_UNKNOWN) l->scan->orphans += store_result_set_aside(l->s, name);
  if (o == OWNER_DOES_NOT && store_result_remove(l->s, name)) {
    l->scan->orphans++;
    log_write(LOG_LEVEL_INFO, "orphan_removed", LOG_S("file", name->id), LOG_I("attempt", name->attempt));
  }
  return goes_on(l->scan);
}

static bool count_blob(void *context, const store_result_name *name) {
  const look *l = context;
  ++*l->all;
  *l->unknown += find_owner(l->s, name) == OWNER_UNKNOWN;
  return true;
}

store_status store_result_count_unknown(store *s, int64_t *files, int64_t *unknown) {
  *files = *unknown = 0;
  return store_result_each(s, count_blob, &(look){.s = s, .all = files, .unknown = unknown});
}

store_status store_result_scan(store *s, store_scan *scan) {
  page p = {.count = 0};
  if (!store_lead(s, TASK)) return STORE_PRECONDITION;
  store_status status = check_rows(s, scan, &p);
  if (status == STORE_OK && goes_on(scan)) (void)store_result_each(s, check_blob, &(look){.s = s, .scan = scan});
  if (status == STORE_OK && goes_on(scan)) store_blobs_sweep(s);
  return status;
}
