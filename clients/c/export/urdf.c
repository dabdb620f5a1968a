// Links of a model document as links and joints of a URDF, in their order: frames are the same in both.
//
// A link of the model is the URDF's link and the joint that carries it. Roots hang at a link "world", but for one that
// is fixed there without a pose, which is the root itself. Bodies that bend, and what hangs from them, are left out.
#include "export/urdf.h"
#include "base/files.h"
#include "base/say.h"
#include "export/result.h"
#include "plot/canvas/place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writing {
  FILE *out;
  const json_t *model;
  const char *path;
  bool *left; ///< [links]: soft, or behind something soft
  bool good;
} writing;

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static bool is(const json_t *object, const char *key, const char *word) {
  return strcmp(text_of(object, key), word) == 0;
}

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

static void put_text(writing *w, const char *text) {
  for (; *text; ++text) {
    if (strchr("<>&\"", *text))
      fprintf(w->out, "&#%d;", *text);
    else
      fputc(*text, w->out);
  }
}

static void put_number(writing *w, double x) {
  char text[32];
  export_number(x, text);
  fputs(text, w->out);
}

// ` name="1 2 3"`
static void put_vector(writing *w, const char *name, const double *x, size_t count) {
  fprintf(w->out, " %s=\"", name);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) fputc(' ', w->out);
    put_number(w, x[i]);
  }
  fputc('"', w->out);
}

static size_t row_of(const json_t *list, double *x, size_t most) {
  size_t count = json_array_size(list) < most ? json_array_size(list) : most;
  for (size_t i = 0; i < count; ++i) x[i] = json_number_value(json_array_get(list, i));
  return count;
}

// ------------------------------------------------------------------------------------------------ origin

// Angles as they stand there, else those of the quaternion's rotation.
static void angles_of(const json_t *pose, double rpy[3]) {
  if (row_of(json_object_get(pose, "rpy"), rpy, 3) == 3) return;
  frame f = place_pose(pose);
  double flat = hypot(f.x.x, f.x.y);
  rpy[1] = atan2(-f.x.z, flat);
  if (flat > 1e-12)
    rpy[0] = atan2(f.y.z, f.z.z), rpy[2] = atan2(f.x.y, f.x.x);
  else
    rpy[0] = 0, rpy[2] = atan2(-f.y.x, f.y.y);
}

static void put_origin(writing *w, const json_t *pose, const char *indent) {
  double xyz[3] = {0}, rpy[3] = {0};
  if (!pose) return;
  row_of(json_object_get(pose, "translation"), xyz, 3);
  angles_of(pose, rpy);
  fprintf(w->out, "%s<origin", indent);
  put_vector(w, "xyz", xyz, 3);
  put_vector(w, "rpy", rpy, 3);
  fputs("/>\n", w->out);
}

// ------------------------------------------------------------------------------------------------ inertial

static bool moments_of_shape(const json_t *body, double *mass, double I[9]) {
  const json_t *shape = json_object_get(body, "shape");
  double density = number(body, "density"), r = number(shape, "radius"), L = number(shape, "length"), size[3] = {0};
  memset(I, 0, 9 * sizeof *I);
  row_of(json_object_get(shape, "size"), size, 3);
  if (is(shape, "type", "sphere")) {
    *mass = density * 4 / 3 * M_PI * r * r * r;
    I[0] = I[4] = I[8] = 0.4 * *mass * r * r;
  } else if (is(shape, "type", "box")) {
    *mass = density * size[0] * size[1] * size[2];
    for (int i = 0; i < 3; ++i)
      I[4 * i] = *mass / 12 * (size[(i + 1) % 3] * size[(i + 1) % 3] + size[(i + 2) % 3] * size[(i + 2) % 3]);
  } else if (is(shape, "type", "cylinder")) {
    *mass = density * M_PI * r * r * L;
    double along = *mass * r * r / 2, across = *mass * (3 * r * r + L * L) / 12;
    vec a = place_axis(json_object_get(shape, "axis"));
    const double axis[3] = {a.x, a.y, a.z};
    for (int i = 0; i < 9; ++i) I[i] = (i % 4 == 0 ? across : 0) + (along - across) * axis[i / 3] * axis[i % 3];
  } else {
    return false;
  }
  return true;
}

static void moments_written(const json_t *body, double I[9]) {
  const json_t *inertia = json_object_get(body, "inertia");
  double diagonal[3] = {0};
  memset(I, 0, 9 * sizeof *I);
  if (json_is_array(json_array_get(inertia, 0))) {
    for (size_t i = 0; i < 3; ++i) row_of(json_array_get(inertia, i), I + 3 * i, 3);
    return;
  }
  row_of(inertia, diagonal, 3);
  for (int i = 0; i < 3; ++i) I[4 * i] = diagonal[i];
}

