// STL: a list of triangles, each with its corners. Binary: 80 bytes, a count, 50 bytes each (normal, corners, two
// bytes), little-endian floats; text: "vertex x y z" three times a facet.
#include "codec/import/shape/mesh.h"
#include "codec/import/value.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { HEAD = 84, FACET = 50 };

static uint32_t word_at(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char *p) {
  uint32_t bits = word_at(p);
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

static bool make_room(size_t corners, arena *a, view_mesh *out) {
  *out = (view_mesh){.point_count = corners, .triangle_count = corners / 3};
  out->points = arena_array(a, 3 * corners, sizeof(double));
  out->triangles = arena_array(a, corners, sizeof(int));
  for (size_t i = 0; out->triangles && i < corners; i++) out->triangles[i] = (int)i;
  return out->points && out->triangles;
}

static mesh_outcome read_binary(const char *text, size_t count, arena *a, view_mesh *out, const char **why) {
  if (!make_room(3 * count, a, out)) return MESH_NO_MEMORY;
  for (size_t i = 0; i < 9 * count; i++) {
    out->points[i] = float_at(text + HEAD + FACET * (i / 9) + 12 + 4 * (i % 9));
    if (!isfinite(out->points[i]) || fabs(out->points[i]) > 1e12)
      return *why = "has a corner that is far out", MESH_WRONG;
  }
  return MESH_READ;
}

static const char *next_vertex(const char *p) {
  p = strstr(p, "vertex");
  return p ? p + strlen("vertex") : NULL;
}

static mesh_outcome read_text(const char *text, arena *a, view_mesh *out, const char **why) {
  size_t corners = 0;
  for (const char *p = text; (p = next_vertex(p));) corners++;
  if (corners > MESH_MAX_CORNERS) return *why = "has more than 1000000 triangles", MESH_WRONG;
  if (corners == 0 || corners % 3) return *why = "is no STL: its vertices are not three for each facet", MESH_WRONG;
  if (!make_room(corners, a, out)) return MESH_NO_MEMORY;
  const char *p = text;
  for (size_t i = 0; i < corners; i++) {
    p = next_vertex(p);
    for (int k = 0; k < 3; k++) {
      p += strspn(p, " \t\r\n");
      size_t used = import_number(p, &out->points[3 * i + (size_t)k]);
      if (used == 0 || fabs(out->points[3 * i + (size_t)k]) > 1e12)
        return *why = "is no STL: a vertex is not three finite numbers", MESH_WRONG;
      p += used;
    }
  }
  return MESH_READ;
}

mesh_outcome stl_read(const char *text, size_t size, arena *a, view_mesh *out, const char **why) {
  size_t count = size >= HEAD ? word_at(text + 80) : 0;
  bool fits = size >= HEAD && count <= (size - HEAD) / FACET;
  bool exact = fits && HEAD + FACET * count == size;
  if (!exact && strncmp(text, "solid", 5) == 0) return read_text(text, a, out, why);
  if (!fits) return *why = "is no STL: it ends before its last triangle", MESH_WRONG;
  if (3 * count > MESH_MAX_CORNERS) return *why = "has more than 1000000 triangles", MESH_WRONG;
  return read_binary(text, count, a, out, why);
}
