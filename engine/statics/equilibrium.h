// The judges of equilibria, one list for all of them: rows of statics, points of paths, what linearisations, runs and
// static inversions start at. Whether points and functions are enough for them is asked with all else a job is asked
// (estimate/resolution/resolution.h).
#ifndef TENDRIL_STATICS_EQUILIBRIUM_H
#define TENDRIL_STATICS_EQUILIBRIUM_H

#include "statics/statics.h"

/// What no rod does at q [n], at /model/links/i/body: folded_section, overstretched. (What is inside out is none:
/// statics.c.)
void td_equilibrium_tell_shape(const td_model *model, const double *q, td_warnings *warnings);

/// The same of the equilibrium in s->q, and whether the way there from `from` [n] under the inputs `from_u` [m] (NULL:
/// a first guess) leads through an obstacle: contact_missed. s is left at its equilibrium. `where`: "problem 3", of a
/// sentence.
void td_equilibrium_tell(td_statics *s, const double *from, const double *from_u, const char *where,
                         td_warnings *warnings);

/// td_near_equilibrium of estimate/resolution/resolution.h: by a few full steps of Newton, on the branch at hand,
/// stable or not.
/// Cost: that of a small problem of this model.
bool td_equilibrium_near(const td_model *model, td_workspace *ws, const double *u, const double *qd, double *q);

/// Of a first guess `first` [n], at the inputs s->u: how far it is from a state that loops allow (initial_moved), and
/// what lies inside of obstacles there (starts_inside). `given`: the document has it. Overwrites s->q; none without
/// loops and prescribed joints.
void td_equilibrium_tell_guess(td_statics *s, const double *first, bool given, td_warnings *warnings);

/// Of a start that was not given, `first` [n]: whether loops close from there only by stretching rods or turning frames
/// (initial_moved). s->q stays; the rest of s does not.
void td_equilibrium_tell_open(td_statics *s, const double *first, td_warnings *warnings);

/// Friction of tendons needs motion: friction_faded.
void td_equilibrium_tell_friction(const td_model *model, td_warnings *warnings);

#endif
