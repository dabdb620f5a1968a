// What the readers of MJCF share. Internal to this folder.
#ifndef TENDRIL_CODEC_IMPORT_MJCF_PARTS_H
#define TENDRIL_CODEC_IMPORT_MJCF_PARTS_H

#include "codec/import/mjcf/mjcf.h"
#include "codec/import/shape/shape.h"

enum { MJCF_MAX_SITES = 4096, MJCF_MAX_DEFAULTS = 256 };

typedef enum mjcf_inertias { MJCF_INERTIAS_AUTO, MJCF_INERTIAS_OF_GEOMS, MJCF_INERTIAS_WRITTEN } mjcf_inertias;

typedef struct mjcf_default {
  const char *name; ///< of the class
  xml_element *element;
  const struct mjcf_default *parent; ///< NULL: the outermost
} mjcf_default;

typedef struct mjcf_place {
  double xyz[3], quaternion[4]; ///< in the frame of the body around it
} mjcf_place;

typedef struct mjcf_body {
  const char *name; ///< of its link
  xml_element *element;
  const struct mjcf_body *parent; ///< NULL: the world
} mjcf_body;

typedef struct mjcf_joint {
  const char *name, *link; ///< the link that it moves
  const char *type;        ///< "hinge", …
} mjcf_joint;

typedef struct mjcf_site {
  const char *name;
  const mjcf_body *body; ///< NULL: the world
  double xyz[3];
} mjcf_site;

typedef struct mjcf {
  const import_reader *r;
  const import_choice *choice;
  xml_element *root, *world;
  // compiler
  double unit; ///< rad for each unit of an angle
  const char *sequence;
  bool limits_by_range;
  mjcf_inertias inertias;
  mjcf_default *defaults;
  size_t default_count;
  mjcf_body *bodies;
  size_t body_count, body_room;
  mjcf_joint *joints;
  size_t joint_count, joint_room;
  mjcf_site *sites;
  size_t site_count;
  json_t *links, *actuators, *springs;
  import_lines *lines;
  size_t line_room; ///< of each list of lines
  bool failed;      ///< there was not enough memory for JSON
} mjcf;

// attribute.c
td_status mjcf_read_defaults(mjcf *m);
/// Class of an element: its own, else the `childclass` around it, else the outermost; NULL: none.
td_status mjcf_class_of(const mjcf *m, xml_element *e, const mjcf_default **found);
/// An attribute of the element or of its defaults, NULL: neither has it. Actuators share theirs.
td_status mjcf_attribute(const mjcf *m, xml_element *e, const char *name, const char **value);
/// Its `least` to `most` numbers; they stay as they are where there is no such attribute, and *count, which may be
/// NULL, is 0.
td_status mjcf_numbers(const mjcf *m, xml_element *e, const char *name, size_t least, size_t most, double *x,
                       size_t *count);
/// "true", "false", "auto": 1, 0, -1.
td_status mjcf_flag(const mjcf *m, xml_element *e, const char *name, int *flag);

// place.c: pos and quat, axisangle, euler, xyaxes, zaxis.
td_status mjcf_place_of(const mjcf *m, xml_element *e, mjcf_place *place);
void mjcf_rotation(const double quaternion[4], double R[9]);
void mjcf_quaternion_to(const double from_z[3], double quaternion[4]); ///< the least turn of z into a direction

// geom.c
typedef struct mjcf_weight {
  double mass, moment[3], inertia[9]; ///< of all geoms: m, m r, about the body's origin
  xml_element *mesh;                  ///< one that weighs by its mesh; NULL: none
} mjcf_weight;
/// What geoms of a body are drawn as, and what they weigh.
td_status mjcf_read_geoms(const mjcf *m, xml_element *body, view_shape *views, size_t *view_count, mjcf_weight *weight);

// inertia.c
/// The rigid body of a link; NULL: it has no mass.
td_status mjcf_read_inertia(mjcf *m, xml_element *body, const mjcf_weight *weight, json_t **out);

// joint.c
/// Adds the links of a body: one for each joint that has others behind it or lies elsewhere than the body's origin,
/// and last the one of the body's name, at its frame. `link` is that one, without its body still.
td_status mjcf_add_joints(mjcf *m, const mjcf_body *body, json_t **link);
/// A new link at the end of the document.
json_t *mjcf_add_link(mjcf *m, const char *name, const char *parent, json_t *pose, json_t *joint, int joint_line,
                      int body_line);

// cable.c
td_status mjcf_add_cable(mjcf *m, xml_element *composite, const mjcf_body *parent);

// drive.c, tendon.c
td_status mjcf_add_actuators(mjcf *m, xml_element *list);
td_status mjcf_add_springs(mjcf *m, xml_element *list);
/// The way of the tendon of that name as `segments`; NULL with a remark already: it cannot be carried.
td_status mjcf_segments(mjcf *m, xml_element *actuator, const char *tendon, json_t **segments);

// left.c
void mjcf_tell_left(const mjcf *m);

#endif
