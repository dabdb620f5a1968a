// OBJ: "v x y z" lines, then "f a b c …" by numbers of vertices from 1, or from the last backwards when negative; what
// stands behind a slash (texture, normal) and all other lines are not drawn. A face of more corners becomes a fan.
#include "codec/import/shape/mesh.h"
#include "codec/import/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *next_line(const char *p) {
  p += strcspn(p, "\n");
  return *p ? p + 1 : NULL;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Words of a line behind its first.
static size_t words_of(const char *p) {
  size_t n = 0;
  while (*p && *p != '\n') {
    p += strspn(p, " \t\r");
    if (*p && *p != '\n') n++;
    p += strcspn(p, " \t\r\n");
  }
  return n;
}

static bool measure(const char *text, size_t *points, size_t *triangles) {
  for (const char *p = text; p; p = next_line(p)) {
    p += strspn(p, " \t");
    if (p[0] == 'v' && is_blank(p[1])) ++*points;
    size_t corners = p[0] == 'f' && is_blank(p[1]) ? words_of(p + 1) : 0;
    if (corners > 2) *triangles += corners - 2;
    if (*points > MESH_MAX_CORNERS || *triangles > MESH_MAX_CORNERS) return false;
  }
  return true;
}

static bool read_vertex(const char *p, double x[3]) {
  for (int k = 0; k < 3; k++) {
    p += strspn(p, " \t");
    size_t used = import_number(p, &x[k]);
    if (used == 0 || fabs(x[k]) > 1e12) return false;
    p += used;
  }
  return true;
}

// A fan from the first corner.
static bool read_face(const char *p, size_t known, view_mesh *out) {
  int first = 0, last = 0;
  for (size_t n = 0; *p && *p != '\n'; n++) {
    p += strspn(p, " \t\r");
    if (!*p || *p == '\n') break;
    char *end;
    long number = strtol(p, &end, 10);
    if (number < 0) number += (long)known + 1;
    if (end == p || number < 1 || number > (long)known) return false;
    int corner = (int)(number - 1);
    if (n == 0) first = corner;
    if (n > 1) {
      int *t = out->triangles + 3 * out->triangle_count++;
      t[0] = first, t[1] = last, t[2] = corner;
    }
    last = corner;
    p = end + strcspn(end, " \t\r\n");
  }
  return true;
}

mesh_outcome obj_read(const char *text, size_t size, arena *a, view_mesh *out, const char **why) {
  size_t points = 0, triangles = 0;
  if (memchr(text, '\0', size)) return *why = "is no OBJ: there is a zero byte in it", MESH_WRONG;
  if (!measure(text, &points, &triangles)) return *why = "has more than 1000000 triangles", MESH_WRONG;
  *out = (view_mesh){.points = arena_array(a, 3 * points, sizeof(double)),
                     .triangles = arena_array(a, 3 * triangles, sizeof(int))};
  if (!out->points || !out->triangles) return MESH_NO_MEMORY;
  for (const char *p = text; p; p = next_line(p)) {
    p += strspn(p, " \t");
    if (p[0] == 'v' && is_blank(p[1]) && !read_vertex(p + 1, out->points + 3 * out->point_count++))
      return *why = "is no OBJ: a vertex is not three finite numbers", MESH_WRONG;
    if (p[0] == 'f' && is_blank(p[1]) && !read_face(p + 1, out->point_count, out))
      return *why = "is no OBJ: a face has a corner that is no vertex before it", MESH_WRONG;
  }
  return MESH_READ;
}
