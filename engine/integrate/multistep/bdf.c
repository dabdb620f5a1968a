// Variable-order BDF with error control: CVODE, with a linear solver that factors n x n instead of 2n x 2n.
//
// CVODE's unknown is y = (q, qd) of the free coordinates; prescribed ones are functions of time. Its Newton matrix is I
// - g J of y' = f(y), J = [0 I; -M^-1 K, -M^-1 C] with K, C, M the matrices of the residual tau - ID + A^T lambda at
// qdd = fd. Multiplying its second row by M:
//     (M + g C + g^2 K) dv = M r2 - g K r1,      dq = r1 + g dv,
// so one factorisation of size n, and M is never inverted. With loops, at index 1, bordered
// (engine/integrate/saddle.h):
//     [M + gC + g^2 K, -A^T; A + g Cv + g^2 Cq, 0] (dv, g dlambda) = (M r2 - g K r1, A r2 - g Cq r1).
// K, C, M, A, Cq, Cv are kept while CVODE says they still do (jok); a new g costs a factorisation only. After each step
// q is put back on the constraint: Baumgarte's terms bound the drift of a step, the projection that of the run. Newton
// is asked for more than CVODE's default (0.01 of the tolerance instead of 0.1) and the error test may fail more often:
// what Newton leaves in a stiff mode looks like a jump to the next step, and steps must be able to shrink below its
// time constant to pass it (measured: fewer steps on every example robot, and the fin-ray finishes).
#include "integrate/multistep/multistep.h"
#include "model/model.h"
#include <cvode/cvode.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct td_stepper {
  td_multistep m;
};

static const double *data(N_Vector v) { return N_VGetArrayPointer(v); }

// CVODE's norms divide by the size: a robot whose coordinates are all prescribed gets one unknown that stays 0.
static int size_of(const td_plant *p) { return p->free_count > 0 ? 2 * p->free_count : 1; }

static int rate(double t, N_Vector y, N_Vector dy, void *context) {
  td_multistep *m = context;
  td_multistep_spread(m, t, data(y));
  td_status status = td_plant_rate(m->plant, t, m->full, m->rates);
  N_VConst(0, dy);
  td_multistep_gather(m, m->rates, N_VGetArrayPointer(dy));
  if (status) m->last = status;
  return status ? 1 : 0; // a trial state may be absurd: CVODE retries with a smaller step
}

static int weights(N_Vector y, N_Vector weight, void *context) {
  const td_multistep *m = context;
  double part = td_multistep_part(m), rtol = part * m->rtol, atol = part * m->atol, *w = N_VGetArrayPointer(weight);
  const double *x = data(y);
  for (int i = 0; i < size_of(m->plant); i++) w[i] = 1 / (rtol * fabs(x[i]) + atol);
  return 0;
}

// After a step: q goes back to the constraint, by a shift of the state that CVODE does not see. Its own projection
// method moves the newest of the states its polynomial passes through and leaves the others: a kink of the size of the
// correction (1e-12 m of a loop may be 1e-9 of a strain), independent of h, which the next prediction magnifies with
// the order. Above the tolerance it fails the error test at any step; corrections and steps then feed on each other
// until t stands still. A shift moves all those states alike and leaves no kink. qd is left to Baumgarte's terms.
static void hold(td_multistep *m) {
  int f = m->plant->free_count;
  td_multistep_spread(m, m->t, data(m->y));
  if (!td_plant_hold_position(m->plant, TD_HOLD_ABOVE, m->full)) return;
  td_multistep_gather(m, m->full, m->errors);
  for (int i = 0; i < 2 * f; i++) m->shift[i] = m->errors[i] - data(m->y)[i];
}

// ------------------------------------------------------------------------------------------------ linear solver

static td_status matrices(td_multistep *m, double t, const double *y, const double *dy) {
  td_plant *p = m->plant;
  td_multistep_spread(m, t, y);
  td_plant_drive(p, t, m->full, m->rates + p->n); // accelerations of prescribed coordinates
  td_plant_unpack(p, dy + p->free_count, m->rates + p->n);
  const double *q = m->full, *qd = m->full + p->n, *qdd = m->rates + p->n;
  if (p->finite_difference) return td_plant_rate_differences(p, t, q, qd, qdd, m->K, m->C, m->M);
  td_constraint_terms out = {.K = m->K, .C = m->C, .M = m->M};
  if (p->rows) out.A = m->A, out.Cq = m->Cq, out.Cv = m->Cv;
  td_status status = TD_OK;
  if (p->rows) { // the multipliers that go with this qdd
    status = td_plant_rate(p, t, m->full, m->rates);
    memcpy(m->c, p->lambda, (size_t)p->rows * sizeof *m->c);
  }
  td_plant_state at = {q, qd, m->rates + p->n, m->c};
  return status ? status : td_plant_terms(p, t, &at, &out);
}

static int linear_system(double t, N_Vector y, N_Vector fy, SUNMatrix shell, booleantype jok, booleantype *current,
                         double gamma, void *context, N_Vector t1, N_Vector t2, N_Vector t3) {
  (void)shell, (void)t1, (void)t2, (void)t3;
  td_multistep *m = context;
  *current = !jok;
  td_status status = jok ? TD_OK : matrices(m, t, data(y), data(fy));
  if (status) m->last = status;
  if (status) return 1;
  td_multistep_combine(m, gamma);
  return 0;
}

