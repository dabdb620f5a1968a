// Links: names, parents, poses and joints; bodies are handed on to check_rigid.c and check_rod.c.
//
// A parent must stand before its children, which rules out cycles without a search.
#include "element/rigid_shape.h"
#include "spec/check/checks.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool td_spec_is_world(const char *name) { return !strcmp(name, "world"); }

int td_spec_link_find(const td_model_spec *spec, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (spec->links[i].name && !strcmp(spec->links[i].name, name)) return (int)i;
  return -1;
}

// Names are not all checked when a parent is looked for among later links, so a NULL is possible there.
static bool stands_at_or_after(const td_model_spec *spec, size_t index, const char *name) {
  for (size_t i = index; i < spec->link_count; i++)
    if (spec->links[i].name && !strcmp(spec->links[i].name, name)) return true;
  return false;
}

static bool same_letters(const char *a, const char *b) {
  while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
  return !*a && !*b;
}

// With the first names that there are. Names of links are checked before anything refers to one, but for later links.
static td_status fail_unknown(const td_model_spec *spec, const td_place *at, const char *name) {
  enum { SHOWN = 8 };
  char names[240] = "", meant[TD_MAX_NAME + 24] = "";
  int length = 0;
  for (size_t i = 0; i < spec->link_count; i++) {
    const char *known = spec->links[i].name ? spec->links[i].name : "";
    if (same_letters(known, name)) snprintf(meant, sizeof meant, "did you mean \"%.63s\"? ", known);
    if (i <= SHOWN && length < (int)sizeof names - TD_MAX_NAME - 8)
      length +=
          snprintf(names + length, sizeof names - (size_t)length, "%s%.63s", i ? ", " : "", i < SHOWN ? known : "…");
  }
  return td_place_fail(at, TD_INVALID_ARGUMENT, "there is no link \"%.80s\"; %sthe links are %s", name, meant, names);
}

td_status td_check_link_reference(const td_model_spec *spec, const td_place *at, const char *key, const char *name,
                                  int *index) {
  td_place place = key ? td_place_key(at, key) : *at;
  if (!name) return td_place_fail(&place, TD_INVALID_ARGUMENT, "must name a link");
  *index = td_spec_link_find(spec, spec->link_count, name);
  if (*index >= 0) return TD_OK;
  if (td_spec_is_world(name)) return td_place_fail(&place, TD_INVALID_ARGUMENT, "must name a link, is \"world\"");
  return fail_unknown(spec, &place, name);
}

static td_status check_link_name(const td_model_spec *spec, size_t index, const td_place *link) {
  const char *name = spec->links[index].name;
  td_place place = td_place_key(link, "name");
  td_status status = td_check_name(&place, NULL, name);
  if (status) return status;
  if (td_spec_is_world(name))
    return td_place_fail(&place, TD_INVALID_ARGUMENT, "\"world\" is the fixed frame and cannot be a link's name");
  int same = td_spec_link_find(spec, index, name);
  if (same < 0) return TD_OK;
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "link %d has this name already: \"%s\"", same, name);
}

static td_status check_parent(const td_model_spec *spec, size_t index, const td_place *link) {
  const char *parent = spec->links[index].parent;
  td_place place = td_place_key(link, "parent");
  if (!parent) return td_place_fail(&place, TD_INVALID_ARGUMENT, "must be \"world\" or the name of a link");
  if (td_spec_is_world(parent) || td_spec_link_find(spec, index, parent) >= 0) return TD_OK;
  if (!strcmp(parent, spec->links[index].name))
    return td_place_fail(&place, TD_INVALID_ARGUMENT, "a link cannot be its own parent: \"%s\"", parent);
  if (stands_at_or_after(spec, index, parent))
    return td_place_fail(&place, TD_INVALID_ARGUMENT,
                         "a parent must come before its children in `links` (which also rules out cycles); this one "
                         "comes later: \"%s\"",
                         parent);
  return fail_unknown(spec, &place, parent);
}

// A document gives one number for all coordinates or one each; when all agree the pointer names the key itself.
static td_status check_per_coordinate(const td_place *joint, const char *key, int dof, const double *x,
                                      td_status (*check)(const td_place *, const char *, double)) {
  td_place list = td_place_key(joint, key);
  bool same = true;
  for (int k = 1; k < dof; k++) same = same && (x[k] == x[0] || (isnan(x[k]) && isnan(x[0])));
  for (int k = 0; k < dof; k++) {
    td_place entry = td_place_at(&list, (size_t)k);
    td_status status = check(same ? &list : &entry, NULL, x[k]);
    if (status) return status;
  }
  return TD_OK;
}

static td_status check_bounds(const td_place *limits, int c, double lower, double upper) {
  td_place high = td_place_key(limits, "upper"), low = td_place_key(limits, "lower");
  if (isnan(lower) || lower == INFINITY) return td_place_fail(&low, TD_INVALID_ARGUMENT, "%g is no limit", lower);
  if (isnan(upper) || upper == -INFINITY) return td_place_fail(&high, TD_INVALID_ARGUMENT, "%g is no limit", upper);
  if (lower <= upper) return TD_OK;
  return td_place_fail(&high, TD_INVALID_ARGUMENT, "%.9g is below the lower limit, %.9g (coordinate %d)", upper, lower,
                       c);
}

