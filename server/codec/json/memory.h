// What trees of JSON documents take: an estimate before one is made, and the account of those that are there
// (base/share/budget.h).
#ifndef TENDRIL_CODEC_JSON_MEMORY_H
#define TENDRIL_CODEC_JSON_MEMORY_H

#include "tendril/status.h"
#include <jansson.h>
#include <stddef.h>

/// What a pass over the text has counted.
typedef struct json_count {
  size_t arrays, objects, keys, strings; ///< strings: those that are keys, too
  size_t values;                         ///< of any kind, containers included
  size_t text;                           ///< bytes within strings
} json_count;

/// Bytes that Jansson's tree takes at the most, allocation overhead included.
size_t json_memory_estimate(const json_count *count);

/// A document of so many bytes may take CODEC_TREE_BASE + CODEC_TREE_FACTOR times as many as a tree: documents that
/// are mostly brackets take 80 times their size, those that say something 10 to 20 times.
enum { CODEC_TREE_BASE = 64 << 20, CODEC_TREE_FACTOR = 16 };

/// Every tree of this process is counted from now on. Before the first one is made.
void json_memory_watch(void);

/// json_dumps whose text is released by free(): it does not stay in the account, which only Jansson's own release
/// would take it out of.
char *json_memory_text(const json_t *json, size_t flags);

/// json_loadb within the budget: TD_LIMIT for a document that takes too much for its size or for this server,
/// TD_NO_MEMORY when others have what there is, else what *e says.
TD_NODISCARD td_status json_memory_load(const char *bytes, size_t size, const json_count *count, size_t flags,
                                        json_t **tree, json_error_t *e, td_error *err);

#endif
