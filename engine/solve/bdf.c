// Variable-order BDF with error control: CVODE, with a linear solver that factors n x n instead of 2n x 2n.
//
// CVODE's Newton matrix is I - g J of y' = f(y), y = (q, qd), J = [0 I; -M^-1 K, -M^-1 C] with K, C, M the matrices of the
// residual tau - ID (td_residual_derivatives) at qdd = fd. Multiplying its second row by M / g:
//     (M / g^2 + C / g + K) dq = M r2 / g + (M / g^2 + C / g) r1,      dv = (dq - r1) / g,
// so one factorisation of size n, and M is never inverted. K, C, M are kept while CVODE says they still do (jok); a new g
// costs a factorisation only. The SUNMatrix that CVODE insists on is an empty shell. CVODE allocates at create; nothing in
// a step does. Its messages are silenced: we report from its return codes.
#include "math/lu.h"
#include "solve/integrator.h"
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

struct td_stepper {
  td_plant *plant;
  const td_integrator_spec *spec;
  SUNContext context;
  void *cvode;
  N_Vector y, view; // view: its data pointer is set by each use
  SUNMatrix shell;
  SUNLinearSolver solver;
  double *K, *C, *M, *lu;   // [n][n]
  double *right;            // [n]
  double *weights, *errors; // [2n] for failures
  int *pivot;
  double gamma; // of the factors in lu
  double t, stop;
  td_status last; // why the right-hand side failed
};

static const double *data(N_Vector v) { return N_VGetArrayPointer(v); }

static int rate(double t, N_Vector y, N_Vector dy, void *context) {
  td_stepper *s = context;
  td_status status = td_plant_rate(s->plant, t, data(y), N_VGetArrayPointer(dy));
  if (status) s->last = status;
  return status ? 1 : 0; // a trial state may be absurd: CVODE retries with a smaller step
}

// ------------------------------------------------------------------------------------------------ linear solver

// lu = M / g^2 + C / g + K
static void combine(td_stepper *s) {
  size_t size = (size_t)s->plant->n * (size_t)s->plant->n;
  double c = 1 / s->gamma, m = c * c;
  for (size_t i = 0; i < size; i++) s->lu[i] = s->K[i] + c * s->C[i] + m * s->M[i];
}

static int linear_system(double t, N_Vector y, N_Vector fy, SUNMatrix shell, booleantype jok, booleantype *current,
                         double gamma, void *context, N_Vector t1, N_Vector t2, N_Vector t3) {
  (void)shell, (void)t1, (void)t2, (void)t3;
  td_stepper *s = context;
  int n = s->plant->n;
  *current = !jok;
  s->gamma = gamma;
  if (!jok) {
    td_status status = td_plant_rate_matrices(s->plant, t, data(y), data(y) + n, data(fy) + n, s->K, s->C, s->M);
    if (status) s->last = status;
    if (status) return 1;
  }
  combine(s);
  return 0;
}

