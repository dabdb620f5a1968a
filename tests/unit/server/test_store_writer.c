// The store's writer: changes of many threads in shared commits, delayed ones, counts, and a write-ahead log that stays
// bounded whatever readers do.
#include "base/clock.h"
#include "base/id.h"
#include "store/sqlite/sqlite.h"
#include "support/suite.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 16, EACH = 40 };

static char folder[64];
static store *s;

static void open_store(void) {
  char message[STORE_MESSAGE_SIZE] = "";
  s = store_open(folder, message);
  ck_assert_msg(s != NULL, "%s", message);
}

static void setup(void) {
  strcpy(folder, "/tmp/tendril-store-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  open_store();
}

static void teardown(void) {
  char command[128];
  store_close(s);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}

// In the library's place: counts what it waits for.
static _Atomic int syncs;
int fdatasync(int fd) {
  syncs++;
  return (int)syscall(SYS_fdatasync, fd);
}

static store_status submit(const char *document, const char *key, char id[ID_SIZE]) {
  store_job job = {.document = (char *)document, .labels = "{}", .kind = "statics", .t_end = NAN};
  id_make(job.id);
  digest_of("{}", 2, job.model_sha256);
  memcpy(id, job.id, ID_SIZE);
  return store_job_insert(s, &job, "{}", &(store_room){.all = 100000},
                          &(store_request){.key = key, .owner = "", .sha256 = "x"});
}

static int64_t count(job_state state) {
  int64_t counts[JOB_STATE_COUNT];
  ck_assert_int_eq(store_job_counts(s, counts), STORE_OK);
  return counts[state];
}

static _Atomic int accepted, refused;

// Every third change fails in the middle of its step, after rows were written by those that share its commit.
static void *submit_many(void *context) {
  char id[ID_SIZE];
  (void)context;
  for (int i = 0; i < EACH; i++) {
    store_status status = submit("{}", i % 3 == 0 ? "taken" : NULL, id);
    atomic_fetch_add(status == STORE_OK ? &accepted : &refused, 1);
    store_job row;
    if (status == STORE_OK && store_job_get(s, id, &row) == STORE_OK)
      store_job_fini(&row);
    else if (status != STORE_EXISTS)
      atomic_fetch_add(&refused, 100000); // acknowledged and not there, or a wrong reason
  }
  return NULL;
}

static void run_threads(void *(*work)(void *)) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, work, NULL), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

START_TEST(a_change_that_fails_leaves_those_that_share_its_commit_alone) {
  const int with_key = (EACH + 2) / 3;
  char id[ID_SIZE];
  setup();
  accepted = refused = 0;
  ck_assert_int_eq(submit("{}", "taken", id), STORE_OK);
  run_threads(submit_many);
  ck_assert_int_eq(refused, THREADS * with_key);
  ck_assert_int_eq(accepted, THREADS * (EACH - with_key));
  ck_assert_int_eq(count(JOB_QUEUED), 1 + accepted);
  teardown();
}
END_TEST

static void report_and_die(int fd) {
  char id[ID_SIZE];
  for (int i = 0; i < 20; i++)
    if (submit("{}", NULL, id) != STORE_OK || write(fd, id, ID_SIZE) != ID_SIZE) _exit(1);
  kill(getpid(), SIGKILL);
}

START_TEST(what_was_acknowledged_is_there_after_the_process_was_killed) {
  int fds[2], found = 0;
  char id[ID_SIZE];
  setup();
  store_close(s);
  ck_assert_int_eq(pipe(fds), 0);
  pid_t child = fork();
  if (child == 0) {
    open_store();
    report_and_die(fds[1]);
  }
  close(fds[1]);
  int how;
  ck_assert_int_eq(waitpid(child, &how, 0), child);
  ck_assert(WIFSIGNALED(how));
  open_store();
  for (store_job row; read(fds[0], id, ID_SIZE) == ID_SIZE; found++, store_job_fini(&row))
    ck_assert_int_eq(store_job_get(s, id, &row), STORE_OK);
  ck_assert_int_eq(found, 20);
  close(fds[0]);
  teardown();
}
END_TEST

static void claim(int attempt, char id[ID_SIZE]) {
  store_job job;
  char *document;
  int64_t due;
  ck_assert_int_eq(store_job_claim(s, &job, &document, &due), STORE_OK);
  ck_assert_int_eq(job.attempt, attempt);
  memcpy(id, job.id, ID_SIZE);
  store_job_fini(&job);
  free(document);
}

