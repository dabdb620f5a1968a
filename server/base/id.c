// ULIDs: 48 bits of time in milliseconds, 80 bits from getrandom, written as 26 digits of base 32.
#include "base/id.h"
#include "base/clock.h"

#include <stdint.h>
#include <string.h>
#include <sys/random.h>

static void random_bytes(unsigned char *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = getrandom(bytes + done, size - done, 0);
    if (n > 0) done += (size_t)n;
  }
}

void id_make(char id[ID_SIZE]) {
  static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
  unsigned char bytes[16];
  uint64_t ms = (uint64_t)clock_now_ms();
  for (int i = 0; i < 6; i++) bytes[i] = (unsigned char)(ms >> (40 - 8 * i));
  random_bytes(bytes + 6, 10);
  uint64_t high = 0, low = 0; // the 128 bits
  for (int i = 0; i < 8; i++) high = high << 8 | bytes[i];
  for (int i = 8; i < 16; i++) low = low << 8 | bytes[i];
  for (int i = ID_SIZE - 2; i >= 0; i--) {
    id[i] = digits[low & 31];
    low = low >> 5 | high << 59;
    high >>= 5;
  }
  id[ID_SIZE - 1] = '\0';
}
