// The inverse of the left tangent of the exponential of SE(3), for single twists.
#ifndef TENDRIL_LIE_INVERSE_TANGENT_H
#define TENDRIL_LIE_INVERSE_TANGENT_H

#include "tendril/se3.h"

/// e = (1 - (theta/2) cot(theta/2)) / theta^2 and, when not NULL, de/ds at s = theta^2, to rounding for theta below 2
/// pi.
double td_inverse_tangent_coefficient(double s, double *derivative);
/// out [6][6] = T(xi)^-1, T = sum_k ad_xi^k / (k+1)!:  d exp(xi) exp(-xi) = T dxi.  |w| below 2 pi.
void td_inverse_tangent(const double xi[6], double out[TD_MATRIX6]);

#endif
