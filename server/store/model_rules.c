// The rules of models: whose one a name means, and what a change of it does. Nothing is read or written here.
#include "store/model_rules.h"

#include <stdio.h>
#include <string.h>

bool model_matches(const model_now *row, const char *if_match) {
  if (!if_match) return true;
  return row->exists && (strcmp(if_match, "*") == 0 || strcmp(if_match, row->sha256) == 0);
}

store_status model_put_effect(const model_now *row, store_put_mode mode, const char *if_match, int64_t now_ms,
                              store_model *m, store_put_effect *effect) {
  if (mode == STORE_CREATE && row->exists) return STORE_EXISTS;
  if (!model_matches(row, if_match)) return STORE_PRECONDITION;
  *effect = !row->exists ? STORE_CREATED : strcmp(row->sha256, m->sha256) == 0 ? STORE_UNCHANGED : STORE_REVISED;
  m->revision = *effect == STORE_UNCHANGED ? row->revision : row->revision + 1;
  m->created_ms = *effect == STORE_UNCHANGED ? row->created_ms : now_ms;
  return STORE_OK;
}

// A deleted one of one's own is certain where a revision is wanted that it had: a number never comes to mean another's.
bool model_choice_next(model_choice *x, const store_whose *whose, int64_t wanted_revision, const char *owner,
                       bool deleted, int64_t revision) {
  bool own = strcmp(owner, whose->owner) == 0;
  x->certain = deleted ? own && wanted_revision > 0 && wanted_revision <= revision : own || !*owner;
  if (!deleted && x->found++ == 0) snprintf(x->owner, sizeof x->owner, "%s", owner);
  return x->certain;
}

// One that is certain comes before all that others have.
store_status model_choice_end(const model_choice *x) {
  return x->found == 1 ? STORE_OK : x->found > 1 ? STORE_AMBIGUOUS : STORE_NOT_FOUND;
}
