// JSON schemas of the messages of an MCAP file. Foxglove knows those of its own by their names.
#ifndef TENDRIL_CLIENT_MCAP_SCHEMAS_H
#define TENDRIL_CLIENT_MCAP_SCHEMAS_H

#include "export/result.h"

extern const char schema_transforms[]; ///< foxglove.FrameTransforms
extern const char schema_poses[];      ///< foxglove.PosesInFrame
extern const char schema_scene[];      ///< foxglove.SceneUpdate
extern const char schema_joints[];     ///< foxglove.JointStates

/// How the numbers of a row are told: `value` of one, a member for each name, a list for each name, or `values`.
typedef enum message_form { FORM_VALUE, FORM_NAMED, FORM_LISTS, FORM_VALUES } message_form;
message_form schema_form(const export_field *f);
/// Keys of a field's named numbers: letters, digits and underscores, so that they may stand in a path of Foxglove
/// ("/q.arm_bending_y_0"), unique. [columns], the caller frees list and keys.
char **schema_keys(const export_field *f);
/// The schema of a field's messages. The caller frees it.
char *schema_of_field(const export_field *f, char *const *keys);

#endif
