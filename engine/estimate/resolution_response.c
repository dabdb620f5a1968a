// Motions. Small ones about the start of a run, in the modes of the robot and in those of its finer twin, both driven by what the run
// was driven by: the force that is not balanced at the start, the velocities there, the inputs. Each mode is an oscillator
//     x'' + c x' + w^2 x = f,   c = X^T C X,   f = X^T (r + B (u - u_0) - M_p a - C_p (v - v_0) - K_p (d - d_0)),
// p: coordinates of prescribed joints, which have gone by d, at v and a (of turns the sine, as weight turns along),
// advanced exactly over steps in which f is constant (its mean there). Only stretches as long as the slowest strain's period are
// compared, each from rest: frequencies that are off by little go out of step in many periods, and that is no news. Both see the same points,
// so that all that differs is strains: responses to what the basis cannot follow, an impulse or a force in quick change.
#include "constraint/loop_closure.h"
#include "estimate/modes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 400, MEANS = 3, EVENTS = 4, SPREAD = 3, WINDOWS = 1 + EVENTS + SPREAD };
static const double NEUTRAL = 1e-6, NUDGE = 1e-6;
static const double LEAST_PART = 0.05;    // of what the rod that moves most does: others are not looked at
static const double LEAST_SEEN = 1e-9;    // of a rod's length,
static const double LEAST_CARRIED = 1e-3; // and where joints carry rods about: stiff ones hardly bend
static const double OF_LENGTH =
    TD_COARSE_RESPONSE / TD_COARSE_MOTION; // a part of a large deflection counts by that of the length
static const double MOSTLY = 0.8;          // of a mode's stiffness that of rods' material
enum { ACCELERATION, RATE, WAY, MOTIONS };

typedef struct oscillators {
  td_modes modes;
  double *kick, *rate;       // [count] of the start
  double *push, *tip;        // [count][m], [count][rods][3]
  double *step, *x, *memory; // [count][6]: (x, v) <- and what f adds; [count][2]
} oscillators;

typedef struct response {
  td_resolution *r;
  const td_drive *drive;
  int m, tips;                 // channels, then MOTIONS of each prescribed coordinate; 3 [rods]
  double *C, *B, *force, *tip; // [N][N], [N][m], [N], [N][tips]
  double *u, *u0, *mean;       // [m]
  double *moved, *own, *fine;  // [rods] m; [tips] each
  double *scale, *error, *at;  // [rods]
  double *now, *worst;         // [N] the twin's coordinates where a rod is worst
  double *rates;               // [N] at the start, those of prescribed joints 0
  double period, *memory;
  double ratio, share, t; // the worst so far, its part of the tip's largest deflection; when, and whose
  int rod;
} response;

// ------------------------------------------------------------------------------------------------ an oscillator

// exp of [[0, w h, 0], [-w h, -c h, h / w'], [0, 0, 0]] by squaring: (x, v) after a step h, and what a constant f adds.
static void transition(double square, double damping, double h, double step[6]) {
  double w = sqrt(fmax(fabs(square), 1 / (h * h))), A[9] = {0}, E[9], T[9], P[9];
  A[1] = w * h, A[3] = -square * h / w, A[4] = -damping * h, A[5] = h;
  double size = fmax(fabs(A[1]), fabs(A[3]) + fabs(A[4]));
  int halvings = size > 0.1 ? (int)ceil(log2(size / 0.1)) : 0;
  for (int i = 0; i < 9; i++) A[i] = ldexp(A[i], -halvings), E[i] = T[i] = i % 4 == 0;
  for (int k = 1; k <= 8 + halvings; k++) {
    const double *left = k <= 8 ? T : E, *right = k <= 8 ? A : E;
    for (int i = 0; i < 9; i++) {
      P[i] = 0;
      for (int j = 0; j < 3; j++) P[i] += left[i / 3 * 3 + j] * right[j * 3 + i % 3];
    }
    for (int i = 0; i < 9; i++) {
      if (k <= 8)
        T[i] = P[i] / k, E[i] += T[i];
      else
        E[i] = P[i];
    }
  }
  step[0] = E[0], step[1] = E[1] / w, step[2] = E[2] / w; // v was counted by w
  step[3] = E[3] * w, step[4] = E[4], step[5] = E[5];
}

static double form(const double *A, const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] == 0) continue;
    double row = 0;
    for (int j = 0; j < n; j++) row += A[i * n + j] * y[j];
    sum += x[i] * row;
  }
  return sum;
}