START_TEST(counts_follow_every_change_of_state) {
  setup();
  char id[ID_SIZE], other[ID_SIZE];
  store_job row;
  submit("{}", NULL, id);
  submit("{}", NULL, other);
  ck_assert_int_eq(count(JOB_QUEUED), 2);
  claim(1, id);
  ck_assert(count(JOB_QUEUED) == 1 && count(JOB_RUNNING) == 1);
  ck_assert_int_eq(store_job_requeue(s, id, 1, false, 0), STORE_OK);
  ck_assert(count(JOB_QUEUED) == 2 && count(JOB_RUNNING) == 0);
  claim(2, id);
  ck_assert_int_eq(store_job_finish(s, id, 2, &(store_outcome){.state = JOB_FAILED}), STORE_OK);
  ck_assert_int_eq(store_job_finish(s, id, 2, &(store_outcome){.state = JOB_FAILED}), STORE_PRECONDITION);
  ck_assert(count(JOB_FAILED) == 1 && count(JOB_RUNNING) == 0);
  ck_assert_int_eq(store_job_cancel(s, other, &row), STORE_OK);
  store_job_fini(&row);
  ck_assert(count(JOB_CANCELLED) == 1 && count(JOB_QUEUED) == 0);
  ck_assert_int_eq(store_job_delete(s, id), STORE_OK);
  ck_assert_int_eq(count(JOB_FAILED), 0);
  teardown();
}
END_TEST

static void count_event(void *context, const store_event *e) {
  int *progress = context;
  *progress += strcmp(e->type, "progress") == 0;
}

static int progress_events(const char *id) {
  int found = 0;
  bool ended;
  store_visit visit = {.context = &found, .event = count_event};
  ck_assert_int_eq(store_event_list(s, id, 0, 1000, &visit, &ended), STORE_OK);
  return found;
}

static _Atomic int told;
static void hear(void *context, const char *id) {
  (void)context, (void)id;
  atomic_fetch_add(&told, 1);
}

START_TEST(progress_that_nobody_waits_for_is_written_soon_and_told) {
  char id[ID_SIZE];
  setup();
  submit("{}", NULL, id);
  claim(1, id);
  told = 0;
  ck_assert(store_listen(s, hear, s));
  for (int i = 0; i < 10; i++)
    ck_assert_int_eq(store_job_progress(s, id, 1, &(store_progress){0.1 * i, i, 10, false}), STORE_OK);
  ck_assert_int_eq(store_job_progress(s, id, 7, &(store_progress){0.5, 5, 10, false}),
                   STORE_OK); // of an attempt that does not own the job
  while (told < 10) usleep(1000);
  store_unlisten(s, s);
  ck_assert_int_eq(progress_events(id), 10);
  ck_assert_int_eq(told, 10);
  teardown();
}
END_TEST

START_TEST(progress_comes_before_the_end_that_follows_it_and_survives_closing) {
  char id[ID_SIZE], other[ID_SIZE];
  setup();
  submit("{}", NULL, id);
  submit("{}", NULL, other);
  claim(1, id);
  claim(1, other);
  store_job_progress(s, id, 1, &(store_progress){0.5, 5, 10, false});
  ck_assert_int_eq(store_job_finish(s, id, 1, &(store_outcome){.state = JOB_FAILED}), STORE_OK);
  ck_assert_int_eq(progress_events(id), 1); // with the same commit
  store_job_progress(s, other, 1, &(store_progress){0.5, 5, 10, false});
  store_close(s);
  open_store();
  ck_assert_int_eq(progress_events(other), 1);
  teardown();
}
END_TEST

static void visit_slowly(void *context, const store_job *job) {
  int *seen = context;
  (void)job;
  ++*seen;
  usleep(2000);
}

static store_status list_slowly(int *seen) {
  store_job_filter all = {.limit = 1000};
  return store_job_list(s, &all, &(store_visit){.context = seen, .job = visit_slowly});
}

static _Atomic bool over;
static void *list_again_and_again(void *context) {
  int seen = 0, *cut = context;
  while (!over) *cut += list_slowly(&seen) == STORE_SLOW;
  return NULL;
}

// A thousand rows at 2 ms each would hold a snapshot for 2 s; 60 MB are written meanwhile. The limit leaves a reader
// time to notice it on a busy machine. What is asserted is asserted when the reader has ended, because it reads this
// test's store.
START_TEST(the_write_ahead_log_stays_bounded_under_a_reader_that_never_hurries) {
  enum { DOCUMENT = 100000, DOCUMENTS = 600, BOUND = 32 << 20 };
  static char document[DOCUMENT];
  pthread_t reader;
  int cut = 0, failed = 0;
  int64_t most = 0;
  char id[ID_SIZE];
  setup();
  sqlite_limit_reads(s, 1);
  for (int i = 0; i < 1000; i++) submit("{}", NULL, id);
  over = false;
  ck_assert_int_eq(pthread_create(&reader, NULL, list_again_and_again, &cut), 0);
  memset(document, 'x', sizeof document - 1);
  for (int i = 0; i < DOCUMENTS; i++) {
    failed += submit(document, NULL, id) != STORE_OK;
    if (sqlite_wal_bytes(s) > most) most = sqlite_wal_bytes(s);
  }
  over = true;
  pthread_join(reader, NULL);
  ck_assert_int_eq(failed, 0);
  ck_assert_int_lt(most, BOUND);
  ck_assert_int_gt(cut, 0);
  ck_assert_int_eq(count(JOB_QUEUED), 1000 + DOCUMENTS);
  teardown();
}
END_TEST

