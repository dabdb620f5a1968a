// Links and joints of a URDF as one tree: a root, parents before children.
//
// Depth first, the joints of a link in the order of the text, without recursion: a stack of links that wait, of which
// each stands there once.
#include "codec/import/urdf/parts.h"

#include <string.h>

static td_status hang(const import_reader *r, urdf_joint *joint) {
  urdf_link *parent = joint->parent, *child = joint->child;
  if (child == parent) return import_fail(r, joint->element, "parent and child are both \"%.63s\"", child->name);
  if (child->by)
    return import_fail(r, joint->element,
                       "link \"%.63s\" is carried by joint \"%.63s\" of line %d already: a URDF is a tree", child->name,
                       child->by->name, child->by->element->line);
  child->by = joint;
  if (parent->last_joint) parent->last_joint->next = joint;
  if (!parent->first_joint) parent->first_joint = joint;
  parent->last_joint = joint;
  return TD_OK;
}

static td_status find_root(const import_reader *r, urdf_robot *robot, urdf_link **root) {
  *root = NULL;
  for (size_t i = 0; i < robot->link_count; i++) {
    urdf_link *link = &robot->links[i];
    if (link->by) continue;
    if (*root)
      return import_fail(r, link->element, "no joint carries it, nor link \"%.63s\" of line %d: a URDF is one tree",
                         (*root)->name, (*root)->element->line);
    *root = link;
  }
  if (*root) return TD_OK;
  return import_fail(r, robot->links[0].element, "each link is carried by a joint, so that none is the root");
}

// Children are pushed in reverse, so that the first one comes off first.
static size_t push_children(const urdf_link *link, urdf_link **waiting, size_t depth) {
  size_t from = depth;
  for (const urdf_joint *j = link->first_joint; j; j = j->next) waiting[depth++] = j->child;
  for (size_t i = from, k = depth; i + 1 < k; i++) {
    urdf_link *swap = waiting[i];
    waiting[i] = waiting[--k];
    waiting[k] = swap;
  }
  return depth;
}

static td_status unreached(const import_reader *r, const urdf_robot *robot, size_t reached) {
  for (size_t i = 0; i < robot->link_count; i++) {
    bool found = false;
    for (size_t k = 0; k < reached && !found; k++) found = robot->order[k] == &robot->links[i];
    if (!found)
      return import_fail(r, robot->links[i].element,
                         "it is not reached from the root \"%.63s\": its joints go in a circle", robot->order[0]->name);
  }
  return TD_OK;
}

td_status urdf_order(const import_reader *r, urdf_robot *robot) {
  urdf_link *root, **waiting = arena_array(r->memory, robot->link_count, sizeof *waiting);
  robot->order = arena_array(r->memory, robot->link_count, sizeof *robot->order);
  if (!waiting || !robot->order) return td_fail(r->err, TD_NO_MEMORY, URDF_POINTER, "no memory for the links");
  td_status status = TD_OK;
  for (size_t i = 0; i < robot->joint_count && !status; i++) status = hang(r, &robot->joints[i]);
  if (!status) status = find_root(r, robot, &root);
  if (status) return status;
  size_t depth = 1, reached = 0;
  waiting[0] = root;
  while (depth > 0) {
    urdf_link *link = robot->order[reached++] = waiting[--depth];
    depth = push_children(link, waiting, depth);
  }
  return reached == robot->link_count ? TD_OK : unreached(r, robot, reached);
}
