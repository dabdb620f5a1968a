// A URDF from text to links, joints and their tree.
//
// Three passes over the elements: links, joints (which name links), and what nobody has read. The format is that of
// wiki.ros.org/urdf/XML; frames are Tendril's own: a link's frame is that of the joint which carries it, after its
// motion.
#include "codec/import/urdf/parts.h"
#include "tendril/spec.h"

#include <string.h>

static const char XACRO[] = "xacro:";

// Macros look like elements of another namespace.
static td_status refuse_xacro(const import_reader *r, const xml_element *root) {
  for (const xml_element *e = root; e; e = e->following)
    if (strncmp(e->name, XACRO, sizeof XACRO - 1) == 0)
      return td_fail(r->err, TD_INVALID_ARGUMENT, URDF_POINTER,
                     "line %d: <%.60s>: this is xacro, not a URDF yet; run xacro first: xacro robot.xacro > robot.urdf",
                     e->line, e->name);
  return TD_OK;
}

static td_status count(const import_reader *r, xml_element *root, const char *name, size_t *n) {
  *n = 0;
  for (xml_element *e = xml_child(root, name); e; e = xml_sibling(e))
    if (++*n > TD_MAX_LINKS)
      return td_fail(r->err, TD_LIMIT, URDF_POINTER, "line %d: more than %d of <%s>", e->line, (int)TD_MAX_LINKS, name);
  return TD_OK;
}

static td_status read_links(const import_reader *r, xml_element *root, urdf_robot *robot) {
  td_status status = count(r, root, "link", &robot->link_count);
  if (status) return status;
  if (robot->link_count == 0) return import_fail(r, root, "it has no <link>");
  robot->links = arena_array(r->memory, robot->link_count, sizeof *robot->links);
  if (!robot->links) return td_fail(r->err, TD_NO_MEMORY, URDF_POINTER, "no memory for the links");
  urdf_link *link = robot->links;
  for (xml_element *e = xml_child(root, "link"); e && !status; e = xml_sibling(e), link++) {
    status = urdf_read_link(r, root, e, link);
    for (const urdf_link *other = robot->links; !status && other < link; other++)
      if (strcmp(other->name, link->name) == 0)
        status = import_fail(r, e, "a link of line %d has that name already", other->element->line);
  }
  return status;
}

static td_status read_joints(const import_reader *r, xml_element *root, urdf_robot *robot) {
  td_status status = count(r, root, "joint", &robot->joint_count);
  if (status) return status;
  robot->joints = arena_array(r->memory, robot->joint_count, sizeof *robot->joints);
  if (!robot->joints) return td_fail(r->err, TD_NO_MEMORY, URDF_POINTER, "no memory for the joints");
  urdf_joint *joint = robot->joints;
  for (xml_element *e = xml_child(root, "joint"); e && !status; e = xml_sibling(e), joint++) {
    status = urdf_read_joint(r, robot, e, joint);
    for (const urdf_joint *other = robot->joints; !status && other < joint; other++)
      if (strcmp(other->name, joint->name) == 0)
        status = import_fail(r, e, "a joint of line %d has that name already", other->element->line);
  }
  return status;
}

td_status urdf_read(const import_reader *r, xml_element *root, urdf_robot *robot) {
  *robot = (urdf_robot){.name = NULL};
  xml_attribute_of(root, "version");
  td_status status = refuse_xacro(r, root);
  if (!status) status = import_text(r, root, "name", &robot->name);
  if (!status) status = read_links(r, root, robot);
  if (!status) status = read_joints(r, root, robot);
  if (!status) status = urdf_order(r, robot);
  if (status) return status;
  urdf_tell_left(r, root);
  return r->remarks->failed ? td_fail(r->err, TD_NO_MEMORY, URDF_POINTER, "no memory for what is left out") : TD_OK;
}