static void put_inertial(writing *w, const json_t *link) {
  static const struct {
    const char *name;
    int at;
  } entries[] = {{"ixx", 0}, {"ixy", 1}, {"ixz", 2}, {"iyy", 4}, {"iyz", 5}, {"izz", 8}};
  const json_t *body = json_object_get(link, "body");
  double mass = number(body, "mass"), com[3] = {0}, I[9];
  if (!body) return;
  if (json_object_get(body, "shape") && !moments_of_shape(body, &mass, I)) {
    say_error("link %s: a prism has no mass and inertia of its own; write them into the model", text_of(link, "name"));
    w->good = false;
    return;
  }
  if (!json_object_get(body, "shape")) moments_written(body, I);
  row_of(json_object_get(body, "com"), com, 3);
  fputs("    <inertial>\n      <origin", w->out);
  put_vector(w, "xyz", com, 3);
  fputs("/>\n      <mass", w->out);
  put_vector(w, "value", &mass, 1);
  fputs("/>\n      <inertia", w->out);
  for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) put_vector(w, entries[i].name, &I[entries[i].at], 1);
  fputs("/>\n    </inertial>\n", w->out);
}

// ------------------------------------------------------------------------------------------------ visual

static void put_rows(FILE *out, const char *head, const json_t *rows, int from) {
  size_t i, k;
  const json_t *row, *x;
  json_array_foreach(rows, i, row) {
    fputs(head, out);
    json_array_foreach(row, k, x) {
      char text[32];
      export_number(json_number_value(x) + from, text);
      fprintf(out, " %s", text);
    }
    fputc('\n', out);
  }
}

// The name of the file that a mesh was written to, the caller's; NULL: it was not.
static char *write_mesh(writing *w, const json_t *shape, const char *link, size_t index) {
  char *stem = file_stem(w->path, ""), *name = must_format("%s.%s.%zu.obj", stem, link, index), *text = NULL;
  size_t size = 0;
  for (char *p = name; *p; ++p)
    if (strchr("/ \\:\"<>&", *p)) *p = '_';
  FILE *out = open_memstream(&text, &size);
  if (out) {
    put_rows(out, "v", json_object_get(shape, "points"), 0);
    put_rows(out, "f", json_object_get(shape, "triangles"), 1);
    fclose(out);
  }
  char *path = file_beside(w->path, name);
  bool good = text && file_write(path, text, size) == 0;
  free(path);
  free(text);
  free(stem);
  if (good) return name;
  free(name);
  return w->good = false, NULL;
}

// URDF's cylinders lie along z: another axis turns the shape.
static json_t *pose_of(const json_t *shape) {
  const json_t *pose = json_object_get(shape, "pose");
  frame own = place_pose(pose), along = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  vec a = place_axis(json_object_get(shape, "axis"));
  if (!json_object_get(shape, "axis") || a.z > 1 - 1e-15) return json_deep_copy(pose);
  along.z = a, along.x = vec_unit(vec_cross(fabs(a.z) < 0.9 ? (vec){0, 0, 1} : (vec){1, 0, 0}, a)),
  along.y = vec_cross(a, along.x);
  frame f = frame_compose(&own, &along);
  double flat = hypot(f.x.x, f.x.y), pitch = atan2(-f.x.z, flat);
  double roll = flat > 1e-12 ? atan2(f.y.z, f.z.z) : 0, yaw = flat > 1e-12 ? atan2(f.x.y, f.x.x) : atan2(-f.y.x, f.y.y);
  return json_pack("{s:[fff], s:[fff]}", "translation", f.at.x, f.at.y, f.at.z, "rpy", roll, pitch, yaw);
}

static void put_geometry(writing *w, const char *type, const json_t *shape, const char *file) {
  double size[3] = {0}, radius = number(shape, "radius"), length = number(shape, "length");
  fputs("      <geometry><", w->out);
  fputs(type, w->out);
  if (strcmp(type, "box") == 0) row_of(json_object_get(shape, "size"), size, 3), put_vector(w, "size", size, 3);
  if (radius > 0) put_vector(w, "radius", &radius, 1);
  if (length > 0) put_vector(w, "length", &length, 1);
  if (file) fputs(" filename=\"", w->out), put_text(w, file), fputs("\"", w->out);
  fputs("/></geometry>\n", w->out);
}

