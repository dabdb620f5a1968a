// What every kind of blobs keeps: results as they were written, of the attempt that the row speaks of, and nothing of
// others.
#include "base/id.h"
#include "base/log/metrics.h"
#include "store/store.h"
#include "support/stores.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[TEST_PLACE_SIZE];
static const test_store *under_test;
static store *s;

static void reopen(void) {
  char message[STORE_MESSAGE_SIZE] = "";
  store_close(s);
  s = under_test->open(folder, message);
  ck_assert_msg(s != NULL, "%s", message);
}

static void setup(int kind) {
  under_test = &test_stores[kind];
  under_test->make(folder);
  s = NULL;
  reopen();
}

static void teardown(void) {
  store_close(s);
  s = NULL;
  under_test->remove(folder);
}

static void submit(char id[ID_SIZE]) {
  store_job job = {.kind = "statics", .document = "{}", .labels = "{}", .t_end = NAN};
  id_make(job.id);
  digest_of("{}", 2, job.model_sha256);
  memcpy(id, job.id, ID_SIZE);
  ck_assert_int_eq(store_job_insert(s, &job, "{}", &(store_room){.all = 1000}, &(store_request){.key = NULL}),
                   STORE_OK);
}

static int claim(void) {
  store_job job;
  char *document = NULL;
  int64_t due;
  ck_assert_int_eq(store_job_claim(s, &job, &document, &due), STORE_OK);
  free(document);
  store_job_fini(&job);
  return job.attempt;
}

static store_job get(const char *id) {
  store_job job;
  ck_assert_int_eq(store_job_get(s, id, &job), STORE_OK);
  return job;
}

// Bytes that tell where they stand, and of what.
static unsigned char byte_at(uint64_t at, int seed) {
  return (unsigned char)(at * 31 + at / 4099 + (uint64_t)seed * 7);
}

static void write_result(const char *id, int attempt, size_t size, int seed, char sha256[DIGEST_HEX_SIZE]) {
  unsigned char *bytes = calloc(size + 1, 1);
  for (size_t i = 0; i < size; i++) bytes[i] = byte_at(i, seed);
  digest_of(bytes, size, sha256);
  int fd = store_result_create(s, id, attempt);
  ck_assert_int_ge(fd, 0);
  for (size_t at = 0; at < size;) {
    ssize_t n = write(fd, bytes + at, size - at);
    ck_assert_int_gt(n, 0);
    at += (size_t)n;
  }
  ck_assert_int_eq(store_result_commit(s, id, attempt, fd, sha256), STORE_OK);
  close(fd);
  free(bytes);
}

static void succeed(const char *id, int attempt, size_t size, const char *sha256) {
  store_outcome good = {.state = JOB_SUCCEEDED, .result_size = (int64_t)size, .result_sha256 = sha256};
  ck_assert_int_eq(store_job_finish(s, id, attempt, &good), STORE_OK);
}

static void check_result(const char *id, size_t size, int seed) {
  store_job job = get(id);
  int fd = -1;
  ck_assert_int_eq(store_result_look(s, &job), STORE_RESULT_GOOD);
  ck_assert_int_eq(store_result_open(s, &job, &fd), STORE_RESULT_GOOD);
  struct stat st;
  ck_assert(fstat(fd, &st) == 0 && st.st_size == (off_t)size);
  unsigned char block[4096];
  int wrong = 0;
  for (uint64_t at = 0; at < size;) {
    ssize_t n = pread(fd, block, sizeof block, (off_t)at);
    if (n <= 0) ck_abort_msg("it ends at %llu", (unsigned long long)at);
    for (ssize_t i = 0; i < n; i++, at++) wrong += block[i] != byte_at(at, seed);
  }
  ck_assert_int_eq(wrong, 0);
  close(fd);
  store_job_fini(&job);
}

// Bytes that were read from a database so far.
static int64_t fetched(void) {
  static const char name[] = "\ntendril_store_fetched_bytes_total ";
  size_t size;
  char *text = metrics_text(&size);
  const char *found = text ? strstr(text, name) : NULL;
  int64_t bytes = found ? strtoll(found + sizeof name - 1, NULL, 10) : -1;
  free(text);
  return bytes;
}

