// Rods of a USD: what a layer becomes, and that whatever is wrong is named by line and prim.
//
// Layers are made from one good one by replacing a text that stands in it once.
#include "codec/import/import.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char good[] = "#usda 1.0\n"
                           "( metersPerUnit = 1\n upAxis = \"Z\" )\n"
                           "def Xform \"World\" {\n"
                           "  double3 xformOp:translate = (1, 2, 3)\n"
                           "  uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
                           "  def Material \"M\" (prepend apiSchemas = [\"PhysicsCurvesDeformableMaterialAPI\"]) {\n"
                           "    float physics:thickness = 0.02\n"
                           "    float physics:bendStiffness = 1e6\n"
                           "    float physics:density = 1000\n"
                           "  }\n"
                           "  def BasisCurves \"rod\" (prepend apiSchemas = [\"PhysicsCurvesDeformableSimAPI\"]) {\n"
                           "    rel material:binding:physics = </World/M>\n"
                           "    uniform token type = \"linear\"\n"
                           "    int[] curveVertexCounts = [3]\n"
                           "    point3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]\n"
                           "    float[] physics:masses = [0, 0.4, 0.2]\n"
                           "  }\n"
                           "}\n";

static char *replaced(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  ck_assert_msg(at && !strstr(at + 1, from), "'%s' stands there once", from);
  char *out = malloc(strlen(text) + strlen(to) + 1);
  sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return out;
}

static td_status read_usd(const char *text, arena *a, import_result *out, td_error *err) {
  json_t *request = json_pack("{s:s}", "usd", text);
  ck_assert_ptr_nonnull(request);
  td_status status = codec_import_read(request, a, out, err);
  json_decref(request);
  return status;
}

static bool told(const import_result *import, const char *detail, const char *what) {
  for (const import_remark *r = import->remarks.first; r; r = r->next)
    for (const remark_place *p = r->places; p; p = p->next)
      if (strstr(r->detail, detail) && strstr(p->what, what)) return true;
  return false;
}

/// A layer that differs from the good one, and what then is.
typedef struct variant {
  const char *from, *to;
  double x, y, z;    ///< where the rod begins
  double tx, ty, tz; ///< where it goes, of length 1
  double length;
  const char *joint; ///< its type
  const char *detail, *what;
} variant;

static const variant variants[] = {
    {"thickness", "thickness", 1, 2, 3, 1, 0, 0, 2, "fixed", "does not stretch", "rod"},
    {"float[] physics:masses = [0, 0.4, 0.2]", "", 1, 2, 3, 1, 0, 0, 2, "free", "becomes a rod", "rod"},
    {"[0, 0.4, 0.2]", "[0.2, 0.4, 0]", 3, 2, 3, -1, 0, 0, 2, "fixed", "from its last point on", "rod"},
    {"[0, 0.4, 0.2]", "[0, 0, 0.2]", 2, 2, 3, 1, 0, 0, 1, "fixed", "stands still", "the beginning of"},
    {"[0, 0.4, 0.2]", "[0, 0.4, 0]", 1, 2, 3, 1, 0, 0, 2, "fixed", "`loops` of the model", "the last end of"},
    {"[0, 0.4, 0.2]", "[0, 0.4, 0.9]", 1, 2, 3, 1, 0, 0, 2, "fixed", "other masses", "rod"},
    {"upAxis = \"Z\"", "upAxis = \"Y\"", 1, -3, 2, 1, 0, 0, 2, "fixed", "y is up", "upAxis"},
    {"metersPerUnit = 1", "metersPerUnit = 0.1", .1, .2, .3, 1, 0, 0, .2, "fixed", "becomes", "rod"},
    {"metersPerUnit = 1", "", .01, .02, .03, 1, 0, 0, .02, "fixed", "that of USD", "metersPerUnit: 0.01"},
    {"\n  uniform token[] xformOpOrder = [",
     "\n  quatf xformOp:orient = (0.5, 0.5, 0.5, 0.5)\n  uniform token[] xformOpOrder = "
     "[\"xformOp:orient\", ",
     3, 1, 2, 0, 1, 0, 2, "fixed", "becomes", "rod"},
    {"\n  uniform token[] xformOpOrder = [\"xformOp:translate\"",
     "\n  double xformOp:rotateZ = 90\n  uniform token[] xformOpOrder"
     " = [\"xformOp:translate\", \"xformOp:rotateZ\"",
     1, 2, 3, 0, 1, 0, 2, "fixed", "becomes", "rod"},
    {"[\"xformOp:translate\"]", "[\"!invert!xformOp:translate\"]", -1, -2, -3, 1, 0, 0, 2, "fixed", "becomes", "rod"},
    {"double3 xformOp:translate = (1, 2, 3)\n  uniform token[] xformOpOrder = [\"xformOp:translate\"]",
     "matrix4d xformOp:transform = ((0, 0, 3, 0), (1, 0, 0, 0), (0, 1, 0, 0), (4, 5, 6, 1))\n"
     "  uniform token[] xformOpOrder = [\"xformOp:transform\"]",
     4, 5, 6, 0, 0, 1, 6, "fixed", "becomes", "rod"},
    {"double3 xformOp:translate = (1, 2, 3)\n  uniform token[] xformOpOrder = [\"xformOp:translate\"]",
     "float3 xformOp:rotateXYZ = (90, 0, 90)\n float3 xformOp:scale = (2, 1, 1)\n"
     "  uniform token[] xformOpOrder = [\"xformOp:rotateXYZ\", \"xformOp:scale\"]",
     0, 0, 0, 0, 1, 0, 4, "fixed", "becomes", "rod"},
    {"  def BasisCurves",
     "  def Scope \"S\" { uniform token[] xformOpOrder = [\"!resetXformStack!\"] }\n  def BasisCurves", 1, 2, 3, 1, 0,
     0, 2, "fixed", "becomes", "rod"},
    {"    int[] curve", "    uniform token[] xformOpOrder = [\"!resetXformStack!\"]\n    int[] curve", 0, 0, 0, 1, 0, 0,
     2, "fixed", "becomes", "rod"},
    {"    int[] curve", "    point3f[] physics:restShapePoints = [(5, 0, 0), (5, 0, 1), (5, 0, 2)]\n    int[] curve", 1,
     2, 3, 1, 0, 0, 2, "fixed", "becomes", "rod"},
    {"    int[] curve", "    point3f[] physics:restShapePoints = [(5, 0, 0), (5, 0, 1), (5, 0, 3)]\n    int[] curve", 1,
     2, 3, 1, 0, 0, 3, "fixed", "begins elsewhere than at rest", "rod"},
    {"(2, 0, 0)]", "(1, 1, 0)]", 1, 2, 3, M_SQRT1_2, -M_SQRT1_2, 0, M_SQRT1_2 *M_PI, "fixed", "becomes",
     "along a circle or helix"},
};

