// Rasteriser: each triangle is projected, its pixels get depth and normal by barycentric weights, and a lit colour
// where the triangle is nearest. Light: ambient, a lamp over the viewer's left shoulder, a small highlight.
#include "plot/scene/scene.h"

#include "base/say.h"
#include <stdlib.h>

struct scene {
  int width, height;
  view view;
  float *depth;
  uint32_t *pixels;
};

typedef struct corner {
  double x, y, depth;
  vec normal;
} corner;

box box_empty(void) { return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

void box_grow(box *b, vec p, double r) {
  b->low = (vec){fmin(b->low.x, p.x - r), fmin(b->low.y, p.y - r), fmin(b->low.z, p.z - r)};
  b->high = (vec){fmax(b->high.x, p.x + r), fmax(b->high.y, p.y + r), fmax(b->high.z, p.z + r)};
}

void view_project(const view *v, vec p, double *x, double *y) {
  *x = v->x0 + v->scale * vec_dot(p, v->right);
  *y = v->y0 - v->scale * vec_dot(p, v->up);
}

view view_fit(const box *b, double azimuth, double elevation, double width, double height, double margin) {
  double a = azimuth * M_PI / 180, e = elevation * M_PI / 180;
  view v = {.right = {-sin(a), cos(a), 0}, .toward = {cos(e) * cos(a), cos(e) * sin(a), sin(e)}, .scale = 1};
  v.up = vec_cross(v.toward, v.right);
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < 8; ++i) {
    vec p = {i & 1 ? b->high.x : b->low.x, i & 2 ? b->high.y : b->low.y, i & 4 ? b->high.z : b->low.z};
    double at[2] = {vec_dot(p, v.right), vec_dot(p, v.up)};
    for (int k = 0; k < 2; ++k) low[k] = fmin(low[k], at[k]), high[k] = fmax(high[k], at[k]);
  }
  v.scale = fmin((width - 2 * margin) / (high[0] - low[0]), (height - 2 * margin) / (high[1] - low[1]));
  v.x0 = width / 2 - v.scale * (low[0] + high[0]) / 2;
  v.y0 = height / 2 + v.scale * (low[1] + high[1]) / 2;
  return v;
}

scene *scene_create(int width, int height, const view *v) {
  scene *s = must_alloc(sizeof *s);
  size_t count = (size_t)width * (size_t)height;
  *s = (scene){.width = width, .height = height, .view = *v};
  s->depth = must_alloc(count * sizeof *s->depth);
  s->pixels = must_alloc(count * sizeof *s->pixels);
  for (size_t i = 0; i < count; ++i) s->depth[i] = -INFINITY;
  return s;
}

void scene_destroy(scene *s) {
  if (!s) return;
  free(s->depth);
  free(s->pixels);
  free(s);
}

uint32_t *scene_pixels(scene *s) { return s->pixels; }

static uint32_t byte_of(double x) { return (uint32_t)(255 * fmax(0, fmin(1, x)) + 0.5); }

static uint32_t lit(const scene *s, vec normal, colour paint) {
  const view *v = &s->view;
  vec n = vec_unit(normal);
  if (vec_dot(n, v->toward) < 0) n = vec_scale(-1, n);
  vec lamp = vec_unit(vec_add(vec_add(v->toward, vec_scale(0.7, v->up)), vec_scale(-0.6, v->right)));
  vec half = vec_unit(vec_add(lamp, v->toward));
  double light = 0.5 + 0.56 * fmax(0, vec_dot(n, lamp)), shine = 0.22 * pow(fmax(0, vec_dot(n, half)), 40);
  return 0xff000000u | byte_of(paint.r * light + shine) << 16 | byte_of(paint.g * light + shine) << 8 |
         byte_of(paint.b * light + shine);
}

static corner corner_of(const scene *s, vertex v) {
  corner c = {.depth = vec_dot(v.at, s->view.toward), .normal = v.normal};
  view_project(&s->view, v.at, &c.x, &c.y);
  return c;
}

static int clamp(double x, int high) { return x < 0 ? 0 : x > high ? high : (int)x; }

void scene_triangle(scene *s, vertex va, vertex vb, vertex vc, colour paint) {
  corner a = corner_of(s, va), b = corner_of(s, vb), c = corner_of(s, vc);
  double area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  if (!isfinite(area) || fabs(area) < 1e-9) return;
  int x0 = clamp(floor(fmin(a.x, fmin(b.x, c.x))), s->width), x1 = clamp(ceil(fmax(a.x, fmax(b.x, c.x))), s->width - 1);
  int y0 = clamp(floor(fmin(a.y, fmin(b.y, c.y))), s->height),
      y1 = clamp(ceil(fmax(a.y, fmax(b.y, c.y))), s->height - 1);
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      double px = x + 0.5, py = y + 0.5;
      double wa = ((b.x - px) * (c.y - py) - (c.x - px) * (b.y - py)) / area;
      double wb = ((c.x - px) * (a.y - py) - (a.x - px) * (c.y - py)) / area;
      double wc = 1 - wa - wb;
      if (wa < -1e-9 || wb < -1e-9 || wc < -1e-9) continue;
      float depth = (float)(wa * a.depth + wb * b.depth + wc * c.depth);
      size_t at = (size_t)y * (size_t)s->width + (size_t)x;
      if (depth <= s->depth[at]) continue;
      s->depth[at] = depth;
      vec n = vec_add(vec_add(vec_scale(wa, a.normal), vec_scale(wb, b.normal)), vec_scale(wc, c.normal));
      s->pixels[at] = lit(s, n, paint);
    }
  }
}

// Premultiplied: what lies over is alpha of itself, what lies under keeps the rest.
static uint32_t blend(uint32_t over, uint32_t under, double alpha) {
  uint32_t out = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    double mixed = alpha * (double)(over >> shift & 0xff) + (1 - alpha) * (double)(under >> shift & 0xff);
    out |= (uint32_t)(mixed + 0.5) << shift;
  }
  return out;
}

void scene_cover(scene *s, const scene *pane, double alpha) {
  size_t count = (size_t)s->width * (size_t)s->height;
  for (size_t i = 0; i < count; ++i)
    if (pane->depth[i] > s->depth[i]) s->pixels[i] = blend(pane->pixels[i], s->pixels[i], alpha);
}
