// The model document: what the codec reads, and that every word it refuses is named by its place.
//
// Broken documents are made from one good one by patching a place: {pointer of the place, replacement (NULL: removed),
// expected pointer, expected words}.
#include "codec/document/model/model.h"
#include "codec/json/text.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char good[] =
    "{'format':'tendril.model/"
    "1','name':'all','description':'x','gravity':[0,0,-9.81],'fluid':{'density':1000},'links':["
    "{'name':'base','joint':{'type':'free'},'pose':{'translation':[1,2,3],'quaternion':[2,0,0,0]},"
    "'body':{'type':'rigid','mass':2,'com':[0,0,0.1],'inertia':[1,1,1],'hydrodynamics':{'body_density':500,"
    "'drag':[1,2,3,4,5,6],'added_mass':[[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,2,0.5,0],[0,0,0,0.5,2,0],"
    "[0,0,0,0,0,2]]}}},"
    "{'name':'arm','parent':'base','at':0.5,'joint':{'type':'helical','axis':'-y','pitch':0.1,'stiffness':3,'damping':["
    "4],"
    "'rest':0.2},'body':{'type':'rod','length':0.5,'section':{'shape':'rectangle','height':[0.02,0.01],'width':{'s':[0,"
    "0.5,1],"
    "'value':[0.02,0.03,0.01]}},'material':{'young':1e6,'poisson':0.5,'density':1000,'viscosity':100},'strain':{'basis'"
    ":"
    "'legendre','order':{'bending_y':2,'elongation':0},'reference':{'s':[0,1],'value':[[0,0,0,1,0,0],[0,1,0,1,0,0]]}},"
    "'quadrature':{'points':6},'hydrodynamics':{'cd_x':0.1,'cd_y':0.2,'cd_z':0.3,'cl_x':-0.4,'cl_y':0.5,'cl_z':0.6,"
    "'added_y':0.7,'added_z':0.8}}},"
    "{'name':'leaf','parent':'arm','joint':{'type':'spherical','stiffness':[1,2,3]},'body':{'type':'rod','length':0.2,"
    "'section':{'shape':'circle','radius':0.01},'material':{'young':1e6,'shear':3e5,'density':900},'strain':{'basis':'"
    "table',"
    "'s':[0,0.4,1],'bending_z':[[1,1,1],[0,0.4,1]]}}},"
    "{'name':'ball','parent':'leaf','joint':{'type':'fixed'},'body':{'type':'rigid','shape':{'type':'prism','polygon':"
    "[[0,0],[0.1,0],[0,0.1]],'height':0.02,'axis':'x'},'density':700}}],"
    "'actuators':[{'name':'c1','type':'tendon','link':'arm','routing':{'type':'sum','of':[{'type':'linear','base':[0."
    "005,0]},"
    "{'type':'helix','radius':0.001,'turns':2}]}},"
    "{'name':'c2','type':'tendon','joined':false,'segments':[{'link':'arm','routing':{'type':'table','s':[0,0.5,1],"
    "'y':[0,0,0.001],'z':[0.004,0.004,0.004]}},{'link':'ball','points':[[0,0,0],[0.01,0,0]]}]},"
    "{'name':'m','type':'joint','link':'arm','mode':'force'}],"
    "'loads':[{'name':'push','link':'arm','at':0.5,'frame':'body','wrench':[0,0,0,1,2,3]},"
    "{'link':'ball','channels':[null,null,null,'fx','fy',null]}],"
    "'contacts':[{'name':'tube','type':'cylinder_interior','radius':0.15,'stiffness':1e5,'axis':'-y','links':['arm',"
    "'leaf'],'pose':{'translation':[0,0,1]}},{'type':'plane','stiffness':2e5,'exponent':2,'per':'length'},{'type':'"
    "sphere','radius':0.1,'stiffness':1,'damping':0.2,'friction':0.5,'slip_speed':1e-2,'anisotropy':[1,0.3]},{'type':'"
    "cylinder_exterior','radius':0.2,'stiffness':1}],"
    "'loops':[{'name':'grip','a':{'link':'ball','pose':{'translation':[0.1,0,0]}},'b':{'link':'world'},'joint':{'type':"
    "'helical','axis':'x','pitch':0.3}},{'a':{'link':'arm','at':0.25},'b':{'link':'base'},'joint':{'type':'spherical'}}"
    "]"
    "}";

static json_t *parse(const char *text) {
  char copy[8192];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *p = copy; *p; p++)
    if (*p == '\'') *p = '"';
  td_error err = {0};
  json_t *doc = codec_parse(copy, strlen(copy), &err);
  ck_assert_msg(doc != NULL, "%s: %s", text, err.message);
  return doc;
}

