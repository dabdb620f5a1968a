// Results in parts and as CSV: which rows and columns come, and that they are the bits of the archive.
#include "codec/result/result.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 11, Q = 2, POSE = 16 };

static const char summary[] =
    "{\"coordinates\":[\"arm.joint[0]\",\"a,\\\"b\\\"\"],\"channels\":[\"motor\"],\"documents\":{}}";

static double q_at(size_t row, size_t i) { return (double)row / 3 + 100 * (double)i; }

// t = 0, 0.1, … as a run computes it; q [11, 2]; u [11, 1]; poses:arm [11, 2, 4, 4]; a scalar; the summary.
static FILE *run_archive(bool with_times) {
  static double t[ROWS], q[ROWS][Q], u[ROWS], poses[ROWS][2][POSE];
  for (size_t k = 0; k < ROWS; k++) {
    t[k] = (double)k * 0.1;
    u[k] = k == 3 ? NAN : k == 4 ? -INFINITY : -(double)k;
    for (size_t i = 0; i < Q; i++) q[k][i] = q_at(k, i);
    for (size_t i = 0; i < 2 * POSE; i++) poses[k][i / POSE][i % POSE] = (double)(100 * k + i);
  }
  FILE *f = tmpfile();
  npz_writer *w = npz_writer_to_fd(fileno(f));
  if (with_times) npz_write_doubles(w, "t", t, 1, (size_t[]){ROWS});
  npz_write_doubles(w, "q", q[0], 2, (size_t[]){ROWS, Q});
  npz_write_doubles(w, "u", u, 2, (size_t[]){ROWS, 1});
  npz_write_doubles(w, "poses:arm", poses[0][0], 4, (size_t[]){ROWS, 2, 4, 4});
  npz_write_doubles(w, "scalar", (double[]){2.5}, 0, NULL);
  npz_write_bytes(w, "summary", summary, strlen(summary));
  ck_assert_int_eq(codec_npz_close(w, NULL, NULL), TD_OK);
  return f;
}

static codec_result_part part(const char *fields, double from, double to, uint64_t stride) {
  return (codec_result_part){.fields = fields, .from = from, .to = to, .stride = stride};
}

static codec_result *open_part(FILE *f, codec_result_part wanted) {
  td_error err;
  codec_result *r = codec_result_open(fileno(f), &wanted, &err);
  ck_assert_msg(r != NULL, "%s", err.message);
  return r;
}

static char *text_of(codec_result *r, size_t piece) {
  char *text = calloc(1, 1 << 16);
  size_t used = 0;
  for (long n; (n = codec_result_read(r, text + used, piece)) != 0; used += (size_t)n) ck_assert_int_gt(n, 0);
  codec_result_close(r);
  return text;
}

static char *csv(codec_result_part wanted, bool with_times, size_t piece) {
  td_error err;
  FILE *f = run_archive(with_times);
  codec_result *r = open_part(f, wanted);
  ck_assert_msg(codec_result_as_csv(r, &err), "%s", err.message);
  char *text = text_of(r, piece);
  fclose(f);
  return text;
}

static char *json(codec_result_part wanted) {
  FILE *f = run_archive(true);
  codec_result *r = open_part(f, wanted);
  codec_result_as_json(r);
  char *text = text_of(r, 100);
  fclose(f);
  return text;
}

static void expect_times(codec_result_part wanted, const char *expected) {
  char *text = json(wanted), start[256];
  snprintf(start, sizeof start, "{\"summary\":%s,\"arrays\":{\"t\":%s,", summary, expected);
  ck_assert_msg(strncmp(text, start, strlen(start)) == 0, "%.300s", text);
  free(text);
}

