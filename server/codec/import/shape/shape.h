// What is drawn of a link: simple shapes and meshes, as the `view` of the model document.
#ifndef TENDRIL_CODEC_IMPORT_SHAPE_SHAPE_H
#define TENDRIL_CODEC_IMPORT_SHAPE_SHAPE_H

#include "codec/import/document.h"
#include "codec/import/shape/mesh.h"

typedef enum view_kind { VIEW_BOX, VIEW_CYLINDER, VIEW_SPHERE, VIEW_CAPSULE, VIEW_MESH, VIEW_KINDS } view_kind;

typedef struct view_shape {
  view_kind kind;
  double size[3];        ///< box: its edges, m
  double radius, length; ///< m; length of a capsule without its ends; along z
  view_mesh mesh;        ///< in the arena
  double xyz[3], rpy[3]; ///< its frame in that of the link
  double quaternion[4];  ///< [w, x, y, z], instead of rpy where it is not 0
  bool coloured;
  double colour[4]; ///< red, green, blue, opacity, each in [0, 1]
} view_shape;

enum { VIEW_MOST = 64, VIEW_MOST_OF_ALL = 1024 }; ///< shapes of a link, of a robot

/// The mesh of a file that an element names, thinned; without a triangle, and with a remark, where it cannot be drawn.
td_status import_mesh(const import_reader *r, const xml_element *e, const char *name, const double scale[3],
                      view_mesh *out);
/// Adds the shapes to a link as its `view`; none: nothing.
void view_set(json_t *link, const view_shape *shapes, size_t count, bool *failed);
/// {"translation", "rpy" | "quaternion"} without what is 0; NULL: the identity.
json_t *import_pose(const double xyz[3], const double rpy[3], const double quaternion[4], bool *failed);

#endif
