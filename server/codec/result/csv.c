// A result as CSV text (RFC 4180 with line feeds): one line per row, made as it is read.
//
// Columns: the table below says how the numbers of a member are called; what it does not know gets [i] and, for
// further axes, [i][j]. Poses lose their last row, which is 0 0 0 1. Numbers read back as the same double; those that
// are not finite are nan, inf, -inf, as numpy and pandas read them. Booleans are 1 and 0.
#include "codec/result/parts.h"
#include "tendril/dynamics.h"
#include "tendril/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 32 << 10, NAME_SIZE = 1024, POSE_NUMBERS = 16, POSE_SHOWN = 12 };

typedef struct naming {
  const char *prefix;                                             // of a member's name, or all of it
  const char *(*last)(const codec_result *r, size_t i, size_t n); // name of the i-th of n numbers along the last axis
} naming;

static const char *coordinate(const codec_result *r, size_t i, size_t n) {
  return n == r->coordinate_count ? r->coordinates[i] : NULL;
}

static const char *channel(const codec_result *r, size_t i, size_t n) {
  return n == r->channel_count ? r->channels[i] : NULL;
}

static const char *energy(const codec_result *r, size_t i, size_t n) {
  bool older = r->energy_count == 0 && (n == 3 || n == 4); // results whose summary does not name them
  return n == r->energy_count ? r->energies[i] : older ? td_energy_name((td_energy_kind)i) : NULL;
}

static const char *parameter(const codec_result *r, size_t i, size_t n) {
  return n == r->parameter_count ? r->parameters[i] : NULL;
}

static const char *strain(const codec_result *r, size_t i, size_t n) {
  (void)r;
  return n == 6 ? td_strain_component_name((int)i) : NULL;
}

static const char *touch(const codec_result *r, size_t i, size_t n) {
  static const char *const words[] = {"depth", "normal_force", "slip"};
  (void)r;
  return n == 3 ? words[i] : NULL;
}

static const char *axis(const codec_result *r, size_t i, size_t n) {
  static const char *const words[] = {"x", "y", "z"};
  (void)r;
  return n == 3 ? words[i] : NULL;
}

static const char *place(const codec_result *r, size_t i, size_t n) {
  static const char *const words[] = {"touch",   "x",       "y",        "z",        "force_x",
                                      "force_y", "force_z", "normal_x", "normal_y", "normal_z"};
  (void)r;
  return n == sizeof words / sizeof *words ? words[i] : NULL;
}

static const naming namings[] = {
    {"q", coordinate},       {"qd", coordinate},       {"qdd", coordinate},         {"u", channel},
    {"energy", energy},      {"strain:", strain},      {"sensitivity:", parameter}, {"contacts", touch},
    {"contact_force", axis}, {"contact_place", place},
};

// ------------------------------------------------------------------------------------------------ names of columns

static bool is_pose(const result_member *m) {
  const npz_array *a = &m->array;
  return strncmp(m->name, "poses:", 6) == 0 && a->rank >= 3 && a->dim[a->rank - 1] == 4 && a->dim[a->rank - 2] == 4;
}

static const char *last_name(const codec_result *r, const result_member *m, size_t i, size_t n) {
  for (size_t k = 0; k < sizeof namings / sizeof *namings; k++) {
    size_t length = strlen(namings[k].prefix);
    bool family = namings[k].prefix[length - 1] == ':';
    if (family ? strncmp(m->name, namings[k].prefix, length) == 0 : strcmp(m->name, namings[k].prefix) == 0)
      return namings[k].last(r, i, n);
  }
  return NULL;
}

