// Small parts that everything stands on: identifiers, digests, times, and the routes' table.
#include "base/clock.h"
#include "base/digest.h"
#include "base/id.h"
#include "base/log/log.h"
#include "base/share/cores.h"
#include "base/share/pool.h"
#include "base/steady_clock.h"
#include "http/routes.h"
#include "support/suite.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(identifiers_sort_by_time_and_differ) {
  char last[ID_SIZE] = "", id[ID_SIZE];
  for (int i = 0; i < 1000; i++) {
    id_make(id);
    ck_assert_int_eq(strlen(id), ID_SIZE - 1);
    ck_assert_int_eq(strspn(id, "0123456789abcdefghjkmnpqrstvwxyz"), ID_SIZE - 1);
    ck_assert_str_ne(id, last);
    ck_assert_int_ge(strncmp(id, last, 10), 0); // the part that is time
    strcpy(last, id);
  }
}
END_TEST

START_TEST(a_digest_is_sha256) { // FIPS 180-2, B.1
  char hex[DIGEST_HEX_SIZE];
  digest_of("abc", 3, hex);
  ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
END_TEST

START_TEST(a_time_is_written_as_rfc_3339_in_utc) {
  char text[CLOCK_TEXT_SIZE];
  clock_format(INT64_C(1700000000123), text);
  ck_assert_str_eq(text, "2023-11-14T22:13:20.123Z");
}
END_TEST

static const char *found(const char *method, const char *path, exchange *x) {
  memset(x, 0, sizeof *x);
  const route *r = routes_find(x, method, path);
  return r ? r->path : "";
}

START_TEST(paths_find_their_route_and_parameters) {
  exchange x;
  ck_assert_str_eq(found("GET", "/v1/models/cdm", &x), "/v1/models/{name}");
  ck_assert_str_eq(x.parameter[0], "cdm");
  ck_assert_str_eq(found("POST", "/v1/models/cdm@3:evaluate", &x), "/v1/models/{name}:evaluate");
  ck_assert_str_eq(x.parameter[0], "cdm@3");
  ck_assert_str_eq(found("GET", "/v1/models/a/revisions/2", &x), "/v1/models/{name}/revisions/{n}");
  ck_assert_str_eq(x.parameter[1], "2");
  ck_assert_str_eq(found("HEAD", "/healthz", &x), "/healthz");
  ck_assert_str_eq(found("GET", "/", &x), "/");
}
END_TEST

START_TEST(paths_that_fit_no_route_are_not_found_and_wrong_methods_get_the_right_ones) {
  static const char *const missing[] = {
      "", "/v1", "/v1/models/", "/v1/models/a:", "/v1/models/:evaluate", "/v1/models/a/", "/v1/jobs/a:b"};
  exchange x;
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
    ck_assert_str_eq(found("GET", missing[i], &x), "");
    ck_assert_int_eq(x.fault.code, PROBLEM_NOT_FOUND);
  }
  ck_assert_str_eq(found("PUT", "/v1/models", &x), "");
  ck_assert_int_eq(x.fault.code, PROBLEM_METHOD_NOT_ALLOWED);
  ck_assert_str_eq(x.allow, "POST, GET, HEAD");
  char parameter[2 * EXCHANGE_PARAMETER_SIZE] = "/v1/models/";
  memset(parameter + 11, 'x', EXCHANGE_PARAMETER_SIZE);
  ck_assert_str_eq(found("GET", parameter, &x), "");
}
END_TEST

// What `speak` writes to stderr.
static void listen_to(void (*speak)(void), char *text, size_t size) {
  int fds[2], kept = dup(STDERR_FILENO);
  ck_assert(kept >= 0 && pipe(fds) == 0 && dup2(fds[1], STDERR_FILENO) >= 0);
  speak();
  ck_assert(dup2(kept, STDERR_FILENO) >= 0);
  close(kept);
  close(fds[1]);
  ssize_t n = read(fds[0], text, size - 1);
  close(fds[0]);
  text[n > 0 ? n : 0] = '\0';
}

static void speak_in_scopes(void) {
  log_scope outer = log_enter(&(log_scope){.request_id = "r1", .job = "j1"});
  log_write(LOG_LEVEL_ERROR, "a", LOG_I("n", 1));
  log_write(LOG_LEVEL_ERROR, "b", LOG_S("job", "j2"));
  log_enter(&outer);
  log_write(LOG_LEVEL_ERROR, "c", LOG_I("n", 1));
}

START_TEST(a_log_line_carries_what_its_thread_works_on_and_each_key_once) {
  char text[2048];
  listen_to(speak_in_scopes, text, sizeof text);
  ck_assert_ptr_nonnull(strstr(text, "\"event\":\"a\",\"request_id\":\"r1\",\"job\":\"j1\",\"n\":1}"));
  ck_assert_ptr_nonnull(strstr(text, "\"event\":\"b\",\"request_id\":\"r1\",\"job\":\"j2\"}"));
  ck_assert_ptr_nonnull(strstr(text, "\"event\":\"c\",\"n\":1}"));
}
END_TEST

