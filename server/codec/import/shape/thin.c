// Corners of a mesh that lie in one cell of a grid become one, their mean (Rossignac and Borrel 1993); triangles that
// lose an edge by that go.
//
// Cells are found by a hash of their three numbers; a table of at least twice as many places as corners never fills.
#include "codec/import/shape/mesh.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { GRIDS = 64 };

typedef struct grid {
  double low[3], size; ///< corner of the mesh's box, its longest edge
  int64_t (*cells)[3]; ///< [points] of each point that stands for a cell
  int *table;          ///< [places]: one more than such a point, 0: free
  size_t places;
  int *owner; ///< [corners]: its point
  int *sum;   ///< [points]: corners of it
} grid;

static bool make(const view_mesh *m, arena *a, grid *g) {
  double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  g->places = 16;
  while (g->places < 2 * m->point_count) g->places *= 2;
  for (int k = 0; k < 3; k++) g->low[k] = HUGE_VAL;
  for (size_t i = 0; i < 3 * m->point_count; i++) {
    g->low[i % 3] = fmin(g->low[i % 3], m->points[i]);
    high[i % 3] = fmax(high[i % 3], m->points[i]);
  }
  g->size = fmax(high[0] - g->low[0], fmax(high[1] - g->low[1], high[2] - g->low[2]));
  g->cells = arena_array(a, m->point_count, sizeof *g->cells);
  g->table = arena_array(a, g->places, sizeof *g->table);
  g->owner = arena_array(a, m->point_count, sizeof *g->owner);
  g->sum = arena_array(a, m->point_count, sizeof *g->sum);
  return g->cells && g->table && g->owner && g->sum;
}

static size_t place_of(const grid *g, const int64_t cell[3]) {
  uint64_t h = 0;
  for (int k = 0; k < 3; k++) h = (h ^ (uint64_t)cell[k]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
  size_t place = (size_t)h & (g->places - 1);
  while (g->table[place] && memcmp(g->cells[g->table[place] - 1], cell, sizeof g->cells[0]) != 0)
    place = (place + 1) & (g->places - 1);
  return place;
}

static size_t gather(const view_mesh *m, grid *g, double cell, view_mesh *out) {
  memset(g->table, 0, g->places * sizeof *g->table);
  memset(g->sum, 0, m->point_count * sizeof *g->sum);
  out->point_count = 0;
  for (size_t i = 0; i < m->point_count; i++) {
    int64_t at[3];
    for (size_t k = 0; k < 3; k++) at[k] = (int64_t)floor((m->points[3 * i + k] - g->low[k]) / cell);
    size_t place = place_of(g, at);
    if (!g->table[place]) {
      memcpy(g->cells[out->point_count], at, sizeof at);
      memset(out->points + 3 * out->point_count, 0, 3 * sizeof(double));
      g->table[place] = (int)++out->point_count;
    }
    int owner = g->owner[i] = g->table[place] - 1;
    g->sum[owner]++;
    for (size_t k = 0; k < 3; k++) out->points[3 * (size_t)owner + k] += m->points[3 * i + k];
  }
  return out->point_count;
}

static size_t keep_triangles(const view_mesh *m, const grid *g, view_mesh *out) {
  out->triangle_count = 0;
  for (size_t i = 0; i < m->triangle_count; i++) {
    const int *t = m->triangles + 3 * i;
    int a = g->owner[t[0]], b = g->owner[t[1]], c = g->owner[t[2]];
    if (a == b || b == c || c == a) continue;
    int *kept = out->triangles + 3 * out->triangle_count++;
    kept[0] = a, kept[1] = b, kept[2] = c;
  }
  return out->triangle_count;
}

static void round_means(const grid *g, view_mesh *out) {
  double step = g->size > 0 ? pow(10, floor(log10(1e-5 * g->size))) : 1;
  for (size_t i = 0; i < 3 * out->point_count; i++) {
    double x = round(out->points[i] / g->sum[i / 3] / step);
    out->points[i] = step < 1 ? x / round(1 / step) : x * step;
    if (out->points[i] == 0) out->points[i] = 0; // no -0
  }
}

bool mesh_thin(const view_mesh *m, size_t most, arena *a, view_mesh *out) {
  grid g;
  out->points = arena_array(a, 3 * m->point_count, sizeof(double));
  out->triangles = arena_array(a, 3 * m->triangle_count, sizeof(int));
  if (!make(m, a, &g) || !out->points || !out->triangles) return false;
  double cell = g.size > 0 ? 1e-6 * g.size : 1;
  for (int k = 0; k < GRIDS; k++) {
    if (gather(m, &g, cell, out) <= most && keep_triangles(m, &g, out) <= 3 * most) break;
    cell = fmax(1.25 * cell, 0.25 * g.size / sqrt((double)most));
  }
  round_means(&g, out);
  return true;
}
