// Frames between server and worker: whole, in pieces, too large, nonsense.
#include "support/suite.h"
#include "worker/channel.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef Tendril__Worker__Frame frame;

static int ends[2];
static channel in;

static void setup(size_t limit) {
  ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  channel_init(&in, ends[1], limit);
}

static void teardown(void) {
  channel_fini(&in);
  close(ends[0]);
  close(ends[1]);
}

static void send_progress(double t) {
  Tendril__Worker__Progress progress = TENDRIL__WORKER__PROGRESS__INIT;
  frame f = TENDRIL__WORKER__FRAME__INIT;
  progress.t = t;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_PROGRESS;
  f.progress = &progress;
  ck_assert(channel_send(ends[0], &f));
}

static double next_t(void) {
  frame *f = channel_next(&in);
  ck_assert_ptr_nonnull(f);
  ck_assert_int_eq(f->body_case, TENDRIL__WORKER__FRAME__BODY_PROGRESS);
  double t = f->progress->t;
  tendril__worker__frame__free_unpacked(f, NULL);
  return t;
}

START_TEST(frames_arrive_whole_and_in_order) {
  setup(1000);
  ck_assert(channel_fill(&in, false)); // nothing there is not the end
  ck_assert_ptr_null(channel_next(&in));
  for (int i = 1; i <= 50; i++) send_progress(i);
  ck_assert(channel_fill(&in, true));
  for (int i = 1; i <= 50; i++) ck_assert_double_eq(next_t(), i);
  ck_assert_ptr_null(channel_next(&in));
  teardown();
}
END_TEST

START_TEST(a_frame_that_comes_byte_by_byte_is_put_together) {
  setup(1000);
  int other[2];
  unsigned char bytes[64];
  ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, other), 0);
  int keep = ends[0];
  ends[0] = other[0];
  send_progress(7);
  ends[0] = keep;
  ssize_t size = read(other[1], bytes, sizeof bytes);
  for (ssize_t i = 0; i < size; i++) {
    ck_assert_ptr_null(channel_next(&in));
    ck_assert_int_eq((int)write(ends[0], bytes + i, 1), 1);
    ck_assert(channel_fill(&in, true));
  }
  ck_assert_double_eq(next_t(), 7);
  close(other[0]);
  close(other[1]);
  teardown();
}
END_TEST

START_TEST(a_frame_beyond_the_limit_breaks_the_channel_before_memory_is_taken) {
  setup(1000);
  ck_assert_int_eq((int)write(ends[0], "\xe9\x03\0\0", 4), 4); // 1001
  ck_assert(channel_fill(&in, true));
  ck_assert_ptr_null(channel_next(&in));
  ck_assert(in.broken && !channel_fill(&in, false));
  teardown();
}
END_TEST

START_TEST(bytes_that_are_no_frame_break_the_channel) {
  setup(1000);
  ck_assert_int_eq((int)write(ends[0], "\4\0\0\0\xff\xff\xff\xff", 8), 8);
  ck_assert(channel_fill(&in, true));
  ck_assert_ptr_null(channel_next(&in));
  ck_assert(in.broken);
  teardown();
}
END_TEST

START_TEST(the_end_of_the_stream_is_told_after_the_last_frame) {
  setup(1000);
  send_progress(1);
  shutdown(ends[0], SHUT_WR);
  ck_assert(channel_fill(&in, true));
  ck_assert_double_eq(next_t(), 1);
  ck_assert(!channel_fill(&in, true));
  teardown();
}
END_TEST

START_TEST(sending_to_a_closed_socket_fails_without_a_signal) {
  setup(1000);
  close(ends[1]);
  frame f = TENDRIL__WORKER__FRAME__INIT;
  Tendril__Worker__Cancel cancel = TENDRIL__WORKER__CANCEL__INIT;
  f.body_case = TENDRIL__WORKER__FRAME__BODY_CANCEL;
  f.cancel = &cancel;
  ck_assert(!channel_send(ends[0], &f));
  ends[1] = dup(ends[0]);
  teardown();
}
END_TEST

TEST_MAIN("channel", frames_arrive_whole_and_in_order, a_frame_that_comes_byte_by_byte_is_put_together,
          a_frame_beyond_the_limit_breaks_the_channel_before_memory_is_taken, bytes_that_are_no_frame_break_the_channel,
          the_end_of_the_stream_is_told_after_the_last_frame, sending_to_a_closed_socket_fails_without_a_signal)
