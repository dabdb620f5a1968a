// The reader of server-sent events: any cut of the bytes gives the same events, broken streams give none that are not
// there.
#include "lib/http/sse.h"
#include "support/suite.h"
#include <stdio.h>
#include <string.h>

typedef struct heard {
  char text[4096]; // "type|id|data;" of each event
  int count, enough;
} heard;

static bool on_event(void *context, const client_sse_event *e) {
  heard *h = context;
  size_t n = strlen(h->text);
  ck_assert_uint_eq(strlen(e->data), e->size);
  snprintf(h->text + n, sizeof h->text - n, "%s|%s|%s;", e->type, e->id, e->data);
  return ++h->count != h->enough;
}

// Feeds `stream` in pieces of `piece` bytes; returns whether the reader went on to the end.
static bool feed(heard *h, const char *stream, size_t size, size_t piece) {
  client_sse sse = {.on_event = on_event, .context = h};
  bool on = true;
  for (size_t at = 0; on && at < size; at += piece)
    on = client_sse_feed(&sse, stream + at, size - at < piece ? size - at : piece);
  client_sse_free(&sse);
  return on;
}

static void expect(const char *stream, const char *events) {
  size_t size = strlen(stream);
  for (size_t piece = 1; piece <= size; ++piece) {
    heard h = {.count = 0};
    ck_assert(feed(&h, stream, size, piece));
    ck_assert_msg(strcmp(h.text, events) == 0, "in pieces of %zu: %s", piece, h.text);
  }
}

START_TEST(an_event_has_its_type_its_number_and_its_data) {
  expect("id: 7\nevent: state\ndata: {\"seq\":7}\n\n", "state|7|{\"seq\":7};");
  expect("event:state\ndata:x\nid:1\n\n", "state|1|x;");
}
END_TEST

START_TEST(lines_may_end_in_cr_lf_or_both_and_cuts_do_not_matter) {
  expect("data: a\r\rdata: b\r\n\r\ndata: c\n\n", "||a;||b;||c;");
  expect("\xef\xbb\xbf"
         "data: a\n\n",
         "||a;");
}
END_TEST

START_TEST(several_lines_of_data_are_one_event) { expect("data: a\ndata\ndata:  b\n\n", "||a\n\n b;"); }
END_TEST

START_TEST(comments_unknown_fields_and_events_without_data_are_no_events) {
  expect(": heartbeat\n\nevent: x\n\nretry: 10\nnonsense\n\nid: 4\n\ndata: d\n\n", "|4|d;");
}
END_TEST

START_TEST(an_event_that_the_end_of_the_stream_cuts_off_is_not_told) {
  expect("data: whole\n\nid: 2\ndata: half", "||whole;");
  expect("data: whole\n\nid: 2\ndata: half\n", "||whole;");
}
END_TEST

START_TEST(the_callback_can_end_the_stream_in_the_middle_of_a_piece) {
  static const char stream[] = "data: 1\n\ndata: 2\n\ndata: 3\n\n";
  heard h = {.enough = 2};
  ck_assert(!feed(&h, stream, sizeof stream - 1, 100));
  ck_assert_str_eq(h.text, "||1;||2;");
}
END_TEST

START_TEST(words_that_are_too_long_or_hold_a_nul_are_not_kept) {
  char stream[300];
  int n = snprintf(stream, sizeof stream, "id: 5\nid: %0100d\nevent: %0100d\ndata: d\n\n", 1, 2);
  heard h = {.count = 0};
  ck_assert(feed(&h, stream, (size_t)n, 13));
  ck_assert_str_eq(h.text, "|5|d;");
  heard g = {.count = 0};
  ck_assert(feed(&g, "id: 1\0002\ndata: d\n\n", 18, 3));
  ck_assert_str_eq(g.text, "||d;");
}
END_TEST

START_TEST(a_line_or_an_event_without_end_is_refused_before_memory_is) {
  static char block[1 << 16];
  memset(block, 'x', sizeof block);
  client_sse line = {.on_event = on_event};
  bool on = true;
  for (int i = 0; on && i < 40; ++i) on = client_sse_feed(&line, block, sizeof block);
  ck_assert(!on);
  client_sse_free(&line);
  client_sse event = {.on_event = on_event};
  on = true;
  for (int i = 0; on && i < 40; ++i)
    on = client_sse_feed(&event, "data:", 5) && client_sse_feed(&event, block, sizeof block) &&
         client_sse_feed(&event, "\n", 1);
  ck_assert(!on);
  client_sse_free(&event);
}
END_TEST

TEST_MAIN("client_sse", an_event_has_its_type_its_number_and_its_data,
          lines_may_end_in_cr_lf_or_both_and_cuts_do_not_matter, several_lines_of_data_are_one_event,
          comments_unknown_fields_and_events_without_data_are_no_events,
          an_event_that_the_end_of_the_stream_cuts_off_is_not_told,
          the_callback_can_end_the_stream_in_the_middle_of_a_piece, words_that_are_too_long_or_hold_a_nul_are_not_kept,
          a_line_or_an_event_without_end_is_refused_before_memory_is)
