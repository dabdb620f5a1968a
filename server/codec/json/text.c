// JSON text to a Jansson tree.
//
// Method: one pass without recursion over the bytes refuses what Jansson would take badly (deep nesting costs stack,
// raw NULs cut strings) or would report unclearly; Jansson then parses what is left and its message is translated.
#include "codec/json/text.h"
#include "api/c/json_reason.h"
#include "codec/json/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct scan {
  const unsigned char *bytes;
  size_t size, at;
  int depth;
  bool in_string;
  bool opened; // nothing but blanks since a bracket
  json_count count;
} scan;

// Length of the well-formed UTF-8 sequence at p, 0 when there is none (RFC 3629, table 3-7 of the Unicode standard).
static size_t sequence(const unsigned char *p, size_t room) {
  if (p[0] < 0x80) return 1;
  size_t n = p[0] >= 0xc2 && p[0] <= 0xdf ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4 : 0;
  if (n == 0 || n > room) return 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0;
  if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0;
  return n;
}

int codec_utf8_valid(const char *bytes, size_t size) {
  const unsigned char *p = (const unsigned char *)bytes;
  for (size_t i = 0, n; i < size; i += n)
    if ((n = sequence(p + i, size - i)) == 0) return 0;
  return 1;
}

static td_status fail_at(const scan *s, td_error *err, const char *what) {
  size_t line = 1, column = 1; // of characters, as editors count them
  for (size_t i = 0; i < s->at; i++) {
    if ((s->bytes[i] & 0xc0) != 0x80) column++;
    if (s->bytes[i] == '\n') line++, column = 1;
  }
  return td_fail(err, TD_INVALID_ARGUMENT, "", "line %zu column %zu: %s", line, column, what);
}

// What word processors and papers put in the place of plain characters, from first to last.
typedef struct foreign_row {
  unsigned first, last;
  const char *what;
} foreign_row;

static const foreign_row FOREIGN[] = {
    {0x2212, 0x2212, "a typographic minus, write -"},
    {0x2010, 0x2015, "a typographic hyphen or dash, write -"},
    {0x2018, 0x201f, "a typographic quotation mark, write \""},
    {0x00ab, 0x00ab, "a typographic quotation mark, write \""},
    {0x00bb, 0x00bb, "a typographic quotation mark, write \""},
    {0x00a0, 0x00a0, "a space that does not break, write a plain one"},
    {0x2000, 0x200b, "a typographic space, write a plain one"},
    {0x202f, 0x202f, "a typographic space, write a plain one"},
    {0x3000, 0x3000, "a wide space, write a plain one"},
    {0xfeff, 0xfeff, "a byte order mark, save the text without one"},
};

static unsigned code_point(const unsigned char *p, size_t length) {
  unsigned code = length == 2 ? p[0] & 0x1fu : length == 3 ? p[0] & 0x0fu : p[0] & 0x07u;
  for (size_t i = 1; i < length; i++) code = code << 6 | (p[i] & 0x3fu);
  return code;
}

// Outside of strings JSON is ASCII.
static td_status foreign_character(const scan *s, td_error *err) {
  size_t length = sequence(s->bytes + s->at, s->size - s->at);
  if (length == 0) return fail_at(s, err, "the text is not valid UTF-8");
  unsigned code = code_point(s->bytes + s->at, length);
  const char *what = "outside of a string, where JSON has no place for it";
  for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++)
    if (code >= FOREIGN[i].first && code <= FOREIGN[i].last) what = FOREIGN[i].what;
  char text[128];
  snprintf(text, sizeof text, "U+%04X is %s", code, what);
  return fail_at(s, err, text);
}

// Plain bytes of a string up to the next quote, backslash, control or non-ASCII byte.
static void skip_plain(scan *s) {
  while (s->at < s->size) {
    unsigned char c = s->bytes[s->at];
    if (c == '"' || c == '\\' || c < 0x20 || c >= 0x80) return;
    s->at++;
  }
}

