// The client's archives: what the writer writes its reader reads, and damaged bytes are refused without a step outside
// them.
#include "api/c/npz.h"
#include "lib/http/client.h"
#include "lib/reply/states.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static const double values[6] = {1, -2.5, 3e300, 0, NAN, 1e-310};

static int append(void *context, const void *bytes, size_t size) { return !client_append(context, bytes, size); }

static int patch(void *context, uint64_t at, const void *bytes, size_t size) {
  memcpy(((client_buffer *)context)->at + at, bytes, size);
  return 0;
}

static void write_member(npz_writer *w, const char *name, npz_type type, size_t item, int rank, const size_t *dim,
                         const void *data, size_t size) {
  npz_write_begin(w, name, type, item, rank, dim);
  npz_write_data(w, data, size);
  npz_write_end(w);
}

static void write_all(client_buffer *archive) {
  static const float floats[2] = {0.5f, -4};
  static const int32_t whole[2] = {-7, 8};
  static const unsigned char bytes[3] = {0, 127, 255};
  static const uint32_t points[2][3] = {{'a', 0xe9, 0}, {0x1d4b9, 0xd800, 'z'}};
  npz_trouble trouble = {.what = ""};
  npz_writer *w = npz_writer_to((npz_sink){.context = archive, .append = append, .patch = patch});
  ck_assert_ptr_nonnull(w);
  npz_write_doubles(w, "q", values, 2, (size_t[]){2, 3});
  npz_write_bytes(w, "odd", bytes, sizeof bytes);
  write_member(w, "poses:arm", NPZ_F4, 4, 3, (size_t[]){1, 2, 1}, floats, sizeof floats);
  write_member(w, "i", NPZ_I4, 4, 1, (size_t[]){2}, whole, sizeof whole);
  npz_write_doubles(w, "none", values, 2, (size_t[]){0, 3});
  write_member(w, "error", NPZ_UNICODE, 12, 1, (size_t[]){2}, points, sizeof points);
  ck_assert_msg(npz_writer_close(w, NULL, &trouble), "%s", trouble.what);
}

START_TEST(what_is_written_is_read_back_with_shapes_and_bits) {
  client_buffer archive = {0};
  write_all(&archive);
  tendril_error err = {0};
  tendril_arrays *a = tendril_arrays_read(archive.at, archive.size, &err);
  ck_assert_msg(a != NULL, "%s", err.detail);
  ck_assert_int_eq(tendril_arrays_count(a), 6);
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
  client_buffer_free(&archive);
}
END_TEST

START_TEST(strings_are_utf8_and_cut_where_they_do_not_fit) {
  client_buffer archive = {0};
  write_all(&archive);
  tendril_arrays *a = tendril_arrays_read(archive.at, archive.size, NULL);
  const tendril_array *e = tendril_arrays_find(a, "error");
  char text[64];
  ck_assert_ptr_null(e->values);
  ck_assert(tendril_array_string(e, 0, text, sizeof text));
  ck_assert_str_eq(text, "a\xc3\xa9");
  ck_assert(tendril_array_string(e, 1, text, sizeof text));
  ck_assert_str_eq(text, "\xf0\x9d\x92\xb9?z"); // half a surrogate pair is no character
  ck_assert(tendril_array_string(e, 0, text, 3));
  ck_assert_str_eq(text, "a");
  ck_assert(!tendril_array_string(e, 2, text, sizeof text));
  ck_assert(!tendril_array_string(tendril_arrays_find(a, "q"), 0, text, sizeof text));
  tendril_arrays_close(a);
  client_buffer_free(&archive);
}
END_TEST

// A copy whose end is the end of its block, so that a sanitizer sees what reads on.
static tendril_arrays *read_copy(const char *bytes, size_t size, void **copy, tendril_error *err) {
  *copy = malloc(size ? size : 1);
  memcpy(*copy, bytes, size);
  return tendril_arrays_read(*copy, size, err);
}

START_TEST(an_archive_cut_anywhere_is_refused_with_a_sentence) {
  client_buffer archive = {0};
  write_all(&archive);
  for (size_t n = 0; n < archive.size; ++n) {
    void *copy;
    tendril_error err = {0};
    ck_assert_ptr_null(read_copy(archive.at, n, &copy, &err));
    ck_assert(err.status == TENDRIL_BAD_REPLY && *err.detail);
    free(copy);
  }
  client_buffer_free(&archive);
}
END_TEST

START_TEST(a_flipped_byte_is_found_or_changes_no_number) {
  client_buffer archive = {0};
  write_all(&archive);
  for (size_t n = 0; n < archive.size; ++n) {
    void *copy;
    archive.at[n] ^= 0x55;
    tendril_arrays *a = read_copy(archive.at, archive.size, &copy, NULL);
    const tendril_array *q = a ? tendril_arrays_find(a, "q") : NULL;
    if (q && q->values) ck_assert_mem_eq(q->values, values, sizeof values);
    tendril_arrays_close(a);
    free(copy);
    archive.at[n] ^= 0x55;
  }
  client_buffer_free(&archive);
}
END_TEST

