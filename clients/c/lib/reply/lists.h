// What models and jobs have in common: lists in pages, deletion.
#ifndef TENDRIL_CLIENT_LIB_LISTS_H
#define TENDRIL_CLIENT_LIB_LISTS_H

#include "lib/http/client.h"

/// Walks over {"<key>": [rows], "next_cursor"}, page after page, until `row` returns false. The row as JSON and as
/// text; both end with the callback.
tendril_status client_list(tendril_client *client, const client_path *path, const char *key,
                           bool (*row)(void *context, const json_t *json, const char *text), void *context,
                           tendril_error *err);
/// DELETE; «not there» after a repetition means that the first one arrived.
tendril_status client_delete(tendril_client *client, const client_path *path, tendril_error *err);

#endif
