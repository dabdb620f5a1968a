// The job document: what is read, and the place of whatever is refused.
#include "codec/document/job/job.h"
#include "codec/json/text.h"
#include "support/model_file.h"
#include "support/suite.h"
#include <stdio.h>
#include <string.h>

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

typedef struct reading {
  json_t *doc;
  arena *memory;
  job_document job;
  td_error err;
  td_status status;
} reading;

static reading read_job(const char *text) {
  reading r = {.doc = parse(text), .memory = arena_create()};
  r.status = codec_job_read(r.doc, "", r.memory, &r.job, &r.err);
  return r;
}

static void forget(reading *r) {
  json_decref(r->doc);
  arena_destroy(r->memory);
}

static const char full[] =
    "{'model':'cdm@3','kind':'dynamics','t_end':10,'initial':{'q':[0,1],'qd':[2,3]},'inputs':{"
    "'a':{'type':'sine','offset':5,'amplitude':4,'frequency':0.5,'phase':1},'b':{'type':'steps','t':[0,2,5],'value':[0,"
    "8,3]},"
    "'c':{'type':'ramp','t':[0,1],'value':[2,3]},'d':{'type':'polynomial','coefficients':[1,2]},"
    "'e':{'type':'table','t':[0,1,2],'value':[0,1,0],'interpolation':'spline'},"
    "'f':{'type':'product','of':[2,{'type':'sum','of':[{'type':'constant','value':1},3]}]},'g':7},"
    "'integrator':{'method':'newmark','h':0.001,'gamma':0.6,'beta':0.3,'derivatives':'finite_difference','rtol':1e-3},"
    "'output':{'dt':0.01,'fields':['q','poses:arm@1']},'labels':{'study':'a'},'priority':-5,'max_wall_s':60}";

START_TEST(every_value_of_a_dynamics_job_arrives) {
  reading r = read_job(full);
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  const td_dynamics_spec *d = &r.job.dynamics;
  ck_assert_int_eq(r.job.kind, JOB_DYNAMICS);
  ck_assert_str_eq(r.job.model_name, "cdm");
  ck_assert_int_eq(r.job.model_revision, 3);
  ck_assert_ptr_null(r.job.model);
  ck_assert_int_eq(r.job.priority, -5);
  ck_assert_double_eq(r.job.max_wall_s, 60);
  ck_assert_str_eq(json_string_value(json_object_get(r.job.labels, "study")), "a");
  ck_assert_double_eq(d->t_end, 10);
  ck_assert_int_eq(d->initial, TD_INITIAL_ARRAY);
  ck_assert_uint_eq(d->qd_count, 2);
  ck_assert_double_eq(d->qd[1], 3);
  ck_assert_int_eq(d->integrator.method, TD_METHOD_NEWMARK);
  ck_assert_double_eq(d->integrator.h, 0.001);
  ck_assert_double_eq(d->integrator.gamma, 0.6);
  ck_assert_double_eq(d->integrator.beta, 0.3);
  ck_assert_double_eq(d->integrator.rtol, 1e-3);
  ck_assert(d->integrator.finite_difference);
  ck_assert_double_eq(d->output_dt, 0.01);
  ck_assert_uint_eq(d->field_count, 2);
  ck_assert_str_eq(d->fields[1], "poses:arm@1");
  forget(&r);
}
END_TEST

START_TEST(the_words_of_constrained_integration_arrive) {
  reading r = read_job("{'model':'cdm','kind':'dynamics','t_end':1,'integrator':{'method':'generalized_alpha',"
                       "'rho_inf':0.7,'alpha':-0.2,'adaptive':true,'formulation':'index3','baumgarte':0.03}}");
  const td_integrator_spec *i = &r.job.dynamics.integrator;
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  ck_assert_int_eq(i->method, TD_METHOD_GENERALIZED_ALPHA);
  ck_assert_int_eq(i->formulation, TD_FORMULATION_INDEX3);
  ck_assert(i->rho_inf == 0.7 && i->alpha == -0.2 && i->adaptive && i->baumgarte == 0.03);
  forget(&r);
}
END_TEST