static td_status string_byte(scan *s, td_error *err) {
  unsigned char c = s->bytes[s->at];
  if (c == 0) return fail_at(s, err, "a string holds a NUL byte");
  if (c < 0x20) return fail_at(s, err, "a string holds a raw control character");
  if (c == '"') s->in_string = false;
  if (c == '\\') {
    if (s->size - s->at >= 6 && memcmp(s->bytes + s->at, "\\u0000", 6) == 0)
      return fail_at(s, err, "a string holds \\u0000, which no text here may contain");
    s->at += s->size - s->at > 1; // the escaped byte, whatever it is
    if (s->bytes[s->at] >= 0x80 || s->bytes[s->at] < 0x20) return fail_at(s, err, "invalid escape in a string");
  }
  size_t n = sequence(s->bytes + s->at, s->size - s->at);
  if (n == 0) return fail_at(s, err, "the text is not valid UTF-8");
  s->at += n;
  return TD_OK;
}

// Every value but the root stands behind a bracket that has something, or behind a comma.
static void count_byte(scan *s, unsigned char c) {
  if (c == ' ' || c == '\n' || c == '\t' || c == '\r') return;
  bool closes = c == ']' || c == '}';
  if (c == ',' || (s->opened && !closes)) s->count.values++;
  s->opened = c == '[' || c == '{';
  s->count.arrays += c == '[';
  s->count.objects += c == '{';
  s->count.keys += c == ':';
  s->count.strings += c == '"';
}

static td_status plain_byte(scan *s, td_error *err) {
  unsigned char c = s->bytes[s->at];
  if (c == 0) return fail_at(s, err, "a NUL byte");
  if (c >= 0x80) return foreign_character(s, err);
  count_byte(s, c);
  if (c == '"') s->in_string = true;
  if ((c == '[' || c == '{') && ++s->depth > CODEC_MAX_DEPTH) return fail_at(s, err, "nested deeper than 64 levels");
  if (c == ']' || c == '}') s->depth--;
  s->at++;
  return TD_OK;
}

td_status codec_text_count(const char *bytes, size_t size, json_count *count, td_error *err) {
  scan s = {.bytes = (const unsigned char *)bytes, .size = size, .count = {.values = 1}};
  while (s.at < size) {
    size_t start = s.at;
    bool text = s.in_string;
    if (text) skip_plain(&s);
    td_status status = s.at == size ? TD_OK : text ? string_byte(&s, err) : plain_byte(&s, err);
    if (status != TD_OK) return status;
    if (text) s.count.text += s.at - start;
  }
  *count = s.count;
  return TD_OK;
}

static const char *reason(const json_error_t *e, char words[JSON_REASON_SIZE]) {
  switch (json_error_code(e)) {
  case json_error_numeric_overflow:
    return "a number is too large for a finite double (or an integer beyond 64 bits)";
  case json_error_premature_end_of_input:
    return "the document ends too early";
  case json_error_end_of_input_expected:
    return "something follows the end of the document";
  default:
    return json_reason(e->text, words);
  }
}

json_t *codec_parse(const char *bytes, size_t size, td_error *err) {
  _Static_assert(CODEC_MAX_DEPTH == 64, "the message of plain_byte names the limit");
  json_count count;
  json_error_t e;
  json_t *doc;
  if (codec_text_count(bytes, size, &count, err) != TD_OK ||
      json_memory_load(bytes, size, &count, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &doc, &e, err) != TD_OK)
    return NULL;
  if (doc) return doc;
  td_status status = json_error_code(&e) == json_error_out_of_memory ? TD_NO_MEMORY : TD_INVALID_ARGUMENT;
  char words[JSON_REASON_SIZE];
  (void)!td_fail(err, status, "", "line %d column %d: %s", e.line, e.column < 0 ? 0 : e.column, reason(&e, words));
  return NULL;
}
