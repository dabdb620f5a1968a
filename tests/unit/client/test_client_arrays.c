// The client's archives: what its writer writes its reader reads, and damaged bytes are refused without a step outside them.
#include "lib/npz_write.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double values[6] = {1, -2.5, 3e300, 0, NAN, 1e-310};

static void write_all(client_npz_writer *w) {
  static const float floats[2] = {0.5f, -4};
  static const int32_t whole[2] = {-7, 8};
  static const unsigned char bytes[3] = {0, 127, 255};
  static const uint32_t points[2][3] = {{'a', 0xe9, 0}, {0x1d4b9, 0xd800, 'z'}};
  ck_assert(client_npz_add(w, "q", "<f8", 2, (size_t[]){2, 3}, values, sizeof values));
  ck_assert(client_npz_add(w, "odd", "|u1", 1, (size_t[]){3}, bytes, sizeof bytes));
  ck_assert(client_npz_add(w, "poses:arm", "<f4", 3, (size_t[]){1, 2, 1}, floats, sizeof floats));
  ck_assert(client_npz_add(w, "i", "<i4", 1, (size_t[]){2}, whole, sizeof whole));
  ck_assert(client_npz_add(w, "none", "<f8", 2, (size_t[]){0, 3}, values, 0));
  ck_assert(client_npz_add(w, "error", "<U3", 1, (size_t[]){2}, points, sizeof points));
  ck_assert(client_npz_add_words(w, "want", "fd, dfd_dq,,energy"));
  ck_assert(client_npz_finish(w));
}

START_TEST(what_is_written_is_read_back_with_shapes_and_bits) {
  client_npz_writer w = {0};
  write_all(&w);
  tendril_error err = {0};
  tendril_arrays *a = tendril_arrays_read(w.archive.at, w.archive.size, &err);
  ck_assert_msg(a != NULL, "%s", err.detail);
  ck_assert_int_eq(tendril_arrays_count(a), 7);
  const tendril_array *q = tendril_arrays_find(a, "q"), *f = tendril_arrays_find(a, "poses:arm"),
                      *i = tendril_arrays_find(a, "i"), *odd = tendril_arrays_find(a, "odd"),
                      *none = tendril_arrays_find(a, "none");
  ck_assert_int_eq(q->rank, 2);
  ck_assert_uint_eq(q->shape[1], 3);
  ck_assert_mem_eq(q->values, values, sizeof values);
  ck_assert_uint_eq(f->count, 2);
  ck_assert_double_eq(f->values[1], -4);
  ck_assert_double_eq(i->values[0], -7);
  ck_assert_double_eq(odd->values[2], 255);
  ck_assert_uint_eq(none->count, 0);
  ck_assert_ptr_null(tendril_arrays_find(a, "q.npy"));
  tendril_arrays_close(a);
  client_npz_free(&w);
}
END_TEST

START_TEST(strings_are_utf8_and_cut_where_they_do_not_fit) {
  client_npz_writer w = {0};
  write_all(&w);
  tendril_arrays *a = tendril_arrays_read(w.archive.at, w.archive.size, NULL);
  const tendril_array *e = tendril_arrays_find(a, "error"), *want = tendril_arrays_find(a, "want");
  char text[64];
  ck_assert_ptr_null(e->values);
  ck_assert(tendril_array_string(e, 0, text, sizeof text));
  ck_assert_str_eq(text, "a\xc3\xa9");
  ck_assert(tendril_array_string(e, 1, text, sizeof text));
  ck_assert_str_eq(text, "\xf0\x9d\x92\xb9?z"); // half a surrogate pair is no character
  ck_assert(tendril_array_string(e, 0, text, 3));
  ck_assert_str_eq(text, "a");
  ck_assert_uint_eq(want->count, 3);
  ck_assert(tendril_array_string(want, 1, text, sizeof text));
  ck_assert_str_eq(text, "dfd_dq");
  ck_assert(!tendril_array_string(want, 3, text, sizeof text));
  ck_assert(!tendril_array_string(tendril_arrays_find(a, "q"), 0, text, sizeof text));
  tendril_arrays_close(a);
  client_npz_free(&w);
}
END_TEST