START_TEST(signals_of_every_type_are_read) {
  reading r = read_job(full);
  const td_input_spec *in = r.job.dynamics.inputs;
  ck_assert_uint_eq(r.job.dynamics.input_count, 7);
  static const td_signal_type types[] = {TD_SIGNAL_SINE,  TD_SIGNAL_STEPS,   TD_SIGNAL_RAMP,    TD_SIGNAL_POLYNOMIAL,
                                         TD_SIGNAL_TABLE, TD_SIGNAL_PRODUCT, TD_SIGNAL_CONSTANT};
  for (int i = 0; i < 7; i++) {
    ck_assert_int_eq(in[i].channel[0], 'a' + i);
    ck_assert_int_eq(in[i].signal.type, types[i]);
  }
  ck_assert_double_eq(in[0].signal.offset, 5);
  ck_assert_double_eq(in[0].signal.phase, 1);
  ck_assert_double_eq(in[1].signal.value[1], 8);
  ck_assert_uint_eq(in[3].signal.count, 2);
  ck_assert(in[4].signal.spline);
  ck_assert_uint_eq(in[5].signal.of_count, 2);
  ck_assert_double_eq(in[5].signal.of[1].of[1].offset, 3);
  ck_assert_double_eq(in[6].signal.offset, 7);
  forget(&r);
}
END_TEST

START_TEST(a_short_job_gets_the_documented_defaults) {
  reading r = read_job("{'model':{'format':'tendril.model/1'},'kind':'dynamics','t_end':2}");
  td_integrator_spec defaults;
  td_integrator_defaults(&defaults);
  ck_assert_int_eq(r.status, TD_OK);
  ck_assert_ptr_nonnull(r.job.model);
  ck_assert_ptr_null(r.job.model_name);
  ck_assert_int_eq(r.job.dynamics.initial, TD_INITIAL_ZERO);
  ck_assert_double_eq(r.job.dynamics.output_dt, 0.02);
  ck_assert_uint_eq(r.job.dynamics.field_count, 2);
  ck_assert_int_eq(r.job.dynamics.integrator.method, defaults.method);
  ck_assert_double_eq(r.job.dynamics.integrator.rtol, defaults.rtol);
  forget(&r);
}
END_TEST

START_TEST(statics_takes_numbers_and_lists) {
  reading r =
      read_job("{'model':'cdm','kind':'statics','inputs':{'a':[1,2,3],'b':4,'c':{'type':'constant','value':5}}}");
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  const td_input_spec *in = r.job.statics.inputs;
  ck_assert_uint_eq(in[0].list_count, 3);
  ck_assert_double_eq(in[0].list[2], 3);
  ck_assert_ptr_null(in[1].list);
  ck_assert_double_eq(in[1].signal.offset, 4);
  ck_assert_double_eq(in[2].signal.offset, 5);
  forget(&r);
}
END_TEST

START_TEST(a_path_of_equilibria_has_a_channel_and_defaults) {
  reading r = read_job("{'model':'cdm','kind':'statics','continuation':{'channel':'a'}}");
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  const td_continuation_spec *c = &r.job.statics.continuation;
  ck_assert_str_eq(c->channel, "a");
  ck_assert(c->steps == 100 && !c->bounded);
  ck_assert_double_eq(c->ds, TD_CONTINUATION_DS);
  forget(&r);
  r = read_job("{'model':'cdm','kind':'statics','continuation':{'channel':'a','steps':7,'follow':'arc_length','to':-3,"
               "'ds':0.2}}");
  c = &r.job.statics.continuation;
  ck_assert(r.status == TD_OK && c->steps == 7 && c->bounded);
  ck_assert_double_eq(c->to, -3);
  ck_assert_double_eq(c->ds, 0.2);
  forget(&r);
}
END_TEST

