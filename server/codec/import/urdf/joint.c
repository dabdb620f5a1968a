// A joint of a URDF: what it connects, how it moves, how far, its damper.
#include "codec/import/urdf/parts.h"
#include "tendril/spec.h"

#include <math.h>
#include <string.h>

static const char OTHER_COORDINATES[] =
    "moves as in URDF, by other coordinates: a turn and slides beside it happen together, along a screw "
    "(api/quantities.md)";

static const urdf_joint_type TYPES[] = {
    {"revolute", "revolute", true, true, true, NULL},
    {"continuous", "revolute", true, true, false, NULL},
    {"prismatic", "prismatic", true, true, true, NULL},
    {"fixed", "fixed", false, false, false, NULL},
    {"planar", "planar", true, false, false, OTHER_COORDINATES},
    {"floating", "free", false, false, false, OTHER_COORDINATES},
};

static td_status read_type(const import_reader *r, xml_element *e, urdf_joint *joint) {
  const char *word;
  td_status status = import_text(r, e, "type", &word);
  for (size_t i = 0; !status && i < sizeof TYPES / sizeof *TYPES; i++)
    if (strcmp(word, TYPES[i].name) == 0) joint->type = &TYPES[i];
  if (status || joint->type) return status;
  return import_fail(r, e, "type=\"%.40s\" is none of revolute, continuous, prismatic, fixed, planar, floating", word);
}

static td_status find_link(const import_reader *r, const urdf_robot *robot, xml_element *e, const char *which,
                           urdf_link **link) {
  xml_element *end = NULL;
  const char *name;
  td_status status = import_need(r, e, which, &end);
  if (!status) status = import_text(r, end, "link", &name);
  for (size_t i = 0; !status && i < robot->link_count; i++)
    if (strcmp(robot->links[i].name, name) == 0) return *link = &robot->links[i], TD_OK;
  return status ? status : import_fail(r, end, "link=\"%.63s\": there is no link of that name", name);
}

// URDF's own default is x. Its length means nothing in Tendril: a unit of the coordinate is a radian or a metre.
static td_status read_axis(const import_reader *r, xml_element *e, urdf_joint *joint) {
  xml_element *axis;
  char whose[REMARK_TEXT_SIZE];
  joint->axis[0] = 1;
  td_status status = joint->type->has_axis ? import_one(r, e, "axis", &axis) : TD_OK;
  if (status || !joint->type->has_axis || !axis) return status;
  double *a = joint->axis;
  status = import_numbers(r, axis, "xyz", true, 3, a);
  double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  if (!status && !(length > 0 && isfinite(length)))
    return import_fail(r, axis, "xyz=\"%g %g %g\" has no direction", a[0], a[1], a[2]);
  if (!status && fabs(length - 1) > 1e-3)
    remark_add(r->remarks, "is normalised: coordinates are radians and metres whatever the length of the axis",
               axis->line, "%s, length %g", import_whose(axis, whose), length);
  return status;
}

static td_status read_dynamics(const import_reader *r, xml_element *e, urdf_joint *joint) {
  xml_element *dynamics;
  double friction = 0;
  td_status status = import_one(r, e, "dynamics", &dynamics);
  if (status || !dynamics) return status;
  status = import_numbers(r, dynamics, "damping", false, 1, &joint->damping);
  if (!status) status = import_numbers(r, dynamics, "friction", false, 1, &friction);
  if (!status && joint->damping < 0) status = import_fail(r, dynamics, "damping=\"%g\" is negative", joint->damping);
  if (!status && friction != 0)
    remark_add(r->remarks, "is left out: joints have no dry friction in Tendril; a damper may stand for it",
               dynamics->line, "friction %g of joint \"%s\"", friction, joint->name);
  return status;
}

// A stop of URDF is hard; what of it gives way is a choice, which is told.
static const char SOFT_TURN[] =
    "becomes a soft stop of 10000 N m/rad and 10000 N m s/rad^2 (1 N m turns it 0.0001 rad further; what hits it at 1 "
    "rad/s comes back at 0.6); other numbers: `limits` of the joint; none: \"stops\": \"none\"";
static const char SOFT_SLIDE[] =
    "becomes a soft stop of 1000000 N/m and 1000000 N s/m^2 (1 N pushes it a thousandth of a millimetre further; what "
    "hits it at 1 m/s comes back at 0.6); other numbers: `limits` of the joint; none: \"stops\": \"none\"";
static const char LOCKED[] = "says no lower and no upper: URDF takes both for 0, which would lock the joint; it has no "
                             "limits here, give it its own (`limits` of the joint)";
static const char OUT_OF_REACH[] = "keep the joint from 0, where runs and evaluations start unless they say otherwise; "
                                   "give them an `initial` (or `q`) within";

static void tell_limits(const import_reader *r, const xml_element *e, const urdf_joint *joint) {
  bool slides = strcmp(joint->type->tendril, "prismatic") == 0;
  remark_add(r->remarks, slides ? SOFT_SLIDE : SOFT_TURN, e->line, "[%g, %g] of joint \"%s\"", joint->lower,
             joint->upper, joint->name);
  if (joint->lower > 0 || joint->upper < 0)
    remark_add(r->remarks, OUT_OF_REACH, e->line, "[%g, %g] of joint \"%s\"", joint->lower, joint->upper, joint->name);
}

static td_status read_limits(const import_reader *r, xml_element *e, urdf_joint *joint) {
  xml_element *limit;
  if (!joint->type->limited || r->stops == IMPORT_STOPS_NONE) return TD_OK;
  td_status status = import_one(r, e, "limit", &limit);
  if (status || !limit) return status;
  if (!xml_attribute_of(limit, "lower") && !xml_attribute_of(limit, "upper")) {
    remark_add(r->remarks, LOCKED, limit->line, "<limit> of joint \"%s\"", joint->name);
    return TD_OK;
  }
  status = import_numbers(r, limit, "lower", false, 1, &joint->lower);
  if (!status) status = import_numbers(r, limit, "upper", false, 1, &joint->upper);
  if (!status && joint->lower > joint->upper)
    status = import_fail(r, limit, "lower=\"%g\" is above upper=\"%g\"", joint->lower, joint->upper);
  joint->limited = !status;
  if (!status) tell_limits(r, limit, joint);
  return status;
}

td_status urdf_read_joint(const import_reader *r, urdf_robot *robot, xml_element *e, urdf_joint *joint) {
  char whose[REMARK_TEXT_SIZE];
  joint->element = e;
  td_status status = import_text(r, e, "name", &joint->name);
  if (!status && strlen(joint->name) > TD_MAX_NAME)
    return import_fail(r, e, "its name has %zu bytes, more than %d", strlen(joint->name), (int)TD_MAX_NAME);
  if (!status) status = read_type(r, e, joint);
  if (!status) status = find_link(r, robot, e, "parent", &joint->parent);
  if (!status) status = find_link(r, robot, e, "child", &joint->child);
  if (!status) status = urdf_origin_of(r, e, &joint->origin);
  if (!status) status = read_axis(r, e, joint);
  if (!status && strcmp(joint->type->tendril, "fixed") != 0) status = read_dynamics(r, e, joint);
  if (!status) status = read_limits(r, e, joint);
  if (!status && joint->type->remark)
    remark_add(r->remarks, joint->type->remark, e->line, "%s joint, %s", joint->type->name, import_whose(e, whose));
  return status;
}
