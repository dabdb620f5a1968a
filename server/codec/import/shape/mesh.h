// Triangle meshes of a robot that are drawn: STL and OBJ files that came beside its description.
#ifndef TENDRIL_CODEC_IMPORT_SHAPE_MESH_H
#define TENDRIL_CODEC_IMPORT_SHAPE_MESH_H

#include "base/arena.h"
#include "tendril/status.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { MESH_MAX_CORNERS = 3000000, MESH_POINTS = 2000, MESH_LEAST_POINTS = 20 };

/// Corners and triangles, as they stand in a file or thinned.
typedef struct view_mesh {
  double *points; ///< [point_count][3], m
  int *triangles; ///< [triangle_count][3], of points
  size_t point_count, triangle_count;
} view_mesh;

/// Files of the request: {"meshes/base.stl": base64 text}. The object is the caller's.
typedef struct mesh_files {
  const json_t *object;
} mesh_files;

typedef enum mesh_outcome {
  MESH_READ,
  MESH_ABSENT,  ///< its file did not come along
  MESH_UNKNOWN, ///< neither STL nor OBJ
  MESH_WRONG,   ///< `why` says what is wrong
  MESH_NO_MEMORY
} mesh_outcome;

/// The file `name` as triangles, every corner as it stands there, times `scale`.
/// @param why  out with MESH_WRONG: a constant text
/// Cost: O(size)
mesh_outcome mesh_read(const mesh_files *files, const char *name, const double scale[3], arena *a, view_mesh *out,
                       const char **why);
/// Corners that are one become one; where more than `most` are left, those within one cell of a grid do, whose cells
/// grow until they fit. Numbers are rounded to a hundred thousandth of the mesh's size, or less.
/// @return false when there is not enough memory
/// Cost: O(corners) for each of some twenty grids
bool mesh_thin(const view_mesh *whole, size_t most, arena *a, view_mesh *out);

// Within this room. stl.c, obj.c: text is ended by a zero that does not count.
mesh_outcome stl_read(const char *text, size_t size, arena *a, view_mesh *out, const char **why);
mesh_outcome obj_read(const char *text, size_t size, arena *a, view_mesh *out, const char **why);

#endif
