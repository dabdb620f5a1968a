// Sweeps: what is read, the place of whatever is refused, the documents of the jobs, and the place of their errors.
#include "codec/document/job/job.h"
#include "codec/json/text.h"
#include "support/suite.h"
#include <stdio.h>
#include <string.h>

static json_t *parse(const char *text) {
  char copy[4096];
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

static reading read_sweep(const char *text) {
  reading r = {.doc = parse(text), .memory = arena_create()};
  r.status = codec_job_read(r.doc, "", r.memory, &r.job, &r.err);
  return r;
}

static void forget(reading *r) {
  json_decref(r->doc);
  arena_destroy(r->memory);
}

#define BASE "'base':{'model':'arm@2','kind':'statics','inputs':{'a/b':1,'c':[1,2]},'labels':{'x':'y'}}"
static const char grid[] =
    "{'kind':'sweep','priority':7," BASE ",'vary':[{'path':'/job/inputs/a~1b','values':[5,6]},"
    "{'path':'/job/inputs/c/1','values':[7,8,9]},{'path':'/model/links/0/length','values':[3]}]}";

static void check_job(reading *r, size_t i, double a, double c) {
  json_t *job = json_deep_copy(r->job.sweep.base), *model = parse("{'links':[{'length':1}]}");
  ck_assert(codec_sweep_apply(&r->job.sweep, i, job, model));
  const json_t *inputs = json_object_get(job, "inputs");
  ck_assert_double_eq(json_number_value(json_object_get(inputs, "a/b")), a);
  ck_assert_double_eq(json_number_value(json_array_get(json_object_get(inputs, "c"), 1)), c);
  ck_assert_double_eq(json_number_value(json_array_get(json_object_get(inputs, "c"), 0)), 1);
  const json_t *link = json_array_get(json_object_get(model, "links"), 0);
  ck_assert_double_eq(json_number_value(json_object_get(link, "length")), 3);
  json_decref(job);
  json_decref(model);
}

START_TEST(the_last_place_of_a_grid_varies_fastest) {
  reading r = read_sweep(grid);
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  ck_assert_int_eq(r.job.kind, JOB_SWEEP);
  ck_assert_str_eq(r.job.model_name, "arm");
  ck_assert_int_eq(r.job.model_revision, 2);
  ck_assert_str_eq(r.job.model_at, "/base/model");
  ck_assert_int_eq(r.job.priority, 7);
  ck_assert_int_eq(r.job.base->kind, JOB_STATICS);
  ck_assert_uint_eq(r.job.sweep.jobs, 6);
  ck_assert(codec_sweep_varies_model(&r.job.sweep));
  for (size_t i = 0; i < 6; i++) check_job(&r, i, i < 3 ? 5 : 6, 7 + (double)(i % 3));
  ck_assert_double_eq(json_number_value(json_object_get(json_object_get(r.job.sweep.base, "inputs"), "a/b")), 1);
  forget(&r);
}
END_TEST

START_TEST(zip_takes_one_value_of_each_list) {
  reading r = read_sweep("{'kind':'sweep','mode':'zip'," BASE ",'vary':[{'path':'/job/inputs/a~1b','values':[5,6]},"
                         "{'path':'/job/inputs/c/1','values':[7,8]},{'path':'/model/links/0/length','values':[3,3]}]}");
  ck_assert_msg(r.status == TD_OK, "%s: %s", r.err.pointer, r.err.message);
  ck_assert_uint_eq(r.job.sweep.jobs, 2);
  for (size_t i = 0; i < 2; i++) check_job(&r, i, 5 + (double)i, 7 + (double)i);
  forget(&r);
}
END_TEST

START_TEST(whatever_is_wrong_is_named_by_its_place) {
  static const struct {
    const char *text, *pointer, *words;
  } cases[] = {
      {"{'kind':'sweep','vary':[]}", "/vary", "at least one"},
      {"{'kind':'sweep','vary':[{'path':'/job/x','values':[1]}]}", "/base", "missing"},
      {"{'kind':'sweep'," BASE "}", "/vary", "missing"},
      {"{'kind':'sweep','max_wall_s':1," BASE ",'vary':[]}", "/max_wall_s", "unknown key"},
      {"{'kind':'sweep','base':{'kind':'statics'},'vary':[{'path':'/job/kin','values':[1]}]}", "/base/model",
       "missing"},
      {"{'kind':'sweep','base':{'kind':'dynamics','model':'a'},'vary':[]}", "/base/t_end", "missing"},
      {"{'kind':'sweep','base':{'kind':'sweep'},'vary':[]}", "/base/base", "missing"},
      {"{'kind':'sweep'," BASE ",'mode':'cube','vary':[{'path':'/job/labels/x','values':['z']}]}", "/mode", "\"cube\""},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'inputs','values':[1]}]}", "/vary/0/path", "/job/ or /model/"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job','values':[1]}]}", "/vary/0/path", "/job/ or /model/"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job/kind','values':[1]}]}", "/vary/0/path", "cannot be varied"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job/model/links','values':[1]}]}", "/vary/0/path", "/model"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job/inputs/z','values':[1]}]}", "/vary/0/path",
       "/job/inputs/z; there is \"a/b\", \"c\"; what it leaves to a default"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job/inputs/c/2','values':[1]}]}", "/vary/0/path", "nothing at"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job/inputs/c/01','values':[1]}]}", "/vary/0/path", "nothing at"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job/inputs/c','values':[]}]}", "/vary/0/values", "at least one"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job/inputs/c','values':5}]}", "/vary/0/values", "an array"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job/inputs','values':[{}]},{'path':'/job/inputs/c','values':[1]}]}",
       "/vary/1/path", "each other's way"},
      {"{'kind':'sweep'," BASE ",'vary':[{'path':'/job/model','values':['a']},{'path':'/model/x','values':[1]}]}",
       "/vary", "as a whole"},
      {"{'kind':'sweep','mode':'zip'," BASE
       ",'vary':[{'path':'/job/inputs/c','values':[1,2]},{'path':'/job/inputs/a~1b','values':[1]}]}",
       "/vary/1/values", "has 1 values, the first list has 2"},
      {"{'kind':'sweep','base':{'kind':'statics','model':{'links':[]}},'vary':[{'path':'/model/links/"
       "0','values':[1]}]}",
       "/vary/0/path", "/model/links/0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reading r = read_sweep(cases[i].text);
    if (r.status != TD_INVALID_ARGUMENT || strcmp(r.err.pointer, cases[i].pointer) ||
        !strstr(r.err.message, cases[i].words))
      ck_abort_msg("%s: %d at %s: %s", cases[i].text, (int)r.status, r.err.pointer, r.err.message);
    forget(&r);
  }
}
END_TEST

