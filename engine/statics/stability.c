// Stability of an equilibrium.
//
// Where K is symmetric on the motions that loops allow, forces have a potential, and the equilibrium is stable when K
// is positive definite there, unless motions are fed by their own velocities: a current may do so (Den Hartog's
// galloping: the symmetric part of C has a negative direction; where it has none, Kelvin, Tait and Chetaev hold). Then,
// and where there is no potential (forces that follow a body, moments), stiffness says nothing: M x'' + C x' + K x = 0
// is solved for x = v exp(lambda t). Without damping the lambda^2 must be real and negative: complex pairs are flutter
// (Beck 1952, Ziegler 1952), positive ones divergence. With damping, that of the robot and no other, no lambda may have
// a positive real part; a little damping may well destabilise (Ziegler), which then is said. Motions that loops take up
// get eigenvalues of their own, stable ones, by td_statics_confine.
#include "base/carve.h"
#include "math/cholesky.h"
#include "math/lapack.h"
#include "math/product.h"
#include "model/model.h"
#include "statics/statics.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CERTAIN_TRIALS = 12 };

// Rounding: of lambda^2 against itself and against the largest; of real parts.
static const double RELATIVE = 1e-6, ABSOLUTE = 1e-12, SHARP = 1e-10, ROUNDING = 1e-15;
static const double FEEDS = 1e-9; // of the damping of the coordinates themselves: less is rounding

// H = D^-1/2 K_sym D^-1/2, D the diagonal of M
static void scale_stiffness(td_statics *s) {
  int d = s->d;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double k = 0.5 * (s->K[i * d + j] + s->K[j * d + i]);
      s->H[i * d + j] = k / sqrt(s->M[i * d + i] * s->M[j * d + j]);
    }
}

// The loops' rows in the scaled coordinates: D is their metric.
static td_status scaled_rows(td_statics *s) {
  int d = s->d;
  memset(s->H, 0, (size_t)(d * d) * sizeof *s->H);
  for (int i = 0; i < d; i++) s->H[i * d + i] = s->M[i * d + i];
  td_projection_metric(&s->loops, s->H);
  td_status status = td_loop_multipliers(&s->loops, s->q, s->force, s->held);
  td_projection_metric(&s->loops, NULL);
  return status;
}

static td_status symmetric_part(td_statics *s, double *smallest) {
  if (s->loops.rows) {
    td_status status = scaled_rows(s);
    if (status) return status;
  }
  scale_stiffness(s);
  td_statics_confine(s, s->H);
  int d = s->d, lwork = 4 * s->n, info = 0;
  dsyev_("N", "L", &d, s->H, &d, s->trial_r, s->part, &lwork, &info);
  if (s->d > s->loops.rank) *smallest = s->trial_r[0];
  s->neutral = ABSOLUTE * fmax(fabs(s->trial_r[0]), fabs(s->trial_r[d - 1]));
  return info == 0 ? TD_OK : TD_NONFINITE;
}

// ------------------------------------------------------------------------------------------------ without a potential

typedef struct motion {
  int d, ld;
  double *K, *C;                       // [d][ld] U^-T K U^-1, U^-T C U^-1 with M = U^T U, transposed
  double *A, *real, *imaginary, *work; // of dgeev: [2 d][2 d], [2 d], [2 d], [8 d]
} motion;

static bool motion_init(motion *m, int d, int ld) {
  size_t n = (size_t)d;
  *m = (motion){.d = d, .ld = ld};
  return TD_CARVE({&m->K, n * (size_t)ld}, {&m->C, n * (size_t)ld}, {&m->A, 4 * n * n}, {&m->real, 2 * n},
                  {&m->imaginary, 2 * n}, {&m->work, 8 * n});
}

// out = (U^-T H U^-1)^T
static void reduce(const td_statics *s, double *out) {
  int d = s->d, ld = s->ld;
  memset(out, 0, (size_t)d * (size_t)ld * sizeof *out);
  for (int i = 0; i < d; i++) memcpy(out + i * ld, s->H + i * d, (size_t)d * sizeof *out);
  td_spd_forward_many(d, ld, s->U, d, ld, out);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < i; j++) {
      double x = out[i * ld + j];
      out[i * ld + j] = out[j * ld + i];
      out[j * ld + i] = x;
    }
  td_spd_forward_many(d, ld, s->U, d, ld, out);
}

