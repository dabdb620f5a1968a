// Sections of rods in a model document, and profiles along a rod: a number (or vector, or matrix), [base, tip] or {s,
// value}.
//
// Method: a section's keys depend on its shape, so that tables of fields are put together from what all shapes have
// and what one has. Invariants: sizes stand in the order of td_section_keys, 6-vectors and 6x6 matrices by strain
// component, matrices row-major; a profile that the document does not name has count 0.
#include "codec/document/model/parts.h"

#include <stdio.h>

static const char *section_word(int i) { return td_section_shape_name((td_section_shape)i); }

// ------------------------------------------------------------------------------------------------ profiles of numbers

typedef struct spline_values {
  const double *s, *value;
  size_t s_count, value_count;
} spline_values;

static td_status read_spline_s(reader *r, const json_t *value, void *out) {
  spline_values *v = out;
  return read_numbers(r, value, TD_MAX_KNOTS, &v->s, &v->s_count);
}
static td_status read_spline_value(reader *r, const json_t *value, void *out) {
  spline_values *v = out;
  return read_numbers(r, value, TD_MAX_KNOTS, &v->value, &v->value_count);
}
static td_status read_spline(reader *r, const json_t *value, field_reader values, size_t width, td_profile *profile) {
  spline_values v = {0};
  const field fields[] = {{"s", read_spline_s, 0, true, NULL}, {"value", values, 0, true, NULL}};
  td_status status = read_object(r, value, fields, COUNT_OF(fields), &v);
  if (status != TD_OK) return status;
  if (v.s_count != v.value_count)
    return fail_key(r, "value", TD_INVALID_ARGUMENT, "has %zu entries, s has %zu", v.value_count, v.s_count);
  if (v.s_count < 2) return fail_key(r, "s", TD_INVALID_ARGUMENT, "needs at least 2 entries, has %zu", v.s_count);
  *profile = (td_profile){v.s_count, width, v.s, v.value};
  return TD_OK;
}

static td_status constant_profile(reader *r, const json_t *value, td_profile *profile) {
  double *x = arena_alloc(r->memory, sizeof *x);
  if (!x) return fail_here(r, TD_NO_MEMORY, "out of memory");
  *profile = (td_profile){.count = 1, .width = 1, .value = x};
  return read_number(r, value, x);
}

td_status read_profile(reader *r, const json_t *value, void *out) {
  td_profile *profile = out;
  if (json_is_object(value)) return read_spline(r, value, read_spline_value, 1, profile);
  if (json_is_number(value)) return constant_profile(r, value, profile);
  if (!json_is_array(value) || json_array_size(value) != 2)
    return fail_type(r, "a number, [base, tip] or {s, value}", value);
  *profile = (td_profile){.width = 1};
  return read_numbers(r, value, 2, &profile->value, &profile->count);
}

// ------------------------------------------------------------------------------------------------ profiles of vectors

// An entry of a wide profile: `rows` 1: a vector of `columns` numbers; else so many vectors.
typedef struct entry {
  size_t rows, columns;
} entry;

static td_status read_entry(reader *r, const json_t *value, entry e, double *out) {
  if (e.rows == 1) return read_vector(r, value, out, e.columns);
  if (!json_is_array(value) || json_array_size(value) != e.rows) {
    char expected[64];
    snprintf(expected, sizeof expected, "an array of %zu rows of %zu numbers", e.rows, e.columns);
    return fail_type(r, expected, value);
  }
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < e.rows; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    status = read_vector(r, json_array_get(value, i), out + i * e.columns, e.columns);
    codec_pointer_pop(&r->at, mark);
  }
  return status;
}

static td_status read_entries(reader *r, const json_t *list, entry e, td_profile *profile) {
  size_t count = json_array_size(list), width = e.rows * e.columns;
  if (!json_is_array(list)) return fail_type(r, "an array", list);
  if (count > TD_MAX_KNOTS)
    return fail_here(r, TD_INVALID_ARGUMENT, "must have at most %d entries, has %zu", TD_MAX_KNOTS, count);
  double *x = arena_array(r->memory, (count + 1) * width, sizeof *x);
  if (!x) return fail_here(r, TD_NO_MEMORY, "out of memory");
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < count; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    status = read_entry(r, json_array_get(list, i), e, x + i * width);
    codec_pointer_pop(&r->at, mark);
  }
  *profile = (td_profile){.count = count, .width = width, .s = profile->s, .value = x};
  return status;
}

