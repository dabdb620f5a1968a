// What an integrator is: a row. Adding a method is adding a file with its row, and its line in
// TD_METHODS (tendril/integrate.h).
//
// A run drives it segment by segment; inside a segment the inputs are smooth. start() forgets all history, so that the
// bits of a segment depend on (t, y) at its start alone: that is what makes checkpoints exact.
#ifndef TENDRIL_INTEGRATE_INTEGRATOR_H
#define TENDRIL_INTEGRATE_INTEGRATOR_H

#include "plant/plant.h"

enum { TD_MOST_ORDER = 4 }; ///< of methods with equal steps

typedef struct td_stepper td_stepper; ///< state of one method

/// The coefficients of a method of Newmark's family (implicit_step.h).
typedef struct td_alpha {
  double m, f, gamma, beta;
} td_alpha;

enum { // td_option bits that go together
  TD_OPTIONS_OF_CONTROL = TD_OPTION_RTOL | TD_OPTION_ATOL | TD_OPTION_H_MAX | TD_OPTION_MAX_STEPS,
  TD_OPTIONS_OF_FAMILY = TD_OPTION_GAMMA | TD_OPTION_BETA | TD_OPTIONS_OF_CONTROL | TD_OPTION_CUTOFF,
  TD_OPTIONS_OF_ALL = TD_OPTION_ADAPTIVE | TD_OPTION_BAUMGARTE
};

/// What a job that names no method, and who judges a run, need a method for: one row serves each.
typedef enum td_service {
  TD_SERVES_MANY = 1 << 0,  ///< no loops, many coordinates, fast modes are damped: error control with small matrices
  TD_SERVES_TREES = 1 << 1, ///< no loops: stable at any step, whether fast modes are damped or not
  TD_SERVES_LOOPS = 1 << 2, ///< loops, under error control
  TD_SERVES_STEPS = 1 << 3, ///< loops, and the job asks for steps of a given size or for what Newmark's family has
  TD_SERVES_JUDGES = 1 << 4 ///< the smallest errors at the same tolerances: other methods' runs are held against it
} td_service;

/// How single steps of a method are taken as a map from state to state (step/).
typedef enum td_map { TD_MAP_NONE, TD_MAP_IMPLICIT, TD_MAP_EXPLICIT } td_map;

/// An explicit method: y_i = y + h sum_j A[i][j] k_j asked at t + c_i h, A[stages] those of the end, where the rate is
/// asked, too.
typedef struct td_tableau {
  int stages;
  double c[7], A[7][6];
  double dense[7]; ///< of rates, the last that at the end, in the term h (x (1 - x))^2 beyond Hermite's cubic
} td_tableau;

typedef struct td_integrator td_integrator;
struct td_integrator {
  const char *name;
  unsigned serves;  ///< td_service bits; of most rows none
  unsigned options; ///< td_option bits that it has beside TD_OPTIONS_OF_ALL: others are refused (integrate/options.h)
  td_map map;
  bool adaptive;    ///< always: its steps follow their error
  bool conditional; ///< stable only up to some radians of the fastest mode a step: the stiffer, the more steps
  bool family;      ///< Newmark's family: may be adaptive and of index 3
  /// q and qd of a step are tied by a difference formula: its work is force times the step of q (run/ledger.c)
  bool secant;
  bool kinked; ///< of one step: adaptive ones end where forces set in and end (crossing.h)
  bool dense;  ///< of many steps: where a force sets in or ends, a step ends by its interpolant, and the method starts
               ///< anew
  double default_h; ///< when the spec says h = 0; 0: the method finds its own first step
  /// its errors at ten times the tolerances, in those of the run itself; 0: at a tenth of them what TD_SERVES_JUDGES
  /// judges it (run/judge/second/retrace.h)
  double grows;
  /// Newmark's family only: its coefficients, from its options.
  td_alpha (*alpha)(const td_integrator_spec *spec);
  const td_tableau *tableau; ///< explicit methods only
  bool collocates;           ///< its steps are stages of Radau IIA, solved for together
  /// Of equal steps on a mode: their order p and the constant c of the local error c (w h)^(p+1). NULL: never equal.
  void (*accuracy)(const td_integrator *method, const td_integrator_spec *spec, int *order, double *constant);
  /// Allocates everything the method will need; `method` is this row.
  td_status (*create)(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                      td_stepper **stepper);
  void (*destroy)(td_stepper *stepper);
  /// Begins a segment at (t, y [2n]) that ends at `stop`. `hint`: last step size of the segment before, 0 at first.
  /// `carry`: what the method left at the end of a segment that goes on smoothly (a checkpoint), otherwise NULL.
  td_status (*start)(td_stepper *stepper, double t, double stop, double hint, const double *y, const double *carry,
                     td_error *err);
  /// One accepted step; *t becomes its end, which is `stop` exactly at the end of the segment.
  td_status (*step)(td_stepper *stepper, double *t, td_error *err);
  /// Takes the last step back: the next one begins where it did, with all that was known there, and tries h. False: it
  /// cannot, and is started there anew. May be NULL.
  bool (*back)(td_stepper *stepper, double h);
  /// y [2n] at any time of the last step, and, where `ahead` tells of one, of the next, as the motion so far goes on.
  td_status (*interpolate)(td_stepper *stepper, double t, double *y);
  /// The size that the next step tries, s; 0: there has been none since start(). Dense ones have it.
  double (*ahead)(const td_stepper *stepper);
  /// Size for the hint of the next segment; may be NULL.
  double (*hint)(const td_stepper *stepper);
  /// Doubles that a method keeps over a checkpoint, and their writer; both NULL: none.
  size_t (*carry_size)(const td_plant *plant);
  void (*carry)(const td_stepper *stepper, double *carry);
  /// Adds counts that the method keeps itself since start(); may be NULL.
  void (*count)(const td_stepper *stepper, td_run_statistics *statistics);
  /// Of the last step: what of its error, q and qd [2 free], is in modes beyond the cutoff. M [n][n] of the step, NULL:
  /// there is no cutoff. May be NULL.
  const double *(*sifted)(const td_stepper *stepper, double *both);
  /// What a step loses of the energy of an undamped mode, x = w h, by the square of the error that it estimates there.
  /// With `sifted`.
  double (*loss)(double x);
};

/// Row of a method; NULL when out of range.
const td_integrator *td_integrator_get(td_method method);
/// The method whose row serves this.
td_method td_integrator_for(td_service service);
/// The method of a tree of n coordinates whose fast modes are damped.
td_method td_integrator_for_damped(int n);
/// Whether errors of modes beyond a cutoff count less in a run by `used`: of methods that have one, in all runs of
/// those that are always adaptive, in adaptive runs of trees of the others.
bool td_integrator_sifts(const td_integrator_spec *used, bool loops);

#endif
