// Long bodies that cross away from their corners, ends and points: none passes through another, wherever they cross.
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/dynamics.h"
#include "tendril/warnings.h"
#include <stdio.h>
#include <string.h>

#define RIGID "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"collision\": "

// Along x and along y, 0.4 m long and 0.04 m thick.
static const char *const LONG[][2] = {
    {RIGID "{\"shape\": \"box\", \"size\": [0.4, 0.04, 0.04]}}",
     RIGID "{\"shape\": \"box\", \"size\": [0.04, 0.4, 0.04]}}"},
    {RIGID "{\"shape\": \"capsule\", \"radius\": 0.02, \"length\": 0.4, \"axis\": [1, 0, 0]}}",
     RIGID "{\"shape\": \"capsule\", \"radius\": 0.02, \"length\": 0.4, \"axis\": [0, 1, 0]}}"},
    {RIGID "{\"shape\": \"cylinder\", \"radius\": 0.02, \"length\": 0.4, \"axis\": [1, 0, 0]}}",
     RIGID "{\"shape\": \"cylinder\", \"radius\": 0.02, \"length\": 0.4, \"axis\": [0, 1, 0]}}"},
    {RIGID
     "{\"shape\": \"mesh\", \"rounding\": 0.004, \"points\": [[-0.2, -0.016, -0.016], [-0.2, 0.016, -0.016], [-0.2, "
     "-0.016, 0.016], [-0.2, 0.016, 0.016], [0.2, -0.016, -0.016], [0.2, 0.016, -0.016], [0.2, -0.016, 0.016], "
     "[0.2, 0.016, 0.016]]}}",
     RIGID "{\"shape\": \"mesh\", \"rounding\": 0.004, \"points\": [[-0.016, -0.2, -0.016], [0.016, -0.2, -0.016], "
           "[-0.016, -0.2, 0.016], [0.016, -0.2, 0.016], [-0.016, 0.2, -0.016], [0.016, 0.2, -0.016], [-0.016, 0.2, "
           "0.016], [0.016, 0.2, 0.016]]}}"},
};
enum { SHAPES = sizeof LONG / sizeof *LONG };

static const char ROD[] =
    "\"pose\": {\"translation\": [-0.2, 0, 0]}, \"body\": {\"type\": \"rod\", \"length\": 0.4, \"section\": "
    "{\"shape\": "
    "\"circle\", \"radius\": 0.02}, \"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000}, \"strain\": "
    "{\"basis\": \"legendre\", \"order\": {\"bending_y\": 1}}, \"quadrature\": {\"points\": 5}}";

static td_model *crossing(const char *a, const char *b) {
  char text[4096];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"free\"}, %s}, "
           "{\"name\": \"b\", \"joint\": {\"type\": \"fixed\"}, %s}], \"contacts\": [{\"type\": \"pair\", \"a\": "
           "[\"a\"], \"b\": [\"b\"], \"stiffness\": "
           "1e4}]}",
           a, b);
  return test_model_from_text(text);
}

// `a` above `b`, crossing it off both middles, `depth` in it: what pushes it up, N.
static double lift(const td_model *model, td_workspace *ws, double x, double y, double depth) {
  double q[16] = {0, 0, 0, x, y, 0.04 - depth}, id[16], zero[16] = {0};
  ck_assert_int_eq(td_inverse_dynamics(model, ws, q, zero, zero, NULL, id), TD_OK);
  return -id[5];
}

static void is_felt(const char *a, const char *b, const char *what) {
  td_model *model = crossing(a, b);
  td_workspace *ws;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  for (double x = -0.15; x < 0.16; x += 0.023)
    for (double y = -0.15; y < 0.16; y += 0.017)
      for (double depth = 0.003; depth < 0.01; depth += 0.003)
        ck_assert_msg(lift(model, ws, x, y, depth) > 0, "%s: nothing at (%g, %g), %g m deep", what, x, y, depth);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}

START_TEST(bodies_that_cross_push_each_other_wherever_they_cross) {
  char what[64];
  for (int a = 0; a < SHAPES; a++)
    for (int b = 0; b < SHAPES; b++) {
      snprintf(what, sizeof what, "shapes %d and %d", a, b);
      is_felt(LONG[a][0], LONG[b][1], what);
    }
  for (int b = 0; b < SHAPES; b++) {
    snprintf(what, sizeof what, "a rod and shape %d", b);
    is_felt(ROD, LONG[b][1], what);
  }
}
END_TEST

START_TEST(an_edge_that_is_too_long_for_what_may_cross_it_is_told) {
  td_model *model = crossing(LONG[0][0], RIGID "{\"shape\": \"box\", \"size\": [0.002, 0.4, 0.4]}}");
  const td_warnings *w = td_model_warnings(model);
  bool told = false;
  for (int i = 0; i < w->count; i++) told |= !strcmp(w->list[i].code, "coarse_contact");
  ck_assert_msg(told, "no warning");
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("crossing_bodies", bodies_that_cross_push_each_other_wherever_they_cross,
          an_edge_that_is_too_long_for_what_may_cross_it_is_told)
