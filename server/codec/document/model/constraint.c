// Contacts, loops and springs of a model document.
//
// Method: a contact's keys depend on its type, so each type has its own table of fields; a loop's joint is a link's
// joint without spring and damper, since nothing moves by it. Invariant: the radius of a contact that has none is
// NaN.
#include "codec/document/model/parts.h"

#include <math.h>

static const char *contact_word(int i) { return td_contact_type_name((td_contact_type)i); }
static const char *per_word(int i) { return td_contact_per_name((td_contact_per)i); }

#define NO_POSE                                                                                                        \
  {                                                                                                                    \
    .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }                                                                                 \
  }

const td_contact_spec default_contact = {.pose = NO_POSE,
                                         .axis = {0, 0, 1},
                                         .radius = NAN,
                                         .exponent = 1.5,
                                         .slip_speed = TD_SLIP_SPEED,
                                         .anisotropy = {1, 1}};
const td_spring_spec default_spring = {.a = {.at = 1, .pose = NO_POSE}, .b = {.at = 1, .pose = NO_POSE}, .rest = NAN};
const td_loop_spec default_loop = {
    .a = {.at = 1, .pose = NO_POSE}, .b = {.at = 1, .pose = NO_POSE}, .joint = {.axis = {0, 0, 1}}};

// ------------------------------------------------------------------------------------------------ contacts

static td_status read_link_names(reader *r, const json_t *value, const char *const **links, size_t *count) {
  static const char *const none = NULL;
  void *list = NULL;
  td_status status = read_list(r, value, TD_MAX_LINKS, sizeof none, &none, read_name, &list, count);
  *links = list;
  return status;
}

static td_status read_a(reader *r, const json_t *value, void *out) {
  return read_link_names(r, value, &((td_contact_spec *)out)->a, &((td_contact_spec *)out)->a_count);
}
static td_status read_b(reader *r, const json_t *value, void *out) {
  return read_link_names(r, value, &((td_contact_spec *)out)->b, &((td_contact_spec *)out)->b_count);
}

// The one link of a contact of type self, as a list.
static td_status read_own_link(reader *r, const json_t *value, void *out) {
  td_contact_spec *c = out;
  const char **list = arena_array(r->memory, 1, sizeof *list);
  if (!list) return fail_here(r, TD_NO_MEMORY, "out of memory for a name");
  c->a = list;
  c->a_count = 1;
  return read_name(r, value, (void *)list);
}

static td_status read_contact_links(reader *r, const json_t *value, void *out) {
  td_contact_spec *contact = out;
  td_status status = read_link_names(r, value, &contact->links, &contact->link_count);
  if (status == TD_OK && contact->link_count == 0)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one link; left out, it means every rod");
  return status;
}

static td_status read_stick(reader *r, const json_t *value, void *out) {
  static const field fields[] = {REQUIRED_FIELD(td_contact_spec, stick, "stiffness", read_number),
                                 FIELD(td_contact_spec, stick_damping, "damping", read_number)};
  td_contact_spec *c = out;
  td_status status = read_object(r, value, fields, COUNT_OF(fields), out);
  if (status != TD_OK || c->stick > 0) return status;
  return fail_key(r, "stiffness", TD_INVALID_ARGUMENT, "must be positive, is %g", c->stick);
}

static td_status read_per(reader *r, const json_t *value, void *out) {
  int word;
  td_status status = read_word(r, value, per_word, TD_CONTACT_PER_COUNT, &word);
  if (status == TD_OK) *(td_contact_per *)out = (td_contact_per)word;
  return status;
}

#define LAW_FIELDS                                                                                                     \
  SKIPPED_FIELD("type"), FIELD(td_contact_spec, name, "name", read_name),                                              \
      REQUIRED_FIELD(td_contact_spec, stiffness, "stiffness", read_number),                                            \
      FIELD(td_contact_spec, exponent, "exponent", read_number),                                                       \
      FIELD(td_contact_spec, damping, "damping", read_number),                                                         \
      FIELD(td_contact_spec, friction, "friction", read_number),                                                       \
      FIELD(td_contact_spec, slip_speed, "slip_speed", read_number), {                                                 \
    "stick", read_stick, 0, false, NULL                                                                                \
  }
#define CONTACT_FIELDS                                                                                                 \
  LAW_FIELDS, FIELD(td_contact_spec, per, "per", read_per),                                                            \
      FIELD(td_contact_spec, anisotropy, "anisotropy", read_vector2), FIELD(td_contact_spec, pose, "pose", read_pose), \
  {                                                                                                                    \
    "links", read_contact_links, 0, false, NULL                                                                        \
  }
static const field pair_fields[] = {LAW_FIELDS,
                                    {"a", read_a, 0, true, NULL},
                                    {"b", read_b, 0, true, NULL},
                                    FIELD(td_contact_spec, anisotropy, "anisotropy", read_vector2)};
