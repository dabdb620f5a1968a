// Status names and error details: every status has a word of its own, and text that does not fit is cut between
// characters.
#include "support/suite.h"
#include "tendril/warnings.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

START_TEST(every_status_has_its_own_snake_case_name) {
  for (int i = 0; i < TD_STATUS_COUNT; i++) {
    const char *name = td_status_name((td_status)i);
    ck_assert_ptr_nonnull(name);
    ck_assert_uint_gt(strlen(name), 0);
    for (const char *c = name; *c; c++) ck_assert_msg(islower((unsigned char)*c) || *c == '_', "%s", name);
    for (int k = 0; k < i; k++) ck_assert_str_ne(name, td_status_name((td_status)k));
  }
  ck_assert_str_eq(td_status_name(TD_OK), "ok");
  ck_assert_str_eq(td_status_name(TD_NOT_CONVERGED), "not_converged");
}
END_TEST

START_TEST(a_number_that_is_no_status_is_a_defect_of_ours) {
  ck_assert_str_eq(td_status_name(TD_STATUS_COUNT), "internal");
  ck_assert_str_eq(td_status_name((td_status)4711), "internal");
}
END_TEST

START_TEST(an_error_carries_status_pointer_and_message) {
  td_error err;
  memset(&err, 0x55, sizeof err);
  ck_assert_int_eq(td_fail(&err, TD_LIMIT, "/links/3/name", "\"%s\" has %d letters", "arm", 3), TD_LIMIT);
  ck_assert_int_eq(err.status, TD_LIMIT);
  ck_assert_str_eq(err.pointer, "/links/3/name");
  ck_assert_str_eq(err.message, "\"arm\" has 3 letters");
  ck_assert_int_eq(td_fail(&err, TD_INTERNAL, NULL, "%%"), TD_INTERNAL);
  ck_assert_str_eq(err.pointer, "");
  ck_assert_str_eq(err.message, "%");
}
END_TEST

START_TEST(a_warning_is_said_once_and_the_first_one_stays) {
  td_warnings w = {0};
  td_warn(&w, "odd", "/links/0", "%d", 1);
  td_warn(&w, "odd", "/links/0", "%d", 2);
  td_warn(&w, "odd", "/links/1", "%d", 3);
  td_warn(&w, "strange", "/links/0", "%d", 4);
  ck_assert_int_eq(w.count, 3);
  ck_assert_int_eq(w.dropped, 0);
  ck_assert_str_eq(w.list[0].detail, "1");
  ck_assert_str_eq(w.list[2].code, "strange");
  td_warn(NULL, "odd", "", "nobody listens");
}
END_TEST

// w gets one warning of each of `count` codes "odd_a", "odd_b" …
static void say_odd(td_warnings *w, int count) {
  char code[16];
  for (int i = 0; i < count; i++) {
    snprintf(code, sizeof code, "odd_%c", 'a' + i);
    td_warn(w, code, "/links/0", "text");
  }
}

START_TEST(warnings_without_a_place_are_counted) {
  td_warnings w = {0}, all = {0};
  say_odd(&w, TD_MAX_WARNINGS + 3);
  ck_assert_int_eq(w.count, TD_MAX_WARNINGS);
  ck_assert_int_eq(w.dropped, 3);
  td_warnings_append(&all, "/model", &w);
  td_warnings_append(&all, "/model", NULL);
  ck_assert_int_eq(all.count, TD_MAX_WARNINGS);
  ck_assert_int_eq(all.dropped, 3);
  ck_assert_str_eq(all.list[1].pointer, "/model/links/0");
}
END_TEST

// Places 0 … count - 1 of one code.
static void say_outside(td_warnings *w, int count) {
  char pointer[32];
  for (int i = 0; i < count; i++) {
    snprintf(pointer, sizeof pointer, "/actuators/%d", i);
    td_warn(w, "tendon_outside", pointer, "outside by %d", i);
  }
}

START_TEST(many_places_of_one_code_are_one_warning_that_counts) {
  td_warnings w = {0}, all = {0};
  char text[TD_WARNING_TEXT_SIZE];
  say_outside(&w, 3);
  ck_assert_int_eq(w.count, 3);
  say_outside(&w, 4); // the first three are said already
  ck_assert_int_eq(w.count, 1);
  td_warning_text(&w.list[0], text);
  ck_assert_str_eq(text, "outside by 0 (4 of these; also at /actuators/1, /actuators/2, /actuators/3)");
  say_outside(&w, 40);
  ck_assert_int_eq(w.count, 1);
  ck_assert_int_eq(w.dropped, 0);
  td_warn(&w, "odd_size", "", "long");
  td_warnings_append(&all, "/model", &w);
  td_warnings_append(&all, "/model", &w); // says nothing new
  ck_assert_int_eq(all.count, 2);
  ck_assert_int_eq(all.list[0].more, 39);
  td_warning_text(&all.list[0], text);
  ck_assert_str_eq(text,
                   "outside by 0 (40 of these; also at /model/actuators/1, /model/actuators/2, /model/actuators/3, "
                   "/model/actuators/4, /model/actuators/5, /model/actuators/6, /model/actuators/7, "
                   "/model/actuators/8, /model/actuators/9 and 30 more)");
}
END_TEST

