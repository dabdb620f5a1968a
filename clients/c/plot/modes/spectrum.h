// What a linearisation says of motion: the eigenvalues of its A, and whose coordinate moves most in each.
#ifndef TENDRIL_CLIENT_SPECTRUM_H
#define TENDRIL_CLIENT_SPECTRUM_H

#include "plot/recording.h"

typedef struct eigenvalue {
  double re, im; ///< 1/s
  long leading;  ///< the coordinate with the largest part, -1: rows of A are not coordinates and their rates
  double part;   ///< of it, 0 to 1
} eigenvalue;

typedef struct spectrum {
  size_t row; ///< of the result
  size_t count;
  eigenvalue *value; ///< [count] by rising modulus
} spectrum;

/// Whether the result is a linearisation with an A that can be looked at.
bool spectrum_exists(const recording *r);
/// Of as many states as `most`, evenly taken, the last among them; those with numbers that are not finite have none.
/// Returns how many; the caller frees them.
size_t spectra_of(const recording *r, size_t most, spectrum **out);
void spectra_free(spectrum *list, size_t count);
/// Whether it swings: what lies this near to the axis does not.
bool eigenvalue_swings(const eigenvalue *v);

#endif
