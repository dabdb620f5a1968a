// Cross-sections: one row per shape with the formula of its area, second moments and extents; a concentric hole of the
// same shape is subtracted. Laws by length:
//     stiffness  diag(G J, E Iy, E Iz, E A, k G A, k G A), J = Iy + Iz unless the document gives a torsion constant,
//                k = 1 unless it gives a shear correction
//     damping    viscosity diag(Jx, 3 Iy, 3 Iz, 3 A, A, A) plus the document's own
//     inertia    density (A, Jx, Iy, Iz)
// A section given by its stiffness has these numbers instead.
//
// Invariant: a profile is NULL where the document gives none; a section of stiffness has neither sizes nor material.
#include "strain/section.h"
#include "math/quadrature.h"
#include "strain/profile.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE, INNER = 2, TORSION = 4, SHEAR, DAMPING, NUMBERS, MASS = NUMBERS + 6, INERTIA, COUPLING, RADIUS, PROFILES };

struct td_section {
  td_section_shape shape;
  double young, shear, density, viscosity;
  td_profile_fixed *profile[PROFILES];
};

// ---- shapes

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
  at->outline = at->area;
}

// ---- life

static const td_profile *profile_of(const td_rod_spec *rod, int i) {
  if (i < INNER) return &rod->size[i - SIZE];
  if (i < TORSION) return &rod->inner[i - INNER];
  if (i >= NUMBERS && i < MASS) return &rod->numbers.stiffness[i - NUMBERS];
  switch (i) {
  case TORSION:
    return &rod->torsion_constant;
  case SHEAR:
    return &rod->shear_correction;
  case DAMPING:
    return &rod->damping;
  case MASS:
    return &rod->numbers.mass;
  case INERTIA:
    return &rod->numbers.inertia;
  case COUPLING:
    return &rod->numbers.coupling;
  default:
    return &rod->numbers.radius;
  }
}

td_status td_section_create(const td_rod_spec *rod, td_section **section) {
  td_section *made = calloc(1, sizeof *made);
  if (!made) return TD_NO_MEMORY;
  *made =
      (td_section){.shape = rod->section, .young = rod->young, .density = rod->density, .viscosity = rod->viscosity};
  made->shear = isnan(rod->shear) ? rod->young / (2 * (1 + rod->poisson)) : rod->shear;
  td_status status = TD_OK;
  for (int i = 0; i < PROFILES && !status; i++)
    if (profile_of(rod, i)->count) status = td_profile_fixed_create(profile_of(rod, i), &made->profile[i]);
  if (status) {
    td_section_destroy(made);
    return status;
  }
  *section = made;
  return TD_OK;
}

void td_section_destroy(td_section *section) {
  if (!section) return;
  for (int i = 0; i < PROFILES; i++) td_profile_fixed_destroy(section->profile[i]);
  free(section);
}

// ---- values

// Numbers of one profile at s; left as they are when the document gives none.
static void number(const td_section *section, int i, double s, double *out) {
  if (section->profile[i]) td_profile_fixed_eval(section->profile[i], s, out);
}

static void subtract_hole(const td_section *section, double s, td_section_at *at) {
  double size[2] = {0, 0};
  td_section_at hole;
  for (int i = 0; i < 2; i++) number(section, INNER + i, s, &size[i]);
  td_section_of(section->shape, size, &hole);
  at->area -= hole.area, at->Iy -= hole.Iy, at->Iz -= hole.Iz, at->Jx -= hole.Jx;
}

void td_section_eval(const td_section *section, double s, td_section_at *at) {
  assert(s >= 0 && s <= 1); // X/L
  double size[2] = {0, 0};
  bool shaped = section->shape != TD_SECTION_STIFFNESS;
  if (!shaped) number(section, RADIUS, s, size);
  for (int i = 0; i < 2 && shaped; i++) number(section, SIZE + i, s, &size[i]);
  td_section_of(shaped ? section->shape : TD_SECTION_CIRCLE, size, at);
  if (section->profile[INNER]) subtract_hole(section, s, at);
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

static void numbers_at(const td_section *section, double s, td_section_laws *laws) {
  laws->density = 1;
  number(section, MASS, s, &laws->area);
  number(section, INERTIA, s, laws->J);
  for (int c = 0; c < 6; c++) number(section, NUMBERS + c, s, &laws->stiffness[c]);
  number(section, COUPLING, s, laws->coupling);
  for (int c = 0; c < 6; c++) laws->stiffness[c] += laws->coupling[7 * c], laws->coupling[7 * c] = 0;
}

static void material_laws(const td_section *section, double s, td_section_laws *laws) {
  td_section_at at;
  td_section_eval(section, s, &at);
  double E = section->young, G = section->shear, J = at.Jx, k = 1;
  number(section, TORSION, s, &J);
  number(section, SHEAR, s, &k);
  const double K[6] = {G * J, E * at.Iy, E * at.Iz, E * at.area, k * G * at.area, k * G * at.area};
  const double D[6] = {at.Jx, 3 * at.Iy, 3 * at.Iz, 3 * at.area, at.area, at.area};
  const double inertia[3] = {at.Jx, at.Iy, at.Iz};
  laws->density = section->density;
  laws->area = at.area;
  memcpy(laws->J, inertia, sizeof inertia);
  for (int c = 0; c < 6; c++) laws->stiffness[c] = K[c], laws->damping[c] = section->viscosity * D[c];
}

void td_section_laws_at(const td_section *section, double s, td_section_laws *laws) {
  assert(s >= 0 && s <= 1);
  double damping[6] = {0};
  memset(laws, 0, sizeof *laws);
  (section->shape == TD_SECTION_STIFFNESS ? numbers_at : material_laws)(section, s, laws);
  number(section, DAMPING, s, damping);
  for (int c = 0; c < 6; c++) laws->damping[c] += damping[c];
}

bool td_section_is_coupled(const td_section *section) { return section->profile[COUPLING] != NULL; }
