// The discrete map of a robot: its state one step ahead under inputs that stay, and how that state depends on what it
// came from. What a controller, an optimiser or a learner puts into its own loop.
#ifndef TENDRIL_STEP_H
#define TENDRIL_STEP_H

#include "tendril/integrate.h"
#include "tendril/parameters.h"
#include "tendril/warnings.h"

enum { TD_MAX_SUBSTEPS = 10000 };

typedef struct td_step_spec { // td_step_defaults
  double h;                   ///< s, > 0: what the map goes ahead by
  td_method method;           ///< implicit ones with equal steps, and rk4 (euler_implicit)
  int substeps;               ///< steps of h / substeps that it is made of (1)
} td_step_spec;
/// @param spec  out, every member: the defaults above, h 0
TD_API void td_step_defaults(td_step_spec *spec);
/// Every rule of a step; pointers /h, /method, /substeps.
TD_API TD_NODISCARD td_status td_step_check(const td_step_spec *spec, td_error *err);

/// The map of one model, with a workspace of its own: for one thread at a time.
typedef struct td_step td_step;
/// @param parameters  what it can be differentiated by, borrowed; NULL: nothing
/// @param step        out; td_step_destroy
/// Allocates all that td_step_take will need, about the size of a workspace and 10 n^2 + 4 n m doubles.
TD_API TD_NODISCARD td_status td_step_create(const td_model *model, const td_parameters *parameters,
                                             const td_step_spec *spec, td_step **step, td_error *err);
TD_API void td_step_destroy(td_step *step);
/// td_step_take ends early with TD_CANCELLED when *stop is set meanwhile. NULL: never.
TD_API void td_step_watch(td_step *step, const _Atomic bool *stop);
/// Bytes that td_step_create takes, about.
TD_API size_t td_step_bytes(const td_model *model, const td_parameters *parameters);

/// x_next = f(x, u), x = (q, qd), and its exact derivatives: those of the numbers returned, Newton's tolerance (1e-12)
/// apart.
///
/// Every call starts afresh: the accelerations at its start are fd(x, u); substeps after the first go on as those of a
/// run do. Coordinates of prescribed joints move from x to their entry of u, which is where they are at the end: evenly
/// with euler_implicit, else along the cubic that leaves with x's rate; their rate at the end is the mean one. With
/// loops the end is closed, e(q) = 0 and A qd = 0, by the smallest changes in the metric of M (implicit methods solve
/// for e(q) = 0 themselves, index 3). Rotation vectors beyond 1.5 pi are rewritten, as those of runs are.
/// @param x       [2n] state: q, then qd
/// @param u       [m] inputs: N, N m, Pa, m …; NULL: zero
/// @param x_next  [2n] out
/// @param dx      [2n][2n] out, d x_next / d x; may be NULL
/// @param du      [2n][m] out, d x_next / d u; may be NULL
/// @param dp      [2n][np] out, d x_next / d p; may be NULL
/// @return TD_NOT_CONVERGED, TD_SINGULAR, TD_NONFINITE with the reason in `err`
/// Cost: some evaluations of forces and two of their derivatives a substep, O(n^2 (n + m)); no allocation.
/// Source: implicit Euler S dv+ = M dv - h K dq + h r_u du, S = M + h C + h^2 K; Newmark's family likewise by its own
/// relations (integrate/one_step/implicit_step.h).
TD_API TD_NODISCARD td_status td_step_take(td_step *step, const double *x, const double *u, double *x_next, double *dx,
                                           double *du, double *dp, td_error *err);

/// What is odd about the last td_step_take that gave derivatives, at `pointer`: `loop_open`, where its x leaves loops
/// open, so that they are those of closing them, too. Appends to `warnings`. O(1).
TD_API void td_step_tell(const td_step *step, const char *pointer, td_warnings *warnings);

#endif