// M, K and C (s->faded) become I, K and C of m.
static td_status reduce_motion(td_statics *s, motion *m) {
  size_t bytes = (size_t)s->d * (size_t)s->d * sizeof *s->H;
  memcpy(s->H, s->M, bytes);
  td_statics_confine(s, s->H);
  td_status status = td_spd_factor(s->d, s->d, s->H, s->ld, s->U);
  if (status) return status;
  memcpy(s->H, s->K, bytes);
  td_statics_confine(s, s->H);
  reduce(s, m->K);
  td_statics_gather(s, s->faded, s->H);
  if (td_statics_largest(s->d * s->d, s->H) > 0) td_statics_confine(s, s->H); // else no damping at all
  reduce(s, m->C);
  return TD_OK;
}

static bool eigenvalues(motion *m, int n) {
  int one = 1, lwork = 8 * m->d, info = 0;
  dgeev_("N", "N", &n, m->A, &n, m->real, m->imaginary, NULL, &one, NULL, &one, m->work, &lwork, &info);
  return info == 0;
}

static double most(int n, const double *x) { return td_statics_largest(n, x); }

// lambda^2 of M x'' + K x = 0: the growth sqrt(lambda^2) of each.
static bool undamped(motion *m, td_statics_result *result) {
  int d = m->d;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) m->A[i * d + j] = -m->K[i * m->ld + j];
  if (!eigenvalues(m, d)) return false;
  double scale = fmax(most(d, m->real), most(d, m->imaginary));
  for (int i = 0; i < d; i++) {
    double x = m->real[i], y = fabs(m->imaginary[i]), size = hypot(x, y), rounding = RELATIVE * size + ABSOLUTE * scale;
    if (x <= rounding && y <= rounding) continue;
    double growth = sqrt(0.5 * (size + x)); // real part of the root
    if (growth <= result->growth_rate) continue;
    result->growth_rate = growth;
    result->growth_frequency = y <= rounding ? 0 : sqrt(0.5 * (size - x));
  }
  return true;
}

// lambda of the first-order form, in units of the fastest oscillation.
static bool damped(motion *m, td_statics_result *result) {
  int d = m->d, n = 2 * d;
  double unit = sqrt(most(d * m->ld, m->K));
  if (!(unit > 0)) unit = 1;
  memset(m->A, 0, 4 * (size_t)d * (size_t)d * sizeof *m->A);
  for (int i = 0; i < d; i++) {
    m->A[i * n + d + i] = 1;
    for (int j = 0; j < d; j++) {
      m->A[(d + i) * n + j] = -m->K[j * m->ld + i] / (unit * unit);
      m->A[(d + i) * n + d + j] = -m->C[j * m->ld + i] / unit;
    }
  }
  if (!eigenvalues(m, n)) return false;
  result->growth_rate = -INFINITY;
  for (int i = 0; i < n; i++) {
    double size = hypot(m->real[i], m->imaginary[i]), x = m->real[i];
    if (fabs(x) <= SHARP * size + ROUNDING / fmax(size, SHARP)) x = 0; // lambda^2 is known to ROUNDING unit^2
    if (unit * x <= result->growth_rate) continue;
    result->growth_rate = unit * x;
    result->growth_frequency = unit * fabs(m->imaginary[i]);
  }
  return true;
}

