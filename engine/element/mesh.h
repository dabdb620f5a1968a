// The convex hull of a few points: its faces and edges.
#ifndef TENDRIL_ELEMENT_MESH_H
#define TENDRIL_ELEMENT_MESH_H

#include "element/core.h"

/// Most points of a mesh that touches other bodies: its faces are found by trying all planes through three of them.
enum { TD_MESH_POINTS = 64, TD_MESH_FACES = 2 * TD_MESH_POINTS, TD_MESH_EDGES = 3 * TD_MESH_POINTS };

typedef struct td_mesh {
  int face_count, corner_count, edge_count;
  td_core_face face[TD_MESH_FACES];
  int corner[2 * TD_MESH_EDGES + TD_MESH_POINTS];
  td_core_edge edge[TD_MESH_EDGES];
} td_mesh;

/// false: they are flat, and have no inside. O(count^4), no allocation. What is nearer to a plane than 1e-9 of the
/// points' extent lies in it.
bool td_mesh_of(const double (*point)[3], int count, td_mesh *out);

#endif
