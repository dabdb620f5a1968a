// One robot at a link of another: two model documents become one.
#ifndef TENDRIL_CODEC_IMPORT_ATTACH_H
#define TENDRIL_CODEC_IMPORT_ATTACH_H

#include "codec/import/remark.h"
#include "tendril/status.h"
#include <jansson.h>

/// What is attached, and where: keys as those of a link.
typedef struct attachment {
  const json_t *model; ///< a document that codec_model_read has accepted
  const char *parent;  ///< name of a link of the other document, or "world"
  const json_t *at;    ///< abscissa on a rod; NULL: its tip
  const json_t *pose;  ///< from the parent's frame there to the world of the model, NULL: none
  const char *prefix;  ///< of all its names; "": none
} attachment;

/// Adds the model to `document`: its names get the prefix, what it had in the world is at `parent` now. Gravity stays
/// that of `document`; a fluid that is not its own is refused.
/// @param pointer  of the attachment in the request, "/attach/0"
/// @return TD_OK, TD_INVALID_ARGUMENT (no such parent; a name that is there already), TD_NO_MEMORY; the document is of
///         no use after a failure
TD_NODISCARD td_status codec_attach(json_t *document, const attachment *one, const char *pointer, remark_list *remarks,
                                    td_error *err);

/// The lists of a document, in the order of the format.
enum { ATTACH_LISTS = 6 };
const char *codec_attach_list(int i);

#endif
