// Cholesky factorisation and solves of a mass matrix whose coordinates form a tree: M_ij is not 0 only where one of i, j
// moves what the other moves, so that in the order leaves first nothing fills in (Featherstone, Efficient factorization
// of the joint-space inertia matrix for branched kinematic trees, 2005).
//
//     P M P^T = U^T U,   P the reverse order;   U_kj != 0 only where j is an ancestor of k
//
// U stands in the reverse order, vectors and right-hand sides in that of M. Ranges of ancestors and descendants are taken
// instead of all rows; the kernels are those of cholesky.h.
#ifndef TENDRIL_MATH_TREE_CHOLESKY_H
#define TENDRIL_MATH_TREE_CHOLESKY_H

#include "tendril/status.h"
#include <stdbool.h>

/// Rows of U, [from, to).
typedef struct td_tree_range {
  int from, to;
} td_tree_range;

/// Rows [row, row + rows) of U and the ranges of others that say something of them, range[begin … end).
typedef struct td_tree_tile {
  int row, rows, begin, end;
} td_tree_tile;

typedef struct td_tree_order {
  int n, ahead_count, back_count;
  const td_tree_tile *ahead; ///< from the first row on, with rows before: descendants
  const td_tree_tile *back;  ///< from the last row on, with rows behind: ancestors
  const td_tree_range *range;
} td_tree_order;

/// The tile of row `row` on: its rows, counted from the first row (`ahead`) or from the last.
int td_tree_tile_rows(int n, int row, bool ahead);

/// As td_spd_factor and td_spd_above; M [n][ldm] whole. O(n depth^2 + n^2).
TD_NODISCARD td_status td_tree_factor(const td_tree_order *t, int ldm, const double *M, int ld, double *U);
bool td_tree_above(const td_tree_order *t, int ldm, const double *M, int ld, const double *U, double least);
/// x = U^-T P x and x = P^T U^-1 x, in place, rows in the order of M: one after the other is M^-1 x.
void td_tree_forward(const td_tree_order *t, int ld, const double *U, double *x);
void td_tree_backward(const td_tree_order *t, int ld, const double *U, double *x);
/// The same of X [n][ldx], `columns` of them, as td_spd_solve_many asks for them.
void td_tree_forward_many(const td_tree_order *t, int ld, const double *U, int columns, int ldx, double *X);
void td_tree_backward_many(const td_tree_order *t, int ld, const double *U, int columns, int ldx, double *X);

#endif