START_TEST(a_sweep_of_too_many_jobs_is_refused_with_its_size) {
  char text[4096], values[600] = "0";
  for (int i = 1; i < 142; i++) snprintf(values + strlen(values), sizeof values - strlen(values), ",%d", i);
  snprintf(text, sizeof text,
           "{'kind':'sweep'," BASE ",'vary':[{'path':'/job/inputs/c/0','values':[%s]},{'path':'/job/inputs/c/1',"
           "'values':[%s]}]}",
           values, values);
  reading r = read_sweep(text);
  ck_assert_int_eq(r.status, TD_INVALID_ARGUMENT);
  ck_assert_str_eq(r.err.pointer, "/vary");
  ck_assert_ptr_nonnull(strstr(r.err.message, "20164 jobs or more, a sweep has at most 20000"));
  forget(&r);
}
END_TEST

START_TEST(errors_of_a_job_are_blamed_on_the_value_it_took) {
  static const struct {
    const char *pointer, *blamed;
  } cases[] = {{"/inputs/a~1b", "/vary/0/values/1"},
               {"/inputs/c", "/vary/1/values/2"},
               {"/inputs/c/1", "/vary/1/values/2"},
               {"/model/links/0/length", "/vary/2/values/0"},
               {"/model/links/0", "/vary/2/values/0"},
               {"/model/links/1", "/base/model/links/1"},
               {"/inputs/a~1b/x/0", "/vary/0/values/1/x/0"},
               {"/initial/q", "/base/initial/q"},
               {"", "/base"}};
  reading r = read_sweep(grid);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_error err = {.message = "must be green"};
    strcpy(err.pointer, cases[i].pointer);
    codec_sweep_blame(&r.job.sweep, 5, &err);
    ck_assert_str_eq(err.pointer, cases[i].blamed);
    ck_assert_str_eq(err.message, "job 5 of the sweep: must be green");
  }
  forget(&r);
}
END_TEST

TEST_MAIN("codec_sweep", the_last_place_of_a_grid_varies_fastest, zip_takes_one_value_of_each_list,
          whatever_is_wrong_is_named_by_its_place, a_sweep_of_too_many_jobs_is_refused_with_its_size,
          errors_of_a_job_are_blamed_on_the_value_it_took)
