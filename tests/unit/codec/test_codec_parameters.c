// Parameters: which numbers a list of places stands for, what they are called, why others are refused, and documents
// with one of them moved.
#include "codec/document/job/job.h"
#include "codec/document/model/model.h"
#include "codec/document/parameters/parameters.h"
#include "codec/document/parameters/table.h"
#include "codec/json/place.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char robot[] =
    "{'format':'tendril.model/1','gravity':[0,0,-9.81],'links':["
    "{'name':'arm','pose':{'quaternion':[2,0,0,0]},'joint':{'type':'universal','axis':[0,0,1]},'body':{'type':'rod',"
    "'length':0.5,'section':{'shape':'circle','radius':{'s':[0,0.4,1],'value':[0.02,0.015,0.01]}},"
    "'material':{'young':1000000,'poisson':0.5,'density':1000},"
    "'strain':{'basis':'legendre','order':{'bending_y':2}},'quadrature':{'points':6}}},"
    "{'name':'hand','parent':'arm','joint':{'type':'revolute','damping':0},'body':{'type':'rigid','mass':0.2,"
    "'inertia':[[0.01,0.001,0],[0.001,0.01,0],[0,0,0.01]]}}],"
    "'actuators':[{'name':'cable','type':'tendon','link':'arm','routing':{'type':'sum','of':["
    "{'type':'linear','base':[0,0.01]},{'type':'helix','radius':0,'turns':1}]}},"
    "{'name':'motor','type':'joint','link':'hand','mode':'force'}]}";

static json_t *parsed(const char *text) {
  char copy[2048];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *p = copy; *p; p++)
    if (*p == '\'') *p = '"';
  json_t *json = json_loads(copy, JSON_DECODE_ANY, NULL);
  ck_assert_msg(json != NULL, "%s", text);
  return json;
}

typedef struct reading {
  json_t *document, *job, *text;
  arena *memory;
  parameter_list list;
  parameter_set set;
  td_error err;
  td_status status;
} reading;

static reading read_places_of(const char *job, const char *text) {
  reading x = {.document = parsed(robot), .text = parsed(text), .memory = arena_create()};
  reader r = {.memory = x.memory, .err = &x.err};
  codec_pointer_init(&r.at, "/parameters");
  if (job) x.job = parsed(job);
  x.status = (job ? codec_parameters_read_of_job : codec_parameters_read)(&r, x.text, &x.list);
  if (x.status == TD_OK) x.status = codec_parameters_resolve(&x.list, x.document, x.job, x.memory, &x.set, &x.err);
  return x;
}

static reading read_places(const char *text) { return read_places_of(NULL, text); }

static reading resolved(const char *text) {
  reading x = read_places(text);
  ck_assert_msg(x.status == TD_OK, "%s: %s %s", text, x.err.pointer, x.err.message);
  return x;
}

static void forget(reading *x) {
  json_decref(x->document);
  json_decref(x->job);
  json_decref(x->text);
  arena_destroy(x->memory);
}

START_TEST(a_number_of_several_places_moves_at_all_of_them) {
  static const char *const sum = "/actuators/0/routing/of";
  reading x = {.document = parsed(robot), .memory = arena_create()};
  json_t *second = json_deep_copy(json_array_get(json_place_find(x.document, sum), 0));
  json_array_append_new(json_place_find(x.document, sum), second);
  x.text = parsed("[{'paths':['/model/actuators/0/routing/of/0/base','/model/actuators/0/routing/of/2/base'],"
                  "'name':'base'},'/model/links/0/body/length']");
  reader r = {.memory = x.memory, .err = &x.err};
  codec_pointer_init(&r.at, "/parameters");
  ck_assert_int_eq(codec_parameters_read(&r, x.text, &x.list), TD_OK);
  x.status = codec_parameters_resolve(&x.list, x.document, NULL, x.memory, &x.set, &x.err);
  ck_assert_msg(x.status == TD_OK, "%s %s", x.err.pointer, x.err.message);
  ck_assert_uint_eq(x.set.count, 3);
  ck_assert_uint_eq(x.set.twin_count, 2);
  ck_assert(codec_parameters_move(&x.set, x.document, 1, 0.5));
  ck_assert_double_eq(json_number_value(json_place_find(x.document, "/actuators/0/routing/of/0/base/1")), 0.5);
  ck_assert_double_eq(json_number_value(json_place_find(x.document, "/actuators/0/routing/of/2/base/1")), 0.5);
  ck_assert(codec_parameters_restore(&x.set, x.document, 1));
  ck_assert_double_eq(json_number_value(json_place_find(x.document, "/actuators/0/routing/of/2/base/1")), 0.01);
  forget(&x);
}
END_TEST

