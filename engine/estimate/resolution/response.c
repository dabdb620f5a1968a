// Motions. Small ones about the start of a run, in the modes of the robot and in those of its finer twin, both driven
// by what the run was driven by: the force that is not balanced at the start, the velocities there, the inputs. Each
// mode is an oscillator
//     x'' + c x' + w^2 x = f,   c = X^T C X,   f = X^T (r + B (u - u_0) - M_p a - C_p (v - v_0) - K_p (d - d_0)),
// p: coordinates of prescribed joints, which have gone by d, at v and a (of turns the sine, as weight turns along),
// advanced exactly over steps in which f is constant (its mean there). Stretches as long as the slowest strain's period
// are compared, each from rest, and the run as a whole, as far as it can be afforded: there frequencies that are off by
// little go out of step, and what is shaken near one of them swings by another amplitude. Both see the same points, so
// that all that differs is strains: responses to what the basis cannot follow, an impulse or a force in quick change. A
// tip's motion is where it goes from the base of its rod and, times the rod's length, by how much it twists.
#include "constraint/loop_closure.h"
#include "estimate/modes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 400, MEANS = 3, EVENTS = 4, SPREAD = 3, WINDOWS = 1 + EVENTS + SPREAD };
enum { WHOLE_STEPS = 20000, LEAST_STEPS = 40 }; // of a run as a whole; of a period in it
static const double WHOLE_WORK = 3e7;           // numbers added up in it
enum { TIP = 4 };                               // m: where it is, and its twist times the length of the rod
static const double NEUTRAL = 1e-6, NUDGE = 1e-6;
static const double LEAST_PART = 0.05;    // of what the rod that moves most does: others are not looked at
static const double LEAST_SEEN = 1e-9;    // of a rod's length,
static const double LEAST_CARRIED = 1e-3; // and where joints carry rods about: stiff ones hardly bend
static const double OF_LENGTH =
    TD_COARSE_RESPONSE / TD_COARSE_MOTION;  // a part of a large deflection counts by that of the length
static const double SMALL = 0.3, ALIKE = 2; // of a rod's length; times as far
static const double MOSTLY = 0.8;           // of a mode's stiffness that of rods' material
enum { ACCELERATION, RATE, WAY, MOTIONS };

typedef struct oscillators {
  td_modes modes;
  double *kick, *rate;       // [count] of the start
  double *damping;           // [count] 1/s
  double *push, *tip;        // [count][m], [count][rods][TIP]
  double *step, *x, *memory; // [count][6]: (x, v) <- and what f adds; [count][2]
} oscillators;

typedef struct response {
  td_resolution *r;
  const td_drive *drive;
  bool carried;                // joints move, too
  int m, tips;                 // channels, then MOTIONS of each prescribed coordinate; TIP [rods]
  double *C, *B, *force, *tip; // [N][N], [N][m], [N], [N][tips]
  double *u, *u0, *mean;       // [m]
  double *moved, *own, *fine;  // [rods] m; [tips] each
  double *scale, *error, *at;  // [rods]
  double *reach;               // [rods] m, the farthest that the robot's own small motions go
  double *now, *worst;         // [N] the twin's coordinates where a rod is worst
  double *rates;               // [N] at the start, those of prescribed joints 0
  td_se3 *pose;                // [2][rods] of each tip seen from its base, at the start and now
  double period, *memory;
  td_apart worst_of, whole; // of all windows; of the run as a whole
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
  o->damping[k] = fmax(0, form(p->C, X, X, r->N));
}

static void pace(oscillators *o, double h) {
  for (int k = 0; k < o->modes.count; k++) transition(o->modes.square[k], o->damping[k], h, o->step + 6 * k);
}

static void fini(oscillators *o) {
  td_modes_free(&o->modes);
  free(o->memory);
}

static bool init(const response *p, int level, oscillators *o) {
  *o = (oscillators){0};
  if (!td_modes_find(p->r, level, &o->modes)) return false;
  size_t n = (size_t)o->modes.count;
  o->memory = calloc(n * (11 + (size_t)p->m + (size_t)p->tips) + 1, sizeof *o->memory);
  if (!o->memory) return fini(o), false;
  o->kick = o->memory;
  o->rate = o->kick + n;
  o->damping = o->rate + n;
  o->step = o->damping + n;
  o->x = o->step + 6 * n;
  o->push = o->x + 2 * n;
  o->tip = o->push + n * (size_t)p->m;
  for (int k = 0; k < o->modes.count; k++) project(p, o, k);
  pace(o, p->period / STEPS);
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

static double size_of(const double x[TIP]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]); }

