// Which parts there are of jobs that have ended, by the time of their files: those that may make room for others.
#include "store/files/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct found {
  store_old_part part; // the first member, as the rest is cut off in the end
  struct timespec changed;
} found;

static int by_time(const void *a, const void *b) {
  const struct timespec *x = &((const found *)a)->changed, *y = &((const found *)b)->changed;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

// All there are; *count of them. NULL when there is not enough memory.
static found *list_parts(const store *s, size_t *count) {
  DIR *dir = opendir(files_of(s)->parts);
  found *list = NULL;
  size_t room = 0;
  *count = 0;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    struct stat st;
    if (strlen(entry->d_name) != ID_SIZE - 1 + strlen(".rows") || strcmp(entry->d_name + ID_SIZE - 1, ".rows") != 0 ||
        fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (*count == room) {
      found *more = realloc(list, (room = 2 * room + 64) * sizeof *list);
      if (!more) break;
      list = more;
    }
    list[*count].changed = st.st_mtim;
    memcpy(list[*count].part.id, entry->d_name, ID_SIZE - 1);
    list[(*count)++].part.id[ID_SIZE - 1] = '\0';
  }
  if (dir) closedir(dir);
  return list;
}

static void look_up(store *s, store_old_part *part) {
  store_standing job;
  part->ended =
      store_job_standing(s, part->id, &job) == STORE_OK && (job.state == JOB_FAILED || job.state == JOB_CANCELLED);
  if (part->ended) memcpy(part->owner, job.owner, sizeof part->owner);
}

store_old_part *files_part_ended(store *s, size_t *count) {
  found *list = list_parts(s, count);
  store_old_part *parts = list ? calloc(*count + 1, sizeof *parts) : NULL;
  if (parts) qsort(list, *count, sizeof *list, by_time);
  for (size_t i = 0; parts && i < *count; i++) {
    parts[i] = list[i].part;
    look_up(s, &parts[i]);
  }
  free(list);
  return parts;
}
