// What is wrong with a text that is no JSON, in words of somebody who writes it; for server and command.
#ifndef TENDRIL_API_JSON_REASON_H
#define TENDRIL_API_JSON_REASON_H

enum { JSON_REASON_SIZE = 320 };

/// Jansson's sentence in plain words: "a comma is missing before '\"order\"'" for "'}' expected near '\"order\"'". What it
/// does not know stays as it is. Returns `out`.
const char *json_reason(const char *said, char out[JSON_REASON_SIZE]);

#endif
