// Protobuf messages, by their descriptors: a check of the wire format.
//
// It is one pass over the bytes; it recurses as deep as message types nest, and no type contains itself.
#include "codec/wire/message.h"
#include "codec/json/pointer.h"
#include "codec/json/text.h"

#include <string.h>

typedef struct scan {
  const uint8_t *p, *end;
  codec_pointer at;
  size_t parts, fields;
  td_error *err;
} scan;

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static td_status malformed(scan *s) {
  return td_fail(s->err, TD_INVALID_ARGUMENT, s->at.text, "the message is not well-formed protobuf");
}

static bool take_varint(scan *s, uint64_t *value) {
  *value = 0;
  for (int shift = 0; shift < 64 && s->p < s->end; shift += 7) {
    uint8_t byte = *s->p++;
    *value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

static bool skip(scan *s, uint64_t size) {
  if (size > (uint64_t)(s->end - s->p)) return false;
  s->p += size;
  return true;
}

static td_status check_fields(scan *s, const ProtobufCMessageDescriptor *type);

static td_status count_field(scan *s, bool part) {
  s->fields++;
  s->parts += part;
  if (s->parts > CODEC_MAX_PARTS)
    return td_fail(s->err, TD_LIMIT, s->at.text, "the message has more than %d parts", CODEC_MAX_PARTS);
  if (s->fields > CODEC_MAX_FIELDS)
    return td_fail(s->err, TD_LIMIT, s->at.text, "the message has more than %d fields", CODEC_MAX_FIELDS);
  return TD_OK;
}

static td_status check_part(scan *s, const ProtobufCFieldDescriptor *field, const uint8_t *bytes, size_t size) {
  if (field->type == PROTOBUF_C_TYPE_STRING && (!codec_utf8_valid((const char *)bytes, size) || memchr(bytes, 0, size)))
    return td_fail(s->err, TD_INVALID_ARGUMENT, s->at.text, "the text is not UTF-8, or has a NUL in it");
  if (field->type != PROTOBUF_C_TYPE_MESSAGE) return TD_OK;
  const uint8_t *end = s->end;
  s->p = bytes;
  s->end = bytes + size;
  td_status status = check_fields(s, field->descriptor);
  s->p = bytes + size;
  s->end = end;
  return status;
}

static bool is_part(const ProtobufCFieldDescriptor *field) {
  return field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_MESSAGE ||
         field->type == PROTOBUF_C_TYPE_BYTES;
}

static td_status check_bytes(scan *s, const ProtobufCFieldDescriptor *field) {
  uint64_t size;
  if (!take_varint(s, &size)) return malformed(s);
  const uint8_t *bytes = s->p;
  if (!skip(s, size)) return malformed(s);
  return field && is_part(field) ? check_part(s, field, bytes, (size_t)size) : TD_OK;
}

static td_status check_value(scan *s, const ProtobufCFieldDescriptor *field, unsigned wire) {
  uint64_t ignored;
  switch (wire) {
  case WIRE_VARINT:
    return take_varint(s, &ignored) ? TD_OK : malformed(s);
  case WIRE_64:
    return skip(s, 8) ? TD_OK : malformed(s);
  case WIRE_32:
    return skip(s, 4) ? TD_OK : malformed(s);
  case WIRE_BYTES:
    return check_bytes(s, field);
  default:
    return malformed(s);
  }
}

static td_status check_fields(scan *s, const ProtobufCMessageDescriptor *type) {
  while (s->p < s->end) {
    uint64_t tag;
    if (!take_varint(s, &tag) || tag >> 3 == 0 || tag >> 32 != 0) return malformed(s);
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
    size_t mark = codec_pointer_key(&s->at, field ? field->name : "");
    if (!field) codec_pointer_pop(&s->at, mark);
    td_status status = count_field(s, !field || is_part(field));
    if (status == TD_OK) status = check_value(s, field, (unsigned)(tag & 7));
    if (status != TD_OK) return status;
    if (field) codec_pointer_pop(&s->at, mark);
  }
  return TD_OK;
}

td_status codec_message_check(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size, td_error *err) {
  scan s = {.p = bytes, .end = (const uint8_t *)bytes + size, .err = err};
  codec_pointer_init(&s.at, "");
  return check_fields(&s, type);
}
