// MATLAB's MAT-file, version 5, deflated, as MATLAB, Octave and scipy.io.loadmat read it.
//
// Arrays keep their axes: q(k, i) is coordinate i at row k, both counted from 1; t is a column. Arrays of links are
// fields of a struct: poses.arm(k, point, :, :), at an abscissa poses.arm_at_1(k, :, :). What is no name in MATLAB gets
// underscores, and a number where two would be the same. `names` and `units` are structs with the same fields: cells of
// what stands along the last axis, or one text. `summary` is the summary as JSON text: jsondecode(summary).
#include "export/result.h"

#include "base/say.h"
#include <ctype.h>
#include <matio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 63 };                    // MATLAB's
static const size_t BYTES_MOST = INT32_MAX; // of one variable in version 5

// ------------------------------------------------------------------------------------------------ values

// UTF-16, as MATLAB keeps text. What is not UTF-8 becomes U+FFFD.
static size_t to_utf16(const char *text, uint16_t *out) {
  size_t n = 0;
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    int more = *p < 0x80 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : -1;
    uint32_t code = more <= 0 ? *p : *p & (0x3fu >> more);
    ++p;
    for (; more > 0 && (*p & 0xc0) == 0x80; --more) code = code << 6 | (*p++ & 0x3f);
    if (more != 0) code = 0xfffd;
    if (code >= 0x10000) out[n++] = (uint16_t)(0xd7c0 + (code >> 10)), code = 0xdc00 | (code & 0x3ff);
    out[n++] = (uint16_t)code;
  }
  return n;
}

static matvar_t *text_variable(const char *name, const char *text) {
  uint16_t *wide = must_alloc((strlen(text) + 1) * sizeof *wide);
  size_t dims[2] = {1, to_utf16(text, wide)};
  if (dims[1] == 0) dims[0] = 0;
  matvar_t *v = Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UINT16, 2, dims, wide, 0);
  free(wide);
  return v;
}

// C order to MATLAB's, in which the first index runs fastest; at least two axes.
static matvar_t *array_variable(const char *name, const tendril_array *a) {
  size_t dims[TENDRIL_RANK + 2] = {1, 1}, step[TENDRIL_RANK + 2] = {0}, index[TENDRIL_RANK + 2] = {0};
  int rank = a->rank < 2 ? 2 : a->rank;
  for (int k = 0; k < a->rank; ++k) dims[k] = a->shape[k];
  for (size_t k = (size_t)a->rank, s = 1; k-- > 0; s *= a->shape[k]) step[k] = s;
  double *turned = must_alloc((a->count + 1) * sizeof *turned);
  for (size_t i = 0, from = 0; i < a->count; ++i) {
    turned[i] = a->values[from];
    for (int k = 0; k < rank; ++k) { // the next index, as an odometer with its first wheel fastest
      from += step[k];
      if (++index[k] < dims[k]) break;
      from -= step[k] * dims[k];
      index[k] = 0;
    }
  }
  matvar_t *v = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, rank, dims, turned, 0);
  free(turned);
  return v;
}

static matvar_t *list_variable(const char *const *texts, size_t count) {
  size_t dims[2] = {1, count};
  matvar_t **cells = must_alloc((count + 1) * sizeof *cells);
  for (size_t i = 0; i < count; ++i) cells[i] = text_variable(NULL, texts[i]);
  matvar_t *v = Mat_VarCreate(NULL, MAT_C_CELL, MAT_T_CELL, 2, dims, cells, 0);
  free(cells);
  return v;
}

// ------------------------------------------------------------------------------------------------ names

static void make_word(char out[NAME_MOST + 1], const char *prefix, const char *text) {
  size_t n = (size_t)snprintf(out, NAME_MOST - 2, "%s", prefix);
  if (n == 0 && !isalpha((unsigned char)*text)) out[n++] = 'x';
  for (const char *p = text; *p && n < NAME_MOST - 4; ++p) {
    if (*p == '@')
      memcpy(out + n, "_at_", 4), n += 4;
    else
      out[n++] = isalnum((unsigned char)*p) ? *p : '_';
  }
  out[n] = '\0';
}

typedef struct group { // variables, or fields of a struct
  char (*words)[NAME_MOST + 1];
  int count;
} group;

