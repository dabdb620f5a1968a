// Reduced bodies of a model document: common keys and those of each kinematics.
//
// Method: one table of fields per kinematics, made of the common ones and its own. Lists go to the arena.
#include "codec/document/model/parts.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const char *kinematics_word(int i) { return td_kinematics_name((td_body_kinematics)i); }
static const char *field_word(int i) { return td_field_name((td_field)i); }
static const char *law_word(int i) { return i ? "scale" : "shift"; }

static td_status read_radius(reader *r, const json_t *value, void *out) {
  if (json_is_object(value)) return fail_type(r, "a number or [base, tip]", value);
  return read_profile(r, value, out);
}

static td_status read_law(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, law_word, 2, &word);
  *(bool *)out = word == 1;
  return status;
}

static td_status read_count(reader *r, const json_t *value, void *out) {
  td_status status = read_integer(r, value, out);
  int n = *(int *)out;
  if (status == TD_OK && n < 1) return fail_here(r, TD_INVALID_ARGUMENT, "must be at least 1, is %d", n);
  return status;
}

static td_status read_reduced_quadrature(reader *r, const json_t *value, void *out) {
  static const field fields[] = {FIELD(td_reduced_spec, s_points, "s", read_count),
                                 FIELD(td_reduced_spec, r_points, "r", read_count),
                                 FIELD(td_reduced_spec, angle_points, "angle", read_count)};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static td_status read_box_quadrature(reader *r, const json_t *value, void *out) {
  static const field fields[] = {FIELD(td_reduced_spec, s_points, "z", read_count),
                                 FIELD(td_reduced_spec, r_points, "x", read_count),
                                 FIELD(td_reduced_spec, angle_points, "y", read_count)};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static td_status read_mesh_quadrature(reader *r, const json_t *value, void *out) {
  static const field fields[] = {FIELD(td_reduced_spec, s_points, "points", read_count)};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

// ---- mesh

static td_status read_indices(reader *r, const json_t *value, int *out, size_t count) {
  if (!json_is_array(value) || json_array_size(value) != count) {
    char expected[48];
    snprintf(expected, sizeof expected, "an array of %zu points' indices", count);
    return fail_type(r, expected, value);
  }
  for (size_t i = 0; i < count; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    td_status status = read_integer(r, json_array_get(value, i), out + i);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, mark);
  }
  return TD_OK;
}

static td_status read_tetrahedron(reader *r, const json_t *value, void *out) { return read_indices(r, value, out, 4); }
static td_status read_hexahedron(reader *r, const json_t *value, void *out) { return read_indices(r, value, out, 8); }

static td_status read_mesh_points(reader *r, const json_t *value, void *out) {
  td_mesh_spec *mesh = out;
  return read_rows(r, value, 3, TD_MAX_MESH, &mesh->points, &mesh->point_count);
}

static td_status read_tetrahedra(reader *r, const json_t *value, void *out) {
  static const int none[4] = {0};
  td_mesh_spec *mesh = out;
  void *list = NULL;
  td_status status =
      read_list(r, value, TD_MAX_MESH, sizeof none, none, read_tetrahedron, &list, &mesh->tetrahedron_count);
  mesh->tetrahedra = list;
  return status;
}

static td_status read_hexahedra(reader *r, const json_t *value, void *out) {
  static const int none[8] = {0};
  td_mesh_spec *mesh = out;
  void *list = NULL;
  td_status status =
      read_list(r, value, TD_MAX_MESH, sizeof none, none, read_hexahedron, &list, &mesh->hexahedron_count);
  mesh->hexahedra = list;
  return status;
}

static td_status read_mesh(reader *r, const json_t *value, void *out) {
  static const field fields[] = {{"points", read_mesh_points, 0, true, NULL},
                                 {"tetrahedra", read_tetrahedra, 0, false, NULL},
                                 {"hexahedra", read_hexahedra, 0, false, NULL}};
  td_reduced_spec *spec = out;
  spec->has_mesh = true;
  return read_object(r, value, fields, COUNT_OF(fields), &spec->mesh);
}

// ---- modes

static td_status read_field_word(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, field_word, TD_FIELD_COUNT, &word);
  *(td_field *)out = (td_field)word;
  return status;
}

static td_status read_polynomial(reader *r, const json_t *value, void *out) {
  td_mode_spec *mode = out;
  return read_numbers(r, value, TD_MAX_ORDER + 1, &mode->polynomial, &mode->count);
}

static td_status read_mode_entry(reader *r, const json_t *value, void *out) {
  static const field fields[] = {REQUIRED_FIELD(td_mode_spec, field, "field", read_field_word),
                                 {"polynomial", read_polynomial, 0, true, NULL}};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static td_status read_modes(reader *r, const json_t *value, void *out) {
  static const td_mode_spec none = {0};
  td_reduced_spec *spec = out;
  void *list = NULL;
  td_status status = read_list(r, value, TD_MAX_MODES, sizeof none, &none, read_mode_entry, &list, &spec->mode_count);
  spec->modes = list;
  return status;
}

// [[c, i, j, k], …] for each of the three displacements.
static td_status read_ritz_mode(reader *r, const json_t *value, void *out) {
  static const double none[4] = {0};
  td_ritz_mode_spec *mode = out;
  if (!json_is_array(value) || json_array_size(value) != 3)
    return fail_type(r, "three polynomials, each an array of [coefficient, power of x, of y, of z]", value);
  for (size_t c = 0; c < 3; c++) {
    void *list = NULL;
    size_t mark = codec_pointer_index(&r->at, c);
    td_status status =
        read_list(r, json_array_get(value, c), TD_MAX_TERMS, sizeof none, none, read_vector4, &list, &mode->count[c]);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, mark);
    mode->terms[c] = list;
  }
  return TD_OK;
}

static td_status read_ritz_modes(reader *r, const json_t *value, void *out) {
  static const td_ritz_mode_spec none = {0};
  td_reduced_spec *spec = out;
  void *list = NULL;
  td_status status =
      read_list(r, value, TD_MAX_MODES, sizeof none, &none, read_ritz_mode, &list, &spec->ritz_mode_count);
  spec->ritz_modes = list;
  return status;
}

static td_status read_tip_points(reader *r, const json_t *value, void *out) {
  td_reduced_spec *spec = out;
  if (!json_is_array(value) || json_array_size(value) != 3) return fail_type(r, "three points", value);
  for (size_t i = 0; i < 3; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    td_status status = read_vector3(r, json_array_get(value, i), spec->tip_points + 3 * i);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, mark);
  }
  return TD_OK;
}