START_TEST(bounds_are_inclusive_and_stride_starts_at_the_first_row_inside) {
  expect_times(part("u", NAN, NAN, 5), "[0,0.5,1]");
  expect_times(part("u", 0.75, NAN, 1), "[0.8,0.9,1]");
  expect_times(part("u", 0.2, 0.4, 1), "[0.2,0.30000000000000004,0.4]");
  expect_times(part("u", NAN, 0.3, 2), "[0,0.2]");
  expect_times(part("u", 0.3, 0.3, 1), "[0.30000000000000004]"); // 3 * 0.1: within rounding
  expect_times(part("u", 0.15, 0.19, 1), "[]");
  expect_times(part("u", 2, NAN, 1), "[]");
  expect_times(part("u", 0.35, NAN, UINT64_MAX), "[0.4]");
}
END_TEST

START_TEST(a_field_comes_with_the_times_and_the_summary_and_nothing_else) {
  char *text = json(part("q", 0.95, NAN, 1)), expected[256];
  snprintf(expected, sizeof expected, "{\"summary\":%s,\"arrays\":{\"t\":[1],\"q\":[[%.17g,%.17g]]}}", summary,
           q_at(10, 0), q_at(10, 1));
  ck_assert_str_eq(text, expected);
  free(text);
}
END_TEST

START_TEST(an_unknown_field_is_refused_with_those_that_are_there) {
  static const char *const wrong[] = {"qd", "q,qd", "", "q,", ",q", "poses:arm@1", "Q"};
  FILE *f = run_archive(true);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    td_error err;
    codec_result_part wanted = part(wrong[i], NAN, NAN, 1);
    ck_assert_msg(codec_result_open(fileno(f), &wanted, &err) == NULL, "%s", wrong[i]);
    ck_assert_int_eq(err.status, TD_INVALID_ARGUMENT);
    ck_assert_msg(strstr(err.message, "t, q, u, poses:arm, scalar, summary") != NULL, "%s", err.message);
  }
  fclose(f);
}
END_TEST

START_TEST(csv_names_its_columns_and_quotes_names_that_need_it) {
  char *text = csv(part(NULL, NAN, 0, 1), true, 7);
  char *line = strchr(text, '\n');
  ck_assert_ptr_nonnull(line);
  *line++ = '\0';
  ck_assert_msg(strncmp(text, "t,q.arm.joint[0],\"q.a,\"\"b\"\"\",u.motor,poses:arm[0].r11,poses:arm[0].r12,", 70) == 0,
                "%s", text);
  ck_assert_ptr_nonnull(strstr(text, "poses:arm[0].x,poses:arm[0].r21"));
  ck_assert_ptr_nonnull(strstr(text, ",poses:arm[1].z"));
  ck_assert_str_eq(line, "0,0,100,-0.0,0,1,2,3,4,5,6,7,8,9,10,11,16,17,18,19,20,21,22,23,24,25,26,27\n");
  free(text);
}
END_TEST

START_TEST(csv_without_times_counts_the_rows_of_the_file) {
  char *text = csv(part("u", 3, NAN, 3), false, 1000);
  ck_assert_str_eq(text, "index,u.motor\n3,nan\n6,-6\n9,-9\n");
  free(text);
  text = csv(part("u", 4, 4, 1), false, 1);
  ck_assert_str_eq(text, "index,u.motor\n4,-inf\n");
  free(text);
}
END_TEST

START_TEST(an_archive_of_a_part_holds_the_bits_of_the_rows) {
  td_error err = {0};
  uint64_t size = 0;
  FILE *f = run_archive(true), *out = tmpfile();
  codec_result *r = open_part(f, part("q,scalar", 0.1, NAN, 4));
  ck_assert_int_eq(codec_result_write_npz(r, fileno(out), &size, &err), TD_OK);
  codec_result_close(r);
  char *bytes = malloc(size);
  ck_assert_uint_eq(fread(bytes, 1, size, out), size);
  arena *a = arena_create();
  npz_archive archive;
  npz_array q;
  ck_assert_int_eq(codec_npz_open(bytes, size, a, &archive, &err), TD_OK);
  ck_assert_uint_eq(archive.count, 4); // t, q, scalar, summary
  ck_assert_int_eq(codec_npz_read(&archive, npz_find(&archive, "q"), a, &q, &err), TD_OK);
  ck_assert(q.rank == 2 && q.dim[0] == 3 && q.dim[1] == Q);
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < Q; i++) {
      double x = q_at(1 + 4 * k, i);
      ck_assert_int_eq(memcmp(q.data + (k * Q + i) * sizeof x, &x, sizeof x), 0);
    }
  arena_destroy(a);
  free(bytes);
  fclose(out);
  fclose(f);
}
END_TEST

