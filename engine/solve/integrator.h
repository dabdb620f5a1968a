// What an integrator is: a row of the table in integrator.c. Adding a method is adding a file and a row.
//
// A run drives it segment by segment; inside a segment the inputs are smooth. start() forgets all history, so that the
// bits of a segment depend on (t, y) at its start alone: that is what makes checkpoints exact.
#ifndef TENDRIL_SOLVE_INTEGRATOR_H
#define TENDRIL_SOLVE_INTEGRATOR_H

#include "solve/plant.h"

enum { TD_MOST_ORDER = 4 }; ///< of methods with equal steps

typedef struct td_stepper td_stepper; ///< state of one method

typedef struct td_integrator {
  const char *name;
  bool adaptive;
  bool family; ///< Newmark's family: may be adaptive and of index 3
  bool secant; ///< q and qd of a step are tied by a difference formula: its work is force times the step of q (power.c)
  bool kinked; ///< of one step: adaptive ones end where forces set in and end (crossing.h)
  bool
      dense; ///< of many steps: where a force sets in or ends, a step ends by its interpolant, and the method starts anew
  double default_h; ///< when the spec says h = 0; 0: the method finds its own first step
  /// Of equal steps on a mode: their order p and the constant c of the local error c (w h)^(p+1). NULL: never equal.
  void (*accuracy)(const td_integrator_spec *spec, int *order, double *constant);
  /// Allocates everything the method will need.
  td_status (*create)(td_plant *plant, const td_integrator_spec *spec, td_stepper **stepper);
  void (*destroy)(td_stepper *stepper);
  /// Begins a segment at (t, y [2n]) that ends at `stop`. `hint`: last step size of the segment before, 0 at first.
  /// `carry`: what the method left at the end of a segment that goes on smoothly (a checkpoint), otherwise NULL.
  td_status (*start)(td_stepper *stepper, double t, double stop, double hint, const double *y, const double *carry,
                     td_error *err);
  /// One accepted step; *t becomes its end, which is `stop` exactly at the end of the segment.
  td_status (*step)(td_stepper *stepper, double *t, td_error *err);
  /// Takes the last step back: the next one begins where it did, with all that was known there, and tries h. False: it cannot, and
  /// is started there anew. May be NULL.
  bool (*back)(td_stepper *stepper, double h);
  /// y [2n] at any time of the last step.
  td_status (*interpolate)(td_stepper *stepper, double t, double *y);
  /// Size for the hint of the next segment; may be NULL.
  double (*hint)(const td_stepper *stepper);
  /// Doubles that a method keeps over a checkpoint, and their writer; both NULL: none.
  size_t (*carry_size)(const td_plant *plant);
  void (*carry)(const td_stepper *stepper, double *carry);
  /// Adds counts that the method keeps itself since start(); may be NULL.
  void (*count)(const td_stepper *stepper, td_run_statistics *statistics);
  /// Of the last step: what of its error, q and qd [2 free], is in modes beyond the cutoff. M [n][n] of the step, NULL: there is no
  /// cutoff. May be NULL.
  const double *(*sifted)(const td_stepper *stepper, double *both);
  /// What a step loses of the energy of an undamped mode, x = w h, by the square of the error that it estimates there. With `sifted`.
  double (*loss)(double x);
} td_integrator;

/// Row of a method; NULL when out of range.
const td_integrator *td_integrator_get(td_method method);

extern const td_integrator td_integrator_bdf, td_integrator_dae, td_integrator_newmark, td_integrator_hht,
    td_integrator_generalized_alpha, td_integrator_radau, td_integrator_rk45, td_integrator_rk4,
    td_integrator_euler_implicit;

/// y at t0 + s h from values and rates at both ends of a step, cubic Hermite; all [count].
void td_hermite(int count, double s, double h, const double *y0, const double *dy0, const double *y1, const double *dy1,
                double *y);

/// The number of equal steps of size at most h (up to rounding) that cover a segment.
double td_step_count(double length, double h);

#endif
