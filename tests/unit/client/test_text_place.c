// Lines and columns of what JSON pointers name.
#include "api/c/text_place.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static const char text[] = "{\n"
                           "  \"a\": [1, {\"b\" : \"}]\\\"\", \"c\": null}, [ [ ] , -2e5 ]],\n"
                           "  \"a/b\": {\"\": true, \"~\": 3},\n"
                           "  \"\xc3\xa4\": [\"\xc3\xb6\xe2\x82\xac\", 7],\r\n"
                           "\t\"a\\u0062\": 1, \"last\" :5}\n";

START_TEST(a_pointer_is_found_where_its_value_begins) {
  static const struct {
    const char *pointer;
    long line, column;
    bool exact;
  } cases[] = {
      {"/a", 2, 8, true},           {"/a/0", 2, 9, true},    {"/a/1", 2, 12, true},      {"/a/1/b", 2, 19, true},
      {"/a/1/c", 2, 32, true},      {"/a/2", 2, 39, true},   {"/a/2/0", 2, 41, true},    {"/a/2/1", 2, 47, true},
      {"/a~1b", 3, 10, true},       {"/a~1b/", 3, 15, true}, {"/a~1b/~0", 3, 26, true},  {"/\xc3\xa4/0", 4, 9, true},
      {"/\xc3\xa4/1", 4, 15, true}, {"/last", 5, 24, true},  {"/a/3", 2, 8, false},      {"/a/1/d/e", 2, 12, false},
      {"/a/2/0/0", 2, 41, false},   {"/a/01x", 2, 8, false}, {"/a/1/b/0", 2, 19, false}, {"/none", 1, 1, false},
      {"/ab", 1, 1, false},         {"/a/1/", 2, 12, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    text_place place;
    ck_assert_msg(text_place_find(text, strlen(text), cases[i].pointer, &place), "%s", cases[i].pointer);
    ck_assert_msg(place.line == cases[i].line && place.column == cases[i].column && place.exact == cases[i].exact,
                  "%s: line %ld column %ld exact %d", cases[i].pointer, place.line, place.column, place.exact);
  }
}
END_TEST

START_TEST(the_whole_has_no_place) {
  text_place place;
  ck_assert(!text_place_find(text, strlen(text), "", &place));
  ck_assert(!text_place_find(text, strlen(text), "a", &place));
}
END_TEST

// Bytes behind the end would be seen by the sanitizers: each piece is a block of its own.
START_TEST(nothing_is_read_beyond_the_end_of_a_text_that_is_cut) {
  static const char *const pointers[] = {"/a/2/1/x", "/a~1b/~0", "/last/0", "/a/1/b"};
  for (size_t size = 0; size < strlen(text); size++)
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
      text_place place;
      char *cut = malloc(size + (size == 0));
      ck_assert_ptr_nonnull(cut);
      memcpy(cut, text, size);
      ck_assert(text_place_find(cut, size, pointers[i], &place));
      ck_assert_int_ge(place.line, 1);
      free(cut);
    }
}
END_TEST

TEST_MAIN("text_place", a_pointer_is_found_where_its_value_begins, the_whole_has_no_place,
          nothing_is_read_beyond_the_end_of_a_text_that_is_cut)
