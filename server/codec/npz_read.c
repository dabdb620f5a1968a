// Reading NPZ: the zip directory, one member's bytes, the .npy header, numbers and strings.
//
// Method: the directory is found from the end of the archive (zip64 records honoured) and trusted only as far as every
// offset and size lies inside the archive. Deflated members are inflated into exactly the size the directory declares, which
// the arena's limit bounds; CRCs are checked. The .npy header is a Python dict literal of three keys, read by a small scanner.
#include "codec/npz.h"

#include "codec/pointer.h"
#include "codec/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { END_SIZE = 22, ENTRY_SIZE = 46, LOCAL_SIZE = 30, COMMENT_MAX = 65535 };
#define ZIP32 0xffffffffu

static uint16_t get16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t get32(const unsigned char *p) { return get16(p) | (uint32_t)get16(p + 2) << 16; }
static uint64_t get64(const unsigned char *p) { return get32(p) | (uint64_t)get32(p + 4) << 32; }

static td_status broken(td_error *err, const char *what) {
  return td_fail(err, TD_INVALID_ARGUMENT, "", "not a readable NPZ archive: %s", what);
}

static td_status broken_member(td_error *err, const char *name, const char *what) {
  codec_pointer at;
  codec_pointer_init(&at, "");
  codec_pointer_key(&at, name);
  return td_fail(err, TD_INVALID_ARGUMENT, at.text, "member \"%.60s\": %s", name, what);
}

// ------------------------------------------------------------------------------------------------ directory

typedef struct directory {
  uint64_t at, size, count;
} directory;

static bool find_end(const unsigned char *bytes, size_t size, size_t *end) {
  if (size < END_SIZE) return false;
  size_t lowest = size > END_SIZE + COMMENT_MAX ? size - END_SIZE - COMMENT_MAX : 0;
  for (size_t at = size - END_SIZE + 1; at-- > lowest;)
    if (get32(bytes + at) == 0x06054b50) return *end = at, true;
  return false;
}

// The zip64 record that a locator in front of the end record points to.
static void zip64_directory(const unsigned char *bytes, size_t end, directory *d) {
  if (end < 20 || get32(bytes + end - 20) != 0x07064b50) return;
  uint64_t at = get64(bytes + end - 20 + 8);
  if (at > end || end - at < 56 || get32(bytes + at) != 0x06064b50) return;
  *d = (directory){.at = get64(bytes + at + 48), .size = get64(bytes + at + 40), .count = get64(bytes + at + 32)};
}

// Sizes and offset that did not fit 32 bits stand, in this order, in extra field 1.
static bool zip64_entry(const unsigned char *extra, size_t size, npz_member *m) {
  uint64_t *wanted[3] = {&m->unpacked, &m->packed, &m->header_offset};
  for (size_t i = 0; i + 4 <= size;) {
    size_t length = get16(extra + i + 2), at = i + 4;
    if (length > size - at) return false;
    for (int k = 0; get16(extra + i) == 1 && k < 3; k++) {
      if (*wanted[k] != ZIP32) continue;
      if (at + 8 > i + 4 + length) return false;
      *wanted[k] = get64(extra + at);
      at += 8;
    }
    i += 4 + length;
  }
  return true;
}

static td_status take_name(const unsigned char *text, size_t length, npz_member *m, td_error *err) {
  if (length < 4 || memcmp(text + length - 4, ".npy", 4) != 0) return broken(err, "a member is not an .npy file");
  length -= 4;
  if (length == 0 || length > NPZ_MAX_NAME || memchr(text, 0, length))
    return broken(err, "a member's name is unusable");
  memcpy(m->name, text, length);
  return TD_OK;
}

static td_status read_entry(const unsigned char *p, size_t room, npz_member *m, size_t *used, td_error *err) {
  if (room < ENTRY_SIZE || get32(p) != 0x02014b50) return broken(err, "its directory is damaged");
  size_t name = get16(p + 28), extra = get16(p + 30), comment = get16(p + 32);
  *used = ENTRY_SIZE + name + extra + comment;
  if (*used > room) return broken(err, "its directory is damaged");
  if (get16(p + 8) & 1) return broken(err, "a member is encrypted");
  m->method = get16(p + 10);
  m->crc = get32(p + 16);
  m->packed = get32(p + 20);
  m->unpacked = get32(p + 24);
  m->header_offset = get32(p + 42);
  if (!zip64_entry(p + ENTRY_SIZE + name, extra, m)) return broken(err, "its directory is damaged");
  return take_name(p + ENTRY_SIZE, name, m, err);
}