// ---- bodies

enum { MOST_FIELDS = 16 };

typedef struct field_table {
  field fields[MOST_FIELDS];
  size_t count;
} field_table;

static void add(field_table *t, field f) { t->fields[t->count++] = f; }

static void add_common(field_table *t) {
  add(t, (field)SKIPPED_FIELD("type"));
  add(t, (field)SKIPPED_FIELD("kinematics"));
  add(t, (field)REQUIRED_FIELD(td_reduced_spec, length, "length", read_number));
  add(t, (field)REQUIRED_FIELD(td_reduced_spec, density, "density", read_number));
  add(t, (field)REQUIRED_FIELD(td_reduced_spec, young, "young", read_number));
  add(t, (field)REQUIRED_FIELD(td_reduced_spec, poisson, "poisson", read_number));
  add(t, (field)FIELD(td_reduced_spec, damping_time, "damping_time", read_number));
}

// What a body with a backbone has, and what the kinematics adds.
static void add_backbone(field_table *t, td_body_kinematics kinematics) {
  add(t, (field)REQUIRED_FIELD(td_reduced_spec, radius, "radius", read_radius));
  add(t, (field){"quadrature", read_reduced_quadrature, 0, false, NULL});
  if (kinematics != TD_KINEMATICS_LVP && kinematics != TD_KINEMATICS_PCC_VARIABLE_RADIUS)
    add(t, (field)FIELD(td_reduced_spec, section_inertia, "section_inertia", read_bool));
  if (kinematics == TD_KINEMATICS_POLYNOMIAL_CURVATURE) {
    add(t, (field)REQUIRED_FIELD(td_reduced_spec, order, "order", read_integer));
    add(t, (field)FIELD(td_reduced_spec, planar, "planar", read_bool));
  }
  if (kinematics == TD_KINEMATICS_GAUSSIAN_CURVATURE)
    add(t, (field)FIELD(td_reduced_spec, width, "width", read_number));
  if (kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS) {
    add(t, (field)FIELD(td_reduced_spec, scale_law, "radius_law", read_law));
    add(t, (field)FIELD(td_reduced_spec, wall, "wall", read_number));
  }
  if (kinematics == TD_KINEMATICS_LVP) {
    add(t, (field)FIELD(td_reduced_spec, inner_radius, "inner_radius", read_number));
    add(t, (field){"modes", read_modes, 0, true, NULL});
  }
}

static void add_ritz(field_table *t, bool mesh) {
  if (mesh)
    add(t, (field){"mesh", read_mesh, 0, true, NULL});
  else
    add(t, (field)REQUIRED_FIELD(td_reduced_spec, size, "size", read_vector3));
  add(t, (field){"quadrature", mesh ? read_mesh_quadrature : read_box_quadrature, 0, false, NULL});
  add(t, (field){"modes", read_ritz_modes, 0, true, NULL});
  add(t, (field){"tip_points", read_tip_points, 0, true, NULL});
}

static td_status fail_solid(reader *r, const json_t *value) {
  bool size = json_object_get(value, "size"), mesh = json_object_get(value, "mesh");
  if (size && mesh) return fail_key(r, "mesh", TD_INVALID_ARGUMENT, "a body has a `size` or a `mesh`, not both");
  if (!size && !mesh) return fail_key(r, "size", TD_INVALID_ARGUMENT, "required: a box's `size`, or a `mesh` instead");
  return TD_OK;
}

td_status read_reduced(reader *r, const json_t *value, td_body_spec *body) {
  td_reduced_spec *spec = &body->reduced;
  field_table table = {.count = 0};
  int word;
  td_status status = read_key_word(r, value, "kinematics", kinematics_word, TD_KINEMATICS_COUNT, &word);
  if (status != TD_OK) return status;
  spec->kinematics = (td_body_kinematics)word;
  spec->width = NAN;
  add_common(&table);
  if (spec->kinematics == TD_KINEMATICS_RITZ) {
    status = fail_solid(r, value);
    add_ritz(&table, json_object_get(value, "mesh") != NULL);
  } else
    add_backbone(&table, spec->kinematics);
  return status != TD_OK ? status : read_object(r, value, table.fields, table.count, spec);
}
