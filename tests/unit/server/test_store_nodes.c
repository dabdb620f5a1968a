// Two processes' stores on one database: what one of them owns the other cannot touch, and what it loses the other finds.
#include "base/clock.h"
#include "base/id.h"
#include "base/log/metrics.h"
#include "store/store.h"
#include "support/stores.h"
#include "support/suite.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 60, THREADS = 4 };

static char folder[TEST_PLACE_SIZE], other_folder[TEST_PLACE_SIZE + 8];
static int kind; // of store: those that several nodes may open
static store *a, *b;

static store *open_node(const char *place) {
  char message[STORE_MESSAGE_SIZE] = "";
  store *s = test_store_open_node(kind, folder, place, message);
  ck_assert_msg(s != NULL, "%s", message);
  return s;
}

static void setup(int number) {
  kind = 1 + number;
  test_stores[kind].make(folder);
  snprintf(other_folder, sizeof other_folder, "%s/other", folder);
  a = open_node(folder);
  b = open_node(other_folder);
}

static void teardown(void) {
  store_close(a);
  store_close(b);
  test_stores[kind].remove(folder);
}

static store_job job_of(const char *what, const char *parent) {
  store_job job = {.document = "{}", .labels = "{}", .t_end = NAN};
  id_make(job.id);
  snprintf(job.kind, sizeof job.kind, "%s", what);
  snprintf(job.parent, sizeof job.parent, "%s", parent);
  digest_of("{}", 2, job.model_sha256);
  return job;
}

static store_status submit(store *s, const char *key, char id[ID_SIZE]) {
  store_job job = job_of("statics", "");
  memcpy(id, job.id, ID_SIZE);
  return store_job_insert(s, &job, "{}", &(store_room){.all = 1000},
                          &(store_request){.key = key, .owner = "", .sha256 = "x"});
}

static store_status claim(store *s, char id[ID_SIZE], int *attempt) {
  store_job job;
  char *document = NULL;
  int64_t due;
  store_status status = store_job_claim(s, &job, &document, &due);
  if (status == STORE_OK) memcpy(id, job.id, ID_SIZE), *attempt = job.attempt;
  if (status == STORE_OK) store_job_fini(&job);
  free(document);
  return status;
}

static store_job get(store *s, const char *id) {
  store_job job;
  ck_assert_int_eq(store_job_get(s, id, &job), STORE_OK);
  store_job_fini(&job);
  return job;
}

static _Atomic int finished, refused;

static void *run_jobs(void *context) {
  char id[ID_SIZE];
  int attempt;
  store_outcome good = {.state = JOB_SUCCEEDED};
  while (claim(context, id, &attempt) == STORE_OK)
    atomic_fetch_add(attempt == 1 && store_job_finish(context, id, attempt, &good) == STORE_OK ? &finished : &refused,
                     1);
  return NULL;
}

START_TEST(each_job_is_given_to_one_node_once) {
  setup(_i);
  char id[ID_SIZE];
  pthread_t threads[2 * THREADS];
  finished = refused = 0;
  for (int i = 0; i < JOBS; i++) ck_assert_int_eq(submit(i % 2 ? a : b, NULL, id), STORE_OK);
  for (int i = 0; i < 2 * THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, run_jobs, i % 2 ? a : b), 0);
  for (int i = 0; i < 2 * THREADS; i++) pthread_join(threads[i], NULL);
  int64_t counts[JOB_STATE_COUNT];
  ck_assert_int_eq(store_job_counts(b, counts), STORE_OK);
  ck_assert(finished == JOBS && refused == 0);
  ck_assert(counts[JOB_SUCCEEDED] == JOBS && counts[JOB_QUEUED] == 0 && counts[JOB_RUNNING] == 0);
  teardown();
}
END_TEST

static int64_t statements(void) {
  static const char name[] = "\ntendril_store_statements_total ";
  size_t size;
  char *text = metrics_text(&size);
  const char *found = text ? strstr(text, name) : NULL;
  int64_t count = found ? strtoll(found + sizeof name - 1, NULL, 10) : -1;
  free(text);
  return count;
}