// Unique among those that the group has.
static const char *take_word(group *g, const char *text) {
  char *word = g->words[g->count];
  make_word(word, "", text);
  size_t length = strlen(word);
  for (int i = 0, number = 2; i < g->count; ++i) {
    if (strcmp(g->words[i], word) != 0) continue;
    snprintf(word + length, NAME_MOST + 1 - length, "_%d", number++ % 10);
    i = -1;
    if (number > 10) break;
  }
  ++g->count;
  return word;
}

// ------------------------------------------------------------------------------------------------ the file

typedef struct mat_maker {
  mat_t *file;
  group top;
  matvar_t *names, *units;
  bool good;
} mat_maker;

static void put(mat_maker *m, matvar_t *v) {
  m->good = m->good && v && Mat_VarWrite(m->file, v, MAT_COMPRESSION_ZLIB) == 0;
  Mat_VarFree(v);
}

static matvar_t *new_struct(const char *name) { return Mat_VarCreateStruct(name, 2, (size_t[]){1, 1}, NULL, 0); }

static void set_field(matvar_t *of, const char *word, matvar_t *value) {
  if (!value) return;
  Mat_VarAddStructField(of, word);
  Mat_VarSetStructFieldByName(of, word, 0, value);
}

static bool fits(const export_field *f) {
  if (f->array->count < BYTES_MOST / sizeof(double)) return true;
  say_error("%s is too large for MATLAB's format (2 GB): take --to hdf5, or a part with --fields, --from, --until "
            "or --stride",
            f->array->name);
  return false;
}

static void tell(mat_maker *m, const char *word, const export_field *f) {
  if (f->names) set_field(m->names, word, list_variable(f->names, f->columns));
  if (f->units)
    set_field(m->units, word, list_variable(f->units, f->columns));
  else if (*f->unit)
    set_field(m->units, word, text_variable(NULL, f->unit));
}

static bool is_of_links(const export_field *f) { return *f->link && strcmp(f->family, "sensitivity") != 0; }

// All arrays of one family, "poses", as one struct.
static void put_family(mat_maker *m, const export_result *r, int first) {
  const char *family = r->fields[first].family, *word = take_word(&m->top, family);
  group inner = {.words = must_alloc((size_t)r->count * sizeof *inner.words)};
  matvar_t *links = new_struct(word);
  for (int i = first; i < r->count; ++i) {
    const export_field *f = &r->fields[i];
    if (!is_of_links(f) || strcmp(f->family, family) != 0) continue;
    m->good = m->good && fits(f);
    if (m->good) set_field(links, take_word(&inner, f->link), array_variable(NULL, f->array));
  }
  tell(m, word, &r->fields[first]);
  put(m, links);
  free(inner.words);
}

static bool begun(const export_result *r, int at) {
  for (int i = 0; i < at; ++i)
    if (is_of_links(&r->fields[i]) && strcmp(r->fields[i].family, r->fields[at].family) == 0) return true;
  return false;
}

static void put_fields(mat_maker *m, const export_result *r) {
  for (int i = 0; m->good && i < r->count; ++i) {
    const export_field *f = &r->fields[i];
    if (is_of_links(f)) {
      if (!begun(r, i)) put_family(m, r, i);
      continue;
    }
    m->good = fits(f);
    if (!m->good) return;
    const char *word = take_word(&m->top, f->array->name);
    tell(m, word, f);
    put(m, array_variable(word, f->array));
  }
}

bool export_mat(const export_result *r, const char *path) {
  mat_maker m = {.file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, tendril " TENDRIL_VERSION, MAT_FT_MAT5),
                 .good = true};
  if (!m.file) return say_error("cannot write %s", path), false;
  m.top.words = must_alloc((size_t)(r->count + 4) * sizeof *m.top.words);
  take_word(&m.top, "names"), take_word(&m.top, "units"), take_word(&m.top, "summary");
  m.names = new_struct("names"), m.units = new_struct("units");
  put_fields(&m, r);
  put(&m, m.names), put(&m, m.units);
  char *text = export_summary(r);
  put(&m, text_variable("summary", text));
  free(text);
  free(m.top.words);
  m.good = Mat_Close(m.file) == 0 && m.good;
  if (!m.good) say_error("the MAT-file cannot be written whole");
  return m.good;
}
