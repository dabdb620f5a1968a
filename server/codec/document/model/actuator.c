// Actuators and loads of a model document.
//
// Invariants: a tendon written with `link` becomes one segment; nesting of routing sums is at most
// MODEL_MAX_ROUTING_DEPTH deep, which bounds the recursion of read_routing.
#include "codec/document/model/parts.h"

#include <math.h>
#include <string.h>

static const char *routing_word(int i) { return td_routing_type_name((td_routing_type)i); }
static const char *frame_word(int i) { return td_load_frame_name((td_load_frame)i); }
static const char *actuator_word(int i) { return td_actuator_type_name((td_actuator_type)i); }
static const char *mode_word(int i) { return i == 0 ? "force" : "position"; }

const td_actuator_spec default_actuator = {
    .joined = true, .rest = NAN, .slack_width = TD_SLACK_WIDTH, .slip_speed = TD_SLIP_SPEED};
const td_load_spec default_load = {
    .at = 1, .to = 1, .pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, .frame = TD_LOAD_WORLD};

// ------------------------------------------------------------------------------------------------ routing

typedef struct table_lengths {
  td_routing_spec spec;
  size_t y_count, z_count;
} table_lengths;

static td_status read_table_s(reader *r, const json_t *value, void *out) {
  table_lengths *t = out;
  return read_numbers(r, value, TD_MAX_KNOTS, &t->spec.s, &t->spec.count);
}
static td_status read_table_y(reader *r, const json_t *value, void *out) {
  table_lengths *t = out;
  return read_numbers(r, value, TD_MAX_KNOTS, &t->spec.y, &t->y_count);
}
static td_status read_table_z(reader *r, const json_t *value, void *out) {
  table_lengths *t = out;
  return read_numbers(r, value, TD_MAX_KNOTS, &t->spec.z, &t->z_count);
}

static td_status read_table_routing(reader *r, const json_t *value, td_routing_spec *routing) {
  static const field fields[] = {SKIPPED_FIELD("type"),
                                 {"s", read_table_s, 0, true, NULL},
                                 {"y", read_table_y, 0, true, NULL},
                                 {"z", read_table_z, 0, true, NULL}};
  table_lengths t = {.spec = *routing};
  td_status status = read_object(r, value, fields, COUNT_OF(fields), &t);
  *routing = t.spec;
  if (status != TD_OK) return status;
  size_t n = t.spec.count;
  if (t.y_count != n) return fail_key(r, "y", TD_INVALID_ARGUMENT, "has %zu entries, s has %zu", t.y_count, n);
  if (t.z_count != n) return fail_key(r, "z", TD_INVALID_ARGUMENT, "has %zu entries, s has %zu", t.z_count, n);
  return TD_OK;
}

static td_status read_routing(reader *r, const json_t *value, void *out);

