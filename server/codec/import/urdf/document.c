// A robot of a URDF as a model document.
//
// Frames are the same in both: `pose` of a link is the joint's <origin>, its own frame that after the joint. So every
// link becomes one, fixed ones too, which keep the names of frames (tool0) at no cost to the dynamics. The root hangs
// at the world; a root that is called "world" is the world.
#include "codec/import/urdf/parts.h"

#include <stdio.h>
#include <string.h>

static const char WORLD[] = "world";

static bool is_zero(const double *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (x[i] != 0) return false;
  return true;
}

// ------------------------------------------------------------------------------------------------ parts

// As joint.c tells.
static const double SOFT_TURN = 1e4, SOFT_SLIDE = 1e6; // N m/rad, N/m; the damper as much, N m s/rad^2, N s/m^2

static json_t *limits_of(const urdf_joint *j, bool *failed) {
  double stiffness = strcmp(j->type->tendril, "prismatic") == 0 ? SOFT_SLIDE : SOFT_TURN;
  json_t *limits = json_object();
  import_set(limits, "lower", json_real(j->lower), failed);
  import_set(limits, "upper", json_real(j->upper), failed);
  import_set(limits, "stiffness", json_real(stiffness), failed);
  import_set(limits, "damping", json_real(stiffness), failed);
  return limits;
}

static json_t *joint_of(const urdf_joint *j, bool *failed) {
  json_t *joint = json_object();
  import_set(joint, "type", json_string(j->type->tendril), failed);
  if (j->type->has_axis) import_set(joint, "axis", import_vector(j->axis, 3, failed), failed);
  if (j->damping > 0) import_set(joint, "damping", json_real(j->damping), failed);
  if (j->limited) import_set(joint, "limits", limits_of(j, failed), failed);
  return joint;
}

static json_t *inertia_of(const double I[9], bool *failed) {
  const double diagonal[3] = {I[0], I[4], I[8]};
  if (I[1] == 0 && I[2] == 0 && I[5] == 0) return import_vector(diagonal, 3, failed);
  json_t *rows = json_array();
  for (int i = 0; i < 3; i++) import_append(rows, import_vector(I + 3 * i, 3, failed), failed);
  return rows;
}

static json_t *body_of(const urdf_link *link, bool *failed) {
  json_t *body = json_object();
  import_set(body, "type", json_string("rigid"), failed);
  import_set(body, "mass", json_real(link->mass), failed);
  if (!is_zero(link->com, 3)) import_set(body, "com", import_vector(link->com, 3, failed), failed);
  import_set(body, "inertia", inertia_of(link->inertia, failed), failed);
  json_t *collision = urdf_collision_json(link, failed);
  if (collision) import_set(body, "collision", collision, failed);
  return body;
}

static json_t *root_joint(const import_choice *choice, bool *failed) {
  json_t *joint = json_object();
  import_set(joint, "type", json_string(import_base_word(choice->base)), failed);
  return joint;
}

static json_t *link_of(const urdf_link *link, const import_choice *choice, bool *failed) {
  json_t *out = json_object();
  const urdf_joint *by = link->by;
  import_set(out, "name", json_string(link->name), failed);
  if (by && strcmp(by->parent->name, WORLD) != 0) import_set(out, "parent", json_string(by->parent->name), failed);
  json_t *pose = by ? import_pose(by->origin.xyz, by->origin.rpy, NULL, failed) : NULL;
  if (pose) import_set(out, "pose", pose, failed);
  import_set(out, "joint", by ? joint_of(by, failed) : root_joint(choice, failed), failed);
  if (link->heavy) import_set(out, "body", body_of(link, failed), failed);
  view_set(out, link->views, link->view_count, failed);
  return out;
}

static json_t *actuator_of(const urdf_joint *j, const import_choice *choice, bool *failed) {
  json_t *actuator = json_object();
  import_set(actuator, "name", json_string(j->name), failed);
  import_set(actuator, "type", json_string("joint"), failed);
  import_set(actuator, "link", json_string(j->child->name), failed);
  import_set(actuator, "mode", json_string(import_actuators_word(choice->actuators)), failed);
  return actuator;
}

