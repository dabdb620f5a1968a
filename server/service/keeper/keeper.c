// One thread: after the start the pages of the database are checked, then and every hour rows and files of results are
// compared, and every other second old jobs are looked for, a bounded number at a time.
//
// Age: what ended longer than retention_days ago goes, by a clock that does not follow a jump of the wall clock for a
// day, and no more than a share of all jobs in an hour. When even the youngest job is that old (a server that was off
// or idle for long, or a wrong clock), the log says what will go, and nothing does for an hour. Quota: while results
// take more than it allows, the oldest go of whoever holds most (service/keeper/shares.h), but none that ended less
// than retention_min_days ago; when that does not help, new jobs are refused until it does. Jobs that were accepted
// still run: the quota is where accepting ends, not where results are cut off. What is kept of unfinished jobs counts,
// too: of those that failed or were cancelled it goes first, and a running one whose rows alone would be beyond the
// quota is stopped (store/part_room.c). Of several processes on one database one does that for all (store_lead). Every
// job that goes is a line in the log and a count in the metrics.
#include "service/keeper/keeper.h"
#include "base/clock.h"
#include "base/log/log.h"
#include "base/log/metrics.h"
#include "base/steady_clock.h"
#include "service/keeper/shares.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
  BATCH = 100,
  PAUSE_S = 2,
  SCAN_PASSES = 3600 / PAUSE_S,
  AGAIN_PASSES = 130 / PAUSE_S,
  HOURLY_LEAST = 1000,
  HOURLY_SHARE = 10
};
static const char PRUNING[] = "pruning";
static const int64_t DAY_MS = 86400000;
static const double HOUR_S = 3600;

struct keeper {
  store *store;
  keeper_options options;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  bool stopping; // under the lock
  steady_clock clock;
  double begin_s;         // every job is old: pruning by age begins then; 0: some are young
  double hour_s;          // the present hour of pruning by age ends then
  int64_t left_this_hour; // jobs that may go in it
  shares *shares;         // of the quota
  int passes_over;        // looks since when results take more than the quota, where others prune
  _Atomic bool full;
  _Atomic int64_t bytes; // of results, at the last look
};

static bool goes_on(void *context) {
  keeper *k = context;
  pthread_mutex_lock(&k->lock);
  bool stopping = k->stopping;
  pthread_mutex_unlock(&k->lock);
  return !stopping;
}

// ------------------------------------------------------------------------------------------------------------ pruning

static bool prune_one(keeper *k, const store_old_job *job, metric_prune reason) {
  char finished[CLOCK_TEXT_SIZE];
  if (store_job_delete(k->store, job->id) != STORE_OK) return false; // deleted by a client meanwhile, or the disk fails
  clock_format(job->finished_ms, finished);
  log_write(LOG_LEVEL_INFO, "job_pruned", LOG_S("job", job->id),
            LOG_S("reason", reason == METRIC_PRUNED_AGE ? "age" : "quota"), LOG_S("finished_at", finished),
            LOG_I("bytes", job->result_size));
  metrics_add(METRIC_JOBS_PRUNED, (int)reason, 1);
  return true;
}

// The time that jobs age by.
static int64_t now_ms(keeper *k) {
  int64_t jump_ms, now = steady_clock_read(&k->clock, clock_now_ms(), clock_boot_ms(), &jump_ms);
  if (jump_ms != 0)
    log_write(LOG_LEVEL_WARNING, "clock_jumped", LOG_F("seconds", 1e-3 * (double)jump_ms),
              LOG_S("detail", "retention goes by the old time for a day, or until the next start"));
  return now;
}

// Everything would go: that is said, and an hour left to whoever knows better.
static bool may_begin(keeper *k, int64_t before_ms) {
  int64_t count, last_ms;
  if (store_job_ended(k->store, &count, &last_ms) != STORE_OK || count == 0) return false;
  if (last_ms >= before_ms) k->begin_s = 0;
  if (last_ms >= before_ms || k->begin_s > 0) return clock_monotonic_s() >= k->begin_s;
  k->begin_s = clock_monotonic_s() + HOUR_S;
  log_write(
      LOG_LEVEL_WARNING, "retention_will_delete", LOG_I("jobs", count), LOG_F("in_s", HOUR_S),
      LOG_S("detail", "every job is older than retention-days: if the clock is wrong, stop the server and set it"));
  return false;
}

