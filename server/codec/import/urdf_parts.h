// What the readers of a URDF share. Internal to this folder.
#ifndef TENDRIL_CODEC_IMPORT_URDF_PARTS_H
#define TENDRIL_CODEC_IMPORT_URDF_PARTS_H

#include "codec/import/urdf.h"

#define URDF_POINTER "/urdf"

typedef struct urdf_reader {
  urdf_inertia inertia;
  urdf_stops stops;
  arena *memory;
  remark_list *remarks;
  td_error *err;
} urdf_reader;

// urdf_value.c
/// Fails at an element: "line 12: <origin> of joint "elbow": …".
td_status urdf_fail(const urdf_reader *r, const xml_element *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// "<mass> of link "arm"", of what stands within a link or a joint.
const char *urdf_whose(const xml_element *e, char text[REMARK_TEXT_SIZE]);
/// The one child of that name, NULL: none; two are an error.
td_status urdf_one(const urdf_reader *r, xml_element *e, const char *name, xml_element **child);
td_status urdf_need(const urdf_reader *r, xml_element *e, const char *name, xml_element **child);
td_status urdf_text(const urdf_reader *r, xml_element *e, const char *attribute, const char **text);
/// `count` finite numbers; an attribute that is not there leaves them as they are, unless it is `needed`.
td_status urdf_numbers(const urdf_reader *r, xml_element *e, const char *attribute, bool needed, size_t count,
                       double *numbers);
td_status urdf_origin_of(const urdf_reader *r, xml_element *e, urdf_origin *origin);

// urdf_link.c, urdf_joint.c
td_status urdf_read_link(const urdf_reader *r, xml_element *e, urdf_link *link);
td_status urdf_read_joint(const urdf_reader *r, urdf_robot *robot, xml_element *e, urdf_joint *joint);
// urdf_inertia.c
/// Makes the inertia of a link one that a body can have, with a remark where it is none.
void urdf_nearest_inertia(const urdf_reader *r, const xml_element *e, double I[9]);
// urdf_tree.c
td_status urdf_order(const urdf_reader *r, urdf_robot *robot);
// urdf_left.c
/// A remark for each element, attribute and text that nobody has read.
void urdf_tell_left(const urdf_reader *r, const xml_element *root);

#endif
