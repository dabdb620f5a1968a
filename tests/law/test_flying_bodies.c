// Whoever flies through another within a step is told, however small, fast and coarsely followed; who flies past is not.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <stdio.h>
#include <string.h>

#define BALL "{\"shape\": \"sphere\", \"radius\": 0.0005}"
#define BOX "{\"shape\": \"box\", \"size\": [0.001, 0.001, 0.001]}"
#define PLATE "{\"shape\": \"box\", \"size\": [0.002, 0.1, 0.1]}"
#define BEAD "{\"shape\": \"capsule\", \"radius\": 0.0005, \"length\": 0.004, \"axis\": \"z\"}"
#define PIN "{\"shape\": \"cylinder\", \"radius\": 0.0005, \"length\": 0.004, \"axis\": \"y\"}"

// At (0.0503, y, 0): a link of a pair, or an obstacle.
typedef struct target {
  const char *link, *contact;
  double past; // y at which what flies along x goes by
} target;

#define PAIR "\"type\": \"pair\", \"a\": [\"fly\"], \"b\": [\"still\"]"
#define STILL(shape)                                                                                                   \
  ", {\"name\": \"still\", \"joint\": {\"type\": \"fixed\"}, \"pose\": {\"translation\": [0.0503, %g, 0]}, \"body\": " \
  "{\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1], \"collision\": " shape "}}",                             \
      PAIR
#define FIXED(shape)                                                                                                   \
  "", "\"name\": \"still\", " shape ", \"links\": [\"fly\"], \"pose\": {\"translation\": [0.0503, %g, 0]}"

static const char *const flyers[] = {BALL, BOX, BEAD, PIN};
static const target targets[] = {
    {STILL(BALL), 0.0033},
    {STILL(PLATE), 0.0532},
    {STILL(BOX), 0.0033},
    {STILL(BEAD), 0.0033},
    {STILL(PIN), 0.0053},
    {FIXED("\"type\": \"sphere\", \"radius\": 0.0005"), 0.0033},
    {FIXED("\"type\": \"box\", \"size\": [0.002, 0.1, 0.1]"), 0.0532},
    {FIXED("\"type\": \"cylinder_exterior\", \"radius\": 0.0005, \"axis\": \"z\""), 0.0033}};
enum { FLYERS = sizeof flyers / sizeof *flyers, TARGETS = sizeof targets / sizeof *targets };

// 1 g on a slide along x from 0 to 0.1 m.
static td_model *flight(const char *flyer, const target *at, double y, double stiffness) {
  char text[2400], still[500], contact[300];
  snprintf(still, sizeof still, at->link, y);
  snprintf(contact, sizeof contact, at->contact, y);
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"fly\", \"joint\": {\"type\": \"prismatic\", "
           "\"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1e-3, \"inertia\": [1e-9, 1e-9, 1e-9], "
           "\"collision\": %s}}%s], \"contacts\": [{%s, \"stiffness\": %g}]}",
           flyer, still, contact, stiffness);
  return test_model_from_text(text);
}

// h 0: the method's own steps. Where it ends, m.
static double fly(td_model *model, td_method method, double speed, double h, const char *what, bool *told) {
  const double qd[1] = {speed};
  td_dynamics_spec spec = recording_job(model, method, 0.1 / speed, NULL);
  recording r = {0};
  spec.qd = qd, spec.qd_count = 1;
  spec.integrator.h = h;
  recording_ok(&r, model, &spec);
  *told = false;
  for (int i = 0; i < r.statistics.warnings.count; i++) {
    const td_warning *w = &r.statistics.warnings.list[i];
    if (strcmp(w->code, "contact_missed")) continue;
    *told = true;
    ck_assert_msg(strcmp(w->pointer, "/integrator/h_max") == 0 || strstr(w->detail, "\"fly\""), "%s: %s", what,
                  w->detail);
  }
  double q = recording_last(&r)[0];
  recording_free(&r);
  td_model_destroy(model);
  return q;
}

// In its own steps, and in twelve that are longer than what it meets is thick.
static void fly_both_ways(int flyer, int at, double y, double speed, double stiffness, bool meets) {
  static const td_method methods[] = {TD_METHOD_AUTOMATIC, TD_METHOD_NEWMARK};
  for (int i = 0; i < 2; i++) {
    char what[160];
    bool told;
    snprintf(what, sizeof what, "shape %d, target %d, y = %g m, %g m/s, %g N/m, way %d", flyer, at, y, speed, stiffness,
             i);
    double end = fly(flight(flyers[flyer], &targets[at], y, stiffness), methods[i], speed, i ? 0.1 / speed / 12 : 0,
                     what, &told);
    bool behind = end > 0.0503; // or it has bounced
    ck_assert_msg(meets || behind, "%s: turned round", what);
    ck_assert_msg(told == (meets && behind), "%s: ends at %g m: %s", what, end, told ? "told" : "silent");
  }
}

START_TEST(what_flies_through_another_within_a_step_is_told) {
  for (int f = 0; f < FLYERS; f++)
    for (int t = 0; t < TARGETS; t++) {
      double soft = (f + t) % 2 ? 10 : 3;
      fly_both_ways(f, t, 1e-4, (f + t) % 3 ? 100 : 10, soft, true);
      if ((f + t) % 2) fly_both_ways(f, t, 1e-4, 100, 1e4, true);
    }
}
END_TEST

START_TEST(what_flies_past_another_is_not_told) {
  for (int f = 0; f < FLYERS; f++)
    for (int t = 0; t < TARGETS; t++) fly_both_ways(f, t, targets[t].past, (f + t) % 3 ? 100 : 10, 1e4, false);
  // a ball that brushes another
  fly_both_ways(0, 0, 9e-4, 100, 10, false);
  fly_both_ways(0, 5, 9e-4, 100, 10, false);
}
END_TEST

TEST_MAIN("flying_bodies", what_flies_through_another_within_a_step_is_told, what_flies_past_another_is_not_told)
