// Strain fields of the reduced bodies: one function per kinematics lists its columns, a row each.
//
// Order of components kx, ky, kz, sx, sy, sz with sz = 1 + e; signs and scaling are those of the authors' library:
//   pcc_planar  ky = -q1/L;  extensible adds e = q2/L;  pcc  ky = q1/L, kx = -q2/L, e = q3/L;
//   polynomial  kx = -(q1 + q2 s + …)/L, ky = (… )/L, e = q/L (planar: ky = -(q1 + q2 s + …)/L), s in metres;
//   gaussian    kx = -(q1 + q2 G)/L, ky = (q3 + q4 G)/L, e = q5/L, G = exp(-((s - L/2)/width)^2);
//   variable radius  kx = q1/L, e = q2/L and two radius modes;  lvp  what the modes say.
// Source: Pustina2024, Pustina2025; the reference data's conventions.
#include "strain/field_column.h"
#include <assert.h>
#include <math.h>

enum { KX, KY, KZ, SX, SY, SZ, LOCAL };

// Appends a column with f = (s/L)^power.
static int put(td_field_column *out, int n, const td_reduced_spec *b, int component, double scale, int power,
               double width) {
  if (out)
    out[n] =
        (td_field_column){.component = component, .scale = scale, .power = power, .width = width, .length = b->length};
  return n + 1;
}

static int pcc_planar(const td_reduced_spec *b, td_field_column *out) {
  return put(out, 0, b, KY, -1 / b->length, 0, 0);
}

static int pcc_planar_extensible(const td_reduced_spec *b, td_field_column *out) {
  return put(out, pcc_planar(b, out), b, SZ, 1 / b->length, 0, 0);
}

static int pcc(const td_reduced_spec *b, td_field_column *out) {
  int n = put(out, 0, b, KY, 1 / b->length, 0, 0);
  n = put(out, n, b, KX, -1 / b->length, 0, 0);
  return put(out, n, b, SZ, 1 / b->length, 0, 0);
}

// (q1 + q2 s + … + q_order+1 s^order) sign / L, s in metres
static int powers(const td_reduced_spec *b, td_field_column *out, int n, int component, double sign) {
  for (int k = 0; k <= b->order; k++) n = put(out, n, b, component, sign * pow(b->length, k - 1), k, 0);
  return n;
}

static int polynomial_curvature(const td_reduced_spec *b, td_field_column *out) {
  int n = b->planar ? powers(b, out, 0, KY, -1) : powers(b, out, powers(b, out, 0, KX, -1), KY, 1);
  return put(out, n, b, SZ, 1 / b->length, 0, 0);
}

static int gaussian_curvature(const td_reduced_spec *b, td_field_column *out) {
  double width = isnan(b->width) ? b->length : b->width;
  int n = put(out, 0, b, KX, -1 / b->length, 0, 0);
  n = put(out, n, b, KX, -1 / b->length, 0, width);
  n = put(out, n, b, KY, 1 / b->length, 0, 0);
  n = put(out, n, b, KY, 1 / b->length, 0, width);
  return put(out, n, b, SZ, 1 / b->length, 0, 0);
}

static int pcc_variable_radius(const td_reduced_spec *b, td_field_column *out) {
  int n = put(out, 0, b, KX, 1 / b->length, 0, 0);
  n = put(out, n, b, SZ, 1 / b->length, 0, 0);
  n = put(out, n, b, LOCAL, 1, 0, 0);
  return put(out, n, b, LOCAL + 1, 1, 0, 0);
}

static int lvp(const td_reduced_spec *b, td_field_column *out) {
  for (size_t i = 0; out && i < b->mode_count; i++) {
    const td_mode_spec *mode = &b->modes[i];
    out[i] = (td_field_column){.component = mode->field == TD_FIELD_SOURCE ? LOCAL : (int)mode->field,
                               .scale = mode->field <= TD_FIELD_KZ ? 1 / b->length : 1,
                               .polynomial = mode->polynomial,
                               .count = mode->count,
                               .length = b->length};
  }
  return (int)b->mode_count;
}

static int ritz(const td_reduced_spec *b, td_field_column *out) {
  (void)out; // no strain: its motion is not a backbone's
  return (int)b->ritz_mode_count;
}

static int (*const lists[TD_KINEMATICS_COUNT])(const td_reduced_spec *, td_field_column *) = {
    [TD_KINEMATICS_PCC_PLANAR] = pcc_planar,
    [TD_KINEMATICS_PCC_PLANAR_EXTENSIBLE] = pcc_planar_extensible,
    [TD_KINEMATICS_PCC] = pcc,
    [TD_KINEMATICS_POLYNOMIAL_CURVATURE] = polynomial_curvature,
    [TD_KINEMATICS_GAUSSIAN_CURVATURE] = gaussian_curvature,
    [TD_KINEMATICS_PCC_VARIABLE_RADIUS] = pcc_variable_radius,
    [TD_KINEMATICS_LVP] = lvp,
    [TD_KINEMATICS_RITZ] = ritz,
};

int td_reduced_columns(const td_reduced_spec *spec, td_field_column *out) { return lists[spec->kinematics](spec, out); }

bool td_reduced_has_sections(const td_reduced_spec *spec) {
  return spec->kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS || spec->kinematics == TD_KINEMATICS_LVP;
}

// f and df/dx at x = s/L by Horner.
static double polynomial(const double *c, size_t count, double x, double *slope) {
  double value = 0;
  *slope = 0;
  for (size_t i = count; i-- > 0;) {
    *slope = *slope * x + value;
    value = value * x + c[i];
  }
  return value;
}

double td_field_column_eval(const td_field_column *column, double s, double *slope) {
  assert(column->length > 0 && s >= 0 && s <= 1);
  double f, df;
  if (column->polynomial) {
    f = polynomial(column->polynomial, column->count, s, &df);
  } else {
    f = pow(s, column->power);
    df = column->power ? column->power * pow(s, column->power - 1) : 0;
  }
  df /= column->length;
  if (column->width > 0) {
    double x = (s - 0.5) * column->length / column->width, g = exp(-x * x);
    df = df * g - f * g * 2 * x / column->width;
    f *= g;
  }
  if (slope) *slope = column->scale * df;
  return column->scale * f;
}
