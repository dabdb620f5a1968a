// How a search for parameters went, as panels.
#ifndef TENDRIL_CLIENT_SEARCH_H
#define TENDRIL_CLIENT_SEARCH_H

#include "plot/canvas/canvas.h"
#include "plot/curves/panels.h"
#include "plot/recording.h"

/// Each fills an empty panel with an axis of its own, and gives what its curves point into, which the caller frees;
/// NULL where the result has nothing of the kind.

/// Cost of a fit over the iterations of every start (powers of ten), objective of a design over its evaluations.
double *search_worth(panel *p, const recording *r);
/// Every parameter over the iterations that led to the answer, as a part of what was found.
double *search_parameters(panel *p, const recording *r);
/// Slopes of a gradient by more numbers than a table holds, a curve for each array of them: other arrays have other units.
double *search_slopes(panel *p, const recording *r);
/// The numbers that have no such curve, since they are of no array or of a short one; returns how many, `most` at the most.
size_t search_alone(const tendril_found *f, size_t *alone, size_t most);

enum { TABLE_ROWS = 10, RECORDS_DRAWN = 8 };
/// What was measured beside what the numbers found give, a panel for each record of a fit.
void search_records(panel_list *list, const recording *r);

#endif
