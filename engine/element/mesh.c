// Faces of a convex hull: of all planes through three points those with no point outside. The corners of a face are the
// hull, in its plane, of the points that lie in it.
#include "element/mesh.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FLAT = 1e-9, SAME = 1e-12;

typedef struct cloud {
  const double (*point)[3];
  int count;
  double near; // m
} cloud;

static void between(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++) out[k] = b[k] - a[k];
}

static double extent(const cloud *c) {
  double most = 0;
  for (int i = 1; i < c->count; i++)
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(c->point[i][k] - c->point[0][k]));
  return most;
}

// The plane through three points with all others behind it; false: there is none.
static bool plane_of(const cloud *c, int i, int j, int k, double n[3], double *at) {
  double u[3], v[3], low = 0, high = 0;
  between(c->point[i], c->point[j], u);
  between(c->point[i], c->point[k], v);
  td_vec3_cross(u, v, n);
  double size = sqrt(td_vec3_dot(n, n)), scale = sqrt(td_vec3_dot(u, u) * td_vec3_dot(v, v));
  if (!(size > FLAT * scale)) return false;
  for (int x = 0; x < 3; x++) n[x] /= size;
  *at = td_vec3_dot(n, c->point[i]);
  for (int p = 0; p < c->count; p++) {
    double height = td_vec3_dot(n, c->point[p]) - *at;
    low = fmin(low, height), high = fmax(high, height);
  }
  if (high > c->near && low < -c->near) return false;
  if (!(high - low > c->near)) return false; // all of them are flat
  if (!(high > c->near)) return true;
  for (int x = 0; x < 3; x++) n[x] = -n[x];
  *at = -*at;
  return true;
}

static bool is_known(const td_mesh *m, const double n[3], double at, double near) {
  for (int i = 0; i < m->face_count; i++)
    if (td_vec3_dot(m->face[i].n, n) > 1 - SAME && fabs(m->face[i].at - at) < near) return true;
  return false;
}

// Gift wrapping in the plane, against the clock about n: from the point that is last along a direction on.
static int wrap(const cloud *c, const double n[3], const int *in, int count, int *out) {
  double u[3] = {0}, side[3];
  int start = 0, total = 0, least = fabs(n[0]) < 0.6 ? 0 : fabs(n[1]) < 0.6 ? 1 : 2;
  side[0] = side[1] = side[2] = 0;
  side[least] = 1;
  td_vec3_cross(n, side, u);
  for (int i = 1; i < count; i++) {
    double way[3], along;
    between(c->point[in[start]], c->point[in[i]], way);
    along = td_vec3_dot(way, u);
    if (along > c->near || (along > -c->near && td_vec3_dot(way, side) > 0)) start = i;
  }
  for (int here = start; total < count;) {
    int next = -1;
    double best[3] = {0};
    out[total++] = in[here];
    for (int i = 0; i < count; i++) {
      double way[3], cross[3];
      between(c->point[in[here]], c->point[in[i]], way);
      double length = td_vec3_dot(way, way);
      if (!(length > c->near * c->near)) continue;
      td_vec3_cross(best, way, cross);
      double turn = td_vec3_dot(cross, n), straight = FLAT * sqrt(length * td_vec3_dot(best, best));
      if (next >= 0 && !(turn < -straight || (turn <= straight && length > td_vec3_dot(best, best)))) continue;
      next = i;
      memcpy(best, way, sizeof best);
    }
    between(c->point[in[next]], c->point[in[start]], side);
    if (next == start || !(td_vec3_dot(side, side) > c->near * c->near)) break;
    here = next;
  }
  return total;
}

static void add_face(const cloud *c, const double n[3], double at, td_mesh *m) {
  int in[TD_MESH_POINTS], count = 0;
  td_core_face *f = &m->face[m->face_count++];
  assert(m->face_count <= TD_MESH_FACES);
  for (int p = 0; p < c->count; p++)
    if (td_vec3_dot(n, c->point[p]) > at - c->near) in[count++] = p;
  *f = (td_core_face){.at = at, .first = m->corner_count};
  memcpy(f->n, n, sizeof f->n);
  f->count = wrap(c, n, in, count, m->corner + m->corner_count);
  m->corner_count += f->count;
}

static void add_edge(td_mesh *m, int face, int a, int b) {
  for (int i = 0; i < m->edge_count; i++)
    if (m->edge[i].point[0] == b && m->edge[i].point[1] == a) {
      m->edge[i].face[1] = face;
      return;
    }
  if (m->edge_count < TD_MESH_EDGES) m->edge[m->edge_count++] = (td_core_edge){{a, b}, {face, face}};
}

bool td_mesh_of(const double (*point)[3], int count, td_mesh *out) {
  cloud c = {point, count, 0};
  assert(count <= TD_MESH_POINTS);
  c.near = FLAT * extent(&c);
  memset(out, 0, sizeof *out);
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      for (int k = j + 1; k < count; k++) {
        double n[3], at;
        if (!plane_of(&c, i, j, k, n, &at) || is_known(out, n, at, c.near)) continue;
        if (out->face_count == TD_MESH_FACES || out->corner_count > 2 * TD_MESH_EDGES) return false;
        add_face(&c, n, at, out);
      }
  for (int f = 0; f < out->face_count; f++) {
    const td_core_face *x = &out->face[f];
    for (int i = 0; i < x->count; i++)
      add_edge(out, f, out->corner[x->first + i], out->corner[x->first + (i + 1) % x->count]);
  }
  return out->face_count > 3;
}
