// A run as messages of an MCAP file, one of each channel for every row, at its time (from 0, in ns):
//
//     /tf                foxglove.FrameTransforms: the frame of every recorded link in `world`, of rods "arm" (base)
//                        and "arm/tip", of poses:arm@0.5 "arm@0.5"
//     /poses/arm         foxglove.PosesInFrame: all recorded points of a rod
//     /scene             foxglove.SceneUpdate: rods as lines as thick as they are
//     /joint_states      foxglove.JointStates: joints of one coordinate
//     /q, /u, /energy …  numbers by name: {"timestamp": …, "arm_bending_y_0": …}
//
// A number that is not finite is null; a pose with one in it is left out. The summary is an attachment.
#include "export/mcap/mcap.h"
#include "export/mcap/schemas.h"
#include "export/result.h"

#include "base/say.h"
#include "plot/recording.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct topic {
  const export_field *field;
  uint16_t channel;
  char **keys; // [field->columns] of named numbers, else NULL
} topic;

typedef struct joint {
  const char *link;
  size_t coordinate;
} joint;

typedef struct mcap_maker {
  const export_result *r;
  mcap *file;
  topic *topics;
  int topic_count;
  uint16_t transforms, scene, joints; // 0: none
  joint *joint;
  size_t joint_count;
  const export_field *q, *qd;
  char *text; // of the message being written
  size_t size;
} mcap_maker;

// ------------------------------------------------------------------------------------------------ JSON

static void put_real(FILE *to, double x) {
  char text[32];
  export_number(x, text);
  fputs(isfinite(x) ? text : "null", to);
}

static void put_text(FILE *to, const char *text) {
  json_t *value = json_string(text);
  char *json = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
  fputs(json ? json : "\"\"", to);
  free(json);
  json_decref(value);
}

static uint64_t nanoseconds(double t) { return (uint64_t)llround(1e9 * t); }

static void put_time(FILE *to, double t) {
  uint64_t ns = nanoseconds(t);
  fprintf(to, "\"timestamp\":{\"sec\":%llu,\"nsec\":%llu}", (unsigned long long)(ns / 1000000000),
          (unsigned long long)(ns % 1000000000));
}

// {"x": …, "y": …} of `count` numbers that lie `step` apart.
static void put_members(FILE *to, const double *x, size_t count, size_t step) {
  static const char *const heads[] = {"{\"x\":", ",\"y\":", ",\"z\":", ",\"w\":"};
  for (size_t i = 0; i < count; ++i) fputs(heads[i], to), put_real(to, x[i * step]);
  putc('}', to);
}

// Unit quaternion of a rotation matrix (rows of four): the largest of the four squares is divided by.
static void put_quaternion(FILE *to, const double *g) {
  double r[3][3], q[4]; // x y z w
  for (int i = 0; i < 9; ++i) r[i / 3][i % 3] = g[4 * (i / 3) + i % 3];
  double trace = r[0][0] + r[1][1] + r[2][2];
  int k = 3;
  for (int i = 0; i < 3; ++i)
    if (r[i][i] > (k == 3 ? trace : r[k][k])) k = i;
  if (k == 3) {
    q[3] = 0.5 * sqrt(fmax(0, 1 + trace));
    for (int i = 0; i < 3; ++i) q[i] = (r[(i + 2) % 3][(i + 1) % 3] - r[(i + 1) % 3][(i + 2) % 3]) / (4 * q[3]);
  } else {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    q[k] = 0.5 * sqrt(fmax(0, 1 + r[k][k] - r[a][a] - r[b][b]));
    q[a] = (r[a][k] + r[k][a]) / (4 * q[k]);
    q[b] = (r[b][k] + r[k][b]) / (4 * q[k]);
    q[3] = (r[b][a] - r[a][b]) / (4 * q[k]);
  }
  put_members(to, q, 4, 1);
}

static bool is_finite(const double *x, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(x[i])) return false;
  return true;
}

static FILE *begin(mcap_maker *m) { return open_memstream(&m->text, &m->size); }

static bool send(mcap_maker *m, FILE *to, uint16_t channel, double t) {
  bool good = !ferror(to);
  good = fclose(to) == 0 && good;
  if (good) mcap_message(m->file, channel, nanoseconds(t), m->text, m->size);
  free(m->text);
  m->text = NULL;
  return good;
}

// ------------------------------------------------------------------------------------------------ bodies in space

static bool is_pose(const export_field *f) {
  const tendril_array *a = f->array;
  bool shaped = (a->rank == 3 || a->rank == 4) && a->shape[a->rank - 1] == 4 && a->shape[a->rank - 2] == 4;
  return f->rows && strcmp(f->family, "poses") == 0 && shaped && a->count > 0;
}

