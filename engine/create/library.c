// What this build of the library is: version and CPU level; what it needs before anything else.
#include "math/lanes.h"
#include "math/lapack.h"
#include "tendril/dynamics.h"

void td_prepare(void) {
  double one = 1;
  int n = 1, info;
  dpotrf_("L", &n, &one, &n, &info);
}

const char *td_version(void) { return TENDRIL_VERSION; }

const char *td_cpu_level(void) { return TD_CPU_LEVEL; }
