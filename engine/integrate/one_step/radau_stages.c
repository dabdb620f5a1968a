// Radau IIA of three stages and order 5 on the equation of motion itself. Unknown: the accelerations of the stages,
// with
//     q_i = q0 + c_i h v0 + h^2 (A^2 a)_i,   v_i = v0 + h (A a)_i,   tau - ID(q_i, v_i, a_i) + A_loops^T l_i = 0
// (and the loops' accelerations, index 1). Newton's matrix I x M + h A x C + h^2 A^2 x K falls apart with the
// eigenvalues of A, one real and one complex pair: one real and one complex factorisation of M + m h C + m^2 h^2 K,
// size n each, and M is never inverted. The method is L-stable: a mode that the step does not resolve is damped out
// instead of followed.
//
// Error: the embedded formula of order 3, filtered by (I - g J)^-1 so that stiff modes do not count for more than they
// move; in a first step and after a rejection filtered twice, as there a mode far from its equilibrium is no error of
// the step. What modes above `cutoff` count for: sieve.c. Source: Hairer, Wanner, Solving ordinary differential
// equations II, IV.8 (transformation, error, step sizes).
#include "integrate/one_step/radau_stages.h"
#include "base/carve.h"
#include "closure/rechart.h"
#include "math/complex_lu.h"
#include "math/lu.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { S = TD_RADAU_STAGES, NEWTON_LIMIT = 10, CLOSER_LIMIT = 60 };

static const double SLOW = 0.3, ROUNDING = 0.03; // of Newton's iteration; of the tolerance
static const double CLOSER = 1e-3;               // steps taken again, which are to differ by nothing that Newton leaves
static const double HIDDEN = 1e-10;              // of a scaled mass matrix: of its smallest pivot six digits are left

