// JSON text: what is refused before a tree exists, pointers, problem documents.
#include "base/share/budget.h"
#include "codec/json/pointer.h"
#include "codec/json/text.h"
#include "codec/wire/problem.h"
#include "support/suite.h"
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_refused(const char *bytes, size_t size, const char *words) {
  td_error err = {0};
  json_t *doc = codec_parse(bytes, size, &err);
  ck_assert_msg(doc == NULL, "accepted: %.*s", (int)size, bytes);
  ck_assert_int_eq(err.status, TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "");
  ck_assert_msg(strstr(err.message, words) != NULL, "\"%s\" lacks \"%s\"", err.message, words);
}

START_TEST(what_is_no_JSON_is_refused_with_line_and_column) {
  static const struct {
    const char *text, *words;
  } cases[] = {{"", "line"},
               {"{", "ends too early"},
               {"{\"a\":1}\nx", "line 2"},
               {"[1,\n 2,,3]", "line 2 column 4: a value is missing before ','"},
               {"{\"a\": 1\n \"b\": 2}", "line 2 column 4: a comma is missing before '\"b\"'"},
               {"[1 2]", "a comma is missing before '2'"},
               {"{\"a\" 1}", "a colon is missing before '1'"},
               {"{\"a\": 1,}", "a key in double quotes should stand in the place of '}'"},
               {"[one]", "'one' is neither a text in double quotes nor a number"},
               {"{\"a\":1,\"a\":2}", "duplicate"},
               {"[1e400]", "too large for a finite double"},
               {"[123456789012345678901234567890]", "beyond 64 bits"},
               {"[NaN]", "line 1"},
               {"[\"a\nb\"]", "line 1 column 4: a string holds a raw control character"},
               {"[\"\xff\"]", "line 1 column 3: the text is not valid UTF-8"},
               {"[\"\xed\xa0\x80\"]", "UTF-8"},
               {"[\xff]", "line 1 column 2: the text is not valid UTF-8"},
               {"[1,\n\"\xc3\xa4\", \xe2\x88\x92"
                "2]",
                "line 2 column 6: U+2212 is a typographic minus, write -"},
               {"{\xe2\x80\x9c"
                "a\": 1}",
                "line 1 column 2: U+201C is a typographic quotation mark, write \""},
               {"[1,\xc2\xa0"
                "2]",
                "line 1 column 4: U+00A0 is a space that does not break"},
               {"\xef\xbb\xbf[1]", "line 1 column 1: U+FEFF is a byte order mark"},
               {"[\xc3\xa4]", "line 1 column 2: U+00E4 is outside of a string"},
               {"[\xf0\x9f\x98\x80]", "line 1 column 2: U+1F600 is outside of a string"},
               {"[\"\xc0\xaf\"]", "UTF-8"},
               {"[\"\xf4\x90\x80\x80\"]", "UTF-8"},
               {"[\"\\ud800\"]", "line 1"},
               {"[\"a\\u0000b\"]", "u0000"},
               {"[\"cut", "ends too early"},
               {"[\"cut\\", "line 1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_refused(cases[i].text, strlen(cases[i].text), cases[i].words);
  check_refused("[\"a\0b\"]", 7, "NUL");
  check_refused("[1]\0", 4, "NUL");
}
END_TEST

START_TEST(nesting_stops_at_64_levels_however_deep_it_was_meant) {
  enum { DEEP = 1000000 };
  char *text = malloc(DEEP);
  memset(text, '[', DEEP);
  check_refused(text, DEEP, "nested deeper than 64 levels");
  memset(text + 64, ']', 64);
  json_t *doc = codec_parse(text, 128, NULL);
  ck_assert_ptr_nonnull(doc);
  json_decref(doc);
  text[64] = '[';
  memset(text + 65, ']', 65);
  check_refused(text, 130, "nested");
  free(text);
}
END_TEST

START_TEST(brackets_in_strings_do_not_nest) {
  const char text[] = "[\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[[\"]";
  json_t *doc = codec_parse(text, sizeof text - 1, NULL);
  ck_assert_ptr_nonnull(doc);
  json_decref(doc);
}
END_TEST

START_TEST(text_of_every_plane_is_accepted) {
  const char text[] = "{\"\xc3\xa9\":\"\xe2\x82\xac\xf0\x9d\x84\x9e\\ud834\\udd1e\"}";
  json_t *doc = codec_parse(text, sizeof text - 1, NULL);
  ck_assert_str_eq(json_string_value(json_object_get(doc, "\xc3\xa9")), "\xe2\x82\xac\xf0\x9d\x84\x9e\xf0\x9d\x84\x9e");
  json_decref(doc);
}
END_TEST

START_TEST(pointers_escape_and_return_to_where_they_were) {
  codec_pointer p;
  codec_pointer_init(&p, "/model");
  size_t a = codec_pointer_key(&p, "a/b~c");
  size_t b = codec_pointer_index(&p, 12);
  ck_assert_str_eq(p.text, "/model/a~1b~0c/12");
  codec_pointer_pop(&p, b);
  codec_pointer_pop(&p, a);
  ck_assert_str_eq(p.text, "/model");
}
END_TEST

START_TEST(a_token_that_does_not_fit_is_left_out_with_all_below_it) {
  char long_key[2 * TD_POINTER_SIZE];
  memset(long_key, 'k', sizeof long_key - 1);
  long_key[sizeof long_key - 1] = '\0';
  codec_pointer p;
  codec_pointer_init(&p, "/inputs");
  size_t a = codec_pointer_key(&p, long_key), b = codec_pointer_key(&p, "t");
  ck_assert_str_eq(p.text, "/inputs");
  codec_pointer_pop(&p, b);
  codec_pointer_pop(&p, a);
  size_t c = codec_pointer_key(&p, "x");
  ck_assert_str_eq(p.text, "/inputs/x");
  codec_pointer_pop(&p, c);
}
END_TEST

START_TEST(a_pointer_of_many_tokens_never_overflows) {
  codec_pointer p;
  size_t marks[500];
  codec_pointer_init(&p, "");
  for (int i = 0; i < 500; i++) marks[i] = codec_pointer_key(&p, "ab~");
  ck_assert_uint_lt(strlen(p.text), TD_POINTER_SIZE);
  for (int i = 500; i-- > 0;) codec_pointer_pop(&p, marks[i]);
  ck_assert_str_eq(p.text, "");
}
END_TEST

START_TEST(an_error_gets_the_place_of_its_document_in_front) {
  td_error err = {.pointer = "/links/3"};
  codec_error_prefix(&err, "/model");
  ck_assert_str_eq(err.pointer, "/model/links/3");
}
END_TEST

START_TEST(every_problem_is_a_complete_document) {
  for (int i = 0; i < PROBLEM_CODE_COUNT; i++) {
    size_t size;
    const problem_row *row = codec_problem_row((problem_code)i);
    char *text = codec_problem_write((problem_code)i, "bad \"x\"", "/a", "r1", NULL, &size);
    json_t *doc = codec_parse(text, size, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(doc, "code")), row->code);
    ck_assert_int_eq(json_integer_value(json_object_get(doc, "status")), row->http);
    ck_assert_str_eq(json_string_value(json_object_get(doc, "title")), row->title);
    ck_assert_str_eq(json_string_value(json_object_get(doc, "detail")), "bad \"x\"");
    ck_assert_str_eq(json_string_value(json_object_get(doc, "pointer")), "/a");
    ck_assert_str_eq(json_string_value(json_object_get(doc, "request_id")), "r1");
    ck_assert_ptr_nonnull(json_object_get(doc, "type"));
    json_decref(doc);
    free(text);
  }
}
END_TEST

START_TEST(a_problem_lists_several_errors_and_as_many_as_fit_into_a_trailer) {
  td_errors all = {.count = 3};
  size_t size;
  for (int i = 0; i < 3; i++) (void)td_fail(&all.list[i], TD_INVALID_ARGUMENT, "/a", "error %d", i);
  char *text = codec_problem_write(PROBLEM_INVALID_ARGUMENT, "error 0", "/a", NULL, &all, &size);
  json_t *doc = codec_parse(text, size, NULL), *list = json_object_get(doc, "errors");
  ck_assert_uint_eq(json_array_size(list), 3);
  ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 2), "detail")), "error 2");
  json_decref(doc);
  free(text);
  text = codec_problem_errors(&all, 80, &size); // two of them have 37 bytes each
  doc = codec_parse(text, size, NULL);
  ck_assert_uint_eq(json_array_size(doc), 2);
  json_decref(doc);
  free(text);
}
END_TEST