static size_t points_of(const export_field *f) { return f->array->rank == 4 ? f->array->shape[1] : 1; }

static const double *pose_at(const export_field *f, size_t row, size_t point) {
  return f->array->values + 16 * (row * points_of(f) + point);
}

static void put_transform(FILE *to, double t, const char *link, const char *end, const double *g, bool *first) {
  if (!is_finite(g, 12)) return;
  char *own = must_format("%s%s", link, end);
  fputs(*first ? "{" : ",{", to);
  *first = false;
  put_time(to, t);
  fputs(",\"parent_frame_id\":\"world\",\"child_frame_id\":", to), put_text(to, own);
  fputs(",\"translation\":", to), put_members(to, g + 3, 3, 4);
  fputs(",\"rotation\":", to), put_quaternion(to, g);
  putc('}', to);
  free(own);
}

static bool send_transforms(mcap_maker *m, size_t row) {
  const export_result *r = m->r;
  bool first = true;
  FILE *to = begin(m);
  if (!to) return false;
  fputs("{\"transforms\":[", to);
  for (int i = 0; i < r->count; ++i) {
    const export_field *f = &r->fields[i];
    if (!is_pose(f)) continue;
    size_t points = points_of(f);
    put_transform(to, r->t[row], f->link, "", pose_at(f, row, 0), &first);
    if (points > 1) put_transform(to, r->t[row], f->link, "/tip", pose_at(f, row, points - 1), &first);
  }
  fputs("]}", to);
  return send(m, to, m->transforms, r->t[row]);
}

static void put_poses(FILE *to, const export_field *f, size_t row, double t) {
  bool first = true;
  putc('{', to), put_time(to, t);
  fputs(",\"frame_id\":\"world\",\"poses\":[", to);
  for (size_t p = 0; p < points_of(f); ++p) {
    const double *g = pose_at(f, row, p);
    if (!is_finite(g, 12)) continue;
    fputs(first ? "{\"position\":" : ",{\"position\":", to), put_members(to, g + 3, 3, 4);
    fputs(",\"orientation\":", to), put_quaternion(to, g), putc('}', to);
    first = false;
  }
  fputs("]}", to);
}

// Twice the half extent of the section in the middle, 0 where the model does not tell.
static double thickness(const export_result *r, const export_field *f) {
  recording model = {.model = r->model};
  track k = {.samples = r->rows, .points = points_of(f), .pose = f->array->values};
  k.document = recording_entry(&model, "links", f->link, strlen(f->link));
  track_place_points(&k, json_object_get(json_object_get(r->summary, "points"), f->link));
  double thin = k.document ? 2 * track_thinness(&k, k.points / 2) : 0;
  free(k.abscissa);
  return isfinite(thin) && thin > 0 ? thin : 0;
}

static void put_line(FILE *to, const export_result *r, const export_field *f, size_t row) {
  double thick = thickness(r, f);
  bool first = true;
  putc('{', to), put_time(to, r->t[row]);
  fputs(",\"frame_id\":\"world\",\"id\":", to), put_text(to, f->link);
  fputs(",\"lifetime\":{\"sec\":0,\"nsec\":0},\"frame_locked\":false,\"metadata\":[],\"arrows\":[],\"cubes\":[],"
        "\"spheres\":[],\"cylinders\":[],\"triangles\":[],\"texts\":[],\"models\":[],\"lines\":[{\"type\":0,\"pose\":"
        "{\"position\":{\"x\":0,\"y\":0,\"z\":0},\"orientation\":{\"x\":0,\"y\":0,\"z\":0,\"w\":1}},\"thickness\":",
        to);
  put_real(to, thick > 0 ? thick : 3);
  fprintf(to, ",\"scale_invariant\":%s,\"points\":[", thick > 0 ? "false" : "true");
  for (size_t p = 0; p < points_of(f); ++p) {
    const double *g = pose_at(f, row, p);
    if (!is_finite(g, 12)) continue;
    if (!first) putc(',', to);
    first = false;
    put_members(to, g + 3, 3, 4);
  }
  fputs("],\"color\":{\"r\":0.27,\"g\":0.47,\"b\":0.67,\"a\":1},\"colors\":[],\"indices\":[]}]}", to);
}