static void put_visual(writing *w, const json_t *link, size_t index, const json_t *shape) {
  double rgba[4] = {0, 0, 0, 1};
  bool mesh = is(shape, "type", "mesh");
  if (mesh && strcmp(w->path, "-") == 0) {
    say_note("link %s: a mesh is left out: it needs a file beside the URDF", text_of(link, "name"));
    return;
  }
  char *file = mesh ? write_mesh(w, shape, text_of(link, "name"), index) : NULL;
  if (mesh && !file) return;
  json_t *pose = pose_of(shape);
  fputs("    <visual>\n", w->out);
  put_origin(w, pose, "      ");
  put_geometry(w, text_of(shape, "type"), shape, file);
  if (row_of(json_object_get(shape, "colour"), rgba, 4) >= 3) {
    fputs("      <material name=\"", w->out);
    put_text(w, text_of(link, "name"));
    fprintf(w->out, ".%zu\"><color", index);
    put_vector(w, "rgba", rgba, 4);
    fputs("/></material>\n", w->out);
  }
  fputs("    </visual>\n", w->out);
  json_decref(pose);
  free(file);
}

// What it touches with. A hull has corners only, and a URDF asks for the triangles of a file.
static void put_collision(writing *w, const json_t *link) {
  const json_t *shape = json_object_get(json_object_get(link, "body"), "collision");
  if (!shape) return;
  if (is(shape, "shape", "mesh")) {
    say_note("link %s: the hull that it touches with is left out", text_of(link, "name"));
    return;
  }
  json_t *pose = pose_of(shape);
  fputs("    <collision>\n", w->out);
  put_origin(w, pose, "      ");
  put_geometry(w, text_of(shape, "shape"), shape, NULL);
  fputs("    </collision>\n", w->out);
  json_decref(pose);
}

// ------------------------------------------------------------------------------------------------ joint

// The name of the input that drives it, so that it comes back.
static const char *driver_of(const writing *w, const char *link) {
  size_t i;
  const json_t *a;
  json_array_foreach(json_object_get(w->model, "actuators"), i, a) {
    if (is(a, "type", "joint") && is(a, "link", link)) return text_of(a, "name");
  }
  return NULL;
}

static const char *kind_of(writing *w, const json_t *link) {
  static const char *const words[][2] = {{"fixed", "fixed"},
                                         {"revolute", "continuous"},
                                         {"prismatic", "prismatic"},
                                         {"planar", "planar"},
                                         {"free", "floating"}};
  const json_t *joint = json_object_get(link, "joint");
  bool limited = json_is_number(json_object_get(json_object_get(joint, "limits"), "lower")) &&
                 json_is_number(json_object_get(json_object_get(joint, "limits"), "upper"));
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (is(joint, "type", words[i][0])) return limited && i == 1 ? "revolute" : words[i][1];
  say_error("link %s: a URDF has no joint of type %s", text_of(link, "name"), text_of(joint, "type"));
  return w->good = false, NULL;
}

static const double FAR = 1e6; // m: a URDF's slide has to have ends

static void put_limit(writing *w, const json_t *joint, const char *kind) {
  const json_t *limits = json_object_get(joint, "limits");
  double ends[2] = {-FAR, FAR}, drive = 1e9;
  if (strcmp(kind, "revolute") != 0 && strcmp(kind, "prismatic") != 0) return;
  if (json_is_number(json_object_get(limits, "lower"))) ends[0] = number(limits, "lower");
  if (json_is_number(json_object_get(limits, "upper"))) ends[1] = number(limits, "upper");
  fputs("    <limit", w->out);
  put_vector(w, "lower", &ends[0], 1);
  put_vector(w, "upper", &ends[1], 1);
  put_vector(w, "effort", &drive, 1);
  put_vector(w, "velocity", &drive, 1);
  fputs("/>\n", w->out);
}