#define DYNAMICS "{'model':'cdm','kind':'dynamics','t_end':1,"
START_TEST(linearisations_are_at_an_equilibrium_a_state_or_times) {
  reading r = read_job("{'model':'cdm','kind':'linearize','at':'equilibrium','inputs':{'a':3}}");
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  ck_assert(r.job.kind == JOB_LINEARIZE && r.job.linearize.at == TD_AT_EQUILIBRIUM);
  ck_assert_double_eq(r.job.linearize.run.inputs[0].signal.offset, 3);
  forget(&r);
  r = read_job("{'model':'cdm','kind':'linearize','at':{'q':[1,2],'qd':[3,4]},'integrator':{'baumgarte':0.5}}");
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  ck_assert(r.job.linearize.at == TD_AT_STATE && r.job.linearize.q_count == 2 && r.job.linearize.qd[1] == 4);
  ck_assert_double_eq(r.job.linearize.run.integrator.baumgarte, 0.5);
  forget(&r);
  r = read_job("{'model':'cdm','kind':'linearize','at':{'times':[0,1]},'initial':{'q':'equilibrium'}}");
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  ck_assert(r.job.linearize.at == TD_AT_TIMES && r.job.linearize.time_count == 2);
  ck_assert_int_eq(r.job.linearize.run.initial, TD_INITIAL_EQUILIBRIUM);
  forget(&r);
}
END_TEST

START_TEST(controllers_are_read_one_or_several) {
  reading r =
      read_job(DYNAMICS "'controller':{'type':'computed_torque','channels':['a','b'],'kp':4,'kd':[2,3],'from':1,"
                        "'reference':{'space':'joint','t':[0,2],'value':[[0,1],[2,3]],'interpolation':'spline'}}}");
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  const td_controller_spec *c = r.job.dynamics.controllers;
  ck_assert(r.job.dynamics.controller_count == 1 && !r.job.dynamics.controller_list);
  ck_assert(c->type == TD_CONTROLLER_COMPUTED_TORQUE && c->channel_count == 2 && !strcmp(c->channels[1], "b"));
  ck_assert(c->kp_count == 1 && c->kp[0] == 4 && c->kd_count == 2 && c->kd[1] == 3 && c->from == 1 && c->until == 0);
  ck_assert(c->reference.space == TD_SPACE_JOINT && c->reference.interpolation == TD_INTERPOLATION_SPLINE);
  ck_assert(c->reference.knots == 2 && c->reference.rows == 2 && c->reference.width == 2 && c->reference.value[2] == 2);
  forget(&r);
  r = read_job(DYNAMICS "'controller':[{'type':'feed_forward','channels':['a'],'reference':{'t':[0,1],'value':[5,6]}},"
                        "{'type':'pd_plus','channels':['b'],'kp':1,'kd':1,'until':3,'reference':{'space':'tip',"
                        "'tips':['l'],'t':[0],'value':[[1,2,3]]}}]}");
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  c = r.job.dynamics.controllers;
  ck_assert(r.job.dynamics.controller_count == 2 && r.job.dynamics.controller_list);
  ck_assert(c[0].reference.space == TD_SPACE_INPUT && c[0].reference.width == 1 && c[0].reference.value[1] == 6);
  ck_assert(c[1].until == 3 && c[1].reference.tip_count == 1 && c[1].reference.width == 3);
  forget(&r);
}
END_TEST

