// The fluid of a model document: density, viscosity, how it flows, where it ends.
//
// Method: `velocity` is a vector or a table in z, told apart by their JSON types; channels name what is added to its
// components.
#include "codec/document/model/parts.h"

static td_status read_heights(reader *r, const json_t *value, void *out) {
  td_fluid_spec *fluid = out;
  return read_numbers(r, value, TD_MAX_KNOTS, &fluid->z, &fluid->knots);
}

static td_status read_table(reader *r, const json_t *value, void *out) {
  static const field fields[] = {{"z", read_heights, 0, true, NULL}, SKIPPED_FIELD("velocity")};
  td_fluid_spec *fluid = out;
  td_status status = read_object(r, value, fields, COUNT_OF(fields), out);
  if (status != TD_OK) return status;
  const json_t *velocity = json_object_get(value, "velocity");
  if (!velocity) return fail_key(r, "velocity", TD_INVALID_ARGUMENT, "required: one [x, y, z] for every height");
  size_t mark = codec_pointer_key(&r->at, "velocity"), rows;
  status = read_rows(r, velocity, 3, TD_MAX_KNOTS, &fluid->table, &rows);
  if (status == TD_OK && rows != fluid->knots)
    return fail_here(r, TD_INVALID_ARGUMENT, "has %zu entries, z has %zu", rows, fluid->knots);
  codec_pointer_pop(&r->at, mark);
  if (status == TD_OK && fluid->knots < 2)
    return fail_key(r, "z", TD_INVALID_ARGUMENT, "needs two heights at least, has %zu", fluid->knots);
  return status;
}

static td_status read_velocity(reader *r, const json_t *value, void *out) {
  if (json_is_object(value)) return read_table(r, value, out);
  return read_vector3(r, value, ((td_fluid_spec *)out)->velocity);
}

static td_status read_flow_channels(reader *r, const json_t *value, void *out) {
  td_fluid_spec *fluid = out;
  fluid->has_channels = true;
  if (!json_is_array(value) || json_array_size(value) != 3) return fail_type(r, "an array of 3 names or null", value);
  for (size_t i = 0; i < 3; i++) {
    const json_t *name = json_array_get(value, i);
    if (json_is_null(name)) continue;
    size_t mark = codec_pointer_index(&r->at, i);
    td_status status = read_name(r, name, &fluid->channels[i]);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, mark);
  }
  return TD_OK;
}

static td_status read_surface(reader *r, const json_t *value, void *out) {
  static const field fields[] = {REQUIRED_FIELD(td_fluid_spec, surface, "z", read_number),
                                 REQUIRED_FIELD(td_fluid_spec, width, "width", read_number)};
  ((td_fluid_spec *)out)->has_surface = true;
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

td_status read_fluid(reader *r, const json_t *value, void *out) {
  static const field fields[] = {
      REQUIRED_FIELD(td_model_spec, fluid_density, "density", read_number),
      FIELD(td_model_spec, fluid.viscosity, "viscosity", read_number),
      FIELD(td_model_spec, fluid, "velocity", read_velocity),
      FIELD(td_model_spec, fluid, "channels", read_flow_channels),
      FIELD(td_model_spec, fluid, "surface", read_surface),
  };
  return read_object(r, value, fields, COUNT_OF(fields), out);
}
