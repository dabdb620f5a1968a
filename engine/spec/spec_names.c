// The words of the model document, one table per enumeration (strain bases and obstacles name themselves,
// strain/basis.c, element/contact.c, element/collision.c).
//
// Codecs, schemas and error messages take every word from here.  Invariant: an enumerator out of range has no word.
#include "tendril/spec.h"

#define JOINT_ROW(word, name, moves) {#name, moves},
static const struct {
  const char *name;
  unsigned moves;
} joints[TD_JOINT_TYPE_COUNT] = {TD_JOINTS(JOINT_ROW)};

static const char *const bodies[TD_BODY_TYPE_COUNT] = {
    [TD_BODY_NONE] = "none", [TD_BODY_RIGID] = "rigid", [TD_BODY_ROD] = "rod", [TD_BODY_REDUCED] = "reduced"};

static const char *const kinematics[TD_KINEMATICS_COUNT] = {
    [TD_KINEMATICS_PCC_PLANAR] = "pcc_planar",
    [TD_KINEMATICS_PCC_PLANAR_EXTENSIBLE] = "pcc_planar_extensible",
    [TD_KINEMATICS_PCC] = "pcc",
    [TD_KINEMATICS_POLYNOMIAL_CURVATURE] = "polynomial_curvature",
    [TD_KINEMATICS_GAUSSIAN_CURVATURE] = "gaussian_curvature",
    [TD_KINEMATICS_PCC_VARIABLE_RADIUS] = "pcc_variable_radius",
    [TD_KINEMATICS_LVP] = "lvp",
    [TD_KINEMATICS_RITZ] = "ritz"};

static const char *const fields[TD_FIELD_COUNT] = {"kx", "ky", "kz", "sx", "sy", "e", "source"};

static const char *const rigid_shapes[TD_SHAPE_COUNT] = {[TD_SHAPE_NONE] = "none",
                                                         [TD_SHAPE_BOX] = "box",
                                                         [TD_SHAPE_CYLINDER] = "cylinder",
                                                         [TD_SHAPE_SPHERE] = "sphere",
                                                         [TD_SHAPE_PRISM] = "prism"};

static const struct {
  const char *name, *keys[2], *inner[2];
} sections[TD_SECTION_SHAPE_COUNT] = {
    [TD_SECTION_CIRCLE] = {"circle", {"radius", NULL}, {"inner_radius", NULL}},
    [TD_SECTION_RECTANGLE] = {"rectangle", {"height", "width"}, {"inner_height", "inner_width"}},
    [TD_SECTION_ELLIPSE] = {"ellipse", {"semi_y", "semi_z"}, {"inner_semi_y", "inner_semi_z"}},
    [TD_SECTION_STIFFNESS] = {"stiffness", {NULL, NULL}, {NULL, NULL}}};

static const char *const stiffness_keys[6] = {"GJ", "EI_y", "EI_z", "EA", "GA_y", "GA_z"};

static const char *const routings[TD_ROUTING_COUNT] = {[TD_ROUTING_LINEAR] = "linear",
                                                       [TD_ROUTING_HELIX] = "helix",
                                                       [TD_ROUTING_TABLE] = "table",
                                                       [TD_ROUTING_SUM] = "sum"};

#define ACTUATOR_WORD(type, word) #word,
static const char *const actuators[TD_ACTUATOR_TYPE_COUNT] = {TD_ACTUATORS(ACTUATOR_WORD)};

static const char *const contact_pers[TD_CONTACT_PER_COUNT] = {
    [TD_CONTACT_PER_POINT] = "point", [TD_CONTACT_PER_LENGTH] = "length"};
static const char *const load_frames[TD_LOAD_FRAME_COUNT] = {[TD_LOAD_WORLD] = "world", [TD_LOAD_BODY] = "body"};

static const char *const components[6] = {"torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z"};

#define WITHIN(i, table) ((unsigned)(i) < sizeof(table) / sizeof((table)[0]))

const char *td_joint_type_name(td_joint_type type) { return WITHIN(type, joints) ? joints[type].name : NULL; }
unsigned td_joint_moves(td_joint_type type) { return WITHIN(type, joints) ? joints[type].moves : 0; }

int td_joint_dof(td_joint_type type) {
  int dof = 0;
  for (unsigned left = td_joint_moves(type) & (TD_TURNS | TD_SLIDES); left; left &= left - 1) dof++;
  return dof;
}

const char *td_body_type_name(td_body_type type) { return WITHIN(type, bodies) ? bodies[type] : NULL; }

const char *td_rigid_shape_name(td_rigid_shape shape) {
  return WITHIN(shape, rigid_shapes) ? rigid_shapes[shape] : NULL;
}

const char *td_section_shape_name(td_section_shape shape) {
  return WITHIN(shape, sections) ? sections[shape].name : NULL;
}

void td_section_keys(td_section_shape shape, const char *keys[2]) {
  for (int i = 0; i < 2; i++) keys[i] = WITHIN(shape, sections) ? sections[shape].keys[i] : NULL;
}

void td_section_inner_keys(td_section_shape shape, const char *keys[2]) {
  for (int i = 0; i < 2; i++) keys[i] = WITHIN(shape, sections) ? sections[shape].inner[i] : NULL;
}

const char *td_stiffness_key(int component) {
  return WITHIN(component, stiffness_keys) ? stiffness_keys[component] : NULL;
}

const char *td_routing_type_name(td_routing_type type) { return WITHIN(type, routings) ? routings[type] : NULL; }
const char *td_actuator_type_name(td_actuator_type type) { return WITHIN(type, actuators) ? actuators[type] : NULL; }
const char *td_contact_per_name(td_contact_per per) { return WITHIN(per, contact_pers) ? contact_pers[per] : NULL; }
const char *td_load_frame_name(td_load_frame frame) { return WITHIN(frame, load_frames) ? load_frames[frame] : NULL; }
const char *td_strain_component_name(int component) {
  return WITHIN(component, components) ? components[component] : NULL;
}

const char *td_kinematics_name(td_body_kinematics k) { return WITHIN(k, kinematics) ? kinematics[k] : NULL; }
const char *td_field_name(td_field field) { return WITHIN(field, fields) ? fields[field] : NULL; }
