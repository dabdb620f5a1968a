// Claims of several slots in one change: whoever asks first asks for all who came while the claim before was under way, so
// that a node with many slots has one at a time, and they share its commit.
#include "store/postgresql/jobs/jobs.h"

#include <stdlib.h>

typedef struct asking {
  store_job job;
  store_status status;
  int64_t next_due_ms;
  bool done;
  struct asking *next;
} asking;

struct pg_claims {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  asking *first;
  bool busy; // somebody asks for all
};

pg_claims *pg_claims_make(void) {
  pg_claims *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  pthread_mutex_init(&all->lock, NULL);
  pthread_cond_init(&all->changed, NULL);
  return all;
}

void pg_claims_free(pg_claims *all) {
  if (!all) return;
  assert(!all->first && !all->busy);
  pthread_mutex_destroy(&all->lock);
  pthread_cond_destroy(&all->changed);
  free(all);
}

// The first of those who wait, in the order in which they came; under the lock.
static asking *take_waiting(pg_claims *all, int *count) {
  asking *list = all->first, **end = &all->first;
  for (*count = 0; *end && *count < PG_CLAIMS_MAX; ++*count) end = &(*end)->next;
  all->first = *end;
  *end = NULL;
  return list;
}

static void ask_for(store *s, asking *list, int count) {
  pg_claimed claimed = {.wanted = count};
  store_status status = pg_claim(s, &claimed);
  for (int i = 0; list; i++, list = list->next) {
    bool got = i < claimed.count;
    list->status = got ? STORE_OK : status == STORE_OK ? STORE_NOT_FOUND : status;
    if (got) list->job = claimed.jobs[i];
    list->next_due_ms = claimed.next_due_ms;
  }
}

static void wait_for_turn(pg_claims *all, store *s, asking *mine) {
  asking **end = &all->first;
  int count;
  pthread_mutex_lock(&all->lock);
  while (*end) end = &(*end)->next;
  *end = mine;
  while (!mine->done && all->busy) pthread_cond_wait(&all->changed, &all->lock);
  while (!mine->done) {
    all->busy = true;
    asking *list = take_waiting(all, &count);
    pthread_mutex_unlock(&all->lock);
    ask_for(s, list, count);
    pthread_mutex_lock(&all->lock);
    for (asking *next; list; list = next) next = list->next, list->done = true;
    all->busy = false;
    pthread_cond_broadcast(&all->changed);
    while (!mine->done && all->busy) pthread_cond_wait(&all->changed, &all->lock);
  }
  pthread_mutex_unlock(&all->lock);
}

// Without its documents the job is put back.
store_status postgresql_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms) {
  static const char unreadable[] = "its documents cannot be read as they were written: the log says why";
  asking mine = {.status = STORE_NOT_FOUND};
  *model_document = NULL;
  wait_for_turn(postgresql_of(s)->claims, s, &mine);
  *job = mine.job;
  *next_due_ms = mine.next_due_ms;
  if (mine.status != STORE_OK) return mine.status;
  store_status status = postgresql_document_get(s, job->model_sha256, model_document);
  if (status == STORE_OK) status = store_job_whole(s, job);
  if (status == STORE_OK) return STORE_OK;
  store_status back = postgresql_job_wait(s, job, unreadable);
  free(*model_document);
  store_job_fini(job);
  *model_document = NULL;
  return back == STORE_OK ? status : back;
}
