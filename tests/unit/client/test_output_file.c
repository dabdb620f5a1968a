// Where -o writes, as one process sees it. What the programs make of it: cli/test_cli_output.py.
#include "support/suite.h"

#include "api/c/output_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 50, SIZE = 4096 };

static char folder[] = "/tmp/output_file_XXXXXX", place[64];

static void make_place(void) {
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(place, sizeof place, "%s/file", folder);
}

// Fails when anything but `place` is left.
static void remove_place(void) {
  unlink(place);
  ck_assert_int_eq(rmdir(folder), 0);
}

static size_t read_place(char *out, size_t size) {
  int fd = open(place, O_RDONLY | O_CLOEXEC);
  ck_assert_int_ge(fd, 0);
  ssize_t n = read(fd, out, size);
  close(fd);
  return (size_t)n;
}

START_TEST(a_file_that_begins_anew_holds_only_what_came_afterwards) {
  output_file f;
  output_error err;
  char text[16];
  make_place();
  ck_assert(output_file_open(&f, place, false, &err) && output_file_write(&f, "the old", 7, &err));
  ck_assert(output_file_restart(&f, &err) && output_file_write(&f, "new", 3, &err));
  ck_assert_int_ne(access(place, F_OK), 0);
  ck_assert(output_file_commit(&f, &err));
  ck_assert_uint_eq(read_place(text, sizeof text), 3);
  ck_assert_int_eq(memcmp(text, "new", 3), 0);
  remove_place();
}
END_TEST

START_TEST(what_is_discarded_or_only_checked_leaves_nothing_and_may_be_discarded_again) {
  output_file f;
  output_error err;
  make_place();
  ck_assert(output_file_check(place, true, &err));
  ck_assert(output_file_open(&f, place, false, &err) && output_file_write(&f, "x", 1, &err));
  output_file_discard(&f);
  output_file_discard(&f);
  remove_place();
  ck_assert(!output_file_check(place, true, &err));
  ck_assert_ptr_nonnull(strstr(err.text, place));
}
END_TEST

START_TEST(a_check_does_not_wait_for_the_reader_of_a_fifo) {
  output_error err;
  make_place();
  ck_assert_int_eq(mkfifo(place, 0666), 0);
  ck_assert(output_file_check(place, true, &err));
  ck_assert(!output_file_is_regular(place));
  remove_place();
}
END_TEST

static void *write_often(void *context) {
  char block[SIZE];
  output_error err;
  memset(block, *(const char *)context, sizeof block);
  for (int i = 0; i < ROUNDS; i++) {
    output_file f;
    ck_assert(output_file_open(&f, place, false, &err));
    for (size_t at = 0; at < SIZE; at += SIZE / 4) ck_assert(output_file_write(&f, block + at, SIZE / 4, &err));
    ck_assert(output_file_commit(&f, &err));
  }
  return NULL;
}

START_TEST(threads_that_write_the_same_file_leave_the_whole_of_one_of_them) {
  pthread_t thread[THREADS];
  char letter[THREADS], block[SIZE];
  make_place();
  for (int i = 0; i < THREADS; i++) {
    letter[i] = (char)('a' + i);
    ck_assert_int_eq(pthread_create(&thread[i], NULL, write_often, &letter[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  ck_assert_uint_eq(read_place(block, SIZE), SIZE);
  for (size_t i = 1; i < SIZE; i++) ck_assert_int_eq(block[i], block[0]);
  remove_place();
}
END_TEST

START_TEST(only_standard_output_is_standard_output) {
  ck_assert(output_file_is_stdout("-") && output_file_is_stdout("/dev/stdout") && output_file_is_stdout("/dev/fd/1"));
  ck_assert(!output_file_is_stdout("./-") && !output_file_is_stdout("/dev/fd/11") &&
            !output_file_is_stdout("/dev/fd/1x"));
  ck_assert(output_file_is_regular("./-") && output_file_is_regular("/dev/fd/1x") &&
            !output_file_is_regular("/dev/fd/2"));
}
END_TEST

START_TEST(a_descriptor_that_is_closed_or_for_reading_is_refused) {
  output_error err;
  char name[32];
  make_place();
  ck_assert_int_ge(close(open(place, O_WRONLY | O_CREAT | O_CLOEXEC, 0666)), 0);
  int fd = open(place, O_RDONLY | O_CLOEXEC);
  snprintf(name, sizeof name, "/dev/fd/%d", fd);
  ck_assert(!output_file_check(name, false, &err));
  close(fd);
  ck_assert(!output_file_check(name, false, &err));
  remove_place();
}
END_TEST

TEST_MAIN("output_file", a_file_that_begins_anew_holds_only_what_came_afterwards,
          what_is_discarded_or_only_checked_leaves_nothing_and_may_be_discarded_again,
          a_check_does_not_wait_for_the_reader_of_a_fifo,
          threads_that_write_the_same_file_leave_the_whole_of_one_of_them, only_standard_output_is_standard_output,
          a_descriptor_that_is_closed_or_for_reading_is_refused)
