// Protobuf messages: what is refused before it is unpacked, and what callers are told as JSON and as messages.
#include "codec/view/event.h"
#include "codec/view/job.h"
#include "codec/wire/message.h"
#include "support/suite.h"
#include "tendril/v1/dynamics.pb-c.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REQUEST &tendril__v1__evaluate_request__descriptor

static void check_refused(const void *bytes, size_t size, td_status expected, const char *pointer) {
  td_error err = {.status = TD_OK};
  ck_assert_int_eq(codec_message_check(REQUEST, bytes, size, &err), expected);
  ck_assert_int_eq(err.status, expected);
  ck_assert_str_eq(err.pointer, pointer);
  ck_assert(*err.message);
}

START_TEST(bytes_that_are_no_message_are_refused_with_their_field) {
  static const struct {
    const char *bytes;
    size_t size;
    const char *pointer;
  } cases[] = {{"\xff", 1, ""},
               {"\x0a\xff", 2, "/model"},
               {"\x0a\x05"
                "abc",
                5, "/model"},
               {"\x0b", 1, "/model"},
               {"\x00\x00", 2, ""},
               {"\x21\x00", 2, "/baumgarte"},
               {"\x0a\x02\xc3\x28", 4, "/model"},
               {"\x0a\x03"
                "a\x00"
                "b",
                5, "/model"},
               {"\x1a\x01\xff", 3, "/want"},
               {"\x2a\x02\x0a\x7f", 4, "/states/q"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_refused(cases[i].bytes, cases[i].size, TD_INVALID_ARGUMENT, cases[i].pointer);
}
END_TEST

// Two bytes each, a hundred when unpacked.
START_TEST(many_small_parts_are_refused_before_they_cost_memory) {
  static const struct {
    char tag, value;
    size_t count;
    const char *pointer;
  } cases[] = {{0x2a, 0, CODEC_MAX_PARTS + 1, "/states"}, // empty states
               {0x1a, 0, CODEC_MAX_PARTS + 1, "/want"},   // empty strings
               {0x78, 0, CODEC_MAX_PARTS + 1, ""}};       // a field that nobody knows
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *bytes = malloc(2 * cases[i].count);
    for (size_t k = 0; k < cases[i].count; k++) bytes[2 * k] = cases[i].tag, bytes[2 * k + 1] = cases[i].value;
    check_refused(bytes, 2 * cases[i].count, TD_LIMIT, cases[i].pointer);
    ck_assert_int_eq(codec_message_check(REQUEST, bytes, 2 * (cases[i].count - 1), NULL), TD_OK);
    free(bytes);
  }
}
END_TEST

static job_view odd_job(void) {
  static char document[] = "{}", labels[] = "{\"study\":\"a\",\"run\":\"7\"}",
              error[] = "{\"code\":\"x\",\"detail\":\"y\"}",
              warnings[] = "[{\"code\":\"odd\",\"detail\":\"so\",\"pointer\":\"/model\"}]";
  job_view view = {.row = {.id = "01x",
                           .kind = "dynamics",
                           .state = JOB_FAILED,
                           .attempt = 2,
                           .priority = -3,
                           .model_sha256 = "ff",
                           .model_revision = 7, // of no name: it is not told
                           .document = document,
                           .labels = labels,
                           .error = error,
                           .warnings = warnings,
                           .created_ms = INT64_C(1700000000123),
                           .owner = "ann",
                           .node = "lab-1"},
                   .progress = {.fraction = 0.25, .t = 1, .t_end = NAN, .checking = true},
                   .waiting_for = "room"};
  return view;
}

START_TEST(a_job_as_a_message_says_what_it_says_as_json) {
  job_view view = odd_job();
  codec_buffer json;
  arena *a = arena_create();
  Tendril__V1__Job m;
  codec_buffer_init(&json, 0);
  codec_job_json(&json, &view);
  codec_buffer_append(&json, "", 1);
  ck_assert_str_eq(
      json.data,
      "{\"id\":\"01x\",\"kind\":\"dynamics\",\"owner\":\"ann\",\"state\":\"failed\",\"attempt\":2,"
      "\"node\":\"lab-1\",\"model\":{\"name\":null,\"owner\":null,\"revision\":null,\"sha256\":\"ff\"},"
      "\"progress\":{\"fraction\":0.25,\"t\":1,\"t_end\":null,\"phase\":\"checking\"},"
      "\"labels\":{\"study\":\"a\",\"run\":\"7\"},\"priority\":-3,\"created_at\":\"2023-11-14T22:13:20.123Z\","
      "\"started_at\":null,\"finished_at\":null,\"error\":{\"code\":\"x\",\"detail\":\"y\"},"
      "\"waiting_for\":\"room\",\"warnings\":[{\"code\":\"odd\",\"detail\":\"so\",\"pointer\":\"/model\"}],"
      "\"retry_of\":null,\"parent\":null}");
  ck_assert(codec_job_message(&view, a, &m));
  ck_assert_str_eq(m.id, "01x");
  ck_assert_str_eq(m.kind, "dynamics");
  ck_assert_str_eq(m.owner, "ann");
  ck_assert_str_eq(m.state, "failed");
  ck_assert_uint_eq(m.attempt, 2);
  ck_assert_int_eq(m.priority, -3);
  ck_assert_uint_eq(m.n_labels, 2);
  ck_assert_str_eq(m.labels[0]->key, "study");
  ck_assert_str_eq(m.labels[1]->value, "7");
  ck_assert_str_eq(m.model->name, "");
  ck_assert_int_eq(m.model->revision, 0);
  ck_assert_str_eq(m.model->sha256, "ff");
  ck_assert(m.progress->fraction == 0.25 && m.progress->t == 1 && m.progress->t_end == 0);
  ck_assert_str_eq(m.progress->phase, "checking");
  ck_assert_str_eq(m.created_at, "2023-11-14T22:13:20.123Z");
  ck_assert_str_eq(m.started_at, "");
  ck_assert_str_eq(m.error, "{\"code\":\"x\",\"detail\":\"y\"}");
  ck_assert_str_eq(m.waiting_for, "room");
  ck_assert_str_eq(m.node, "lab-1");
  ck_assert_uint_eq(m.n_warnings, 1);
  ck_assert_str_eq(m.warnings[0]->pointer, "/model");
  ck_assert_str_eq(m.parent, "");
  arena_destroy(a);
  codec_buffer_fini(&json);
}
END_TEST

START_TEST(an_event_carries_the_very_text_that_a_stream_of_rest_has) {
  const store_event event = {
      .seq = 3, .time_ms = 1, .attempt = 1, .type = "log", .data = "{\"level\":\"info\",\"t\":0.1}"};
  static const char text[] = "{\"seq\":3,\"event\":\"log\",\"time\":\"1970-01-01T00:00:00.001Z\",\"job\":\"01x\","
                             "\"attempt\":1,\"level\":\"info\",\"t\":0.1}";
  codec_buffer frame;
  arena *a = arena_create();
  Tendril__V1__Event m;
  codec_buffer_init(&frame, 0);
  codec_event_frame(&frame, "01x", &event);
  codec_buffer_append(&frame, "", 1);
  ck_assert(codec_event_message("01x", &event, a, &m));
  ck_assert_str_eq(m.data, text);
  ck_assert_str_eq(m.event, "log");
  ck_assert_int_eq(m.seq, 3);
  ck_assert_str_eq(strstr(frame.data, "data: ") + 6,
                   "{\"seq\":3,\"event\":\"log\",\"time\":\"1970-01-01T00:00:00.001Z\","
                   "\"job\":\"01x\",\"attempt\":1,\"level\":\"info\",\"t\":0.1}\n\n");
  ck_assert_int_eq(strncmp(frame.data, "id: 3\nevent: log\ndata: ", 23), 0);
  arena_destroy(a);
  codec_buffer_fini(&frame);
}
END_TEST

START_TEST(a_list_of_many_messages_keeps_all_of_them_and_one_that_finds_no_memory_fails) {
  enum { MANY = 100 };
  message_list list = {.memory = arena_create()};
  for (int i = 0; i < MANY; i++)
    ((Tendril__V1__Event *)message_list_add(&list, &tendril__v1__event__descriptor))->seq = i;
  ck_assert_uint_eq(list.count, MANY);
  for (int i = 0; i < MANY; i++) ck_assert_int_eq(((Tendril__V1__Event *)list.items[i])->seq, i);
  arena_destroy(list.memory);
  list = (message_list){.memory = arena_create_limited(64)};
  ck_assert_ptr_null(message_list_add(&list, &tendril__v1__job__descriptor));
  ck_assert(list.failed);
  arena_destroy(list.memory);
}
END_TEST

TEST_MAIN("codec_message", bytes_that_are_no_message_are_refused_with_their_field,
          many_small_parts_are_refused_before_they_cost_memory, a_job_as_a_message_says_what_it_says_as_json,
          an_event_carries_the_very_text_that_a_stream_of_rest_has,
          a_list_of_many_messages_keeps_all_of_them_and_one_that_finds_no_memory_fails)
