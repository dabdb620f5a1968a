// Contacts: an obstacle with its measures, Hertz' law, what resists motion, and bodies to touch it.
//
// The exponent may be below 1 (a stiff start, as some papers use) but must be positive. Bodies that are more than one
// sphere touch what bulges as bodies touch each other, with the bounds of that (check_pair.c).
#include "element/collision.h"
#include "spec/check/checks.h"
#include <math.h>
#include <string.h>

static td_status check_obstacle(const td_place *contact, const td_contact_spec *c) {
  td_status status = td_check_pose(contact, &c->pose);
  if (!status && td_contact_has_axis(c->type)) status = td_check_axis(contact, "axis", c->axis);
  if (!status && td_contact_has_size(c->type)) status = td_check_box(contact, c->size, c->rounding);
  if (status || !td_contact_has_radius(c->type)) return status;
  td_place radius = td_place_key(contact, "radius");
  if (isnan(c->radius))
    return td_place_fail(&radius, TD_INVALID_ARGUMENT, "a %s needs a radius", td_contact_type_name(c->type));
  return td_check_measure(&radius, NULL, c->radius);
}

static td_status check_rigid(const td_place *contact, const td_place *entry, const td_link_spec *link,
                             const td_contact_spec *c) {
  td_place exponent = td_place_key(contact, "exponent");
  td_collision_spec shape;
  if (!td_collision_of(&link->body.rigid, &shape))
    return td_place_fail(
        entry, TD_INVALID_ARGUMENT,
        "\"%s\" has nothing to touch with: give its body a `collision` (a sphere, capsule, box or mesh)", link->name);
  if (!td_collision_by_shape(&link->body, c->type)) return TD_OK;
  if (c->exponent < 1)
    return td_place_fail(&exponent, TD_INVALID_ARGUMENT, "must be at least 1 where \"%s\" touches a %s, is %g",
                         link->name, td_contact_type_name(c->type), c->exponent);
  return td_check_hull(entry, link->name, &shape);
}

// The body of a link that is named.
static td_status check_body(const td_place *contact, const td_place *entry, const td_link_spec *link,
                            const td_contact_spec *c) {
  const td_body_spec *body = &link->body;
  if (body->type == TD_BODY_ROD) return TD_OK;
  if (body->type == TD_BODY_NONE)
    return td_place_fail(entry, TD_INVALID_ARGUMENT, "\"%s\" has no body that could touch", link->name);
  if (c->per == TD_CONTACT_PER_LENGTH)
    return td_place_fail(entry, TD_INVALID_ARGUMENT,
                         "a stiffness per length is one of rods, \"%s\" is none: give it a contact of its own",
                         link->name);
  if (body->type == TD_BODY_RIGID) return check_rigid(contact, entry, link, c);
  if (!td_check_deforms(body->reduced.kinematics)) return TD_OK;
  return td_place_fail(entry, TD_INVALID_ARGUMENT, "\"%s\" is a %s body, whose sections deform: it cannot touch yet",
                       link->name, td_kinematics_name(body->reduced.kinematics));
}

static td_status check_links(const td_model_spec *spec, const td_place *contact, const td_contact_spec *c) {
  td_place links = td_place_key(contact, "links");
  for (size_t i = 0; i < c->link_count; i++) {
    td_place entry = td_place_at(&links, i);
    int index;
    td_status status = td_check_link_reference(spec, &entry, NULL, c->links[i], &index);
    if (status) return status;
    if ((status = check_body(contact, &entry, &spec->links[index], c))) return status;
    for (size_t k = 0; k < i; k++)
      if (td_spec_link_find(spec, spec->link_count, c->links[k]) == index)
        return td_place_fail(&entry, TD_INVALID_ARGUMENT, "\"%s\" is named twice", c->links[i]);
  }
  if (c->link_count > 0) return TD_OK;
  for (size_t i = 0; i < spec->link_count; i++)
    if (spec->links[i].body.type == TD_BODY_ROD) return TD_OK;
  return td_place_fail(contact, TD_INVALID_ARGUMENT,
                       "the model has no rod that could touch it; other bodies touch where `links` names them");
}

