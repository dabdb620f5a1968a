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

/// Between what a number of a tendon's input may lie, so that its tension falls below 0 nowhere on [0, t_end]; the other
/// numbers are held.
/// @param signal  checked (td_dynamics_check)
/// @param number  one of its numbers in which it is affine: amplitude, offset, a value, a coefficient. Moved meanwhile,
///                so that nobody else may read the signal
/// @param bounds  out: lowest and highest, infinite where any will do
/// @return false: it falls below 0 as it is
/// Cost: some hundred looks for the lowest value, of sums and products each of ten thousand samples. May allocate.
TD_API bool td_tension_bounds(const td_signal_spec *signal, double t_end, double *number, double bounds[2]);

/// An entry, not zero, of the derivative of the inputs by a number at a moment.
typedef struct td_input_slope {
  int channel;   ///< in [0, m)
  size_t number; ///< in [0, count of numbers)
  double of[3];  ///< of u and, of channels that prescribe a coordinate, of du/dt and d2u/dt2 (else not meant)
} td_input_slope;

/// Numbers of inputs that answers are differentiated by, each named by its place in the specs: &signal.amplitude,
/// &signal.value[3], &input.list[7]. Immutable, may be shared between threads.
typedef struct td_input_numbers td_input_numbers;
/// @param specs    [count] checked inputs of the model (td_dynamics_check, td_statics_check); must outlive the result
/// @param places   [number_count] copied; one that is no number of these specs, or NULL, has no slopes. Times of steps
///                 and of splines have none either: who takes places refuses them.
/// @param numbers  out; owned by the caller, td_input_numbers_destroy
/// @return TD_OK, TD_NO_MEMORY
TD_API TD_NODISCARD td_status td_input_numbers_create(const td_model *model, const td_input_spec *specs, size_t count,
                                                      const double *const *places, size_t number_count,
                                                      td_input_numbers **numbers);
/// @param numbers  may be NULL
TD_API void td_input_numbers_destroy(td_input_numbers *numbers);
/// The most entries that the functions below write at a time.
TD_API size_t td_input_numbers_most(const td_input_numbers *numbers);
/// Derivatives of the inputs of a run at t, seen from the interval between two events that holds `t_side`. At a time
/// where an input has a kink they are those on that side, as by the times of ramps and linear tables.
/// @param list  [td_input_numbers_most] out
/// @return how many entries there are
/// Cost: of a linear table of any length two values and two times, of a spline some hundred values; no allocation.
TD_API size_t td_input_numbers_at(const td_input_numbers *numbers, double t, double t_side, td_input_slope *list);
/// The same of the inputs of problem `index` of a statics job.
TD_API size_t td_input_numbers_of_problem(const td_input_numbers *numbers, size_t index, td_input_slope *list);

#endif
