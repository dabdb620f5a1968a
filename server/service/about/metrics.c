// GET /metrics: gauges are read when they are asked for, everything else was counted where it happened.
#include "base/log/metrics.h"
#include "base/share/budget.h"
#include "queue/queue.h"
#include "service/about/about.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char END[] = "# EOF\n"; // the last line of all metrics

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
  codec_buffer_text(reply, END);
  return true;
}

typedef struct node_lines {
  codec_buffer *reply;
  const char *name;
} node_lines;

static void write_node(void *context, const store_node *row) {
  const node_lines *lines = context;
  bool slots = strcmp(lines->name, "tendril_node_slots") == 0;
  char line[256];
  snprintf(line, sizeof line, "%s{node=\"%s\",state=\"%s\"} %lld\n", lines->name, row->name,
           !row->alive     ? "lost"
           : row->draining ? "draining"
                           : "ready",
           slots ? (long long)row->slots : (long long)row->running);
  codec_buffer_text(lines->reply, line);
}

// Of all nodes at any of them: those that serve nothing are asked by nobody.
static void write_nodes(store *s, codec_buffer *reply) {
  static const char *const families[][2] = {{"tendril_node_slots", "Jobs that a node runs at a time."},
                                            {"tendril_node_jobs_running", "Jobs that a node has."}};
  bool told = true;
  for (size_t i = 0; told && i < sizeof families / sizeof *families; i++) {
    char head[256];
    node_lines lines = {reply, families[i][0]};
    snprintf(head, sizeof head, "# TYPE %s gauge\n# HELP %s %s\n", families[i][0], families[i][0], families[i][1]);
    codec_buffer_text(reply, head);
    told = store_node_list(s, &(store_visit){.context = &lines, .node = write_node}) == STORE_OK;
  }
}

bool about_metrics(service *s, const auth_caller *who, codec_buffer *reply, fault *f) {
  size_t size = 0;
  if (!who->sees_all) return own_metrics(s, who->owns, reply, f);
  bool up = read_store(s->store);
  metrics_set(METRIC_STORE_UP, 0, up);
  read_queue(s->queue);
  read_memory();
  metrics_read_process();
  char *text = metrics_text(&size);
  if (!text) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  assert(size > sizeof END - 1 && strcmp(text + size - (sizeof END - 1), END) == 0);
  codec_buffer_append(reply, text, size - (sizeof END - 1));
  free(text);
  if (up) write_nodes(s->store, reply);
  codec_buffer_text(reply, END);
  return true;
}
