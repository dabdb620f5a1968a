// See four_bar.h.
#include "support/four_bar.h"
#include "support/model_file.h"
#include <stdio.h>

#define BAR(name, parent, place, com, more)                                                                            \
  "{\"name\": \"" name "\", \"parent\": \"" parent "\", \"pose\": {\"translation\": " place                            \
  "}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"" more "}, \"body\": {\"type\": \"rigid\", \"mass\": 0.5,"    \
  " \"com\": " com ", \"inertia\": [0.002, 0.003, 0.004]}}"

static const char text[] = "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [" BAR(
    "left", "world", "[0, 0, 0]", "[0, 0, 0.15]",
    ", \"stiffness\": %g") ", " BAR("coupler", "left", "[0, 0, 0.3]", "[0.2, 0, 0]",
                                    "") ", " BAR("right", "coupler", "[0.4, 0, 0]", "[0, 0, -0.15]",
                                                 "") "],"
                                                     " \"actuators\": [%s], \"loops\": [{\"name\": \"foot\", "
                                                     "\"joint\": {\"type\": \"revolute\", \"axis\": \"y\"},"
                                                     " \"a\": {\"link\": \"right\", \"pose\": {\"translation\": [0, 0, "
                                                     "-0.3]}},"
                                                     " \"b\": {\"link\": \"world\", \"pose\": {\"translation\": [%g, "
                                                     "0, 0]}}}]}";

td_model *four_bar_build(const four_bar *o) {
  static const char drive[] = "{\"name\": \"drive\", \"type\": \"joint\", \"link\": \"left\", \"mode\": \"position\"}";
  static const char motor[] = "{\"name\": \"motor\", \"type\": \"joint\", \"link\": \"left\", \"mode\": \"force\"}";
  char document[2048];
  snprintf(document, sizeof document, text, o->stiffness, o->driven ? drive : o->motor ? motor : "", o->ground);
  return test_model_from_text(document);
}
