// Heads of frames are found however the bytes are cut, and what a client may cost is counted by them.
#include "rpc/front/police.h"
#include "support/suite.h"

#include <string.h>

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
enum { FRAMES = 4, ROOM = 400 };
static const frame_head written[FRAMES] = {
    {.type = FRAME_SETTINGS},
    {.type = FRAME_HEADERS, .stream = 1, .length = 70, .flags = FRAME_END_HEADERS},
    {.type = FRAME_DATA, .stream = 0x7ffffffd, .length = 5, .flags = FRAME_END_STREAM},
    {.type = FRAME_PING, .length = 8}};

static size_t write_frame(uint8_t *out, frame_head head) {
  uint8_t bytes[FRAME_HEAD_SIZE] = {(uint8_t)(head.length >> 16),
                                    (uint8_t)(head.length >> 8),
                                    (uint8_t)head.length,
                                    head.type,
                                    head.flags,
                                    (uint8_t)(head.stream >> 24),
                                    (uint8_t)(head.stream >> 16),
                                    (uint8_t)(head.stream >> 8),
                                    (uint8_t)head.stream};
  memcpy(out, bytes, sizeof bytes);
  memset(out + sizeof bytes, 0xff, head.length); // what it brings is not mistaken for a head
  return sizeof bytes + head.length;
}

static size_t write_all(uint8_t out[ROOM]) {
  size_t size = FRAME_PREFACE_SIZE;
  memcpy(out, preface, size);
  for (int i = 0; i < FRAMES; i++) size += write_frame(out + size, written[i]);
  return size;
}

static int scan_piece(frame_scan *scan, const uint8_t *bytes, size_t size, int found) {
  frame_head head;
  bool wrong = false;
  while (frames_next(scan, &bytes, &size, &head, &wrong)) {
    ck_assert_int_lt(found, FRAMES);
    ck_assert_uint_eq(head.type, written[found].type);
    ck_assert_uint_eq(head.flags, written[found].flags);
    ck_assert_uint_eq(head.length, written[found].length);
    ck_assert_uint_eq(head.stream, written[found].stream);
    found++;
  }
  ck_assert(!wrong && size == 0);
  return found;
}

START_TEST(heads_are_found_however_the_bytes_are_cut) {
  uint8_t bytes[ROOM];
  size_t size = write_all(bytes);
  for (size_t piece = 1; piece <= size; piece++) {
    frame_scan scan = {0};
    int found = 0;
    for (size_t at = 0; at < size; at += piece)
      found = scan_piece(&scan, bytes + at, piece < size - at ? piece : size - at, found);
    ck_assert_int_eq(found, FRAMES);
    ck_assert(frames_between(&scan));
  }
}
END_TEST

START_TEST(what_is_no_preface_is_told_at_its_first_wrong_byte) {
  for (size_t wrong_at = 0; wrong_at < FRAME_PREFACE_SIZE; wrong_at++) {
    uint8_t bytes[FRAME_PREFACE_SIZE];
    memcpy(bytes, preface, sizeof bytes);
    bytes[wrong_at] ^= 1;
    frame_scan scan = {0};
    frame_head head;
    const uint8_t *at = bytes;
    size_t size = wrong_at;
    bool wrong = true;
    ck_assert(!frames_next(&scan, &at, &size, &head, &wrong) && !wrong);
    size = 1;
    ck_assert(!frames_next(&scan, &at, &size, &head, &wrong) && wrong);
  }
}
END_TEST

START_TEST(a_frame_is_put_in_between_others_only) {
  uint8_t bytes[ROOM];
  size_t size = write_frame(bytes, written[1]);
  frame_scan scan = {.preface = FRAME_PREFACE_SIZE};
  for (size_t i = 0; i < size; i++) {
    frame_head head;
    const uint8_t *at = bytes + i;
    size_t one = 1;
    bool wrong;
    ck_assert_int_eq(frames_between(&scan), i == 0);
    frames_next(&scan, &at, &one, &head, &wrong);
  }
  ck_assert(frames_between(&scan));
}
END_TEST

