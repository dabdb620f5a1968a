// Where a rotor stands matters unless it is the same from all sides; how far it has turned always does.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const td_warning *warning_of(const recording *r) {
  for (int i = 0; i < r->statistics.warnings.count; i++)
    if (!strcmp(r->statistics.warnings.list[i].code, "accumulated_error")) return &r->statistics.warnings.list[i];
  return NULL;
}

// A motor at 2000 rad/s is right to 2e-7 of the way that it turns by, and 0.03 rad off of where it stands. Of a rotor
// that is the same from all sides nobody sees that.
START_TEST(a_phase_is_said_of_what_has_one) {
  static const struct {
    const char *body, *more;
    bool said;
  } cases[] = {
      {"\"inertia\": [0.005, 0.005, 0.01]", "", false},
      {"\"inertia\": [0.006, 0.005, 0.01]", "", true},
      {"\"com\": [0, 0, 0.3], \"inertia\": [0.005, 0.005, 0.01]", "", false},
      {"\"com\": [0.001, 0, 0], \"inertia\": [0.005, 0.005, 0.01]", "", true},
      {"\"com\": [0.1, 0, 0], \"inertia\": [0, 0, 0]", // two arms are not the same from all sides, three are
       ", {\"name\": \"b\", \"parent\": \"h\", \"joint\": {\"type\": \"fixed\"}, \"pose\": {\"rpy\": [0, 0, %.17g]},"
       " \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.1, 0, 0], \"inertia\": [0, 0, 0]}}",
       true},
      {"\"com\": [0.1, 0, 0], \"inertia\": [0, 0, 0]",
       ", {\"name\": \"b\", \"parent\": \"h\", \"joint\": {\"type\": \"fixed\"}, \"pose\": {\"rpy\": [0, 0, %.17g]},"
       " \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.1, 0, 0], \"inertia\": [0, 0, 0]}}"
       ", {\"name\": \"c\", \"parent\": \"b\", \"joint\": {\"type\": \"fixed\"}, \"pose\": {\"rpy\": [0, 0, %.17g]},"
       " \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.1, 0, 0], \"inertia\": [0, 0, 0]}}",
       false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2000], more[1000];
    snprintf(more, sizeof more, cases[i].more, 2 * M_PI / 3, 2 * M_PI / 3);
    snprintf(text, sizeof text,
             "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"h\", \"joint\": {\"type\": \"revolute\", "
             "\"axis\": \"z\", \"damping\": 0.001}, \"body\": {\"type\": \"rigid\", \"mass\": 1, %s}}%s], "
             "\"actuators\": [{\"name\": \"m\", \"type\": \"joint\", \"link\": \"h\"}]}",
             cases[i].body, more);
    td_model *model = test_model_from_text(text);
    td_input_spec input = {.channel = "m", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 2}};
    td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 100, NULL);
    spec.inputs = &input, spec.input_count = 1;
    recording r = {0};
    recording_ok(&r, model, &spec);
    const td_warning *w = warning_of(&r);
    ck_assert_msg(!w == !cases[i].said, "%zu: %s", i, w ? w->detail : "nothing");
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

TEST_MAIN("unseen turns", a_phase_is_said_of_what_has_one)
