// Evaluate requests and replies: JSON and NPZ say the same, and the place of whatever is wrong is named.
#include "codec/evaluate/evaluate.h"
#include "codec/json/text.h"
#include "codec/wire/archive.h"
#include "support/model_file.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char arm[] =
    "{\"format\":\"tendril.model/"
    "1\",\"links\":[{\"name\":\"a\",\"joint\":{\"type\":\"revolute\",\"axis\":\"y\"},\"body\":"
    "{\"type\":\"rigid\",\"mass\":1,\"com\":[0.5,0,0],\"inertia\":[0,0,0]}},{\"name\":\"b\",\"parent\":\"a\",\"pose\":"
    "{\"translation\":[1,0,0]},\"joint\":{\"type\":\"revolute\",\"axis\":\"y\"},\"body\":{\"type\":\"rigid\",\"mass\":"
    "1,"
    "\"com\":[0.5,0,0],\"inertia\":[0.1,0.1,0.1]}}],\"actuators\":[{\"name\":\"m\",\"type\":\"joint\",\"link\":\"b\"}],"
    "\"gravity\":[0,0,-9.81]}";

static char *quoted(const char *text) {
  char *copy = strdup(text);
  for (char *p = copy; *p; p++)
    if (*p == '\'') *p = '"';
  return copy;
}

static td_status parse(const char *text, bool with_model, codec_evaluate *request, td_error *err) {
  char *body = quoted(text);
  size_t size = strlen(body);
  char *exact = malloc(size ? size : 1); // no NUL at its end: the sanitizer guards it
  memcpy(exact, body, size);
  td_status status = codec_evaluate_parse_json(exact, size, with_model, request, err);
  free(exact);
  free(body);
  return status;
}

START_TEST(states_arrive_as_they_were_sent) {
  codec_evaluate r;
  td_error err = {0};
  ck_assert_int_eq(parse(" { 'states' : [ {'q':[1, -2.5e-3],'qd':[3,4],'t':7}, {'u':[5],'q':[6,7],'qdd':[8,9]} ] ,"
                         "'want':['id','mass'], 'baumgarte':0.5 }\n",
                         false, &r, &err),
                   TD_OK);
  ck_assert_int_eq(r.want_count, 2);
  ck_assert_str_eq(td_quantity_name(r.want[1]), "mass");
  ck_assert_double_eq(r.baumgarte, 0.5);
  ck_assert_uint_eq(r.state_count, 2);
  ck_assert_double_eq(r.states[0].q[1], -2.5e-3);
  ck_assert_double_eq(r.states[0].qd[1], 4);
  ck_assert_ptr_null(r.states[0].qdd);
  ck_assert_ptr_null(r.states[0].u);
  ck_assert_double_eq(r.states[1].u[0], 5);
  ck_assert_double_eq(r.states[1].q[0], 6);
  ck_assert_double_eq(r.states[1].qdd[1], 9);
  ck_assert_ptr_null(r.model);
  codec_evaluate_fini(&r);
}
END_TEST

START_TEST(an_inline_model_is_handed_on) {
  codec_evaluate r;
  td_error err = {0};
  ck_assert_int_eq(parse("{'model':{'x':[1,{'y':'}'}]},'want':['id'],'states':[]}", true, &r, &err), TD_OK);
  ck_assert(json_is_object(r.model));
  ck_assert_uint_eq(r.state_count, 0);
  codec_evaluate_fini(&r);
}
END_TEST

