// Loops: their ends must exist, lie on bodies that can move against each other, and their joint must hold something.
//
// Two ends are on one body when walking towards the root over fixed joints (and abscissa 0 of rods; the distal frame of
// a reduced body moves) leads to the same
// place: such a loop constrains nothing.
#include "element/joint_type.h"
#include "element/loop_joint.h"
#include "spec/check/checks.h"
#include <math.h>
#include <string.h>

bool td_spec_is_prescribed(const td_model_spec *spec, int link) {
  for (size_t i = 0; i < spec->actuator_count; i++) {
    const td_actuator_spec *a = &spec->actuators[i];
    if (a->type == TD_ACTUATOR_JOINT && a->mode_position && a->link && !strcmp(a->link, spec->links[link].name))
      return true;
  }
  return false;
}

static td_anchor anchor_of(const td_model_spec *spec, td_anchor a) {
  while (a.link >= 0) {
    const td_link_spec *link = &spec->links[a.link];
    if ((link->body.type == TD_BODY_ROD && a.at > 0) || link->body.type == TD_BODY_REDUCED) break;
    a.at = 0;
    if (td_joint_dof(link->joint.type) > 0) break;
    int parent = td_spec_is_world(link->parent) ? -1 : td_spec_link_find(spec, (size_t)a.link, link->parent);
    a = (td_anchor){parent, parent < 0 ? 0 : link->at};
  }
  return a;
}

bool td_spec_one_body(const td_model_spec *spec, td_anchor a, td_anchor b) {
  td_anchor x = anchor_of(spec, a), y = anchor_of(spec, b);
  return x.link == y.link && fabs(x.at - y.at) < 1e-12;
}

td_status td_check_end(const td_model_spec *spec, const td_place *at, const char *key, const td_loop_end *end,
                       td_anchor *out) {
  td_place place = td_place_key(at, key), link = td_place_key(&place, "link");
  *out = (td_anchor){-1, 0};
  if (!end->link) return td_place_fail(&link, TD_INVALID_ARGUMENT, "must be \"world\" or the name of a link");
  td_status status = TD_OK;
  if (!td_spec_is_world(end->link)) status = td_check_link_reference(spec, &place, "link", end->link, &out->link);
  if (!status) status = td_check_within(&place, "at", end->at, 0, 1);
  if (!status) status = td_check_pose(&place, &end->pose);
  if (out->link >= 0) out->at = end->at;
  return status;
}

static td_status check_ends(const td_model_spec *spec, const td_place *loop, const td_loop_spec *l) {
  td_anchor a, b;
  td_status status = td_check_end(spec, loop, "a", &l->a, &a);
  if (!status) status = td_check_end(spec, loop, "b", &l->b, &b);
  if (status) return status;
  if (td_spec_one_body(spec, a, b))
    return td_place_fail(
        loop, TD_INVALID_ARGUMENT,
        "a loop to itself: no joint and no rod lies between its ends (\"%s\" and \"%s\"), so that they "
        "cannot move against each other",
        l->a.link, l->b.link);
  return TD_OK;
}

static td_status check_loop_joint(const td_place *loop, const td_joint_spec *joint) {
  td_place place = td_place_key(loop, "joint"), type = td_place_key(&place, "type"),
           axis = td_place_key(&place, "axis");
  if (!td_joint_type_name(joint->type))
    return td_place_fail(&type, TD_INVALID_ARGUMENT, "unknown joint type %d", (int)joint->type);
  if (joint->type == TD_JOINT_FREE)
    return td_place_fail(&type, TD_INVALID_ARGUMENT, "a \"free\" joint holds nothing, so that it closes no loop");
  if (!td_joint_has_axis(joint->type)) return TD_OK;
  td_status status = td_check_axis(&place, "axis", joint->axis);
  if (!status && td_joint_moves(joint->type) & TD_PITCHED) status = td_check_finite(&place, "pitch", joint->pitch);
  if (status) return status;
  if (td_principal_axis(joint->axis) >= 0) return TD_OK;
  return td_place_fail(
      &axis, TD_INVALID_ARGUMENT,
      "the axis of a loop joint must be x, y or z of its frames, is [%g, %g, %g]: turn the frames with "
      "`pose`",
      joint->axis[0], joint->axis[1], joint->axis[2]);
}

static td_status check_loop_name(const td_model_spec *spec, const td_place *at, size_t index) {
  const char *name = spec->loops[index].name;
  if (!name) return TD_OK;
  td_place place = td_place_key(at, "name");
  td_status status = td_check_name(&place, NULL, name);
  for (size_t i = 0; i < index && !status; i++)
    if (spec->loops[i].name && !strcmp(spec->loops[i].name, name))
      status = td_place_fail(&place, TD_INVALID_ARGUMENT, "loop %zu has this name already: \"%s\"", i, name);
  return status;
}

td_status td_check_loops(const td_model_spec *spec, const td_place *root) {
  td_place list = td_place_key(root, "loops");
  if (spec->loop_count > TD_MAX_LOOPS)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "may have %d loops, has %zu", (int)TD_MAX_LOOPS, spec->loop_count);
  td_status first = TD_OK;
  for (size_t i = 0; i < spec->loop_count; i++) {
    td_place at = td_place_at(&list, i);
    td_status status = check_loop_name(spec, &at, i);
    if (!status) status = check_loop_joint(&at, &spec->loops[i].joint);
    if (!status) status = check_ends(spec, &at, &spec->loops[i]);
    if (!first) first = status;
    if (!td_place_goes_on(&list, status)) break;
  }
  return first;
}
