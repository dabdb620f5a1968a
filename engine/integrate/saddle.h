// The linear systems of constrained robots: a square block on the free coordinates, bordered by loop constraints.
//     [S, -A^T; G, 0] (x, lambda) = (b, c)        S [n][n], A and G [r][n], rows of A and G may depend on each other
// lambda is the one of smallest norm; c is met as far as the range of G allows. Without loops this is an LU of S.
#ifndef TENDRIL_INTEGRATE_SADDLE_H
#define TENDRIL_INTEGRATE_SADDLE_H

#include "plant/plant.h"

typedef struct td_saddle {
  int n, r, rank; ///< free coordinates, rows, independent rows
  int ld, ldp;    ///< strides of A, G and of the bases
  double *S, *A,
      *G;          ///< in: [n][n], [r][ld], [r][ld]; the caller fills them before each factorisation, which overwrites
  double *Pa, *Pg; ///< [r][ldp] orthonormal bases of the ranges of A and G
  double *lu, *x, *work;
  int *pivot;
  double scale; ///< of multipliers and rows against S
} td_saddle;

TD_NODISCARD td_status td_saddle_init(td_saddle *s, int n, int r);
void td_saddle_fini(td_saddle *s);

/// out [free][free] = k K + c C + m M on the free coordinates of the plant (matrices with factor 0 may be NULL).
void td_saddle_square(const td_plant *p, double k, const double *K, double c, const double *C, double m,
                      const double *M, double *out);
/// out [rows][ld] = x X + y Y + z Z likewise, X, Y, Z [rows][n].
void td_saddle_rows(const td_plant *p, int ld, double x, const double *X, double y, const double *Y, double z,
                    const double *Z, double *out);

/// False when the system is singular. O((n + rank)^3), no allocation. `plant`: knows the rank of its rows (NULL: none
/// does).
TD_NODISCARD bool td_saddle_factor(td_saddle *s, const td_plant *plant);
/// b [n] becomes x; c [r] becomes lambda (may be NULL when r = 0).
void td_saddle_solve(const td_saddle *s, double *b, double *c);
/// The transpose of that map: b [n], c [r] as cotangents of x and lambda become those of b and c.
void td_saddle_solve_transposed(const td_saddle *s, double *b, double *c);
/// lambda [r] less its part in the range of A, as factored: what exerts no force.
void td_saddle_idle(const td_saddle *s, double *lambda);

#endif
