// Robots whose bodies touch (together.h): each is a text, at a state near the straight one.
#include "bench/together.h"
#include "support/model_file.h"
#include "support/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 1 << 16, NEAR_POINTS = 11, FAR_POINTS = 17, RODS = 10, CAPSULES = 20, LINKS = 40 };
static const double near_m = 0.01, far_m = 0.08, side_m = 0.0195;

static const char *const laws[BENCH_LAWS] = {
    NULL, "", ",\"damping\":1,\"friction\":0.5,\"slip_speed\":0.01",
    ",\"damping\":1,\"friction\":0.5,\"stick\":{\"stiffness\":1000,\"damping\":1}"};

typedef struct script {
  char text[TEXT];
  size_t size;
} script;

static void add(script *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int size = vsnprintf(s->text + s->size, TEXT - s->size, format, list);
  va_end(list);
  if (size > 0) s->size += (size_t)size;
  if (s->size >= TEXT) s->size = TEXT - 1;
}

// ---------------------------------------------------------------------------------------------------------- bodies

static void begin(script *s) {
  s->size = 0;
  add(s, "{\"format\":\"tendril.model/1\",\"name\":\"t\",\"gravity\":[0,0,-9.81],\"links\":[{\"name\":\"base\","
         "\"parent\":\"world\",\"pose\":{\"rpy\":[0.1,0.2,0.3]},\"joint\":{\"type\":\"prismatic\",\"axis\":\"z\"},"
         "\"body\":{\"type\":\"rigid\",\"mass\":1,\"com\":[0,0,0],\"inertia\":[0.001,0.001,0.001]}}");
}

static void add_rod(script *s, const char *name, double y, double z, int points, int order) {
  add(s,
      ",{\"name\":\"%s\",\"parent\":\"base\",\"pose\":{\"translation\":[0,%g,%g],\"rpy\":[0.2,0.7,0.3]},"
      "\"joint\":{\"type\":\"fixed\"},\"body\":{\"type\":\"rod\",\"length\":0.3,\"section\":{\"shape\":\"circle\","
      "\"radius\":0.01},\"material\":{\"young\":1e6,\"poisson\":0.4,\"density\":1100,\"viscosity\":2000},"
      "\"strain\":{\"basis\":\"legendre\",\"order\":{\"torsion\":1,\"bending_y\":%d,\"bending_z\":%d}},"
      "\"quadrature\":{\"points\":%d}}}",
      name, y, z, order, order, points);
}

// Axes along x, turning about z.
static void add_capsules(script *s, char name, const char *parent, double y, int count) {
  for (int i = 0; i < count; i++) {
    add(s, ",{\"name\":\"%c%d\",\"parent\":", name, i);
    i ? add(s, "\"%c%d\",\"pose\":{\"translation\":[0.1,0,0]},", name, i - 1)
      : add(s, "\"%s\",\"pose\":{\"translation\":[0,%g,0]},", parent, y);
    add(s,
        "\"joint\":{\"type\":\"revolute\",\"axis\":\"z\"},\"body\":{\"type\":\"rigid\",\"mass\":0.1,\"com\":[0.05,0,0],"
        "\"inertia\":[1e-5,1e-4,1e-4],\"collision\":{\"shape\":\"capsule\",\"radius\":0.02,\"length\":0.06,"
        "\"axis\":\"x\",\"pose\":{\"translation\":[0.05,0,0]}}}}");
  }
}

static void add_names(script *s, char name, int from, int end) {
  for (int i = from; i < end; i++) add(s, "%s\"%c%d\"", i > from ? "," : "", name, i);
}

// Coordinates but the first one are within 0.01 or so.
static bench_robot *finish(script *s) {
  add(s, "}");
  td_model *model = test_model_from_text(s->text);
  bench_robot *r = model ? bench_robot_create(model, tree_seed("state")) : NULL;
  for (int i = 1; r && i < r->n; i++) r->q[i] *= 0.01, r->qd[i] *= 0.01;
  return r;
}

// ---------------------------------------------------------------------------------------------------------- robots

static bench_robot *two_rods(int points, double gap, bench_law law) {
  static script s;
  begin(&s);
  add_rod(&s, "one", 0, 0, points, 3);
  add_rod(&s, "two", gap, 0, points, 3);
  add(&s, "]");
  if (laws[law])
    add(&s, ",\"contacts\":[{\"type\":\"pair\",\"a\":[\"one\"],\"b\":[\"two\"],\"stiffness\":1e3%s}]", laws[law]);
  bench_robot *r = finish(&s);
  if (r) memcpy(r->q + 1 + r->n / 2, r->q + 1, (size_t)(r->n / 2) * sizeof *r->q); // in the same shape
  return r;
}

