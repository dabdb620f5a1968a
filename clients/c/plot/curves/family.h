// Rows that are answers of their own, and the number that tells them apart by colour.
#ifndef TENDRIL_CLIENT_FAMILY_H
#define TENDRIL_CLIENT_FAMILY_H

#include "plot/recording.h"

typedef struct family {
  double *value;    ///< [samples] of the number that colours, owned
  double low, high; ///< of the finite ones, low < high
  char name[128];   ///< "front (N)"
  long third;       ///< of a sweep over three numbers or more: another one that varies, k of varied_values; -1: none
} family;

/// Of a sweep over all combinations the number that its curves stand over: the one with most values, the first of those
/// with as many. -1: it varies less than two numbers, or they are none, or change together.
long family_axis(const recording *r);
/// What colours the rows of a sweep, or of statics that is no course of one input: of the numbers that vary the second,
/// that is the first beside family_axis, the only one where there is one, else the row's own number. False: rows follow
/// one another (time, a path, one input that rises), or are one.
bool family_open(family *f, const recording *r);
void family_close(family *f);
/// Whether every number is greater than the one before, or every one less.
bool family_one_way(const double *values, size_t count, size_t stride);
/// In [0, 1], NaN where the row has none.
double family_share(const family *f, size_t row);

#endif