static void *claim_one(void *context) {
  char id[ID_SIZE];
  int attempt = 0;
  if (claim(context, id, &attempt) == STORE_OK) atomic_fetch_add(&finished, 1);
  return NULL;
}

// The first waits for a lock that somebody has, the others for him.
START_TEST(claims_that_come_together_of_several_queues_are_one_change_of_few_statements) {
  enum { CLAIMS = 24, QUEUES = 4 };
  setup(_i);
  pthread_t threads[CLAIMS];
  finished = 0;
  for (int i = 0; i < CLAIMS; i++) {
    store_job job = {.kind = "statics", .document = "{}", .labels = "{}", .t_end = NAN};
    id_make(job.id);
    digest_of("{}", 2, job.model_sha256);
    snprintf(job.queue, sizeof job.queue, "queue-%d", i % QUEUES);
    ck_assert_int_eq(store_job_insert(a, &job, "{}", &(store_room){.all = 1000}, &(store_request){.key = NULL}),
                     STORE_OK);
  }
  void *held = test_store_hold(kind, folder, "LOCK TABLE jobs IN EXCLUSIVE MODE; SELECT 1");
  int64_t before = statements();
  for (int i = 0; i < CLAIMS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, claim_one, a), 0);
  usleep(500000);
  test_store_release(held);
  for (int i = 0; i < CLAIMS; i++) pthread_join(threads[i], NULL);
  int64_t asked = statements() - before;
  ck_assert_int_eq(finished, CLAIMS);
  ck_assert_msg(asked < 3 * CLAIMS, "%lld statements for %d claims", (long long)asked, CLAIMS);
  teardown();
}
END_TEST

// Who takes it may fail, and nobody tells of that.
START_TEST(a_job_that_others_are_about_to_take_is_asked_for_again_soon) {
  setup(_i);
  char id[ID_SIZE];
  int attempt;
  store_job job;
  char *document;
  int64_t due = 0;
  ck_assert_int_eq(store_job_claim(a, &job, &document, &due), STORE_NOT_FOUND);
  ck_assert_int_eq(due, 0);
  ck_assert_int_eq(submit(a, NULL, id), STORE_OK);
  void *held = test_store_hold(kind, folder, "SELECT 1 FROM jobs FOR UPDATE");
  ck_assert_int_eq(store_job_claim(a, &job, &document, &due), STORE_NOT_FOUND);
  ck_assert(due > 0 && due < clock_now_ms() + 1000);
  test_store_release(held);
  while (claim(a, id, &attempt) != STORE_OK) usleep(10000);
  ck_assert_int_eq(attempt, 1);
  teardown();
}
END_TEST

START_TEST(an_attempt_is_written_by_its_node_only) {
  setup(_i);
  char id[ID_SIZE];
  int attempt = 0, count = 0;
  store_outcome good = {.state = JOB_SUCCEEDED};
  ck_assert_int_eq(submit(a, NULL, id), STORE_OK);
  ck_assert_int_eq(claim(a, id, &attempt), STORE_OK);
  ck_assert_int_eq(store_job_finish(b, id, attempt, &good), STORE_PRECONDITION);
  ck_assert_int_eq(store_job_requeue(b, id, attempt, true, 0), STORE_PRECONDITION);
  ck_assert_int_eq(store_job_requeue_running(b, &count), STORE_OK); // a node that starts leaves the others' alone
  ck_assert_int_eq(count, 0);
  ck_assert_int_eq(get(b, id).state, JOB_RUNNING);
  ck_assert_int_eq(store_job_finish(a, id, attempt, &good), STORE_OK);
  teardown();
}
END_TEST

START_TEST(a_request_that_comes_to_two_nodes_makes_one_job) {
  setup(_i);
  char id[ID_SIZE], other[ID_SIZE];
  store_job found;
  ck_assert_int_eq(submit(a, "key", id), STORE_OK);
  ck_assert_int_eq(submit(b, "key", other), STORE_EXISTS);
  ck_assert_int_eq(store_job_find_request(b, &(store_request){.key = "key", .owner = "", .sha256 = "x"}, &found),
                   STORE_OK);
  ck_assert_str_eq(found.id, id);
  store_job_fini(&found);
  teardown();
}
END_TEST

