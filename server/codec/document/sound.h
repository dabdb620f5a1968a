// What can still be judged of a document that cannot be read.
#ifndef TENDRIL_CODEC_DOCUMENT_SOUND_H
#define TENDRIL_CODEC_DOCUMENT_SOUND_H

#include "tendril/errors.h"
#include <jansson.h>

/// Whether the document can be read; else its errors are appended.
typedef bool (*codec_reads)(const json_t *document, td_errors *all);

/// A document that cannot be read, without the members at fault, so that the rules behind reading can be asked: a new
/// reference; NULL: too little is left. Only to look for further errors: it is another document.
/// @param known  why it cannot be read, at least one
json_t *codec_sound(const json_t *document, const td_errors *known, codec_reads reads);
/// Adds those of `more` that stand neither at, nor in, nor around a place of `all`.
void codec_errors_elsewhere(td_errors *all, const td_errors *more);

#endif
