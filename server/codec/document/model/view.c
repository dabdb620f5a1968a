// What is drawn of a link: shapes and meshes with a place and a colour. Nothing of it reaches the engine; it is checked
// so that whoever draws a stored document finds it whole.
#include "codec/document/model/model.h"
#include "codec/document/model/parts.h"

#include <math.h>

enum { MOST_SHAPES = 64, MOST_TRIANGLES = 3 * MODEL_MAX_VIEW_POINTS };

typedef struct drawn {
  td_se3 pose;
  double colour[4], size[3], radius, length, axis[3];
  const double *points, *triangles;
  size_t point_count, triangle_count;
} drawn;

static td_status read_colour(reader *r, const json_t *value, void *out) {
  size_t count = json_array_size(value);
  if (count != 3 && count != 4) return fail_type(r, "an array of 3 or 4 numbers", value);
  double *colour = out;
  td_status status = read_vector(r, value, colour, count);
  for (size_t i = 0; !status && i < count; i++)
    if (!(colour[i] >= 0 && colour[i] <= 1))
      return fail_here(r, TD_INVALID_ARGUMENT, "parts of a colour lie in [0, 1], %.15g does not", colour[i]);
  return status;
}

static td_status read_extent(reader *r, const json_t *value, void *out) {
  td_status status = read_number(r, value, out);
  double x = *(double *)out;
  if (!status && !(x > 0)) return fail_here(r, TD_INVALID_ARGUMENT, "must be greater than 0, is %.15g", x);
  return status;
}

static td_status read_edges(reader *r, const json_t *value, void *out) {
  double *size = out;
  td_status status = read_vector3(r, value, size);
  for (size_t i = 0; !status && i < 3; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    if (!(size[i] > 0)) return fail_here(r, TD_INVALID_ARGUMENT, "must be greater than 0, is %.15g", size[i]);
    codec_pointer_pop(&r->at, mark);
  }
  return status;
}

static td_status read_direction(reader *r, const json_t *value, void *out) {
  double *axis = out;
  td_status status = read_axis(r, value, axis);
  double norm = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!status && !(norm > 0 && isfinite(norm)))
    return fail_here(r, TD_INVALID_ARGUMENT, "the axis has no direction: its norm must be finite and greater than 0");
  return status;
}

static td_status read_corners(reader *r, const json_t *value, void *out) {
  drawn *d = out;
  return read_rows(r, value, 3, MODEL_MAX_VIEW_POINTS, &d->points, &d->point_count);
}

static td_status read_triangles(reader *r, const json_t *value, void *out) {
  drawn *d = out;
  return read_rows(r, value, 3, MOST_TRIANGLES, &d->triangles, &d->triangle_count);
}

// Triangles may stand before the points in the text.
static td_status check_corners(reader *r, const drawn *d) {
  size_t whole = codec_pointer_key(&r->at, "triangles");
  for (size_t i = 0; i < 3 * d->triangle_count; i++) {
    double corner = d->triangles[i];
    if (corner >= 0 && corner < (double)d->point_count && corner == floor(corner)) continue;
    codec_pointer_index(&r->at, i / 3);
    codec_pointer_index(&r->at, i % 3);
    return fail_here(r, TD_INVALID_ARGUMENT, "%.15g is no number of a point, the mesh has %zu points", corner,
                     d->point_count);
  }
  codec_pointer_pop(&r->at, whole);
  return TD_OK;
}

#define COMMON_FIELDS                                                                                                  \
  SKIPPED_FIELD("type"), FIELD(drawn, pose, "pose", read_pose), FIELD(drawn, colour, "colour", read_colour)
static const field box_fields[] = {COMMON_FIELDS, REQUIRED_FIELD(drawn, size, "size", read_edges)};
static const field round_fields[] = {COMMON_FIELDS, REQUIRED_FIELD(drawn, radius, "radius", read_extent),
                                     REQUIRED_FIELD(drawn, length, "length", read_extent),
                                     FIELD(drawn, axis, "axis", read_direction)};
static const field sphere_fields[] = {COMMON_FIELDS, REQUIRED_FIELD(drawn, radius, "radius", read_extent)};
static const field mesh_fields[] = {
    COMMON_FIELDS, {"points", read_corners, 0, true, NULL}, {"triangles", read_triangles, 0, true, NULL}};

enum { MESH = 4 };
static const struct {
  const char *word;
  const field *fields;
  size_t count;
} KINDS[] = {{"box", box_fields, COUNT_OF(box_fields)},
             {"cylinder", round_fields, COUNT_OF(round_fields)},
             {"sphere", sphere_fields, COUNT_OF(sphere_fields)},
             {"capsule", round_fields, COUNT_OF(round_fields)},
             [MESH] = {"mesh", mesh_fields, COUNT_OF(mesh_fields)}};
static const char *kind_word(int i) { return KINDS[i].word; }

static td_status read_drawn(reader *r, const json_t *value, void *out) {
  int kind;
  td_status status = read_key_word(r, value, "type", kind_word, COUNT_OF(KINDS), &kind);
  if (!status) status = read_object(r, value, KINDS[kind].fields, KINDS[kind].count, out);
  return status || kind != MESH ? status : check_corners(r, out);
}

td_status read_view(reader *r, const json_t *value, void *out) {
  static const drawn none = {.axis = {0, 0, 1}};
  void *list;
  size_t count;
  (void)out;
  return read_list(r, value, MOST_SHAPES, sizeof none, &none, read_drawn, &list, &count);
}

// Points and triangles of all links before this one and of it.
td_status check_views(reader *r, const json_t *links) {
  size_t points = 0, triangles = 0, i, k;
  const json_t *link, *shape;
  json_array_foreach(links, i, link) {
    json_array_foreach(json_object_get(link, "view"), k, shape) {
      points += json_array_size(json_object_get(shape, "points"));
      triangles += json_array_size(json_object_get(shape, "triangles"));
    }
    if (points <= MODEL_MAX_VIEW_POINTS && triangles <= MOST_TRIANGLES) continue;
    codec_pointer_index(&r->at, i);
    return fail_key(r, "view", TD_LIMIT,
                    "with the links before it %zu points and %zu triangles are drawn, more than %d and %d", points,
                    triangles, (int)MODEL_MAX_VIEW_POINTS, (int)MOST_TRIANGLES);
  }
  return TD_OK;
}
