// How the particles of a cross-section move in its plane: y(p; X), p up to four local fields of the section.
//
// A kinematics is a row: it gives y as polynomials in p (math/poly.h); everything else (velocities, accelerations,
// inertia, all derivatives) follows from them (body/section/slice.c).
#ifndef TENDRIL_ELEMENT_SECTION_MAP_H
#define TENDRIL_ELEMENT_SECTION_MAP_H

#include "math/poly.h"
#include "tendril/spec.h"

enum { TD_SECTION_DATA = 8 };

/// Particles of one batch of lanes: mass (kg) or, for the elastic energy, volume (m^3), then what the map needs of
/// each.
typedef struct td_section_points {
  td_vec weight;
  td_vec data[TD_SECTION_DATA];
} td_section_points;

/// y [2] (m, along the section's x and y axes) with all derivatives up to `order` in the fields p [4].
typedef void (*td_section_map)(const td_section_points *points, const double *p, int order, td_poly y[2]);
/// Also its derivatives with respect to the material coordinates: Y[2 i + j] = dy_i/dX_j. NULL: no nonlinear energy.
typedef void (*td_section_gradient)(const td_section_points *points, const double *p, int order, td_poly y[2],
                                    td_poly Y[4]);

typedef struct td_section_row {
  int fields;         ///< local fields p
  int component[4];   ///< strain or local component (strain/field_column.h) of each
  td_section_map map; ///< orders 1, 2, 3
  td_section_gradient gradient;
  /// False when p leaves the map's validity anywhere in these points.
  bool (*valid)(const td_section_points *points, const double *p);
  /// Fills data from data[0], data[1] at s/L; NULL: they are all there is.
  void (*mark)(double s, double length, td_section_points *point);
} td_section_row;

/// Completes the data of a material point whose data[0], data[1] are its x and y (m) at s/L of a body of that length.
void td_section_mark(const td_section_row *row, double s, double length, td_section_points *point);
/// The bump of pcc_variable_radius at s/L and the angle phi in [0, 2 pi): which mode it belongs to and its value.
double td_radius_bump(double length, double s, double phi, int *mode);

/// NULL for kinematics without particles in sections.
const td_section_row *td_section_row_of(td_body_kinematics kinematics);

#endif