// Its condition; *took: what was read from the database for it.
static store_result_condition check_piece(const char *id, uint64_t first, uint64_t count, int seed, int64_t *took) {
  store_job job = get(id);
  int fd = -1, wrong = 0;
  int64_t before = fetched();
  store_missing *missing;
  store_result_condition found = store_result_begin(s, &job, &fd, &missing);
  if (found == STORE_RESULT_GOOD) found = store_result_bring(s, missing, fd, (int64_t)first, (int64_t)count);
  free(missing);
  unsigned char *bytes = calloc(count + 1, 1);
  struct stat st;
  if (found == STORE_RESULT_GOOD) {
    ck_assert(fstat(fd, &st) == 0 && st.st_size == job.result_size);
    ck_assert_int_eq(pread(fd, bytes, count, (off_t)first), (ssize_t)count);
    for (uint64_t i = 0; i < count; i++) wrong += bytes[i] != byte_at(first + i, seed);
  }
  if (fd >= 0) close(fd);
  ck_assert_int_eq(wrong, 0);
  *took = fetched() - before;
  free(bytes);
  store_job_fini(&job);
  return found;
}

// As if this process had not written it.
static void make_large(char id[ID_SIZE], size_t size) {
  char sha256[DIGEST_HEX_SIZE];
  submit(id);
  int attempt = claim();
  write_result(id, attempt, size, 3, sha256);
  succeed(id, attempt, size, sha256);
  reopen();
}

START_TEST(a_piece_of_a_result_is_read_by_its_chunks_only_and_once) {
  enum { MIB = 1 << 20, SIZE = 40 * MIB + 5 };
  char id[ID_SIZE];
  int64_t took;
  setup(_i);
  bool kept_apart = _i == 1; // in the database, not in a folder that is at hand
  make_large(id, SIZE);
  ck_assert_int_eq(check_piece(id, 10 * MIB + 100, MIB, 3, &took), STORE_RESULT_GOOD);
  ck_assert_int_eq(took, kept_apart ? 2 * MIB : 0);
  ck_assert_int_eq(check_piece(id, 10 * MIB, 2 * MIB, 3, &took), STORE_RESULT_GOOD);
  ck_assert_int_eq(took, 0);
  ck_assert_int_eq(check_piece(id, 9 * MIB, 12 * MIB, 3, &took), STORE_RESULT_GOOD);
  ck_assert_int_eq(took, kept_apart ? 10 * MIB : 0);
  ck_assert_int_eq(check_piece(id, SIZE - 7, 7, 3, &took), STORE_RESULT_GOOD);
  ck_assert_int_eq(took, kept_apart ? MIB + 5 : 0);
  ck_assert_int_eq(check_piece(id, 0, 0, 3, &took), STORE_RESULT_GOOD);
  ck_assert_int_eq(took, 0);
  check_result(id, SIZE, 3);
  ck_assert_int_eq(check_piece(id, 0, SIZE, 3, &took), STORE_RESULT_GOOD); // the whole was at hand then
  ck_assert_int_eq(took, 0);
  teardown();
}
END_TEST

START_TEST(a_piece_whose_chunk_is_damaged_is_not_handed_out_and_one_without_a_sum_is_read_as_a_whole) {
  enum { MIB = 1 << 20, SIZE = 5 * MIB };
  static const char damage[] =
      "WITH x AS (UPDATE chunks SET bytes = set_byte(bytes, 7, get_byte(bytes, 7) # 1) WHERE at "
      "= 2097152 RETURNING 1) SELECT count(*) FROM x";
  static const char forget[] = "WITH x AS (UPDATE chunks SET sha256 = NULL RETURNING 1) SELECT count(*) FROM x";
  char id[ID_SIZE];
  int64_t took;
  setup(_i);
  if (_i == 1) {
    make_large(id, SIZE);
    ck_assert_int_eq(test_store_ask(_i, folder, damage), 1);
    ck_assert_int_eq(check_piece(id, 0, MIB, 3, &took), STORE_RESULT_GOOD); // another chunk
    ck_assert_int_eq(check_piece(id, 2 * MIB, MIB, 3, &took), STORE_RESULT_DAMAGED);
    ck_assert_int_eq(test_store_ask(_i, folder, damage), 1); // and back
    ck_assert_int_eq(test_store_ask(_i, folder, forget), 5);
    reopen();
    ck_assert_int_eq(check_piece(id, 2 * MIB, MIB, 3, &took), STORE_RESULT_GOOD);
    ck_assert_int_ge(took, SIZE);
  }
  teardown();
}
END_TEST

