// The request of an import: a robot in another format, or as a model document, and what is attached to it, to one model
// document.
//
//   {"urdf": "<robot …>", "attach": [{"model": {…}, "parent": "tool0", "prefix": "finger_"}]}
#ifndef TENDRIL_CODEC_IMPORT_IMPORT_H
#define TENDRIL_CODEC_IMPORT_IMPORT_H

#include "codec/import/document.h"

enum { IMPORT_MAX_ATTACHED = 16 };

typedef struct import_result {
  json_t *document;                         ///< the caller's, json_decref
  remark_list remarks;                      ///< in the arena
  import_lines lines;                       ///< of a description; in the arena
  size_t begin[IMPORT_MAX_ATTACHED + 2][6]; ///< [part][list]: where the entries of each part begin in the document
  size_t attached;
  const char *described; ///< pointer of the first part, a description, else NULL: a model document
  bool named;            ///< the request has a name of its own
} import_result;

/// @param request  the body, parsed
/// @param a        holds the remarks; must outlive *out
/// @return TD_OK, TD_INVALID_ARGUMENT, TD_LIMIT, TD_NO_MEMORY; pointers into the request. After a failure there is no
///         document. The document is read, but not built: what the engine refuses of it goes through
/// codec_import_blame.
TD_NODISCARD td_status codec_import_read(const json_t *request, arena *a, import_result *out, td_error *err);
/// Turns a pointer into the document into one into the request, and where it is about a description puts the line
/// before `message` [size].
void codec_import_blame(const import_result *import, char pointer[TD_POINTER_SIZE], char *message, size_t size);

#endif
