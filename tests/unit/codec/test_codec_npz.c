// NPZ archives: written and read back, damaged in every byte, and results as JSON text.
//
// That numpy reads what is written here and that numpy's archives are read is tested from Python
// (tests/api/test_npz.py).
#include "codec/result/result.h"
#include "codec/wire/archive.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const double numbers[24] = {0,   0.1, -2.5, 3e-300, 4, 5, 6, 7, 8, 9, 10, 11,
                                   0.5, 1e9, 14,   15,     1, 2, 3, 4, 5, 6, 7,  8};

static void write_all(npz_writer *w) {
  static const char *const words[] = {"fd", "d\xc3\xa9", "", "\xe2\x82\xac\xf0\x9d\x84\x9e"};
  npz_write_bytes(w, "summary", "{\"a\":1}", 7);
  npz_write_doubles(w, "cube", numbers, 3, (const size_t[]){2, 3, 4});
  npz_write_doubles(w, "scalar", numbers + 1, 0, NULL);
  npz_write_rows(w, "column", numbers + 2, 4, 6, 1, (const size_t[]){2});
  npz_write_strings(w, "words", words, 4);
  npz_write_doubles(w, "empty", numbers, 2, (const size_t[]){3, 0});
  npz_write_begin(w, "flags", NPZ_BOOL, 1, 1, (const size_t[]){3});
  npz_write_data(w, "\1\0\1", 3);
  npz_write_end(w);
}

static codec_buffer archive_bytes(void) {
  codec_buffer b;
  codec_buffer_init(&b, 0);
  npz_writer *w = codec_npz_writer(&b);
  uint64_t size;
  write_all(w);
  ck_assert_int_eq(codec_npz_close(w, &size, NULL), TD_OK);
  ck_assert_uint_eq(size, b.size);
  return b;
}

static npz_array member(const npz_archive *archive, const char *name, arena *a) {
  npz_array array;
  td_error err = {0};
  const npz_member *m = npz_find(archive, name);
  ck_assert_msg(m != NULL, "%s", name);
  ck_assert_msg(codec_npz_read(archive, m, a, &array, &err) == TD_OK, "%s", err.message);
  return array;
}

START_TEST(what_is_written_is_read_back) {
  codec_buffer b = archive_bytes();
  arena *a = arena_create();
  npz_archive archive;
  ck_assert_int_eq(codec_npz_open(b.data, b.size, a, &archive, NULL), TD_OK);
  ck_assert_uint_eq(archive.count, 7);
  const double *x;
  npz_array cube = member(&archive, "cube", a), column = member(&archive, "column", a),
            words = member(&archive, "words", a);
  ck_assert_int_eq(cube.rank, 3);
  ck_assert_uint_eq(cube.dim[2], 4);
  ck_assert_int_eq(codec_npz_doubles(&cube, "cube", a, &x, NULL), TD_OK);
  ck_assert(memcmp(x, numbers, sizeof numbers) == 0);
  ck_assert_int_eq(codec_npz_doubles(&column, "column", a, &x, NULL), TD_OK);
  for (int i = 0; i < 8; i++) ck_assert_double_eq(x[i], numbers[2 + i / 2 * 6 + i % 2]);
  ck_assert_str_eq(codec_npz_string(&words, 1, a), "d\xc3\xa9");
  ck_assert_str_eq(codec_npz_string(&words, 2, a), "");
  ck_assert_str_eq(codec_npz_string(&words, 3, a), "\xe2\x82\xac\xf0\x9d\x84\x9e");
  ck_assert_int_eq(member(&archive, "scalar", a).rank, 0);
  ck_assert_uint_eq(member(&archive, "empty", a).count, 0);
  arena_destroy(a);
  codec_buffer_fini(&b);
}
END_TEST

