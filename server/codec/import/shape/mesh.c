// Files of meshes: found in the request, decoded, read by their kind.
#include "codec/import/shape/mesh.h"

#include <string.h>
#include <strings.h>

// ------------------------------------------------------------------------------------------------ base64

static int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// RFC 4648, with its padding; NULL in *why: good.
static char *decode(const char *text, size_t size, arena *a, size_t *length, const char **why) {
  char *out = arena_alloc(a, size / 4 * 3 + 1);
  size_t n = 0, padding = 0;
  if (!out) return NULL;
  if (size % 4 != 0) return *why = "is no base64: its length is no multiple of 4", out;
  while (padding < 2 && padding < size && text[size - 1 - padding] == '=') padding++;
  for (size_t i = 0; i < size; i += 4) {
    unsigned bits = 0;
    for (size_t k = i; k < i + 4; k++) {
      int six = k < size - padding ? sextet(text[k]) : 0;
      if (six < 0) return *why = "is no base64: there is another character in it", out;
      bits = bits << 6 | (unsigned)six;
    }
    for (int shift = 16; shift >= 0; shift -= 8) out[n++] = (char)(bits >> shift & 0xff);
  }
  *length = n - padding;
  out[*length] = '\0';
  return out;
}

// ------------------------------------------------------------------------------------------------ files

static bool ends_with(const char *name, const char *extension) {
  size_t n = strlen(name), m = strlen(extension);
  return n >= m && strcasecmp(name + n - m, extension) == 0;
}

mesh_outcome mesh_read(const mesh_files *files, const char *name, const double scale[3], arena *a, view_mesh *out,
                       const char **why) {
  bool stl = ends_with(name, ".stl"), obj = ends_with(name, ".obj");
  const json_t *file = files ? json_object_get(files->object, name) : NULL;
  size_t size = 0;
  *why = NULL;
  if (!stl && !obj) return MESH_UNKNOWN;
  if (!file) return MESH_ABSENT;
  const char *text = decode(json_string_value(file), json_string_length(file), a, &size, why);
  if (!text) return MESH_NO_MEMORY;
  if (*why) return MESH_WRONG;
  mesh_outcome outcome = stl ? stl_read(text, size, a, out, why) : obj_read(text, size, a, out, why);
  if (outcome != MESH_READ) return outcome;
  for (size_t i = 0; i < 3 * out->point_count; i++) out->points[i] *= scale[i % 3];
  bool mirrored = scale[0] * scale[1] * scale[2] < 0;
  for (size_t i = 0; mirrored && i < out->triangle_count; i++) {
    int *t = out->triangles + 3 * i, swap = t[1];
    t[1] = t[2], t[2] = swap;
  }
  if (out->triangle_count == 0) return *why = "has no triangle", MESH_WRONG;
  return MESH_READ;
}
