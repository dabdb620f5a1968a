// What the client reads from JSON: problem documents, jobs, events, members as they were written; and the addresses it
// makes. The library must take anything: other types, missing members, no JSON at all.
#include "lib/base/error.h"
#include "lib/http/path.h"
#include "lib/reply/documents.h"
#include "lib/reply/raw.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static tendril_error problem(int http, const char *body) {
  tendril_error err;
  ck_assert_int_eq(client_problem(&err, http, body, body ? strlen(body) : 0), TENDRIL_REFUSED);
  ck_assert_int_eq(err.status, TENDRIL_REFUSED);
  ck_assert_int_eq(err.http, http);
  return err;
}

START_TEST(a_problem_document_gives_code_detail_place_and_request) {
  tendril_error e = problem(400, "{\"type\":\"urn:x\",\"title\":\"T\",\"status\":400,\"detail\":\"q has 2 numbers\","
                                 "\"code\":\"invalid_argument\",\"pointer\":\"/states/3/q\",\"request_id\":\"r1\"}");
  ck_assert_str_eq(e.detail, "q has 2 numbers");
  ck_assert_str_eq(e.code, "invalid_argument");
  ck_assert_str_eq(e.pointer, "/states/3/q");
  ck_assert_str_eq(e.request_id, "r1");
}
END_TEST

START_TEST(what_is_no_problem_document_is_said_to_be_none_and_keeps_the_status) {
  static const char *const bodies[] = {
      NULL,  "",     "<html>",   "[1]",       "{\"detail\": 4, \"code\": [], \"pointer\": null}",
      "{\"", "\xff", "\"text\"", "{\"a\":1}x"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
    tendril_error e = problem(502, bodies[i]);
    ck_assert_ptr_nonnull(strstr(e.detail, "not a problem document"));
    ck_assert_str_eq(e.code, "");
  }
  ck_assert_str_eq(problem(500, "{\"title\": \"Internal error\"}").detail, "Internal error");
}
END_TEST

START_TEST(long_texts_are_cut_between_characters) {
  char body[5000], long_detail[4000];
  memset(long_detail, 'a', sizeof long_detail);
  for (size_t i = 1; i + 2 < sizeof long_detail; i += 2) memcpy(long_detail + i, "\xc3\xa9", 2); // a, then é é é …
  long_detail[sizeof long_detail - 3] = '\0';
  snprintf(body, sizeof body, "{\"detail\": \"%.3999s\", \"code\": \"%.100s\"}", long_detail,
           "0123456789012345678901234567890123");
  tendril_error e = problem(400, body);
  size_t n = strlen(e.detail);
  ck_assert_uint_ge(n, sizeof e.detail - 3);
  ck_assert_mem_eq(e.detail + n - 2, "\xc3\xa9", 2);
  ck_assert_uint_eq(strlen(e.code), sizeof e.code - 1);
}
END_TEST

static tendril_job job_of(const char *text, bool good) {
  tendril_job job;
  json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
  ck_assert_ptr_nonnull(json);
  ck_assert(client_read_job(json, &job) == good);
  json_decref(json);
  return job;
}

START_TEST(a_job_is_read_with_its_model_progress_and_error) {
  tendril_job j =
      job_of("{\"id\":\"j1\",\"kind\":\"dynamics\",\"state\":\"failed\",\"attempt\":2,\"model\":{\"name\":\"cdm\","
             "\"revision\":3},\"progress\":{\"fraction\":0.25,\"t\":2.5,\"t_end\":10},\"priority\":-7,"
             "\"created_at\":\"2026-01-31T22:00:00.000Z\",\"started_at\":null,\"error\":{\"code\":\"diverged\","
             "\"detail\":\"at t = 2.5\",\"pointer\":\"/integrator\"},\"retry_of\":\"j0\"}",
             true);
  ck_assert_int_eq(j.state, TENDRIL_FAILED);
  ck_assert_str_eq(tendril_state_name(j.state), "failed");
  ck_assert(tendril_state_ended(j.state));
  ck_assert_str_eq(j.model, "cdm");
  ck_assert_int_eq(j.revision, 3);
  ck_assert_int_eq(j.priority, -7);
  ck_assert_double_eq(j.fraction, 0.25);
  ck_assert_double_eq(j.t_end, 10);
  ck_assert_str_eq(j.started_at, "");
  ck_assert_str_eq(j.retry_of, "j0");
  ck_assert_str_eq(j.error_code, "diverged");
  ck_assert_str_eq(j.error_pointer, "/integrator");
}
END_TEST

START_TEST(a_job_with_members_of_other_types_or_a_new_state_is_still_a_job) {
  tendril_job j =
      job_of("{\"id\":\"j\",\"state\":\"paused\",\"attempt\":1e300,\"model\":7,\"progress\":[],\"error\":\"x\"}", true);
  ck_assert_int_eq(j.state, TENDRIL_UNKNOWN);
  ck_assert(!tendril_state_ended(j.state));
  ck_assert_int_eq(j.attempt, 0);
  ck_assert_str_eq(j.model, "");
  ck_assert(isnan(j.t));
  job_of("{}", false);
  job_of("[]", false);
  job_of("{\"id\": 5}", false);
}
END_TEST