// Long enough for several windows and refills.
START_TEST(a_long_result_gives_the_same_numbers_whatever_its_form) {
  enum { MANY = 30000 };
  double *t = malloc(2 * MANY * sizeof *t), *x = t + MANY;
  for (size_t k = 0; k < MANY; k++) t[k] = (double)k * 1e-3, x[k] = sin((double)k);
  FILE *f = tmpfile();
  npz_writer *w = npz_writer_to_fd(fileno(f));
  npz_write_doubles(w, "t", t, 1, (size_t[]){MANY});
  npz_write_doubles(w, "x", x, 1, (size_t[]){MANY});
  npz_write_bytes(w, "summary", summary, strlen(summary));
  ck_assert_int_eq(codec_npz_close(w, NULL, NULL), TD_OK);
  for (uint64_t stride = 1; stride < MANY; stride = 7 * stride + 1) {
    td_error err;
    codec_buffer all;
    char piece[3000];
    codec_result *r = open_part(f, part(NULL, NAN, NAN, stride));
    ck_assert(codec_result_as_csv(r, &err));
    codec_buffer_init(&all, 0);
    for (long n; (n = codec_result_read(r, piece, sizeof piece)) > 0;) codec_buffer_append(&all, piece, (size_t)n);
    codec_buffer_append(&all, "", 1);
    const char *p = strchr(all.data, '\n') + 1;
    for (size_t k = 0; k < MANY; k += stride) {
      char *end;
      ck_assert_double_eq(strtod(p, &end), t[k]);
      ck_assert_double_eq(strtod(end + 1, &end), x[k]);
      ck_assert_int_eq(*end, '\n');
      p = end + 1;
    }
    ck_assert_int_eq(*p, '\0');
    codec_buffer_fini(&all);
    codec_result_close(r);
  }
  fclose(f);
  free(t);
}
END_TEST

START_TEST(a_file_that_shrinks_while_it_is_read_ends_the_text_with_an_error) {
  FILE *f = run_archive(true);
  codec_result *r = open_part(f, part(NULL, NAN, NAN, 1));
  codec_result_as_json(r);
  ck_assert_int_eq(ftruncate(fileno(f), 300), 0);
  char piece[100];
  long n = 1;
  while (n > 0) n = codec_result_read(r, piece, sizeof piece);
  ck_assert_int_eq(n, -1);
  codec_result_close(r);
  fclose(f);
}
END_TEST

START_TEST(an_archive_cut_off_anywhere_is_no_result) {
  td_error err;
  FILE *f = run_archive(true);
  fseek(f, 0, SEEK_END);
  for (long size = ftell(f) - 1; size >= 0; size -= 13) {
    ck_assert_int_eq(ftruncate(fileno(f), size), 0);
    ck_assert_ptr_null(codec_result_open(fileno(f), NULL, &err));
    ck_assert_int_eq(err.status, TD_INTERNAL);
  }
  fclose(f);
}
END_TEST

TEST_MAIN("codec_result", bounds_are_inclusive_and_stride_starts_at_the_first_row_inside,
          a_field_comes_with_the_times_and_the_summary_and_nothing_else,
          an_unknown_field_is_refused_with_those_that_are_there, csv_names_its_columns_and_quotes_names_that_need_it,
          csv_without_times_counts_the_rows_of_the_file, an_archive_of_a_part_holds_the_bits_of_the_rows,
          a_long_result_gives_the_same_numbers_whatever_its_form,
          a_file_that_shrinks_while_it_is_read_ends_the_text_with_an_error, an_archive_cut_off_anywhere_is_no_result)
