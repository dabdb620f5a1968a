// «Did you mean …?»: the known word that a mistyped one is nearest to.
#ifndef TENDRIL_CLIENT_NEAR_H
#define TENDRIL_CLIENT_NEAR_H

#include <stddef.h>

typedef struct near_search {
  const char *word;
  size_t length;    ///< of word, which need not end there
  const char *best; ///< of those that were tried, NULL: none is near
  int distance;     ///< letters of best that are missing, too many, others, or swapped with the next
} near_search;

near_search near_to(const char *word, size_t length);
/// Tries a known word; the first of equally near ones stays.
void near_try(near_search *search, const char *known);

#endif
