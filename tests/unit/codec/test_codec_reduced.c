// Reduced bodies of the model document: every key arrives at its place, and what a kinematics does not know is refused
// there.
#include "codec/document/model/model.h"
#include "codec/json/text.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COMMON "'type':'reduced','length':0.2,'density':1070,'young':2e5,'poisson':0.4,'damping_time':0.05"
#define ROUND COMMON ",'radius':[0.02,0.01]"
#define BODY(keys, actuators)                                                                                          \
  "{'format':'tendril.model/1','links':[{'name':'b','joint':{'type':'fixed'},'body':{" keys                            \
  "}}],'actuators':[" actuators "]}"

static arena *memory;
static json_t *document;
static td_model_spec spec;

static td_status read_text(const char *text, td_error *err) {
  char copy[4096];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *p = copy; *p; p++)
    if (*p == '\'') *p = '"';
  memory = arena_create();
  document = codec_parse(copy, strlen(copy), err);
  ck_assert_msg(document != NULL, "%s: %s", text, err->message);
  return codec_model_read(document, "", memory, &spec, NULL, err);
}

static void forget(void) {
  json_decref(document);
  arena_destroy(memory);
}

static const td_reduced_spec *read_body(const char *text) {
  td_error err = {0};
  ck_assert_msg(read_text(text, &err) == TD_OK, "%s: %s: %s", text, err.pointer, err.message);
  ck_assert_int_eq(spec.links[0].body.type, TD_BODY_REDUCED);
  return &spec.links[0].body.reduced;
}

START_TEST(what_all_bodies_share_arrives) {
  const td_reduced_spec *b =
      read_body(BODY(ROUND ",'kinematics':'pcc','section_inertia':true,'quadrature':{'s':7,'r':3,'angle':5}", ""));
  ck_assert_int_eq(b->kinematics, TD_KINEMATICS_PCC);
  ck_assert_double_eq(b->length, 0.2);
  ck_assert_double_eq(b->density, 1070);
  ck_assert_double_eq(b->young, 2e5);
  ck_assert_double_eq(b->poisson, 0.4);
  ck_assert_double_eq(b->damping_time, 0.05);
  ck_assert_uint_eq(b->radius.count, 2);
  ck_assert_double_eq(b->radius.value[1], 0.01);
  ck_assert(b->section_inertia);
  ck_assert_int_eq(b->s_points, 7);
  ck_assert_int_eq(b->r_points, 3);
  ck_assert_int_eq(b->angle_points, 5);
  forget();
}
END_TEST

START_TEST(what_a_document_leaves_out_has_the_values_of_the_format) {
  const td_reduced_spec *b = read_body(BODY(ROUND ",'kinematics':'gaussian_curvature'", ""));
  ck_assert(isnan(b->width) && !b->section_inertia && b->s_points == 0);
  forget();
  b = read_body(BODY(COMMON ",'kinematics':'pcc_variable_radius','radius':0.02", ""));
  ck_assert(!b->scale_law && b->wall == 0 && b->radius.count == 1);
  forget();
}
END_TEST

START_TEST(what_only_one_kinematics_has_arrives) {
  const td_reduced_spec *b = read_body(BODY(ROUND ",'kinematics':'polynomial_curvature','order':3,'planar':true", ""));
  ck_assert(b->order == 3 && b->planar);
  forget();
  b = read_body(BODY(ROUND ",'kinematics':'gaussian_curvature','width':0.1", ""));
  ck_assert_double_eq(b->width, 0.1);
  forget();
  b = read_body(BODY(COMMON ",'kinematics':'pcc_variable_radius','radius':0.02,'radius_law':'scale','wall':0.004", ""));
  ck_assert(b->scale_law && b->wall == 0.004);
  forget();
}
END_TEST

START_TEST(modes_of_volume_preserving_bodies_arrive_in_order) {
  const td_reduced_spec *b =
      read_body(BODY(ROUND ",'kinematics':'lvp','inner_radius':0.005,'modes':[{'field':'source','polynomial':[1e-5]},"
                           "{'field':'kz','polynomial':[0,2,-3]}]",
                     ""));
  ck_assert_double_eq(b->inner_radius, 0.005);
  ck_assert_uint_eq(b->mode_count, 2);
  ck_assert_int_eq(b->modes[0].field, TD_FIELD_SOURCE);
  ck_assert_int_eq(b->modes[1].field, TD_FIELD_KZ);
  ck_assert_uint_eq(b->modes[1].count, 3);
  ck_assert_double_eq(b->modes[1].polynomial[2], -3);
  forget();
}
END_TEST

