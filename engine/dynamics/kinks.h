// Kinks: where a force sets in at once, with a slope that it did not have just before. Stops of joints have two each,
// contacts one for each of their points.
//
// Derivatives are those of one side. Who takes them by differences, in the state or in numbers of the model, asks of
// states on either side, and of robots whose kinks lie elsewhere, and wants of all of them the side of the state in the
// middle: it has td_kinks_at look there, and sets td_workspace.kinks to what that found. Where a step of a run ends at
// a kink, its side is that of the step (gradient/kink/sides.c).
//
// Tendons driven by length bend as sharply, over their slack width: who takes derivatives by differences sets
// td_workspace.taut to what td_tensions_hold (force/tendon/tension.h) finds there, and steps need not be small by it.
#ifndef TENDRIL_DYNAMICS_KINKS_H
#define TENDRIL_DYNAMICS_KINKS_H

#include "model/workspace.h"
#include "tendril/warnings.h"

/// How many a model has: a point of a contact each, then two of each stop, upper before lower.
int td_kinks_count(const td_model *m);
/// Whether the slope of its force jumps there, as that of stops does and of obstacles of exponent 1; of higher ones it
/// begins at 0, and every state has the slope of its own side. O(contacts).
bool td_kinks_jump(const td_model *m, int kink);
/// How far beyond each of them the state is, rad or m: positive where the force acts. [td_kinks_count]. Overwrites
/// poses in ws. Cost: O(points) with contacts.
void td_kinks_at(const td_model *m, td_workspace *ws, const double *q, double *depth);

/// What is said of an answer at a state that stands at a kink to rounding.
typedef struct td_kink_words {
  const char *at;     ///< " at t = 0.1 s", or nothing
  const char *answer; ///< "A is that"; of one side
  const char *advice; ///< "no linearisation holds for both; …"
} td_kink_words;
/// Warns (`contact_kink`) at each contact of exponent 1 or less, bodies with each other too, and at each joint whose stop
/// the state q just touches.
/// Overwrites poses in ws. Cost: O(points) with contacts, no allocation.
void td_kinks_tell(const td_model *m, td_workspace *ws, const double *q, const td_kink_words *words,
                   td_warnings *warnings);

#endif
