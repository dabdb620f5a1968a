// See linkage.h.
#include "support/linkage.h"
#include "support/model_file.h"
#include <math.h>
#include <stdio.h>

linkage linkage_parallelogram(double angle) {
  return (linkage){.count = 3,
                   .length = {1, 1, 1},
                   .mass = {1, 1, 1},
                   .end = {1, 0},
                   .q = {angle, -angle, angle + (angle < 0 ? M_PI : -M_PI)}};
}

// Angles about y turn x towards -z: the crank stands at `crank` above the ground, the coupler's knee up.
linkage linkage_four_bar(int k) {
  static const struct four_bar_linkage {
    double length[3], ground, crank, mass[3];
  } list[LINKAGE_FOUR_BARS] = {{{0.4, 1.1, 0.9}, 1.2, 2.2, {1, 1.5, 0.7}},
                               {{0.9, 0.5, 1.0}, 1.1, -0.9, {0.6, 1.8, 1}},
                               {{0.45, 0.7, 1.15}, 0.8, 1.1, {1.3, 0.8, 1.9}},
                               {{1.1, 0.6, 0.7}, 0.9, 0.6, {1, 1, 1}}};
  const struct four_bar_linkage *f = &list[k];
  linkage l = {.count = 3, .end = {f->ground, 0}};
  for (int i = 0; i < 3; i++) l.length[i] = f->length[i], l.mass[i] = f->mass[i];
  double x = f->length[0] * cos(f->crank), z = f->length[0] * sin(f->crank), dx = f->ground - x, dz = -z;
  double d = hypot(dx, dz), a = f->length[1], b = f->length[2];
  double coupler = atan2(dz, dx) + acos((a * a + d * d - b * b) / (2 * a * d));
  double rocker = atan2(dz - a * sin(coupler), dx - a * cos(coupler));
  l.q[0] = -f->crank, l.q[1] = -(coupler - f->crank), l.q[2] = -(rocker - coupler);
  return l;
}

td_model *linkage_build(const linkage *l) {
  char text[8192];
  size_t used =
      (size_t)snprintf(text, sizeof text, "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [");
  for (int i = 0; i < l->count; i++) {
    double inertia = l->mass[i] * l->length[i] * l->length[i] / 12;
    char parent[16] = "world";
    if (i > 0) snprintf(parent, sizeof parent, "bar%d", i - 1);
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "%s{\"name\": \"bar%d\", \"parent\": \"%s\", \"pose\": {\"translation\": [%.17g, 0, 0]}, "
                             "\"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", "
                             "\"mass\": %.17g, \"com\": [%.17g, 0, 0], \"inertia\": [%.17g, %.17g, %.17g]}}",
                             i ? ", " : "", i, parent, i ? l->length[i - 1] : 0, l->mass[i], l->length[i] / 2,
                             1e-3 * inertia, inertia, inertia);
  }
  snprintf(
      text + used, sizeof text - used,
      "], \"loops\": [{\"name\": \"foot\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"a\": {\"link\": "
      "\"bar%d\", \"pose\": {\"translation\": [%.17g, 0, 0]}}, \"b\": {\"link\": \"world\", \"pose\": "
      "{\"translation\": [%.17g, 0, %.17g]}}}]}",
      l->count - 1, l->length[l->count - 1], l->end[0], l->end[1]);
  return test_model_from_text(text);
}
