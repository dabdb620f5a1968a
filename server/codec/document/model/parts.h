// The readers of one model document, by part. Internal to this folder.
#ifndef TENDRIL_CODEC_DOCUMENT_MODEL_PARTS_H
#define TENDRIL_CODEC_DOCUMENT_MODEL_PARTS_H

#include "codec/json/field.h"
#include "tendril/spec.h"

enum { MODEL_MAX_ROUTING_DEPTH = 8 };

// body.c
td_status read_body(reader *r, const json_t *value, void *out_td_body_spec);
td_status read_strain(reader *r, const json_t *value, void *out_td_rod_spec);

// section.c
td_status read_section(reader *r, const json_t *value, void *out_td_rod_spec);
/// A number, [base, tip] or {s, value}.
td_status read_profile(reader *r, const json_t *value, void *out_td_profile);
/// Six numbers or {s, value} of rows of six.
td_status read_strain_reference(reader *r, const json_t *value, void *out_td_profile);

// reduced.c
td_status read_reduced(reader *r, const json_t *value, td_body_spec *body);

// joint.c
td_status read_joint(reader *r, const json_t *value, void *out_td_joint_spec);
/// The joint of a loop: without stiffness, damping and rest.
td_status read_loop_joint(reader *r, const json_t *value, void *out_td_joint_spec);
td_status read_axis(reader *r, const json_t *value, void *out_double3);
td_status read_pose(reader *r, const json_t *value, void *out_td_se3);

// view.c
/// What is drawn of a link: checked, not kept.
td_status read_view(reader *r, const json_t *value, void *out_nothing);
/// The bounds of all views together; `links` is the list that stands at r->at.
td_status check_views(reader *r, const json_t *links);

// actuator.c
td_status read_actuator(reader *r, const json_t *value, void *out_td_actuator_spec);
td_status read_load(reader *r, const json_t *value, void *out_td_load_spec);
extern const td_actuator_spec default_actuator;
extern const td_load_spec default_load;
extern const td_joint_spec default_joint;

// fluid.c
td_status read_fluid(reader *r, const json_t *value, void *out_td_model_spec);

// constraint.c
td_status read_contact(reader *r, const json_t *value, void *out_td_contact_spec);
td_status read_loop(reader *r, const json_t *value, void *out_td_loop_spec);
extern const td_contact_spec default_contact;
td_status read_spring(reader *r, const json_t *value, void *out_td_spring_spec);
extern const td_loop_spec default_loop;
extern const td_spring_spec default_spring;

#endif
