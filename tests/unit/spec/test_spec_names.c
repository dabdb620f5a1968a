// The words of enumerations: complete, unique, none out of range.
#include "support/suite.h"
#include "tendril/spec.h"

typedef const char *(*word)(int);
static const char *joint(int i) { return td_joint_type_name((td_joint_type)i); }
static const char *body(int i) { return td_body_type_name((td_body_type)i); }
static const char *shape(int i) { return td_rigid_shape_name((td_rigid_shape)i); }
static const char *section(int i) { return td_section_shape_name((td_section_shape)i); }
static const char *routing(int i) { return td_routing_type_name((td_routing_type)i); }
static const char *actuator(int i) { return td_actuator_type_name((td_actuator_type)i); }
static const char *frame(int i) { return td_load_frame_name((td_load_frame)i); }
static const char *per(int i) { return td_contact_per_name((td_contact_per)i); }
static const char *kinematics(int i) { return td_kinematics_name((td_body_kinematics)i); }
static const char *field(int i) { return td_field_name((td_field)i); }

static const struct {
  word of;
  int count;
} tables[] = {{joint, TD_JOINT_TYPE_COUNT},      {body, TD_BODY_TYPE_COUNT},    {shape, TD_SHAPE_COUNT},
              {section, TD_SECTION_SHAPE_COUNT}, {routing, TD_ROUTING_COUNT},   {actuator, TD_ACTUATOR_TYPE_COUNT},
              {frame, TD_LOAD_FRAME_COUNT},      {td_strain_component_name, 6}, {kinematics, TD_KINEMATICS_COUNT},
              {field, TD_FIELD_COUNT},           {per, TD_CONTACT_PER_COUNT}};

START_TEST(every_enumerator_has_a_word_of_its_own) {
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
    for (int i = 0; i < tables[t].count; i++) {
      ck_assert_ptr_nonnull(tables[t].of(i));
      for (int j = 0; j < i; j++) ck_assert_str_ne(tables[t].of(i), tables[t].of(j));
    }
}
END_TEST

START_TEST(an_enumerator_out_of_range_has_none) {
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    ck_assert_ptr_null(tables[t].of(tables[t].count));
    ck_assert_ptr_null(tables[t].of(-1));
  }
  ck_assert_int_eq(td_joint_dof(TD_JOINT_TYPE_COUNT), 0);
}
END_TEST

START_TEST(joints_have_the_coordinates_of_the_format) {
  static const int dof[TD_JOINT_TYPE_COUNT] = {0, 1, 1, 1, 2, 2, 3, 3, 6};
  for (int i = 0; i < TD_JOINT_TYPE_COUNT; i++) ck_assert_int_eq(td_joint_dof((td_joint_type)i), dof[i]);
}
END_TEST

START_TEST(sections_name_their_measures) {
  const char *keys[2];
  td_section_keys(TD_SECTION_CIRCLE, keys);
  ck_assert_str_eq(keys[0], "radius");
  ck_assert_ptr_null(keys[1]);
  td_section_keys(TD_SECTION_RECTANGLE, keys);
  ck_assert_str_eq(keys[1], "width");
  td_section_keys(TD_SECTION_SHAPE_COUNT, keys);
  ck_assert_ptr_null(keys[0]);
}
END_TEST

TEST_MAIN("spec_names", every_enumerator_has_a_word_of_its_own, an_enumerator_out_of_range_has_none,
          joints_have_the_coordinates_of_the_format, sections_name_their_measures)
