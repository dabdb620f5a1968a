// Variable-order BDF with error control on the equation of motion itself: IDA, whose residual costs an ID where bdf's
// rate costs an FD.
//
// Unknowns y = (q, qd) of the free coordinates and the multipliers of loops; prescribed coordinates are functions of
// time.
//     qd - v = 0,      ID(q, v, vd) - tau - A^T lambda = 0,      A vd + Ad v + (2/T) A v + e / T^2 = 0      (index 1)
// Their Newton matrix dF/dy + c dF/dyd, with g = 1 / c and the matrices of integrate/multistep/multistep.h:
//     [M + gC + g^2 K, -A^T; A + g Cv + g^2 Cq, 0] (dv, g dlambda) = g (r2 - g K r1, r3 - g Cq r1),      dq = g (r1 +
//     dv).
// IDA has no word for «the matrices still do», so they are kept here: as long as Newton converges, a new c costs a
// factorisation only, as in bdf. Multipliers are in no norm: their size says nothing about the motion's error.
//
// Loops: Baumgarte's terms hold them (measured: below 1e-6 at 1e-3); where that leaves more than HOLD_ABOVE, what
// Newton found is put back on the constraint before the error test, inside the nonlinear solver, as IDA has no
// projection of its own. Projecting more often is worse: it is the noise that then bounds the steps (measured: on the
// parallel robot at 1e-6 160 000 rejected steps instead of 17). Steps: IDA doubles a step or leaves it alone, and
// raises the order only after several equal steps. At order 1 a doubled step moves stiff rates by half a step's worth
// of lag at once, fails the error test for it, and with a doubling tried after every step the order stays 1. So after a
// rejection the size may not grow for CALM_STEPS (cdm at 1e-3: 200 rejected instead of 1457).
#include "integrate/multistep/multistep.h"
#include "model/model.h"
#include <ida/ida.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

enum { KEEP_STEPS = 50, CALM_STEPS = 8 };
static const double NEWTON = 0.01;     // what Newton may leave, of the tolerance
static const double UNSEEN = 1e-30;    // weight of multipliers
static const double HOLD_ABOVE = 1e-5; // rad, m: loop error that is put right

struct td_stepper {
  td_multistep m;
  N_Vector yd;
  SUNNonlinearSolver newton;
  double *idle;              // [rows] multipliers of the last residual; of them, what exerts no force
  double c;                  // of the factors
  double rate, before;       // of Newton's convergence since then, size of its last correction
  bool matrices, fresh, bad; // they exist, were made for this step; Newton failed with them
  long made_at;              // step
  long rejected;             // so far
  int calm;                  // steps to come in which the size shall not grow
};

static const double *data(N_Vector v) { return N_VGetArrayPointer(v); }

// A robot whose coordinates are all prescribed gets one unknown that stays 0.
static int size_of(const td_plant *p) { return p->free_count > 0 ? 2 * p->free_count + p->rows : 1; }

// ------------------------------------------------------------------------------------------------ residual

// The state that (y, yd) stand for; accelerations in m->rates + n.
static td_plant_state state_of(td_multistep *m, double t, const double *y, const double *yd) {
  td_plant *p = m->plant;
  int f = p->free_count, n = p->n;
  td_multistep_spread(m, t, y);
  td_plant_drive(p, t, m->full, m->rates + n);
  td_plant_unpack(p, yd + f, m->rates + n);
  return (td_plant_state){m->full, m->full + n, m->rates + n, f > 0 ? y + 2 * f : NULL};
}

static int residual(double t, N_Vector y, N_Vector yd, N_Vector r, void *context) {
  td_multistep *m = &((td_stepper *)context)->m;
  td_plant *p = m->plant;
  int f = p->free_count;
  const double *v = data(y) + f, *qd = data(yd);
  double *out = N_VGetArrayPointer(r);
  if (f == 0) return out[0] = qd[0], 0;
  td_plant_state at = state_of(m, t, data(y), data(yd));
  td_constraint_terms terms = {.residual = m->rb, .a = p->rows ? out + 2 * f : NULL};
  if (p->rows) memcpy(((td_stepper *)context)->idle, data(y) + 2 * f, (size_t)p->rows * sizeof *out);
  td_status status = td_plant_terms(p, t, &at, &terms);
  if (status) m->last = status;
  for (int k = 0; k < f; k++) {
    out[k] = qd[k] - v[k];
    out[f + k] = -m->rb[p->free[k]];
  }
  return status ? 1 : 0; // a trial state may be absurd: IDA retries with a smaller step
}

