// A floor under a robot that was imported.
#ifndef SERVER_CODEC_IMPORT_GROUND_H
#define SERVER_CODEC_IMPORT_GROUND_H

#include "codec/import/remark.h"
#include "tendril/status.h"
#include <jansson.h>

/// Adds a plane z = 0 to the document's contacts, which all touch that can: rigid bodies with a `collision`, and rods.
/// It gives way by about a millimetre under the weight of the rigid bodies, damps a little, and rubs. A remark says so.
/// @return TD_INVALID_ARGUMENT at /ground where nothing can touch; TD_NO_MEMORY
TD_NODISCARD td_status import_ground(json_t *document, remark_list *remarks, td_error *err);

#endif