START_TEST(numbers_lie_aligned_and_are_used_in_place) {
  codec_buffer b = archive_bytes();
  arena *a = arena_create();
  npz_archive archive;
  ck_assert_int_eq(codec_npz_open(b.data, b.size, a, &archive, NULL), TD_OK);
  npz_array cube = member(&archive, "cube", a);
  ck_assert_uint_eq((size_t)(cube.data - (unsigned char *)b.data) % 64, 0);
  arena_destroy(a);
  codec_buffer_fini(&b);
}
END_TEST

static FILE *archive_file(void) {
  FILE *f = tmpfile();
  npz_writer *w = npz_writer_to_fd(fileno(f));
  uint64_t size;
  write_all(w);
  ck_assert_int_eq(codec_npz_close(w, &size, NULL), TD_OK);
  ck_assert_int_eq(lseek(fileno(f), 0, SEEK_END), (long)size);
  return f;
}

START_TEST(a_file_gets_the_bytes_a_buffer_gets) {
  codec_buffer b = archive_bytes();
  FILE *f = archive_file();
  char *copy = malloc(b.size + 1);
  ck_assert_int_eq(pread(fileno(f), copy, b.size + 1, 0), (long)b.size);
  ck_assert(memcmp(copy, b.data, b.size) == 0);
  free(copy);
  fclose(f);
  codec_buffer_fini(&b);
}
END_TEST

static void read_everything(const void *bytes, size_t size, bool *accepted) {
  arena *a = arena_create_limited(1 << 24);
  npz_archive archive;
  td_error err = {0};
  *accepted = codec_npz_open(bytes, size, a, &archive, &err) == TD_OK;
  for (size_t i = 0; *accepted && i < archive.count; i++) {
    npz_array array;
    const double *x;
    if (codec_npz_read(&archive, &archive.members[i], a, &array, &err) != TD_OK) continue;
    if (array.type < NPZ_BOOL) (void)!codec_npz_doubles(&array, archive.members[i].name, a, &x, &err);
    for (size_t k = 0; array.type >= NPZ_UNICODE && k < array.count && k < 100; k++) codec_npz_string(&array, k, a);
  }
  arena_destroy(a);
}

START_TEST(an_archive_cut_off_anywhere_is_refused) {
  codec_buffer b = archive_bytes();
  for (size_t size = 0; size < b.size; size++) {
    bool accepted;
    char *cut = malloc(size ? size : 1); // the sanitizer guards its end
    memcpy(cut, b.data, size);
    read_everything(cut, size, &accepted);
    ck_assert_msg(!accepted, "%zu of %zu bytes", size, b.size);
    free(cut);
  }
  codec_buffer_fini(&b);
}
END_TEST

START_TEST(a_damaged_byte_never_hurts) {
  codec_buffer b = archive_bytes();
  for (size_t i = 0; i < b.size; i++) {
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    for (size_t k = 0; k < sizeof changes; k++) {
      bool accepted;
      b.data[i] = (char)(b.data[i] ^ changes[k]);
      read_everything(b.data, b.size, &accepted);
      b.data[i] = (char)(b.data[i] ^ changes[k]);
    }
  }
  codec_buffer_fini(&b);
}
END_TEST

