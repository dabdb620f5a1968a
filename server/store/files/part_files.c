// The files of parts: their names and sizes, how they go, and how much those of each owner take.
#include "store/files/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {"checkpoint", "fresh", "rows"};

void files_part_path(const char *parts, const char *id, const char *kind, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s.%s", parts, id, kind);
}

int64_t files_part_file_bytes(const char *parts, const char *id, const char *kind) {
  char path[PATH_SIZE];
  struct stat st;
  files_part_path(parts, id, kind, path);
  return stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

// ------------------------------------------------------------------------------------------------------------ counts

// Under the lock; NULL: nothing was ever kept of his jobs.
static part_holder *find(const part_holders *p, const char *owner) {
  for (size_t i = 0; i < p->count; i++)
    if (strcmp(p->holder[i].owner, owner) == 0) return &p->holder[i];
  return NULL;
}

static part_holder *make_holder(part_holders *p, const char *owner) {
  if (p->count == p->room) {
    size_t room = 2 * p->room + 16;
    part_holder *more = realloc(p->holder, room * sizeof *more);
    if (!more) return NULL;
    p->holder = more;
    p->room = room;
  }
  part_holder *h = &p->holder[p->count++];
  *h = (part_holder){.bytes = 0};
  snprintf(h->owner, sizeof h->owner, "%s", owner);
  return h;
}

void files_part_count(store *s, const char *owner, int64_t bytes) {
  part_holders *p = &files_of(s)->parts_of;
  pthread_mutex_lock(&p->lock);
  part_holder *h = find(p, owner);
  if (!h) h = make_holder(p, owner);
  if (h) h->bytes += bytes;
  p->bytes += bytes;
  pthread_mutex_unlock(&p->lock);
}

int64_t files_part_bytes(store *s) {
  pthread_mutex_lock(&files_of(s)->parts_of.lock);
  int64_t bytes = files_of(s)->parts_of.bytes;
  pthread_mutex_unlock(&files_of(s)->parts_of.lock);
  return bytes;
}

int64_t files_part_bytes_of(store *s, const char *owner) {
  pthread_mutex_lock(&files_of(s)->parts_of.lock);
  const part_holder *h = find(&files_of(s)->parts_of, owner);
  int64_t bytes = h ? h->bytes : 0;
  pthread_mutex_unlock(&files_of(s)->parts_of.lock);
  return bytes;
}

void files_part_limit(store *s, const store_part_limits *limits) {
  pthread_mutex_lock(&files_of(s)->parts_of.lock);
  files_of(s)->parts_of.limits = *limits;
  pthread_mutex_unlock(&files_of(s)->parts_of.lock);
}

store_part_limits files_part_limits_now(store *s) {
  pthread_mutex_lock(&files_of(s)->parts_of.lock);
  store_part_limits limits = files_of(s)->parts_of.limits;
  pthread_mutex_unlock(&files_of(s)->parts_of.lock);
  return limits;
}

// They stay where they are, for ?partial=1 and the next attempt.
void files_part_leave(store *s, store_part *part) { (void)s, (void)part; }

void files_part_remove(store *s, const char *id, const char *owner) {
  char path[PATH_SIZE];
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    files_part_path(files_of(s)->parts, id, kinds[i], path);
    int64_t bytes = files_part_file_bytes(files_of(s)->parts, id, kinds[i]);
    if (unlink(path) == 0) files_part_count(s, owner, -bytes);
  }
}
