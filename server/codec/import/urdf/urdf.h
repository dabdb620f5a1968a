// The robot of a URDF (Unified Robot Description Format of ROS) as it stands in the text: links, joints, the tree.
#ifndef TENDRIL_CODEC_IMPORT_URDF_H
#define TENDRIL_CODEC_IMPORT_URDF_H

#include "codec/import/document.h"
#include "codec/import/shape/shape.h"

typedef struct urdf_origin {
  double xyz[3]; ///< m
  double rpy[3]; ///< rad, R = Rz(yaw) Ry(pitch) Rx(roll)
} urdf_origin;

typedef struct urdf_link {
  const char *name;
  xml_element *element;
  bool heavy; ///< it has an <inertial>
  double mass, com[3];
  double inertia[9]; ///< about the centre of mass, in the axes of the link
  view_shape *views; ///< [view_count]: what is drawn of it, in its frame
  size_t view_count;
  view_shape *touching;                        ///< its one <collision>; NULL: none that a model can have
  struct urdf_joint *by;                       ///< the joint that carries it; NULL: the root
  struct urdf_joint *first_joint, *last_joint; ///< those it carries, in the order of the text
} urdf_link;

typedef struct urdf_joint_type {
  const char *name;               ///< "revolute"
  const char *tendril;            ///< type of the joint in the model document
  bool has_axis, driven, limited; ///< limited: a <limit> says how far it goes
  const char *remark;             ///< what is other than in URDF, NULL: nothing
} urdf_joint_type;

typedef struct urdf_joint {
  const char *name;
  xml_element *element;
  const urdf_joint_type *type;
  urdf_origin origin;  ///< from the parent link's frame to the child's at rest
  double axis[3];      ///< in the joint's frame
  double damping;      ///< N m s/rad or N s/m
  bool limited;        ///< it has the limits below
  double lower, upper; ///< rad or m
  urdf_link *parent, *child;
  struct urdf_joint *next; ///< of the same parent
} urdf_joint;

typedef struct urdf_robot {
  const char *name;
  urdf_link *links; ///< [link_count], in the order of the text
  urdf_joint *joints;
  size_t link_count, joint_count;
  urdf_link **order; ///< [link_count]: the root first, parents before children, joints of a parent as in the text
} urdf_robot;

/// Reads a description. Everything in it that is not in *robot is in the reader's remarks.
/// @param root  <robot>
/// @return TD_OK, TD_INVALID_ARGUMENT, TD_LIMIT, TD_NO_MEMORY; messages name line and element
/// Cost: O(size + links^2) for the names.
TD_NODISCARD td_status urdf_read(const import_reader *r, xml_element *root, urdf_robot *robot);
/// The tendril.model/1 document of a robot: a link for each link, whose joint is the one that carries it.
/// @param document  out: a new reference
/// @return TD_OK, TD_INVALID_ARGUMENT (a floating base of a robot whose root is the world), TD_NO_MEMORY
TD_NODISCARD td_status urdf_document(const urdf_robot *robot, const import_choice *choice, arena *a,
                                     remark_list *remarks, json_t **document, import_lines *lines, td_error *err);

#endif
