// Strain bases: Phi of xi(X) = Phi(X/L) q + xi*, one row (component) of it at a time.
//
// Components 0 … 5 are torsion, bending_y, bending_z, elongation, shear_y, shear_z. Values are those of the document:
// NOT divided by L (angular rows of Phi are; that is the rod's business). Each family is a row of the table in basis.c.
#ifndef TENDRIL_STRAIN_BASIS_H
#define TENDRIL_STRAIN_BASIS_H

#include "tendril/spec.h"

typedef struct td_rod_basis td_rod_basis;

/// Freezes the basis of a rod that td_spec_check has accepted.  @return TD_OK or TD_NO_MEMORY
TD_NODISCARD td_status td_rod_basis_create(const td_rod_spec *rod, td_rod_basis **basis);
void td_rod_basis_destroy(td_rod_basis *basis);
/// Coordinates of a component, 0 when it is locked.
int td_rod_basis_count(const td_rod_basis *basis, int component);
/// Coordinates of the rod: sum over components.
int td_rod_basis_total(const td_rod_basis *basis);
/// value [count]: the functions that multiply the component's coordinates, at s in [0, 1]. Pure, no allocation.
void td_rod_basis_eval(const td_rod_basis *basis, int component, double s, double *value);

/// Whether what an enriched component has beyond its family follows the section, P_k over the stiffness, and not
/// polynomials.
bool td_rod_basis_follows_section(const td_rod_basis *basis, int component);

// The same counts straight from a spec, for checks and layout before anything is frozen.

/// Coordinates of a component, 0 when it is locked.
int td_rod_component_count(const td_rod_spec *rod, int component);
/// Elements a component's functions are made of: `order` for element bases, 1 for the others; 0 when it is locked.
int td_rod_component_elements(const td_rod_spec *rod, int component);
/// Degree of the polynomials that a component's functions span on each of its elements, -1: not even constants.
int td_rod_basis_degree(td_basis basis, int order);
/// The largest count over the components.
int td_rod_largest_count(const td_rod_spec *rod);
/// True for linear, quadratic, cubic, hermite.
bool td_basis_has_elements(td_basis basis);
/// Lowest order that makes sense: 1 for element bases, 0 for the others.
int td_basis_lowest_order(td_basis basis);

#endif