START_TEST(a_read_that_takes_too_long_is_given_up_and_the_next_one_works) {
  char id[ID_SIZE];
  int seen = 0;
  setup();
  for (int i = 0; i < 400; i++) submit("{}", NULL, id);
  sqlite_limit_reads(s, 0.1);
  ck_assert_int_eq(list_slowly(&seen), STORE_SLOW);
  ck_assert(seen > 0 && seen < 400);
  ck_assert_int_eq(count(JOB_QUEUED), 400);
  teardown();
}
END_TEST

START_TEST(a_reading_connection_can_neither_write_nor_checkpoint) {
  char id[ID_SIZE];
  setup();
  ck_assert_int_eq(submit("{}", NULL, id), STORE_OK); // there is something to checkpoint
  connection *c = sqlite_read(s);
  ck_assert_int_eq(sqlite3_exec(c->db, "DELETE FROM jobs", NULL, NULL, NULL), SQLITE_READONLY);
  ck_assert_int_ne(sqlite3_wal_checkpoint_v2(c->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL), SQLITE_OK);
  sqlite_read_end(s, c);
  ck_assert_int_eq(submit("{}", NULL, id), STORE_OK);
  teardown();
}
END_TEST

static void *list_for_long(void *context) {
  int seen = 0;
  (void)context;
  while (!over) list_slowly(&seen);
  return NULL;
}

START_TEST(lists_that_take_long_hold_up_no_quick_read) {
  pthread_t threads[THREADS];
  char id[ID_SIZE];
  store_job row;
  setup();
  for (int i = 0; i < 300; i++) submit("{}", NULL, id);
  over = false;
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, list_for_long, NULL), 0);
  usleep(50000); // all of them are at it
  // Were there a common queue, each of these would wait for 16 lists of 0.6 s on 6 connections: minutes in all.
  for (int i = 0; i < 200; i++) {
    ck_assert_int_eq(store_job_get(s, id, &row), STORE_OK);
    store_job_fini(&row);
  }
  over = true;
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  teardown();
}
END_TEST

static void limit_files(rlim_t bytes) {
  struct rlimit files;
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &files), 0);
  files.rlim_cur = bytes;
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &files), 0);
}

// Large and small ones in turn; what was accepted must be there, what was refused must not.
static void *submit_more_than_fits(void *context) {
  static const char small[] = "{}";
  const char *large = context;
  char id[ID_SIZE];
  for (int i = 0; i < EACH; i++) {
    store_job row;
    store_status status = submit(i % 2 ? large : small, NULL, id), there = store_job_get(s, id, &row);
    if (there == STORE_OK) store_job_fini(&row);
    atomic_fetch_add(status == STORE_OK ? &accepted : &refused, 1);
    if (!(status == STORE_OK && there == STORE_OK) && !(status == STORE_FULL && there == STORE_NOT_FOUND))
      atomic_fetch_add(&refused, 100000);
  }
  return NULL;
}

START_TEST(a_disk_that_is_full_refuses_what_does_not_fit_and_keeps_what_was_acknowledged) {
  enum { LARGE = 60000 };
  static char large[LARGE];
  pthread_t threads[THREADS];
  char id[ID_SIZE];
  setup();
  memset(large, 'x', sizeof large - 1);
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(submit("{}", NULL, id), STORE_OK);
  accepted = refused = 0;
  limit_files((rlim_t)sqlite_wal_bytes(s) + 10 * LARGE); // nothing grows beyond: the log before all
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, submit_more_than_fits, large), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  limit_files(RLIM_INFINITY);
  ck_assert_int_eq(accepted + refused, THREADS * EACH);
  ck_assert(accepted > 0 && refused > 0);
  ck_assert_int_eq(submit(large, NULL, id), STORE_OK);
  ck_assert_int_eq(count(JOB_QUEUED), 2 + accepted);
  store_close(s);
  open_store();
  ck_assert_int_eq(count(JOB_QUEUED), 2 + accepted);
  teardown();
}
END_TEST