START_TEST(a_goaway_says_stream_and_error) {
  uint8_t bytes[FRAME_GOAWAY_SIZE];
  const uint8_t expected[FRAME_GOAWAY_SIZE] = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 11};
  frames_goaway(0x010203, 11, bytes);
  ck_assert_mem_eq(bytes, expected, sizeof expected);
}
END_TEST

// How many frames like this a client may send in this time, evenly.
static int count_allowed(police *p, frame_head head, int most, double from_s, double step_s) {
  for (int i = 0; i < most; i++)
    if (!police_frame(p, &head, from_s + step_s * i)) return i;
  return most;
}

START_TEST(resets_in_a_row_end_and_some_now_and_then_do_not) {
  frame_head reset = {.type = FRAME_RST_STREAM, .stream = 1, .length = 4};
  police fast = {.most = POLICE_MOST}, slow = {.most = POLICE_MOST};
  ck_assert_int_eq(count_allowed(&fast, reset, 30000, 0, 1e-6), 1000);
  ck_assert_int_eq(count_allowed(&slow, reset, 30000, 0, 1.0 / 190), 30000); // 190 a second, for ever
}
END_TEST

START_TEST(messages_pay_for_the_frames_that_stock_clients_send_with_them) {
  police p = {.most = POLICE_MOST, .trusted = true};
  for (int i = 0; i < 100000; i++) { // headers, data, two windows, a ping for each, in no time
    ck_assert(police_frame(&p, &(frame_head){.type = FRAME_HEADERS, .length = 60, .flags = FRAME_END_HEADERS}, 0));
    ck_assert(police_frame(&p, &(frame_head){.type = FRAME_DATA, .length = 200, .flags = FRAME_END_STREAM}, 0));
    ck_assert(police_frame(&p, &(frame_head){.type = FRAME_WINDOW_UPDATE, .length = 4}, 0));
    ck_assert(police_frame(&p, &(frame_head){.type = FRAME_WINDOW_UPDATE, .length = 4}, 0));
    ck_assert(police_frame(&p, &(frame_head){.type = FRAME_PING, .length = 8}, 0));
    police_message(&p); // came
    police_message(&p); // went
  }
}
END_TEST

START_TEST(header_blocks_end) {
  frame_head first = {.type = FRAME_HEADERS, .length = 10}, more = {.type = FRAME_CONTINUATION, .length = 10};
  police many = {.most = POLICE_MOST}, large = {.most = POLICE_MOST};
  ck_assert(police_frame(&many, &first, 0));
  ck_assert_int_lt(count_allowed(&many, more, 100, 0, 0), 10);
  more.length = 16384;
  ck_assert(police_frame(&large, &first, 0));
  ck_assert_int_lt(count_allowed(&large, more, 100, 0, 0), 5);
}
END_TEST

START_TEST(nothing_comes_between_the_frames_of_a_header_block) {
  police p = {.most = POLICE_MOST};
  ck_assert(police_frame(&p, &(frame_head){.type = FRAME_HEADERS, .length = 10}, 0));
  ck_assert(!police_frame(&p, &(frame_head){.type = FRAME_PING, .length = 8}, 0));
  police q = {.most = POLICE_MOST};
  ck_assert(!police_frame(&q, &(frame_head){.type = FRAME_CONTINUATION, .length = 10}, 0));
}
END_TEST

START_TEST(strangers_send_little_and_callers_much) {
  police stranger = {.most = POLICE_MOST}, caller = {.most = POLICE_MOST, .trusted = true};
  size_t sent = 0;
  while (police_bytes(&stranger, 4096, 0)) sent += 4096;
  ck_assert_uint_ge(sent, 300 << 10);
  ck_assert_uint_le(sent, 330 << 10);
  for (int i = 0; i < 100000; i++) ck_assert(police_bytes(&caller, 65536, 0));
}
END_TEST

TEST_MAIN("frames", heads_are_found_however_the_bytes_are_cut, what_is_no_preface_is_told_at_its_first_wrong_byte,
          a_frame_is_put_in_between_others_only, a_goaway_says_stream_and_error,
          resets_in_a_row_end_and_some_now_and_then_do_not,
          messages_pay_for_the_frames_that_stock_clients_send_with_them, header_blocks_end,
          nothing_comes_between_the_frames_of_a_header_block, strangers_send_little_and_callers_much)
