// What the explicit methods share: their stages on y' = (qd, fd), and how a step begins, is held on the loops, and
// fails.
#ifndef TENDRIL_INTEGRATE_EXPLICIT_EXPLICIT_STEP_H
#define TENDRIL_INTEGRATE_EXPLICIT_EXPLICIT_STEP_H

#include "integrate/events/strike.h"
#include "integrate/grid.h"
#include "integrate/integrator.h"

enum { TD_EXPLICIT_STAGES = 7 };

typedef struct td_explicit {
  const td_integrator *method;
  td_plant *plant;
  const td_integrator_spec *spec;
  int size;                      ///< 2n; prescribed entries are overwritten by their inputs at every stage
  double *y0, *y, *trial;        ///< [size] start and end of the last step; stage argument, and its end before `held`
  bool held;                     ///< the end of the last step was put on the constraint
  double *k[TD_EXPLICIT_STAGES]; ///< [size] rates; the first at y0, the last at y
  double t0, t, stop;
  double h, last_error; ///< last_error: of steps with error control
  td_grid grid;         ///< of equal steps
  td_strike strike;     ///< of equal steps
} td_explicit;

/// The stepper of these methods is a td_explicit and nothing else.
static inline td_explicit *td_explicit_of(td_stepper *stepper) { return (td_explicit *)stepper; }

// Row functions.
TD_NODISCARD td_status td_explicit_create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                                          td_stepper **stepper);
void td_explicit_destroy(td_stepper *stepper);

/// A segment from (t, y) to `stop`, with the rate there.
TD_NODISCARD td_status td_explicit_begin(td_explicit *s, double t, double stop, const double *y, td_error *err);
/// The old end becomes the start of the next step.
void td_explicit_turn(td_explicit *s);
/// Rate of a stage, whose prescribed coordinates are put where they belong first.
TD_NODISCARD td_status td_explicit_rate(td_explicit *s, double t, double *y, double *dy);
/// Puts the end of an accepted step back on the loops' constraint, where it then has another rate.
TD_NODISCARD td_status td_explicit_hold(td_explicit *s);
/// Fails, naming the coordinate where `size` [2n] is largest.
td_status td_explicit_fail(td_explicit *s, td_status status, const char *reason, const double *size, td_error *err);

#endif
