// A result as JSON text, made as it is read.
//
// A cursor (member, row) advances through the file; each refill makes the text of some rows. Invariant: the text is
// complete JSON after the last read, whatever the sizes of the reads.
#include "codec/result/parts.h"

#include <stdio.h>
#include <string.h>

enum { SUMMARY, SUMMARY_BYTES, NEXT_ARRAY, ROWS, DONE }; // phases
enum { ENOUGH = 32 << 10, SUMMARY_PIECE = 64 << 10 };

// ------------------------------------------------------------------------------------------------ elements

static void write_integer(codec_buffer *b, long long x) {
  char text[24];
  snprintf(text, sizeof text, "%lld", x);
  codec_buffer_text(b, text);
}

static void write_string(codec_result *r, const result_member *m, const unsigned char *p) {
  npz_array one = m->array;
  one.data = p;
  arena *scratch = arena_create();
  const char *text = scratch ? codec_npz_string(&one, 0, scratch) : NULL;
  codec_buffer_string(&r->text, text ? text : "");
  arena_destroy(scratch);
}

static void write_element(codec_result *r, const result_member *m, const unsigned char *p) {
  double d;
  float f;
  int32_t i4;
  int64_t i8;
  switch (m->array.type) {
  case NPZ_F8:
    memcpy(&d, p, sizeof d), codec_buffer_double(&r->text, d);
    break;
  case NPZ_F4:
    memcpy(&f, p, sizeof f), codec_buffer_double(&r->text, (double)f);
    break;
  case NPZ_I4:
    memcpy(&i4, p, sizeof i4), write_integer(&r->text, i4);
    break;
  case NPZ_I8:
    memcpy(&i8, p, sizeof i8), write_integer(&r->text, i8);
    break;
  case NPZ_U1:
    write_integer(&r->text, *p);
    break;
  case NPZ_I1:
    write_integer(&r->text, (signed char)*p);
    break;
  case NPZ_BOOL:
    codec_buffer_text(&r->text, *p ? "true" : "false");
    break;
  default:
    write_string(r, m, p);
    break;
  }
}

// The nested arrays of axes 1 … of one row. Depth is at most NPZ_MAX_RANK.
static const unsigned char *write_nested(codec_result *r, const result_member *m, int axis, const unsigned char *p) {
  if (axis >= m->array.rank) return write_element(r, m, p), p + m->array.item;
  codec_buffer_text(&r->text, "[");
  for (size_t i = 0; i < m->array.dim[axis]; i++) {
    if (i > 0) codec_buffer_text(&r->text, ",");
    p = write_nested(r, m, axis + 1, p);
  }
  codec_buffer_text(&r->text, "]");
  return p;
}

static void write_rows(codec_result *r) {
  result_member *m = &r->members[r->member - 1];
  for (; r->row < m->count && r->text.size < ENOUGH; r->row++) {
    const unsigned char *row = result_row(r, m, r->row);
    if (!row) return;
    if (r->row > 0) codec_buffer_text(&r->text, ",");
    write_nested(r, m, 1, row);
  }
  if (r->row < m->count) return;
  if (m->array.rank > 0) codec_buffer_text(&r->text, "]");
  r->phase = NEXT_ARRAY;
}

// ------------------------------------------------------------------------------------------------ phases

static void begin(codec_result *r) {
  codec_buffer_text(&r->text, "{\"summary\":");
  if (!r->summary) codec_buffer_text(&r->text, "{}");
  r->phase = SUMMARY_BYTES;
}

static void write_summary(codec_result *r) {
  char piece[SUMMARY_PIECE];
  size_t n = result_summary_bytes(r, r->row, piece, sizeof piece);
  codec_buffer_append(&r->text, piece, n);
  r->row += n;
  if (n > 0) return;
  codec_buffer_text(&r->text, ",\"arrays\":{");
  r->phase = NEXT_ARRAY;
}

static void next_array(codec_result *r) {
  while (r->member < r->count && !result_shows(r, &r->members[r->member])) r->member++;
  if (r->member == r->count) {
    codec_buffer_text(&r->text, "}}");
    r->phase = DONE;
    return;
  }
  const result_member *m = &r->members[r->member++];
  if (r->written++ > 0) codec_buffer_text(&r->text, ",");
  codec_buffer_string(&r->text, m->name);
  codec_buffer_text(&r->text, m->array.rank > 0 ? ":[" : ":");
  r->row = 0;
  r->phase = ROWS;
}

static void refill(codec_result *r) {
  static void (*const phases[])(codec_result *) = {
      [SUMMARY] = begin, [SUMMARY_BYTES] = write_summary, [NEXT_ARRAY] = next_array, [ROWS] = write_rows};
  while (r->text.size == 0 && r->phase != DONE && !r->broken) phases[r->phase](r);
}

void codec_result_as_json(codec_result *r) {
  r->refill = refill;
  r->phase = SUMMARY;
  r->member = r->row = r->written = 0;
}
