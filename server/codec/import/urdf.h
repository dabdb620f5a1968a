// The robot of a URDF (Unified Robot Description Format of ROS) as it stands in the text: links, joints, the tree.
#ifndef TENDRIL_CODEC_IMPORT_URDF_H
#define TENDRIL_CODEC_IMPORT_URDF_H

#include "codec/import/remark.h"
#include "codec/import/xml.h"

typedef struct urdf_origin {
  double xyz[3]; ///< m
  double rpy[3]; ///< rad, R = Rz(yaw) Ry(pitch) Rx(roll)
} urdf_origin;

typedef struct urdf_link {
  const char *name;
  xml_element *element;
  bool heavy; ///< it has an <inertial>
  double mass, com[3];
  double inertia[9];                           ///< about the centre of mass, in the axes of the link
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

/// What to do with an inertia that no body has (negative moments, or one larger than the sum of the others).
typedef enum urdf_inertia {
  URDF_INERTIA_AS_WRITTEN, ///< it stays, and is refused when the model is built
  URDF_INERTIA_NEAREST,    ///< the nearest one that a body can have, with a remark
  URDF_INERTIA_COUNT
} urdf_inertia;

/// What becomes of the <limit> of joints.
typedef enum urdf_stops {
  URDF_STOPS_SOFT, ///< limits of the model: stops that give way a little
  URDF_STOPS_NONE, ///< they are left out, with a remark
  URDF_STOPS_COUNT
} urdf_stops;

/// Reads a description. Everything in it that is not in *robot is in `remarks`.
/// @return TD_OK, TD_INVALID_ARGUMENT, TD_LIMIT, TD_NO_MEMORY; pointers are "/urdf", messages name line and element
/// Cost: O(size + links^2) for the names.
TD_NODISCARD td_status urdf_read(const char *text, size_t size, urdf_inertia inertia, urdf_stops stops, arena *a,
                                 urdf_robot *robot, remark_list *remarks, td_error *err);

#endif