START_TEST(a_claim_waits_for_no_disk_and_everything_before_and_after_it_does) {
  char id[ID_SIZE], *document;
  store_job job;
  int64_t due;
  setup();
  for (int i = 0; i < 3; i++) {
    syncs = 0;
    ck_assert_int_eq(submit("{}", NULL, id), STORE_OK);
    ck_assert_int_ge(syncs, 1);
    syncs = 0;
    ck_assert_int_eq(store_job_claim(s, &job, &document, &due), STORE_OK);
    ck_assert_int_eq(syncs, 0);
    ck_assert_int_eq(count(JOB_RUNNING), 1);
    ck_assert_int_eq(store_job_finish(s, job.id, job.attempt, &(store_outcome){.state = JOB_SUCCEEDED}), STORE_OK);
    ck_assert_int_ge(syncs, 1);
    store_job_fini(&job);
    free(document);
  }
  teardown();
}
END_TEST

enum { PIECES = 6, OTHERS = 4 };
static char order[PIECES + OTHERS + 1];
static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t entered, may_leave;

// The first one of all stays until the others have come.
static store_status note_order(connection *c, void *context) {
  (void)c;
  if (*order == '\0') sem_post(&entered), sem_wait(&may_leave);
  pthread_mutex_lock(&order_lock);
  order[strlen(order)] = *(const char *)context;
  pthread_mutex_unlock(&order_lock);
  return STORE_OK;
}

static void *write_piece(void *context) {
  (void)context;
  return sqlite_write_piece(s, note_order, "p") == STORE_OK ? s : NULL;
}

static void *write_other(void *context) {
  (void)context;
  return sqlite_write(s, note_order, "o", NULL) == STORE_OK ? s : NULL;
}

static void wait_until_waiting(int others, int pieces) {
  for (int found = -1; found != pieces; usleep(1000)) {
    pthread_mutex_lock(&sqlite_of(s)->writer.lock);
    found = sqlite_of(s)->writer.urgent == others ? 0 : -1;
    for (const change *x = sqlite_of(s)->writer.first_piece; x && found >= 0; x = x->next) found++;
    pthread_mutex_unlock(&sqlite_of(s)->writer.lock);
  }
}

static store_status touch(connection *c, void *context) {
  (void)context;
  return sql_run(c, sql_prepare(c, "UPDATE job_counts SET count = count + 1"));
}

START_TEST(pieces_of_what_is_large_wait_for_no_disk) {
  enum { TOUCHES = 10 };
  setup();
  syncs = 0;
  for (int i = 0; i < TOUCHES; i++) ck_assert_int_eq(sqlite_write_piece(s, touch, NULL), STORE_OK);
  ck_assert_int_eq(syncs, 0);
  ck_assert_int_eq(sqlite_write(s, touch, NULL, NULL), STORE_OK);
  ck_assert_int_ge(syncs, 1);
  teardown();
}
END_TEST

START_TEST(what_others_write_comes_between_any_two_pieces_of_what_is_large) {
  pthread_t piece[PIECES], other[OTHERS];
  setup();
  memset(order, 0, sizeof order);
  sem_init(&entered, 0, 0), sem_init(&may_leave, 0, 0);
  ck_assert_int_eq(pthread_create(&piece[0], NULL, write_piece, NULL), 0);
  sem_wait(&entered);
  for (int i = 1; i < PIECES; i++) ck_assert_int_eq(pthread_create(&piece[i], NULL, write_piece, NULL), 0);
  wait_until_waiting(0, PIECES - 1);
  for (int i = 0; i < OTHERS; i++) ck_assert_int_eq(pthread_create(&other[i], NULL, write_other, NULL), 0);
  wait_until_waiting(OTHERS, PIECES - 1);
  sem_post(&may_leave);
  void *done;
  for (int i = 0; i < PIECES + OTHERS; i++) {
    pthread_join(i < PIECES ? piece[i] : other[i - PIECES], &done);
    ck_assert_ptr_nonnull(done);
  }
  ck_assert_str_eq(order, "poooo"
                          "ppppp");
  teardown();
}
END_TEST

TEST_MAIN("store writer", pieces_of_what_is_large_wait_for_no_disk,
          what_others_write_comes_between_any_two_pieces_of_what_is_large,
          a_claim_waits_for_no_disk_and_everything_before_and_after_it_does,
          a_change_that_fails_leaves_those_that_share_its_commit_alone,
          what_was_acknowledged_is_there_after_the_process_was_killed, counts_follow_every_change_of_state,
          progress_that_nobody_waits_for_is_written_soon_and_told,
          progress_comes_before_the_end_that_follows_it_and_survives_closing,
          the_write_ahead_log_stays_bounded_under_a_reader_that_never_hurries,
          a_read_that_takes_too_long_is_given_up_and_the_next_one_works,
          a_reading_connection_can_neither_write_nor_checkpoint, lists_that_take_long_hold_up_no_quick_read,
          a_disk_that_is_full_refuses_what_does_not_fit_and_keeps_what_was_acknowledged)