static const field self_fields[] = {LAW_FIELDS,
                                    {"link", read_own_link, 0, true, NULL},
                                    FIELD(td_contact_spec, apart, "apart", read_number),
                                    FIELD(td_contact_spec, anisotropy, "anisotropy", read_vector2)};
static const field round_fields[] = {CONTACT_FIELDS, FIELD(td_contact_spec, axis, "axis", read_axis),
                                     REQUIRED_FIELD(td_contact_spec, radius, "radius", read_number)};
static const field flat_fields[] = {CONTACT_FIELDS, FIELD(td_contact_spec, axis, "axis", read_axis)};
static const field ball_fields[] = {CONTACT_FIELDS, REQUIRED_FIELD(td_contact_spec, radius, "radius", read_number)};
static const field box_fields[] = {CONTACT_FIELDS, REQUIRED_FIELD(td_contact_spec, size, "size", read_vector3),
                                   FIELD(td_contact_spec, rounding, "rounding", read_number)};
static const field plain_fields[] = {CONTACT_FIELDS};

static td_status judge_rubbing(reader *r, const json_t *value, const td_contact_spec *c) {
  static const char *const keys[] = {"slip_speed", "anisotropy"};
  if (!(c->slip_speed > 0))
    return fail_key(r, "slip_speed", TD_INVALID_ARGUMENT, "must be positive, is %g", c->slip_speed);
  if (c->anisotropy[0] == 0 && c->anisotropy[1] == 0)
    return fail_key(r, "anisotropy", TD_INVALID_ARGUMENT, "leaves no friction: one of the two must be positive");
  for (size_t i = 0; i < COUNT_OF(keys) && c->friction == 0; i++)
    if (json_object_get(value, keys[i]))
      warn_key(r, keys[i], "unused_option", "a contact without `friction` does not rub: `%s` is not used", keys[i]);
  if (c->stick > 0 && c->friction > 0 && json_object_get(value, "slip_speed"))
    warn_key(r, "slip_speed", "unused_option", "what sticks holds by a spring: `slip_speed` is not used");
  return TD_OK;
}

td_status read_contact(reader *r, const json_t *value, void *out) {
  static const struct {
    const field *fields;
    size_t count;
  } fields[2][2] = {{{plain_fields, COUNT_OF(plain_fields)}, {ball_fields, COUNT_OF(ball_fields)}},
                    {{flat_fields, COUNT_OF(flat_fields)}, {round_fields, COUNT_OF(round_fields)}}};
  int word;
  td_status status = read_key_word(r, value, "type", contact_word, TD_CONTACT_TYPE_COUNT, &word);
  if (status != TD_OK) return status;
  td_contact_type type = ((td_contact_spec *)out)->type = (td_contact_type)word;
  int axis = td_contact_has_axis(type), radius = td_contact_has_radius(type);
  if (type == TD_CONTACT_PAIR)
    status = read_object(r, value, pair_fields, COUNT_OF(pair_fields), out);
  else if (type == TD_CONTACT_SELF)
    status = read_object(r, value, self_fields, COUNT_OF(self_fields), out);
  else if (td_contact_has_size(type))
    status = read_object(r, value, box_fields, COUNT_OF(box_fields), out);
  else
    status = read_object(r, value, fields[axis][radius].fields, fields[axis][radius].count, out);
  return status == TD_OK ? judge_rubbing(r, value, out) : status;
}

// ------------------------------------------------------------------------------------------------ loops

static td_status read_end(reader *r, const json_t *value, void *out) {
  static const field fields[] = {REQUIRED_FIELD(td_loop_end, link, "link", read_name),
                                 FIELD(td_loop_end, at, "at", read_number),
                                 FIELD(td_loop_end, pose, "pose", read_pose)};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

td_status read_loop(reader *r, const json_t *value, void *out) {
  static const field fields[] = {
      FIELD(td_loop_spec, name, "name", read_name), REQUIRED_FIELD(td_loop_spec, a, "a", read_end),
      REQUIRED_FIELD(td_loop_spec, b, "b", read_end), REQUIRED_FIELD(td_loop_spec, joint, "joint", read_loop_joint)};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

// ------------------------------------------------------------------------------------------------ springs

td_status read_spring(reader *r, const json_t *value, void *out) {
  static const field fields[] = {FIELD(td_spring_spec, name, "name", read_name),
                                 REQUIRED_FIELD(td_spring_spec, a, "a", read_end),
                                 REQUIRED_FIELD(td_spring_spec, b, "b", read_end),
                                 FIELD(td_spring_spec, stiffness, "stiffness", read_number),
                                 FIELD(td_spring_spec, damping, "damping", read_number),
                                 FIELD(td_spring_spec, rest, "rest", read_number),
                                 FIELD(td_spring_spec, channel, "channel", read_name)};
  td_status status = read_object(r, value, fields, COUNT_OF(fields), out);
  if (status != TD_OK || json_object_get(value, "stiffness") || json_object_get(value, "damping")) return status;
  return fail_key(r, "stiffness", TD_INVALID_ARGUMENT, "a spring needs a stiffness, a damping or both");
}
