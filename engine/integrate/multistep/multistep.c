// Memory, shells and the Newton matrix of bdf and dae. SUNDIALS allocates at create, nothing in a step does. The
// SUNMatrix that it insists on is an empty shell: our linear solver keeps its matrix itself.
//
// Steps are held to a tenth of the tolerances, down to 1e-6. Errors of many steps add up, and which steps are taken
// hangs on rounding: two runs that differ in that only (analytic derivatives or differences, one build or another) end
// as far apart as each is from the truth. Measured with bdf at 1e-3 / 1e-6 over 10 s: with the whole tolerance 190 to
// 360 um (serial) and 38 to 60 um (contact) apart, with a tenth 11 to 26 and 7 to 17 um, for 1.3 to 1.8 times the time.
// Neither a smaller constant of Newton's convergence nor, then, better differences do that.
#include "integrate/multistep/multistep.h"
#include "base/carve.h"
#include "integrate/events/onset.h"
#include "integrate/multistep/vector.h"
#include "math/dot.h"
#include "model/model.h"
#include <assert.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STANDING_LIMIT = 20 };

_Static_assert(CV_TSTOP_RETURN == IDA_TSTOP_RETURN && CV_ERR_FAILURE == IDA_ERR_FAIL &&
                   CV_CONV_FAILURE == IDA_CONV_FAIL && CV_LSETUP_FAIL == IDA_LSETUP_FAIL &&
                   CV_TOO_MUCH_ACC == IDA_TOO_MUCH_ACC,
               "CVODE and IDA return the same numbers");

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

// Where a force sets in the method starts anew at order 1, and what its many small steps leave out has one sign: of a
// bounce on a plane bdf lost 2e-5 of the energy, each time. At a thirtieth of the tolerances, until that is over, it
// loses 2e-6 in twice as many steps.
double td_multistep_part(const td_multistep *m) {
  static const double part = 0.03;
  return m->t < m->plant->keen ? part : 1;
}

static void tolerances(td_multistep *m) {
  static const double part = 0.1, tight = 1e-6;
  m->rtol = fmax(part * m->spec->rtol, fmin(m->spec->rtol, tight));
  m->atol = m->spec->atol * (m->rtol / m->spec->rtol);
}

static size_t carve(td_multistep *m, size_t size, char *base) {
  td_carver c = {.base = base};
  size_t n = (size_t)m->plant->n, r = (size_t)m->plant->rows, number = sizeof(double);
  m->K = td_carve(&c, n * n, number);
  m->C = td_carve(&c, n * n, number);
  m->M = td_carve(&c, n * n, number);
  m->A = td_carve(&c, r * n, number);
  m->Cq = td_carve(&c, r * n, number);
  m->Cv = td_carve(&c, r * n, number);
  m->full = td_carve(&c, 2 * n, number);
  m->rates = td_carve(&c, 2 * n, number);
  m->b = td_carve(&c, n, number);
  m->ra = td_carve(&c, n, number);
  m->rb = td_carve(&c, n, number);
  m->weights = td_carve(&c, size + 2 * n, number);
  m->errors = td_carve(&c, size + 2 * n, number);
  m->shift = td_carve(&c, size, number);
  m->c = td_carve(&c, r, number);
  return c.used;
}

static bool matrices(td_multistep *m, int size) {
  m->block = calloc(1, carve(m, (size_t)size, NULL));
  if (!m->block || td_saddle_init(&m->saddle, m->plant->free_count, m->bordered ? m->plant->rows : 0)) return false;
  carve(m, (size_t)size, m->block);
  return true;
}

bool td_multistep_init(td_multistep *m, const td_sundials *calls, td_plant *plant, const td_integrator_spec *spec,
                       int size, bool bordered, td_multistep_solve solve, void *owner) {
  assert(size > 0);
  *m = (td_multistep){.calls = calls, .plant = plant, .spec = spec, .bordered = bordered && plant->rows > 0};
  m->watched = plant->model->contact_count > 0 || td_onset_exists(plant->model);
  tolerances(m);
  if (!matrices(m, size) || SUNContext_Create(NULL, &m->context)) return false;
  m->y = td_vector_new(size, m->context);
  m->view = td_vector_new_view(size, m->context);
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
  free(m->block);
  td_saddle_fini(&m->saddle);
}

void td_multistep_start(td_multistep *m, double t, double stop) {
  assert(stop > t);
  m->t = t;
  m->stop = stop;
  m->standing = 0;
  m->last = TD_OK;
  td_projection_metric(&m->plant->projection, NULL);
}

// ------------------------------------------------------------------------------------------------ coordinates

void td_multistep_spread(td_multistep *m, double t, const double *y) {
  assert(y != m->full);
  for (int i = 0; m->shifted && i < 2 * m->plant->free_count; i++) m->weights[i] = y[i] + m->shift[i];
  const double *at = m->shifted ? m->weights : y;
  td_plant_unpack(m->plant, at, m->full);
  td_plant_unpack(m->plant, at + m->plant->free_count, m->full + m->plant->n);
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
    size_t row = (size_t)i * (size_t)n;
    out[i] = td_dot(n, X + row, a);
    if (y != 0) out[i] += y * td_dot(n, Y + row, b);
  }
}