START_TEST(terms_of_volumetric_modes_arrive_component_by_component) {
  const td_reduced_spec *b = read_body(BODY(
      COMMON ",'kinematics':'ritz','size':[0.04,0.05,0.2],'quadrature':{'x':2,'y':3,'z':4},"
             "'modes':[[[[2,0,0,3]],[],[[-1,1,0,2],[4,0,1,0]]]],'tip_points':[[0,0,0.2],[0.01,0,0.2],[0,0.02,0.2]]",
      ""));
  ck_assert_double_eq(b->size[1], 0.05);
  ck_assert_int_eq(b->r_points, 2);
  ck_assert_int_eq(b->angle_points, 3);
  ck_assert_int_eq(b->s_points, 4);
  ck_assert_uint_eq(b->ritz_mode_count, 1);
  ck_assert_uint_eq(b->ritz_modes[0].count[0], 1);
  ck_assert_uint_eq(b->ritz_modes[0].count[1], 0);
  ck_assert_uint_eq(b->ritz_modes[0].count[2], 2);
  ck_assert_double_eq(b->ritz_modes[0].terms[0][0][3], 3);
  ck_assert_double_eq(b->ritz_modes[0].terms[2][1][0], 4);
  ck_assert_double_eq(b->tip_points[7], 0.02);
  forget();
}
END_TEST

#define RITZ COMMON ",'kinematics':'ritz','modes':[[[[1,0,0,1]],[],[]]],'tip_points':[[0,0,1],[1,0,1],[0,1,1]]"
#define CORNERS "'points':[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]"

START_TEST(a_mesh_arrives_instead_of_a_size) {
  const td_reduced_spec *b = read_body(BODY(RITZ ",'quadrature':{'points':3},'mesh':{" CORNERS
                                                 ",'tetrahedra':[[0,1,2,3]],'hexahedra':[[0,1,2,3,3,2,1,0]]}",
                                            ""));
  ck_assert(b->has_mesh);
  ck_assert_int_eq(b->s_points, 3);
  ck_assert_uint_eq(b->mesh.point_count, 4);
  ck_assert_double_eq(b->mesh.points[11], 1);
  ck_assert_uint_eq(b->mesh.tetrahedron_count, 1);
  ck_assert_int_eq(b->mesh.tetrahedra[0][2], 2);
  ck_assert_uint_eq(b->mesh.hexahedron_count, 1);
  ck_assert_int_eq(b->mesh.hexahedra[0][6], 1);
  forget();
  ck_assert(!read_body(BODY(RITZ ",'size':[1,1,1]", ""))->has_mesh);
  forget();
}
END_TEST

START_TEST(chambers_and_material_points_arrive) {
  read_body(BODY(COMMON ",'kinematics':'pcc_variable_radius','radius':0.02",
                 "{'name':'p','type':'pressure','link':'b','chamber':1},{'name':'o','type':'pressure','link':'b'},"
                 "{'name':'c','type':'tendon','link':'b','points':[[0.01,0,0],[0.01,0,0.2]]}"));
  ck_assert_int_eq(spec.actuators[0].type, TD_ACTUATOR_PRESSURE);
  ck_assert_int_eq(spec.actuators[0].chamber, 1);
  ck_assert_str_eq(spec.actuators[0].link, "b");
  ck_assert_int_eq(spec.actuators[1].chamber, 0);
  ck_assert_uint_eq(spec.actuators[2].segments[0].points_count, 2);
  ck_assert_double_eq(spec.actuators[2].segments[0].points[5], 0.2);
  forget();
}
END_TEST