static void project(const response *p, oscillators *o, int k) {
  const td_resolution *r = p->r;
  const double *X = o->modes.x + k * r->N;
  for (int i = 0; i < r->N; i++) {
    if (X[i] == 0) continue;
    o->kick[k] += X[i] * p->force[i];
    for (int c = 0; c < p->m; c++) o->push[k * p->m + c] += X[i] * p->B[i * p->m + c];
    for (int c = 0; c < p->tips; c++) o->tip[k * p->tips + c] += X[i] * p->tip[i * p->tips + c];
  }
  o->rate[k] = form(r->M, X, p->rates, r->N);
  transition(o->modes.square[k], fmax(0, form(p->C, X, X, r->N)), p->period / STEPS, o->step + 6 * k);
}

static void fini(oscillators *o) {
  td_modes_free(&o->modes);
  free(o->memory);
}

static bool init(const response *p, int level, oscillators *o) {
  *o = (oscillators){0};
  if (!td_modes_find(p->r, level, &o->modes)) return false;
  size_t n = (size_t)o->modes.count;
  o->memory = calloc(n * (10 + (size_t)p->m + (size_t)p->tips) + 1, sizeof *o->memory);
  if (!o->memory) return fini(o), false;
  o->kick = o->memory;
  o->rate = o->kick + n;
  o->step = o->rate + n;
  o->x = o->step + 6 * n;
  o->push = o->x + 2 * n;
  o->tip = o->push + n * (size_t)p->m;
  for (int k = 0; k < o->modes.count; k++) project(p, o, k);
  return true;
}

// ------------------------------------------------------------------------------------------------ windows

static void begin(oscillators *o, bool first) {
  for (int k = 0; k < o->modes.count; k++) o->x[2 * k] = 0, o->x[2 * k + 1] = first ? o->rate[k] : 0;
}

// One step with the mean inputs; out [tips].
static void advance(const response *p, oscillators *o, bool first, double *out) {
  memset(out, 0, (size_t)p->tips * sizeof *out);
  for (int k = 0; k < o->modes.count; k++) {
    double f = first && !p->drive->balanced ? o->kick[k] : 0, *x = o->x + 2 * k, x0 = x[0], v0 = x[1];
    const double *s = o->step + 6 * k;
    for (int c = 0; c < p->m; c++) f += o->push[k * p->m + c] * p->mean[c];
    x[0] = s[0] * x0 + s[1] * v0 + s[2] * f;
    x[1] = s[3] * x0 + s[4] * v0 + s[5] * f;
    for (int c = 0; c < p->tips; c++) out[c] += o->tip[k * p->tips + c] * x[0];
  }
}

static void inputs_at(const response *p, double t, double *u) {
  int first = p->r->model->channel_count;
  p->drive->inputs(p->drive->context, t, u);
  if (p->m > first) p->drive->motions(p->drive->context, t, u + first);
}

static void mean_inputs(const response *p, double t, double h) {
  memset(p->mean, 0, (size_t)p->m * sizeof *p->mean);
  for (int i = 0; i < MEANS; i++) {
    inputs_at(p, t + h * (i + 0.5) / MEANS, p->u);
    for (int c = 0; c < p->m; c++) p->mean[c] += (p->u[c] - p->u0[c]) / MEANS;
  }
}