static int weights(N_Vector y, N_Vector weight, void *context) {
  const td_multistep *m = &((td_stepper *)context)->m;
  int f = 2 * m->plant->free_count, size = size_of(m->plant);
  double *w = N_VGetArrayPointer(weight), scale = f > 0 ? sqrt((double)size / f) : 1; // IDA's norms divide by the size
  scale /= td_multistep_part(m);
  for (int i = 0; i < size; i++) w[i] = i < f ? scale / (m->atol + m->rtol * fabs(data(y)[i])) : UNSEEN;
  return 0;
}

// ------------------------------------------------------------------------------------------------ linear solver

static td_status renew(td_stepper *s, double t, const double *y, const double *yd) {
  td_multistep *m = &s->m;
  td_plant_state at = state_of(m, t, y, yd);
  td_constraint_terms out = {.K = m->K, .C = m->C, .M = m->M};
  if (m->plant->rows) out.A = m->A, out.Cq = m->Cq, out.Cv = m->Cv;
  td_status status = td_plant_terms(m->plant, t, &at, &out);
  s->matrices = s->fresh = !status;
  s->bad = false;
  if (IDAGetNumSteps(s->m.memory, &s->made_at)) s->made_at = 0;
  return status;
}

// Asked for again with the same c, the factors themselves have failed.
static bool worn(const td_stepper *s, double c) {
  long steps = 0;
  return !s->matrices || s->bad || c == s->c || IDAGetNumSteps(s->m.memory, &steps) || steps > s->made_at + KEEP_STEPS;
}

static int matrix(double t, double c, N_Vector y, N_Vector yd, N_Vector r, SUNMatrix shell, void *context, N_Vector t1,
                  N_Vector t2, N_Vector t3) {
  (void)r, (void)shell, (void)t1, (void)t2, (void)t3;
  td_stepper *s = context;
  if (s->m.plant->free_count == 0) return s->m.gamma = 1 / c, 0;
  td_multistep_spread(&s->m, t, data(y));
  bool turned = td_plant_has_turned(s->m.plant, s->m.full);
  td_status status = turned || worn(s, c) ? renew(s, t, data(y), data(yd)) : TD_OK;
  if (status) s->m.last = status;
  if (status) return 1;
  s->c = c;
  s->rate = 1;
  td_multistep_combine(&s->m, 1 / c);
  return 0;
}

static int solve(SUNLinearSolver solver, SUNMatrix shell, N_Vector x, N_Vector b, double tolerance) {
  (void)shell, (void)tolerance;
  td_multistep *m = &((td_stepper *)solver->content)->m;
  td_plant *p = m->plant;
  int f = p->free_count, n = p->n;
  double *idle = ((td_stepper *)solver->content)->idle, g = m->gamma, *r1 = N_VGetArrayPointer(b), *r2 = r1 + f,
         *r3 = r2 + f, *out = N_VGetArrayPointer(x);
  if (f == 0) return out[0] = g * r1[0], SUNLS_SUCCESS;
  td_plant_unpack(p, r1, m->ra);
  td_multistep_products(n, n, m->K, m->ra, 0, m->K, m->ra, m->errors);
  for (int k = 0; k < f; k++) m->b[k] = g * (r2[k] - g * m->errors[p->free[k]]);
  if (m->bordered) td_multistep_products(p->rows, n, m->Cq, m->ra, 0, m->Cq, m->ra, m->c);
  for (int i = 0; i < p->rows; i++) m->c[i] = g * (r3[i] - g * m->c[i]);
  td_saddle_solve(&m->saddle, m->b, m->c);
  for (int k = 0; k < f; k++) {
    out[k] = g * (r1[k] + m->b[k]);
    out[f + k] = m->b[k];
  }
  // Of dependent rows only the smallest multipliers are determined. What else the predictor extrapolates into them
  // nothing would take back, and it grows from step to step until its rounding is felt (seen: 1e11 N, steps of 1e-8 s).
  td_saddle_idle(&m->saddle, idle);
  for (int i = 0; i < p->rows; i++) out[2 * f + i] = m->c[i] / g - idle[i];
  return SUNLS_SUCCESS;
}

// ------------------------------------------------------------------------------------------------ nonlinear solver

