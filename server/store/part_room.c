// How much what is kept of unfinished jobs may take. A client that submits and cancels would fill the disk with it
// otherwise: parts of jobs that failed or were cancelled are a convenience (?partial=1), so they make room, the oldest
// first, whatever their age; rows of a running job that find none then are refused, which ends it. Each owner has a
// share, as of results: nobody's rows are refused, and nothing of his is dropped, for what another has.
#include "base/log/log.h"
#include "store/parts.h"

#include <stdlib.h>
#include <string.h>

static void drop(store *s, store_old_part *part) {
  int64_t before = store_part_bytes_of(s, part->owner);
  store_part_remove(s, part->id, part->owner);
  part->ended = false;
  log_write(LOG_LEVEL_INFO, "part_dropped", LOG_S("job", part->id), LOG_S("owner", part->owner),
            LOG_S("reason", "quota"), LOG_I("bytes", before - store_part_bytes_of(s, part->owner)));
}

// The oldest of the owner who has most, of those that may be dropped; NULL: none is left.
static store_old_part *next_to_drop(store *s, store_old_part *list, size_t count, int64_t spared) {
  store_old_part *best = NULL;
  int64_t most = spared;
  for (size_t i = 0; i < count; i++) {
    if (!list[i].ended || (best && strcmp(best->owner, list[i].owner) == 0)) continue;
    int64_t bytes = store_part_bytes_of(s, list[i].owner);
    if (bytes > most) best = &list[i], most = bytes;
  }
  return best;
}

void store_part_drop_ended(store *s, int64_t bytes) {
  size_t count;
  store_part_limits l = store_part_limits_now(s);
  if (store_part_bytes(s) <= bytes || !store_lead(s, "parts")) return;
  store_old_part *list = store_part_ended(s, &count), *next;
  int64_t spared = l.owners > 1 ? l.all / l.owners : 0;
  while (list && store_part_bytes(s) > bytes && (next = next_to_drop(s, list, count, spared))) drop(s, next);
  free(list);
}

// The same for one owner, until his take no more than so many bytes.
static void drop_own(store *s, const char *owner, int64_t bytes) {
  size_t count;
  store_old_part *list = store_part_ended(s, &count);
  for (size_t i = 0; list && i < count && store_part_bytes_of(s, owner) > bytes; i++)
    if (list[i].ended && strcmp(list[i].owner, owner) == 0) drop(s, &list[i]);
  free(list);
}

bool store_part_room(store *s, const char *owner, int64_t bytes) {
  store_part_limits l = store_part_limits_now(s);
  int64_t equal = l.owners > 1 ? l.all / l.owners : l.all, most = l.owners > 1 && l.each > equal ? l.each : equal;
  if (l.all == 0) return true;
  if (store_part_bytes_of(s, owner) + bytes > most) drop_own(s, owner, most > bytes ? most - bytes : 0);
  if (store_part_bytes_of(s, owner) + bytes > most) return false;
  if (store_part_bytes(s) + bytes <= l.all) return true;
  store_part_drop_ended(s, l.all > bytes ? l.all - bytes : 0);
  return store_part_bytes(s) + bytes <= l.all || store_part_bytes_of(s, owner) + bytes <= equal;
}
