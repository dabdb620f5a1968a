// Names of result files: ID.npz, or ID.ATTEMPT.NODE.npz where several processes share them.
#include "store/files/files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void files_result_path(const store *s, const store_result_name *name, const char *kind, char path[PATH_SIZE]) {
  if (*name->node)
    snprintf(path, PATH_SIZE, "%s/%s.%d.%s.%s", files_of(s)->results, name->id, name->attempt, name->node, kind);
  else
    snprintf(path, PATH_SIZE, "%s/%s.%s", files_of(s)->results, name->id, kind);
}

static const char id_letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static bool read_id(const char **text, char id[ID_SIZE]) {
  size_t length = strspn(*text, id_letters);
  if (length != ID_SIZE - 1) return false;
  memcpy(id, *text, length);
  id[length] = '\0';
  *text += length;
  return true;
}

// ID.npz or ID.ATTEMPT.NODE.npz; false for files that are none of them.
bool files_read_name(const char *text, const char *kind, store_result_name *name) {
  *name = (store_result_name){.attempt = 0};
  if (!read_id(&text, name->id) || *text++ != '.') return false;
  if (*text >= '0' && *text <= '9') {
    char *rest = NULL;
    long attempt = strtol(text, &rest, 10);
    text = rest + 1;
    if (*rest != '.' || attempt > INT_MAX || !read_id(&text, name->node) || *text++ != '.') return false;
    name->attempt = (int)attempt;
  }
  return strcmp(text, kind) == 0;
}