static td_status read_routing_of(reader *r, const json_t *value, void *out) {
  td_routing_spec *routing = out;
  if (++r->depth > MODEL_MAX_ROUTING_DEPTH)
    return fail_here(r, TD_INVALID_ARGUMENT, "sums nested deeper than %d levels", MODEL_MAX_ROUTING_DEPTH);
  static const td_routing_spec none = {0};
  void *list = NULL;
  td_status status = read_list(r, value, TD_MAX_SEGMENTS, sizeof none, &none, read_routing, &list, &routing->of_count);
  routing->of = list;
  r->depth--;
  if (status == TD_OK && routing->of_count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one entry");
  return status;
}

static const field linear_fields[] = {SKIPPED_FIELD("type"),
                                      REQUIRED_FIELD(td_routing_spec, base, "base", read_vector2),
                                      FIELD(td_routing_spec, tip, "tip", read_vector2)};
static const field helix_fields[] = {
    SKIPPED_FIELD("type"), REQUIRED_FIELD(td_routing_spec, radius, "radius", read_number),
    REQUIRED_FIELD(td_routing_spec, turns, "turns", read_number), FIELD(td_routing_spec, phase, "phase", read_number)};
static const field sum_fields[] = {SKIPPED_FIELD("type"), {"of", read_routing_of, 0, true, NULL}};

static td_status read_linear_routing(reader *r, const json_t *value, td_routing_spec *routing) {
  td_status status = read_object(r, value, linear_fields, COUNT_OF(linear_fields), routing);
  if (status == TD_OK && !json_object_get(value, "tip")) memcpy(routing->tip, routing->base, sizeof routing->tip);
  return status;
}

static td_status read_routing(reader *r, const json_t *value, void *out) {
  td_routing_spec *routing = out;
  int word;
  td_status status = read_key_word(r, value, "type", routing_word, TD_ROUTING_COUNT, &word);
  if (status != TD_OK) return status;
  routing->type = (td_routing_type)word;
  switch (routing->type) {
  case TD_ROUTING_LINEAR:
    return read_linear_routing(r, value, routing);
  case TD_ROUTING_HELIX:
    return read_object(r, value, helix_fields, COUNT_OF(helix_fields), routing);
  case TD_ROUTING_TABLE:
    return read_table_routing(r, value, routing);
  default:
    return read_object(r, value, sum_fields, COUNT_OF(sum_fields), routing);
  }
}

// ------------------------------------------------------------------------------------------------ tendon

static td_status read_segment_routing(reader *r, const json_t *value, void *out) {
  td_segment_spec *segment = out;
  segment->has_routing = true;
  return read_routing(r, value, &segment->routing);
}

static td_status read_segment_points(reader *r, const json_t *value, void *out) {
  td_segment_spec *segment = out;
  td_status status = read_rows(r, value, 3, TD_MAX_POINTS, &segment->points, &segment->points_count);
  if (status == TD_OK && segment->points_count == 0)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one point");
  return status;
}

static td_status check_segment(reader *r, const json_t *value) {
  bool routing = json_object_get(value, "routing") != NULL, points = json_object_get(value, "points") != NULL;
  if (routing && points) return fail_key(r, "points", TD_INVALID_ARGUMENT, "a segment has routing or points, not both");
  if (!routing && !points)
    return fail_key(r, "routing", TD_INVALID_ARGUMENT,
                    "a segment needs a routing (on a rod) or points (on a rigid link)");
  return TD_OK;
}

static td_status read_segment(reader *r, const json_t *value, void *out) {
  static const field fields[] = {REQUIRED_FIELD(td_segment_spec, link, "link", read_name),
                                 {"routing", read_segment_routing, 0, false, NULL},
                                 {"points", read_segment_points, 0, false, NULL}};
  td_status status = read_object(r, value, fields, COUNT_OF(fields), out);
  return status ? status : check_segment(r, value);
}

static td_status read_segments(reader *r, const json_t *value, void *out) {
  td_actuator_spec *actuator = out;
  static const td_segment_spec none = {0};
  void *list = NULL;
  actuator->segments_key = true;
  td_status status =
      read_list(r, value, TD_MAX_SEGMENTS, sizeof none, &none, read_segment, &list, &actuator->segment_count);
  actuator->segments = list;
  if (status == TD_OK && actuator->segment_count == 0)
    return fail_here(r, TD_INVALID_ARGUMENT, "a tendon needs at least one segment");
  return status;
}

static const char *pull_word(int i) { return i == 0 ? "tension" : "length"; }

static td_status read_pull(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, pull_word, 2, &word);
  *(bool *)out = word == 1;
  return status;
}

#define PULL_FIELDS(type, at)                                                                                          \
  FIELD(type, at mode_length, "mode", read_pull), FIELD(type, at stiffness, "stiffness", read_number),                 \
      FIELD(type, at rest, "rest", read_number), FIELD(type, at damping, "damping", read_number),                      \
      FIELD(type, at slack_width, "slack_width", read_number), FIELD(type, at friction, "friction", read_number),      \
      FIELD(type, at slip_speed, "slip_speed", read_number)

