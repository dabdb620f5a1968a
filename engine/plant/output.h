// The rows a run reports: which quantities, where in a row, how to fill them.
#ifndef TENDRIL_PLANT_OUTPUT_H
#define TENDRIL_PLANT_OUTPUT_H

#include "plant/plant.h"
#include "spec/place.h"
#include "tendril/statics.h"

typedef struct td_output td_output;

/// Plans the rows for spec->fields. The names of its members point into the spec.
TD_NODISCARD td_status td_output_create(const td_model *model, const td_dynamics_spec *spec, td_output **output,
                                        td_error *err);
/// The same for equilibria: rows of td_statics_output_members.
TD_NODISCARD td_status td_output_create_at_rest(const td_model *model, const td_statics_spec *spec, td_output **output,
                                                td_error *err);
/// That there are the fields of a run, of a list of equilibria; pointers read /output/fields/1. Where all errors are
/// wanted, each field has its own.
TD_NODISCARD td_status td_output_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec);
TD_NODISCARD td_status td_output_check_at_rest(const td_place *root, const td_model *model,
                                               const td_statics_spec *spec);
void td_output_destroy(td_output *output);
size_t td_output_row_size(const td_output *output);

/// Fills one row at (t, y). No allocation.
TD_NODISCARD td_status td_output_fill(const td_output *output, td_plant *plant, double t, const double *y, double *row);

#endif
