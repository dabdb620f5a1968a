// Y += s A X: tiles of four rows by two vectors of columns stay in registers over the inner dimension.
#include "math/product.h"
#include "math/lanes.h"

TD_INLINE void tile(int rows, int vectors, int inner, double s, const double *a, int ai, int ak, const double *X,
                    int ldx, double *Y, int ldy) {
  td_vec sum[4][2];
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++) sum[r][v] = td_splat(0);
  for (int k = 0; k < inner; k++)
    for (int r = 0; r < rows; r++)
      for (int v = 0; v < vectors; v++)
        sum[r][v] += a[r * ai + k * ak] * *(const td_vecu *)(X + k * ldx + v * TD_LANES);
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++) *(td_vecu *)(Y + r * ldy + v * TD_LANES) += s * sum[r][v];
}

TD_INLINE void band(int rows, int inner, int columns, double s, const double *a, int ai, int ak, const double *X,
                    int ldx, double *Y, int ldy) {
  int c = 0;
  for (; c + TD_LANES < columns; c += 2 * TD_LANES) tile(rows, 2, inner, s, a, ai, ak, X + c, ldx, Y + c, ldy);
  for (; c < columns; c += TD_LANES) tile(rows, 1, inner, s, a, ai, ak, X + c, ldx, Y + c, ldy);
}

void td_multiply_add(int rows, int inner, int columns, double s, const double *a, int ai, int ak, const double *X,
                     int ldx, double *Y, int ldy) {
  int r = 0;
  for (; r + 4 <= rows; r += 4) band(4, inner, columns, s, a + r * ai, ai, ak, X, ldx, Y + r * ldy, ldy);
  for (; r < rows; r++) band(1, inner, columns, s, a + r * ai, ai, ak, X, ldx, Y + r * ldy, ldy);
}
