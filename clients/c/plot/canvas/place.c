// The document was checked by the server: what is malformed here all the same gives some finite picture.
#include "plot/canvas/place.h"

#include <string.h>

vec place_vector(const json_t *list) {
  return (vec){json_number_value(json_array_get(list, 0)), json_number_value(json_array_get(list, 1)),
               json_number_value(json_array_get(list, 2))};
}

vec place_axis(const json_t *axis) {
  const char *word = json_string_value(axis);
  if (json_is_array(axis)) return vec_unit(place_vector(axis));
  double sign = word && word[0] == '-' ? -1 : 1;
  char letter = word && *word ? word[strlen(word) - 1] : 'z';
  return letter == 'x' ? (vec){sign, 0, 0} : letter == 'y' ? (vec){0, sign, 0} : (vec){0, 0, sign};
}

// Columns of Rz(yaw) Ry(pitch) Rx(roll).
static frame turned_by_rpy(vec a) {
  double cx = cos(a.x), sx = sin(a.x), cy = cos(a.y), sy = sin(a.y), cz = cos(a.z), sz = sin(a.z);
  return (frame){{0, 0, 0},
                 {cz * cy, sz * cy, -sy},
                 {cz * sy * sx - sz * cx, sz * sy * sx + cz * cx, cy * sx},
                 {cz * sy * cx + sz * sx, sz * sy * cx - cz * sx, cy * cx}};
}

static frame turned_by_quaternion(const json_t *q) {
  double w = json_number_value(json_array_get(q, 0)), x = json_number_value(json_array_get(q, 1)),
         y = json_number_value(json_array_get(q, 2)), z = json_number_value(json_array_get(q, 3));
  double n = sqrt(w * w + x * x + y * y + z * z);
  if (n > 0) w /= n, x /= n, y /= n, z /= n;
  return (frame){{0, 0, 0},
                 {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                 {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                 {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

frame place_pose(const json_t *pose) {
  const json_t *quaternion = json_object_get(pose, "quaternion");
  frame f = quaternion ? turned_by_quaternion(quaternion) : turned_by_rpy(place_vector(json_object_get(pose, "rpy")));
  f.at = place_vector(json_object_get(pose, "translation"));
  return f;
}