static arena *memory;
static json_t *document;
static td_model_spec spec;

static td_status read_good(td_error *err) {
  memory = arena_create();
  document = parse(good);
  return codec_model_read(document, "", memory, &spec, NULL, err);
}

static void forget(void) {
  json_decref(document);
  arena_destroy(memory);
}

START_TEST(every_value_arrives_at_its_place) {
  td_error err = {0};
  ck_assert_msg(read_good(&err) == TD_OK, "%s: %s", err.pointer, err.message);
  ck_assert_str_eq(spec.name, "all");
  ck_assert_double_eq(spec.gravity[2], -9.81);
  ck_assert_double_eq(spec.fluid_density, 1000);
  ck_assert_uint_eq(spec.link_count, 4);
  const td_link_spec *base = &spec.links[0], *arm = &spec.links[1];
  ck_assert_str_eq(base->parent, "world");
  ck_assert_double_eq(base->at, 1);
  ck_assert_double_eq(base->pose.p[1], 2);
  ck_assert_double_eq(base->pose.R[0], 1);
  ck_assert_int_eq(base->body.type, TD_BODY_RIGID);
  ck_assert_double_eq(base->body.rigid.mass, 2);
  ck_assert_double_eq(base->body.rigid.inertia[4], 1);
  ck_assert_double_eq(base->body.rigid.inertia[1], 0);
  ck_assert_double_eq(base->body.rigid.body_density, 500);
  ck_assert_str_eq(arm->parent, "base");
  ck_assert_double_eq(arm->at, 0.5);
  ck_assert_int_eq(arm->joint.type, TD_JOINT_HELICAL);
  ck_assert_double_eq(arm->joint.axis[1], -1);
  ck_assert_double_eq(arm->joint.pitch, 0.1);
  ck_assert_double_eq(arm->joint.stiffness[0], 3);
  ck_assert_double_eq(arm->joint.damping[0], 4);
  ck_assert_double_eq(arm->joint.rest[0], 0.2);
  forget();
}
END_TEST

START_TEST(rods_are_read_with_section_material_and_strain) {
  td_error err = {0};
  ck_assert_int_eq(read_good(&err), TD_OK);
  const td_rod_spec *arm = &spec.links[1].body.rod, *leaf = &spec.links[2].body.rod;
  ck_assert_int_eq(arm->section, TD_SECTION_RECTANGLE);
  ck_assert_uint_eq(arm->size[0].count, 2);
  ck_assert_ptr_null(arm->size[0].s);
  ck_assert_double_eq(arm->size[0].value[1], 0.01);
  ck_assert_uint_eq(arm->size[1].count, 3);
  ck_assert_double_eq(arm->size[1].s[1], 0.5);
  ck_assert_double_eq(arm->poisson, 0.5);
  ck_assert(isnan(arm->shear));
  ck_assert_double_eq(arm->viscosity, 100);
  ck_assert_int_eq(arm->basis, TD_BASIS_LEGENDRE);
  static const int order[6] = {-1, 2, -1, 0, -1, -1};
  for (int i = 0; i < 6; i++) ck_assert_int_eq(arm->order[i], order[i]);
  ck_assert_uint_eq(arm->reference.count, 2);
  ck_assert_double_eq(arm->reference.value[7], 1);
  ck_assert_int_eq(arm->quadrature_points, 6);
  ck_assert(isnan(leaf->poisson));
  ck_assert_double_eq(leaf->viscosity, 0);
  ck_assert_uint_eq(leaf->table_columns[2], 2);
  ck_assert_double_eq(leaf->table[2][4], 0.4);
  ck_assert_int_eq(leaf->order[2], 0);
  ck_assert_int_eq(leaf->order[1], -1);
  forget();
}
END_TEST

