// What the readers of a URDF share. Internal to this folder.
#ifndef TENDRIL_CODEC_IMPORT_URDF_PARTS_H
#define TENDRIL_CODEC_IMPORT_URDF_PARTS_H

#include "codec/import/urdf/urdf.h"

#define URDF_POINTER "/urdf"

// origin.c
td_status urdf_origin_of(const import_reader *r, xml_element *e, urdf_origin *origin);
// visual.c
/// What is drawn of a link; `root` has the materials that visuals name.
td_status urdf_read_visuals(const import_reader *r, xml_element *root, xml_element *e, urdf_link *link);

/// The shape in <geometry> of a <visual> or <collision>; a mesh without triangles where its file cannot be read.
td_status urdf_read_geometry(const import_reader *r, xml_element *of, view_shape *s);
// collision.c
td_status urdf_read_collision(const import_reader *r, xml_element *e, urdf_link *link);
/// As `collision` of the body in the document; NULL: none.
json_t *urdf_collision_json(const urdf_link *link, bool *failed);

// link.c, joint.c
td_status urdf_read_link(const import_reader *r, xml_element *root, xml_element *e, urdf_link *link);
td_status urdf_read_joint(const import_reader *r, urdf_robot *robot, xml_element *e, urdf_joint *joint);
// tree.c
td_status urdf_order(const import_reader *r, urdf_robot *robot);
// left.c
/// A remark for each element, attribute and text that nobody has read.
void urdf_tell_left(const import_reader *r, const xml_element *root);

#endif
