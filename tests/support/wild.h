// Random robots: trees of rigid links, rods and reduced bodies by random joints, closed by loops, in contact, with
// prescribed joints, motors, tendons and a controller, as a seed has it.
#ifndef TENDRIL_TEST_WILD_H
#define TENDRIL_TEST_WILD_H

#include "support/tree.h"
#include "tendril/control.h"

/// What a random robot has beside its bodies; one that is controlled is rigid, and touches nothing.
enum { WILD_LOOP = 1, WILD_CONTACT = 2, WILD_PRESCRIBED = 4, WILD_CONTROLLED = 8 };

/// Two to four links with at least these features; `name` [32] receives what it is called. Where it is controlled its
/// motors are "m0" and so on, *motors of them.
void wild_make(uint64_t number, unsigned features, tree *t, char *name, size_t *motors);
/// PD+ in joint space for motors of a wild robot; the arrays it borrows are of the program.
td_controller_spec wild_law(size_t motors);

#endif
