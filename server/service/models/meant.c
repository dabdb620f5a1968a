// Names come from the list that the caller would get, so that nothing is told of what others have.
#include "service/models/meant.h"
#include "codec/json/hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 500 };

typedef struct known {
  char name[MOST][STORE_NAME_SIZE];
  size_t count;
} known;

static void note(void *context, const store_model *model) {
  known *k = context;
  if (k->count < MOST) memcpy(k->name[k->count++], model->name, STORE_NAME_SIZE);
}

static const char *name_of(const void *context, size_t i) { return ((const known *)context)->name[i]; }

static bool is_known(const known *k, const char *name) {
  size_t i = 0;
  while (i < k->count && strcmp(k->name[i], name) != 0) i++;
  return i < k->count;
}

bool models_add_meant(service *s, const auth_caller *who, const char *name, fault *f) {
  store_whose whose = {.owner = who->space, .all = who->sees_all};
  known *k = f->code == PROBLEM_NOT_FOUND ? calloc(1, sizeof *k) : NULL;
  store_visit visit = {.context = k, .model = note};
  char hint[160];
  size_t n = strlen(f->detail);
  bool listed = k && store_model_list(s->store, &whose, NULL, NULL, MOST, &visit) == STORE_OK;
  if (listed && !is_known(k, name) && codec_hint(name, name_of, k, k->count, hint, sizeof hint))
    snprintf(f->detail + n, sizeof f->detail - n, "; %.*s", (int)strlen(hint) - 1, hint);
  free(k);
  return false;
}
