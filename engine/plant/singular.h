// Configurations in which the rows of loops lose rank while a run passes through them: bifurcations, where a mechanism
// may go on in more than one way.
#ifndef TENDRIL_PLANT_SINGULAR_H
#define TENDRIL_PLANT_SINGULAR_H

#include "plant/plant.h"

typedef struct td_singular_watch {
  bool known;    ///< there is a state before, in this segment
  int rank;      ///< there
  int most;      ///< the highest one so far
  double size;   ///< smallest singular value of A there, as a part of the largest
  double *u, *v; ///< [rows], [n] its vectors: u^T A v > 0
} td_singular_watch;

TD_NODISCARD td_status td_singular_init(td_singular_watch *w, const td_plant *p);
void td_singular_fini(td_singular_watch *w);
/// Looks at the end of a step at t, counting what was passed since the state before in the plant's statistics.
void td_singular_note(td_singular_watch *w, td_plant *p, double t, const double *q);

/// Writes what is singular at q, if it is: "the rows of loop NAME lose rank there, and A, B … may go more than one
/// way"; else "". Compares with the closed states of a motion of 0.05 away. Forgets the rank that a run goes by. A
/// projection; allocates.
void td_singular_describe(td_plant *p, const double *q, char *text, size_t size);

#endif