#define WANT "{'want':['id'],"
static const struct {
  const char *text, *pointer, *words;
  td_status status;
} wrong[] = {
    {"", "", "line", 0},
    {"[]", "", "an object", 0},
    {"{}", "/want", "required", 0},
    {"{'want':['id']}", "/states", "required", 0},
    {"{'want':[],'states':[]}", "/want", "required", 0},
    {"{'want':'id','states':[]}", "/want", "an array", 0},
    {"{'want':[3],'states':[]}", "/want/0", "name of a quantity", 0},
    {"{'want':['id','speed'],'states':[]}", "/want/1", "speed", 0},
    {"{'want':['jvp'],'states':[{'q':[1]}]}", "/states/0/jvp", "required: the factors", TD_INVALID_ARGUMENT},
    {"{'want':['id','vjp'],'states':[{'q':[1],'vjp':{'of':'fd','cotangent':[1]}},{'q':[1]}]}", "/states/1/vjp",
     "every state", TD_INVALID_ARGUMENT},
    {"{'want':['dfd_dp'],'states':[{'q':[1]}]}", "/parameters", "required by dfd_dp", TD_INVALID_ARGUMENT},
    {"{'want':['dfd_dp'],'parameters':[],'states':[{'q':[1]}]}", "/parameters", "required by", TD_INVALID_ARGUMENT},
    {WANT "'states':[],'parameters':{}}", "/parameters", "expected an array of paths", TD_INVALID_ARGUMENT},
    {WANT "'states':[],'parameters':[7]}", "/parameters/0", "expected a path", TD_INVALID_ARGUMENT},
    {WANT "'states':[],'parameters':['/model/gravity',{'name':'g'}]}", "/parameters/1/path", "missing",
     TD_INVALID_ARGUMENT},
    {WANT "'states':[],'parameters':[{'path':'/model/gravity','nam':'g'}]}", "/parameters/0/nam", "unknown key",
     TD_INVALID_ARGUMENT},
    {WANT "'states':[],'parameters':['/job/inputs/a']}", "/parameters/0", "has no meaning here", TD_INVALID_ARGUMENT},
    {WANT "'states':[],'parameters':['model/gravity']}", "/parameters/0", "is no place", TD_INVALID_ARGUMENT},
    {WANT "'states':[],'parameters':['/model/~2']}", "/parameters/0", "no JSON pointer", TD_INVALID_ARGUMENT},
    {WANT "'states':[],'parameters':['/model/~']}", "/parameters/0", "no JSON pointer", TD_INVALID_ARGUMENT},
    {"{'want':['id','id'],'states':[]}", "/want/1", "twice", 0},
    {WANT "'states':{}}", "/states", "an array of states", 0},
    {WANT "'states':[7]}", "/states/0", "an object", 0},
    {WANT "'states':[{}]}", "/states/0/q", "missing", 0},
    {WANT "'states':[{'q':[1]},{'q':3}]}", "/states/1/q", "an array of numbers", 0},
    {WANT "'states':[{'q':[1,'x']}]}", "/states/0/q/1", "expected a number, got \"x\"", 0},
    {WANT "'states':[{'q':[1,null]}]}", "/states/0/q/1", "null", 0},
    {WANT "'states':[{'q':[1,[2]]}]}", "/states/0/q/1", "an array of 1", 0},
    {WANT "'states':[{'q':[1e400]}]}", "/states/0/q/0", "too large", 0},
    {WANT "'states':[{'q':[1],'q':[2]}]}", "/states/0/q", "twice", 0},
    {WANT "'states':[{'q':[1],'v':[2]}]}", "/states/0/v", "unknown key", 0},
    {WANT "'states':[{'q':[1],'t':'now'}]}", "/states/0/t", "a number", 0},
    {WANT "'states':[{'q':[1],'jvp':{}}]}", "/states/0/jvp/of", "missing", TD_INVALID_ARGUMENT},
    {WANT "'states':[{'q':[1],'jvp':{'of':'id'}}]}", "/states/0/jvp/of", "products are those of", TD_UNSUPPORTED},
    {WANT "'states':[{'q':[1],'jvp':{'of':'fd','q':[1],'q':[1]}}]}", "/states/0/jvp/q", "twice", TD_INVALID_ARGUMENT},
    {WANT "'states':[{'q':[1],'jvp':{'of':'fd'},'jvp':{'of':'fd'}}]}", "/states/0/jvp", "twice", TD_INVALID_ARGUMENT},
    {WANT "'states':[{'q':[1],'jvp':{'of':'fd','cotangent':[1]}}]}", "/states/0/jvp/cotangent", "unknown key",
     TD_INVALID_ARGUMENT},
    {WANT "'states':[{'q':[1],'vjp':{'of':'fd'}}]}", "/states/0/vjp/cotangent", "missing", TD_INVALID_ARGUMENT},
    {WANT "'states':[{'q':[1],'vjp':[1]}]}", "/states/0/vjp", "expected an object with of, cotangent",
     TD_INVALID_ARGUMENT},
    {WANT "'states':[],'states':[]}", "/states", "twice", 0},
    {WANT "'states':[],'baumgarte':-1}", "/baumgarte", "-1", 0},
    {WANT "'states':[],'baumgarte':'x'}", "/baumgarte", "a number", 0},
    {WANT "'states':[],'colour':1}", "/colour", "unknown key", 0},
    {WANT "'states':[],'model':{}}", "/model", "named by the path", 0},
    {WANT "'states':[{'q':[1]}]", "", "ends too early", 0},
    {WANT "'states':[{'q':[1}]}", "", "line 1", 0},
    {WANT "'states':[{'q':[1,]}]}", "", "line 1", 0},
    {WANT "'states':[{'q':[01]}]}", "", "line 1", 0},
    {WANT "'states':[{'q':[1.]}]}", "", "line 1", 0},
    {WANT "'states':[{'q':[+1]}]}", "", "line 1", 0},
    {WANT "'states':[{'q':[1] 'u':[2]}]}", "", "line 1", 0},
    {WANT "'states':[]} x", "", "line 1", 0},
    {WANT "'states':[{'q\xff':[1]}]}", "", "UTF-8", 0},
    {"{'want\x01':['id'],'states':[]}", "", "control character", 0},
};

