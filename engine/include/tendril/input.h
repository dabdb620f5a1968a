// What drives a robot over time: signals of channels.
#ifndef TENDRIL_INPUT_H
#define TENDRIL_INPUT_H

#include "tendril/dynamics.h"

enum { TD_MAX_SIGNAL_DEPTH = 8, TD_MAX_SIGNAL_KNOTS = 1 << 20, TD_MAX_SIGNAL_TERMS = 64 };

typedef enum td_signal_type {
  TD_SIGNAL_CONSTANT,
  TD_SIGNAL_SINE,
  TD_SIGNAL_STEPS,
  TD_SIGNAL_RAMP,
  TD_SIGNAL_POLYNOMIAL,
  TD_SIGNAL_TABLE,
  TD_SIGNAL_SUM,
  TD_SIGNAL_PRODUCT,
  TD_SIGNAL_TYPE_COUNT
} td_signal_type;
/// "constant", "sine" …; constant memory.
TD_API const char *td_signal_type_name(td_signal_type type);

/// One input over time. Pointers are borrowed like those of a model spec.
typedef struct td_signal_spec {
  td_signal_type type;
  double offset, amplitude, frequency, phase; ///< sine: offset + amplitude sin(2 pi f t + phase); constant: offset
  const double *t, *value; ///< steps, table: knots [count]; ramp: two; polynomial: value = coefficients, ascending
  size_t count;
  bool spline;                     ///< table: natural cubic spline instead of linear
  const struct td_signal_spec *of; ///< sum, product
  size_t of_count;
} td_signal_spec;

typedef struct td_input_spec {
  const char *channel;
  td_signal_spec signal; ///< dynamics; statics with one value: constant
  const double *list;    ///< statics: values of the S problems, NULL when `signal` is the constant for all
  size_t list_count;
} td_input_spec;

#endif