START_TEST(what_says_that_an_answer_is_false_is_never_dropped_and_stands_first) {
  static const char *const grave[] = {"coarse_basis",         "coarse_quadrature", "friction_faded",
                                      "continuation_short",   "unstable",          "snapped",
                                      "fast_input",           "coarse_step",       "singular_configuration",
                                      "singular_mass_matrix", "initial_moved",     "contact_missed",
                                      "folded_section",       "overstretched",     "unconverged",
                                      "inside_out",           "loop_open",         "loop_work",
                                      "energy_error"};
  enum { COUNT = sizeof grave / sizeof *grave };
  td_warnings w = {0};
  char pointer[32];
  say_odd(&w, 6);
  say_outside(&w, 12);
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < COUNT; i++) {
      snprintf(pointer, sizeof pointer, "/links/%d", k);
      td_warn(&w, grave[i], pointer, "text");
    }
  say_odd(&w, 20);
  ck_assert_int_le(COUNT, TD_MAX_WARNINGS);
  for (int i = 0; i < COUNT; i++) {
    int found = 0;
    while (found < w.count && strcmp(w.list[found].code, grave[i]) != 0) found++;
    ck_assert_msg(found < w.count && w.list[found].more == 4, "%s", grave[i]);
  }
  for (int i = 1; i < w.count; i++)
    ck_assert_int_ge(td_warning_rank_of(w.list[i].code), td_warning_rank_of(w.list[i - 1].code));
  ck_assert_int_ge(w.dropped, 20 + 1 - (TD_MAX_WARNINGS - COUNT)); // of all other codes but those that had room
}
END_TEST

START_TEST(nobody_has_to_listen) { ck_assert_int_eq(td_fail(NULL, TD_SINGULAR, "/q", "%d", 1), TD_SINGULAR); }
END_TEST

// Length of the longest prefix of `text` below `capacity` bytes that ends between characters.
static size_t boundary(const char *text, size_t capacity) {
  size_t end = strlen(text) < capacity ? strlen(text) : capacity - 1;
  while (end && ((unsigned char)text[end] & 0xC0) == 0x80) end--;
  return end;
}

static void check_cut(const char *whole, const char *cut, size_t capacity) {
  size_t length = strlen(cut);
  ck_assert_uint_lt(length, capacity);
  ck_assert_mem_eq(whole, cut, length);
  ck_assert_msg(((unsigned char)whole[length] & 0xC0) != 0x80, "cut inside a character after %zu bytes", length);
  if (strlen(whole) < capacity)
    ck_assert_str_eq(whole, cut);
  else
    ck_assert_uint_ge(length + 4, boundary(whole, capacity)); // at the most one character goes too
}

// `lead` letters, then the character over and over: the cut falls on each of its bytes in turn.
static void fill(char *text, size_t lead, const char *character, size_t length) {
  memset(text, 'x', lead);
  text[lead] = '\0';
  while (strlen(text) + strlen(character) <= length) strcat(text, character);
}

START_TEST(text_that_does_not_fit_is_cut_between_characters) {
  static const char *const characters[] = {"a", "\u00e9", "\u20ac", "\U0001F40D"};
  char text[TD_MESSAGE_SIZE + 64];
  td_error err;
  for (size_t c = 0; c < 4; c++)
    for (size_t lead = 0; lead < 8; lead++)
      for (size_t length = TD_POINTER_SIZE - 8; length < sizeof text;
           length += length == TD_POINTER_SIZE + 8 ? 232 : 1) {
        fill(text, lead, characters[c], length);
        ck_assert_int_eq(td_fail(&err, TD_INVALID_ARGUMENT, text, "%s", text), TD_INVALID_ARGUMENT);
        check_cut(text, err.pointer, sizeof err.pointer);
        check_cut(text, err.message, sizeof err.message);
      }
}
END_TEST

START_TEST(a_long_message_does_not_shorten_the_pointer) {
  char text[4 * TD_MESSAGE_SIZE];
  td_error err;
  memset(text, 'y', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  (void)td_fail(&err, TD_INVALID_ARGUMENT, "/a/b", "%s", text);
  ck_assert_str_eq(err.pointer, "/a/b");
  ck_assert_uint_eq(strlen(err.message), TD_MESSAGE_SIZE - 1);
}
END_TEST

START_TEST(a_message_that_does_not_fit_ends_behind_a_word) {
  char text[2 * TD_MESSAGE_SIZE] = "";
  td_error err;
  for (size_t lead = 0; lead < 12; lead++) {
    memset(text, 'x', lead);
    text[lead] = '\0';
    while (strlen(text) + 9 < sizeof text) strcat(text, " robotics");
    (void)td_fail(&err, TD_INVALID_ARGUMENT, "", "%s", text);
    size_t end = strlen(err.message);
    ck_assert_uint_lt(end, TD_MESSAGE_SIZE);
    ck_assert_msg(end > 20 && !strcmp(err.message + end - strlen("robotics \u2026"), "robotics \u2026"), "%s",
                  err.message);
  }
}
END_TEST

TEST_MAIN("status", every_status_has_its_own_snake_case_name, a_number_that_is_no_status_is_a_defect_of_ours,
          an_error_carries_status_pointer_and_message, a_warning_is_said_once_and_the_first_one_stays,
          warnings_without_a_place_are_counted, many_places_of_one_code_are_one_warning_that_counts,
          what_says_that_an_answer_is_false_is_never_dropped_and_stands_first, nobody_has_to_listen,
          text_that_does_not_fit_is_cut_between_characters, a_long_message_does_not_shorten_the_pointer,
          a_message_that_does_not_fit_ends_behind_a_word)
