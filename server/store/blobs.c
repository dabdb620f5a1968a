// Blobs: each function of the interface asks the kind of the store.
#include "store/parts.h"

#include <stdio.h>

store_result_name store_result_named(const char *id, int attempt, const char *node) {
  store_result_name name = {.attempt = attempt};
  snprintf(name.id, sizeof name.id, "%s", id);
  snprintf(name.node, sizeof name.node, "%s", node);
  return name;
}

int store_result_create(store *s, const char *id, int attempt) { return s->blobs->result_create(s, id, attempt); }
store_status store_result_commit(store *s, const char *id, int attempt, int fd, const char *sha256) {
  return s->blobs->result_commit(s, id, attempt, fd, sha256);
}
void store_result_discard(store *s, const char *id, int attempt) { s->blobs->result_discard(s, id, attempt); }
store_result_condition store_result_open(store *s, const struct store_job *job, int *fd) {
  return s->blobs->result_open(s, job, fd);
}
store_result_condition store_result_begin(store *s, const struct store_job *job, int *fd, store_missing **missing) {
  *missing = NULL;
  return s->blobs->result_begin(s, job, fd, missing);
}
store_result_condition store_result_bring(store *s, store_missing *missing, int fd, int64_t first, int64_t count) {
  return missing ? s->blobs->result_bring(s, missing, fd, first, count) : STORE_RESULT_GOOD;
}
store_result_condition store_result_look(store *s, const struct store_job *job) {
  return s->blobs->result_look(s, job);
}
int store_result_find(store *s, const char *id, int attempt) { return s->blobs->result_find(s, id, attempt); }
store_status store_result_each(store *s, bool (*each)(void *context, const store_result_name *name), void *context) {
  return s->blobs->result_each(s, each, context);
}
bool store_result_set_aside(store *s, const store_result_name *name) { return s->blobs->result_set_aside(s, name); }
bool store_result_remove(store *s, const store_result_name *name) { return s->blobs->result_remove(s, name); }
store_status store_part_open(store *s, const char *id, const char *owner, store_part *part) {
  return s->blobs->part_open(s, id, owner, part);
}
store_status store_part_read(store *s, const char *id, store_part *part) { return s->blobs->part_read(s, id, part); }
store_status store_part_write(store *s, const char *id, store_part *part, uint64_t offset, const void *bytes,
                              size_t size) {
  return s->blobs->part_write(s, id, part, offset, bytes, size);
}
void store_part_leave(store *s, store_part *part) { s->blobs->part_leave(s, part); }
void store_part_remove(store *s, const char *id, const char *owner) { s->blobs->part_remove(s, id, owner); }
void store_part_sweep(store *s) { s->blobs->part_sweep(s); }
void store_blobs_sweep(store *s) { s->blobs->blobs_sweep(s); }
int64_t store_part_bytes(store *s) { return s->blobs->part_bytes(s); }
int64_t store_part_bytes_of(store *s, const char *owner) { return s->blobs->part_bytes_of(s, owner); }
void store_part_limit(store *s, const store_part_limits *limits) { s->blobs->part_limit(s, limits); }
store_part_limits store_part_limits_now(store *s) { return s->blobs->part_limits_now(s); }
store_old_part *store_part_ended(store *s, size_t *count) { return s->blobs->part_ended(s, count); }
