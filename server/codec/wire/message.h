// Protobuf messages: what protobuf-c does not check.
#ifndef TENDRIL_CODEC_WIRE_MESSAGE_H
#define TENDRIL_CODEC_WIRE_MESSAGE_H

#include "tendril/status.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

/// Most messages, strings and byte strings in one message, and most fields of any kind (those unknown count as parts):
/// what unpacking would allocate is bounded by them. A packed array is one field.
enum { CODEC_MAX_PARTS = 250000, CODEC_MAX_FIELDS = 2000000 };

/// Checks the bytes of a message before they are unpacked: well formed, strings in UTF-8 without NUL (which would cut
/// them short in C), within these limits. Pointers name fields ("/setup/want"). Allocates nothing.
TD_NODISCARD td_status codec_message_check(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
                                           td_error *err);

#endif