// What the engine, for which 0 is the default, cannot tell: keys that do not belong together, and a 0 that is written.
static td_status check_pull(reader *r, const json_t *value, const td_actuator_spec *actuator) {
  static const char *const of_length[] = {"stiffness", "rest", "damping", "slack_width"};
  for (size_t i = 0; !actuator->mode_length && i < COUNT_OF(of_length); i++)
    if (json_object_get(value, of_length[i]))
      return fail_key(r, of_length[i], TD_INVALID_ARGUMENT,
                      "belongs to mode \"length\"; this tendon's input is its tension");
  if (actuator->mode_length && !json_object_get(value, "stiffness"))
    return fail_key(r, "stiffness", TD_INVALID_ARGUMENT, "required with mode \"length\"");
  if (!(actuator->slack_width > 0))
    return fail_key(r, "slack_width", TD_INVALID_ARGUMENT, "must be positive, is %g", actuator->slack_width);
  if (!(actuator->slip_speed > 0))
    return fail_key(r, "slip_speed", TD_INVALID_ARGUMENT, "must be positive, is %g", actuator->slip_speed);
  if (json_object_get(value, "slip_speed") && actuator->friction == 0)
    warn_key(r, "slip_speed", "unused_option", "a tendon without `friction` does not rub: %.6g m/s is not used",
             actuator->slip_speed);
  return TD_OK;
}

// `link` with routing or points, beside the actuator's own keys: one segment.
static td_status read_single_tendon(reader *r, const json_t *value, td_actuator_spec *actuator) {
  typedef struct tendon {
    td_segment_spec segment;
    td_actuator_spec own;
  } tendon;
  static const field fields[] = {SKIPPED_FIELD("type"),
                                 REQUIRED_FIELD(tendon, own.name, "name", read_name),
                                 REQUIRED_FIELD(tendon, segment.link, "link", read_name),
                                 {"routing", read_segment_routing, 0, false, NULL},
                                 {"points", read_segment_points, 0, false, NULL},
                                 SKIPPED_FIELD("segments"),
                                 FIELD(tendon, own.joined, "joined", read_bool),
                                 PULL_FIELDS(tendon, own.)};
  tendon *t = arena_alloc(r->memory, sizeof *t);
  if (!t) return fail_here(r, TD_NO_MEMORY, "out of memory");
  t->own = *actuator;
  td_status status = read_object(r, value, fields, COUNT_OF(fields), t);
  if (status == TD_OK) status = check_segment(r, value);
  *actuator = t->own;
  actuator->segments = &t->segment;
  actuator->segment_count = 1;
  return status ? status : check_pull(r, value, actuator);
}

static td_status read_tendon(reader *r, const json_t *value, td_actuator_spec *actuator) {
  static const field fields[] = {SKIPPED_FIELD("type"),
                                 REQUIRED_FIELD(td_actuator_spec, name, "name", read_name),
                                 {"segments", read_segments, 0, true, NULL},
                                 FIELD(td_actuator_spec, joined, "joined", read_bool),
                                 PULL_FIELDS(td_actuator_spec, )};
  if (!json_object_get(value, "segments")) return read_single_tendon(r, value, actuator);
  if (json_object_get(value, "link"))
    return fail_key(r, "link", TD_INVALID_ARGUMENT, "a tendon has link and routing, or segments, not both");
  td_status status = read_object(r, value, fields, COUNT_OF(fields), actuator);
  return status ? status : check_pull(r, value, actuator);
}

// ------------------------------------------------------------------------------------------------ actuators

static td_status read_mode(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, mode_word, 2, &word);
  *(bool *)out = word == 1;
  return status;
}

static const field joint_actuator_fields[] = {
    SKIPPED_FIELD("type"),
    REQUIRED_FIELD(td_actuator_spec, name, "name", read_name),
    REQUIRED_FIELD(td_actuator_spec, link, "link", read_name),
    FIELD(td_actuator_spec, mode_position, "mode", read_mode),
};

static const field pressure_fields[] = {
    SKIPPED_FIELD("type"),
    REQUIRED_FIELD(td_actuator_spec, name, "name", read_name),
    REQUIRED_FIELD(td_actuator_spec, link, "link", read_name),
    FIELD(td_actuator_spec, chamber, "chamber", read_integer),
};

static const field field_fields[] = {
    SKIPPED_FIELD("type"),
    REQUIRED_FIELD(td_actuator_spec, name, "name", read_name),
    FIELD(td_actuator_spec, gradient, "gradient", read_bool),
};

