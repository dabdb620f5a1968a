// The nonlinear problem of a step. Unknown: q at its end (qd, qdd follow affinely) and the multipliers of loops.
//     tau - ID(q, qd, qdd) + A^T l = 0  on free coordinates,      e(q) = 0 (index 3) or a(q, qd, qdd) = 0 (index 1),
// a = A qdd + Ad qd + (2/T) A qd + e / T^2. Newton, with v, b the slopes of qd and qdd, everything divided by b so that
// small steps leave the inertia (Mathew2025 (45), (52), completed):
//     [M + v/b C + K/b, -A^T; G, 0] (dq, dl/b) = (r/b, -e)             index 3
//     [ same,           -A^T; A + v/b Cv + Cq/b, 0]    = (r/b, -a/b)   index 1
// Prescribed coordinates are not among the unknowns: the predictor sets their values, rates and accelerations. The
// matrix is kept over steps while Newton converges fast (a new step size only combines and factors anew); when it does
// not, full Newton damped by the natural monotonicity test (Deuflhard): a trial is accepted when the next simplified
// correction is smaller. Converged when the estimated error of q is below tolerance (1 + |q|), or when corrections
// stall at rounding level.
#include "integrate/one_step/implicit_newton.h"
#include "model/model.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { SIMPLIFIED_LIMIT = TD_MOST_SECANTS, CLOSER_LIMIT = 60, FULL_LIMIT = 30, DAMPINGS = 8 };
static const double ROUNDING = 1e-9, STALL = 1e3, SLOW = 0.15, GROWS = 2, DIVERGES = 0.9,
                    CLOSER = 1e-4; // steps taken again, which are to differ by nothing that Newton leaves
static const double ABOVE_ROUNDING = 10, ABOVE_SADDLE = 1e3; // of the tolerance: what stalls there has an old matrix

void td_point_copy(const td_implicit *s, const td_point *from, td_point *to) {
  assert(from != to);
  size_t n = (size_t)s->plant->n, r = (size_t)s->plant->rows;
  memcpy(to->y, from->y, 2 * n * sizeof *to->y);
  memcpy(to->a, from->a, n * sizeof *to->a);
  memcpy(to->b, from->b, n * sizeof *to->b);
  if (r) memcpy(to->l, from->l, r * sizeof *to->l);
}

// The algorithmic acceleration stands for a time a fixed part of a step away from the state: its distance to qdd
// follows the step size.
static const double *shifted_acceleration(td_implicit *s, double h) {
  double ratio = s->b_h > 0 ? fmin(h / s->b_h, 4) : 1;
  if (ratio == 1) return s->before.b;
  for (int i = 0; i < s->plant->n; i++) s->shifted[i] = s->before.a[i] + ratio * (s->before.b[i] - s->before.a[i]);
  return s->shifted;
}

void td_implicit_predict(td_implicit *s, double t, double h) {
  td_point from = s->before;
  from.b = (double *)shifted_acceleration(s, h);
  s->slopes = s->predictor(s->method, s->spec, s->plant->n, h, &from, &s->now);
  td_plant_drive(s->plant, t, s->now.y, s->now.a);
  if (s->plant->rows) memcpy(s->now.l, s->before.l, (size_t)s->plant->rows * sizeof *s->now.l);
}

// Size of a correction relative to the coordinates it corrects.
static double size_of(const td_implicit *s, const double *dq, const double *q) {
  double size = 0;
  for (int k = 0; k < s->plant->free_count; k++) {
    double x = fabs(dq[k]) / (1 + fabs(q[s->plant->free[k]]));
    if (!(x <= size)) size = x; // keeps NaN
  }
  return size;
}

// ------------------------------------------------------------------------------------------------ matrices

static td_status factor(td_implicit *s) {
  const td_plant *p = s->plant;
  td_saddle *m = &s->saddle;
  double v = s->slopes.v / s->slopes.a, k = 1 / s->slopes.a;
  td_saddle_square(p, k, s->K, v, s->C, 1, s->M, m->S);
  if (p->rows) td_saddle_rows(p, m->ld, 1, s->A, 0, NULL, 0, NULL, m->A);
  if (p->rows && s->index3) td_saddle_rows(p, m->ld, 1, s->G, 0, NULL, 0, NULL, m->G);
  if (p->rows && !s->index3) td_saddle_rows(p, m->ld, 1, s->A, v, s->Cv, k, s->Cq, m->G);
  s->factored = s->slopes;
  p->statistics->factorisations++;
  return td_saddle_factor(m, p) ? TD_OK : TD_SINGULAR;
}

static td_plant_state state_of(const td_implicit *s, const td_point *x) {
  return (td_plant_state){x->y, x->y + s->plant->n, x->a, x->l};
}