START_TEST(actuators_and_loads_are_read_in_both_spellings) {
  td_error err = {0};
  ck_assert_int_eq(read_good(&err), TD_OK);
  const td_actuator_spec *a = spec.actuators;
  ck_assert_uint_eq(spec.actuator_count, 3);
  ck_assert_uint_eq(a[0].segment_count, 1);
  ck_assert(!a[0].segments_key && a[0].joined);
  ck_assert_str_eq(a[0].segments[0].link, "arm");
  ck_assert_int_eq(a[0].segments[0].routing.type, TD_ROUTING_SUM);
  ck_assert_double_eq(a[0].segments[0].routing.of[0].tip[0], 0.005);
  ck_assert_double_eq(a[0].segments[0].routing.of[1].turns, 2);
  ck_assert(a[1].segments_key && !a[1].joined);
  ck_assert_uint_eq(a[1].segment_count, 2);
  ck_assert_double_eq(a[1].segments[0].routing.z[2], 0.004);
  ck_assert_uint_eq(a[1].segments[1].points_count, 2);
  ck_assert_double_eq(a[1].segments[1].points[3], 0.01);
  ck_assert_int_eq(a[2].type, TD_ACTUATOR_JOINT);
  ck_assert(!a[2].mode_position);
  ck_assert_int_eq(spec.loads[0].frame, TD_LOAD_BODY);
  ck_assert_double_eq(spec.loads[0].wrench[5], 3);
  ck_assert_ptr_null(spec.loads[1].name);
  ck_assert(spec.loads[1].has_channels);
  ck_assert_ptr_null(spec.loads[1].channels[0]);
  ck_assert_str_eq(spec.loads[1].channels[4], "fy");
  forget();
}
END_TEST

START_TEST(water_is_read_as_matrices_and_coefficients) {
  td_error err = {0};
  ck_assert_int_eq(read_good(&err), TD_OK);
  const td_rigid_spec *base = &spec.links[0].body.rigid, *ball = &spec.links[3].body.rigid;
  const td_rod_spec *arm = &spec.links[1].body.rod;
  for (int i = 0; i < 36; i++) {
    ck_assert_double_eq(base->drag[i], i % 7 == 0 ? i / 7 + 1 : 0);
    ck_assert_double_eq(base->added_mass[i], i == 22 || i == 27 ? 0.5 : i % 7 ? 0 : i < 21 ? 1 : 2);
    ck_assert_double_eq(ball->drag[i] + ball->added_mass[i], 0);
  }
  const double coefficients[] = {arm->cd[0], arm->cd[1], arm->cd[2],    -arm->cl[0],
                                 arm->cl[1], arm->cl[2], arm->added[0], arm->added[1]};
  for (int i = 0; i < 8; i++) ck_assert_double_eq_tol(coefficients[i], 0.1 * (i + 1), 1e-15);
  ck_assert_double_eq(spec.links[2].body.rod.cd[1], 0);
  forget();
}
END_TEST

START_TEST(contacts_and_loops_are_read_with_their_defaults) {
  td_error err = {0};
  ck_assert_int_eq(read_good(&err), TD_OK);
  const td_contact_spec *c = spec.contacts;
  ck_assert_uint_eq(spec.contact_count, 4);
  ck_assert_int_eq(c[0].type, TD_CONTACT_CYLINDER_INTERIOR);
  ck_assert_str_eq(c[0].name, "tube");
  ck_assert(c[0].radius == 0.15 && c[0].stiffness == 1e5 && c[0].exponent == 1.5 && c[0].axis[1] == -1);
  ck_assert(c[0].pose.p[2] == 1 && c[0].pose.R[4] == 1);
  ck_assert_uint_eq(c[0].link_count, 2);
  ck_assert_str_eq(c[0].links[1], "leaf");
  ck_assert(c[1].type == TD_CONTACT_PLANE && isnan(c[1].radius) && c[1].exponent == 2 && c[1].axis[2] == 1);
  ck_assert(c[0].per == TD_CONTACT_PER_POINT && c[1].per == TD_CONTACT_PER_LENGTH);
  ck_assert(c[1].name == NULL && c[1].link_count == 0);
  ck_assert(c[2].type == TD_CONTACT_SPHERE && c[2].radius == 0.1 && c[3].type == TD_CONTACT_CYLINDER_EXTERIOR);
  ck_assert(c[2].damping == 0.2 && c[2].friction == 0.5 && c[2].slip_speed == 1e-2 && c[2].anisotropy[1] == 0.3);
  ck_assert(c[0].damping == 0 && c[0].friction == 0 && c[0].slip_speed == TD_SLIP_SPEED && c[0].anisotropy[0] == 1);
  const td_loop_spec *l = spec.loops;
  ck_assert_uint_eq(spec.loop_count, 2);
  ck_assert_str_eq(l[0].name, "grip");
  ck_assert_str_eq(l[0].b.link, "world");
  ck_assert(l[0].a.pose.p[0] == 0.1 && l[0].a.at == 1 && l[0].b.pose.R[8] == 1);
  ck_assert(l[0].joint.type == TD_JOINT_HELICAL && l[0].joint.axis[0] == 1 && l[0].joint.pitch == 0.3);
  ck_assert(l[1].name == NULL && l[1].a.at == 0.25 && l[1].joint.type == TD_JOINT_SPHERICAL && l[1].joint.axis[2] == 1);
  forget();
}
END_TEST

