// What a name of a model means, and what a change of it does: rules that every kind of rows asks, in its change.
#ifndef SERVER_STORE_MODEL_RULES_H
#define SERVER_STORE_MODEL_RULES_H

#include "store/rows.h"

typedef struct model_now { ///< a name's row before a change
  bool known, exists;      ///< the name is remembered; it is not deleted
  int64_t revision;        ///< the greatest that was ever given, of a name that is not known the owner's; 0: none
  int64_t created_ms;      ///< of the revision
  char sha256[DIGEST_HEX_SIZE];
} model_now;

/// True when the row is what an If-Match says: a sha256, "*" any that exists, NULL no condition.
bool model_matches(const model_now *row, const char *if_match);
/// What storing a document (m->sha256) would do: its revision, and when that was made if it is there already.
store_status model_put_effect(const model_now *row, store_put_mode mode, const char *if_match, int64_t now_ms,
                              store_model *m, store_put_effect *effect);

typedef struct model_choice { ///< zeros at first
  int found;
  bool certain;
  char owner[STORE_NAME_SIZE];
} model_choice;
/// The next row of a name, of those of one's own, then the shared one, then others' ones, deleted ones last of these.
/// True when it is certain whose is meant.
bool model_choice_next(model_choice *x, const store_whose *whose, int64_t wanted_revision, const char *owner,
                       bool deleted, int64_t revision);
/// STORE_OK with x->owner, STORE_NOT_FOUND or STORE_AMBIGUOUS.
store_status model_choice_end(const model_choice *x);

#endif
