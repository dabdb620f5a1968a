// Times as people and programs write them: what the server takes in a query, the command takes as an option.
#ifndef TENDRIL_API_RFC3339_H
#define TENDRIL_API_RFC3339_H

#include <stdbool.h>
#include <stdint.h>

/// The time of an RFC 3339 text, with any offset, in milliseconds since the epoch; false when it is none (no such
/// day, too). A blank before the offset is read as the plus sign that a query's encoding turns into one.
bool rfc3339_read(const char *text, int64_t *ms);

#endif
