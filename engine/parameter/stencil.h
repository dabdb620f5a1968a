// Where a function of one number is asked for its derivative, and what each value counts.
#ifndef TENDRIL_PARAMETER_STENCIL_H
#define TENDRIL_PARAMETER_STENCIL_H

#include "tendril/parameters.h"

/// Points of the formula of order 4, and of the affine one.
enum { TD_STENCIL_MOST = 5, TD_STENCIL_POINTS = 5, TD_STENCIL_AFFINE = 2 };

/// f' = sum of weight[k] (f(at[k]) - f(at[0])).
typedef struct td_stencil {
  int count;
  int home; ///< the point that is the parameter's own value, -1: none
  double at[TD_STENCIL_MOST], weight[TD_STENCIL_MOST];
} td_stencil;

/// Ways to lay a stencil, best first; later ones are nearer or one-sided, for numbers that documents bound by others.
enum { TD_STENCIL_WAYS = 6 };
/// One of them. False: the parameter's bounds leave no room for it.
bool td_stencil_choose(const td_parameter *parameter, int way, td_stencil *stencil);

#endif