// A copy whose end is the end of its block, so that a sanitizer sees what reads on.
static tendril_arrays *read_copy(const char *bytes, size_t size, void **copy, tendril_error *err) {
  *copy = malloc(size ? size : 1);
  memcpy(*copy, bytes, size);
  return tendril_arrays_read(*copy, size, err);
}

START_TEST(an_archive_cut_anywhere_is_refused_with_a_sentence) {
  client_npz_writer w = {0};
  write_all(&w);
  for (size_t n = 0; n < w.archive.size; ++n) {
    void *copy;
    tendril_error err = {0};
    ck_assert_ptr_null(read_copy(w.archive.at, n, &copy, &err));
    ck_assert(err.status == TENDRIL_BAD_REPLY && *err.detail);
    free(copy);
  }
  client_npz_free(&w);
}
END_TEST

START_TEST(a_flipped_byte_is_found_or_changes_no_number) {
  client_npz_writer w = {0};
  write_all(&w);
  for (size_t n = 0; n < w.archive.size; ++n) {
    void *copy;
    w.archive.at[n] ^= 0x55;
    tendril_arrays *a = read_copy(w.archive.at, w.archive.size, &copy, NULL);
    const tendril_array *q = a ? tendril_arrays_find(a, "q") : NULL;
    if (q && q->values) ck_assert_mem_eq(q->values, values, sizeof values);
    tendril_arrays_close(a);
    free(copy);
    w.archive.at[n] ^= 0x55;
  }
  client_npz_free(&w);
}
END_TEST

static tendril_status read_header(const char *type, int rank, const size_t *shape, size_t size) {
  static const double data[8] = {0};
  client_npz_writer w = {0};
  tendril_error err = {0};
  ck_assert(client_npz_add(&w, "x", type, rank, shape, data, size) && client_npz_finish(&w));
  tendril_arrays *a = tendril_arrays_read(w.archive.at, w.archive.size, &err);
  if (a) (void)tendril_arrays_find(a, "x");
  tendril_arrays_close(a);
  client_npz_free(&w);
  return err.status;
}

START_TEST(shapes_that_claim_more_than_there_is_are_refused) {
  ck_assert_int_eq(read_header("<f8", 1, (size_t[]){8}, 64), TENDRIL_OK);
  ck_assert_int_eq(read_header("<f8", 1, (size_t[]){9}, 64), TENDRIL_BAD_REPLY);
  ck_assert_int_eq(read_header("<f8", 2, (size_t[]){(size_t)1 << 39, (size_t)1 << 39}, 64), TENDRIL_BAD_REPLY);
  ck_assert_int_eq(read_header("<f8", 2, (size_t[]){SIZE_MAX, SIZE_MAX}, 64), TENDRIL_BAD_REPLY);
  ck_assert_int_eq(read_header("<U9", 1, (size_t[]){2}, 64), TENDRIL_BAD_REPLY);
  ck_assert_int_eq(read_header("<f8', 'shape': (9,), 'x': '", 1, (size_t[]){8}, 64), TENDRIL_BAD_REPLY);
}
END_TEST

START_TEST(names_of_quantities_are_counted_and_measured) {
  ck_assert(client_npz_words_fit("fd"));
  ck_assert(client_npz_words_fit(" fd , mass,"));
  ck_assert(!client_npz_words_fit(""));
  ck_assert(!client_npz_words_fit(" ,, "));
  ck_assert(!client_npz_words_fit("a_name_that_is_longer_than_any_quantity_will_ever_be"));
}
END_TEST

START_TEST(a_file_that_is_not_there_or_empty_is_said_to_be_so) {
  tendril_error err;
  ck_assert_ptr_null(tendril_arrays_open("/nonexistent/x.npz", &err));
  ck_assert_int_eq(err.status, TENDRIL_FILE);
  ck_assert_ptr_null(tendril_arrays_open("/dev/null", &err));
  ck_assert_ptr_nonnull(strstr(err.detail, "regular"));
}
END_TEST

TEST_MAIN("client_arrays", what_is_written_is_read_back_with_shapes_and_bits,
          strings_are_utf8_and_cut_where_they_do_not_fit, an_archive_cut_anywhere_is_refused_with_a_sentence,
          a_flipped_byte_is_found_or_changes_no_number, shapes_that_claim_more_than_there_is_are_refused,
          names_of_quantities_are_counted_and_measured, a_file_that_is_not_there_or_empty_is_said_to_be_so)