static bool send_scene(mcap_maker *m, size_t row) {
  const export_result *r = m->r;
  bool first = true;
  FILE *to = begin(m);
  if (!to) return false;
  fputs("{\"deletions\":[],\"entities\":[", to);
  for (int i = 0; i < r->count; ++i) {
    if (!is_pose(&r->fields[i]) || points_of(&r->fields[i]) < 2) continue;
    if (!first) putc(',', to);
    first = false;
    put_line(to, r, &r->fields[i], row);
  }
  fputs("]}", to);
  return send(m, to, m->scene, r->t[row]);
}

// ------------------------------------------------------------------------------------------------ numbers

static void put_list(FILE *to, const double *x, size_t count, size_t step) {
  putc('[', to);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) putc(',', to);
    put_real(to, x[i * step]);
  }
  putc(']', to);
}

static void put_numbers(FILE *to, const topic *of, size_t row, double t) {
  const export_field *f = of->field;
  size_t count = f->array->count / f->array->shape[0];
  const double *x = f->array->values + row * count;
  putc('{', to), put_time(to, t);
  for (size_t i = 0; of->keys && i < f->columns; ++i) {
    fprintf(to, ",\"%s\":", of->keys[i]);
    if (schema_form(f) == FORM_NAMED)
      put_real(to, x[i]);
    else
      put_list(to, x + i, count / f->columns, f->columns);
  }
  if (schema_form(f) == FORM_VALUE) fputs(",\"value\":", to), put_real(to, x[0]);
  if (schema_form(f) == FORM_VALUES) fputs(",\"values\":", to), put_list(to, x, count, 1);
  putc('}', to);
}

static bool send_field(mcap_maker *m, const topic *of, size_t row) {
  FILE *to = begin(m);
  if (!to) return false;
  if (is_pose(of->field))
    put_poses(to, of->field, row, m->r->t[row]);
  else
    put_numbers(to, of, row, m->r->t[row]);
  return send(m, to, of->channel, m->r->t[row]);
}

static bool send_joints(mcap_maker *m, size_t row) {
  FILE *to = begin(m);
  if (!to) return false;
  putc('{', to), put_time(to, m->r->t[row]);
  fputs(",\"joints\":[", to);
  for (size_t i = 0; i < m->joint_count; ++i) {
    size_t at = row * m->q->columns + m->joint[i].coordinate;
    fputs(i > 0 ? ",{\"name\":" : "{\"name\":", to), put_text(to, m->joint[i].link);
    fputs(",\"position\":", to), put_real(to, m->q->array->values[at]);
    if (m->qd) fputs(",\"velocity\":", to), put_real(to, m->qd->array->values[at]);
    putc('}', to);
  }
  fputs("]}", to);
  return send(m, to, m->joints, m->r->t[row]);
}

// ------------------------------------------------------------------------------------------------ channels

static const export_field *find(const export_result *r, const char *name) {
  for (int i = 0; i < r->count; ++i)
    if (strcmp(r->fields[i].array->name, name) == 0 && r->fields[i].rows) return &r->fields[i];
  return NULL;
}

// Coordinates "LINK.joint[0]" of revolute and prismatic joints.
static void find_joints(mcap_maker *m) {
  m->q = find(m->r, "q"), m->qd = find(m->r, "qd");
  if (!m->q || !m->q->names) return;
  if (m->qd && m->qd->columns != m->q->columns) m->qd = NULL;
  m->joint = must_alloc((m->q->columns + 1) * sizeof *m->joint);
  recording model = {.model = m->r->model};
  for (size_t i = 0; i < m->q->columns; ++i) {
    const char *dot = strrchr(m->q->names[i], '.');
    if (!dot || strcmp(dot, ".joint[0]") != 0) continue;
    const json_t *link = recording_entry(&model, "links", m->q->names[i], (size_t)(dot - m->q->names[i]));
    const char *type = json_string_value(json_object_get(json_object_get(link, "joint"), "type"));
    if (!type || (strcmp(type, "revolute") != 0 && strcmp(type, "prismatic") != 0)) continue;
    m->joint[m->joint_count++] = (joint){json_string_value(json_object_get(link, "name")), i};
  }
}

static uint16_t add_known(mcap_maker *m, const char *path, const char *name, const char *schema) {
  return mcap_channel(m->file, mcap_schema(m->file, name, schema), path, &(mcap_pair){"unit", "m, rad, s"}, 1);
}

