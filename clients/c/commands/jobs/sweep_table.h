// What became of the jobs of a sweep.
#ifndef TENDRIL_CLIENT_SWEEP_TABLE_H
#define TENDRIL_CLIENT_SWEEP_TABLE_H

#include "tendril_client.h"
#include <stdio.h>

/// Prints how many jobs succeeded, and a row per job: its values, state and warnings. Of more than SWEEP_ROWS jobs only
/// rows of those that failed or have warnings. Prints nothing of a result that is no sweep's.
enum { SWEEP_ROWS = 24 };
void sweep_print(FILE *to, tendril_arrays *result);

#endif