// Of those that have a name and nothing else.
static const field named_fields[] = {SKIPPED_FIELD("type"), REQUIRED_FIELD(td_actuator_spec, name, "name", read_name)};

#define FIELDS_OF(fields)                                                                                              \
  { fields, COUNT_OF(fields) }
static const struct {
  const field *fields; // NULL: named_fields
  size_t count;
} fields_of[TD_ACTUATOR_TYPE_COUNT] = {[TD_ACTUATOR_JOINT] = FIELDS_OF(joint_actuator_fields),
                                       [TD_ACTUATOR_PRESSURE] = FIELDS_OF(pressure_fields),
                                       [TD_ACTUATOR_FIELD] = FIELDS_OF(field_fields)};

td_status read_actuator(reader *r, const json_t *value, void *out) {
  td_actuator_spec *actuator = out;
  int word;
  td_status status = read_key_word(r, value, "type", actuator_word, TD_ACTUATOR_TYPE_COUNT, &word);
  if (status != TD_OK) return status;
  actuator->type = (td_actuator_type)word;
  if (actuator->type == TD_ACTUATOR_TENDON) return read_tendon(r, value, actuator);
  if (!fields_of[word].fields) return read_object(r, value, named_fields, COUNT_OF(named_fields), actuator);
  return read_object(r, value, fields_of[word].fields, fields_of[word].count, actuator);
}

// ------------------------------------------------------------------------------------------------ loads

static td_status read_frame(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, frame_word, TD_LOAD_FRAME_COUNT, &word);
  *(td_load_frame *)out = (td_load_frame)word;
  return status;
}

static td_status read_channels(reader *r, const json_t *value, void *out) {
  td_load_spec *load = out;
  load->has_channels = true;
  if (!json_is_array(value) || json_array_size(value) != 6) return fail_type(r, "an array of 6 names or null", value);
  for (size_t i = 0; i < 6; i++) {
    const json_t *name = json_array_get(value, i);
    if (json_is_null(name)) continue;
    size_t mark = codec_pointer_index(&r->at, i);
    td_status status = read_name(r, name, &load->channels[i]);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, mark);
  }
  return TD_OK;
}

static const field load_fields[] = {
    FIELD(td_load_spec, name, "name", read_name),    REQUIRED_FIELD(td_load_spec, link, "link", read_name),
    FIELD(td_load_spec, at, "at", read_number),      FIELD(td_load_spec, pose, "pose", read_pose),
    FIELD(td_load_spec, frame, "frame", read_frame), FIELD(td_load_spec, wrench, "wrench", read_vector6),
    {"channels", read_channels, 0, false, NULL},     FIELD(td_load_spec, per_length, "per_length", read_bool),
    FIELD(td_load_spec, from, "from", read_number),  FIELD(td_load_spec, to, "to", read_number),
};

static bool is_zero(const double wrench[6]) {
  bool zero = true;
  for (int i = 0; i < 6; i++) zero = zero && wrench[i] == 0;
  return zero;
}

td_status read_load(reader *r, const json_t *value, void *out) {
  td_status status = read_object(r, value, load_fields, COUNT_OF(load_fields), out);
  if (status != TD_OK) return status;
  if (!json_object_get(value, "wrench") && !json_object_get(value, "channels"))
    return fail_key(r, "wrench", TD_INVALID_ARGUMENT, "a load needs a wrench or channels");
  if (!is_zero(((td_load_spec *)out)->wrench) && json_object_get(value, "channels"))
    warn_key(r, "wrench", "unused_option",
             "a load with `channels` is what these inputs say, its `wrench` is not used: give it as a load of its own");
  bool per_length = ((td_load_spec *)out)->per_length;
  if (per_length && json_object_get(value, "at"))
    return fail_key(r, "at", TD_INVALID_ARGUMENT, "a load per length acts from `from` to `to`, not `at` one point");
  for (int i = 0; i < 2 && !per_length; i++)
    if (json_object_get(value, i ? "to" : "from"))
      return fail_key(r, i ? "to" : "from", TD_INVALID_ARGUMENT, "belongs to a load with `per_length` true");
  return TD_OK;
}
