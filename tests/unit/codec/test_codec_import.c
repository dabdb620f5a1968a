// Robots from elsewhere: what a URDF becomes, what of it is told as left out, and that whatever is wrong is named by
// line and element.
//
// Broken descriptions are made from one good one by replacing a text that stands in it once.
#include "codec/document/model/model.h"
#include "codec/import/import.h"
#include "codec/json/text.h"
#include "codec/json/tree.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char good[] =
    "<?xml version=\"1.0\"?>\n"
    "<robot name=\"r\">\n"
    "  <link name=\"base\"/>\n"
    "  <link name=\"arm\">\n"
    "    <inertial><origin xyz=\"0 0 .2\" rpy=\"0.3 0 0\"/><mass value=\"2\"/>\n"
    "      <inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.01\"/></inertial>\n"
    "  </link>\n"
    "  <joint name=\"elbow\" type=\"revolute\">\n"
    "    <parent link=\"base\"/><child link=\"arm\"/>\n"
    "    <origin xyz=\"+1 2. 3e0\" rpy=\"0 0 0.5\"/>\n"
    "    <axis xyz=\"0 0.6 0.8\"/>\n"
    "    <dynamics damping=\"0.7\"/>\n"
    "  </joint>\n"
    "</robot>\n";

static char *replaced(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  ck_assert_msg(at && !strstr(at + 1, from), "'%s' stands there once", from);
  char *out = malloc(strlen(text) + strlen(to) + 1);
  sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return out;
}

static json_t *request_of(const char *urdf) { return json_pack("{s:s}", "urdf", urdf); }

static td_status read_urdf(const char *urdf, arena *a, import_result *out, td_error *err) {
  json_t *request = request_of(urdf);
  ck_assert_ptr_nonnull(request);
  td_status status = codec_import_read(request, a, out, err);
  json_decref(request);
  return status;
}

static bool remarked(const remark_list *list, int line, const char *what) {
  for (const import_remark *r = list->first; r; r = r->next)
    for (const remark_place *p = r->places; p; p = p->next)
      if (p->line == line && strcmp(p->what, what) == 0) return true;
  return false;
}

static size_t places(const remark_list *list) {
  size_t n = 0;
  for (const import_remark *r = list->first; r; r = r->next) n += r->count;
  return n;
}

START_TEST(a_joint_becomes_a_link_of_the_same_frame_axis_and_damper) {
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  ck_assert_int_eq(read_urdf(good, a, &import, &err), TD_OK);
  codec_buffer b;
  codec_buffer_init(&b, 0);
  codec_buffer_tree(&b, json_array_get(json_object_get(import.document, "links"), 1));
  codec_buffer_append(&b, "", 1);
  ck_assert_ptr_nonnull(strstr(b.data, "\"name\": \"arm\""));
  ck_assert_ptr_nonnull(strstr(b.data, "\"parent\": \"base\""));
  ck_assert_ptr_nonnull(strstr(b.data, "\"pose\": {\"translation\": [1, 2, 3], \"rpy\": [0, 0, 0.5]}"));
  ck_assert_ptr_nonnull(
      strstr(b.data, "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 0.6, 0.8], \"damping\": 0.7}"));
  ck_assert_ptr_nonnull(strstr(b.data, "\"com\": [0, 0, 0.2]"));
  codec_buffer_fini(&b);
  ck_assert_uint_eq(places(&import.remarks), 0);
  json_decref(import.document);
  arena_destroy(a);
}
END_TEST

typedef struct broken {
  const char *from, *to, *words, *more;
} broken;

