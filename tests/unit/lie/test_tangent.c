// The tangent of the exponential on registers of the baseline CPU (tangent_law.h).
#include "tangent_law.h"

TEST_MAIN("tangent", TANGENT_TESTS)
