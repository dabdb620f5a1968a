// Bodies of a model document: rigid bodies and rods with their material and strain (sections: section.c).
//
// Invariants: of poisson and shear exactly one is a number, the other NaN; a component's order is -1 unless the
// document names it; a rod's sizes stand in the order of td_section_keys.
#include "codec/document/model/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *body_word(int i) {
  static const char *const words[] = {"rigid", "rod", "reduced"};
  return words[i];
}
static const char *basis_word(int i) { return td_basis_name((td_basis)i); }
static const char *shape_word(int i) { return td_rigid_shape_name((td_rigid_shape)(i + 1)); } // without "none"

// ------------------------------------------------------------------------------------------------ rigid

// n rows of n numbers, or the n of the diagonal.
static td_status read_square(reader *r, const json_t *value, size_t n, double *out) {
  if (!json_is_array(value) || json_array_size(value) != n) {
    char expected[80];
    snprintf(expected, sizeof expected, "an array of %zu numbers or of %zu rows of %zu numbers", n, n, n);
    return fail_type(r, expected, value);
  }
  bool rows = json_is_array(json_array_get(value, 0));
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < n; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    const json_t *entry = json_array_get(value, i);
    status = rows ? read_vector(r, entry, out + n * i, n) : read_number(r, entry, out + (n + 1) * i);
    codec_pointer_pop(&r->at, mark);
  }
  return status;
}

static td_status read_inertia(reader *r, const json_t *value, void *out) { return read_square(r, value, 3, out); }
static td_status read_water_matrix(reader *r, const json_t *value, void *out) { return read_square(r, value, 6, out); }

static td_status read_polygon(reader *r, const json_t *value, void *out) {
  td_rigid_spec *rigid = out;
  return read_rows(r, value, 2, TD_MAX_POINTS, &rigid->polygon, &rigid->polygon_count);
}

static const field box_fields[] = {SKIPPED_FIELD("type"), REQUIRED_FIELD(td_rigid_spec, size, "size", read_vector3)};
static const field cylinder_fields[] = {
    SKIPPED_FIELD("type"), REQUIRED_FIELD(td_rigid_spec, radius, "radius", read_number),
    REQUIRED_FIELD(td_rigid_spec, length, "length", read_number), FIELD(td_rigid_spec, axis, "axis", read_axis)};
static const field sphere_fields[] = {SKIPPED_FIELD("type"),
                                      REQUIRED_FIELD(td_rigid_spec, radius, "radius", read_number)};
static const field prism_fields[] = {SKIPPED_FIELD("type"),
                                     {"polygon", read_polygon, 0, true, NULL},
                                     REQUIRED_FIELD(td_rigid_spec, height, "height", read_number),
                                     FIELD(td_rigid_spec, axis, "axis", read_axis)};

static td_status read_shape(reader *r, const json_t *value, void *out) {
  static const struct {
    const field *fields;
    size_t count;
  } shapes[TD_SHAPE_COUNT] = {
      [TD_SHAPE_BOX] = {box_fields, COUNT_OF(box_fields)},
      [TD_SHAPE_CYLINDER] = {cylinder_fields, COUNT_OF(cylinder_fields)},
      [TD_SHAPE_SPHERE] = {sphere_fields, COUNT_OF(sphere_fields)},
      [TD_SHAPE_PRISM] = {prism_fields, COUNT_OF(prism_fields)},
  };
  td_rigid_spec *rigid = out;
  int word;
  td_status status = read_key_word(r, value, "type", shape_word, TD_SHAPE_COUNT - 1, &word);
  if (status != TD_OK) return status;
  rigid->shape = (td_rigid_shape)(word + 1);
  return read_object(r, value, shapes[rigid->shape].fields, shapes[rigid->shape].count, rigid);
}

// ------------------------------------------------------------------------------------------------ collision

static const char *collision_word(int i) { return td_collision_shape_name((td_collision_shape)(i + 1)); }

static td_status read_collision_points(reader *r, const json_t *value, void *out) {
  td_collision_spec *c = out;
  return read_rows(r, value, 3, TD_MAX_POINTS, &c->points, &c->point_count);
}

