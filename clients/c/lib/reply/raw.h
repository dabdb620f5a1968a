// Parts of JSON text as they were written: documents keep their layout, numbers their digits.
#ifndef TENDRIL_CLIENT_LIB_RAW_H
#define TENDRIL_CLIENT_LIB_RAW_H

#include <stddef.h>

/// The text of member `key` of the object `text`, which must be valid JSON; NULL when there is none.
const char *client_raw_member(const char *text, size_t size, const char *key, size_t *length);

#endif
