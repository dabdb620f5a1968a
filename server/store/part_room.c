// How much what is kept of unfinished jobs may take. A client that submits and cancels would fill the disk with it otherwise: parts of
// jobs that failed or were cancelled are a convenience (?partial=1), so they make room, the oldest first, whatever their age; rows of a
// running job that find none then are refused, which ends it.
#include "base/log.h"
#include "store/sqlite.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct old_part {
  char id[ID_SIZE];
  struct timespec changed;
} old_part;

int64_t store_part_bytes(const store *s) { return atomic_load(&s->parts_bytes); }
void store_part_limit(store *s, int64_t bytes) { atomic_store(&s->parts_limit, bytes); }

static int by_time(const void *a, const void *b) {
  const struct timespec *x = &((const old_part *)a)->changed, *y = &((const old_part *)b)->changed;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

// All there are; *count of them. NULL when memory is short.
static old_part *list_parts(const store *s, size_t *count) {
  DIR *dir = opendir(s->parts);
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

static bool has_ended(store *s, const char *id) {
  static const char sql[] = "SELECT 1 FROM jobs WHERE id = ?1 AND state IN ('failed', 'cancelled')";
  connection *c = store_read(s);
  int64_t one;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "t", id), &one);
  store_read_end(s, c);
  return status == STORE_OK;
}

void store_part_drop_ended(store *s, int64_t bytes) {
  size_t count;
  if (store_part_bytes(s) <= bytes) return;
  old_part *list = list_parts(s, &count);
  if (list) qsort(list, count, sizeof *list, by_time);
  for (size_t i = 0; list && i < count && store_part_bytes(s) > bytes; i++) {
    if (!has_ended(s, list[i].id)) continue;
    int64_t before = store_part_bytes(s);
    store_part_remove(s, list[i].id);
    log_write(LOG_LEVEL_INFO, "part_dropped", LOG_S("job", list[i].id), LOG_S("reason", "quota"),
              LOG_I("bytes", before - store_part_bytes(s)));
  }
  free(list);
}

bool store_part_room(store *s, int64_t bytes) {
  int64_t limit = atomic_load(&s->parts_limit);
  if (limit == 0 || store_part_bytes(s) + bytes <= limit) return true;
  store_part_drop_ended(s, limit - bytes > 0 ? limit - bytes : 0);
  return store_part_bytes(s) + bytes <= limit;
}