static void put_joint(writing *w, const json_t *link, const char *parent) {
  const json_t *joint = json_object_get(link, "joint"), *damping = json_object_get(joint, "damping");
  const char *kind = kind_of(w, link), *name = text_of(link, "name"), *driver = driver_of(w, name);
  if (!kind) return;
  fputs("  <joint name=\"", w->out);
  put_text(w, driver ? driver : name);
  fprintf(w->out, "%s\" type=\"%s\">\n", driver ? "" : "_joint", kind);
  put_origin(w, json_object_get(link, "pose"), "    ");
  fputs("    <parent link=\"", w->out);
  put_text(w, parent);
  fputs("\"/>\n    <child link=\"", w->out);
  put_text(w, name);
  fputs("\"/>\n", w->out);
  if (strcmp(kind, "fixed") != 0 && strcmp(kind, "floating") != 0) {
    vec a = place_axis(json_object_get(joint, "axis"));
    const double axis[3] = {a.x, a.y, a.z};
    fputs("    <axis", w->out);
    put_vector(w, "xyz", axis, 3);
    fputs("/>\n", w->out);
  }
  put_limit(w, joint, kind);
  double value = json_number_value(damping);
  if (value > 0) fputs("    <dynamics", w->out), put_vector(w, "damping", &value, 1), fputs("/>\n", w->out);
  if (json_object_get(joint, "stiffness")) say_note("link %s: the spring of its joint is left out", name);
  if (json_is_array(damping)) say_note("link %s: the dampers of its joint are left out", name);
  fputs("  </joint>\n", w->out);
}

// ------------------------------------------------------------------------------------------------ the whole

static size_t find(const json_t *links, const char *name) {
  size_t i;
  const json_t *link;
  json_array_foreach(links, i, link) {
    if (is(link, "name", name)) return i;
  }
  return json_array_size(links);
}

static const char *parent_of(const json_t *link) {
  return *text_of(link, "parent") ? text_of(link, "parent") : "world";
}

static void find_soft(writing *w, const json_t *links) {
  size_t i, count = json_array_size(links);
  const json_t *link;
  json_array_foreach(links, i, link) {
    const json_t *body = json_object_get(link, "body");
    size_t parent = find(links, parent_of(link));
    w->left[i] = (body && !is(body, "type", "rigid")) || (parent < count && w->left[parent]);
    if (w->left[i]) say_note("link %s is left out: it bends, or hangs from what bends", text_of(link, "name"));
  }
}

// A root that stands at the world needs no joint, where it is the only one.
static bool stands_alone(const writing *w, const json_t *links) {
  size_t i, roots = 0;
  const json_t *link, *root = NULL;
  json_array_foreach(links, i, link) {
    if (!w->left[i] && strcmp(parent_of(link), "world") == 0) ++roots, root = link;
  }
  return roots == 1 && !json_object_get(root, "pose") && is(json_object_get(root, "joint"), "type", "fixed");
}

static void tell_left(const writing *w) {
  static const char *const lists[] = {"loads", "contacts", "loops", "springs", "fluid"};
  size_t i;
  const json_t *a;
  for (i = 0; i < sizeof lists / sizeof *lists; ++i)
    if (json_object_get(w->model, lists[i])) say_note("%s of the model are left out: a URDF has none", lists[i]);
  json_array_foreach(json_object_get(w->model, "actuators"), i, a) {
    if (!is(a, "type", "joint")) say_note("actuator %s is left out: a URDF drives joints alone", text_of(a, "name"));
  }
}

static void put_links(writing *w, const json_t *links) {
  bool alone = stands_alone(w, links);
  size_t i, k;
  const json_t *link, *shape;
  if (!alone) fputs("  <link name=\"world\"/>\n", w->out);
  json_array_foreach(links, i, link) {
    if (w->left[i]) continue;
    bool root = strcmp(parent_of(link), "world") == 0;
    if (!(root && alone)) put_joint(w, link, parent_of(link));
    fputs("  <link name=\"", w->out);
    put_text(w, text_of(link, "name"));
    fputs("\">\n", w->out);
    put_inertial(w, link);
    json_array_foreach(json_object_get(link, "view"), k, shape) { put_visual(w, link, k, shape); }
    put_collision(w, link);
    fputs("  </link>\n", w->out);
  }
}

char *export_urdf(const json_t *model, const char *path) {
  char *text = NULL;
  size_t size = 0;
  const json_t *links = json_object_get(model, "links");
  writing w = {.out = open_memstream(&text, &size), .model = model, .path = path, .good = true};
  if (!w.out || json_array_size(links) == 0) {
    say_error("%s", w.out ? "it is no model document: it has no links" : "not enough memory");
    if (w.out) fclose(w.out);
    free(text);
    return NULL;
  }
  w.left = must_alloc(json_array_size(links) * sizeof *w.left);
  find_soft(&w, links);
  tell_left(&w);
  fputs("<?xml version=\"1.0\"?>\n<robot name=\"", w.out);
  put_text(&w, text_of(model, "name"));
  fputs("\">\n", w.out);
  put_links(&w, links);
  fputs("</robot>\n", w.out);
  bool written = fclose(w.out) == 0 && w.good;
  free(w.left);
  if (written) return text;
  free(text);
  return NULL;
}
