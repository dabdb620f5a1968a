// Rows of equilibria. They have a workspace of their own: the solver's holds what its next step starts from.
#include "statics/job/output.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

td_status td_statics_output_init(td_statics_output *o, const td_model *model, const td_statics_spec *spec,
                                 td_error *err) {
  *o = (td_statics_output){0};
  if (spec->field_count == 0) return TD_OK;
  td_status status = td_output_create_at_rest(model, spec, &o->rows, err);
  if (!status) status = td_workspace_create(model, &o->ws);
  if (!status) status = td_plant_init(&o->plant, model, o->ws, NULL, NULL);
  if (status) return status;
  o->size = td_output_row_size(o->rows);
  o->row = calloc(o->size + 2 * (size_t)td_model_ndof(model) + 1, sizeof *o->row);
  o->y = o->row + o->size;
  return o->row ? TD_OK : TD_NO_MEMORY;
}

void td_statics_output_fini(td_statics_output *o) {
  if (o->ws) td_plant_fini(&o->plant);
  td_output_destroy(o->rows);
  td_workspace_destroy(o->ws);
  free(o->row);
  *o = (td_statics_output){0};
}

const double *td_statics_output_row(td_statics_output *o, const double *u, const double *q) {
  if (!o->rows) return NULL;
  td_plant *p = &o->plant;
  if (q) {
    memcpy(p->u, u, (size_t)p->m * sizeof *u);
    memcpy(o->y, q, (size_t)p->n * sizeof *q);
  }
  if (!q || td_output_fill(o->rows, p, 0, o->y, o->row))
    for (size_t i = 0; i < o->size; i++) o->row[i] = NAN;
  return o->row;
}
