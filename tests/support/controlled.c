#include "support/controlled.h"
#include "support/model_file.h"

#define RIGID(name, parent, axis, offset, motor)                                                                       \
  "{\"name\": \"" name "\", \"parent\": \"" parent "\", \"pose\": {\"translation\": [" offset ", 0, 0]},"              \
  " \"joint\": {\"type\": \"revolute\", \"axis\": \"" axis "\", \"damping\": 0.05},"                                   \
  " \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.2, 0.01, 0], \"inertia\": [0.01, 0.02, 0.03]}}"
#define MOTOR(name, link) "{\"name\": \"" name "\", \"type\": \"joint\", \"link\": \"" link "\", \"mode\": \"force\"}"
#define TENDON(name, link, y, z)                                                                                       \
  "{\"name\": \"" name "\", \"type\": \"tendon\", \"link\": \"" link "\", \"points\": [[" y ", " z ", 0], [" y ", " z  \
  ", 0.2]]}"
#define ALONG(name, y, z)                                                                                              \
  "{\"name\": \"" name                                                                                                 \
  "\", \"type\": \"tendon\", \"link\": \"arm\", \"routing\": {\"type\": \"linear\", \"base\": [" y ", " z "]}}"
#define SOFT "\"density\": 1000, \"young\": 1e5, \"poisson\": 0.45, \"damping_time\": 0.05"
#define HEAD "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": ["

td_model *controlled_arm(void) {
  return test_model_from_text(
      HEAD RIGID("turn", "world", "z", "0", "m1") ", " RIGID("upper", "turn", "y", "0.1", "m2") ", " RIGID(
          "lower", "upper", "y", "0.4",
          "m3") ", {\"name\": \"tool\", \"parent\": \"lower\","
                " \"pose\": {\"translation\": [0.35, 0, 0]}, \"joint\": {\"type\": \"fixed\"}}],"
                " \"actuators\": [" MOTOR("m1", "turn") ", " MOTOR("m2", "upper") ", " MOTOR("m3", "lower") "]}");
}

const char *controlled_mixed_document(void) {
  return HEAD RIGID(
      "turn", "world", "y", "0",
      "motor") ", {\"name\": \"arm\", \"parent\": \"turn\", \"pose\": {\"translation\": [0.4, 0, 0]}, \"joint\": "
               "{\"type\":"
               " \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": \"circle\", "
               "\"radius\": 0.02},"
               " \"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 1e3}, \"strain\": "
               "{\"basis\":"
               " \"legendre\", \"order\": {\"bending_y\": 1, \"bending_z\": 1, \"elongation\": 0}}}},"
               " {\"name\": \"tail\", \"parent\": \"arm\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": "
               "\"reduced\","
               " \"kinematics\": \"pcc\", \"length\": 0.2, \"radius\": 0.02, " SOFT "}}],"
               " \"actuators\": [" MOTOR("motor", "turn") ", " ALONG("t1", "0.02", "0") ", " ALONG(
                   "t2", "-0.01",
                   "0.017") ", " ALONG("t3", "-0.01",
                                       "-0.017") ", " TENDON("t4", "tail", "0.02",
                                                             "0") ", " TENDON("t5", "tail", "-0.005",
                                                                              "0.018") ", {\"name\": \"t6\", \"type\": "
                                                                                       "\"tendon\", \"segments\": "
                                                                                       "[{\"link\": \"turn\", "
                                                                                       "\"points\": [[0.1, 0, 0.05]]},"
                                                                                       " {\"link\": \"tail\", "
                                                                                       "\"points\": [[0, 0.02, 0.05], "
                                                                                       "[0, 0.02, 0.15]]}]}]}";
}

td_model *controlled_mixed(void) { return test_model_from_text(controlled_mixed_document()); }

#define HANGING                                                                                                        \
  "{\"name\": \"body\", \"pose\": {\"rpy\": [3.141592653589793, 0, 0]}, \"joint\": {\"type\": \"fixed\"}, "
#define THREE                                                                                                          \
  "\"actuators\": [" TENDON("t1", "body", "0.018", "0") ", " TENDON("t2", "body", "-0.009", "0.0155885") ", " TENDON(  \
      "t3", "body", "-0.009", "-0.0155885") "]}"

td_model *controlled_pcc(void) {
  return test_model_from_text(HEAD HANGING "\"body\": {\"type\": \"reduced\", \"kinematics\": \"pcc\", \"length\": 0.2,"
                                           " \"radius\": 0.02, " SOFT "}}], " THREE);
}

td_model *controlled_lvp(void) {
  return test_model_from_text(
      HEAD HANGING
      "\"body\": {\"type\": \"reduced\", \"kinematics\": \"lvp\", \"length\": 0.2, \"radius\": 0.02, " SOFT
      ", \"quadrature\": {\"s\": 4, \"r\": 3, \"angle\": 6}, \"modes\": [{\"field\": \"kx\", \"polynomial\": [1]},"
      " {\"field\": \"ky\", \"polynomial\": [1]}, {\"field\": \"e\", \"polynomial\": [1]}]}}], " THREE);
}

#define BAR(name, parent, at)                                                                                          \
  "{\"name\": \"" name "\", \"parent\": \"" parent "\", \"pose\": {\"translation\": [" at                              \
  ", 0, 0]}, \"joint\": {\"type\":"                                                                                    \
  " \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.5, \"com\": [0.15, 0, 0], "            \
  "\"inertia\":"                                                                                                       \
  " [0.001, 0.004, 0.004]}}"

const char *controlled_fourbar_document(void) {
  return HEAD
      "{\"name\": \"base\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\": {\"type\": \"rigid\","
      " \"mass\": 1, \"com\": [0, 0, 0], \"inertia\": [0.02, 0.02, 0.02]}}, " BAR("crank", "base", "0") ", " BAR(
          "coupler", "crank",
          "0.3") ", " BAR("rocker", "coupler",
                          "0.3") "], \"loops\": [{\"a\": {\"link\": \"rocker\","
                                 " \"pose\": {\"translation\": [0.3, 0, 0]}}, \"b\": {\"link\": \"base\", "
                                 "\"pose\": {\"translation\": [0, 0, -0.3]}},"
                                 " \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}}], \"actuators\": [" MOTOR(
                                     "crank", "crank") ", {\"name\": \"spin\", \"type\": \"joint\", \"link\": "
                                                       "\"base\", \"mode\": \"position\"}]}";
}

td_model *controlled_fourbar(void) { return test_model_from_text(controlled_fourbar_document()); }

td_controller_spec controlled_law(td_controller_type type, const char *const *channels, size_t count,
                                  td_reference_space space) {
  static const double kp = 40, kd = 9;
  td_controller_spec law = {.type = type, .channels = channels, .channel_count = count, .reference = {.space = space}};
  if (type != TD_CONTROLLER_FEED_FORWARD) {
    law.kp = &kp, law.kp_count = 1;
    law.kd = &kd, law.kd_count = 1;
  }
  return law;
}

void controlled_reference(td_controller_spec *law, size_t knots, const double *t, const double *value, size_t width) {
  td_reference_spec *r = &law->reference;
  r->t = t;
  r->value = value;
  r->knots = r->rows = knots;
  r->width = width;
}
