// Bytes that one caller holds of what all share, and a bound of them, so that nobody takes all.
//
// Callers are numbers (auth_caller.account); 0 is one who has nobody to share with and is not counted.
#ifndef SERVER_BASE_SHARE_PORTIONS_H
#define SERVER_BASE_SHARE_PORTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct portions portions;

/// @param each  bytes of one caller at most
/// @return NULL when there is not enough memory
portions *portions_create(uint64_t each);
void portions_destroy(portions *p);
/// So many bytes more for something that holds `held` already: false when the caller's would be beyond his portion,
/// unless this is all that he holds. Cost: a walk over the callers who hold some.
bool portions_take(portions *p, uint64_t caller, uint64_t held, uint64_t bytes);
void portions_give(portions *p, uint64_t caller, uint64_t bytes);
uint64_t portions_each(const portions *p);

#endif
