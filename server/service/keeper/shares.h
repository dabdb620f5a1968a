// How much of the quota of results each owner holds, and how much of it one may hold.
//
// While jobs of more than one owner are kept or can be made, each may have `each` bytes, and at least an equal part of
// the quota: who has reached that is refused, and makes room, before anybody else is. So one who has less than an equal
// part is never refused for what others hold, and loses nothing to them; together they may be beyond the quota then, by
// no more than the promise of retention_min_days keeps.
#ifndef SERVER_SERVICE_SHARES_H
#define SERVER_SERVICE_SHARES_H

#include "store/store.h"

typedef struct shares shares;

typedef struct owner_share {
  char owner[STORE_NAME_SIZE]; ///< "": nobody
  bool everybody;              ///< what all have is one
  int64_t bytes;
} owner_share;

/// @param each       bytes of one owner, 0: as much as of all
/// @param together   what all have is one
shares *shares_create(int64_t quota, int64_t each, bool together);
void shares_destroy(shares *s);
/// How many have something, or tokens to make it with.
int64_t shares_owners(shares *s);
/// Asks the store what everybody holds of results, rows and documents of jobs. False when it does not answer: what was
/// known stays.
bool shares_read(shares *s, store *from);
/// Who holds most, of those who are beyond what they may have; false: nobody is. `all` bytes are held in all. Those
/// whom shares_leave_alone has named since the last shares_read are passed over.
bool shares_greatest(shares *s, int64_t all, owner_share *found);
void shares_leave_alone(shares *s, const char *owner);
/// So many bytes fewer of an owner's.
void shares_drop(shares *s, const char *owner, int64_t bytes);
/// What an owner holds (all, where there are not several), with `besides` of what is kept of his unfinished jobs, and
/// whether he may have no more; from any thread. `all` as above.
bool shares_is_full(shares *s, const char *owner, int64_t all, int64_t besides, int64_t *bytes, bool *several);

#endif