static const broken cases[] = {
    {"value=\"2\"", "value=\"2,5\"", "line 5: <mass> of link \"arm\": value=\"2,5\" is not one finite number", ""},
    {"value=\"2\"", "value=\"-2\"", "line 5: <mass> of link \"arm\"", "negative"},
    {"value=\"2\"", "value=\"inf\"", "line 5", "\"inf\" is not one finite number"},
    {"value=\"2\"", "value=\"1e999\"", "line 5", "\"1e999\" is not one finite number"},
    {"value=\"2\"", "value=\"0x10\"", "line 5", "\"0x10\""},
    {"value=\"2\"", "value=\"\"", "line 5", "is not one finite number"},
    {"value=\"2\"", "value=\"${m}\"", "run xacro first: xacro robot.xacro > robot.urdf", "${m}"},
    {"value=\"2\"", "weight=\"2\"", "line 5: <mass> of link \"arm\": it has no attribute \"value\"", ""},
    {"<mass value=\"2\"/>", "", "line 5: <inertial> of link \"arm\": it has no <mass>", ""},
    {"<mass value=\"2\"/>", "<mass value=\"2\"/><mass value=\"3\"/>", "there is one in line 5 already", ""},
    {"ixx=\"0.1\"", "", "line 6: <inertia> of link \"arm\": it has no attribute \"ixx\"", ""},
    {"xyz=\"+1 2. 3e0\"", "xyz=\"1 2\"", "line 10: <origin> of joint \"elbow\": xyz=\"1 2\" is not three finite", ""},
    {"xyz=\"+1 2. 3e0\"", "xyz=\"1 2 3 4\"", "is not three finite numbers", ""},
    {"rpy=\"0 0 0.5\"", "quat_xyzw=\"0 0 0 1\"", "line 10", "quat_xyzw is not read; write rpy"},
    {"0 0.6 0.8", "0 0 0", "line 11: <axis> of joint \"elbow\": xyz=\"0 0 0\" has no direction", ""},
    {"damping=\"0.7\"", "damping=\"-0.7\"", "line 12: <dynamics> of joint \"elbow\": damping=\"-0.7\" is negative", ""},
    {"revolute", "ball", "line 8: joint \"elbow\": type=\"ball\" is none of revolute", ""},
    {"<parent link=\"base\"/>", "<parent link=\"bas\"/>", "line 9", "link=\"bas\": there is no link of that name"},
    {"<parent link=\"base\"/>", "", "line 8: joint \"elbow\": it has no <parent>", ""},
    {"<parent link=\"base\"/>", "<parent link=\"arm\"/>", "parent and child are both \"arm\"", ""},
    {"<link name=\"base\"/>", "<link name=\"base\"/><link name=\"other\"/>", "link \"other\": no joint carries it",
     "nor link"},
    {"<link name=\"base\"/>", "<link name=\"base\"/><link name=\"base\"/>", "a link of line 3 has that name already",
     ""},
    {"<link name=\"base\"/>", "<link/><link name=\"base\"/>", "line 3: <link>: it has no attribute \"name\"", ""},
    {"<robot name=\"r\">", "<robot>", "line 2: <robot>: it has no attribute \"name\"", ""},
    {"<robot name=\"r\">", "<robot name=\"r\"><xacro:macro/>", "line 2: <xacro:macro>: this is xacro",
     "xacro robot.xacro > robot.urdf"},
    {good, "<mujoco model=\"r\"/>", "line 1: <mujoco>: a URDF begins with <robot>", "this is MJCF"},
    {"</robot>", "</robots>", "line 14 column", "mismatched tag"},
    {"</robot>", "", "line 15 column 1", "no element found"},
    {"<robot name", "<!DOCTYPE robot [<!ENTITY a \"b\">]><robot name", "line 2", "a document type"},
    {"0.01\"", "0.01\" izz=\"3\"", "line 6", "duplicate attribute"},
};

static void check_broken(const broken *one) {
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  char *text = replaced(good, one->from, one->to);
  ck_assert_int_eq(read_urdf(text, a, &import, &err), TD_INVALID_ARGUMENT);
  ck_assert_ptr_null(import.document);
  ck_assert_str_eq(err.pointer, "/urdf");
  ck_assert_msg(strstr(err.message, one->words) && strstr(err.message, one->more), "%s", err.message);
  free(text);
  arena_destroy(a);
}

START_TEST(what_is_wrong_is_named_by_line_and_element) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_broken(&cases[i]);
}
END_TEST

START_TEST(joints_in_a_circle_and_links_carried_twice_are_no_tree) {
  static const char circle[] = "<robot name='r'><link name='w'/><link name='a'/><link name='b'/>"
                               "<joint name='x' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
                               "<joint name='y' type='fixed'><parent link='b'/><child link='a'/></joint></robot>";
  static const char twice[] = "<robot name='r'><link name='w'/><link name='a'/><link name='b'/>"
                              "<joint name='x' type='fixed'><parent link='w'/><child link='b'/></joint>\n"
                              "<joint name='y' type='fixed'><parent link='a'/><child link='b'/></joint></robot>";
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  ck_assert_int_eq(read_urdf(circle, a, &import, &err), TD_INVALID_ARGUMENT);
  ck_assert_msg(strstr(err.message, "link \"a\": it is not reached from the root \"w\""), "%s", err.message);
  ck_assert_int_eq(read_urdf(twice, a, &import, &err), TD_INVALID_ARGUMENT);
  ck_assert_msg(strstr(err.message, "line 2: joint \"y\": link \"b\" is carried by joint \"x\" of line 1"), "%s",
                err.message);
  arena_destroy(a);
}
END_TEST

