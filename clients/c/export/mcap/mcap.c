// A file is magic, header, data, summary, offsets of the summary's groups, footer, magic. A record is a byte (opcode),
// its length in 8 bytes, its content; everything little-endian. Messages are gathered in chunks of about a megabyte,
// not compressed; behind each stand the times and places of its messages by channel. Schemas and channels stand in the
// first chunk and again in the summary, where a reader looks first. The three checksums: of each chunk's records, of
// all data, of the summary.
#include "export/mcap/mcap.h"

#include "base/say.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK_BYTES = 1 << 20 };
enum opcode {
  OP_HEADER = 1,
  OP_FOOTER,
  OP_SCHEMA,
  OP_CHANNEL,
  OP_MESSAGE,
  OP_CHUNK,
  OP_MESSAGE_INDEX,
  OP_CHUNK_INDEX,
  OP_ATTACHMENT,
  OP_ATTACHMENT_INDEX,
  OP_STATISTICS,
  OP_METADATA,
  OP_METADATA_INDEX,
  OP_SUMMARY_OFFSET,
  OP_DATA_END
};

typedef struct bytes {
  unsigned char *at;
  size_t size, room;
} bytes;

typedef struct channel {
  uint64_t messages;
  bytes index; // of the open chunk: (time, place) of each message
} channel;

struct mcap {
  FILE *to;
  uint64_t place; // bytes written
  uLong crc;      // of what was written since the last crc32(0)
  bytes schemas, channels, chunk_indexes, attachment_indexes, metadata_indexes; // records of the summary
  uint32_t schema_count, channel_count, chunk_count, attachment_count, metadata_count;
  channel *channel; // [MCAP_CHANNELS], number n at n - 1
  bytes chunk;      // records of the open one
  uint64_t chunk_messages, chunk_first, chunk_last;
  uint64_t messages, first, last;
  bool failed;
};

// ------------------------------------------------------------------------------------------------ bytes

static void add(bytes *b, const void *data, size_t size) {
  if (b->room - b->size < size) {
    b->room = 2 * b->room + size + 256;
    b->at = must_realloc(b->at, b->room);
  }
  if (size > 0) memcpy(b->at + b->size, data, size);
  b->size += size;
}

static void add_number(bytes *b, uint64_t x, int size) {
  unsigned char little[8];
  for (int i = 0; i < size; ++i) little[i] = (unsigned char)(x >> 8 * i);
  add(b, little, (size_t)size);
}

static void add_blob(bytes *b, const void *data, size_t size) {
  add_number(b, size, 4);
  add(b, data, size);
}

static void add_text(bytes *b, const char *text) { add_blob(b, text, strlen(text)); }

static void add_pairs(bytes *b, const mcap_pair *pairs, size_t count) {
  bytes all = {0};
  for (size_t i = 0; i < count; ++i) add_text(&all, pairs[i].key), add_text(&all, pairs[i].value);
  add_blob(b, all.at, all.size);
  free(all.at);
}

static void add_record(bytes *b, enum opcode op, const bytes *content) {
  add_number(b, op, 1);
  add_number(b, content->size, 8);
  add(b, content->at, content->size);
}

static void put(mcap *m, const void *data, size_t size) {
  const unsigned char *p = data;
  if (size > 0 && fwrite(data, 1, size, m->to) != size) m->failed = true;
  m->place += size;
  for (size_t left = size; left > 0;) {
    uInt part = left > 1u << 30 ? 1u << 30 : (uInt)left;
    m->crc = crc32(m->crc, p, part);
    p += part, left -= part;
  }
}

// Writes a record and forgets its content; returns its length with opcode and prefix.
static uint64_t put_record(mcap *m, enum opcode op, bytes *content) {
  unsigned char head[9] = {(unsigned char)op};
  for (int i = 0; i < 8; ++i) head[1 + i] = (unsigned char)((uint64_t)content->size >> 8 * i);
  uint64_t length = sizeof head + content->size;
  put(m, head, sizeof head);
  put(m, content->at, content->size);
  free(content->at);
  *content = (bytes){0};
  return length;
}

