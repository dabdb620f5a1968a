// Ends of texts that did not fit their place.
#ifndef TENDRIL_BASE_TRIM_H
#define TENDRIL_BASE_TRIM_H

#include <stddef.h>

/// text [capacity] as snprintf left it, `wanted` what it returned: where it did not fit, half a UTF-8 sequence at the
/// cut goes.
void td_trim_utf8(char *text, size_t capacity, size_t wanted);
/// The same for a message (capacity above 96): it ends behind a word, where there is one to end behind, with " …".
void td_trim_message(char *text, size_t capacity, size_t wanted);

#endif
