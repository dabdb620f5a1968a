// What stands out where measured and predicted numbers differ, in a sentence for people.
#ifndef SERVER_WORKER_EXECUTE_FIT_HINT_H
#define SERVER_WORKER_EXECUTE_FIT_HINT_H

#include "codec/document/job/fit.h"

#include <stdbool.h>
#include <stddef.h>

/// @param data   [fit->samples] measured, NaN: missing
/// @param sigma  [samples]; NULL: none was given
/// @param y      [samples] predicted
/// @param text   out: "" where nothing stands out (false)
bool fit_hint(const fit_document *fit, const double *data, const double *sigma, const double *y, char *text,
              size_t size);
/// Whether what is left over of a record of a run is no noise: each sample errs like the one before it.
/// @return the largest correlation from sample to sample of all records where that is so, 0: none; text: a sentence
double fit_pattern(const fit_document *fit, const double *data, const double *sigma, const double *y, char *text,
                   size_t size);
/// How much of what was measured is not predicted, root of the sums of squares: 0: nothing, 1: as much as there is.
double fit_unexplained(const fit_document *fit, const double *data, const double *y);

#endif
