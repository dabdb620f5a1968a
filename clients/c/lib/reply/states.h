// What evaluate and streams send: quantities and states as an archive of arrays.
#ifndef TENDRIL_CLIENT_LIB_STATES_H
#define TENDRIL_CLIENT_LIB_STATES_H

#include "lib/http/client.h"

/// Whether `want` has words, separated by commas (spaces around them are ignored), and all of them fit.
bool client_words_fit(const char *want);
/// Writes the request over what `out` holds; `document`: of an inline model, or NULL. False when there is no memory,
/// or the states are too many for an archive.
bool client_write_states(client_buffer *out, const char *want, const tendril_states *states, const char *document);

#endif
