// Rods of a scene of USD, written as text (.usda), as a model document: linear BasisCurves with the
// PhysicsCurvesDeformableSimAPI of the proposal for deformable bodies (AOUSD), with their materials.
#ifndef TENDRIL_CODEC_IMPORT_USD_USD_H
#define TENDRIL_CODEC_IMPORT_USD_USD_H

#include "codec/import/document.h"

enum { USD_MAX_RODS = 1024 };

/// @param text      [size] the layer; anything of it that is not in the document is in the reader's remarks
/// @param document  out: a new reference
/// @return TD_OK, TD_INVALID_ARGUMENT, TD_LIMIT, TD_NO_MEMORY; messages name line and prim
/// Cost: O(size + rods * prims) for the paths of materials.
TD_NODISCARD td_status usd_document(const import_reader *r, const char *text, size_t size, const import_choice *choice,
                                    json_t **document, import_lines *lines);

#endif
