// Why statics found no equilibrium, as far as its best state shows it.
#ifndef TENDRIL_WHY_UNBALANCED_H
#define TENDRIL_WHY_UNBALANCED_H

#include "tendril/dynamics.h"

/// What an iteration was left with at its best state.
typedef struct td_unbalanced {
  int iterations;
  double residual, scale; ///< generalized forces: left over, and the largest in play
  const char *where;      ///< name of the coordinate where it is worst
} td_unbalanced;

/// Says why there is no equilibrium near q [n] under the inputs u [m], returns the status of the problem. `left` NULL:
/// forces are not finite there, which is `status`. Allocates where tendons run straight between bodies.
td_status td_unbalanced_explain(const td_model *model, td_workspace *ws, const double *q, const double *u,
                                const td_unbalanced *left, td_status status, td_error *err);

#endif