START_TEST(a_problem_about_bytes_that_are_no_text_is_still_JSON) {
  size_t size;
  char *text = codec_problem_write(PROBLEM_INVALID_ARGUMENT, "bad \xff\xc3 end \xe2\x82\xac", NULL, NULL, NULL, &size);
  json_t *doc = codec_parse(text, size, NULL);
  ck_assert_str_eq(json_string_value(json_object_get(doc, "detail")), "bad \xef\xbf\xbd\xef\xbf\xbd end \xe2\x82\xac");
  ck_assert_ptr_null(json_object_get(doc, "pointer"));
  json_decref(doc);
  free(text);
}
END_TEST

START_TEST(what_a_client_did_wrong_is_never_an_internal_error) {
  ck_assert_int_eq(codec_problem_row(codec_problem_from_status(TD_INVALID_ARGUMENT))->http, 400);
  ck_assert_int_eq(codec_problem_row(codec_problem_from_status(TD_UNSUPPORTED))->http, 400);
  ck_assert_int_eq(codec_problem_row(codec_problem_from_status(TD_LIMIT))->http, 413);
  ck_assert_int_eq(codec_problem_row(codec_problem_from_status(TD_INTERNAL))->http, 500);
}
END_TEST

static size_t in_use, peak;

static void *measured_malloc(size_t size) {
  void *p = malloc(size);
  in_use += malloc_usable_size(p) + 8;
  if (in_use > peak) peak = in_use;
  return p;
}