START_TEST(a_clock_that_jumps_is_believed_after_a_day_only) {
  enum { HOUR = 3600000 };
  const int64_t start = 1700000000000, year = 365LL * 24 * HOUR;
  steady_clock c = {.started = false};
  int64_t jump, boot = 5000;
  ck_assert_int_eq(steady_clock_read(&c, start, boot, &jump), start);
  ck_assert_int_eq(steady_clock_read(&c, start + HOUR + 2000, boot + HOUR, &jump), start + HOUR + 2000); // slewed
  ck_assert_int_eq(jump, 0);
  ck_assert_int_eq(steady_clock_read(&c, start + year, boot + 2 * HOUR, &jump), start + 2 * HOUR + 2000);
  ck_assert_int_eq(jump, year - 2 * HOUR - 2000);
  ck_assert_int_eq(steady_clock_read(&c, start + year + HOUR, boot + 3 * HOUR, &jump), start + 3 * HOUR + 2000);
  ck_assert_int_eq(jump, 0); // said once
  ck_assert_int_eq(steady_clock_read(&c, start + year + 24 * HOUR, boot + 26 * HOUR, &jump), start + year + 24 * HOUR);
  steady_clock back = {.started = false};
  steady_clock_read(&back, start, boot, &jump);
  steady_clock_read(&back, start + year, boot + HOUR, &jump);
  ck_assert_int_eq(steady_clock_read(&back, start + 30 * HOUR, boot + 30 * HOUR, &jump),
                   start + 30 * HOUR); // set right
}
END_TEST

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static char order[8];

static void note(pool_task *task) {
  pthread_mutex_lock(&gate);
  order[strlen(order)] = (char)task->owner;
  pthread_mutex_unlock(&gate);
}

START_TEST(owners_take_turns_at_a_thread_and_only_so_many_tasks_of_one_wait) {
  pool_task task[6] = {{.owner = 'a'}, {.owner = 'a'}, {.owner = 'a'}, {.owner = 'b'}, {.owner = 'a'}, {.owner = 'c'}};
  pthread_mutex_lock(&gate);
  pool *p = pool_start(&(pool_options){.threads = 1}, note);
  ck_assert(pool_submit(p, &task[0], 1)); // as soon as it is at work another one may wait
  while (!pool_submit(p, &task[1], 1)) usleep(1000);
  ck_assert(!pool_submit(p, &task[2], 1));
  ck_assert(pool_submit(p, &task[2], 2));
  ck_assert(pool_submit(p, &task[3], 1));
  ck_assert(!pool_submit(p, &task[4], 2));
  ck_assert(pool_submit(p, &task[4], 0));
  ck_assert(pool_submit(p, &task[5], 1));
  pthread_mutex_unlock(&gate);
  pool_stop(p);
  ck_assert_str_eq(order, "abcaaa");
}
END_TEST

static _Atomic bool small_done, large_done;

// 'l' ends after 's', however it is asked to wait for it.
static void work_until_small(pool_task *task) {
  if (task->owner == 's') {
    ck_assert(!large_done);
    small_done = true;
    return;
  }
  while (!small_done) (void)pool_yield();
  large_done = true;
}

static void sleep_until_small(pool_task *task) {
  if (task->owner == 's')
    small_done = true;
  else
    while (!small_done) usleep(1000);
  large_done = large_done || task->owner == 'l';
}

static void run_both(void (*work)(pool_task *task)) {
  pool_task large = {.owner = 'l'}, small = {.owner = 's'};
  small_done = large_done = false;
  pool *p = pool_start(&(pool_options){.threads = 1, .spare = 2, .share = 1}, work);
  ck_assert(pool_submit(p, &large, 0));
  ck_assert(pool_submit(p, &small, 0));
  pool_stop(p);
  ck_assert(small_done && large_done);
}

START_TEST(what_takes_long_rests_while_it_is_the_turn_of_another_owner) { run_both(work_until_small); }
END_TEST

START_TEST(nobody_waits_for_the_end_of_what_never_looks_up) { run_both(sleep_until_small); }
END_TEST

// Two of one owner and one of another on one thread: each rests for the others, and all end.
static _Atomic int rounds[3];
static void take_rounds(pool_task *task) {
  int i = task->owner == 'a' ? 0 : (int)task->owner - 'a';
  for (double end_s = clock_monotonic_s() + 0.1; clock_monotonic_s() < end_s;)
    if (pool_yield() > 0) rounds[i]++;
}

START_TEST(those_who_take_long_take_turns_until_all_have_ended) {
  pool_task task[] = {{.owner = 'a'}, {.owner = 'b'}, {.owner = 'c'}, {.owner = 'a'}, {.owner = 'b'}};
  enum { TASKS = sizeof task / sizeof *task };
  pool *p = pool_start(&(pool_options){.threads = 1, .spare = 4, .share = 1}, take_rounds);
  for (int i = 0; i < TASKS; i++) ck_assert(pool_submit(p, &task[i], 0));
  ck_assert(!pool_is_wanted()); // this is no thread of it
  pool_stop(p);
  ck_assert_int_gt(rounds[0] + rounds[1] + rounds[2], 0);
}
END_TEST

