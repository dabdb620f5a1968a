// What projection.c and the assembly of initial states share.
#ifndef TENDRIL_CLOSURE_PROJECTION_PARTS_H
#define TENDRIL_CLOSURE_PROJECTION_PARTS_H

#include "closure/projection.h"

/// Loops whose errors are at most this (rad, m) are closed.
#define TD_CLOSED 1e-13
/// What dependent rows may contradict each other by: documents of five and more digits.
#define TD_MOST_MISFIT 2e-5
/// The same once they move: that, it is warned of, does not end a run.
#define TD_LATER_MISFIT 1e-3

double td_projection_largest(int count, const double *x);
/// Sum of squares.
double td_projection_square(int count, const double *x);
/// The largest entry of e [rows], those of places measured by what a unit of the coordinates moves them by p->G, which
/// is small in small robots (at most by 1 m).
double td_projection_open(const td_projection *p, const double *e);
/// p->e and p->G = de/dq at q.
TD_NODISCARD td_status td_projection_geometry(td_projection *p, const double *q);
/// These, and the factors of G.
TD_NODISCARD td_status td_projection_linearise(td_projection *p, const double *q);
/// x [free_count] = Q R^-T P^T c by the factors at hand: the smallest x with G x = c, as far as it can be met.
void td_projection_smallest(td_projection *p, const double *c, double *x);

#endif