START_TEST(the_document_builds_a_model) {
  td_model *model;
  td_error err = {0};
  json_t *doc = parse(good);
  ck_assert_msg(codec_model_build(doc, "", &model, &err) == TD_OK, "%s: %s", err.pointer, err.message);
  ck_assert_int_eq(td_model_ndof(model), 6 + 1 + 4 + 3 + 2);
  ck_assert_int_eq(td_model_channel_count(model), 3 + 2);
  td_model_destroy(model);
  json_decref(doc);
}
END_TEST

// ------------------------------------------------------------------------------------------------ broken documents

typedef struct patch {
  const char *place, *value, *pointer, *words;
  td_status status; // 0: invalid_argument
} patch;

static json_t *container_of(json_t *doc, const char *place, char last[64]) {
  char token[64];
  for (const char *p = place; *p == '/';) {
    size_t n = strcspn(p + 1, "/");
    memcpy(token, p + 1, n);
    token[n] = '\0';
    p += n + 1;
    if (*p == '\0') break;
    doc = json_is_array(doc) ? json_array_get(doc, (size_t)atoi(token)) : json_object_get(doc, token);
    ck_assert_msg(doc != NULL, "%s", place);
  }
  strcpy(last, token);
  return doc;
}

static void apply(json_t *doc, const char *place, const char *value) {
  char key[64];
  json_t *container = container_of(doc, place, key);
  if (!value)
    json_object_del(container, key);
  else if (json_is_array(container))
    json_array_set_new(container, (size_t)atoi(key), parse(value));
  else
    json_object_set_new(container, key, parse(value));
}

static void check_patch(const patch *p, const char *prefix) {
  json_t *doc = parse(good);
  apply(doc, p->place, p->value);
  td_model *model = NULL;
  td_error err = {0};
  td_status status = codec_model_build(doc, prefix, &model, &err);
  char expected[300];
  snprintf(expected, sizeof expected, "%s%s", prefix, p->pointer);
  if (status != (p->status ? p->status : TD_INVALID_ARGUMENT) || strcmp(err.pointer, expected) != 0 ||
      !strstr(err.message, p->words))
    ck_abort_msg("%s = %s: status %d at \"%s\" (not \"%s\"): %s", p->place, p->value ? p->value : "nothing",
                 (int)status, err.pointer, expected, err.message);
  ck_assert_ptr_null(model);
  json_decref(doc);
}

