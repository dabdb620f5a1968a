// The bump allocator of documents.
#include "base/arena.h"
#include "support/suite.h"
#include <stdint.h>
#include <string.h>

START_TEST(memory_is_zeroed_and_aligned_whatever_the_size) {
  arena *a = arena_create();
  for (size_t size = 0; size < 3000; size += 7) {
    unsigned char *p = arena_alloc(a, size);
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq((uintptr_t)p % 16, 0);
    for (size_t i = 0; i < size; i++) ck_assert_uint_eq(p[i], 0);
    memset(p, 0xff, size);
  }
  arena_destroy(a);
}
END_TEST

START_TEST(blocks_do_not_overlap) {
  arena *a = arena_create();
  unsigned char *p[500];
  for (int i = 0; i < 500; i++) memset(p[i] = arena_alloc(a, (size_t)i * 37 + 1), i & 0xff, (size_t)i * 37 + 1);
  for (int i = 0; i < 500; i++)
    for (int k = 0; k <= i * 37; k++) ck_assert_uint_eq(p[i][k], (unsigned)i & 0xff);
  arena_destroy(a);
}
END_TEST

START_TEST(the_limit_ends_it_and_smaller_requests_still_fit) {
  arena *a = arena_create_limited(1000);
  ck_assert_ptr_null(arena_alloc(a, 1001));
  ck_assert_ptr_null(arena_alloc(a, SIZE_MAX));
  ck_assert_ptr_nonnull(arena_alloc(a, 500));
  ck_assert_ptr_null(arena_alloc(a, 600));
  ck_assert_ptr_nonnull(arena_alloc(a, 400));
  arena_destroy(a);
}
END_TEST

START_TEST(an_array_whose_size_overflows_is_refused) {
  arena *a = arena_create();
  ck_assert_ptr_null(arena_array(a, SIZE_MAX / 4, 8));
  ck_assert_ptr_nonnull(arena_array(a, 0, 8));
  arena_destroy(a);
}
END_TEST

START_TEST(strings_are_copied_with_their_end) {
  arena *a = arena_create();
  ck_assert_str_eq(arena_strdup(a, "arm"), "arm");
  ck_assert_str_eq(arena_strndup(a, "armada", 3), "arm");
  ck_assert_str_eq(arena_strdup(a, ""), "");
  arena_destroy(a);
  arena_destroy(NULL);
}
END_TEST

TEST_MAIN("arena", memory_is_zeroed_and_aligned_whatever_the_size, blocks_do_not_overlap,
          the_limit_ends_it_and_smaller_requests_still_fit, an_array_whose_size_overflows_is_refused,
          strings_are_copied_with_their_end)
