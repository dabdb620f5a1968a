// A robot of MJCF (MuJoCo's XML) as a model document: its tree of bodies, their joints, tendons on sites, actuators,
// and composites of type cable as rods.
#ifndef TENDRIL_CODEC_IMPORT_MJCF_MJCF_H
#define TENDRIL_CODEC_IMPORT_MJCF_MJCF_H

#include "codec/import/document.h"

/// @param root      <mujoco>
/// @param document  out: a new reference
/// @return TD_OK, TD_INVALID_ARGUMENT, TD_LIMIT, TD_NO_MEMORY; messages name line and element. What of it is not in
///         the document is in the reader's remarks.
/// Cost: O(size + (bodies + joints + sites)^2) for the names.
TD_NODISCARD td_status mjcf_document(const import_reader *r, xml_element *root, const import_choice *choice,
                                     json_t **document, import_lines *lines);

#endif
