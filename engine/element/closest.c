// Nearest points of capsules: the least of a quadratic form on a square.
//
// |r|^2 with the bulges is  A s^2 - 2 B s t + C t^2 + 2 p s + 2 q t + |w|^2,  w = a0 - b0,
//   A = u.u + 4e, B = u.v, C = v.v + 4e, p = w.u - 2e, q = -w.v - 2e,
// convex as e > 0: the least lies inside or on one of four sides. Where it moves, what is free of s and t obeys
//   [A -B; -B C] (ds, dt) = -(du.r + u.dr, -dv.r - v.dr),  dr at s and t held.
// Before a line without end w and u are those across it.
#include "element/closest.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const double DEEPEST = 5e-3; // of (r_a + r_b)^2: D^2 is not less, where axes meet

typedef struct form {
  double A, B, C, p, q, w;
} form;

static double at(const form *f, double s, double t) {
  return f->A * s * s - 2 * f->B * s * t + f->C * t * t + 2 * f->p * s + 2 * f->q * t + f->w;
}

static double clamp(double x) {
  double least = x > 0 ? x : 0;
  return least < 1 ? least : 1;
}

// Both free, inside; false: not inside.
static bool inside(const form *f, td_closest *c) {
  double det = f->A * f->C - f->B * f->B;
  c->s = -(f->p * f->C + f->q * f->B) / det;
  c->t = -(f->q * f->A + f->p * f->B) / det;
  return c->s > 0 && c->s < 1 && c->t > 0 && c->t < 1;
}

// The least on the four sides.
static void on_sides(const form *f, td_closest *c) {
  double least = INFINITY;
  for (int side = 0; side < 4; side++) {
    double end = side & 1, s = side < 2 ? end : clamp((f->B * end - f->p) / f->A),
           t = side < 2 ? clamp((f->B * end - f->q) / f->C) : end, value = at(f, s, t);
    if (value < least) least = value, c->s = s, c->t = t;
  }
}

static void solve(const form *f, bool ball_a, bool ball_b, td_closest *c) {
  c->s = c->t = 0;
  if (!ball_a && !ball_b) {
    if (!inside(f, c)) on_sides(f, c);
  } else if (!ball_a) {
    c->s = clamp(-f->p / f->A);
  } else if (!ball_b) {
    c->t = clamp(-f->q / f->C);
  }
  c->free_s = !ball_a && c->s > 0 && c->s < 1;
  c->free_t = !ball_b && c->t > 0 && c->t < 1;
}

static void invert(const form *f, td_closest *c) {
  double det = f->A * f->C - f->B * f->B;
  bool both = c->free_s && c->free_t;
  c->inverse[0] = both ? f->C / det : c->free_s ? 1 / f->A : 0;
  c->inverse[1] = both ? f->B / det : 0;
  c->inverse[2] = both ? f->A / det : c->free_t ? 1 / f->C : 0;
}

static void project(const double along[3], double x[3]) {
  double part = td_vec3_dot(along, x);
  for (int i = 0; i < 3; i++) x[i] -= part * along[i];
}

// Axes, from where their nearest points are measured.
typedef struct place {
  double w[3], e_a, e_b; // a less b there; bulges
} place;

static void from_to(const td_axes *axes, int a, int b, double w[3]) {
  for (int i = 0; i < 3; i++) w[i] = axes->a[a][i] - axes->b[b][i];
  if (axes->line) project(axes->line, w);
}

// Where an axis touches with its end it does so as a ball there would, to the last bit.
static void find_r(const td_axes *axes, const place *x, const form *f, td_closest *c) {
  int a = !axes->ball_a && c->s == 1, b = !axes->ball_b && c->t == 1;
  double w[3];
  memcpy(w, x->w, sizeof w);
  if (!c->free_s && c->free_t) {
    if (a) from_to(axes, a, 0, w);
    c->t = clamp((td_vec3_dot(w, c->v) + 2 * x->e_b) / f->C);
  } else if (c->free_s && !c->free_t) {
    if (b) from_to(axes, 0, b, w);
    c->s = clamp((2 * x->e_a - td_vec3_dot(w, c->u)) / f->A);
  } else if (!c->free_s && (a || b)) {
    from_to(axes, a, b, w);
  }
  for (int i = 0; i < 3; i++) c->r[i] = w[i];
  for (int i = 0; i < 3 && c->free_s; i++) c->r[i] += c->s * c->u[i];
  for (int i = 0; i < 3 && c->free_t; i++) c->r[i] -= c->t * c->v[i];
}

bool td_closest_find(const td_axes *axes, td_closest *c) {
  double bulge = TD_BARREL * axes->radii * axes->radii;
  place x = {.e_a = axes->ball_a ? 0 : bulge, .e_b = axes->ball_b ? 0 : bulge};
  from_to(axes, 0, 0, x.w);
  for (int i = 0; i < 3; i++) {
    c->u[i] = axes->ball_a ? 0 : axes->a[1][i] - axes->a[0][i];
    c->v[i] = axes->ball_b ? 0 : axes->b[1][i] - axes->b[0][i];
  }
  c->line = axes->line;
  if (c->line) {
    assert(axes->ball_b);
    memcpy(c->along, axes->line, sizeof c->along);
    project(c->along, c->u);
  }
  form f = {td_vec3_dot(c->u, c->u) + 4 * x.e_a, td_vec3_dot(c->u, c->v),
            td_vec3_dot(c->v, c->v) + 4 * x.e_b, td_vec3_dot(x.w, c->u) - 2 * x.e_a,
            -td_vec3_dot(x.w, c->v) - 2 * x.e_b, td_vec3_dot(x.w, x.w)};
  solve(&f, axes->ball_a, axes->ball_b, c);
  find_r(axes, &x, &f, c);
  double square = td_vec3_dot(c->r, c->r) - 4 * x.e_a * c->s * (1 - c->s) - 4 * x.e_b * c->t * (1 - c->t);
  double least = DEEPEST * axes->radii * axes->radii;
  c->through = square < least;
  c->D = sqrt(c->through ? least : square);
  c->depth = axes->radii - c->D;
  if (!(c->depth > 0)) return false;
  for (int i = 0; i < 3; i++) c->n[i] = c->r[i] / c->D;
  invert(&f, c);
  return true;
}

// a, the same in all lanes, by x
static td_vec dot(const double *a, const td_vec *x) { return a[0] * x[0] + a[1] * x[1] + a[2] * x[2]; }

void td_closest_follow(const td_closest *c, td_closest_way *x) {
  td_vec gs = dot(c->r, x->u) + dot(c->u, x->r), gt = -dot(c->r, x->v) - dot(c->v, x->r),
         change = c->through ? td_splat(0) : dot(c->n, x->r);
  x->s = -(c->inverse[0] * gs + c->inverse[1] * gt);
  x->t = -(c->inverse[1] * gs + c->inverse[2] * gt);
  x->depth = -change;
  for (int i = 0; i < 3; i++) x->whole[i] = x->r[i] + x->s * c->u[i] - x->t * c->v[i];
  if (c->line) {
    td_vec part = dot(c->along, x->whole);
    for (int i = 0; i < 3; i++) x->whole[i] -= part * c->along[i];
  }
  for (int i = 0; i < 3; i++) x->n[i] = (x->whole[i] - c->n[i] * change) / c->D;
}