static void begin_hour(keeper *k) {
  int64_t count = 0, last_ms;
  if (clock_monotonic_s() < k->hour_s || store_job_ended(k->store, &count, &last_ms) != STORE_OK) return;
  k->hour_s = clock_monotonic_s() + HOUR_S;
  k->left_this_hour = count / HOURLY_SHARE > HOURLY_LEAST ? count / HOURLY_SHARE : HOURLY_LEAST;
}

static void prune_by_age(keeper *k) {
  store_old_job old[BATCH];
  int count = 0;
  if (k->options.retention_days == 0 || !store_lead(k->store, PRUNING)) return;
  int64_t before_ms = now_ms(k) - k->options.retention_days * DAY_MS;
  if (!may_begin(k, before_ms)) return;
  begin_hour(k);
  int most = k->left_this_hour < BATCH ? (int)k->left_this_hour : BATCH;
  if (most == 0 || store_job_oldest(k->store, NULL, before_ms, false, most, old, &count) != STORE_OK) return;
  for (int i = 0; i < count && goes_on(k); i++) k->left_this_hour -= prune_one(k, &old[i], METRIC_PRUNED_AGE);
}

// Some of an owner's, the oldest first, until so much is gone. Returns what went; *tried jobs were there to go.
static int64_t prune_owner(keeper *k, const owner_share *who, int64_t bytes, int limit, int *tried) {
  store_old_job old[BATCH];
  int64_t before_ms = now_ms(k) - k->options.retention_min_days * DAY_MS, gone = 0;
  int count = 0;
  *tried = 0;
  if (store_job_oldest(k->store, who->everybody ? NULL : who->owner, before_ms, true, limit, old, &count) != STORE_OK)
    return 0;
  for (; *tried < count && gone < bytes && goes_on(k); ++*tried)
    if (prune_one(k, &old[*tried], METRIC_PRUNED_QUOTA)) gone += old[*tried].result_size;
  shares_drop(k->shares, who->owner, gone);
  return gone;
}

// Whoever holds most makes room first, until everybody has his share at most, and all the quota. One job at a time
// where there are several owners: who holds most may change with it. False: there is more to delete.
static bool prune_shares(keeper *k, int64_t *bytes) {
  owner_share who;
  int left = BATCH;
  while (left > 0 && goes_on(k) && shares_greatest(k->shares, *bytes, &who)) {
    int tried = 0;
    int64_t gone = prune_owner(k, &who, 1, 1, &tried);
    *bytes -= gone;
    left -= tried;
    if (gone == 0) shares_leave_alone(k->shares, who.owner);
  }
  return left > 0;
}

// Another process prunes, and has had time to.
static bool is_long_over(keeper *k, bool over) {
  enum { PASSES = 5 };
  k->passes_over = over ? k->passes_over + 1 : 0;
  return k->passes_over > PASSES;
}

static void prune_by_quota(keeper *k) {
  int64_t bytes = 0, quota = k->options.quota_bytes;
  if (quota == 0 || store_result_bytes(k->store, &bytes) != STORE_OK || !shares_read(k->shares, k->store)) return;
  store_part_limit(k->store, &(store_part_limits){quota, k->options.owner_bytes, shares_owners(k->shares)});
  bool done = store_lead(k->store, PRUNING) ? prune_shares(k, &bytes) : is_long_over(k, bytes >= quota);
  store_part_drop_ended(k->store, quota > bytes ? quota - bytes : 0);
  bytes += store_part_bytes(k->store);
  bool full = bytes >= quota && done;
  if (full != atomic_exchange(&k->full, full))
    log_write(full ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, full ? "quota_reached" : "quota_free", LOG_I("bytes", bytes),
              LOG_I("quota_bytes", quota));
  atomic_store(&k->bytes, bytes);
}

