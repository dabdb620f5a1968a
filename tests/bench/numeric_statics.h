// Equilibria without analytic derivatives, what the engine's statics is compared with.
#ifndef TENDRIL_BENCH_NUMERIC_STATICS_H
#define TENDRIL_BENCH_NUMERIC_STATICS_H

#include "tendril/dynamics.h"

typedef struct numeric_statics numeric_statics;

/// Memory for one model, borrowed until destroy; NULL when it is short.
numeric_statics *numeric_statics_create(const td_model *model);
void numeric_statics_destroy(numeric_statics *s);
/// Equilibrium under u [m], from q = 0; *iterations grows by those it took. False when it does not converge.
bool numeric_statics_solve(numeric_statics *s, const double *u, int *iterations);

#endif