static td_status read_wide_spline(reader *r, const json_t *value, entry e, td_profile *profile) {
  static const field fields[] = {{"s", read_spline_s, 0, true, NULL}, {"value", NULL, 0, true, NULL}};
  spline_values v = {0};
  td_status status = read_object(r, value, fields, COUNT_OF(fields), &v);
  const json_t *list = json_object_get(value, "value");
  if (status != TD_OK) return status;
  size_t mark = codec_pointer_key(&r->at, "value");
  *profile = (td_profile){.s = v.s};
  status = read_entries(r, list, e, profile);
  codec_pointer_pop(&r->at, mark);
  if (status != TD_OK) return status;
  if (v.s_count != profile->count)
    return fail_key(r, "value", TD_INVALID_ARGUMENT, "has %zu entries, s has %zu", profile->count, v.s_count);
  if (v.s_count < 2) return fail_key(r, "s", TD_INVALID_ARGUMENT, "needs at least 2 entries, has %zu", v.s_count);
  return TD_OK;
}

// An array of two is [base, tip]: no entry has two members.
static td_status read_wide(reader *r, const json_t *value, entry e, td_profile *profile) {
  if (json_is_object(value)) return read_wide_spline(r, value, e, profile);
  if (json_is_array(value) && json_array_size(value) == 2) return read_entries(r, value, e, profile);
  double *x = arena_array(r->memory, e.rows * e.columns, sizeof *x);
  if (!x) return fail_here(r, TD_NO_MEMORY, "out of memory");
  *profile = (td_profile){.count = 1, .width = e.rows * e.columns, .value = x};
  return read_entry(r, value, e, x);
}

static td_status read_triple(reader *r, const json_t *value, void *out) {
  return read_wide(r, value, (entry){1, 3}, out);
}
static td_status read_sextuple(reader *r, const json_t *value, void *out) {
  return read_wide(r, value, (entry){1, 6}, out);
}
static td_status read_matrix(reader *r, const json_t *value, void *out) {
  return read_wide(r, value, (entry){6, 6}, out);
}

td_status read_strain_reference(reader *r, const json_t *value, void *out) {
  td_profile *profile = out;
  if (json_is_object(value)) return read_wide_spline(r, value, (entry){1, 6}, profile);
  double *x = arena_array(r->memory, 6, sizeof *x);
  if (!x) return fail_here(r, TD_NO_MEMORY, "out of memory");
  *profile = (td_profile){.count = 1, .width = 6, .value = x};
  return read_vector6(r, value, x);
}

// ------------------------------------------------------------------------------------------------ sections

static const field stiffness_fields[] = {
    SKIPPED_FIELD("shape"),
    REQUIRED_FIELD(td_rod_spec, numbers.mass, "mass_per_length", read_profile),
    FIELD(td_rod_spec, numbers.inertia, "inertia_per_length", read_triple),
    FIELD(td_rod_spec, numbers.coupling, "coupling", read_matrix),
    FIELD(td_rod_spec, numbers.radius, "radius", read_profile),
    FIELD(td_rod_spec, damping, "damping", read_sextuple),
};

static td_status read_stiffness(reader *r, const json_t *value, td_rod_spec *rod) {
  field fields[COUNT_OF(stiffness_fields) + 6];
  size_t count = COUNT_OF(stiffness_fields);
  for (size_t i = 0; i < count; i++) fields[i] = stiffness_fields[i];
  for (int c = 0; c < 6; c++)
    fields[count++] = (field){td_stiffness_key(c), read_profile,
                              offsetof(td_rod_spec, numbers.stiffness) + (size_t)c * sizeof(td_profile), false, NULL};
  return read_object(r, value, fields, count, rod);
}

td_status read_section(reader *r, const json_t *value, void *out) {
  td_rod_spec *rod = out;
  int word;
  td_status status = read_key_word(r, value, "shape", section_word, TD_SECTION_SHAPE_COUNT, &word);
  if (status != TD_OK) return status;
  rod->section = (td_section_shape)word;
  if (rod->section == TD_SECTION_STIFFNESS) return read_stiffness(r, value, rod);
  const char *keys[2], *inner[2];
  td_section_keys(rod->section, keys);
  td_section_inner_keys(rod->section, inner);
  field fields[8] = {SKIPPED_FIELD("shape"), FIELD(td_rod_spec, torsion_constant, "torsion_constant", read_profile),
                     FIELD(td_rod_spec, shear_correction, "shear_correction", read_profile),
                     FIELD(td_rod_spec, damping, "damping", read_sextuple)};
  size_t count = 4;
  for (size_t i = 0; i < 2 && keys[i]; i++) {
    fields[count++] = (field){keys[i], read_profile, offsetof(td_rod_spec, size) + i * sizeof(td_profile), true, NULL};
    fields[count++] =
        (field){inner[i], read_profile, offsetof(td_rod_spec, inner) + i * sizeof(td_profile), false, NULL};
  }
  return read_object(r, value, fields, count, rod);
}
