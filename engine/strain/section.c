// Cross-sections: one row per shape with the formula of its area, second moments and extents.
//
// Jx = Iy + Iz for every shape (model-format: no Saint-Venant factor, no shear correction).
// Invariant: shape and two frozen profiles, the second NULL for a circle.
#include "strain/section.h"
#include "math/quadrature.h"
#include "strain/profile.h"
#include <math.h>
#include <stdlib.h>

struct td_section {
  td_section_shape shape;
  td_profile_fixed *size[2];
};

static void circle(const double size[2], td_section_at *at) {
  double r = size[0];
  at->area = M_PI * r * r;
  at->Iy = at->Iz = M_PI / 4 * r * r * r * r;
  at->extent[0] = at->extent[1] = 2 * r;
  at->radius = r;
}

static void rectangle(const double size[2], td_section_at *at) {
  double h = size[0], w = size[1];
  at->area = h * w;
  at->Iy = h * w * w * w / 12;
  at->Iz = h * h * h * w / 12;
  at->extent[0] = h;
  at->extent[1] = w;
  at->radius = sqrt(h * w) / 2;
}

static void ellipse(const double size[2], td_section_at *at) {
  double a = size[0], b = size[1];
  at->area = M_PI * a * b;
  at->Iy = M_PI / 4 * a * b * b * b;
  at->Iz = M_PI / 4 * a * a * a * b;
  at->extent[0] = 2 * a;
  at->extent[1] = 2 * b;
  at->radius = sqrt(a * b);
}

static void (*const shapes[TD_SECTION_SHAPE_COUNT])(const double[2], td_section_at *) = {
    [TD_SECTION_CIRCLE] = circle, [TD_SECTION_RECTANGLE] = rectangle, [TD_SECTION_ELLIPSE] = ellipse};

void td_section_of(td_section_shape shape, const double size[2], td_section_at *at) {
  shapes[shape](size, at);
  at->Jx = at->Iy + at->Iz;
}

td_status td_section_create(const td_rod_spec *rod, td_section **section) {
  td_section *made = calloc(1, sizeof *made);
  if (!made) return TD_NO_MEMORY;
  const char *keys[2];
  td_section_keys(rod->section, keys);
  made->shape = rod->section;
  td_status status = td_profile_fixed_create(&rod->size[0], &made->size[0]);
  if (!status && keys[1]) status = td_profile_fixed_create(&rod->size[1], &made->size[1]);
  if (status) {
    td_section_destroy(made);
    return status;
  }
  *section = made;
  return TD_OK;
}

void td_section_destroy(td_section *section) {
  if (!section) return;
  td_profile_fixed_destroy(section->size[0]);
  td_profile_fixed_destroy(section->size[1]);
  free(section);
}

void td_section_eval(const td_section *section, double s, td_section_at *at) {
  double size[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    if (section->size[i]) td_profile_fixed_eval(section->size[i], s, &size[i]);
  td_section_of(section->shape, size, at);
}

double td_section_mean_radius(const td_section *section) {
  enum { POINTS = 16 };
  double s[POINTS], w[POINTS], sum = 0;
  td_gauss_legendre(POINTS, s, w);
  for (int k = 0; k < POINTS; k++) {
    td_section_at at;
    td_section_eval(section, s[k], &at);
    sum += w[k] * at.radius;
  }
  return sum;
}