#define ROOT6 2.4494897427831780982
static const double nodes[S] = {(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};
static const double weights[S][S] = {
    {(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225},
    {(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225},
    {(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1. / 9},
};
// columns: eigenvector of the real eigenvalue, real and imaginary part of that of the complex one; its inverse
static const double basis[S][S] = {{9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
                                   {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
                                   {0.96604818261509293619, 1, 0}};
static const double inverse[S][S] = {{4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
                                     {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                                     {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
static const double REAL = 1 / 3.6378342527444957;                                    // eigenvalues of A
static const double ALPHA = 2.6810828736277523, BETA = 3.0504301992474105;            // of A^-1: ALPHA + i BETA
static const double embedded[S] = {-10.048809399827416, 1.3821427331607489, -1. / 3}; // -(13 +- 7 sqrt 6) / 3

static double weights_squared(int i, int j) {
  return weights[i][0] * weights[0][j] + weights[i][1] * weights[1][j] + weights[i][2] * weights[2][j];
}

td_radau_rule td_radau_coefficients(void) {
  td_radau_rule rule = {.real = REAL, .bend = -1 / (REAL * nodes[0] * nodes[1]), .node = {nodes[0], nodes[1], 1}};
  memcpy(rule.weight, weights, sizeof weights);
  memcpy(rule.embedded, embedded, sizeof embedded);
  for (int i = 0; i < S; i++)
    for (int j = 0; j < S; j++) rule.square[i][j] = weights_squared(i, j);
  return rule;
}

// ------------------------------------------------------------------------------------------------ life

void td_radau_fini(td_radau *s) {
  free(s->K);
  free(s->pivot);
  td_saddle_fini(&s->real);
  td_sieve_fini(&s->sieve);
}

// Loops have their own ways with masses.
static bool may_turn(const td_radau *s) { return s->plant->rows == 0 && td_rechart_needed(s->plant->model); }

static bool carve(td_radau *s, size_t most) {
  size_t n = (size_t)s->plant->n, r = (size_t)s->plant->rows, f = (size_t)s->plant->free_count;
  size_t own = may_turn(s) ? 1 : 0;
  td_radau_point *x = s->stage;
  return TD_CARVE({&s->K, n * n}, {&s->C, n * n}, {&s->M, n * n}, {&s->A, r * n}, {&s->Cq, r * n}, {&s->Cv, r * n},
                  {&s->from.y, 2 * n}, {&s->from.a, n}, {&s->from.l, r}, {&x[0].y, 2 * n}, {&x[0].a, n}, {&x[0].l, r},
                  {&x[1].y, 2 * n}, {&x[1].a, n}, {&x[1].l, r}, {&x[2].y, 2 * n}, {&x[2].a, n}, {&x[2].l, r},
                  {&s->r[0], n}, {&s->c[0], r}, {&s->r[1], n}, {&s->c[1], r}, {&s->r[2], n}, {&s->c[2], r},
                  {&s->w1, f + r}, {&s->w2, f + r}, {&s->w3, f + r}, {&s->v1, f + r}, {&s->v2, f + r}, {&s->v3, f + r},
                  {&s->error, 2 * n}, {&s->weight, 2 * n}, {&s->full, 2 * n}, {&s->rate, 2 * n}, {&s->past, 8 * n},
                  {&s->bend, 2 * n}, {&s->open, 2 * n}, {&s->zr, most * most}, {&s->zi, most * most},
                  {&s->stage_M, own * n * n}, {&s->stage_lu, own * f * f});
}

td_status td_radau_init(td_radau *s, td_plant *plant, const td_integrator_spec *spec) {
  size_t r = (size_t)plant->rows, f = (size_t)plant->free_count, most = f + (r < f ? r : f);
  s->plant = plant;
  s->spec = spec;
  s->rtol = fmin(0.1 * pow(spec->rtol, 2. / 3), spec->rtol * 30);
  s->atol = spec->atol * (s->rtol / spec->rtol);
  s->pivot = calloc(most + f + 1, sizeof *s->pivot);
  s->stage_pivot = s->pivot ? s->pivot + most : NULL;
  bool ok = carve(s, most) && s->pivot && !td_sieve_init(&s->sieve, plant, spec->cutoff);
  return ok ? td_saddle_init(&s->real, plant->free_count, plant->rows) : TD_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------------ matrices

static td_plant_state state_of(const td_radau *s, const td_radau_point *x) {
  return (td_plant_state){x->y, x->y + s->plant->n, x->a, x->l};
}

static td_status linearise_at(td_radau *s, double t, const td_radau_point *x) {
  td_plant_state at = state_of(s, x);
  td_constraint_terms out = {.K = s->K, .C = s->C, .M = s->M};
  if (s->plant->rows) out.A = s->A, out.Cq = s->Cq, out.Cv = s->Cv;
  td_status status = td_plant_terms(s->plant, t, &at, &out);
  s->factored = 0;
  s->matrices = s->fresh = !status;
  if (!status) td_sieve_factor(&s->sieve, s->K, s->C, s->M);
  return status;
}

td_status td_radau_linearise(td_radau *s) { return linearise_at(s, s->t, &s->from); }

// Column or row j of the border: s->zr, s->zi at (n + k, j) = scale Pg^T (A + m Cv + m^2 Cq).
static void complex_rows(td_radau *s, double mr, double mi) {
  const td_plant *p = s->plant;
  const td_saddle *x = &s->real;
  int f = p->free_count, size = s->size;
  double sr = mr * mr - mi * mi, si = 2 * mr * mi;
  for (int k = 0; k < x->rank; k++)
    for (int j = 0; j < f; j++) {
      double re = 0, im = 0;
      for (int i = 0; i < p->rows; i++) {
        int at = i * p->n + p->free[j];
        double part = x->scale * x->Pg[i * x->ldp + k];
        re += part * (s->A[at] + mr * s->Cv[at] + sr * s->Cq[at]);
        im += part * (mi * s->Cv[at] + si * s->Cq[at]);
      }
      s->zr[(f + k) * size + j] = re;
      s->zi[(f + k) * size + j] = im;
      s->zr[j * size + f + k] = -x->scale * x->A[k * x->ld + j];
      s->zi[j * size + f + k] = 0;
    }
  for (int k = 0; k < x->rank; k++)
    for (int l = 0; l < x->rank; l++) s->zr[(f + k) * size + f + l] = s->zi[(f + k) * size + f + l] = 0;
}

static bool factor_complex(td_radau *s, double h) {
  const td_plant *p = s->plant;
  double length = ALPHA * ALPHA + BETA * BETA, mr = h * ALPHA / length, mi = -h * BETA / length;
  double sr = mr * mr - mi * mi, si = 2 * mr * mi;
  int f = p->free_count, size = s->size = f + (p->rows ? s->real.rank : 0);
  for (int i = 0; i < f; i++)
    for (int j = 0; j < f; j++) {
      int at = p->free[i] * p->n + p->free[j];
      s->zr[i * size + j] = s->M[at] + mr * s->C[at] + sr * s->K[at];
      s->zi[i * size + j] = mi * s->C[at] + si * s->K[at];
    }
  if (p->rows) complex_rows(s, mr, mi);
  return td_complex_lu_factor(size, s->zr, s->zi, s->pivot);
}

static td_status factor(td_radau *s, double h) {
  td_saddle *x = &s->real;
  double g = s->g = h * REAL;
  td_saddle_square(s->plant, g * g, s->K, g, s->C, 1, s->M, x->S);
  if (s->plant->rows) {
    td_saddle_rows(s->plant, x->ld, 1, s->A, 0, NULL, 0, NULL, x->A);
    td_saddle_rows(s->plant, x->ld, 1, s->A, g, s->Cv, g * g, s->Cq, x->G);
  }
  s->plant->statistics->factorisations += 2;
  s->factored = h;
  return td_saddle_factor(x, s->plant) && factor_complex(s, h) ? TD_OK : TD_SINGULAR;
}

// (x + i y, lx + i ly): the right-hand sides of the complex system become its solution.
static void solve_complex(const td_radau *s, double *x, double *y, double *lx, double *ly) {
  const td_saddle *m = &s->real;
  int f = s->plant->free_count, r = s->plant->rows;
  double *bx = s->error, *by = s->full; // [f + rank], free here
  memcpy(bx, x, (size_t)f * sizeof *x);
  memcpy(by, y, (size_t)f * sizeof *y);
  for (int k = 0; k + f < s->size; k++) {
    bx[f + k] = by[f + k] = 0;
    for (int i = 0; i < r; i++) {
      bx[f + k] += m->scale * m->Pg[i * m->ldp + k] * lx[i];
      by[f + k] += m->scale * m->Pg[i * m->ldp + k] * ly[i];
    }
  }
  td_complex_lu_solve(s->size, s->zr, s->zi, s->pivot, bx, by);
  memcpy(x, bx, (size_t)f * sizeof *x);
  memcpy(y, by, (size_t)f * sizeof *y);
  for (int i = 0; i < r; i++) {
    lx[i] = ly[i] = 0;
    for (int k = 0; k + f < s->size; k++) {
      lx[i] += m->scale * m->Pa[i * m->ldp + k] * bx[f + k];
      ly[i] += m->scale * m->Pa[i * m->ldp + k] * by[f + k];
    }
  }
}

// ------------------------------------------------------------------------------------------------ stages

static double lagrange(double x, int k) {
  static const double at[S + 1] = {0, (4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};
  double value = 1;
  for (int i = 0; i <= S; i++)
    if (i != k) value *= (x - at[i]) / (at[k] - at[i]);
  return value;
}

// The cubic P through start and stages is y less C times the integral of (s - c1) (s - c2) (s - 1) from 0, to fourth
// degree; that is 0 at both ends, and C follows from h y'(0) - P'(0), which is what the error estimate is made of
// (filtered, so that modes far above 1 / h add nothing).
void td_radau_keep(td_radau *s) {
  const td_plant *p = s->plant;
  double scale = -1 / (REAL * nodes[0] * nodes[1]);
  memset(s->bend, 0, 2 * (size_t)p->n * sizeof *s->bend);
  for (int k = 0; k < p->free_count; k++) {
    s->bend[p->free[k]] = scale * s->error[k];
    s->bend[p->n + p->free[k]] = scale * s->error[p->free_count + k];
  }
}

void td_radau_shape(double part, double *of, double *bend) {
  *bend = part * (part * (part * (part / 4 - 0.6) + 0.45) - 0.1);
  for (int k = 0; k <= S; k++) of[k] = lagrange(part, k);
}

void td_radau_at(const td_radau *s, double part, double *y) {
  double l[S + 1], bend;
  td_radau_shape(part, l, &bend);
  for (int i = 0; i < 2 * s->plant->n; i++)
    y[i] = l[0] * s->from.y[i] + l[1] * s->stage[0].y[i] + l[2] * s->stage[1].y[i] + l[3] * s->stage[2].y[i] +
           bend * s->bend[i];
}

// q and qd of the stages from their accelerations; prescribed coordinates where they belong.
static void place(td_radau *s, double h) {
  td_plant *p = s->plant;
  int n = p->n;
  for (int i = 0; i < S; i++) {
    double *y = s->stage[i].y, w[S], x[S];
    for (int j = 0; j < S; j++) w[j] = h * weights[i][j], x[j] = h * h * weights_squared(i, j);
    for (int k = 0; k < n; k++) {
      double a0 = s->stage[0].a[k], a1 = s->stage[1].a[k], a2 = s->stage[2].a[k], v = s->from.y[n + k];
      y[k] = s->from.y[k] + nodes[i] * h * v + x[0] * a0 + x[1] * a1 + x[2] * a2;
      y[n + k] = v + w[0] * a0 + w[1] * a1 + w[2] * a2;
    }
    td_plant_drive(p, s->t + nodes[i] * h, y, s->stage[i].a);
  }
}

// First guess: the rates of the last step go on as they were, a = A^-1 (v - v0) / h. A first step: qdd stays.
static void guess(td_radau *s, double h) {
  int n = s->plant->n;
  double inverse_weights[S][S] = {{0}};
  for (int i = 0; i < S; i++)
    for (int j = 0; j < S; j++)
      inverse_weights[i][j] = basis[i][0] * inverse[0][j] / REAL +
                              basis[i][1] * (ALPHA * inverse[1][j] - BETA * inverse[2][j]) +
                              basis[i][2] * (BETA * inverse[1][j] + ALPHA * inverse[2][j]);
  for (int i = 0; i < S; i++) {
    double *a = s->stage[i].a;
    memcpy(a, s->from.a, (size_t)n * sizeof *a);
    if (s->plant->rows) memcpy(s->stage[i].l, s->from.l, (size_t)s->plant->rows * sizeof *a);
    if (!(s->last_h > 0)) continue;
    memset(a, 0, (size_t)n * sizeof *a);
    for (int j = 0; j < S; j++)
      for (int k = 0; k <= S; k++) {
        double part = inverse_weights[i][j] / h * (lagrange(1 + nodes[j] * h / s->last_h, k) - (k == S ? 1 : 0));
        const double *v = s->past + 2 * n * k + n;
        for (int c = 0; c < n; c++) a[c] += part * v[c];
      }
  }
  place(s, h);
}

td_status td_radau_linearise_ahead(td_radau *s, double h) {
  assert(h > 0);
  guess(s, h);
  return linearise_at(s, s->t + nodes[1] * h, &s->stage[1]);
}

// r = M M_stage^-1 r, on the free coordinates. A rotation vector beside a translation from far away has a mass matrix
// of m p^2 in which the body's inertia is a small difference: another shape's matrix, an angle of h w away, hides it,
// and Newton's iteration with the matrix of the start diverges from p^2 h w > inertia / m on. Accelerations do not know
// of that: by its own matrix each stage's forces are what they accelerate.
static bool by_own_mass(td_radau *s, double *r) {
  const td_plant *p = s->plant;
  int f = p->free_count, n = p->n;
  double *x = s->full; // free here
  for (int i = 0; i < f; i++) {
    x[i] = r[p->free[i]];
    for (int j = 0; j < f; j++) s->stage_lu[i * f + j] = s->stage_M[p->free[i] * n + p->free[j]];
  }
  if (!td_lu_factor(f, s->stage_lu, s->stage_pivot)) return false;
  td_lu_solve(f, s->stage_lu, s->stage_pivot, x);
  for (int i = 0; i < f; i++) {
    r[p->free[i]] = 0;
    for (int j = 0; j < f; j++) r[p->free[i]] += s->M[p->free[i] * n + p->free[j]] * x[j];
  }
  return true;
}

// Farther off rounding hides it in any matrix.
static bool has_inertia(td_radau *s) {
  const td_plant *p = s->plant;
  int f = p->free_count, n = p->n;
  double *D = s->full, least = INFINITY; // free here
  for (int i = 0; i < f; i++) D[i] = sqrt(s->M[p->free[i] * n + p->free[i]]);
  for (int i = 0; i < f; i++)
    for (int j = 0; j < f; j++) s->stage_lu[i * f + j] = s->M[p->free[i] * n + p->free[j]] / (D[i] * D[j]);
  if (!td_lu_factor(f, s->stage_lu, s->stage_pivot)) return false;
  for (int i = 0; i < f; i++) least = fmin(least, fabs(s->stage_lu[i * f + i]));
  return least > HIDDEN;
}

bool td_radau_turn_to_own_mass(td_radau *s) {
  bool turned = !s->own_mass && !s->own_mass_fails && may_turn(s) && has_inertia(s);
  s->own_mass = s->own_mass || turned;
  return turned;
}

void td_radau_leave_own_mass(td_radau *s) {
  assert(s->own_mass);
  s->own_mass = false;
  s->own_mass_fails = true;
}

static td_status residuals(td_radau *s, double h) {
  for (int i = 0; i < S; i++) {
    td_plant_state at = state_of(s, &s->stage[i]);
    td_constraint_terms out = {.residual = s->r[i], .a = s->plant->rows ? s->c[i] : NULL};
    if (s->own_mass) out.M = s->stage_M;
    td_status status = td_plant_terms(s->plant, s->t + nodes[i] * h, &at, &out);
    if (s->own_mass) s->plant->statistics->jacobians--, s->plant->statistics->evaluations++; // which it is
    if (status) return status;
    if (s->own_mass && !by_own_mass(s, s->r[i])) return TD_NOT_CONVERGED;
  }
  return TD_OK;
}

// x = row k of the inverse basis times residuals
static void transform(const td_radau *s, int k, double *x, double *l) {
  const td_plant *p = s->plant;
  const double *w = inverse[k];
  for (int j = 0; j < p->free_count; j++) {
    int i = p->free[j];
    x[j] = w[0] * s->r[0][i] + w[1] * s->r[1][i] + w[2] * s->r[2][i];
  }
  for (int i = 0; i < p->rows; i++) l[i] = -(w[0] * s->c[0][i] + w[1] * s->c[1][i] + w[2] * s->c[2][i]);
}

// Adds the corrections; their size in units of the weights.
static double correct(td_radau *s, double h) {
  const td_plant *p = s->plant;
  double sum = 0;
  for (int j = 0; j < p->free_count; j++) {
    double d[S];
    for (int i = 0; i < S; i++) {
      d[i] = basis[i][0] * s->w1[j] + basis[i][1] * s->w2[j] + basis[i][2] * s->w3[j];
      s->stage[i].a[p->free[j]] += d[i];
    }
    for (int i = 0; i < S; i++) {
      double v = 0, q = 0;
      for (int k = 0; k < S; k++) v += h * weights[i][k] * d[k], q += h * h * weights_squared(i, k) * d[k];
      q /= s->weight[j];
      v /= s->weight[p->free_count + j];
      sum += q * q + v * v;
    }
  }
  for (int i = 0; i < S; i++)
    for (int k = 0; k < p->rows; k++)
      s->stage[i].l[k] += basis[i][0] * s->v1[k] + basis[i][1] * s->v2[k] + basis[i][2] * s->v3[k];
  place(s, h);
  return p->free_count ? sqrt(sum / (2 * S * p->free_count)) : 0;
}

// What a step may err by; rates carry rounding errors of q divided by h besides.
static void weigh(td_radau *s, double h) {
  const td_plant *p = s->plant;
  int f = p->free_count;
  for (int k = 0; k < f; k++) {
    double q = fabs(s->from.y[p->free[k]]), v = fabs(s->from.y[p->n + p->free[k]]);
    s->weight[k] = s->atol + s->rtol * q;
    s->weight[f + k] = s->atol + s->rtol * v + 1e3 * DBL_EPSILON * (q + h * v) / h;
  }
}

td_status td_radau_solve(td_radau *s, double h) {
  assert(h > 0 && s->matrices);
  td_status status = s->factored == h ? TD_OK : factor(s, h);
  if (status) return status;
  weigh(s, h);
  guess(s, h);
  bool to_rounding = s->plant->given;
  double least = 10 * DBL_EPSILON / s->rtol, tolerance = fmax(least, to_rounding ? 0 : fmin(0.03, sqrt(s->rtol)));
  double stalled = ROUNDING * (to_rounding ? CLOSER : 1), before = 0, rate = 0;
  int limit = to_rounding ? CLOSER_LIMIT : NEWTON_LIMIT;
  double eta = pow(fmax(s->eta, DBL_EPSILON), 0.8);
  s->theta = 1e-3;
  for (s->newton = 1; s->newton <= limit; s->newton++) {
    status = residuals(s, h);
    if (status) return status;
    s->plant->statistics->newton_iterations++;
    transform(s, 0, s->w1, s->v1);
    transform(s, 1, s->w2, s->v2);
    transform(s, 2, s->w3, s->v3);
    td_saddle_solve(&s->real, s->w1, s->v1);
    solve_complex(s, s->w2, s->w3, s->v2, s->v3);
    double size = correct(s, h);
    if (!isfinite(size)) return TD_NOT_CONVERGED;
    if (s->newton > 1) {
      double now = size / before;
      s->theta = s->newton == 2 ? now : sqrt(now * rate);
      rate = now;
      if (s->theta > SLOW && size < stalled) return TD_OK; // rounding errors do not shrink any more
      // a first correction may stir up, at second order, coordinates of little inertia as much as it corrects: no
      // verdict yet
      bool early = s->fresh && s->newton == 2 && now < 2;
      if (early) s->theta = fmin(s->theta, 0.5);
      if (s->theta >= 0.99) return to_rounding && size < ROUNDING ? TD_OK : TD_NOT_CONVERGED;
      eta = s->theta / (1 - s->theta);
      double ahead = eta * size * pow(s->theta, limit - 1 - s->newton);
      if (!early && !to_rounding && ahead > 10 * tolerance) return TD_NOT_CONVERGED;
    }
    before = fmax(size, DBL_EPSILON);
    if (eta * size <= tolerance) return s->eta = eta, TD_OK;
  }
  return to_rounding && before < ROUNDING ? TD_OK : TD_NOT_CONVERGED;
}

// ------------------------------------------------------------------------------------------------ error

// s->error = (I - g J)^-1 g (f + sum of embedded z / h), f = s->rate the rates at the start; both in full length.
static void filtered(td_radau *s) {
  td_plant *p = s->plant;
  int n = p->n, f = p->free_count;
  double *x = s->full, *b = s->w1, *c = s->v1, g = s->g; // x: right-hand sides of q and qd, in full length
  for (int i = 0; i < 2 * n; i++) {
    x[i] = g * s->rate[i];
    for (int k = 0; k < S; k++) x[i] += REAL * embedded[k] * (s->stage[k].y[i] - s->from.y[i]);
  }
  for (int i = 0; i < p->driven_count; i++) {
    int k = td_model_prescribed_coordinate(p->model, i, NULL);
    x[k] = x[n + k] = 0;
  }
  for (int k = 0; k < f; k++) {
    const double *Mk = s->M + p->free[k] * n, *Kk = s->K + p->free[k] * n;
    b[k] = 0;
    for (int j = 0; j < n; j++) b[k] += Mk[j] * x[n + j] - g * Kk[j] * x[j];
  }
  for (int i = 0; i < p->rows; i++) {
    c[i] = 0;
    for (int j = 0; j < n; j++) c[i] += s->A[i * n + j] * x[n + j] - g * s->Cq[i * n + j] * x[j];
  }
  td_saddle_solve(&s->real, b, c);
  for (int k = 0; k < f; k++) {
    s->error[k] = x[p->free[k]] + g * b[k];
    s->error[f + k] = b[k];
  }
}

static double measure(td_radau *s) {
  int f = s->plant->free_count;
  double sum = 0;
  memcpy(s->full, s->error, 2 * (size_t)f * sizeof *s->full);
  td_sieve_apply(&s->sieve, s->full);
  td_sieve_apply(&s->sieve, s->full + f);
  for (int k = 0; k < 2 * f; k++) sum += s->full[k] / s->weight[k] * (s->full[k] / s->weight[k]);
  return f ? fmax(sqrt(sum / (2 * f)), 1e-10) : 1e-10;
}

double td_radau_error(td_radau *s) {
  td_plant *p = s->plant;
  int n = p->n, f = p->free_count;
  memcpy(s->rate, s->from.y + n, (size_t)n * sizeof *s->rate);
  memcpy(s->rate + n, s->from.a, (size_t)n * sizeof *s->rate);
  s->twice = false;
  filtered(s);
  double error = measure(s);
  if (error < 1 || !(s->first || s->rejected)) return error;
  memcpy(s->full, s->from.y, 2 * (size_t)n * sizeof *s->full);
  for (int k = 0; k < f; k++) {
    s->full[p->free[k]] += s->error[k];
    s->full[n + p->free[k]] += s->error[f + k];
  }
  if (td_plant_rate(p, s->t, s->full, s->rate)) return error;
  s->twice = true;
  filtered(s);
  return measure(s);
}

// On y' = i w y, x = w h: stages Y = (I - z A)^-1 y0, z = i x; the step is R = Y_3, its error c = (1 - g z)^-1 g (z +
// sum of embedded (Y - 1)), g = REAL.
double td_radau_loss(double x) {
  double zr[S * S], zi[S * S], re[S] = {1, 1, 1}, im[S] = {0};
  int pivot[S];
  for (int i = 0; i < S; i++)
    for (int j = 0; j < S; j++) zr[i * S + j] = i == j, zi[i * S + j] = -x * weights[i][j];
  if (!td_complex_lu_factor(S, zr, zi, pivot)) return 0;
  td_complex_lu_solve(S, zr, zi, pivot, re, im);
  double cr = 0, ci = x;
  for (int i = 0; i < S; i++) cr += embedded[i] * (re[i] - 1), ci += embedded[i] * im[i];
  double kept = re[S - 1] * re[S - 1] + im[S - 1] * im[S - 1];
  double error = REAL * REAL * (cr * cr + ci * ci) / (1 + REAL * REAL * x * x);
  return error > 0 ? fmax(0, 1 - kept) / error : 0;
}