#define AT "/links/0/body"
START_TEST(whatever_is_wrong_is_named_by_its_place) {
  static const struct {
    const char *text, *pointer, *words;
  } cases[] = {
      {BODY(ROUND, ""), AT "/kinematics", "required"},
      {BODY(ROUND ",'kinematics':'spline'", ""), AT "/kinematics", "pcc_planar"},
      {BODY(ROUND ",'kinematics':3", ""), AT "/kinematics", "3"},
      {BODY(COMMON ",'kinematics':'pcc'", ""), AT "/radius", "required"},
      {BODY(COMMON ",'radius':{'s':[0,1],'value':[1,2]},'kinematics':'pcc'", ""), AT "/radius", "[base, tip]"},
      {BODY(ROUND ",'kinematics':'pcc','order':1", ""), AT "/order", "unknown key"},
      {BODY(ROUND ",'kinematics':'lvp','section_inertia':true,'modes':[]", ""), AT "/section_inertia", "unknown key"},
      {BODY(ROUND ",'kinematics':'pcc','quadrature':{'s':0}", ""), AT "/quadrature/s", "0"},
      {BODY(ROUND ",'kinematics':'pcc','quadrature':{'x':2}", ""), AT "/quadrature/x", "unknown key"},
      {BODY(ROUND ",'kinematics':'polynomial_curvature'", ""), AT "/order", "required"},
      {BODY(ROUND ",'kinematics':'lvp'", ""), AT "/modes", "required"},
      {BODY(ROUND ",'kinematics':'lvp','modes':[{'field':'torsion','polynomial':[1]}]", ""), AT "/modes/0/field",
       "source"},
      {BODY(ROUND ",'kinematics':'lvp','modes':[{'field':'kx'}]", ""), AT "/modes/0/polynomial", "required"},
      {BODY(COMMON ",'kinematics':'pcc_variable_radius','radius':1,'radius_law':'grow'", ""), AT "/radius_law",
       "shift"},
      {BODY(COMMON ",'kinematics':'ritz','size':[1,1],'modes':[],'tip_points':[]", ""), AT "/size", "3"},
      {BODY(COMMON ",'kinematics':'ritz','size':[1,1,1],'modes':[[[],[]]],'tip_points':[]", ""), AT "/modes/0",
       "three"},
      {BODY(COMMON ",'kinematics':'ritz','size':[1,1,1],'modes':[[[[1,0,0]],[],[]]],'tip_points':[]", ""),
       AT "/modes/0/0/0", "4"},
      {BODY(COMMON ",'kinematics':'ritz','size':[1,1,1],'modes':[],'tip_points':[[0,0,0]]", ""), AT "/tip_points",
       "three"},
      {BODY(COMMON ",'kinematics':'ritz','size':[1,1,1],'radius':1,'modes':[],'tip_points':[]", ""), AT "/radius",
       "unknown key"},
      {BODY(RITZ, ""), AT "/size", "mesh"},
      {BODY(RITZ ",'size':[1,1,1],'mesh':{" CORNERS "}", ""), AT "/mesh", "not both"},
      {BODY(RITZ ",'mesh':{'tetrahedra':[[0,1,2,3]]}", ""), AT "/mesh/points", "required"},
      {BODY(RITZ ",'mesh':{'points':[[0,0]]}", ""), AT "/mesh/points/0", "3"},
      {BODY(RITZ ",'mesh':{" CORNERS ",'tetrahedra':[[0,1,2]]}", ""), AT "/mesh/tetrahedra/0", "4"},
      {BODY(RITZ ",'mesh':{" CORNERS ",'tetrahedra':[[0,1,2,0.5]]}", ""), AT "/mesh/tetrahedra/0/3", "integer"},
      {BODY(RITZ ",'mesh':{" CORNERS ",'hexahedra':[[0,1,2,3]]}", ""), AT "/mesh/hexahedra/0", "8"},
      {BODY(RITZ ",'mesh':{" CORNERS ",'prisms':[]}", ""), AT "/mesh/prisms", "unknown key"},
      {BODY(RITZ ",'mesh':{" CORNERS "},'quadrature':{'x':2}", ""), AT "/quadrature/x", "unknown key"},
      {BODY(RITZ ",'mesh':{" CORNERS "},'quadrature':{'points':0}", ""), AT "/quadrature/points", "at least 1"},
      {BODY(ROUND ",'kinematics':'pcc'", "{'name':'p','type':'pressure'}"), "/actuators/0/link", "required"},
      {BODY(ROUND ",'kinematics':'pcc'", "{'name':'p','type':'pressure','link':'b','chamber':0.5}"),
       "/actuators/0/chamber", "integer"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    td_error err = {0};
    ck_assert_msg(read_text(cases[i].text, &err) == TD_INVALID_ARGUMENT, "%s is accepted", cases[i].text);
    ck_assert_msg(!strcmp(err.pointer, cases[i].pointer), "%s: %s instead of %s", cases[i].text, err.pointer,
                  cases[i].pointer);
    ck_assert_msg(strstr(err.message, cases[i].words) != NULL, "%s: %s", cases[i].text, err.message);
    forget();
  }
}
END_TEST

TEST_MAIN("codec_reduced", what_all_bodies_share_arrives, what_a_document_leaves_out_has_the_values_of_the_format,
          what_only_one_kinematics_has_arrives, modes_of_volume_preserving_bodies_arrive_in_order,
          terms_of_volumetric_modes_arrive_component_by_component, a_mesh_arrives_instead_of_a_size,
          chambers_and_material_points_arrive, whatever_is_wrong_is_named_by_its_place)
