// Contacts between bodies: what they name, and that it can touch. Their law is checked as that of all contacts.
#include "element/collision.h"
#include "element/mesh.h"
#include "spec/check/checks.h"
#include <string.h>

static td_status check_rod(const td_place *at, const td_link_spec *link) {
  const td_rod_spec *rod = &link->body.rod;
  if (rod->section != TD_SECTION_STIFFNESS || rod->numbers.radius.count) return TD_OK;
  return td_place_fail(at, TD_INVALID_ARGUMENT, "the section of rod \"%s\" has no radius to touch with", link->name);
}

td_status td_check_hull(const td_place *at, const char *link, const td_collision_spec *c) {
  td_mesh mesh;
  if (c->shape != TD_COLLISION_MESH) return TD_OK;
  if (c->point_count > TD_MESH_POINTS)
    return td_place_fail(at, TD_INVALID_ARGUMENT,
                         "the mesh that \"%s\" touches with has %zu points: between bodies it may have %d", link,
                         c->point_count, (int)TD_MESH_POINTS);
  if (!(c->rounding > 0))
    return td_place_fail(at, TD_INVALID_ARGUMENT,
                         "the mesh that \"%s\" touches with is sharp: between bodies it needs a `rounding`", link);
  if (td_mesh_of((const double(*)[3])c->points, (int)c->point_count, &mesh)) return TD_OK;
  return td_place_fail(at, TD_INVALID_ARGUMENT,
                       "the mesh that \"%s\" touches with is flat: between bodies it must have an inside", link);
}

static td_status check_rigid(const td_place *at, const td_link_spec *link) {
  td_collision_spec shape;
  if (!td_collision_of(&link->body.rigid, &shape))
    return td_place_fail(at, TD_INVALID_ARGUMENT, "\"%s\" has nothing to touch with: give its body a `collision`",
                         link->name);
  return td_check_hull(at, link->name, &shape);
}

// The link named there, which has something to touch with, into *index.
static td_status check_named(const td_model_spec *spec, const td_place *at, const char *name, int *index) {
  td_status status = td_check_link_reference(spec, at, NULL, name, index);
  if (status) return status;
  const td_link_spec *link = &spec->links[*index];
  if (link->body.type == TD_BODY_ROD) return check_rod(at, link);
  if (link->body.type == TD_BODY_RIGID) return check_rigid(at, link);
  if (link->body.type == TD_BODY_REDUCED && !td_check_deforms(link->body.reduced.kinematics)) return TD_OK;
  return td_place_fail(at, TD_INVALID_ARGUMENT,
                       "\"%s\" %s: between bodies rods, rigid bodies and reduced bodies with rigid sections touch",
                       link->name, link->body.type == TD_BODY_NONE ? "has no body" : "is a body whose sections deform");
}

static bool names(const char *const *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(list[i], name)) return true;
  return false;
}

static td_status check_side(const td_model_spec *spec, const td_place *contact, const td_contact_spec *c, bool second) {
  td_place list = td_place_key(contact, second ? "b" : "a");
  const char *const *link = second ? c->b : c->a;
  size_t count = second ? c->b_count : c->a_count;
  if (count == 0) return td_place_fail(&list, TD_INVALID_ARGUMENT, "needs at least one link");
  for (size_t i = 0; i < count; i++) {
    td_place at = td_place_at(&list, i);
    int index;
    td_status status = check_named(spec, &at, link[i], &index);
    if (status) return status;
    if (names(link, i, link[i])) return td_place_fail(&at, TD_INVALID_ARGUMENT, "\"%s\" is named twice", link[i]);
    if (second && names(c->a, c->a_count, link[i]))
      return td_place_fail(&at, TD_INVALID_ARGUMENT,
                           "\"%s\" is in `a`, too: against itself a rod touches by a contact of type self", link[i]);
  }
  return TD_OK;
}

static td_status check_self(const td_model_spec *spec, const td_place *contact, const td_contact_spec *c) {
  td_place link = td_place_key(contact, "link");
  int index;
  td_status status = check_named(spec, &link, c->a[0], &index);
  if (!status) status = td_check_not_negative(contact, "apart", c->apart);
  if (status || spec->links[index].body.type == TD_BODY_ROD) return status;
  return td_place_fail(&link, TD_INVALID_ARGUMENT, "\"%s\" is no rod: only rods can touch themselves", c->a[0]);
}

static bool any_rod(const td_model_spec *spec, const char *const *links, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (spec->links[td_spec_link_find(spec, spec->link_count, links[i])].body.type == TD_BODY_ROD) return true;
  return false;
}

static td_status check_grain(const td_model_spec *spec, const td_place *contact, const td_contact_spec *c) {
  td_place at = td_place_key(contact, "anisotropy");
  if (c->anisotropy[0] == c->anisotropy[1]) return TD_OK;
  if (any_rod(spec, c->a, c->a_count) || any_rod(spec, c->b, c->b_count)) return TD_OK;
  return td_place_fail(&at, TD_INVALID_ARGUMENT, "is by the tangent of a rod, and none is named");
}

td_status td_check_pair(const td_model_spec *spec, const td_place *contact, const td_contact_spec *c) {
  td_place exponent = td_place_key(contact, "exponent"), per = td_place_key(contact, "per");
  if (c->exponent < 1)
    return td_place_fail(&exponent, TD_INVALID_ARGUMENT, "must be at least 1 between bodies, is %g", c->exponent);
  if (c->per != TD_CONTACT_PER_POINT)
    return td_place_fail(&per, TD_INVALID_ARGUMENT, "between bodies a stiffness is of each touch");
  if (c->type == TD_CONTACT_SELF) return check_self(spec, contact, c);
  td_status status = check_side(spec, contact, c, false);
  if (!status) status = check_side(spec, contact, c, true);
  return status ? status : check_grain(spec, contact, c);
}

static bool is_by_shape(const td_model_spec *spec, const char *link, td_contact_type obstacle) {
  int index = td_spec_link_find(spec, spec->link_count, link);
  return index >= 0 && td_collision_by_shape(&spec->links[index].body, obstacle);
}

td_status td_check_pair_count(const td_model_spec *spec, const td_place *contacts) {
  size_t pairs = 0;
  for (size_t i = 0; i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    pairs += c->type == TD_CONTACT_PAIR ? c->a_count * c->b_count : 0;
    for (size_t k = 0; k < c->link_count && !td_contact_is_mutual(c->type); k++)
      pairs += is_by_shape(spec, c->links[k], c->type);
  }
  if (pairs <= TD_MAX_CONTACT_PAIRS) return TD_OK;
  return td_place_fail(contacts, TD_INVALID_ARGUMENT, "name %zu pairs of links, may name %d", pairs,
                       (int)TD_MAX_CONTACT_PAIRS);
}
