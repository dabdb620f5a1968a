// How much what is kept of unfinished jobs may take. A client that submits and cancels would fill the disk with it
// otherwise: parts of jobs that failed or were cancelled are a convenience (?partial=1), so they make room, the oldest
// first, whatever their age; rows of a running job that find none then are refused, which ends it. Each owner has a
// share, as of results: nobody's rows are refused, and nothing of his is dropped, for what another has.
#include "base/log/log.h"
#include "store/files/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct old_part {
  char id[ID_SIZE], owner[STORE_NAME_SIZE];
  bool ended; // its job; until it is dropped
  struct timespec changed;
} old_part;

// ---------------------------------------------------------------------------------------------------------- dropping

static int by_time(const void *a, const void *b) {
  const struct timespec *x = &((const old_part *)a)->changed, *y = &((const old_part *)b)->changed;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

// All there are; *count of them. NULL when there is not enough memory.
static old_part *list_parts(const store *s, size_t *count) {
  DIR *dir = opendir(files_of(s)->parts);
  old_part *list = NULL;
  size_t room = 0;
  *count = 0;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    struct stat st;
    if (strlen(entry->d_name) != ID_SIZE - 1 + strlen(".rows") || strcmp(entry->d_name + ID_SIZE - 1, ".rows") != 0 ||
        fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (*count == room) {
      old_part *more = realloc(list, (room = 2 * room + 64) * sizeof *list);
      if (!more) break;
      list = more;
    }
    list[*count].changed = st.st_mtim;
    memcpy(list[*count].id, entry->d_name, ID_SIZE - 1);
    list[(*count)++].id[ID_SIZE - 1] = '\0';
  }
  if (dir) closedir(dir);
  return list;
}

static void look_up(store *s, old_part *part) {
  store_standing job;
  part->ended =
      store_job_standing(s, part->id, &job) == STORE_OK && (job.state == JOB_FAILED || job.state == JOB_CANCELLED);
  if (part->ended) memcpy(part->owner, job.owner, sizeof part->owner);
}

static old_part *list_ended(store *s, size_t *count) {
  old_part *list = list_parts(s, count);
  if (list) qsort(list, *count, sizeof *list, by_time);
  for (size_t i = 0; list && i < *count; i++) look_up(s, &list[i]);
  return list;
}

static void drop(store *s, old_part *part) {
  int64_t before = files_part_bytes_of(s, part->owner);
  files_part_remove(s, part->id, part->owner);
  part->ended = false;
  log_write(LOG_LEVEL_INFO, "part_dropped", LOG_S("job", part->id), LOG_S("owner", part->owner),
            LOG_S("reason", "quota"), LOG_I("bytes", before - files_part_bytes_of(s, part->owner)));
}

// The oldest of the owner who has most, of those that may be dropped; NULL: none is left.
static old_part *next_to_drop(store *s, old_part *list, size_t count, int64_t spared) {
  old_part *best = NULL;
  int64_t most = spared;
  for (size_t i = 0; i < count; i++) {
    if (!list[i].ended || (best && strcmp(best->owner, list[i].owner) == 0)) continue;
    int64_t bytes = files_part_bytes_of(s, list[i].owner);
    if (bytes > most) best = &list[i], most = bytes;
  }
  return best;
}

void files_part_drop_ended(store *s, int64_t bytes) {
  size_t count;
  store_part_limits l = files_part_limits(s);
  if (files_part_bytes(s) <= bytes) return;
  old_part *list = list_ended(s, &count), *next;
  int64_t spared = l.owners > 1 ? l.all / l.owners : 0;
  while (list && files_part_bytes(s) > bytes && (next = next_to_drop(s, list, count, spared))) drop(s, next);
  free(list);
}

// The same for one owner, until his take no more than so many bytes.
static void drop_own(store *s, const char *owner, int64_t bytes) {
  size_t count;
  old_part *list = list_ended(s, &count);
  for (size_t i = 0; list && i < count && files_part_bytes_of(s, owner) > bytes; i++)
    if (list[i].ended && strcmp(list[i].owner, owner) == 0) drop(s, &list[i]);
  free(list);
}

bool files_part_room(store *s, const char *owner, int64_t bytes) {
  store_part_limits l = files_part_limits(s);
  int64_t equal = l.owners > 1 ? l.all / l.owners : l.all, most = l.owners > 1 && l.each > equal ? l.each : equal;
  if (l.all == 0) return true;
  if (files_part_bytes_of(s, owner) + bytes > most) drop_own(s, owner, most > bytes ? most - bytes : 0);
  if (files_part_bytes_of(s, owner) + bytes > most) return false;
  if (files_part_bytes(s) + bytes <= l.all) return true;
  files_part_drop_ended(s, l.all > bytes ? l.all - bytes : 0);
  return files_part_bytes(s) + bytes <= l.all || files_part_bytes_of(s, owner) + bytes <= equal;
}