START_TEST(a_result_of_any_size_is_what_was_written_now_and_after_a_restart) {
  static const size_t sizes[] = {1, 4096, (1 << 20) - 1, 1 << 20, (3 << 20) + 5, (17 << 20) + 1};
  char ids[sizeof sizes / sizeof *sizes][ID_SIZE], sha256[DIGEST_HEX_SIZE];
  setup(_i);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    submit(ids[i]);
    int attempt = claim();
    write_result(ids[i], attempt, sizes[i], (int)i, sha256);
    succeed(ids[i], attempt, sizes[i], sha256);
    check_result(ids[i], sizes[i], (int)i);
  }
  reopen();
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) check_result(ids[i], sizes[i], (int)i);
  teardown();
}
END_TEST

START_TEST(what_an_attempt_wrote_that_was_lost_is_never_the_result) {
  char id[ID_SIZE], sha256[DIGEST_HEX_SIZE], late[DIGEST_HEX_SIZE];
  setup(_i);
  submit(id);
  int first = claim();
  write_result(id, first, 5000, 1, late);
  ck_assert_int_eq(store_job_requeue(s, id, first, true, 0), STORE_OK);
  int second = claim();
  ck_assert_int_eq(second, first + 1);
  write_result(id, second, 6000, 2, sha256);
  store_outcome good = {.state = JOB_SUCCEEDED, .result_size = 5000, .result_sha256 = late};
  ck_assert_int_eq(store_job_finish(s, id, first, &good), STORE_PRECONDITION);
  succeed(id, second, 6000, sha256);
  check_result(id, 6000, 2);
  teardown();
}
END_TEST

START_TEST(a_result_that_its_row_does_not_describe_is_not_given_out) {
  char id[ID_SIZE], sha256[DIGEST_HEX_SIZE];
  setup(_i);
  submit(id);
  int attempt = claim(), fd = -1;
  write_result(id, attempt, 5000, 1, sha256);
  succeed(id, attempt, 5001, sha256);
  store_job job = get(id);
  ck_assert_int_eq(store_result_open(s, &job, &fd), under_test->patient ? STORE_RESULT_UNREADABLE : STORE_RESULT_CUT);
  ck_assert_int_eq(fd, -1);
  job.result_size = 5000;
  job.result_sha256[0] ^= 1;
  reopen(); // nothing is remembered of its checksum
  ck_assert_int_eq(store_result_open(s, &job, &fd),
                   under_test->patient ? STORE_RESULT_UNREADABLE : STORE_RESULT_DAMAGED);
  store_job_fini(&job);
  teardown();
}
END_TEST

START_TEST(a_deleted_job_leaves_nothing_of_its_result_and_its_checkpoint) {
  char id[ID_SIZE], sha256[DIGEST_HEX_SIZE];
  store_part part;
  setup(_i);
  submit(id);
  int attempt = claim();
  ck_assert_int_eq(store_part_open(s, id, "", &part), STORE_OK);
  ck_assert_int_eq(store_part_write(s, id, &part, 0, "rows", 4), STORE_OK);
  ck_assert_int_eq(store_part_commit(s, id, attempt, &part, "state", 5), STORE_OK);
  ck_assert_int_ge(store_part_bytes(s), 9);
  store_part_close(&part);
  write_result(id, attempt, (17 << 20) + 1, 1, sha256);
  succeed(id, attempt, (17 << 20) + 1, sha256);
  ck_assert_int_eq(store_job_delete(s, id), STORE_OK);
  ck_assert_int_eq(store_result_find(s, id, attempt), -1);
  ck_assert_int_eq(store_part_read(s, id, &part), STORE_NOT_FOUND);
  ck_assert_int_eq(store_part_bytes(s), 0);
  teardown();
}
END_TEST