#define COLLISION_FIELDS SKIPPED_FIELD("shape"), FIELD(td_collision_spec, pose, "pose", read_pose)
static const field ball_fields[] = {COLLISION_FIELDS, REQUIRED_FIELD(td_collision_spec, radius, "radius", read_number)};
static const field capsule_fields[] = {COLLISION_FIELDS,
                                       REQUIRED_FIELD(td_collision_spec, radius, "radius", read_number),
                                       REQUIRED_FIELD(td_collision_spec, length, "length", read_number),
                                       FIELD(td_collision_spec, axis, "axis", read_axis)};
static const field drum_fields[] = {COLLISION_FIELDS, REQUIRED_FIELD(td_collision_spec, radius, "radius", read_number),
                                    REQUIRED_FIELD(td_collision_spec, length, "length", read_number),
                                    FIELD(td_collision_spec, axis, "axis", read_axis),
                                    FIELD(td_collision_spec, rounding, "rounding", read_number)};
static const field block_fields[] = {COLLISION_FIELDS, REQUIRED_FIELD(td_collision_spec, size, "size", read_vector3),
                                     FIELD(td_collision_spec, rounding, "rounding", read_number)};
static const field hull_fields[] = {COLLISION_FIELDS,
                                    {"points", read_collision_points, 0, true, NULL},
                                    FIELD(td_collision_spec, rounding, "rounding", read_number)};

static td_status read_collision(reader *r, const json_t *value, void *out) {
  static const struct {
    const field *fields;
    size_t count;
  } shapes[TD_COLLISION_COUNT] = {
      [TD_COLLISION_SPHERE] = {ball_fields, COUNT_OF(ball_fields)},
      [TD_COLLISION_CAPSULE] = {capsule_fields, COUNT_OF(capsule_fields)},
      [TD_COLLISION_CYLINDER] = {drum_fields, COUNT_OF(drum_fields)},
      [TD_COLLISION_BOX] = {block_fields, COUNT_OF(block_fields)},
      [TD_COLLISION_MESH] = {hull_fields, COUNT_OF(hull_fields)},
  };
  td_collision_spec *c = out;
  int word;
  td_status status = read_key_word(r, value, "shape", collision_word, TD_COLLISION_COUNT - 1, &word);
  if (status != TD_OK) return status;
  *c = (td_collision_spec){
      .shape = (td_collision_shape)(word + 1), .pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, .axis = {0, 0, 1}};
  return read_object(r, value, shapes[c->shape].fields, shapes[c->shape].count, c);
}

// The engine calls it body_density of the body: its sign is checked here, where its place is known.
static td_status read_body_density(reader *r, const json_t *value, void *out) {
  td_status status = read_number(r, value, out);
  double x = *(double *)out;
  if (status == TD_OK && !(x > 0)) return fail_here(r, TD_INVALID_ARGUMENT, "a density must be positive, is %.15g", x);
  return status;
}

