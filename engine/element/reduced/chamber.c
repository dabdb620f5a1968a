// Volumes of chambers. The rule of the variable radius, 40 x 40 Gauss points over the axis and the half turn, is part
// of the value. Only `source` modes change the cavity of a volume-preserving body: pi (inner^2 + m(s)) integrated,
// exactly for polynomials.
#include "element/reduced/chamber.h"
#include "element/reduced/cavity.h"
#include "element/reduced/section_map.h"
#include "math/quadrature.h"
#include "strain/field_column.h"
#include <math.h>
#include <string.h>

enum { POINTS = 40 };

static void variable_radius(const td_reduced_spec *spec, int index, td_chamber *c) {
  double x[POINTS], w[POINTS];
  c->n = 4, c->bump = 2 + index;
  c->length = spec->length;
  c->gap = spec->radius.value[0] - spec->wall;
  td_gauss_legendre(POINTS, x, w);
  for (int i = 0; i < POINTS; i++)
    for (int k = 0; k < POINTS; k++) {
      int half;
      double b = td_radius_bump(spec->length, x[i], M_PI * x[k], &half), weight = spec->length * w[i] * M_PI * w[k];
      double sine = sin(M_PI * x[k]) * (index ? -1 : 1);
      for (int p = 0; p < 3; p++) c->A[p] += weight * pow(b, p);
      for (int p = 0; p < 4; p++) c->S[p] += weight * sine * pow(b, p);
    }
}

static void cavity(const td_reduced_spec *spec, double *slope, td_chamber *c) {
  c->n = (int)spec->mode_count, c->bump = -1;
  c->rest = M_PI * spec->inner_radius * spec->inner_radius * spec->length;
  c->slope = slope;
  for (size_t i = 0; i < spec->mode_count; i++) {
    slope[i] = 0;
    for (size_t k = 0; spec->modes[i].field == TD_FIELD_SOURCE && k < spec->modes[i].count; k++)
      slope[i] += M_PI * spec->length * spec->modes[i].polynomial[k] / (double)(k + 1);
  }
}

int td_reduced_chamber_count(const td_reduced_spec *spec) {
  if (spec->kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS) return 2;
  if (spec->has_mesh) return td_mesh_cavity_count(&spec->mesh);
  return spec->kinematics == TD_KINEMATICS_LVP && spec->inner_radius > 0;
}

long td_chamber_storage(const td_reduced_spec *spec, int index) {
  int points;
  if (!spec->has_mesh) return (long)spec->mode_count;
  return td_cavity_surface(spec, index, &points, NULL) ? points * (10 + 9 * (long)spec->ritz_mode_count) : -1;
}

bool td_chamber_of(const td_reduced_spec *spec, int index, double *storage, td_chamber *chamber) {
  memset(chamber, 0, sizeof *chamber);
  if (spec->has_mesh) {
    chamber->n = (int)spec->ritz_mode_count, chamber->rows = storage;
    return td_cavity_surface(spec, index, &chamber->points, storage);
  }
  if (spec->kinematics == TD_KINEMATICS_LVP)
    cavity(spec, storage, chamber);
  else
    variable_radius(spec, index, chamber);
  return true;
}

static double cavity_volume(const td_chamber *c, const double *q, double *gradient, double *hessian) {
  double volume = c->rest;
  for (int i = 0; i < c->n; i++) volume += c->slope[i] * q[i];
  if (gradient) memcpy(gradient, c->slope, (size_t)c->n * sizeof *gradient);
  if (hessian) memset(hessian, 0, (size_t)(c->n * c->n) * sizeof *hessian);
  return volume;
}

double td_chamber_volume(const td_chamber *c, const double *q, double *gradient, double *hessian) {
  if (c->rows) return td_cavity_volume(c->n, c->points, c->rows, q, gradient, hessian);
  if (c->bump < 0) return cavity_volume(c, q, gradient, hessian);
  double a = c->gap, x = q[c->bump], L = c->length, kappa = q[0] / L, e = 1 + q[1] / L;
  const double *A = c->A, *S = c->S;
  double P = (a * a * A[0] + 2 * a * A[1] * x + A[2] * x * x) / 2, P1 = a * A[1] + A[2] * x, P2 = A[2];
  double T = (a * a * a * S[0] + 3 * a * a * S[1] * x + 3 * a * S[2] * x * x + S[3] * x * x * x) / 3;
  double T1 = a * a * S[1] + 2 * a * S[2] * x + S[3] * x * x, T2 = 2 * a * S[2] + 2 * S[3] * x;
  int b = c->bump;
  if (gradient) {
    gradient[2] = gradient[3] = 0;
    gradient[0] = T / L, gradient[1] = P / L, gradient[b] = e * P1 + kappa * T1;
  }
  if (hessian) {
    memset(hessian, 0, 16 * sizeof *hessian);
    hessian[b] = hessian[4 * b] = T1 / L;
    hessian[4 + b] = hessian[4 * b + 1] = P1 / L;
    hessian[5 * b] = e * P2 + kappa * T2;
  }
  return e * P + kappa * T;
}