static char heard_id[ID_SIZE];
static _Atomic int heard, heard_work;
static void hear(void *context, const char *id) {
  (void)context;
  if (id && strcmp(id, heard_id) == 0) atomic_fetch_add(&heard, 1);
}
static void hear_work(void *context, bool many) {
  (void)context, (void)many;
  atomic_fetch_add(&heard_work, 1);
}

// A node knows of others when it renews its lease, so the first hints may be missed: the poll stands behind them.
START_TEST(what_one_node_changes_is_told_at_the_other) {
  setup(_i);
  store_job row;
  heard = heard_work = 0;
  ck_assert_int_eq(submit(a, NULL, heard_id), STORE_OK);
  ck_assert(store_listen(b, hear, &heard) && store_listen_for_work(b, hear_work, &heard_work));
  while (heard_work == 0) usleep(10000);
  while (heard == 0) {
    ck_assert_int_eq(store_job_cancel(a, heard_id, &row), STORE_OK);
    store_job_fini(&row);
    usleep(100000);
  }
  store_unlisten(b, &heard);
  store_unlisten(b, &heard_work);
  teardown();
}
END_TEST

// As a killed process leaves it: its lease is not renewed.
static void lose(const char *id) {
  ck_assert_int_eq(test_store_ask(kind, folder,
                                  "WITH x AS (UPDATE jobs SET node = 'gone' WHERE state = 'running' AND kind <> "
                                  "'sweep' RETURNING 1) "
                                  "SELECT count(*) FROM x"),
                   1);
  while (get(b, id).state == JOB_RUNNING) usleep(100000);
}

START_TEST(what_a_node_that_is_gone_had_running_waits_again_and_its_late_words_are_not_taken) {
  setup(_i);
  char id[ID_SIZE], again[ID_SIZE];
  int attempt = 0, next = 0;
  store_outcome good = {.state = JOB_SUCCEEDED};
  ck_assert_int_eq(submit(a, NULL, id), STORE_OK);
  ck_assert_int_eq(claim(a, id, &attempt), STORE_OK);
  lose(id);
  ck_assert_int_eq(claim(b, again, &next), STORE_OK);
  ck_assert_str_eq(again, id);
  ck_assert_int_eq(next, attempt + 1);
  ck_assert_int_eq(get(b, id).crashes, 0);
  ck_assert_int_eq(store_job_finish(a, id, attempt, &good), STORE_PRECONDITION);
  ck_assert_int_eq(store_job_finish(b, id, next, &good), STORE_OK);
  teardown();
}
END_TEST

static void keep_result(store *s, const char *id, int attempt, const char *text, char sha256[DIGEST_HEX_SIZE]) {
  int fd = store_result_create(s, id, attempt);
  ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
  digest_of(text, strlen(text), sha256);
  ck_assert_int_eq(store_result_commit(s, id, attempt, fd, sha256), STORE_OK);
  close(fd);
}

static void check_result(store *s, const char *id, const char *text) {
  char found[64] = "";
  int fd = -1;
  store_job job = get(s, id);
  ck_assert_int_eq(store_result_open(s, &job, &fd), STORE_RESULT_GOOD);
  ck_assert_int_eq((int)read(fd, found, sizeof found - 1), (int)strlen(text));
  ck_assert_str_eq(found, text);
  close(fd);
}

START_TEST(a_result_is_read_at_every_node_though_the_one_that_wrote_it_is_gone) {
  setup(_i);
  char id[ID_SIZE], sha256[DIGEST_HEX_SIZE];
  int attempt = 0;
  ck_assert_int_eq(submit(a, NULL, id), STORE_OK);
  ck_assert_int_eq(claim(a, id, &attempt), STORE_OK);
  keep_result(a, id, attempt, "what a computed", sha256);
  store_outcome good = {.state = JOB_SUCCEEDED, .result_size = 15, .result_sha256 = sha256};
  ck_assert_int_eq(store_job_finish(a, id, attempt, &good), STORE_OK);
  store_close(a);
  a = NULL;
  check_result(b, id, "what a computed");
  teardown();
}
END_TEST

