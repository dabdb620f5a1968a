// A link of a URDF: its mass, its centre, and its inertia turned from the axes of <inertial> into those of the link;
// what it touches with, what is drawn of it.
#include "codec/import/urdf/parts.h"
#include "tendril/se3.h"
#include "tendril/spec.h"

#include <string.h>

static td_status read_moments(const import_reader *r, xml_element *e, double I[9]) {
  static const struct {
    const char *name;
    int at, mirror;
  } entries[] = {{"ixx", 0, 0}, {"iyy", 4, 4}, {"izz", 8, 8}, {"ixy", 1, 3}, {"ixz", 2, 6}, {"iyz", 5, 7}};
  td_status status = TD_OK;
  for (int i = 0; i < 6 && !status; i++) {
    double value = 0;
    status = import_numbers(r, e, entries[i].name, i < 3, 1, &value);
    I[entries[i].at] = I[entries[i].mirror] = value;
  }
  return status;
}

static td_status read_inertial(const import_reader *r, xml_element *e, urdf_link *link) {
  urdf_origin origin;
  xml_element *mass = NULL, *inertia = NULL;
  double I[9], R[9];
  td_status status = urdf_origin_of(r, e, &origin);
  if (!status) status = import_need(r, e, "mass", &mass);
  if (!status) status = import_numbers(r, mass, "value", true, 1, &link->mass);
  if (!status && link->mass < 0) status = import_fail(r, mass, "value=\"%g\" is negative", link->mass);
  if (!status) status = import_need(r, e, "inertia", &inertia);
  if (!status) status = read_moments(r, inertia, I);
  if (status) return status;
  memcpy(link->com, origin.xyz, sizeof link->com);
  td_rotation_from_rpy(origin.rpy, R);
  if (r->inertia == IMPORT_INERTIA_NEAREST) import_nearest_inertia(r, inertia, I);
  import_turn_inertia(R, I, link->inertia);
  link->heavy = true;
  return TD_OK;
}

td_status urdf_read_link(const import_reader *r, xml_element *root, xml_element *e, urdf_link *link) {
  xml_element *inertial;
  link->element = e;
  td_status status = import_text(r, e, "name", &link->name);
  if (status) return status;
  if (strlen(link->name) > TD_MAX_NAME)
    return import_fail(r, e, "its name has %zu bytes, more than %d", strlen(link->name), (int)TD_MAX_NAME);
  status = import_one(r, e, "inertial", &inertial);
  if (!status && inertial) status = read_inertial(r, inertial, link);
  if (!status) status = urdf_read_collision(r, e, link);
  return status ? status : urdf_read_visuals(r, root, e, link);
}
