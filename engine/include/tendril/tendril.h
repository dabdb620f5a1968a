// Everything, for users of the library. Inside the project include the single headers.
#ifndef TENDRIL_TENDRIL_H
#define TENDRIL_TENDRIL_H

#include "tendril/batch.h"
#include "tendril/design.h"
#include "tendril/dynamics.h"
#include "tendril/errors.h"
#include "tendril/fit.h"
#include "tendril/gradient.h"
#include "tendril/linearize.h"
#include "tendril/objective.h"
#include "tendril/parameters.h"
#include "tendril/sensitivity.h"
#include "tendril/statics.h"
#include "tendril/step.h"

#endif
