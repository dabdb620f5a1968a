// Groups store and store_postgresql: the queue's own work on the disk, without HTTP and worker processes: a job of no
// work is submitted, claimed and finished, each acknowledged after a synced commit, by as many threads as there may be
// clients. The second group has its rows in the database that TENDRIL_BENCH_STORE names (postgresql://…), an empty
// schema of it, and nothing to say without one; there claims are also made by several nodes, each a store of its own with
// a share of the threads.
#include "store/store.h"
#include "base/log/log.h"
#include "bench/bench.h"

#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 64, JOBS = 4000, WAITING = 20000, NODES = 3 };

typedef struct fixture {
  char folder[64];
  store *store; // NULL: there is nothing to measure
  store *others[NODES - 1];
  int synced;
  _Atomic int left, failed;
} fixture;

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
  (void)info, (void)type, (void)walk;
  return remove(path);
}

static void close_fixture(void *context) {
  fixture *f = context;
  for (int i = 0; i < NODES - 1; i++) store_close(f->others[i]);
  store_close(f->store);
  if (f->synced >= 0) close(f->synced);
  if (*f->folder) nftw(f->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  free(f);
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  const char *database = getenv("TENDRIL_BENCH_STORE");
  bool elsewhere = group == &bench_store_postgresql;
  char path[96], message[STORE_MESSAGE_SIZE] = "no temporary folder";
  fixture *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  log_set_level(LOG_LEVEL_ERROR);
  strcpy(f->folder, "/tmp/tendril-bench-XXXXXX");
  if (!mkdtemp(f->folder)) *f->folder = '\0';
  snprintf(path, sizeof path, "%s/synced", f->folder);
  f->synced = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  snprintf(path, sizeof path, "%s/data", f->folder);
  const store_where where = {.folder = path, .rows = elsewhere ? database : NULL};
  if (elsewhere && !database) return f;
  f->store = f->synced >= 0 ? store_open_at(&where, message) : NULL;
  if (f->store) return f;
  snprintf(why, BENCH_NOTE_SIZE, "%.150s", message);
  return close_fixture(f), NULL;
}

static bool call_sync(void *context) {
  fixture *f = context;
  static const char page[4096];
  return pwrite(f->synced, page, sizeof page, 0) == sizeof page && fdatasync(f->synced) == 0;
}

static void synced_write(void *context, bench_figure *figure) {
  bench_measure(&(bench_plan){.clock = BENCH_WALL, .call = call_sync, .context = context, .each_call = true}, figure);
}

static bool submit(fixture *f) {
  store_job job = {.kind = "statics", .document = "{}", .labels = "{}", .t_end = NAN};
  id_make(job.id);
  digest_of("{}", 2, job.model_sha256);
  return store_job_insert(f->store, &job, "{}", &(store_room){.all = 1 << 20}, &(store_request){.key = NULL}) ==
         STORE_OK;
}

// Of whatever job is next.
static bool claim_and_finish(fixture *f) {
  store_job job;
  char *document;
  int64_t due;
  store_status status;
  do status = store_job_claim(f->store, &job, &document, &due); // others may be taking all that are seen
  while (status == STORE_NOT_FOUND && due > 0);
  if (status != STORE_OK) return false;
  status = store_job_finish(f->store, job.id, job.attempt, &(store_outcome){.state = JOB_SUCCEEDED});
  store_job_fini(&job);
  free(document);
  return status == STORE_OK;
}

static void *run_jobs(void *context) {
  fixture *f = context;
  while (atomic_fetch_sub(&f->left, 1) > 0)
    if (!submit(f) || !claim_and_finish(f)) atomic_fetch_add(&f->failed, 1);
  return NULL;
}

static void *submit_jobs(void *context) {
  fixture *f = context;
  while (atomic_fetch_sub(&f->left, 1) > 0)
    if (!submit(f)) atomic_fetch_add(&f->failed, 1);
  return NULL;
}

// By threads that each have a node: the fixture's store or one of the others.
typedef struct claimer {
  fixture *f;
  store *store;
} claimer;

static void *claim_at(void *context) {
  const claimer *c = context;
  store_job job;
  char *document;
  int64_t due;
  while (atomic_fetch_sub(&c->f->left, 1) > 0) {
    store_status status;
    do status = store_job_claim(c->store, &job, &document, &due); // others may be taking all that are seen
    while (status == STORE_NOT_FOUND && due > 0);
    if (status != STORE_OK) {
      atomic_fetch_add(&c->f->failed, 1);
      continue;
    }
    store_job_fini(&job);
    free(document);
  }
  return NULL;
}

static store *open_other(const fixture *f, int i) {
  char path[96], message[STORE_MESSAGE_SIZE];
  snprintf(path, sizeof path, "%s/node-%d", f->folder, i);
  return store_open_at(&(store_where){.folder = path, .rows = getenv("TENDRIL_BENCH_STORE")}, message);
}

// Seconds for JOBS claims by THREADS threads over so many nodes; negative when one failed.
static double claim_over(fixture *f, int nodes) {
  pthread_t threads[THREADS];
  claimer claimers[THREADS];
  int started = 0;
  bool there = true;
  for (int i = 0; i < nodes - 1; i++) there = there && (f->others[i] || (f->others[i] = open_other(f, i)));
  f->left = JOBS;
  f->failed = 0;
  double before = bench_now(BENCH_WALL);
  for (; there && started < THREADS; started++) {
    int node = started % nodes;
    claimers[started] = (claimer){f, node == 0 ? f->store : f->others[node - 1]};
    if (pthread_create(&threads[started], NULL, claim_at, &claimers[started]) != 0) break;
  }
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  return started == THREADS && f->failed == 0 ? bench_now(BENCH_WALL) - before : -1;
}

// Seconds for `count` jobs by THREADS threads; negative when one failed.
static double run_threads(fixture *f, void *(*work)(void *), int count) {
  pthread_t threads[THREADS];
  int started = 0;
  f->left = count;
  f->failed = 0;
  double before = bench_now(BENCH_WALL);
  while (started < THREADS && pthread_create(&threads[started], NULL, work, f) == 0) started++;
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  return started == THREADS && f->failed == 0 ? bench_now(BENCH_WALL) - before : -1;
}

static bool is_there(const fixture *f, bench_figure *figure) {
  if (f->store) return true;
  figure->median = figure->min = NAN;
  bench_note(figure, "TENDRIL_BENCH_STORE names no database");
  return false;
}

static void life_1(void *context, bench_figure *figure) {
  fixture *f = context;
  double samples[200];
  if (!is_there(f, figure)) return;
  for (int i = 0; i < 200; i++) {
    double before = bench_now(BENCH_WALL);
    if (!submit(f) || !claim_and_finish(f)) {
      bench_fail(figure, "a job was refused");
      return;
    }
    samples[i] = bench_now(BENCH_WALL) - before;
  }
  bench_summarise(samples, 200, 1, figure);
}

static void life_64(void *context, bench_figure *figure) {
  double samples[3];
  if (!is_there(context, figure)) return;
  for (int i = 0; i < 3; i++)
    if ((samples[i] = run_threads(context, run_jobs, JOBS)) < 0) {
      bench_fail(figure, "a job was refused");
      return;
    }
  bench_summarise(samples, 3, JOBS, figure);
  bench_note(figure, "submitted, claimed, finished: %.0f jobs a second by %d threads", 1 / figure->median, THREADS);
}

static void *claim_jobs(void *context) {
  fixture *f = context;
  store_job job;
  char *document;
  int64_t due;
  while (atomic_fetch_sub(&f->left, 1) > 0) {
    if (store_job_claim(f->store, &job, &document, &due) != STORE_OK) atomic_fetch_add(&f->failed, 1);
    store_job_fini(&job);
    free(document);
  }
  return NULL;
}

// Submissions alone, then claims alone.
static void submit_64(void *context, bench_figure *figure) {
  if (!is_there(context, figure)) return;
  double taken = run_threads(context, submit_jobs, JOBS);
  if (taken < 0) bench_fail(figure, "a job was refused");
  bench_summarise(&taken, 1, JOBS, figure);
  bench_note(figure, "%.0f submissions a second by %d threads", JOBS / taken, THREADS);
}

static void claim_64(void *context, bench_figure *figure) {
  if (!is_there(context, figure)) return;
  double taken = run_threads(context, claim_jobs, JOBS);
  if (taken < 0) bench_fail(figure, "a job was not claimed");
  bench_summarise(&taken, 1, JOBS, figure);
  bench_note(figure, "%.0f claims a second by %d threads, of the jobs of submit_64", JOBS / taken, THREADS);
}

static void claims_of(fixture *f, int nodes, bench_figure *figure) {
  if (!is_there(f, figure)) return;
  double taken = run_threads(f, submit_jobs, JOBS) < 0 ? -1 : claim_over(f, nodes);
  if (taken < 0) bench_fail(figure, "a job was not claimed");
  bench_summarise(&taken, 1, JOBS, figure);
  bench_note(figure, "%.0f claims a second by %d threads of %d nodes", JOBS / taken, THREADS, nodes);
}
static void claims_2_nodes(void *context, bench_figure *figure) { claims_of(context, 2, figure); }
static void claims_3_nodes(void *context, bench_figure *figure) { claims_of(context, 3, figure); }

// A queue that is long must not make claims slow. The disk has just taken so many jobs, and may be slower than it was.
static void life_behind_20000(void *context, bench_figure *figure) {
  bench_figure synced = {.median = 0};
  if (!is_there(context, figure)) return;
  if (run_threads(context, submit_jobs, WAITING) < 0) {
    bench_fail(figure, "a job was refused");
    return;
  }
  life_1(context, figure);
  synced_write(context, &synced);
  bench_note(figure, "a synced write takes %.3g ms then", 1e3 * synced.median);
}

static const bench_row rows[] = {
    {"synced_write", "ms", synced_write, NULL}, {"life_1", "ms", life_1, "synced_write"},
    {"life_64", "ms", life_64, "synced_write"}, {"submit_64", "ms", submit_64, "synced_write"},
    {"claim_64", "ms", claim_64, "submit_64"},  {"life_1_behind_20000", "ms", life_behind_20000, "life_1"},
};
static const bench_row shared_rows[] = {
    {"synced_write", "ms", synced_write, NULL},
    {"life_1", "ms", life_1, "synced_write"},
    {"life_64", "ms", life_64, "synced_write"},
    {"submit_64", "ms", submit_64, "synced_write"},
    {"claim_64", "ms", claim_64, "submit_64"},
    {"claims_2_nodes", "ms", claims_2_nodes, "claim_64"},
    {"claims_3_nodes", "ms", claims_3_nodes, "claim_64"},
    {"life_1_behind_20000", "ms", life_behind_20000, "life_1"},
};
const bench_group bench_store = {"store", BENCH_ROWS(rows), open_fixture, close_fixture, 0};
const bench_group bench_store_postgresql = {"store_postgresql", BENCH_ROWS(shared_rows), open_fixture, close_fixture,
                                            0};