// ------------------------------------------------------------------------------------------------ the whole

static td_status check_world(const urdf_robot *robot, const import_choice *choice, remark_list *remarks,
                             td_error *err) {
  const urdf_link *root = robot->order[0];
  for (size_t i = 1; i < robot->link_count; i++)
    if (strcmp(robot->order[i]->name, WORLD) == 0)
      return td_fail(err, TD_INVALID_ARGUMENT, "/urdf", "line %d: link \"world\" is not the root; call it otherwise",
                     robot->order[i]->element->line);
  if (strcmp(root->name, WORLD) != 0) return TD_OK;
  if (choice->base != 0)
    return td_fail(err, TD_INVALID_ARGUMENT, "/base", "the root of the description is \"world\" (line %d): it is fixed",
                   root->element->line);
  if (robot->link_count == 1)
    return td_fail(err, TD_INVALID_ARGUMENT, "/urdf", "line %d: there is no link but the world", root->element->line);
  if (root->heavy)
    remark_add(remarks, "is left out: the world does not move", root->element->line, "<inertial> of link \"world\"");
  return TD_OK;
}

static void add_links(json_t *document, const urdf_robot *robot, const import_choice *choice, import_lines *lines,
                      bool *failed) {
  json_t *links = json_array();
  for (size_t i = 0; i < robot->link_count; i++) {
    const urdf_link *link = robot->order[i];
    if (strcmp(link->name, WORLD) == 0) continue;
    lines->joints[lines->link_count] = link->by ? link->by->element->line : link->element->line;
    lines->links[lines->link_count++] = link->element->line;
    import_append(links, link_of(link, choice, failed), failed);
  }
  import_set(document, "links", links, failed);
}

static void add_actuators(json_t *document, const urdf_robot *robot, const import_choice *choice, import_lines *lines,
                          bool *failed) {
  json_t *actuators = json_array();
  for (size_t i = 0; i < robot->link_count && choice->actuators != IMPORT_NO_ACTUATORS; i++) {
    const urdf_joint *by = robot->order[i]->by;
    if (!by || !by->type->driven) continue;
    lines->actuators[lines->actuator_count++] = by->element->line;
    import_append(actuators, actuator_of(by, choice, failed), failed);
  }
  if (lines->actuator_count > 0)
    import_set(document, "actuators", actuators, failed);
  else
    json_decref(actuators);
}

td_status urdf_document(const urdf_robot *robot, const import_choice *choice, arena *a, remark_list *remarks,
                        json_t **document, import_lines *lines, td_error *err) {
  bool failed = false;
  *document = NULL;
  td_status status = check_world(robot, choice, remarks, err);
  if (status) return status;
  *lines = (import_lines){.joints = arena_array(a, robot->link_count, sizeof(int)),
                          .links = arena_array(a, robot->link_count, sizeof(int)),
                          .actuators = arena_array(a, robot->link_count, sizeof(int))};
  if (!lines->joints || !lines->links || !lines->actuators)
    return td_fail(err, TD_NO_MEMORY, "/urdf", "no memory for the document");
  json_t *out = json_object();
  import_set(out, "format", json_string("tendril.model/1"), &failed);
  import_set(out, "name", json_string(choice->name ? choice->name : robot->name), &failed);
  if (choice->description) import_set(out, "description", json_string(choice->description), &failed);
  import_set(out, "gravity", import_vector(choice->gravity, 3, &failed), &failed);
  add_links(out, robot, choice, lines, &failed);
  add_actuators(out, robot, choice, lines, &failed);
  *document = out;
  if (!failed) return TD_OK;
  json_decref(out);
  *document = NULL;
  return td_fail(err, TD_NO_MEMORY, "/urdf", "no memory for the document");
}
