// The cache of frozen models: one model per document, held models stay, names are forgotten when they change.
#include "service/models/model_cache.h"
#include "support/model_file.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MORE_THAN_FIT = 100, THREADS = 4 };

static td_model *pendulum(void) {
  return test_model_from_text(
      "{\"format\":\"tendril.model/1\",\"name\":\"p\",\"links\":[{\"name\":\"a\",\"joint\":{\"type\":"
      "\"revolute\"},\"body\":{\"type\":\"rigid\",\"mass\":1,\"inertia\":[1,1,1]}}]}");
}

static void key(int i, char sha256[DIGEST_HEX_SIZE]) { digest_of(&i, sizeof i, sha256); }

START_TEST(a_document_has_one_model_whoever_comes_first) {
  model_cache *cache = cache_create();
  char sha256[DIGEST_HEX_SIZE];
  key(1, sha256);
  ck_assert_ptr_null(cache_find(cache, "", sha256));
  cached_model *first = cache_insert(cache, "", sha256, pendulum(), 0),
               *second = cache_insert(cache, "", sha256, pendulum(), 0);
  ck_assert_ptr_eq(first, second);
  ck_assert_ptr_eq(cache_find(cache, "", sha256), first);
  ck_assert_msg(!cache_find(cache, "ann", sha256), "another owner is told by the time that somebody has this model");
  for (int i = 0; i < 3; i++) cache_release(cache, first);
  cache_destroy(cache);
}
END_TEST

START_TEST(a_held_model_outlives_any_number_of_others) {
  model_cache *cache = cache_create();
  char sha256[DIGEST_HEX_SIZE];
  key(0, sha256);
  cached_model *held = cache_insert(cache, "", sha256, pendulum(), 0);
  for (int i = 1; i <= MORE_THAN_FIT; i++) {
    key(i, sha256);
    cache_release(cache, cache_insert(cache, "", sha256, pendulum(), 0));
  }
  key(0, sha256);
  ck_assert_ptr_eq(cache_find(cache, "", sha256), held);
  ck_assert_int_eq(td_model_ndof(cached_model_get(held)), 1);
  cache_release(cache, held);
  cache_release(cache, held);
  key(1, sha256);
  ck_assert_ptr_null(cache_find(cache, "", sha256)); // the least recently used made room
  cache_destroy(cache);
}
END_TEST

static void insert(model_cache *cache, const char *owner, int i, uint64_t bytes) {
  char sha256[DIGEST_HEX_SIZE];
  key(i, sha256);
  budget_count(BUDGET_MODELS, (int64_t)bytes);
  cache_release(cache, cache_insert(cache, owner, sha256, pendulum(), bytes));
}

static bool has(model_cache *cache, const char *owner, int i) {
  char sha256[DIGEST_HEX_SIZE];
  key(i, sha256);
  cached_model *m = cache_find(cache, owner, sha256);
  if (m) cache_release(cache, m);
  return m != NULL;
}

START_TEST(a_storm_of_one_owners_models_drives_out_his_own) {
  model_cache *cache = cache_create();
  for (int i = 0; i < 10; i++) insert(cache, "good", i, 0);
  for (int i = 0; i < 10 * MORE_THAN_FIT; i++) insert(cache, "greedy", i, 0);
  for (int i = 0; i < 10; i++) ck_assert_msg(has(cache, "good", i), "%d", i);
  ck_assert(has(cache, "greedy", 10 * MORE_THAN_FIT - 1));
  for (int i = 0; i < MORE_THAN_FIT; i++) insert(cache, "good", i, 0); // who has no more than another goes by age
  ck_assert(has(cache, "good", MORE_THAN_FIT - 1));
  ck_assert(has(cache, "greedy", 10 * MORE_THAN_FIT - 1));
  cache_destroy(cache);
}
END_TEST

START_TEST(memory_comes_from_the_owner_whose_models_have_most) {
  const uint64_t mib = 1 << 20;
  model_cache *cache = cache_create();
  budget_set(64 * mib); // 24 for models
  insert(cache, "good", 0, 4 * mib);
  for (int i = 0; i < 3; i++) insert(cache, "greedy", i, 5 * mib);
  ck_assert_int_eq(budget_take(BUDGET_MODELS, 5 * mib), BUDGET_TAKEN);
  ck_assert_msg(has(cache, "good", 0), "the oldest, but not of him who has most");
  ck_assert(!has(cache, "greedy", 0) && has(cache, "greedy", 2));
  budget_give(BUDGET_MODELS, 5 * mib);
  budget_set(0);
  cache_destroy(cache);
}
END_TEST

START_TEST(models_beyond_the_cache_work_while_they_are_held) {
  model_cache *cache = cache_create();
  cached_model *held[MORE_THAN_FIT];
  char sha256[DIGEST_HEX_SIZE];
  for (int i = 0; i < MORE_THAN_FIT; i++) {
    key(i, sha256);
    held[i] = cache_insert(cache, "", sha256, pendulum(), 0);
    ck_assert_int_eq(td_model_ndof(cached_model_get(held[i])), 1);
  }
  for (int i = 0; i < MORE_THAN_FIT; i++) cache_release(cache, held[i]);
  cache_destroy(cache);
}
END_TEST

START_TEST(a_name_read_before_a_write_is_not_remembered_after_it) {
  model_cache *cache = cache_create();
  cached_name old = {.revision = 1}, found;
  uint64_t before, after;
  ck_assert(!cache_find_name(cache, "", "a", &found, &before));
  cache_forget(cache, "", "a"); // somebody wrote a revision 2 meanwhile
  cache_remember(cache, "", "a", &old, before);
  ck_assert(!cache_find_name(cache, "", "a", &found, &after));
  cache_remember(cache, "", "a", &(cached_name){.revision = 2}, after);
  ck_assert(cache_find_name(cache, "", "a", &found, &after) && found.revision == 2);
  cache_destroy(cache);
}
END_TEST

static void *churn(void *context) {
  model_cache *cache = context;
  char sha256[DIGEST_HEX_SIZE];
  for (int i = 0; i < 400; i++) {
    key(i % MORE_THAN_FIT, sha256);
    cached_model *m = cache_find(cache, "", sha256);
    if (!m) m = cache_insert(cache, "", sha256, pendulum(), 0);
    td_workspace *ws = cached_model_take(m);
    ck_assert_ptr_nonnull(ws);
    ck_assert_int_eq(td_model_ndof(cached_model_get(m)), 1);
    cached_model_give(m, ws);
    cache_release(cache, m);
  }
  return NULL;
}

START_TEST(threads_share_it) {
  model_cache *cache = cache_create();
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, cache), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  cache_destroy(cache);
}
END_TEST

TEST_MAIN("model cache", a_document_has_one_model_whoever_comes_first, a_held_model_outlives_any_number_of_others,
          a_storm_of_one_owners_models_drives_out_his_own, memory_comes_from_the_owner_whose_models_have_most,
          models_beyond_the_cache_work_while_they_are_held, a_name_read_before_a_write_is_not_remembered_after_it,
          threads_share_it)