static double size_of(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static void keep_worst(const response *p, const oscillators *fine) {
  int N = p->r->N;
  memset(p->now, 0, (size_t)N * sizeof *p->now);
  for (int k = 0; k < fine->modes.count; k++)
    for (int i = 0; i < N; i++) p->now[i] += fine->x[2 * k] * fine->modes.x[k * N + i];
}

// Errors of a window count by what tips do in it, or by what they did in the run where that is more.
static void note_window(response *p) {
  double largest = 0;
  for (int k = 0; k < p->tips / 3; k++) largest = fmax(largest, p->scale[k]);
  for (int k = 0; k < p->tips / 3; k++) {
    const td_rod *rod = &p->r->model->rod[k];
    if (!rod->basis || p->scale[k] < fmax(LEAST_PART * largest, LEAST_SEEN * rod->length)) continue;
    bool carried = p->m > p->r->model->channel_count;
    double share = carried && p->error[k] < LEAST_CARRIED * rod->length ? 0 : p->error[k] / p->scale[k];
    double length = fmin(p->scale[k], p->moved[k]) / rod->length, ratio = share * fmax(1, OF_LENGTH * length);
    if (!(ratio > p->ratio)) continue;
    p->ratio = ratio, p->share = share, p->rod = k, p->t = p->at[k];
    memcpy(p->worst, p->now, (size_t)p->r->N * sizeof *p->worst);
  }
}

static void window(response *p, double from, bool first, oscillators *own, oscillators *fine) {
  double h = p->period / STEPS, most = 0;
  begin(own, first);
  begin(fine, first);
  inputs_at(p, first ? 0.01 * h : from, p->u0); // what acts at the start is in the force there, and no acceleration is
  for (int i = p->r->model->channel_count; i < p->m; i += MOTIONS) p->u0[i + ACCELERATION] = 0;
  for (int k = 0; k < p->tips / 3; k++) p->scale[k] = p->moved[k], p->error[k] = 0;
  for (int i = 0; i < STEPS; i++) {
    bool worse = false;
    mean_inputs(p, from + i * h, h);
    advance(p, own, first, p->own);
    advance(p, fine, first, p->fine);
    for (int k = 0; k < p->tips / 3; k++) {
      double *a = p->own + 3 * k, *b = p->fine + 3 * k, d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
      p->scale[k] = fmax(p->scale[k], size_of(a));
      if (size_of(d) <= p->error[k]) continue;
      p->error[k] = size_of(d);
      p->at[k] = from + (i + 1) * h;
      if (p->error[k] > most) most = p->error[k], worse = true;
    }
    if (worse) keep_worst(p, fine);
  }
  note_window(p);
}

// Where inputs jump first, each with what follows in a period, and some evenly over the run.
static int choose_windows(const response *p, double *from) {
  double end = p->drive->t_end - p->period, h = p->period / STEPS, t = 0;
  int count = 0;
  from[count++] = 0;
  for (int i = 0; i < EVENTS && end > 0; i++) {
    t = p->drive->next_event(p->drive->context, t);
    if (!(t < p->drive->t_end)) break;
    from[count] = fmin(fmax(t - h, 0), end);
    t = from[count++] + p->period; // what comes before is seen there
  }
  for (int i = 1; i <= SPREAD && end > p->period; i++) from[count++] = end * i / SPREAD;
  return count;
}

static void run(response *p, oscillators *own, oscillators *fine) {
  double from[WINDOWS];
  int count = choose_windows(p, from);
  p->ratio = 0;
  for (int i = 0; i < count; i++) window(p, from[i], i == 0, own, fine);
}

// ------------------------------------------------------------------------------------------------ what is compared

// Columns of channels.
static bool channels(response *p, const double *u) {
  td_resolution *r = p->r;
  const td_model *t = r->twin.model;
  int m = t->channel_count;
  size_t size = (size_t)(r->N * m);
  double *B = calloc(2 * size + 1, sizeof *B), *did = B + size;
  bool known = B && (m == 0 || (!td_force_derivatives(t, r->twin.ws, r->q, r->qd, u, NULL, NULL, B) &&
                                !td_id_input_derivative(t, r->twin.ws, r->q, r->qd, u, did)));
  for (int i = 0; known && i < r->N; i++)
    for (int c = 0; c < m; c++) p->B[i * p->m + c] = B[i * m + c] - did[i * m + c];
  free(B);
  return known;
}

// Columns of prescribed joints.
static void motions(response *p) {
  td_resolution *r = p->r;
  const td_model *own = r->model;
  for (int k = 0; k < own->prescribed_count; k++) {
    int c = r->twin.at[td_model_prescribed_coordinate(own, k, NULL)], first = own->channel_count + MOTIONS * k;
    for (int i = 0; i < r->N; i++) {
      p->B[i * p->m + first + ACCELERATION] = -r->M[i * r->N + c];
      p->B[i * p->m + first + RATE] = -p->C[i * r->N + c];
      p->B[i * p->m + first + WAY] = -r->K[i * r->N + c];
    }
  }
}

static bool matrices(response *p, const td_resolution_state *at) {
  td_resolution *r = p->r;
  const td_model *t = r->twin.model;
  td_twin_embed(r->model, &r->twin, at->state.q, r->q);
  td_twin_embed(r->model, &r->twin, at->state.qd, r->qd);
  td_state s = {.q = r->q, .qd = r->qd, .u = at->state.u, .baumgarte = at->state.baumgarte};
  td_constraint_terms out = {.residual = p->force, .K = r->K, .C = p->C, .M = r->M, .G = t->loop_rows ? r->G : NULL};
  if (t->loop_rows) {
    r->twin.ws->constraint.closure = at->closure;
    td_loop_follow(t, r->twin.ws, r->q, true);
  }
  bool known = !td_constraint_terms_at(t, r->twin.ws, &s, NULL, &out) && channels(p, s.u);
  for (int i = 0; i < r->N; i++) p->rates[i] = td_resolution_is_free(r, i, r->how.enrichment) ? r->qd[i] : 0;
  if (known) motions(p);
  return known;
}

static void tip_of(const response *p, double (*shape)[3], int rod_index, double out[3]) {
  const td_rod *rod = &p->r->twin.model->rod[rod_index];
  for (int c = 0; c < 3; c++) out[c] = rod->basis ? shape[rod->point_node[rod->point_count - 1]][c] : 0;
}

// p->tip: where tips go with each coordinate; p->moved: how far they were from the start in the states that are known.
static bool tips(response *p) {
  td_resolution *r = p->r;
  double a[3], b[3];
  if (!td_resolution_shapes(r, r->q, r->shape)) return false;
  for (int i = 0; i < r->N; i++) {
    memcpy(r->moved, r->q, (size_t)r->N * sizeof *r->moved);
    r->moved[i] += NUDGE;
    if (!td_resolution_shapes(r, r->moved, r->other)) return false;
    for (int k = 0; k < p->tips / 3; k++) {
      tip_of(p, r->shape, k, a);
      tip_of(p, r->other, k, b);
      for (int c = 0; c < 3; c++) p->tip[i * p->tips + 3 * k + c] = (b[c] - a[c]) / NUDGE;
    }
  }
  for (int i = 0; i < p->drive->seen_count; i++) {
    td_twin_embed(r->model, &r->twin, p->drive->seen[i], r->moved);
    if (!td_resolution_shapes(r, r->moved, r->other)) return false;
    for (int k = 0; k < p->tips / 3; k++) {
      tip_of(p, r->shape, k, a);
      tip_of(p, r->other, k, b);
      const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
      p->moved[k] = fmax(p->moved[k], size_of(d));
    }
  }
  return true;
}

static bool allocate(response *p) {
  size_t N = (size_t)p->r->N, m = (size_t)p->m, rods = (size_t)p->r->model->rod_count, tips = 3 * rods;
  double *at = p->memory = calloc(N * N + N * m + 4 * N + N * tips + 3 * m + 4 * rods + 2 * tips + 1, sizeof *at);
  if (!at) return false;
  double **parts[] = {&p->C,  &p->B,    &p->force, &p->now,  &p->worst, &p->rates, &p->tip,   &p->u,
                      &p->u0, &p->mean, &p->own,   &p->fine, &p->moved, &p->scale, &p->error, &p->at};
  const size_t sizes[] = {N * N, N * m, N, N, N, N, N * tips, m, m, m, tips, tips, rods, rods, rods, rods};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; at += sizes[i++]) *parts[i] = at;
  return true;
}