START_TEST(an_orphan_goes_on_from_its_checkpoint_at_another_node_and_what_its_first_node_adds_is_not_taken) {
  setup(_i);
  char id[ID_SIZE], sha256[DIGEST_HEX_SIZE], late[DIGEST_HEX_SIZE];
  int attempt = 0, next = 0;
  store_part mine, other;
  ck_assert_int_eq(submit(a, NULL, id), STORE_OK);
  ck_assert_int_eq(claim(a, id, &attempt), STORE_OK);
  ck_assert_int_eq(store_part_open(a, id, "", &mine), STORE_OK);
  ck_assert_int_eq(store_part_write(a, id, &mine, 0, "12345678", 8), STORE_OK);
  ck_assert_int_eq(store_part_commit(a, id, attempt, &mine, "state", 5), STORE_OK);
  ck_assert_int_eq(store_part_read(b, id, &other), STORE_OK); // what it has so far is read at any node
  ck_assert(other.committed == 8 && other.state_size == 5);
  store_part_close(&other);
  lose(id);
  ck_assert_int_eq(claim(b, id, &next), STORE_OK);
  ck_assert_int_eq(store_part_write(a, id, &mine, 8, "late", 4), STORE_OK);
  ck_assert_int_eq(store_part_commit(a, id, attempt, &mine, "other", 5), STORE_PRECONDITION);
  ck_assert_int_eq(store_part_write(a, id, &mine, 0, "anew", 4), STORE_OK); // the checkpoint is not its own any more
  store_part_remove(a, id, "");
  store_part_close(&mine);
  ck_assert_int_eq(store_part_open(b, id, "", &other), STORE_OK);
  ck_assert(other.committed == 8 && other.state_size == 5 && memcmp(other.state, "state", 5) == 0);
  ck_assert_int_eq(store_part_write(b, id, &other, 8, "more", 4), STORE_OK);
  ck_assert_int_eq(store_part_commit(b, id, next, &other, "then", 4), STORE_OK);
  store_part_close(&other);
  keep_result(a, id, attempt, "late", late); // a zombie's result lies beside the winner's
  keep_result(b, id, next, "the winner's", sha256);
  store_outcome good = {.state = JOB_SUCCEEDED, .result_size = 12, .result_sha256 = sha256};
  ck_assert_int_eq(store_job_finish(b, id, next, &good), STORE_OK);
  check_result(a, id, "the winner's");
  teardown();
}
END_TEST

static int64_t count_results(void) {
  char command[128];
  if (!test_stores[kind].patient) {
    int64_t rows = test_store_ask(kind, folder, "SELECT count(*) FROM results");
    ck_assert_int_eq(test_store_ask(kind, folder, "SELECT count(*) FROM chunks"), rows);
    return rows;
  }
  snprintf(command, sizeof command, "exit $(ls %s/shared/results | wc -l)", folder);
  return WEXITSTATUS(system(command));
}

// All were written an hour ago.
static void age_results(void) {
  char command[128];
  snprintf(command, sizeof command, "touch -d '1 hour ago' %s/shared/results/*", folder);
  if (test_stores[kind].patient)
    ck_assert_int_eq(system(command), 0);
  else
    ck_assert_int_eq(test_store_ask(kind, folder,
                                    "WITH x AS (UPDATE results SET touched_ms = touched_ms - 3600000 RETURNING 1) "
                                    "SELECT count(*) FROM x"),
                     2);
}