START_TEST(whatever_is_wrong_is_named_by_its_place) {
  static const struct {
    const char *text, *pointer, *words;
    td_status status;
  } cases[] = {
      {"3", "", "an object", 0},
      {"{'kind':'dynamics','t_end':1}", "/model", "missing", 0},
      {"{'model':'cdm','t_end':1}", "/kind", "missing", 0},
      {"{'model':'cdm','kind':'dance'}", "/kind", "dance", 0},
      {"{'model':'cdm','kind':'sweep'}", "/model", "unknown key; did you mean \"base\"?", 0},
      {"{'model':'cdm','kind':'dynamics'}", "/t_end", "missing", 0},
      {"{'model':'cdm','kind':'dynamics','t_end':0}", "/t_end", "positive", 0},
      {"{'model':'c d','kind':'statics'}", "/model", "not a model name", 0},
      {"{'model':'cdm@0','kind':'statics'}", "/model", "not a model name", 0},
      {"{'model':7,'kind':'statics'}", "/model", "a name", 0},
      {"{'model':'cdm','kind':'statics','t_end':1}", "/t_end", "unknown key", 0},
      {"{'model':'cdm','kind':'statics','inputs':{'a':{'type':'sine','amplitude':1,'frequency':1}}}", "/inputs/a",
       "list", 0},
      {"{'model':'cdm','kind':'statics','initial':{'q':'equilibrium'}}", "/initial/q", "first guess", 0},
      {"{'model':'cdm','kind':'statics','continuation':{'steps':3}}", "/continuation/channel", "missing", 0},
      {"{'model':'cdm','kind':'statics','continuation':{'channel':'a','steps':0}}", "/continuation/steps", "1 to", 0},
      {"{'model':'cdm','kind':'statics','continuation':{'channel':'a','ds':0}}", "/continuation/ds", "positive", 0},
      {"{'model':'cdm','kind':'statics','continuation':{'channel':'a','follow':'x'}}", "/continuation/follow", "", 0},
      {DYNAMICS "'colour':1}", "/colour", "unknown key", 0},
      {DYNAMICS "'controller':{}}", "/controller/type", "missing", 0},
      {DYNAMICS "'controller':3}", "/controller", "an object", 0},
      {DYNAMICS "'controller':[{'type':'guess'}]}", "/controller/0/type", "guess", 0},
      {DYNAMICS "'controller':{'type':'pd_plus','channels':[]}}", "/controller/channels", "at least one", 0},
      {DYNAMICS "'controller':{'type':'pd_plus','channels':['a'],'kp':'high'}}", "/controller/kp", "a number", 0},
      {DYNAMICS "'controller':{'type':'pd_plus','channels':['a'],'until':0}}", "/controller/until", "positive", 0},
      {DYNAMICS "'controller':{'type':'pd_plus','channels':['a'],'reference':{'space':'moon'}}}",
       "/controller/reference/space", "moon", 0},
      {DYNAMICS "'controller':{'type':'pd_plus','channels':['a'],'reference':{'t':[0],'value':[[1,2],[3]]}}}",
       "/controller/reference/value/1", "2 numbers", 0},
      {DYNAMICS "'initial':{'q':'nowhere'}}", "/initial/q", "nowhere", 0},
      {DYNAMICS "'initial':{'q':[1,'x']}}", "/initial/q/1", "a number", 0},
      {DYNAMICS "'inputs':{'a/b':'x'}}", "/inputs/a~1b", "a number or a signal", 0},
      {DYNAMICS "'inputs':{'a':{'type':'square'}}}", "/inputs/a/type", "square", 0},
      {DYNAMICS "'inputs':{'a':{'type':'sine','amplitude':1}}}", "/inputs/a/frequency", "missing", 0},
      {DYNAMICS "'inputs':{'a':{'type':'steps','t':[0,1],'value':[1]}}}", "/inputs/a/value", "has 1 entries, t has 2",
       0},
      {DYNAMICS "'inputs':{'a':{'type':'ramp','t':[0,1,2],'value':[1,2,3]}}}", "/inputs/a/t", "2 times", 0},
      {DYNAMICS "'inputs':{'a':{'type':'sum','of':[]}}}", "/inputs/a/of", "at least one", 0},
      {DYNAMICS "'inputs':{'a':{'type':'table','t':[0,1],'value':[0,1],'interpolation':'cubic'}}}",
       "/inputs/a/interpolation", "cubic", 0},
      {DYNAMICS "'integrator':{'method':'leapfrog'}}", "/integrator/method", "leapfrog", 0},
      {DYNAMICS "'integrator':'rk4'}", "/integrator", "did you mean {\"method\": \"rk4\"}?", 0},
      {DYNAMICS "'integrator':'leapfrog'}", "/integrator", "an object as {\"method\"", 0},
      {DYNAMICS "'integrator':{'rho_inf':[0.8]}}", "/integrator/rho_inf", "a number", 0},
      {DYNAMICS "'integrator':{'adaptive':1}}", "/integrator/adaptive", "true or false", 0},
      {DYNAMICS "'integrator':{'formulation':'index2'}}", "/integrator/formulation", "index2", 0},
      {DYNAMICS "'integrator':{'baumgarte':0}}", "/integrator/baumgarte", "positive", 0},
      {DYNAMICS "'integrator':{'rtol':'small'}}", "/integrator/rtol", "a number", 0},
      {DYNAMICS "'output':{'fields':['q',3]}}", "/output/fields/1", "a string", 0},
      {DYNAMICS "'labels':{'a':1}}", "/labels/a", "a string", 0},
      {DYNAMICS "'priority':101}", "/priority", "101", 0},
      {DYNAMICS "'priority':0.5}", "/priority", "an integer", 0},
      {DYNAMICS "'max_wall_s':-1}", "/max_wall_s", "-1", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reading r = read_job(cases[i].text);
    if (r.status != (cases[i].status ? cases[i].status : TD_INVALID_ARGUMENT) ||
        strcmp(r.err.pointer, cases[i].pointer) || !strstr(r.err.message, cases[i].words))
      ck_abort_msg("%s: %d at %s: %s", cases[i].text, (int)r.status, r.err.pointer, r.err.message);
    forget(&r);
  }
}
END_TEST

START_TEST(signals_nest_eight_levels_and_no_further) {
  char signal[2000] = "1", outer[2100], text[4000];
  for (int depth = 1; depth <= 9; depth++) {
    snprintf(outer, sizeof outer, "{'type':'sum','of':[%s]}", signal);
    ck_assert_uint_lt(strlen(outer), sizeof signal);
    strcpy(signal, outer);
    snprintf(text, sizeof text, DYNAMICS "'inputs':{'a':%s}}", signal);
    reading r = read_job(text);
    ck_assert_int_eq(r.status, depth <= 8 ? TD_OK : TD_INVALID_ARGUMENT);
    forget(&r);
  }
}
END_TEST

START_TEST(the_worker_reads_a_job_without_its_model) {
  json_t *doc = parse("{'kind':'dynamics','t_end':1}");
  arena *a = arena_create();
  job_document job;
  ck_assert_int_eq(codec_job_read_local(doc, "", a, &job, NULL), TD_OK);
  arena_destroy(a);
  json_decref(doc);
}
END_TEST

START_TEST(model_references_are_names_with_an_optional_revision) {
  static const struct {
    const char *text;
    bool valid;
    int64_t revision;
  } cases[] = {{"cdm", true, 0},      {"a.b_c-1", true, 0},
               {"cdm@12", true, 12},  {"", false, 0},
               {"-a", false, 0},      {"a b", false, 0},
               {"cdm@", false, 0},    {"cdm@x", false, 0},
               {"cdm@1@2", false, 0}, {"cdm@99999999999", false, 0},
               {"\xc3\xa9", false, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char name[64];
    int64_t revision = -1;
    ck_assert_msg(codec_model_reference(cases[i].text, name, &revision) == cases[i].valid, "%s", cases[i].text);
    if (cases[i].valid) ck_assert_int_eq(revision, cases[i].revision);
  }
  char name[64], text[200];
  int64_t revision;
  memset(text, 'a', sizeof text);
  text[63] = '\0';
  ck_assert(codec_model_reference(text, name, &revision));
  text[63] = 'a';
  text[64] = '\0';
  ck_assert(!codec_model_reference(text, name, &revision));
}
END_TEST

START_TEST(a_job_is_checked_against_its_model_with_places_of_the_job) {
  td_model *model = test_model_from_file("../api/examples/cdm.model.json", NULL);
  static const struct {
    const char *text, *pointer;
  } cases[] = {{DYNAMICS "'inputs':{'rope':1}}", "/job/inputs/rope"},
               {DYNAMICS "'inputs':{'cable1':-1}}", "/job/inputs/cable1"},
               {DYNAMICS "'initial':{'q':[1,2]}}", "/job/initial/q"},
               {DYNAMICS "'output':{'fields':['q','poses:leg']}}", "/job/output/fields/1"},
               {"{'model':'cdm','kind':'statics','inputs':{'cable1':[1,2],'cable2':[1,2,3]}}", "/job/inputs/cable2"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reading r = read_job(cases[i].text);
    size_t problems;
    ck_assert_msg(r.status == TD_OK, "%s", r.err.message);
    ck_assert_int_eq(codec_job_check(&r.job, model, "/job", &problems, NULL, &r.err), TD_INVALID_ARGUMENT);
    ck_assert_str_eq(r.err.pointer, cases[i].pointer);
    forget(&r);
  }
  reading r = read_job("{'model':'cdm','kind':'statics','inputs':{'cable1':[1,2,3],'cable2':4}}");
  size_t problems = 0;
  ck_assert_int_eq(codec_job_check(&r.job, model, "", &problems, NULL, &r.err), TD_OK);
  ck_assert_uint_eq(problems, 3);
  forget(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(errors_of_a_job_and_of_the_model_within_it_are_told_at_once) {
  static const struct {
    const char *text, *pointer[4];
  } cases[] = {
      {"{'kind':'dynamics','t_end':'soon','outputs':1,'inputs':{'a':true,'b':{'type':'sinus'}},"
       "'model':{'format':'tendril.model/1','linx':[]}}",
       {"/t_end", "/outputs", "/inputs/a", "/inputs/b/type"}},
      {"{'kind':'sweep','mode':'both','vary':[{'path':'/job/t_end','values':[]}],'base':{'kind':'dynamics','model':{},"
       "'t_end':[]}}",
       {"/mode", "/vary/0/values", "/base/t_end", "/base/model/format"}},
      {"{'kind':'statics','input':{},'model':{'format':'tendril.model/1','links':[],'nmae':'x'}}",
       {"/input", "/model/nmae", NULL}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reading r = read_job(cases[i].text);
    td_errors all = {0};
    codec_job_errors(r.doc, &all);
    ck_assert_int_ne(r.status, TD_OK);
    ck_assert_str_eq(all.list[0].pointer, r.err.pointer);
    ck_assert_str_eq(all.list[0].message, r.err.message);
    for (int k = 0; k < 4 && cases[i].pointer[k]; k++) ck_assert_str_eq(all.list[k].pointer, cases[i].pointer[k]);
    forget(&r);
  }
}
END_TEST

// Of a job against the model in its document: as the server tells them, those of reading it first.
static td_errors told_with(json_t *doc, const td_model *model) {
  td_errors all = {0}, more = {0};
  arena *a = arena_create();
  job_document job;
  td_error err = {0};
  if (codec_job_read(doc, "", a, &job, &err) == TD_OK) {
    codec_job_errors_against(&job, doc, model, job.model, &all);
  } else {
    codec_job_errors(doc, &all);
    json_t *left = codec_job_sound(doc, &all);
    if (left && codec_job_read(left, "", a, &job, &err) == TD_OK)
      codec_job_errors_against(&job, left, model, NULL, &more);
    codec_errors_elsewhere(&all, &more);
    json_decref(left);
  }
  arena_destroy(a);
  return all;
}

START_TEST(errors_of_all_levels_of_a_job_and_against_its_model_are_told_at_once) {
  static const struct {
    const char *text, *pointer[7];
  } cases[] = {
      {"{'kind':'dynamics','model':'cdm','t_end':-1,'inputs':{'cabel1':3,'cable2':'five','cable1':-1},"
       "'output':{'dt':0.1,'fields':['poses:s5@1','energi']}}",
       {"/t_end", "/inputs/cable2", "/inputs/cabel1", "/inputs/cable1", "/output/fields/0", "/output/fields/1"}},
      {"{'kind':'statics','model':'cdm','inputs':{'a':[1,2],'cable2':[1,-2]},'output':{'fields':['q','qd','r']}}",
       {"/inputs/a", "/inputs/cable2/1", "/output/fields/1", "/output/fields/2"}},
      {"{'kind':'fit','model':'cdm','of':[{'job':{'kind':'dynamics','t_end':0.5,'inputs':{'no':1}},'data':["
       "{'field':'poses:arm@1','select':[[0,3],[2,3]],'t':[0.1,0.7],'value':[[200,1,2],[210,-50]],'sigma':0}]}],"
       "'parameters':[{'path':'/model/gravity/1','lower':10,'upper':1},'/modl/x',7]}",
       {"/of/0/data/0/value/0", "/of/0/data/0/sigma", "/parameters/0/upper", "/parameters/1", "/parameters/2",
        "/of/0/data/0/t"}},
      {"{'kind':'fit','model':'cdm','of':[{'job':{'kind':'statics','inputs':{'no':1}},'data':["
       "{'field':'poses:leg@1','value':[1]},{'field':'q','value':[[1,2]]}]}],'parameters':['/model/gravity/1']}",
       {"/of/0/job/inputs/no", "/of/0/data/0/field", "/of/0/data/1/value"}},
      {"{'kind':'fit','model':'cdm','of':[{'job':{'kind':'statics'},'data':[{'field':'q','select':[0,1],'value':[1]},"
       "{'field':'q','select':[0,1],'value':[[1]]}]}],'parameters':['/model/gravity/1']}",
       {"/of/0/data/0/value/0", "/of/0/data/1/value/0"}},
      {"{'kind':'design','of':{'model':'cdm','kind':'statics','inputs':{'cable1':true}},'parameters':[],"
       "'objective':[{'field':'q','target':[1],'wait':2}],'constraints':[{'field':'q'},{'field':'q','upper':'no'}]}",
       {"/parameters", "/objective/0/wait", "/constraints/0", "/constraints/1/upper", "/of/inputs/cable1"}},
      {"{'kind':'design','of':{'model':'cdm','kind':'statics','inputs':{'cable1':1}},'parameters':['/job/inputs/"
       "cable1'],"
       "'objective':[{'field':'q','target':[1,2]},{'field':'q','select':[[99]],'linear':1}],"
       "'constraints':[{'field':'q','select':[[77]],'lower':0}]}",
       {"/objective/0/target", "/objective/1/select/0", "/constraints/0/select/0"}},
      {"{'kind':'gradient','of':{'model':'cdm','kind':'statics','inputs':{'a':1,'b':2}},'parameters':['/job/inputs/"
       "cable1'],"
       "'objective':[{'field':'energi','target':[1]}]}",
       {"/of/inputs/a", "/of/inputs/b", "/objective/0/field"}},
  };
  td_model *model = test_model_from_file("../api/examples/cdm.model.json", NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reading r = read_job(cases[i].text);
    td_errors all = told_with(r.doc, model);
    if (i == 4) ck_assert_str_eq(all.list[0].message, "has 1 numbers, `select` has 2");
    int count = 0;
    for (; count < 7 && cases[i].pointer[count]; count++) {
      ck_assert_int_lt(count, all.count);
      ck_assert_msg(strcmp(all.list[count].pointer, cases[i].pointer[count]) == 0, "case %zu: %s: %s, not %s", i,
                    all.list[count].pointer, all.list[count].message, cases[i].pointer[count]);
    }
    ck_assert_msg(all.count == count, "case %zu: and %s: %s", i, all.list[count].pointer, all.list[count].message);
    forget(&r);
  }
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("codec_job", every_value_of_a_dynamics_job_arrives, the_words_of_constrained_integration_arrive,
          linearisations_are_at_an_equilibrium_a_state_or_times, signals_of_every_type_are_read,
          a_short_job_gets_the_documented_defaults, statics_takes_numbers_and_lists,
          a_path_of_equilibria_has_a_channel_and_defaults, controllers_are_read_one_or_several,
          whatever_is_wrong_is_named_by_its_place, signals_nest_eight_levels_and_no_further,
          the_worker_reads_a_job_without_its_model, model_references_are_names_with_an_optional_revision,
          a_job_is_checked_against_its_model_with_places_of_the_job,
          errors_of_a_job_and_of_the_model_within_it_are_told_at_once,
          errors_of_all_levels_of_a_job_and_against_its_model_are_told_at_once)
