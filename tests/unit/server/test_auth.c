// Who may call: tokens, scopes, names, rates; and that no token is ever written.
#include "base/log/log.h"
#include "service/access/auth.h"
#include "service/access/hosts.h"
#include "service/access/rate.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static store *s;
static auth *a;
static fault f;

static void open_auth(int rate, int burst) {
  char message[STORE_MESSAGE_SIZE] = "";
  auth_destroy(a);
  store_close(s);
  s = store_open(folder, message);
  ck_assert_msg(s != NULL, "%s", message);
  a = auth_create(s, &(auth_options){.hosts = "tendril.example,b", .rate = rate, .burst = burst});
  ck_assert_ptr_nonnull(a);
}

static void setup(void) {
  strcpy(folder, "/tmp/tendril-auth-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  s = NULL;
  a = NULL;
  log_set_level(LOG_LEVEL_ERROR);
  open_auth(0, 0);
}

static void teardown(void) {
  char command[128];
  auth_destroy(a);
  store_close(s);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}

static bool may(const char *authorization, auth_scope needed) {
  auth_caller caller;
  f = (fault){.code = PROBLEM_CODE_COUNT};
  return auth_check(a, "127.0.0.1", authorization, needed, &caller, &f);
}

static const char *make(const char *name, auth_scope scope, char header[AUTH_TOKEN_SIZE + 8]) {
  char token[AUTH_TOKEN_SIZE];
  store_token made;
  ck_assert_msg(auth_token_create(a, name, scope, NULL, token, &made, &f), "%s", f.detail);
  snprintf(header, AUTH_TOKEN_SIZE + 8, "Bearer %s", token);
  return header;
}

START_TEST(without_tokens_everybody_reads_and_runs_but_nobody_administers) {
  setup();
  ck_assert(may(NULL, AUTH_PUBLIC) && may(NULL, AUTH_READ) && may(NULL, AUTH_RUN));
  ck_assert(may("Bearer of-another-server", AUTH_RUN));
  ck_assert(!auth_required(a));
  ck_assert(!may(NULL, AUTH_ADMIN));
  ck_assert_int_eq(f.code, PROBLEM_UNAUTHENTICATED);
  ck_assert_ptr_nonnull(strstr(f.detail, "tendrild token create"));
  teardown();
}
END_TEST

START_TEST(a_scope_includes_those_below_it_and_nothing_else) {
  setup();
  char header[AUTH_TOKEN_SIZE + 8];
  for (int own = AUTH_READ; own < AUTH_SCOPE_COUNT; own++) {
    make(auth_scope_name((auth_scope)own), (auth_scope)own, header);
    for (int needed = AUTH_PUBLIC; needed < AUTH_SCOPE_COUNT; needed++) {
      ck_assert_int_eq(may(header, (auth_scope)needed), needed <= own);
      if (needed > own) ck_assert_int_eq(f.code, PROBLEM_PERMISSION_DENIED);
    }
  }
  teardown();
}
END_TEST

START_TEST(only_the_very_token_in_the_right_header_opens) {
  setup();
  char header[AUTH_TOKEN_SIZE + 8], other[AUTH_TOKEN_SIZE + 16];
  make("one", AUTH_ADMIN, header);
  ck_assert_int_eq(strlen(header), 7 + 8 + 64);
  ck_assert(may(header, AUTH_READ));
  memcpy(other, header, sizeof header);
  memcpy(other, "bEARER", 6);
  ck_assert_msg(may(other, AUTH_READ), "the scheme's case says nothing (RFC 9110, 11.1)");
  for (size_t i = 7; header[i]; i++) { // one character changed, anywhere
    memcpy(other, header, sizeof header);
    other[i] = other[i] == '0' ? '1' : '0';
    ck_assert(!may(other, AUTH_READ));
    ck_assert_int_eq(f.code, PROBLEM_UNAUTHENTICATED);
  }
  snprintf(other, sizeof other, "%s0", header);
  ck_assert(!may(other, AUTH_READ));
  memcpy(other, header, sizeof header);
  other[strlen(other) - 1] = '\0';
  ck_assert(!may(other, AUTH_READ));
  static const char *const wrong[] = {"", "Bearer", "Bearer ", "Basic dTpw", "Bearer  ", "bearer\t"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) ck_assert(!may(wrong[i], AUTH_READ));
  ck_assert(!may(header + 7, AUTH_READ)); // without "Bearer "
  ck_assert(!may(NULL, AUTH_READ));
  ck_assert(may(NULL, AUTH_PUBLIC));
  teardown();
}
END_TEST

START_TEST(a_deleted_token_is_refused_at_once_and_the_folder_stays_closed) {
  setup();
  char one[AUTH_TOKEN_SIZE + 8], two[AUTH_TOKEN_SIZE + 8];
  auth_caller caller;
  make("one", AUTH_RUN, one);
  make("two", AUTH_READ, two);
  ck_assert(auth_check(a, NULL, one, AUTH_RUN, &caller, &f) && auth_holds(a, &caller));
  ck_assert_str_eq(caller.name, "one");
  ck_assert(auth_token_delete(a, "one", false, &f));
  ck_assert(!auth_holds(a, &caller));
  ck_assert(!may(one, AUTH_READ));
  ck_assert(may(two, AUTH_READ));
  ck_assert(!auth_token_delete(a, "one", false, &f));
  ck_assert_int_eq(f.code, PROBLEM_NOT_FOUND);
  ck_assert(auth_token_delete(a, "two", false, &f));
  ck_assert_int_eq(auth_count(a), 0);
  open_auth(0, 0);
  ck_assert(auth_required(a));
  ck_assert(!may(NULL, AUTH_READ) && !may(one, AUTH_READ) && !may(two, AUTH_READ));
  ck_assert_int_eq(store_token_clear(s), STORE_OK);
  open_auth(0, 0);
  ck_assert(may(NULL, AUTH_RUN));
  teardown();
}
END_TEST

START_TEST(tokens_survive_a_restart_and_names_are_theirs_alone) {
  setup();
  char one[AUTH_TOKEN_SIZE + 8], token[AUTH_TOKEN_SIZE];
  store_token made;
  make("one", AUTH_RUN, one);
  open_auth(0, 0);
  ck_assert(may(one, AUTH_RUN));
  ck_assert(!auth_token_create(a, "one", AUTH_READ, NULL, token, &made, &f));
  ck_assert_int_eq(f.code, PROBLEM_ALREADY_EXISTS);
  ck_assert(!auth_token_create(a, "o n e", AUTH_READ, NULL, token, &made, &f));
  ck_assert_int_eq(f.code, PROBLEM_INVALID_ARGUMENT);
  ck_assert(auth_token_delete(a, "one", false, &f));
  make("one", AUTH_READ, one); // the name is free again
  teardown();
}
END_TEST

// The database holds names and hashes; what a thief reads there opens nothing.
START_TEST(the_secret_is_not_in_the_data_folder) {
  setup();
  char one[AUTH_TOKEN_SIZE + 8], command[512];
  make("visible-name", AUTH_RUN, one);
  auth_destroy(a);
  store_close(s);
  a = NULL;
  s = NULL;
  snprintf(command, sizeof command, "grep -rq visible-name %s && ! grep -rq %s %s", folder, one + 7 + 8, folder);
  ck_assert_int_eq(system(command), 0);
  teardown();
}
END_TEST

// --------------------------------------------------------------------------------------------------------------- rates

START_TEST(a_bucket_gives_its_burst_then_the_rate) {
  rate_limit *r = rate_create(10, 5);
  for (int i = 0; i < 5; i++) ck_assert(rate_take(r, "x", 100) == 0);
  ck_assert_double_eq_tol(rate_take(r, "x", 100), 0.1, 1e-9);
  ck_assert_double_eq_tol(rate_take(r, "x", 100.04), 0.06, 1e-9);
  ck_assert(rate_take(r, "y", 100) == 0); // others have their own
  for (int i = 1; i <= 50; i++) {
    ck_assert(rate_take(r, "x", 100 + 0.1 * i) == 0);
    ck_assert(rate_take(r, "x", 100 + 0.1 * i) > 0);
  }
  for (int i = 0; i < 5; i++) ck_assert(rate_take(r, "x", 200) == 0); // silence fills it, but not beyond
  ck_assert(rate_take(r, "x", 200) > 0);
  rate_destroy(r);
}
END_TEST

START_TEST(a_million_strangers_do_not_empty_the_bucket_of_a_busy_caller) {
  rate_limit *r = rate_create(1000, 1);
  char key[32];
  int refused = 0;
  for (int i = 0; i < 1000000; i++) {
    snprintf(key, sizeof key, "stranger %d", i);
    rate_take(r, key, i * 1e-6);
    if (i % 100 == 0) refused += rate_take(r, "busy", i * 1e-6) > 0;
  }
  // 10000 calls of the busy one in a second, of which 1000 may pass and some more whose bucket was pushed out
  ck_assert_int_gt(refused, 8900);
  ck_assert_int_le(refused, 9001);
  rate_destroy(r);
}
END_TEST

START_TEST(the_rate_counts_per_token_and_per_address) {
  setup();
  char one[AUTH_TOKEN_SIZE + 8], two[AUTH_TOKEN_SIZE + 8];
  auth_caller caller;
  make("one", AUTH_RUN, one);
  make("two", AUTH_RUN, two);
  open_auth(1, 3);
  int calls = 0;
  while (may(one, AUTH_READ) && calls < 10000) calls++;
  ck_assert_int_ge(calls, 3);
  ck_assert_int_eq(f.code, PROBLEM_RATE_LIMITED);
  ck_assert_int_eq(f.retry_after_s, 1);
  ck_assert(may(two, AUTH_READ));
  for (calls = 0; !may("Bearer wrong", AUTH_READ) && f.code == PROBLEM_UNAUTHENTICATED && calls < 10000;) calls++;
  ck_assert_int_ge(calls, 3); // guesses are counted for the address
  ck_assert_int_eq(f.code, PROBLEM_RATE_LIMITED);
  ck_assert(may(NULL, AUTH_PUBLIC));
  ck_assert(!auth_check(a, "127.0.0.2", NULL, AUTH_READ, &caller, &f));
  ck_assert_int_eq(f.code, PROBLEM_UNAUTHENTICATED);
  teardown();
}
END_TEST

START_TEST(an_address_is_the_same_however_a_transport_spells_it) {
  static const char *const same[][4] = {
      {"192.0.2.7", "192.0.2.7:51234", "ipv4:192.0.2.7:51234", "[::ffff:192.0.2.7]:80"},
      {"::1", "[::1]:51234", "ipv6:%5B::1%5D:51234", "ipv6:[::1]:51234"},
      {"2001:db8:1:2::5", "[2001:db8:1:2:ffff::9]:1", "2001:db8:1:2:3:4:5:6%eth0", "ipv6:%5B2001:db8:1:2::%5D:9"},
      {"unix:", "unix:/run/x", "unix:a:b", "unix:[::1]"}};
  char first[RATE_KEY_SIZE], key[RATE_KEY_SIZE];
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    for (size_t j = 0; j < 4; j++) {
      rate_key_of_peer(same[i][j], j == 0 ? first : key);
      if (j > 0) ck_assert_str_eq(first, key);
    }
  rate_key_of_peer("192.0.2.8", key);
  rate_key_of_peer("192.0.2.7", first);
  ck_assert_str_ne(first, key);
  rate_key_of_peer("2001:db8:1:3::5", key);
  rate_key_of_peer("2001:db8:1:2::5", first);
  ck_assert_str_ne(first, key);
  rate_key_of_peer(NULL, key);
}
END_TEST

// --------------------------------------------------------------------------------------------------------------- names

START_TEST(hosts_are_loopback_and_the_names_given) {
  static const char *const good[] = {"localhost", "LOCALHOST:8080", "127.0.0.1",       "127.0.0.1:1",
                                     "[::1]",     "[::1]:8080",     "tendril.example", "Tendril.Example:443",
                                     "b"};
  static const char *const bad[] = {
      "",       "evil.example", "localhost.evil.example", "localhost:80a",  "127.0.0.1.nip.io",
      "[::2]",  "10.0.0.1:80",  "tendril.example.evil",   "tendril",        "[::1",
      "[::1]x", "::1",          "b,tendril.example",      "127.0.0.1@evil", ":80"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    ck_assert_msg(hosts_accept("tendril.example,b", false, good[i]), "%s", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    ck_assert_msg(!hosts_accept("tendril.example,b", false, bad[i]), "%s", bad[i]);
  ck_assert(hosts_accept("", true, "10.0.0.1:80") && hosts_accept("", true, "[2001:db8::1]"));
  ck_assert(!hosts_accept("", true, "evil.example"));
  ck_assert(hosts_valid("") && hosts_valid("a") && hosts_valid("a.b,c-d"));
  ck_assert(!hosts_valid(",") && !hosts_valid("a,") && !hosts_valid("a b") && !hosts_valid("a:80") &&
            !hosts_valid("*"));
}
END_TEST

START_TEST(an_origin_is_this_server_or_one_of_its_names) {
  setup();
  ck_assert(auth_check_origin(a, NULL, "localhost", &f));
  ck_assert(auth_check_origin(a, "http://localhost:3000", "localhost:8080", &f));
  ck_assert(auth_check_origin(a, "https://tendril.example", "127.0.0.1", &f));
  ck_assert(auth_check_origin(a, "https://10.0.0.1:8080", "10.0.0.1:8080", &f));
  static const char *const bad[] = {"null",    "",         "https://evil.example", "https://10.0.0.2:8080",
                                    "file://", "localhost"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) ck_assert(!auth_check_origin(a, bad[i], "10.0.0.1:8080", &f));
  ck_assert(!auth_check_host(a, NULL, &f));
  ck_assert_int_eq(f.code, PROBLEM_INVALID_ARGUMENT);
  ck_assert(!auth_check_host(a, "evil.example", &f));
  ck_assert_int_eq(f.code, PROBLEM_PERMISSION_DENIED);
  teardown();
}
END_TEST

// ---------------------------------------------------------------------------------------------------------------- logs

START_TEST(a_token_is_not_written_wherever_it_turns_up) {
  static const char secret[] = "tendril_0123456789abcdef0123456789abcdef";
  char text[1024] = "", path[128];
  int pipes[2], saved = dup(STDERR_FILENO);
  ck_assert_int_eq(pipe(pipes), 0);
  snprintf(path, sizeof path, "/v1/tokens/%s/x tendril_short", secret);
  dup2(pipes[1], STDERR_FILENO);
  log_write(LOG_LEVEL_ERROR, "request", LOG_S("path", path));
  dup2(saved, STDERR_FILENO);
  ck_assert_int_gt(read(pipes[0], text, sizeof text - 1), 0);
  ck_assert_ptr_null(strstr(text, "0123456789abcdef"));
  ck_assert_ptr_nonnull(strstr(text, "\"/v1/tokens/tendril_***/x tendril_short\"}"));
  close(saved), close(pipes[0]), close(pipes[1]);
}
END_TEST

// ------------------------------------------------------------------------------------------------------------- threads

static char shared[AUTH_TOKEN_SIZE + 8];
static atomic_bool ending;

static void *call(void *context) {
  long *wrong = context;
  auth_caller caller;
  fault own;
  while (!atomic_load(&ending)) {
    *wrong += !auth_check(a, "10.0.0.1", shared, AUTH_RUN, &caller, &own) || strcmp(caller.name, "shared") != 0;
    *wrong += auth_check(a, "10.0.0.1", "Bearer none", AUTH_READ, &caller, &own);
  }
  return NULL;
}

START_TEST(callers_are_judged_rightly_while_tokens_come_and_go) {
  setup();
  pthread_t threads[4];
  long wrong[4] = {0};
  char header[AUTH_TOKEN_SIZE + 8];
  make("shared", AUTH_RUN, shared);
  atomic_store(&ending, false);
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, call, &wrong[i]), 0);
  for (int i = 0; i < 20; i++) {
    make("other", AUTH_RUN, header);
    ck_assert(may(header, AUTH_RUN));
    ck_assert(auth_token_delete(a, "other", false, &f));
    ck_assert(!may(header, AUTH_RUN));
  }
  atomic_store(&ending, true);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  ck_assert_int_eq(wrong[0] + wrong[1] + wrong[2] + wrong[3], 0);
  teardown();
}
END_TEST

TEST_MAIN("auth", without_tokens_everybody_reads_and_runs_but_nobody_administers,
          a_scope_includes_those_below_it_and_nothing_else, only_the_very_token_in_the_right_header_opens,
          a_deleted_token_is_refused_at_once_and_the_folder_stays_closed,
          tokens_survive_a_restart_and_names_are_theirs_alone, the_secret_is_not_in_the_data_folder,
          a_bucket_gives_its_burst_then_the_rate, a_million_strangers_do_not_empty_the_bucket_of_a_busy_caller,
          the_rate_counts_per_token_and_per_address, an_address_is_the_same_however_a_transport_spells_it,
          hosts_are_loopback_and_the_names_given, an_origin_is_this_server_or_one_of_its_names,
          a_token_is_not_written_wherever_it_turns_up, callers_are_judged_rightly_while_tokens_come_and_go)
