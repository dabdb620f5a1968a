// Mass matrices that are singular to rounding: whether, which coordinates move nothing, and why.
#ifndef TENDRIL_WHY_MASS_RANK_H
#define TENDRIL_WHY_MASS_RANK_H

#include "model/workspace.h"
#include "tendril/status.h"

/// What is missing to a regular mass matrix.
typedef struct td_mass_fault {
  int missing; ///< combinations of coordinates that move no mass, 0: none
  int link;    ///< whose rod's quadrature or basis is the reason, -1: neither is
  bool basis; ///< its basis is: the functions depend on each other at the Gauss points; else there are too few of these
  char text[480];
} td_mass_fault;

/// TD_SINGULAR when ws->factor, the Cholesky factor of ws->mass, has a pivot that is no more than rounding of what it
/// was taken from: its sign would be luck, and accelerations noise. O(n).
TD_NODISCARD td_status td_mass_regular(const td_model *m, const td_workspace *ws);

/// Judges ws->mass [n][ld] as it stands, prescribed coordinates held, by a Cholesky factor with pivoting of the matrix
/// scaled to ones on its diagonal. `least` missing combinations are named even if the pivots beyond are more than
/// rounding. The text is a clause without a full stop: "6 of 36 combinations of coordinates move no mass, most of all
/// rod.torsion[4], …: …". O(n^3), allocates nothing, overwrites ws->factor, scratch, fd.
void td_mass_judge(const td_model *m, td_workspace *ws, int least, td_mass_fault *fault);

#endif