static const patch patches[] = {
    {"/format", NULL, "/format", "missing", 0},
    {"/format", "'tendril.model/2'", "/format", "tendril.model/1", 0},
    {"/links", NULL, "/links", "missing", 0},
    {"/links", "{}", "/links", "an array", 0},
    {"/links", "[]", "/links", "1 to", 0},
    {"/frobnicate", "1", "/frobnicate", "unknown key", 0},
    {"/a~b", "1", "/a~0b", "unknown key", 0},
    {"/gravity", "[0,0]", "/gravity", "an array of 3 numbers", 0},
    {"/gravity/1", "'x'", "/gravity/1", "expected a number, got \"x\"", 0},
    {"/gravity/1", "'15 cm'", "/gravity/1", "neither quotes nor units, they are in SI units: 0.15", 0},
    {"/gravity/1", "'90deg'", "/gravity/1", "SI units: 1.57079633", 0},
    {"/gravity/1", "'9.81 furlongs'", "/gravity/1", "they are in SI units", 0},
    {"/links/0/joint/type", "'hinge'", "/links/0/joint/type", "did you mean \"revolute\"?", 0},
    {"/gravity", "9.81", "/gravity", "expected an array of 3 numbers, got 9.81", 0},
    {"/name", "''", "/name", "empty", 0},
    {"/description", "3", "/description", "a string", 0},
    {"/fluid/density", "-1", "/fluid/density", "-1", 0},
    {"/links/0", "3", "/links/0", "an object", 0},
    {"/links/0/name", NULL, "/links/0/name", "missing", 0},
    {"/links/0/name", "7", "/links/0/name", "a string", 0},
    {"/links/0/name", "'a\\nb'", "/links/0/name", "printable", 0},
    {"/links/1/name", "'base'", "/links/1/name", "base", 0},
    {"/links/1/parent", "'nobody'", "/links/1/parent", "nobody", 0},
    {"/links/1/parent", "'ball'", "/links/1/parent", "before", 0},
    {"/links/1/at", "1.5", "/links/1/at", "1.5", 0},
    {"/links/1/joint", NULL, "/links/1/joint", "missing", 0},
    {"/links/1/joint/type", "'hinge'", "/links/1/joint/type", "\"hinge\" is none of", 0},
    {"/links/1/joint/type", "'revolute'", "/links/1/joint/pitch", "helical", 0},
    {"/links/1/joint/pitch", NULL, "/links/1/joint/pitch", "needs its pitch", 0},
    {"/links/1/joint/axis", "'w'", "/links/1/joint/axis", "\"w\"", 0},
    {"/links/1/joint/axis", "[0,0,0]", "/links/1/joint/axis", "", 0},
    {"/links/1/joint/damping", "-1", "/links/1/joint/damping", "-1", 0},
    {"/links/1/joint/damping", "[1,2]", "/links/1/joint/damping", "an array of 1 numbers", 0},
    {"/links/2/joint/stiffness", "[1,2]", "/links/2/joint/stiffness", "3 numbers", 0},
    {"/links/0/pose/rpy", "[0,0,0]", "/links/0/pose", "not both", 0},
    {"/links/0/pose/quaternion", "[0,0,0,0]", "/links/0/pose/quaternion", "norm", 0},
    {"/links/0/body/type", "'blob'", "/links/0/body/type", "\"blob\"", 0},
    {"/links/0/body/type", "'reduced'", "/links/0/body/kinematics", "missing", 0},
    {"/links/0/body/mass", "-2", "/links/0/body/mass", "-2", 0},
    {"/links/0/body/mass", NULL, "/links/0/body/mass", "missing", 0},
    {"/links/0/body/inertia", "[[1,0,0],[0,1,0]]", "/links/0/body/inertia", "3 numbers", 0},
    {"/links/0/body/inertia", "[[1,0,0],[0,1],[0,0,1]]", "/links/0/body/inertia/1", "3 numbers", 0},
    {"/links/0/body/inertia", "[[1,2,0],[2,1,0],[0,0,1]]", "/links/0/body/inertia", "semidefinite", 0},
    {"/links/0/body/hydrodynamics/drag", "[1,1,1]", "/links/0/body/hydrodynamics/drag", "6 rows of 6", 0},
    {"/links/0/body/hydrodynamics/drag/2", "'x'", "/links/0/body/hydrodynamics/drag/2", "expected a number", 0},
    {"/links/0/body/hydrodynamics/added_mass/5", "[1,1,1]", "/links/0/body/hydrodynamics/added_mass/5", "6 numbers", 0},
    {"/links/0/body/hydrodynamics/body_density", "0", "/links/0/body/hydrodynamics/body_density", "positive", 0},
    {"/links/1/body/length", "-0.5", "/links/1/body/length", "-0.5", 0},
    {"/links/1/body/length", "true", "/links/1/body/length", "true", 0},
    {"/links/1/body/hydrodynamics/cd_w", "1", "/links/1/body/hydrodynamics/cd_w", "unknown key", 0},
    {"/links/1/body/hydrodynamics/cd_x", "[1]", "/links/1/body/hydrodynamics/cd_x", "expected a number", 0},
    {"/links/1/body/section/shape", "'star'", "/links/1/body/section/shape", "star", 0},
    {"/links/1/body/section/radius", "1", "/links/1/body/section/radius", "unknown key", 0},
    {"/links/1/body/section/height", "[1,2,3]", "/links/1/body/section/height", "[base, tip]", 0},
    {"/links/1/body/section/height", "[1,-2]", "/links/1/body/section/height/1", "-2", 0},
    {"/links/1/body/section/width/s", "[0,1]", "/links/1/body/section/width/value", "has 3 entries, s has 2", 0},
    {"/links/1/body/section/width/s", "[0,0.7,0.6]", "/links/1/body/section/width/s/2", "0.6", 0},
    {"/links/1/body/section/inner_height", "0.002", "/links/1/body/section/inner_width", "a hole has inner_height", 0},
    {"/links/1/body/section/torsion_constant", "'J'", "/links/1/body/section/torsion_constant", "a number, [base, tip]",
     0},
    {"/links/1/body/section/damping", "[1,2,3]", "/links/1/body/section/damping", "6 numbers", 0},
    {"/links/1/body/section/damping", "[[1,2,3,4,5,6],[1]]", "/links/1/body/section/damping/1", "6 numbers", 0},
    {"/links/1/body/section/damping", "{'s':[0,1],'value':[[1,2,3,4,5,6]]}", "/links/1/body/section/damping/value",
     "has 1 entries", 0},
    {"/links/1/body/section/inner_radius", "0.001", "/links/1/body/section/inner_radius", "unknown key", 0},
    {"/links/1/body/section", "{'shape':'stiffness','mass_per_length':1}", "/links/1/body/material",
     "leave one of them out", 0},
    {"/links/1/body/section", "{'shape':'stiffness'}", "/links/1/body/section/mass_per_length", "missing", 0},
    {"/links/1/body/section", "{'shape':'stiffness','mass_per_length':1,'coupling':[[1,2]]}",
     "/links/1/body/section/coupling", "6 rows", 0},
    {"/links/1/body/section", "{'shape':'stiffness','mass_per_length':1,'inertia_per_length':3}",
     "/links/1/body/section/inertia_per_length", "3 numbers", 0},
    {"/links/1/body/material", NULL, "/links/1/body/material", "missing", 0},
    {"/links/1/body/material/poisson", NULL, "/links/1/body/material/poisson", "needs poisson or shear", 0},
    {"/links/1/body/material/shear", "1e5", "/links/1/body/material/shear", "not both", 0},
    {"/links/1/body/material/poisson", "0.7", "/links/1/body/material/poisson", "0.7", 0},
    {"/links/1/body/strain/basis", "'wavelet'", "/links/1/body/strain/basis", "wavelet", 0},
    {"/links/1/body/strain/order", NULL, "/links/1/body/strain/order", "missing", 0},
    {"/links/1/body/strain/order/bending_y", "1.5", "/links/1/body/strain/order/bending_y", "an integer", 0},
    {"/links/1/body/strain/order/bending_y", "-1", "/links/1/body/strain/order/bending_y", "-1", 0},
    {"/links/1/body/strain/order/bending_y", "65", "/links/1/body/strain/order/bending_y", "65", 0},
    {"/links/1/body/strain/order/twist", "1", "/links/1/body/strain/order/twist", "unknown key", 0},
    {"/links/1/body/strain/order/bending_y", "6", "/links/1/body/quadrature/points", "singular", 0},
    {"/links/1/body/strain/reference", "[0,0]", "/links/1/body/strain/reference", "6 numbers", 0},
    {"/links/1/body/quadrature/points", "0", "/links/1/body/quadrature/points", "0", 0},
    {"/links/2/body/strain/bending_z/1", "[0,1]", "/links/2/body/strain/bending_z/1", "3 numbers", 0},
    {"/links/2/body/strain/s", "[0,0.4,0.9]", "/links/2/body/strain/s/2", "0.9", 0},
    {"/links/3/body/density", NULL, "/links/3/body/density", "missing", 0},
    {"/links/3/body/mass", "1", "/links/3/body/mass", "unknown key", 0},
    {"/links/3/body/shape/type", "'cone'", "/links/3/body/shape/type", "cone", 0},
    {"/links/3/body/shape/polygon", "[[0,0],[1,0]]", "/links/3/body/shape/polygon", "3", 0},
    {"/actuators/0/link", "'nobody'", "/actuators/0/link", "nobody", 0},
    {"/actuators/0/type", "'pressure'", "/actuators/0/routing", "unknown key", 0},
    {"/actuators/0/name", NULL, "/actuators/0/name", "missing", 0},
    {"/actuators/1/name", "'c1'", "/actuators/1/name", "c1", 0},
    {"/actuators/0/routing", NULL, "/actuators/0/routing", "needs a routing", 0},
    {"/actuators/0/routing/of", "[]", "/actuators/0/routing/of", "at least one", 0},
    {"/actuators/0/routing/of/0/base", "[1,2,3]", "/actuators/0/routing/of/0/base", "2 numbers", 0},
    {"/actuators/0/segments", "[]", "/actuators/0/link", "not both", 0},
    {"/actuators/1/segments/0/routing/y", "[0]", "/actuators/1/segments/0/routing/y", "has 1 entries, s has 3", 0},
    {"/actuators/1/segments/1/points", "[]", "/actuators/1/segments/1/points", "at least one", 0},
    {"/actuators/1/joined", "1", "/actuators/1/joined", "true or false", 0},
    {"/actuators/2/link", "'ball'", "/actuators/2/link", "fixed", 0},
    {"/loads/0/wrench", NULL, "/loads/0/wrench", "needs a wrench or channels", 0},
    {"/loads/0/frame", "'tip'", "/loads/0/frame", "\"tip\"", 0},
    {"/loads/1/channels/3", "5", "/loads/1/channels/3", "a string", 0},
    {"/loads/1/channels/3", "'m'", "/loads/1/channels/3", "m", 0},
    {"/contacts", "{}", "/contacts", "an array", 0},
    {"/contacts/0/type", NULL, "/contacts/0/type", "missing", 0},
    {"/contacts/0/type", "'cube'", "/contacts/0/type", "\"cube\" is none of: cylinder_interior", 0},
    {"/contacts/0/radius", NULL, "/contacts/0/radius", "missing", 0},
    {"/contacts/1/radius", "1", "/contacts/1/radius", "unknown key", 0},
    {"/contacts/2/axis", "'z'", "/contacts/2/axis", "unknown key", 0},
    {"/contacts/2/stiffness", NULL, "/contacts/2/stiffness", "missing", 0},
    {"/contacts/2/slip_speed", "0", "/contacts/2/slip_speed", "must be positive", 0},
    {"/contacts/2/anisotropy", "[1]", "/contacts/2/anisotropy", "2 numbers", 0},
    {"/contacts/2/anisotropy", "[0,0]", "/contacts/2/anisotropy", "leaves no friction", 0},
    {"/contacts/2/anisotropy/0", "-1", "/contacts/2/anisotropy/0", "-1", 0},
    {"/contacts/2/friction", "-1", "/contacts/2/friction", "-1", 0},
    {"/contacts/0/per", "'area'", "/contacts/0/per", "\"area\" is none of: point, length", 0},
    {"/contacts/0/links", "[]", "/contacts/0/links", "at least one link", 0},
    {"/contacts/0/links/1", "3", "/contacts/0/links/1", "a string", 0},
    {"/loops/0/a", NULL, "/loops/0/a", "missing", 0},
    {"/loops/0/b", "'world'", "/loops/0/b", "an object", 0},
    {"/loops/0/b/link", NULL, "/loops/0/b/link", "missing", 0},
    {"/loops/0/joint", NULL, "/loops/0/joint", "missing", 0},
    {"/loops/0/joint/pitch", NULL, "/loops/0/joint/pitch", "needs its pitch", 0},
    {"/loops/0/joint/stiffness", "1", "/loops/0/joint/stiffness", "unknown key; known here: type, axis, pitch", 0},
    {"/loops/1/joint/type", "'weld'", "/loops/1/joint/type", "weld", 0},
    {"/loops", "{}", "/loops", "an array", 0},
};

