// Tokens of USDA. Statements need no ends of lines: each begins with a word of its own, so these are white space here,
// as are semicolons.
#include "codec/import/usd/scan.h"

#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool begins(const usd_scan *s, const char *text) {
  size_t n = strlen(text);
  return (size_t)(s->end - s->at) >= n && memcmp(s->at, text, n) == 0;
}

static void step(usd_scan *s) {
  if (*s->at == '\n') s->line++;
  s->at++;
}

static void skip_to(usd_scan *s, const char *text) {
  while (s->at < s->end && !begins(s, text)) step(s);
}

static void skip_blanks(usd_scan *s) {
  while (s->at < s->end) {
    if (*s->at == '#' || begins(s, "//")) {
      skip_to(s, "\n");
    } else if (begins(s, "/*")) {
      skip_to(s, "*/");
      for (int i = 0; i < 2 && s->at < s->end; i++) step(s);
    } else if (strchr(" \t\r\n;", *s->at) && *s->at) {
      step(s);
    } else {
      return;
    }
  }
}

static usd_token wrong(int line, const char *what) {
  return (usd_token){.kind = USD_WRONG, .text = what, .size = strlen(what), .line = line};
}

// What stands between two equal marks of `width` bytes; `escapes`: a backslash takes the byte behind it along.
static usd_token quoted(usd_scan *s, usd_kind kind, size_t width, bool escapes, const char *unended) {
  char mark[4] = "";
  usd_token token = {.kind = kind, .line = s->line};
  memcpy(mark, s->at, width);
  s->at += width;
  token.text = s->at;
  while (s->at < s->end && !begins(s, mark)) {
    if (width == 1 && *s->at == '\n') break;
    if (escapes && *s->at == '\\' && s->at + 1 < s->end) step(s);
    step(s);
  }
  if (s->at >= s->end || *s->at == '\n') return wrong(token.line, unended);
  token.size = (size_t)(s->at - token.text);
  s->at += width;
  return token;
}

static usd_token path(usd_scan *s) {
  usd_token token = {.kind = USD_PATH, .line = s->line, .text = s->at + 1};
  while (s->at < s->end && *s->at != '>' && *s->at != '\n') s->at++;
  if (s->at >= s->end || *s->at == '\n') return wrong(token.line, "a path begins with < and has no >");
  token.size = (size_t)(s->at - token.text);
  s->at++;
  return token;
}

static usd_token run(usd_scan *s, usd_kind kind, const char *also) {
  usd_token token = {.kind = kind, .line = s->line, .text = s->at};
  while (s->at < s->end && (is_letter(*s->at) || is_digit(*s->at) || (*s->at && strchr(also, *s->at)))) s->at++;
  token.size = (size_t)(s->at - token.text);
  return token;
}

usd_token usd_next(usd_scan *s) {
  skip_blanks(s);
  if (s->at >= s->end) return (usd_token){.kind = USD_END, .text = "the end", .size = 7, .line = s->line};
  char c = *s->at;
  if (begins(s, "\"\"\"") || begins(s, "'''")) return quoted(s, USD_STRING, 3, true, "a string has no end");
  if (c == '"' || c == '\'') return quoted(s, USD_STRING, 1, true, "a string has no end in its line");
  if (begins(s, "@@@")) return quoted(s, USD_ASSET, 3, false, "the name of a file has no end");
  if (c == '@') return quoted(s, USD_ASSET, 1, false, "the name of a file has no end in its line");
  if (c == '<') return path(s);
  if (is_letter(c)) return run(s, USD_WORD, ":.");
  if (is_digit(c) || c == '-' || c == '+' || c == '.') return run(s, USD_NUMBER, "+-.");
  if (c && strchr("()[]{}=,:", c)) return (usd_token){.kind = USD_MARK, .text = s->at++, .size = 1, .line = s->line};
  return wrong(s->line, "a character that USD has no use for");
}

usd_token usd_peek(const usd_scan *s) {
  usd_scan copy = *s;
  return usd_next(&copy);
}

bool usd_is(const usd_token *token, usd_kind kind, const char *text) {
  return token->kind == kind && token->size == strlen(text) && memcmp(token->text, text, token->size) == 0;
}

bool usd_is_mark(const usd_token *token, char mark) { return token->kind == USD_MARK && *token->text == mark; }
