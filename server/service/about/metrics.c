// GET /metrics: gauges are read when they are asked for, everything else was counted where it happened.
#include "base/log/metrics.h"
#include "base/share/budget.h"
#include "queue/queue.h"
#include "service/about/about.h"

#include <stdio.h>
#include <stdlib.h>

_Static_assert(JOB_QUEUED == 0 && JOB_RUNNING == 1 && JOB_SUCCEEDED == 2 && JOB_FAILED == 3 && JOB_CANCELLED == 4 &&
                   JOB_STATE_COUNT == 5,
               "series of the metrics by state are numbered like this");

static bool read_store(store *s) {
  int64_t counts[JOB_STATE_COUNT];
  store_sizes sizes;
  if (store_job_counts(s, counts) != STORE_OK || store_sizes_read(s, &sizes) != STORE_OK) return false;
  for (int state = 0; state < JOB_STATE_COUNT; state++) metrics_set(METRIC_JOBS, state, counts[state]);
  metrics_set(METRIC_DATABASE_BYTES, 0, sizes.database);
  metrics_set(METRIC_WAL_BYTES, 0, sizes.wal);
  metrics_set(METRIC_RESULT_BYTES, 0, sizes.results);
  return true;
}

static void read_memory(void) {
  for (int a = 0; a < BUDGET_ACCOUNT_COUNT; a++) {
    metrics_set(METRIC_MEMORY, a, (int64_t)budget_used((budget_account)a));
    metrics_set(METRIC_MEMORY_REFUSED, a, (int64_t)budget_refused((budget_account)a));
  }
  metrics_set(METRIC_MEMORY_BUDGET, 0, (int64_t)budget_bytes());
}

static void read_queue(queue *q) {
  int busy = queue_running(q), slots = queue_slots(q);
  metrics_set(METRIC_WORKERS, METRIC_BUSY, busy);
  metrics_set(METRIC_WORKERS, METRIC_IDLE, slots - busy);
}

// Of the jobs of one owner; what the process did for all is not told.
static bool own_metrics(service *s, const char *owner, codec_buffer *reply, fault *f) {
  int64_t counts[JOB_STATE_COUNT];
  char line[96];
  if (store_job_counts_of(s->store, owner, counts) != STORE_OK)
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the store does not answer");
  codec_buffer_text(reply, "# TYPE tendril_jobs gauge\n# HELP tendril_jobs Jobs in the store of the owner who asks.\n");
  for (int state = 0; state < JOB_STATE_COUNT; state++) {
    snprintf(line, sizeof line, "tendril_jobs{state=\"%s\"} %lld\n", job_state_name((job_state)state),
             (long long)counts[state]);
    codec_buffer_text(reply, line);
  }
  codec_buffer_text(reply, "# EOF\n");
  return true;
}

bool about_metrics(service *s, const auth_caller *who, codec_buffer *reply, fault *f) {
  size_t size = 0;
  if (!who->sees_all) return own_metrics(s, who->owns, reply, f);
  if (!read_store(s->store)) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the store does not answer");
  read_queue(s->queue);
  read_memory();
  metrics_read_process();
  char *text = metrics_text(&size);
  if (!text) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  codec_buffer_append(reply, text, size);
  free(text);
  return true;
}
