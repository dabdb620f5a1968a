// The model document tendril.model/1 (JSON) to td_model_spec and to a frozen td_model.
//
// Here: JSON types, unknown and missing keys, words of enumerations, lengths of arrays. Ranges, references, names and
// counts are td_model_create's.
#ifndef TENDRIL_CODEC_DOCUMENT_MODEL_MODEL_H
#define TENDRIL_CODEC_DOCUMENT_MODEL_MODEL_H

#include "base/arena.h"
#include "tendril/errors.h"
#include "tendril/model.h"
#include <jansson.h>

/// Corners of all meshes that are drawn of a model (`view` of its links).
enum { MODEL_MAX_VIEW_POINTS = 30000 };

/// Reads a document into a spec that borrows from `doc` (strings) and `a` (arrays): both must outlive it.
/// @param prefix  JSON pointer of `doc` inside the request body ("" or "/model")
/// @return TD_OK, TD_INVALID_ARGUMENT, TD_NO_MEMORY
/// @param warnings  appended to, pointers into `doc`: what is odd and not seen in the spec; may be NULL
TD_NODISCARD td_status codec_model_read(const json_t *doc, const char *prefix, arena *a, td_model_spec *spec,
                                        td_warnings *warnings, td_error *err);
/// All independent errors of a document that codec_model_build refuses, appended: those of reading it (JSON types, keys,
/// words), and those of td_model_errors, as far as they do not hang on what could not be read. Cost: of reading and checking
/// it a few times, nothing is built.
void codec_model_errors(const json_t *doc, const char *prefix, td_errors *all);
/// codec_model_read and td_model_create in one; nothing is borrowed afterwards.
TD_NODISCARD td_status codec_model_build(const json_t *doc, const char *prefix, td_model **model, td_error *err);
TD_NODISCARD td_status codec_model_build_within(const json_t *doc, const char *prefix, const td_memory *memory,
                                                td_model **model, td_error *err);
/// One of a document that was built before and of which a number has been moved since: nothing is warned of.
TD_NODISCARD td_status codec_model_build_moved(const json_t *doc, const td_memory *memory, td_model **model,
                                               td_error *err);
/// A pose alone, {translation, rpy or quaternion}.
TD_NODISCARD td_status codec_pose_read(const json_t *value, const char *prefix, td_se3 *pose, td_error *err);
/// The rule for documents that are stored under their own name: [A-Za-z0-9][A-Za-z0-9_.-]{0,62}. One without a name
/// passes; others may stand in a job, or be stored under another name.
TD_NODISCARD td_status codec_model_name_check(const json_t *doc, td_error *err);

#endif
