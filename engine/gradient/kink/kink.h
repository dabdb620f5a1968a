// On which side of a kink (dynamics/kinks.h) the maps of a run are linearised.
//
// A step that is cut where a stop or an obstacle of exponent 1 sets in ends beside it, a hair beyond: there its last
// stage feels next to nothing of the force, and all of its slope. The motion turns there, and its derivative does not
// jump: the slope that counts in a step is that of the side on which the step lies. So a state that is nearly at a kink
// is taken for one on the side of that end of the step that is farther from it. Of steps whose both ends are apart from
// it, on different sides, each stage is on its own. Nearly is 1/20 of the farther end's distance where steps follow
// their error, which end there on purpose; else they end where they end, and only what is at the kink to rounding is
// moved.
//
// The accelerations at a state that two such steps share have two tangents, and a corner lies between them: where the
// next step is on another side, they are made anew (corner.c), and rates get what they had since the kink.
#ifndef TENDRIL_GRADIENT_KINK_KINK_H
#define TENDRIL_GRADIENT_KINK_KINK_H

#include "gradient/chain.h"

TD_NODISCARD td_status td_kinks_init(td_chain *c);
void td_kinks_fini(td_chain *c);
/// The note's map is at work: its step's ends are looked at. NULL: no more.
void td_kinks_enter(td_chain *c, const td_note *note);
/// The twin keeps to the sides that state q [n] has in the map at work, until td_kinks_enter.
void td_kinks_keep(td_chain *c, const double *q);
/// What forward sweeps remember: on which sides the accelerations at the end of the note's map have their tangents.
void td_kinks_remember(td_chain *c, const td_note *note);
/// Whether a step, or accelerations that begin anew where a force has set in, need others; c->sides.late then says, in
/// seconds, how long ago the motion went through the kink. Backward sweeps read what forward ones remember from the
/// tape. td_kinks_enter of the note came before.
bool td_kinks_turn(td_chain *c, const td_note *note);

#endif