static td_status renew(td_implicit *s, double t, const td_point *x) {
  td_plant_state at = state_of(s, x);
  td_constraint_terms out = {.K = s->K, .C = s->C, .M = s->M};
  if (s->plant->rows) out.A = s->A;
  if (s->plant->rows && s->index3) out.G = s->G;
  if (s->plant->rows && !s->index3) out.Cq = s->Cq, out.Cv = s->Cv;
  td_status status = td_plant_terms(s->plant, t, &at, &out);
  s->matrices = !status;
  s->refresh = false;
  if (!status) td_sieve_factor(&s->sieve, s->K, s->C, s->M);
  return status ? status : factor(s);
}

static bool factors_fit(const td_implicit *s) { return s->slopes.v == s->factored.v && s->slopes.a == s->factored.a; }

// ------------------------------------------------------------------------------------------------ corrections

// to = from moved by scale dq along the method's relations
static void move(const td_implicit *s, double scale, const double *dq, const double *dl, const td_point *from,
                 td_point *to) {
  const td_plant *p = s->plant;
  if (to != from) td_point_copy(s, from, to);
  for (int k = 0; k < p->free_count; k++) {
    int i = p->free[k];
    double d = scale * dq[k];
    to->y[i] = from->y[i] + d;
    to->y[p->n + i] = from->y[p->n + i] + s->slopes.v * d;
    to->a[i] = from->a[i] + s->slopes.a * d;
    to->b[i] = from->b[i] + s->slopes.b * d;
  }
  for (int i = 0; i < p->rows; i++) to->l[i] = from->l[i] + scale * dl[i];
}

static td_status residuals(td_implicit *s, double t, const td_point *x) {
  td_plant_state at = state_of(s, x);
  td_constraint_terms out = {.residual = s->r};
  if (s->plant->rows && s->index3) out.e = s->e;
  if (s->plant->rows && !s->index3) out.a = s->e;
  return td_plant_terms(s->plant, t, &at, &out);
}

// (dq, dl) = the correction at x by the factors at hand; the residuals themselves stay in s->r, s->e
static td_status correction(td_implicit *s, double t, const td_point *x, double *dq, double *dl) {
  td_status status = residuals(s, t, x);
  if (status) return status;
  double scale = 1 / s->slopes.a;
  for (int k = 0; k < s->plant->free_count; k++) dq[k] = scale * s->r[s->plant->free[k]];
  for (int i = 0; i < s->plant->rows; i++) dl[i] = s->index3 ? -s->e[i] : -scale * s->e[i];
  td_saddle_solve(&s->saddle, dq, dl);
  for (int i = 0; i < s->plant->rows; i++) s->idle[i] = x->l[i];
  td_saddle_idle(&s->saddle, s->idle); // of dependent rows the smallest multipliers are meant
  for (int i = 0; i < s->plant->rows; i++) dl[i] = dl[i] * s->slopes.a - s->idle[i];
  return TD_OK;
}

