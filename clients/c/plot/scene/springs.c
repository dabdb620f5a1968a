// A spring is a coil around its line, a damper alone a straight bar. Ends on links without recorded poses are left out.
#include "plot/scene/springs.h"

#include "plot/canvas/place.h"
#include "plot/scene/robot.h"
#include <math.h>
#include <string.h>

enum { TURNS = 9, ROUND = 12, POINTS = TURNS * ROUND + 3 };

// Where an end is; false where its link was not recorded.
static bool end_at(const recording *r, const json_t *end, size_t sample, vec *out) {
  const char *link = json_string_value(json_object_get(end, "link"));
  const json_t *at = json_object_get(end, "at");
  frame offset = place_pose(json_object_get(end, "pose"));
  *out = offset.at;
  if (!link) return false;
  if (strcmp(link, "world") == 0) return true;
  const track *k = recording_track(r, link);
  if (!k || !track_is_finite(k, sample)) return false;
  frame f = track_frame(k, sample, track_nearest(k, json_is_number(at) ? json_number_value(at) : 1));
  *out = frame_compose(&f, &offset).at;
  return true;
}

static void draw_coil(scene *solid, vec a, vec b, double wire) {
  const colour paint = {.18, .49, .20};
  vec along = vec_sub(b, a), path[POINTS];
  double length = vec_norm(along);
  frame f = frame_along(a, along);
  for (int i = 0; i < POINTS; ++i) {
    bool end = i == 0 || i == POINTS - 1;
    double part = i == 0 ? 0 : end ? 1 : 0.1 + 0.8 * (i - 1) / (POINTS - 3), angle = 2 * M_PI * (i - 1) / ROUND;
    double radius = end ? 0 : 5 * wire;
    path[i] = frame_point(&f, (vec){part * length, radius * cos(angle), radius * sin(angle)});
  }
  tube_draw(solid, path, POINTS, wire, paint);
}

void springs_grow(const recording *r, box *b) {
  const json_t *spring;
  size_t i;
  json_array_foreach(json_object_get(r->model, "springs"), i, spring) {
    for (int k = 0; k < 2; ++k) {
      const json_t *end = json_object_get(spring, k ? "b" : "a");
      const char *link = json_string_value(json_object_get(end, "link"));
      if (link && strcmp(link, "world") == 0) box_grow(b, place_pose(json_object_get(end, "pose")).at, 0);
    }
  }
}

void springs_draw(const recording *r, scene *solid, size_t sample, double wire) {
  const json_t *spring;
  size_t i;
  json_array_foreach(json_object_get(r->model, "springs"), i, spring) {
    vec ends[2];
    if (!end_at(r, json_object_get(spring, "a"), sample, &ends[0])) continue;
    if (!end_at(r, json_object_get(spring, "b"), sample, &ends[1])) continue;
    if (!(vec_norm(vec_sub(ends[1], ends[0])) > 1e-9)) continue;
    if (json_number_value(json_object_get(spring, "stiffness")) > 0)
      draw_coil(solid, ends[0], ends[1], wire);
    else
      tube_draw(solid, ends, 2, wire, (colour){.18, .49, .20});
  }
}
