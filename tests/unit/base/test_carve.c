// The carver: one layout measures a block and hands out its pieces.
#include "base/carve.h"
#include "support/suite.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct pieces {
  double *numbers;
  char *letters;
  void *nothing;
  int *flags;
} pieces;

static size_t carve(char *base, pieces *p) {
  td_carver c = {.base = base};
  p->numbers = td_carve(&c, 17, sizeof(double));
  p->letters = td_carve(&c, 1, 1);
  p->nothing = td_carve(&c, 0, sizeof(double));
  p->flags = td_carve(&c, 16, sizeof(int));
  return c.used;
}

START_TEST(measuring_hands_out_nothing) {
  pieces p;
  ck_assert_uint_gt(carve(NULL, &p), 0);
  ck_assert_ptr_null(p.numbers);
  ck_assert_ptr_null(p.letters);
  ck_assert_ptr_null(p.flags);
}
END_TEST

START_TEST(pieces_start_on_cache_lines_and_fill_exactly_what_was_measured) {
  pieces p;
  size_t size = carve(NULL, &p);
  char *block = aligned_alloc(TD_CACHE_LINE, size);
  ck_assert_ptr_nonnull(block);
  ck_assert_uint_eq(carve(block, &p), size);
  const void *starts[] = {p.numbers, p.letters, p.flags};
  for (int i = 0; i < 3; i++) ck_assert_uint_eq((uintptr_t)starts[i] % TD_CACHE_LINE, 0);
  memset(p.numbers, 1, 17 * sizeof(double)); // a sanitizer sees an overlap's end
  *p.letters = 2;
  memset(p.flags, 3, 16 * sizeof(int));
  ck_assert_int_eq(((char *)p.numbers)[17 * sizeof(double) - 1], 1);
  ck_assert_int_eq(*p.letters, 2);
  ck_assert_ptr_eq((char *)p.flags + 16 * sizeof(int), block + size);
  free(block);
}
END_TEST

START_TEST(arrays_are_zeros_that_lie_apart_and_the_first_is_the_block) {
  double *a = NULL, *none = NULL, *b = NULL;
  ck_assert(TD_CARVE({&a, 9}, {&none, 0}, {&b, 3}));
  for (int i = 0; i < 9; i++) ck_assert_double_eq(a[i], 0);
  for (int i = 0; i < 3; i++) ck_assert_double_eq(b[i], 0);
  ck_assert_uint_eq((uintptr_t)a % TD_CACHE_LINE, 0);
  ck_assert_uint_eq((uintptr_t)b % TD_CACHE_LINE, 0);
  ck_assert_ptr_nonnull(none);
  ck_assert(b >= a + 9);
  free(a);
}
END_TEST

START_TEST(arrays_that_are_all_empty_have_a_block_too) {
  double *a = NULL;
  ck_assert(TD_CARVE({&a, 0}));
  ck_assert_ptr_nonnull(a);
  free(a);
}
END_TEST

TEST_MAIN("carve", measuring_hands_out_nothing, pieces_start_on_cache_lines_and_fill_exactly_what_was_measured,
          arrays_are_zeros_that_lie_apart_and_the_first_is_the_block, arrays_that_are_all_empty_have_a_block_too)
