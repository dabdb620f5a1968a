// Places that are held for long (replies that somebody does not read, watchers): so many for all, and for one caller a
// share of them, so that nobody takes every one.
//
// Callers are numbers (auth_caller.account); 0 is one who has nobody to share with and may have all of them.
#ifndef SERVER_BASE_SHARE_SEATS_H
#define SERVER_BASE_SHARE_SEATS_H

#include <stdint.h>

typedef struct seats seats;

typedef enum seats_answer {
  SEATS_TAKEN,
  SEATS_SHARE, ///< the caller has his share
  SEATS_ALL    ///< everybody's are taken
} seats_answer;

/// @param all   places, 1 or more
/// @param each  of one caller at most; 0: all
/// @return NULL when there is not enough memory
seats *seats_create(int all, int each);
void seats_destroy(seats *s);
/// Cost: a walk over the callers who have some. NULL has room without end.
seats_answer seats_take(seats *s, uint64_t caller);
/// Gives one back that was taken.
void seats_give(seats *s, uint64_t caller);
int seats_all(const seats *s);
int seats_each(const seats *s);

#endif
