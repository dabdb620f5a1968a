// Shared by the files of parameters: paths.c, lists.c (what a request names), parameters.c (which numbers these are),
// units.c (whether places can share one), moving.c (documents with one of them changed).
#ifndef TENDRIL_CODEC_DOCUMENT_PARAMETERS_PARTS_H
#define TENDRIL_CODEC_DOCUMENT_PARAMETERS_PARTS_H

#include "codec/document/parameters/parameters.h"
#include "codec/document/parameters/table.h"

/// Whether a path is `with` or below it.
bool parameter_begins(const char *path, const char *with);
/// The row of the number at a path, "/model/…" or "/job/…"; NULL: there is none.
/// @param job  its document, NULL where there is none
const parameter_row *parameter_row_of(const char *path, const json_t *job);
/// The place across a symmetric matrix: the last two indices the other way round.
void parameter_mirror(const char *name, char mirrored[TD_POINTER_SIZE]);
/// Whether one number can stand at both places: their units are the same.
/// @param why  out, where it cannot: a sentence that names both
bool parameter_units_agree(const char *a, const char *b, const json_t *model, const json_t *job,
                           char why[TD_MESSAGE_SIZE]);

#endif
