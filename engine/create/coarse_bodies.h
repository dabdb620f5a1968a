// Are the points of reduced bodies enough? Each is built alone, with its own points and with more, and the two are
// compared.
#ifndef TENDRIL_CREATE_COARSE_BODIES_H
#define TENDRIL_CREATE_COARSE_BODIES_H

#include "model/model.h"
#include "tendril/warnings.h"

typedef struct td_coarse_bodies td_coarse_bodies;

/// Warns (coarse_quadrature) of the bodies of a document whose mass or stiffness at rest is off by more than a tenth
/// with the points that it says, or that the format bounds. Bodies by default are right at rest, and cost nothing here.
void td_warn_of_coarse_bodies(td_model *m, const td_model_spec *spec);

/// Sets up the bodies of a model.  @return NULL when it has none to judge, or there is not enough memory
td_coarse_bodies *td_coarse_bodies_create(const td_model *model);
void td_coarse_bodies_destroy(td_coarse_bodies *b);
/// Judges the bodies at q [n]: forces, stiffness and mass with more points. `where`: of a sentence, 31 characters are
/// kept.
void td_coarse_bodies_look(td_coarse_bodies *b, const double *q, const char *where);
/// Says which points were too few at the states looked at, from 1.5 % of a body's strains or mass on.
void td_coarse_bodies_tell(td_coarse_bodies *b, td_warnings *warnings);

#endif
