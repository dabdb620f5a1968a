// What is reported of equilibria beside u, q and lambda: the fields of runs (plant/output.h) that a robot at rest has.
#ifndef TENDRIL_STATICS_JOB_OUTPUT_H
#define TENDRIL_STATICS_JOB_OUTPUT_H

#include "plant/output.h"
#include "tendril/statics.h"

typedef struct td_statics_output {
  td_output *rows; ///< NULL: nothing is asked for, and nothing below is there
  td_workspace *ws;
  td_plant plant;
  size_t size;     ///< of a row
  double *row, *y; ///< [size]; [2n] q and rates of 0
} td_statics_output;

TD_NODISCARD td_status td_statics_output_init(td_statics_output *o, const td_model *model, const td_statics_spec *spec,
                                              td_error *err);
void td_statics_output_fini(td_statics_output *o);
/// The row of an equilibrium q [n] for inputs u [m]; NaN where q is NULL. NULL: nothing is asked for. No allocation.
const double *td_statics_output_row(td_statics_output *o, const double *u, const double *q);

#endif
