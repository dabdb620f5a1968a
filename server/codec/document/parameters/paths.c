// Paths of parameters: in which document they are, their rows, and what stands across a symmetric matrix.
#include "codec/document/parameters/parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char in_job[] = "/job";
enum { IN_MODEL = sizeof "/model" - 1 };

bool parameter_begins(const char *path, const char *with) {
  size_t n = strlen(with);
  return strncmp(path, with, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

void parameter_mirror(const char *name, char mirrored[TD_POINTER_SIZE]) {
  const char *last = strrchr(name, '/'), *before = last;
  assert(last > name && strlen(name) < TD_POINTER_SIZE);
  do before--;
  while (*before != '/');
  snprintf(mirrored, TD_POINTER_SIZE, "%.*s%s%.*s", (int)(before - name), name, last, (int)(last - before), before);
}

const parameter_row *parameter_row_of(const char *path, const json_t *job) {
  char pointer[TD_POINTER_SIZE + 32];
  const char *kind = json_string_value(json_object_get(job, "kind"));
  if (!parameter_begins(path, in_job)) return parameter_row_find(path + IN_MODEL);
  int length = snprintf(pointer, sizeof pointer, "/%.30s%s", kind ? kind : "", path + sizeof in_job - 1);
  return length < (int)sizeof pointer ? parameter_job_row_find(pointer) : NULL;
}