static td_status read_rigid_hydrodynamics(reader *r, const json_t *value, void *out) {
  static const field fields[] = {FIELD(td_rigid_spec, drag, "drag", read_water_matrix),
                                 FIELD(td_rigid_spec, linear, "linear", read_water_matrix),
                                 FIELD(td_rigid_spec, added_mass, "added_mass", read_water_matrix),
                                 FIELD(td_rigid_spec, body_density, "body_density", read_body_density)};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static const field massive_fields[] = {
    SKIPPED_FIELD("type"),
    REQUIRED_FIELD(td_rigid_spec, mass, "mass", read_number),
    FIELD(td_rigid_spec, com, "com", read_vector3),
    REQUIRED_FIELD(td_rigid_spec, inertia, "inertia", read_inertia),
    {"hydrodynamics", read_rigid_hydrodynamics, 0, false, NULL},
    FIELD(td_rigid_spec, collision, "collision", read_collision),
    FIELD(td_rigid_spec, magnetisation, "magnetisation", read_vector3),
};
static const field shaped_fields[] = {
    SKIPPED_FIELD("type"),
    {"shape", read_shape, 0, true, NULL},
    REQUIRED_FIELD(td_rigid_spec, density, "density", read_number),
    FIELD(td_rigid_spec, com, "com", read_vector3),
    {"hydrodynamics", read_rigid_hydrodynamics, 0, false, NULL},
    FIELD(td_rigid_spec, collision, "collision", read_collision),
    FIELD(td_rigid_spec, magnetisation, "magnetisation", read_vector3),
};

static td_status read_rigid(reader *r, const json_t *value, td_body_spec *body) {
  body->rigid.axis[2] = 1;
  if (json_object_get(value, "shape"))
    return read_object(r, value, shaped_fields, COUNT_OF(shaped_fields), &body->rigid);
  return read_object(r, value, massive_fields, COUNT_OF(massive_fields), &body->rigid);
}

// ------------------------------------------------------------------------------------------------ rod

static td_status read_material(reader *r, const json_t *value, void *out) {
  static const field fields[] = {
      REQUIRED_FIELD(td_rod_spec, young, "young", read_number),
      FIELD(td_rod_spec, poisson, "poisson", read_number),
      FIELD(td_rod_spec, shear, "shear", read_number),
      REQUIRED_FIELD(td_rod_spec, density, "density", read_number),
      FIELD(td_rod_spec, viscosity, "viscosity", read_number),
  };
  td_rod_spec *rod = out;
  td_status status = read_object(r, value, fields, COUNT_OF(fields), rod);
  if (status != TD_OK) return status;
  if (isnan(rod->poisson) && isnan(rod->shear))
    return fail_key(r, "poisson", TD_INVALID_ARGUMENT, "a material needs poisson or shear (the modulus)");
  if (!isnan(rod->poisson) && !isnan(rod->shear))
    return fail_key(r, "shear", TD_INVALID_ARGUMENT, "a material has poisson or shear, not both");
  return TD_OK;
}

static td_status read_order(reader *r, const json_t *value, void *out) {
  int *order = out;
  field fields[6];
  for (int i = 0; i < 6; i++)
    fields[i] = (field){td_strain_component_name(i), read_integer, (size_t)i * sizeof(int), false, NULL};
  td_status status = read_object(r, value, fields, 6, order);
  for (int i = 0; status == TD_OK && i < 6; i++) {
    const char *key = td_strain_component_name(i);
    if (json_object_get(value, key) && (order[i] < 0 || order[i] > TD_MAX_ORDER))
      return fail_key(r, key, TD_INVALID_ARGUMENT, "an order must be between 0 and %d, is %d", TD_MAX_ORDER, order[i]);
  }
  return status;
}

static td_status read_table_s(reader *r, const json_t *value, void *out) {
  td_rod_spec *rod = out;
  return read_numbers(r, value, TD_MAX_KNOTS, &rod->table_s, &rod->table_count);
}

// [[values of coordinate 1], …]: one row per coordinate, as long as s.
static td_status read_table_columns(reader *r, const json_t *object, td_rod_spec *rod) {
  for (int i = 0; i < 6; i++) {
    const char *key = td_strain_component_name(i);
    const json_t *rows = json_object_get(object, key);
    if (!rows) continue;
    size_t mark = codec_pointer_key(&r->at, key);
    td_status status = read_rows(r, rows, rod->table_count, TD_MAX_ORDER + 1, &rod->table[i], &rod->table_columns[i]);
    if (status != TD_OK) return status;
    if (rod->table_columns[i] == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one coordinate");
    codec_pointer_pop(&r->at, mark);
    rod->order[i] = 0;
  }
  return TD_OK;
}

static td_status read_table_strain(reader *r, const json_t *value, td_rod_spec *rod) {
  field fields[9] = {SKIPPED_FIELD("basis"),
                     {"s", read_table_s, 0, true, NULL},
                     FIELD(td_rod_spec, reference, "reference", read_strain_reference)};
  for (int i = 0; i < 6; i++) fields[3 + i] = (field)SKIPPED_FIELD(td_strain_component_name(i));
  td_status status = read_object(r, value, fields, COUNT_OF(fields), rod);
  return status ? status : read_table_columns(r, value, rod);
}

td_status read_strain(reader *r, const json_t *value, void *out) {
  static const field fields[] = {SKIPPED_FIELD("basis"), REQUIRED_FIELD(td_rod_spec, order, "order", read_order),
                                 FIELD(td_rod_spec, reference, "reference", read_strain_reference)};
  td_rod_spec *rod = out;
  int word;
  td_status status = read_key_word(r, value, "basis", basis_word, TD_BASIS_COUNT, &word);
  if (status != TD_OK) return status;
  rod->basis = (td_basis)word;
  if (rod->basis == TD_BASIS_TABLE) return read_table_strain(r, value, rod);
  return read_object(r, value, fields, COUNT_OF(fields), rod);
}

static td_status read_points(reader *r, const json_t *value, void *out) {
  td_status status = read_integer(r, value, out);
  int n = *(int *)out;
  if (status == TD_OK && (n < 1 || n > TD_MAX_POINTS))
    return fail_here(r, TD_INVALID_ARGUMENT, "must be between 1 and %d, is %d", TD_MAX_POINTS, n);
  return status;
}

static td_status read_quadrature(reader *r, const json_t *value, void *out) {
  static const field fields[] = {REQUIRED_FIELD(td_rod_spec, quadrature_points, "points", read_points)};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static td_status read_resistance(reader *r, const json_t *value, void *out) {
  static const field fields[] = {{"tangential", read_number, 0, true, NULL},
                                 {"normal", read_number, sizeof(double), true, NULL}};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static td_status read_rod_hydrodynamics(reader *r, const json_t *value, void *out) {
  static const field fields[] = {
      FIELD(td_rod_spec, linear, "linear", read_resistance),
      FIELD(td_rod_spec, resistive_force, "resistive_force", read_bool),
      FIELD(td_rod_spec, cd[0], "cd_x", read_number),
      FIELD(td_rod_spec, cd[1], "cd_y", read_number),
      FIELD(td_rod_spec, cd[2], "cd_z", read_number),
      FIELD(td_rod_spec, cl[0], "cl_x", read_number),
      FIELD(td_rod_spec, cl[1], "cl_y", read_number),
      FIELD(td_rod_spec, cl[2], "cl_z", read_number),
      FIELD(td_rod_spec, added[0], "added_y", read_number),
      FIELD(td_rod_spec, added[1], "added_z", read_number),
  };
  td_status status = read_object(r, value, fields, COUNT_OF(fields), out);
  if (status == TD_OK && ((td_rod_spec *)out)->resistive_force && json_object_get(value, "linear"))
    return fail_key(r, "linear", TD_INVALID_ARGUMENT, "a rod has linear or resistive_force, not both");
  return status;
}

static const field rod_fields[] = {
    SKIPPED_FIELD("type"),
    REQUIRED_FIELD(td_rod_spec, length, "length", read_number),
    {"section", read_section, 0, true, NULL},
    {"material", read_material, 0, false, NULL},
    {"strain", read_strain, 0, true, NULL},
    {"quadrature", read_quadrature, 0, false, NULL},
    {"hydrodynamics", read_rod_hydrodynamics, 0, false, NULL},
    FIELD(td_rod_spec, magnetisation, "magnetisation", read_vector3),
};

static td_status read_rod(reader *r, const json_t *value, td_body_spec *body) {
  td_rod_spec *rod = &body->rod;
  rod->poisson = rod->shear = NAN;
  for (int i = 0; i < 6; i++) rod->order[i] = -1;
  td_status status = read_object(r, value, rod_fields, COUNT_OF(rod_fields), rod);
  if (status) return status;
  bool given = json_object_get(value, "material") != NULL, numbers = rod->section == TD_SECTION_STIFFNESS;
  if (given && numbers)
    return fail_key(r, "material", TD_INVALID_ARGUMENT,
                    "a section of shape stiffness says all that a material would: leave one of them out");
  if (!given && !numbers) return fail_key(r, "material", TD_INVALID_ARGUMENT, "required key \"material\" is missing");
  return TD_OK;
}

td_status read_body(reader *r, const json_t *value, void *out) {
  td_body_spec *body = out;
  int word;
  td_status status = read_key_word(r, value, "type", body_word, 3, &word);
  if (status != TD_OK) return status;
  body->type = (td_body_type)(TD_BODY_RIGID + word);
  if (body->type == TD_BODY_REDUCED) return read_reduced(r, value, body);
  return body->type == TD_BODY_RIGID ? read_rigid(r, value, body) : read_rod(r, value, body);
}
