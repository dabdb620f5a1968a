// Orthonormal bases of what a matrix spans: rank and range of dependent constraint rows, QR of independent columns.
#ifndef TENDRIL_MATH_RANGE_H
#define TENDRIL_MATH_RANGE_H

/// Rank of A and an orthonormal basis of its column space, by Householder QR with column pivoting.
/// @param A     [r][ld] in: the matrix, `n` columns, padding 0; out: its first `rank` rows hold P^T A, so that
///              A = P (P^T A)
/// @param P     [r][ldp] out: the basis, `rank` columns, padding 0; ldp >= min(r, n), both multiples of TD_LANES
/// @param work  [ld + r min(r, n)] scratch
/// @return the rank: columns whose rest is at most `tolerance` times the longest column of A count as dependent
/// Cost: O(r n rank), no allocation.
int td_range_basis(int r, int n, int ld, double *A, double tolerance, int ldp, double *P, double *work);

/// QR of the independent columns of B [n][ldb], `k` of them, by Gram-Schmidt done twice, so that the columns of Q are
/// orthonormal to rounding: B becomes Q, R [k][ldb] upper triangular (its lower part 0), B = Q R.
/// @param work  [ldb (ldb + 1)] scratch
/// Cost: O(n k^2), no allocation. A column of length 0 leaves zeros.
void td_orthonormal_columns(int n, int k, int ldb, double *B, double *R, double *work);

/// X = R^-T X and X = R^-1 X for X [k][ldx], `columns` of them (read and written to the next multiple of the lanes).
void td_triangular_forward(int k, int ldr, const double *R, int columns, int ldx, double *X);
void td_triangular_backward(int k, int ldr, const double *R, int columns, int ldx, double *X);

#endif
