// <origin>: where a frame of a URDF is, in the one before.
#include "codec/import/urdf/parts.h"

td_status urdf_origin_of(const import_reader *r, xml_element *e, urdf_origin *origin) {
  xml_element *at;
  *origin = (urdf_origin){.xyz = {0}};
  td_status status = import_one(r, e, "origin", &at);
  if (status || !at) return status;
  if (xml_attribute_of(at, "quat_xyzw"))
    return import_fail(r, at, "quat_xyzw is not read; write rpy=\"roll pitch yaw\"");
  status = import_numbers(r, at, "xyz", false, 3, origin->xyz);
  return status ? status : import_numbers(r, at, "rpy", false, 3, origin->rpy);
}