static int solver_setup(SUNLinearSolver solver, SUNMatrix shell) {
  (void)shell;
  td_stepper *s = solver->content;
  s->plant->statistics->factorisations++;
  return td_lu_factor(s->plant->n, s->lu, s->pivot) ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

// right += (a M + b C) applied to x, each coefficient with its own vector: a M (xm) + c C (xc)
static void add_products(td_stepper *s, const double *xm, double c, const double *xc) {
  int n = s->plant->n;
  for (int i = 0; i < n; i++) {
    const double *Mi = s->M + (size_t)i * (size_t)n, *Ci = s->C + (size_t)i * (size_t)n;
    double sum = 0;
    for (int j = 0; j < n; j++) sum += Mi[j] * xm[j] + c * Ci[j] * xc[j];
    s->right[i] = sum;
  }
}

static int solver_solve(SUNLinearSolver solver, SUNMatrix shell, N_Vector x, N_Vector b, double tolerance) {
  (void)shell, (void)tolerance;
  td_stepper *s = solver->content;
  int n = s->plant->n;
  double g = s->gamma, *r1 = N_VGetArrayPointer(b), *r2 = r1 + n, *dq = N_VGetArrayPointer(x), *dv = dq + n;
  double *mixed = s->errors; // r2 / g + r1 / g^2
  for (int i = 0; i < n; i++) mixed[i] = (r2[i] + r1[i] / g) / g;
  add_products(s, mixed, 1 / g, r1);
  td_lu_solve(n, s->lu, s->pivot, s->right);
  for (int i = 0; i < n; i++) {
    double step = s->right[i];
    dv[i] = (step - r1[i]) / g;
    dq[i] = step;
  }
  return SUNLS_SUCCESS;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver solver) {
  (void)solver;
  return SUNLINEARSOLVER_DIRECT;
}
static int solver_initialize(SUNLinearSolver solver) {
  (void)solver;
  return SUNLS_SUCCESS;
}
static SUNMatrix_ID shell_id(SUNMatrix shell) {
  (void)shell;
  return SUNMATRIX_CUSTOM;
}
static int shell_zero(SUNMatrix shell) {
  (void)shell;
  return 0;
}

static bool linear_create(td_stepper *s) {
  s->shell = SUNMatNewEmpty(s->context);
  s->solver = SUNLinSolNewEmpty(s->context);
  if (!s->shell || !s->solver) return false;
  s->shell->ops->getid = shell_id;
  s->shell->ops->zero = shell_zero;
  s->solver->content = s;
  s->solver->ops->gettype = solver_type;
  s->solver->ops->initialize = solver_initialize;
  s->solver->ops->setup = solver_setup;
  s->solver->ops->solve = solver_solve;
  return CVodeSetLinearSolver(s->cvode, s->solver, s->shell) == 0 && CVodeSetLinSysFn(s->cvode, linear_system) == 0;
}

// ------------------------------------------------------------------------------------------------ life

static void silent(int code, const char *module, const char *function, char *message, void *context) {
  (void)code, (void)module, (void)function, (void)message, (void)context;
}

static void destroy(td_stepper *s) {
  if (!s) return;
  if (s->cvode) CVodeFree(&s->cvode);
  if (s->solver) SUNLinSolFreeEmpty(s->solver);
  if (s->shell) SUNMatFreeEmpty(s->shell);
  if (s->y) N_VDestroy(s->y);
  if (s->view) N_VDestroy(s->view);
  if (s->context) SUNContext_Free(&s->context);
  free(s->K);
  free(s->pivot);
  free(s);
}

static bool memory_create(td_stepper *s) {
  size_t n = (size_t)s->plant->n;
  s->K = calloc(4 * n * n + 5 * n + 1, sizeof(double));
  s->pivot = calloc(n + 1, sizeof *s->pivot);
  if (!s->K || !s->pivot) return false;
  s->C = s->K + n * n;
  s->M = s->C + n * n;
  s->lu = s->M + n * n;
  s->right = s->lu + n * n;
  s->weights = s->right + n;
  s->errors = s->weights + 2 * n;
  return true;
}

static bool cvode_create(td_stepper *s) {
  if (SUNContext_Create(NULL, &s->context)) return false;
  s->y = N_VNew_Serial(2 * s->plant->n, s->context);
  s->view = N_VNewEmpty_Serial(2 * s->plant->n, s->context);
  s->cvode = CVodeCreate(CV_BDF, s->context);
  if (!s->y || !s->view || !s->cvode) return false;
  N_VConst(0, s->y);
  return CVodeSetErrHandlerFn(s->cvode, silent, NULL) == 0 && CVodeInit(s->cvode, rate, 0, s->y) == 0 &&
         CVodeSetUserData(s->cvode, s) == 0 && CVodeSStolerances(s->cvode, s->spec->rtol, s->spec->atol) == 0 &&
         CVodeSetMaxNumSteps(s->cvode, -1) == 0 && linear_create(s);
}

static td_status create(td_plant *plant, const td_integrator_spec *spec, td_stepper **stepper) {
  td_stepper *s = *stepper = calloc(1, sizeof *s);
  if (!s) return TD_NO_MEMORY;
  s->plant = plant;
  s->spec = spec;
  if (memory_create(s) && cvode_create(s)) return TD_OK;
  destroy(s);
  *stepper = NULL;
  return TD_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------------ steps

static td_status start(td_stepper *s, double t, double stop, double hint, const double *y, td_error *err) {
  (void)hint; // order 1 again: the size of a high-order step says nothing
  memcpy(N_VGetArrayPointer(s->y), y, 2 * (size_t)s->plant->n * sizeof *y);
  s->t = t;
  s->stop = stop;
  s->last = TD_OK;
  double first = s->spec->h > 0 ? fmin(s->spec->h, stop - t) : 0;
  bool ok = CVodeReInit(s->cvode, t, s->y) == 0 && CVodeSetStopTime(s->cvode, stop) == 0 &&
            CVodeSetInitStep(s->cvode, first) == 0 && CVodeSetMaxStep(s->cvode, s->spec->h_max) == 0;
  return ok ? TD_OK : td_fail(err, TD_INTERNAL, "", "bdf: CVODE refused to start at t = %.9g s", t);
}

static const char *reason(const td_stepper *s, int flag) {
  if (s->last == TD_SINGULAR) return "the mass matrix is not positive definite";
  if (s->last == TD_NONFINITE) return "the accelerations are not finite";
  if (flag == CV_ERR_FAILURE) return "no step is small enough to meet the tolerances";
  if (flag == CV_CONV_FAILURE || flag == CV_LSETUP_FAIL) return "the Newton iteration fails at the smallest step";
  if (flag == CV_TOO_MUCH_ACC) return "the tolerances are below rounding error";
  if (flag == CV_TOO_CLOSE) return "the segment is too short";
  return "the right-hand side cannot be evaluated";
}

// Weighted local errors of both halves of the state, folded onto the coordinates.
static void worst_errors(td_stepper *s) {
  int n = s->plant->n;
  double *e = s->errors, *w = s->weights;
  N_VSetArrayPointer(e, s->view);
  bool known = CVodeGetEstLocalErrors(s->cvode, s->view) == 0;
  N_VSetArrayPointer(w, s->view);
  known = CVodeGetErrWeights(s->cvode, s->view) == 0 && known;
  for (int i = 0; i < n; i++) {
    double a = fabs(e[i] * w[i]), b = fabs(e[i + n] * w[i + n]);
    e[i] = !known ? 0 : a > b ? a : b;
  }
}

static td_status fail(td_stepper *s, int flag, td_error *err) {
  td_status status = s->last ? s->last : flag == CV_ERR_FAILURE ? TD_STEP_TOO_SMALL : TD_NOT_CONVERGED;
  double h = 0;
  if (CVodeGetCurrentStep(s->cvode, &h)) h = 0;
  worst_errors(s);
  char text[160];
  snprintf(text, sizeof text, "%s (step %.3g s; residual = local error over tolerance)", reason(s, flag), h);
  return td_plant_fail(s->plant, status, err, "bdf", s->t, s->errors, text);
}

static td_status step(td_stepper *s, double *t, td_error *err) {
  double reached = s->t;
  int flag = CVode(s->cvode, s->stop, s->y, &reached, CV_ONE_STEP);
  if (flag < 0) return fail(s, flag, err);
  s->t = flag == CV_TSTOP_RETURN ? s->stop : reached;
  s->last = TD_OK;
  *t = s->t;
  return TD_OK;
}

static td_status interpolate(td_stepper *s, double t, double *y) {
  N_VSetArrayPointer(y, s->view);
  return CVodeGetDky(s->cvode, t, 0, s->view) == 0 ? TD_OK : TD_INTERNAL;
}

static void count(const td_stepper *s, td_run_statistics *statistics) {
  long rejected = 0, iterations = 0, failures = 0;
  if (CVodeGetNumErrTestFails(s->cvode, &rejected) == 0) statistics->rejected += (uint64_t)rejected;
  if (CVodeGetNonlinSolvStats(s->cvode, &iterations, &failures) == 0) {
    statistics->newton_iterations += (uint64_t)iterations;
    statistics->nonlinear_failures += (uint64_t)failures;
  }
}

const td_integrator td_integrator_bdf = {
    .name = "bdf",
    .adaptive = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .count = count,
};
