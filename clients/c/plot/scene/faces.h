// The outer faces of a mesh in a model document, as triangles of its points.
#ifndef TENDRIL_CLIENT_FACES_H
#define TENDRIL_CLIENT_FACES_H

#include <jansson.h>
#include <stddef.h>

/// Faces that belong to one element alone, seen counterclockwise from outside. `mesh` as in the model format; *count
/// 0 and NULL when it names points beyond `points` or has no element. The caller frees the list.
size_t (*faces_of(const json_t *mesh, size_t points, size_t *count))[3];

#endif
