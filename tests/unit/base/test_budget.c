// The budget of memory: shares, the reserve for small takes, reclaiming, and what a machine or control group has.
#include "base/arena.h"
#include "base/share/budget.h"
#include "codec/json/number.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const uint64_t MIB = 1 << 20;

START_TEST(without_a_budget_everything_is_taken_and_counted) {
  budget_set(0);
  ck_assert_int_eq(budget_take(BUDGET_BODIES, UINT64_C(1) << 50), BUDGET_TAKEN);
  ck_assert_uint_eq(budget_used(BUDGET_BODIES), UINT64_C(1) << 50);
  budget_give(BUDGET_BODIES, UINT64_C(1) << 50);
  ck_assert_uint_eq(budget_used(BUDGET_BODIES), 0);
}
END_TEST

START_TEST(an_account_gives_its_share_and_says_what_can_never_fit) {
  budget_set(64 * MIB);
  ck_assert_uint_eq(budget_most(BUDGET_BODIES), 28 * MIB); // 4/8, without the eighth for small takes
  ck_assert_int_eq(budget_take(BUDGET_BODIES, 28 * MIB + 1), BUDGET_NEVER);
  ck_assert_int_eq(budget_take(BUDGET_BODIES, 20 * MIB), BUDGET_TAKEN);
  ck_assert_int_eq(budget_take(BUDGET_BODIES, 20 * MIB), BUDGET_FULL);
  ck_assert_int_eq(budget_take(BUDGET_PARSING, 20 * MIB), BUDGET_TAKEN); // others have theirs
  budget_give(BUDGET_BODIES, 20 * MIB);
  ck_assert_int_eq(budget_take(BUDGET_BODIES, 20 * MIB), BUDGET_TAKEN);
  budget_give(BUDGET_BODIES, 20 * MIB);
  budget_give(BUDGET_PARSING, 20 * MIB);
}
END_TEST

START_TEST(whoever_asks_for_little_is_served_when_others_have_taken_much) {
  budget_set(64 * MIB);
  ck_assert_int_eq(budget_take(BUDGET_EVALUATIONS, 35 * MIB), BUDGET_TAKEN);
  ck_assert_int_eq(budget_take(BUDGET_REPLIES, 21 * MIB), BUDGET_TAKEN); // 56 of 64: all but the reserve
  ck_assert_int_eq(budget_take(BUDGET_BODIES, MIB), BUDGET_FULL);
  ck_assert_int_eq(budget_take(BUDGET_BODIES, BUDGET_SMALL_BYTES), BUDGET_TAKEN);
  budget_give(BUDGET_BODIES, BUDGET_SMALL_BYTES);
  budget_give(BUDGET_EVALUATIONS, 35 * MIB);
  budget_give(BUDGET_REPLIES, 21 * MIB);
}
END_TEST

static void give_models_back(void *context, uint64_t bytes) {
  ck_assert_uint_eq(bytes, 20 * MIB);
  budget_give(BUDGET_MODELS, *(uint64_t *)context);
  *(uint64_t *)context = 0;
}

START_TEST(what_nobody_needs_makes_room_before_anybody_is_refused) {
  budget_set(64 * MIB);
  uint64_t models = 21 * MIB;
  budget_count(BUDGET_MODELS, (int64_t)models);
  budget_count(BUDGET_REPLIES, (int64_t)(20 * MIB));
  budget_on_full(give_models_back, &models);
  ck_assert_int_eq(budget_take(BUDGET_EVALUATIONS, 20 * MIB), BUDGET_TAKEN);
  ck_assert_uint_eq(models, 0);
  budget_on_full(NULL, NULL);
  budget_give(BUDGET_EVALUATIONS, 20 * MIB);
  budget_give(BUDGET_REPLIES, 20 * MIB);
}
END_TEST

START_TEST(buffers_and_arenas_take_what_they_grow_by_and_give_it_back) {
  budget_set(64 * MIB);
  codec_buffer b;
  codec_buffer_init(&b, 0);
  codec_buffer_use(&b, BUDGET_BODIES);
  ck_assert_ptr_nonnull(codec_buffer_reserve(&b, 10 * MIB));
  ck_assert_uint_ge(budget_used(BUDGET_BODIES), 10 * MIB);
  codec_buffer_commit(&b, 10 * MIB);
  ck_assert_ptr_null(codec_buffer_reserve(&b, 40 * MIB));
  ck_assert(b.failed && b.refusal == BUDGET_NEVER);
  codec_buffer_fini(&b);
  ck_assert_uint_eq(budget_used(BUDGET_BODIES), 0);
  arena *a = arena_create();
  arena_use(a, BUDGET_EVALUATIONS);
  ck_assert_ptr_nonnull(arena_alloc(a, 30 * MIB));
  ck_assert_ptr_null(arena_alloc(a, 30 * MIB));
  ck_assert_ptr_nonnull(arena_alloc(a, 100));
  ck_assert_uint_eq(budget_used(BUDGET_EVALUATIONS), 30 * MIB);
  arena_destroy(a);
  ck_assert_uint_eq(budget_used(BUDGET_EVALUATIONS), 0);
  budget_set(0);
}
END_TEST