// SUNDIALS' Newton, once more if it failed with old matrices (it believes them new), then the loops closed:
// `correction`, the distance to the predicted state, takes that in.
static int newton(SUNNonlinearSolver solver, N_Vector predicted, N_Vector correction, N_Vector weight, double tolerance,
                  booleantype setup, void *ida) {
  void *context = NULL;
  if (IDAGetUserData(ida, &context)) return -1;
  td_stepper *s = context;
  td_multistep *m = &s->m;
  s->fresh = false;
  int flag = SUNNonlinSolSolve_Newton(solver, predicted, correction, weight, tolerance, setup, ida);
  s->bad = flag != 0;
  if (flag > 0 && !s->fresh) {
    N_VConst(0, correction);
    flag = SUNNonlinSolSolve_Newton(solver, predicted, correction, weight, tolerance, SUNTRUE, ida);
  }
  if (flag || !m->bordered || m->plant->free_count == 0) return flag;
  double t = 0, *y = m->errors, *d = N_VGetArrayPointer(correction);
  bool moved;
  N_VSetArrayPointer(y, m->view);
  if (IDAGetCurrentTime(ida, &t) || IDAComputeY(ida, correction, m->view)) return -1;
  td_multistep_spread(m, t, y);
  td_plant_hold(m->plant, HOLD_ABOVE, m->full, &moved);
  td_multistep_gather(m, m->full, m->weights);
  for (int i = 0; moved && i < 2 * m->plant->free_count; i++) d[i] += m->weights[i] - y[i];
  return 0;
}

// CVODE's test of convergence. IDA's own goes by the rate of steps long past: it stops after one correction when that
// is small in the norm, though the stiff modes, which old matrices correct worst, are still wrong by more than a step's
// error.
static int converged(SUNNonlinearSolver solver, N_Vector y, N_Vector correction, double tolerance, N_Vector weight,
                     void *context) {
  (void)y;
  td_stepper *s = context;
  int iteration = 0;
  double size = N_VWrmsNorm(correction, weight);
  if (SUNNonlinSolGetCurIter(solver, &iteration)) return -1;
  if (iteration > 0) s->rate = fmax(0.3 * s->rate, size / s->before);
  if (size * fmin(1, s->rate) <= tolerance) return SUN_NLS_SUCCESS;
  if (!isfinite(size) || (iteration > 0 && size > 2 * s->before)) return SUN_NLS_CONV_RECVR;
  s->before = size;
  return SUN_NLS_CONTINUE;
}

static bool newton_create(td_stepper *s) {
  s->newton = SUNNonlinSol_Newton(s->m.y, s->m.context);
  if (!s->newton) return false;
  s->newton->ops->solve = newton;
  return IDASetNonlinearSolver(s->m.memory, s->newton) == 0 && SUNNonlinSolSetConvTestFn(s->newton, converged, s) == 0;
}

// ------------------------------------------------------------------------------------------------ life

static void destroy(td_stepper *s) {
  if (!s) return;
  if (s->m.memory) IDAFree(&s->m.memory);
  if (s->newton) SUNNonlinSolFree(s->newton);
  if (s->yd) N_VDestroy(s->yd);
  td_multistep_fini(&s->m);
  free(s->idle);
  free(s);
}

static bool ida_create(td_stepper *s) {
  s->m.memory = IDACreate(s->m.context);
  s->yd = N_VClone(s->m.y);
  if (!s->m.memory || !s->yd) return false;
  N_VConst(0, s->yd);
  return IDASetErrHandlerFn(s->m.memory, td_multistep_silent, NULL) == 0 &&
         IDAInit(s->m.memory, residual, 0, s->m.y, s->yd) == 0 && IDASetUserData(s->m.memory, s) == 0 &&
         IDAWFtolerances(s->m.memory, weights) == 0 && newton_create(s) && IDASetMaxNumSteps(s->m.memory, -1) == 0 &&
         IDASetMaxErrTestFails(s->m.memory, 30) == 0 && IDASetNonlinConvCoef(s->m.memory, NEWTON) == 0 &&
         IDASetLinearSolver(s->m.memory, s->m.solver, s->m.shell) == 0 && IDASetJacFn(s->m.memory, matrix) == 0;
}

static int advance(td_multistep *m, double *reached) {
  td_stepper *s = m->solver->content;
  return IDASolve(m->memory, m->stop, reached, m->y, s->yd, IDA_ONE_STEP);
}

