// Lists of warnings (tendril/warnings.h) as JSON, [{code, detail, pointer}, …], and as messages.
#ifndef TENDRIL_CODEC_WIRE_WARNINGS_H
#define TENDRIL_CODEC_WIRE_WARNINGS_H

#include "base/arena.h"
#include "tendril/v1/common.pb-c.h"
#include "tendril/warnings.h"

#include <jansson.h>
#include <stdbool.h>

/// A new array; its last entry has the code more_warnings where some found no place. NULL when there is not enough
/// memory.
json_t *codec_warnings_json(const td_warnings *warnings);
/// The same as text (free); NULL when there are none, or there is not enough memory.
char *codec_warnings_text(const td_warnings *warnings);

/// The same entries as messages in `a`, [*count]. False when there is not enough memory.
bool codec_warnings_messages(const td_warnings *warnings, arena *a, Tendril__V1__Warning ***list, size_t *count);
/// Those of a list that was kept as text; NULL: none.
bool codec_warnings_messages_of(const char *text, arena *a, Tendril__V1__Warning ***list, size_t *count);

#endif
