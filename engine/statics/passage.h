// Statics steps where forces balance, not where a robot can go: did it step through an obstacle?
#ifndef TENDRIL_STATICS_PASSAGE_H
#define TENDRIL_STATICS_PASSAGE_H

#include "statics/statics.h"

/// Warns (`contact_missed`) where the straight line from q `from` [n] to the equilibrium in s->q goes through a sphere
/// or a cylinder (td_clearance_passes), and loads raised in parts lead elsewhere, through it, too, or nowhere. s is
/// left at its equilibrium. Cost: none without such obstacles, else poses at 8 to 512 places, and 20 more problems
/// where they are passed.
/// @param from_u  [m] inputs at `from`; NULL: it is a first guess, all loads are raised from nothing
/// @param where   "problem 3": of a sentence
void td_passage_tell(td_statics *s, const double *from, const double *from_u, const char *where, td_warnings *warnings);

#endif
