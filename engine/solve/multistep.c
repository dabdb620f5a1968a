// Memory, shells and the Newton matrix of bdf and dae. SUNDIALS allocates at create, nothing in a step does. The SUNMatrix
// that it insists on is an empty shell: our linear solver keeps its matrix itself.
//
// Steps are held to a tenth of the tolerances, down to 1e-6. Errors of many steps add up, and which steps are taken hangs on
// rounding: two runs that differ in that only (analytic derivatives or differences, one build or another) end as far apart
// as each is from the truth. Measured with bdf at 1e-3 / 1e-6 over 10 s: with the whole tolerance 190 to 360 um (serial) and
// 38 to 60 um (contact) apart, with a tenth 11 to 26 and 7 to 17 um, for 1.3 to 1.8 times the time. Neither a smaller constant
// of Newton's convergence nor, then, better differences do that.
#include "solve/multistep.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STANDING_LIMIT = 20 };

void td_multistep_silent(int code, const char *module, const char *function, char *message, void *context) {
  (void)code, (void)module, (void)function, (void)message, (void)context;
}

// ------------------------------------------------------------------------------------------------ shells

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

// content of the shell: the td_multistep itself
static int solver_setup(SUNLinearSolver solver, SUNMatrix shell) {
  (void)solver;
  td_multistep *m = shell->content;
  m->plant->statistics->factorisations++;
  return td_saddle_factor(&m->saddle, m->plant) ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

static bool shells(td_multistep *m, td_multistep_solve solve, void *owner) {
  m->shell = SUNMatNewEmpty(m->context);
  m->solver = SUNLinSolNewEmpty(m->context);
  if (!m->shell || !m->solver) return false;
  m->shell->content = m;
  m->shell->ops->getid = shell_id;
  m->shell->ops->zero = shell_zero;
  m->solver->content = owner;
  m->solver->ops->gettype = solver_type;
  m->solver->ops->initialize = solver_initialize;
  m->solver->ops->setup = solver_setup;
  m->solver->ops->solve = solve;
  return true;
}

// ------------------------------------------------------------------------------------------------ life

static void tolerances(td_multistep *m) {
  static const double part = 0.1, tight = 1e-6;
  m->rtol = fmax(part * m->spec->rtol, fmin(m->spec->rtol, tight));
  m->atol = m->spec->atol * (m->rtol / m->spec->rtol);
}

static bool matrices(td_multistep *m, int size) {
  size_t n = (size_t)m->plant->n, r = (size_t)m->plant->rows, s = (size_t)size + 2 * n;
  m->K = calloc(3 * n * n + 3 * r * n + 7 * n + 2 * s + r + 1, sizeof(double));
  if (!m->K || td_saddle_init(&m->saddle, m->plant->free_count, m->bordered ? m->plant->rows : 0)) return false;
  m->C = m->K + n * n;
  m->M = m->C + n * n;
  m->A = m->M + n * n;
  m->Cq = m->A + r * n;
  m->Cv = m->Cq + r * n;
  m->full = m->Cv + r * n;
  m->rates = m->full + 2 * n;
  m->b = m->rates + 2 * n;
  m->ra = m->b + n;
  m->rb = m->ra + n;
  m->weights = m->rb + n;
  m->errors = m->weights + s;
  m->c = m->errors + s;
  return true;
}

bool td_multistep_init(td_multistep *m, td_plant *plant, const td_integrator_spec *spec, int size, bool bordered,
                       td_multistep_solve solve, void *owner) {
  *m = (td_multistep){.plant = plant, .spec = spec, .bordered = bordered && plant->rows > 0};
  tolerances(m);
  if (!matrices(m, size) || SUNContext_Create(NULL, &m->context)) return false;
  m->y = N_VNew_Serial(size, m->context);
  m->view = N_VNewEmpty_Serial(size, m->context);
  if (!m->y || !m->view || !shells(m, solve, owner)) return false;
  N_VConst(0, m->y);
  return true;
}

void td_multistep_fini(td_multistep *m) {
  if (m->solver) SUNLinSolFreeEmpty(m->solver);
  if (m->shell) SUNMatFreeEmpty(m->shell);
  if (m->y) N_VDestroy(m->y);
  if (m->view) N_VDestroy(m->view);
  if (m->context) SUNContext_Free(&m->context);
  free(m->K);
  td_saddle_fini(&m->saddle);
}

void td_multistep_start(td_multistep *m, double t, double stop) {
  m->t = t;
  m->stop = stop;
  m->standing = 0;
  m->last = TD_OK;
  td_projection_metric(&m->plant->projection, NULL);
}

// ------------------------------------------------------------------------------------------------ coordinates

void td_multistep_spread(td_multistep *m, double t, const double *y) {
  td_plant_unpack(m->plant, y, m->full);
  td_plant_unpack(m->plant, y + m->plant->free_count, m->full + m->plant->n);
  td_plant_drive(m->plant, t, m->full, NULL);
}

void td_multistep_gather(const td_multistep *m, const double *full, double *y) {
  td_plant_pack(m->plant, full, y);
  td_plant_pack(m->plant, full + m->plant->n, y + m->plant->free_count);
}

// ------------------------------------------------------------------------------------------------ Newton matrix

void td_multistep_combine(td_multistep *m, double gamma) {
  double g = m->gamma = gamma;
  td_saddle *x = &m->saddle;
  td_saddle_square(m->plant, g * g, m->K, g, m->C, 1, m->M, x->S);
  if (!m->bordered) return;
  td_projection_metric(&m->plant->projection, x->S);
  td_saddle_rows(m->plant, x->ld, 1, m->A, 0, NULL, 0, NULL, x->A);
  td_saddle_rows(m->plant, x->ld, 1, m->A, g, m->Cv, g * g, m->Cq, x->G);
}

void td_multistep_products(int rows, int n, const double *X, const double *a, double y, const double *Y,
                           const double *b, double *out) {
  for (int i = 0; i < rows; i++) {
    const double *Xi = X + (size_t)i * (size_t)n, *Yi = Y + (size_t)i * (size_t)n;
    double sum = 0;
    for (int j = 0; j < n; j++) sum += Xi[j] * a[j] + y * Yi[j] * b[j];
    out[i] = sum;
  }
}

// ------------------------------------------------------------------------------------------------ steps

bool td_multistep_arrive(td_multistep *m, double reached) {
  m->standing = reached > m->t ? 0 : m->standing + 1;
  if (m->standing > STANDING_LIMIT) return false;
  m->t = reached;
  m->last = TD_OK;
  return true;
}

const char *td_multistep_reason(const td_multistep *m) {
  if (m->last == TD_SINGULAR) return td_plant_singular(m->plant);
  return m->last == TD_NONFINITE ? "the accelerations are not finite" : NULL;
}

td_status td_multistep_fail(td_multistep *m, td_status status, bool known, double h, const char *method,
                            const char *reason, td_error *err) {
  int f = m->plant->free_count;
  double *e = m->errors, *w = m->weights;
  for (int i = 0; i < f; i++) m->b[i] = known ? fmax(fabs(e[i] * w[i]), fabs(e[i + f] * w[i + f])) : 0;
  td_plant_unpack(m->plant, m->b, m->ra);
  char text[TD_MESSAGE_SIZE + 96];
  snprintf(text, sizeof text, "%s (step %.3g s; residual = local error over tolerance)", reason, h);
  bool singular = status == TD_SINGULAR; // then no step had an error
  return td_plant_fail(m->plant, status, err, method, m->t, m->ra, singular ? reason : text);
}
