// Doubles to their shortest decimal text.
//
// Method: Schubfach (R. Giulietti, The Schubfach way to render doubles, 2021). With x = c 2^q and k = floor(log10
// 2^q), the decimals d 10^k and d 10^(k+1) are candidates; x and the two ends of its rounding interval are scaled by
// 10^-k with one 64 x 128 bit product each, rounded to odd so that comparisons stay exact. The result is the shortest
// decimal in the interval, the nearest to x among the shortest. Invariant: codec_number_read(codec_double(x)) == x,
// bit for bit.
#include "codec/json/number.h"
#include "codec/json/powers.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

typedef struct decimal {
  uint64_t digits;
  int exponent; // value = digits 10^exponent
} decimal;

static int floor_log2_pow10(int e) { return (e * 1741647) >> 19; }

// floor(log10(2^q)), or floor(log10(3/4 2^q)) where the lower neighbour is closer.
static int floor_log10_pow2(int q, bool closer) { return (q * 1262611 - (closer ? 524031 : 0)) >> 22; }

// g = ceil(10^k 2^-r): exact up to 10^55, one more than the table's floor elsewhere.
static u128 power(int k) {
  const uint64_t *row = codec_power[k - CODEC_POWER_FIRST];
  u128 g = (u128)row[0] << 64 | row[1];
  return g + (k < 0 || k > 55);
}

// floor(g c / 2^128) with its last bit set when the rest is not (almost) zero.
static uint64_t round_to_odd(u128 g, uint64_t c) {
  uint64_t x1 = (uint64_t)((u128)(uint64_t)g * c >> 64);
  u128 y = (u128)(uint64_t)(g >> 64) * c + x1;
  return (uint64_t)(y >> 64) | ((uint64_t)y > 1);
}

static decimal shortest(uint64_t c, int q, bool closer) {
  uint64_t odd = c & 1;
  int k = floor_log10_pow2(q, closer), h = q + floor_log2_pow10(-k) + 1;
  u128 g = power(-k);
  uint64_t lower = round_to_odd(g, (4 * c - 2 + closer) << h) + odd;
  uint64_t v = round_to_odd(g, 4 * c << h);
  uint64_t upper = round_to_odd(g, (4 * c + 2) << h) - odd;
  uint64_t s = v / 4;
  if (s >= 10) { // one digit fewer
    uint64_t t = s / 10;
    bool down = lower <= 40 * t, up = 40 * t + 40 <= upper;
    if (down != up) return (decimal){t + up, k + 1};
  }
  bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
  if (down != up) return (decimal){s + up, k};
  uint64_t middle = 4 * s + 2;
  return (decimal){s + (v > middle || (v == middle && (s & 1))), k};
}

static const char pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

// Eight digits with leading zeros. Three times a number: with the flags of hardening the compiler would make a call
// of it.
__attribute__((always_inline)) static inline void eight(char *out, uint32_t n) {
  uint32_t high = n / 10000, low = n % 10000;
  memcpy(out, pairs + high / 100 * 2, 2);
  memcpy(out + 2, pairs + high % 100 * 2, 2);
  memcpy(out + 4, pairs + low / 100 * 2, 2);
  memcpy(out + 6, pairs + low % 100 * 2, 2);
}

// The digits of n < 10^17 without leading zeros; `out` holds 24. Returns their count.
static int digits_of(char *out, uint64_t n) {
  char text[40] = {0}; // 24 digits and room for a copy of fixed length
  eight(text, (uint32_t)(n / 10000000000000000u));
  n %= 10000000000000000u;
  eight(text + 8, (uint32_t)(n / 100000000u));
  eight(text + 16, (uint32_t)(n % 100000000u));
  int first = 7;
  while (first < 23 && text[first] == '0') first++;
  memcpy(out, text + first, 17);
  return 24 - first;
}

static char *exponent_text(char *p, int e) {
  *p++ = 'e';
  if (e < 0) *p++ = '-';
  unsigned a = (unsigned)(e < 0 ? -e : e);
  if (a >= 100) *p++ = (char)('0' + a / 100);
  if (a >= 10) *p++ = (char)('0' + a / 10 % 10);
  *p++ = (char)('0' + a % 10);
  return p;
}

// Lays out `count` digits, the first worth 10^e: plain from 1e-5 to below 1e17, otherwise with an exponent.
static char *layout(char *p, const char *digits, int count, int e) {
  if (e < -5 || e > 16) {
    *p++ = digits[0];
    if (count > 1) {
      *p++ = '.';
      memcpy(p, digits + 1, 16);
      p += count - 1;
    }
    return exponent_text(p, e);
  }
  if (e < 0) { // 0.000ddd
    memcpy(p, "0.00000", 7);
    memcpy(p + 1 - e, digits, 17);
    return p + 1 - e + count;
  }
  if (count <= e + 1) { // an integer
    memcpy(p, digits, (size_t)count);
    memset(p + count, '0', (size_t)(e + 1 - count));
    return p + e + 1;
  }
  memcpy(p, digits, (size_t)e + 1);
  p[e + 1] = '.';
  memcpy(p + e + 2, digits + e + 1, (size_t)(count - e - 1));
  return p + count + 1;
}

size_t codec_double(char out[CODEC_DOUBLE_SIZE], double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint64_t fraction = bits & 0xfffffffffffffu;
  int biased = (int)(bits >> 52 & 0x7ff);
  if (biased == 0x7ff) return memcpy(out, "null", 4), 4;
  char *p = out;
  if (bits >> 63) *p++ = '-';
  if ((bits & ~(1ull << 63)) == 0) { // the sign of -0.0 survives only in a real
    memcpy(p, "0.0", 3);
    return p == out ? 1 : 4;
  }
  uint64_t c = biased ? fraction | 1ull << 52 : fraction;
  int q = (biased ? biased : 1) - 1075;
  decimal d;
  if (q <= 0 && q > -53 && (c & ((1ull << -q) - 1)) == 0) {
    d = (decimal){c >> -q, 0};
  } else {
    d = shortest(c, q, fraction == 0 && biased > 1);
  }
  char digits[24] = {0};
  int count = digits_of(digits, d.digits), e = d.exponent + count - 1;
  while (count > 1 && digits[count - 1] == '0') count--;
  return (size_t)(layout(p, digits, count, e) - out);
}
