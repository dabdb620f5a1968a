// One coordinate of a reduced body's strain: which component it drives and how along the axis.
#ifndef TENDRIL_STRAIN_FIELD_COLUMN_H
#define TENDRIL_STRAIN_FIELD_COLUMN_H

#include "tendril/spec.h"

/// Components 0 … 5 of a reduced body are kx, ky, kz, sx, sy, sz (axis z); 6 and 7 are local to the section (source,
/// radius).
enum { TD_COMPONENT_LOCAL = 6, TD_COMPONENTS = 8 };

/// value(s) = scale f(s/L) g(s), f a polynomial or a power, g a Gaussian around the middle when width > 0.
typedef struct td_field_column {
  int component;
  double scale;             ///< 1/m for curvatures, 1 for linear strains, 1/L included
  int power;                ///< f = (s/L)^power when polynomial is NULL
  const double *polynomial; ///< [count] ascending coefficients
  size_t count;
  double width; ///< m, 0: no Gaussian
  double length;
} td_field_column;

/// The columns of a reduced body in coordinate order; `out` NULL only counts. Polynomials are borrowed from the spec.
int td_reduced_columns(const td_reduced_spec *spec, td_field_column *out);
/// True for kinematics whose mass stands on particles of the sections.
bool td_reduced_has_sections(const td_reduced_spec *spec);
/// Value at s/L and, when not NULL, its derivative with respect to s (per metre). Pure.
double td_field_column_eval(const td_field_column *column, double s, double *slope);

#endif