static const unsigned char magic[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

mcap *mcap_begin(FILE *to) {
  mcap *m = must_alloc(sizeof *m);
  *m = (mcap){.to = to, .crc = crc32(0, NULL, 0), .channel = must_alloc(MCAP_CHANNELS * sizeof *m->channel)};
  memset(m->channel, 0, MCAP_CHANNELS * sizeof *m->channel);
  put(m, magic, sizeof magic);
  bytes header = {0};
  add_text(&header, "");
  add_text(&header, "tendril " TENDRIL_VERSION);
  put_record(m, OP_HEADER, &header);
  return m;
}

// ------------------------------------------------------------------------------------------------ data

uint16_t mcap_schema(mcap *m, const char *name, const char *text) {
  assert(m->schema_count < MCAP_CHANNELS && m->messages == 0);
  bytes b = {0};
  add_number(&b, ++m->schema_count, 2);
  add_text(&b, name);
  add_text(&b, "jsonschema");
  add_text(&b, text);
  add_record(&m->schemas, OP_SCHEMA, &b);
  free(b.at);
  return (uint16_t)m->schema_count;
}

uint16_t mcap_channel(mcap *m, uint16_t schema, const char *topic, const mcap_pair *pairs, size_t count) {
  assert(m->channel_count < MCAP_CHANNELS && m->messages == 0 && schema <= m->schema_count);
  bytes b = {0};
  add_number(&b, ++m->channel_count, 2);
  add_number(&b, schema, 2);
  add_text(&b, topic);
  add_text(&b, "json");
  add_pairs(&b, pairs, count);
  add_record(&m->channels, OP_CHANNEL, &b);
  free(b.at);
  return (uint16_t)m->channel_count;
}

static void put_chunk(mcap *m) {
  bytes b = {0};
  add_number(&b, m->chunk_first, 8);
  add_number(&b, m->chunk_last, 8);
  add_number(&b, m->chunk.size, 8);
  add_number(&b, crc32(crc32(0, NULL, 0), m->chunk.at, (uInt)m->chunk.size), 4);
  add_text(&b, "");
  add_number(&b, m->chunk.size, 8);
  add(&b, m->chunk.at, m->chunk.size);
  put_record(m, OP_CHUNK, &b);
}

// The times and places of the chunk's messages; (channel, place of its record) of each in *offsets.
static void put_message_indexes(mcap *m, bytes *offsets) {
  for (uint32_t i = 0; i < m->channel_count; ++i) {
    bytes *index = &m->channel[i].index, b = {0};
    if (index->size == 0) continue;
    add_number(offsets, i + 1, 2);
    add_number(offsets, m->place, 8);
    add_number(&b, i + 1, 2);
    add_blob(&b, index->at, index->size);
    put_record(m, OP_MESSAGE_INDEX, &b);
    index->size = 0;
  }
}

static void end_chunk(mcap *m) {
  if (m->chunk_messages == 0) return;
  bytes index = {0}, offsets = {0};
  uint64_t begin = m->place;
  put_chunk(m);
  uint64_t behind = m->place;
  put_message_indexes(m, &offsets);
  add_number(&index, m->chunk_first, 8);
  add_number(&index, m->chunk_last, 8);
  add_number(&index, begin, 8);
  add_number(&index, behind - begin, 8);
  add_blob(&index, offsets.at, offsets.size);
  add_number(&index, m->place - behind, 8);
  add_text(&index, "");
  add_number(&index, m->chunk.size, 8);
  add_number(&index, m->chunk.size, 8);
  add_record(&m->chunk_indexes, OP_CHUNK_INDEX, &index);
  free(index.at);
  free(offsets.at);
  ++m->chunk_count;
  m->chunk.size = 0;
  m->chunk_messages = 0;
}

void mcap_message(mcap *m, uint16_t number, uint64_t time_ns, const void *data, size_t size) {
  assert(number >= 1 && number <= m->channel_count && time_ns >= m->last && size < UINT32_MAX / 2);
  channel *c = &m->channel[number - 1];
  if (m->messages == 0) {
    add(&m->chunk, m->schemas.at, m->schemas.size);
    add(&m->chunk, m->channels.at, m->channels.size);
    m->first = time_ns;
  }
  if (m->chunk_messages++ == 0) m->chunk_first = time_ns;
  m->chunk_last = m->last = time_ns;
  ++m->messages;
  add_number(&c->index, time_ns, 8);
  add_number(&c->index, m->chunk.size, 8);
  add_number(&m->chunk, OP_MESSAGE, 1);
  add_number(&m->chunk, 22 + size, 8);
  add_number(&m->chunk, number, 2);
  add_number(&m->chunk, c->messages++ & UINT32_MAX, 4);
  add_number(&m->chunk, time_ns, 8);
  add_number(&m->chunk, time_ns, 8);
  add(&m->chunk, data, size);
  if (m->chunk.size >= CHUNK_BYTES) end_chunk(m);
}

void mcap_attachment(mcap *m, const char *name, const char *media_type, const void *data, size_t size) {
  bytes b = {0}, index = {0};
  end_chunk(m);
  uint64_t begin = m->place;
  add_number(&b, m->last, 8);
  add_number(&b, 0, 8);
  add_text(&b, name);
  add_text(&b, media_type);
  add_number(&b, size, 8);
  add(&b, data, size);
  add_number(&b, crc32(crc32(0, NULL, 0), b.at, (uInt)b.size), 4);
  uint64_t length = put_record(m, OP_ATTACHMENT, &b);
  add_number(&index, begin, 8);
  add_number(&index, length, 8);
  add_number(&index, m->last, 8);
  add_number(&index, 0, 8);
  add_number(&index, size, 8);
  add_text(&index, name);
  add_text(&index, media_type);
  add_record(&m->attachment_indexes, OP_ATTACHMENT_INDEX, &index);
  free(index.at);
  ++m->attachment_count;
}

void mcap_metadata(mcap *m, const char *name, const mcap_pair *pairs, size_t count) {
  bytes b = {0}, index = {0};
  end_chunk(m);
  uint64_t begin = m->place;
  add_text(&b, name);
  add_pairs(&b, pairs, count);
  uint64_t length = put_record(m, OP_METADATA, &b);
  add_number(&index, begin, 8);
  add_number(&index, length, 8);
  add_text(&index, name);
  add_record(&m->metadata_indexes, OP_METADATA_INDEX, &index);
  free(index.at);
  ++m->metadata_count;
}

// ------------------------------------------------------------------------------------------------ the end

static bytes statistics_of(const mcap *m) {
  bytes b = {0}, counts = {0}, record = {0};
  for (uint32_t i = 0; i < m->channel_count; ++i)
    add_number(&counts, i + 1, 2), add_number(&counts, m->channel[i].messages, 8);
  add_number(&b, m->messages, 8);
  add_number(&b, m->schema_count, 2);
  add_number(&b, m->channel_count, 4);
  add_number(&b, m->attachment_count, 4);
  add_number(&b, m->metadata_count, 4);
  add_number(&b, m->chunk_count, 4);
  add_number(&b, m->first, 8);
  add_number(&b, m->last, 8);
  add_blob(&b, counts.at, counts.size);
  add_record(&record, OP_STATISTICS, &b);
  free(counts.at);
  free(b.at);
  return record;
}

static void put_summary(mcap *m) {
  bytes statistics = statistics_of(m), offsets = {0}, footer = {0};
  const struct {
    enum opcode op;
    const bytes *records;
  } groups[] = {{OP_SCHEMA, &m->schemas},
                {OP_CHANNEL, &m->channels},
                {OP_CHUNK_INDEX, &m->chunk_indexes},
                {OP_ATTACHMENT_INDEX, &m->attachment_indexes},
                {OP_METADATA_INDEX, &m->metadata_indexes},
                {OP_STATISTICS, &statistics}};
  uint64_t begin = m->place;
  m->crc = crc32(0, NULL, 0);
  for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i) {
    if (groups[i].records->size == 0) continue;
    bytes b = {0};
    add_number(&b, groups[i].op, 1);
    add_number(&b, m->place, 8);
    add_number(&b, groups[i].records->size, 8);
    add_record(&offsets, OP_SUMMARY_OFFSET, &b);
    free(b.at);
    put(m, groups[i].records->at, groups[i].records->size);
  }
  uint64_t offsets_begin = m->place;
  put(m, offsets.at, offsets.size);
  add_number(&footer, OP_FOOTER, 1);
  add_number(&footer, 20, 8);
  add_number(&footer, begin, 8);
  add_number(&footer, offsets_begin, 8);
  put(m, footer.at, footer.size);
  footer.size = 0;
  add_number(&footer, m->crc, 4);
  put(m, footer.at, footer.size);
  put(m, magic, sizeof magic);
  free(statistics.at), free(offsets.at), free(footer.at);
}

bool mcap_end(mcap *m) {
  bytes end = {0};
  end_chunk(m);
  add_number(&end, m->crc, 4);
  put_record(m, OP_DATA_END, &end);
  put_summary(m);
  bool good = !m->failed && fflush(m->to) == 0;
  bytes *const all[] = {&m->schemas,          &m->channels, &m->chunk_indexes, &m->attachment_indexes,
                        &m->metadata_indexes, &m->chunk};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]->at);
  for (int i = 0; i < MCAP_CHANNELS; ++i) free(m->channel[i].index.at);
  free(m->channel);
  free(m);
  return good;
}