// Equal steps of robots that touch or are controlled: what is left in qd stays below 2e-12, so that differences of runs are
// those of converged ones (1e-12 of q left 5e-6 in derivatives of a sliding block at h = 1e-3, and three quarters of the
// iterations). Of others 1e-9, which is as far as errors of small steps may add up.
double td_implicit_tolerance(const td_implicit *s) {
  static const double NEARER = 2e-12, IN_RATES = 1e-9, LEAST = 1e-15;
  bool nearer = s->plant->model->contact_count > 0 || s->plant->control;
  if (!s->spec->adaptive) return fmin(s->tolerance, fmax((nearer ? NEARER : IN_RATES) / s->slopes.v, LEAST));
  return fmin(s->tolerance, fmax(1e-2 * s->spec->atol / s->slopes.v, 1e-14));
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// Broyden's correction from the simplified one in s->dq: B_i^-1 = prod (1 + s_{j+1} s_j^T / s_j^T s_j) B_0^-1 over the
// corrections s_j since `first`, of which it becomes number i. Where it would be far from the simplified one, that is
// taken, and the sequence begins anew. Source: Kelley, Iterative Methods for Linear and Nonlinear Equations, 7.3.
static void follow_secants(td_implicit *s, int i, int *first) {
  static const double FAR = 0.5;
  int n = s->plant->free_count;
  double *own = s->secants + i * n;
  memcpy(own, s->dq, (size_t)n * sizeof *own);
  for (int j = *first; j + 1 < i; j++) {
    const double *from = s->secants + j * n, *to = from + n;
    double part = dot(n, from, s->dq) / dot(n, from, from);
    for (int k = 0; k < n; k++) s->dq[k] += part * to[k];
  }
  double ahead = i > *first ? dot(n, own - n, s->dq) / dot(n, own - n, own - n) : 0;
  if (!(fabs(ahead) < FAR)) {
    memcpy(s->dq, own, (size_t)n * sizeof *own);
    *first = i;
    return;
  }
  for (int k = 0; k < n; k++) own[k] = s->dq[k] /= 1 - ahead;
}

// Newton with the matrix at hand. An old one lets the two halves of a saddle point answer each other's errors in turn:
// corrections then shrink over two iterations, and the second may well be larger than the first. So the rate is that
// over two of them, and only growth is a reason to give up before. (By one alone the fin-ray's adaptive steps took 1765
// matrices instead of 64.)
// What stalls above rounding stalls by its old matrix: steps that end so far from their solution add up (equal steps of
// 1e-4 s were 2e-5 off, those of 1e-3 s nearer), so that the next step has a new one.
static td_status simplified_newton(td_implicit *s, double t) {
  double before[2] = {0}, rate = 0.5; // pessimistic until two corrections are known
  bool to_rounding = s->plant->given, secant = s->secant && s->plant->rows == 0;
  double tolerance = td_implicit_tolerance(s) * (to_rounding ? CLOSER : 1);
  double stall = fmin(ROUNDING, STALL * (to_rounding || s->spec->adaptive ? tolerance : s->tolerance));
  double above = s->plant->rows ? ABOVE_SADDLE : ABOVE_ROUNDING;
  int limit = to_rounding && !secant ? CLOSER_LIMIT : SIMPLIFIED_LIMIT;
  for (int i = 0, first = 0; i < limit; i++) {
    td_status status = correction(s, t, &s->now, s->dq, s->dl);
    if (status) return status;
    if (secant) follow_secants(s, i, &first);
    s->plant->statistics->newton_iterations++;
    double size = size_of(s, s->dq, s->now.y);
    if (i > 0) rate = size / before[0];
    if (i > 1) rate = fmax(sqrt(size / before[1]), fmin(rate, DIVERGES));
    bool stalled = i > 0 && rate > 0.5 && size < stall;
    bool diverges = i > 0 && rate > (i > 1 ? DIVERGES : GROWS);
    if (!isfinite(size) || (diverges && !stalled)) return TD_NOT_CONVERGED;
    move(s, 1, s->dq, s->dl, &s->now, &s->now);
    if (stalled || (rate < 1 && size * rate / (1 - rate) <= tolerance)) {
      s->refresh = stalled ? size > above * tolerance : i > 1 && rate > SLOW;
      return TD_OK;
    }
    before[1] = before[0];
    before[0] = size;
  }
  return TD_NOT_CONVERGED;
}

// The longest damped step whose next simplified correction is smaller; the trial replaces the state.
static td_status damped_move(td_implicit *s, double t, double size) {
  double scale = 1;
  for (int i = 0; i < DAMPINGS; i++, scale /= 2) {
    move(s, scale, s->dq, s->dl, &s->now, &s->trial);
    td_status status = correction(s, t, &s->trial, s->bar, s->lbar);
    double next = status ? INFINITY : size_of(s, s->bar, s->trial.y);
    if (!(next <= (1 - scale / 4) * size) && !(size < ROUNDING && next < ROUNDING)) continue;
    td_point_copy(s, &s->trial, &s->now);
    return TD_OK;
  }
  return TD_NOT_CONVERGED;
}

static td_status full_newton(td_implicit *s, double t) {
  for (int i = 0; i < FULL_LIMIT; i++) {
    td_status status = renew(s, t, &s->now);
    if (!status) status = correction(s, t, &s->now, s->dq, s->dl);
    if (status) return status;
    s->plant->statistics->newton_iterations++;
    double size = size_of(s, s->dq, s->now.y);
    if (!isfinite(size)) return TD_NOT_CONVERGED;
    status = damped_move(s, t, size);
    if (status) return status;
    if (size <= 1e-8) return TD_OK; // quadratic: the error left is its square
  }
  return TD_NOT_CONVERGED;
}

td_status td_implicit_solve(td_implicit *s, double t, double h) {
  assert(h > 0);
  td_implicit_predict(s, t, h);
  td_status status = TD_OK;
  if (!s->matrices || s->refresh || td_plant_has_turned(s->plant, s->now.y))
    status = renew(s, t, &s->now);
  else if (!factors_fit(s))
    status = factor(s);
  if (!status) status = simplified_newton(s, t);
  if (!status) return TD_OK;
  td_implicit_predict(s, t, h);
  return full_newton(s, t);
}

// Full Newton from q0 + h rate, rate [n].
static td_status solve_from(td_implicit *s, double t, double h, const double *rate) {
  const td_plant *p = s->plant;
  td_implicit_predict(s, t, h);
  for (int k = 0; k < p->free_count; k++) {
    int i = p->free[k];
    s->dq[k] = s->before.y[i] + h * rate[i] - s->now.y[i];
  }
  if (p->rows) memset(s->dl, 0, (size_t)p->rows * sizeof *s->dl);
  move(s, 1, s->dq, s->dl, &s->now, &s->now);
  return full_newton(s, t);
}

// From a step 2^halvings shorter on, each twice as long as the one before and begun with its mean rate.
td_status td_implicit_solve_gently(td_implicit *s, double t, double h, int halvings) {
  size_t n = (size_t)s->plant->n;
  double *rate = s->dy1;
  memcpy(rate, s->before.y + n, n * sizeof *rate);
  for (int k = halvings; k >= 0; k--) {
    double part = ldexp(h, -k);
    td_status status = solve_from(s, t, part, rate);
    if (status) return status;
    for (size_t i = 0; i < n; i++) rate[i] = (s->now.y[i] - s->before.y[i]) / part;
  }
  return TD_OK;
}