// count elements, each in the one before (deep) or beside it.
static char *many(size_t count, bool deep) {
  char *text = malloc(count * 9 + 64), *p = text;
  p += sprintf(p, "<robot name='r'>");
  for (size_t i = 0; i < count; i++) p += sprintf(p, deep ? "<a>" : "<a/>");
  for (size_t i = 0; i < count && deep; i++) p += sprintf(p, "</a>");
  sprintf(p, "</robot>");
  return text;
}

static void check_many(size_t count, bool deep, td_status expected) {
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  char *text = many(count, deep);
  ck_assert_int_eq(read_urdf(text, a, &import, &err), expected); // within the limits it has no link
  ck_assert_msg(strstr(err.message, expected == TD_LIMIT ? "line 1: " : "it has no <link>"), "%s", err.message);
  free(text);
  arena_destroy(a);
}

START_TEST(depth_and_number_of_elements_have_a_limit) {
  check_many(63, true, TD_INVALID_ARGUMENT);
  check_many(64, true, TD_LIMIT);
  check_many(1000000, true, TD_LIMIT);
  check_many(99999, false, TD_INVALID_ARGUMENT);
  check_many(100000, false, TD_LIMIT);
}
END_TEST

START_TEST(what_is_left_out_is_told_once_with_its_line) {
  char *first =
      replaced(good, "<dynamics damping=\"0.7\"/>",
               "<limit lower=\"-1\" upper=\"1\"/>\n<mimic joint=\"x\"/><dynamics friction=\"0.2\" spring=\"3\"/>");
  char *text =
      replaced(first, "  </link>\n", "  <visual><geometry><box size=\"1 1 1\"/></geometry></visual>hello</link>\n");
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  ck_assert_int_eq(read_urdf(text, a, &import, &err), TD_OK);
  ck_assert(remarked(&import.remarks, 12, "[-1, 1] of joint \"elbow\""));
  ck_assert(remarked(&import.remarks, 13, "<mimic joint=\"x\"> of joint \"elbow\""));
  ck_assert(remarked(&import.remarks, 13, "friction 0.2 of joint \"elbow\""));
  ck_assert(remarked(&import.remarks, 13, "spring=\"3\" in <dynamics> of joint \"elbow\""));
  ck_assert(remarked(&import.remarks, 7, "text in link \"arm\""));
  ck_assert_uint_eq(places(&import.remarks), 5);
  char *document = json_dumps(import.document, JSON_COMPACT);
  ck_assert_ptr_nonnull(
      strstr(document, "\"limits\":{\"lower\":-1.0,\"upper\":1.0,\"stiffness\":10000.0,\"damping\":10000.0}"));
  free(document);
  json_decref(import.document);
  free(text);
  free(first);
  arena_destroy(a);
}
END_TEST

