// Local header, npy header padded to 64 bytes, elements; then the directory, collected on the way.
#include "lib/npz_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { WORDS = 64, WORD = 48 };

static bool put(client_buffer *b, uint64_t value, int bytes) {
  unsigned char raw[8];
  for (int i = 0; i < bytes; ++i) raw[i] = (unsigned char)(value >> 8 * i);
  return client_append(b, raw, (size_t)bytes);
}

// The part that local header and directory row share: version, flags, method, time, date, crc, sizes, name, extra.
static bool put_facts(client_buffer *b, uint32_t crc, size_t size, size_t name) {
  return put(b, 20, 2) && put(b, 0, 2) && put(b, 0, 2) && put(b, 0, 2) && put(b, 0x21, 2) && put(b, crc, 4) &&
         put(b, size, 4) && put(b, size, 4) && put(b, name, 2) && put(b, 0, 2);
}

// "{'descr': …}" behind the magic, so that the elements begin at a multiple of 64.
static size_t npy_header(char out[512], const char *type, int rank, const size_t *shape) {
  char text[400];
  int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
  for (int i = 0; i < rank; ++i) n += snprintf(text + n, sizeof text - (size_t)n, "%zu,", shape[i]);
  n += snprintf(text + n, sizeof text - (size_t)n, "), }");
  size_t length = ((size_t)n + 1 + 10 + 63) / 64 * 64 - 10;
  memcpy(out, "\x93NUMPY\1\0", 8);
  out[8] = (char)(length & 0xff);
  out[9] = (char)(length >> 8);
  memset(out + 10, ' ', length);
  memcpy(out + 10, text, (size_t)n);
  out[10 + length - 1] = '\n';
  return 10 + length;
}

bool client_npz_add(client_npz_writer *w, const char *name, const char *type, int rank, const size_t *shape,
                    const void *data, size_t size) {
  char head[512], file[80];
  size_t head_size = npy_header(head, type, rank, shape), offset = w->archive.size, whole = head_size + size;
  if (whole >= UINT32_MAX - 1024 || offset >= UINT32_MAX - 1024 - whole) return false;
  uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)head, (uInt)head_size);
  crc = size > 0 ? crc32(crc, data, (uInt)size) : crc;
  snprintf(file, sizeof file, "%.70s.npy", name);
  size_t name_size = strlen(file);
  client_buffer *a = &w->archive, *d = &w->directory;
  bool good = put(a, 0x04034b50, 4) && put_facts(a, (uint32_t)crc, whole, name_size) &&
              client_append(a, file, name_size) && client_append(a, head, head_size) &&
              (size == 0 || client_append(a, data, size));
  good = good && put(d, 0x02014b50, 4) && put(d, 20, 2) && put_facts(d, (uint32_t)crc, whole, name_size) &&
         put(d, 0, 2) && put(d, 0, 2) && put(d, 0, 2) && put(d, 0, 4) && put(d, offset, 4) &&
         client_append(d, file, name_size);
  ++w->count;
  return good;
}

// The next word and its length; 0 at the end.
static size_t next_word(const char **at) {
  *at += strspn(*at, ", ");
  return strcspn(*at, ", ");
}

bool client_npz_words_fit(const char *words) {
  size_t count = 0;
  for (size_t length; (length = next_word(&words)) > 0; words += length)
    if (length > WORD || ++count > WORDS) return false;
  return count > 0;
}

bool client_npz_add_words(client_npz_writer *w, const char *name, const char *words) {
  char(*cells)[WORD] = calloc(WORDS, WORD);
  size_t count = 0;
  for (size_t length; cells && count < WORDS && (length = next_word(&words)) > 0; words += length)
    memcpy(cells[count++], words, length < WORD ? length : WORD);
  bool good = cells && client_npz_add(w, name, "|S48", 1, &count, cells, count * WORD);
  free(cells);
  return good;
}

bool client_npz_finish(client_npz_writer *w) {
  client_buffer *a = &w->archive;
  size_t offset = a->size;
  return client_append(a, w->directory.at ? w->directory.at : "", w->directory.size) && put(a, 0x06054b50, 4) &&
         put(a, 0, 4) && put(a, w->count, 2) && put(a, w->count, 2) && put(a, w->directory.size, 4) &&
         put(a, offset, 4) && put(a, 0, 2);
}

void client_npz_free(client_npz_writer *w) {
  client_buffer_free(&w->archive);
  client_buffer_free(&w->directory);
}
