// Protobuf messages: what is refused before it is unpacked, and JSON objects as messages.
#include "codec/wire/message.h"
#include "support/suite.h"
#include "tendril/v1/dynamics.pb-c.h"
#include "tendril/v1/jobs.pb-c.h"

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

START_TEST(a_job_of_the_service_becomes_a_message_by_the_names_of_its_fields) {
  json_t *job = json_loads("{\"id\":\"01x\",\"attempt\":2,\"priority\":-3,\"labels\":{\"study\":\"a\",\"run\":\"7\"},"
                           "\"model\":{\"name\":null,\"revision\":null,\"sha256\":\"ff\"},"
                           "\"progress\":{\"fraction\":0.25,\"t\":1,\"t_end\":4.5},"
                           "\"error\":{\"code\":\"x\",\"detail\":\"y\"},\"parent\":null,\"unknown\":[1]}",
                           0, NULL);
  arena *a = arena_create();
  Tendril__V1__Job m = TENDRIL__V1__JOB__INIT;
  ck_assert(codec_message_fill(job, a, &m.base));
  ck_assert_str_eq(m.id, "01x");
  ck_assert_uint_eq(m.attempt, 2);
  ck_assert_int_eq(m.priority, -3);
  ck_assert_uint_eq(m.n_labels, 2);
  ck_assert_str_eq(m.labels[0]->key, "study");
  ck_assert_str_eq(m.labels[1]->value, "7");
  ck_assert_str_eq(m.model->name, "");
  ck_assert_str_eq(m.model->sha256, "ff");
  ck_assert(m.progress->fraction == 0.25 && m.progress->t == 1 && m.progress->t_end == 4.5);
  ck_assert_str_eq(m.error, "{\"code\":\"x\",\"detail\":\"y\"}");
  ck_assert_str_eq(m.parent, "");
  arena_destroy(a);
  json_decref(job);
}
END_TEST

TEST_MAIN("codec_message", bytes_that_are_no_message_are_refused_with_their_field,
          many_small_parts_are_refused_before_they_cost_memory,
          a_job_of_the_service_becomes_a_message_by_the_names_of_its_fields)
