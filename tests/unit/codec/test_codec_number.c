// Doubles as text and back. The judge is the C library's own correctly rounded printf and strtod.
#include "codec/json/number.h"
#include "support/suite.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static double random_double(void) {
  double x;
  do {
    uint64_t bits = random_bits();
    memcpy(&x, &bits, sizeof x);
  } while (!isfinite(x));
  return x;
}

static const char *text_of(double x) {
  static char text[CODEC_DOUBLE_SIZE + 1];
  size_t n = codec_double(text, x);
  ck_assert_uint_le(n, CODEC_DOUBLE_SIZE);
  text[n] = '\0';
  return text;
}

static int same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void check_round_trip(double x) {
  const char *text = text_of(x);
  double y = 0;
  if (!same_bits(strtod(text, NULL), x)) ck_abort_msg("%a became %s", x, text);
  if (codec_number_read(text, text + strlen(text), &y) != strlen(text) || !same_bits(x, y))
    ck_abort_msg("%s was read as %a", text, y);
}

// Significant digits of a number's text.
static int significant(const char *text) {
  char digits[40];
  int n = 0, last = 0;
  for (; *text && *text != 'e'; text++)
    if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0')) digits[n++] = *text;
  for (int i = 0; i < n; i++)
    if (digits[i] != '0') last = i + 1;
  return last;
}

START_TEST(every_double_reads_back_as_itself) {
  for (int i = 0; i < 1000000; i++) check_round_trip(random_double());
  for (int i = 0; i < 100000; i++) check_round_trip((double)(int64_t)(random_bits() % 20000001) / 1000 - 10000);
}
END_TEST

START_TEST(no_shorter_text_reads_back_as_the_same_double) {
  for (int i = 0; i < 100000; i++) {
    double x =
        i % 2 ? random_double() : ldexp(1 + (double)(random_bits() % 1000) / 1000, (int)(random_bits() % 80) - 40);
    char shorter[40];
    int n = significant(text_of(x));
    if (n < 2) continue;
    snprintf(shorter, sizeof shorter, "%.*e", n - 2, x);
    if (same_bits(strtod(shorter, NULL), x)) ck_abort_msg("%s where %s would do", text_of(x), shorter);
  }
}
END_TEST

START_TEST(of_the_shortest_texts_the_nearest_is_written) {
  for (int i = 0; i < 100000; i++) {
    double x = random_double();
    char nearest[40];
    snprintf(nearest, sizeof nearest, "%.*e", significant(text_of(x)) - 1, x);
    if (!same_bits(strtod(nearest, NULL), x)) continue; // only a text further away has so few digits
    long double a = fabsl(strtold(nearest, NULL) - (long double)x),
                b = fabsl(strtold(text_of(x), NULL) - (long double)x);
    if (b > a) ck_abort_msg("%s where %s is nearer to %a", text_of(x), nearest, x);
  }
}
END_TEST