START_TEST(events_are_read_by_kind_and_what_is_no_object_is_none) {
  tendril_event e;
  static const char state[] = "{\"seq\":12,\"time\":\"t\",\"attempt\":1,\"state\":\"running\"}";
  ck_assert(client_read_event("state", state, sizeof state - 1, &e));
  ck_assert_int_eq(e.kind, TENDRIL_EVENT_STATE);
  ck_assert_int_eq(e.seq, 12);
  ck_assert_int_eq(e.state, TENDRIL_RUNNING);
  static const char progress[] = "{\"event\":\"progress\",\"seq\":13,\"fraction\":0.5,\"t\":null}";
  ck_assert(client_read_event("", progress, sizeof progress - 1, &e));
  ck_assert_int_eq(e.kind, TENDRIL_EVENT_PROGRESS);
  ck_assert_double_eq(e.fraction, 0.5);
  ck_assert(isnan(e.t));
  ck_assert(client_read_event("samples", "{}", 2, &e));
  ck_assert_int_eq(e.kind, TENDRIL_EVENT_OTHER);
  ck_assert(!client_read_event("state", "[]", 2, &e));
  ck_assert(!client_read_event("state", "{\"seq\":", 7, &e));
  ck_assert(!client_read_event("state", "", 0, &e));
}
END_TEST

static void expect_member(const char *text, const char *key, const char *expected) {
  size_t size = 0;
  const char *at = client_raw_member(text, strlen(text), key, &size);
  if (!expected) {
    ck_assert_ptr_null(at);
    return;
  }
  ck_assert_ptr_nonnull(at);
  ck_assert_uint_eq(size, strlen(expected));
  ck_assert_mem_eq(at, expected, size);
}

START_TEST(a_member_is_found_as_it_was_written) {
  static const char text[] = " { \"a\" : [1, {\"b\": \"}\\\"]\"}] , \"b\":1.50e0,\"c\": {\"a\": 2 } }";
  expect_member(text, "a", "[1, {\"b\": \"}\\\"]\"}]");
  expect_member(text, "b", "1.50e0");
  expect_member(text, "c", "{\"a\": 2 }");
  expect_member(text, "d", NULL);
}
END_TEST

START_TEST(broken_text_never_leads_outside_itself) {
  static const char text[] = "{\"a\": [1, \"\\\\\\\"x\", {\"b\": null}], \"b\": \"y\"}";
  for (size_t n = 0; n < sizeof text; ++n) {
    char *cut = strndup(text, n); // its end is the end of the block: a sanitizer sees what reads on
    size_t size = 0;
    const char *at = client_raw_member(cut, n, "b", &size);
    ck_assert(!at || (at >= cut && at + size <= cut + n));
    free(cut);
  }
  expect_member("{\"b\"", "b", NULL);
  expect_member("{\"b\":", "b", NULL);
  expect_member("[]", "b", NULL);
}
END_TEST

START_TEST(no_name_can_leave_its_place_in_an_address) {
  client_path path = client_path_to(CLIENT_MODELS_GET, "../a b?c#d%\xc3\xa9", NULL);
  client_path_query(&path, "x", NULL);
  client_path_query(&path, "label", "k:v&w");
  client_path_query(&path, "n", "1");
  ck_assert_str_eq(path.text, "/v1/models/..%2Fa%20b%3Fc%23d%25%C3%A9?label=k%3Av%26w&n=1");
  ck_assert(!path.too_long);
  char name[7000];
  memset(name, 'a', sizeof name);
  name[sizeof name - 1] = '\0';
  ck_assert(client_path_to(CLIENT_JOBS_CANCEL, name, NULL).too_long);
  path = client_path_to(CLIENT_MODELS_REVISION, "a/b", "3");
  ck_assert_str_eq(path.text, "/v1/models/a%2Fb/revisions/3");
  ck_assert_str_eq(path.method, "GET");
  path = client_path_to(CLIENT_JOBS_CANCEL, "7", NULL);
  ck_assert_str_eq(path.text, "/v1/jobs/7:cancel");
  ck_assert_str_eq(path.method, "POST");
}
END_TEST

START_TEST(a_client_is_refused_for_an_address_or_a_token_that_is_none) {
  static const char *const urls[] = {"ftp://x", "http://", "http://a b", "http://x/\r\nHost: y", "file:///etc/passwd"};
  tendril_error err;
  for (size_t i = 0; i < sizeof urls / sizeof *urls; ++i) {
    ck_assert_ptr_null(tendril_open(&(tendril_options){.url = urls[i]}, &err));
    ck_assert_int_eq(err.status, TENDRIL_INVALID);
  }
  ck_assert_ptr_null(tendril_open(&(tendril_options){.token = "a\r\nX: y"}, &err));
  ck_assert_int_eq(err.status, TENDRIL_INVALID);
  tendril_client *c = tendril_open(&(tendril_options){.url = "localhost:1/"}, NULL);
  ck_assert_str_eq(tendril_url(c), "http://localhost:1");
  ck_assert_int_eq(tendril_get(c, "/healthz", NULL), TENDRIL_UNREACHABLE);
  ck_assert_int_eq(tendril_get(c, "healthz", &err), TENDRIL_INVALID);
  ck_assert_int_eq(tendril_job_get(c, "", NULL, &err), TENDRIL_INVALID);
  ck_assert_int_eq(tendril_job_submit(c, "{}", 2, "two words", NULL, &err), TENDRIL_INVALID);
  tendril_close(c);
}
END_TEST

TEST_MAIN("client_documents", a_problem_document_gives_code_detail_place_and_request,
          what_is_no_problem_document_is_said_to_be_none_and_keeps_the_status, long_texts_are_cut_between_characters,
          a_job_is_read_with_its_model_progress_and_error,
          a_job_with_members_of_other_types_or_a_new_state_is_still_a_job,
          events_are_read_by_kind_and_what_is_no_object_is_none, a_member_is_found_as_it_was_written,
          broken_text_never_leads_outside_itself, no_name_can_leave_its_place_in_an_address,
          a_client_is_refused_for_an_address_or_a_token_that_is_none)
