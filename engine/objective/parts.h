// Shared by objective.c (terms made ready, sums over samples) and history.c (terms of all samples at once).
#ifndef TENDRIL_OBJECTIVE_PARTS_H
#define TENDRIL_OBJECTIVE_PARTS_H

#include "tendril/objective.h"

typedef struct ready {
  const td_objective_term *term;
  size_t count;    ///< selected numbers
  size_t *offset;  ///< [count] in the row
  size_t *channel; ///< [channel_count] in the row
  size_t *sample;  ///< [time_count] rising, of TD_WHEN_TIMES
  bool pulls;      ///< the numbers are lengths of tendons, which shorten as they work
} ready;

struct td_objective {
  const double *t; ///< [samples]
  size_t samples, count;
  ready *term; ///< [count]
};

/// Whether a sample counts for a term.
bool td_term_counts(const td_objective *o, const ready *r, size_t sample);

#endif