START_TEST(whatever_is_wrong_is_named_by_its_place) {
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    codec_evaluate r;
    td_error err = {0};
    td_status status = parse(wrong[i].text, false, &r, &err);
    if (status != (wrong[i].status ? wrong[i].status : TD_INVALID_ARGUMENT) || strcmp(err.pointer, wrong[i].pointer) ||
        !strstr(err.message, wrong[i].words))
      ck_abort_msg("%s: %d at \"%s\": %s", wrong[i].text, (int)status, err.pointer, err.message);
    codec_evaluate_fini(&r);
  }
  codec_evaluate r;
  td_error err = {0};
  ck_assert_int_eq(parse(WANT "'states':[]}", true, &r, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/model");
  codec_evaluate_fini(&r);
}
END_TEST

START_TEST(a_request_cut_off_anywhere_is_refused) {
  const char whole[] = "{'want':['id'],'states':[{'q':[1,-2.5e-3],'u':[1]},{'q':[3,4]}],'baumgarte':0.01}";
  for (size_t n = 0; n + 1 < sizeof whole; n++) {
    char text[sizeof whole];
    codec_evaluate r;
    td_error err = {0};
    memcpy(text, whole, n);
    text[n] = '\0';
    ck_assert_msg(parse(text, false, &r, &err) != TD_OK, "%s", text);
    codec_evaluate_fini(&r);
  }
}
END_TEST

START_TEST(a_wrong_length_is_named_by_its_state) {
  td_model *model = test_model_from_text(arm);
  static const struct {
    const char *states, *pointer;
  } cases[] = {{"[{'q':[1,2]},{'q':[1]}]", "/states/1/q"},
               {"[{'q':[]}]", "/states/0/q"},
               {"[{'q':[1,2],'qd':[1,2,3]}]", "/states/0/qd"},
               {"[{'q':[1,2],'qdd':[]}]", "/states/0/qdd"},
               {"[{'q':[1,2],'jvp':{'of':'fd','u':[1,2]}}]", "/states/0/jvp/u"},
               {"[{'q':[1,2],'jvp':{'of':'fd','p':[1]}}]", "/states/0/jvp/p"},
               {"[{'q':[1,2],'vjp':{'of':'fd','cotangent':[1]}}]", "/states/0/vjp/cotangent"},
               {"[{'q':[1,2],'vjp':{'of':'fd','cotangent':[]}}]", "/states/0/vjp/cotangent"},
               {"[{'q':[1,2]},{'q':[1,2]},{'q':[1,2]},{'q':[1,2],'u':[1,2]}]", "/states/3/u"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200];
    codec_evaluate r;
    td_error err = {0};
    snprintf(text, sizeof text, WANT "'states':%s}", cases[i].states);
    ck_assert_int_eq(parse(text, false, &r, &err), TD_OK);
    ck_assert_int_eq(codec_evaluate_bind(&r, model, 0, &err), TD_INVALID_ARGUMENT);
    ck_assert_str_eq(err.pointer, cases[i].pointer);
    codec_evaluate_fini(&r);
  }
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ replies

static const codec_by by_nothing = {.list = NULL};

static void answer(const codec_evaluate *r, const td_model *model, codec_reply *reply) {
  td_error err = {0};
  td_workspace *ws;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(codec_evaluate_bind(r, model, 0, &err), TD_OK);
  ck_assert_int_eq(
      codec_reply_init(reply, model, &by_nothing, r->want, r->want_count, r->state_count, r->memory, 0, &err), TD_OK);
  for (size_t i = 0; i < r->state_count; i++) {
    double *out[TD_QUANTITY_LIMIT];
    codec_reply_blocks(reply, i, out);
    if (td_evaluate(model, ws, &r->states[i], r->want, r->want_count, out, &err) != TD_OK)
      codec_reply_fail(reply, i, &err);
  }
  td_workspace_destroy(ws);
}

static const char request_text[] =
    "{'want':['id','mass','energy','poses','did_dq'],'states':[{'q':[0.1,0.2],'qd':[1,2],"
    "'qdd':[3,4],'u':[5]},{'q':[-1,2]}]}";

START_TEST(the_JSON_reply_has_the_shapes_of_the_table) {
  td_model *model = test_model_from_text(arm);
  codec_evaluate r;
  codec_reply reply;
  td_error err = {0};
  codec_buffer b;
  ck_assert_int_eq(parse(request_text, false, &r, &err), TD_OK);
  answer(&r, model, &reply);
  codec_buffer_init(&b, 0);
  codec_reply_write_json(&reply, &b);
  json_t *doc = codec_parse(b.data, b.size, &err);
  ck_assert_int_eq(json_integer_value(json_object_get(doc, "ndof")), 2);
  const json_t *state = json_array_get(json_object_get(doc, "states"), 0);
  ck_assert_uint_eq(json_array_size(json_object_get(doc, "states")), 2);
  ck_assert_uint_eq(json_array_size(json_object_get(state, "id")), 2);
  ck_assert_uint_eq(json_array_size(json_array_get(json_object_get(state, "mass"), 1)), 2);
  ck_assert(json_is_number(json_object_get(json_object_get(state, "energy"), "kinetic")));
  const json_t *poses = json_object_get(state, "poses");
  ck_assert_uint_eq(json_object_size(poses), 2);
  ck_assert(json_is_array(json_object_get(poses, "b")));
  ck_assert_double_eq(json_number_value(json_array_get(json_object_get(state, "id"), 1)), reply.block[0][1]);
  json_decref(doc);
  codec_buffer_fini(&b);
  codec_evaluate_fini(&r);
  td_model_destroy(model);
}
END_TEST

static codec_buffer npz_request(size_t width) {
  static const double q[4] = {0.1, 0.2, -1, 2}, qd[4] = {1, 2, 0, 0}, qdd[4] = {3, 4, 0, 0}, u[2] = {5, 0};
  static const char *const want[] = {"id", "mass", "energy", "poses", "did_dq"};
  codec_buffer b;
  codec_buffer_init(&b, 0);
  npz_writer *w = codec_npz_writer(&b);
  npz_write_doubles(w, "q", q, 2, (const size_t[]){4 / width, width});
  npz_write_doubles(w, "qd", qd, 2, (const size_t[]){2, 2});
  npz_write_doubles(w, "qdd", qdd, 2, (const size_t[]){2, 2});
  npz_write_doubles(w, "u", u, 2, (const size_t[]){2, 1});
  npz_write_strings(w, "want", want, 5);
  ck_assert_int_eq(codec_npz_close(w, NULL, NULL), TD_OK);
  return b;
}

START_TEST(NPZ_and_JSON_give_the_same_bits) {
  td_model *model = test_model_from_text(arm);
  codec_evaluate json, npz;
  codec_reply a, b;
  td_error err = {0};
  codec_buffer request = npz_request(2);
  ck_assert_int_eq(parse(request_text, false, &json, &err), TD_OK);
  ck_assert_msg(codec_evaluate_parse_npz(request.data, request.size, false, &npz, &err) == TD_OK, "%s: %s", err.pointer,
                err.message);
  answer(&json, model, &a);
  answer(&npz, model, &b);
  for (int w = 0; w < 5; w++) ck_assert(memcmp(a.block[w], b.block[w], a.total[w] * 2 * sizeof(double)) == 0);
  codec_evaluate_fini(&json);
  codec_evaluate_fini(&npz);
  codec_buffer_fini(&request);
  td_model_destroy(model);
}
END_TEST

START_TEST(the_NPZ_reply_holds_one_member_per_array) {
  td_model *model = test_model_from_text(arm);
  codec_evaluate r;
  codec_reply reply;
  td_error err = {0};
  codec_buffer request = npz_request(2), b;
  npz_archive archive;
  npz_array array;
  ck_assert_int_eq(codec_evaluate_parse_npz(request.data, request.size, false, &r, &err), TD_OK);
  answer(&r, model, &reply);
  codec_buffer_init(&b, 0);
  ck_assert_int_eq(codec_reply_write_npz(&reply, &b, &err), TD_OK);
  ck_assert_int_eq(codec_npz_open(b.data, b.size, r.memory, &archive, &err), TD_OK);
  ck_assert_int_eq(codec_npz_read(&archive, npz_find(&archive, "mass"), r.memory, &array, &err), TD_OK);
  ck_assert_int_eq(array.rank, 3);
  ck_assert_uint_eq(array.dim[0], 2);
  ck_assert(memcmp(array.data, reply.block[1], 8 * sizeof(double)) == 0);
  ck_assert_int_eq(codec_npz_read(&archive, npz_find(&archive, "energy/kinetic"), r.memory, &array, &err), TD_OK);
  ck_assert_int_eq(array.rank, 1);
  ck_assert_ptr_nonnull(npz_find(&archive, "poses/b"));
  ck_assert_ptr_null(npz_find(&archive, "error"));
  codec_buffer_fini(&b);
  codec_buffer_fini(&request);
  codec_evaluate_fini(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(wrong_shapes_in_NPZ_are_named_by_their_member) {
  td_model *model = test_model_from_text(arm);
  codec_evaluate r;
  td_error err = {0};
  codec_buffer request = npz_request(4); // one row of q, two of the others
  ck_assert_int_eq(codec_evaluate_parse_npz(request.data, request.size, false, &r, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/qd");
  codec_evaluate_fini(&r);
  ck_assert_int_eq(codec_evaluate_parse_npz("PK", 2, false, &r, &err), TD_INVALID_ARGUMENT);
  codec_evaluate_fini(&r);
  codec_buffer_fini(&request);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_failed_state_leaves_the_others_alone) {
  td_model *model = test_model_from_text(arm);
  codec_evaluate r;
  codec_reply reply;
  td_error err = {0};
  codec_buffer b;
  ck_assert_int_eq(parse(request_text, false, &r, &err), TD_OK);
  answer(&r, model, &reply);
  td_error failure = {.status = TD_SINGULAR, .pointer = "/id", .message = "the matrix is \"singular\""};
  codec_reply_fail(&reply, 0, &failure);
  codec_buffer_init(&b, 0);
  codec_reply_write_json(&reply, &b);
  json_t *doc = codec_parse(b.data, b.size, &err), *states = json_object_get(doc, "states");
  const json_t *error = json_object_get(json_array_get(states, 0), "error");
  ck_assert_str_eq(json_string_value(json_object_get(error, "code")), "singular");
  ck_assert_str_eq(json_string_value(json_object_get(error, "detail")), "the matrix is \"singular\"");
  ck_assert_str_eq(json_string_value(json_object_get(error, "quantity")), "id");
  ck_assert_ptr_null(json_object_get(json_array_get(states, 0), "id"));
  ck_assert_ptr_nonnull(json_object_get(json_array_get(states, 1), "id"));
  json_decref(doc);
  b.size = 0;
  npz_archive archive;
  npz_array array;
  ck_assert_int_eq(codec_reply_write_npz(&reply, &b, &err), TD_OK);
  ck_assert_int_eq(codec_npz_open(b.data, b.size, r.memory, &archive, &err), TD_OK);
  ck_assert_int_eq(codec_npz_read(&archive, npz_find(&archive, "error"), r.memory, &array, &err), TD_OK);
  ck_assert_str_eq(codec_npz_string(&array, 0, r.memory), "singular: the matrix is \"singular\"");
  ck_assert_str_eq(codec_npz_string(&array, 1, r.memory), "");
  ck_assert(isnan(reply.block[0][0]) && !isnan(reply.block[0][2]));
  codec_buffer_fini(&b);
  codec_evaluate_fini(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_reply_beyond_the_limit_is_refused_before_it_is_computed) {
  td_model *model = test_model_from_text(arm);
  codec_evaluate r;
  codec_reply reply;
  td_error err = {0};
  ck_assert_int_eq(parse(request_text, false, &r, &err), TD_OK);
  ck_assert_int_eq(
      codec_reply_init(&reply, model, &by_nothing, r.want, r.want_count, r.state_count, r.memory, 100, &err), TD_LIMIT);
  codec_evaluate_fini(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("codec_evaluate", states_arrive_as_they_were_sent, an_inline_model_is_handed_on,
          whatever_is_wrong_is_named_by_its_place, a_request_cut_off_anywhere_is_refused,
          a_wrong_length_is_named_by_its_state, the_JSON_reply_has_the_shapes_of_the_table,
          NPZ_and_JSON_give_the_same_bits, the_NPZ_reply_holds_one_member_per_array,
          wrong_shapes_in_NPZ_are_named_by_their_member, a_failed_state_leaves_the_others_alone,
          a_reply_beyond_the_limit_is_refused_before_it_is_computed)