static _Atomic int inside, most_inside, within;
static pool *calls;
static void note_within(void *context) { within += pthread_equal(*(pthread_t *)context, pthread_self()) != 0; }

static void note_inside(void *context) {
  pthread_t here = pthread_self();
  int now = ++inside;
  if (now > most_inside) most_inside = now;
  pool_call(calls, 'v', note_within, &here); // has its turn already
  inside--;
  ++*(int *)context;
}

enum { CALLERS = 5, SHARE = 2, CALLS = 100 };
static void *call_often(void *context) {
  for (int i = 0; i < CALLS; i++) pool_call(calls, 'v', note_inside, context);
  return NULL;
}

START_TEST(calls_of_one_owner_are_no_more_than_its_share_at_a_time) {
  pthread_t thread[CALLERS];
  int done[CALLERS] = {0};
  calls = pool_start(&(pool_options){.threads = 4, .share = SHARE}, NULL);
  for (int i = 0; i < CALLERS; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, call_often, &done[i]), 0);
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(thread[i], NULL);
    ck_assert_int_eq(done[i], CALLS);
  }
  ck_assert_int_le(most_inside, SHARE);
  ck_assert_int_eq(within, CALLERS * CALLS);
  pool_stop(calls);
}
END_TEST

// As the kernel writes them below /sys/fs/cgroup.
static void put_bound(const char *mount, const char *group, const char *file, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "mkdir -p '%s%s'", mount, group);
  ck_assert_int_eq(system(path), 0);
  snprintf(path, sizeof path, "%s%s/%s", mount, group, file);
  FILE *out = fopen(path, "w");
  ck_assert(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

START_TEST(the_cores_that_control_groups_allow_are_the_least_of_all_levels) {
  char mount[] = "/tmp/tendril-cores-XXXXXX", command[64];
  ck_assert_ptr_nonnull(mkdtemp(mount));
  put_bound(mount, "/pods/one", "cpu.max", "150000 100000\n");
  put_bound(mount, "/pods/two", "cpu.max", "max 100000\n");
  put_bound(mount, "/pods", "cpu.max", "800000 100000\n");
  put_bound(mount, "/free", "cpu.max", "max 100000\n");
  put_bound(mount, "/cpu/old", "cpu.cfs_quota_us", "50000\n");
  put_bound(mount, "/cpu/old", "cpu.cfs_period_us", "100000\n");
  put_bound(mount, "/cpu/open", "cpu.cfs_quota_us", "-1\n");
  put_bound(mount, "/cpu/open", "cpu.cfs_period_us", "100000\n");
  const struct {
    const char *groups;
    double cores;
  } cases[] = {{"0::/pods/one\n", 1.5},
               {"0::/pods/two\n", 8},
               {"0::/pods/two/deeper\n", 8},
               {"0::/free\n", INFINITY},
               {"0::/\n", INFINITY},
               {"4:memory:/a\n3:cpu,cpuacct:/old\n0::/pods\n", 0.5},
               {"3:cpuset:/old\n2:cpuacct,cpu:/open\n0::/free\n", INFINITY},
               {"", INFINITY},
               {"no line of theirs\n0:\n", INFINITY}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    ck_assert_double_eq(cores_of_groups(cases[i].groups, mount), cases[i].cores);
  put_bound(mount, "", "cpu.max", "300000 100000\n"); // as a container sees its own
  ck_assert_double_eq(cores_of_groups("0::/\n", mount), 3);
  snprintf(command, sizeof command, "rm -r '%s'", mount);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(the_cores_here_are_those_that_this_process_may_run_on) {
  cpu_set_t all, one;
  ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
  ck_assert_int_eq(cores_here(), 1);
  ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
}
END_TEST

TEST_MAIN("server base", the_cores_that_control_groups_allow_are_the_least_of_all_levels,
          the_cores_here_are_those_that_this_process_may_run_on,
          what_takes_long_rests_while_it_is_the_turn_of_another_owner, nobody_waits_for_the_end_of_what_never_looks_up,
          those_who_take_long_take_turns_until_all_have_ended, calls_of_one_owner_are_no_more_than_its_share_at_a_time,
          identifiers_sort_by_time_and_differ, a_digest_is_sha256, a_time_is_written_as_rfc_3339_in_utc,
          paths_find_their_route_and_parameters,
          paths_that_fit_no_route_are_not_found_and_wrong_methods_get_the_right_ones,
          a_log_line_carries_what_its_thread_works_on_and_each_key_once,
          a_clock_that_jumps_is_believed_after_a_day_only,
          owners_take_turns_at_a_thread_and_only_so_many_tasks_of_one_wait)