START_TEST(remarks_end_at_a_character_however_long_the_text) {
  char name[400] = "", element[512];
  for (int i = 0; i < 120; i++) strcat(name, i % 2 ? "\xc3\xa9" : "\xe2\x82\xac"); // é, €
  for (int shift = 0; shift < 4; shift++) {
    td_error err = {0};
    import_result import;
    arena *a = arena_create();
    snprintf(element, sizeof element, "<link name=\"base\"/><gazebo %.*s=\"%s\"/>", 1 + shift, "abcd", name);
    char *text = replaced(good, "<link name=\"base\"/>", element);
    ck_assert_int_eq(read_urdf(text, a, &import, &err), TD_OK);
    const remark_place *place = import.remarks.first->places;
    ck_assert(codec_utf8_valid(place->what, strlen(place->what)));
    ck_assert_int_eq(place->line, 3);
    json_decref(import.document);
    free(text);
    arena_destroy(a);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ what is drawn

static const char drawn[] =
    "<robot name='r'>\n<material name='red'><color rgba='1 0 0 1'/></material>\n<link name='b'>\n"
    "<visual><origin xyz='0 0 1' rpy='0.5 0 0'/><geometry><box size='1 2 3'/></geometry>\n"
    "<material name='red'/></visual>\n"
    "<visual><geometry><mesh filename='m/FILE' scale='2 1 1'/></geometry></visual></link>\n"
    "</robot>\n";

static json_t *base64(const char *bytes, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = malloc(size / 3 * 4 + 8), *p = text;
  for (size_t i = 0; i < size; i += 3) {
    unsigned bits = 0;
    for (size_t k = 0; k < 3; k++) bits = bits << 8 | (i + k < size ? (unsigned char)bytes[i + k] : 0);
    for (size_t k = 0; k < 4; k++) *p++ = i + k > size ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  json_t *out = json_stringn(text, (size_t)(p - text));
  free(text);
  return out;
}

static td_status read_drawn(const char *name, json_t *file, arena *a, import_result *out, td_error *err) {
  char *text = replaced(drawn, "FILE", name), key[64];
  snprintf(key, sizeof key, "m/%s", name);
  json_t *request = json_pack("{s:s}", "urdf", text);
  if (file) json_object_set_new(request, "meshes", json_pack("{s:o}", key, file));
  td_status status = codec_import_read(request, a, out, err);
  json_decref(request);
  free(text);
  return status;
}

static const json_t *view_of(const import_result *import) {
  return json_object_get(json_array_get(json_object_get(import->document, "links"), 0), "view");
}

// The square from (0, 0) to (2, 1), whatever file it came in.
static void assert_square(const char *name, const char *bytes, size_t size) {
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  ck_assert_msg(read_drawn(name, base64(bytes, size), a, &import, &err) == TD_OK, "%s", err.message);
  const json_t *mesh = json_array_get(view_of(&import), 1), *point;
  ck_assert_uint_eq(json_array_size(json_object_get(mesh, "triangles")), 2);
  ck_assert_uint_eq(json_array_size(json_object_get(mesh, "points")), 4);
  double far = 0;
  size_t i;
  json_array_foreach(json_object_get(mesh, "points"), i, point) {
    far += json_number_value(json_array_get(point, 0)) + 10 * json_number_value(json_array_get(point, 1));
  }
  ck_assert_double_eq_tol(far, 2 * 2 + 10 * 2, 1e-12);
  ck_assert_uint_eq(places(&import.remarks), 0);
  json_decref(import.document);
  arena_destroy(a);
}

START_TEST(visuals_are_the_view_of_a_link_whatever_file_their_mesh_is_in) {
  static const char obj[] = "# o\nv 0 0 0\nv 1 0 0\nv 1. +1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 -2//1 4\n";
  static const char text[] =
      "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\n"
      "endfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1e0 1 0\nvertex 0 1 0\n"
      "endloop\nendfacet\nendsolid\n";
  static const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 0, 0, 1, 1, 0, 0, 1, 0}};
  char binary[184] = "solid, though it is binary";
  binary[80] = 2;
  for (int i = 0; i < 2; i++) memcpy(binary + 84 + 50 * i + 12, corners[i], sizeof corners[i]);
  assert_square("a.obj", obj, sizeof obj - 1);
  assert_square("a.STL", text, sizeof text - 1);
  assert_square("b.stl", binary, sizeof binary);
}
END_TEST

START_TEST(shapes_keep_their_place_and_colour_and_a_mesh_that_is_missing_or_broken_is_told) {
  static const struct {
    const char *name, *text, *what;
  } rows[] = {
      {"a.dae", "x", "mesh \"m/a.dae\""},
      {"a.stl", NULL, "mesh \"m/a.stl\""},
      {"a.stl", "solid\nvertex 1 2 x", "mesh \"m/a.stl\", which is no STL: its vertices are not three for each facet"},
      {"a.stl", "short", "mesh \"m/a.stl\", which is no STL: it ends before its last triangle"},
      {"a.obj", "v 0 0 0\nf 1 1 2\n",
       "mesh \"m/a.obj\", which is no OBJ: a face has a corner that is no vertex before it"},
      {"a.obj", "v 0 0\n", "mesh \"m/a.obj\", which is no OBJ: a vertex is not three finite numbers"},
      {"a.obj", "# nothing", "mesh \"m/a.obj\", which has no triangle"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    td_error err = {0};
    import_result import;
    arena *a = arena_create();
    json_t *file = rows[i].text ? base64(rows[i].text, strlen(rows[i].text)) : NULL;
    ck_assert_int_eq(read_drawn(rows[i].name, file, a, &import, &err), TD_OK);
    ck_assert_msg(remarked(&import.remarks, 6, rows[i].what), "%s: %s", rows[i].what,
                  import.remarks.first ? import.remarks.first->places->what : "nothing");
    char *view = json_dumps(view_of(&import), JSON_COMPACT);
    ck_assert_str_eq(view, "[{\"type\":\"box\",\"pose\":{\"translation\":[0.0,0.0,1.0],\"rpy\":[0.5,0.0,0.0]},"
                           "\"colour\":[1.0,0.0,0.0],\"size\":[1.0,2.0,3.0]}]");
    free(view);
    json_decref(import.document);
    arena_destroy(a);
  }
}
END_TEST

START_TEST(a_link_whose_visuals_cannot_be_drawn_is_drawn_by_its_collision) {
  static const char text[] =
      "<robot name='r'><link name='b'><visual><geometry><mesh filename='a.dae'/></geometry></visual>\n"
      "<collision><geometry><sphere radius='2'/></geometry></collision></link></robot>";
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  ck_assert_int_eq(read_urdf(text, a, &import, &err), TD_OK);
  char *view = json_dumps(view_of(&import), JSON_COMPACT);
  ck_assert_str_eq(view, "[{\"type\":\"sphere\",\"radius\":2.0}]");
  ck_assert(remarked(&import.remarks, 2, "<collision> of link \"b\""));
  ck_assert_uint_eq(places(&import.remarks), 2);
  free(view);
  json_decref(import.document);
  arena_destroy(a);
}
END_TEST

// The `collision` of the first link's body as text, "none" without one.
static char *collision_of(const char *text, import_result *import, arena *a) {
  td_error err = {0};
  ck_assert_msg(read_urdf(text, a, import, &err) == TD_OK, "%s", err.message);
  json_t *link = json_array_get(json_object_get(import->document, "links"), 0);
  json_t *collision = json_object_get(json_object_get(link, "body"), "collision");
  char *out = collision ? json_dumps(collision, JSON_COMPACT | JSON_REAL_PRECISION(6)) : strdup("none");
  json_decref(import->document);
  return out;
}

START_TEST(the_one_collision_of_a_link_with_mass_is_what_its_body_touches_with_and_several_are_told) {
#define HEAVY "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define BALL "<collision><origin xyz='0 0 1'/><geometry><sphere radius='2'/></geometry></collision>"
#define OF(inside) "<robot name='r'><link name='b'>" inside "</link></robot>"
  static const struct {
    const char *text, *collision, *remark;
  } rows[] = {
      {OF(HEAVY BALL), "{\"shape\":\"sphere\",\"radius\":2.0,\"pose\":{\"translation\":[0.0,0.0,1.0]}}",
       "touches where `contacts` name the link: \"ground\": true is a floor that does, others"},
      {OF(HEAVY "<collision><geometry><box size='1 2 3'/></geometry></collision>"),
       "{\"shape\":\"box\",\"size\":[1.0,2.0,3.0]}",
       "touches where `contacts` name the link: \"ground\": true is a floor that does, others"},
      {OF(HEAVY "<collision><geometry><capsule radius='1' length='4'/></geometry></collision>"),
       "{\"shape\":\"capsule\",\"radius\":1.0,\"length\":4.0}",
       "touches where `contacts` name the link: \"ground\": true is a floor that does, others"},
      {OF(HEAVY "<collision><geometry><mesh filename='a.dae'/></geometry></collision>"), "none", "its mesh cannot"},
      {OF(HEAVY BALL BALL), "none", "touches with one shape"},
      {OF(BALL), "none", "touches with one shape"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    import_result import;
    arena *a = arena_create();
    char *collision = collision_of(rows[i].text, &import, a);
    ck_assert_str_eq(collision, rows[i].collision);
    ck_assert_msg(import.remarks.first && strstr(import.remarks.first->detail, rows[i].remark), "%s", rows[i].text);
    free(collision);
    arena_destroy(a);
  }
}
END_TEST

// So that bodies may touch it, whose meshes need a rounding that URDF does not have.
START_TEST(a_cylinder_touches_as_the_cylinder_that_it_is) {
  import_result import;
  arena *a = arena_create();
  char *text = collision_of(OF(HEAVY "<collision><geometry><cylinder radius='0.5' length='2'/></geometry></collision>"),
                            &import, a);
  json_t *collision = json_loads(text, 0, NULL);
  ck_assert_str_eq(json_string_value(json_object_get(collision, "shape")), "cylinder");
  ck_assert_double_eq(json_number_value(json_object_get(collision, "radius")), 0.5);
  ck_assert_double_eq(json_number_value(json_object_get(collision, "length")), 2);
  ck_assert_ptr_null(json_object_get(collision, "points"));
  json_decref(collision);
  free(text);
  arena_destroy(a);
}
END_TEST

START_TEST(a_mesh_of_many_corners_is_thinned_to_what_a_document_may_have) {
  enum { SIDE = 80 };
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  char *obj = malloc(SIDE * SIDE * 64), *p = obj;
  for (int i = 0; i < SIDE * SIDE; i++) p += sprintf(p, "v %d %d %g\n", i % SIDE, i / SIDE, sin(0.1 * i));
  for (int i = 0; i < SIDE * (SIDE - 1); i++)
    if (i % SIDE < SIDE - 1) p += sprintf(p, "f %d %d %d %d\n", i + 1, i + 2, i + SIDE + 2, i + SIDE + 1);
  ck_assert_int_eq(read_drawn("a.obj", base64(obj, (size_t)(p - obj)), a, &import, &err), TD_OK);
  const json_t *mesh = json_array_get(view_of(&import), 1);
  size_t left = json_array_size(json_object_get(mesh, "points"));
  ck_assert_msg(left <= 2000 && left > 1000, "%zu points", left);
  ck_assert_uint_eq(places(&import.remarks), 1);
  json_decref(import.document);
  free(obj);
  arena_destroy(a);
}
END_TEST

// det (I - lambda 1) of a symmetric 3x3 matrix has the roots; a body has I1 <= I2 + I3, which is S = tr/2 1 - I >= 0.
static void assert_of_a_body(const json_t *rows) {
  double I[3][3], S[3][3];
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) I[i][j] = json_number_value(json_array_get(json_array_get(rows, i), j));
  double half = (I[0][0] + I[1][1] + I[2][2]) / 2;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) S[i][j] = (i == j ? half : 0) - I[i][j];
  double minors = S[0][0] * S[1][1] - S[0][1] * S[1][0] + S[1][1] * S[2][2] - S[1][2] * S[2][1] + S[0][0] * S[2][2] -
                  S[0][2] * S[2][0];
  double det = S[0][0] * (S[1][1] * S[2][2] - S[1][2] * S[2][1]) - S[0][1] * (S[1][0] * S[2][2] - S[1][2] * S[2][0]) +
               S[0][2] * (S[1][0] * S[2][1] - S[1][1] * S[2][0]);
  ck_assert(half >= 0 && minors >= -1e-15 && det >= -1e-15);
}

START_TEST(an_inertia_of_no_body_is_refused_or_made_the_nearest_with_a_remark) {
  char *text = replaced(good, "ixx=\"0.1\" ixy=\"0\" ixz=\"0\"", "ixx=\"0.4\" ixy=\"0.05\" ixz=\"-0.01\"");
  td_error err = {0};
  import_result import;
  td_model *model = NULL;
  arena *a = arena_create();
  ck_assert_int_eq(read_urdf(text, a, &import, &err), TD_OK);
  ck_assert_int_eq(codec_model_build(import.document, "", &model, &err), TD_INVALID_ARGUMENT);
  codec_import_blame(&import, err.pointer, err.message, sizeof err.message);
  ck_assert_str_eq(err.pointer, "/urdf");
  ck_assert_msg(strstr(err.message, "line 4: ") && strstr(err.message, "\"inertia\": \"nearest\""), "%s", err.message);
  json_decref(import.document);

  json_t *request = json_pack("{s:s,s:s}", "urdf", text, "inertia", "nearest");
  ck_assert_int_eq(codec_import_read(request, a, &import, &err), TD_OK);
  ck_assert_uint_eq(places(&import.remarks), 1);
  ck_assert_int_eq(import.remarks.first->places->line, 6);
  assert_of_a_body(json_object_get(
      json_object_get(json_array_get(json_object_get(import.document, "links"), 1), "body"), "inertia"));
  ck_assert_msg(codec_model_build(import.document, "", &model, &err) == TD_OK, "%s", err.message);
  td_model_destroy(model);
  json_decref(import.document);
  json_decref(request);
  free(text);
  arena_destroy(a);
}
END_TEST

// ------------------------------------------------------------------------------------------------ requests

static const char finger[] =
    "{'format':'tendril.model/"
    "1','links':[{'name':'palm','joint':{'type':'fixed'}},{'name':'tip','parent':'palm','joint':"
    "{'type':'revolute'},'body':{'type':'rigid','mass':1,'inertia':[1,1,1]}}],'actuators':[{'name':'m','type':'joint',"
    "'link':'tip'}],'springs':[{'a':{'link':'world','pose':{'translation':[0,0,1]}},'b':{'link':'tip'},'stiffness':3}],"
    "'loads':[{'link':'tip','channels':['push',null,null,null,null,null]}]}";

static json_t *parsed(const char *format, const char *inside) {
  char *text = malloc(strlen(format) + 4 * strlen(inside) + 1);
  sprintf(text, format, inside, inside, inside);
  for (char *p = text; *p; p++)
    if (*p == '\'') *p = '"';
  td_error err = {0};
  json_t *json = codec_parse(text, strlen(text), &err);
  ck_assert_msg(json != NULL, "%s %s", err.message, text);
  free(text);
  return json;
}

typedef struct refused {
  const char *request; // %s: the finger
  const char *pointer, *words;
} refused;

static const refused refusals[] = {
    {"{'model':%s,'attach':[{'model':%s,'parent':'tip'}]}", "/attach/0/model/links/0/name",
     "both robots have a link \"palm\""},
    {"{'model':%s,'attach':[{'model':%s,'parent':'tipp','prefix':'b_'}]}", "/attach/0/parent", "did you mean \"tip\"?"},
    {"{'model':%s,'attach':[{'model':%s,'prefix':'b_'}]}", "/attach/0/parent", "required key"},
    {"{'model':%s,'attach':[{'model':%s,'parent':'tip','at':2,'prefix':'b_'}]}", "/attach/0/at", "2"},
    {"{'model':%s,'attach':[{'model':%s,'parent':'tip','prefix':'"
     "0123456789012345678901234567890123456789012345678901234567890'}]}",
     "/attach/0/prefix", "more than 63 bytes"},
    {"{'model':%s,'attach':[{'model':{'format':'tendril.model/"
     "1','links':[{'name':'x','joint':{'type':'bal'}}]},'parent':'tip'}]}",
     "/attach/0/model/links/0/joint/type", "bal"},
    {"{'model':%s,'attach':[{'model':{'format':'tendril.model/"
     "1','links':[{'name':'x','joint':{'type':'fixed'}}],'fluid':{'density':1}},"
     "'parent':'tip'}]}",
     "/attach/0/model/fluid", "not the fluid"},
    {"{'model':%s,'gravity':[0,0,0]}", "/gravity", "a model document says that itself"},
    {"{'model':%s,'urdf':'<robot/>'}", "", "either"},
    {"{'name':'x'}", "", "either"},
    {"{'urdf':'<robot/>','actuators':'some'}", "/actuators", "force, position, none"},
    {"{'urdf':3}", "/urdf", "string"},
};

static void check_refused(const refused *one) {
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  json_t *request = parsed(one->request, finger);
  ck_assert_int_eq(codec_import_read(request, a, &import, &err), TD_INVALID_ARGUMENT);
  ck_assert_ptr_null(import.document);
  ck_assert_msg(strcmp(err.pointer, one->pointer) == 0 && strstr(err.message, one->words), "%s: %s", err.pointer,
                err.message);
  json_decref(request);
  arena_destroy(a);
}

START_TEST(a_request_that_is_wrong_is_named_by_its_place) {
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) check_refused(&refusals[i]);
}
END_TEST