START_TEST(whatever_is_wrong_is_named_by_its_place) {
  for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) check_patch(&patches[i], "");
}
END_TEST

START_TEST(places_of_a_nested_model_start_where_it_stands) {
  for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) check_patch(&patches[i], "/model");
}
END_TEST

static td_errors errors_of(json_t *doc) {
  td_errors all = {0};
  td_error err = {0};
  td_model *model = NULL;
  ck_assert_int_ne(codec_model_build(doc, "/model", &model, &err), TD_OK);
  codec_model_errors(doc, "/model", &all);
  ck_assert_int_gt(all.count, 0);
  ck_assert_str_eq(all.list[0].pointer, err.pointer); // the first is the one that was told before
  ck_assert_str_eq(all.list[0].message, err.message);
  return all;
}

static void put(json_t *doc, const char *place, const char *json) {
  char key[64];
  json_t *container = container_of(doc, place, key);
  json_object_set_new(container, key, json_loads(json, JSON_DECODE_ANY, NULL));
}

static void expect_errors(json_t *doc, size_t count, const char *const *pointers) {
  td_errors all = errors_of(doc);
  ck_assert_int_eq(all.count, (int)count);
  for (size_t i = 0; i < count; i++) ck_assert_str_eq(all.list[i].pointer, pointers[i]);
  json_decref(doc);
}

