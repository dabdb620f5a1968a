// Robots that are stored by name: checked, kept as revisions, found for who asks.
#ifndef SERVER_SERVICE_MODELS_H
#define SERVER_SERVICE_MODELS_H

#include "codec/view/import.h"
#include "codec/view/model.h"
#include "service/models/model_cache.h"
#include "service/models/reference.h"
#include "service/service.h"

#include <jansson.h>

typedef struct model_change {
  const char *name;  ///< NULL: the document's own
  const char *owner; ///< whose, "": nobody's, it is shared; NULL: one's own, or an admin's change of a shared one
  store_put_mode mode;
  const char *if_match; ///< sha256, "*" or NULL
  bool validate_only;
} model_change;

typedef struct model_found { ///< a model for who asks; model_found_fini gives it back
  model_view view;
  cached_model *held;
  store_put_effect effect; ///< of a change: whether the name is new
} model_found;
void model_found_fini(service *s, model_found *found);
typedef void (*model_visit)(void *context, const model_view *view);

/// Checks a document and stores it. After a failure there is nothing to give back.
bool models_put(service *s, const auth_caller *who, span document, const model_change *change, model_found *found,
                fault *f);
/// A model with its document, from one read of the store. After a failure there is nothing to give back.
bool models_get(service *s, const auth_caller *who, const model_reference *ref, model_found *found, fault *f);
/// Whose model a reference means: fills its owner.
bool models_find(service *s, const auth_caller *who, model_reference *ref, fault *f);

typedef struct models_query { ///< NULL: absent
  const char *owner;          ///< of an owner; NULL: all that who asks sees
  const char *cursor;         ///< those after it
  int limit;
} models_query;
enum { MODELS_CURSOR_SIZE = 2 * STORE_NAME_SIZE };
/// Visits them in alphabetical order; `next` is the cursor of the following page, "": there is none.
bool models_list(service *s, const auth_caller *who, const models_query *query, model_visit visit, void *context,
                 char next[MODELS_CURSOR_SIZE], fault *f);
/// The same for the revisions, with numbers above `after`, of a model that models_find has found.
bool models_revisions(service *s, const model_reference *found, int64_t after, int limit, model_visit visit,
                      void *context, char next[MODELS_CURSOR_SIZE], fault *f);
bool models_delete(service *s, const auth_caller *who, const model_reference *ref, const char *if_match, fault *f);

/// The frozen model of a stored document, held; `ref` has the name and the revision wanted and gets what it is.
/// `document` (may be NULL) gets a copy of the text, to be freed, unless the call fails; it costs a read of the store.
cached_model *models_hold(service *s, const auth_caller *who, model_reference *ref, char **document, fault *f);
/// What the memory of names knows of a reference (no more than its newest revision), and whose it is; false: the store
/// has to be asked. *ticket is for what it says.
bool models_recall(service *s, const auth_caller *who, model_reference *ref, cached_name *known, uint64_t *ticket);
/// The frozen model of an inline document; errors point below `prefix`.
cached_model *models_hold_inline(service *s, const auth_caller *who, const json_t *document, const char *prefix,
                                 char sha256[DIGEST_HEX_SIZE], char **canonical, fault *f);

typedef struct model_imported { ///< models_import_fini gives it back
  arena *memory;
  char *document; ///< text
  remark_list remarks;
  cached_model *held;
} model_imported;
/// A model document from a URDF or MJCF, or from robots attached to one another (codec/import/import.h); nothing is stored.
/// After a failure there is nothing to give back.
bool models_import(service *s, const auth_caller *who, span request, model_imported *made, fault *f);
void models_import_fini(service *s, model_imported *made);
/// What is told of it; borrows from it.
import_view models_import_view(const model_imported *made);

#endif