static double at(const json_t *array, size_t i) { return json_number_value(json_array_get(array, i)); }

static void check_variant(const variant *v) {
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  char *text = replaced(good, v->from, v->to);
  ck_assert_msg(read_usd(text, a, &import, &err) == TD_OK, "%s: %s", v->to, err.message);
  const json_t *link = json_array_get(json_object_get(import.document, "links"), 0),
               *pose = json_object_get(link, "pose");
  const json_t *t = json_object_get(pose, "translation"), *q = json_object_get(pose, "quaternion");
  double w = q ? at(q, 0) : 1, i = at(q, 1), j = at(q, 2), k = at(q, 3);
  const double wanted[] = {v->x, v->y, v->z, v->tx, v->ty, v->tz, v->length};
  const double found[] = {at(t, 0),
                          at(t, 1),
                          at(t, 2),
                          1 - 2 * (j * j + k * k),
                          2 * (i * j + w * k),
                          2 * (i * k - w * j),
                          json_number_value(json_object_get(json_object_get(link, "body"), "length"))};
  for (int n = 0; n < 7; n++)
    ck_assert_msg(fabs(found[n] - wanted[n]) < 1e-9, "%s: %d is %g, not %g", v->to, n, found[n], wanted[n]);
  ck_assert_str_eq(json_string_value(json_object_get(json_object_get(link, "joint"), "type")), v->joint);
  ck_assert_msg(told(&import, v->detail, v->what), "%s: it is told: %s", v->to, v->detail);
  free(text);
  json_decref(import.document);
  arena_destroy(a);
}

START_TEST(a_rod_begins_where_its_points_and_transforms_put_it_and_hangs_as_its_masses_say) {
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) check_variant(&variants[i]);
}
END_TEST

/// Moduli of the material, and those of the rod.
typedef struct stiffness {
  const char *text;
  double young, shear, correction; ///< correction 0: no shear
  bool stretches;
} stiffness;

