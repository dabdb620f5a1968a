// Between two circles every line along the body is a cubic whose slopes are those of the chord between its
// neighbours, over the way the centre goes. Normals come from the mesh itself: around x along. Both ends are closed
// by fans. A body that is a mesh has flat faces.
#include "plot/scene/skin.h"

#include "base/say.h"
#include <assert.h>
#include <stdlib.h>

enum { BETWEEN = 6 };

typedef struct mesh { // rows along the body of points around it
  size_t rows, around;
  vec *at; ///< [rows][around]
} mesh;

bool skin_exists(const skin *s) { return s->triangle || (s->circles > 1 && s->around > 2); }

static vec point_of(const skin *s, size_t sample, size_t circle, size_t i) {
  assert(circle < s->circles && i < s->around);
  const double *p = s->points + ((sample * s->circles + circle) * s->around + i) * 3;
  return (vec){p[0], p[1], p[2]};
}

void skin_grow(const skin *s, size_t sample, box *b) {
  for (size_t k = 0; k < s->circles; ++k)
    for (size_t i = 0; i < s->around; ++i) {
      vec p = point_of(s, sample, k, i);
      if (isfinite(p.x) && isfinite(p.y) && isfinite(p.z)) box_grow(b, p, 0);
    }
}

// ------------------------------------------------------------------------------------------------ mesh

static vec centre_of(const skin *s, size_t sample, size_t circle) {
  vec sum = {0, 0, 0};
  for (size_t i = 0; i < s->around; ++i) sum = vec_add(sum, point_of(s, sample, circle, i));
  return vec_scale(1 / (double)s->around, sum);
}

// Where each circle stands along the way of the centres.
static double *ways_of(const skin *s, size_t sample) {
  double *way = must_alloc(s->circles * sizeof *way);
  way[0] = 0;
  for (size_t k = 1; k < s->circles; ++k) {
    double step = vec_norm(vec_sub(centre_of(s, sample, k), centre_of(s, sample, k - 1)));
    way[k] = way[k - 1] + fmax(step, 1e-9);
  }
  return way;
}

static vec slope_at(const skin *s, size_t sample, const double *way, size_t circle, size_t i) {
  size_t a = circle > 0 ? circle - 1 : circle, b = circle + 1 < s->circles ? circle + 1 : circle;
  return vec_scale(1 / (way[b] - way[a]), vec_sub(point_of(s, sample, b, i), point_of(s, sample, a, i)));
}

// The line i at fraction k between a circle and the next.
static vec along(const skin *s, size_t sample, const double *way, size_t circle, size_t i, double k) {
  double length = way[circle + 1] - way[circle], k2 = k * k, k3 = k2 * k;
  vec a = point_of(s, sample, circle, i), b = point_of(s, sample, circle + 1, i);
  vec values = vec_add(vec_scale(2 * k3 - 3 * k2 + 1, a), vec_scale(3 * k2 - 2 * k3, b));
  vec slopes = vec_add(vec_scale(k3 - 2 * k2 + k, slope_at(s, sample, way, circle, i)),
                       vec_scale(k3 - k2, slope_at(s, sample, way, circle + 1, i)));
  return vec_add(values, vec_scale(length, slopes));
}

static mesh mesh_of(const skin *s, size_t sample) {
  assert(skin_exists(s) && s->circles > 1);
  mesh m = {.rows = (s->circles - 1) * BETWEEN + 1, .around = s->around};
  double *way = ways_of(s, sample);
  m.at = must_alloc(m.rows * m.around * sizeof *m.at);
  for (size_t row = 0; row < m.rows; ++row) {
    size_t circle = row / BETWEEN < s->circles - 1 ? row / BETWEEN : s->circles - 2;
    double k = (double)(row - circle * BETWEEN) / BETWEEN;
    for (size_t i = 0; i < m.around; ++i) m.at[row * m.around + i] = along(s, sample, way, circle, i, k);
  }
  free(way);
  return m;
}

static vertex vertex_of(const mesh *m, size_t row, size_t i) {
  assert(row < m->rows && m->rows > 1);
  size_t n = m->around, before = row > 0 ? row - 1 : row, after = row + 1 < m->rows ? row + 1 : row;
  vec round = vec_sub(m->at[row * n + (i + 1) % n], m->at[row * n + (i + n - 1) % n]);
  vec forward = vec_sub(m->at[after * n + i % n], m->at[before * n + i % n]);
  return (vertex){m->at[row * n + i % n], vec_unit(vec_cross(round, forward))};
}

static void close_end(scene *picture, const mesh *m, size_t row, size_t inside, colour paint) {
  vec centre = {0, 0, 0}, within = {0, 0, 0};
  for (size_t i = 0; i < m->around; ++i) {
    centre = vec_add(centre, vec_scale(1 / (double)m->around, m->at[row * m->around + i]));
    within = vec_add(within, vec_scale(1 / (double)m->around, m->at[inside * m->around + i]));
  }
  vec outward = vec_unit(vec_sub(centre, within));
  for (size_t i = 0; i < m->around; ++i)
    scene_triangle(picture, (vertex){centre, outward}, (vertex){m->at[row * m->around + i], outward},
                   (vertex){m->at[row * m->around + (i + 1) % m->around], outward}, paint);
}

static void draw_faces(scene *picture, const skin *s, size_t sample, colour paint) {
  for (size_t t = 0; t < s->triangles; ++t) {
    vec p[3];
    for (int c = 0; c < 3; ++c) p[c] = point_of(s, sample, 0, s->triangle[t][c]);
    vec normal = vec_unit(vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0])));
    scene_triangle(picture, (vertex){p[0], normal}, (vertex){p[1], normal}, (vertex){p[2], normal}, paint);
  }
}

void skin_draw(scene *picture, const skin *s, size_t sample, colour paint) {
  if (s->triangle) {
    draw_faces(picture, s, sample, paint);
    return;
  }
  mesh m = mesh_of(s, sample);
  for (size_t row = 0; row + 1 < m.rows; ++row)
    for (size_t i = 0; i < m.around; ++i) {
      vertex a = vertex_of(&m, row, i), b = vertex_of(&m, row, i + 1), c = vertex_of(&m, row + 1, i),
             d = vertex_of(&m, row + 1, i + 1);
      scene_triangle(picture, a, b, c, paint);
      scene_triangle(picture, b, d, c, paint);
    }
  close_end(picture, &m, 0, 1, paint);
  close_end(picture, &m, m.rows - 1, m.rows - 2, paint);
  free(m.at);
}