START_TEST(places_that_cannot_share_a_number_are_refused) {
  static const struct {
    const char *text, *pointer, *says;
  } bad[] = {
      {"[{'paths':['/model/links/0/body/length','/model/links/1/body/mass']}]", "/parameters/0/paths/1", "is in m,"},
      {"[{'paths':['/model/links/0/body/length','/model/links/0/body/section/radius/value/0']}]",
       "/parameters/0/paths/1", "is 0.5, /model/links/0/body/section/radius/value/0 is 0.02"},
      {"[{'paths':['/model/gravity','/model/links/0/body/length']}]", "/parameters/0/paths/1", "holds 1 numbers"},
      {"[{'paths':['/model/gravity/0','/model/gravity/0']}]", "/parameters/0", "a parameter twice"},
      {"['/model/gravity/1',{'paths':['/model/gravity/0','/model/gravity/1']}]", "/parameters/1", "a parameter twice"},
      {"[{'paths':['/model/links/1/body/inertia/0/1','/model/links/1/body/inertia/1/0']}]", "/parameters/0/paths/1",
       "symmetric"},
      {"[{'paths':[]}]", "/parameters/0/paths", "has 0"},
      {"[{'path':'/model/gravity/0','paths':['/model/gravity/1']}]", "/parameters/0/paths", "not both"},
      {"[{'name':'none'}]", "/parameters/0/path", "missing"},
      {"[{'paths':['/model/gravity/0','/job/inputs/cable']}]", "/parameters/0/paths/1", "no job"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    reading x = read_places(bad[i].text);
    ck_assert_int_ne(x.status, TD_OK);
    ck_assert_str_eq(x.err.pointer, bad[i].pointer);
    ck_assert_msg(strstr(x.err.message, bad[i].says) != NULL, "%s: %s", bad[i].text, x.err.message);
    forget(&x);
  }
}
END_TEST

START_TEST(an_array_stands_for_its_numbers_in_order) {
  static const struct {
    const char *name, *path;
    double value;
  } expected[] = {{"size[0]", "/model/links/0/body/section/radius/value/0", 0.02},
                  {"size[1]", "/model/links/0/body/section/radius/value/1", 0.015},
                  {"size[2]", "/model/links/0/body/section/radius/value/2", 0.01},
                  {"/model/gravity/0", "/model/gravity/0", 0},
                  {"/model/gravity/1", "/model/gravity/1", 0},
                  {"/model/gravity/2", "/model/gravity/2", -9.81},
                  {"E", "/model/links/0/body/material/young", 1e6}};
  reading x = resolved("[{'path':'/model/links/0/body/section/radius/value','name':'size'},'/model/gravity',"
                       "{'path':'/model/links/0/body/material/young','name':'E'}]");
  ck_assert_uint_eq(x.set.count, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < x.set.count; i++) {
    char name[TD_POINTER_SIZE];
    codec_parameter_name(&x.list, &x.set, i, name);
    ck_assert_str_eq(name, expected[i].name);
    ck_assert_str_eq(x.set.number[i].name, expected[i].path);
    ck_assert_double_eq(x.set.number[i].value, expected[i].value);
    ck_assert(x.set.number[i].scale > 0);
  }
  ck_assert(x.set.number[3].linear && x.set.number[6].linear && !x.set.number[0].linear);
  forget(&x);
}
END_TEST

START_TEST(a_place_that_is_none_is_refused_with_the_reason) {
  static const struct {
    const char *list, *pointer, *message;
  } cases[] = {
      {"['/model/gravity','/model/links/0/body/strain/order/bending_y']", "/parameters/1", "an order is a count"},
      {"['/model/links/0/body/quadrature']", "/parameters/0", "is an object"},
      {"['/model/links/0/body/quadrature/points']", "/parameters/0", "number of points is a count"},
      {"['/model/links/0/name']", "/parameters/0", "is a text"},
      {"['/model/links/1/joint/rest']", "/parameters/0", "leaves to a default"},
      {"['/model/links/2/body/mass']", "/parameters/0", "nothing at"},
      {"['/model/links/00/body/length']", "/parameters/0", "nothing at"},
      {"['/model/links/-/body/length']", "/parameters/0", "nothing at"},
      {"['/model/links/0/body/section/radius/s/0']", "/parameters/0", "first and the last knot"},
      {"['/model/links/0/body/section/radius']", "/parameters/0", "is an object"},
      {"['/model/links/0/joint/axis']", "/parameters/0", "directions normal to it jump"},
      {"['/model']", "/parameters/0", "is an object"},
      {"['/model/']", "/parameters/0", "nothing at"},
      {"['/model/links/0/body/length/0']", "/parameters/0", "nothing at"},
      {"['/model/gravity','/model/gravity/1']", "/parameters/1", "is a parameter twice: /parameters/0"},
      {"['/model/gravity/1','/model/gravity']", "/parameters/1", "is a parameter twice: /parameters/0"},
      {"['/modelgravity']", "/parameters/0", "is no place"},
      {"['/job/t_end']", "/parameters/0", "no meaning here"},
      {"['']", "/parameters/0", "is no place"},
      {"[{'path':'/model/gravity','name':''}]", "/parameters/0/name", "must not be empty"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reading x = read_places(cases[i].list);
    ck_assert_msg(x.status == TD_INVALID_ARGUMENT, "%s", cases[i].list);
    ck_assert_msg(strcmp(x.err.pointer, cases[i].pointer) == 0, "%s: %s", cases[i].list, x.err.pointer);
    ck_assert_msg(strstr(x.err.message, cases[i].message) != NULL, "%s: %s", cases[i].list, x.err.message);
    forget(&x);
  }
}
END_TEST

// However long the list or its strings.
START_TEST(hostile_lists_are_refused_before_they_cost_anything) {
  json_t *many = json_array(), *deep = json_array();
  char *path = malloc(70000);
  for (size_t i = 0; i < CODEC_MAX_PARAMETERS + 1; i++) json_array_append_new(many, json_string("/model/gravity"));
  snprintf(path, 8, "%s", "/model");
  for (size_t i = 6; i + 2 < 70000; i += 2) memcpy(path + i, "/~", 3);
  for (char *p = path; *p; p++)
    if (*p == '~') *p = 'x';
  json_array_append_new(deep, json_string(path));
  for (int k = 0; k < 2; k++) {
    reading x = {.document = parsed(robot), .memory = arena_create()};
    reader r = {.memory = x.memory, .err = &x.err};
    x.status = codec_parameters_read(&r, k ? deep : many, &x.list);
    if (x.status == TD_OK) x.status = codec_parameters_resolve(&x.list, x.document, NULL, x.memory, &x.set, &x.err);
    ck_assert_int_eq(x.status, k ? TD_INVALID_ARGUMENT : TD_LIMIT);
    ck_assert(x.err.message[0]);
    json_decref(x.document);
    arena_destroy(x.memory);
  }
  json_decref(many);
  json_decref(deep);
  free(path);
}
END_TEST

START_TEST(an_array_of_too_many_numbers_is_refused) {
  json_t *document = json_pack("{s:[]}", "gravity"), *list = json_pack("[s]", "/model/gravity");
  for (size_t i = 0; i < CODEC_MAX_PARAMETERS + 1; i++)
    json_array_append_new(json_object_get(document, "gravity"), json_real(1));
  arena *memory = arena_create();
  td_error err = {0};
  reader r = {.memory = memory, .err = &err};
  parameter_list read;
  parameter_set set;
  ck_assert_int_eq(codec_parameters_read(&r, list, &read), TD_OK);
  ck_assert_int_eq(codec_parameters_resolve(&read, document, NULL, memory, &set, &err), TD_LIMIT);
  ck_assert_str_eq(err.pointer, "/parameters/0");
  json_decref(document);
  json_decref(list);
  arena_destroy(memory);
}
END_TEST

START_TEST(scales_and_bounds_follow_the_number) {
  reading x = resolved("['/model/links/0/body/section/radius/s/1','/model/links/0/body/material/poisson',"
                       "'/model/links/1/joint/damping','/model/actuators/0/routing/of/1/radius',"
                       "'/model/links/0/pose/quaternion/1','/model/actuators/0/routing/of/0/base/0']");
  const td_parameter *knot = &x.set.number[0], *poisson = knot + 1, *damping = knot + 2, *radius = knot + 3;
  ck_assert_double_eq(knot->lower, 0);
  ck_assert_double_eq(knot->upper, 1);
  ck_assert_double_eq_tol(knot->scale, 0.4 / 4, 1e-15);
  ck_assert_double_eq(poisson->upper, 0.5);
  ck_assert(damping->linear && damping->scale > 0);
  ck_assert_double_eq(damping->lower, 0);
  ck_assert_double_eq_tol(radius->scale, 0.05 * 0.5, 1e-15); // nothing beside it: a twentieth of the robot
  ck_assert_double_eq(knot[4].scale, 2. / 4);                // the quaternion's own size
  ck_assert_double_eq_tol(knot[5].scale, 0.05 * 0.5, 1e-15);
  forget(&x);
}
END_TEST

START_TEST(a_moved_document_differs_in_one_number_and_comes_back) {
  reading x = resolved("['/model/links/0/body/length','/model/links/0/body/material/young']");
  json_t *before = json_deep_copy(x.document);
  td_error err = {0};
  for (size_t i = 0; i < x.set.count; i++) {
    td_model *model = NULL;
    ck_assert(codec_parameters_move(&x.set, x.document, i, 0.75 * (double)(i + 1)));
    json_t *moved = json_place_find(x.document, x.set.number[i].name + strlen("/model"));
    ck_assert_double_eq(json_real_value(moved), 0.75 * (double)(i + 1));
    ck_assert_msg(codec_model_build(x.document, "", &model, &err) == TD_OK, "%s", err.message);
    ck_assert(codec_parameters_restore(&x.set, x.document, i));
    td_model_destroy(model);
  }
  json_t *young = json_place_find(before, "/links/0/body/material/young"); // 1000000 came back as 1e6
  ck_assert_double_eq(json_number_value(young), 1e6);
  json_t *as_real = json_real(1e6);
  ck_assert(json_place_put(before, "/links/0/body/material/young", as_real));
  json_decref(as_real);
  ck_assert(json_equal(before, x.document));
  json_decref(before);
  forget(&x);
}
END_TEST

// An inertia that is not symmetric is none: half of what one entry changes by is taken by the other.
START_TEST(what_mirrors_an_entry_of_a_symmetric_matrix_moves_along) {
  reading x = resolved("['/model/links/1/body/inertia']");
  ck_assert_uint_eq(x.set.count, 9);
  ck_assert(codec_parameters_move(&x.set, x.document, 1, 0.003));
  ck_assert_double_eq_tol(json_number_value(json_place_find(x.document, "/links/1/body/inertia/0/1")), 0.002, 1e-18);
  ck_assert_double_eq_tol(json_number_value(json_place_find(x.document, "/links/1/body/inertia/1/0")), 0.002, 1e-18);
  ck_assert(codec_parameters_restore(&x.set, x.document, 1));
  ck_assert_double_eq(json_number_value(json_place_find(x.document, "/links/1/body/inertia/1/0")), 0.001);
  ck_assert(codec_parameters_move(&x.set, x.document, 4, 0.02));
  ck_assert_double_eq(json_number_value(json_place_find(x.document, "/links/1/body/inertia/1/1")), 0.02);
  forget(&x);
}
END_TEST

static const char run[] =
    "{'kind':'dynamics','t_end':2,'initial':{'q':[0.5,1,2],'qd':[3,0,4]},'inputs':{'motor':7,'a/b':{'type':'product',"
    "'of':[{'type':'sine','offset':5,'amplitude':4,'frequency':0.5,'phase':1},{'type':'sum','of':[2,{'type':'constant',"
    "'value':9}]}]},'steps':{'type':'steps','t':[0,2,5],'value':[0,8,3]},'ramp':{'type':'ramp','t':[0,1],'value':[2,3]}"
    ","
    "'poly':{'type':'polynomial','coefficients':[1,2]},'curve':{'type':'table','t':[0,1,2],'value':[0,1,0],"
    "'interpolation':'spline'},'table':{'type':'table','t':[0,1,3],'value':[0,6,0]}},'output':{'dt':0.1},"
    "'integrator':{'h':0.01}}";
static const char controlled[] =
    "{'kind':'dynamics','t_end':2,'controller':[{'type':'pd_plus','channels':['a','b'],'kp':[1,2],'kd':3,'reference':{"
    "'space':'tendon','t':[0,1],'value':[[4,5],[6,7]]}},{'type':'feed_forward','channels':['c'],'reference':{'t':[0,1],"
    "'value':[8,9]}}]}";
static const char one_controller[] =
    "{'kind':'dynamics','t_end':2,'controller':{'type':'pd_plus','channels':['a'],'kp':1,'kd':[3],'reference':{"
    "'space':'tendon','t':[0,1],'value':[6,7]}}}";
static const char equilibria[] =
    "{'kind':'statics','initial':{'q':[1,2]},'inputs':{'motor':[7,8],'cable':3,'x':{'type':'constant','value':2}}}";
static const char points[] = "{'kind':'linearize','at':{'q':[1,2],'qd':[0,3]},'inputs':{'motor':7}}";

// The value that the document has there, and the value in what was read from it.
static void leads_to_its_number(const char *document, const char *places) {
  reading x = read_places_of(document, places);
  job_document job;
  ck_assert_msg(x.status == TD_OK, "%s: %s", x.err.pointer, x.err.message);
  ck_assert_msg(codec_job_read_local(x.job, "", x.memory, &job, &x.err) == TD_OK, "%s", x.err.message);
  for (size_t i = 0; i < x.set.count; i++) {
    const double *number = codec_job_number(&job, x.set.number[i].name);
    ck_assert(codec_parameter_is_of_job(&x.set, i));
    ck_assert_msg(number && *number == x.set.number[i].value, "%s", x.set.number[i].name);
    for (size_t j = 0; j < i; j++) ck_assert_ptr_ne(number, codec_job_number(&job, x.set.number[j].name));
  }
  forget(&x);
}

START_TEST(a_place_in_a_job_leads_to_the_number_that_was_read_from_it) {
  leads_to_its_number(run, "['/job/initial/q','/job/initial/qd','/job/inputs/motor','/job/inputs/a~1b/of/0/offset',"
                           "'/job/inputs/a~1b/of/0/amplitude','/job/inputs/a~1b/of/0/frequency',"
                           "'/job/inputs/a~1b/of/0/phase','/job/inputs/a~1b/of/1/of/0',"
                           "'/job/inputs/a~1b/of/1/of/1/value','/job/inputs/steps/value','/job/inputs/ramp/value',"
                           "'/job/inputs/poly/coefficients','/job/inputs/curve/value','/job/inputs/table/value']");
  leads_to_its_number(equilibria, "['/job/inputs/motor','/job/inputs/cable','/job/inputs/x/value']");
  leads_to_its_number(controlled, "['/job/controller/0/kp','/job/controller/0/kd','/job/controller/0/reference/value',"
                                  "'/job/controller/1/reference/value/1']");
  leads_to_its_number(one_controller, "['/job/controller/kp','/job/controller/kd','/job/controller/reference/value']");
  leads_to_its_number(points, "['/job/at/q','/job/at/qd/1','/job/inputs/motor']");
}
END_TEST

START_TEST(a_place_in_a_job_that_is_none_is_refused_with_the_reason) {
  static const struct {
    const char *job, *list, *pointer, *message;
  } cases[] = {
      {run, "['/model/gravity','/job/inputs/steps/t/1']", "/parameters/1",
       "/job/inputs/steps/t/1 cannot be a parameter: "
       "steps of a run end where its inputs jump or bend"},
      {run, "['/job/inputs/ramp/t']", "/parameters/0", "derivatives hold the steps"},
      {run, "['/job/inputs/a~1b/of/0/amplitude','/job/inputs/table/t/1']", "/parameters/1",
       "values at these times are parameters"},
      {run, "['/job/inputs/curve/t']", "/parameters/0", "derivatives hold the steps"},
      {run, "['/job/t_end']", "/parameters/0", "until when the run goes"},
      {run, "['/job/output/dt']", "/parameters/0", "when the run is looked at"},
      {run, "['/job/integrator/h']", "/parameters/0", "an option of the integrator"},
      {run, "['/job/integrator/rtol']", "/parameters/0",
       "nothing at /job/integrator/rtol; there is \"h\"; what it leaves to a default has to be written into it"},
      {run, "['/job/kind']", "/parameters/0", "is a text"},
      {run, "['/job/inputs/curve/interpolation']", "/parameters/0", "is a text"},
      {run, "['/job/inputs/a~1b']", "/parameters/0", "is an object"},
      {run, "['/job/initial/q/7']", "/parameters/0", "the job has nothing at"},
      {run, "['/job/model/gravity']", "/parameters/0", "places of the model begin with /model"},
      {run, "['/job/inputs/motor','/job/inputs/motor']", "/parameters/1", "is a parameter twice: /parameters/0"},
      {run, "['/jobs/t_end']", "/parameters/0", "is no place in the model or the job"},
      {controlled, "['/job/controller/0/reference/t/1']", "/parameters/0", "times of references"},
      {equilibria, "['/job/initial/q/0']", "/parameters/0", "does not depend on the first guess"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reading x = read_places_of(cases[i].job, cases[i].list);
    ck_assert_msg(x.status == TD_INVALID_ARGUMENT, "%s", cases[i].list);
    ck_assert_msg(strcmp(x.err.pointer, cases[i].pointer) == 0, "%s: %s", cases[i].list, x.err.pointer);
    ck_assert_msg(strstr(x.err.message, cases[i].message) != NULL, "%s: %s", cases[i].list, x.err.message);
    forget(&x);
  }
}
END_TEST

START_TEST(the_numbers_of_the_model_are_told_from_those_of_the_job) {
  reading x =
      read_places_of(run, "['/job/inputs/motor','/model/gravity','/job/initial/q/1','/model/links/1/body/mass']");
  parameter_set own;
  size_t *which;
  ck_assert_int_eq(x.status, TD_OK);
  ck_assert(codec_parameters_of_model(&x.set, x.memory, &own, &which));
  ck_assert_uint_eq(own.count, 4);
  for (size_t i = 0; i < own.count; i++) ck_assert_uint_eq(which[i], i < 3 ? 1 + i : 5);
  ck_assert_str_eq(own.number[3].name, "/model/links/1/body/mass");
  ck_assert(codec_parameters_move(&x.set, x.job, 4, 0.25));
  ck_assert_double_eq(json_real_value(json_place_find(x.job, "/initial/q/1")), 0.25);
  ck_assert(codec_parameters_restore(&x.set, x.job, 4));
  ck_assert_double_eq(json_real_value(json_place_find(x.job, "/initial/q/1")), 1);
  forget(&x);
}
END_TEST

START_TEST(a_pattern_fits_whole_tokens_only) {
  ck_assert_str_eq(parameter_row_find("/links/3/body/length")->pattern, "/links/*/body/length");
  ck_assert_str_eq(parameter_row_find("/loops/0/a/pose/rpy/2")->pattern, "/**/pose/rpy/*");
  ck_assert_ptr_null(parameter_row_find("/links/3/body/lengths"));
  ck_assert_ptr_null(parameter_row_find("/links/3/body"));
  ck_assert_ptr_null(parameter_row_find(""));
  ck_assert_ptr_null(parameter_row_find("/links/3/body/length/0"));
}
END_TEST

TEST_MAIN("codec_parameters", an_array_stands_for_its_numbers_in_order, a_number_of_several_places_moves_at_all_of_them,
          places_that_cannot_share_a_number_are_refused, a_place_that_is_none_is_refused_with_the_reason,
          hostile_lists_are_refused_before_they_cost_anything, an_array_of_too_many_numbers_is_refused,
          scales_and_bounds_follow_the_number, a_moved_document_differs_in_one_number_and_comes_back,
          what_mirrors_an_entry_of_a_symmetric_matrix_moves_along,
          a_place_in_a_job_leads_to_the_number_that_was_read_from_it,
          a_place_in_a_job_that_is_none_is_refused_with_the_reason,
          the_numbers_of_the_model_are_told_from_those_of_the_job, a_pattern_fits_whole_tokens_only)
