// An .npz archive as arrays: a mapped file, somebody's bytes, or bytes of its own. Every member is unpacked, checked
// and its npy header read when the archive is opened; numbers are converted when they are first asked for, or pointed
// at when they lie aligned as doubles already. Invariant: data and values lie inside the archive or in one of the
// blocks.
#include "lib/reply/arrays.h"

#include "api/c/npz.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert((int)TENDRIL_RANK >= (int)NPZ_MAX_RANK, "every array that is read has room for its shape");

typedef struct block { // of memory that the archive takes, freed with it
  struct block *before;
  max_align_t bytes[];
} block;

typedef struct member {
  tendril_array array;
  npz_array stored; ///< what `array` tells of
} member;

struct tendril_arrays {
  const unsigned char *bytes;
  size_t size;
  void *mapped; ///< to unmap
  char *owned;  ///< to free
  block *blocks;
  npz_archive archive;
  member *members; ///< [count], in a block
  int count;
};

// ------------------------------------------------------------------------------------------------ reading

static void *take(void *context, size_t size) {
  tendril_arrays *a = context;
  block *b = size < SIZE_MAX - sizeof *b ? calloc(1, sizeof *b + size) : NULL;
  if (!b) return NULL;
  b->before = a->blocks;
  a->blocks = b;
  return b->bytes;
}

static npz_memory memory_of(tendril_arrays *a) { return (npz_memory){take, a}; }

static tendril_status fail(tendril_error *err, const npz_trouble *trouble) {
  if (trouble->fault == NPZ_NO_MEMORY) return client_no_memory(err);
  if (trouble->fault == NPZ_BAD_ARCHIVE)
    return client_fail(err, TENDRIL_BAD_REPLY, "it is not a readable .npz file: %s", trouble->what);
  return client_fail(err, TENDRIL_BAD_REPLY, "member %.100s: %s", trouble->member, trouble->what);
}

// Elements of types that are not read are kept as bytes: a newer server must not break an older client.
static tendril_status read_member(tendril_arrays *a, const npz_member *stored, tendril_error *err) {
  assert((size_t)a->count < a->archive.count);
  npz_trouble trouble;
  member *m = &a->members[a->count];
  npz_array *n = &m->stored;
  if (!npz_read(&a->archive, stored, memory_of(a), n, &trouble) && trouble.fault != NPZ_UNKNOWN_TYPE)
    return fail(err, &trouble);
  if (n->fortran && n->rank > 1)
    return client_fail(err, TENDRIL_BAD_REPLY, "member %.100s is not an array in C order", stored->name);
  m->array = (tendril_array){
      .name = stored->name, .type = n->descr, .rank = n->rank, .count = n->count, .data = n->data, .size = n->size};
  memcpy(m->array.shape, n->dim, sizeof n->dim);
  ++a->count;
  return TENDRIL_OK;
}

static tendril_status read_all(tendril_arrays *a, tendril_error *err) {
  npz_trouble trouble;
  if (!npz_open(a->bytes, a->size, memory_of(a), &a->archive, &trouble)) return fail(err, &trouble);
  a->members = take(a, a->archive.count * sizeof *a->members);
  if (!a->members) return client_no_memory(err);
  for (size_t i = 0; i < a->archive.count; ++i) {
    tendril_status status = read_member(a, &a->archive.members[i], err);
    if (status != TENDRIL_OK) return status;
  }
  assert((size_t)a->count == a->archive.count);
  return TENDRIL_OK;
}

static tendril_arrays *finish(tendril_arrays *a, tendril_error *err) {
  if (read_all(a, err) == TENDRIL_OK) return a;
  tendril_arrays_close(a);
  return NULL;
}

tendril_arrays *tendril_arrays_read(const void *bytes, size_t size, tendril_error *err) {
  tendril_arrays *a = calloc(1, sizeof *a);
  if (!a) return client_no_memory(err), NULL;
  a->bytes = bytes;
  a->size = size;
  return finish(a, err);
}

tendril_status client_take_arrays(tendril_client *c, tendril_arrays **arrays, tendril_error *err) {
  *arrays = calloc(1, sizeof **arrays);
  if (!*arrays) return client_no_memory(err);
  (*arrays)->owned = c->reply.at;
  (*arrays)->bytes = (const unsigned char *)(c->reply.at ? c->reply.at : "");
  (*arrays)->size = c->reply.size;
  c->reply = (client_buffer){0};
  tendril_error why = {0};
  *arrays = finish(*arrays, &why);
  if (*arrays) return TENDRIL_OK;
  return client_fail(err, why.status, "the answer cannot be read: %.900s", why.detail);
}

static const char *map_file(tendril_arrays *a, const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info = {0};
  if (fd < 0) return strerror(errno);
  bool good = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
  void *map = good ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  const char *why = map != MAP_FAILED ? NULL : good ? strerror(errno) : "it is empty or no regular file";
  close(fd);
  if (why) return why;
  a->mapped = map;
  a->bytes = map;
  a->size = (size_t)info.st_size;
  return NULL;
}

tendril_arrays *tendril_arrays_open(const char *path, tendril_error *err) {
  tendril_arrays *a = calloc(1, sizeof *a);
  if (!a) return client_no_memory(err), NULL;
  tendril_error why = {0};
  const char *unreadable = map_file(a, path);
  if (unreadable) {
    client_fail(err, TENDRIL_FILE, "cannot read %.400s: %s", path, unreadable);
    free(a);
    return NULL;
  }
  a = finish(a, &why);
  if (!a) client_fail(err, why.status, "cannot read %.400s: %.500s", path, why.detail);
  return a;
}

void tendril_arrays_close(tendril_arrays *a) {
  if (!a) return;
  for (block *b = a->blocks, *before; b; b = before) {
    before = b->before;
    free(b);
  }
  free(a->owned);
  if (a->mapped) munmap(a->mapped, a->size);
  free(a);
}

// ------------------------------------------------------------------------------------------------ asking

int tendril_arrays_count(const tendril_arrays *a) { return a->count; }

const tendril_array *tendril_arrays_at(const tendril_arrays *a, int i) {
  assert(i >= 0 && i < a->count);
  return &a->members[i].array;
}

const tendril_array *tendril_arrays_find(tendril_arrays *a, const char *name) {
  member *m = a->members;
  while (m < a->members + a->count && strcmp(m->array.name, name) != 0) ++m;
  if (m == a->members + a->count) return NULL;
  if (!m->array.values) m->array.values = npz_doubles(&m->stored, memory_of(a));
  return &m->array;
}

bool tendril_array_string(const tendril_array *array, size_t i, char *out, size_t size) {
  npz_array stored = {.data = array->data, .count = array->count};
  bool strange;
  stored.type = npz_type_read(array->type, &stored.item);
  if (size > 0) out[0] = '\0';
  if ((stored.type != NPZ_UNICODE && stored.type != NPZ_BYTES) || i >= array->count || size == 0) return false;
  npz_string(&stored, i, out, size, &strange);
  return true;
}
