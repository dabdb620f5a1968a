// Lists of warnings (tendril/warnings.h) as JSON: [{code, detail, pointer}, …].
#ifndef TENDRIL_CODEC_WIRE_WARNINGS_H
#define TENDRIL_CODEC_WIRE_WARNINGS_H

#include "tendril/warnings.h"
#include <jansson.h>

/// A new array; its last entry has the code more_warnings where some found no place. NULL when memory is short.
json_t *codec_warnings_json(const td_warnings *warnings);
/// The same as text (free); NULL when there are none, or memory is short.
char *codec_warnings_text(const td_warnings *warnings);

#endif