START_TEST(errors_of_reading_that_are_independent_are_told_at_once) {
  json_t *doc = parse(good);
  put(doc, "/links/0/joynt", "1");
  put(doc, "/links/1/body/lenght", "2"); // and not that something is missing there
  json_object_del(json_object_get(json_array_get(json_object_get(doc, "links"), 1), "body"), "length");
  put(doc, "/links/3/body/density", "\"heavy\"");
  put(doc, "/loops/0/joint/type", "\"hinge\"");
  expect_errors(doc, 4,
                (const char *[]){"/model/links/0/joynt", "/model/links/1/body/lenght", "/model/links/3/body/density",
                                 "/model/loops/0/joint/type"});
}
END_TEST

START_TEST(an_unknown_key_hides_what_is_missing_beside_it) {
  json_t *doc = parse(good), *link = json_array_get(json_object_get(doc, "links"), 0);
  json_object_set(link, "joynt", json_object_get(link, "joint"));
  json_object_del(link, "joint");
  expect_errors(doc, 1, (const char *[]){"/model/links/0/joynt"});
}
END_TEST

START_TEST(values_out_of_range_in_several_entries_are_told_at_once) {
  json_t *doc = parse(good);
  put(doc, "/links/0/body/mass", "-2");
  put(doc, "/links/1/at", "3");
  put(doc, "/actuators/0/link", "\"nobody\""); // hangs on the links: told once they are sound
  expect_errors(doc, 2, (const char *[]){"/model/links/0/body/mass", "/model/links/1/at"});
  doc = parse(good);
  put(doc, "/actuators/0/link", "\"nobody\"");
  put(doc, "/loads/0/at", "2");
  put(doc, "/contacts/1/stiffness", "-1");
  put(doc, "/contacts/2/radius", "-1");
  expect_errors(doc, 4,
                (const char *[]){"/model/actuators/0/link", "/model/loads/0/at", "/model/contacts/1/stiffness",
                                 "/model/contacts/2/radius"});
}
END_TEST

