// An .npz archive as arrays: a mapped file, somebody's bytes, or bytes of its own. Every member is unpacked, checked and its npy
// header read when the archive is opened; numbers are converted when they are first asked for, or pointed at when they lie
// aligned as doubles already. Invariant: data lies inside the archive or in the array's own inflated block.
#include "lib/arrays.h"

#include "lib/npy.h"
#include "lib/zip.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct member {
  tendril_array array;
  char name[CLIENT_ZIP_NAME], type[CLIENT_NPY_TYPE];
  unsigned char *inflated; ///< owns data when it was deflated
  double *converted;       ///< owns values when they were
} member;

struct tendril_arrays {
  const unsigned char *bytes;
  size_t size;
  void *mapped; ///< to unmap
  char *owned;  ///< to free
  member *members;
  int count;
};

// ------------------------------------------------------------------------------------------------ reading

static tendril_status read_member(tendril_arrays *a, const client_zip_entry *e, tendril_error *err) {
  member *m = &a->members[a->count++];
  size_t length = strlen(e->name);
  memcpy(m->name, e->name, sizeof m->name);
  if (length > 4 && strcmp(e->name + length - 4, ".npy") == 0) m->name[length - 4] = '\0';
  const unsigned char *content = NULL;
  const char *why = client_zip_unpack(a->bytes, a->size, e, &content, &m->inflated);
  if (why) return client_fail(err, TENDRIL_BAD_REPLY, "member %.100s %s", m->name, why);
  m->array.name = m->name;
  m->array.type = m->type;
  if (client_npy_read(content, e->unpacked, &m->array, m->type)) return TENDRIL_OK;
  return client_fail(err, TENDRIL_BAD_REPLY, "member %.100s is not an array in C order", m->name);
}

static tendril_status read_all(tendril_arrays *a, tendril_error *err) {
  uint64_t at, entries;
  if (!client_zip_directory(a->bytes, a->size, &at, &entries) || entries > CLIENT_ZIP_MEMBERS)
    return client_fail(err, TENDRIL_BAD_REPLY, "it is not an .npz file");
  a->members = calloc(entries + 1, sizeof *a->members);
  if (!a->members) return client_no_memory(err);
  for (uint64_t i = 0; i < entries; ++i) {
    client_zip_entry e;
    if (!client_zip_entry_read(a->bytes, a->size, &at, &e))
      return client_fail(err, TENDRIL_BAD_REPLY, "its directory is damaged");
    tendril_status status = read_member(a, &e, err);
    if (status != TENDRIL_OK) return status;
  }
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
  for (int i = 0; i < a->count; ++i) {
    free(a->members[i].inflated);
    free(a->members[i].converted);
  }
  free(a->members);
  free(a->owned);
  if (a->mapped) munmap(a->mapped, a->size);
  free(a);
}

// ------------------------------------------------------------------------------------------------ asking

int tendril_arrays_count(const tendril_arrays *a) { return a->count; }

const tendril_array *tendril_arrays_at(const tendril_arrays *a, int i) { return &a->members[i].array; }

const tendril_array *tendril_arrays_find(tendril_arrays *a, const char *name) {
  member *m = a->members;
  while (m < a->members + a->count && strcmp(m->name, name) != 0) ++m;
  if (m == a->members + a->count) return NULL;
  if (!m->array.values) m->array.values = client_npy_doubles(&m->array, &m->converted);
  return &m->array;
}

bool tendril_array_string(const tendril_array *array, size_t i, char *out, size_t size) {
  return client_npy_string(array, i, out, size);
}
