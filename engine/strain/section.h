// Cross-section of a rod along its length: its shape, and the laws by length that follow from it and the material.
#ifndef TENDRIL_STRAIN_SECTION_H
#define TENDRIL_STRAIN_SECTION_H

#include "tendril/spec.h"

typedef struct td_section td_section;

/// The section at one abscissa. y and z are the section's own axes, x the tangent.
typedef struct td_section_at {
  double area;       ///< m^2, of the material: holes left out (stiffness: of a circle of its radius)
  double Iy, Iz, Jx; ///< second moments, m^4: Iy = int z^2 dA, Iz = int y^2 dA, Jx = Iy + Iz (no Saint-Venant factor)
  double extent[2];  ///< full size along y and z, m
  double radius;     ///< m: r of a circle, sqrt(semi_y semi_z), sqrt(height width)/2, of the outer outline
  double outline;    ///< m^2, within the outer outline
} td_section_at;

/// Laws by length, 6-vectors and matrices by strain component (torsion, bending_y, bending_z, elongation, shear_y,
/// shear_z).
typedef struct td_section_laws {
  double density, area, J[3];  ///< density times area kg/m, density times J = (Jx, Iy, Iz) kg m
  double stiffness[6];         ///< diagonal, N m^2 and N
  double damping[6];           ///< N m^2 s and N s
  double coupling[TD_MATRIX6]; ///< what a coupled section has off the diagonal, symmetric; 0 on it
} td_section_laws;

/// Freezes the section and the material of a rod that td_spec_check has accepted.  @return TD_OK or TD_NO_MEMORY
TD_NODISCARD td_status td_section_create(const td_rod_spec *rod, td_section **section);
void td_section_destroy(td_section *section);
/// Pure, no allocation.
void td_section_eval(const td_section *section, double s, td_section_at *at);
void td_section_laws_at(const td_section *section, double s, td_section_laws *laws);
/// Stiffness has entries off its diagonal.
bool td_section_is_coupled(const td_section *section);

/// The same from the section's measures (td_section_keys order; the second ignored for a circle). Not for
/// TD_SECTION_STIFFNESS.
void td_section_of(td_section_shape shape, const double size[2], td_section_at *at);

/// Mean of the radius over the rod's length, m, by 16 Gauss points.
double td_section_mean_radius(const td_section *section);

#endif