bool keeper_accepts(keeper *k, const char *owner, fault *f) {
  int64_t bytes;
  bool several;
  int64_t parts = store_part_bytes_of(k->store, owner);
  if (k->options.quota_bytes == 0 || !shares_is_full(k->shares, owner, atomic_load(&k->bytes), parts, &bytes, &several))
    return true;
  metrics_add(METRIC_RESULTS_REFUSED, 0, 1);
  int days = k->options.retention_min_days;
  if (several) // nothing of what others have
    return fault_set(f, PROBLEM_QUOTA_EXCEEDED, NULL,
                     "your results take %lld MiB, which is your share of results-quota (results-quota-per-owner), and "
                     "those that ended less than %d days ago are kept (retention-min-days): delete jobs that are not "
                     "needed any more",
                     (long long)(bytes >> 20), days);
  return fault_set(f, PROBLEM_QUOTA_EXCEEDED, NULL,
                   "results, and what is kept of running jobs, take %lld MiB of the %lld MiB that results-quota "
                   "allows, and those that ended less than %d "
                   "days ago are kept (retention-min-days): delete jobs that are not needed any more",
                   (long long)(bytes >> 20), (long long)(k->options.quota_bytes >> 20), days);
}

// ------------------------------------------------------------------------------------------------------------- thread

// True when it is to be looked at again soon: what could not be read, or may only be on its way to this machine.
static bool scan(keeper *k) {
  store_scan s = {.go_on = goes_on, .context = k};
  if (store_result_scan(k->store, &s) != STORE_OK) return false; // another node does it, or the database is away
  log_write(s.lost > 0 ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO, "results_scanned", LOG_I("results", s.results),
            LOG_I("lost", s.lost), LOG_I("orphans", s.orphans));
  return s.unsure > 0;
}

// In the background: nobody waits for it, readiness hears of what it finds.
static void check_database(keeper *k) {
  double began = clock_monotonic_s();
  if (store_quick_check(k->store, goes_on, k) == STORE_OK)
    log_write(LOG_LEVEL_INFO, "database_checked", LOG_F("seconds", clock_monotonic_s() - began));
}

static void pause_between(keeper *k) {
  struct timespec when;
  clock_gettime(CLOCK_MONOTONIC, &when);
  when.tv_sec += PAUSE_S;
  pthread_mutex_lock(&k->lock);
  for (int error = 0; !k->stopping && error != ETIMEDOUT;) error = pthread_cond_timedwait(&k->wake, &k->lock, &when);
  pthread_mutex_unlock(&k->lock);
}

static void shrink(keeper *k) {
  bool more = true;
  while (more && goes_on(k) && store_shrink(k->store, &more) == STORE_OK) {
  }
}

static void *run(void *context) {
  keeper *k = context;
  check_database(k);
  for (unsigned pass = 0, next = 0; goes_on(k); pass++) {
    if (pass >= next) next = pass + (scan(k) ? AGAIN_PASSES : SCAN_PASSES);
    prune_by_age(k);
    prune_by_quota(k);
    shrink(k);
    pause_between(k);
  }
  return NULL;
}

keeper *keeper_start(store *s, const keeper_options *options) {
  keeper *k = calloc(1, sizeof *k);
  if (!k) return NULL;
  k->store = s;
  k->options = *options;
  k->shares = shares_create(options->quota_bytes, options->owner_bytes, options->one_owner);
  if (!k->shares) return free(k), NULL;
  store_part_limit(s, &(store_part_limits){options->quota_bytes, options->owner_bytes, 1});
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&k->lock, NULL);
  pthread_cond_init(&k->wake, &monotonic);
  pthread_condattr_destroy(&monotonic);
  prune_by_quota(k); // nothing is accepted that the first look would refuse
  if (pthread_create(&k->thread, NULL, run, k) == 0) return k;
  shares_destroy(k->shares);
  free(k);
  return NULL;
}

void keeper_stop(keeper *k) {
  if (!k) return;
  pthread_mutex_lock(&k->lock);
  k->stopping = true;
  pthread_cond_signal(&k->wake);
  pthread_mutex_unlock(&k->lock);
  pthread_join(k->thread, NULL);
  pthread_mutex_destroy(&k->lock);
  pthread_cond_destroy(&k->wake);
  shares_destroy(k->shares);
  free(k);
}

const keeper_options *keeper_get_options(const keeper *k) { return &k->options; }