// Where a rod is, without a radius, is its axis.
static td_status check_radii(const td_model_spec *spec, const td_place *contact, const td_contact_spec *c) {
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_body_spec *body = &spec->links[i].body;
    bool touches = c->link_count == 0;
    for (size_t k = 0; k < c->link_count; k++) touches = touches || !strcmp(c->links[k], spec->links[i].name);
    if (!touches || body->type != TD_BODY_ROD || body->rod.section != TD_SECTION_STIFFNESS) continue;
    if (!body->rod.numbers.radius.count)
      return td_place_fail(contact, TD_INVALID_ARGUMENT, "the section of rod \"%s\" has no radius to touch with",
                           spec->links[i].name);
  }
  return TD_OK;
}

static td_status check_rubbing(const td_place *contact, const td_contact_spec *c) {
  td_place factors = td_place_key(contact, "anisotropy");
  td_status status = td_check_not_negative(contact, "damping", c->damping);
  if (!status) status = td_check_not_negative(contact, "friction", c->friction);
  if (!status) status = td_check_not_negative(contact, "slip_speed", c->slip_speed);
  for (size_t i = 0; i < 2 && !status; i++) {
    td_place at = td_place_at(&factors, i);
    status = td_check_not_negative(&at, NULL, c->anisotropy[i]);
  }
  return status;
}

static td_status check_stick(const td_place *contact, const td_contact_spec *c) {
  td_place stick = td_place_key(contact, "stick");
  td_status status = td_check_not_negative(&stick, "stiffness", c->stick);
  if (!status) status = td_check_not_negative(&stick, "damping", c->stick_damping);
  if (status || c->stick == 0 || c->friction > 0) return status;
  return td_place_fail(&stick, TD_INVALID_ARGUMENT, "needs `friction`, up to which it holds");
}

static td_status check_contact(const td_model_spec *spec, const td_place *contact, const td_contact_spec *c) {
  if (c->name) {
    td_status status = td_check_name(contact, "name", c->name);
    if (status) return status;
  }
  if ((unsigned)c->type >= TD_CONTACT_TYPE_COUNT)
    return td_place_fail(contact, TD_INVALID_ARGUMENT, "unknown contact %d", (int)c->type);
  if (!td_contact_per_name(c->per)) return td_place_fail(contact, TD_INVALID_ARGUMENT, "unknown `per` %d", (int)c->per);
  bool mutual = td_contact_is_mutual(c->type);
  td_status status = mutual ? TD_OK : check_obstacle(contact, c);
  if (!status) status = td_check_positive(contact, "stiffness", c->stiffness);
  if (!status) status = td_check_positive(contact, "exponent", c->exponent);
  if (!status) status = check_rubbing(contact, c);
  if (!status) status = check_stick(contact, c);
  if (!status) status = td_check_law(contact, c);
  if (mutual) return status ? status : td_check_pair(spec, contact, c);
  if (!status) status = check_links(spec, contact, c);
  return status ? status : check_radii(spec, contact, c);
}

td_status td_check_contacts(const td_model_spec *spec, const td_place *root) {
  td_place contacts = td_place_key(root, "contacts");
  if (spec->contact_count > TD_MAX_CONTACTS)
    return td_place_fail(&contacts, TD_INVALID_ARGUMENT, "must be at most %d, are %zu", (int)TD_MAX_CONTACTS,
                         spec->contact_count);
  td_status first = td_check_pair_count(spec, &contacts);
  for (size_t i = 0; i < spec->contact_count; i++) {
    td_place contact = td_place_at(&contacts, i);
    td_status status = check_contact(spec, &contact, &spec->contacts[i]);
    if (!first) first = status;
    if (!td_place_goes_on(&contacts, status)) break;
  }
  return first;
}
