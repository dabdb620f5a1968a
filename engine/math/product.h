// Products of small dense matrices.
#ifndef TENDRIL_MATH_PRODUCT_H
#define TENDRIL_MATH_PRODUCT_H

/// Y += s A X with A [rows][inner] read at a[i * ai + k * ak] (so that transposes cost nothing), X [inner][ldx],
/// Y [rows][ldy], `columns` of them: both are read and written up to the next multiple of the lanes.
/// Y must not alias A or X. O(rows inner columns), no allocation.
void td_multiply_add(int rows, int inner, int columns, double s, const double *a, int ai, int ak, const double *X,
                     int ldx, double *Y, int ldy);

#endif
