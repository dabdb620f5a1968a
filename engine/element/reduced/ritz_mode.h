// One displacement mode of a Ritz body: polynomials of the material position.
#ifndef TENDRIL_ELEMENT_RITZ_MODE_H
#define TENDRIL_ELEMENT_RITZ_MODE_H

#include "tendril/spec.h"

/// Component c (x, y, z) of the mode at X: its value (derivative -1) or its derivative along x, y or z (0 … 2).
double td_ritz_mode_at(const td_ritz_mode_spec *mode, int c, const double X[3], int derivative);

#endif