static void write_file(const char *root, const char *folder, const char *name, const char *text) {
  char path[512], command[600];
  snprintf(command, sizeof command, "mkdir -p %s/%s", root, folder);
  ck_assert_int_eq(system(command), 0);
  snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  fclose(file);
}

static uint64_t besides_now(void) {
  budget_set(1024 * MIB);
  budget_look();
  return budget_besides();
}

START_TEST(what_the_process_has_besides_the_accounts_is_part_of_the_whole) {
  const size_t size = 300 * MIB;
  uint64_t before = besides_now();
  char *rest = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(rest, MAP_FAILED);
  memset(rest, 1, size);
  budget_look();
  ck_assert_uint_ge(budget_besides(), before + 299 * MIB);
  ck_assert_int_eq(budget_take(BUDGET_EVALUATIONS, 400 * MIB), BUDGET_TAKEN);
  budget_look(); // nobody has written to these 400 MiB
  ck_assert_uint_ge(budget_besides(), before + 280 * MIB);
  ck_assert_int_eq(budget_take(BUDGET_REPLIES, 300 * MIB), BUDGET_FULL); // 1000 of 896
  munmap(rest, size);
  for (int i = 0; i < 100; i++) budget_look();
  ck_assert_uint_lt(budget_besides(), before + 50 * MIB);
  ck_assert_int_eq(budget_take(BUDGET_REPLIES, 300 * MIB), BUDGET_TAKEN);
  budget_give(BUDGET_EVALUATIONS, 400 * MIB);
  budget_give(BUDGET_REPLIES, 300 * MIB);
}
END_TEST

START_TEST(no_more_than_half_of_the_budget_is_said_to_be_besides) {
  const size_t size = 100 * MIB;
  budget_set(64 * MIB);
  char *rest = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(rest, MAP_FAILED);
  memset(rest, 1, size);
  budget_look();
  ck_assert_uint_eq(budget_besides(), 32 * MIB);
  munmap(rest, size);
}
END_TEST

START_TEST(a_large_block_goes_back_to_the_system_as_soon_as_it_is_freed) {
  enum { BLOCKS = 8, SIZE = 8 << 20 };
  void *block[BLOCKS], *pin[2 * BLOCKS];
  uint64_t before = besides_now();
  for (int turn = 0; turn < 2; turn++) { // the allocator would learn from the first
    for (int i = 0; i < BLOCKS; i++) {
      block[i] = memset(malloc(SIZE), 1, SIZE);
      pin[BLOCKS * turn + i] = malloc(100000);
    }
    for (int i = 0; i < BLOCKS; i++) free(block[i]);
  }
  uint64_t after = besides_now();
#if !defined __SANITIZE_ADDRESS__ // it keeps what was freed for a while
  ck_assert_uint_lt(after, before + 16 * MIB);
#endif
  (void)before, (void)after;
  for (int i = 0; i < 2 * BLOCKS; i++) free(pin[i]);
}
END_TEST

START_TEST(the_strictest_control_group_says_how_much_memory_there_is) {
  char root[] = "/tmp/tendril-budget-XXXXXX", command[128];
  ck_assert_ptr_nonnull(mkdtemp(root));
  uint64_t machine = budget_machine_bytes(root); // no groups at all
  ck_assert_uint_gt(machine, 64 * MIB);
  write_file(root, "proc/self", "cgroup", "0::/user/app\n");
  ck_assert_uint_eq(budget_machine_bytes(root), machine);
  write_file(root, "sys/fs/cgroup/user/app", "memory.max", "max\n");
  ck_assert_uint_eq(budget_machine_bytes(root), machine);
  write_file(root, "sys/fs/cgroup/user", "memory.max", "50000000\n");
  ck_assert_uint_eq(budget_machine_bytes(root), 50000000);
  write_file(root, "sys/fs/cgroup/user/app", "memory.max", "60000000\n");
  ck_assert_uint_eq(budget_machine_bytes(root), 50000000);
  write_file(root, "sys/fs/cgroup", "memory.max", "40000000\n"); // as a container sees its own
  ck_assert_uint_eq(budget_machine_bytes(root), 40000000);
  write_file(root, "proc/self", "cgroup", "5:cpu:/\n4:memory:/slice/job\n0::/\n");
  write_file(root, "sys/fs/cgroup/memory/slice", "memory.limit_in_bytes", "30000000\n");
  write_file(root, "sys/fs/cgroup/memory/slice/job", "memory.limit_in_bytes", "9223372036854771712\n");
  ck_assert_uint_eq(budget_machine_bytes(root), 30000000);
  snprintf(command, sizeof command, "rm -r %s", root);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

TEST_MAIN("budget", without_a_budget_everything_is_taken_and_counted,
          an_account_gives_its_share_and_says_what_can_never_fit,
          whoever_asks_for_little_is_served_when_others_have_taken_much,
          what_nobody_needs_makes_room_before_anybody_is_refused,
          buffers_and_arenas_take_what_they_grow_by_and_give_it_back,
          what_the_process_has_besides_the_accounts_is_part_of_the_whole,
          no_more_than_half_of_the_budget_is_said_to_be_besides,
          a_large_block_goes_back_to_the_system_as_soon_as_it_is_freed,
          the_strictest_control_group_says_how_much_memory_there_is)
