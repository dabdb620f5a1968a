// The water around a robot: how it flows at a height, and how wet what is there is.
//
// Velocity (world axes, m/s) = uniform or a table in z + channels of u. Between the knots of a table each component is
// the shape-preserving cubic of Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5, 1984, 300): C1, monotone where the
// data are, linear where they lie on a line; beyond the table its ends hold. The flow is taken as it is at u:
// quasi-steady, DU/Dt = 0.
//
// Wetness below a surface at z_s: 0 above z_s + w/2, 1 below z_s - w/2, between them t^2 (3 - 2 t), t = (z_s - z)/w +
// 1/2. That is exactly the part of a sphere of diameter w below the surface when its centre is at z.
#ifndef TENDRIL_ELEMENT_WATER_H
#define TENDRIL_ELEMENT_WATER_H

#include "tendril/spec.h"

typedef struct td_water {
  bool flows;           ///< a velocity or a channel is given
  int channel[3];       ///< index into u of what is added to each component, -1
  double velocity[3];   ///< uniform
  int knots;            ///< of the table, 0: none
  const double *z;      ///< [knots], m
  const double *table;  ///< [knots][3]
  const double *slopes; ///< [knots][3], 1/s
  bool has_surface;
  double surface, width; ///< m
} td_water;

/// U [3] at height z and dU/dz [3]; u may be NULL.
void td_water_flow(const td_water *water, double z, const double *u, double U[3], double dU_dz[3]);
/// slopes [knots][3] of the cubics through table [knots][3] at z [knots], rising; knots >= 2.
void td_water_slopes(int knots, const double *z, const double *table, double *slopes);

/// Wetness and its first and second derivative with respect to z; 1, 0, 0 without a surface.
typedef struct td_wetness {
  double value, slope, bend;
} td_wetness;
td_wetness td_water_wetness(const td_water *water, double z);
/// The height whose slope is the wetness: z below, the surface's above. Displaced fluid has this height in its
/// potential.
double td_water_wet_height(const td_water *water, double z);

#endif