static void keep_worst(const response *p, const oscillators *fine) {
  int N = p->r->N;
  memset(p->now, 0, (size_t)N * sizeof *p->now);
  for (int k = 0; k < fine->modes.count; k++)
    for (int i = 0; i < N; i++) p->now[i] += fine->x[2 * k] * fine->modes.x[k * N + i];
}

// Errors of a window count by what tips do in it, or by what they did in the run where that is more. @return whether
// one is the worst so far
static bool note_window(const response *p, td_apart *worst) {
  double largest = 0, before = worst->ratio;
  for (int k = 0; k < p->tips / TIP; k++) largest = fmax(largest, p->scale[k]);
  for (int k = 0; k < p->tips / TIP; k++) {
    const td_rod *rod = &p->r->model->rod[k];
    if (!rod->basis || p->scale[k] < fmax(LEAST_PART * largest, LEAST_SEEN * rod->length)) continue;
    double share = p->carried && p->error[k] < LEAST_CARRIED * rod->length ? 0 : p->error[k] / p->scale[k];
    double length = fmin(p->scale[k], p->moved[k]) / rod->length, ratio = share * fmax(1, OF_LENGTH * length);
    if (ratio > worst->ratio) *worst = (td_apart){.ratio = ratio, .share = share, .rod = k, .t = p->at[k]};
  }
  return worst->ratio > before;
}

// Steps of h from there on.
static void window(response *p, double from, double h, int steps, oscillators *own, oscillators *fine,
                   td_apart *worst) {
  double most = 0;
  bool first = from == 0;
  begin(own, first);
  begin(fine, first);
  inputs_at(p, first ? 0.01 * h : from, p->u0); // what acts at the start is in the force there, and no acceleration is
  for (int i = p->r->model->channel_count; i < p->m; i += MOTIONS) p->u0[i + ACCELERATION] = 0;
  for (int k = 0; k < p->tips / TIP; k++) p->scale[k] = p->moved[k], p->error[k] = p->reach[k] = 0;
  for (int i = 0; i < steps; i++) {
    bool worse = false;
    mean_inputs(p, from + i * h, h);
    advance(p, own, first, p->own);
    advance(p, fine, first, p->fine);
    for (int k = 0; k < p->tips / TIP; k++) {
      double *a = p->own + TIP * k, *b = p->fine + TIP * k;
      double d[TIP] = {b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3]};
      p->reach[k] = fmax(p->reach[k], size_of(a));
      p->scale[k] = fmax(p->scale[k], p->reach[k]);
      if (size_of(d) <= p->error[k]) continue;
      p->error[k] = size_of(d);
      p->at[k] = from + (i + 1) * h;
      if (p->error[k] > most) most = p->error[k], worse = true;
    }
    if (worse) keep_worst(p, fine);
  }
  if (note_window(p, worst)) memcpy(p->worst, p->now, (size_t)p->r->N * sizeof *p->worst);
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
  p->worst_of = (td_apart){0};
  for (int i = 0; i < count; i++) window(p, from[i], p->period / STEPS, STEPS, own, fine, &p->worst_of);
}

// The run as a whole, or what of it can be afforded.
static void run_whole(response *p, oscillators *own, oscillators *fine) {
  double modes = own->modes.count + fine->modes.count, work = modes * (p->m + p->tips + 8);
  int most = (int)fmin(WHOLE_STEPS, WHOLE_WORK / work);
  double periods = p->drive->t_end / p->period, per_period = fmin(STEPS, fmax(LEAST_STEPS, most / periods));
  double h = p->period / per_period;
  p->whole = p->worst_of;
  if (periods <= 1) return;
  pace(own, h);
  pace(fine, h);
  window(p, 0, h, (int)fmin(most, floor(p->drive->t_end / h)), own, fine, &p->whole);
}