START_TEST(rows_of_many_checkpoints_are_what_was_written) {
  enum { PIECE = 300000, PIECES = 14 }; // the last piece goes a little beyond 4 MiB, at which one read of many ends
  char id[ID_SIZE], state[32];
  unsigned char *bytes = malloc(PIECE);
  store_part part;
  setup(_i);
  submit(id);
  int attempt = claim();
  ck_assert_int_eq(store_part_open(s, id, "", &part), STORE_OK);
  for (int k = 0; k < PIECES; k++) {
    for (int i = 0; i < PIECE; i++) bytes[i] = byte_at((uint64_t)k * PIECE + (uint64_t)i, 3);
    ck_assert_int_eq(store_part_write(s, id, &part, part.size, bytes, PIECE), STORE_OK);
    snprintf(state, sizeof state, "state %d", k);
    ck_assert_int_eq(store_part_commit(s, id, attempt, &part, state, strlen(state)), STORE_OK);
  }
  store_part_close(&part);
  ck_assert_int_eq(store_part_read(s, id, &part), STORE_OK);
  ck_assert(part.committed == (uint64_t)PIECE * PIECES && part.state_size == 8 &&
            memcmp(part.state, "state 13", 8) == 0);
  for (uint64_t k = 0; k < PIECES; k++) {
    ck_assert_int_eq((int)pread(part.fd, bytes, PIECE, (off_t)(k * PIECE)), PIECE);
    int wrong = 0;
    for (uint64_t i = 0; i < PIECE; i++) wrong += bytes[i] != byte_at(k * PIECE + i, 3);
    ck_assert_int_eq(wrong, 0);
  }
  store_part_close(&part);
  free(bytes);
  teardown();
}
END_TEST

static void write_rows(const char *id, int attempt, store_part *part, int pieces, const char *state) {
  enum { PIECE = 5000 };
  unsigned char bytes[PIECE];
  for (int k = 0; k < pieces; k++) {
    for (uint64_t i = 0; i < PIECE; i++) bytes[i] = byte_at(part->size + i, 3);
    ck_assert_int_eq(store_part_write(s, id, part, part->size, bytes, PIECE), STORE_OK);
  }
  if (state) ck_assert_int_eq(store_part_commit(s, id, attempt, part, state, strlen(state)), STORE_OK);
}

static void check_rows(const char *id, uint64_t size, const char *state) {
  store_part part;
  unsigned char *bytes = malloc(size);
  ck_assert_int_eq(store_part_read(s, id, &part), STORE_OK);
  ck_assert_uint_eq(part.committed, size);
  ck_assert(part.state_size == strlen(state) && memcmp(part.state, state, part.state_size) == 0);
  ck_assert_int_eq(pread(part.fd, bytes, size, 0), (ssize_t)size);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < size; i++) wrong += bytes[i] != byte_at(i, 3);
  ck_assert_uint_eq(wrong, 0);
  store_part_close(&part);
  free(bytes);
}

// As a crash leaves it with synchronous_commit off, or a standby that was behind.
static void lose_the_last_checkpoint(uint64_t size, const char *state) {
  char sql[1000], rows_sha256[DIGEST_HEX_SIZE], state_sha256[DIGEST_HEX_SIZE];
  unsigned char *bytes = malloc(size + 1);
  for (uint64_t i = 0; i < size; i++) bytes[i] = byte_at(i, 3);
  digest_of(bytes, size, rows_sha256);
  digest_of(state, strlen(state), state_sha256);
  free(bytes);
  snprintf(sql, sizeof sql,
           "WITH p AS (UPDATE parts SET rows = %llu, rows_sha256 = '%s', state = '%s', state_sha256 = '%s' RETURNING "
           "1), c AS (DELETE FROM chunks WHERE at >= %llu RETURNING 1) SELECT count(*) FROM p",
           (unsigned long long)size, rows_sha256, state, state_sha256, (unsigned long long)size);
  ck_assert_int_eq(test_store_ask(1, folder, sql), 1);
}

START_TEST(a_checkpoint_whose_ground_the_database_has_lost_is_a_whole_one) {
  static const char lose_all[] = "WITH p AS (DELETE FROM parts RETURNING 1), c AS (DELETE FROM chunks RETURNING 1) "
                                 "SELECT count(*) FROM p";
  char id[ID_SIZE];
  store_part part;
  setup(_i);
  if (!under_test->folder) {
    submit(id);
    int attempt = claim();
    ck_assert_int_eq(store_part_open(s, id, "", &part), STORE_OK);
    write_rows(id, attempt, &part, 2, "first");
    write_rows(id, attempt, &part, 1, "second");
    lose_the_last_checkpoint(10000, "first");
    check_rows(id, 10000, "first");
    write_rows(id, attempt, &part, 3, "third");
    check_rows(id, 30000, "third");
    ck_assert_int_eq(test_store_ask(_i, folder, lose_all), 1);
    write_rows(id, attempt, &part, 1, "fourth");
    check_rows(id, 35000, "fourth");
    write_rows(id, attempt, &part, 1, "fifth");
    check_rows(id, 40000, "fifth");
    store_part_close(&part);
  }
  teardown();
}
END_TEST

