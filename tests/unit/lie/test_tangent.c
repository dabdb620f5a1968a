// The tangent of the exponential on registers of the baseline CPU (tangent_law.h).
#include "tangent_law.h"

TANGENT_MAIN("tangent", 1)
