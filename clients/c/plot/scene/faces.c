// Every face of every element with its corners sorted as a key; in the sorted list what stands alone lies outside.
#include "plot/scene/faces.h"

#include "base/say.h"
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct face {
  size_t key[4], corner[4]; // a triangle's fourth corner is NONE
} face;

static const size_t NONE = (size_t)-1;

// Corners counterclockwise from outside; -1: a triangle.
static const int of_tetrahedron[4][4] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}};
static const int of_hexahedron[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                        {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

static int by_number(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b) {
  for (int i = 0; i < 4; ++i) {
    int order = by_number(&((const face *)a)->key[i], &((const face *)b)->key[i]);
    if (order) return order;
  }
  return 0;
}

static bool read_face(const json_t *element, const int at[4], size_t points, face *f) {
  for (int i = 0; i < 4; ++i) {
    json_int_t index = at[i] < 0 ? 0 : json_integer_value(json_array_get(element, (size_t)at[i]));
    if (index < 0 || (size_t)index >= points) return false;
    f->corner[i] = at[i] < 0 ? NONE : (size_t)index;
  }
  memcpy(f->key, f->corner, sizeof f->key);
  qsort(f->key, 4, sizeof *f->key, by_number);
  return true;
}

static bool read_elements(const json_t *list, const int (*faces)[4], size_t each, size_t points, face *out) {
  for (size_t e = 0; e < json_array_size(list); ++e)
    for (size_t k = 0; k < each; ++k)
      if (!read_face(json_array_get(list, e), faces[k], points, &out[e * each + k])) return false;
  return true;
}

static size_t put_triangles(const face *f, size_t (*out)[3]) {
  bool quad = f->corner[3] != NONE;
  for (size_t t = 0; t < (quad ? 2u : 1u); ++t) {
    out[t][0] = f->corner[0];
    out[t][1] = f->corner[t + 1], out[t][2] = f->corner[t + 2];
  }
  return quad ? 2 : 1;
}

size_t (*faces_of(const json_t *mesh, size_t points, size_t *count))[3] {
  const json_t *tetrahedra = json_object_get(mesh, "tetrahedra"), *hexahedra = json_object_get(mesh, "hexahedra");
  size_t first = 4 * json_array_size(tetrahedra), total = first + 6 * json_array_size(hexahedra);
  face *all = must_alloc((total + 1) * sizeof *all);
  size_t(*out)[3] = must_alloc((2 * total + 1) * sizeof *out);
  *count = 0;
  bool good = read_elements(tetrahedra, of_tetrahedron, 4, points, all) &&
              read_elements(hexahedra, of_hexahedron, 6, points, all + first);
  if (good) qsort(all, total, sizeof *all, by_key);
  for (size_t i = 0, next; good && i < total; i = next) {
    for (next = i + 1; next < total && by_key(&all[i], &all[next]) == 0;) ++next;
    if (next == i + 1) *count += put_triangles(&all[i], out + *count);
  }
  assert(*count <= 2 * total);
  free(all);
  if (*count > 0) return out;
  free(out);
  return NULL;
}