bench_robot *bench_near_rods(bench_law law) { return two_rods(NEAR_POINTS, near_m, law); }
bench_robot *bench_far_rods(bench_law law) { return two_rods(FAR_POINTS, far_m, law); }

// The axes' direction is that of rpy 0.2, 0.7, 0.3: rows of four, three, two and one lie across it, near enough.
bench_robot *bench_bundle(bench_law law) {
  static script s;
  begin(&s);
  for (int row = 0, i = 0; row < 4; row++)
    for (int k = 0; k < 4 - row; k++, i++) {
      char name[16];
      snprintf(name, sizeof name, "r%d", i);
      add_rod(&s, name, side_m * (k + 0.5 * row), side_m * 0.85 * row, 5, 1);
    }
  add(&s, "]");
  for (int i = 0; laws[law] && i + 1 < RODS; i++) {
    add(&s, "%s{\"type\":\"pair\",\"a\":[\"r%d\"],\"b\":[", i ? "," : ",\"contacts\":[", i);
    add_names(&s, 'r', i + 1, RODS);
    add(&s, "],\"stiffness\":1e3%s}", laws[law]);
  }
  if (laws[law]) add(&s, "]");
  return finish(&s);
}

bench_robot *bench_chains(bench_law law) {
  static script s;
  begin(&s);
  add_capsules(&s, 'a', "base", 0, CAPSULES);
  add_capsules(&s, 'b', "base", 0.035, CAPSULES);
  add(&s, "]");
  if (laws[law]) {
    add(&s, ",\"contacts\":[{\"type\":\"pair\",\"a\":[");
    add_names(&s, 'a', 0, CAPSULES);
    add(&s, "],\"b\":[");
    add_names(&s, 'b', 0, CAPSULES);
    add(&s, "],\"stiffness\":1e3%s}]", laws[law]);
  }
  bench_robot *r = finish(&s);
  if (r) memcpy(r->q + 1 + CAPSULES, r->q + 1, CAPSULES * sizeof *r->q);
  return r;
}

bench_robot *bench_floor(bench_law law) {
  static script s;
  begin(&s);
  add_capsules(&s, 'a', "world", 0, LINKS);
  add(&s, "]");
  if (laws[law]) {
    add(&s, ",\"contacts\":[{\"type\":\"plane\",\"axis\":\"z\",\"pose\":{\"translation\":[0,0,-0.019]},\"links\":[");
    add_names(&s, 'a', 0, LINKS);
    add(&s, "],\"stiffness\":1e3%s}]", laws[law]);
  }
  return finish(&s);
}

bench_robot *bench_fingers(bench_law law) {
  static script s;
  begin(&s);
  for (int i = 0; i < 2; i++)
    add(&s,
        ",{\"name\":\"f%d\",\"parent\":\"base\",\"pose\":{\"translation\":[%g,0,0],\"rpy\":[0,1.5707963,0]},"
        "\"joint\":{\"type\":\"fixed\"},\"body\":{\"type\":\"rod\",\"length\":0.15,\"section\":{\"shape\":\"circle\","
        "\"radius\":0.01},\"material\":{\"young\":1e6,\"poisson\":0.4,\"density\":1100,\"viscosity\":2000},"
        "\"strain\":{\"basis\":\"legendre\",\"order\":{\"torsion\":1,\"bending_y\":3,\"bending_z\":3}},"
        "\"quadrature\":{\"points\":9}}}",
        i, i ? 0.039 : -0.039);
  add(&s, ",{\"name\":\"box\",\"parent\":\"base\",\"pose\":{\"translation\":[0,0,-0.1]},\"joint\":{\"type\":\"free\"},"
          "\"body\":{\"type\":\"rigid\",\"shape\":{\"type\":\"box\",\"size\":[0.06,0.06,0.12]},\"density\":250,"
          "\"collision\":{\"shape\":\"box\",\"size\":[0.06,0.06,0.12],\"rounding\":0.004}}}]");
  if (laws[law])
    add(&s, ",\"contacts\":[{\"type\":\"pair\",\"a\":[\"f0\",\"f1\"],\"b\":[\"box\"],\"stiffness\":1e3%s}]", laws[law]);
  return finish(&s);
}
