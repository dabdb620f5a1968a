// Natural cubic C2 spline through points (x[i], y[i]); with two points a straight line.
#ifndef TENDRIL_MATH_SPLINE_H
#define TENDRIL_MATH_SPLINE_H

#include "tendril/status.h"
#include <stddef.h>

/// Doubles of storage that td_spline_prepare needs for its result (the second derivatives at the knots).
size_t td_spline_size(size_t count);

/// Solves for the second derivatives m [count] at the knots, m[0] = m[count - 1] = 0.
/// @param count   >= 2
/// @param x       [count] rising strictly
/// @param y       values; knot i at y[i * stride]
/// @param m       [count] out
/// @return TD_OK; TD_INVALID_ARGUMENT when there are fewer than two knots or x does not rise; TD_NO_MEMORY
TD_NODISCARD td_status td_spline_prepare(size_t count, const double *x, const double *y, size_t stride, double *m);

/// Value and, when not NULL, first derivative at `at`. Outside [x[0], x[count-1]] the end cubic is continued.
/// Cost: O(log count), no allocation.
void td_spline_eval(size_t count, const double *x, const double *y, size_t stride, const double *m, double at,
                    double *value, double *slope);

/// As td_spline_eval with the second derivative too (each output may be NULL).
void td_spline_eval2(size_t count, const double *x, const double *y, size_t stride, const double *m, double at,
                     double *value, double *slope, double *curvature);

#endif
