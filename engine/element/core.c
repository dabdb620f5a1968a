// The distance of a point from a box, a cylinder and a polytope, with its first and second derivatives.
#include "element/core.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// bend += scale a a^T
static void add_square(double bend[9], double scale, const double a[3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) bend[3 * i + j] += scale * a[i] * a[j];
}

// ---- box

static void within_box(const double x[3], const double q[3], td_core_near *out) {
  int k = q[0] >= q[1] && q[0] >= q[2] ? 0 : q[1] >= q[2] ? 1 : 2;
  out->distance = q[k];
  out->n[k] = x[k] < 0 ? -1 : 1;
}

static void near_box(const td_core *c, const double x[3], td_core_near *out) {
  double q[3], r[3], square = 0;
  for (int k = 0; k < 3; k++) {
    q[k] = fabs(x[k]) - c->half[k];
    r[k] = q[k] > 0 ? copysign(q[k], x[k]) : 0;
    square += r[k] * r[k];
  }
  out->distance = sqrt(square);
  if (!(out->distance > 0)) {
    within_box(x, q, out);
    return;
  }
  for (int k = 0; k < 3; k++) out->n[k] = r[k] / out->distance;
  for (int k = 0; k < 3; k++) {
    out->bend[4 * k] = q[k] > 0 ? 1 / out->distance : 0;
    if (!(q[k] > 0)) out->edge = k;
  }
  add_square(out->bend, -1 / out->distance, out->n);
}

// ---- cylinder, along z

// With e away from the axis and t across both:  dn/dx = m m^T / distance + (n.e) t t^T / s,  s from the axis, m across n
// in the plane of e and z, where the rim is nearest.
static void near_cylinder(const td_core *c, const double x[3], td_core_near *out) {
  double s = hypot(x[0], x[1]), e[3] = {1, 0, 0}, t[3] = {0, 1, 0}, up = x[2] < 0 ? -1 : 1;
  if (s > 0) e[0] = x[0] / s, e[1] = x[1] / s, t[0] = -e[1], t[1] = e[0];
  double side = s - c->half[0], end = fabs(x[2]) - c->half[2], a = fmax(side, 0), b = fmax(end, 0);
  if (a > 0 || b > 0)
    out->distance = hypot(a, b), a /= out->distance, b /= out->distance;
  else
    out->distance = fmax(side, end), a = side >= end ? 1 : 0, b = 1 - a;
  for (int k = 0; k < 3; k++) out->n[k] = a * e[k];
  out->n[2] = b * up;
  if (s > 0) add_square(out->bend, a / s, t);
  if (!(a > 0 && b > 0)) return;
  double m[3] = {-b * e[0], -b * e[1], a * up};
  add_square(out->bend, 1 / out->distance, m);
}

// ---- mesh

// The nearest so far: the point, and the feature's direction (an edge), or 0.
typedef struct nearest {
  double square, r[3], along[3];
  bool corner;
} nearest;

static void try_edge(const double a[3], const double b[3], const double x[3], nearest *best) {
  double u[3], w[3], r[3];
  for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], w[k] = x[k] - a[k];
  double length = td_vec3_dot(u, u), s = fmin(1, fmax(0, td_vec3_dot(w, u) / length));
  for (int k = 0; k < 3; k++) r[k] = w[k] - s * u[k];
  double square = td_vec3_dot(r, r);
  if (!(square < best->square)) return;
  best->square = square;
  best->corner = s <= 0 || s >= 1;
  for (int k = 0; k < 3; k++) best->r[k] = r[k], best->along[k] = u[k] / sqrt(length);
}

// Whether x lies over a face, within all of its edges.
static bool over(const td_core *c, const td_core_face *f, const double x[3]) {
  for (int i = 0; i < f->count; i++) {
    const double *a = c->point[c->corner[f->first + i]], *b = c->point[c->corner[f->first + (i + 1) % f->count]];
    double u[3], w[3], out[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], w[k] = x[k] - a[k];
    td_vec3_cross(u, f->n, out);
    if (td_vec3_dot(w, out) > 0) return false;
  }
  return true;
}

static void near_mesh(const td_core *c, const double x[3], td_core_near *out) {
  const td_core_face *most = NULL;
  nearest best = {.square = INFINITY};
  out->distance = -INFINITY;
  for (int i = 0; i < c->face_count; i++) {
    double height = td_vec3_dot(c->face[i].n, x) - c->face[i].at;
    if (height > out->distance) out->distance = height, most = &c->face[i];
    if (height > 0 && over(c, &c->face[i], x)) {
      out->distance = height;
      memcpy(out->n, c->face[i].n, sizeof out->n);
      return;
    }
  }
  assert(most);
  memcpy(out->n, most->n, sizeof out->n);
  if (!(out->distance > 0)) return;
  for (int i = 0; i < c->edge_count; i++)
    try_edge(c->point[c->edge[i].point[0]], c->point[c->edge[i].point[1]], x, &best);
  if (!(best.square > 0)) return;
  out->distance = sqrt(best.square);
  for (int k = 0; k < 3; k++) out->n[k] = best.r[k] / out->distance, out->bend[4 * k] = 1 / out->distance;
  add_square(out->bend, -1 / out->distance, out->n);
  if (!best.corner) add_square(out->bend, -1 / out->distance, best.along);
}

// ---- in the link's frame

static void (*const kinds[])(const td_core *, const double[3], td_core_near *) = {
    [TD_CORE_BOX] = near_box, [TD_CORE_CYLINDER] = near_cylinder, [TD_CORE_MESH] = near_mesh};

void td_core_near_at(const td_core *core, const double x[3], td_core_near *out) {
  double way[3], at[3];
  td_core_near own = {0};
  const double *R = core->pose.R;
  for (int k = 0; k < 3; k++) way[k] = x[k] - core->pose.p[k];
  td_mat3_tvec(R, way, at);
  kinds[core->kind](core, at, &own);
  out->distance = own.distance;
  out->edge = own.edge;
  td_mat3_vec(R, own.n, out->n);
  memset(out->bend, 0, sizeof out->bend);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int i = 0; i < 3 && own.bend[3 * a + b] != 0; i++)
        for (int j = 0; j < 3; j++) out->bend[3 * i + j] += R[3 * i + a] * own.bend[3 * a + b] * R[3 * j + b];
}

// Seen from the core x moves by p = way - turn x (distance n).
void td_core_follow(const td_core_near *near, const td_vec way[3], const td_vec turn[3], td_core_way *out) {
  const double *n = near->n, *B = near->bend;
  td_vec at[3] = {td_splat(n[0]), td_splat(n[1]), td_splat(n[2])}, p[3], arm[3], bent[3];
  td_v3_cross(turn, at, arm);
  for (int k = 0; k < 3; k++) p[k] = way[k] - near->distance * arm[k];
  for (int k = 0; k < 3; k++) bent[k] = B[3 * k] * p[0] + B[3 * k + 1] * p[1] + B[3 * k + 2] * p[2];
  out->distance = n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
  for (int k = 0; k < 3; k++) {
    out->n[k] = arm[k] + bent[k];
    out->slide[k] = p[k] - n[k] * out->distance - near->distance * bent[k];
  }
}