START_TEST(a_result_whose_beginning_the_database_has_lost_meanwhile_is_a_whole_one) {
  enum { SIZE = (17 << 20) + 1 };
  static const char loses_one[] =
      "CREATE SEQUENCE losses; CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF "
      "nextval(''losses'') = 1 THEN DELETE FROM chunks WHERE blob = new.blob AND at = new.at; END IF; RETURN NULL; "
      "END'; CREATE TRIGGER lose AFTER INSERT ON chunks FOR EACH ROW WHEN (new.at = 15728640) EXECUTE FUNCTION lose(); "
      "SELECT 1";
  char id[ID_SIZE], sha256[DIGEST_HEX_SIZE];
  setup(_i);
  if (_i == 1) {
    ck_assert_int_eq(test_store_ask(_i, folder, loses_one), 1);
    submit(id);
    int attempt = claim();
    write_result(id, attempt, SIZE, 3, sha256);
    succeed(id, attempt, SIZE, sha256);
    reopen();
    check_result(id, SIZE, 3);
  }
  teardown();
}
END_TEST

START_TEST(what_an_attempt_that_was_lost_leaves_behind_is_not_what_the_next_one_goes_on_from) {
  char id[ID_SIZE];
  store_part late, part;
  setup(_i);
  if (!under_test->folder) { // there the next one begins when the last is over
    submit(id);
    int first = claim();
    ck_assert_int_eq(store_part_open(s, id, "", &late), STORE_OK);
    write_rows(id, first, &late, 1, NULL);
    ck_assert_int_eq(store_job_requeue(s, id, first, true, 0), STORE_OK);
    int second = claim();
    ck_assert_int_eq(store_part_open(s, id, "", &part), STORE_OK);
    write_rows(id, second, &part, 2, "second");
    store_part_leave(s, &late);
    store_part_remove(s, id, ""); // the first one's worker has ended at last
    store_part_close(&late);
    write_rows(id, second, &part, 1, "third");
    check_rows(id, 15000, "third");
    store_part_close(&part);
  }
  teardown();
}
END_TEST

START_TEST(rows_that_no_checkpoint_counts_take_no_room_when_their_attempt_is_over) {
  char id[ID_SIZE];
  store_part part;
  setup(_i);
  submit(id);
  int attempt = claim();
  ck_assert_int_eq(store_part_open(s, id, "", &part), STORE_OK);
  write_rows(id, attempt, &part, 2, NULL);
  ck_assert_int_ge(store_part_bytes(s), 10000);
  store_part_leave(s, &part);
  store_part_remove(s, id, "");
  store_part_close(&part);
  ck_assert_int_eq(store_part_bytes(s), 0);
  teardown();
}
END_TEST

TEST_MAIN_EACH("store_blobs", TEST_STORES, a_result_of_any_size_is_what_was_written_now_and_after_a_restart,
               what_an_attempt_wrote_that_was_lost_is_never_the_result,
               a_piece_of_a_result_is_read_by_its_chunks_only_and_once,
               a_piece_whose_chunk_is_damaged_is_not_handed_out_and_one_without_a_sum_is_read_as_a_whole,
               a_result_that_its_row_does_not_describe_is_not_given_out,
               a_deleted_job_leaves_nothing_of_its_result_and_its_checkpoint,
               rows_of_many_checkpoints_are_what_was_written,
               a_checkpoint_whose_ground_the_database_has_lost_is_a_whole_one,
               a_result_whose_beginning_the_database_has_lost_meanwhile_is_a_whole_one,
               what_an_attempt_that_was_lost_leaves_behind_is_not_what_the_next_one_goes_on_from,
               rows_that_no_checkpoint_counts_take_no_room_when_their_attempt_is_over)
