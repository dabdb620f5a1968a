// What may touch, and a robot at random states that touch: their forces and derivatives.
#ifndef TENDRIL_TEST_TOUCHING_H
#define TENDRIL_TEST_TOUCHING_H

#include "tendril/dynamics.h"

enum { TOUCHING_MOST = 40 };

/// Members of a link: a free joint; bodies.
extern const char TOUCHING_FREE[];
extern const char TOUCHING_ROD[];
extern const char TOUCHING_BALL[];
extern const char TOUCHING_CAPSULE[];
extern const char TOUCHING_BOX[];
extern const char TOUCHING_MESH[];
extern const char TOUCHING_PCC[];
extern const char TOUCHING_DRUM[];
/// Members of a contact.
extern const char TOUCHING_LAW[];

typedef struct toucher {
  td_model *model;
  td_workspace *ws;
  int n;
  double x[3][TOUCHING_MOST]; ///< q, qd, qdd
  double size[TOUCHING_MOST]; ///< of q at random
  unsigned seed;
} toucher;

/// Takes the model over.
void toucher_init(toucher *p, td_model *model);
void toucher_fini(toucher *p);
/// J of contact at the state.
double toucher_held(toucher *p);
/// The next random state that touches.
void toucher_touch(toucher *p);
/// The greatest of the differences [n]; b NULL: 0.
double toucher_most(int n, const double *a, const double *b);
/// At so many random states that touch (TENDRIL_STATES: instead), forces are those of places, and derivatives those of
/// differences. Where something changes within the steps (a touch sets in, a nearest point comes to an end), two of them
/// disagree: those are counted.
void toucher_derivatives_are_right(toucher *p, int states, const char *what);

#endif
