// Decimal text to the nearest double.
//
// Method: up to 19 significant digits become an integer w; w 10^e is exact by one multiplication or division when both
// fit a double (Clinger), otherwise one 64 x 128 bit product decides the rounding (Eisel and Lemire, Number parsing
// at a gigabyte per second, 2021). What that leaves open (halfway cases, subnormals, more digits) goes to strtod with
// at most 800 digits, the rest folded into one sticky digit. Invariant: the result is correctly rounded, ties to
// even.
#include "codec/json/number.h"
#include "codec/json/powers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

typedef struct scanned {
  const char *first, *last; // the digits with their point
  uint64_t w;               // the first 19 significant digits
  int digits;               // significant ones, at most 20 counted
  long exponent;            // of w
  bool negative, truncated;
} scanned;

enum { MAX_DIGITS = 19, SLOW_DIGITS = 800, MAX_EXPONENT = 100000000 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void take_digit(scanned *s, char c, bool after_point) {
  if (s->digits < MAX_DIGITS) {
    s->w = 10 * s->w + (uint64_t)(c - '0');
    if (s->w > 0) s->digits++;
    s->exponent -= after_point;
  } else {
    s->truncated |= c != '0';
    s->exponent += !after_point;
  }
}

// Eight ASCII digits at once (little-endian): are they all digits, and their value.
static bool eight_digits(uint64_t v) {
  return ((v & 0xf0f0f0f0f0f0f0f0u) | ((v + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4) == 0x3333333333333333u;
}
static uint64_t eight_value(uint64_t v) {
  v -= 0x3030303030303030u;
  v = v * 10 + (v >> 8); // pairs in every second byte
  return ((v & 0x000000ff000000ffu) * 0x000f424000000064u + ((v >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >>
         32;
}

// Digits behind the point. Blocks of eight are taken whole once w has begun, while it has room for them.
static const char *scan_fraction(const char *p, const char *end, scanned *s) {
  for (uint64_t v; end - p >= 8 && s->digits <= MAX_DIGITS - 8 && (s->w > 0 || *p != '0'); p += 8) {
    memcpy(&v, p, sizeof v);
    if (!eight_digits(v)) break;
    s->w = s->w * 100000000u + eight_value(v);
    s->digits += 8;
    s->exponent -= 8;
  }
  while (p < end && is_digit(*p)) take_digit(s, *p++, true);
  return p;
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)? ; NULL when the text is no JSON number.
static const char *scan_digits(const char *p, const char *end, scanned *s) {
  s->negative = p < end && *p == '-';
  p += s->negative;
  s->first = p;
  if (p == end || !is_digit(*p)) return NULL;
  if (*p == '0') {
    p++;
    if (p < end && is_digit(*p)) return NULL;
  }
  while (p < end && is_digit(*p)) take_digit(s, *p++, false);
  if (p < end && *p == '.') {
    p++;
    if (p == end || !is_digit(*p)) return NULL;
    p = scan_fraction(p, end, s);
  }
  s->last = p;
  return p;
}

static const char *scan_exponent(const char *p, const char *end, scanned *s) {
  if (p == end || (*p != 'e' && *p != 'E')) return p;
  p++;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end || !is_digit(*p)) return NULL;
  long e = 0;
  for (; p < end && is_digit(*p); p++)
    if (e < MAX_EXPONENT) e = 10 * e + (*p - '0');
  s->exponent += negative ? -e : e;
  return p;
}

static bool clinger(const scanned *s, double *x) {
  static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (s->w >> 53 || s->exponent < -22 || s->exponent > 22) return false;
  double w = (double)s->w;
  *x = s->exponent < 0 ? w / exact[-s->exponent] : w * exact[s->exponent];
  return true;
}

// False where the product leaves the rounding open.
static bool eisel_lemire(uint64_t w, long e10, double *x) {
  if (e10 < CODEC_POWER_FIRST || e10 > 308) return false;
  int shift = __builtin_clzll(w);
  w <<= shift;
  uint64_t e2 = (uint64_t)((217706 * e10 >> 16) + 64 + 1023) - (uint64_t)shift;
  const uint64_t *row = codec_power[e10 - CODEC_POWER_FIRST];
  u128 p = (u128)w * row[0];
  uint64_t high = (uint64_t)(p >> 64), low = (uint64_t)p;
  if ((high & 0x1ff) == 0x1ff && low + w < w) {
    u128 y = (u128)w * row[1];
    p += y >> 64;
    high = (uint64_t)(p >> 64), low = (uint64_t)p;
    if ((high & 0x1ff) == 0x1ff && low + 1 == 0 && (uint64_t)y + w < w) return false;
  }
  uint64_t top = high >> 63, mantissa = high >> (top + 9);
  e2 -= 1 ^ top;
  if (low == 0 && (high & 0x1ff) == 0 && (mantissa & 3) == 1) return false;
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >> 53) mantissa >>= 1, e2++;
  if (e2 - 1 >= 0x7ff - 1) return false;
  uint64_t bits = e2 << 52 | (mantissa & 0xfffffffffffffu);
  memcpy(x, &bits, sizeof bits);
  return true;
}

// strtod on a bounded copy: 0.ddd…e<exponent>. (The programs stay in the C locale.)
static double slow(const scanned *s) {
  char text[SLOW_DIGITS + 40];
  size_t n = 0;
  bool sticky = false;
  for (const char *p = s->first; p < s->last; p++) {
    if (*p == '.' || (n == 0 && *p == '0')) continue;
    if (n < SLOW_DIGITS)
      text[n++] = *p;
    else
      sticky |= *p != '0';
  }
  if (sticky) text[n++] = '1';
  long e = s->exponent + s->digits - (long)n; // w's last digit, the one numbered `digits`, is worth 10^exponent
  snprintf(text + n, sizeof text - n, "e%ld", e);
  return strtod(text, NULL);
}

size_t codec_number_read(const char *text, const char *end, double *x) {
  scanned s = {0};
  const char *p = scan_digits(text, end, &s);
  if (p) p = scan_exponent(p, end, &s);
  if (!p) return 0;
  double value = 0, above;
  if (s.w != 0 && (s.truncated || !clinger(&s, &value))) {
    bool sure = eisel_lemire(s.w, s.exponent, &value);
    if (sure && s.truncated) sure = eisel_lemire(s.w + 1, s.exponent, &above) && above == value;
    if (!sure) value = slow(&s);
  }
  *x = s.negative ? -value : value;
  return (size_t)(p - text);
}
