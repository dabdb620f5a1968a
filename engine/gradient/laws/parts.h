// What laws.c, found.c and answers.c share: a run's controllers, and what of them numbers reach.
#ifndef TENDRIL_GRADIENT_LAWS_PARTS_H
#define TENDRIL_GRADIENT_LAWS_PARTS_H

#include "control/model_numbers.h"
#include "control/parts.h"
#include "input/inputs.h"
#include "input/signal_slopes.h"
#include "tendril/gradient.h"
#include <stdint.h>

enum { TD_LAW_JET = 3 };

typedef struct td_law_place {
  uintptr_t place;
  size_t number;
} td_law_place;

/// One output of one controller.
typedef struct td_law_reference {
  const td_controller_spec *spec;
  td_controlled *law;
  int index;
  td_signal_spec curve; ///< values of its track, splines and lines
  td_signal signal;
  bool asked, rises; ///< some of its values is; from knot to knot in cubics
  const double
      *found; ///< [knots][width][columns] how values at knots depend on numbers; NULL: given, or asked for by none
  size_t columns;
} td_law_reference;

struct td_law_numbers {
  const td_model *model;
  const td_dynamics_spec *run;
  td_workspace *ws;
  td_inputs *inputs;
  td_input_numbers *of_inputs;
  td_control *control;
  const td_parameters *of_model;
  const size_t *model_number;
  td_model_numbers *weighed; ///< by numbers of the model; NULL: there are none, or no controllers
  double *by_model;          ///< [m][td_parameters_count]
  td_law_place *sorted;      ///< [count] by places
  size_t count, most;
  double baumgarte;                                ///< s, of the run
  int m, n, driven, channels;                      ///< channels: of controllers
  td_law_reference *reference;                     ///< [channels]
  td_input_slope *given;                           ///< [td_input_numbers_most]
  double *base, *in, *out, *change, *answer, *qdd; ///< [m] each, qdd [n]
  double (*shift)[TD_LAW_JET];                     ///< [channels]
  double **found;                                  ///< [controllers] of static inversions
  size_t *column, *number, columns;                ///< of numbers of inputs that these depend on, and the way back
  double (*total)[TD_LAW_JET];                     ///< [most columns of a static inversion]
};

/// Whether what a reference says is what the law is given; else static inversion makes that of it.
bool td_law_is_direct(const td_controller_spec *c);
/// l->sorted of these places [count], a place per number.
void td_law_places_sort(td_law_numbers *l, const double *const *places);
/// NULL: no number stands there.
const td_law_place *td_law_place_find(const td_law_numbers *l, const double *place);
const double *td_law_value_at(const td_law_reference *r, size_t knot);
static inline size_t td_law_model_count(const td_law_numbers *l) {
  return l->of_model ? td_parameters_count(l->of_model) : 0;
}
/// Of a static inversion: numbers of the model, values of the knot itself, numbers of inputs.
static inline size_t td_law_columns(const td_law_numbers *l, const td_controller_spec *c) {
  return td_law_model_count(l) + c->reference.width + l->columns;
}

/// l->found of all static inversions that depend on a number, and l->total.
TD_NODISCARD td_status td_laws_invert(td_law_numbers *l, td_error *err);

#endif