static void measured_free(void *p) {
  if (p) in_use -= malloc_usable_size(p) + 8;
  free(p);
}

// [ELEMENT,ELEMENT,…], to be freed.
static char *many(const char *element, size_t count, size_t *size) {
  size_t length = strlen(element);
  char *text = malloc(count * (length + 1) + 2), *p = text;
  for (size_t i = 0; i < count; i++) {
    *p++ = i == 0 ? '[' : ',';
    memcpy(p, element, length);
    p += length;
  }
  *p++ = ']';
  *size = (size_t)(p - text);
  return text;
}

static const char *const elements[] = {"[]",
                                       "{}",
                                       "0",
                                       "0.125",
                                       "true",
                                       "\"\"",
                                       "\"\u00e4\xc3\xa4 text that is longer than the string's own record\"",
                                       "[0]",
                                       "[[ ], [ 1 ] ]",
                                       "{\"a\":0}",
                                       "{ \"type\" : \"fixed\", \"a longer name of a member\" : [ ] }",
                                       "[0,0,0,0,0,0,0,0,0]"};
enum { ELEMENTS = sizeof elements / sizeof *elements };

START_TEST(a_tree_takes_no_more_memory_than_was_estimated_from_its_text_and_not_much_less) {
  json_set_alloc_funcs(measured_malloc, measured_free);
  for (int i = 0; i < ELEMENTS; i++) {
    size_t size;
    char *text = many(elements[i], 20000, &size);
    json_count count;
    ck_assert_int_eq(codec_text_count(text, size, &count, NULL), TD_OK);
    in_use = peak = 0;
    json_t *tree = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_msg(tree != NULL, "%s", elements[i]);
    double estimate = (double)json_memory_estimate(&count);
    ck_assert_msg((double)peak <= estimate, "%s takes %zu, estimated %g", elements[i], peak, estimate);
#ifndef __SANITIZE_ADDRESS__
    bool literal = strcmp(elements[i], "true") == 0; // takes nothing, like false and null
    ck_assert_msg(literal || estimate < 1.7 * (double)peak, "%s takes %zu, estimated %g", elements[i], peak, estimate);
#endif
    json_decref(tree);
    free(text);
  }
  json_set_alloc_funcs(malloc, free);
}
END_TEST