START_TEST(what_is_attached_gets_the_prefix_everywhere_and_the_link_for_its_world) {
  static const char want[] = "[{'name': 'b_palm', 'joint': {'type': 'fixed'}, 'parent': 'tip', 'pose': {'translation': "
                             "[1, 0, 0]}}, {'name': 'b_tip', "
                             "'parent': 'b_palm', 'joint': {'type': 'revolute'}, 'body': {'type': 'rigid', 'mass': 1, "
                             "'inertia': [1, 1, 1]}}, {'name': "
                             "'b_m', 'type': 'joint', 'link': 'b_tip'}, {'link': 'b_tip', 'channels': ['b_push', null, "
                             "null, null, null, null]}, {'a': "
                             "{'link': 'tip', 'pose': {'translation': [1, 0, 1], 'quaternion': [1, 0, 0, 0]}}, 'b': "
                             "{'link': 'b_tip'}, 'stiffness': 3}]";
  td_error err = {0};
  import_result import;
  td_model *model = NULL;
  arena *a = arena_create();
  json_t *request = parsed(
      "{'model':%s,'attach':[{'model':%s,'parent':'tip','prefix':'b_','pose':{'translation':[1,0,0]}}]}", finger);
  ck_assert_msg(codec_import_read(request, a, &import, &err) == TD_OK, "%s %s", err.pointer, err.message);
  const json_t *d = import.document;
  json_t *got = json_array(), *wanted = parsed(want, "");
  for (size_t i = 2; i < 4; i++) json_array_append(got, json_array_get(json_object_get(d, "links"), i));
  json_array_append(got, json_array_get(json_object_get(d, "actuators"), 1));
  json_array_append(got, json_array_get(json_object_get(d, "loads"), 1));
  json_array_append(got, json_array_get(json_object_get(d, "springs"), 1));
  codec_buffer one, other;
  codec_buffer_init(&one, 0);
  codec_buffer_init(&other, 0);
  codec_buffer_tree(&one, got);
  codec_buffer_tree(&other, wanted);
  codec_buffer_append(&one, "", 1);
  codec_buffer_append(&other, "", 1);
  ck_assert_str_eq(one.data, other.data);
  ck_assert_int_eq(codec_model_build(d, "", &model, &err), TD_OK);
  ck_assert_int_eq(td_model_ndof(model), 2);
  td_model_destroy(model);
  codec_buffer_fini(&one);
  codec_buffer_fini(&other);
  json_decref(got);
  json_decref(wanted);
  json_decref(import.document);
  json_decref(request);
  arena_destroy(a);
}
END_TEST