static void add_field(mcap_maker *m, const export_field *f, uint16_t *poses) {
  topic of = {.field = f};
  char *name = must_format("/%s%s%s", f->family, *f->link ? "/" : "", f->link);
  char shape[160] = "";
  for (int k = 1, used = 0; k < f->array->rank; ++k)
    used += snprintf(shape + used, sizeof shape - (size_t)used, "%s%zu", k > 1 ? "," : "", f->array->shape[k]);
  const mcap_pair pairs[] = {{"array", f->array->name}, {"unit", f->unit}, {"description", f->about}, {"shape", shape}};
  if (is_pose(f)) {
    if (!*poses) *poses = mcap_schema(m->file, "foxglove.PosesInFrame", schema_poses);
    of.channel = mcap_channel(m->file, *poses, name, pairs, 4);
  } else {
    if (schema_form(f) == FORM_NAMED || schema_form(f) == FORM_LISTS) of.keys = schema_keys(f);
    char *title = must_format("tendril.%s", f->array->name), *schema = schema_of_field(f, of.keys);
    of.channel = mcap_channel(m->file, mcap_schema(m->file, title, schema), name, pairs, 4);
    free(title), free(schema);
  }
  m->topics[m->topic_count++] = of;
  free(name);
}

static void add_channels(mcap_maker *m) {
  const export_result *r = m->r;
  bool bodies = false, rods = false;
  uint16_t poses = 0;
  for (int i = 0; i < r->count; ++i) {
    bodies = bodies || is_pose(&r->fields[i]);
    rods = rods || (is_pose(&r->fields[i]) && points_of(&r->fields[i]) > 1);
  }
  if (bodies) m->transforms = add_known(m, "/tf", "foxglove.FrameTransforms", schema_transforms);
  if (rods) m->scene = add_known(m, "/scene", "foxglove.SceneUpdate", schema_scene);
  if (m->joint_count > 0) m->joints = add_known(m, "/joint_states", "foxglove.JointStates", schema_joints);
  for (int i = 0; i < r->count; ++i) {
    const export_field *f = &r->fields[i];
    bool told = !f->rows || f->array->count == 0 || strcmp(f->array->name, "t") == 0;
    if (!told && (!is_pose(f) || points_of(f) > 1)) add_field(m, f, &poses);
  }
}

static bool send_row(mcap_maker *m, size_t row) {
  bool good = !m->transforms || send_transforms(m, row);
  good = good && (!m->scene || send_scene(m, row)) && (!m->joints || send_joints(m, row));
  for (int i = 0; good && i < m->topic_count; ++i) good = send_field(m, &m->topics[i], row);
  return good;
}

static bool write_all(mcap_maker *m) {
  const export_result *r = m->r;
  const char *model = json_string_value(json_object_get(r->model, "name"));
  const mcap_pair pairs[] = {
      {"format", "tendril.result"}, {"model", model ? model : ""}, {"epoch", "start of the run"}};
  find_joints(m);
  add_channels(m);
  bool good = true;
  for (size_t row = 0; good && row < r->rows; ++row) good = send_row(m, row);
  if (!good) say_error("not enough memory");
  char *text = export_summary(r);
  mcap_attachment(m->file, "summary.json", "application/json", text, strlen(text));
  mcap_metadata(m->file, "tendril", pairs, 3);
  free(text);
  return good;
}

static void release(mcap_maker *m) {
  for (int i = 0; i < m->topic_count; ++i) {
    for (size_t k = 0; m->topics[i].keys && k < m->topics[i].field->columns; ++k) free(m->topics[i].keys[k]);
    free(m->topics[i].keys);
  }
  free(m->topics);
  free(m->joint);
}

// Rows must be times that a file can hold.
static bool check(const export_result *r) {
  const double most = 9e9; // s in 64 bits of ns
  if (!r->t || r->rows == 0)
    return say_error("an MCAP file is messages over time, and this result has no times"), false;
  for (size_t i = 0; i < r->rows; ++i) {
    if (r->t[i] >= (i > 0 ? r->t[i - 1] : 0) && r->t[i] < most) continue;
    say_error("row %zu is at %g s: times of an MCAP file begin at 0, do not fall and stay below %g s", i, r->t[i],
              most);
    return false;
  }
  if (r->count + 8 <= MCAP_CHANNELS) return true;
  say_error("%d arrays are too many for an MCAP file; choose some with --fields", r->count);
  return false;
}

bool export_mcap(const export_result *r, const char *path) {
  if (!check(r)) return false;
  FILE *to = fopen(path, "wb");
  if (!to) return say_error("cannot write %s: %s", path, strerror(errno)), false;
  mcap_maker m = {.r = r, .file = mcap_begin(to), .topics = must_alloc((size_t)(r->count + 1) * sizeof *m.topics)};
  bool good = write_all(&m);
  good = mcap_end(m.file) && good;
  release(&m);
  good = fclose(to) == 0 && good;
  if (!good) say_error("the MCAP file cannot be written whole");
  return good;
}