START_TEST(moduli_and_stiffnesses_become_one_material_and_strains_of_another_are_left_out) {
  const double A = M_PI * 1e-4, I = A * 1e-4 / 4;
  char structural[256];
  snprintf(structural, sizeof structural,
           "float physics:curvesBendStiffness = %.17g\nfloat physics:curvesTwistStiffness = %.17g\n"
           "float physics:curvesStretchStiffness = %.17g\nfloat physics:curvesShearStiffness = %.17g",
           3e6 * I, 2e6 * 2 * I, 3e6 * A, 1.6e6 * A);
  const stiffness rows[] = {
      {"float physics:bendStiffness = 1e6", 1e6, 1e6, 0, false},
      {"float omniphysics:bendStiffness = 1e6", 1e6, 1e6, 0, false},
      {"float physics:bendStiffness = 1e6\nfloat physics:stretchStiffness = 1e6", 1e6, 1e6, 1, true},
      {"float physics:bendStiffness = 1e6\nfloat physics:stretchStiffness = 1e9\nfloat physics:twistStiffness = 4e5\n"
       "float physics:shearStiffness = 4e5",
       1e6, 4e5, 1, false},
      {"float physics:youngsModulus = 2e6\nfloat physics:poissonsRatio = 0.25", 2e6, 8e5, 0.9, true},
      {"float physics:youngsModulus = -inf", 1e6, 1e6 / 2.6, 0.9, true},
      {structural, 3e6, 2e6, 0.8, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    td_error err = {0};
    import_result import;
    arena *a = arena_create();
    char *text = replaced(good, "float physics:bendStiffness = 1e6", rows[i].text);
    ck_assert_msg(read_usd(text, a, &import, &err) == TD_OK, "%s", err.message);
    const json_t *body = json_object_get(json_array_get(json_object_get(import.document, "links"), 0), "body");
    const json_t *material = json_object_get(body, "material"),
                 *order = json_object_get(json_object_get(body, "strain"), "order");
    const json_t *k = json_object_get(json_object_get(body, "section"), "shear_correction");
    ck_assert_double_eq_tol(json_number_value(json_object_get(material, "young")) / rows[i].young, 1, 1e-12);
    ck_assert_double_eq_tol(json_number_value(json_object_get(material, "shear")) / rows[i].shear, 1, 1e-12);
    ck_assert_double_eq_tol(json_number_value(json_object_get(material, "density")), 0.6 / (1.5 * A), 1e-6);
    ck_assert_int_eq(json_object_get(order, "elongation") != NULL, rows[i].stretches);
    ck_assert_int_eq(json_object_get(order, "shear_y") != NULL, rows[i].correction > 0);
    if (rows[i].correction > 0) ck_assert_double_eq_tol(k ? json_number_value(k) : 1, rows[i].correction, 1e-12);
    free(text);
    json_decref(import.document);
    arena_destroy(a);
  }
}
END_TEST

typedef struct broken {
  const char *from, *to, *words, *more;
} broken;

static const broken cases[] = {
    {"#usda 1.0", "PXR-USDC", "line 1: this is binary USD", "usdcat --flatten"},
    {"#usda 1.0", "usda", "line 1: a layer of USD as text begins with #usda 1.0", ""},
    {"(prepend apiSchemas = [\"PhysicsCurvesDeformableMaterialAPI\"])", "(references = @m.usda@</M> (offset = 1))",
     "line 7: references: it is made", "usdcat --flatten"},
    {"( metersPerUnit = 1", "( subLayers = [@a.usda@]", "line 2: subLayers", "usdcat --flatten"},
    {"  def Material", "  variantSet \"v\" = { }\n  def Material", "line 7: variantSet", "usdcat --flatten"},
    {"upAxis = \"Z\"", "upAxis = \"X\"", "line 3: upAxis \"X\" is neither Y nor Z", ""},
    {"metersPerUnit = 1", "metersPerUnit = 0", "line 2: metersPerUnit 0 has to be more than 0", ""},
    {"(2, 0, 0)]", "(2, 0)]", "line 16: /World/rod: points: a value has 2 numbers, not 3", ""},
    {"(2, 0, 0)]", "(2, 0, x)]", "line 16: /World/rod: points: 'x' is not a number", ""},
    {"(2, 0, 0)]", "(2, 0, inf)]", "line 16: /World/rod: points: 'inf' is not a number", ""},
    {"(2, 0, 0)]", "(2, 0, 0))", "line 16: ')' stands where ']' should", ""},
    {"(2, 0, 0)]", "(1, 0, 0)]", "line 16: /World/rod: points: two points that follow one another are at one place",
     ""},
    {"(1, 0, 0), (2, 0, 0)]", "(1, 0, 0), (2, 0, 0), (2, 3, 0), (3, 0, 9), (9, 9, 9)]",
     "line 15: /World/rod: curveVertexCounts are 3 points", "points 6"},
    {"int[] curveVertexCounts = [3]\n    point3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]\n    float[] "
     "physics:masses = [0, 0.4, 0.2]",
     "int[] curveVertexCounts = [5]\n    point3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 2, 0), (5, 5, 0)]",
     "line 16: /World/rod: points: at rest it is neither straight nor a circle or helix", "cut the curve"},
    {"[3]", "[2.5]", "line 15: /World/rod: curveVertexCounts", "2.5"},
    {"[0, 0.4, 0.2]", "[0, 0.4]", "line 17: /World/rod: physics:masses has 2 entries, points 3", ""},
    {"[0, 0.4, 0.2]", "[0, -0.4, 0.2]", "line 17: /World/rod: physics:masses: -0.4 is negative", ""},
    {"bendStiffness = 1e6", "bendStiffness = 0", "bending 0 Pa and twist 0 Pa have to be more than 0", "line 7"},
    {"thickness = 0.02", "thickness = -2", "line 8: /World/M: physics:thickness -2 has to be more than 0", ""},
    {"</World/M>", "</World/N>", "line 13: /World/rod: material:binding:physics: there is no prim </World/N>", ""},
    {"</World/M>", "<../M>", "line 13: /World/rod: material:binding:physics is no path from the root", ""},
    {"[\"xformOp:translate\"]", "[\"xformOp:scale\"]", "line 6: /World: xformOpOrder names \"xformOp:scale\"", ""},
    {"type = \"linear\"", "type = \"cubic\"", "it has no rod", ""},
    {"\"linear\"\n", "\"linear\n", "line 14: a string has no end in its line", ""},
    {"    float physics:density = 1000\n", "    float physics:density = 1000\n    float physics:density = 1\n",
     "line 11: physics:density stands in line 10 already", ""},
    {"  }\n}\n", "  }\n", "line 19: 'the end' stands where '}' should", ""},
    {"def Xform", "define Xform", "line 4: 'define' stands where a prim should", ""},
};

START_TEST(what_is_wrong_with_a_layer_is_named_by_line_and_prim) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_error err = {0};
    import_result import;
    arena *a = arena_create();
    char *text = replaced(good, cases[i].from, cases[i].to);
    ck_assert_msg(read_usd(text, a, &import, &err) == TD_INVALID_ARGUMENT, "%s", cases[i].to);
    ck_assert_ptr_null(import.document);
    ck_assert_str_eq(err.pointer, "/usd");
    ck_assert_msg(strstr(err.message, cases[i].words) && strstr(err.message, cases[i].more), "%s: %s", cases[i].to,
                  err.message);
    free(text);
    arena_destroy(a);
  }
}
END_TEST

