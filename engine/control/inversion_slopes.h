// How what a static inversion finds depends on numbers: of the model, of the reference, of the other inputs.
#ifndef TENDRIL_CONTROL_INVERSION_SLOPES_H
#define TENDRIL_CONTROL_INVERSION_SLOPES_H

#include "control/inversion.h"
#include "tendril/input.h"
#include "tendril/parameters.h"

/// What is asked. Columns: numbers of the model, then the values of the knot itself, then numbers of inputs.
typedef struct td_inversion_by {
  const td_parameters *model;     ///< NULL: none
  const td_input_numbers *inputs; ///< whose entries have numbers below `number_count`
  const size_t *column;           ///< [number_count] of the numbers of inputs: 0 to columns_of_inputs
  size_t number_count, columns_of_inputs;
  double *slopes; ///< [knots][channels][columns] out, of what td_static_inversion's rows have
} td_inversion_by;
size_t td_inversion_columns(const td_inversion_by *by, const td_reference_spec *r);

typedef struct td_inversion_slopes td_inversion_slopes;
/// @param v  borrowed
/// @return TD_OK or TD_NO_MEMORY
TD_NODISCARD td_status td_inversion_slopes_create(td_inversion *v, const td_inversion_by *by, td_inversion_slopes **s);
void td_inversion_slopes_destroy(td_inversion_slopes *s);
size_t td_inversion_slopes_columns(const td_inversion_slopes *s);
/// At the solution at hand.
/// @param t    s, of the knot
/// @param out  [channels][columns]
/// @return TD_SINGULAR: the equations do not tell one solution from its neighbours
TD_NODISCARD td_status td_inversion_slopes_at(td_inversion_slopes *s, double t, double *out);

#endif
