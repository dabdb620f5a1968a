// What this build of the library is: version and CPU level.
#include "math/lanes.h"
#include "tendril/dynamics.h"

const char *td_version(void) { return TENDRIL_VERSION; }

const char *td_cpu_level(void) { return TD_CPU_LEVEL; }
