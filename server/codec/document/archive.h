// Job documents whose large arrays come as members of an NPZ archive: {"npz": "name"} in place of an array.
#ifndef TENDRIL_CODEC_DOCUMENT_ARCHIVE_H
#define TENDRIL_CODEC_DOCUMENT_ARCHIVE_H

#include "tendril/status.h"
#include <stddef.h>

/// Writes the document that an archive stands for as JSON text, which is what is kept, checked and sent again. Member
/// `job` is the document (its text as bytes, or as one string); each object {"npz": "name"} in it, outside of labels,
/// becomes the numbers of member `name`, nested as its shape says; what is not a number (NaN) becomes null. The same
/// bits come out: numbers are written so that they read back as they were.
/// @param text  out: the caller's, free
/// @return TD_INVALID_ARGUMENT: pointers are places of the document ("/inputs/cable1/value/npz") where it asks for what
///         is not there, "/name" of members that are no numbers, or that nothing asks for; TD_LIMIT beyond
///         LIMIT_BODY_BYTES, as of any document; TD_NO_MEMORY
TD_NODISCARD td_status codec_archive_document(const void *bytes, size_t size, char **text, size_t *length,
                                              td_error *err);

#endif
