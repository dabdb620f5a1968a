#include "base/base64.h"

size_t base64_encode(const unsigned char *bytes, size_t size, char *text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t used = 0;
  for (size_t i = 0; i < size; i += 3) {
    const unsigned char *b = bytes + i;
    size_t here = size - i < 3 ? size - i : 3;
    unsigned three = (unsigned)b[0] << 16 | (here > 1 ? (unsigned)b[1] << 8 : 0) | (here > 2 ? b[2] : 0);
    for (int k = 0; k < 4; ++k) text[used++] = k <= (int)here ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return used;
}