static int solve(SUNLinearSolver solver, SUNMatrix shell, N_Vector x, N_Vector b, double tolerance) {
  (void)shell, (void)tolerance;
  td_multistep *m = solver->content;
  td_plant *p = m->plant;
  int f = p->free_count;
  double g = m->gamma, *r1 = N_VGetArrayPointer(b), *r2 = r1 + f, *dq = N_VGetArrayPointer(x), *dv = dq + f;
  if (f == 0) return N_VConst(0, x), SUNLS_SUCCESS;
  td_plant_unpack(p, r1, m->ra);
  td_plant_unpack(p, r2, m->rb);
  td_multistep_products(p->n, p->n, m->M, m->rb, -g, m->K, m->ra, m->errors);
  td_plant_pack(p, m->errors, m->b);
  if (m->bordered) td_multistep_products(p->rows, p->n, m->A, m->rb, -g, m->Cq, m->ra, m->c);
  td_saddle_solve(&m->saddle, m->b, m->c);
  for (int i = 0; i < f; i++) {
    double step = m->b[i];
    dq[i] = r1[i] + g * step;
    dv[i] = step;
  }
  return SUNLS_SUCCESS;
}

// ------------------------------------------------------------------------------------------------ life

static void destroy(td_stepper *s) {
  if (!s) return;
  if (s->m.memory) CVodeFree(&s->m.memory);
  td_multistep_fini(&s->m);
  free(s);
}

static bool cvode_create(td_multistep *m) {
  void *cvode = m->memory = CVodeCreate(CV_BDF, m->context);
  return cvode && CVodeSetErrHandlerFn(cvode, td_multistep_silent, NULL) == 0 && CVodeInit(cvode, rate, 0, m->y) == 0 &&
         CVodeSetUserData(cvode, m) == 0 && CVodeWFtolerances(cvode, weights) == 0 &&
         CVodeSetMaxNumSteps(cvode, -1) == 0 && CVodeSetMaxErrTestFails(cvode, 30) == 0 &&
         CVodeSetNonlinConvCoef(cvode, 0.01) == 0 && CVodeSetLinearSolver(cvode, m->solver, m->shell) == 0 &&
         CVodeSetLinSysFn(cvode, linear_system) == 0;
}

static int advance(td_multistep *m, double *reached) { return CVode(m->memory, m->stop, m->y, reached, CV_ONE_STEP); }

static const td_sundials calls = {
    .method = "bdf",
    .cannot = "the right-hand side cannot be evaluated",
    .advance = advance,
    .set_stop = CVodeSetStopTime,
    .state_at = CVodeGetDky,
    .next_size = CVodeGetCurrentStep,
    .last_order = CVodeGetLastOrder,
    .steps = CVodeGetNumSteps,
    .local_errors = CVodeGetEstLocalErrors,
    .error_weights = CVodeGetErrWeights,
    .rejected = CVodeGetNumErrTestFails,
    .newton = CVodeGetNonlinSolvStats,
};

// By differences of fd the loops are in K, C already.
static td_status create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                        td_stepper **stepper) {
  (void)method;
  td_stepper *s = *stepper = calloc(1, sizeof *s);
  if (!s) return TD_NO_MEMORY;
  bool bordered = !plant->finite_difference;
  if (td_multistep_init(&s->m, &calls, plant, spec, size_of(plant), bordered, solve, &s->m) && cvode_create(&s->m)) {
    s->m.shifted = true;
    return TD_OK;
  }
  destroy(s);
  *stepper = NULL;
  return TD_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------------ steps

static td_status start(td_stepper *s, double t, double stop, double hint, const double *y, const double *carry,
                       td_error *err) {
  (void)carry, (void)hint; // order 1 again: the size of a high-order step says nothing
  td_multistep *m = &s->m;
  td_multistep_gather(m, y, N_VGetArrayPointer(m->y));
  td_multistep_start(m, t, stop);
  memset(m->shift, 0, (size_t)size_of(m->plant) * sizeof *m->shift);
  double first = m->spec->h > 0 ? fmin(m->spec->h, stop - t) : 0;
  bool ok = CVodeReInit(m->memory, t, m->y) == 0 && CVodeSetStopTime(m->memory, stop) == 0 &&
            CVodeSetInitStep(m->memory, first) == 0 && CVodeSetMaxStep(m->memory, m->spec->h_max) == 0;
  return ok ? TD_OK : td_fail(err, TD_INTERNAL, "", "bdf: CVODE refused to start at t = %.9g s", t);
}

static td_status step(td_stepper *s, double *t, td_error *err) {
  td_status status = td_multistep_step(&s->m, err);
  if (status) return status;
  if (s->m.plant->rows > 0) hold(&s->m);
  *t = s->m.t;
  return TD_OK;
}

static td_status interpolate(td_stepper *s, double t, double *y) { return td_multistep_interpolate(&s->m, t, y); }

static double ahead(const td_stepper *s) { return td_multistep_ahead(&s->m); }

static void count(const td_stepper *s, td_run_statistics *statistics) { td_multistep_count(&s->m, statistics); }

const td_integrator td_integrator_bdf = {
    .name = "bdf",
    .serves = TD_SERVES_MANY,
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
