// A tree of JSON as text whose numbers have the shortest digits that read back as they are.
#ifndef TENDRIL_CODEC_JSON_TREE_H
#define TENDRIL_CODEC_JSON_TREE_H

#include "codec/json/number.h"
#include <jansson.h>

/// Writes a document of at most CODEC_MAX_DEPTH levels, for people: the members of the outermost object and the elements
/// of its lists of objects have a line each.
void codec_buffer_tree(codec_buffer *b, const json_t *value);

#endif
