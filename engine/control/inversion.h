// The equations of a static inversion at a state (static_inversion.c has them), made ready to be solved.
#ifndef TENDRIL_CONTROL_INVERSION_H
#define TENDRIL_CONTROL_INVERSION_H

#include "control/parts.h"

typedef struct td_inversion {
  td_control *s; ///< td_static_inversion's
  const td_controlled *c;
  bool tips, inside_out;                     ///< what was found last was no shape of a rod
  int *link, width, rows, free_count, *free; ///< links of tips; values of y; rows of loops; free coordinates
  int equations, unknowns, ld;
  const double *qd;                     ///< [n] v
  double *rates;                        ///< [n] of all prescribed joints at the knot
  int moves;                            ///< the first channel whose rate is left out of v, -1
  double *q, *u, *lambda, *best;        ///< [n], [m], [rows + prescribed]; the three at the last point reached
  double *y, *target, *from, *goal, *J; ///< [width], J [width][n]
  double *r, *e, *K, *A, *G;            ///< of td_constraint_terms
  double *matrix, *b, *work, *scale;
  int *order, work_size;
  size_t state;
} td_inversion;

/// Allocates; everything else of v but s and c is made here.
bool td_inversion_init(td_inversion *v, const td_reference_spec *r);
void td_inversion_fini(td_inversion *v);
/// Values of y [width] at v->q, and their Jacobian [width][n] when not NULL.
TD_NODISCARD td_status td_inversion_outputs(td_inversion *v, double *y, double *J);
/// The position of a link's last point of a model like v's: out [3], Jacobian [3][n] when not NULL.
void td_inversion_tip(const td_model *model, td_workspace *ws, const double *q, int link, double *work, double *out,
                      double *jacobian);
/// r, e, y and what they depend on, at the state at hand.
TD_NODISCARD td_status td_inversion_terms(td_inversion *v);
/// What one unit of every channel does, in units of generalized force: columns of u are divided by it.
double td_inversion_input_scale(const td_inversion *v);
/// Column-major v->matrix and right-hand side v->b, rows divided by v->scale.
void td_inversion_assemble(td_inversion *v, double unit);

#endif
