// Joints and poses of a model document.
//
// Invariant: a pose that was read holds a rotation matrix (made from rpy or a quaternion), never the angles.
#include "codec/document/model/model.h"
#include "codec/document/model/parts.h"

#include <math.h>
#include <string.h>

#define NO_LIMITS                                                                                                      \
  {                                                                                                                    \
    .lower = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, .upper = {                            \
      INFINITY,                                                                                                        \
      INFINITY,                                                                                                        \
      INFINITY,                                                                                                        \
      INFINITY,                                                                                                        \
      INFINITY,                                                                                                        \
      INFINITY                                                                                                         \
    }                                                                                                                  \
  }
const td_joint_spec default_joint = {.type = TD_JOINT_FIXED, .axis = {0, 0, 1}, .limits = NO_LIMITS};

static const char *joint_word(int i) { return td_joint_type_name((td_joint_type)i); }

static const char *axis_word(int i) {
  static const char *const words[] = {"x", "y", "z", "-x", "-y", "-z"};
  return words[i];
}

td_status read_axis(reader *r, const json_t *value, void *out) {
  if (json_is_array(value)) return read_vector3(r, value, out);
  if (!json_is_string(value)) return fail_type(r, "\"x\", \"-y\", … or an array of 3 numbers", value);
  int word;
  td_status status = read_word(r, value, axis_word, 6, &word);
  if (status != TD_OK) return status;
  double *axis = out;
  memset(axis, 0, 3 * sizeof *axis);
  axis[word % 3] = word < 3 ? 1 : -1;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ joint

typedef struct joint_values {
  td_joint_spec spec;
  const json_t *stiffness, *damping, *rest, *limits;
} joint_values;

static td_status keep(reader *r, const json_t *value, void *out) {
  (void)r;
  *(const json_t **)out = value;
  return TD_OK;
}

enum { MOTION_FIELDS = 3 }; // the first three say how a joint moves, the others what drives it
static const field joint_fields[] = {
    SKIPPED_FIELD("type"),
    FIELD(joint_values, spec.axis, "axis", read_axis),
    FIELD(joint_values, spec.pitch, "pitch", read_number),
    FIELD(joint_values, stiffness, "stiffness", keep),
    FIELD(joint_values, damping, "damping", keep),
    FIELD(joint_values, rest, "rest", keep),
    FIELD(joint_values, limits, "limits", keep),
};

// One number for all coordinates, or one per coordinate.
static td_status per_coordinate(reader *r, const char *key, const json_t *value, int dof, double out[6]) {
  if (!value) return TD_OK;
  size_t mark = codec_pointer_key(&r->at, key);
  td_status status = TD_OK;
  if (json_is_array(value)) {
    status = read_vector(r, value, out, (size_t)dof);
  } else if (!json_is_number(value)) {
    status = fail_type(r, "a number or one per coordinate", value);
  } else {
    for (int i = 0; i < dof; i++) out[i] = json_number_value(value);
  }
  codec_pointer_pop(&r->at, mark);
  return status;
}

static td_status check_pitch(reader *r, const json_t *value, const td_joint_spec *joint) {
  bool given = json_object_get(value, "pitch") != NULL, helical = td_joint_moves(joint->type) & TD_PITCHED;
  if (given == helical) return TD_OK;
  return fail_key(r, "pitch", TD_INVALID_ARGUMENT, "%s",
                  helical ? "a helical joint needs its pitch (m per rad)" : "only a helical joint has a pitch");
}

static td_status read_motion(reader *r, const json_t *value, const field *fields, size_t count, joint_values *joint) {
  int word;
  td_status status = read_key_word(r, value, "type", joint_word, TD_JOINT_TYPE_COUNT, &word);
  if (status != TD_OK) return status;
  joint->spec.type = (td_joint_type)word;
  status = read_object(r, value, fields, count, joint);
  return status ? status : check_pitch(r, value, &joint->spec);
}

td_status read_loop_joint(reader *r, const json_t *value, void *out) {
  joint_values joint = {.spec = default_joint};
  td_status status = read_motion(r, value, joint_fields, MOTION_FIELDS, &joint);
  *(td_joint_spec *)out = joint.spec;
  return status;
}

// ------------------------------------------------------------------------------------------------ limits

typedef struct limit_values {
  const json_t *lower, *upper, *stiffness, *damping;
} limit_values;

static const field limit_fields[] = {
    FIELD(limit_values, lower, "lower", keep),
    FIELD(limit_values, upper, "upper", keep),
    REQUIRED_FIELD(limit_values, stiffness, "stiffness", keep),
    FIELD(limit_values, damping, "damping", keep),
};

// One number for all coordinates, or one or null per coordinate: null stays at infinity.
static td_status bounds(reader *r, const char *key, const json_t *value, int dof, double out[6]) {
  if (json_is_null(value)) return TD_OK;
  if (!json_is_array(value) || json_array_size(value) != (size_t)dof) return per_coordinate(r, key, value, dof, out);
  size_t mark = codec_pointer_key(&r->at, key);
  td_status status = TD_OK;
  for (int i = 0; i < dof && !status; i++) {
    const json_t *one = json_array_get(value, (size_t)i);
    size_t entry = codec_pointer_index(&r->at, (size_t)i);
    if (!json_is_null(one)) status = read_number(r, one, &out[i]);
    codec_pointer_pop(&r->at, entry);
  }
  codec_pointer_pop(&r->at, mark);
  return status;
}

// A stop without stiffness would be none.
static td_status check_stiffness(reader *r, const td_limits_spec *limits, int dof) {
  for (int i = 0; i < dof; i++)
    if (!(limits->stiffness[i] > 0))
      return fail_key(r, "stiffness", TD_INVALID_ARGUMENT, "%.9g is not positive: a stop has a stiffness",
                      limits->stiffness[i]);
  return TD_OK;
}

static td_status read_limits(reader *r, const json_t *value, int dof, td_limits_spec *out) {
  limit_values limits = {.lower = NULL};
  if (!value) return TD_OK;
  size_t mark = codec_pointer_key(&r->at, "limits");
  td_status status = read_object(r, value, limit_fields, COUNT_OF(limit_fields), &limits);
  if (!status && dof == 0) status = fail_here(r, TD_INVALID_ARGUMENT, "a fixed joint does not move");
  if (!status && !limits.lower && !limits.upper)
    status = fail_here(r, TD_INVALID_ARGUMENT, "limits have lower, upper or both");
  if (!status) status = bounds(r, "lower", limits.lower, dof, out->lower);
  if (!status) status = bounds(r, "upper", limits.upper, dof, out->upper);
  if (!status) status = per_coordinate(r, "stiffness", limits.stiffness, dof, out->stiffness);
  if (!status) status = check_stiffness(r, out, dof);
  if (!status) status = per_coordinate(r, "damping", limits.damping, dof, out->damping);
  codec_pointer_pop(&r->at, mark);
  return status;
}

td_status read_joint(reader *r, const json_t *value, void *out) {
  joint_values joint = {.spec = default_joint};
  td_status status = read_motion(r, value, joint_fields, COUNT_OF(joint_fields), &joint);
  int dof = td_joint_dof(joint.spec.type);
  if (!status) status = per_coordinate(r, "stiffness", joint.stiffness, dof, joint.spec.stiffness);
  if (!status) status = per_coordinate(r, "damping", joint.damping, dof, joint.spec.damping);
  if (!status) status = per_coordinate(r, "rest", joint.rest, dof, joint.spec.rest);
  if (!status) status = read_limits(r, joint.limits, dof, &joint.spec.limits);
  *(td_joint_spec *)out = joint.spec;
  return status;
}

// ------------------------------------------------------------------------------------------------ pose

typedef struct pose_values {
  double translation[3], rpy[3], quaternion[4];
} pose_values;

static const field pose_fields[] = {
    FIELD(pose_values, translation, "translation", read_vector3),
    FIELD(pose_values, rpy, "rpy", read_vector3),
    FIELD(pose_values, quaternion, "quaternion", read_vector4),
};

// More than a turn is likely meant in degrees.
static void remark_angles(reader *r, const double rpy[3]) {
  for (int i = 0; i < 3; i++)
    if (fabs(rpy[i]) > 2 * M_PI)
      warn_key(r, "rpy", "odd_angle", "%.9g rad is more than a turn: angles are in radians, 90 degrees are 1.5707963",
               rpy[i]);
}

td_status read_pose(reader *r, const json_t *value, void *out) {
  td_se3 *pose = out;
  pose_values v = {.quaternion = {1, 0, 0, 0}};
  td_status status = read_object(r, value, pose_fields, COUNT_OF(pose_fields), &v);
  if (status != TD_OK) return status;
  if (json_object_get(value, "rpy") && json_object_get(value, "quaternion"))
    return fail_here(r, TD_INVALID_ARGUMENT, "a pose has rpy or quaternion, not both");
  memcpy(pose->p, v.translation, sizeof pose->p);
  if (json_object_get(value, "rpy")) return remark_angles(r, v.rpy), td_rotation_from_rpy(v.rpy, pose->R), TD_OK;
  if (td_rotation_from_quaternion(v.quaternion, pose->R) == TD_OK) return TD_OK;
  return fail_key(r, "quaternion", TD_INVALID_ARGUMENT, "a quaternion's norm must be finite and not 0");
}

td_status codec_pose_read(const json_t *value, const char *prefix, td_se3 *pose, td_error *err) {
  reader r = {.err = err};
  codec_pointer_init(&r.at, prefix);
  *pose = (td_se3){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return read_pose(&r, value, pose);
}