START_TEST(what_dead_nodes_left_goes_after_a_while_by_one_node_and_nothing_else) {
  setup(_i);
  char id[ID_SIZE], sha256[DIGEST_HEX_SIZE], late[DIGEST_HEX_SIZE];
  int attempt = 0, next = 0;
  store_scan scan = {.results = 0};
  ck_assert_int_eq(submit(a, NULL, id), STORE_OK);
  ck_assert_int_eq(claim(a, id, &attempt), STORE_OK);
  keep_result(a, id, attempt, "late", late);
  ck_assert_int_eq(store_job_requeue(a, id, attempt, false, 0), STORE_OK);
  ck_assert_int_eq(claim(b, id, &next), STORE_OK);
  keep_result(b, id, next, "the winner's", sha256);
  store_outcome good = {.state = JOB_SUCCEEDED, .result_size = 12, .result_sha256 = sha256};
  ck_assert_int_eq(store_job_finish(b, id, next, &good), STORE_OK);
  ck_assert_int_eq(store_result_scan(a, &scan), STORE_OK);
  ck_assert(scan.results == 1 && scan.lost == 0);
  ck_assert_int_eq(store_result_scan(b, &scan), STORE_PRECONDITION); // a does it for both
  ck_assert_int_eq(count_results(), 2);
  age_results();
  ck_assert_int_eq(store_result_scan(a, &scan), STORE_OK);
  ck_assert_int_eq(count_results(), 1);
  check_result(a, id, "the winner's");
  teardown();
}
END_TEST

// By the database's clock, which is moved by what its row says.
START_TEST(a_result_that_is_missing_is_lost_two_minutes_after_its_job_ended_and_found_again) {
  setup(_i);
  if (test_stores[kind].patient) {
    char id[ID_SIZE], sha256[DIGEST_HEX_SIZE], command[400];
    int attempt = 0;
    ck_assert_int_eq(submit(a, NULL, id), STORE_OK);
    ck_assert_int_eq(claim(a, id, &attempt), STORE_OK);
    keep_result(a, id, attempt, "what a computed", sha256);
    store_outcome good = {.state = JOB_SUCCEEDED, .result_size = 15, .result_sha256 = sha256};
    ck_assert_int_eq(store_job_finish(a, id, attempt, &good), STORE_OK);
    snprintf(command, sizeof command, "mkdir %s/apart && mv %s/shared/results/*.npz %s/apart", folder, folder, folder);
    ck_assert_int_eq(system(command), 0);
    for (int late = 0; late < 2; late++) {
      store_scan scan = {.results = 0};
      store_job job = get(b, id);
      ck_assert_int_eq(store_result_look(b, &job), late ? STORE_RESULT_MISSING : STORE_RESULT_UNREADABLE);
      ck_assert_int_eq(store_result_scan(a, &scan), STORE_OK);
      ck_assert(scan.results == 1 && scan.lost == late && scan.unsure == !late);
      ck_assert_int_eq(test_store_ask(kind, folder,
                                      "WITH x AS (UPDATE jobs SET finished_ms = finished_ms - 120000 RETURNING 1) "
                                      "SELECT count(*) FROM x"),
                       1);
    }
    snprintf(command, sizeof command, "mv %s/apart/*.npz %s/shared/results/", folder, folder);
    ck_assert_int_eq(system(command), 0);
    store_scan scan = {.results = 0};
    ck_assert_int_eq(store_result_scan(a, &scan), STORE_OK);
    ck_assert(scan.lost == 0 && scan.unsure == 0);
    check_result(b, id, "what a computed");
  }
  teardown();
}
END_TEST

static void put_node(const char *name, const char *rest) {
  char sql[400];
  snprintf(sql, sizeof sql,
           "WITH x AS (INSERT INTO nodes (id, host, started_ms, lease_ms) VALUES ('%s', 'h', 0, now_ms() - %s) "
           "RETURNING 1) SELECT count(*) FROM x",
           name, rest);
  ck_assert_int_eq(test_store_ask(kind, folder, sql), 1);
}

START_TEST(the_row_of_a_node_goes_an_hour_after_its_lease_and_not_before) {
  setup(_i);
  put_node("old", "3600001");
  put_node("late", "3500000");
  while (test_store_ask(kind, folder, "SELECT count(*) FROM nodes WHERE id = 'old'") == 1) usleep(100000);
  ck_assert_int_eq(test_store_ask(kind, folder, "SELECT count(*) FROM nodes WHERE id = 'late'"), 1);
  teardown();
}
END_TEST