START_TEST(a_damaged_number_fails_its_checksum) {
  codec_buffer b = archive_bytes();
  arena *a = arena_create();
  npz_archive archive;
  npz_array cube;
  td_error err = {0};
  ck_assert_int_eq(codec_npz_open(b.data, b.size, a, &archive, NULL), TD_OK);
  size_t at = (size_t)(member(&archive, "cube", a).data - (unsigned char *)b.data);
  b.data[at + 3] = (char)(b.data[at + 3] ^ 4);
  ck_assert_int_eq(codec_npz_read(&archive, npz_find(&archive, "cube"), a, &cube, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/cube");
  ck_assert(strstr(err.message, "CRC") != NULL);
  arena_destroy(a);
  codec_buffer_fini(&b);
}
END_TEST

START_TEST(a_number_that_is_not_finite_is_refused_by_name) {
  codec_buffer b;
  codec_buffer_init(&b, 0);
  npz_writer *w = codec_npz_writer(&b);
  npz_write_doubles(w, "q", (const double[]){1, NAN}, 1, (const size_t[]){2});
  ck_assert_int_eq(codec_npz_close(w, NULL, NULL), TD_OK);
  arena *a = arena_create();
  npz_archive archive;
  td_error err = {0};
  const double *x;
  ck_assert_int_eq(codec_npz_open(b.data, b.size, a, &archive, NULL), TD_OK);
  npz_array q = member(&archive, "q", a);
  ck_assert_int_eq(codec_npz_doubles(&q, "q", a, &x, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/q");
  arena_destroy(a);
  codec_buffer_fini(&b);
}
END_TEST

START_TEST(a_member_that_promises_more_than_it_holds_takes_no_memory) {
  codec_buffer b;
  codec_buffer_init(&b, 0);
  npz_writer *w = codec_npz_writer(&b);
  npz_write_bytes(w, "bomb", "0123456789", 10);
  ck_assert_int_eq(codec_npz_close(w, NULL, NULL), TD_OK);
  char *directory = NULL;
  for (size_t i = 0; i + 4 < b.size; i++)
    if (memcmp(b.data + i, "PK\1\2", 4) == 0) directory = b.data + i;
  ck_assert_ptr_nonnull(directory);
  directory[10] = 8;                       // deflated …
  memcpy(directory + 24, "\0\0\0\xf0", 4); // … to 4 GB
  arena *a = arena_create();
  npz_archive archive;
  npz_array array;
  td_error err = {0};
  ck_assert_int_eq(codec_npz_open(b.data, b.size, a, &archive, NULL), TD_OK);
  ck_assert_int_eq(codec_npz_read(&archive, &archive.members[0], a, &array, &err), TD_INVALID_ARGUMENT);
  ck_assert(strstr(err.message, "too large") != NULL);
  arena_destroy(a);
  codec_buffer_fini(&b);
}
END_TEST

START_TEST(a_member_written_short_makes_the_archive_fail) {
  codec_buffer b;
  codec_buffer_init(&b, 0);
  npz_writer *w = codec_npz_writer(&b);
  npz_write_begin(w, "x", NPZ_F8, 8, 1, (const size_t[]){3});
  npz_write_data(w, numbers, 16);
  npz_write_end(w);
  td_error err = {0};
  ck_assert_int_eq(codec_npz_close(w, NULL, &err), TD_INTERNAL);
  codec_buffer_fini(&b);
}
END_TEST

START_TEST(a_full_disk_is_reported) {
  FILE *full = fopen("/dev/full", "w");
  if (!full) return;
  npz_writer *w = npz_writer_to_fd(fileno(full));
  write_all(w);
  td_error err = {0};
  ck_assert_int_eq(codec_npz_close(w, NULL, &err), TD_INTERNAL);
  ck_assert(strstr(err.message, "space") != NULL);
  fclose(full);
}
END_TEST

// ------------------------------------------------------------------------------------------------ results as JSON

static char *result_text(FILE *f, size_t piece) {
  td_error err = {0};
  codec_result *r = codec_result_open(fileno(f), NULL, &err);
  ck_assert_msg(r != NULL, "%s", err.message);
  codec_result_as_json(r);
  char *text = calloc(1, 1 << 16);
  size_t used = 0;
  for (long n; (n = codec_result_read(r, text + used, piece)) != 0; used += (size_t)n) ck_assert_int_gt(n, 0);
  codec_result_close(r);
  return text;
}

START_TEST(a_result_becomes_JSON_whatever_the_size_of_the_reads) {
  static const char expected[] =
      "{\"summary\":{\"a\":1},\"arrays\":{\"cube\":[[[0,0.1,-2.5,3e-300],[4,5,6,7],[8,9,10,11]],"
      "[[0.5,1000000000,14,15],[1,2,3,4],[5,6,7,8]]],\"scalar\":0.1,\"column\":[[-2.5,3e-300],[8,9],[14,15],[5,6]],"
      "\"words\":[\"fd\",\"d\xc3\xa9\",\"\",\"\xe2\x82\xac\xf0\x9d\x84\x9e\"],\"empty\":[[],[],[]],"
      "\"flags\":[true,false,true]}}";
  FILE *f = archive_file();
  for (size_t piece = 1; piece < 5000; piece = piece * 3 + 1) {
    char *text = result_text(f, piece);
    ck_assert_str_eq(text, expected);
    free(text);
  }
  fclose(f);
}
END_TEST

START_TEST(a_long_result_comes_in_pieces_and_complete) {
  enum { ROWS = 20000, COLUMNS = 3 };
  double *x = malloc(sizeof *x * ROWS * COLUMNS);
  for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = i * 0.25;
  FILE *f = tmpfile();
  npz_writer *w = npz_writer_to_fd(fileno(f));
  npz_write_bytes(w, "summary", "{}", 2);
  npz_write_doubles(w, "q", x, 2, (const size_t[]){ROWS, COLUMNS});
  ck_assert_int_eq(codec_npz_close(w, NULL, NULL), TD_OK);
  td_error err;
  codec_result *r = codec_result_open(fileno(f), NULL, &err);
  codec_result_as_json(r);
  codec_buffer all;
  char piece[1000];
  codec_buffer_init(&all, 0);
  for (long n; (n = codec_result_read(r, piece, sizeof piece)) > 0;) codec_buffer_append(&all, piece, (size_t)n);
  json_t *doc = json_loadb(all.data, all.size, JSON_REJECT_DUPLICATES, NULL);
  const json_t *q = json_object_get(json_object_get(doc, "arrays"), "q");
  ck_assert_uint_eq(json_array_size(q), ROWS);
  for (size_t i = 0; i < ROWS * COLUMNS; i++)
    ck_assert_double_eq(json_number_value(json_array_get(json_array_get(q, i / COLUMNS), i % COLUMNS)), x[i]);
  json_decref(doc);
  codec_buffer_fini(&all);
  codec_result_close(r);
  fclose(f);
  free(x);
}
END_TEST

START_TEST(the_summary_of_a_result_is_a_document) {
  FILE *f = archive_file();
  td_error err;
  codec_result *r = codec_result_open(fileno(f), NULL, &err);
  json_t *summary = codec_result_summary(r, NULL);
  ck_assert_int_eq(json_integer_value(json_object_get(summary, "a")), 1);
  json_decref(summary);
  codec_result_close(r);
  fclose(f);
}
END_TEST

START_TEST(a_result_that_is_no_archive_is_an_internal_error) {
  FILE *f = tmpfile();
  td_error err = {0};
  ck_assert_ptr_null(codec_result_open(fileno(f), NULL, &err));
  ck_assert_int_eq(err.status, TD_INTERNAL);
  fputs("nothing", f);
  fflush(f);
  ck_assert_ptr_null(codec_result_open(fileno(f), NULL, &err));
  ck_assert_int_eq(err.status, TD_INTERNAL);
  fclose(f);
}
END_TEST

TEST_MAIN("codec_npz", what_is_written_is_read_back, numbers_lie_aligned_and_are_used_in_place,
          a_file_gets_the_bytes_a_buffer_gets, an_archive_cut_off_anywhere_is_refused, a_damaged_byte_never_hurts,
          a_damaged_number_fails_its_checksum, a_number_that_is_not_finite_is_refused_by_name,
          a_member_that_promises_more_than_it_holds_takes_no_memory, a_member_written_short_makes_the_archive_fail,
          a_full_disk_is_reported, a_result_becomes_JSON_whatever_the_size_of_the_reads,
          a_long_result_comes_in_pieces_and_complete, the_summary_of_a_result_is_a_document,
          a_result_that_is_no_archive_is_an_internal_error)