// `count` times `open`, then `count` times `close`.
static td_status read_many(const char *open, const char *close, size_t count) {
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  char *text = malloc(64 + count * (strlen(open) + strlen(close))), *p = text;
  p += sprintf(p, "#usda 1.0\n");
  for (size_t i = 0; i < count; i++) p += sprintf(p, "%s", open);
  for (size_t i = 0; i < count; i++) p += sprintf(p, "%s", close);
  td_status status = read_usd(text, a, &import, &err);
  ck_assert_msg(status != TD_LIMIT || strstr(err.message, "more than"), "%s", err.message);
  free(text);
  arena_destroy(a);
  return status;
}

START_TEST(depth_and_number_of_prims_and_brackets_have_a_limit) {
  ck_assert_int_eq(read_many("def \"a\" {", "}", 64), TD_INVALID_ARGUMENT); // it has no rod
  ck_assert_int_eq(read_many("def \"a\" {", "}", 65), TD_LIMIT);
  ck_assert_int_eq(read_many("def \"a\" {}", "", 100000), TD_INVALID_ARGUMENT);
  ck_assert_int_eq(read_many("def \"a\" {}", "", 100001), TD_LIMIT);
  ck_assert_int_eq(read_many("( a = [", "", 2), TD_INVALID_ARGUMENT);
  ck_assert_int_eq(read_many("[", "", 1000000), TD_INVALID_ARGUMENT);
  td_error err = {0};
  import_result import;
  arena *a = arena_create();
  char deep[200] = "#usda 1.0\n( a = ";
  memset(deep + strlen(deep), '[', 65);
  ck_assert_int_eq(read_usd(deep, a, &import, &err), TD_LIMIT);
  arena_destroy(a);
}
END_TEST

TEST_MAIN("codec_import_usd", a_rod_begins_where_its_points_and_transforms_put_it_and_hangs_as_its_masses_say,
          moduli_and_stiffnesses_become_one_material_and_strains_of_another_are_left_out,
          what_is_wrong_with_a_layer_is_named_by_line_and_prim, depth_and_number_of_prims_and_brackets_have_a_limit)