static td_status read_entries(npz_archive *archive, const directory *d, td_error *err) {
  size_t at = (size_t)d->at, end = (size_t)(d->at + d->size);
  for (; archive->count < d->count; archive->count++) {
    npz_member *m = &archive->members[archive->count];
    size_t used = 0;
    td_status status = read_entry(archive->bytes + at, end - at, m, &used, err);
    if (status != TD_OK) return status;
    if (npz_find(archive, m->name)) return broken_member(err, m->name, "stands in the archive twice");
    at += used;
  }
  return TD_OK;
}

td_status npz_open(const void *bytes, size_t size, arena *a, npz_archive *archive, td_error *err) {
  *archive = (npz_archive){.bytes = bytes, .size = size};
  size_t end;
  if (!find_end(bytes, size, &end)) return broken(err, "it has no zip directory (cut off, or not a zip file)");
  const unsigned char *p = archive->bytes + end;
  directory d = {.at = get32(p + 16), .size = get32(p + 12), .count = get16(p + 10)};
  zip64_directory(bytes, end, &d);
  if (d.at > end || d.size > end - d.at) return broken(err, "its directory lies outside of it");
  if (d.count > NPZ_MAX_MEMBERS) return broken(err, "it has too many members");
  archive->members = arena_array(a, (size_t)d.count, sizeof *archive->members);
  if (!archive->members) return td_fail(err, TD_NO_MEMORY, "", "out of memory");
  return read_entries(archive, &d, err);
}

const npz_member *npz_find(const npz_archive *archive, const char *name) {
  for (size_t i = 0; i < archive->count; i++)
    if (strcmp(archive->members[i].name, name) == 0) return &archive->members[i];
  return NULL;
}

// ------------------------------------------------------------------------------------------------ a member's bytes

static bool inflate_all(const unsigned char *in, uint64_t packed, unsigned char *out, uint64_t unpacked) {
  z_stream z = {0};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return false;
  int status = Z_OK;
  uint64_t fed = 0, made = 0;
  const uint64_t piece = 1u << 30;
  while (status == Z_OK) {
    uint64_t give = packed - fed < piece ? packed - fed : piece,
             room = unpacked - made < piece ? unpacked - made : piece;
    z.next_in = (unsigned char *)in + fed;
    z.avail_in = (unsigned)give;
    z.next_out = out + made;
    z.avail_out = (unsigned)room;
    status = inflate(&z, Z_NO_FLUSH);
    uint64_t ate = give - z.avail_in, wrote = room - z.avail_out;
    fed += ate;
    made += wrote;
    if (ate == 0 && wrote == 0 && status == Z_OK) status = Z_BUF_ERROR;
  }
  inflateEnd(&z);
  return status == Z_STREAM_END && made == unpacked;
}