static td_status parse(const char *text, size_t size, char *message) {
  td_error err = {.status = TD_OK};
  json_t *tree = codec_parse(text, size, &err);
  json_decref(tree);
  strcpy(message, err.message);
  return tree ? TD_OK : err.status;
}

START_TEST(documents_that_are_mostly_brackets_are_refused_before_they_take_memory) {
  char message[TD_MESSAGE_SIZE];
  size_t size;
  char *text = many("[]", 3 << 20, &size);
  ck_assert_int_eq(parse(text, size, message), TD_LIMIT);
  ck_assert_ptr_nonnull(strstr(message, "mostly brackets"));
  ck_assert_int_eq(parse(text, size / 8, message), TD_INVALID_ARGUMENT); // small enough, but cut
  free(text);
  text = many("0.12345", 1 << 20, &size);
  ck_assert_int_eq(parse(text, size, message), TD_OK);
  free(text);
}
END_TEST

START_TEST(what_does_not_fit_into_the_budget_is_refused_and_what_was_taken_is_given_back) {
  char message[TD_MESSAGE_SIZE];
  size_t size;
  char *text = many("0.12345", 1 << 18, &size); // takes about 12 MiB
  json_memory_watch();
  budget_set(UINT64_C(64) << 20);
  ck_assert_int_eq(parse(text, size, message), TD_OK);
  ck_assert_uint_lt(budget_used(BUDGET_PARSING), 1 << 20);
  budget_count(BUDGET_REPLIES, 50 << 20);
  ck_assert_int_eq(parse(text, size, message), TD_NO_MEMORY);
  ck_assert_int_eq(parse("{\"a\":[1]}", 9, message), TD_OK); // small ones have a reserve
  budget_give(BUDGET_REPLIES, 50 << 20);
  ck_assert_int_eq(parse(text, size, message), TD_OK);
  budget_set(UINT64_C(16) << 20);
  ck_assert_int_eq(parse(text, size, message), TD_LIMIT);
  ck_assert_ptr_nonnull(strstr(message, "this server gives 7 MiB"));
  ck_assert_uint_lt(budget_used(BUDGET_PARSING), 1 << 20);
  budget_set(0);
  json_set_alloc_funcs(malloc, free);
  free(text);
}
END_TEST

TEST_MAIN("codec_text", what_is_no_JSON_is_refused_with_line_and_column,
          nesting_stops_at_64_levels_however_deep_it_was_meant, brackets_in_strings_do_not_nest,
          text_of_every_plane_is_accepted, pointers_escape_and_return_to_where_they_were,
          a_token_that_does_not_fit_is_left_out_with_all_below_it, a_pointer_of_many_tokens_never_overflows,
          an_error_gets_the_place_of_its_document_in_front, every_problem_is_a_complete_document,
          a_problem_about_bytes_that_are_no_text_is_still_JSON,
          a_problem_lists_several_errors_and_as_many_as_fit_into_a_trailer,
          what_a_client_did_wrong_is_never_an_internal_error,
          a_tree_takes_no_more_memory_than_was_estimated_from_its_text_and_not_much_less,
          documents_that_are_mostly_brackets_are_refused_before_they_take_memory,
          what_does_not_fit_into_the_budget_is_refused_and_what_was_taken_is_given_back)