// In quotes where the name has a comma, a quote or a line end in it.
static void write_name(codec_buffer *b, const char *name) {
  if (!strpbrk(name, ",\"\r\n")) {
    codec_buffer_text(b, name);
    return;
  }
  codec_buffer_text(b, "\"");
  for (const char *p = name; *p; p++) codec_buffer_append(b, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
  codec_buffer_text(b, "\"");
}

// "name[i][j]" of the axes before the last `inner` ones, for number `index` of a row.
static size_t outer_name(const result_member *m, int inner, size_t index, char name[NAME_SIZE]) {
  size_t used = (size_t)snprintf(name, NAME_SIZE, "%.*s", NAME_SIZE - 256, m->name), divisor = 1;
  for (int k = 1; k < m->array.rank; k++) divisor *= m->array.dim[k];
  for (int k = 1; k < m->array.rank - inner; k++) {
    divisor /= m->array.dim[k];
    used += (size_t)snprintf(name + used, NAME_SIZE - used, "[%zu]", index / divisor);
    index %= divisor;
  }
  return used;
}

static void write_pose_name(codec_result *r, const result_member *m, size_t i) {
  static const char *const parts[POSE_SHOWN] = {"r11", "r12", "r13", "x",   "r21", "r22",
                                                "r23", "y",   "r31", "r32", "r33", "z"};
  char name[NAME_SIZE];
  size_t used = outer_name(m, 2, i, name);
  snprintf(name + used, sizeof name - used, ".%s", parts[i % POSE_NUMBERS]);
  write_name(&r->text, name);
}

static void write_column_name(codec_result *r, const result_member *m, size_t i) {
  char name[NAME_SIZE];
  size_t n = m->array.rank > 1 ? m->array.dim[m->array.rank - 1] : 1;
  const char *last = m->array.rank > 1 ? last_name(r, m, i % n, n) : NULL;
  size_t used = outer_name(m, last ? 1 : 0, i, name);
  if (last) snprintf(name + used, sizeof name - used, ".%.200s", last);
  write_name(&r->text, name);
}

// ------------------------------------------------------------------------------------------------ lines

static bool is_column(const codec_result *r, const result_member *m) {
  return result_shows(r, m) && m->has_rows && m->array.type <= NPZ_BOOL;
}

static size_t numbers(const result_member *m) { return m->row_bytes / m->array.item; }

static bool is_shown(bool pose, size_t i) { return !pose || i % POSE_NUMBERS < POSE_SHOWN; }

static void write_head(codec_result *r) {
  if (!r->time) codec_buffer_text(&r->text, "index");
  for (size_t k = 0, column = r->time == NULL; k < r->count; k++) {
    const result_member *m = &r->members[k];
    bool pose = is_pose(m);
    for (size_t i = 0; is_column(r, m) && i < numbers(m); i++) {
      if (!is_shown(pose, i)) continue;
      if (column++ > 0) codec_buffer_text(&r->text, ",");
      (pose ? write_pose_name : write_column_name)(r, m, i);
    }
  }
  codec_buffer_text(&r->text, "\n");
}

static void write_double(codec_buffer *b, double x) {
  if (isfinite(x))
    codec_buffer_double(b, x);
  else
    codec_buffer_text(b, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static void write_integer(codec_buffer *b, long long x) {
  char text[24];
  snprintf(text, sizeof text, "%lld", x);
  codec_buffer_text(b, text);
}

static void write_number(codec_buffer *b, const npz_array *a, const unsigned char *p) {
  double d;
  float f;
  int32_t i4;
  int64_t i8;
  if (a->type == NPZ_F8)
    memcpy(&d, p, sizeof d), write_double(b, d);
  else if (a->type == NPZ_F4)
    memcpy(&f, p, sizeof f), write_double(b, (double)f);
  else if (a->type == NPZ_I4)
    memcpy(&i4, p, sizeof i4), write_integer(b, i4);
  else if (a->type == NPZ_I8)
    memcpy(&i8, p, sizeof i8), write_integer(b, i8);
  else
    write_integer(b, a->type == NPZ_I1 ? (signed char)*p : *p);
}

static bool write_member(codec_result *r, result_member *m, bool *first) {
  const unsigned char *row = result_row(r, m, r->row);
  bool pose = is_pose(m);
  for (size_t i = 0; row && i < numbers(m); i++) {
    if (!is_shown(pose, i)) continue;
    if (!*first) codec_buffer_text(&r->text, ",");
    *first = false;
    write_number(&r->text, &m->array, row + i * m->array.item);
  }
  return row != NULL;
}

static void write_line(codec_result *r, const result_member *rows) {
  bool first = r->time != NULL;
  if (!r->time) write_integer(&r->text, (long long)(rows->first + r->row * rows->stride));
  for (size_t k = 0; k < r->count; k++)
    if (is_column(r, &r->members[k]) && !write_member(r, &r->members[k], &first)) return;
  codec_buffer_text(&r->text, "\n");
}

// One of the members whose rows are the lines; NULL: there is none.
static const result_member *lines_of(const codec_result *r) {
  for (size_t k = 0; k < r->count; k++)
    if (is_column(r, &r->members[k])) return &r->members[k];
  return NULL;
}

static void refill(codec_result *r) {
  const result_member *rows = lines_of(r);
  if (r->phase++ == 0) write_head(r);
  for (; rows && r->row < rows->count && r->text.size < ENOUGH && !r->broken; r->row++) write_line(r, rows);
}

// ------------------------------------------------------------------------------------------------ names from the
// summary

static const char *const *read_names(codec_result *r, const json_t *list, size_t *count) {
  size_t n = json_array_size(list);
  const char **names = arena_array(r->memory, n, sizeof *names);
  for (size_t i = 0; names && i < n; i++) {
    const json_t *entry = json_array_get(list, i);
    const char *name = json_string_value(json_is_object(entry) ? json_object_get(entry, "name") : entry);
    names[i] = arena_strdup(r->memory, name ? name : "");
    if (!names[i]) return NULL;
  }
  *count = n;
  return names;
}

bool codec_result_as_csv(codec_result *r, td_error *err) {
  json_t *summary = codec_result_summary(r, err);
  if (!summary) return false;
  r->coordinates = read_names(r, json_object_get(summary, "coordinates"), &r->coordinate_count);
  r->channels = read_names(r, json_object_get(summary, "channels"), &r->channel_count);
  r->energies = read_names(r, json_object_get(summary, "energies"), &r->energy_count);
  r->parameters = read_names(r, json_object_get(summary, "parameters"), &r->parameter_count);
  json_decref(summary);
  if (!r->coordinates || !r->channels || !r->energies || !r->parameters)
    return td_fail(err, TD_NO_MEMORY, "", "out of memory"), false;
  r->refill = refill;
  r->phase = 0;
  r->row = 0;
  return true;
}