static td_status member_bytes(const npz_archive *archive, const npz_member *m, arena *a, bool check,
                              const unsigned char **bytes, td_error *err) {
  size_t size = archive->size;
  if (m->header_offset > size || size - m->header_offset < LOCAL_SIZE) return broken_member(err, m->name, "is cut off");
  const unsigned char *local = archive->bytes + m->header_offset;
  if (get32(local) != 0x04034b50) return broken_member(err, m->name, "has no local header");
  uint64_t at = m->header_offset + LOCAL_SIZE + get16(local + 26) + get16(local + 28);
  if (at > size || m->packed > size - at) return broken_member(err, m->name, "is cut off");
  *bytes = archive->bytes + at;
  if (m->method == 0) {
    if (m->packed != m->unpacked) return broken_member(err, m->name, "has two sizes");
  } else if (m->method == 8) {
    unsigned char *out = m->unpacked / 1100 > m->packed ? NULL : arena_alloc(a, (size_t)m->unpacked);
    if (!out) return broken_member(err, m->name, "is too large when unpacked");
    if (!inflate_all(*bytes, m->packed, out, m->unpacked)) return broken_member(err, m->name, "does not inflate");
    *bytes = out;
  } else {
    return broken_member(err, m->name, "is neither stored nor deflated");
  }
  if (check && crc32_z(0, *bytes, (size_t)m->unpacked) != m->crc) return broken_member(err, m->name, "fails its CRC");
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ .npy header

typedef struct scanner {
  const char *p, *end;
} scanner;

static void skip_space(scanner *s) {
  while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t')) s->p++;
}

static bool take(scanner *s, char c) {
  skip_space(s);
  if (s->p == s->end || *s->p != c) return false;
  s->p++;
  return true;
}

static bool take_quoted(scanner *s, char *out, size_t room) {
  skip_space(s);
  if (s->p == s->end || (*s->p != '\'' && *s->p != '"')) return false;
  char quote = *s->p++;
  size_t n = 0;
  while (s->p < s->end && *s->p != quote && n + 1 < room) out[n++] = *s->p++;
  out[n] = '\0';
  return take(s, quote);
}

static bool take_integer(scanner *s, uint64_t *x) {
  skip_space(s);
  const char *first = s->p;
  for (*x = 0; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++) {
    if (*x > UINT64_MAX / 100) return false;
    *x = 10 * *x + (uint64_t)(*s->p - '0');
  }
  return s->p > first;
}

static bool take_shape(scanner *s, npz_array *array) {
  if (!take(s, '(')) return false;
  bool more = true; // a comma stood in front
  for (array->rank = 0; !take(s, ')'); array->rank++) {
    uint64_t n;
    if (array->rank == NPZ_MAX_RANK || !more || !take_integer(s, &n)) return false;
    array->dim[array->rank] = (size_t)n;
    more = take(s, ',');
  }
  return true;
}

static bool take_bool(scanner *s, bool *x) {
  skip_space(s);
  *x = s->end - s->p >= 4 && memcmp(s->p, "True", 4) == 0;
  if (!*x && (s->end - s->p < 5 || memcmp(s->p, "False", 5) != 0)) return false;
  s->p += *x ? 4 : 5;
  return true;
}

static bool set_type(const char *descr, npz_array *array) {
  static const struct {
    const char *descr;
    npz_type type;
    size_t item;
  } types[] = {{"<f8", NPZ_F8, 8}, {"<f4", NPZ_F4, 4}, {"<i4", NPZ_I4, 4},  {"<i8", NPZ_I8, 8},
               {"|u1", NPZ_U1, 1}, {"|i1", NPZ_I1, 1}, {"|b1", NPZ_BOOL, 1}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (strcmp(types[i].descr, descr) != 0) continue;
    array->type = types[i].type;
    array->item = types[i].item;
    return true;
  }
  bool unicode = strncmp(descr, "<U", 2) == 0;
  if (!unicode && strncmp(descr, "|S", 2) != 0) return false;
  char *end;
  unsigned long n = strtoul(descr + 2, &end, 10);
  if (*end != '\0' || end == descr + 2 || n > 1 << 20) return false;
  array->type = unicode ? NPZ_UNICODE : NPZ_BYTES;
  array->item = unicode ? 4 * n : n;
  return true;
}

// {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }: NULL, or what is wrong with it.
static const char *read_dict(scanner s, npz_array *array) {
  unsigned seen = 0;
  if (!take(&s, '{')) return "its header is no dict";
  while (!take(&s, '}')) {
    char key[24], descr[24];
    if (!take_quoted(&s, key, sizeof key) || !take(&s, ':')) return "its header is damaged";
    if (strcmp(key, "descr") == 0) {
      if (!take_quoted(&s, descr, sizeof descr)) return "only plain arrays are read, not structured ones";
      if (!set_type(descr, array)) return "has a type that is not read (use <f8, <f4, <i8, <i4, or strings)";
      seen |= 1;
    } else if (strcmp(key, "fortran_order") == 0) {
      if (!take_bool(&s, &array->fortran)) return "its header is damaged";
      seen |= 2;
    } else if (strcmp(key, "shape") == 0) {
      if (!take_shape(&s, array)) return "its shape is damaged or of more than 8 dimensions";
      seen |= 4;
    } else {
      return "its header has an unknown key";
    }
    if (!take(&s, ',') && (skip_space(&s), s.p == s.end || *s.p != '}')) return "its header is damaged";
  }
  return seen == 7 ? NULL : "its header lacks a key";
}

static const char *read_npy(const unsigned char *bytes, size_t size, npz_array *array) {
  if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return "is no .npy file";
  if (bytes[6] < 1 || bytes[6] > 3) return "has an unknown .npy version";
  size_t start = bytes[6] == 1 ? 10 : 12, length = bytes[6] == 1 ? get16(bytes + 8) : get32(bytes + 8);
  if (length > size - start) return "is cut off";
  const char *text = (const char *)bytes + start;
  const char *wrong = read_dict((scanner){text, text + length}, array);
  if (wrong) return wrong;
  size_t left = size - start - length;
  array->count = 1;
  for (int i = 0; i < array->rank; i++)
    if (__builtin_mul_overflow(array->count, array->dim[i], &array->count)) return "its shape is too large";
  size_t needed;
  if (__builtin_mul_overflow(array->count, array->item, &needed) || needed != left)
    return "its data does not fit its shape";
  array->data = bytes + start + length;
  return NULL;
}

static td_status read_member(const npz_archive *archive, const npz_member *m, arena *a, bool check, npz_array *array,
                             td_error *err) {
  const unsigned char *bytes = NULL;
  td_status status = member_bytes(archive, m, a, check, &bytes, err);
  if (status != TD_OK) return status;
  *array = (npz_array){0};
  const char *wrong = read_npy(bytes, (size_t)m->unpacked, array);
  return wrong ? broken_member(err, m->name, wrong) : TD_OK;
}

td_status npz_read(const npz_archive *archive, const npz_member *m, arena *a, npz_array *array, td_error *err) {
  return read_member(archive, m, a, true, array, err);
}

td_status npz_peek(const npz_archive *archive, const npz_member *m, arena *a, npz_array *array, td_error *err) {
  return read_member(archive, m, a, false, array, err);
}

// ------------------------------------------------------------------------------------------------ values

static double number_at(const npz_array *array, size_t i) {
  const unsigned char *p = array->data + i * array->item;
  double d;
  float f;
  switch (array->type) {
  case NPZ_F8:
    return memcpy(&d, p, sizeof d), d;
  case NPZ_F4:
    return memcpy(&f, p, sizeof f), (double)f;
  case NPZ_I4:
    return (int32_t)get32(p);
  case NPZ_I8:
    return (double)(int64_t)get64(p);
  case NPZ_I1:
    return (int8_t)*p;
  default:
    return *p;
  }
}

// Where element i (C order) stands in column-major data.
static size_t fortran_index(const npz_array *array, size_t i) {
  size_t at = 0;
  for (int k = array->rank - 1; k >= 0; k--) {
    size_t stride = 1;
    for (int j = 0; j < k; j++) stride *= array->dim[j];
    at += i % array->dim[k] * stride;
    i /= array->dim[k];
  }
  return at;
}

static td_status check_finite(const double *x, size_t count, const char *name, td_error *err) {
  for (size_t i = 0; i < count; i++) {
    if (isfinite(x[i])) continue;
    char what[80];
    snprintf(what, sizeof what, "every number must be finite, number %zu is %g", i, x[i]);
    return broken_member(err, name, what);
  }
  return TD_OK;
}

td_status npz_doubles(const npz_array *array, const char *name, arena *a, const double **values, td_error *err) {
  if (array->type >= NPZ_BOOL) return broken_member(err, name, "must hold numbers");
  if (array->type == NPZ_F8 && !array->fortran && (uintptr_t)array->data % sizeof(double) == 0) {
    *values = (const double *)(const void *)array->data;
    return check_finite(*values, array->count, name, err);
  }
  double *copy = arena_array(a, array->count, sizeof *copy);
  if (!copy) return broken_member(err, name, "is too large");
  for (size_t i = 0; i < array->count; i++) copy[i] = number_at(array, array->fortran ? fortran_index(array, i) : i);
  *values = copy;
  return check_finite(copy, array->count, name, err);
}

static char *put_utf8(char *p, uint32_t c) {
  if (c < 0x80) return *p = (char)c, p + 1;
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  *p++ = (char)(lead[more] | c >> (6 * more));
  while (more-- > 0) *p++ = (char)(0x80 | (c >> (6 * more) & 0x3f));
  return p;
}

const char *npz_string(const npz_array *array, size_t i, arena *a) {
  const unsigned char *p = array->data + i * array->item;
  if (array->type == NPZ_BYTES) {
    size_t n = strnlen((const char *)p, array->item);
    return codec_utf8_valid((const char *)p, n) ? arena_strndup(a, (const char *)p, n) : NULL;
  }
  if (array->type != NPZ_UNICODE) return NULL;
  char *text = arena_alloc(a, array->item + 1), *end = text;
  for (size_t k = 0; text && k < array->item / 4 && get32(p + 4 * k) != 0; k++) {
    uint32_t c = get32(p + 4 * k);
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return NULL;
    end = put_utf8(end, c);
  }
  return text;
}