// stiffness 0: the coordinate has no limits, whatever they say.
static td_status check_limits(const td_place *joint, int dof, const td_limits_spec *l) {
  td_place place = td_place_key(joint, "limits");
  td_status status = check_per_coordinate(&place, "stiffness", dof, l->stiffness, td_check_not_negative);
  if (!status) status = check_per_coordinate(&place, "damping", dof, l->damping, td_check_not_negative);
  for (int c = 0; c < dof && !status; c++)
    if (l->stiffness[c] > 0) status = check_bounds(&place, c, l->lower[c], l->upper[c]);
  return status;
}

td_status td_check_joint(const td_place *link, const td_joint_spec *joint) {
  td_place place = td_place_key(link, "joint");
  const char *type = td_joint_type_name(joint->type);
  if (!type) return td_place_fail(&place, TD_INVALID_ARGUMENT, "unknown joint type %d", (int)joint->type);
  int dof = td_joint_dof(joint->type);
  td_status status = td_check_axis(&place, "axis", joint->axis);
  if (!status && td_joint_moves(joint->type) & TD_PITCHED) status = td_check_finite(&place, "pitch", joint->pitch);
  if (!status) status = check_per_coordinate(&place, "stiffness", dof, joint->stiffness, td_check_finite);
  if (!status) status = check_per_coordinate(&place, "damping", dof, joint->damping, td_check_not_negative);
  if (!status) status = check_per_coordinate(&place, "rest", dof, joint->rest, td_check_finite);
  return status ? status : check_limits(&place, dof, &joint->limits);
}

static td_status check_body(const td_place *link, const td_body_spec *body) {
  td_place place = td_place_key(link, "body");
  switch (body->type) {
  case TD_BODY_NONE:
    return TD_OK;
  case TD_BODY_RIGID:
    return td_check_rigid(&place, &body->rigid);
  case TD_BODY_ROD:
    return td_check_rod(&place, &body->rod);
  case TD_BODY_REDUCED:
    return td_check_reduced(&place, &body->reduced);
  case TD_BODY_TYPE_COUNT:
    break;
  }
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "unknown body type %d", (int)body->type);
}

// Of a body given by mass and inertia alone nobody can tell the volume.
static void warn_of_no_buoyancy(const td_model_spec *spec, const td_place *link, const td_body_spec *body) {
  if (body->type != TD_BODY_RIGID || !(spec->fluid_density > 0) || !(body->rigid.mass > 0)) return;
  const double *g = spec->gravity;
  if (td_rigid_density(&body->rigid) > 0 || (g[0] == 0 && g[1] == 0 && g[2] == 0)) return;
  td_place place = td_place_key(link, "body");
  td_place_warn(
      &place, "no_buoyancy",
      "a rigid body of %.6g kg in a fluid without `hydrodynamics.body_density` or a shape displaces nothing: it has "
      "its whole weight",
      body->rigid.mass);
}

static void warn_of_no_radius(const td_model_spec *spec, const td_place *link, const td_body_spec *body) {
  if (body->type != TD_BODY_ROD || body->rod.section != TD_SECTION_STIFFNESS || body->rod.numbers.radius.count) return;
  const double *g = spec->gravity;
  if (!(spec->fluid_density > 0) || (g[0] == 0 && g[1] == 0 && g[2] == 0)) return;
  td_place place = td_place_key(link, "body"), section = td_place_key(&place, "section");
  td_place_warn(&section, "no_buoyancy",
                "a section of shape stiffness without a `radius` displaces no fluid: the rod has its whole weight");
}

// Twist about its own axis moves a straight rod by its inertia Jx alone; what the rod carries has a say in the first
// coordinate at most.
static void warn_of_no_inertia(const td_place *link, const td_body_spec *body) {
  if (body->type != TD_BODY_ROD || body->rod.section != TD_SECTION_STIFFNESS || body->rod.order[0] < 0) return;
  const td_profile *J = &body->rod.numbers.inertia;
  for (size_t k = 0; k < J->count; k++)
    if (J->value[3 * k] > 0) return;
  td_place place = td_place_key(link, "body"), section = td_place_key(&place, "section");
  td_place_warn(&section, "no_inertia",
                "torsion moves no mass while the rod is straight, so that accelerations do not exist: give "
                "`inertia_per_length` with a first entry above 0, or leave torsion out");
}

td_status td_check_link(const td_model_spec *spec, size_t index, const td_place *links) {
  td_place place = td_place_at(links, index);
  const td_link_spec *link = &spec->links[index];
  td_status status = check_link_name(spec, index, &place);
  if (!status) status = check_parent(spec, index, &place);
  if (!status) status = td_check_within(&place, "at", link->at, 0, 1);
  if (!status) status = td_check_pose(&place, &link->pose);
  if (!status) status = td_check_joint(&place, &link->joint);
  if (!status) status = check_body(&place, &link->body);
  if (!status) warn_of_no_buoyancy(spec, &place, &link->body);
  if (!status) warn_of_no_radius(spec, &place, &link->body);
  if (!status) warn_of_no_inertia(&place, &link->body);
  return status;
}
