// Reading NPZ from memory: one member's bytes, the .npy header, numbers and strings.
//
// Method: deflated members are inflated into exactly the size the directory declares, which the arena's limit bounds; CRCs are
// checked. The .npy header is a Python dict literal of three keys, read by a small scanner.
#include "codec/npz/npz_parts.h"

#include "codec/json/pointer.h"
#include "codec/json/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

td_status npz_broken_member(td_error *err, const char *name, const char *what) {
  codec_pointer at;
  codec_pointer_init(&at, "");
  codec_pointer_key(&at, name);
  return td_fail(err, TD_INVALID_ARGUMENT, at.text, "member \"%.60s\": %s", name, what);
}

td_status npz_open(const void *bytes, size_t size, arena *a, npz_archive *archive, td_error *err) {
  *archive = (npz_archive){.bytes = bytes, .size = size};
  npz_directory d;
  td_status status = npz_directory_find(bytes, size, 0, &d, err);
  return status == TD_OK ? npz_directory_read(archive->bytes + d.at, &d, a, archive, err) : status;
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
  if (m->header_offset > size || size - m->header_offset < NPZ_LOCAL_SIZE)
    return npz_broken_member(err, m->name, "is cut off");
  const unsigned char *local = archive->bytes + m->header_offset;
  if (get32(local) != 0x04034b50) return npz_broken_member(err, m->name, "has no local header");
  uint64_t at = m->header_offset + NPZ_LOCAL_SIZE + get16(local + 26) + get16(local + 28);
  if (at > size || m->packed > size - at) return npz_broken_member(err, m->name, "is cut off");
  *bytes = archive->bytes + at;
  if (m->method == 0) {
    if (m->packed != m->unpacked) return npz_broken_member(err, m->name, "has two sizes");
  } else if (m->method == 8) {
    unsigned char *out = m->unpacked / 1100 > m->packed ? NULL : arena_alloc(a, (size_t)m->unpacked);
    if (!out) return npz_broken_member(err, m->name, "is too large when unpacked");
    if (!inflate_all(*bytes, m->packed, out, m->unpacked)) return npz_broken_member(err, m->name, "does not inflate");
    *bytes = out;
  } else {
    return npz_broken_member(err, m->name, "is neither stored nor deflated");
  }
  if (check && crc32_z(0, *bytes, (size_t)m->unpacked) != m->crc)
    return npz_broken_member(err, m->name, "fails its CRC");
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

const char *npz_header_read(const unsigned char *bytes, size_t held, uint64_t size, npz_array *array, size_t *data) {
  if (held < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return "is no .npy file";
  if (bytes[6] < 1 || bytes[6] > 3) return "has an unknown .npy version";
  size_t start = bytes[6] == 1 ? 10 : 12, length = bytes[6] == 1 ? get16(bytes + 8) : get32(bytes + 8);
  if (length > held - start) return "is cut off";
  const char *text = (const char *)bytes + start;
  *array = (npz_array){0};
  const char *wrong = read_dict((scanner){text, text + length}, array);
  if (wrong) return wrong;
  array->count = 1;
  for (int i = 0; i < array->rank; i++)
    if (__builtin_mul_overflow(array->count, array->dim[i], &array->count)) return "its shape is too large";
  size_t needed;
  *data = start + length;
  if (__builtin_mul_overflow(array->count, array->item, &needed) || needed != size - *data)
    return "its data does not fit its shape";
  return NULL;
}

static td_status read_member(const npz_archive *archive, const npz_member *m, arena *a, bool check, npz_array *array,
                             td_error *err) {
  const unsigned char *bytes = NULL;
  td_status status = member_bytes(archive, m, a, check, &bytes, err);
  if (status != TD_OK) return status;
  size_t data = 0;
  const char *wrong = npz_header_read(bytes, (size_t)m->unpacked, m->unpacked, array, &data);
  array->data = bytes + data;
  return wrong ? npz_broken_member(err, m->name, wrong) : TD_OK;
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
    return npz_broken_member(err, name, what);
  }
  return TD_OK;
}

td_status npz_doubles(const npz_array *array, const char *name, arena *a, const double **values, td_error *err) {
  if (array->type >= NPZ_BOOL) return npz_broken_member(err, name, "must hold numbers");
  if (array->type == NPZ_F8 && !array->fortran && (uintptr_t)array->data % sizeof(double) == 0) {
    *values = (const double *)(const void *)array->data;
    return check_finite(*values, array->count, name, err);
  }
  double *copy = arena_array(a, array->count, sizeof *copy);
  if (!copy) return npz_broken_member(err, name, "is too large");
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