START_TEST(what_is_wrong_with_the_whole_is_said_of_its_part) {
  static const struct {
    const char *pointer, *wanted;
  } rows[] = {{"/links/1/body/mass", "/model/links/1/body/mass"},
              {"/links/3/body", "/attach/0/model/links/1/body"},
              {"/links/4", "/attach/1/model/links/0"},
              {"/actuators/2/name", "/attach/1/model/actuators/0/name"},
              {"/springs/1/a", "/attach/0/model/springs/0/a"},
              {"/gravity", "/model/gravity"},
              {"", "/model"}};
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  json_t *request = parsed(
      "{'model':%s,'attach':[{'model':%s,'parent':'tip','prefix':'b_'},{'model':%s,'parent':'b_tip','prefix':'c_'}]}",
      finger);
  ck_assert_int_eq(codec_import_read(request, a, &import, &err), TD_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char pointer[TD_POINTER_SIZE], message[TD_MESSAGE_SIZE] = "m";
    snprintf(pointer, sizeof pointer, "%s", rows[i].pointer);
    codec_import_blame(&import, pointer, message, sizeof message);
    ck_assert_str_eq(pointer, rows[i].wanted);
    ck_assert_str_eq(message, "m");
  }
  json_decref(import.document);
  json_decref(request);
  arena_destroy(a);
}
END_TEST

TEST_MAIN("codec_import", a_joint_becomes_a_link_of_the_same_frame_axis_and_damper,
          what_is_wrong_is_named_by_line_and_element, joints_in_a_circle_and_links_carried_twice_are_no_tree,
          depth_and_number_of_elements_have_a_limit, what_is_left_out_is_told_once_with_its_line,
          visuals_are_the_view_of_a_link_whatever_file_their_mesh_is_in,
          shapes_keep_their_place_and_colour_and_a_mesh_that_is_missing_or_broken_is_told,
          a_link_whose_visuals_cannot_be_drawn_is_drawn_by_its_collision,
          the_one_collision_of_a_link_with_mass_is_what_its_body_touches_with_and_several_are_told,
          a_cylinder_touches_as_the_cylinder_that_it_is, a_mesh_of_many_corners_is_thinned_to_what_a_document_may_have,
          remarks_end_at_a_character_however_long_the_text,
          an_inertia_of_no_body_is_refused_or_made_the_nearest_with_a_remark,
          a_request_that_is_wrong_is_named_by_its_place,
          what_is_attached_gets_the_prefix_everywhere_and_the_link_for_its_world,
          what_is_wrong_with_the_whole_is_said_of_its_part)
