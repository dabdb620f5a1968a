// Places in a document: a JSON pointer (RFC 6901) walked down a tree, token by token.
#ifndef TENDRIL_CODEC_JSON_PLACE_H
#define TENDRIL_CODEC_JSON_PLACE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/// Longest token of a place, its end included; no key of our documents is as long.
enum { JSON_TOKEN_SIZE = 128 };

/// The unescaped token at `p`, which stands at its '/'. Returns what follows it, NULL when it is too long for any key.
const char *json_place_token(const char *p, char token[JSON_TOKEN_SIZE]);
/// An index as RFC 6901 writes it: digits without a leading zero.
bool json_place_index(const char *token, size_t *index);
/// One step down; NULL when the value has no such member.
json_t *json_place_member(const json_t *value, const char *token);
/// Why a value has no such member, and what may be meant: of a list where the name that was asked for stands in it and how
/// long it is, of an object a key that is nearly right. Cost: O(members). Returns whether there is something to say.
bool json_place_explain(const json_t *value, const char *token, char *text, size_t size);
/// What holds the value at `pointer` (not ""), and its last token; NULL when there is no such place.
json_t *json_place_holder(json_t *document, const char *pointer, char token[JSON_TOKEN_SIZE]);
/// The value at `pointer`, "" for the document; NULL when there is none.
json_t *json_place_find(json_t *document, const char *pointer);
/// Puts a value (a reference of its own is taken) where there is one already. False: there is none, or no memory.
bool json_place_put(json_t *document, const char *pointer, json_t *value);

#endif
