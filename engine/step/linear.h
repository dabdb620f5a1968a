// The equation of motion linearised where a step has ended, or where forward dynamics was asked: what the tangents and
// the cotangents of all methods are made of.
//
// What is solved for is the motion D of free coordinates on top of what a method has set (q^, v^, a^ and, of
// prescribed coordinates, their course). With l what multipliers change by,
//     S D - A^T l = s f,   S = s (K + v C + a M),   f = r_u du + r_p dp - K q^ - C v^ - M a^,
//     G D = g,             g = -G q^ - e_p dp                                                     (index 3)
//     (Cq + v Cv + a A) s D = s g,   g = -(Cq q^ + Cv v^ + A a^ + a_p dp)                         (index 1)
// where (1, v, a) are the slopes of (q, qd, qdd) in D and s = 1 / a. Forward dynamics is slopes (0, 0, 1).
#ifndef TENDRIL_STEP_LINEAR_H
#define TENDRIL_STEP_LINEAR_H

#include "integrate/saddle.h"
#include "tendril/parameters.h"

/// How q, qd and qdd of free coordinates follow what is solved for.
typedef struct td_linear_slopes {
  double q, v, a;
} td_linear_slopes;

/// A point at which the equation holds: q, qd, qdd [n], multipliers of loops [rows] (NULL without).
typedef struct td_linear_point {
  double t;
  const double *q, *v, *a, *l;
} td_linear_point;

typedef struct td_linear {
  td_plant *plant;                 ///< borrowed; its u is that of the point
  const td_parameters *parameters; ///< NULL: none
  td_parameter_workspace *by;
  int n, m, rows, np;
  bool index3;
  td_linear_slopes slopes;
  td_linear_point at;
  double *K, *C, *M;        ///< [n][n]
  double *A, *G, *Cq, *Cv;  ///< [rows][n]; G of index 3, Cq and Cv of index 1
  double *r_u;              ///< [n][m] of the residual
  double *id_u;             ///< [n][m]
  double *by_p;             ///< [(n + rows)][np] of the residual, then of e or a
  double *by_scratch;       ///< [3 (n + rows)]
  double *asked, *residual; ///< [rows + prescribed], [n] of a question
  double *b, *c;            ///< [n], [rows] of one solution
  double *f, *g;            ///< [n], [rows] cotangents of the right-hand sides; f is 0 at prescribed coordinates
  td_saddle saddle;
} td_linear;

/// Allocates; plant and parameters (NULL: none) stay the caller's.
TD_NODISCARD td_status td_linear_init(td_linear *l, td_plant *plant, const td_parameters *parameters);
void td_linear_fini(td_linear *l);
size_t td_linear_bytes(const td_model *model, const td_parameters *parameters);

/// Matrices at a point (borrowed until the next call) and the factors of the system there; r_u where `inputs`.
/// TD_SINGULAR.
TD_NODISCARD td_status td_linear_at(td_linear *l, const td_linear_point *at, td_linear_slopes slopes, bool index3,
                                    bool inputs);
/// The matrices alone, for systems of others.
TD_NODISCARD td_status td_linear_matrices(td_linear *l, const td_linear_point *at, bool index3, bool inputs);
/// The matrices of several points: what of them is kept, in doubles, and back.
size_t td_linear_block(const td_linear *l);
void td_linear_keep(const td_linear *l, double *block);
void td_linear_recall(td_linear *l, const double *block);
/// l->by_p at the point at hand.
TD_NODISCARD td_status td_linear_parameters(td_linear *l);

/// A tangent of the point's predecessor and of all that its step depends on: matrices [n][ld] of `columns`.
typedef struct td_tangent_columns {
  int columns, ld;
  const double *q, *v, *a; ///< [n][ld] as set before it is solved for D; a may be NULL: 0
} td_tangent_columns;
/// D [n][ld], 0 at prescribed coordinates.
/// @param f      [n][ld] in: r_u du + r_p dp; overwritten
/// @param g      [rows][ld] in: minus e_p dp or a_p dp; overwritten
/// @param T      what was set
void td_linear_tangents(td_linear *l, const td_tangent_columns *T, double *f, double *g, double *D);

/// Tangents that are multiples of unit matrices: those of q and v by the start's q (0) and v (1), which are the first 2n
/// columns, and 0 in all others; a stays.
typedef struct td_unit_tangents {
  double q[2], v[2];
} td_unit_tangents;
/// td_linear_tangents of these, without their products.
void td_linear_unit_tangents(td_linear *l, const td_unit_tangents *set, int columns, int ld, double *f, double *g,
                             double *D);
/// What was set in the right-hand sides: f [n][ld] -= K q^ + C v^ + M a^, and likewise g [rows][ld].
void td_linear_take(const td_linear *l, const td_tangent_columns *T, double *f, double *g);

/// Cotangents of what was set, from those of D: adds to q, v, a [n] (a may be NULL), leaves l->f, l->g, of which
/// r_u^T f and so on are the cotangents of the rest.
/// @param d  [n] of D; entries at prescribed coordinates are not read
void td_linear_cotangents(td_linear *l, const double *d, double *q, double *v, double *a);
/// The transpose of td_linear_take: q -= K^T l->f and so on (a may be NULL).
void td_linear_give(const td_linear *l, double *q, double *v, double *a);
/// r_u^T f: u [m] out.
void td_linear_input_cotangent(const td_linear *l, double *u);
/// r_p^T f - e_p^T g, or a_p for e_p, of one number of each neighbour: p [np] out.
TD_NODISCARD td_status td_linear_parameter_cotangent(td_linear *l, double *p);

#endif
