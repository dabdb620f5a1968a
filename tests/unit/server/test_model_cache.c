// The cache of frozen models: one model per document, held models stay, names are forgotten when they change.
#include "service/model_cache.h"
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
          models_beyond_the_cache_work_while_they_are_held, a_name_read_before_a_write_is_not_remembered_after_it,
          threads_share_it)