// Whether the run as a whole is made of small motions about its start: these go as far as it does, and that is not far.
static bool is_small(const response *p, int rod) {
  double moved = p->moved[rod], reach = p->reach[rod];
  return moved < SMALL * p->r->model->rod[rod].length && reach < ALIKE * moved && moved < ALIKE * reach;
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

// Tips of rods, each from its base, where td_resolution_shapes has just been.
static void tips_of(const response *p, td_se3 *out) {
  for (int k = 0; k < p->tips / TIP; k++)
    if (p->r->model->rod[k].basis) td_twin_tip(&p->r->twin, k, &out[k]);
}

// What a tip has done since the start.
static void moved_by(const response *p, int rod, double out[TIP]) {
  const td_se3 *a = &p->pose[rod], *b = &p->pose[p->tips / TIP + rod];
  for (int c = 0; c < TIP; c++) out[c] = 0;
  if (!p->r->model->rod[rod].basis) return;
  for (int c = 0; c < 3; c++) out[c] = b->p[c] - a->p[c];
  out[3] = p->r->model->rod[rod].length * td_twist_between(a, b);
}

// p->tip: where tips go with each coordinate; p->moved: how far they were from the start in the states that are known.
static bool tips(response *p) {
  td_resolution *r = p->r;
  int rods = p->tips / TIP;
  double d[TIP];
  if (!td_resolution_shapes(r, r->q, r->shape)) return false;
  tips_of(p, p->pose);
  for (int i = 0; i < r->N; i++) {
    memcpy(r->moved, r->q, (size_t)r->N * sizeof *r->moved);
    r->moved[i] += NUDGE;
    if (!td_resolution_shapes(r, r->moved, r->other)) return false;
    tips_of(p, p->pose + rods);
    for (int k = 0; k < rods; k++) {
      moved_by(p, k, d);
      for (int c = 0; c < TIP; c++) p->tip[i * p->tips + TIP * k + c] = d[c] / NUDGE;
    }
  }
  for (int i = 0; i < p->drive->seen_count; i++) {
    td_twin_embed(r->model, &r->twin, p->drive->seen[i], r->moved);
    if (!td_resolution_shapes(r, r->moved, r->other)) return false;
    tips_of(p, p->pose + rods);
    for (int k = 0; k < rods; k++) {
      moved_by(p, k, d);
      p->moved[k] = fmax(p->moved[k], size_of(d));
    }
  }
  return true;
}

static bool allocate(response *p) {
  size_t N = (size_t)p->r->N, m = (size_t)p->m, rods = (size_t)p->r->model->rod_count, tips = TIP * rods;
  double *at = p->memory = calloc(N * N + N * m + 4 * N + N * tips + 3 * m + 5 * rods + 2 * tips + 1, sizeof *at);
  p->pose = calloc(2 * rods + 1, sizeof *p->pose);
  if (!at || !p->pose) return false;
  double **parts[] = {&p->C,    &p->B,   &p->force, &p->now,   &p->worst, &p->rates, &p->tip, &p->u,    &p->u0,
                      &p->mean, &p->own, &p->fine,  &p->moved, &p->scale, &p->error, &p->at,  &p->reach};
  const size_t sizes[] = {N * N, N * m, N, N, N, N, N * tips, m, m, m, tips, tips, rods, rods, rods, rods, rods};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; at += sizes[i++]) *parts[i] = at;
  return true;
}

// ------------------------------------------------------------------------------------------------ verdict

static void compare(response *p, int level, oscillators *own, oscillators *fine) {
  td_response_finding *f = &p->r->response;
  run(p, own, fine);
  *f = (td_response_finding){.apart = p->worst_of, .more = level};
  if (f->apart.ratio > 0) f->component = td_twin_lacking(&p->r->twin, f->apart.rod, p->worst);
  for (int k = 1; k < level && f->apart.ratio > TD_COARSE_RESPONSE; k++) {
    oscillators some;
    if (!init(p, k, &some)) break;
    run(p, &some, fine);
    fini(&some);
    if (p->worst_of.ratio > TD_COARSE_RESPONSE) continue;
    f->more = k;
    break;
  }
  p->worst_of = f->apart;
  run_whole(p, own, fine);
  f->whole = p->whole;
  f->small = p->whole.ratio > f->apart.ratio && is_small(p, p->whole.rod);
  f->lacking = p->whole.ratio > f->apart.ratio ? td_twin_lacking(&p->r->twin, p->whole.rod, p->worst) : f->component;
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

// The slowest vibration that bends rods more than anything else, s: necks and elements make it slower than the first
// strain alone is.
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
                .tips = TIP * r->model->rod_count};
  oscillators own, fine;
  for (int i = 0; i < r->model->element_count; i++)
    p.carried |= r->model->element[i].rod < 0 && r->model->element[i].n > 0;
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
  free(p.pose);
  free(p.memory);
}