// ------------------------------------------------------------------------------------------------ verdict

static void compare(response *p, int level, oscillators *own, oscillators *fine) {
  td_response_finding *f = &p->r->response;
  run(p, own, fine);
  *f = (td_response_finding){.ratio = p->ratio, .share = p->share, .rod = p->rod, .t = p->t, .more = level};
  if (p->ratio <= TD_COARSE_RESPONSE) return;
  f->component = td_resolution_lacking(p->r, p->rod, p->worst);
  for (int k = 1; k < level; k++) {
    oscillators some;
    if (!init(p, k, &some)) return;
    run(p, &some, fine);
    fini(&some);
    if (p->ratio > TD_COARSE_RESPONSE) continue;
    f->more = k;
    return;
  }
}

// Of rods alone, x^T K x by their material.
static double elastic(const td_resolution *r, const double *x) {
  const td_model *t = r->twin.model;
  double sum = 0;
  for (int i = 0; i < t->rod_count; i++) {
    const td_rod *rod = &t->rod[i];
    const double *block = rod->stiffness;
    for (int g = 0; g < rod->group_count && rod->basis; g++) {
      int count = rod->group[g].count;
      const double *y = x + t->element[rod->element].coordinate + rod->group[g].first;
      sum += form(block, y, y, count);
      block += count * count;
    }
  }
  return sum;
}

// The slowest vibration that bends rods more than anything else, s: necks and elements make it slower than the first strain alone is.
static double slowest_period(td_resolution *r, double slowest) {
  td_modes own;
  if (!td_modes_find(r, 0, &own)) return 2 * M_PI / sqrt(slowest);
  for (int k = 0; k < own.count; k++) {
    double square = own.square[k];
    if (square >= slowest) break;
    if (square <= NEUTRAL * slowest || elastic(r, own.x + k * r->N) < MOSTLY * square) continue;
    slowest = square;
    break;
  }
  td_modes_free(&own);
  return 2 * M_PI / sqrt(slowest);
}

void td_resolution_look_at_response(td_resolution *r, const td_resolution_state *at, const td_drive *drive) {
  int level = r ? td_modes_level(r) : 0;
  if (!level || td_resolution_touches(r, at)) return;
  response p = {.r = r,
                .drive = drive,
                .m = r->model->channel_count + MOTIONS * r->model->prescribed_count,
                .tips = 3 * r->model->rod_count};
  oscillators own, fine;
  if (allocate(&p) && matrices(&p, at) && tips(&p)) {
    double slowest = td_resolution_slowest(r);
    p.period = fmin(slowest_period(r, slowest), drive->t_end);
    if (init(&p, 0, &own)) {
      bool stable = own.modes.count > 0 && own.modes.square[0] > -NEUTRAL * slowest;
      if (stable && init(&p, level, &fine)) {
        compare(&p, level, &own, &fine);
        fini(&fine);
      }
      fini(&own);
    }
  }
  free(p.memory);
}
