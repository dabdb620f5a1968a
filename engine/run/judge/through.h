// Bodies that get through each other: what gives way is no body, and nothing else says so.
//
// Two solids before each other, and a point before an obstacle that is a box, are watched alike: a place each.
#ifndef TENDRIL_RUN_JUDGE_THROUGH_H
#define TENDRIL_RUN_JUDGE_THROUGH_H

#include "force/contact/obstacle/obstacle.h"
#include "integrate/integrator.h"

typedef struct td_through { // part of a checkpoint, as numbers
  double away[3];           ///< unit, from b to a, where they first touched
  double kind;              ///< APART, TOUCHED, DEEP or BEGAN_DEEP (through.c)
} td_through;

/// A step that was taken: its ends as td_approach saw them, and who knows what lies between.
typedef struct td_through_step {
  const td_plant *plant;
  const td_integrator *method;
  td_stepper *stepper;
  double t0, t1;
  const td_sighting *from, *to; ///< [points of all contacts, then pairs of solids]
  const double *y;              ///< [2n] its end
} td_through_step;

typedef struct td_through_found {
  int pair;           ///< index into model->solid_pair; -1: a point of a contact
  int contact, point; ///< of it
  double t;           ///< s
} td_through_found;

/// Doubles of td_through of all that is watched.
size_t td_through_size(const td_model *model);
/// Whether in the step two bodies that came apart into each other have gone deeper than half of what they measure where
/// they are thinnest and are on the other side of each other. What begins so deep is left out until it has been apart;
/// so is a rod before itself. Where something may get so far within the step it is looked at in up to 2048 moments of
/// it, more of them the nearer things are; else at its end alone. A look is a forward pass, and O(proxies, and what
/// touches).
/// @param scratch  [2n]
/// @return  something did: the first is in `found`
bool td_through_find(td_through *through, const td_through_step *step, double *scratch, td_through_found *found);

#endif
