// What callers are told of a node.
#ifndef SERVER_CODEC_VIEW_NODE_H
#define SERVER_CODEC_VIEW_NODE_H

#include "codec/json/number.h"
#include "store/store.h"

/// {id, name, host, state, slots, running, …}
void codec_node_json(codec_buffer *b, const store_node *row);

#endif
