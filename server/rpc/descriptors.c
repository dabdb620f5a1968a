// The embedded descriptor set, unpacked once. A file is its bytes and the few fields of it that are looked at.
#include "rpc/descriptors.h"
#include "base/embedded.h"
#include "rpc/descriptors.pb-c.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct descriptor_file {
  ProtobufCBinaryData bytes;
  Tendril__Rpc__File *file;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static descriptor_file files[DESCRIPTORS_MAX];
static int file_count;
static Tendril__Rpc__FileBytes *set;

static void unpack(void) {
  const embedded_file *e = &embedded_descriptors[0];
  set = tendril__rpc__file_bytes__unpack(NULL, e->size, (const uint8_t *)e->data);
  for (size_t i = 0; set && i < set->n_file && file_count < DESCRIPTORS_MAX; i++) {
    descriptor_file *f = &files[file_count];
    f->bytes = set->file[i];
    f->file = tendril__rpc__file__unpack(NULL, f->bytes.len, f->bytes.data);
    if (f->file) file_count++;
  }
}

int descriptors_count(void) {
  pthread_once(&once, unpack);
  return file_count;
}

const descriptor_file *descriptors_at(int i) { return &files[i]; }

const void *descriptor_bytes(const descriptor_file *file, size_t *size) {
  *size = file->bytes.len;
  return file->bytes.data;
}

const descriptor_file *descriptors_by_name(const char *name) {
  for (int i = 0; i < descriptors_count(); i++)
    if (strcmp(files[i].file->name, name) == 0) return &files[i];
  return NULL;
}

static bool names(Tendril__Rpc__Named **list, size_t count, const char *name, size_t length) {
  for (size_t i = 0; i < count; i++)
    if (strlen(list[i]->name) == length && memcmp(list[i]->name, name, length) == 0) return true;
  return false;
}

// `rest` is the symbol without its package: a message or enum (or what is nested in one), a service or one of its
// methods.
static bool declares(const Tendril__Rpc__File *file, const char *rest) {
  size_t length = strcspn(rest, ".");
  const char *inner = rest[length] ? rest + length + 1 : NULL;
  if (names(file->message_type, file->n_message_type, rest, length)) return true;
  if (names(file->enum_type, file->n_enum_type, rest, length)) return true;
  for (size_t i = 0; i < file->n_service; i++) {
    const Tendril__Rpc__Service *s = file->service[i];
    if (strlen(s->name) == length && memcmp(s->name, rest, length) == 0)
      return !inner || names(s->method, s->n_method, inner, strlen(inner));
  }
  return false;
}

const descriptor_file *descriptors_by_symbol(const char *symbol) {
  for (int i = 0; i < descriptors_count(); i++) {
    size_t length = strlen(files[i].file->package);
    if (strncmp(symbol, files[i].file->package, length) == 0 && symbol[length] == '.' &&
        declares(files[i].file, symbol + length + 1))
      return &files[i];
  }
  return NULL;
}

void descriptor_mark(const descriptor_file *file, bool marks[DESCRIPTORS_MAX]) {
  marks[file - files] = true;
  for (int i = (int)(file - files); i >= 0; i--) // a file stands behind what it needs
    for (size_t d = 0; marks[i] && d < files[i].file->n_dependency; d++) {
      const descriptor_file *needed = descriptors_by_name(files[i].file->dependency[d]);
      if (needed) marks[needed - files] = true;
    }
}

bool descriptors_service(int i, char name[128]) {
  for (int k = 0; k < descriptors_count(); k++) {
    if (i < (int)files[k].file->n_service)
      return snprintf(name, 128, "%s.%s", files[k].file->package, files[k].file->service[i]->name) < 128;
    i -= (int)files[k].file->n_service;
  }
  return false;
}

bool descriptors_has_service(const char *wanted) {
  char name[128];
  for (int i = 0; descriptors_service(i, name); i++)
    if (strcmp(name, wanted) == 0) return true;
  return false;
}