// ------------------------------------------------------------------------------------------------ steps

// False: steps no longer move t.
static bool arrive(td_multistep *m, double reached) {
  m->standing = reached > m->t ? 0 : m->standing + 1;
  if (m->standing > STANDING_LIMIT) return false;
  m->t = reached;
  m->last = TD_OK;
  return true;
}

static const char *reason(const td_multistep *m, int flag) {
  if (m->last == TD_SINGULAR) return td_plant_singular(m->plant);
  if (m->last == TD_NONFINITE) return "the accelerations are not finite";
  if (flag == CV_ERR_FAILURE) return "no step is small enough to meet the tolerances";
  if (flag == CV_CONV_FAILURE || flag == CV_LSETUP_FAIL) return "the Newton iteration fails at the smallest step";
  if (flag == CV_TOO_MUCH_ACC) return "the tolerances are below rounding error";
  if (flag == CV_TOO_CLOSE) return "the segment is too short";
  return m->calls->cannot;
}

// Names the coordinate with the largest of the local errors times their weights, those of q and of qd.
static td_status fail(td_multistep *m, int flag, td_error *err) {
  td_status status = m->last ? m->last : flag == CV_ERR_FAILURE ? TD_STEP_TOO_SMALL : TD_NOT_CONVERGED;
  int f = m->plant->free_count;
  double h = 0, *e = m->errors, *w = m->weights;
  if (m->calls->next_size(m->memory, &h)) h = 0;
  N_VSetArrayPointer(e, m->view);
  bool known = m->calls->local_errors(m->memory, m->view) == 0;
  N_VSetArrayPointer(w, m->view);
  known = m->calls->error_weights(m->memory, m->view) == 0 && known;
  for (int i = 0; i < f; i++) m->b[i] = known ? fmax(fabs(e[i] * w[i]), fabs(e[i + f] * w[i + f])) : 0;
  td_plant_unpack(m->plant, m->b, m->ra);
  const char *why = reason(m, flag);
  char text[TD_MESSAGE_SIZE + 96];
  snprintf(text, sizeof text, "%s (step %.3g s; residual = local error over tolerance)", why, h);
  bool singular = status == TD_SINGULAR; // then no step had an error
  return td_plant_fail(m->plant, status, err, m->calls->method, m->t, m->ra, singular ? why : text);
}

td_status td_multistep_step(td_multistep *m, td_error *err) {
  double reached = m->t, end = fmin(m->stop, m->plant->barrier);
  if (m->watched && m->calls->set_stop(m->memory, end)) return fail(m, CV_TOO_CLOSE, err);
  int flag = m->calls->advance(m, &reached);
  if (flag >= 0 && !arrive(m, flag == CV_TSTOP_RETURN ? end : reached)) flag = CV_ERR_FAILURE;
  return flag < 0 ? fail(m, flag, err) : TD_OK;
}

// m->errors += what the polynomial of the last step adds up to from its end to `behind` s behind that.
static bool go_on(td_multistep *m, double behind) {
  int order = 0;
  double weight = 1;
  if (m->calls->last_order(m->memory, &order)) return false;
  N_VSetArrayPointer(m->weights, m->view);
  for (int k = 1; k <= order; k++) {
    weight *= behind / k;
    if (m->calls->state_at(m->memory, m->t, k, m->view)) return false;
    for (sunindextype i = 0; i < N_VGetLength(m->view); i++) m->errors[i] += weight * m->weights[i];
  }
  return true;
}

td_status td_multistep_interpolate(td_multistep *m, double t, double *y) {
  N_VSetArrayPointer(m->errors, m->view);
  if (m->calls->state_at(m->memory, fmin(t, m->t), 0, m->view) != 0) return TD_INTERNAL;
  if (t > m->t && !go_on(m, t - m->t)) return TD_INTERNAL;
  td_multistep_spread(m, t, m->errors);
  memcpy(y, m->full, 2 * (size_t)m->plant->n * sizeof *y);
  return TD_OK;
}

double td_multistep_ahead(const td_multistep *m) {
  long steps = 0;
  double h = 0;
  return m->calls->steps(m->memory, &steps) || steps == 0 || m->calls->next_size(m->memory, &h) ? 0 : h;
}

void td_multistep_count(const td_multistep *m, td_run_statistics *statistics) {
  long rejected = 0, iterations = 0, failures = 0;
  if (m->calls->rejected(m->memory, &rejected) == 0) statistics->rejected += (uint64_t)rejected;
  if (m->calls->newton(m->memory, &iterations, &failures) == 0) {
    statistics->newton_iterations += (uint64_t)iterations;
    statistics->nonlinear_failures += (uint64_t)failures;
  }
}