START_TEST(well_known_cases_have_their_text) {
  static const struct {
    double x;
    const char *text;
  } cases[] = {{0, "0"},
               {-0.0, "-0.0"},
               {1, "1"},
               {-3, "-3"},
               {0.1, "0.1"},
               {0.3, "0.3"},
               {1e22, "1e22"},
               {1e23, "1e23"},
               {5e-324, "5e-324"},
               {1.7976931348623157e308, "1.7976931348623157e308"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {9007199254740993.0, "9007199254740992"},
               {123456789.125, "123456789.125"},
               {1e-5, "0.00001"},
               {1.5e-6, "1.5e-6"},
               {1e16, "10000000000000000"},
               {9.5367431640625e-7, "9.5367431640625e-7"},
               {2e-44, "2e-44"},
               {4.35, "4.35"},
               {1e21, "1e21"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert_str_eq(text_of(cases[i].x), cases[i].text);
    check_round_trip(cases[i].x);
  }
}
END_TEST

START_TEST(powers_of_two_and_of_ten_and_their_neighbours_survive) {
  for (int e = -1074; e <= 1023; e++) {
    double x = ldexp(1, e);
    check_round_trip(x);
    check_round_trip(nextafter(x, 0));
    check_round_trip(nextafter(x, INFINITY) < INFINITY ? nextafter(x, INFINITY) : x);
  }
  for (int e = -323; e <= 308; e++) {
    char text[20];
    snprintf(text, sizeof text, "1e%d", e);
    double x = strtod(text, NULL);
    check_round_trip(x);
    check_round_trip(-nextafter(x, INFINITY));
  }
}
END_TEST

START_TEST(numbers_of_any_length_are_read_as_the_C_library_reads_them) {
  for (int i = 0; i < 100000; i++) {
    char text[1000];
    int n = 0, digits = 1 + (int)(random_bits() % (i % 100 ? 25 : 900));
    if (random_bits() & 1) text[n++] = '-';
    text[n++] = (char)('1' + random_bits() % 9);
    if (random_bits() % 3) text[n++] = '.';
    for (int k = 0; k < digits; k++) text[n++] = (char)('0' + random_bits() % 10);
    n += snprintf(text + n, sizeof text - (size_t)n, "e%d", (int)(random_bits() % 700) - 350);
    double y = 0;
    ck_assert_uint_eq(codec_number_read(text, text + n, &y), (size_t)n);
    if (!same_bits(y, strtod(text, NULL))) ck_abort_msg("%s was read as %a", text, y);
  }
}
END_TEST

START_TEST(halfway_cases_round_to_even) {
  static const struct {
    const char *text;
    double x;
  } cases[] = {{"9007199254740993", 9007199254740992.0},
               {"9007199254740995", 9007199254740996.0},
               {"9007199254740993.00000000000000000000000000001", 9007199254740994.0},
               {"0.500000000000000166533453693773481063544750213623046875", 0.5000000000000002220446049250313},
               {"2.4703282292062327e-324", 0},
               {"2.4703282292062329e-324", 5e-324},
               {"1e400", INFINITY},
               {"-1e-400", -0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double y = 1;
    ck_assert_uint_eq(codec_number_read(cases[i].text, cases[i].text + strlen(cases[i].text), &y),
                      strlen(cases[i].text));
    if (!same_bits(y, cases[i].x)) ck_abort_msg("%s was read as %a", cases[i].text, y);
  }
}
END_TEST

START_TEST(what_is_no_JSON_number_is_not_read) {
  static const char *const wrong[] = {"",    "-",   "+1",  ".5",       "01", "1.",  "1e",
                                      "1e+", "-.1", "nan", "Infinity", "x",  "1.e3"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    double y;
    ck_assert_msg(codec_number_read(wrong[i], wrong[i] + strlen(wrong[i]), &y) == 0, "%s", wrong[i]);
  }
}
END_TEST

START_TEST(nothing_is_read_beyond_the_end) {
  const char text[] = "1.25e+10";
  static const size_t used[] = {0, 1, 0, 3, 4, 0, 0, 7, 8};
  for (size_t n = 0; n <= 8; n++) {
    char *exact = malloc(n ? n : 1); // the sanitizer guards its end
    double y;
    memcpy(exact, text, n);
    ck_assert_uint_eq(codec_number_read(exact, exact + n, &y), used[n]);
    free(exact);
  }
}
END_TEST

START_TEST(what_is_not_finite_is_written_as_null) {
  ck_assert_str_eq(text_of(NAN), "null");
  ck_assert_str_eq(text_of(-INFINITY), "null");
}
END_TEST

START_TEST(arrays_are_nested_by_their_shape) {
  codec_buffer b;
  codec_buffer_init(&b, 0);
  codec_buffer_array(&b, (const double[]){1, 2.5, 3, 4, -5, 6}, 2, (const size_t[]){2, 3});
  codec_buffer_append(&b, "", 1);
  ck_assert_str_eq(b.data, "[[1,2.5,3],[4,-5,6]]");
  codec_buffer_fini(&b);
}
END_TEST

START_TEST(strings_are_escaped) {
  codec_buffer b;
  codec_buffer_init(&b, 0);
  codec_buffer_string(&b, "a\"b\\c\n\t\x01\xc3\xa9");
  codec_buffer_append(&b, "", 1);
  ck_assert_str_eq(b.data, "\"a\\\"b\\\\c\\n\\t\\u0001\xc3\xa9\"");
  codec_buffer_fini(&b);
}
END_TEST

START_TEST(a_buffer_stops_at_its_limit_and_says_so_once_asked) {
  codec_buffer b;
  size_t size;
  codec_buffer_init(&b, 10);
  codec_buffer_text(&b, "12345678");
  codec_buffer_text(&b, "abc");
  codec_buffer_text(&b, "d");
  ck_assert(b.failed);
  ck_assert_uint_eq(b.size, 8);
  ck_assert_ptr_null(codec_buffer_take(&b, &size));
}
END_TEST

TEST_MAIN("codec_number", every_double_reads_back_as_itself, no_shorter_text_reads_back_as_the_same_double,
          of_the_shortest_texts_the_nearest_is_written, well_known_cases_have_their_text,
          powers_of_two_and_of_ten_and_their_neighbours_survive,
          numbers_of_any_length_are_read_as_the_C_library_reads_them, halfway_cases_round_to_even,
          what_is_no_JSON_number_is_not_read, nothing_is_read_beyond_the_end, what_is_not_finite_is_written_as_null,
          arrays_are_nested_by_their_shape, strings_are_escaped, a_buffer_stops_at_its_limit_and_says_so_once_asked)