START_TEST(a_folder_of_results_of_another_database_is_refused_and_one_that_is_not_mounted_loses_nothing) {
  setup(_i);
  if (test_stores[kind].patient) {
    char message[STORE_MESSAGE_SIZE] = "", id[ID_SIZE], sha256[DIGEST_HEX_SIZE], command[400];
    int attempt = 0, fd = -1;
    ck_assert_int_eq(submit(a, NULL, id), STORE_OK);
    ck_assert_int_eq(claim(a, id, &attempt), STORE_OK);
    keep_result(a, id, attempt, "what a computed", sha256);
    store_outcome good = {.state = JOB_SUCCEEDED, .result_size = 15, .result_sha256 = sha256};
    ck_assert_int_eq(store_job_finish(a, id, attempt, &good), STORE_OK);
    snprintf(command, sizeof command, "mv %s/shared %s/away && mkdir -p %s/shared/results", folder, folder, folder);
    ck_assert_int_eq(system(command), 0);
    store_scan scan = {.results = 0};
    store_job job = get(b, id);
    ck_assert_int_eq(store_result_open(b, &job, &fd), STORE_RESULT_UNREADABLE);
    ck_assert_int_eq(store_result_scan(a, &scan), STORE_OK);
    ck_assert(scan.results == 1 && scan.lost == 0 && scan.unsure == 1);
    snprintf(command, sizeof command, "rm -r %s/shared && mv %s/away %s/shared", folder, folder, folder);
    ck_assert_int_eq(system(command), 0);
    check_result(b, id, "what a computed");
    store_close(b);
    snprintf(command, sizeof command, "printf %%032d 1 > %s/shared/tendril-results", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_ptr_null(b = test_store_open_node(kind, folder, other_folder, message));
    ck_assert_ptr_nonnull(strstr(message, "another database"));
  }
  teardown();
}
END_TEST

static void submit_sweep(size_t many, char id[ID_SIZE]) {
  store_sweep_job *jobs = calloc(many, sizeof *jobs);
  store_job sweep = job_of("sweep", "");
  memcpy(id, sweep.id, ID_SIZE);
  for (size_t i = 0; i < many; i++)
    jobs[i] = (store_sweep_job){.row = job_of("statics", sweep.id), .position = (int64_t)i, .rows = 1};
  ck_assert_int_eq(store_sweep_insert(a, &sweep, "{}", NULL, jobs, many, &(store_room){.all = (int64_t)many},
                                      &(store_request){.key = NULL, .owner = "", .sha256 = "x"}),
                   STORE_OK);
  free(jobs);
}

static void check_counts(const char *sweep, int queued, int running, int succeeded) {
  store_job now = get(b, sweep);
  ck_assert(now.jobs[JOB_QUEUED] == queued && now.jobs[JOB_RUNNING] == running);
  ck_assert(now.jobs[JOB_SUCCEEDED] == succeeded && now.state == (queued + running > 0 ? JOB_RUNNING : JOB_SUCCEEDED));
}

// Somebody who ends jobs of it has locked them.
START_TEST(nodes_that_claim_jobs_of_one_sweep_do_not_wait_for_its_counts) {
  setup(_i);
  char sweep[ID_SIZE], id[2][ID_SIZE];
  int attempt = 0;
  submit_sweep(2, sweep);
  ck_assert_int_eq(claim(a, id[0], &attempt), STORE_OK);
  check_counts(sweep, 1, 1, 0);
  void *held = test_store_hold(kind, folder, "SELECT 1 FROM sweeps FOR UPDATE");
  ck_assert_int_eq(claim(b, id[1], &attempt), STORE_OK);
  test_store_release(held);
  check_counts(sweep, 0, 2, 0);
  ck_assert_int_eq(store_job_requeue(b, id[1], 1, false, 0), STORE_OK);
  check_counts(sweep, 1, 1, 0);
  ck_assert_int_eq(claim(b, id[1], &attempt), STORE_OK);
  ck_assert_int_eq(store_job_finish(a, id[0], 1, &(store_outcome){.state = JOB_SUCCEEDED}), STORE_OK);
  check_counts(sweep, 0, 1, 1);
  ck_assert_int_eq(store_job_finish(b, id[1], 2, &(store_outcome){.state = JOB_SUCCEEDED}), STORE_OK);
  check_counts(sweep, 0, 0, 2);
  teardown();
}
END_TEST

static int64_t counted(const char *column) {
  char sql[64];
  snprintf(sql, sizeof sql, "SELECT sum(%s) FROM sweeps", column);
  return test_store_ask(kind, folder, sql);
}

// As nodes of before leave its counts that took both jobs and were lost: what they show beside newer ones is these rows.
START_TEST(counts_of_a_sweep_that_older_nodes_have_begun_are_never_below_zero) {
  static const char began[] = "WITH x AS (UPDATE sweeps SET queued = queued - 2, running = running + 2 RETURNING 1) "
                              "SELECT count(*) FROM x";
  setup(_i);
  char sweep[ID_SIZE], id[ID_SIZE];
  int attempt = 0;
  submit_sweep(3, sweep);
  ck_assert_int_eq(test_store_ask(kind, folder, began), 1);
  for (int left = 2; left >= 0; left--) {
    ck_assert_int_eq(claim(b, id, &attempt), STORE_OK);
    ck_assert_int_eq(store_job_finish(b, id, attempt, &(store_outcome){.state = JOB_SUCCEEDED}), STORE_OK);
    check_counts(sweep, left, 0, 3 - left);
    ck_assert(counted("queued") >= 0 && counted("running") >= 0 && counted("queued + running") == left);
  }
  teardown();
}
END_TEST

static void find_self(void *context, const store_node *node) {
  if (node->self) *(store_node *)context = *node;
}

// The node that `s` is, as one that has places for jobs.
static store_node node_of(store *s) {
  store_node node = {.id = ""};
  test_store_ask(kind, folder, "WITH x AS (UPDATE nodes SET slots = 1 RETURNING 1) SELECT count(*) FROM x");
  ck_assert_int_eq(store_node_list(s, &(store_visit){.context = &node, .node = find_self}), STORE_OK);
  ck_assert_int_gt((int)strlen(node.id), 0);
  return node;
}

typedef struct drain {
  store_node node;
  store_status status;
  _Atomic bool done;
} drain;

static void *drain_it(void *context) {
  drain *x = context;
  x->status = store_node_drain(b, x->node.id, true, &x->node);
  x->done = true;
  return NULL;
}

START_TEST(a_node_begins_no_job_once_its_drain_is_answered) {
  setup(_i);
  char id[ID_SIZE];
  int attempt;
  pthread_t claims, drains;
  drain x = {.node = node_of(a)};
  finished = 0;
  for (int i = 0; i < 3; i++) ck_assert_int_eq(submit(a, NULL, id), STORE_OK);
  void *held = test_store_hold(kind, folder, "LOCK TABLE job_counts IN EXCLUSIVE MODE; SELECT 1");
  ck_assert_int_eq(pthread_create(&claims, NULL, claim_one, a), 0);
  while (test_store_ask(kind, folder, "SELECT count(*) FROM pg_locks WHERE NOT granted") == 0) usleep(10000);
  ck_assert_int_eq(pthread_create(&drains, NULL, drain_it, &x), 0);
  usleep(300000);
  ck_assert_msg(!x.done, "it is answered while a claim that has not seen it is under way");
  test_store_release(held);
  pthread_join(claims, NULL);
  pthread_join(drains, NULL);
  ck_assert(x.status == STORE_OK && x.node.draining && x.node.running == finished);
  ck_assert_int_eq(claim(a, id, &attempt), STORE_NOT_FOUND); // whether or not it has heard of it
  ck_assert_int_eq(claim(b, id, &attempt), STORE_OK);
  while (store_node_takers(b) != STORE_TAKERS_SOME) usleep(10000);
  x.node = node_of(b);
  drain_it(&x);
  while (store_node_takers(a) != STORE_TAKERS_DRAINED) usleep(10000);
  x.node = node_of(a);
  ck_assert_int_eq(store_node_drain(b, x.node.id, false, &x.node), STORE_OK);
  ck_assert_int_eq(claim(a, id, &attempt), STORE_OK);
  teardown();
}
END_TEST

START_TEST(a_node_that_is_gone_is_drained_by_its_name_unless_one_of_that_name_lives) {
  static const char gone[] =
      "INSERT INTO nodes SELECT (jsonb_populate_record(n, '{\"id\": \"0000000000000000000000000%d\", "
      "\"name\": \"%s\", \"lease_ms\": \"%s\", \"slots\": 1}')).* FROM nodes AS n LIMIT 1 RETURNING 1";
  static const struct {
    const char *name, *lease;
  } rows[] = {{"gone", "1"}, {"twin", "1"}, {"twin", "9000000000000000"}};
  setup(_i);
  char sql[400];
  store_node node;
  for (int i = 0; i < 3; i++) {
    snprintf(sql, sizeof sql, gone, i + 1, rows[i].name, rows[i].lease);
    ck_assert_int_eq(test_store_ask(kind, folder, sql), 1);
  }
  ck_assert_int_eq(store_node_drain(a, "gone", true, &node), STORE_OK);
  ck_assert_str_eq(node.id, "00000000000000000000000001");
  ck_assert_int_eq(store_node_drain(a, "twin", true, &node), STORE_OK);
  ck_assert_str_eq(node.id, "00000000000000000000000003");
  ck_assert_int_eq(store_node_drain(a, "nobody", true, &node), STORE_NOT_FOUND);
  teardown();
}
END_TEST

START_TEST(an_orphan_of_a_sweep_is_taken_before_those_of_it_that_wait_however_often_its_node_is_lost) {
  enum { MANY = 40, LOSSES = 3 };
  setup(_i);
  char sweep[ID_SIZE], id[ID_SIZE], orphan[ID_SIZE];
  int attempt = 0;
  submit_sweep(MANY, sweep);
  ck_assert_int_eq(claim(a, id, &attempt), STORE_OK);
  ck_assert_int_eq(store_job_finish(a, id, attempt, &(store_outcome){.state = JOB_SUCCEEDED}), STORE_OK);
  ck_assert_int_eq(claim(a, orphan, &attempt), STORE_OK);
  for (int i = 0; i < LOSSES; i++) {
    lose(orphan);
    while (test_store_ask(kind, folder, "SELECT count(*) FROM jobs WHERE not_before_ms > now_ms()") > 0) usleep(50000);
    ck_assert_int_eq(claim(b, id, &attempt), STORE_OK);
    ck_assert_str_eq(id, orphan);
    ck_assert_int_eq(attempt, i + 2);
  }
  teardown();
}
END_TEST

TEST_MAIN_EACH("store_nodes", 2,
               a_folder_of_results_of_another_database_is_refused_and_one_that_is_not_mounted_loses_nothing,
               a_result_is_read_at_every_node_though_the_one_that_wrote_it_is_gone,
               an_orphan_goes_on_from_its_checkpoint_at_another_node_and_what_its_first_node_adds_is_not_taken,
               what_dead_nodes_left_goes_after_a_while_by_one_node_and_nothing_else, each_job_is_given_to_one_node_once,
               claims_that_come_together_of_several_queues_are_one_change_of_few_statements,
               a_result_that_is_missing_is_lost_two_minutes_after_its_job_ended_and_found_again,
               the_row_of_a_node_goes_an_hour_after_its_lease_and_not_before,
               a_job_that_others_are_about_to_take_is_asked_for_again_soon, an_attempt_is_written_by_its_node_only,
               a_request_that_comes_to_two_nodes_makes_one_job, what_one_node_changes_is_told_at_the_other,
               what_a_node_that_is_gone_had_running_waits_again_and_its_late_words_are_not_taken,
               nodes_that_claim_jobs_of_one_sweep_do_not_wait_for_its_counts,
               counts_of_a_sweep_that_older_nodes_have_begun_are_never_below_zero,
               a_node_begins_no_job_once_its_drain_is_answered,
               a_node_that_is_gone_is_drained_by_its_name_unless_one_of_that_name_lives,
               an_orphan_of_a_sweep_is_taken_before_those_of_it_that_wait_however_often_its_node_is_lost)
