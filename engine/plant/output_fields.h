// What the rows of runs are made of: fields, resolved once, and the table row of each kind (plant/output.c).
#ifndef TENDRIL_PLANT_OUTPUT_FIELDS_H
#define TENDRIL_PLANT_OUTPUT_FIELDS_H

#include "plant/output_slopes.h"
#include "spec/place.h"

typedef struct td_output_field {
  const struct td_output_kind *kind;
  td_member member;
  int link, points;
  double s; ///< material abscissa, NaN: all points
} td_output_field;

struct td_output {
  size_t count, row_size;
  td_output_field *fields;
  td_se3 *poses; ///< of the link with the most points
  double *rates; ///< [2n]
};

/// Of an equilibrium: reported when asked for, in every result, or nothing that it has.
typedef enum td_at_rest { TD_REST_REPORTED, TD_REST_ANYWAY, TD_REST_MOVES } td_at_rest;

/// What a field depends on beside numbers of the model.
enum { TD_FIELD_Q = 1, TD_FIELD_QD = 2, TD_FIELD_U = 4 };

typedef struct td_output_kind {
  const char *word;
  bool of_link; ///< word:LINK
  td_at_rest statics;
  unsigned of; ///< TD_FIELD_… bits
  td_status (*resolve)(const td_model *model, const char *argument, const td_place *at, td_output_field *f);
  td_status (*fill)(const td_output *o, const td_output_field *f, td_plant *p, double t, const double *y, double *out);
  /// Its rows of what is asked for; NULL: by differences of what `fill` gives.
  td_status (*slopes)(td_output_differentiator *d, const td_output_field *f, double t, const double *y,
                      const td_output_slopes *out);
} td_output_kind;

// output_slopes.c: those of kinds that have formulas.
td_status td_slopes_of_state(td_output_differentiator *d, const td_output_field *f, double t, const double *y,
                             const td_output_slopes *out);
td_status td_slopes_of_inputs(td_output_differentiator *d, const td_output_field *f, double t, const double *y,
                              const td_output_slopes *out);
td_status td_slopes_of_tendons(td_output_differentiator *d, const td_output_field *f, double t, const double *y,
                               const td_output_slopes *out);
td_status td_slopes_of_dynamics(td_output_differentiator *d, const td_output_field *f, double t, const double *y,
                                const td_output_slopes *out);

#endif