static const td_sundials calls = {
    .method = "dae",
    .cannot = "the equation of motion cannot be evaluated",
    .advance = advance,
    .set_stop = IDASetStopTime,
    .state_at = IDAGetDky,
    .next_size = IDAGetCurrentStep,
    .last_order = IDAGetLastOrder,
    .steps = IDAGetNumSteps,
    .local_errors = IDAGetEstLocalErrors,
    .error_weights = IDAGetErrWeights,
    .rejected = IDAGetNumErrTestFails,
    .newton = IDAGetNonlinSolvStats,
};

static td_status create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                        td_stepper **stepper) {
  (void)method;
  td_stepper *s = *stepper = calloc(1, sizeof *s);
  if (!s) return TD_NO_MEMORY;
  s->idle = calloc((size_t)plant->rows + 1, sizeof *s->idle);
  if (s->idle && td_multistep_init(&s->m, &calls, plant, spec, size_of(plant), true, solve, s) && ida_create(s))
    return TD_OK;
  destroy(s);
  *stepper = NULL;
  return TD_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------------ steps

// (y, yd) at the start: accelerations and multipliers that go with the state.
static td_status consistent(td_stepper *s, double t, const double *full) {
  td_multistep *m = &s->m;
  int f = m->plant->free_count;
  double *y = N_VGetArrayPointer(m->y), *yd = N_VGetArrayPointer(s->yd);
  if (f == 0) return TD_OK;
  td_status status = td_plant_rate(m->plant, t, full, m->rates);
  td_multistep_gather(m, full, y);
  td_multistep_gather(m, m->rates, yd);
  for (int i = 0; i < m->plant->rows; i++) y[2 * f + i] = m->plant->lambda[i], yd[2 * f + i] = 0;
  return status;
}

static td_status start(td_stepper *s, double t, double stop, double hint, const double *y, const double *carry,
                       td_error *err) {
  (void)carry, (void)hint; // order 1 again: the size of a high-order step says nothing
  td_multistep *m = &s->m;
  td_multistep_start(m, t, stop);
  s->matrices = s->bad = false;
  s->rejected = 0;
  s->calm = 0;
  s->c = 0;
  td_status status = consistent(s, t, y);
  if (status)
    return td_fail(err, status, "", "dae at t = %.9g s: the accelerations at the start cannot be found: %s", t,
                   status == TD_SINGULAR ? td_plant_singular(m->plant) : "they are not finite");
  double first = m->spec->h > 0 ? fmin(m->spec->h, stop - t) : 0;
  bool ok = IDAReInit(s->m.memory, t, m->y, s->yd) == 0 && IDASetStopTime(s->m.memory, stop) == 0 &&
            IDASetInitStep(s->m.memory, first) == 0 && IDASetEtaFixedStepBounds(s->m.memory, 1, 2) == 0 &&
            IDASetMaxStep(s->m.memory, m->spec->h_max) == 0;
  return ok ? TD_OK : td_fail(err, TD_INTERNAL, "", "dae: IDA refused to start at t = %.9g s", t);
}

// After a step: no growth for a while if it was rejected at first.
static void calm(td_stepper *s) {
  long rejected = 0;
  if (IDAGetNumErrTestFails(s->m.memory, &rejected)) return;
  int before = s->calm;
  s->calm = rejected > s->rejected ? CALM_STEPS : before > 0 ? before - 1 : 0;
  s->rejected = rejected;
  if ((s->calm > 0) != (before > 0)) (void)!IDASetEtaFixedStepBounds(s->m.memory, 1, s->calm > 0 ? 1e6 : 2);
}

static td_status step(td_stepper *s, double *t, td_error *err) {
  td_multistep *m = &s->m;
  td_status status = td_multistep_step(m, err);
  if (status) return status;
  if (m->bordered && m->plant->free_count > 0)
    memcpy(m->plant->lambda, data(m->y) + 2 * m->plant->free_count, (size_t)m->plant->rows * sizeof(double));
  calm(s);
  *t = m->t;
  return TD_OK;
}

static td_status interpolate(td_stepper *s, double t, double *y) { return td_multistep_interpolate(&s->m, t, y); }

static double ahead(const td_stepper *s) { return td_multistep_ahead(&s->m); }

static void count(const td_stepper *s, td_run_statistics *statistics) { td_multistep_count(&s->m, statistics); }

const td_integrator td_integrator_dae = {
    .name = "dae",
    .options = TD_OPTIONS_OF_CONTROL,
    .adaptive = true,
    .dense = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .ahead = ahead,
    .count = count,
};
