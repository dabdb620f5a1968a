// How much one symmetric matrix changes when measured by another.
#ifndef TENDRIL_MATH_RELATIVE_H
#define TENDRIL_MATH_RELATIVE_H

/// The largest |x^T (A - B) x| over x^T B x of all x, B [n][ld] positive semidefinite, A [n][ld]; both triangles are
/// averaged. Parts of B that are rounding beside its diagonal (1e-9) do not count, nor do rows that are 0 in both.
/// work [2 n n + 35 n].  @return INFINITY when an entry is not finite or A has what B lacks.  O(n^3).
double td_relative_change(int n, int ld, const double *A, const double *B, double *work);
static inline int td_relative_work(int n) { return 2 * n * n + 35 * n + 1; }

#endif
