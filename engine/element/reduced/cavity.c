// Volumes of cavities by the divergence theorem, V = -1/3 of the integral of x . n over their surface, n out of the
// material.
//
// Faces of all elements with sorted corners as keys: one that stands alone in the sorted list lies outside. Outer faces
// that share points are one surface; where the volume that a surface encloses is negative it looks inwards. Deformed, x
// = X + sum phi_k q_k, V is a cubic polynomial of q, and its derivatives are those of the sum over Gauss points,
// exactly.
#include "element/reduced/cavity.h"

#include "element/reduced/mesh.h"
#include "element/reduced/reduced_points.h"
#include "element/reduced/ritz_mode.h"
#include "lie/vec3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = TD_MAX_MESH, ROW = 9 }; // NONE: the fourth corner of a triangle

typedef struct face {
  int key[4], corner[4];
} face;

typedef struct skin {
  face *faces;
  int count;      // of outer faces, sorted by key
  int *surface;   // [points] least point of the surface a point belongs to
  double *volume; // [points] at that point: what the surface encloses
  double scale;
} skin;

// Corners counterclockwise from outside; -1: a triangle.
static const int of_tetrahedron[4][4] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}};
static const int of_hexahedron[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                        {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int by_key(const void *a, const void *b) { // both structures begin with their keys
  const int *x = a, *y = b;
  for (int i = 0; i < 4; i++)
    if (x[i] != y[i]) return x[i] - y[i];
  return 0;
}

static void put_face(const int *element, const int at[4], face *f) {
  for (int i = 0; i < 4; i++) f->corner[i] = at[i] < 0 ? NONE : element[at[i]];
  memcpy(f->key, f->corner, sizeof f->key);
  qsort(f->key, 4, sizeof *f->key, by_number);
}

static int corners_of(const face *f) { return f->corner[3] == NONE ? 3 : 4; }

// All faces, then those alone.
static void outer_faces(const td_mesh_spec *mesh, skin *s) {
  int total = 0;
  for (size_t e = 0; e < mesh->tetrahedron_count; e++)
    for (int k = 0; k < 4; k++) put_face(mesh->tetrahedra[e], of_tetrahedron[k], &s->faces[total++]);
  for (size_t e = 0; e < mesh->hexahedron_count; e++)
    for (int k = 0; k < 6; k++) put_face(mesh->hexahedra[e], of_hexahedron[k], &s->faces[total++]);
  qsort(s->faces, (size_t)total, sizeof *s->faces, by_key);
  for (int i = 0, next; i < total; i = next) {
    for (next = i + 1; next < total && !by_key(&s->faces[i], &s->faces[next]); next++) continue;
    if (next == i + 1) s->faces[s->count++] = s->faces[i];
  }
}

static int root_of(int *surface, int point) {
  while (surface[point] != point) point = surface[point] = surface[surface[point]];
  return point;
}

static void join(int *surface, int a, int b) {
  a = root_of(surface, a), b = root_of(surface, b);
  if (a < b)
    surface[b] = a;
  else
    surface[a] = b;
}

// Volume of the cone over a face from the origin; of a quadrangle the mean of both its cuts, which is that of the
// bilinear patch.
static double cone(const td_mesh_spec *mesh, const face *f) {
  double sum = 0, normal[3];
  int n = corners_of(f);
  for (int cut = 0; cut < (n == 4 ? 2 : 1); cut++)
    for (int t = 0; t < n - 2; t++) {
      const double *a = mesh->points + 3 * f->corner[cut], *b = mesh->points + 3 * f->corner[(cut + t + 1) % 4],
                   *c = mesh->points + 3 * f->corner[(cut + t + 2) % 4];
      td_vec3_cross(a, b, normal);
      sum += td_vec3_dot(normal, c) / 6;
    }
  return n == 4 ? sum / 2 : sum;
}

static void skin_free(skin *s) {
  free(s->faces);
  free(s->surface);
  free(s->volume);
}

static bool skin_of(const td_mesh_spec *mesh, skin *s) {
  size_t faces = 4 * mesh->tetrahedron_count + 6 * mesh->hexahedron_count, points = mesh->point_count;
  *s = (skin){.faces = malloc((faces + 1) * sizeof *s->faces),
              .surface = malloc((points + 1) * sizeof *s->surface),
              .volume = calloc(points + 1, sizeof *s->volume)};
  if (!s->faces || !s->surface || !s->volume) {
    skin_free(s);
    return false;
  }
  outer_faces(mesh, s);
  for (size_t i = 0; i < points; i++) s->surface[i] = (int)i;
  for (int i = 0; i < s->count; i++)
    for (int k = 1; k < corners_of(&s->faces[i]); k++) join(s->surface, s->faces[i].corner[0], s->faces[i].corner[k]);
  for (int i = 0; i < s->count; i++) s->volume[root_of(s->surface, s->faces[i].corner[0])] += cone(mesh, &s->faces[i]);
  for (size_t i = 0; i < points; i++) s->scale = fmax(s->scale, fabs(s->volume[i]));
  return true;
}

static bool is_cavity(const skin *s, int root) { return s->volume[root] < -1e-9 * s->scale; }

int td_mesh_cavity_count(const td_mesh_spec *mesh) {
  skin s;
  int count = 0;
  if (!skin_of(mesh, &s)) return -1;
  for (size_t i = 0; i < mesh->point_count; i++) count += is_cavity(&s, (int)i);
  skin_free(&s);
  return count;
}

// ---- Gauss points

// X, dX/da, dX/db of a face at (a, b): a bilinear patch, or a triangle.
static void patch(const td_mesh_spec *mesh, const face *f, double a, double b, double out[ROW]) {
  double weight[4][3] = {{(1 - a) * (1 - b), -(1 - b), -(1 - a)},
                         {a * (1 - b), 1 - b, -a},
                         {a * b, b, a},
                         {(1 - a) * b, -b, 1 - a}},
         flat[3][3] = {{1 - a - b, -1, -1}, {a, 1, 0}, {b, 0, 1}};
  int n = corners_of(f);
  memset(out, 0, ROW * sizeof *out);
  for (int c = 0; c < n; c++)
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++)
        out[3 * k + i] += (n == 4 ? weight[c][k] : flat[c][k]) * mesh->points[3 * f->corner[c] + i];
}

// The mode and its derivatives along a and b.
static void mode_row(const td_ritz_mode_spec *mode, const double place[ROW], double out[ROW]) {
  for (int i = 0; i < 3; i++) {
    out[i] = td_ritz_mode_at(mode, i, place, -1);
    out[3 + i] = out[6 + i] = 0;
    for (int j = 0; j < 3; j++) {
      double slope = td_ritz_mode_at(mode, i, place, j);
      out[3 + i] += slope * place[3 + j], out[6 + i] += slope * place[6 + j];
    }
  }
}

static void face_rows(const td_reduced_spec *body, const td_mesh_rule *rule, const face *f, double *rows) {
  int n = rule->n, size = 1 + ROW * (1 + (int)body->ritz_mode_count);
  bool quad = corners_of(f) == 4;
  for (int p = 0; p < n * n; p++, rows += size) {
    int i = p % n, j = p / n;
    double a = quad ? rule->x[i] : rule->u[1][i], b = quad ? rule->x[j] : (1 - a) * rule->u[0][j];
    rows[0] = -(quad ? rule->w[i] * rule->w[j] : rule->v[1][i] * rule->v[0][j]) / 3;
    patch(&body->mesh, f, a, b, rows + 1);
    for (size_t k = 0; k < body->ritz_mode_count; k++)
      mode_row(&body->ritz_modes[k], rows + 1, rows + 1 + ROW * (1 + k));
  }
}

bool td_cavity_surface(const td_reduced_spec *body, int index, int *points, double *rows) {
  skin s;
  td_mesh_rule rule;
  int root = -1;
  *points = 0;
  if (!skin_of(&body->mesh, &s)) return false;
  td_mesh_rule_of(td_reduced_mesh_points(body), &rule);
  while (index >= 0) index -= is_cavity(&s, ++root);
  for (int i = 0; i < s.count; i++) {
    if (root_of(s.surface, s.faces[i].corner[0]) != root) continue;
    if (rows) face_rows(body, &rule, &s.faces[i], rows + (size_t)*points * (1 + ROW * (1 + body->ritz_mode_count)));
    *points += rule.n * rule.n;
  }
  skin_free(&s);
  return true;
}

// ---- volume

static double triple(const double *a, const double *b, const double *c) {
  double normal[3];
  td_vec3_cross(b, c, normal);
  return td_vec3_dot(a, normal);
}

// d2 of x . (x_a x x_b) along modes k and l.
static double second(const double x[ROW], const double *k, const double *l) {
  return triple(k, l + 3, x + 6) + triple(k, x + 3, l + 6) + triple(l, k + 3, x + 6) + triple(l, x + 3, k + 6) +
         triple(x, k + 3, l + 6) + triple(x, l + 3, k + 6);
}

double td_cavity_volume(int n, int points, const double *rows, const double *q, double *gradient, double *hessian) {
  double volume = 0;
  if (gradient) memset(gradient, 0, (size_t)n * sizeof *gradient);
  if (hessian) memset(hessian, 0, (size_t)(n * n) * sizeof *hessian);
  for (int p = 0; p < points; p++, rows += 1 + ROW * (1 + n)) {
    const double *mode = rows + 1 + ROW;
    double x[ROW], weight = rows[0];
    memcpy(x, rows + 1, sizeof x);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < ROW; i++) x[i] += mode[ROW * k + i] * q[k];
    volume += weight * triple(x, x + 3, x + 6);
    for (int k = 0; gradient && k < n; k++) {
      const double *m = mode + ROW * k;
      gradient[k] += weight * (triple(m, x + 3, x + 6) + triple(x, m + 3, x + 6) + triple(x, x + 3, m + 6));
    }
    for (int k = 0; hessian && k < n; k++)
      for (int l = 0; l <= k; l++) hessian[k * n + l] += weight * second(x, mode + ROW * k, mode + ROW * l);
  }
  for (int k = 0; hessian && k < n; k++)
    for (int l = 0; l < k; l++) hessian[l * n + k] = hessian[k * n + l];
  return volume;
}
