// Protobuf messages: what protobuf-c does not check, and JSON objects as messages.
#ifndef TENDRIL_CODEC_WIRE_MESSAGE_H
#define TENDRIL_CODEC_WIRE_MESSAGE_H

#include "base/arena.h"
#include "tendril/status.h"

#include <jansson.h>
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

/// Most messages, strings and byte strings in one message, and most fields of any kind (those unknown count as
/// parts): what unpacking would allocate is bounded by them. A packed array is one field.
enum { CODEC_MAX_PARTS = 250000, CODEC_MAX_FIELDS = 2000000 };

/// Checks the bytes of a message before they are unpacked: well formed, strings in UTF-8 without NUL (which would cut
/// them short in C), within these limits. Pointers name fields ("/setup/want"). Allocates nothing.
TD_NODISCARD td_status codec_message_check(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
                                           td_error *err);

/// Fills an initialised message from the members of an object that have the names of its fields; null and unknown
/// members are left out, an object or array where the field is a string becomes its JSON text, an object where it is
/// a map its entries. Strings and sub-messages are put into `a`; strings may borrow from `object`. False when memory
/// is short.
bool codec_message_fill(const json_t *object, arena *a, ProtobufCMessage *message);

#endif