START_TEST(what_cannot_be_read_does_not_hide_values_out_of_range_elsewhere) {
  json_t *doc = parse(good);
  put(doc, "/gravity", "[0, -9.81]");
  put(doc, "/links/0/body/mass", "\"two\"");
  put(doc, "/links/1/at", "3");
  expect_errors(doc, 3, (const char *[]){"/model/gravity", "/model/links/0/body/mass", "/model/links/1/at"});
}
END_TEST

START_TEST(no_more_than_eight_errors_are_told) {
  json_t *doc = parse(good);
  for (int i = 0; i < 12; i++) {
    char key[16];
    snprintf(key, sizeof key, "odd%d", i);
    json_object_set_new(doc, key, json_true());
  }
  td_errors all = errors_of(doc);
  ck_assert_int_eq(all.count, TD_MAX_ERRORS);
  ck_assert_str_eq(all.list[7].pointer, "/model/odd7");
  json_decref(doc);
}
END_TEST

START_TEST(sums_of_routings_end_at_eight_levels) {
  char routing[2000] = "{'type':'linear','base':[0,0]}", outer[2100];
  for (int depth = 1; depth <= 9; depth++) {
    snprintf(outer, sizeof outer, "{'type':'sum','of':[%s]}", routing);
    ck_assert_uint_lt(strlen(outer), sizeof routing);
    strcpy(routing, outer);
    json_t *doc = parse(good);
    apply(doc, "/actuators/0/routing", routing);
    arena *a = arena_create();
    td_model_spec s;
    td_error err = {0};
    ck_assert_int_eq(codec_model_read(doc, "", a, &s, NULL, &err), depth <= 8 ? TD_OK : TD_INVALID_ARGUMENT);
    arena_destroy(a);
    json_decref(doc);
  }
}
END_TEST

START_TEST(text_of_megabytes_is_refused_wherever_it_stands) {
  enum { LENGTH = 10000000 };
  static const char *const places[] = {"/name", "/description", "/links/0/name", "/links/1/parent",
                                       "/actuators/0/link"};
  char *text = malloc(LENGTH + 1);
  memset(text, 'x', LENGTH);
  text[LENGTH] = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    json_t *doc = parse(good);
    char key[64];
    td_model *model = NULL;
    td_error err = {0};
    json_object_set_new(container_of(doc, places[i], key), key, json_string(text));
    ck_assert_int_eq(codec_model_build(doc, "", &model, &err), TD_INVALID_ARGUMENT);
    ck_assert_str_eq(err.pointer, places[i]);
    json_decref(doc);
  }
  free(text);
}
END_TEST

START_TEST(no_memory_is_said_and_nothing_leaks) {
  json_t *doc = parse(good);
  for (size_t limit = 0; limit < 20000; limit += 256) {
    arena *a = arena_create_limited(limit);
    td_model_spec s;
    td_error err = {0};
    td_status status = codec_model_read(doc, "", a, &s, NULL, &err);
    ck_assert(status == TD_OK || status == TD_NO_MEMORY);
    arena_destroy(a);
  }
  json_decref(doc);
}
END_TEST

TEST_MAIN("codec_model", every_value_arrives_at_its_place, rods_are_read_with_section_material_and_strain,
          actuators_and_loads_are_read_in_both_spellings, water_is_read_as_matrices_and_coefficients,
          contacts_and_loops_are_read_with_their_defaults, the_document_builds_a_model,
          whatever_is_wrong_is_named_by_its_place, places_of_a_nested_model_start_where_it_stands,
          errors_of_reading_that_are_independent_are_told_at_once, an_unknown_key_hides_what_is_missing_beside_it,
          values_out_of_range_in_several_entries_are_told_at_once,
          what_cannot_be_read_does_not_hide_values_out_of_range_elsewhere, no_more_than_eight_errors_are_told,
          sums_of_routings_end_at_eight_levels, text_of_megabytes_is_refused_wherever_it_stands,
          no_memory_is_said_and_nothing_leaks)
