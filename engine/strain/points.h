// Computational points of a rod: base, Gauss points, (element boundaries,) tip.
//
// Element bases: the rod is cut at the boundaries of the elements of every active component (components with different
// orders: the union of their boundaries, since the strain has a kink at each of them), every piece carries the same
// number of Gauss points, and the boundaries are computational points of weight 0.
#ifndef TENDRIL_STRAIN_POINTS_H
#define TENDRIL_STRAIN_POINTS_H

#include "tendril/spec.h"

/// Gauss points per piece: the document's, or the default (points.c), with which the mass matrix of a rod whose base
/// moves freely is regular.
int td_rod_gauss_per_piece(const td_rod_spec *rod);
/// Pieces between boundaries: 1, or the size of the union of the components' elements.
int td_rod_piece_count(const td_rod_spec *rod);
/// Gauss points on the whole rod = per piece * pieces.
int td_rod_gauss_count(const td_rod_spec *rod);
/// Computational points: gauss + pieces + 1.
int td_rod_point_count(const td_rod_spec *rod);
/// Abscissas s = X/L rising from 0 to 1 and weights w on [0, 1], sum 1, 0 at base, boundaries and tip. [point_count]
/// each.
void td_rod_points(const td_rod_spec *rod, double *s, double *w);

/// Quadrature of the stretch [from, to] of a rod: abscissas and weights on it, sum to - from; returns their number. A
/// piece that lies in it as a whole has the rod's own Gauss points. Of a piece that is cut, a rule of its own runs over
/// the part that is left, with ceil(points (1 + part) / 2) of the piece's points, 3 at least: a part of a smooth
/// integrand needs fewer, and whatever the order of the strains, the virtual work of a constant load on a straight rod
/// is exact where that of the whole piece is. s, w may be NULL, else [td_rod_range_limit].
int td_rod_range_points(const td_rod_spec *rod, double from, double to, double *s, double *w);
/// The most that td_rod_range_points returns.
int td_rod_range_limit(const td_rod_spec *rod);

#endif