START_TEST(a_request_holds_the_words_and_the_states_that_were_given) {
  client_buffer archive = {0};
  char text[64];
  const tendril_states states = {.count = 2, .ndof = 3, .channels = 1, .q = values, .u = values, .baumgarte = 0.5};
  ck_assert(client_write_states(&archive, "fd", &states, NULL));
  ck_assert(client_write_states(&archive, "fd, dfd_dq,,energy", &states, "{}")); // over the first
  tendril_arrays *a = tendril_arrays_read(archive.at, archive.size, NULL);
  ck_assert_ptr_nonnull(a);
  ck_assert_int_eq(tendril_arrays_count(a), 5);
  const tendril_array *want = tendril_arrays_find(a, "want"), *q = tendril_arrays_find(a, "q");
  ck_assert_uint_eq(want->count, 3);
  ck_assert(tendril_array_string(want, 1, text, sizeof text));
  ck_assert_str_eq(text, "dfd_dq");
  ck_assert(!tendril_array_string(want, 3, text, sizeof text));
  ck_assert_mem_eq(q->values, values, sizeof values);
  ck_assert_uint_eq(tendril_arrays_find(a, "u")->shape[1], 1);
  ck_assert_double_eq(tendril_arrays_find(a, "baumgarte")->values[0], 0.5);
  ck_assert_mem_eq(tendril_arrays_find(a, "model")->data, "{}", 2);
  tendril_arrays_close(a);
  client_buffer_free(&archive);
}
END_TEST

static void store(char *at, uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = (char)(value >> 8 * i);
}

// An archive of 8 doubles whose header says something else, under a checksum that fits.
static tendril_status read_header(const char *dict) {
  static const double data[8] = {0};
  client_buffer archive = {0};
  tendril_error err = {0};
  npz_trouble trouble;
  npz_writer *w = npz_writer_to((npz_sink){.context = &archive, .append = append, .patch = patch});
  npz_write_doubles(w, "x", data, 1, (size_t[]){8});
  ck_assert(npz_writer_close(w, NULL, &trouble));
  char *content = memmem(archive.at, archive.size, "\x93NUMPY", 6);
  char *entry = memmem(archive.at, archive.size, "PK\1\2", 4);
  size_t room = 128 - 10 - 1, length = strlen(dict); // the line behind the magic, without its end
  ck_assert_uint_le(length, room);
  memset(content + 10, ' ', room);
  memcpy(content + 10, dict, length);
  uint32_t crc = (uint32_t)crc32_z(0, (unsigned char *)content, 128 + sizeof data);
  store(archive.at + 14, crc);
  store(entry + 16, crc);
  tendril_arrays *a = tendril_arrays_read(archive.at, archive.size, &err);
  if (a) (void)tendril_arrays_find(a, "x");
  tendril_arrays_close(a);
  client_buffer_free(&archive);
  return err.status;
}

#define HEADER(type, shape) "{'descr': '" type "', 'fortran_order': False, 'shape': " shape "}"

START_TEST(shapes_that_claim_more_than_there_is_are_refused) {
  ck_assert_int_eq(read_header(HEADER("<f8", "(8,)")), TENDRIL_OK);
  ck_assert_int_eq(read_header(HEADER("<f8", "(9,)")), TENDRIL_BAD_REPLY);
  ck_assert_int_eq(read_header(HEADER("<f8", "(549755813888, 549755813888)")), TENDRIL_BAD_REPLY);
  ck_assert_int_eq(read_header(HEADER("<f8", "(18446744073709551615, 18446744073709551615)")), TENDRIL_BAD_REPLY);
  ck_assert_int_eq(read_header(HEADER("<U9", "(2,)")), TENDRIL_BAD_REPLY);
  ck_assert_int_eq(read_header(HEADER("<f8', 'shape': (9,), 'x': '", "(8,)")), TENDRIL_BAD_REPLY);
}
END_TEST

START_TEST(elements_of_a_type_that_is_not_read_are_kept_as_bytes_and_columns_are_refused) {
  ck_assert_int_eq(read_header(HEADER("<c16", "(4,)")), TENDRIL_OK);
  ck_assert_int_eq(read_header("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 4)}"), TENDRIL_BAD_REPLY);
}
END_TEST

START_TEST(names_of_quantities_are_counted_and_measured) {
  ck_assert(client_words_fit("fd"));
  ck_assert(client_words_fit(" fd , mass,"));
  ck_assert(!client_words_fit(""));
  ck_assert(!client_words_fit(" ,, "));
  ck_assert(!client_words_fit("a_name_that_is_longer_than_any_quantity_will_ever_be"));
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
          a_flipped_byte_is_found_or_changes_no_number, a_request_holds_the_words_and_the_states_that_were_given,
          shapes_that_claim_more_than_there_is_are_refused,
          elements_of_a_type_that_is_not_read_are_kept_as_bytes_and_columns_are_refused,
          names_of_quantities_are_counted_and_measured, a_file_that_is_not_there_or_empty_is_said_to_be_so)
