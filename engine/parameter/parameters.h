// The neighbours of a model in each of its parameters, and how a derivative is summed over them.
#ifndef TENDRIL_PARAMETER_PARAMETERS_H
#define TENDRIL_PARAMETER_PARAMETERS_H

#include "model/workspace.h"
#include "parameter/stencil.h"
#include "tendril/parameters.h"

typedef struct td_parameter_row {
  char *name;
  bool affine;
  td_stencil stencil;
  td_model *model[TD_STENCIL_MOST]; ///< one for each point; NULL: the model itself
  /// whose layout is another than the model's: index of its own workspace in td_parameter_workspace.own, else -1
  int own[TD_STENCIL_MOST];
} td_parameter_row;

struct td_parameters {
  const td_model *model;
  size_t count;
  td_parameter_row *row;  ///< [count]
  size_t own_count;       ///< neighbours with a layout of their own
  const td_model **owner; ///< [own_count]
  size_t most;            ///< doubles of the largest result of one model that passes here ask for
};

struct td_parameter_workspace {
  const td_parameters *parameters;
  size_t fault;             ///< the parameter that a call failed for, np: none in particular
  td_workspace *base;       ///< of forward dynamics, whose factor it keeps while neighbours are asked
  td_workspace *side;       ///< of neighbours, and of the model where they are compared with it
  td_workspace **own;       ///< [own_count]
  double *scratch;          ///< [3][most]
  double *kinks, *taut;     ///< [td_kinks_count], [tendons][2] of the state at work
  bool kept;                ///< neighbours keep to them
  double *fd, *lambda;      ///< [n], [c] of the state at work
  double *force, *rows;     ///< [n][np] r_p; [r][np] a_p
  double *moved, *left;     ///< [r][np] A_p w; [n][np] A_p^T a; with dependent rows of loops
  double *w, *a;            ///< [n] with A w = lambda; [r] what of A qdd + Ad qd + … is left over
  double *still, *parted;   ///< [n] with A still = 0; [r][np] A_p still
  double *A;                ///< [r][n]
  double *K, *C, *Cq, *Cv;  ///< [n][n], [n][n], [r][n], [r][n]
  double *dtau_du, *did_du; ///< [n][m]
  double *f, *c, *turn;     ///< [n], [r], [r] a right-hand side
  double *x, *mu, *z;       ///< [n], [c], [n] what it gives
};

/// Neighbours, and the model where they are compared with it, keep to the side of each kink that the state is on, and
/// to the polynomials of tendons' laws about it (dynamics/kinks.h), until td_parameters_let_go: their numbers may be
/// far off.
/// @param kinks  [td_kinks_count] sides, which the caller keeps; NULL: those of the state
/// @param at     q, qd, u
void td_parameters_keep(td_parameter_workspace *ws, const double *kinks, const td_state *at);
void td_parameters_let_go(td_parameter_workspace *ws);

/// Derivatives of consecutive numbers of a result.
typedef struct td_parameter_part {
  size_t size;
  double *d_dp; ///< [size][np] out; NULL: the result has none of these
} td_parameter_part;

/// Derivatives of what `function` writes: all parts one after the other, those without d_dp left out. Columns of
/// parameters whose `weight` (NULL: all) is 0 are left alone.
/// @param moving   the state at whose q and qd `function` asks all of them, by these very pointers: poses and twists of
///                 affine neighbours are then those of the model, and all keep to its sides of kinks where the caller
///                 has not said which; NULL: all are computed anew, and kinks are the caller's affair
/// @param scratch  [3 sizes of all parts that are there]
TD_NODISCARD td_status td_parameters_sum(const td_parameters *p, td_parameter_workspace *ws,
                                         td_parameter_function function, void *context, const td_parameter_part *part,
                                         int parts, const td_state *moving, double *scratch, const double *weight);

#endif