// A Lyapunov function that proves stability without eigenvalues: with M = I, K = S + N, N skew, C symmetric and a > 0,
//     V = x'^T x' / 2 + x^T (S + a C) x / 2 + a x^T x',      dV/dt = -x'^T (C - a) x' - a x^T S x - x'^T N x
// falls everywhere where S and C - a - N S^-1 N^T / (4 a) are positive definite.
static bool certain(td_statics *s, motion *m) {
  int d = m->d, ld = m->ld;
  double *S = m->A, *Y = S + d * ld, *W = Y + d * ld, skew = 0;
  if (4 * d < 3 * ld) return false; // the room of A is [2 d][2 d]
  memset(S, 0, 3 * (size_t)d * (size_t)ld * sizeof *S);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      S[i * ld + j] = 0.5 * (m->K[i * ld + j] + m->K[j * ld + i]);
      Y[i * ld + j] = 0.5 * (m->K[i * ld + j] - m->K[j * ld + i]);
      skew = fmax(skew, fabs(m->C[i * ld + j] - m->C[j * ld + i]));
    }
  if (skew > 1e-9 * most(d * ld, m->C) || td_spd_factor(d, ld, S, ld, s->U)) return false;
  td_spd_forward_many(d, ld, s->U, d, ld, Y);
  td_multiply_add(d, d, d, 1, Y, 1, ld, Y, ld, W, ld); // Y^T Y = N^T S^-1 N
  double a = 0;
  for (int i = 0; i < d; i++) a = fmax(a, 0.5 * sqrt(W[i * ld + i]));
  for (int k = 0; k < CERTAIN_TRIALS; k++, a *= 0.6) {
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < d; j++) S[i * ld + j] = m->C[i * ld + j] - W[i * ld + j] / (4 * a);
      S[i * ld + i] -= a;
    }
    if (td_spd_factor(d, ld, S, ld, s->U) == TD_OK) return true;
  }
  return false;
}

// Whether C (s->faded) gives energy to a motion that loops allow: its symmetric part, scaled to a diagonal of 1, is not
// positive semidefinite, or that cannot be told. Overwrites H and U.
static bool feeds(td_statics *s) {
  int d = s->d, ld = s->ld;
  td_statics_gather(s, s->faded, s->H);
  if (!(td_statics_largest(d * d, s->H) > 0)) return false;
  td_statics_confine(s, s->H);
  double *S = calloc((size_t)d * (size_t)ld, sizeof *S);
  bool sure = S != NULL;
  for (int i = 0; i < d && sure; i++)
    for (int j = 0; j <= i && sure; j++) {
      double c = 0.5 * (s->H[i * d + j] + s->H[j * d + i]), size = sqrt(s->H[i * d + i] * s->H[j * d + j]);
      sure = s->H[i * d + i] >= 0 && (size > 0 || c == 0);
      S[i * ld + j] = S[j * ld + i] = (size > 0 ? c / size : 0) + (i == j ? FEEDS : 0);
    }
  sure = sure && td_spd_factor(d, ld, S, ld, s->U) == TD_OK;
  free(S);
  return !sure;
}

static td_status judge_motion(td_statics *s, td_statics_result *result) {
  motion m;
  if (!motion_init(&m, s->d, s->ld)) return TD_NO_MEMORY;
  td_status status = reduce_motion(s, &m);
  bool damping = !status && most(s->d * s->ld, m.C) > 0;
  result->stable = damping && !result->fed && certain(s, &m);
  if (!status && !result->stable) {
    result->growth_rate = result->growth_frequency = 0;
    if (!(damping ? damped(&m, result) : undamped(&m, result))) status = TD_NONFINITE;
    result->stable = !status && result->growth_rate <= 0;
  }
  free(m.K);
  return status;
}

// M, and where it is asked for C in s->faded.
static td_status inertia_and_damping(td_statics *s, bool damping) {
  td_status status =
      damping ? td_residual_derivatives(s->model, s->ws, s->q, s->qd, NULL, s->u, NULL, NULL, s->faded, s->full)
              : td_mass_matrix(s->model, s->ws, s->q, s->full);
  if (!status) td_statics_gather(s, s->full, s->M);
  return status;
}

td_status td_statics_judge(td_statics *s, td_statics_result *result) {
  result->smallest_eigenvalue = INFINITY; // a rigid structure
  result->conservative = true;
  result->growth_rate = result->growth_frequency = NAN;
  result->stable = result->fed = false;
  td_status status = td_statics_linearise(s);
  if (!status) result->conservative = td_statics_conservative(s) && !s->qd; // gyroscopic forces may hold a maximum
  if (!status) status = inertia_and_damping(s, !result->conservative || s->model->immersed);
  if (!status && s->d > 0) {
    result->fed = s->model->immersed && feeds(s);
    if (!result->conservative || result->fed) status = judge_motion(s, result);
    if (status != TD_NO_MEMORY) status = symmetric_part(s, &result->smallest_eigenvalue);
  }
  if (status) return status;
  if (result->conservative)
    result->stable = (result->stable || !result->fed) && result->smallest_eigenvalue >= -s->neutral;
  return TD_OK;
}
