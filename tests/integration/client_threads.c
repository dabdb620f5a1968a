// Driven by test_client.py: eight threads with a client each submit jobs, watch them with a callback that asks for the
// job over the same client, and wait for them; evaluate in arrays, by name and by document; errors come with code,
// place and request id.
#include "tendril_client.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, JOBS = 10 };

static const char job[] =
    "{\"model\": \"pendulum\", \"kind\": \"dynamics\", \"t_end\": 0.05, \"initial\": {\"q\": [0.5]},"
    " \"output\": {\"dt\": 0.01, \"fields\": [\"q\"]}}";

typedef struct seen {
  tendril_client *client;
  const char *id;
  int events, wrong;
} seen;

static bool on_event(void *context, const tendril_event *event) {
  seen *s = context;
  tendril_job now;
  tendril_error err;
  s->events += event->kind == TENDRIL_EVENT_STATE;
  if (tendril_job_get(s->client, s->id, &now, &err) != TENDRIL_OK || strcmp(now.id, s->id) != 0) ++s->wrong;
  if (tendril_job_watch(s->client, s->id, 0, on_event, s, &err) != TENDRIL_INVALID) ++s->wrong; // one watch at a time
  return true;
}

static int run_one(tendril_client *c) {
  tendril_job done;
  tendril_error err;
  tendril_arrays *result = NULL;
  int wrong = 1;
  if (tendril_job_submit(c, job, strlen(job), NULL, &done, &err) == TENDRIL_OK) {
    seen s = {.client = c, .id = done.id};
    char id[TENDRIL_ID_SIZE];
    memcpy(id, done.id, sizeof id);
    wrong = tendril_job_watch(c, id, 0, on_event, &s, &err) != TENDRIL_OK || s.events != 3 || s.wrong;
    wrong |= tendril_job_wait(c, id, 60, &done, &err) != TENDRIL_OK || done.state != TENDRIL_SUCCEEDED;
    wrong |= tendril_result_arrays(c, id, NULL, &result, &err) != TENDRIL_OK;
    wrong |= !result || tendril_arrays_find(result, "q")->count != 6;
    tendril_arrays_close(result);
  }
  if (wrong) fprintf(stderr, "%s\n", err.detail);
  return wrong;
}

static int check_errors(tendril_client *c) {
  tendril_error err;
  tendril_arrays *reply;
  const double q[2] = {0.1, 0.2};
  const tendril_states states = {.count = 1, .ndof = 2, .q = q};
  int wrong = tendril_evaluate(c, "pendulum", "fd", &states, &reply, &err) != TENDRIL_REFUSED || err.http != 400 ||
              strcmp(err.code, "invalid_argument") != 0 || strncmp(err.pointer, "/q", 2) != 0 || !*err.request_id;
  wrong |= tendril_model_get(c, "absent", NULL, &err) != TENDRIL_REFUSED || err.http != 404;
  wrong |= tendril_evaluate(c, "pendulum", "", &states, &reply, &err) != TENDRIL_INVALID;
  static const char bad[] = "{\"model\": \"pendulum\", \"kind\": \"dynamics\", \"t_end\": -1}";
  tendril_job queued;
  wrong |= tendril_job_check(c, job, strlen(job), &queued, &err) != TENDRIL_OK || queued.state != TENDRIL_QUEUED;
  wrong |= tendril_job_get(c, queued.id, &queued, &err) != TENDRIL_REFUSED || err.http != 404;
  wrong |= tendril_job_check(c, bad, strlen(bad), NULL, &err) != TENDRIL_REFUSED || strcmp(err.pointer, "/t_end") != 0;
  if (wrong) fprintf(stderr, "%d %s %s %s\n", err.http, err.code, err.pointer, err.detail);
  return wrong;
}

// One state that overflows fails alone; a model given as a document gives the bits of the stored one.
static int check_evaluation(tendril_client *c) {
  tendril_error err;
  tendril_arrays *named = NULL, *inlined = NULL;
  char document[4096] = "", reason[200] = "", none[200] = "x";
  const double q[3] = {0.1, 0.2, -2}, qd[3] = {0, 1e200, 0.5};
  const tendril_states states = {.count = 3, .ndof = 1, .q = q, .qd = qd};
  int wrong = tendril_model_get(c, "pendulum", NULL, &err) != TENDRIL_OK;
  tendril_text text = tendril_reply_member(c, "document");
  if (!wrong && text.size < sizeof document) memcpy(document, text.at, text.size);
  wrong |= tendril_evaluate(c, "pendulum", "fd, mass", &states, &named, &err) != TENDRIL_OK;
  wrong |= tendril_evaluate(c, document, "fd,mass", &states, &inlined, &err) != TENDRIL_OK;
  if (!wrong) {
    const tendril_array *a = tendril_arrays_find(named, "fd"), *b = tendril_arrays_find(inlined, "fd"),
                        *mass = tendril_arrays_find(named, "mass"), *failed = tendril_arrays_find(named, "error");
    wrong |= a->rank != 2 || a->count != 3 || mass->rank != 3 || mass->values[2] != mass->values[0];
    wrong |= a->values[0] != b->values[0] || a->values[2] != b->values[2] || a->values[1] == a->values[1]; // a NaN
    wrong |= !failed || !tendril_array_string(failed, 1, reason, sizeof reason) || !*reason;
    wrong |= !failed || !tendril_array_string(failed, 0, none, sizeof none) || *none;
  }
  if (wrong) fprintf(stderr, "evaluation: %s %s '%s' '%s'\n", err.code, err.detail, reason, none);
  tendril_arrays_close(named);
  tendril_arrays_close(inlined);
  return wrong;
}

static void *work(void *context) {
  int *wrong = context;
  tendril_client *c = tendril_open(NULL, NULL);
  if (!c) ++*wrong;
  for (int i = 0; c && i < JOBS; ++i) *wrong += run_one(c);
  if (c) *wrong += check_errors(c) + check_evaluation(c);
  tendril_close(c);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  int wrong[THREADS] = {0}, sum = 0;
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, &wrong[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL), sum += wrong[i];
  printf("%d threads, %d jobs, %d wrong\n", THREADS, THREADS * JOBS, sum);
  return sum != 0;
}
