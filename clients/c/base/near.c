// Optimal string alignment over three rows. Near are words of which at most a third of the letters, and two, are wrong.
#include "base/near.h"

#include <string.h>

enum { LONGEST = 40, MOST = 2 };

static int least(int a, int b) { return a < b ? a : b; }

static int distance_of(const char *a, size_t m, const char *b, size_t n) {
  int rows[3][LONGEST + 1] = {{0}};
  int *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= n; ++j) last[j] = (int)j;
  for (size_t i = 1; i <= m; ++i) {
    now[0] = (int)i;
    for (size_t j = 1; j <= n; ++j) {
      int other = last[j - 1] + (a[i - 1] != b[j - 1]);
      now[j] = least(other, least(last[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = least(now[j], before[j - 2] + 1);
    }
    int *oldest = before;
    before = last, last = now, now = oldest;
  }
  return last[n];
}

near_search near_to(const char *word, size_t length) {
  return (near_search){.word = word, .length = length, .distance = MOST + 1};
}

void near_try(near_search *s, const char *known) {
  size_t length = strlen(known), shorter = length < s->length ? length : s->length;
  if (length > LONGEST || s->length > LONGEST || shorter < 3) return;
  int distance = distance_of(s->word, s->length, known, length), most = least(MOST, (int)(s->length + 1) / 3);
  if (distance <= most && distance < s->distance) s->best = known, s->distance = distance;
}
