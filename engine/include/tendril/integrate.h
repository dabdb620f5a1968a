// The methods that carry a state over time, and their options.
#ifndef TENDRIL_INTEGRATE_H
#define TENDRIL_INTEGRATE_H

#include "tendril/dynamics.h"

/// The methods, a line each: enumerator and row, td_integrator_<row>, which is all that its file in integrate/ exports.
/// dae is bdf on the equation of motion itself instead of forward dynamics; radau is Radau IIA of order 5, stable on
/// undamped stiff modes.
#define TD_METHODS(LINE)                                                                                               \
  LINE(BDF, bdf)                                                                                                       \
  LINE(DAE, dae)                                                                                                       \
  LINE(NEWMARK, newmark)                                                                                               \
  LINE(HHT, hht)                                                                                                       \
  LINE(GENERALIZED_ALPHA, generalized_alpha)                                                                           \
  LINE(RADAU, radau)                                                                                                   \
  LINE(RK45, rk45)                                                                                                     \
  LINE(RK4, rk4)                                                                                                       \
  LINE(EULER_IMPLICIT, euler_implicit)

#define TD_METHOD_ENUMERATOR(word, row) TD_METHOD_##word,
typedef enum td_method {
  /// Loops: radau (generalized_alpha where h or options of its family are given). Trees: radau where modes are fast and
  /// hardly damped, bdf elsewhere.
  TD_METHOD_AUTOMATIC = -1,
  TD_METHODS(TD_METHOD_ENUMERATOR) TD_METHOD_COUNT
} td_method;
/// "bdf", "dae" …; constant memory.
TD_API const char *td_method_name(td_method method);

/// How loops enter the equations: index 1, by accelerations with Baumgarte's stabilisation; index 3, by e(q) = 0
/// itself.
typedef enum td_formulation {
  TD_FORMULATION_AUTOMATIC = -1, ///< index 3 in newmark, hht, generalized_alpha, index 1 elsewhere
  TD_FORMULATION_INDEX1 = 0,
  TD_FORMULATION_INDEX3,
  TD_FORMULATION_COUNT
} td_formulation;
/// "index1", "index3".
TD_API const char *td_formulation_name(td_formulation formulation);

typedef enum td_option { // bits of td_integrator_spec.given
  TD_OPTION_RTOL = 1 << 0,
  TD_OPTION_ATOL = 1 << 1,
  TD_OPTION_H_MAX = 1 << 2,
  TD_OPTION_GAMMA = 1 << 3,
  TD_OPTION_BETA = 1 << 4,
  TD_OPTION_ALPHA = 1 << 5,
  TD_OPTION_RHO_INF = 1 << 6,
  TD_OPTION_ADAPTIVE = 1 << 7,
  TD_OPTION_BAUMGARTE = 1 << 8,
  TD_OPTION_CUTOFF = 1 << 9,
  TD_OPTION_MAX_STEPS = 1 << 10
} td_option;

typedef struct td_integrator_spec { // defaults in parentheses, td_integrator_defaults fills them
  td_method method;                 ///< (automatic)
  double rtol, atol; ///< bdf, dae, rk45, adaptive steps (1e-6, 1e-9); bdf and dae hold steps to a tenth of
                     ///< them, down to rtol 1e-6
  double h;     ///< (0: the method's own) step of fixed-step methods (0.002); first step of the others (found by them)
  double h_max; ///< bdf, dae, rk45, adaptive (0: a tenth of the run, less when inputs change faster)
  double gamma, beta; ///< newmark, hht, generalized_alpha (NaN: 0.5 and 0.25 for newmark, derived for the others)
  double alpha;       ///< hht: alpha of Hilber, Hughes and Taylor, in [-1/3, 0] (-0.05)
  double rho_inf;     ///< generalized_alpha: spectral radius at infinity, in [0, 1] (0.8)
  bool adaptive;      ///< newmark, hht, generalized_alpha: steps chosen by the estimated error (false)
  td_formulation formulation; ///< (automatic)
  /// radau, and adaptive steps of trees: modes faster than this, rad/s, are held stable but not resolved: they count
  /// less in the error. (0: 2000 / t_end, or, where that is more: 30 times the slowest mode, 10 over the inputs' time
  /// scale, 4 times their fastest, or what the first 99 % of the energy at the start, of all, of a coordinate of a
  /// joint and of a body, ask for as far as 1.7e5 / t_end allows.) INFINITY: all count
  double cutoff;
  double max_steps;       ///< adaptive steps: a run that heads for more of them ends (0: 1e7 / (1 + (n / 32)^2))
  double baumgarte;       ///< time constant of index 1, s (0: TD_BAUMGARTE)
  bool finite_difference; ///< derivatives by forward differences instead of analytic (false)
  bool differentiated;    ///< where the method is chosen, one whose steps have derivatives: for bdf radau (false)
  unsigned given; ///< (0) td_option bits: what the document said; an option that the method does not have is refused
} td_integrator_spec;
/// @param spec  out, every member: the defaults above
TD_API void td_integrator_defaults(td_integrator_spec *spec);

/// A number among the options: its word in documents, where it is kept, and what it may be there.
typedef struct td_integrator_number {
  const char *key;
  unsigned option; ///< td_option, 0: every method has it and given->given does not tell of it
  size_t offset;   ///< of its double in td_integrator_spec
  enum td_sign { TD_SIGN_ANY, TD_SIGN_NOT_NEGATIVE, TD_SIGN_POSITIVE } sign; ///< of a document's value
  double least, most; ///< of the value used; 0 and 0: no bounds but the sign
} td_integrator_number;
/// All of them, whatever the method: [*count].
TD_API const td_integrator_number *td_integrator_numbers(size_t *count);

#endif
